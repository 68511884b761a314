# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings between lanes of one warp: a kernel with and one without each of them.

They run as those of `test_detector_list`, in the same frame.
"""

from __future__ import annotations

import pytest
from test_detector_list import (
    AWAIT,
    COMMIT,
    END,
    EXPECT,
    INIT,
    LOAD,
    OUT,
    PROXY,
    STORE,
    Fault,
    right_forms_assemble,
    run,
)

from cuda_tile.emulator import FindingError

OWN_COPY = "cp.async.ca.shared.global [%r3], [%q0], 4;\n"
ROWS = (
    STORE
    + """
    and.b32 %r8, %r0, 31;
    and.b32 %r9, %r0, -32;
    and.b32 %r8, %r8, 7;
    mul.lo.u32 %r8, %r8, 16;
    mad.lo.u32 %r8, %r9, 4, %r8;
    add.u32 %r8, %r8, %r2;
"""
)
PASS_ON = """
    @!%p1 ret;
    mov.u32 %r9, 0;
    @%p2 bra S;
    bra R;
S:  @!%p0 ret;
    st.global.u32 [%q0+8], 5;
    st.release.gpu.global.u32 [%q0], 1;
    ret;
R:
"""
RELEASE = """
    @!%p1 ret;
    @!%p2 bra R;
    st.global.u32 [%q3], %r0;
"""
GET = """
R:  @%p2 ret;
W:  ld.acquire.gpu.global.u32 %r9, [%q0+256];
    setp.eq.u32 %p4, %r9, 1;
    @!%p4 bra W;
    ld.global.u32 %r9, [%q3];
"""
FOUR = (
    INIT.replace("COUNT", "4")
    + """
    and.b32 %r8, %r0, 31;
    setp.eq.u32 %p5, %r8, 0;
