# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where an array came from: known arrays that were moved, sliced, padded, joined, cast.

Only contents are looked at, for what a candidate says of its arrays proves nothing. A
way to an array is data (`Way`), so that it can be tried on other data too: what the
host chose by looking at the values, as a maximum, has another way there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np

from cuda_tile.runtime.elements import Array

Place: TypeAlias = tuple[str, int, int]
"""A known array: ("input", number, 0) or ("launch", number, argument)."""
Pool: TypeAlias = Mapping[Place, Array]
Maker: TypeAlias = Callable[[Pool], "Array | None"]

_MOST_AXES = 4
_MOST_PLACES = 32
"""Elements of a source that are tried as the first of a slice."""


@dataclass(frozen=True)
class Way:
    """How an array is made of known ones.

    Attributes:
        place: The known array.
        axes: The order of its axes before it is reshaped; None for a slice.
        offset: First element of a slice, in C order.
        strides: Steps of a slice, in elements.
        inner: Extents before padding.
        start: Where these begin.
        pad: The bytes of an element of padding.
        padded: The shape in which it is padded, before a reshape; empty for its own.
    """

    place: Place
    axes: tuple[int, ...] | None
    offset: int = 0
    strides: tuple[int, ...] = ()
    inner: tuple[int, ...] = ()
    start: tuple[int, ...] = ()
    pad: bytes = b""
    padded: tuple[int, ...] = ()

    @property
    def sources(self) -> tuple[Place, ...]:
        """The known arrays that it needs."""
        return (self.place,)

    def apply(self, pool: Pool, shape: tuple[int, ...], dtype: Any) -> Array | None:
        """What the way gives of other contents; None where it has no meaning."""
        if self.padded:
            made = replace(self, padded=()).apply(pool, self.padded, dtype)
            return None if made is None else made.reshape(shape)
        source = pool.get(self.place)
        inner = self.inner if self.pad else shape
        moved = None if source is None else self._moved(source, inner)
        if moved is None:
            return None
        with np.errstate(all="ignore"):
            moved = moved.astype(dtype)
        if not self.pad:
            return moved
        whole = np.full(shape, np.frombuffer(self.pad, dtype)[0], dtype)
        whole[_box(self.start, inner)] = moved
        return whole

    def _moved(self, source: Array, shape: tuple[int, ...]) -> Array | None:
        if self.axes is not None:
            if source.ndim != len(self.axes) or source.size != prod(shape):
                return None
            return source.transpose(self.axes).reshape(shape)
        return _sliced(source.reshape(-1), self.offset, self.strides, shape)


@dataclass(frozen=True)
class Joined:
    """Several ways, side by side.

    Attributes:
        axis: Along which axis.
        parts: Each with its extent along it.
    """

    axis: int
    parts: tuple[tuple[Way, int], ...]

    @property
    def sources(self) -> tuple[Place, ...]:
        """The known arrays that it needs."""
        return tuple(way.place for way, _ in self.parts)

    def apply(self, pool: Pool, shape: tuple[int, ...], dtype: Any) -> Array | None:
        """As `Way.apply`."""
        found: list[Array] = []
        for way, extent in self.parts:
            part = tuple(
                extent if axis == self.axis else n for axis, n in enumerate(shape)
            )
            made = way.apply(pool, part, dtype)
            if made is None:
                return None
            found.append(made)
        whole = np.concatenate(found, self.axis)
        return whole if whole.shape == shape else None


class AnyWay(Protocol):
    """How an array is made of known ones, whatever it is: `Way`, `Joined`, `Mosaic`."""

    @property
    def sources(self) -> tuple[Place, ...]:
        """The known arrays that it needs."""
        ...

    def apply(self, pool: Pool, shape: tuple[int, ...], dtype: Any) -> Array | None:
        """What it gives of other contents; None where it has no meaning."""
        ...


