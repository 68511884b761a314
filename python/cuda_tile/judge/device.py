# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The judge's side of a launch: it runs here, on the interpreter, and is booked.

The candidate's process says which bytecode, grid and arguments. Each array gets memory
of its own; gaps between its elements have a pattern, so that nothing hides in them.
"""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import numpy as np

from cuda_tile import interp
from cuda_tile.cutile.binding import flattened
from cuda_tile.cutile.dlpack import DeviceArray
from cuda_tile.cutile.kernels import load_image
from cuda_tile.judge.mosaic import Mosaic, addresses, find_mosaic
from cuda_tile.judge.placement import GAP, LaunchError, lay_out, place_of, relations
from cuda_tile.judge.provenance import AnyWay, Place, find_way, same
from cuda_tile.runtime.args import Bound, bind_args
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.memory import Addresses, Bytes, GlobalMemory

MOST_OPS = 5_000_000
"""Operations of the interpreter in one launch, some minutes of it."""


class LaunchTimeout(Exception):
    """A launch that took too long."""


class Watched(GlobalMemory):
    """Memory that notes which bytes are stored to."""

    def __init__(self) -> None:
        super().__init__()
        self._stored: list[tuple[Addresses, int]] = []

    def store(self, addresses: Addresses, data: Bytes) -> None:
        """As `GlobalMemory.store`."""
        super().store(addresses, data)
        self._stored.append((np.array(addresses), data.shape[1]))

    def written(self, array: Array) -> Array:
        """Which elements of an array were stored to."""
        start = int(array.ctypes.data)
        size = sum(
            (n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)
        )
        touched = np.zeros(max(0, size) + array.itemsize, np.bool_)
        for at, width in self._stored:
            first = at.astype(np.int64) - start
            for byte in range(width):
                places = first + byte
                touched[places[(places >= 0) & (places < touched.size)]] = True
        return np.lib.stride_tricks.as_strided(touched, array.shape, array.strides)


@dataclass
class Booked:
    """A launch that ran, as calls with other data are compared by it.

    Attributes:
        kernel: Its name.
        what: Bytecode, grid, numbers and the layout of the arrays, as one word.
        bytecode: The kernel.
        grid: Tile blocks.
        args: The arguments in JSON.
        places: Where its arrays are at the candidate: `address` and `strides`.
        before: The arrays' contents.
        after: What the launch left in them.
        written: Which elements it stored to.
        ways: Where the contents came from; None where nobody knows.
        ops: Operations that ran.
    """

    kernel: str
    what: str
    bytecode: bytes
    grid: tuple[int, int, int]
    args: list[Any]
    places: list[dict[str, Any]]
    before: list[Array]
    after: list[Array] = field(default_factory=list[Array])
    written: list[Array] = field(default_factory=list[Array])
    ways: list[AnyWay | None] = field(default_factory=list["AnyWay | None"])
    ops: int = 0


class Device:
    """Runs the launches of one call, and keeps what is known by then.

    Args:
        inputs: The arrays of the call, as the judge made them.
        seconds: CPU time of one launch.
        mode: The interpreter's.
        numbers: What floats mean to it: "floats", or "exact" for elements of a ring.

    Attributes:
        launches: What ran.
        pool: The inputs, and what launches left in arrays to which they stored.
        made: Which elements of the latter launches made.
    """

    def __init__(
        self,
        inputs: Sequence[Array],
        seconds: float = 60,
        mode: str = "strict",
        numbers: Literal["floats", "exact"] = "floats",
    ) -> None:
        self.launches: list[Booked] = []
        self.pool: dict[Place, Array] = {
            ("input", number, 0): np.array(array) for number, array in enumerate(inputs)
        }
        self.made: dict[Place, Array] = {}
        self._seconds, self._mode = seconds, mode
        self._numbers: Literal["floats", "exact"] = numbers

    def known(self) -> dict[Place, Array]:
        """What is known, the youngest first."""
        return dict(reversed(self.pool.items()))

    def launch(self, asked: dict[str, Any], arrays: Sequence[Array]) -> int:
        """Runs a launch of this process, the reference's own; see `hook.Target`."""
        places = [place_of(array) for array in arrays]
        booked = self.run({**asked, "places": places}, [np.array(a) for a in arrays])
        for array, left in zip(arrays, booked.after, strict=True):
            array[...] = left
        return booked.ops

    def run(self, asked: dict[str, Any], arrays: Sequence[Array]) -> Booked:
        """Books a launch and runs it.

        Raises:
            LaunchError: It is malformed, or did what is not allowed.
            LaunchTimeout: It took too long.
        """
        booked = _read(asked, arrays)
        booked.ways = [
            find_way(array, self.known()) or self.mosaic(array, place)
            for array, place in zip(arrays, booked.places, strict=True)
        ]
        return self._book(booked, arrays)

    def mosaic(self, array: Array, place: object) -> Mosaic | None:
        """How launches made an array, each a part of it.

        Args:
            array: The array.
            place: Where the candidate says that it lies: `address` and `strides`.
        """
        spots = [
            (key, there)
            for key, left in self.known().items()
            if key[0] == "launch"
            and left.dtype == array.dtype
            and (there := addresses(self.launches[key[1]].places[key[2]], left))
            is not None
        ]
        own = addresses(place, array)
        return None if own is None else find_mosaic(array, own, spots, self.pool)

    def replay(self, launch: Booked, arrays: Sequence[Array]) -> Booked:
        """Books a launch of another device again, with other contents.

        Raises:
            UserError: It did what is not allowed.
            LaunchTimeout: It took too long.
        """
        booked = replace(launch, before=list(arrays), after=[], written=[])
        return self._book(booked, arrays)

    def _book(self, booked: Booked, arrays: Sequence[Array]) -> Booked:
        self.launches.append(booked)
        views, bound = bind_launch(booked, arrays)
        memory = Watched()
        with time_limit(self._seconds):
            booked.ops = self._interpret(booked, bound, memory)
        booked.after = [np.array(view) for view in views]
        booked.written = [memory.written(view) for view in views]
        self._remember(booked)
        return booked

    def _interpret(self, booked: Booked, args: list[Bound], memory: Watched) -> int:
        report = interp.run(
            load_image(booked.bytecode).program,
            booked.kernel,
            grid=booked.grid,
            args=args,
            memory=memory,
            mode=self._mode,
            limit=MOST_OPS,
            numbers=self._numbers,
        )
        return report.steps

    def _remember(self, booked: Booked) -> None:
        number = len(self.launches) - 1
        for place, array in enumerate(booked.after):
            written = booked.written[place]
            if not written.any():
                continue
            way = booked.ways[place]
            before = (
                None if way is None else way.apply(self.made, array.shape, np.bool_)
            )
            self.pool["launch", number, place] = array
            self.made["launch", number, place] = (
                written if before is None else written | before
            )

    def ignores(
        self, booked: Booked, place: int, other: Array, rng: np.random.Generator
    ) -> bool:
        """Whether a launch does the same whatever one of its arrays had before it.

        Args:
            booked: The launch.
            place: Of the array.
            other: Contents that it has at another time. A kernel could tell a fill from
                an answer of the host, but not this, and half of it alone.
            rng: Draws the halves.
        """
        written = booked.written[place]
        if written.any() and not written.all():
            return False
        own = booked.before[place]
        gap = np.frombuffer(bytes([GAP]) * own.dtype.itemsize, own.dtype)
        half = rng.random(own.shape) < 0.5
        return all(
            self._does_the_same(booked, place, contents)
            for contents in (
                np.full(own.shape, gap[0], own.dtype),
                other,
                np.where(half, own, other),
                np.where(half, other, own),
            )
        )

    def _does_the_same(self, booked: Booked, place: int, contents: Array) -> bool:
        """Whether a launch stores what it did, with other contents of one array."""
        arrays = list(booked.before)
        arrays[place] = contents
        views, bound = bind_launch(booked, arrays)
        with time_limit(self._seconds):
            self._interpret(booked, bound, Watched())
        return all(
            same(np.where(mask, view, 0), np.where(mask, after, 0))
            for view, after, mask in zip(
                views, booked.after, booked.written, strict=True
            )
        )


