# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile blocks that wait for each other, and conflicts between blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, Val, tile_of

from cuda_tile.interp import InterpError

I1, I32 = tile_of("i1"), tile_of("i32")
SEEDS = [None, 0, 1, 2]


def block_id(k: Kernel) -> Val:
    return k.op("get_tile_block_id", results=(I32,) * 3)[0]


def compare(k: Kernel, predicate: str, a: Val, b: Val) -> Val:
    return k.op(
        "cmpi",
        a,
        b,
        results=(I1,),
        comparison_predicate=predicate,
        signedness="signed",
    )


def spin_until(k: Kernel, flag: Val, wanted: Val, order: str = "acquire") -> Val:
    """Loads `flag` until it equals `wanted`; gives the token of the last load."""
    start = k.op("make_token", results=(TOKEN,))
    with k.region(TOKEN) as body:
        value, token = k.load(
            flag, body.arguments[0], order=order, memory_scope="device"
        )
        done = compare(k, "equal", value, wanted)
        with k.region() as then:
            k.op("break", token)
        k.op("if", done, regions=(then, None))
        k.op("continue", token)
    return k.op("loop", start, results=(TOKEN,), regions=(body,))


def spin_lock(acquire: str, release: str, *, token: bool = True) -> Kernel:
    """Each block adds 1 to a counter with plain accesses under a lock."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    lock, counter = k.parameters
    zero, one = k.constant(0, "i32"), k.constant(1, "i32")
    start = k.op("make_token", results=(TOKEN,))
    with k.region(TOKEN) as body:
        old, taken = k.op(
            "atomic_cas_tko",
            [lock],
            [zero],
            [one],
            [],
            [body.arguments[0]],
            results=(I32, TOKEN),
            memory_ordering_semantics=acquire,
            memory_scope="device",
        )
        with k.region() as then:
            k.op("break", taken)
        k.op("if", compare(k, "equal", old, zero), regions=(then, None))
        k.op("continue", taken)
    held = k.op("loop", start, results=(TOKEN,), regions=(body,))
    value, loaded = k.load(counter, held if token else None)
    stored = k.store(counter, k.op("addi", value, one, results=(I32,)), loaded)
    k.op(
        "atomic_rmw_tko",
        [lock],
        [zero],
        [],
        [stored],
        results=(I32, TOKEN),
        mode="xchg",
        memory_ordering_semantics=release,
        memory_scope="device",
    )
    return k


@pytest.mark.parametrize("seed", SEEDS)
def test_a_spin_lock(seed: int | None) -> None:
    lock, counter = np.zeros(1, np.int32), np.zeros(1, np.int32)
    spin_lock("acquire", "release").run(lock, counter, grid=(5, 2), seed=seed)
    assert (lock[0], counter[0]) == (0, 10)


@pytest.mark.parametrize(
    ("acquire", "release"), [("relaxed", "release"), ("acquire", "relaxed")]
)
def test_a_lock_without_order_is_a_race(acquire: str, release: str) -> None:
    args = [np.zeros(1, np.int32) for _ in "ab"]
    with pytest.raises(InterpError, match="nothing orders the two") as caught:
        spin_lock(acquire, release).run(*args, grid=(3,))
    message = str(caught.value)
    assert "which tile block (0, 0, 0) touched by 'store_ptr_tko'" in message
    assert "argument 1: int32[1]" in message


def test_a_lock_whose_token_is_dropped_is_a_race() -> None:
    args = [np.zeros(1, np.int32) for _ in "ab"]
    with pytest.raises(InterpError, match="nothing orders the two"):
        spin_lock("acquire", "release", token=False).run(*args, grid=(3,))


@pytest.mark.parametrize("stores", [False, True])
def test_only_an_exchange_that_stores_releases(stores: bool) -> None:
    """Block 0 writes and releases by a compare-and-swap; block 1 acquires and reads."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    data, flag = k.parameters
    x, zero, one = block_id(k), k.constant(0, "i32"), k.constant(1, "i32")
    with k.region() as first:
        token = k.store(data, one)
        k.op(
            "atomic_cas_tko", [flag], [zero], [one], [], [token], results=(I32, TOKEN),
            memory_ordering_semantics="release", memory_scope="device",
        )  # fmt: skip
        k.op("yield")
    with k.region() as second:
        k.load(data, spin_until(k, flag, one))
        k.op("yield")
    k.op("if", compare(k, "equal", x, zero), regions=(first, second))
    args = [np.zeros(1, np.int32), np.array([0 if stores else 1], np.int32)]
    if stores:
        k.run(*args, grid=(2,))
        return
    with pytest.raises(InterpError, match="nothing orders the two"):
        k.run(*args, grid=(2,))


