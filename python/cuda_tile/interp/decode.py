# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From MLIR to the plain data of `program.py`; the only module here that knows MLIR.

Generic operations are read (names, operands, attributes, regions), so levels T and W
decode alike and nothing here lists the ops of the dialect. Layouts are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile as ext
from cuda_tile.constants import MOST_ALIGNMENT_BYTES
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.interp.predicates import Bounded, DivBy, SameElements
from cuda_tile.interp.program import (
    Block,
    BufferType,
    Entry,
    Global,
    Op,
    PendingType,
    Program,
    RingType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
    Type,
)
from cuda_tile.interp.table import RULES
from cuda_tile.locations import place_text
from cuda_tile.runtime.elements import (
    Array,
    element,
    from_memory,
    pack_nibbles,
    to_memory,
)

SKIPPED_ATTRIBUTES = frozenset(
    ("operandSegmentSizes", "optimization_hints", "function_type")
)
"""Attributes without a meaning for values, or read in another way."""


def decode(module: Any) -> Program:
    """Decodes every entry of a module.

    Args:
        module: `ir.Module`, or an operation that holds `cuda_tile.entry` ops.

    Raises:
        UserError: There is no entry in it.
        Unsupported: An op, type or attribute has no rule here.
    """
    root = cast(ir.Operation, module.operation)
    entries: dict[str, Entry] = {}
    variables: dict[str, Global] = {}
    pending = [root]
    while pending:
        op = pending.pop(0)
        if op.name == "cuda_tile.entry":
            entry = _EntryDecoder().decode(op)
            entries[entry.name] = entry
            continue
        if op.name == "cuda_tile.global":
            variable = _global(op)
            variables[variable.name] = variable
            continue
        for region in op.regions:
            for block in region.blocks:
                pending.extend(inner.operation for inner in block.operations)
    if not entries:
        raise UserError("expected a module with at least one entry, got none")
    return Program(entries, variables)


def value_names(op: ir.Operation) -> tuple[str, ...]:
    """The SSA name of each slot of an entry, in the order of the slots.

    Args:
        op: The `cuda_tile.entry`.
    """
    return _EntryDecoder().names(op)


def _global(op: ir.Operation) -> Global:
    """Fresh memory with the initial value; natural alignment unless it says more."""
    attributes = _attributes(op)
    attribute = ir.DenseElementsAttr(op.attributes["value"])
    kind = decode_type(attribute.type)
    assert isinstance(kind, TileType), "globals are tiles"
    values = np.broadcast_to(attributes["value"], kind.shape)
    raw = to_memory(np.ascontiguousarray(values), kind.element).reshape(-1)
    if kind.element.is_packed:
        raw = pack_nibbles(raw)
    wanted = int(attributes.get("alignment", 0))
    if wanted & (wanted - 1) or wanted > MOST_ALIGNMENT_BYTES:
        raise UserError(
            f"expected an alignment that is a power of two up to "
            f"{MOST_ALIGNMENT_BYTES}, got {wanted}",
            place_text(op.location),
        )
    align = max(wanted, kind.element.storage_bytes)
    storage = np.zeros(len(raw) + align, np.uint8)
    skip = -int(storage.__array_interface__["data"][0]) % align
    memory = storage[skip : skip + len(raw)]
    memory[...] = raw
    memory.flags.writeable = not attributes.get("constant", False)
    return Global(attributes["sym_name"], kind.element, memory)


