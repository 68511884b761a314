# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decoded kernel: plain Python data that the driver walks.

`decode.py` makes it once from MLIR, so that running an op costs no binding calls and
rules see names, numbers and NumPy types only. Values live in numbered slots, one
per SSA value of an entry.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cuda_tile.errors import InternalError
from cuda_tile.runtime.elements import Array, Element, from_memory


@dataclass(frozen=True, slots=True)
class TileType:
    """`tile<SHAPExELEMENT>`; a layout parameter has no meaning here and is dropped."""

    shape: tuple[int, ...]
    element: Element


@dataclass(frozen=True, slots=True)
class TokenType:
    """`token`."""


@dataclass(frozen=True, slots=True)
class TensorViewType:
    """`tensor_view`; None stands for a size or stride known only at run time."""

    element: Element
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]  # in elements


@dataclass(frozen=True, slots=True)
class TileViewType:
    """`partition_view`, `strided_view` or `gather_scatter_view`: how tiles lie.

    Attributes:
        tile_shape: Elements of a tile per tile dimension.
        tensor_view: The tensor.
        dim_map: Tensor dimension of each tile dimension.
        padding: Keyword of the value outside the tensor, or None.
        steps: Elements of the tensor between two indices, per tile dimension: the
            tile's size in a partition, 1 in a gather_scatter_view.
        sparse_dim: Dimension with one index per element, or None.
    """

    tile_shape: tuple[int, ...]
    tensor_view: TensorViewType
    dim_map: tuple[int, ...]
    padding: str | None
    steps: tuple[int, ...]
    sparse_dim: int | None = None


@dataclass(frozen=True, slots=True)
class BufferType:
    """`tileas.buffer`: a place in shared memory, seen as a plain array.

    Attributes:
        shape: Its extents.
        element: Its element type.
        bits: Where each bit of an offset moves an element: (steps, dimension) pairs.
    """

    shape: tuple[int, ...]
    element: Element
    bits: tuple[tuple[tuple[int, int], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class RingType:
    """`tileas.ring`: slots, each with a buffer of every type."""

    slots: int
    buffers: tuple[BufferType, ...]


@dataclass(frozen=True, slots=True)
class PendingType:
    """`tileas.pending`: a tile that may still be computed."""

    tile: TileType


Type: TypeAlias = (
    TileType
    | TokenType
    | TensorViewType
    | TileViewType
    | BufferType
    | RingType
    | PendingType
)


@dataclass(frozen=True, slots=True)
class Block:
    """The one block of a region.

    Attributes:
        arguments: Slots of the block arguments.
        ops: The ops in order, terminator last.
    """

    arguments: tuple[int, ...]
    ops: tuple[Op, ...]


@dataclass(eq=False, slots=True)
class Op:
    """One operation.

    Attributes:
        name: Mnemonic; with prefix for other dialects: `addf`, `tileas.barrier`.
        operands: Slots of the operands.
        results: Slots of the results.
        operand_types, result_types: In the same order.
        attributes: Decoded: enums as their keyword, unit attributes as True, integers
            as int, dense values as arrays; absent optional attributes are absent.
        segments: Sizes of the operand groups where the op has several, else ().
        regions: One block each; an empty region is None.
        location: Printed source location.
        rule: The rule that evaluates it.
        waits: Whether other tile blocks may run after it: atomics, and accesses that
            are not weak. Derived from the attributes.
    """

    name: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    operand_types: tuple[Type, ...] = ()
    result_types: tuple[Type, ...] = ()
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    segments: tuple[int, ...] = ()
    regions: tuple[Block | None, ...] = ()
    location: str = "unknown"
    rule: Any = None
    waits: bool = False

    def __post_init__(self) -> None:
        ordering = self.attributes.get("memory_ordering_semantics", "weak")
        self.waits = ordering != "weak"

    def tile(self, index: int = 0) -> TileType:
        """Type of result `index`, which is a tile."""
        kind = self.result_types[index]
        if not isinstance(kind, TileType):
            raise InternalError(f"interp: expected a tile result, got {kind}")
        return kind

    def operand_tile(self, index: int = 0) -> TileType:
        """Type of operand `index`, which is a tile."""
        kind = self.operand_types[index]
        if not isinstance(kind, TileType):
            raise InternalError(f"interp: expected a tile operand, got {kind}")
        return kind

    def groups(self, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Operand values cut into the op's operand groups, in declaration order."""
        cut: list[tuple[Any, ...]] = []
        start = 0
        for size in self.segments:
            cut.append(values[start : start + size])
            start += size
        return cut

    def accessor(self) -> str:
        """An access in words: name, memory ordering, scope, location."""
        words = ("memory_ordering_semantics", "memory_scope")
        how = " ".join(str(self.attributes[w]) for w in words if w in self.attributes)
        return f"'{self.name}' ({how}) at {self.location}"

    def block(self, index: int = 0) -> Block:
        """The block of region `index`, which is not empty."""
        block = self.regions[index]
        if block is None:
            raise InternalError(f"interp: '{self.name}' has no region {index}")
        return block


def all_ops(block: Block) -> list[Op]:
    """Every op of a block, those of nested regions included."""
    found: list[Op] = []
    for op in block.ops:
        found.append(op)
        for region in op.regions:
            if region is not None:
                found.extend(all_ops(region))
    return found


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel of a module.

    Attributes:
        name: Its symbol.
        parameters: Types of its parameters.
        body: Its ops.
        slot_count: Slots of its values.
        is_persistent: Whether it has `tileas.tiles`, so that a CTA may serve several
            tile blocks.
        is_pair: Whether it has `tileas.pair`: a tile block of a launch is two of its.
    """

    name: str
    parameters: tuple[TileType, ...]
    body: Block
    slot_count: int
    is_persistent: bool = False
    is_pair: bool = False


@dataclass(eq=False, slots=True)
class Global:
    """A `global`: memory that lives as long as the loaded module.

    Attributes:
        name: Its symbol.
        element: Element type.
        memory: Its bytes, aligned as asked; read-only if it is constant.
    """

    name: str
    element: Element
    memory: NDArray[np.uint8]

    @property
    def address(self) -> int:
        """Address of element 0."""
        return int(self.memory.__array_interface__["data"][0])

    def values(self) -> Array:
        """A copy of what it holds now, as elements."""
        return from_memory(
            self.memory.reshape(-1, self.element.storage_bytes), self.element
        )


@dataclass(frozen=True, slots=True)
class Program:
    """A loaded module: its entries and globals by name, in their order."""

    entries: dict[str, Entry]
    globals: dict[str, Global] = field(default_factory=dict[str, Global])