def arrivals(is_atomic: bool) -> Kernel:
    """Blocks 0 and 1 write and count themselves in; block 2 waits for both and reads.

    If not atomic, block 1 overwrites the counter after block 0, which loses what block
    0 made known.
    """
    k = Kernel("ptr<i32>", "ptr<i32>")
    data, count = k.parameters
    x, one, two = block_id(k), k.constant(1, "i32"), k.constant(2, "i32")
    release: dict[str, Any] = {"memory_scope": "device"}
    with k.region() as writer:
        token = k.store(k.at(data, x), one)
        if is_atomic:
            k.op(
                "atomic_rmw_tko", [count], [one], [], [token], results=(I32, TOKEN),
                mode="add", memory_ordering_semantics="release", **release,
            )  # fmt: skip
        else:
            after = k.op("addi", x, one, results=(I32,))
            k.store(count, after, token, "release", **release)
        k.op("yield")
    with k.region() as reader:
        token = spin_until(k, count, two)
        k.load(k.at(data, [0, 1]), token)
        k.op("yield")
    k.op("if", compare(k, "less_than", x, two), regions=(writer, reader))
    return k


@pytest.mark.parametrize("seed", SEEDS)
def test_an_atomic_keeps_what_was_released_before(seed: int | None) -> None:
    args = [np.zeros(2, np.int32), np.zeros(1, np.int32)]
    arrivals(True).run(*args, grid=(3,), seed=seed)
    assert args[1][0] == 2


def test_a_store_does_not_keep_what_was_released_before() -> None:
    with pytest.raises(InterpError, match="nothing orders the two") as caught:
        arrivals(False).run(np.zeros(2, np.int32), np.zeros(1, np.int32), grid=(3,))
    assert "which tile block (0, 0, 0) touched" in str(caught.value)