class _EntryDecoder:
    """Numbers the SSA values of one entry and decodes its ops."""

    def __init__(self) -> None:
        self._slots: dict[ir.Value, int] = {}
        self._is_persistent = False

    def decode(self, op: ir.Operation) -> Entry:
        name = ir.StringAttr(op.attributes["sym_name"]).value
        block = op.regions[0].blocks[0]
        parameters: list[TileType] = []
        for argument in block.arguments:
            kind = decode_type(argument.type)
            if not isinstance(kind, TileType):
                raise UserError(f"{name}: expected tile parameters, got {kind}")
            parameters.append(kind)
        body = self._block(block)
        slots, is_persistent = len(self._slots), self._is_persistent
        is_pair = "tileas.pair" in op.attributes
        return Entry(name, tuple(parameters), body, slots, is_persistent, is_pair)

    def names(self, op: ir.Operation) -> tuple[str, ...]:
        """The SSA name of each slot, as the entry prints."""
        self.decode(op)
        state = ir.AsmState(op)
        return tuple(value.get_name(state) for value in self._slots)

    def _slot(self, value: ir.Value) -> int:
        return self._slots.setdefault(value, len(self._slots))

    def _block(self, block: ir.Block) -> Block:
        arguments = tuple(self._slot(argument) for argument in block.arguments)
        ops = tuple(self._op(view.operation) for view in block.operations)
        return Block(arguments, ops)

    def _op(self, op: ir.Operation) -> Op:
        name = op.name.removeprefix("cuda_tile.")
        if name not in RULES:
            where = place_text(op.location)
            raise Unsupported(f"interp: no rule for '{op.name}'", where)
        self._is_persistent |= name == "tileas.tiles"
        operands, results = list(op.operands), list(op.results)
        attributes = op.attributes
        segments: tuple[int, ...] = ()
        if "operandSegmentSizes" in attributes:
            segments = tuple(ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"]))
        result_types = tuple(decode_type(result.type) for result in results)
        decoded = Op(
            name=name,
            operands=tuple(self._slot(operand) for operand in operands),
            results=tuple(self._slot(result) for result in results),
            operand_types=tuple(decode_type(operand.type) for operand in operands),
            result_types=result_types,
            attributes=_attributes(op),
            segments=segments,
            location=place_text(op.location),
            rule=RULES[name],
        )
        decoded.regions = tuple(
            self._block(region.blocks[0]) if len(region.blocks) else None
            for region in op.regions
        )
        return decoded


def decode_type(kind: ir.Type) -> Type:
    """The type of a value, without its layout.

    Raises:
        Unsupported: The interpreter does not know the type.
    """
    if isinstance(kind, ext.TileType):
        return TileType(tuple(kind.shape), element(str(kind.element_type)))
    if isinstance(kind, ext.TokenType):
        return TokenType()
    if isinstance(kind, ext.TensorViewType):
        return _tensor_view(kind)
    if isinstance(kind, ext.PartitionViewType):
        return _tile_view(kind, tuple(kind.tile_shape))
    if isinstance(kind, ext.StridedViewType):
        return _tile_view(kind, tuple(kind.traversal_strides))
    if isinstance(kind, ext.GatherScatterViewType):
        return _tile_view(kind, (1,) * len(kind.tile_shape), kind.sparse_dim)
    if isinstance(kind, ext.BufferType):
        return _buffer(kind)
    if isinstance(kind, ext.RingType):
        return RingType(kind.slots, tuple(_buffer(buffer) for buffer in kind.buffers))
    if isinstance(kind, ext.PendingType):
        tile = decode_type(kind.tile)
        assert isinstance(tile, TileType), "what is pending is a tile"
        return PendingType(tile)
    raise UserError(f"interp: expected a tile, token, view or buffer, got {kind}")


def _buffer(kind: ext.BufferType) -> BufferType:
    """A buffer; of one that CTAs hold together a tile block sees all of it."""
    bits = [bit for group in kind.layout.groups for bit in group]
    moves = tuple(tuple((int(n), int(d)) for n, d in bit) for bit in bits)
    return BufferType(tuple(kind.shape), element(str(kind.element_type)), moves)


def _tile_view(
    kind: Any, steps: tuple[int, ...], sparse_dim: int | None = None
) -> TileViewType:
    tile_shape = tuple(kind.tile_shape)
    dim_map = tuple(getattr(kind, "dim_map", ())) or tuple(range(len(tile_shape)))
    tensor = _tensor_view(kind.tensor_view)
    return TileViewType(
        tile_shape, tensor, dim_map, kind.padding_value, steps, sparse_dim
    )


def _tensor_view(kind: ext.TensorViewType) -> TensorViewType:
    return TensorViewType(
        element(str(kind.element_type)), tuple(kind.shape), tuple(kind.strides)
    )


def _attributes(op: ir.Operation) -> dict[str, Any]:
    decoded: dict[str, Any] = {}
    pairs = cast(list[tuple[str, ir.Attribute]], cast(Any, op.attributes).items())
    for name, attribute in pairs:
        if name not in SKIPPED_ATTRIBUTES and not name.startswith("tileas."):
            decoded[name] = decode_attribute(attribute)
    return decoded


def decode_attribute(attribute: ir.Attribute) -> Any:
    """An attribute as plain data; what has no plain form becomes its text."""
    for kind, read in _READERS:
        if isinstance(attribute, kind):
            return read(attribute)
    value = getattr(attribute, "value", None)  # keyword attributes of the dialect
    if isinstance(value, str):
        return value
    keyword = _KEYWORD.fullmatch(str(attribute))
    return keyword[1] if keyword else str(attribute)


_KEYWORD = re.compile(r"#cuda_tile\.\w+<(\w+)>")
"""A keyword attribute without a class in Python."""


def _dense(attribute: ir.DenseElementsAttr) -> Array:
    """A tile constant, a splat as a broadcast view."""
    kind = decode_type(attribute.type)
    assert isinstance(kind, TileType), "constants are tiles"
    raw = np.frombuffer(ext.dense_bytes(attribute), dtype=np.uint8)
    if kind.element.name == "tf32":
        raw = _tf32_bytes(raw)
    values = from_memory(raw.reshape(-1, kind.element.storage_bytes), kind.element)
    if attribute.is_splat:
        return np.broadcast_to(values[0], kind.shape)
    return values.reshape(kind.shape)


def _tf32_bytes(raw: Array) -> Array:
    """MLIR keeps the 19 bits in three bytes; here they are the high ones of four."""
    low = np.pad(raw.reshape(-1, 3), ((0, 0), (0, 1)))
    words = np.ascontiguousarray(low).view("<u4") << np.uint32(13)
    return words.view(np.uint8)


def _scalar(attribute: ir.FloatAttr | ir.IntegerAttr) -> Array:
    """A typed number as a 0-d tile (identities); plain i64 indices are ints too."""
    kind = element(str(attribute.type))
    value: Any = attribute.value
    if kind.kind == "int" and kind.bits > 1:
        low = int(value) & ((1 << kind.bits) - 1)
        value = low - (low >> kind.bits - 1 << kind.bits)
    return np.asarray(value).astype(kind.dtype)


def _array(attribute: ir.ArrayAttr) -> list[Any]:
    return [
        _scalar(item)
        if isinstance(item, (ir.FloatAttr, ir.IntegerAttr))
        else decode_attribute(item)
        for item in attribute
    ]


_READERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (ir.UnitAttr, lambda _: True),
    (ir.BoolAttr, lambda a: bool(a.value)),
    (ir.IntegerAttr, lambda a: int(a.value)),
    (ir.FloatAttr, lambda a: float(a.value)),
    (ir.StringAttr, lambda a: str(a.value)),
    (ir.FlatSymbolRefAttr, lambda a: str(a.value)),
    (ir.DenseElementsAttr, _dense),
    (ir.DenseBoolArrayAttr, lambda a: tuple(bool(x) for x in a)),
    (ir.DenseI32ArrayAttr, lambda a: tuple(int(x) for x in a)),
    (ir.DenseI64ArrayAttr, lambda a: tuple(int(x) for x in a)),
    (ir.ArrayAttr, _array),
    (ext.DivByAttr, lambda a: DivBy(a.divisor, a.every, a.along)),
    (ext.BoundedAttr, lambda a: Bounded(a.lower, a.upper)),
    (ext.SameElementsAttr, lambda a: SameElements(tuple(a.values))),
)
