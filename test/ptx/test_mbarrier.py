# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarrier: phases, counts, bytes, waits, and their misuse."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode

HEAD = """
.visible .entry k(.param .u64 x)
{
    .reg .b32 %r<9>; .reg .b64 %q<9>; .reg .pred %p<9>;
    .shared .align 8 .b64 bar[2];
    .shared .align 4 .b32 cell[64];
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    mov.u32 %r7, bar;
    mov.u32 %r8, cell;
    setp.eq.u32 %p0, %r0, 0;
"""
INIT = """
    @%p0 mbarrier.init.shared.b64 [%r7], {count};
    bar.sync 0;
"""


def kernel(body: str, count: int = 64, init: str = INIT) -> str:
    text = module(HEAD + init.format(count=count) + body + "\nret;\n}\n", "sm_90")
    complaint = assemble(text, "sm_90")
    assert not complaint, complaint
    return text


def run(
    body: str,
    count: int = 64,
    *,
    mode: Mode = "adversarial",
    seed: int = 0,
    init: str = INIT,
    limit: int | None = None,
) -> np.ndarray:
    data = np.zeros(64, np.uint32)
    text = kernel(body, count, init)
    args = [data]
    launch(text, grid=1, block=64, args=args, mode=mode, seed=seed, limit=limit)
    return data


def run_often(body: str, init: str = INIT) -> None:
    for seed in range(8):
        run(body, init=init, seed=seed)


EXCHANGE = """
    mad.lo.u32 %r1, %r0, 4, %r8;
    st.shared.u32 [%r1], %r0;
    mbarrier.arrive.shared.b64 %q1, [%r7];
WAIT:
    mbarrier.{wait} %p1, [%r7], {phase};
    @!%p1 bra WAIT;
    xor.b32 %r2, %r0, 63;
    mad.lo.u32 %r1, %r2, 4, %r8;
    ld.shared.u32 %r3, [%r1];
    mad.wide.u32 %q2, %r0, 4, %q0;
    st.global.u32 [%q2], %r3;
"""
WAITS = [
    ("try_wait.shared.b64", "%q1"),
    ("test_wait.shared.b64", "%q1"),
    ("try_wait.parity.shared.b64", "0"),
    ("test_wait.parity.acquire.cta.shared.b64", "0"),
]


@pytest.mark.parametrize(("wait", "phase"), WAITS)
@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("seed", range(4))
def test_a_wait_orders_what_came_before(
    wait: str, phase: str, mode: Mode, seed: int
) -> None:
    data = run(EXCHANGE.format(wait=wait, phase=phase), mode=mode, seed=seed)
    assert np.array_equal(data, np.arange(64)[::-1])


def test_without_the_wait_there_is_a_race() -> None:
    body = EXCHANGE.format(wait="try_wait.shared.b64", phase="%q1")
    with pytest.raises(FindingError, match=r"race|uninitialised"):
        run_often(body.replace("@!%p1 bra WAIT;", ""))


def test_a_relaxed_wait_orders_nothing() -> None:
    body = EXCHANGE.format(wait="try_wait.relaxed.cta.shared.b64", phase="%q1")
    text = module(HEAD + INIT.format(count=64) + body + "\nret;\n}\n", "sm_90")
    with pytest.raises(FindingError, match="race"):
        launch(text, grid=1, block=64, args=[np.zeros(64, np.uint32)])


def test_a_wrong_parity_passes_at_once_or_never() -> None:
    with pytest.raises(FindingError, match=r"race|uninitialised|deadlock"):
        run(EXCHANGE.format(wait="try_wait.parity.shared.b64", phase="1"))


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_missing_arrival_is_a_deadlock(mode: Mode) -> None:
    body = EXCHANGE.format(wait="try_wait.shared.b64", phase="%q1")
    with pytest.raises(FindingError, match=r"deadlock.*1 of 65 arrivals pending"):
        run(body, count=65, mode=mode)


def test_too_many_arrivals_begin_the_next_phase() -> None:
    body = """
    mbarrier.arrive.shared.b64 %q1, [%r7];
    mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 0;
    mbarrier.pending_count.b64 %r1, %q1;
    mad.wide.u32 %q2, %r0, 4, %q0;
    st.global.u32 [%q2], %r1;
    """
    data = run(body, count=32, mode="fast")
    assert np.array_equal(data, np.tile(np.arange(32, 0, -1), 2))


def test_arrival_with_a_count() -> None:
    body = "@%p0 mbarrier.arrive.shared.b64 %q1, [%r7], 3;"
    with pytest.raises(FindingError, match="3 arrivals at the mbarrier"):
        run(body, count=2)
    run(body, count=4)


