# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strong loads that return older writes, where the memory model lets them.

Litmus tests of PTX ISA, "Memory Consistency Model": what must be possible under some
seed, and what under none.
"""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import launch

SEEDS = 60


def outcomes(first: str, second: str, block: int = 1) -> set[tuple[int, ...]]:
    """What two CTAs read under many seeds.

    Args:
        first, second: Bodies of CTA 0 and 1; words lie at `%q0`, and what `%r4` and
            `%r5` hold in the end is the outcome.
        block: Threads of each.
    """
    text = module(
        f"""
.visible .entry k(.param .u64 x, .param .u64 y)
{{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p<3>;
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [y];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r4, 0;
    mov.u32 %r5, 0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra SECOND;
    {first}
    bra END;
SECOND:
    {second}
END:
    mad.wide.u32 %q2, %r0, 8, %q1;
    st.global.v2.u32 [%q2], {{%r4, %r5}};
    ret;
}}
""",
        "sm_80",
    )
    found: set[tuple[int, ...]] = set()
    for seed in range(SEEDS):
        x, y = np.zeros(4, np.uint32), np.zeros(4, np.uint32)
        launch(text, grid=2, block=block, args=[x, y], mode="adversarial", seed=seed)
        found.add(tuple(y.tolist()))
    return found


WRITES = """
    st.relaxed.gpu.global.u32 [%q0], 1;
    FENCE
    st.relaxed.gpu.global.u32 [%q0+4], 1;
"""
READS = """
    ld.relaxed.gpu.global.u32 %r4, [%q0+4];
    FENCE
    ld.relaxed.gpu.global.u32 %r5, [%q0];
"""
ACQ_REL, SC = "fence.acq_rel.gpu;", "fence.sc.gpu;"


def message(writer: str, reader: str) -> set[tuple[int, ...]]:
    """Flag and data as a reader sees them, with some fences."""
    found = outcomes(WRITES.replace("FENCE", writer), READS.replace("FENCE", reader))
    return {outcome[2:] for outcome in found}


@pytest.mark.parametrize(("writer", "reader"), [("", ""), (ACQ_REL, ""), ("", ACQ_REL)])
def test_a_message_without_fences_may_be_old(writer: str, reader: str) -> None:
    assert (1, 0) in message(writer, reader)


@pytest.mark.parametrize("fence", [ACQ_REL, SC])
def test_a_message_with_fences_is_new(fence: str) -> None:
    found = message(fence, fence)
    assert (1, 0) not in found
    assert (1, 1) in found


STORE_BUFFER = """
    st.relaxed.gpu.global.u32 [%q0+OWN], 1;
    FENCE
    ld.relaxed.gpu.global.u32 %r4, [%q0+OTHER];
"""


def store_buffer(fence: str) -> set[tuple[int, int]]:
    """What two threads see that both write, then read what the other wrote."""
    body = STORE_BUFFER.replace("FENCE", fence)
    first = body.replace("OWN", "0").replace("OTHER", "4")
    second = body.replace("OWN", "4").replace("OTHER", "0")
    return {(outcome[0], outcome[2]) for outcome in outcomes(first, second)}


def test_both_stores_may_be_late() -> None:
    assert (0, 0) in store_buffer("")
    assert (0, 0) in store_buffer(ACQ_REL)


def test_sequential_consistency_forbids_it() -> None:
    assert (0, 0) not in store_buffer(SC)


def test_reads_of_one_word_are_in_order() -> None:
    """Axiom "Coherence": what was read once is not unread."""
    writes = "\n".join(f"st.relaxed.gpu.global.u32 [%q0], {n};" for n in (1, 2, 3))
    reads = """
    ld.relaxed.gpu.global.u32 %r4, [%q0];
    ld.relaxed.gpu.global.u32 %r5, [%q0];
    """
    for *_, one, other in outcomes(writes, reads):
        assert one <= other


def test_a_thread_reads_its_own_writes() -> None:
    body = """
    st.relaxed.gpu.global.u32 [%q0+8], 7;
    ld.relaxed.gpu.global.u32 %r4, [%q0+8];
    """
    for one, _, other, _ in outcomes(body, body):
        assert one == other == 7


def test_atomics_see_the_latest() -> None:
    body = "atom.relaxed.gpu.global.add.u32 %r4, [%q0], 1;"
    assert {tuple(sorted((o[0], o[2]))) for o in outcomes(body, body)} == {(0, 1)}


def test_an_older_flag_brings_its_own_release() -> None:
    """Reading 1 synchronises with the release that wrote 1, though 2 stands there."""
    writes = """
    st.global.u32 [%q0+4], 5;
    st.release.gpu.global.u32 [%q0], 1;
    st.release.gpu.global.u32 [%q0], 2;
    """
    reads = """
    ld.acquire.gpu.global.u32 %r4, [%q0];
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra END;
    ld.global.u32 %r5, [%q0+4];
    """
    found = {outcome[2:] for outcome in outcomes(writes, reads)}
    assert found >= {(0, 0), (1, 5), (2, 5)}
    assert (1, 0) not in found
    assert (2, 0) not in found
