# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clusters: shared memory of other CTAs, cluster barriers, remote arrivals."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, LaunchError, TensorMap, launch
from cuda_tile.emulator.launch import Mode

# Each CTA sums 64 words; then each adds what the other CTAs of its cluster found.
REDUCTION = module(
    """
.visible .entry k(.param .u64 x, .param .u64 y)
.reqnctapercluster 4, 1, 1
{
    .reg .b32 %r<20>; .reg .b64 %q<9>; .reg .pred %p<9>;
    .shared .align 4 .b32 total;
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [y];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %cluster_ctarank;
    mov.u32 %r8, total;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 st.shared.u32 [%r8], 0;
    bar.sync 0;
    mad.lo.u32 %r3, %r1, 64, %r0;
    mad.wide.u32 %q2, %r3, 4, %q0;
    ld.global.u32 %r4, [%q2];
    red.shared.add.u32 [%r8], %r4;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r5, 0;
    mov.u32 %r6, 0;
NEXT:
    mapa.shared::cluster.u32 %r7, %r8, %r5;
    ld.shared::cluster.u32 %r9, [%r7];
    add.u32 %r6, %r6, %r9;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 4;
    @%p1 bra NEXT;
    mad.wide.u32 %q2, %r1, 4, %q1;
    @%p0 st.global.u32 [%q2], %r6;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
}
""",
    "sm_90",
)


def reduce_(text: str, mode: Mode = "adversarial", seed: int = 0) -> None:
    x = np.random.default_rng(seed).integers(0, 99, (8, 64)).astype(np.uint32)
    y = np.zeros(8, np.uint32)
    launch(text, grid=8, block=64, cluster=4, args=[x, y], mode=mode, seed=seed)
    assert np.array_equal(y, np.repeat(x.reshape(2, -1).sum(axis=1), 4))


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("seed", range(4))
def test_a_reduction_over_distributed_shared_memory(mode: Mode, seed: int) -> None:
    assert not assemble(REDUCTION, "sm_90")
    reduce_(REDUCTION, mode, seed)


ARRIVE, WAIT = (
    "barrier.cluster.arrive.release.aligned;",
    "barrier.cluster.wait.acquire.aligned;",
)


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        (ARRIVE + "\n    " + WAIT, "no cluster barrier"),
        (ARRIVE, "before it arrives"),
        (WAIT, r"arrives twice|no cluster barrier"),
        ("bar.sync 0;", "race|uninitialised"),
    ],
)
def test_each_part_is_needed(gone: str, message: str) -> None:
    assert gone in REDUCTION
    with pytest.raises(FindingError, match=message):
        reduce_(REDUCTION.replace(gone, ""))


def test_a_relaxed_arrival_orders_nothing() -> None:
    with pytest.raises(FindingError, match="race"):
        reduce_(REDUCTION.replace(ARRIVE, "barrier.cluster.arrive.relaxed.aligned;"))


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_fence_before_a_relaxed_arrival_orders_memory(mode: Mode) -> None:
    """PTX ISA, "barrier.cluster": the example with a fence prior to the arrival."""
    relaxed = "fence.acq_rel.cluster;\n    barrier.cluster.arrive.relaxed.aligned;"
    reduce_(REDUCTION.replace(ARRIVE, relaxed), mode)


def test_the_launch_must_fit() -> None:
    with pytest.raises(LaunchError, match="cluster"):
        launch(REDUCTION, grid=8, block=64, args=[None, None])
    with pytest.raises(LaunchError, match="whole clusters"):
        launch(REDUCTION, grid=6, block=64, cluster=4, args=[None, None])


