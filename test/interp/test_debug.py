# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The debugger, and the check that shuffles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, tile_of

from cuda_tile import interp
from cuda_tile.errors import UserError
from cuda_tile.interp import Debugger, shuffle_check
from cuda_tile.interp.predicates import Bounded

I32 = tile_of("i32")


def powers() -> Kernel:
    """out[block] = 2 ** n by a loop."""
    k = Kernel("ptr<i32>", "i32")
    x = k.op("get_tile_block_id", results=(I32,) * 3)[0]
    zero, one = k.constant(0, "i32"), k.constant(1, "i32")
    with k.region(I32, I32) as body:
        value = body.arguments[1]
        k.op("continue", k.op("addi", value, value, results=(I32,)))
    total = k.op(
        "for", zero, k.parameters[1], one, one, results=(I32,), regions=(body,)
    )
    k.store(k.at(k.parameters[0], x), total)
    return k


@pytest.mark.parametrize("seed", [None, 1])
def test_stops_after_an_op(seed: int | None) -> None:
    out = np.zeros(2, np.int32)
    debugger = Debugger(powers().program(), grid=(2,), args=[out, 3], seed=seed)
    debugger.break_at("addi")
    debugger.only_in((1, 0, 0))
    seen: list[int] = []
    while stop := debugger.run():
        assert stop.block_id == (1, 0, 0)
        assert stop.op.name == "addi"
        assert stop.operand(0).shape == ()
        assert int(stop.operand(1)) * 2 == int(stop.result())
        assert not stop.unspecified().any()
        seen.append(int(stop.result()))
    assert seen == [2, 4, 8]
    assert out.tolist() == [8, 8]
    assert debugger.report.block_count == 2


def test_stops_at_a_location_and_steps() -> None:
    program = powers().program()
    where = program.entries["k"].body.ops[-2].location
    debugger = Debugger(program, grid=(1,), args=[np.zeros(1, np.int32), 2])
    debugger.break_at(where)
    stop = debugger.run()
    assert stop is not None
    assert (stop.op.name, stop.location) == ("store_ptr_tko", where)
    assert "store_ptr_tko -> token after 1 access" in stop.describe()
    stop = debugger.step()
    assert stop is not None
    assert stop.op.name == "return"
    with pytest.raises(UserError, match="expected a launch that has ended"):
        _ = debugger.report
    assert debugger.step() is None
    assert debugger.report.steps > 0


def test_what_is_not_there() -> None:
    debugger = Debugger(powers().program(), grid=(1,), args=[np.zeros(1, np.int32), 2])
    with pytest.raises(UserError, match="got 'mulf'; the kernel has addi, constant"):
        debugger.break_at("mulf")
    debugger.break_at(lambda op: op.name == "offset")
    stop = debugger.run()
    assert stop is not None
    with pytest.raises(UserError, match="expected result 0 to 0 of 'offset', got 1"):
        stop.result(1)
    debugger.break_at("store_ptr_tko")
    stop = debugger.run()
    assert stop is not None
    with pytest.raises(UserError, match="of 'store_ptr_tko' that is a tile, got 0"):
        stop.unspecified()


@pytest.mark.parametrize(
    ("where", "stops"),
    [
        ("dir/some.py:12:3", True),
        ("some.py:12:3", True),
        ("some.py:12", True),
        ("dir/some.py:12", True),
        ("dir/some.py", True),
        ("some.py:1", False),
        ("ome.py:12", False),
        ("12", False),
        ("3", False),
        ("some.py:12:", False),
        ("", False),
    ],
)
def test_what_a_location_names(where: str, stops: bool) -> None:
    program = powers().program()
    for op in program.entries["k"].body.ops:
        op.location = "dir/some.py:12:3"
    debugger = Debugger(program, grid=(1,), args=[np.zeros(1, np.int32), 2])
    if stops:
        debugger.break_at(where)
        assert debugger.run() is not None
        return
    has = "dir/some.py:12" if ":" in where else "addi, constant"
    with pytest.raises(UserError, match=f"got '{where}'; the kernel has {has}"):
        debugger.break_at(where)


def float_sum() -> Kernel:
    k = Kernel("ptr<f32>", "ptr<f32>")
    view, _ = k.view(k.parameters[0], (64,), (64,))
    x, _ = k.load_view(view, [k.constant(0, "i32")])
    f32 = tile_of("f32")
    with k.region(f32, f32) as body:
        k.op("yield", k.op("addf", *body.arguments, results=(f32,)))
    total = k.op(
        "reduce",
        x,
        results=(f32,),
        regions=(body,),
        dim=0,
        identities=[np.float32(0)],
    )
    k.store(k.parameters[1], total)
    return k


