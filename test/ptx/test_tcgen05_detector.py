# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings for accesses to tensor memory without the order that the ISA requires."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module
from ptx_programs import PROGRAMS
from ptx_tcgen05 import Kernel, descriptor

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.errors import Finding

K_MAJOR = descriptor(0, 2048, 128, 0)
# f16 to f32, 128 x 16: A in the first 4096 bytes of shared memory, B behind it.
IDESC = 1 << 4 | 16 >> 3 << 17 | 128 >> 4 << 24
OPERANDS = f"""
    shr.u32 %r1, %sm, 4;
    cvt.u64.u32 %d3, %r1;
    add.u64 %d1, %d3, {K_MAJOR};
    add.u64 %d2, %d3, {descriptor(4096, 256, 128, 0)};
    mov.u32 %r3, {IDESC};
    add.u32 %r4, %ta, 16;
    setp.eq.and.u32 %one, %t, 0, %always;
"""
ALIKE = "tcgen05.mma.cta_group::1.kind::f16 [%ta], %d1, %d2, %r3, %always;"
MMA = f"@%one {ALIKE}"
CP = "@%one tcgen05.cp.cta_group::1.128x256b [%ta], %d1;"
FAR_CP = "@%one tcgen05.cp.cta_group::1.128x256b [%r4], %d1;"
LAST_CP = "@%one tcgen05.cp.cta_group::1.4x256b [%ta], %d1;"
SHIFT = "@%one tcgen05.shift.cta_group::1.down [%ta];"
COMMIT = "@%one tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%d0];"
BARRIER = "cvta.shared.u64 %d0, %d0;"
LOAD = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%tw];"
STORE = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%tw], {%t};"
WAIT_LD = "tcgen05.wait::ld.sync.aligned;"
WAIT_ST = "tcgen05.wait::st.sync.aligned;"
BEFORE = "tcgen05.fence::before_thread_sync;"
AFTER = "tcgen05.fence::after_thread_sync;"
SYNC = "bar.sync 0;"
DONE = "\n".join(
    [
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;",
        "@!%p bra WAIT;",
    ]
)
RELAXED = DONE.replace("parity", "parity.relaxed.cta")
TAIL = [COMMIT, DONE, AFTER]
FROM_1 = "setp.eq.u32 %one, %t, 32;"


def kernel(*lines: str) -> Kernel:
    start = f"mov.u64 %d0, bar;\n{BARRIER}"
    return Kernel("\n".join([start, OPERANDS, *lines]), shared_bytes=5120)


def alone(*lines: str) -> list[str]:
    """Text that only warp 0 runs."""
    return ["@!%first bra OVER;", *lines, "OVER:"]


def check_fine(*lines: str) -> None:
    for seed in range(4):
        kernel(*lines).run(seed=seed)


def finding(*lines: str) -> Finding:
    with pytest.raises(FindingError) as caught:
        check_fine(*lines)
    return caught.value.finding


# The canonical patterns ------------------------------------------------------------


def test_the_canonical_patterns_are_fine() -> None:
    check_fine(MMA, MMA, *TAIL, LOAD, WAIT_LD)
    check_fine(STORE, WAIT_ST, LOAD, WAIT_LD)
    check_fine(CP, MMA, SHIFT, MMA, *TAIL)
    check_fine(SHIFT, LAST_CP, MMA, *TAIL)
    assert assemble(kernel(CP, MMA, SHIFT, *TAIL, LOAD).text, "sm_100a") == ""


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([MMA, LOAD, WAIT_LD, *TAIL], "no wait for an mbarrier that a tcgen05.commit"),
        ([MMA, COMMIT, RELAXED, LOAD], "no tcgen05.fence::after_thread_sync"),
        ([CP, LOAD, *TAIL], "reads tensor memory"),
        ([STORE, LOAD, WAIT_ST], "no tcgen05.wait::st"),
        ([LOAD, STORE, WAIT_ST], "no tcgen05.wait::ld"),
        ([CP, CP, *TAIL], "no wait for an mbarrier"),
        ([MMA, CP, *TAIL], "overwrites tensor memory"),
        ([SHIFT, CP, *TAIL], "overwrites tensor memory"),
        ([STORE, MMA, *TAIL], "no tcgen05.wait::st"),
    ],
)
def test_one_thread(lines: list[str], message: str) -> None:
    found = finding(*alone(*lines))
    assert found.kind == "tensor memory"
    assert message in found.message


