# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches, calls, barriers with results, and what the driver supplies."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, Report, launch
from cuda_tile.emulator.launch import Mode

FRAME = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{
    .reg .b32 %i, %a, %d, %t; .reg .b64 %q; .reg .pred %p, %r;
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 4, %q;
    ld.global.b32 %a, [%q];
    BODY
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 4, %q;
    st.global.b32 [%q], %d;
    ret;
}
"""


def run(
    body: str, *, before: str = "", block: int = 64, mode: Mode = "fast", target="sm_80"
):
    text = module(before + FRAME.replace("BODY", body), target)
    assert assemble(text, target) == ""
    source = np.arange(block, dtype=np.uint32)
    result = np.zeros(block, np.uint32)
    report = launch(text, grid=1, block=block, args=[source, result], mode=mode)
    return result, report


COLLATZ = """
    mov.b32 %d, 0;
LOOP:
    setp.le.u32 %p, %a, 1;
    @%p bra DONE;
    and.b32 %t, %a, 1;
    setp.eq.u32 %p, %t, 0;
    @%p bra EVEN;
    mad.lo.u32 %a, %a, 3, 1;
    bra STEP;
EVEN:
    shr.u32 %a, %a, 1;
STEP:
    add.u32 %d, %d, 1;
    bra.uni LOOP;
DONE:
"""


def collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_each_lane_leaves_a_loop_at_its_own_time(mode: Mode) -> None:
    result, _ = run(COLLATZ.replace("bra.uni", "bra"), mode=mode)
    assert result.tolist() == [collatz(n) for n in range(64)]


def test_lanes_meet_again_after_a_branch() -> None:
    """All 32 lanes take part in a shuffle after diverging."""
    body = """
    setp.lt.u32 %p, %a, 16;
    @%p bra LOW;
    add.u32 %a, %a, 100;
LOW:
    shfl.sync.bfly.b32 %d, %a, 16, 31, -1;
    """
    result, _ = run(body, block=32)
    lane = np.arange(32)
    assert result.tolist() == np.where(lane < 16, lane + 116, lane - 16).tolist()


def test_a_table_of_branches() -> None:
    body = """
    and.b32 %t, %a, 3;
    mov.b32 %d, 0;
TABLE: .branchtargets ZERO, ONE, TWO, TWO;
    brx.idx %t, TABLE;
ZERO:
    mov.b32 %d, 10; bra END;
ONE:
    mov.b32 %d, 11; bra END;
TWO:
    mov.b32 %d, 12;
END:
    """
    result, _ = run(body)
    assert result.tolist() == [10 + min(n % 4, 2) for n in range(64)]


FUNCTIONS = """
.func (.param .b32 out) square(.param .b32 x)
{
    .reg .b32 %a;
    ld.param.b32 %a, [x];
    mul.lo.u32 %a, %a, %a;
    st.param.b32 [out], %a;
    ret;
}
.func (.param .b32 out) next_square(.param .b32 x)
{
    .reg .b32 %a;
    .reg .pred %p;
    ld.param.b32 %a, [x];
    setp.lt.u32 %p, %a, 5;
    @%p bra SMALL;
    add.u32 %a, %a, 1;
    { .param .b32 arg; .param .b32 back;
      st.param.b32 [arg], %a;
      call.uni (back), square, (arg);
      ld.param.b32 %a, [back]; }
SMALL:
    st.param.b32 [out], %a;
    ret;
}
"""


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_calls_pass_parameters_and_results(mode: Mode) -> None:
    body = """
    { .param .b32 arg; .param .b32 back;
      st.param.b32 [arg], %a;
      call.uni (back), next_square, (arg);
      ld.param.b32 %d, [back]; }
    """
    result, _ = run(body, before=FUNCTIONS, mode=mode)
    assert result.tolist() == [n if n < 5 else (n + 1) ** 2 for n in range(64)]


REDUCTIONS = {
    "barrier.cta.red.popc.aligned.u32 %d, 0, %p;": 64 - 20,
    "barrier.red.popc.u32 %d, 0, !%p;": 20,
    "bar.red.or.pred %r, 1, %p; selp.b32 %d, 1, 0, %r;": 1,
    "bar.red.and.pred %r, 1, %p; selp.b32 %d, 1, 0, %r;": 0,
    "bar.red.popc.u32 %d, 2, 64, %p;": 64 - 20,
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_barriers_that_reduce(name: str, mode: Mode) -> None:
    result, _ = run(f"setp.ge.u32 %p, %a, 20;\n{name}", mode=mode)
    assert (result == REDUCTIONS[name]).all()


def test_exited_threads_do_not_hold_up_a_barrier() -> None:
    body = """
    setp.ge.u32 %p, %a, 32;
    @%p bra OUT;
    bar.sync 0;
    mov.b32 %d, 1;
    bra GO;
OUT:
    ret;
GO:
    """
    result, _ = run(body)
    assert result.tolist() == [1] * 32 + [0] * 32


PRINT = """
.extern .func (.param .b32 out) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[26] = {105, 61, 37, 100, 32, 120, 61, 37, 46, 50, 102, 32,
    104, 61, 37, 48, 52, 120, 32, 37, 115, 32, 37, 37, 10, 0};
.global .align 1 .b8 word[3] = {111, 107, 0};
"""


def test_vprintf_formats_like_c() -> None:
    body = """
    .local .align 8 .b8 room[40];
    .reg .b64 %v, %f, %w;
    mov.u64 %v, room;
    st.local.u32 [room], %a;
    mov.b64 %w, 0d3FF8000000000000;
    st.local.b64 [room+8], %w;
    mov.b32 %t, 171;
    st.local.u32 [room+16], %t;
    mov.u64 %w, word;
    cvta.global.u64 %w, %w;
    st.local.u64 [room+24], %w;
    cvta.local.u64 %v, %v;
    mov.u64 %f, text;
    cvta.global.u64 %f, %f;
    { .param .b64 p0; .param .b64 p1; .param .b32 back;
      st.param.b64 [p0], %f;
      st.param.b64 [p1], %v;
      call.uni (back), vprintf, (p0, p1);
      ld.param.b32 %d, [back]; }
    """
    text = module(PRINT + FRAME.replace("BODY", body))
    assert assemble(text, "sm_80") == ""
    source, result = np.arange(2, dtype=np.uint32), np.zeros(2, np.uint32)
    report: Report = launch(text, grid=1, block=2, args=[source, result])
    assert report.stdout == "i=0 x=1.50 h=00ab ok %\ni=1 x=1.50 h=00ab ok %\n"


def test_a_call_of_an_unknown_function_is_a_finding() -> None:
    before = ".extern .func missing ();\n"
    text = module(before + FRAME.replace("BODY", "call.uni missing;\nmov.b32 %d, 0;"))
    with pytest.raises(FindingError, match="missing"):
        launch(text, grid=1, block=32, args=[np.zeros(32, np.uint32)] * 2)


FENCES = [
    "membar.cta;",
    "membar.gl;",
    "fence.acq_rel.gpu;",
    "fence.sc.sys;",
    "fence.acq_rel.cta;",
    "bar.warp.sync -1;",
    "barrier.sync 0;",
    "barrier.sync.aligned 0;",
    "bar.sync 3;",
    "nanosleep.u32 100;",
    "pmevent 1;",
    "griddepcontrol.wait;",
]


@pytest.mark.parametrize("name", FENCES)
def test_instructions_that_change_no_value(name: str) -> None:
    result, _ = run(f"{name}\nmov.b32 %d, %a;", target="sm_90")
    assert result.tolist() == list(range(64))
