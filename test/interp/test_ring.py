# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rings, copies that land late, pending products: what is right, and what is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import kernel

from cuda_tile import interp
from cuda_tile.interp import InterpError

FLAT = "#cute.layout<(1@1, 2@1, 1@0, 2@0)>"
BUFFER = f"!tileas.buffer<4x4xf32, {FLAT}>"
TENSOR = "tensor_view<4x64xf32, strides=[64,1]>"
VIEW = f"partition_view<tile=(4x4), {TENSOR}>"
TILE = "tile<4x4xf32>"
RING = f"!tileas.ring<2, {BUFFER}>"
PARAMETERS = "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>"
SEEDS = (None, 0, 1, 2, 3)


def start(sync: str = "groups", drain: str = "threads") -> str:
    numbers = "".join(f"%c{n} = constant <i32: {n}> : tile<i32>\n" for n in range(5))
    return f"""
      {numbers}
      %t = make_tensor_view %p, shape = [4, 64], strides = [64, 1] : {TENSOR}
      %v = make_partition_view %t : {VIEW}
      %u = make_tensor_view %q, shape = [4, 64], strides = [64, 1] : {TENSOR}
      %w = make_partition_view %u : {VIEW}
      %r = tileas.ring fill = "cp_async" drain = "{drain}" sync = "{sync}" : {RING}
    """


def fill(iteration: int, *, publish: bool = True) -> str:
    text = f"""
      %a{iteration} = tileas.acquire %r[%c{iteration}] : {RING}
      %ta{iteration} = tileas.copy_in %v[%c0, %c{iteration}] to %a{iteration}
        engine = "cp_async" : {VIEW}[tile<i32>, tile<i32>] to {BUFFER}
    """
    return text + (f"tileas.publish %r[%c{iteration}] : {RING}\n" if publish else "")


def take(iteration: int, groups: int | None = None) -> str:
    count = "" if groups is None else f" groups = {groups}"
    return f"%b{iteration} = tileas.take %r[%c{iteration}]{count} : {RING}\n"


def read(iteration: int, buffer: str = "b") -> str:
    return f"""
      %x{iteration} = tileas.load_shared %{buffer}{iteration}[0, 0]
        : {BUFFER} -> !cuda_tile.{TILE}
      %s{iteration} = store_view_tko weak %x{iteration}, %w[%c0, %c{iteration}]
        : {TILE}, {VIEW}, tile<i32> -> token
    """


def release(iteration: int, after: str = "") -> str:
    return f"tileas.release %r[%c{iteration}]{after} : {RING}\n"


def launch(body: str, **options: Any) -> np.ndarray[Any, Any]:
    """What the kernel made of the numbers 0, 1, 2 ..."""
    a = np.arange(256, dtype=np.float32)
    out = np.zeros(256, np.float32)
    interp.run(kernel(PARAMETERS, body), grid=(1,), args=[a, out], **options)
    return out.reshape(4, 64)


def expected(iterations: int) -> np.ndarray[Any, Any]:
    out = np.zeros((4, 64), np.float32)
    columns = 4 * iterations
    out[:, :columns] = np.arange(256, dtype=np.float32).reshape(4, 64)[:, :columns]
    return out


@pytest.mark.parametrize("sync", ["groups", "mbarriers"])
@pytest.mark.parametrize("seed", SEEDS)
def test_iterations_are_handed_on(sync: str, seed: int | None) -> None:
    count = 1 if sync == "groups" else None
    body = (
        start(sync)
        + fill(0)
        + fill(1)
        + (take(0, count) + read(0) + release(0))
        + fill(2)
        + (take(1, count) + read(1) + release(1))
        + (take(2) + read(2) + release(2))
    )
    assert np.array_equal(launch(body, seed=seed), expected(3))


