# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of a tile that update one place are combined before one update is made.

Places are of one pointer, of an index that is equal along a dimension, or of one that
an `assume` says to be equal in groups. Where the mask leaves out all of a group, the
pointer is to no memory at all, which the emulator would report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from kernel_args import Array
from lowered_levels import lowered_levels
from real_kernels import aligned
from stream_kernels import Stream
from stream_runs import check, emulate, run_everywhere
from update_kernels import UPDATES

import cuda_tile
from cuda_tile import builder as b
from cuda_tile.ir.tiles import elements_of
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.options import Options

pytestmark = pytest.mark.sampled(3)

MODES: dict[str, Any] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "min": np.minimum,
    "umax": np.maximum,
    "umin": np.minimum,
}
TYPES = {"i32": (b.Int32, np.int32), "i64": (b.Int64, np.int64)}
BLOCKS, FAR = 2, 1 << 28
"""Elements from the array to where there is no memory."""
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A tile of updates.

    Attributes:
        shape: The tile's.
        place: By the coordinates of an element, the place that it updates.
        count: Places.
        index: Builds the tile of places.
    """

    shape: Shape
    place: Callable[..., Any]
    count: int
    index: Callable[[Shape], Any]


def along(shape: Shape, dim: int, number: Any) -> Any:
    """A tile of the coordinate along a dimension, changed by `number`."""
    line = [n if d == dim else 1 for d, n in enumerate(shape)]
    return b.broadcast(b.reshape(number(b.iota(shape[dim])), line), list(shape))


def same_in(shape: Shape, dim: int, size: int) -> Any:
    """An index of which an `assume` says that it is equal along a dimension."""
    kept = b.load_ptr_tko(_UNKNOWN[0] + along(shape, dim, lambda i: i // size))[0]
    groups = [size if d == dim else 1 for d in range(len(shape))]
    return b.assume_same_elements(kept, groups)


_UNKNOWN: list[Any] = []
"""The pointer to 0, 1, 2 ..., as a kernel is built."""

CASES = {
    "one place": Case((256,), lambda i: 0 * i, 1, lambda s: b.constant(0, b.Int32, s)),
    "one of a few": Case((4,), lambda i: 0 * i, 1, lambda s: b.constant(0, b.Int32, s)),
    "one of a matrix": Case(
        (4, 64), lambda i, j: 0 * i, 1, lambda s: b.constant(0, b.Int32, list(s))
    ),
    "rows": Case((16, 32), lambda i, j: i, 16, lambda s: along(s, 0, lambda i: i)),
    "columns": Case((32, 16), lambda i, j: j, 16, lambda s: along(s, 1, lambda j: j)),
    "few long rows": Case(
        (2, 512), lambda i, j: 3 * i, 4, lambda s: along(s, 0, lambda i: i * 3)
    ),
    "small tile": Case((2, 4), lambda i, j: i, 2, lambda s: along(s, 0, lambda i: i)),
    "middle": Case(
        (4, 8, 16),
        lambda i, j, k: i * 16 + k,
        64,
        lambda s: along(s, 0, lambda i: i * 16) + along(s, 2, lambda k: k),
    ),
    "pairs": Case((512,), lambda i: i // 2, 256, lambda s: b.iota(s[0]) // 2),
    "quarters": Case((64,), lambda i: i // 16, 4, lambda s: b.iota(s[0]) // 16),
    "both": Case(
        (16, 16),
        lambda i, j: i // 4 * 8 + j // 2,
        32,
        lambda s: along(s, 0, lambda i: i // 4 * 8) + along(s, 1, lambda j: j // 2),
    ),
    "said": Case((128,), lambda i: i // 8, 16, partial(same_in, dim=0, size=8)),
    "said of columns": Case(
        (32, 8), lambda i, j: i // 32 + 0 * j, 1, partial(same_in, dim=0, size=32)
    ),
}
MASKS = ("no mask", "some", "all", "none", "groups")


def kernel(case: Case, mode: str, masked: str, *given: Any) -> None:
    """Updates the places by numbers, some elements left out."""
    values, numbers, out, limit = given
    _UNKNOWN[:] = [numbers]
    shape, size = list(case.shape), int(np.prod(case.shape))
    places = b.reshape(b.get_tile_block_id()[0] * size + b.iota(size), shape)
    value = b.load_ptr_tko(values + places)[0]
    index, mask = case.index(case.shape), None
    if masked == "none":
        index = index + FAR
    if masked == "some":
        mask = b.bitand(value, 3) == 1
    elif masked == "groups":
        mask = b.broadcast(b.reshape(limit, [1] * len(shape)), shape) > index
    elif masked != "no mask":
        mask = b.broadcast(b.reshape(limit, [1] * len(shape)), shape) > 0
    b.atomic_rmw_tko(out + index, mode, value, mask)


def launch(case: Case, mode: str, masked: str, dtype: Any) -> Any:
    """Any bits; and the bits that NumPy makes of the places."""
    random = np.random.default_rng(len(mode) + len(masked))
    size = int(np.prod(case.shape))
    info = np.iinfo(dtype)
    values, out = aligned((BLOCKS * size,), dtype), aligned((case.count,), dtype)
    values[...] = random.integers(info.min, info.max, len(values), dtype, endpoint=True)
    out[...] = random.integers(info.min, info.max, case.count, dtype, endpoint=True)
    numbers = aligned((max(case.shape),), np.int32)
    numbers[...] = np.arange(len(numbers))
    limit = {"none": 0, "groups": case.count // 2}.get(masked, 1)
    place = np.tile(case.place(*np.indices(case.shape)).reshape(-1), BLOCKS)
    chosen = {
        "some": values & 3 == 1,
        "none": np.zeros(len(values), bool),
        "groups": place < limit,
    }.get(masked, np.ones(len(values), bool))
    final: Array = out.copy()
    kind = f"u{final.itemsize}" if mode.startswith("u") else final.dtype
    MODES[mode].at(final.view(kind), place[chosen], values.view(kind)[chosen])
    return (BLOCKS,), [values, numbers, out, np.int32(limit)], {2: final}


def stream(
    name: str, mode: str, masked: str = "no mask", element: str = "i32"
) -> Stream:
    kind, dtype = TYPES[element]
    case = CASES[name]
    return Stream(
        name,
        ([kind], [b.Int32], [kind], b.Int32),
        partial(kernel, case, mode, masked),
        partial(launch, case, mode, masked, dtype),
        tolerance=0,
    )


def updates_of(made: Stream) -> list[int]:
    """Elements of the atomics that are left."""
    planned = cuda_tile.lower(made.module(), "sm_90", until="plan")
    (entry,) = entries(planned.operation)
    return [
        elements_of(op.operands[0])
        for op in nested_ops(entry)
        if op.name == "cuda_tile.atomic_rmw_tko"
    ]


@pytest.mark.parametrize("name", CASES)
def test_one_update_for_each_place(name: str) -> None:
    case = CASES[name]
    places = case.place(*np.indices(case.shape))
    columns = 8 if name == "said of columns" else 1
    assert updates_of(stream(name, "add")) == [len(np.unique(places)) * columns]


@pytest.mark.parametrize(
    ("name", "masked"),
    [
        (name, masked)
        for i, name in enumerate(CASES)
        for j, masked in enumerate(MASKS)
        if (i + j) % 2 == 0
    ],
)
def test_judges_agree(name: str, masked: str) -> None:
    number = list(CASES).index(name) + MASKS.index(masked)
    mode, gpu = list(MODES)[number % len(MODES)], ("sm_80", "sm_90")[number % 2]
    element = ("i32", "i32", "i64")[number % 3]
    made = stream(name, mode, masked, element)
    run_everywhere(made, ("plan", "stage"), Options(gpu=gpu), seeds=1)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str, element: str) -> None:
    """With shuffles and with the instruction that combines all lanes."""
    for name, gpu in (("one place", "sm_75"), ("one of a matrix", "sm_80")):
        emulate(stream(name, mode, "some", element), gpu)


def test_levels() -> None:
    made = stream("both", "umin", "some")
    for last, lowered in lowered_levels(made.module(), "sm_90"):
        grid, args, wanted = made.launch()
        cuda_tile.run(lowered, grid=grid, args=args)
        check(made, args, wanted, f"after {last}")


@pytest.mark.parametrize("warps", [1, 2, 8])
@pytest.mark.parametrize("name", ["one of a few", "small tile", "rows", "both"])
def test_any_number_of_warps(name: str, warps: int) -> None:
    """Also where threads have copies of elements, of which each counts once."""
    made = stream(name, "add", "some")
    options = Options(gpu="sm_80", num_warps=warps)
    run_everywhere(made, ("stage",), options, seeds=1)


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("made", UPDATES, ids=lambda made: made.name)
def test_measured_kernels(made: Stream, gpu: str) -> None:
    run_everywhere(made, ("plan", "stage"), Options(gpu=gpu), seeds=1)


def _kept(order: str, mode: str, *, is_used: bool, values: Any, out: Any) -> None:
    value = b.load_ptr_tko(values + b.iota(64))[0]
    where = b.broadcast(b.reshape(out, [1]), [64])
    old, _ = b.atomic_rmw_tko(where, mode, value, memory_ordering_semantics=order)
    if is_used:
        b.store_ptr_tko(values + b.iota(64), old)


@pytest.mark.parametrize(
    ("order", "mode", "is_used", "kind"),
    [
        ("relaxed", "xchg", False, b.Int32),
        ("relaxed", "addf", False, b.Float32),
        ("release", "add", False, b.Int32),
        ("acquire", "add", False, b.Int32),
        ("relaxed", "add", True, b.Int32),
    ],
)
def test_what_stays(order: str, mode: str, is_used: bool, kind: Any) -> None:
    def body(values: Any, out: Any) -> None:
        _kept(order, mode, is_used=is_used, values=values, out=out)

    made = Stream("kept", ([kind], [kind]), body, lambda: ((1,), [], {}))
    assert updates_of(made) == [64]
