# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic updates of shared places: each mode, type, scope and order against NumPy."""

from __future__ import annotations

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from stream_kernels import Stream

import cuda_tile
from cuda_tile import builder as b

pytestmark = pytest.mark.sampled(3)

INTEGER_MODES: dict[str, Any] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "min": np.minimum,
    "umax": np.maximum,
    "umin": np.minimum,
}
TYPES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "i32": (b.Int32, np.int32, INTEGER_MODES),
    "i64": (b.Int64, np.int64, INTEGER_MODES),
    "f16": (b.Float16, np.float16, {"addf": np.add}),
    "bf16": (b.BFloat16, ml_dtypes.bfloat16, {"addf": np.add}),
    "f32": (b.Float32, np.float32, {"addf": np.add}),
    "f64": (b.Float64, np.float64, {"addf": np.add}),
}
SIZE, PLACES = 256, 24
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
KEPT = 3
"""Every third old value is used by a store of its own."""


def kernel(element: str, scope: str, order: str, *given: Any) -> None:
    """Updates an array for each mode; the old values of some modes are stored."""
    index, values, kept, *arrays = given
    places = b.get_tile_block_id()[0] * SIZE + b.iota(SIZE)
    where = b.load_ptr_tko(index + places)[0]
    value = b.load_ptr_tko(values + places)[0]
    mask = where != PLACES
    for number, (mode, array) in enumerate(zip(TYPES[element][2], arrays, strict=True)):
        where_to = array + where
        old, _ = b.atomic_rmw_tko(
            where_to,
            mode,
            value,
            mask,
            memory_ordering_semantics=order,
            memory_scope=scope,
        )
        if number % KEPT == KEPT - 1:
            b.store_ptr_tko(kept + places, old, mask)


def launch(element: str, blocks: int) -> Any:
    """Random places, of which the last one is masked; bits, or small whole numbers."""
    _, dtype, modes = TYPES[element]
    random = np.random.default_rng(len(element) + blocks)
    count = SIZE * blocks
    index = random.integers(0, PLACES + 1, count).astype(np.int32)

    def numbers(n: int) -> Any:
        if modes is INTEGER_MODES:
            info = np.iinfo(dtype)
            return random.integers(info.min, info.max, n, dtype, endpoint=True)
        return random.integers(-2, 3, n).astype(dtype)

    values, kept = numbers(count), np.zeros(count, dtype)
    arrays = [numbers(PLACES) for _ in modes]
    wanted: dict[int, Any] = {}
    for place, ((mode, function), array) in enumerate(
        zip(modes.items(), arrays, strict=True)
    ):
        final, chosen = array.copy(), index != PLACES
        view = f"u{final.itemsize}" if mode in ("umax", "umin") else final.dtype
        function.at(final.view(view), index[chosen], values[chosen].view(view))
        wanted[3 + place] = final
    return (blocks,), [index, values, kept, *arrays], wanted


@pytest.mark.parametrize("scope", ["tl_blk", "device", "sys"])
@pytest.mark.parametrize("element", TYPES)
def test_updates_are_those_of_numpy(element: str, scope: str) -> None:
    kind, _, modes = TYPES[element]
    blocks = 1 if scope == "tl_blk" else 3  # its updates are of one block
    number = list(TYPES).index(element) + len(scope)
    order, gpu = ORDERS[number % 4], ("sm_80", "sm_90")[number % 2]
    stream = Stream(
        "updates",
        ([b.Int32], *(([kind],) * (2 + len(modes)))),
        partial(kernel, element, scope, order),
        partial(launch, element, blocks),
        tolerance=0,
    )
    compiled = cuda_tile.compile(stream.module(), gpu, cubin=False)
    for seed in range(2):
        grid, args, wanted = stream.launch()
        run: dict[str, Any] = {
            "on": "emulator",
            "gpu": gpu,
            "mode": "adversarial",
            "seed": seed,
        }
        cuda_tile.run(stream.module(), grid=grid, args=args, compiled=compiled, **run)
        for place, exact in wanted.items():
            np.testing.assert_array_equal(args[place], exact)