def test_products_of_another_shape_form_no_pipeline() -> None:
    other = f"mov.u32 %r3, {IDESC ^ 6 << 17};\n"  # N = 32
    assert "overwrites" in finding(MMA, other + MMA, *TAIL).message


OTHER_SHAPE = f"mov.u32 %r3, {IDESC ^ 6 << 17};\n{MMA}"  # N = 32


@pytest.mark.parametrize(
    "lines",
    [(CP, CP), (MMA, CP), (CP, MMA, CP), (MMA, OTHER_SHAPE)],
    ids=["cp cp", "mma cp", "cp mma cp", "mma of another shape"],
)
def test_operations_in_the_order_of_issue(lines: tuple[str, ...]) -> None:
    """The ISA does not promise it; a launch may take it for granted."""
    found = finding(*lines, *TAIL)
    assert "no wait for an mbarrier" in found.message
    for seed in range(4):
        kernel(*lines, *TAIL, LOAD, WAIT_LD).run(seed=seed, order="issue")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((MMA, SYNC, FROM_1, CP, *TAIL), "overwrites"),  # another thread's
        ((MMA, LOAD, WAIT_LD, *TAIL), "tensor memory: .*tcgen05.ld"),
        ((LOAD, MMA, *TAIL), r"tcgen05\.wait::ld"),
        ((SHIFT, CP, *TAIL), "overwrites"),
    ],
)
def test_what_the_order_of_issue_is_not(lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(FindingError, match=message):
        kernel(*lines).run(order="issue")


def test_a_commit_tells_of_its_own_thread_only() -> None:
    other = "setp.eq.u32 %one, %t, 1;"
    found = finding(MMA, other, *TAIL, LOAD, WAIT_LD)
    assert "tcgen05.commit" in found.message


# Between threads -------------------------------------------------------------------


def test_a_pipeline_between_threads() -> None:
    check_fine(CP, BEFORE, SYNC, AFTER, FROM_1, MMA, *TAIL)
    found = finding(CP, SYNC, AFTER, FROM_1, MMA, *TAIL)
    assert "no tcgen05.fence::before_thread_sync" in found.message
    found = finding(CP, BEFORE, SYNC, FROM_1, MMA, *TAIL)
    assert "no tcgen05.fence::after_thread_sync" in found.message


def test_what_forms_no_pipeline_must_be_complete() -> None:
    lines = [LOAD, WAIT_LD, BEFORE, SYNC, AFTER, FROM_1, MMA, *TAIL]
    check_fine(*lines)
    for missing in (WAIT_LD, SYNC):
        found = finding(*(line for line in lines if line != missing))
        assert found.kind == "tensor memory"
        assert "tcgen05.ld" in found.message


def test_release_and_acquire_order_what_is_complete() -> None:
    """The standard mechanisms: no fence of tensor memory is needed with them."""
    check_fine(LOAD, WAIT_LD, SYNC, FROM_1, MMA, *TAIL)
    check_fine(STORE, WAIT_ST, SYNC, FROM_1, MMA, COMMIT, DONE, LOAD, WAIT_LD)
    check_fine(MMA, COMMIT, DONE, LOAD, WAIT_LD)
    arrive, wait = ".release.cluster", ".acquire.cluster"
    meeting(arrive, wait, LOAD, WAIT_LD)
    # What is not complete is not ordered, whoever knows that it was issued.
    assert "tcgen05.wait::st" in finding(STORE, SYNC, FROM_1, MMA, *TAIL).message
    assert "tcgen05.commit" in finding(FROM_1, MMA, SYNC, LOAD, *TAIL).message


SECOND_MMA = [FROM_1, MMA, *TAIL]


def meeting(arrive: str, wait: str, *lines: str) -> None:
    """Runs lines, a meeting of all warps at an mbarrier, then a product of warp 1."""
    text = [
        "@%one mbarrier.init.shared.b64 [second], 4;\n"
        "bar.sync 0;\nand.b32 %r9, %t, 31;\nsetp.eq.u32 %q, %r9, 0;",
        *(line for line in lines if line != AFTER),
        f"@%q mbarrier.arrive{arrive}.shared::cta.b64 _, [second];",
        "MEET:",
        f"mbarrier.try_wait.parity{wait}.shared::cta.b64 %p, [second], 0;",
        "@!%p bra MEET;",
        *([AFTER] if AFTER in lines else []),
        *SECOND_MMA,
    ]
    made = kernel(*text)
    made.declare = ".shared .align 8 .b64 second;"
    assert assemble(made.text, "sm_100a") == ""
    for seed in range(4):
        made.run(seed=seed)


def test_relaxed_synchronisation_is_enough_with_the_fences() -> None:
    relaxed = ".relaxed.cluster"
    lines = [LOAD, WAIT_LD, BEFORE, AFTER]
    meeting(relaxed, relaxed, *lines)
    for missing in (WAIT_LD, BEFORE, AFTER):
        some = [line for line in lines if line != missing]
        for arrive, wait in (
            (relaxed, relaxed),
            (".release.cluster", relaxed),
            (relaxed, ".acquire.cluster"),
        ):
            with pytest.raises(FindingError, match=r"tensor memory.*tcgen05\.ld"):
                meeting(arrive, wait, *some)


def test_a_relaxed_cluster_barrier_is_enough_too() -> None:
    barrier = "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;"
    lines = [LOAD, WAIT_LD, BEFORE, barrier, AFTER, FROM_1, MMA, *TAIL]
    check_fine(*lines)
    assert "before_thread_sync" in finding(*lines[:2], *lines[3:]).message


# Shared memory ---------------------------------------------------------------------


def test_shared_memory_in_use() -> None:
    write = "@%one st.shared.b32 [%sm], %t;"
    found = finding(MMA, write, *TAIL)
    assert found.kind == "copy in flight"
    assert finding(MMA, SYNC, FROM_1, write, *TAIL).kind == "copy in flight"
    check_fine(MMA, *TAIL, write)


def test_a_generic_write_needs_a_proxy_fence() -> None:
    write = "st.shared.b32 [%r8], %t;"
    place = "mad.lo.u32 %r8, %t, 4, %sm;"
    assert finding(place, write, SYNC, MMA, *TAIL).kind == "proxy"
    fence = "fence.proxy.async.shared::cta;"
    check_fine(place, write, fence, SYNC, MMA, *TAIL)
    assert finding(place, write, fence, MMA, *TAIL).kind in ("race", "proxy")


def test_a_descriptor_outside_shared_memory() -> None:
    found = finding("add.u64 %d1, %d1, 300;", MMA, *TAIL)
    assert found.kind == "out of bounds"


def test_a_descriptor_of_wgmma() -> None:
    found = finding(f"xor.b64 %d1, %d1, {1 << 46};", MMA, *TAIL)
    assert "0b001" in found.message


# Threads ---------------------------------------------------------------------------


def test_one_thread_issues() -> None:
    assert "expected one thread" in finding(ALIKE, *TAIL).message


def test_an_operation_that_no_commit_covers() -> None:
    found = finding(FAR_CP)
    assert "no wait for an mbarrier" in found.message or "covers" in found.message


# Allocation ------------------------------------------------------------------------

FRAME = """
.visible .entry k(.param .u64 out)
.reqntid 64
{
    .reg .b32 %r<16>; .reg .b64 %q; .reg .pred %p, %one;
    .shared .align 4 .b32 slot[4];
    mov.u32 %r0, %tid.x;
    shr.u32 %r1, %r0, 5;
    setp.ne.u32 %p, %r1, 0;
    setp.eq.u32 %one, %r0, 0;
    BODY
    ret;
}
"""
ALLOC = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot{0}], {1};"
FREE = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, {0};"
READ = "ld.shared.b32 %r2, [slot];"
GIVE_UP = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"
HERE = "@%p bra END;\n"


