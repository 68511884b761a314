# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Columns of tensor memory that several CTAs ask for: pairs, and those of one unit."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, Report, launch
from cuda_tile.emulator.bounds.chip import resident_ctas
from cuda_tile.targets import find_target

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


def run(
    *lines: str,
    cluster: int = 2,
    seed: int | None = None,
    grid: int = 2,
    shared_bytes: int = 0,
    registers: int | None = None,
) -> Report:
    pair = f".reqnctapercluster {cluster}" if cluster > 1 else ""
    text = FRAME.replace("CLUSTER", pair).replace("BODY", "\n".join(lines))
    text = module(text, "sm_100a")
    assert assemble(text, "sm_100a") == ""
    args = [np.zeros(1, np.uint32)]
    return launch(
        text,
        grid=grid,
        block=64,
        cluster=cluster,
        args=args,
        seed=seed,
        shared_bytes=shared_bytes,
        registers=registers,
        bounds=find_target("sm_100"),
    )


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


# Columns of one multiprocessor -----------------------------------------------------


def alone(*columns: int) -> list[str]:
    """One CTA's allocations, one after another, all given back at the end."""
    group = "cta_group::1.sync.aligned"
    asked = [
        f"tcgen05.alloc.{group}.shared::cta.b32 [slot+{4 * place}], {count};"
        for place, count in enumerate(columns)
    ]
    given = [
        f"ld.shared.b32 %r2, [slot+{4 * place}];\n"
        f"tcgen05.dealloc.{group}.b32 %r2, {count};"
        for place, count in enumerate(columns)
    ]
    return [OTHERS, *asked, *given, "OVER:"]


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize(
    ("columns", "grid", "ctas", "held"),
    [((256, 256), 2, 2, 512), ((256, 32), 8, 2, 512), ((64, 32), 8, 8, 512)],
)
def test_a_request_that_resident_ctas_wait_for_forever(
    columns: tuple[int, int], grid: int, ctas: int, held: int, seed: int | None
) -> None:
    words = f"asks for {columns[1]} columns while it holds {columns[0]}: {ctas} CTAs"
    with pytest.raises(FindingError, match=words) as caught:
        run(*alone(*columns), cluster=1, grid=grid, seed=seed)
    assert f"would hold {held} of 512" in caught.value.finding.message


def test_what_keeps_ctas_apart() -> None:
    """One CTA of the grid; shared memory, or registers, for one at a time."""
    run(*alone(256, 256), cluster=1, grid=1)
    run(*alone(256, 256), cluster=1, shared_bytes=120 << 10)
    run(*alone(64, 32), cluster=1, grid=8, registers=255)  # 4 CTAs: 256 + 32
    run(*alone(128, 128), cluster=1)
    with pytest.raises(FindingError, match="32 registers of a thread"):
        run(*alone(256, 256), cluster=1, registers=32)


def test_columns_are_reported() -> None:
    """The most at a time, and the CTAs that they allow."""
    report = run(*alone(128, 64), cluster=1)
    assert report.tensor_columns == 192
    assert '"tensor_columns": 192' in report.to_json()
    line = "tensor memory: 192 of 512 columns per CTA, which allow 2 CTAs per "
    assert line + "multiprocessor" in report.table()
    assert report.bounds is not None
    assert (report.bounds.ctas, report.bounds.tensor_columns) == (2, 192)
    assert "192 of 512 columns of tensor memory, which allow 2)" in report.table()
    whole = run(*alone(512), cluster=1)
    assert "which allow 1 CTA per multiprocessor" in whole.table()


@pytest.mark.parametrize(("columns", "ctas"), [(0, 32), (32, 16), (192, 2), (512, 1)])
def test_columns_limit_resident_ctas(columns: int, ctas: int) -> None:
    assert resident_ctas(find_target("sm_100"), 64, 0, None, columns) == ctas
