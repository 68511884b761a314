# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a slot may hold while a kernel runs.

A tile is a NumPy array of its shape (0-d for scalars) with the dtype of its element,
and is never changed once made. The other kinds are the small classes below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cuda_tile.errors import UserError
from cuda_tile.interp.program import TileViewType
from cuda_tile.runtime.elements import Array, Element

Mask: TypeAlias = NDArray[np.bool_]


class InterpError(UserError):
    """A kernel did something that the dialect leaves undefined, or that has no rule.

    Attributes:
        kernel: Name of the entry.
        block_id: Tile block `(x, y, z)` that failed, or None outside any block.
        op_name: Mnemonic of the op at fault, or None.
        element_index: Index into the op's tile, or None where it concerns all.
        stdout: What the kernel had printed.
    """

    def __init__(
        self,
        message: str,
        location: str | None = None,
        *,
        kernel: str = "",
        block_id: tuple[int, int, int] | None = None,
        op_name: str | None = None,
        element_index: tuple[int, ...] | None = None,
    ) -> None:
        self.kernel = kernel
        self.block_id = block_id
        self.op_name = op_name
        self.element_index = element_index
        self.stdout = ""
        super().__init__(message, location)


class RaceError(InterpError):
    """Two accesses that nothing orders, of one tile block or of two."""


@dataclass(frozen=True, slots=True)
class Token:
    """A point in the order of memory operations.

    Attributes:
        events: Bit i is set if the i-th access of this tile block happens before it.
        foreign: The same for other tile blocks, by number, as releases there and
            acquires here have ordered them.
        waited: Whether the end of the preceding grid happens before it.
    """

    events: int = 0
    foreign: Mapping[int, int] = field(default_factory=dict[int, int])
    waited: bool = False

    def join(self, other: Token) -> Token:
        """The point after both."""
        waited = self.waited or other.waited
        if not other.foreign:
            return Token(self.events | other.events, self.foreign, waited)
        foreign = dict(self.foreign)
        for block, events in other.foreign.items():
            foreign[block] = foreign.get(block, 0) | events
        return Token(self.events | other.events, foreign, waited)


@dataclass(frozen=True, slots=True)
class TensorView:
    """Address, sizes and strides of a tensor in memory, major to minor."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in elements
    element: Element


@dataclass(frozen=True, slots=True)
class TileView:
    """A tensor view and how tiles lie in it."""

    tensor: TensorView
    type: TileViewType


@dataclass(eq=False, slots=True)
class Buffer:
    """A buffer in shared memory (level W).

    Attributes:
        data: What is there.
        written: Where something was stored.
        iteration: The iteration of a ring to which it belongs (`flight.Iteration`), or
            None.
        places: Where its elements lie in the flat `data`; None if in its order.
    """

    data: Array
    written: Mask
    iteration: Any = None
    places: NDArray[np.intp] | None = None

    def elements(self) -> tuple[Array, Mask]:
        """What it holds, in its own shape, and where that was stored."""
        if self.places is None:
            return self.data, self.written
        return (
            self.data.reshape(-1)[self.places],
            self.written.reshape(-1)[self.places],
        )

    def store(self, values: Array, written: Mask) -> None:
        """Replaces all it holds."""
        places = slice(None) if self.places is None else self.places.reshape(-1)
        self.data.reshape(-1)[places] = values.reshape(-1)
        self.written.reshape(-1)[places] = written.reshape(-1)


@dataclass(eq=False, slots=True)
class Pending:
    """A tile that may still be computed (level W).

    Attributes:
        tile: The tile, once it is.
        work: What computes it (`flight.Late`), or None if it was there.
    """

    tile: Any
    work: Any = None


@dataclass(frozen=True, slots=True)
class Partial:
    """A tile some of whose elements are unspecified (strict and hardware mode only).

    Attributes:
        data: The tile, with the poison pattern where unspecified.
        undefined: Same shape; True where the value is unspecified.
    """

    data: Array
    undefined: Mask


@dataclass(frozen=True, slots=True)
class Jump:
    """How a block ended: `yield`, `continue`, `break` or `return`, and its values."""

    kind: str
    values: tuple[Any, ...]


Value: TypeAlias = Array | Token | TensorView | TileView | Buffer | Pending | Partial
