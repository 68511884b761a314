"""Memory accesses: vector width, contiguous dimension, cost in a given layout.

One description for tiled views and for tiles of pointers, derived from facts;
`place` picks layouts by it and `emit` forms the instructions from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    DYNAMIC,
    PartitionViewType,
    TensorViewType,
    TileType,
)
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.plan import read_target
from cuda_tile.ir.tiles import element_bits, pointee_of, shape_of
from cuda_tile.ir.walk import (
    defining_op,
    enclosing_entry,
    location_text,
    op_stem,
    segments,
)
from cuda_tile.layout.fragments import coalesced
from cuda_tile.layout.linear import LinearLayout
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
        fastest: Tile dimension along which memory is contiguous.
        vector: Elements along `fastest` that one instruction may move: they are
            aligned together and lie inside the tensor together.
        contiguous: Whether neighbours along `fastest` are neighbours in memory.
    """

    shape: tuple[int, ...]
    element_bytes: int
    fastest: int
    vector: int
    contiguous: bool

    @property
    def order(self) -> tuple[int, ...]:
        """Dimensions, fastest first; the others from last to first."""
        others = [d for d in reversed(range(len(self.shape))) if d != self.fastest]
        return (self.fastest, *others)

    def best_layout(self, n_warps: int) -> LinearLayout:
        """The layout in which neighbouring lanes touch neighbouring memory.

        The vector shrinks where the tile would not keep all lanes busy.
        """
        elements = prod(self.shape)
        vector = self.vector
        while vector > 1 and elements < vector * WARP_LANES * n_warps:
            vector //= 2
        return coalesced(self.shape, self.order, vector, n_warps)

    def sectors(self, layout: LinearLayout) -> int:
        """32-byte sectors requested to move the tile once in `layout`.

        Assumes that different coordinates of slower dimensions lie in different
        sectors, as they do in all but tiny tensors.
        """
        return _sectors(self, layout)

    def vector_in(self, layout: LinearLayout) -> int:
        """Elements per instruction when the tile has `layout`: a power of two."""
        width = 1
        unit = [0] * len(self.shape)
        while width < self.vector:
            unit[self.fastest] = width
            if tuple(unit) not in layout.register:
                break
            width *= 2
        return width


