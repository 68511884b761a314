# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory accesses: vector width, contiguous dimension, cost in a given layout.

One description for tiled views and for tiles of pointers, derived from facts;
`place` picks layouts by it and `emit` forms the instructions from it.

Contract `contiguous_rows`
    Law: where a tile has all E elements along one dimension, and the stride of the next
    dimension is E times its stride, the tile goes on there: n of both dimensions are as
    contiguous as n of one.

    | | condition | near misses |
    |---|---|---|
    | - types | an element is whole bytes | |
    | - flags | a vector moves bits | |
    | - values | only moved | |
    | - order | each element of a vector is an access of its own | |
    | - blocks | no other threads than before | |
    | C1 indices | along the first dimension the tile begins at a multiple of E, and | |
    | | at an address that is a multiple of the vector | moved_pairs |
    | C2 extents | the array has a multiple of E along the first dimension | cut_pairs |
    | C3 extents | no end or start along the last dimension parts a vector | cut_rows, |
    | | | odd_rows |
    | C4 aliasing | the strides are known, and leave no gap | gap, unknown_stride |
    | C5 aliasing | base and all other strides are multiples of the vector | odd_base, |
    | | | odd_stride |
    | - captures | no region | |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import gcd, prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.analysis.fact_values import power_of_two_divisor
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.tiling import (
    index_operands,
    promised_inside,
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.plan import read_target
from cuda_tile.ir.tiles import element_bits, pointee_of, shape_of
from cuda_tile.ir.traits import POINTER_ACCESSES, VIEW_ACCESSES
from cuda_tile.ir.walk import enclosing_entry, named_operands, op_stem
from cuda_tile.layout.fragments import coalesced
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES

MAX_VECTOR_BYTES = 16
"""Widest global access of one thread (PTX ISA, "ld": .v4 of .b32)."""
SECTOR_BYTES = 32
"""Unit of global memory traffic (CUDA C++ Best Practices Guide, "Coalesced Access")."""


@dataclass(frozen=True)
class Access:
    """One global access of a tile.

    Attributes:
        shape: Extents of the tile, dimension 0 first.
        element_bytes: Size of one element in memory.
        near: Tile dimensions along which memory is contiguous, fastest first; all but
            the last one are complete and have no gap.
        run: Elements along `near` that one instruction may move: they are aligned
            together and lie inside the tensor together.
        contiguous: Whether neighbours along `near` are neighbours in memory.
    """

    shape: tuple[int, ...]
    element_bytes: int
    near: tuple[int, ...]
    run: int
    contiguous: bool

    @property
    def fastest(self) -> int:
        """The fastest dimension: the first of `near`."""
        return self.near[0]

    @property
    def vector(self) -> int:
        """Elements of a run along `fastest`."""
        return min(self.run, self.shape[self.fastest])

    @property
    def order(self) -> tuple[int, ...]:
        """Dimensions, fastest first; the others from last to first."""
        others = [d for d in reversed(range(len(self.shape))) if d not in self.near]
        return (*self.near, *others)

    def place_in_memory(self, place: Sequence[int]) -> int:
        """Elements along `near` from the tile's first one to a place."""
        distance, stride = 0, 1
        for d in self.near:
            distance += place[d] * stride
            stride *= self.shape[d]
        return distance

    def best_layout(
        self, n_warps: int, least: int = 1, n_blocks: int = 1
    ) -> LinearLayout:
        """The layout in which neighbouring lanes touch neighbouring memory.

        The vector shrinks if the tile would not keep all lanes busy.

        Args:
            n_warps: Warps of the CTA.
            least: Elements that must go together, a power of two.
            n_blocks: CTAs of the cluster.
        """
        elements = prod(self.shape)
        if elements >= WARP_LANES * n_warps * n_blocks:
            elements //= n_blocks
        vector = self.run
        while vector > least and elements < vector * WARP_LANES * n_warps:
            vector //= 2
        return coalesced(self.shape, self.order, vector, n_warps, n_blocks)

    def sectors(self, layout: LinearLayout) -> int:
        """32-byte sectors requested to move the tile once in `layout`.

        Assumes that different coordinates of slower dimensions lie in different
        sectors, as they do in all but tiny tensors.
        """
        return _sectors(self, layout)

    def vector_in(self, layout: LinearLayout) -> int:
        """Elements per instruction when the tile has `layout`: a power of two."""
        return 1 << len(self.run_bits(layout))

    def run_bits(self, layout: LinearLayout) -> list[int]:
        """The register bits that count through a run, as masks, in the order of memory.

        Args:
            layout: The tile's layout.
        """
        bits: list[int] = []
        for d in self.near:
            for step in range(self.shape[d].bit_length() - 1):
                unit = tuple(1 << step if i == d else 0 for i in range(layout.rank))
                is_whole = 1 << len(bits) >= self.run
                if is_whole or unit not in layout.register:
                    return bits
                bits.append(1 << layout.register.index(unit))
        return bits


@lru_cache(maxsize=1024)
def _sectors(access: Access, layout: LinearLayout) -> int:
    vector = access.vector_in(layout)
    free = layout.free_bits()
    lanes = [lane for lane in range(WARP_LANES) if not lane & free.lane]
    touched: set[tuple[int, ...]] = set()
    for lane in lanes:
        place = layout.apply(lane=lane)
        if access.contiguous:
            far = (0 if d in access.near else n for d, n in enumerate(place))
            first = access.place_in_memory(place) * access.element_bytes
            place = (*far, first // SECTOR_BYTES)
        touched.add(place)
    registers = layout.n_registers >> free.register.bit_count()
    warps = layout.n_warps >> free.warp.bit_count()
    warps *= layout.n_blocks >> free.block.bit_count()
    return max(1, registers // vector) * warps * len(touched)


def describe_access(op: ir.Operation, facts: FactsAnalysis) -> Access:
    """Describes a load, store or atomic of a tile of rank 1 or more.

    Args:
        op: The access.
        facts: The facts of the entry's values.

    Raises:
        InternalError: The op is no access to global memory.
    """
    stem = op_stem(op)
    if op.name in POINTER_ACCESSES:
        access = _pointer_access(op, facts)
    elif op.name in VIEW_ACCESSES:
        access = _view_access(op, facts)
    else:
        raise InternalError(f"expected an access to global memory, got {op.name}")
    widest = MAX_VECTOR_BYTES
    if stem.startswith("atomic_"):
        widest = _atomic_vector(op)
    elif stem.startswith("multimem_"):
        widest = _multicast_vector(op)
    return replace(access, run=min(access.run, widest))


def _atomic_vector(op: ir.Operation) -> int:
    """Elements that one atomic instruction may update.

    Each element is atomic by itself (PTX ISA, "atom" and "red": packed types and
    vectors). From sm_90 on a vector has up to 16 bytes of floats. Older chips have
    pairs of 16-bit floats; `emit` uses a 32-bit compare-and-swap if there is no
    instruction.
    """
    if keyword(op, "mode") != "addf":
        return 1
    bits = element_bits(_memory_element(op))
    if bits == 64:
        return 1
    if read_target(enclosing_entry(op)).has("red.v4.f32"):
        return MAX_VECTOR_BYTES * 8 // bits
    return 2 if bits == 16 else 1


def _multicast_vector(op: ir.Operation) -> int:
    """Elements of one `multimem` instruction; only floats have vectors.

    Stores only move bits, but a 64-bit element must be stored as a whole.
    """
    element = tiling_of(view_operand(op)).element
    bits = element_bits(element)
    moves = op.name.endswith("store_view_tko") or isinstance(element, ir.FloatType)
    return MAX_VECTOR_BYTES * 8 // bits if moves and bits < 64 else 1


def _memory_element(op: ir.Operation) -> ir.Type:
    first = op.operands[0]
    if isinstance(first.type, TileType):
        return pointee_of(first)
    return tiling_of(view_operand(op)).element


def divisor(value: int | ir.Value, facts: FactsAnalysis) -> int:
    """A power of two that divides a number that is known or held by a value.

    Args:
        value: A number, or a scalar integer.
        facts: The facts of the entry's values.
    """
    if isinstance(value, int):
        return power_of_two_divisor(value)
    return facts.of(value).divisor


@dataclass(frozen=True)
class ViewDim:
    """Facts about a view access along one tile dimension.

    Attributes:
        extent: The tensor's extent along it, as an int or a value.
        stride: The tensor's stride along it, as an int or a value.
        start_divisor: A power of two that divides the tile's first coordinate; 1 along
            a sparse dimension, where each slice has its own coordinate.
        extent_divisor: A power of two that divides `extent`.
        is_promised: Whether the producer promises that tiles lie inside along it.
        may_stick_out: Whether the tensor may end inside a tile along it, so that each
            element must be compared.
        may_be_outside: Whether a whole tile may lie outside along it, because its index
            may be beyond the index space; no tile is partly outside.
    """

    extent: int | ir.Value
    stride: int | ir.Value
    start_divisor: int
    extent_divisor: int
    is_promised: bool
    may_stick_out: bool
    may_be_outside: bool


def view_dims(op: ir.Operation, facts: FactsAnalysis) -> list[ViewDim]:
    """Facts about a view access along each tile dimension.

    Args:
        op: The access.
        facts: The facts of the entry's values.
    """
    view = view_operand(op)
    tiling, parts = tiling_of(view), tensor_view_parts(tensor_view_op(view))
    indices = index_operands(op)
    promised = promised_inside(op, len(indices))
    dims: list[ViewDim] = []
    for d, index in enumerate(indices):
        target, step = tiling.dim_map[d], power_of_two_divisor(tiling.steps[d])
        extent = parts.shape[target]
        start = 1 if d == tiling.sparse_dim else step * facts.of(index).divisor
        whole = divisor(extent, facts)
        # bounds_elision C5
        fits = min(start, whole) >= tiling.tile_shape[d] and d != tiling.sparse_dim
        dims.append(
            ViewDim(
                extent,
                parts.strides[target],
                start_divisor=start,
                extent_divisor=whole,
                is_promised=promised[d],
                may_stick_out=not (promised[d] or fits),
                may_be_outside=fits and not promised[d],
            )
        )
    return dims


def _view_access(op: ir.Operation, facts: FactsAnalysis) -> Access:
    view = view_operand(op)
    tiling, dims = tiling_of(view), view_dims(op, facts)
    shape = tiling.tile_shape
    size = element_bits(tiling.element) // 8
    unit = [
        d for d, dim in enumerate(dims) if dim.stride == 1 and d != tiling.sparse_dim
    ]
    if not unit:
        return Access(shape, size, (len(shape) - 1,), 1, contiguous=False)
    base = tensor_view_parts(tensor_view_op(view)).base
    aligned = gcd(MAX_VECTOR_BYTES, max(size, facts.of(base).divisor)) // size
    chain = _contiguous(unit[-1], shape, dims, tiling.sparse_dim)
    near = max(
        (chain[: n + 1] for n in range(len(chain))),
        key=lambda near: (_run(near, shape, dims, facts, aligned), -len(near)),
    )
    run = _run(near, shape, dims, facts, aligned)
    return Access(shape, size, near, run, contiguous=True)


def _contiguous(
    first: int, shape: Sequence[int], dims: Sequence[ViewDim], sparse: int | None
) -> tuple[int, ...]:
    """Dimensions along which a tile continues in memory, each after the one before."""
    chain, stride = [first], shape[first]
    others = [d for d in reversed(range(len(dims))) if d not in (first, sparse)]
    # contiguous_rows C4
    while found := [d for d in others if dims[d].stride == stride and shape[d] > 1]:
        chain.append(found[0])
        others.remove(found[0])
        stride *= shape[found[0]]
    return tuple(chain)


def _run(
    near: Sequence[int],
    shape: Sequence[int],
    dims: Sequence[ViewDim],
    facts: FactsAnalysis,
    aligned: int,
) -> int:
    """Elements along some dimensions that are aligned and inside together.

    Args:
        near: The dimensions, each but the last whole in the tile.
        shape: Extents of the tile.
        dims: Facts about each dimension.
        facts: The facts of the entry's values.
        aligned: Elements to which the base is aligned, at most those of a vector.
    """
    *whole, last = near
    for d, dim in enumerate(dims):
        if d not in near:
            aligned = gcd(aligned, divisor(dim.stride, facts))  # contiguous_rows C5
    run = prod(shape[d] for d in whole)
    for d in whole:  # the stride of the next one is the extent up to here
        dim, before = dims[d], divisor(dims[d].stride, facts)
        aligned = min(aligned, dim.start_divisor * before)  # contiguous_rows C1
        is_inside = dim.is_promised or dim.extent_divisor >= shape[d]
        # contiguous_rows C1, C2
        if not is_inside or dim.start_divisor < shape[d]:
            return 1
    known = dims[last]
    units = min(shape[last], known.start_divisor)  # contiguous_rows C3
    if not known.is_promised:
        units = min(units, known.extent_divisor)
    return max(1, min(run * units, aligned))


def _pointer_access(op: ir.Operation, facts: FactsAnalysis) -> Access:
    pointers = op.operands[0]
    size = element_bits(pointee_of(pointers)) // 8
    known = facts.of(pointers)
    shape = shape_of(pointers)
    fastest = max(range(len(shape)), key=lambda d: (known.contiguity[d], d))
    run = known.contiguity[fastest]
    aligned = max(size, known.divisibility[fastest])
    vector = min(run, gcd(MAX_VECTOR_BYTES, aligned) // size)
    for mask in named_operands(op, "mask"):
        vector = gcd(vector, facts.of(mask).constancy[fastest])
    return Access(shape, size, (fastest,), max(1, vector), contiguous=run > 1)