WRONG = {
    "take before publish": (
        start() + take(0) + fill(0),
        "waits for ever: take of iteration 0 needs the publish of iteration 0",
    ),
    "a take of another iteration": (
        start() + fill(0) + fill(1) + take(1),
        "expected iteration 0, the next one to take, got iteration 1",
    ),
    "no slot is free": (
        start() + fill(0) + fill(1) + fill(2),
        "acquire of iteration 2 needs the release of iteration 0",
    ),
    "a release that nobody took": (
        start() + fill(0) + release(0),
        "release of iteration 0 needs the take of iteration 0",
    ),
    "an iteration twice": (
        start() + fill(0) + take(0) + release(0) + release(0),
        "expected iteration 1, the next one to release, got iteration 0",
    ),
    "read before the take": (
        start() + fill(0) + read(0, "a") + take(0),
        "reads the slot of iteration 0 after its publish",
    ),
    "read after the release": (
        start() + fill(0) + take(0) + release(0) + read(0),
        "reads the slot of iteration 0 after its release",
    ),
    "a copy behind the publish": (
        start()
        + f"%a0 = tileas.acquire %r[%c0] : {RING}\ntileas.publish %r[%c0] : {RING}\n"
        + fill(0, publish=False).split(RING)[1],
        "writes the slot of iteration 0 after its publish",
    ),
    "too many groups may be in flight": (
        start() + fill(0) + fill(1) + take(0, 2) + read(0),
        "waits for all but 2 groups, and what 'tileas.copy_in'",
    ),
    "never taken": (
        start() + fill(0) + fill(1) + take(0) + read(0) + release(0),
        "the copy into iteration 1 is never waited for",
    ),
    "a slot that nobody filled": (
        start()
        + f"%a0 = tileas.acquire %r[%c0] : {RING}\ntileas.publish %r[%c0] : {RING}\n"
        + (take(0) + read(0)),
        "the stored value is unspecified",
    ),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("seed", [None, 1])
def test_what_is_wrong_is_found(name: str, seed: int | None) -> None:
    body, message = WRONG[name]
    with pytest.raises(InterpError, match=message):
        launch(body, seed=seed)


def test_a_copy_lands_late() -> None:
    """What the program changes before the take is what the copy reads."""
    body = start() + fill(0) + f"%one = constant <f32: 1.0> : {TILE}\n"
    body += f"""
      %st = store_view_tko weak %one, %v[%c0, %c0] token = %ta0
        : {TILE}, {VIEW}, tile<i32> -> token
    """
    out = launch(body + take(0) + read(0) + release(0))
    assert out[:, :4].tolist() == np.ones((4, 4)).tolist()


def test_a_copy_to_another_buffer_is_done_at_once() -> None:
    body = (
        start()
        + f"""
      %a0 = tileas.alloc_shared : {BUFFER}
      %ta0 = tileas.copy_in %v[%c0, %c0] to %a0 engine = "cp_async"
        : {VIEW}[tile<i32>, tile<i32>] to {BUFFER}
    """
    )
    assert np.array_equal(launch(body + read(0, "a")), expected(1))


GATHER = f"""
      %i = iota : tile<4xi32>
      %ir = reshape %i : tile<4xi32> -> tile<1x4xi32>
      %ib = broadcast %ir : tile<1x4xi32> -> tile<4x4xi32>
      %pr = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
      %pb = broadcast %pr : tile<1x1xptr<f32>> -> tile<4x4xptr<f32>>
      %ps = offset %pb, %ib
        : tile<4x4xptr<f32>>, tile<4x4xi32> -> tile<4x4xptr<f32>>
      %two = constant <i32: 2> : tile<4x4xi32>
      %m = cmpi less_than %ib, %two, signed : tile<4x4xi32> -> tile<4x4xi1>
      %a0 = tileas.acquire %r[%c0] : {RING}
      %ta0 = tileas.gather_in %ps mask(%m : tile<4x4xi1>) to %a0
        : tile<4x4xptr<f32>> to {BUFFER}
      tileas.publish %r[%c0] : {RING}
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_mask_excludes_is_zero(seed: int | None) -> None:
    out = launch(start() + GATHER + take(0) + read(0) + release(0), seed=seed)
    assert out[:, :4].tolist() == [[0, 1, 0, 0]] * 4


TRANSPOSED = "!tileas.buffer<8x2xf32, #cute.layout<(1@0, 2@0, 4@0, 1@1)>>"


def test_reinterpreted_bytes_stay_where_they_are() -> None:
    """Offset o is element (o / 4, o % 4) of the one, (o % 8, o / 8) of the other."""
    body = (
        start()
        + fill(0)
        + take(0)
        + f"""
      %e = tileas.reinterpret %b0 : {BUFFER} -> {TRANSPOSED}
      %y = tileas.load_shared %e[0, 0] : {TRANSPOSED} -> !cuda_tile.tile<8x2xf32>
      %x = permute %y [1, 0] : tile<8x2xf32> -> tile<2x8xf32>
      %z = reshape %x : tile<2x8xf32> -> {TILE}
      %s = store_view_tko weak %z, %w[%c0, %c0] : {TILE}, {VIEW}, tile<i32> -> token
    """
    )
    assert np.array_equal(launch(body + release(0)), expected(1))


COPY_OUT = f"""
      %a0 = tileas.alloc_shared : {BUFFER}
      %one = constant <f32: 1.0> : {TILE}
      %two = constant <f32: 2.0> : {TILE}
      tileas.store_shared %one, %a0 : !cuda_tile.{TILE}, {BUFFER}
      %s = tileas.copy_out %a0 to %w[%c0, %c0] engine = "tma"
        : {BUFFER} to {VIEW}[tile<i32>, tile<i32>]
"""


def _overwrite(before: str, after: str) -> str:
    store = f"tileas.store_shared %two, %a0 : !cuda_tile.{TILE}, {BUFFER}\n"
    return start() + COPY_OUT + before + store + after


@pytest.mark.parametrize("seed", SEEDS)
def test_a_store_from_a_buffer_reads_it_until_it_is_awaited(seed: int | None) -> None:
    out = launch(_overwrite("tileas.await_copies read\n", ""), seed=seed)
    assert out[:, :4].tolist() == np.ones((4, 4)).tolist()


def test_a_buffer_that_is_overwritten_too_early() -> None:
    out = launch(_overwrite("", "tileas.await_copies read\n"))
    assert out[:, :4].tolist() == np.full((4, 4), 2).tolist()


def test_a_store_that_nobody_awaits() -> None:
    with pytest.raises(InterpError, match="still reads its buffer when the kernel"):
        launch(start() + COPY_OUT)


HALF = "#cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>"
NARROW = "#cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>"
LEFT = f"!tileas.buffer<64x16xf16, {HALF}>"
RIGHT = f"!tileas.buffer<16x8xf16, {NARROW}>"
PENDING = "!tileas.pending<tile<64x8xf32>>"
OPERANDS = f"!tileas.ring<2, {LEFT}, {RIGHT}>"
SUM = "partition_view<tile=(64x8), tensor_view<64x8xf32, strides=[8,1]>>"


def product(after: str, await_: str = "tileas.await %q2") -> str:
    """Two products in a row of ones, two iterations of a ring; `after` is their end."""
    iterations = "".join(
        f"""
      %l{n}, %m{n} = tileas.acquire %r[%c{n}] : {OPERANDS}
      tileas.store_shared %ones, %l{n} : !cuda_tile.tile<64x16xf16>, {LEFT}
      tileas.store_shared %more, %m{n} : !cuda_tile.tile<16x8xf16>, {RIGHT}
      tileas.publish %r[%c{n}] : {OPERANDS}
      %x{n}, %y{n} = tileas.take %r[%c{n}] : {OPERANDS}
      %q{n + 1} = tileas.wgmma %x{n}, %y{n}, %q{n} atom = "m64n8k16"
        : {LEFT}, {RIGHT}, {PENDING}
    """
        for n in range(2)
    )
    return f"""
      %c0 = constant <i32: 0> : tile<i32>
      %c1 = constant <i32: 1> : tile<i32>
      %u = make_tensor_view %q, shape = [64, 8], strides = [8, 1]
        : tensor_view<64x8xf32, strides=[8,1]>
      %w = make_partition_view %u : {SUM}
      %r = tileas.ring fill = "threads" drain = "wgmma" sync = "mbarriers" : {OPERANDS}
      %ones = constant <f16: 1.0> : tile<64x16xf16>
      %more = constant <f16: 2.0> : tile<16x8xf16>
      %zero = constant <f32: 0.0> : tile<64x8xf32>
      %q0 = tileas.settled %zero : tile<64x8xf32>
      {iterations}
      {after}
      %z = {await_} : {PENDING}
      %s = store_view_tko weak %z, %w[%c0, %c0]
        : tile<64x8xf32>, {SUM}, tile<i32> -> token
    """


def _sum(body: str, seed: int | None) -> np.ndarray[Any, Any]:
    out = np.zeros(512, np.float32)
    interp.run(kernel("%q: tile<ptr<f32>>", body), grid=(1,), args=[out], seed=seed)
    return out


@pytest.mark.parametrize("seed", SEEDS)
def test_products_run_when_they_are_awaited(seed: int | None) -> None:
    done = f"tileas.release %r[%c0] after(%q1 : {PENDING}) groups = 1 : {OPERANDS}\n"
    assert (_sum(product(done, "tileas.await %q2 groups = 0"), seed) == 64).all()


def test_a_release_before_the_product_is_done() -> None:
    with pytest.raises(
        InterpError, match="reads the slot of iteration 0 after its release"
    ):
        _sum(product(f"tileas.release %r[%c0] : {OPERANDS}\n"), None)


def test_an_await_that_does_not_cover_its_product() -> None:
    with pytest.raises(InterpError, match="waits for all but 1 groups, and what 'til"):
        _sum(product("", "tileas.await %q2 groups = 1"), None)
