"""The matrix instructions: their shapes, element types and fragments.

Fragments of `mma.sync` follow the PTX ISA, "Matrix Fragments for mma.m16n8k16
with floating point type" and the sections next to it (m16n8k8, m16n8k8 .tf32, m16n8k32
and m8n8k16 8-bit, m8n8k4 .f64); test/layout/test_fragments.py checks each against the
formulae given there. Bases are (row, column) of the operand: A is M x K, B is K x N, C
is M x N.

Atoms whose name begins with `fma` are no matrix instruction: each thread multiplies and
adds what it holds of A and B. They compute what a chip has no instruction for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from cuda_tile.layout.linear import LinearLayout

Role = Literal["a", "b", "c"]
"""Operand of a matrix multiply-accumulate; "c" also stands for the result."""


@dataclass(frozen=True)
class AtomTypes:
    """Element types that an atom takes, as MLIR writes them.

    Attributes:
        operand: Of A and B.
        accumulator: Of C and of the result.
        first_capability: Compute capability from which on it does, 80 for sm_80.
        computed_as: The type of A and B in the instruction: the operand's own, or one
            to which they are converted in registers, exactly.
    """

    operand: str
    accumulator: str
    first_capability: int
    computed_as: str


@dataclass(frozen=True, eq=False)
class MmaAtom:
    """One warp-wide product: its shape and its three fragments.

    Attributes:
        name: Shape name of the PTX ISA, such as "m16n8k16", with the operand type
            where another instruction has this shape but other fragments.
        shape: (M, N, K) in elements.
        types: Element types (PTX ISA, "Warp-level Matrix Instructions: mma").
        a: Layout of A, M x K.
        b: Layout of B, K x N.
        c: Layout of C and of the result, M x N.
    """

    name: str
    shape: tuple[int, int, int]
    types: tuple[AtomTypes, ...]
    a: LinearLayout
    b: LinearLayout
    c: LinearLayout

    def find(self, operand: str, accumulator: str) -> AtomTypes | None:
        """The row of these element types, or None if it does not take them."""
        for row in self.types:
            if (row.operand, row.accumulator) == (operand, accumulator):
                return row
        return None

    @property
    def is_instruction(self) -> bool:
        """Whether this is `mma.sync`, not multiply-adds of each thread."""
        return not self.name.startswith("fma")

    @property
    def types_text(self) -> str:
        """Its operand and accumulator types as messages list them."""
        return " or ".join(f"{r.operand} and {r.accumulator}" for r in self.types)

    def fragment(self, role: Role) -> LinearLayout:
        """Gives the layout of one operand."""
        return {"a": self.a, "b": self.b, "c": self.c}[role]


def _own(operand: str, accumulators: tuple[str, ...], since: int) -> list[AtomTypes]:
    """Rows of operands that the instruction takes as they are."""
    return [AtomTypes(operand, acc, since, operand) for acc in accumulators]


_HALF_SUMS = ("f32", "f16")
_F8 = ("f8E4M3FN", "f8E5M2")


def _widened(since: int) -> list[AtomTypes]:
    """Rows of small floats that become f16: it holds every value of theirs."""
    pairs = [(operand, acc) for operand in _F8 for acc in _HALF_SUMS]
    return [AtomTypes(*pair, since, "f16") for pair in (*pairs, ("f4E2M1FN", "f32"))]


_QUADS_BY_ROW = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
_PAIRS_BY_COLUMN = ((2, 0), (4, 0), (0, 1), (0, 2), (0, 4))
_C_M16N8 = LinearLayout((16, 8), ((0, 1), (8, 0)), _QUADS_BY_ROW)

M16N8K16 = MmaAtom(
    name="m16n8k16",
    shape=(16, 8, 16),
    types=(
        *_own("f16", _HALF_SUMS, 80),
        *_own("bf16", ("f32",), 80),
        *_widened(80),
    ),
    a=LinearLayout((16, 16), ((0, 1), (8, 0), (0, 8)), _QUADS_BY_ROW),
    b=LinearLayout((16, 8), ((1, 0), (8, 0)), _PAIRS_BY_COLUMN),
    c=_C_M16N8,
)
"""f16 and bf16 operands."""

M16N8K8 = MmaAtom(
    name="m16n8k8",
    shape=(16, 8, 8),
    types=(*_own("tf32", ("f32",), 80),),
    a=LinearLayout((16, 8), ((8, 0), (0, 4)), ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0))),
    b=LinearLayout((8, 8), ((4, 0),), ((1, 0), (2, 0), (0, 1), (0, 2), (0, 4))),
    c=_C_M16N8,
)
"""tf32 operands."""

M16N8K8_F16 = MmaAtom(
    name="m16n8k8.f16",
    shape=(16, 8, 8),
    types=(*_own("f16", _HALF_SUMS, 75), *_widened(75)),
    a=LinearLayout((16, 8), ((0, 1), (8, 0)), _QUADS_BY_ROW),
    b=LinearLayout((8, 8), ((1, 0),), _PAIRS_BY_COLUMN),
    c=_C_M16N8,
)
"""f16 operands on chips before sm_80."""

M16N8K32 = MmaAtom(
    name="m16n8k32",
    shape=(16, 8, 32),
    types=(
        *_own("i8", ("i32",), 80),
        *_own("f8E4M3FN", ("f32",), 89),
        *_own("f8E5M2", ("f32",), 89),
    ),
    a=LinearLayout(
        (16, 32),
        ((0, 1), (0, 2), (8, 0), (0, 16)),
        ((0, 4), (0, 8), (1, 0), (2, 0), (4, 0)),
    ),
    b=LinearLayout(
        (32, 8),
        ((1, 0), (2, 0), (16, 0)),
        ((4, 0), (8, 0), (0, 1), (0, 2), (0, 4)),
    ),
    c=_C_M16N8,
)
"""8-bit integers (s32 result), and 8-bit floats."""

M8N8K16 = MmaAtom(
    name="m8n8k16",
    shape=(8, 8, 16),
    types=(*_own("i8", ("i32",), 75),),
    a=LinearLayout((8, 16), ((0, 1), (0, 2)), ((0, 4), (0, 8), (1, 0), (2, 0), (4, 0))),
    b=LinearLayout((16, 8), ((1, 0), (2, 0)), ((4, 0), (8, 0), (0, 1), (0, 2), (0, 4))),
    c=LinearLayout((8, 8), ((0, 1),), _QUADS_BY_ROW),
)
"""8-bit integers on chips before sm_80."""

M8N8K4 = MmaAtom(
    name="m8n8k4",
    shape=(8, 8, 4),
    types=(*_own("f64", ("f64",), 80),),
    a=LinearLayout((8, 4), (), ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0))),
    b=LinearLayout((4, 8), (), ((1, 0), (2, 0), (0, 1), (0, 2), (0, 4))),
    c=LinearLayout((8, 8), ((0, 1),), _QUADS_BY_ROW),
)
"""f64 operands."""


def _fma(rows: int) -> MmaAtom:
    """Multiply-adds of `rows` x 32 / rows lanes, four columns of the result each."""
    along_m, along_n = rows.bit_length() - 1, (32 // rows).bit_length() - 1
    n_lanes = [(0, 4 << bit) for bit in range(along_n)]
    m_lanes = [(1 << bit, 0) for bit in range(along_m)]
    columns = 4 << along_n
    a_lanes = (*[(0, 0)] * along_n, *m_lanes)
    b_lanes = (*n_lanes, *[(0, 0)] * along_m)
    return MmaAtom(
        name=f"fma{rows}x{32 // rows}",
        shape=(rows, columns, 4),
        types=(
            *_own("f32", ("f32",), 0),
            *_own("f64", ("f64",), 0),
            AtomTypes("bf16", "f32", 0, "f32"),
            AtomTypes("tf32", "f32", 0, "f32"),
        ),
        a=LinearLayout((rows, 4), ((0, 1), (0, 2)), a_lanes),
        b=LinearLayout((4, columns), ((0, 1), (0, 2), (1, 0), (2, 0)), b_lanes),
        c=LinearLayout((rows, columns), ((0, 1), (0, 2)), (*n_lanes, *m_lanes)),
    )


FMA_ATOMS = (_fma(8), _fma(1), _fma(32))
"""Products without a matrix instruction; the first is best where its shape fits."""

MMA_ATOMS: Mapping[str, MmaAtom] = MappingProxyType(
    {
        atom.name: atom
        for atom in (
            *(M16N8K32, M16N8K16, M16N8K8, M8N8K4, M16N8K8_F16, M8N8K16),
            *FMA_ATOMS,
        )
    }
)
"""Every atom by name; where several would do, the first is best.

The dialect's verifier knows names and element types too, in
dialect/lib/Tileas/ops/Mma.cpp; test/layout/test_atoms.py checks that it agrees.
"""
