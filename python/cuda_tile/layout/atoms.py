# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from cuda_tile.layout.coords import unit_steps
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass

Role = Literal["a", "b", "c", "sa", "sb"]
"""Operand of a matrix multiply-accumulate; "c" also stands for the result, "sa" and
"sb" for the scale factors of A (M x S) and B (S x N)."""

Scaling = tuple[str, int]
"""Element type of scale factors, and how many elements along K share one."""


@dataclass(frozen=True)
class AtomTypes:
    """Element types that an atom takes, as MLIR writes them.

    Attributes:
        operand: Element type of A and B.
        accumulator: Element type of C and of the result.
        first_capability: First compute capability that has the row, 80 for sm_80.
        computed_as: The type of A and B in the instruction: the operand's own, or one
            to which they are converted in registers, exactly.
        is_family: Whether only targets of one chip or family have it (`sm_120a`).
    """

    operand: str
    accumulator: str
    first_capability: int
    computed_as: str
    is_family: bool = False


def find_types(
    types: Iterable[AtomTypes], operand: str, accumulator: str
) -> AtomTypes | None:
    """Finds the row for two element types; None if the atom does not take them.

    Args:
        types: The rows of the atom.
        operand: The element type of A and B.
        accumulator: The element type of the sum.
    """
    wanted = operand, accumulator
    return next((t for t in types if (t.operand, t.accumulator) == wanted), None)


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
        scalings: Scale factors that the instruction applies. If it applies none, its
            result for each block is multiplied by the factors afterwards.
        factors: How many scale factors along K it takes.
        columns: Number n of instructions that make up the atom. Each computes every
            n-th column; their registers follow one another.
    """

    name: str
    shape: tuple[int, int, int]
    types: tuple[AtomTypes, ...]
    a: LinearLayout
    b: LinearLayout
    c: LinearLayout
    scalings: tuple[Scaling, ...] = ()
    factors: int = 1
    columns: int = 1

    @property
    def instruction_shape(self) -> tuple[int, int, int]:
        """(M, N, K) of one instruction."""
        m, n, k = self.shape
        return m, n // self.columns, k

    @property
    def is_instruction(self) -> bool:
        """Whether this is `mma.sync`, not multiply-adds of each thread."""
        return not self.name.startswith("fma")

    def fragment(self, role: Role) -> LinearLayout:
        """Gives the layout of one operand."""
        match role:
            case "a":
                return self.a
            case "b":
                return self.b
            case "c":
                return self.c
            case _:
                return self._scales(role)

    def _scales(self, role: Role) -> LinearLayout:
        """The scale factors of the rows or columns whose results a thread holds.

        The instruction takes the factors of rows 0 to 7 from the first lane of each
        quad, those of rows 8 to 15 from the second, and the factors of columns from the
        first (PTX ISA, "Block Scaling for mma.sync").
        """
        axis = 0 if role == "sa" else 1
        shape = [self.factors, self.factors]
        shape[axis] = self.shape[axis]
        if self.scalings:
            register = unit_steps(1 - axis, 1, self.factors, 2)
            second = (8, 0) if axis == 0 else (0, 0)
            lane = [second, (0, 0), *unit_steps(axis, 1, 8, 2)]
        else:
            register = [basis for basis in self.c.register if basis[axis]]
            lane = [basis if basis[axis] else (0, 0) for basis in self.c.lane]
        return LinearLayout((shape[0], shape[1]), tuple(register), tuple(lane))


def _own(operand: str, accumulators: tuple[str, ...], since: int) -> list[AtomTypes]:
    """Rows of types whose operands the instruction takes unconverted."""
    return [AtomTypes(operand, acc, since, operand) for acc in accumulators]


_HALF_SUMS = ("f32", "f16")
_F8 = ("f8E4M3FN", "f8E5M2")


def _widened(since: int) -> list[AtomTypes]:
    """Rows of small floats that become f16, which holds every value of theirs."""
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

M16N16K32 = MmaAtom(
    name="m16n16k32",
    shape=(16, 16, 32),
    types=M16N8K32.types,
    a=M16N8K32.a,
    b=LinearLayout(
        (32, 16),
        ((1, 0), (2, 0), (16, 0), (0, 1)),
        ((4, 0), (8, 0), (0, 2), (0, 4), (0, 8)),
    ),
    c=LinearLayout(
        (16, 16),
        ((0, 2), (8, 0), (0, 1)),
        ((0, 4), (0, 8), (1, 0), (2, 0), (4, 0)),
    ),
    columns=2,
)
"""Two of m16n8k32, of the even columns and of the odd ones.

Where neighbours along N are neighbours in shared memory, `ldmatrix.trans` brings a
thread pairs of bytes of two neighbouring columns.
"""

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


def _block_scaled(
    name: str, operands: tuple[str, ...], scalings: tuple[Scaling, ...]
) -> MmaAtom:
    """An instruction that takes scale factors: 32 bytes of a row along K."""
    depth = 64 if operands == ("f4E2M1FN",) else 32
    word = [1 << bit for bit in range(3 if depth == 64 else 2)]
    quads = [2 * word[-1], 4 * word[-1]]
    half = depth // 2
    a_lanes = (*((0, k) for k in quads), *((m, 0) for m in (1, 2, 4)))
    b_lanes = (*((k, 0) for k in quads), *((0, n) for n in (1, 2, 4)))
    return MmaAtom(
        name=name,
        shape=(16, 8, depth),
        types=tuple(
            AtomTypes(operand, "f32", 120, operand, is_family=True)
            for operand in operands
        ),
        a=LinearLayout(
            (16, depth), (*((0, k) for k in word), (8, 0), (0, half)), a_lanes
        ),
        b=LinearLayout((depth, 8), (*((k, 0) for k in word), (half, 0)), b_lanes),
        c=_C_M16N8,
        scalings=scalings,
        factors=depth // scalings[0][1],
    )


BLOCK_SCALED_ATOMS = (
    _block_scaled("m16n8k32.mxf8", _F8, (("f8E8M0FNU", 32),)),
    _block_scaled("m16n8k64.mxf4", ("f4E2M1FN",), (("f8E8M0FNU", 32),)),
    _block_scaled("m16n8k64.nvf4", ("f4E2M1FN",), (("f8E4M3FN", 16),)),
)
"""Instructions that apply scale factors (PTX ISA, "Block Scaling for mma.sync").

Factors of f8E8M0FNU for 16 elements need PTX 9.1, which LLVM 22 does not write.
"""


def _fma(rows: int) -> MmaAtom:
    """Multiply-adds of `rows` x 32 / `rows` lanes with four columns each."""
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
            *BLOCK_SCALED_ATOMS,
            *(M16N8K32, M16N8K16, M16N8K8, M8N8K4, M16N8K8_F16, M8N8K16),
            M16N16K32,
            *FMA_ATOMS,
        )
    }
)
"""Every atom by name; where several would do, the first is best.

The dialect's verifier knows names and element types too, in
dialect/lib/Tileas/ops/Mma.cpp; test/layout/test_atoms.py checks that it agrees.
"""
