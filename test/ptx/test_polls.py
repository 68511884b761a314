# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that poll memory forever are reported; those that succeed are not."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode
from cuda_tile.emulator.ordering import polls


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives up sooner, as this is not about time."""
    monkeypatch.setattr(polls, "_MOST", 2048)


MODES: tuple[Mode, ...] = ("fast", "adversarial")
GRID_BARRIER = module("""
.visible .entry k(.param .u64 x)
{
    .reg .b32 %r<6>; .reg .b64 %q<3>; .reg .pred %p<2>;
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 exit;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %nctaid.x;
    mad.wide.u32 %q1, %r0, 4, %q0;
    st.global.u32 [%q1+4], %r0;
    atom.add.acq_rel.gpu.global.u32 %r2, [%q0], 1;
AGAIN:
    ld.acquire.gpu.global.u32 %r2, [%q0];
    setp.lt.u32 %p0, %r2, %r1;
    @%p0 bra AGAIN;
    sub.u32 %r3, %r1, %r0;
    mad.wide.u32 %q2, %r3, 4, %q0;
    ld.global.u32 %r4, [%q2];
    st.global.u32 [%q1+1024], %r4;
    ret;
}
""")


@pytest.mark.parametrize("mode", MODES)
def test_blocks_that_wait_for_later_ones_need_a_cooperative_launch(mode: Mode) -> None:
    count = 12
    arrays = [np.zeros(512, np.uint32) for _ in range(2)]
    with pytest.raises(FindingError) as caught:
        launch(GRID_BARRIER, grid=count, block=512, args=arrays[:1], mode=mode)
    finding = caught.value.finding
    assert finding.kind == "deadlock"
    assert "ld.acquire" in finding.instruction
    assert "blocks have not started: expected a cooperative launch" in finding.message
    launch(
        GRID_BARRIER,
        grid=count,
        block=512,
        args=arrays[1:],
        mode=mode,
        cooperative=True,
    )
    assert (arrays[1][256 : 256 + count] == np.arange(count)[::-1]).all()


# Warp 1 spins on what warp 0 gives it: nothing, or something after long work.
SPIN = """
.visible .entry k(.param .u64 x, .param .u32 rounds)
{{
    .reg .b32 %r<6>; .reg .b64 %q0; .reg .pred %p<3>;
    ld.param.u64 %q0, [x];
    ld.param.u32 %r5, [rounds];
    mov.u32 %r0, %tid.x;
    setp.ge.u32 %p0, %r0, 32;
    @%p0 bra POLL;
    mov.u32 %r1, 0;
WORK:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r5;
    @%p1 bra WORK;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra DONE;
    {tell}
    bra DONE;
POLL:
    {poll}
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra POLL;
DONE:
    ret;
}}
"""
POLLS = (
    "ld.relaxed.gpu.global.u32 %r2, [%q0];",
    "atom.or.relaxed.gpu.global.b32 %r2, [%q0], 0;",
    "ld.volatile.u32 %r2, [%q0];",
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("poll", POLLS)
def test_a_loop_that_nobody_ends_is_a_deadlock(poll: str, mode: Mode) -> None:
    text = module(SPIN.format(tell="", poll=poll))
    args = [np.zeros(1, np.uint32), 10]
    with pytest.raises(FindingError, match=r"deadlock: .* warp 1 still polls memory"):
        launch(text, grid=1, block=64, args=args, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_long_work_of_another_warp_is_waited_for(mode: Mode) -> None:
    tell = "st.relaxed.gpu.global.u32 [%q0], 1;"
    text = module(SPIN.format(tell=tell, poll=POLLS[0]))
    launch(text, grid=1, block=64, args=[np.zeros(1, np.uint32), 4_000], mode=mode)


# What warp 0 waits for before it writes what warp 1 polls.
IN = """
    mbarrier.arrive.expect_tx.shared.b64 _, [gate], 16;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
        [box], [%q1], 16, [gate];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p1, [gate], 0;
    @!%p1 bra WAIT;
    ld.shared.u32 %r2, [box];"""
OUT = """
    mov.u32 %r2, 7;
    st.shared.v4.u32 [box], {%r2, %r2, %r2, %r2};
    fence.proxy.async;
    cp.async.bulk.global.shared::cta.bulk_group [%q1], [box], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ld.global.u32 %r2, [%q1];"""
COPY = """
.visible .entry k(.param .u64 x)
{{
    .reg .b32 %r<6>; .reg .b64 %q<2>; .reg .pred %p<3>;
    .shared .align 16 .b8 box[16];
    .shared .align 8 .b64 gate;
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    and.b32 %r1, %r0, 31;
    setp.ne.u32 %p0, %r1, 0;
    @%p0 exit;
    setp.eq.u32 %p0, %r0, 32;
    @%p0 bra POLL;
    mbarrier.init.shared.b64 [gate], 1;
    add.u64 %q1, %q0, 16;
    {copy}
    st.relaxed.gpu.global.u32 [%q0], %r2;
    exit;
POLL:
    ld.relaxed.gpu.global.u32 %r2, [%q0];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra POLL;
    st.global.u32 [%q0+4], %r2;
    ret;
}}
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copy", [IN, OUT], ids=["in", "out"])
@pytest.mark.parametrize("seed", range(6))
def test_a_copy_lands_while_others_poll(mode: Mode, copy: str, seed: int) -> None:
    array = np.array([0, 0, 0, 0, 7, 0, 0, 0], np.uint32)
    text = module(COPY.format(copy=copy), target="sm_90")
    launch(text, grid=1, block=64, args=[array], mode=mode, seed=seed)
    assert array[1] == 7


