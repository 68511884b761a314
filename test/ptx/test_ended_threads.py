# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that have ended take no part in what others synchronise by.

PTX ISA, "bar.sync": a barrier orders the accesses of the threads that take part. What a
thread does after it arrived without waiting is not ordered by that barrier either.
"""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode

SEEDS = range(4)
MODES: tuple[Mode, ...] = ("fast", "adversarial")


def run(body: str, *, warps: int = 2, mode: Mode = "adversarial", seed: int = 0) -> str:
    """Runs a body; gives the finding, or nothing.

    In the body %r0 is the thread, %r1 its warp, %r2 its lane, %r3 an own word of shared
    memory and %q1 one of global memory.
    """
    text = module(
        f"""
.visible .entry k(.param .u64 x)
{{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p<4>;
    .shared .align 8 .b8 s[1024];
    .shared .align 8 .b64 gate;
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    shr.u32 %r1, %r0, 5;
    and.b32 %r2, %r0, 31;
    mov.u32 %r3, s;
    mad.lo.u32 %r3, %r0, 4, %r3;
    mad.wide.u32 %q1, %r0, 4, %q0;
    setp.eq.u32 %p0, %r1, 0;
    setp.eq.u32 %p1, %r2, 0;
    {body}
    ret;
}}
""",
        target="sm_90",
    )
    data = [np.zeros(512, np.uint32)]
    try:
        launch(text, grid=1, block=32 * warps, args=data, mode=mode, seed=seed)
    except FindingError as error:
        return str(error)
    return ""


WARP_1_ENDS = """
    @%p0 bra ON;
    {first}
    ret;
ON: bar.sync {barrier};
    bar.sync {barrier};
    {second}
"""
ACCESSES = {
    "shared": ("st.shared.u32 [%r3], %r0;", "ld.shared.u32 %r4, [%r3+128];"),
    "shared, read first": (
        "ld.shared.u32 %r4, [s];",
        "@%p1 st.shared.u32 [s], 1;",
    ),
    "global": ("st.global.u32 [%q1], %r0;", "ld.global.u32 %r4, [%q1+128];"),
    "global, read first": ("ld.global.u32 %r4, [%q0];", "@%p1 st.global.u32 [%q0], 1;"),
}


@pytest.mark.parametrize("barrier", ["0", "1, 32"])
@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_warp_that_ended_does_not_meet(name: str, barrier: str, seed: int) -> None:
    first, second = ACCESSES[name]
    body = WARP_1_ENDS.format(first=first, second=second, barrier=barrier)
    if "read" in name:
        body = "@%p0 st.shared.u32 [%r3], 0;\nbar.sync 0;\n" + body
    text = run(body, seed=seed)
    # Where the reader is first, it may find what nobody wrote.
    assert "race" in text or (name == "shared" and "uninitialised" in text)


@pytest.mark.parametrize("warps", [2, 3])
def test_fast_mode_remembers_who_ended_too(warps: int) -> None:
    first, second = ACCESSES["shared"]
    body = WARP_1_ENDS.format(first=first, second=second, barrier=0)
    assert "race: warp 0 reads" in run(body, warps=warps, mode="fast")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_warps_did_that_live_is_ordered(mode: Mode, seed: int) -> None:
    """Warp 2 ends with a trace; the others exchange values by barriers as before."""
    body = """
    setp.eq.u32 %p2, %r1, 2;
    st.shared.u32 [%r3], %r0;
    @%p2 ret;
    bar.sync 0;
    xor.b32 %r4, %r0, 32;
    mov.u32 %r5, s;
    mad.lo.u32 %r4, %r4, 4, %r5;
    ld.shared.u32 %r6, [%r4];
    bar.sync 0;
    st.shared.u32 [%r4], %r6;
    """
    assert not run(body, warps=3, mode=mode, seed=seed)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_barrier_before_the_end_orders(mode: Mode, seed: int) -> None:
    body = "st.shared.u32 [%r3], %r0;\nst.global.u32 [%q1], %r0;\nbar.sync 0;"
    body += "@!%p0 ret;\nbar.sync 0;\nld.shared.u32 %r4, [%r3+128];"
    body += "ld.global.u32 %r4, [%q1+128];"
    assert not run(body, mode=mode, seed=seed)


ARRIVES = """
    @%p0 bra ON;
    {before}
    bar.arrive 1, 64;
    {after}
    ret;
ON: bar.sync 1, 64;
    {second}
"""


@pytest.mark.parametrize("name", ["shared", "global", "global, read first"])
@pytest.mark.parametrize("seed", range(8))
def test_what_follows_an_arrival_is_not_ordered(name: str, seed: int) -> None:
    first, second = ACCESSES[name]
    legal = ARRIVES.format(before=first, after="", second=second)
    assert not run(legal, seed=seed)
    text = run(ARRIVES.format(before="", after=first, second=second), seed=seed)
    assert "race" in text or (name == "shared" and "uninitialised" in text)


# Lane 5 of warp 1 ends while its mates go on to the barrier.
LANE_ENDS = """
    setp.eq.u32 %p2, %r0, 37;
    @!%p2 bra ON;
    {first}
    {tells}
    ret;
ON: bar.sync 0;
    setp.eq.u32 %p2, %r0, {who};
    @!%p2 ret;
    {waits}
    {second}
"""
LANES = {
    "shared": ("st.shared.u32 [s], %r0;", "ld.shared.u32 %r4, [s];"),
    "shared, read first": ("ld.shared.u32 %r4, [s];", "st.shared.u32 [s], 1;"),
    "global": ("st.global.u32 [%q0], %r0;", "ld.global.u32 %r4, [%q0];"),
    "global, read first": ("ld.global.u32 %r4, [%q0];", "st.global.u32 [%q0], 1;"),
}


@pytest.mark.parametrize("who", [0, 38], ids=["warp", "mate"])
@pytest.mark.parametrize("name", LANES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_lane_that_ended_does_not_meet(name: str, who: int, seed: int) -> None:
    first, second = LANES[name]
    before = "setp.eq.u32 %p3, %r0, 0;\n@%p3 st.shared.u32 [s], 0;\nbar.sync 0;\n"
    ends = LANE_ENDS.format(first=first, second=second, who=who, tells="", waits="")
    assert "race" in run(before + ends, seed=seed)


@pytest.mark.parametrize("who", [0, 38], ids=["warp", "mate"])
@pytest.mark.parametrize("name", LANES)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_it_released_is_ordered(name: str, who: int, seed: int) -> None:
    first, second = LANES[name]
    before = """
    setp.eq.u32 %p3, %r0, 0;
    @%p3 st.shared.u32 [s], 0;
    @%p3 mbarrier.init.shared.b64 [gate], 1;
    bar.sync 0;
    """
    tells = "mbarrier.arrive.shared.b64 _, [gate];"
    waits = "AWAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [gate], 0;"
    waits += "\n@!%p3 bra AWAIT;"
    body = LANE_ENDS.format(
        first=first, second=second, who=who, tells=tells, waits=waits
    )
    assert not run(before + body, seed=seed)