def same(left: Array | None, right: Array) -> bool:
    """Whether two arrays have the same bits, those of NaN too: payloads are data."""
    if left is None or left.shape != right.shape or left.dtype != right.dtype:
        return False
    return bool(same_elements(left, right).all())


def same_elements(left: Array, right: Array) -> Array:
    """The same for each element."""
    raw = f"V{left.dtype.itemsize}"
    return np.asarray(
        np.ascontiguousarray(left).view(raw) == np.ascontiguousarray(right).view(raw)
    )


def find_way(array: Array, pool: Pool) -> AnyWay | None:
    """How an array is made of known ones; None if it is not.

    Args:
        array: What a candidate has.
        pool: The known arrays, those to be tried first in front.
    """
    for way in _whole(array.shape, pool):
        if same(way.apply(pool, array.shape, array.dtype), array):
            return way
    return (
        _slice(array, pool)
        or _padded(array, pool)
        or _padded_and_reshaped(array, pool)
        or _joined(array, pool)
    )


def _padded_and_reshaped(array: Array, pool: Pool) -> Way | None:
    """Known contents, padded at their end or that of an axis, and then reshaped."""
    for shape in _merged(array.shape):
        way = _padded(np.ascontiguousarray(array).reshape(shape), pool)
        if way is not None:
            return replace(way, padded=shape)
    return None


