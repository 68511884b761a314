# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics: modes, duplicates, masks, orderings, reductions through views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, Val, tile_of
from interp_harness import DTYPES, bits

from cuda_tile import interp
from cuda_tile.interp import InterpError

RELAXED: dict[str, Any] = {
    "memory_ordering_semantics": "relaxed",
    "memory_scope": "device",
}


def rmw(
    k: Kernel,
    pointers: Val,
    mode: str,
    arg: Val,
    mask: list[Val] | None = None,
    token: list[Val] | None = None,
    **kw: Any,
) -> tuple[Val, Val]:
    return k.op(
        "atomic_rmw_tko",
        [pointers],
        [arg],
        mask or [],
        token or [],
        results=(arg.type, TOKEN),
        mode=mode,
        **(RELAXED | kw),
    )


INTEGER = {
    "add": lambda a, b: a + b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "max": np.maximum,
    "min": np.minimum,
    "umax": lambda a, b: np.where(a.astype(np.uint64) > b.astype(np.uint64), a, b),
    "umin": lambda a, b: np.where(a.astype(np.uint64) < b.astype(np.uint64), a, b),
    "xchg": lambda a, b: b,
}


@pytest.mark.parametrize("mode", INTEGER)
@pytest.mark.parametrize("kind", ["i32", "i64"])
def test_integer_modes(mode: str, kind: str) -> None:
    rng = np.random.default_rng(1)
    info = np.iinfo(DTYPES[kind])
    memory, arg = (rng.integers(info.min, info.max, 16, DTYPES[kind]) for _ in "ab")
    k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
    old, _ = rmw(k, k.at(k.parameters[0], np.arange(16)), mode, k.constant(arg, kind))
    k.output(k.parameters[1], old)
    before, out = memory.copy(), np.zeros_like(memory)
    k.run(memory, out)
    assert out.tolist() == before.tolist()
    with np.errstate(over="ignore"):
        assert memory.tolist() == INTEGER[mode](before, arg).tolist()


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_float_addition_rounds_to_nearest_even(kind: str) -> None:
    rng = np.random.default_rng(2)
    memory, arg = (rng.standard_normal(16).astype(DTYPES[kind]) for _ in "ab")
    k = Kernel(f"ptr<{kind}>")
    rmw(k, k.at(k.parameters[0], np.arange(16)), "addf", k.constant(arg, kind))
    expected = memory + arg
    k.run(memory)
    assert bits(memory).tolist() == bits(expected).tolist()


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_duplicates_take_turns(seed: int | None) -> None:
    k = Kernel("ptr<i32>", "ptr<i32>")
    places = np.array([0, 0, 1, 0, 1, 0, 0, 0])
    ones = k.constant(np.ones(8), "i32")
    old, _ = rmw(k, k.at(k.parameters[0], places), "add", ones)
    k.output(k.parameters[1], old)
    memory, out = np.zeros(2, np.int32), np.zeros(8, np.int32)
    k.run(memory, out, seed=seed)
    assert memory.tolist() == [6, 2]
    assert sorted(out[places == 0].tolist()) == list(range(6))
    assert sorted(out[places == 1].tolist()) == [0, 1]
    if seed is None:
        assert out.tolist() == [0, 1, 0, 2, 1, 3, 4, 5]


def test_the_order_of_duplicates_is_open() -> None:
    """Each seed takes one of the orders, of an atomic and of a store that is one."""
    k = Kernel("ptr<i32>", "ptr<i32>", "ptr<i32>")
    same = k.at(k.parameters[0], np.zeros(8, np.int32))
    old, _ = rmw(k, same, "add", k.constant(np.ones(8), "i32"))
    k.output(k.parameters[1], old)
    last = k.at(k.parameters[2], np.zeros(8, np.int32))
    k.store(last, k.constant(np.arange(8), "i32"), None, "relaxed",
            memory_scope="device")  # fmt: skip
    orders, winners = set[tuple[int, ...]](), set[int]()
    for seed in range(8):
        out, winner = np.zeros(8, np.int32), np.full(1, -1, np.int32)
        k.run(np.zeros(1, np.int32), out, winner, seed=seed)
        assert sorted(out.tolist()) == list(range(8))
        orders.add(tuple(out.tolist()))
        winners.add(int(winner[0]))
    assert len(orders) > 4
    assert len(winners) > 2
    assert winners <= {*range(8)}