def last_block(order: str) -> Kernel:
    """Each block writes and counts itself in; the last one reads what all wrote."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    data, count = k.parameters
    x, one = block_id(k), k.constant(1, "i32")
    token = k.store(k.at(data, x), one)
    old, after = k.op(
        "atomic_rmw_tko", [count], [one], [], [token], results=(I32, TOKEN),
        mode="add", memory_ordering_semantics=order, memory_scope="device",
    )  # fmt: skip
    with k.region() as last:
        k.load(k.at(data, [0, 1]), after)
        k.op("yield")
    k.op("if", compare(k, "equal", old, one), regions=(last, None))
    return k


@pytest.mark.parametrize("seed", SEEDS)
def test_the_last_block_may_read(seed: int | None) -> None:
    args = [np.zeros(2, np.int32), np.zeros(1, np.int32)]
    last_block("acq_rel").run(*args, grid=(2,), seed=seed)
    for order in ("relaxed", "acquire", "release"):
        args[1][:] = 0
        with pytest.raises(InterpError, match="nothing orders the two"):
            last_block(order).run(*args, grid=(2,), seed=seed)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_part_of_a_wide_access(place: int) -> None:
    """Block 0 stores eight bytes, block 1 reads four of them, or the next four."""
    k = Kernel("ptr<i64>")
    words = k.op("ptr_to_ptr", k.parameters[0], results=(tile_of("ptr<i32>"),))
    with k.region() as first:
        k.store(k.parameters[0], k.constant(1, "i64"))
        k.op("yield")
    with k.region() as second:
        k.load(k.at(words, [place]))
        k.op("yield")
    k.op(
        "if",
        compare(k, "equal", block_id(k), k.constant(0, "i32")),
        regions=(first, second),
    )
    if place == 2:
        k.run(np.zeros(2, np.int64), grid=(2,))
        return
    with pytest.raises(InterpError, match=f"touches byte {4 * place} of argument 0"):
        k.run(np.zeros(2, np.int64), grid=(2,))


def relay() -> Kernel:
    """Block i waits until the flag is i, then passes i + 1 on: needs all blocks."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    flag, data = k.parameters
    x = block_id(k)
    count, _, _ = k.op("get_num_tile_blocks", results=(I32,) * 3)
    one = k.constant(1, "i32")
    last = k.op("subi", count, one, results=(I32,))
    mine = k.op("subi", last, x, results=(I32,))  # the last block goes first
    token = spin_until(k, flag, mine)
    value, token = k.load(data, token)
    token = k.store(data, k.op("addi", value, x, results=(I32,)), token)
    following = k.op("addi", mine, one, results=(I32,))
    k.store(flag, following, token, order="release", memory_scope="device")
    return k


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_that_wait_for_later_ones(seed: int | None) -> None:
    flag, data = np.zeros(1, np.int32), np.zeros(1, np.int32)
    relay().run(flag, data, grid=(40,), seed=seed)
    assert (flag[0], data[0]) == (40, 40 * 39 // 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_that_wait_for_ever(seed: int | None) -> None:
    flag, data = np.full(1, -5, np.int32), np.zeros(1, np.int32)
    with pytest.raises(InterpError, match="no tile block can go on") as caught:
        relay().run(flag, data, grid=(3,), seed=seed)
    assert "at 'load_ptr_tko' (test.py:" in str(caught.value)


def test_the_limit_says_who_waits() -> None:
    flag, data = np.full(1, -5, np.int32), np.zeros(1, np.int32)
    with pytest.raises(InterpError, match=r"more than 300 ops.*waiting: tile block"):
        relay().run(flag, data, grid=(3,), limit=300)


def everyone_writes(order: str, **kw: Any) -> Kernel:
    k = Kernel("ptr<i32>")
    k.store(k.parameters[0], k.constant(1, "i32"), order=order, **kw)
    return k


def test_two_blocks_that_store_to_one_place() -> None:
    out = np.zeros(1, np.int32)
    with pytest.raises(InterpError, match=r"tile block \(1, 0, 0\).*which tile block"):
        everyone_writes("weak").run(out, grid=(2,))
    everyone_writes("weak").run(out, grid=(2,), mode="permissive")
    everyone_writes("relaxed", memory_scope="device").run(out, grid=(2,))
    with pytest.raises(InterpError, match="nothing orders the two; scope tl_blk"):
        everyone_writes("relaxed", memory_scope="tl_blk").run(out, grid=(2,))


def test_an_index_past_its_row_is_named() -> None:
    """Block x stores 4 elements of row x, the last of them beyond the extent 3."""
    k = Kernel("ptr<i32>")
    x = block_id(k)
    row = k.op("muli", x, k.constant(3, "i32"), results=(I32,))
    start = k.at(k.parameters[0], row)
    k.store(k.at(start, [0, 1, 2, 3]), k.constant([1, 2, 3, 4], "i32"))
    out = np.zeros((4, 3), np.int32)
    said = (
        r"touches byte 12 of argument 0: int32\[4,3\].*, element \[1, 0\],.* goes past "
        "dimension 1 of argument 0, whose extent is 3: is an index too large"
    )
    with pytest.raises(InterpError, match=said):
        k.run(out, grid=(3,))


@pytest.mark.parametrize(
    ("scopes", "is_race"),
    [
        (("device", "device"), False),
        (("sys", "device"), False),
        (("tl_blk", "device"), True),
        (("device", "tl_blk"), True),
    ],
)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_both_scopes_must_reach(
    scopes: tuple[str, str], is_race: bool, seed: int | None
) -> None:
    """Each of two blocks stores, relaxed, with a scope of its own."""
    k = Kernel("ptr<i32>")
    zero = k.constant(0, "i32")
    sides: list[Any] = []
    for scope in scopes:
        with k.region() as side:
            k.store(k.parameters[0], zero, None, "relaxed", memory_scope=scope)
            k.op("yield")
        sides.append(side)
    k.op("if", compare(k, "equal", block_id(k), zero), regions=tuple(sides))
    if not is_race:
        k.run(np.zeros(1, np.int32), grid=(2,), seed=seed)
        return
    with pytest.raises(InterpError, match="scope tl_blk reaches one tile block only"):
        k.run(np.zeros(1, np.int32), grid=(2,), seed=seed)


@pytest.mark.parametrize("size", ["i8", "i16", "i32", "i64"])
def test_neighbours_do_not_race(size: str) -> None:
    k = Kernel(f"ptr<{size}>")
    x = block_id(k)
    wide = k.op("bitcast", x, results=(I32,))
    k.store(k.at(k.parameters[0], wide), k.constant(1, size))
    out = np.zeros(9, f"i{int(size[1:]) // 8}")
    k.run(out, grid=(9,))
    assert out.tolist() == [1] * 9


def test_a_read_of_what_another_block_writes() -> None:
    k = Kernel("ptr<i32>", "ptr<i32>")
    x = block_id(k)
    before = k.op("subi", x, k.constant(1, "i32"), results=(I32,))
    first = compare(k, "equal", x, k.constant(0, "i32"))
    before = k.op("select", first, x, before, results=(I32,))
    value, token = k.load(k.at(k.parameters[0], before))
    k.store(k.at(k.parameters[0], x), value, token)
    with pytest.raises(InterpError, match=r"cuda_tile.load_ptr_tko.*store_ptr_tko"):
        k.run(np.zeros(4, np.int32), np.zeros(4, np.int32), grid=(4,))


def chain(link: str) -> Kernel:
    """Block 0 releases 1, block 1 makes it 2, block 2 acquires 2 and reads."""
    k = Kernel("ptr<i32>", "ptr<i32>", "ptr<i32>")
    flag, data, out = k.parameters
    strong: dict[str, Any] = {"memory_scope": "device"}
    x = block_id(k)
    zero, one, two = (k.constant(n, "i32") for n in range(3))
    with k.region() as first:
        token = k.store(data, k.constant(7, "i32"))
        k.store(flag, one, token, order="release", **strong)
        k.op("yield")
    k.op("if", compare(k, "equal", x, zero), regions=(first, None))
    with k.region() as second:
        token = spin_until(k, flag, one, order="relaxed")
        if link == "store":
            k.store(flag, two, token, order="relaxed", **strong)
        else:
            k.op(
                "atomic_rmw_tko",
                [flag],
                [one],
                [],
                [token],
                results=(I32, TOKEN),
                mode="add",
                memory_ordering_semantics="relaxed",
                **strong,
            )
        k.op("yield")
    k.op("if", compare(k, "equal", x, one), regions=(second, None))
    with k.region() as third:
        value, token = k.load(data, spin_until(k, flag, two))
        k.store(out, value, token)
        k.op("yield")
    k.op("if", compare(k, "equal", x, two), regions=(third, None))
    return k


@pytest.mark.parametrize("seed", SEEDS)
def test_an_atomic_hands_a_release_on(seed: int | None) -> None:
    args = [np.zeros(1, np.int32) for _ in "abc"]
    chain("atomic").run(*args, grid=(3,), seed=seed)
    assert args[2][0] == 7


def test_a_plain_store_does_not() -> None:
    args = [np.zeros(1, np.int32) for _ in "abc"]
    with pytest.raises(InterpError, match="nothing orders the two"):
        chain("store").run(*args, grid=(3,))


def counting(limit: int, *, asks: bool) -> Kernel:
    """Block 0 reads a flag and counts; then it tells block 1, which waits for that.

    It stops at a limit if it `asks`, else once somebody sets the flag.
    """
    k = Kernel("ptr<i32>", "ptr<i32>")
    flag, told = k.parameters
    zero, one = k.constant(0, "i32"), k.constant(1, "i32")
    most = k.constant(limit, "i32")
    with k.region() as first:
        with k.region(I32) as body:
            value, _ = k.load(flag, order="relaxed", memory_scope="device")
            more = k.op("addi", body.arguments[0], one, results=(I32,))
            done = compare(k, "equal", *((more, most) if asks else (value, one)))
            with k.region() as then:
                k.op("break", more)
            k.op("if", done, regions=(then, None))
            k.op("continue", more)
        count = k.op("loop", zero, results=(I32,), regions=(body,))
        k.store(told, count, None, "relaxed", memory_scope="device")
        k.op("yield")
    with k.region() as second:
        spin_until(k, told, most)
        k.op("yield")
    at = compare(k, "equal", block_id(k), zero)
    k.op("if", at, regions=(first, second))
    return k


@pytest.mark.parametrize("grid", [1, 2])
@pytest.mark.parametrize("seed", [None, 1])
def test_a_loop_that_counts_its_reads_ends(seed: int | None, grid: int) -> None:
    args = [np.zeros(1, np.int32) for _ in "ab"]
    counting(5000, asks=True).run(*args, grid=(grid,), seed=seed)
    assert args[1][0] == 5000


@pytest.mark.parametrize("grid", [1, 2])
@pytest.mark.parametrize("seed", [None, 1])
def test_one_that_counts_but_does_not_ask_is_a_deadlock(
    seed: int | None, grid: int
) -> None:
    args = [np.zeros(1, np.int32) for _ in "ab"]
    with pytest.raises(InterpError, match="read again and again what nobody writes"):
        counting(5000, asks=False).run(*args, grid=(grid,), seed=seed)