def _merged(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Shapes with two neighbouring axes as one, then all."""
    for axis in range(len(shape) - 1):
        yield (*shape[:axis], prod(shape[axis : axis + 2]), *shape[axis + 2 :])
    if len(shape) > 2:
        yield (prod(shape),)


def _whole(shape: tuple[int, ...], pool: Pool) -> Iterator[Way]:
    """Known arrays of as many elements, in each order of their axes."""
    for place, source in pool.items():
        if source.size != prod(shape):
            continue
        axes = range(source.ndim)
        orders = permutations(axes) if source.ndim <= _MOST_AXES else [tuple(axes)]
        yield from (Way(place, tuple(order)) for order in orders)


def _sliced(
    flat: Array, offset: int, strides: tuple[int, ...], shape: tuple[int, ...]
) -> Array | None:
    steps = [(n - 1) * step for n, step in zip(shape, strides, strict=True) if n]
    low = offset + sum(step for step in steps if step < 0)
    high = offset + sum(step for step in steps if step > 0)
    if 0 in shape or low < 0 or high >= flat.size:
        return None
    flat = np.ascontiguousarray(flat)
    return np.lib.stride_tricks.as_strided(
        flat[offset:], shape, [step * flat.itemsize for step in strides]
    )


def _slice(array: Array, pool: Pool) -> Way | None:
    """A view of a part of a known array: an offset, and a step along each axis."""
    if not array.size:
        return None
    for place, source in pool.items():
        with np.errstate(all="ignore"):
            flat = source.reshape(-1).astype(array.dtype)
        first = array.reshape(-1)[:1]
        starts = np.flatnonzero(same_elements(flat, np.broadcast_to(first, flat.shape)))
        natural = _steps(source.shape)
        for offset in starts[:_MOST_PLACES].tolist():
            strides = _strides(array, flat, offset, natural)
            if strides is None:
                continue
            way = Way(place, None, offset, strides)
            if same(way.apply(pool, array.shape, array.dtype), array):
                return way
    return None


def _steps(shape: tuple[int, ...]) -> list[int]:
    """Steps that slices of a shape have: of its axes, every second, backwards, none."""
    own = [prod(shape[axis + 1 :]) for axis in reversed(range(len(shape)))]
    return list(dict.fromkeys([*own, *(n * k for n in own for k in (2, 3, 4, -1)), 0]))


def _strides(
    array: Array, flat: Array, offset: int, natural: list[int]
) -> tuple[int, ...] | None:
    """The step along each axis by which the elements there are found."""
    found: list[int] = []
    for axis, extent in enumerate(array.shape):
        line = array[tuple(slice(None) if a == axis else 0 for a in range(array.ndim))]
        steps = (
            step
            for step in natural
            if same(_sliced(flat, offset, (step,), (extent,)), line)
        )
        step = next(steps, None) if extent > 1 else 0
        if step is None:
            return None
        found.append(step)
    return tuple(found)


def _box(start: tuple[int, ...], extents: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(a, a + n) for a, n in zip(start, extents, strict=True))


def _padded(array: Array, pool: Pool) -> Way | None:
    """Known contents with a constant around them."""
    if not array.size or not array.ndim:
        return None
    pad = np.ascontiguousarray(array[(-1,) * array.ndim])
    if not _is_padding(pad):
        return None
    inside = ~same_elements(array, np.broadcast_to(pad, array.shape))
    if not inside.any() or inside.all():
        return None
    spans = [np.flatnonzero(inside.any(tuple(b for b in range(array.ndim) if b != a)))
             for a in range(array.ndim)]  # fmt: skip
    start = tuple(int(span[0]) for span in spans)
    inner = tuple(int(span[-1] - span[0] + 1) for span in spans)
    if inner == array.shape:
        return None
    part = np.ascontiguousarray(array[_box(start, inner)])
    way = next(
        (
            way
            for way in _whole(inner, pool)
            if same(way.apply(pool, inner, array.dtype), part)
        ),
        None,
    ) or _slice(part, pool)
    if way is None:
        return None
    return Way(
        way.place, way.axes, way.offset, way.strides, inner, start, pad.tobytes()
    )


def is_plain(array: Array) -> Array:
    """Which elements are those of fills and padding: 0, 1, -1, infinities, NaN."""
    with np.errstate(all="ignore"):
        values = array.astype(np.float64)
    return np.isin(values, (0, 1, -1, np.inf, -np.inf)) | np.isnan(values)


def _is_padding(pad: Array) -> bool:
    """Whether an element is one that arrays are padded with."""
    if is_plain(pad).all():
        return True
    value = float(pad.astype(np.float64).reshape(-1)[0])
    if pad.dtype.kind in "iu":
        facts = np.iinfo(pad.dtype)
        return value in (float(facts.min), float(facts.max))
    return pad.dtype.kind == "f" and abs(value) == float(np.finfo(pad.dtype).max)


def _joined(array: Array, pool: Pool) -> Joined | None:
    """Known arrays, side by side."""
    for axis in range(array.ndim):
        parts: list[tuple[Way, int]] = []
        done = 0
        while done < array.shape[axis]:
            part = _next_part(array, axis, done, pool)
            if part is None:
                break
            parts.append(part)
            done += part[1]
        if parts and done == array.shape[axis]:
            return Joined(axis, tuple(parts))
    return None


def _next_part(
    array: Array, axis: int, done: int, pool: Pool
) -> tuple[Way, int] | None:
    rest = prod(n for a, n in enumerate(array.shape) if a != axis)
    for place, source in pool.items():
        extent = source.size // rest if rest else 0
        if not extent or source.size % rest or done + extent > array.shape[axis]:
            continue
        part = array[tuple(slice(done, done + extent) if a == axis else slice(None)
                           for a in range(array.ndim))]  # fmt: skip
        for way in _whole(part.shape, {place: source}):
            if same(
                way.apply(pool, part.shape, array.dtype), np.ascontiguousarray(part)
            ):
                return way, extent
    return None


def is_same_way(
    first: tuple[AnyWay | None, Array, Pool], second: tuple[AnyWay | None, Array, Pool]
) -> bool:
    """Whether one way leads to two arrays of the same shape, in calls with other data.

    Args:
        first: A way found, its array, and what was known then.
        second: The same of the other call.
    """
    for way, _, _ in (first, second):
        if way is not None and all(
            same(way.apply(pool, array.shape, array.dtype), array)
            for _, array, pool in (first, second)
        ):
            return True
    return same(first[1], second[1])  # no way, and it does not depend on the data
