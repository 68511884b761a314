# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the emulator: bounds, alignment, uninitialised values, endless loops."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, Report, launch
from cuda_tile.emulator.launch import Mode

FRAME = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{
    .reg .b32 %i, %s, %t, %u; .reg .b64 %q, %z; .reg .pred %p;
    .shared .align 16 .b8 cells[256];
    mov.u32 %i, %tid.x;
    mov.u32 %s, cells;
    mad.lo.u32 %s, %i, 4, %s;
    ld.param.u64 %q, [src];
    ld.param.u64 %z, [dst];
    BODY
    ret;
}
"""


def run(body: str, *, block: int = 64, mode: Mode = "fast", **options) -> Report:
    text = module(FRAME.replace("BODY", body))
    arrays = [np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)]
    return launch(text, grid=1, block=block, args=arrays, mode=mode, **options)


def finding(body: str, **options):
    with pytest.raises(FindingError) as caught:
        run(body, **options)
    return caught.value.finding


def test_a_global_load_past_the_end_names_array_line_and_lane() -> None:
    found = finding("mad.wide.u32 %q, %i, 8, %q;\n ld.global.u32 %t, [%q];")
    assert found.kind == "out of bounds"
    assert found.instruction == "ld.global.u32 %t, [%q];"
    assert "src: uint32[64]" in found.message
    assert "0 bytes past" not in found.message
    assert "warp 1" in found.message


def test_a_global_store_past_the_end() -> None:
    found = finding("st.global.u32 [%z+256], %i;")
    assert found.kind == "out of bounds"
    assert "dst" in found.message


def test_a_store_to_a_read_only_array() -> None:
    text = module(FRAME.replace("BODY", "st.global.u32 [%z], %i;"))
    array = np.zeros(4, np.uint32)
    array.flags.writeable = False
    with pytest.raises(FindingError, match="read-only"):
        launch(text, grid=1, block=32, args=[np.zeros(4, np.uint32), array])


def test_lanes_that_are_predicated_off_do_not_fault() -> None:
    run(
        "setp.lt.u32 %p, %i, 32;\n mad.wide.u32 %q, %i, 8, %q;\n"
        "@%p ld.global.u32 %t, [%q];"
    )


@pytest.mark.parametrize(
    "access", ["ld.shared.u32 %t, [%s];", "st.shared.u32 [%s], %i;"]
)
def test_shared_memory_has_an_end(access: str) -> None:
    found = finding(f"add.u32 %s, %s, 128;\n{access}")
    assert found.kind == "out of bounds"
    assert "256 bytes" in found.message


def test_a_misaligned_access() -> None:
    found = finding("st.global.u32 [%z+2], %i;")
    assert found.kind == "misaligned"
    assert "multiple of 4" in found.message


def test_a_misaligned_vector() -> None:
    found = finding("st.shared.v2.u32 [%s], {%i, %i};")
    assert found.kind == "misaligned"
    assert "multiple of 8" in found.message


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_reading_shared_memory_that_nobody_wrote(mode: Mode) -> None:
    found = finding("ld.shared.u32 %t, [%s];", mode=mode)
    assert found.kind == "uninitialised"


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_two_warps_write_different_values(mode: Mode) -> None:
    found = finding("and.b32 %t, %s, 127;\n st.shared.u32 [%t], %i;", mode=mode)
    assert found.kind == "race"


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_two_warps_may_write_one_value_with_one_instruction(mode: Mode) -> None:
    run(
        "and.b32 %t, %s, 127;\n and.b32 %u, %i, 31;\n st.shared.u32 [%t], %u;",
        mode=mode,
    )


def test_lanes_of_one_warp_write_different_values() -> None:
    found = finding("st.shared.u32 [cells], %i;", block=32)
    assert found.kind == "race"


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_write_after_another_warp_read(mode: Mode) -> None:
    body = """
    st.shared.u32 [%s], %i;
    bar.sync 0;
    xor.b32 %t, %s, 128;
    ld.shared.u32 %u, [%t];
    st.shared.u32 [%s], %i;
    """
    found = finding(body, mode=mode)
    assert found.kind == "race"
    assert "read" in found.message or "wrote" in found.message


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_warp_may_reuse_its_own_memory(mode: Mode) -> None:
    run(
        "st.shared.u32 [%s], %i;\n ld.shared.u32 %t, [%s];\n st.shared.u32 [%s], %t;",
        mode=mode,
    )


def test_many_readers_of_one_value_are_no_race() -> None:
    body = """
    setp.eq.u32 %p, %i, 0;
    @%p st.shared.u32 [cells], %i;
    bar.sync 0;
    ld.shared.u32 %t, [cells];
    bar.sync 0;
    @%p st.shared.u32 [cells], %i;
    """
    run(body)
    assert finding(body.replace("bar.sync 0;\n    @%p", "@%p")).kind == "race"


def test_atomics_race_with_plain_accesses_only() -> None:
    start = "setp.eq.u32 %p, %i, 0;\n@%p st.shared.u32 [cells], %i;\nbar.sync 0;\n"
    run(start + "red.shared.add.u32 [cells], 1;")
    found = finding(
        start + "red.shared.add.u32 [cells], 1;\nld.shared.u32 %t, [cells];"
    )
    assert found.kind == "race"


def test_a_register_used_before_it_is_written() -> None:
    found = finding("st.global.u32 [%z], %t;", mode="adversarial")
    assert found.kind == "uninitialised"
    assert "%t" in found.message


def test_an_undefined_value_may_be_carried_but_not_decide() -> None:
    run("add.u32 %u, %t, 1;", mode="adversarial")
    found = finding("setp.eq.u32 %p, %t, 1;\n@%p bra L;\nL:", mode="adversarial")
    assert found.kind == "uninitialised"


def test_a_pair_of_which_one_half_is_unused() -> None:
    halves = "{ .reg .b16 %ha, %hb, %hc; .reg .b32 %pair; mov.b16 %ha, 3;\n"
    run(
        halves + "mov.b32 %pair, {%ha, %hb};\n"
        "mov.b32 {%hc, _}, %pair;\nst.global.u16 [%z], %hc; }",
        mode="adversarial",
    )
    found = finding(
        halves + "mov.b32 %pair, {%hb, %hc};\nst.global.u32 [%z], %pair; }",
        mode="adversarial",
    )
    assert found.kind == "uninitialised"


def test_an_undefined_address() -> None:
    found = finding("cvt.u64.u32 %q, %t;\n ld.global.u32 %u, [%q];", mode="adversarial")
    assert found.kind == "uninitialised"


def test_an_endless_loop_meets_the_limit() -> None:
    found = finding("L: bra L;", limit=1000)
    assert found.kind == "runaway"


def test_a_loop_that_waits_for_another_lane_ends() -> None:
    """Lane 0 waits for lane 40, which stands later in the program."""
    run(
        """
    setp.ne.u32 %p, %i, 0;
    @%p bra OTHERS;