def test_ranks_of_a_two_dimensional_cluster() -> None:
    text = module(
        """
.visible .entry k(.param .u64 y)
{
    .reg .b32 %r<9>; .reg .b64 %q<3>;
    ld.param.u64 %q0, [y];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ctaid.y;
    mad.lo.u32 %r0, %r1, 4, %r0;
    mad.wide.u32 %q1, %r0, 16, %q0;
    mov.u32 %r2, %cluster_ctarank;
    mov.u32 %r3, %clusterid.x;
    mov.u32 %r4, %clusterid.y;
    mov.u32 %r5, %cluster_nctarank;
    st.global.v4.u32 [%q1], {%r2, %r3, %r4, %r5};
    ret;
}
""",
        "sm_90",
    )
    y = np.zeros((4, 4, 4), np.uint32)
    launch(text, grid=(4, 4), block=1, cluster=(2, 2), args=[y])
    for row in range(4):
        for column in range(4):
            wanted = [column % 2 + 2 * (row % 2), column // 2, row // 2, 4]
            assert y[row, column].tolist() == wanted


# The first CTA copies one box to both; both wait, then tell the first they read it.
MULTICAST = module(
    """
.visible .entry k(.param .u64 y, .param .align 64 .b8 t[128])
.reqnctapercluster 2, 1, 1
{
    .reg .b32 %r<20>; .reg .b64 %q<9>; .reg .pred %p<9>; .reg .b16 %h<2>;
    .shared .align 128 .b8 data[128];
    .shared .align 8 .b64 bar[2];
    ld.param.u64 %q0, [y];
    mov.b64 %q4, t;
    cvta.param.u64 %q4, %q4;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r7, bar;
    mov.u32 %r8, data;
    mov.u32 %r9, 0;
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.and.u32 %p1, %r1, 0, %p0;
    @%p0 mbarrier.init.shared.b64 [%r7], 1;
    @%p0 mbarrier.init.shared.b64 [%r7+8], 2;
    @%p0 fence.mbarrier_init.release.cluster;
    @%p0 mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], 128;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.b16 %h0, 3;
    @%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r8], [%q4, {%r9}], [%r7], %h0;
W:  mbarrier.try_wait.parity.shared.b64 %p2, [%r7], 0;
    @!%p2 bra W;
    mad.lo.u32 %r2, %r0, 4, %r8;
    ld.shared.u32 %r3, [%r2];
    mapa.shared::cluster.u32 %r4, %r7, 0;
    bar.sync 0;
    @%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4+8];
    mad.lo.u32 %r5, %r1, 32, %r0;
    mad.wide.u32 %q2, %r5, 4, %q0;
    st.global.u32 [%q2], %r3;
    @!%p1 bra DONE;
V:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r7+8], 0;
    @!%p2 bra V;
DONE:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
}
""",  # noqa: E501
    "sm_90",
)


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("seed", range(4))
def test_multicast_and_remote_arrivals(mode: Mode, seed: int) -> None:
    assert not assemble(MULTICAST, "sm_90")
    x, y = np.arange(32, dtype=np.uint32), np.zeros((2, 32), np.uint32)
    args = [y, TensorMap(x, (32,))]
    launch(MULTICAST, grid=2, block=32, cluster=2, args=args, mode=mode, seed=seed)
    assert np.array_equal(y, [x, x])


def of_a_pair(text: str) -> str:
    """The copy to both of a pair of CTAs that completes at the even one's mbarrier."""
    wait = text[text.index("W:") : text.index("    mad.lo.u32 %r2")]
    meet = "barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n"
    text = text.replace(
        wait, f"setp.ne.u32 %p3, %r1, 0;\n    @%p3 bra MEET;\n{wait}MEET:\n    {meet}"
    )
    text = text.replace(
        "@%p0 mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], 128;", ""
    )
    arrive = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], 256;\n    mov.b16"
    text = text.replace("mov.b16", arrive, 1)
    text = text.replace("multicast::cluster", "multicast::cluster.cta_group::2")
    return text.replace(".target sm_90", ".target sm_100a").replace("8.7", "8.8")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("issuer", [0, 1])