# As many reads as `rounds` says, whether or not anybody writes.
BOUNDED = """
.visible .entry k(.param .u64 x, .param .u32 rounds)
{{
    .reg .b32 %r<6>; .reg .b64 %q0; .reg .pred %p<3>;
    ld.param.u64 %q0, [x];
    ld.param.u32 %r5, [rounds];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, 0;
POLL:
    {poll}
    add.u32 %r1, %r1, 1;
    {leaves}
    @%p1 bra POLL;
    setp.eq.u32 %p2, %r0, 0;
    @%p2 st.global.u32 [%q0+4], %r1;
    ret;
}}
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("poll", POLLS[:2])
def test_a_loop_that_counts_its_polls_ends(poll: str, mode: Mode) -> None:
    leaves = "setp.lt.u32 %p1, %r1, %r5;"
    text = module(BOUNDED.format(poll=poll, leaves=leaves))
    array = np.zeros(2, np.uint32)
    launch(text, grid=1, block=1, args=[array, 2600], mode=mode)
    assert array[1] == 2600


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("poll", POLLS[:2])
def test_a_loop_that_counts_but_does_not_ask_is_a_deadlock(
    poll: str, mode: Mode
) -> None:
    text = module(BOUNDED.format(poll=poll, leaves="setp.eq.u32 %p1, %r2, 0;"))
    args = [np.zeros(2, np.uint32), 2600]
    with pytest.raises(FindingError, match=r"deadlock: .* still polls memory"):
        launch(text, grid=1, block=1, args=args, mode=mode, limit=40_000)


@pytest.mark.parametrize("mode", MODES)
def test_who_waits_for_a_loop_that_counts_is_served(mode: Mode) -> None:
    """Warp 0 polls often before it tells warp 1, which polls for ever until then."""
    waits = """
    setp.lt.u32 %p1, %r0, 32;
    setp.lt.and.u32 %p1, %r1, %r5, %p1;
    @%p1 bra POLL;
    setp.eq.u32 %p2, %r0, 0;
    @%p2 st.relaxed.gpu.global.u32 [%q0], 1;
    setp.ge.u32 %p1, %r0, 32;
    setp.eq.and.u32 %p1, %r2, 0, %p1;
    """
    array = np.zeros(2, np.uint32)
    text = module(BOUNDED.format(poll=POLLS[0], leaves=waits))
    launch(text, grid=1, block=64, args=[array, 2300], mode=mode)
    assert array[1] == 2300