def masked(op: str, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Element 1 of two is masked off, and its pointer is null."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    good = k.op("ptr_to_int", k.parameters[0], results=(tile_of("i64"),))
    wide = k.op("reshape", good, results=(tile_of("i64", 1),))
    both = k.op(
        "cat", wide, k.constant([0], "i64"), results=(tile_of("i64", 2),), dim=0
    )
    at = k.op("int_to_ptr", both, results=(tile_of("ptr<i32>", 2),))
    mask = k.constant([True, False], "i1")
    arg = k.constant([5, 6], "i32")
    if op == "rmw":
        old, _ = rmw(k, at, "add", arg, [mask])
    else:
        cmp = k.constant([7, 8], "i32")
        old, _ = k.op(
            "atomic_cas_tko",
            [at],
            [cmp],
            [arg],
            [mask],
            [],
            results=(tile_of("i32", 2), TOKEN),
            **RELAXED,
        )
    k.output(k.parameters[1], old)
    memory, out = np.full(1, 7, np.int32), np.zeros(2, np.int32)
    k.run(memory, out, **options)
    return memory, out


def test_masked_elements() -> None:
    memory, out = masked("cas")
    assert (memory.tolist(), out.tolist()) == ([5], [7, 8])
    with pytest.raises(InterpError, match="the stored value is unspecified"):
        masked("rmw")
    memory, out = masked("rmw", mode="permissive")
    assert (memory.tolist(), out[0]) == ([12], 7)
    assert out.view(np.uint32)[1] == 0xAAAAAAAA  # a pattern, no plausible number


@pytest.mark.parametrize(
    ("memory", "cmp", "stored"),
    [(0.0, -0.0, False), (0.0, 0.0, True), (np.nan, np.nan, True), (1.0, 2.0, False)],
)
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_cas_compares_bits(memory: float, cmp: float, stored: bool, kind: str) -> None:
    k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
    old, _ = k.op(
        "atomic_cas_tko",
        [k.parameters[0]],
        [k.constant(cmp, kind)],
        [k.constant(9.0, kind)],
        [],
        [],
        results=(tile_of(kind), TOKEN),
        **RELAXED,
    )
    k.output(k.parameters[1], old)
    array, out = (np.full(1, x, DTYPES[kind]) for x in (memory, 5.0))
    before = bits(array).copy()
    k.run(array, out)
    assert bits(out) == before
    assert (array[0] == 9.0) is np.bool_(stored)


@pytest.mark.parametrize("mode", ["add", "max", "umin", "xor"])
@pytest.mark.parametrize("steps", [None, (4,)])
def test_reductions_through_views(mode: str, steps: tuple[int] | None) -> None:
    k = Kernel("ptr<i32>")
    value = np.array([3, -4, 5, 6, -7, 8, 9, 10], np.int32)
    view, _ = k.view(k.parameters[0], (13,), (8,), steps=steps)
    k.op(
        "atomic_red_view_tko",
        [view],
        [k.constant(1, "i32")],
        [k.constant(value, "i32")],
        [],
        results=(TOKEN,),
        mode=mode,
        **RELAXED,
    )
    start = 8 if steps is None else 4
    memory = np.arange(13, dtype=np.int32) - 6
    expected = memory.copy()
    count = min(8, 13 - start)
    part = expected[start : start + count]
    part[...] = INTEGER[mode](part.copy(), value[:count])
    k.run(memory)
    assert memory.tolist() == expected.tolist()


def test_blocks_of_a_histogram_do_not_race() -> None:
    k = Kernel("ptr<i32>", "ptr<i32>")
    x, _, _ = k.op("get_tile_block_id", results=(tile_of("i32"),) * 3)
    view, _ = k.view(k.parameters[0], (256,), (32,))
    values, _ = k.load_view(view, [x])
    rmw(
        k,
        k.at(k.parameters[1], values),
        "add",
        k.constant(np.ones(32), "i32"),
    )
    data = np.random.default_rng(3).integers(0, 10, 256).astype(np.int32)
    counts = np.zeros(10, np.int32)
    k.run(data, counts, grid=(8,))
    assert counts.tolist() == np.bincount(data, minlength=10).tolist()
    report = interp.shuffle_check(k.program(), grid=(8,), args=[data, counts])
    assert report
    assert str(report) == "the same under 8 seeds"
