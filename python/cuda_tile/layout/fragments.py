"""Layouts required by matrix instructions and by coalesced accesses.

Fragments of `mma.sync` follow the PTX ISA, "Matrix Fragments for mma.m16n8k16
with floating point type" and the sections next to it (m16n8k8 .tf32, m16n8k32 8-bit,
m8n8k4 .f64); test/layout/test_fragments.py checks each against the formulae given
there. Bases are (row, column) of the operand: A is M x K, B is K x N, C is M x N.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from cuda_tile.layout import f2
from cuda_tile.layout.coords import Coord, LayoutError, check_shape, n_bits, unpack
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.layout.shared import sum_of_bits

Role = Literal["a", "b", "c"]
"""Operand of a matrix multiply-accumulate; "c" also stands for the result."""


@dataclass(frozen=True, eq=False)
class MmaAtom:
    """One warp-wide matrix instruction: its shape and its three fragments.

    Attributes:
        name: Shape name of the PTX ISA, such as "m16n8k16".
        shape: (M, N, K) in elements.
        accumulators: Element types of C and of the result by that of A and B, as MLIR
            writes them (PTX ISA, "Warp-level Matrix Instructions: mma").
        first_capability: Compute capability from which these exist, 80 for sm_80.
        operand_bits: Width of an element of A and B.
        a: Layout of A, M x K.
        b: Layout of B, K x N.
        c: Layout of C and of the result, M x N.
    """

    name: str
    shape: tuple[int, int, int]
    accumulators: Mapping[str, tuple[str, ...]]
    first_capability: int
    operand_bits: int
    a: LinearLayout
    b: LinearLayout
    c: LinearLayout

    def takes(self, operand: str, accumulator: str) -> bool:
        """Whether the instruction exists for these element types."""
        return accumulator in self.accumulators.get(operand, ())

    @property
    def types_text(self) -> str:
        """Its operand and accumulator types as messages list them."""
        return " or ".join(
            f"{operand} and {accumulator}"
            for operand, allowed in self.accumulators.items()
            for accumulator in allowed
        )

    def fits(self, extents: tuple[int, int, int]) -> bool:
        """Whether whole atoms tile a product of extents M, N, K."""
        return all(n % step == 0 for n, step in zip(extents, self.shape, strict=True))

    def fragment(self, role: Role) -> LinearLayout:
        """Gives the layout of one operand."""
        return {"a": self.a, "b": self.b, "c": self.c}[role]


_QUADS_BY_ROW = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
_C_M16N8 = LinearLayout((16, 8), ((0, 1), (8, 0)), _QUADS_BY_ROW)

M16N8K16 = MmaAtom(
    name="m16n8k16",
    shape=(16, 8, 16),
    accumulators=MappingProxyType({"f16": ("f32",), "bf16": ("f32",)}),
    first_capability=80,
    operand_bits=16,
    a=LinearLayout((16, 16), ((0, 1), (8, 0), (0, 8)), _QUADS_BY_ROW),
    b=LinearLayout((16, 8), ((1, 0), (8, 0)), ((2, 0), (4, 0), (0, 1), (0, 2), (0, 4))),
    c=_C_M16N8,
)
"""f16 and bf16 operands."""

M16N8K8 = MmaAtom(
    name="m16n8k8",
    shape=(16, 8, 8),
    accumulators=MappingProxyType({"tf32": ("f32",)}),
    first_capability=80,
    operand_bits=32,
    a=LinearLayout((16, 8), ((8, 0), (0, 4)), ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0))),
    b=LinearLayout((8, 8), ((4, 0),), ((1, 0), (2, 0), (0, 1), (0, 2), (0, 4))),
    c=_C_M16N8,
)
"""tf32 operands."""

M16N8K32 = MmaAtom(
    name="m16n8k32",
    shape=(16, 8, 32),
    accumulators=MappingProxyType({"i8": ("i32",)}),
    first_capability=80,
    operand_bits=8,
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
"""8-bit integer (s32 result) and 8-bit float operands."""

M8N8K4 = MmaAtom(
    name="m8n8k4",
    shape=(8, 8, 4),
    accumulators=MappingProxyType({"f64": ("f64",)}),
    first_capability=80,
    operand_bits=64,
    a=LinearLayout((8, 4), (), ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0))),
    b=LinearLayout((4, 8), (), ((1, 0), (2, 0), (0, 1), (0, 2), (0, 4))),
    c=LinearLayout((8, 8), ((0, 1),), _QUADS_BY_ROW),
)
"""f64 operands."""

MMA_ATOMS: Mapping[str, MmaAtom] = MappingProxyType(
    {atom.name: atom for atom in (M16N8K16, M16N8K8, M16N8K32, M8N8K4)}
)
"""Every matrix instruction by name; where several would do, the first is best.