"""
)
ONE_ARRIVES = "@%p5 mbarrier.arrive.shared.b64 %q4, [bar];\n"

FAULTS = {
    "a lane arrives for mates whose stores it does not know": Fault(
        FOUR + STORE + ONE_ARRIVES + AWAIT + "ld.shared.u32 %r9, [%r4];",
        r"race: warp \d reads .* that warp \d wrote at line \d+ \(st.shared",
        FOUR
        + STORE
        + "bar.warp.sync -1;\n"
        + ONE_ARRIVES
        + AWAIT
        + "ld.shared.u32 %r9, [%r4];",
    ),
    "a lane arrives for mates whose loads it does not know": Fault(
        FOUR + STORE + "bar.sync 0;\nld.shared.u32 %r9, [%r3];\n"
        "" + ONE_ARRIVES + AWAIT + "st.shared.u32 [%r4], 9;",
        r"race: warp \d overwrites .* that warp \d read at line \d+ \(ld.shared",
        FOUR + STORE + "bar.sync 0;\nld.shared.u32 %r9, [%r3];\nbar.warp.sync -1;\n"
        "" + ONE_ARRIVES + AWAIT + "st.shared.u32 [%r4], 9;",
    ),
    "a lane fences for mates whose stores it does not know": Fault(
        "@%p1 " + STORE + "@%p0 " + PROXY + "bar.sync 0;\n"
        "" + OUT.replace("512", "128") + COMMIT + END,
        r"proxy: .* that warp 0 wrote at line \d+ \(@%p1 st.shared.*no fence.proxy",
        "@%p1 " + STORE + "bar.warp.sync -1;\n@%p0 " + PROXY + "bar.sync 0;\n"
        "" + OUT.replace("512", "128") + COMMIT + END,
    ),
    "lanes of a warp": Fault(
        STORE + "ld.shared.u32 %r9, [%r5];",
        r"race: lane \d+ of warp \d reads .* lane \d+ wrote at line .*no barrier or",
        STORE + "bar.warp.sync -1;\nld.shared.u32 %r9, [%r5];",
    ),
    "lanes of a warp: overwritten": Fault(
        STORE + "bar.warp.sync -1;\nld.shared.u32 %r9, [%r5];\nst.shared.u32 [%r3], 1;",
        r"race: lane \d+ of warp \d overwrites .* lane \d+ read at line \d+",
        STORE + "bar.warp.sync -1;\nld.shared.u32 %r9, [%r5];\nbar.warp.sync -1;\n"
        "st.shared.u32 [%r3], 1;",
    ),
    "lanes of a warp: a shuffle does not order memory": Fault(
        STORE + "shfl.sync.idx.b32 %r9, %r0, 0, 31, -1;\nld.shared.u32 %r9, [%r5];",
        r"race: lane \d+ of warp \d reads .* lane \d+ wrote at line .*no barrier or",
        STORE + "bar.warp.sync -1;\nld.shared.u32 %r9, [%r5];",
    ),
    "lanes of a warp: rows of a matrix": Fault(
        ROWS + "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r9}, [%r8];",
        r"race: lane \d+ of warp \d reads .* lane \d+ wrote at line .*no barrier or",
        # Without .trans each lane gets what it wrote itself.
        ROWS + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8];\n"
        "bar.warp.sync -1;\n"
        "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r9}, [%r8];",
    ),
    "lanes of a warp: stored rows of a matrix": Fault(
        ROWS + "bar.warp.sync -1;\n"
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r8], {%r0};\n"
        "ld.shared.u32 %r9, [%r3];",
        r"race: lane \d+ of warp \d reads .* lane \d+ wrote at line .*no barrier or",
        ROWS + "bar.warp.sync -1;\n"
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r0};\n"
        "ld.shared.u32 %r9, [%r3];",
    ),
    "lanes of a warp: one waits for the mbarrier of another": Fault(
        INIT.replace("COUNT", "1") + EXPECT + LOAD + "@!%p0 bra OUT;\n" + AWAIT + "OUT:"
        "\nshfl.sync.idx.b32 %r9, %r0, 0, 31, -1;\n@%p1 ld.shared.u32 %r9, [%r3];",
        r"race: warp 0 reads .* an asynchronous copy wrote|copy in flight: read of sha"
        r"|uninitialised: warp 0 reads",
        INIT.replace("COUNT", "1") + EXPECT + LOAD + "@!%p0 bra OUT;\n" + AWAIT + "OUT:"
        "\nbar.warp.sync -1;\n@%p1 ld.shared.u32 %r9, [%r3];",
    ),
    "lanes of a warp: through an mbarrier": Fault(
        INIT.replace("COUNT", "128")
        + STORE
        + "mbarrier.arrive.shared.b64 %q4, [bar];\n"
        "" + STORE + AWAIT + "ld.shared.u32 %r9, [%r5];",
        r"race: lane \d+ of warp \d reads .* lane \d+ wrote at line .*no barrier or",
        INIT.replace("COUNT", "128")
        + STORE
        + "mbarrier.arrive.shared.b64 %q4, [bar];\n"
        "" + AWAIT + "ld.shared.u32 %r9, [%r5];",
    ),
    "lanes of a warp: each waits for its own copies": Fault(
        OWN_COPY + "cp.async.wait_all;\nld.shared.u32 %r9, [%r5];",
        r"race: lane \d+ of warp \d reads .* lane \d+ wrote at line \d+ \(cp.async",
        OWN_COPY + "cp.async.wait_all;\nbar.warp.sync -1;\nld.shared.u32 %r9, [%r5];",
    ),
    "lanes of a warp: the copy of another overwritten": Fault(
        OWN_COPY + "cp.async.wait_all;\nst.shared.u32 [%r5], %r0;",
        r"race: lane \d+ of warp \d overwrites .* lane \d+ wrote at line .*cp.async",
        OWN_COPY + "cp.async.wait_all;\nst.shared.u32 [%r3], %r0;",
    ),
    "lanes of a warp: the copies of who did not wait": Fault(
        OWN_COPY + "@%p0 cp.async.wait_all;\nbar.sync 0;\nst.shared.u32 [%r4], 9;",
        r"copy in flight: ",
        OWN_COPY + "cp.async.wait_all;\nbar.sync 0;\nst.shared.u32 [%r4], 9;",
    ),
    "lanes of a warp: a copy overwrites": Fault(
        STORE + "bar.sync 0;\nld.shared.u32 %r9, [%r5];\n" + OWN_COPY + "bar.sync 0;",
        r"race: lane \d+ of warp \d overwrites .* lane \d+ read at line",
        STORE + "bar.sync 0;\nld.shared.u32 %r9, [%r5];\nbar.warp.sync -1;\n"
        "" + OWN_COPY + "bar.sync 0;",
    ),
    "lanes of a warp: one starts a bulk copy": Fault(
        "@%p1 " + STORE + PROXY + OUT.replace("512", "128") + COMMIT + END,
        r"race: lane 0 of warp 0 reads .* lane \d+ wrote at line \d+ \(@%p1 st.shared",
        "@%p1 " + STORE + PROXY + "bar.warp.sync -1;\n"
        "" + OUT.replace("512", "128") + COMMIT + END,
    ),
    "lanes of a warp: global memory": Fault(
        "st.global.u32 [%q3], %r0;\nxor.b32 %r8, %r0, 1;\n"
        "mad.wide.u32 %q4, %r8, 4, %q0;\nld.global.u32 %r9, [%q4];",
        r"race: block 0, warp \d reads .* warp \d wrote at line .* of the two lanes",
        "st.global.u32 [%q3], %r0;\nxor.b32 %r8, %r0, 1;\n"
        "mad.wide.u32 %q4, %r8, 4, %q0;\nbar.warp.sync -1;\nld.global.u32 %r9, [%q4];",
    ),
    "lanes of a warp: global memory overwritten": Fault(
        "ld.global.u32 %r9, [%q0];\n@%p0 st.global.u32 [%q0], 5;",
        r"race: block 0, warp 0 writes .* warp 0 read at line .* of the two lanes"
        r"|race: block 0, warp 0 writes .* warp \d read at line .*no barrier"
        r"|race: block 0, warp \d reads .* warp 0 wrote",
        "ld.global.u32 %r9, [%q0];\nbar.sync 0;\n@%p0 st.global.u32 [%q0], 5;",
    ),
    "a lane releases for mates whose stores it does not know": Fault(
        RELEASE + "@!%p0 bra R;\nst.release.gpu.global.u32 [%q0+256], 1;\n" + GET,
        r"race: block 1, warp 0 reads .* block 0, warp 0 wrote at line \d+ .*%q3",
        RELEASE + "bar.warp.sync -1;\n@!%p0 bra R;\n"
        "st.release.gpu.global.u32 [%q0+256], 1;\n" + GET,
        grid=2,
    ),
    "a lane fences for mates whose stores to global memory it does not know": Fault(
        RELEASE + "@!%p0 bra R;\nfence.acq_rel.gpu;\n"
        "st.relaxed.gpu.global.u32 [%q0+256], 1;\n" + GET,
        r"race: block 1, warp 0 reads .* block 0, warp 0 wrote at line \d+ .*%q3",
        RELEASE + "bar.warp.sync -1;\n@!%p0 bra R;\nfence.acq_rel.gpu;\n"
        "st.relaxed.gpu.global.u32 [%q0+256], 1;\n" + GET,
        grid=2,
    ),
    "lanes of a warp: one acquires": Fault(
        "@!%p2 bra R;\n@!%p0 ret;\nst.global.u32 [%q0+8], 5;\n"
        "st.release.gpu.global.u32 [%q0], 1;\nret;\n"
        "R: @!%p1 ret;\n@!%p0 bra M;\n"
        "A: ld.acquire.gpu.global.u32 %r9, [%q0];\nsetp.eq.u32 %p4, %r9, 1;\n"
        "@!%p4 bra A;\nM: shfl.sync.idx.b32 %r9, %r0, 0, 31, -1;\n"
        "ld.global.u32 %r9, [%q0+8];",
        r"race: block 1, warp 0 reads .* block 0, warp 0 wrote at line \d+",
        "@!%p2 bra R;\n@!%p0 ret;\nst.global.u32 [%q0+8], 5;\n"
        "st.release.gpu.global.u32 [%q0], 1;\nret;\n"
        "R: @!%p1 ret;\n@!%p0 bra M;\n"
        "A: ld.acquire.gpu.global.u32 %r9, [%q0];\nsetp.eq.u32 %p4, %r9, 1;\n"
        "@!%p4 bra A;\nM: bar.warp.sync -1;\n"
        "ld.global.u32 %r9, [%q0+8];",
        grid=2,
    ),
    "lanes of a warp: one acquires under a guard": Fault(
        PASS_ON + "@%p0 ld.acquire.gpu.global.u32 %r9, [%q0];\n"
        "shfl.sync.idx.b32 %r9, %r9, 0, 31, -1;\nsetp.eq.u32 %p4, %r9, 1;\n"
        "@!%p4 bra R;\nld.global.u32 %r9, [%q0+8];",
        r"race: block 1, warp 0 reads .* block 0, warp 0 wrote at line \d+",
        PASS_ON + "@%p0 ld.acquire.gpu.global.u32 %r9, [%q0];\n"
        "shfl.sync.idx.b32 %r9, %r9, 0, 31, -1;\nsetp.eq.u32 %p4, %r9, 1;\n"
        "@!%p4 bra R;\nbar.warp.sync -1;\nld.global.u32 %r9, [%q0+8];",
        grid=2,
    ),
}


# Lanes that release alone do so for what they know; each of these forms is silent.
ALONE = {
    "what the lane wrote itself": FOUR + STORE + "@%p5 st.shared.u32 [%r3+512], 7;\n"
    "" + ONE_ARRIVES + AWAIT + "@%p5 ld.shared.u32 %r9, [%r4+512];",
    "what the lane read itself": FOUR + STORE + "bar.sync 0;\n"
    "ld.shared.u32 %r9, [%r3];\n"
    + ONE_ARRIVES
    + AWAIT
    + "@%p5 st.shared.u32 [%r4], 9;",
    "what it fences as it starts a copy": STORE + "bar.sync 0;\n@%p0 "
    "" + PROXY + OUT + COMMIT + END,
    "what it wrote and fences": STORE + PROXY + "bar.sync 0;\n"
    "st.shared.u32 [%r3+512], 5;\n@%p0 st.shared.u32 [data], 5;\n@%p0 "
    "" + PROXY + OUT + COMMIT + END,
    "global memory that it wrote": FOUR + "@%p5 st.global.u32 [%q3], 7;\n"
    "" + STORE + ONE_ARRIVES + AWAIT + "xor.b32 %r8, %r0, 32;\n"
    "mad.wide.u32 %q4, %r8, 4, %q0;\n@%p5 ld.global.u32 %r9, [%q4];",
}


# Lanes wait for each other at these, but their accesses are in no order by it.
NO_MEETINGS = {
    "shfl": "shfl.sync.bfly.b32 %r9, %r0, 1, 31, -1;",
    "vote": "vote.sync.ballot.b32 %r9, %p0, -1;",
    "match": "match.any.sync.b32 %r9, %r0, -1;",
    "redux": "redux.sync.add.u32 %r9, %r0, -1;",
    "elect": "elect.sync %r9|%p5, -1;",
    "activemask": "activemask.b32 %r9;",
    "mma": "mov.f32 %f0, 0f00000000;\n"
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
    "{%f0, %f1, %f2, %f3}, {%r0, %r0}, {%r0}, {%f0, %f0, %f0, %f0};",
    "fence": "fence.acq_rel.cta;",
}


@pytest.mark.parametrize("name", NO_MEETINGS)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_no_meeting_of_lanes(name: str, seed: int) -> None:
    body = STORE + NO_MEETINGS[name] + "\nld.shared.u32 %r9, [%r5];"
    met = STORE + NO_MEETINGS[name] + "\nbar.warp.sync -1;\nld.shared.u32 %r9, [%r5];"
    nothing = Fault("", "", "")
    with pytest.raises(FindingError, match=r"race: lane \d+ of warp \d reads"):
        run(body, nothing, seed)
    run(met, nothing, seed)


@pytest.mark.parametrize("seed", range(20))
def test_a_wait_of_one_lane_is_seen_under_every_seed(seed: int) -> None:
    fault = FAULTS["lanes of a warp: one waits for the mbarrier of another"]
    with pytest.raises(FindingError, match=fault.message):
        run(fault.wrong, fault, seed)
    run(fault.right, fault, seed)


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("seed", range(8))
def test_what_a_lane_releases_alone(name: str, seed: int) -> None:
    run(ALONE[name], Fault("", "", ""), seed)


@pytest.mark.parametrize("seed", range(8))
def test_what_a_lane_wrote_and_releases_alone(seed: int) -> None:
    """Its mates wrote too, but nobody reads that."""
    body = RELEASE + "@!%p0 bra R;\nst.release.gpu.global.u32 [%q0+256], 1;\n" + GET
    run(body.replace("%r9, [%q3]", "%r9, [%q0]"), Fault("", "", "", grid=2), seed)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported(name: str) -> None:
    fault = FAULTS[name]
    for seed in range(4):
        with pytest.raises(FindingError, match=fault.message) as caught:
            run(fault.wrong, fault, seed)
        assert caught.value.finding.line > 0


@pytest.mark.parametrize("name", FAULTS)
def test_the_right_form_is_silent(name: str) -> None:
    for seed in range(4):
        run(FAULTS[name].right, FAULTS[name], seed)


def test_ptxas_takes_the_right_forms() -> None:
    right_forms_assemble(FAULTS)