def test_arrive_drop_lowers_the_next_phases() -> None:
    body = """
    @!%p0 bra DONE;
    mbarrier.arrive_drop.shared.b64 %q1, [%r7];
    mbarrier.arrive.shared.b64 %q1, [%r7];
A:  mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 0;
    @!%p1 bra A;
    mbarrier.arrive.shared.b64 %q1, [%r7];
B:  mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 1;
    @!%p1 bra B;
    st.global.u32 [%q0], 1;
DONE:
    """
    assert run(body, count=2)[0] == 1


def test_bytes_hold_the_phase() -> None:
    body = """
    @!%p0 bra DONE;
    mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], 64;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r7], 48;
    {more}
A:  mbarrier.try_wait.shared.b64 %p1, [%r7], %q1;
    @!%p1 bra A;
    st.global.u32 [%q0], 1;
DONE:
    """
    more = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r7], {};"
    assert run(body.format(more=more.format(16)), count=1)[0] == 1
    with pytest.raises(FindingError, match=r"deadlock.*16 bytes pending"):
        run(body.format(more=""), count=1)
    with pytest.raises(FindingError, match="16 bytes more than expected"):
        run(body.format(more=more.format(32)), count=1)


MISUSES = {
    "expected an initialised mbarrier": ("mbarrier.inval.shared.b64 [%r7+8];", INIT),
    "valid one": ("@%p0 mbarrier.init.shared.b64 [%r7], 1;", INIT),
    "multiple of 8": ("@%p0 mbarrier.init.shared.b64 [%r7+4], 1;", INIT),
    "expected 1 to": (
        "mov.u32 %r1, 0;\n@%p0 mbarrier.init.shared.b64 [%r7+8], %r1;",
        INIT,
    ),
    "warp 0 overwrites the mbarrier object at offset": (
        "@%p0 st.shared.u32 [%r7], 1;",
        INIT,
    ),
    "initialised": (
        "mbarrier.arrive.shared.b64 %q1, [%r7];",
        "@%p0 mbarrier.init.shared.b64 [%r7], {count};",
    ),
}


@pytest.mark.parametrize("message", MISUSES)
def test_misuse_is_reported(message: str) -> None:
    body, init = MISUSES[message]
    with pytest.raises(FindingError, match=message):
        run_often(body, init)


def test_memory_can_be_used_again_after_inval() -> None:
    body = """
    bar.sync 0;
    @%p0 mbarrier.inval.shared.b64 [%r7];
    @%p0 st.shared.u32 [%r7], 1;
    @%p0 ld.shared.u32 %r1, [%r7];
    @%p0 st.global.u32 [%q0], %r1;
    """
    assert run(body)[0] == 1


POOL = """
.visible .entry k()
.maxntid 384
{{
    .reg .b32 %r<3>; .reg .pred %p<3>;
    mov.u32 %r0, %tid.x;
    setp.lt.u32 %p0, %r0, 128;
    @%p0 bra LESS;
    setmaxnreg.inc.sync.aligned.u32 {more};
    bra DONE;
LESS:
    setmaxnreg.dec.sync.aligned.u32 {less};
DONE:
    ret;
}}
"""


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_setmaxnreg_takes_what_others_gave(mode: Mode) -> None:
    text = module(POOL.format(more=192, less=64), "sm_90a")
    assert not assemble(text, "sm_90a")
    launch(text, grid=1, block=384, args=[], mode=mode)
    text = module(POOL.format(more=240, less=40), "sm_90a")
    with pytest.raises(FindingError, match=r"deadlock.*registers"):
        launch(text, grid=1, block=384, args=[], mode=mode)


def test_ctas_that_must_fit_at_once_share_the_registers() -> None:
    kernel = POOL.format(more=192, less=64)
    for ctas, fits in ((1, True), (2, False)):
        text = module(kernel.replace("{", f".minnctapersm {ctas}\n{{", 1), "sm_90a")
        assert not assemble(text, "sm_90a")
        if fits:
            launch(text, grid=1, block=384, args=[])
            continue
        with pytest.raises(FindingError, match=r"deadlock.*registers"):
            launch(text, grid=1, block=384, args=[])


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_kernel_starts_with_no_more_registers_than_inc_asks_for(mode: Mode) -> None:
    inc = "setmaxnreg.inc.sync.aligned.u32 {};"
    body = ".visible .entry k()\n.maxntid 256\n{{ {} ret; }}"
    text = module(body.format(inc.format(240)), "sm_90a")
    assert not assemble(text, "sm_90a")
    launch(text, grid=1, block=256, args=[], mode=mode)
    text = module(body.format(inc.format(160) + inc.format(152)), "sm_90a")
    with pytest.raises(FindingError, match="at least the 160 registers"):
        launch(text, grid=1, block=256, args=[], mode=mode)
