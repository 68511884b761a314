# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Litmus tests of message passing between blocks through global memory.

PTX ISA, "Memory Consistency Model": "Causality order", "Data-race". Each block of 32
threads runs its own body, of which only thread 0 does anything unless it says `all:`.
Relaxed flags (`wait`, `tell`) make the blocks run in one order without ordering what
they do, so that each test is about one interleaving, whatever the seed.
"""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import Finding, Report, launch
from cuda_tile.emulator.ordering import global_order
from cuda_tile.emulator.shadow import global_history

SEEDS = range(3)
WORDS = 256


def tell(flag: int) -> str:
    return f"st.relaxed.gpu.global.u32 [%q0+{4 * flag}], 1;"


def wait(flag: int, *, load: str = "ld.relaxed.gpu") -> str:
    return f"""
AGAIN{flag}_%:
    {load}.global.u32 %r8, [%q0+{4 * flag}];
    setp.eq.u32 %p2, %r8, 0;
    @%p2 bra AGAIN{flag}_%;"""


ACQUIRE = "ld.acquire.gpu"
RELEASE = "st.release.gpu.global.u32"


def blocks(*bodies: str) -> str:
    """A kernel in which block i runs body i; words of flags are 4 bytes each."""
    cases = ""
    for number, body in enumerate(bodies):
        guard = "" if body.startswith("all:") else f"@!%p0 bra NEXT{number};"
        text = body.removeprefix("all:").replace("%;", f"{number};")
        text = text.replace("_%", f"_{number}")
        cases += f"""
    setp.ne.u32 %p1, %r1, {number};
    @%p1 bra NEXT{number};
    {guard}
    {text}
NEXT{number}:"""
    return module(f"""
.visible .entry k(.param .u64 x)
{{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p<3>; .reg .b32 %d<4>;
    .shared .align 16 .b32 box[32];
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.wide.u32 %q1, %r0, 4, %q0;
    setp.eq.u32 %p0, %r0, 0;
    {cases}
    ret;
}}
""")


def run(*bodies: str, seed: int = 0, block: int = 32) -> Report:
    return launch(
        blocks(*bodies),
        grid=len(bodies),
        block=block,
        args=[np.zeros(WORDS, np.uint32)],
        mode="adversarial",
        seed=seed,
        collect=True,
    )


def races(*bodies: str, seed: int = 0) -> list[Finding]:
    findings = run(*bodies, seed=seed).findings
    assert {finding.kind for finding in findings} <= {"race"}
    return findings


# One instruction that reads two words ------------------------------------------------

WRITES_TWO = "st.relaxed.gpu.global.u32 [%q0+128], 5;\n" + tell(0)
# Lane 0 reads the flag, lane 1 what was written before it, or the other way round.
READS_TWO = """
    selp.b32 %r2, {first}, {second}, %p0;
    cvt.u64.u32 %q2, %r2;
    add.u64 %q2, %q2, %q0;
    setp.lt.u32 %p2, %r0, 2;
    @%p2 ld.global.u32 %r3, [%q2];"""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("places", [(0, 128), (128, 0)], ids=["flag", "data"])
def test_a_seen_word_says_nothing_of_its_neighbour(seed: int, places) -> None:
    first, second = places
    reads = READS_TWO.format(first=first, second=second)
    body = f"all: {wait(0)}\nfence.acq_rel.gpu;{reads}"
    (finding,) = races(WRITES_TWO, body, seed=seed)
    assert "byte 128 of" in finding.message


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("width", ["v2", "v4"])
def test_each_word_of_a_vector_is_judged(width: str, seed: int) -> None:
    registers = ", ".join(f"%d{i}" for i in range(int(width[1])))
    far = 4 * (int(width[1]) - 1)
    write = f"st.relaxed.gpu.global.u32 [%q0+{128 + far}], 5;"
    write += f"st.relaxed.gpu.global.u32 [%q0+128], 1;{tell(0)}"
    reads = f"{wait(32)}\nld.global.{width}.u32 {{{registers}}}, [%q0+128];"
    (finding,) = races(write, reads, seed=seed)
    assert f"byte {128 + far} of" in finding.message


# What a warp saw itself --------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_word_that_was_seen_may_be_read_and_written(seed: int) -> None:
    body = f"{wait(0)}\nld.global.u32 %r3, [%q0];\nst.global.u32 [%q0], 7;"
    assert not races(tell(0), body, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_earlier_look_saw_nothing_of_a_later_write(seed: int) -> None:
    looks = f"""
    ld.relaxed.gpu.global.u32 %r3, [%q0+128];
    {tell(0)}
    {wait(1)}
    ld.global.u32 %r3, [%q0+128];"""
    writes = f"{wait(0)}\nst.relaxed.gpu.global.u32 [%q0+128], 1;\n{tell(1)}"
    (finding,) = races(looks, writes, seed=seed)
    assert "block 0, warp 0 reads" in finding.message
    assert "block 1, warp 0 wrote" in finding.message


@pytest.mark.parametrize("seed", SEEDS)
def test_two_strong_reads_do_not_order_a_write(seed: int) -> None:
    reads = f"ld.relaxed.gpu.global.u32 %r3, [%q0+128];\n{tell(0)}"
    writes = f"""
    {wait(0)}
    ld.relaxed.gpu.global.u32 %r3, [%q0+128];
    st.global.u32 [%q0+128], 1;"""
    (finding,) = races(reads, writes, seed=seed)
    assert "that block 0, warp 0 read" in finding.message


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_mate_saw_before_a_barrier_counts(seed: int) -> None:
    """Later looks at the same word take nothing away."""
    body = f"""all:
    setp.eq.u32 %p1, %r0, 32;
    @!%p1 bra MET;
    {wait(0)}