def allocate(*lines: str) -> None:
    text = module(FRAME.replace("BODY", "\n".join([HERE, *lines, "END:"])), "sm_100a")
    assert assemble(text, "sm_100a") == ""
    array = np.zeros(1, np.uint32)
    launch(text, grid=2, block=64, args=[array], mode="adversarial", seed=3)


def test_allocation() -> None:
    first, second = ALLOC.format("", 64), ALLOC.format("+4", 32)
    other = "ld.shared.b32 %r2, [slot+4];"
    allocate(first, READ, FREE.format(64))
    allocate(first, second, GIVE_UP, READ, FREE.format(64), other, FREE.format(32))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["mov.u32 %r4, 48;", ALLOC.format("", "%r4")], "expected a power of two"),
        (["mov.u32 %r4, 16;", ALLOC.format("", "%r4")], "from 32 to 512"),
        (["mov.u32 %r4, 1024;", ALLOC.format("", "%r4")], "from 32 to 512"),
        ([ALLOC.format("", 32), ALLOC.format("", 64)], "expected at most the 32"),
        ([GIVE_UP, ALLOC.format("", 32)], "after the CTA executed"),
        ([ALLOC.format("", 32)], "ends before a tcgen05.dealloc of the 32 columns"),
        ([ALLOC.format("", 32), READ, FREE.format(64)], "got 64"),
        (
            [ALLOC.format("", 32), READ, FREE.format(32), FREE.format(32)],
            "it is given back already",
        ),
        (
            [ALLOC.format("", 64), READ, "add.u32 %r2, %r2, 32;", FREE.format(32)],
            "expected the address of an allocation",
        ),
        (
            [ALLOC.format("", 512), ALLOC.format("+4", 32)],
            "deadlock.*32 columns of tensor memory, of which 0 are free",
        ),
        (
            [
                *(ALLOC.format("", 32), READ),
                "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2];",
                *(WAIT_LD, FREE.format(32)),
            ],
            "uninitialised.*that nobody wrote",
        ),
        (
            [
                *(ALLOC.format("", 32), READ),
                "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%r0};",
                FREE.format(32),
            ],
            "deallocates tensor memory that tcgen05.st",
        ),
        (
            ["@!%one bra END;", ALLOC.format("", 32), READ, FREE.format(32)],
            "expected all 32 threads",
        ),
    ],
)
def test_allocation_faults(lines: list[str], message: str) -> None:
    with pytest.raises(FindingError, match=f"(?s){message}"):
        allocate(*lines)


