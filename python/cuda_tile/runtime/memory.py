# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global memory of the executors: the arrays of the host, at their own addresses.

A NumPy array is passed as a pointer to its first element, and nothing is copied: the
"device address" of a byte is its host address. Executors load and store many addresses
at once; a byte outside all registered arrays is a `MemoryFault` that names the nearest
array.
"""

from __future__ import annotations

import bisect
import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.runtime.number_text import array_kind

Bytes = NDArray[np.uint8]
Addresses = NDArray[np.uint64]

_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class MemoryFault(Exception):
    """A load or store outside all arrays, or a store to a read-only array.

    Attributes:
        address: First byte of the faulting access.
        size: Size of the access in bytes.
        access: "load" or "store".
        nearest: Text: the nearest registered array with name, distance and extent, or
            the read-only array.
        index: Position of the faulting access among the addresses of the call.
    """

    def __init__(
        self, address: int, size: int, access: str, nearest: str, index: int = 0
    ) -> None:
        self.address = address
        self.size = size
        self.access = access
        self.nearest = nearest
        self.index = index
        null = " (a null pointer)" if address == 0 else ""
        super().__init__(f"{access} of {size} bytes at {address:#x}{null} {nearest}")


@dataclass(frozen=True)
class Region:
    """The bytes of one registered array: `[start, stop)`, including gaps."""

    name: str
    start: int
    stop: int
    array: NDArray[Any]

    @property
    def is_writable(self) -> bool:
        """Whether stores into the region are allowed."""
        return bool(self.array.flags.writeable)

    @property
    def is_dense(self) -> bool:
        """Whether every byte belongs to an element."""
        return self.array.flags.c_contiguous or self.array.flags.f_contiguous

    def element(self, byte: int) -> str:
        """The element that a byte belongs to, as error texts name it; "" for lists."""
        array = self.array
        if array.ndim < 2 or not array.flags.c_contiguous:
            return ""
        places = np.unravel_index(byte // array.itemsize, array.shape)
        return f", element [{', '.join(str(place) for place in places)}]"

    def past_row(self, starts: Addresses, stops: Addresses) -> str | None:
        """As `GlobalMemory.past_row`, for runs inside."""
        array = self.array
        if not len(starts) or not array.flags.c_contiguous:
            return None
        first = (starts - np.uint64(self.start)).astype(np.int64)
        last = (stops - np.uint64(self.start)).astype(np.int64)
        for dim in reversed(range(1, array.ndim)):
            row = array.strides[dim - 1]
            leaves = first // row != (last - 1) // row
            if (leaves & ((first % row != 0) | (last % row != 0))).any():
                return (
                    f"dimension {dim} of {self.name}, whose extent is "
                    f"{array.shape[dim]}"
                )
        return None

    def describe(self) -> str:
        """Returns name, element type, shape and extent, as error texts show them."""
        extent = f"{self.start:#x} to {self.stop:#x}"
        return f"{self.name}: {array_kind(self.array)} ({extent})"


class _Span:
    """Registered regions that overlap or are adjacent, merged into one view of bytes.

    `mapped` and `writable` are masks per byte; None means all bytes.
    """

    def __init__(self, regions: list[Region]) -> None:
        self.start = min(region.start for region in regions)
        self.stop = max(region.stop for region in regions)
        self.size_bytes = self.stop - self.start
        storage = (ctypes.c_uint8 * self.size_bytes).from_address(self.start)
        self.bytes: Bytes = np.ctypeslib.as_array(storage)
        self.mapped = self._mask(regions)
        self.writable = self._mask([r for r in regions if r.is_writable])
        self._words: dict[int, tuple[int, NDArray[Any]]] = {}

    def _mask(self, regions: list[Region]) -> NDArray[np.bool_] | None:
        """Marks the bytes that elements of the regions occupy; None for "all"."""
        whole = (self.start, self.stop)
        if any(r.is_dense and (r.start, r.stop) == whole for r in regions):
            return None
        mask = np.zeros(self.size_bytes, np.bool_)
        for region in regions:
            array = region.array
            if region.is_dense:
                mask[region.start - self.start : region.stop - self.start] = True
                continue
            first = array.__array_interface__["data"][0] - self.start
            np.ndarray(
                (*array.shape, array.itemsize),
                np.bool_,
                buffer=mask.data,
                offset=first,
                strides=(*array.strides, 1),
            )[...] = True
        return None if mask.all() else mask

    def words(self, size: int) -> tuple[int, NDArray[Any]]:
        """Returns the first address aligned to `size` and the words from there on."""
        if size not in self._words:
            word = min(size, 8)
            skip = -self.start % word
            count = max(self.size_bytes - skip, 0) // word
            flat = self.bytes[skip : skip + count * word].view(_WORDS[word])
            self._words[size] = (self.start + skip, flat)
        return self._words[size]


class GlobalMemory:
    """The bytes that a kernel may access through global pointers."""

    def __init__(self) -> None:
        self._regions: list[Region] = []
        self._spans: list[_Span] | None = None
        self._starts: list[int] = []
        self._recent: _Span | None = None

    @property
    def regions(self) -> tuple[Region, ...]:
        """All registered arrays, in the order of registration."""
        return tuple(self._regions)

    def add(self, name: str, array: NDArray[Any]) -> int:
        """Registers the bytes of an array, and of the arrays it points to.

        Args:
            name: Name of the array in messages.
            array: Any strided array; bytes between its elements stay out of bounds.
                Arrays in its attribute `targets`, if it has one, are registered too.

        Returns:
            The address of the array's first element.
        """
        low, high = np.lib.array_utils.byte_bounds(array)
        if array.size > 0:
            self._regions.append(Region(name, low, high, array))
            self._spans = None
        targets: Iterable[NDArray[Any]] = getattr(array, "targets", ())
        for position, target in enumerate(targets):
            self.add(f"{name}[{position}]", target)
        return int(array.__array_interface__["data"][0])

    def remove(self, array: NDArray[Any]) -> None:
        """Unregisters an array; other arrays with the same bytes stay registered."""
        self._regions = [r for r in self._regions if r.array is not array]
        self._spans = None
        self._recent = None

    def allocate(self, name: str, size_bytes: int, align: int = 256) -> int:
        """Adds zero-filled memory that this object owns and returns its address."""
        storage = np.zeros(size_bytes + align, np.uint8)
        skip = -int(storage.__array_interface__["data"][0]) % align
        return self.add(name, storage[skip : skip + max(size_bytes, 1)])

    def load(self, addresses: Addresses, size: int) -> Bytes:
        """Reads `size` bytes at each address.

        Args:
            addresses: Byte addresses, uint64[n].
            size: Bytes per access.

        Returns:
            The bytes, uint8[n, size].

        Raises:
            MemoryFault: An access is outside the registered arrays.
        """
        span = self._span_of_all(addresses, size)
        if span is not None and span.mapped is None:
            return _gather(span, addresses, size)
        data = np.empty((len(addresses), size), np.uint8)
        for span, which in self._split(addresses, size, "load"):
            self._check_mask(span.mapped, span, addresses, which, size, "load")
            data[which] = _gather(span, addresses[which], size)
        return data

    def check(self, addresses: Addresses, size: int, access: str) -> None:
        """Raises the fault, if any, of a "load" or "store" of `size` bytes each."""
        for span, which in self._split(addresses, size, access):
            mask = span.mapped if access == "load" else span.writable
            self._check_mask(mask, span, addresses, which, size, access)

    def store(self, addresses: Addresses, data: Bytes) -> None:
        """Writes `data[i]` (uint8[n, size]) at `addresses[i]`; of equal ones the last.

        Raises:
            MemoryFault: An access is outside the registered arrays, or to a read-only
                one.
        """
        size = data.shape[1]
        span = self._span_of_all(addresses, size)
        if span is not None and span.writable is None:
            _scatter(span, addresses, data)
            return
        parts = self._split(addresses, size, "store")
        for span, which in parts:
            self._check_mask(span.writable, span, addresses, which, size, "store")
        for span, which in parts:
            _scatter(span, addresses[which], data[which])

    def _merged(self) -> list[_Span]:
        if self._spans is None:
            groups: list[list[Region]] = []
            stop = -1
            for region in sorted(self._regions, key=lambda region: region.start):
                if groups and region.start <= stop:
                    groups[-1].append(region)
                else:
                    groups.append([region])
                stop = max(stop, region.stop)
            self._spans = [_Span(group) for group in groups]
            self._starts = [span.start for span in self._spans]
            self._recent = None
        return self._spans

    def _span_of_all(self, addresses: Addresses, size: int) -> _Span | None:
        """The span that contains all accesses, if there is one (the common case)."""
        spans = self._merged()
        if not len(addresses) or not spans:
            return None
        span = self._recent
        if span is None or not _inside(span, addresses, size):
            place = bisect.bisect_right(self._starts, int(addresses[0])) - 1
            span = spans[max(place, 0)]
            if not _inside(span, addresses, size):
                return None
            self._recent = span
        return span

    def _split(
        self, addresses: Addresses, size: int, access: str
    ) -> list[tuple[_Span, NDArray[np.intp]]]:
        """Groups accesses by span; positions within `addresses` per span."""
        spans = self._merged()
        starts = np.array(self._starts, np.uint64)
        place = np.searchsorted(starts, addresses, side="right").astype(np.intp) - 1
        parts: list[tuple[_Span, NDArray[np.intp]]] = []
        for number in np.unique(place):
            which = np.flatnonzero(place == number)
            if number < 0:
                raise self._fault(int(addresses[which[0]]), size, access, int(which[0]))
            span = spans[int(number)]
            ends = addresses[which] - np.uint64(span.start) + np.uint64(size)
            outside = np.flatnonzero(ends > np.uint64(span.size_bytes))
            if len(outside):
                at = int(which[outside[0]])
                raise self._fault(int(addresses[at]), size, access, at)
            parts.append((span, which))
        return parts

    def _check_mask(
        self,
        mask: NDArray[np.bool_] | None,
        span: _Span,
        addresses: Addresses,
        which: NDArray[np.intp],
        size: int,
        access: str,
    ) -> None:
        if mask is None:
            return
        offsets = (addresses[which] - np.uint64(span.start)).astype(np.intp)
        legal = mask[offsets[:, None] + np.arange(size)].all(axis=1)
        if not legal.all():
            at = int(which[int(np.argmin(legal))])
            raise self._fault(int(addresses[at]), size, access, at)

    def _fault(self, address: int, size: int, access: str, index: int) -> MemoryFault:
        for region in self._regions:
            inside = region.start <= address and address + size <= region.stop
            if access == "store" and inside and not region.is_writable:
                place = f"is to {region.describe()}, which is read-only"
                return MemoryFault(address, size, access, place, index)
        place = f"is outside every array; {self.nearest(address, size)}"
        return MemoryFault(address, size, access, place, index)

    def place(self, address: int) -> str:
        """Describes the element and the registered array of a byte."""
        for region in self._regions:
            if region.start <= address < region.stop:
                byte = address - region.start
                return f"byte {byte} of {region.describe()}{region.element(byte)}"
        return self.nearest(address)

    def past_row(self, starts: Addresses, stops: Addresses) -> str | None:
        """Which index of an access is probably too large: one that leaves a row.

        Args:
            starts: First bytes of the runs that the access touches.
            stops: Bytes behind them.

        Returns:
            The dimension and its extent in words, or None where no run goes on from a
            row of an array into the next one.
        """
        for region in self._regions:
            inside = (starts >= region.start) & (stops <= region.stop)
            found = region.past_row(starts[inside], stops[inside])
            if found is not None:
                return found
        return None

    def nearest(self, address: int, size: int = 1) -> str:
        """Describes the registered array that is nearest to an access."""
        if not self._regions:
            return "no array was passed"

        def distance(region: Region) -> int:
            return max(region.start - address, address + size - region.stop, 0)

        region = min(self._regions, key=distance)
        text = f"nearest is {region.describe()}"
        if address + size > region.stop:
            return f"{text}, {address + size - region.stop} bytes past its end"
        if address < region.start:
            return f"{text}, {region.start - address} bytes before its start"
        return f"{text}, between two of its elements"


def _inside(span: _Span, addresses: Addresses, size: int) -> bool:
    """Whether all accesses are in the span; addresses below it wrap to large ones."""
    farthest = int((addresses - np.uint64(span.start)).max())
    return farthest + size <= span.size_bytes


def _gather(span: _Span, addresses: Addresses, size: int) -> Bytes:
    if size in _WORDS or size == 16:
        base, words = span.words(size)
        offsets = (addresses - np.uint64(base)).view(np.int64)
        if not np.bitwise_or.reduce(offsets) & (min(size, 8) - 1):
            if size == 16:
                first = offsets >> 3
                data = np.empty((len(offsets), 2), np.uint64)
                words.take(first, out=data[:, 0], mode="clip")
                words.take(first + 1, out=data[:, 1], mode="clip")
                return data.view(np.uint8)
            found = words.take(offsets >> (size.bit_length() - 1))
            return found.view(np.uint8).reshape(-1, size)
    offsets = (addresses - np.uint64(span.start)).astype(np.intp)
    return span.bytes[offsets[:, None] + np.arange(size)]


def _scatter(span: _Span, addresses: Addresses, data: Bytes) -> None:
    size = data.shape[1]
    if size in _WORDS or size == 16:
        base, words = span.words(size)
        word = min(size, 8)
        offsets = (addresses - np.uint64(base)).view(np.int64)
        if not np.bitwise_or.reduce(offsets) & (word - 1):
            values = np.ascontiguousarray(data).view(words.dtype)
            first = offsets >> (word.bit_length() - 1)
            words[first] = values[:, 0]
            if size == 16:
                words[first + 1] = values[:, 1]
            return
    offsets = (addresses - np.uint64(span.start)).astype(np.intp)
    span.bytes[offsets[:, None] + np.arange(size)] = data
