# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges within a warp: shfl, vote, match, redux, activemask, elect."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from ptx_harness import Case, check_legal, run_case, samples

from cuda_tile.emulator import FindingError


def shuffle_source(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """The pseudocode of the ISA."""
    bval, cval, mask = b & 31, c & 31, c >> 8 & 31
    last = (lane & mask) | (cval & ~mask)
    if mode == "up":
        j, p = lane - bval, lane - bval >= last
    elif mode == "down":
        j, p = lane + bval, lane + bval <= last
    elif mode == "bfly":
        j, p = lane ^ bval, (lane ^ bval) <= last
    else:
        j = (lane & mask) | (bval & ~mask)
        p = j <= last
    return (j if p else lane), p


def warp_case(
    code: str, result: str = "b32", sources: tuple[str, ...] = ("b32",), **more
):
    return Case(code, sources, result, lambda *a: 0, **more)


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("b", [0, 1, 5, 16, 31])
@pytest.mark.parametrize("c", [0, 31, 0x1F1F, 0x181F, 0x1C03])
def test_shfl_with_constants(mode: str, b: int, c: int) -> None:
    values = np.arange(100, 164, dtype=np.uint32)
    case = warp_case(f"shfl.sync.{mode}.b32 {{d}}, {{a}}, {b}, {c}, -1;")
    result = run_case(case, [values])
    wanted = [
        values[i & ~31 | shuffle_source(mode, i & 31, b, c)[0]] for i in range(64)
    ]
    assert result.tolist() == wanted


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shfl_with_registers_and_predicate(mode: str) -> None:
    values, b = samples("b32", 64, 0), samples("b32", 64, 1)
    c = np.where(np.arange(64) % 2, 0x1F, 0x1807).astype(np.uint32)
    sources = ("b32", "b32", "b32")
    value = warp_case(
        f"shfl.sync.{mode}.b32 {{d}}|%p, {{a}}, {{b}}, {{c}}, 0xffffffff;",
        sources=sources,
    )
    flag = warp_case(
        f"shfl.sync.{mode}.b32 %t|{{d}}, {{a}}, {{b}}, {{c}}, -1;", "pred", sources
    )
    found = run_case(value, [values, b, c])
    valid = run_case(flag, [values, b, c])
    for i in range(64):
        lane, p = shuffle_source(mode, i & 31, int(b[i]), int(c[i]))
        assert found[i] == values[i & ~31 | lane]
        assert valid[i] == p


def test_shfl_of_some_lanes_needs_only_its_members() -> None:
    code = (
        "{{.reg .b32 %l; mov.u32 %l, %laneid; setp.lt.u32 %p, %l, 16;"
        " mov.b32 {d}, 7; @%p shfl.sync.bfly.b32 {d}, {a}, 1, 31, 0xffff;}}"
    )
    values = np.arange(64, dtype=np.uint32)
    result = run_case(warp_case(code), [values])
    lane = np.arange(64) & 31
    assert np.array_equal(result, np.where(lane < 16, values ^ 1, 7))


def test_shfl_of_fewer_lanes_than_members_is_a_finding() -> None:
    code = (
        "{{.reg .b32 %l; mov.u32 %l, %laneid; setp.lt.u32 %p, %l, 16;"
        " mov.b32 {d}, 7; @%p shfl.sync.bfly.b32 {d}, {a}, 1, 31, -1;}}"
    )
    with pytest.raises(FindingError, match="divergence"):
        run_case(warp_case(code), [np.arange(64, dtype=np.uint32)])


@pytest.mark.parametrize("mode", ["all", "any", "uni"])
def test_vote(mode: str) -> None:
    rows = np.zeros((4, 32), np.uint32)
    rows[1] = 1
    rows[2, 5] = 1
    rows[3, :16] = 1
    wanted = {"all": [0, 1, 0, 0], "any": [0, 1, 1, 1], "uni": [1, 1, 0, 0]}[mode]
    case = warp_case(f"vote.sync.{mode}.pred {{d}}, {{a}}, -1;", "pred", ("pred",))
    result = run_case(case, [rows.ravel()]).reshape(4, 32)
    assert (result == np.array(wanted)[:, None]).all()
    negated = warp_case(f"vote.sync.{mode}.pred {{d}}, !{{a}}, -1;", "pred", ("pred",))
    result = run_case(negated, [1 - rows.ravel()]).reshape(4, 32)
    assert (result == np.array(wanted)[:, None]).all()


def test_ballot() -> None:
    votes = samples("pred", 64, 3)
    case = warp_case("vote.sync.ballot.b32 {d}, {a}, -1;", "b32", ("pred",))
    result = run_case(case, [votes])
    bits = [sum(int(v) << i for i, v in enumerate(votes[w : w + 32])) for w in (0, 32)]
    assert result.tolist() == [bits[0]] * 32 + [bits[1]] * 32


REDUCTIONS: dict[str, Callable[[list[int]], int]] = {
    "add.s32": lambda v: (sum(v) + 2**31) % 2**32 - 2**31,
    "add.u32": lambda v: sum(v) % 2**32,
    "min.s32": min,
    "max.s32": max,
    "min.u32": min,
    "max.u32": max,
    "and.b32": lambda v: __import__("functools").reduce(int.__and__, v),
    "or.b32": lambda v: __import__("functools").reduce(int.__or__, v),
    "xor.b32": lambda v: __import__("functools").reduce(int.__xor__, v),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_redux(name: str) -> None:
    ty = name.split(".")[1]
    values = samples(ty, 64, 4)
    case = warp_case(f"redux.sync.{name} {{d}}, {{a}}, -1;", ty, (ty,))
    result = run_case(case, [values])
    for warp in (0, 32):
        wanted = REDUCTIONS[name]([int(v) for v in values[warp : warp + 32]])
        assert (result[warp : warp + 32] == wanted).all()
    check_legal([case])


def test_match_any_gives_lanes_of_equal_value() -> None:
    values = (np.arange(64) % 5).astype(np.uint32)
    case = warp_case("match.any.sync.b32 {d}, {a}, -1;")
    result = run_case(case, [values])
    for i in range(64):
        warp = i & ~31
        wanted = sum(1 << j for j in range(32) if values[warp + j] == values[i])
        assert result[i] == wanted


def test_match_all_tells_whether_all_agree() -> None:
    values = np.repeat([3, 4], 32).astype(np.uint32)
    values[40] = 9
    mask = warp_case("match.all.sync.b32 {d}|%p, {a}, -1;")
    flag = warp_case("match.all.sync.b32 %t|{d}, {a}, -1;", "pred")
    assert run_case(mask, [values]).tolist() == [0xFFFFFFFF] * 32 + [0] * 32
    assert run_case(flag, [values]).tolist() == [1] * 32 + [0] * 32


def test_activemask_counts_the_lanes_that_run() -> None:
    code = (
        "setp.lt.u32 %p, {a}, 8; mov.b32 {d}, 0; @%p bra L; bra.uni E;"
        " L: activemask.b32 {d}; E:"
    )
    result = run_case(warp_case(code), [np.arange(64, dtype=np.uint32) & 31])
    assert (result[:8] == 0xFF).all()
    assert (result[8:32] == 0).all()


def test_elect_picks_one_member() -> None:
    case = warp_case("elect.sync %t|{d}, -1;", "pred", target="sm_90")
    result = run_case(case, [np.zeros(64, np.uint32)]).reshape(2, 32)
    assert result.sum(axis=1).tolist() == [1, 1]
    check_legal([case])


def test_ptxas_takes_every_case() -> None:
    check_legal(
        warp_case(code)
        for code in (
            "shfl.sync.bfly.b32 {d}, {a}, 1, 31, -1;",
            "shfl.sync.idx.b32 {d}|%p, {a}, {a}, {a}, 0xffffffff;",
            "vote.sync.ballot.b32 {d}, %p, -1;",
            "match.any.sync.b32 {d}, {a}, -1;",
            "match.all.sync.b32 {d}|%p, {a}, -1;",
            "activemask.b32 {d};",
        )
    )