WAIT:
    ld.volatile.global.u32 %t, [%z];
    setp.eq.u32 %p, %t, 0;
    @%p bra WAIT;
    bra DONE;
OTHERS:
    setp.ne.u32 %p, %i, 40;
    @%p bra DONE;
    st.volatile.global.u32 [%z], %i;
DONE:
    """
    )


def test_trap_ends_the_kernel() -> None:
    assert finding("setp.eq.u32 %p, %i, 5;\n@%p trap;").kind == "trap"


def test_an_aligned_barrier_in_a_divergent_branch() -> None:
    found = finding(
        "setp.lt.u32 %p, %i, 16;\n@%p bra L;\nret;\nL:\nbar.sync 0;\nbar.sync 1, 64;"
    )
    assert found.kind in ("deadlock", "divergence", "barrier")


def test_findings_can_be_collected() -> None:
    report = run("ld.shared.u32 %t, [%s];", collect=True)
    assert [f.kind for f in report.findings] == ["uninitialised"]
    assert report.findings[0].line > 0
    assert "uninitialised" in str(report.findings[0])
    assert report.findings[0].to_json()["kernel"] == "k"


def test_shared_memory_of_one_cta_is_not_seen_by_the_next() -> None:
    text = module(
        FRAME.replace(
            "BODY",
            "mov.u32 %t, %ctaid.x;\nsetp.eq.u32 %p, %t, 0;\n"
            "@%p st.shared.u32 [%s], %i;\nld.shared.u32 %u, [%s];",
        )
    )
    arrays = [np.zeros(64, np.uint32)] * 2
    with pytest.raises(FindingError, match="uninitialised"):
        launch(text, grid=2, block=64, args=arrays)