def test_multicast_of_a_pair_completes_at_one_mbarrier(issuer: int, seed: int) -> None:
    """PTX ISA, cp.async.bulk.tensor, `.cta_group::2`: bytes count at the even CTA."""
    text = of_a_pair(MULTICAST)
    if issuer:  # the odd CTA copies, to the even one's mbarrier
        text = text.replace("@%p1 cp.async", "@%p4 cp.async")
        text = text.replace(
            "mov.b16 %h0, 3;",
            "mov.b16 %h0, 3;\n    setp.eq.and.u32 %p4, %r1, 1, %p0;\n"
            "    mapa.shared::cluster.u32 %r10, %r7, 0;",
        )
        text = text.replace("[%q4, {%r9}], [%r7]", "[%q4, {%r9}], [%r10]")
    assert not assemble(text, "sm_100a")
    x, y = np.arange(32, dtype=np.uint32), np.zeros((2, 32), np.uint32)
    args = [y, TensorMap(x, (32,))]
    launch(text, grid=2, block=32, cluster=2, args=args, mode="adversarial", seed=seed)
    assert np.array_equal(y, [x, x])


def test_a_missing_remote_arrival_is_a_deadlock() -> None:
    text = MULTICAST.replace("[%r7+8], 2;", "[%r7+8], 3;")
    args = [np.zeros((2, 32), np.uint32), TensorMap(np.zeros(32, np.uint32), (32,))]
    with pytest.raises(FindingError, match=r"deadlock.*1 of 3 arrivals"):
        launch(text, grid=2, block=32, cluster=2, args=args)


RELAXED = MULTICAST.replace(
    "    barrier.cluster.arrive.aligned;\n",
    "    barrier.cluster.arrive.relaxed.aligned;\n",
    1,
)


@pytest.mark.parametrize("seed", range(4))
def test_relaxed_synchronisation_tells_of_mbarriers_behind_their_fence(
    seed: int,
) -> None:
    assert not assemble(RELAXED, "sm_90")
    x, y = np.arange(32, dtype=np.uint32), np.zeros((2, 32), np.uint32)
    args = [y, TensorMap(x, (32,))]
    run = functools.partial(launch, grid=2, block=32, cluster=2, args=args, seed=seed)
    run(RELAXED, mode="adversarial")
    assert np.array_equal(y, [x, x])
    fence = "    @%p0 fence.mbarrier_init.release.cluster;\n"
    assert fence in RELAXED
    run(MULTICAST.replace(fence, ""), mode="adversarial")
    with pytest.raises(FindingError, match=r"race.*mbarrier.*initialised"):
        run(RELAXED.replace(fence, ""), mode="adversarial")


PLACES = module(
    """
.visible .entry k(.param .u64 y)
.reqnctapercluster 4, 1, 1
{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p;
    .shared .align 8 .b32 cell[4];
    ld.param.u64 %q0, [y];
    mov.u32 %r0, %cluster_ctarank;
    mad.wide.u32 %q0, %r0, 12, %q0;
    mov.u32 %r1, cell;
    mapa.shared::cluster.u32 %r2, %r1, %r0;
    sub.u32 %r2, %r2, %r1;
    st.global.u32 [%q0], %r2;
    and.b32 %r3, %r1, 0xFEFFFFFF;
    getctarank.shared::cluster.u32 %r4, %r3;
    st.global.u32 [%q0+4], %r4;
    st.shared.u32 [%r1], %r0;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.shared::cluster.u32 %r5, [%r3];
    st.global.u32 [%q0+8], %r5;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
}
""",
    "sm_90",
)


def test_addresses_have_the_rank_where_hardware_has_it() -> None:
    assert not assemble(PLACES, "sm_90")
    y = np.full((4, 3), 99, np.uint32)
    launch(PLACES, grid=4, block=1, cluster=4, args=[y], mode="adversarial")
    even = np.arange(4) & ~1
    assert np.array_equal(y, np.stack([np.zeros(4), even, even], axis=1))