The dialect's verifier knows names and element types too, in
dialect/lib/Tileas/ops/Mma.cpp; test/layout/test_atoms.py checks that it agrees.
"""


def _steps(dim: int, first: int, limit: int, rank: int) -> list[Coord]:
    """Unit coordinates first, 2 first, 4 first, ... below `limit` along `dim`."""
    bases: list[Coord] = []
    while first < limit:
        bases.append(tuple(first if other == dim else 0 for other in range(rank)))
        first *= 2
    return bases


@lru_cache(maxsize=1024)
def tile_mma(
    shape: tuple[int, ...],
    warps: tuple[int, int],
    role: Role,
    mma: MmaAtom,
) -> LinearLayout:
    """Tiles an operand of a matrix product with fragments, over `warps`.

    The M x N result is cut into `warps[0]` x `warps[1]` rectangles, one per warp
    (warps along M count fastest). An operand is held by all warps of the row or the
    column that needs it: their bits along the other axis have zero bases. Where a
    dimension has fewer atoms than warps, the remaining warps compute copies.

    In each warp the registers count the atom's own elements first, then the atoms
    along the last dimension, along the one before, and along leading (batch)
    dimensions. Example: a 32 x 16 result over (2, 1) warps has registers
    (0, 1) (8, 0) (0, 8) and warp basis (16, 0).

    Args:
        shape: Extents of the operand: M x K, K x N or M x N, batch dims in front.
        warps: Number of warps along M and N, powers of two.
        role: Which operand.
        mma: Which instruction.

    Raises:
        LayoutError: `shape` is not a multiple of the atom.
    """
    fragment = mma.fragment(role)
    rank = len(shape)
    if rank < 2 or any(
        extent < least for extent, least in zip(shape[-2:], fragment.shape, strict=True)
    ):
        msg = f"expected a shape of at least {fragment.shape} for operand {role} of "
        raise LayoutError(msg + f"{mma.name}, got {shape}")
    check_shape(warps)
    inner = fragment.reshape((1,) * (rank - 2) + fragment.shape)
    zero = (0,) * rank
    warp: list[Coord] = []
    per_warp = list(shape)
    for axis, dim in (("a", rank - 2), ("b", rank - 1)):
        count = warps[0] if axis == "a" else warps[1]
        if role in (axis, "c"):
            per_warp[dim] = max(shape[dim] // count, fragment.shape[dim - rank])
            bases = _steps(dim, per_warp[dim], shape[dim], rank)
        else:
            bases = []
        warp += bases + [zero] * (n_bits(count) - len(bases))
    register: list[Coord] = []
    for dim in reversed(range(rank)):
        register += _steps(dim, inner.shape[dim], per_warp[dim], rank)
    return inner.extend(shape, register=register, warp=warp)


@lru_cache(maxsize=1024)
def atom_registers(
    layout: LinearLayout, atom: LinearLayout
) -> dict[Coord, tuple[int, ...]]:
    """Divides a layout by an atom: which registers make up each atom of a warp.

    Returns, per origin of an atom relative to the warp's first one (in the order of
    the registers), the layout's register for each register of the atom.
    Example: `tile_mma((32, 16), (2, 1), "c", M16N8K16)` by `M16N8K16.c` gives
    {(0, 0): (0, 1, 2, 3), (0, 8): (4, 5, 6, 7)}.

    Raises:
        LayoutError: The layout is not made of such atoms.
    """
    lead = (0,) * (layout.rank - atom.rank)
    inner_bases = [(*lead, *basis) for basis in atom.register]
    lane = tuple((*lead, *basis) for basis in atom.lane)
    if layout.lane != lane or not set(inner_bases) <= set(layout.register):
        msg = f"expected a layout made of atoms {atom}, got {layout}"
        raise LayoutError(msg)
    inner = [layout.register.index(basis) for basis in inner_bases]
    outer = [bit for bit in range(len(layout.register)) if bit not in inner]
    result: dict[Coord, tuple[int, ...]] = {}
    for index in range(1 << len(outer)):
        first = sum_of_bits(index, outer)
        origin = unpack(f2.apply(layout.columns[0], first), layout.shape)
        result[origin] = tuple(
            first | sum_of_bits(low, inner) for low in range(1 << len(inner))
        )
    return result


@lru_cache(maxsize=1024)
def coalesced(
    shape: tuple[int, ...], order: tuple[int, ...], vector: int, n_warps: int
) -> LinearLayout:
    """Distributes a tile so that adjacent lanes access adjacent memory.

    The first register bits take `vector` elements along the fastest dimension; then
    lanes, then warps take the next elements in `order`, then registers the rest. If
    the tile is too small for all threads, the remaining bases are zero: those threads
    hold copies.
    Example: (64, 64), order (1, 0), vector 8, 4 warps: registers (0, 1) (0, 2)
    (0, 4), lanes (0, 8) (0, 16) (0, 32) (1, 0) (2, 0), warps (4, 0) (8, 0),
    registers (16, 0) (32, 0).

    Args:
        shape: Extents in elements, powers of two.
        order: Dimensions, fastest in memory first.
        vector: Elements per vector, a power of two; at most the fastest extent is used.
        n_warps: Number of warps, a power of two.
    """
    rank = len(shape)
    check_shape((*shape, vector, n_warps))
    if sorted(order) != list(range(rank)):
        msg = f"expected an order of {rank} dims, got {order}"
        raise LayoutError(msg)
    steps = [step for dim in order for step in _steps(dim, 1, shape[dim], rank)]
    n_vector = n_bits(min(vector, shape[order[0]])) if order else 0
    lane_end = n_vector + N_LANE_BITS
    warp_end = lane_end + n_bits(n_warps)
    zeros = [(0,) * rank] * (N_LANE_BITS + n_bits(n_warps))
    return LinearLayout(
        shape,
        register=(*steps[:n_vector], *steps[warp_end:]),
        lane=tuple((steps[n_vector:] + zeros)[:N_LANE_BITS]),
        warp=tuple((steps[lane_end:] + zeros)[: n_bits(n_warps)]),
    )
