# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Columns of tensor memory that several CTAs ask for: pairs, and those of one unit."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch

FRAME = """
.visible .entry k(.param .u64 out)
.reqntid 64 CLUSTER
{
    .reg .b32 %r<16>; .reg .pred %p, %odd;
    .shared .align 4 .b32 slot[4];
    mov.u32 %r0, %tid.x;
    mov.u32 %r5, %ctaid.x;
    setp.eq.u32 %odd, %r5, 1;
    setp.ge.u32 %p, %r0, 32;
    BODY
    ret;
}
"""
MEET = "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;"
OTHERS = "@%p bra OVER;"
ALLOC = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 32;"
READ = "ld.shared.b32 %r2, [slot];"
FREE = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r2, 32;"
# Warp 0 of both CTAs allocates, and gives back.
PAIR = (
    MEET,
    "@%p bra MADE;",
    *(ALLOC, "MADE:"),
    MEET,
    *(OTHERS, READ, FREE, "OVER:"),
)


def run(*lines: str, cluster: int = 2, seed: int | None = None) -> None:
    pair = f".reqnctapercluster {cluster}" if cluster > 1 else ""
    text = FRAME.replace("CLUSTER", pair).replace("BODY", "\n".join(lines))
    text = module(text, "sm_100a")
    assert assemble(text, "sm_100a") == ""
    args = [np.zeros(1, np.uint32)]
    launch(text, grid=2, block=64, cluster=cluster, args=args, seed=seed)


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_a_pair_meets_before_it_allocates_and_before_it_gives_back(
    seed: int | None,
) -> None:
    run(*PAIR, seed=seed)


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_an_allocation_with_a_peer_that_may_not_have_started(seed: int | None) -> None:
    with pytest.raises(FindingError, match="which may not have started"):
        run(*PAIR[1:], seed=seed)


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_a_deallocation_while_the_peer_may_still_allocate(seed: int | None) -> None:
    with pytest.raises(FindingError, match=r"cluster: .*tcgen05\.alloc of CTA rank"):
        run(MEET, OTHERS, ALLOC, READ, FREE, "OVER:", seed=seed)


def test_an_arrival_without_its_wait_is_no_meeting() -> None:
    late = ("barrier.cluster.arrive.relaxed.aligned;", *PAIR[1:3])
    with pytest.raises(FindingError, match="which may not have started"):
        run(*late, "MADE:", "barrier.cluster.wait.aligned;")


def test_a_pair_allocates_together() -> None:
    with pytest.raises(FindingError, match=r"deadlock.*by the peer CTA"):
        run(MEET, "@%odd bra OVER;", OTHERS, ALLOC, READ, "OVER:")


def test_a_pair_needs_a_cluster() -> None:
    with pytest.raises(FindingError, match="expected pairs of CTAs"):
        run(OTHERS, ALLOC, "OVER:", cluster=1)