@lru_cache(maxsize=1024)
def _sectors(access: Access, layout: LinearLayout) -> int:
    vector = access.vector_in(layout)
    free = layout.free_bits()
    lanes = [lane for lane in range(WARP_LANES) if not lane & free.lane]
    touched: set[tuple[int, ...]] = set()
    for lane in lanes:
        place = list(layout.apply(lane=lane))
        if access.contiguous:
            place[access.fastest] = (
                place[access.fastest] * access.element_bytes // SECTOR_BYTES
            )
        touched.add(tuple(place))
    registers = layout.n_registers >> free.register.bit_count()
    warps = layout.n_warps >> free.warp.bit_count()
    return max(1, registers // vector) * warps * len(touched)


def describe_access(op: ir.Operation, facts: FactsAnalysis) -> Access:
    """Describes a load, store or atomic of a tile of rank 1 or more."""
    stem = op_stem(op)
    if stem in MASK_SEGMENTS:
        access = _pointer_access(op, facts)
    elif stem in _VIEW_SEGMENTS:
        access = _view_access(op, facts)
    else:
        raise InternalError(f"expected an access to global memory, got {op.name}")
    if not stem.startswith("atomic_"):
        return access
    return replace(access, vector=min(access.vector, _atomic_vector(op)))


MASK_SEGMENTS = {
    "load_ptr_tko": 1,
    "store_ptr_tko": 2,
    "atomic_rmw_tko": 2,
    "atomic_cas_tko": 3,
}
"""The accesses through tiles of pointers, with the operand segment of the mask."""

_VIEW_SEGMENTS = {"load_view_tko": 0, "store_view_tko": 1, "atomic_red_view_tko": 0}
"""The accesses through views, with the operand segment of the view."""


def _atomic_vector(op: ir.Operation) -> int:
    """Elements that one atomic instruction may update.

    Each element is atomic for itself (PTX ISA, "atom" and "red": packed types and
    vectors). From sm_90 on there are 16 bytes of floats; before, pairs of 16-bit ones,
    which `emit` makes of a 32-bit compare-and-swap where there is no instruction.
    """
    if keyword(op, "mode") != "addf":
        return 1
    bits = element_bits(_memory_element(op))
    if bits == 64:
        return 1
    if read_target(enclosing_entry(op)).capability >= VECTOR_ATOMICS:
        return MAX_VECTOR_BYTES * 8 // bits
    return 2 if bits == 16 else 1


VECTOR_ATOMICS = 90
"""First compute capability with atomics on vectors and on bf16 (PTX ISA, "atom")."""


def _memory_element(op: ir.Operation) -> ir.Type:
    first = op.operands[0]
    if isinstance(first.type, TileType):
        return pointee_of(first)
    return PartitionViewType(view_operand(op).type).tensor_view.element_type


def view_operand(op: ir.Operation) -> ir.Value:
    """The view of a view access.

    Raises:
        Unsupported: It is not a partition view.
    """
    view = segments(op)[_VIEW_SEGMENTS[op_stem(op)]][0]
    if not isinstance(view.type, PartitionViewType):
        raise Unsupported(
            f"{op.name}: expected a partition view, got {view.type}; other views run "
            "on the interpreter only",
            location_text(op),
        )
    return view


def tensor_view_op(view: ir.Value) -> ir.Operation:
    """The `make_tensor_view` behind a view; views never pass through a block."""
    op = defining_op(view)
    while op is not None:
        if op.name == "cuda_tile.make_tensor_view":
            return op
        op = defining_op(op.operands[0])
    raise InternalError("expected a view made by make_tensor_view")


@dataclass(frozen=True)
class TensorViewParts:
    """Operands of a `make_tensor_view`, static values filled in.

    A shape or stride is an int where the type fixes it, else the SSA value.
    """

    base: ir.Value
    shape: tuple[int | ir.Value, ...]
    strides: tuple[int | ir.Value, ...]


def tensor_view_parts(op: ir.Operation) -> TensorViewParts:
    """Splits the operands of `make_tensor_view` by what they stand for."""
    ty = TensorViewType(op.results[0].type)
    operands = list(op.operands)
    base, rest = operands[0], iter(operands[1:])
    shape = tuple(next(rest) if n == DYNAMIC else n for n in ty.shape)
    strides = tuple(next(rest) if n == DYNAMIC else n for n in ty.strides)
    return TensorViewParts(base, shape, strides)


def _divisor(value: int | ir.Value, facts: FactsAnalysis) -> int:
    if isinstance(value, int):
        return value & -value
    return facts.of(value).divisor


def promised_inside(op: ir.Operation) -> list[bool]:
    """Per tile dimension, whether the producer promises that it is in bounds."""
    rank = len(PartitionViewType(view_operand(op).type).tile_shape)
    if "inbounds" not in op.attributes:
        return [False] * rank
    return list(ir.DenseBoolArrayAttr(op.attributes["inbounds"])) or [False] * rank


def _view_access(op: ir.Operation, facts: FactsAnalysis) -> Access:
    view = view_operand(op)
    ty = PartitionViewType(view.type)
    parts = tensor_view_parts(tensor_view_op(view))
    tile_shape, dim_map = tuple(ty.tile_shape), list(ty.dim_map)
    size = element_bits(ty.tensor_view.element_type) // 8
    unit = [d for d, target in enumerate(dim_map) if parts.strides[target] == 1]
    if not unit:
        return Access(tile_shape, size, len(tile_shape) - 1, 1, contiguous=False)
    fastest = unit[-1]
    aligned = gcd(MAX_VECTOR_BYTES, max(size, facts.of(parts.base).divisor))
    for target, stride in enumerate(parts.strides):
        if target != dim_map[fastest]:
            aligned = gcd(aligned, _divisor(stride, facts) * size)
    vector = min(max(1, aligned // size), tile_shape[fastest])
    if not promised_inside(op)[fastest]:
        vector = min(vector, _divisor(parts.shape[dim_map[fastest]], facts))
    return Access(tile_shape, size, fastest, vector, contiguous=True)


def _pointer_access(op: ir.Operation, facts: FactsAnalysis) -> Access:
    pointers = op.operands[0]
    size = element_bits(pointee_of(pointers)) // 8
    known = facts.of(pointers)
    shape = shape_of(pointers)
    fastest = max(range(len(shape)), key=lambda d: (known.contiguity[d], d))
    run = known.contiguity[fastest]
    aligned = max(size, known.divisibility[fastest])
    vector = min(run, gcd(MAX_VECTOR_BYTES, aligned) // size)
    for mask in segments(op)[MASK_SEGMENTS[op_stem(op)]]:
        vector = gcd(vector, facts.of(mask).constancy[fastest])
    return Access(shape, size, fastest, max(1, vector), contiguous=run > 1)