# Whole programs with a wrong number ------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # Both accumulators in the same columns.
        ("tc_gemm", "mad.lo.u32 %d, %which, 32, %base;", "mov.u32 %d, %base;"),
        # The next stage's operands.
        ("tc_gemm", "mad.lo.u32 %a, %stage, 20480, %ring;", "mov.u32 %a, %ring;"),
        ("tc_gemm", "setp.ne.u32 %keeps, %step, 0;", "setp.ne.u32 %keeps, %step, 9;"),
        ("tc_gemm", ".32x32b.x32.b32", ".16x64b.x32.b32"),
        # Commits to one CTA of the pair.
        ("tc_gemm_pair", "mov.u16 %both, 3;", "mov.u16 %both, 1;"),
        ("tc_gemm_pair", "mov.u16 %both, 3;", "mov.u16 %both, 2;"),
        ("tc_gemm_pair", "mov.u16 %both, 3;", "mov.u16 %both, 5;"),
        # Both CTAs multiply; both expect the bytes of both.
        ("tc_gemm_pair", "setp.ne.u32 %p, %rank, 0;", "setp.ne.u32 %p, %rank, %rank;"),
        ("tc_gemm_pair", "@%lead mbarrier", "@%one mbarrier"),
        # One stage's columns for the factors of all.
        ("tc_scaled_gemm", "mad.lo.u32 %r16, %r10, 8, %r7;", "mov.u32 %r16, %r7;"),
        ("tc_scaled_gemm", "mov.u32 %r20, 0x08900000;", "mov.u32 %r20, 0x08800000;"),
    ],
)
def test_programs_with_a_wrong_number(name: str, old: str, new: str) -> None:
    text = PROGRAMS[name].text
    assert old in text
    with pytest.raises(FindingError):
        run_often(name, text.replace(old, new))


def run_often(name: str, text: str) -> None:
    for seed in range(4):
        PROGRAMS[name].run("adversarial", seed, text=text, limit=100_000)