def bind_launch(
    booked: Booked, arrays: Sequence[Array]
) -> tuple[list[Array], list[Bound]]:
    """Memory with the arrays of a launch, and the entry's arguments.

    Args:
        booked: The launch.
        arrays: The contents.

    Raises:
        UserError: They do not fit.
    """
    views = lay_out(booked.places, arrays)
    types = load_image(booked.bytecode).types(booked.kernel)
    args = [_decode(arg, views) for arg in booked.args]
    flat = flattened(types, args, booked.kernel)
    return views, bind_args(types, flat, kernel=booked.kernel)


def _read(asked: dict[str, Any], arrays: Sequence[Array]) -> Booked:
    """A launch as the candidate's process describes it; nothing of it is believed."""
    try:
        grid = tuple(int(extent) for extent in asked["grid"])
        bytecode = bytes.fromhex(asked["bytecode"])
        args, kernel = list(asked["args"]), str(asked["kernel"])
        layout = [
            (array.dtype.name, array.shape, list(map(int, place["strides"])))
            for array, place in zip(arrays, asked["places"], strict=True)
        ]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise LaunchError(f"expected a launch, got a message with {error!r}") from None
    if len(grid) != 3 or not all(0 < extent < 2**31 for extent in grid):
        raise LaunchError(f"expected a grid of three extents above 0, got {grid}")
    digest = hashlib.sha256(bytecode).hexdigest()
    before = [np.array(array) for array in arrays]
    places = list(asked["places"])
    what = repr((kernel, digest, grid, args, layout, relations(places, arrays)))
    return Booked(kernel, what, bytecode, cast(Any, grid), args, places, before)


def _decode(arg: object, views: Sequence[Array]) -> Any:
    if isinstance(arg, (bool, int, float)):
        return arg
    if not isinstance(arg, dict):
        raise LaunchError(f"expected a number, got {arg!r}")
    facts = cast("dict[str, Any]", arg)
    if "array" in facts:
        return DeviceArray(views[int(facts["array"])])
    kind, items = cast("tuple[str, list[Any]]", next(iter(facts.items())))
    found = [_decode(item, views) for item in items]
    return tuple(found) if kind == "tuple" else found


def _late(*_: object) -> None:
    raise LaunchTimeout


@contextmanager
def _limited(seconds: float) -> Any:
    # Of CPU time: on a busy machine a launch is no slower.
    before = signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


time_limit: Callable[[float], AbstractContextManager[None]] = _limited
"""Ends what it surrounds with `LaunchTimeout`; in the main thread only."""