MET:
    bar.sync 0;
    @%p1 ld.relaxed.gpu.global.u32 %r3, [%q0];
    @%p0 ld.global.u32 %r4, [%q0];"""
    assert not run(tell(0), body, seed=seed, block=64).findings


# Readers -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("waits_for", [(1,), (2,), (1, 2)])
def test_a_write_must_come_after_every_reader(waits_for, seed: int) -> None:
    """Blocks 1 and 2 read; block 0 writes after those it waits for properly."""
    looks = "ld.global.u32 %r3, [%q0+128];\n"
    both = [
        wait(n, load=ACQUIRE if n in waits_for else "ld.relaxed.gpu") for n in (1, 2)
    ]
    found = races(
        "\n".join(both) + "\nst.global.u32 [%q0+128], 1;",
        looks + f"{RELEASE} [%q0+4], 1;",
        looks + f"{RELEASE} [%q0+8], 1;",
        seed=seed,
    )
    forgotten = {1, 2} - set(waits_for)
    assert len(found) == len(forgotten)
    for finding, block in zip(found, forgotten, strict=True):
        assert f"that block {block}, warp 0 read" in finding.message


# Limits of what is remembered --------------------------------------------------------

ARRIVE = """all:
    st.shared.u32 [box], %r1;
    bar.sync 0;
    @!%p0 bra GONE_%;
    st.global.u32 [%q0+{place}], %r1;
    atom.add.release.gpu.global.u32 %r3, [%q0], 1;
GONE_%:"""


@pytest.mark.parametrize("seed", SEEDS)
def test_merged_releases_still_order_everything(seed: int, monkeypatch) -> None:
    """More blocks arrive at one counter than releases are kept apart."""
    monkeypatch.setattr(global_order, "_MOST_RELEASES", 2)
    count = 9
    gather = f"""
AGAIN_%:
    ld.acquire.gpu.global.u32 %r3, [%q0];
    setp.ne.u32 %p2, %r3, {count};
    @%p2 bra AGAIN_%;
    """ + "".join(f"ld.global.u32 %r4, [%q0+{128 + 4 * n}];\n" for n in range(count))
    arrivals = [ARRIVE.format(place=128 + 4 * n) for n in range(count)]
    assert not races(*arrivals, gather, seed=seed)
    arrivals[4] = arrivals[4].replace("atom.add.release", "atom.add.relaxed")
    (finding,) = races(*arrivals, gather, seed=seed)
    assert "that block 4, warp 0 wrote" in finding.message


INSIDE = """all:
    setp.lt.u32 %p1, %r0, 32;
    @!%p1 bra WAIT_%;
    @!%p0 bra GONE_%;
    st.shared.u32 [box], %r1;
    atom.add.{how}.gpu.global.u32 %r3, [%q0], 1;
    bra GONE_%;
WAIT_%:
    ld.acquire.gpu.global.u32 %r3, [%q0];
    setp.lt.u32 %p2, %r3, {count};
    @%p2 bra WAIT_%;
    ld.shared.u32 %r4, [box];
GONE_%:"""


@pytest.mark.parametrize("seed", SEEDS)
def test_merged_releases_order_shared_memory_too(seed: int, monkeypatch) -> None:
    """Warp 1 of each block reads its shared memory after all blocks' arrivals."""
    monkeypatch.setattr(global_order, "_MOST_RELEASES", 2)
    bodies = [INSIDE.format(how="release", count=4)] * 4
    assert not run(*bodies, seed=seed, block=64).findings
    bodies[2] = INSIDE.format(how="relaxed", count=4)
    findings = run(*bodies, seed=seed, block=64).findings
    assert findings
    assert {finding.kind for finding in findings} == {"race"}
    assert all("shared memory" in finding.message for finding in findings)


def test_many_words_may_be_seen(monkeypatch) -> None:
    monkeypatch.setattr(global_order, "_MOST_PLACES", 8)
    writes = "".join(
        f"st.relaxed.gpu.global.u32 [%q0+{128 + 4 * n}], 1;" for n in range(16)
    )
    strong = "".join(
        f"ld.relaxed.gpu.global.u32 %r3, [%q0+{128 + 4 * n}];" for n in range(16)
    )
    weak = strong.replace("relaxed.gpu.", "")
    report = run(writes + tell(0), wait(0) + strong + weak)
    assert not report.findings
    assert not report.warnings


def test_what_is_not_watched_is_said(monkeypatch) -> None:
    assert not run(tell(0), wait(0)).warnings
    monkeypatch.setattr(global_history, "_MOST_BYTES", 4096)
    big = np.zeros(1 << 14, np.uint32)
    text = blocks("st.global.u32 [%q0], 1; st.global.u32 [%q0+32768], 1;")
    report = launch(text, grid=1, block=32, args=[big], mode="adversarial")
    (warning,) = report.warnings
    assert "not watched beyond the first 4096 bytes" in warning
    assert warning in report.to_json()


def test_too_many_released_words_are_said(monkeypatch) -> None:
    monkeypatch.setattr(global_order, "_MOST_PLACES", 4)
    writes = "".join(f"{RELEASE} [%q0+{128 + 4 * n}], 1;\n" for n in range(8))
    report = run(writes + tell(0), wait(0))
    assert [text for text in report.warnings if "between blocks" in text]
