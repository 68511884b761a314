# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of roles: loops that are unrolled, one CTA's copies for all of a cluster."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module
from ptx_programs import PROGRAMS

from cuda_tile.emulator import Report, launch
from cuda_tile.emulator.bounds import Bounds
from cuda_tile.targets import find_target

STAGES, ITERATIONS, BYTES = 2, 8, 128
# Warp 1 of the first CTA fills a ring of two slots, in all CTAs; warp 0 of each reads
# both slots in one iteration.
RING = """
.visible .entry k(.param .u64 x, .param .u64 y)
.reqntid 64
.reqnctapercluster {size}, 1, 1
{{
    .reg .b32 %r<20>; .reg .b64 %q<9>; .reg .pred %p<9>; .reg .b16 %h;
    .shared .align 128 .b8 slot[256];
    .shared .align 8 .b64 full[2];
    .shared .align 8 .b64 empty[2];
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [y];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, slot;
    mov.u32 %r3, full;
    mov.u32 %r4, empty;
    {home}
    mov.u32 %r6, 0;
    mov.u32 %r10, 0;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mbarrier.init.shared.b64 [%r3], 1;
    @%p0 mbarrier.init.shared.b64 [%r3+8], 1;
    @%p0 mbarrier.init.shared.b64 [%r4], {size};
    @%p0 mbarrier.init.shared.b64 [%r4+8], {size};
    @%p0 fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.b16 %h, {mask};
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra FILL;
READ:
    and.b32 %r7, %r6, 1;
    {first}
    {second}
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 4;
    @%p2 bra READ;
    bra DONE;
FILL:
    setp.ne.u32 %p3, %r0, 32;
    setp.ne.or.u32 %p3, %r1, 0, %p3;
    @%p3 bra DONE;
MORE:
    and.b32 %r7, %r6, 1;
    mad.lo.u32 %r8, %r7, 8, %r4;
    shr.u32 %r9, %r6, 1;
    and.b32 %r9, %r9, 1;
    xor.b32 %r9, %r9, 1;
E:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r8], %r9;
    @!%p4 bra E;
    mad.lo.u32 %r8, %r7, 8, %r3;
    mad.lo.u32 %r11, %r7, 128, %r2;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{multicast} [%r11], [%q0], 128, [%r8]{operand};
    add.u64 %q0, %q0, 128;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 8;
    @%p2 bra MORE;
DONE:
    bar.warp.sync -1;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mad.wide.u32 %q1, %r0, 4, %q1;
    setp.eq.and.u32 %p5, %r1, 0, %p0;
    @%p5 st.global.u32 [%q1], %r10;
    ret;
}}
"""  # noqa: E501
SLOT = """
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r3+{barrier}], 128;
F{barrier}: mbarrier.try_wait.parity.shared.b64 %p4, [%r3+{barrier}], %r7;
    @!%p4 bra F{barrier};
    ld.shared.u32 %r8, [%r2+{slot}];
    add.u32 %r10, %r10, %r8;
    bar.warp.sync -1;
    @%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5+{barrier}];
"""


def ring(size: int) -> Report:
    many = size > 1
    text = RING.format(
        size=size,
        mask=(1 << size) - 1,
        home="mapa.shared::cluster.u32 %r5, %r4, 0;" if many else "mov.u32 %r5, %r4;",
        first=SLOT.format(barrier=0, slot=0),
        second=SLOT.format(barrier=8, slot=BYTES),
        multicast=".multicast::cluster" if many else "",
        operand=", %h" if many else "",
    )
    text = module(text, "sm_90")
    assert assemble(text, "sm_90") == ""
    x, y = np.arange(ITERATIONS * BYTES // 4, dtype=np.uint32), np.zeros(1, np.uint32)
    report = launch(
        text,
        grid=2 * size,
        block=64,
        cluster=size,
        args=[x, y],
        bounds=find_target("sm_90"),
    )
    assert y[0] == x.reshape(ITERATIONS, -1)[:, 0].sum()
    return report


def bounds_of(report: Report) -> Bounds:
    assert report.bounds is not None
    return report.bounds


@pytest.mark.parametrize("size", [1, 2])
def test_a_role_that_is_unrolled_is_one_of_the_pipeline(size: int) -> None:
    """Four iterations of two slots beside eight iterations of one, which count."""
    (loop,) = bounds_of(ring(size)).loops
    assert len(loop.lines) == 2
    assert (loop.iterations, loop.warps) == (ITERATIONS, 2)


@pytest.mark.parametrize("size", [1, 2])
def test_copies_for_a_cluster_are_in_flight(size: int) -> None:
    """Both slots of each CTA, whoever fills them."""
    (loop,) = bounds_of(ring(size)).loops
    assert loop.bytes_in_flight == STAGES * BYTES


def test_the_roles_of_a_pair() -> None:
    """One CTA multiplies for both, with its iterations; each has half the ring."""
    program = PROGRAMS["tc_gemm_pair"]
    problem = program.make(np.random.default_rng(0))
    report = launch(
        program.text,
        grid=program.grid,
        block=program.block,
        cluster=program.cluster,
        args=problem.args,
        bounds=find_target("sm_100"),
    )
    tiles, steps = bounds_of(report).loops
    assert (tiles.iterations, steps.iterations) == (4, 8)
    assert (len(tiles.lines), len(steps.lines)) == (3, 2)
    assert steps.bytes_in_flight == 3 * (16384 + 2048)
