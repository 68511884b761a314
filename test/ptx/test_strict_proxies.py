# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies over what threads have read: a proxy fence between, by the letter."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module
from ptx_programs import PROGRAMS
from triton_kernels import kernels
from triton_products import problem_of

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode

FENCE = "fence.proxy.async.shared::cta;"
# Two copies into one slot; all threads read what the first brought.
TEXT = module(
    """
.visible .entry k(.param .u64 x, .param .u64 y)
.reqntid 64
{
    .reg .b32 %r<9>; .reg .b64 %q<5>; .reg .pred %p<5>;
    .shared .align 16 .b8 slot[256];
    .shared .align 8 .b64 bar;
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [y];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, slot;
    mad.lo.u32 %r2, %r0, 4, %r1;
    mad.wide.u32 %q1, %r0, 4, %q1;
    setp.eq.u32 %p0, %r0, 0;
    mov.u32 %r3, 0;
    @%p0 mbarrier.init.shared.b64 [bar], 1;
    @%p0 fence.mbarrier_init.release.cluster;
    bar.sync 0;
NEXT:
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
    @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%q0], 256, [bar];
W:  mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r3;
    @!%p1 bra W;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%q1], %r4;
    READ
    bar.sync 0;
    ISSUE
    add.u64 %q0, %q0, 256;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, 2;
    @%p2 bra NEXT;
    ret;
}
""",  # noqa: E501
    "sm_90",
)


def run(read: str, issue: str, mode: Mode, *, strict: bool) -> None:
    text = TEXT.replace("READ", read).replace("ISSUE", issue)
    assert assemble(text, "sm_90") == ""
    x, y = np.arange(128, dtype=np.uint32), np.zeros(64, np.uint32)
    launch(text, grid=1, block=64, args=[x, y], mode=mode, strict=strict)
    assert (y == x[64:]).all()


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize(
    ("read", "issue"), [(FENCE, ""), ("", FENCE), ("", f"@%p0 {FENCE}")]
)
def test_a_fence_by_readers_or_by_who_copies(read: str, issue: str, mode: Mode) -> None:
    run(read, issue, mode, strict=True)


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_without_a_fence(mode: Mode) -> None:
    run("", "", mode, strict=False)
    with pytest.raises(FindingError, match=r"proxy: .*that threads read at line 27"):
        run("", "", mode, strict=True)
    with pytest.raises(FindingError, match=r"proxy: .*that threads read"):
        run(f"@%p0 {FENCE}", "", mode, strict=True)


@pytest.mark.parametrize("name", ["bulk_ring", "ws_gemm", "tc_gemm"])
def test_what_the_asynchronous_proxy_reads_takes_none(name: str) -> None:
    """Copies out of a slot, and products of it, before a copy into it."""
    program = PROGRAMS[name]
    problem = program.make(np.random.default_rng(0))
    launch(
        program.text,
        grid=program.grid,
        block=program.block,
        cluster=program.cluster,
        shared_bytes=program.shared_bytes,
        args=problem.args,
        mode="adversarial",
        strict=True,
    )


@pytest.mark.parametrize("name", ["tma_matmul_f16.sm_90", "tma_matmul_f16.sm_100"])
def test_foreign_kernels(name: str) -> None:
    """Triton fences; the slot of an allocation needs no fence."""
    problem = problem_of(name)(np.random.default_rng(0))
    kernels()[name].start(problem, "adversarial", strict=True)