def test_sums_of_floats_change_in_their_last_bits() -> None:
    a = np.random.default_rng(1).standard_normal(64).astype(np.float32)
    out = np.zeros(1, np.float32)
    program = float_sum().program()
    report = shuffle_check(program, grid=(1,), args=[a, out])
    assert not report
    assert report.changes[0].argument == "1"
    assert "argument 1: 1 elements differ, most at [0]" in str(report)
    first = out.copy()
    # Six levels of pairs in either order.
    bound = 2 * 6 * 2.0**-24 * float(np.abs(a).sum())
    assert shuffle_check(program, grid=(1,), args=[a, out], atol=bound)
    assert out == first


@pytest.mark.parametrize("options", [{"seeds": 0}, {"seeds": []}, {"seed": 1}])
def test_a_comparison_needs_seeds(options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="expected one seed or more, as seeds, got"):
        shuffle_check(float_sum().program(), grid=(1,), args=[], **options)


@pytest.mark.parametrize("ordered", [True, False])
def test_a_store_that_no_token_orders(ordered: bool) -> None:
    k = Kernel("ptr<i32>")
    token = k.store(k.parameters[0], k.constant(1, "i32"))
    k.store(k.parameters[0], k.constant(2, "i32"), token if ordered else None)
    out = np.zeros(1, np.int32)
    args: dict[str, Any] = {"grid": (1,), "args": [out], "mode": "permissive"}
    report = shuffle_check(k.program(), seeds=range(16), **args)
    assert bool(report) is ordered
    assert out[0] == 2
    if not ordered:
        with pytest.raises(interp.InterpError, match="no token orders the two"):
            k.run(out)


def test_joined_tokens_keep_their_order() -> None:
    k = Kernel("ptr<i32>", "ptr<i32>")
    first = k.store(k.parameters[0], k.constant(1, "i32"))
    second = k.store(k.parameters[1], k.constant(2, "i32"))
    both = k.op("join_tokens", first, second, results=(TOKEN,))
    values = [k.load(p, both)[0] for p in k.parameters]
    total = k.op("addi", *values, results=(I32,))
    after = k.op("memory_fence_alias_tko", both, results=(TOKEN,))
    after = k.op("gdc_wait_tko", after, results=(TOKEN,))
    tokens = k.op("gdc_launch_dependents_tko", after, results=(TOKEN,))
    k.store(k.at(k.parameters[1], 1), total, tokens)
    args = [np.zeros(1, np.int32), np.zeros(2, np.int32)]
    assert shuffle_check(k.program(), seeds=16, grid=(1,), args=args)
    assert args[1][1] == 3


def tickets(*, assumed: bool = False) -> Kernel:
    """Each block stores the number it draws; assumed to be its id."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    old, _ = k.op(
        "atomic_rmw_tko",
        [k.parameters[0]],
        [k.constant(1, "i32")],
        [],
        [],
        results=(I32, TOKEN),
        mode="add",
        memory_ordering_semantics="relaxed",
        memory_scope="device",
    )
    x = k.op("get_tile_block_id", results=(I32,) * 3)[0]
    if assumed:
        distance = k.op("subi", old, x, results=(I32,))
        k.op("assume", distance, results=(I32,), predicate=Bounded(0, 0))
    k.store(k.at(k.parameters[1], x), old)
    return k


def test_a_result_that_depends_on_the_order_of_blocks() -> None:
    args = [np.zeros(1, np.int32), np.zeros(8, np.int32)]
    report = shuffle_check(tickets().program(), grid=(8,), args=args)
    assert {change.argument for change in report.changes} == {"1"}
    assert args[1].tolist() == list(range(8))


def test_failures_under_a_seed_are_reported() -> None:
    args = [np.zeros(1, np.int32), np.zeros(8, np.int32)]
    report = shuffle_check(tickets(assumed=True).program(), grid=(8,), args=args)
    assert not report
    assert report.failures
    assert "assumed bounded<0, 0>" in str(report)


def test_a_stop_shows_itself() -> None:
    debugger = Debugger(powers().program(), grid=1, args=[np.zeros(1, np.int32), 2])
    with pytest.raises(UserError, match="expected the name or location"):
        debugger.break_at("")
    debugger.break_at("addi")
    stop = debugger.run()
    assert repr(stop).startswith("<tile block (0, 0, 0) after test.py:")
    assert repr(stop).endswith(": addi -> tile<i32>: 2>")
