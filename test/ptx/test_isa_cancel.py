# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clusterlaunchcontrol: clusters that take over the work of others."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode

TAKE = """
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %h;
    @!%p3 bra DONE;
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%x, %y, %z, _}, %h;
"""
ONE_BY_ONE = """
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %h;
    @!%p3 bra DONE;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %x, %h;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %y, %h;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %z, %h;
"""


# As the ISA's example has it, for readers and the one who asks.
ONE_WAY = "fence.proxy.async::generic"
MEET = "barrier.cluster.arrive.relaxed.aligned;\n    barrier.cluster.wait.aligned;"
BY_THE_EXAMPLE = f"""
    {ONE_WAY}.release.sync_restrict::shared::cta.cluster;
    {MEET}
    {ONE_WAY}.acquire.sync_restrict::shared::cluster.cluster;
"""


def kernel(take: str, size: int, *, releases: str = "") -> str:
    """Counts each CTA's place of the grid; the first CTA of a cluster asks for more."""
    cluster = f".reqnctapercluster {size}, 1, 1" if size > 1 else ""
    meet = "bar.sync 0;"
    multicast = ""
    if size > 1:
        meet = "barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;"
        multicast = ".multicast::cluster::all"
    return module(
        f"""
.visible .entry k(.param .u64 count, .param .u64 taken)
.reqntid 64 {cluster}
{{
    .reg .b32 %r<9>, %x, %y, %z, %n; .reg .b64 %q<5>; .reg .pred %p<5>; .reg .b128 %h;
    .shared .align 16 .b8 response[16];
    .shared .align 8 .b64 bar;
    ld.param.u64 %q0, [count];
    ld.param.u64 %q1, [taken];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, 0;
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.and.u32 %p1, %r1, 0, %p0;
    mov.u32 %x, %ctaid.x;
    sub.u32 %x, %x, %r1;
    mov.u32 %y, %ctaid.y;
    mov.u32 %z, %ctaid.z;
    @%p0 mbarrier.init.shared.b64 [bar], 1;
    @%p0 fence.mbarrier_init.release.cluster;
    {meet}
LOOP:
    @%p0 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 16;
    @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{multicast}.b128 [response], [bar];
    // The place of this CTA: x + 4 * (y + 2 * z)
    add.u32 %n, %x, %r1;
    mad.lo.u32 %n, %y, 4, %n;
    mad.lo.u32 %n, %z, 8, %n;
    mad.wide.u32 %q2, %n, 4, %q0;
    @%p0 red.global.add.u32 [%q2], 1;
W:  mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r2;
    @!%p2 bra W;
    xor.b32 %r2, %r2, 1;
    ld.shared.b128 %h, [response];
    {take}
    @%p0 red.global.add.u32 [%q1], 1;
    {releases or f"fence.proxy.async.shared::cta;{chr(10)}    {meet}"}
    bra LOOP;
DONE:
    {meet}
    ret;
}}
""",  # noqa: E501
        "sm_100a",
    )


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize(
    ("take", "releases"),
    [(TAKE, ""), (ONE_BY_ONE, ""), (TAKE, BY_THE_EXAMPLE)],
    ids=["vector", "one by one", "fences of one way"],
)
def test_every_cluster_is_done_once(
    take: str, releases: str, size: int, mode: Mode
) -> None:
    text = kernel(take, size, releases=releases)
    assert not assemble(text, "sm_100a")
    for seed in range(2):
        count, taken = np.zeros((2, 2, 4), np.uint32), np.zeros(1, np.uint32)
        launch(
            text,
            grid=(4, 2, 2),
            block=64,
            cluster=size,
            args=[count, taken],
            mode=mode,
            seed=seed,
        )
        assert (count == 1).all()
        assert 0 < taken[0] < 16
        if mode == "fast":  # the first cluster takes all
            assert taken[0] == 16 - size


def run(text: str, size: int = 1, modes: tuple[Mode, ...] = ("adversarial",)) -> None:
    for mode in modes:
        for seed in range(8):
            launch(
                text,
                grid=(4, 2, 2),
                block=64,
                cluster=size,
                args=[np.zeros((2, 2, 4), np.uint32), np.zeros(1, np.uint32)],
                mode=mode,
                seed=seed,
                limit=100_000,
            )


def test_a_failed_request_names_no_cluster() -> None:
    text = kernel(TAKE.replace("@!%p3 bra DONE;", ""), 1)
    with pytest.raises(FindingError, match=r"query_cancel\.is_canceled tells"):
        run(text)


def test_other_bytes_are_no_response() -> None:
    text = kernel(TAKE, 1).replace("ld.shared.b128 %h", "mov.b128 %h, {%q0, %q0};//")
    with pytest.raises(FindingError, match="expected a response of"):
        run(text)


def test_the_response_takes_a_wait() -> None:
    text = kernel(TAKE, 1).replace("@!%p2 bra W;", "")
    with pytest.raises(FindingError, match="race|copy in flight"):  # noqa: RUF043
        run(text)


def test_the_next_request_takes_a_barrier_after_the_reads() -> None:
    text = kernel(TAKE, 1, releases="bar.warp.sync -1;")
    with pytest.raises(FindingError, match="race|phase|copy in flight"):  # noqa: RUF043
        run(text)


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("size", [1, 2])
def test_reads_of_the_response_take_a_proxy_fence(size: int, mode: Mode) -> None:
    meet = "bar.sync 0;" if size == 1 else MEET.replace(".relaxed", "")
    text = kernel(TAKE, size, releases=meet)
    with pytest.raises(FindingError, match=r"proxy: .*overwrites.*that threads read"):
        run(text, size, (mode,))


@pytest.mark.parametrize("part", ["release", "acquire"])
def test_both_fences_of_one_way_are_needed(part: str) -> None:
    """The second CTA's reads, over a barrier that orders no memory."""
    lines = [line for line in BY_THE_EXAMPLE.splitlines() if f".{part}." not in line]
    text = kernel(TAKE, 2, releases="\n".join(lines))
    if part == "acquire":  # a barrier's wait acquires
        return run(text, 2)
    with pytest.raises(FindingError, match=r"race: .*overwrites"):
        run(text, 2)


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_failure_ends_the_search(mode: Mode) -> None:
    """Undefined: a request after the CTA saw one fail."""
    goes_on = TAKE.replace("@!%p3 bra DONE;", "").replace(
        "    clusterlaunchcontrol.query_cancel.get",
        "    @%p3 clusterlaunchcontrol.query_cancel.get",
    )
    text = kernel(goes_on, 1)
    with pytest.raises(FindingError, match="after it saw a request fail"):
        run(text, modes=(mode,))


def test_no_cta_of_the_cluster_has_ended() -> None:
    """A response for all: "undefined if any CTA in the cluster is exited"."""
    early = "setp.eq.u32 %p4, %r1, 1;\n    @%p4 ret;\n"
    text = kernel(TAKE, 2).replace("LOOP:\n", f"{early}LOOP:\n")
    with pytest.raises(FindingError, match="CTA rank 1, which has ended|may still"):  # noqa: RUF043
        run(text, 2)
