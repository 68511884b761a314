# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The timeline: who waits for whom, in a ring by hand and in a product."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import emulator
from cuda_tile.chip_clocks import chip_clocks
from cuda_tile.cli.run import main
from cuda_tile.emulator.trace import Tracer
from cuda_tile.errors import UserError
from cuda_tile.machine.disassembler import find_nvdisasm
from cuda_tile.pictures.timeline_page import timeline_page
from cuda_tile.targets import find_target
from cuda_tile.timing.counting import counting
from cuda_tile.timing.timeline import Span, Timeline, in_rows, merged
from cuda_tile.timing.traced import timeline_of

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "test" / "kernels" / "13.4" / "matmul_f16_128x128x64.tileirbc"
VADD = ROOT / "test" / "kernels" / "13.4" / "vadd_f32_1024.tileirbc"
HOPPER = find_target("sm_90")
CHIP = chip_clocks(HOPPER)
ITERATIONS, SLOT_BYTES = 8, 1024


def ring(slots: int, work: int) -> str:
    """Warp 0 copies into a ring, warp 1 uses each slot for `work` multiply-adds."""
    used = "\n".join("  fma.rn.f32 %f, %f, %f, %f;" for _ in range(work))
    return f"""
.version 8.4
.target sm_90a
.address_size 64
.visible .entry ring(.param .u64 source) {{
  .reg .pred %p; .reg .b32 %t, %i, %slot, %round, %full, %free, %data, %parity;
  .reg .b64 %at, %state; .reg .f32 %f;
  .shared .align 128 .b8 data[{slots * SLOT_BYTES}];
  .shared .align 8 .b64 filled[{slots}];
  .shared .align 8 .b64 freed[{slots}];
  mov.u32 %t, %tid.x;
  setp.ne.u32 %p, %t, 0;
  @%p bra READY;
  mov.u32 %i, 0;
INIT:
  shl.b32 %slot, %i, 3;
  mov.u32 %full, filled; add.u32 %full, %full, %slot;
  mov.u32 %free, freed; add.u32 %free, %free, %slot;
  mbarrier.init.shared.b64 [%full], 1;
  mbarrier.init.shared.b64 [%free], 1;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, {slots};
  @%p bra INIT;
  fence.mbarrier_init.release.cluster;
READY:
  bar.sync 0;
  mov.u32 %i, 0;
  mov.f32 %f, 0f3f800000;
  setp.eq.u32 %p, %t, 0;
  @%p bra COPY;
  setp.eq.u32 %p, %t, 32;
  @%p bra USE;
  ret;
COPY:
  div.u32 %round, %i, {slots}; rem.u32 %slot, %i, {slots};
  mov.u32 %data, data; mad.lo.u32 %data, %slot, {SLOT_BYTES}, %data;
  shl.b32 %slot, %slot, 3;
  mov.u32 %full, filled; add.u32 %full, %full, %slot;
  mov.u32 %free, freed; add.u32 %free, %free, %slot;
  and.b32 %parity, %round, 1; xor.b32 %parity, %parity, 1;
EMPTY:
  mbarrier.try_wait.parity.shared.b64 %p, [%free], %parity;
  @!%p bra EMPTY;
  ld.param.u64 %at, [source];
  mbarrier.arrive.expect_tx.shared.b64 %state, [%full], {SLOT_BYTES};
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
    [%data], [%at], {SLOT_BYTES}, [%full];
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, {ITERATIONS};
  @%p bra COPY;
  ret;
USE:
  div.u32 %round, %i, {slots}; rem.u32 %slot, %i, {slots};
  shl.b32 %slot, %slot, 3;
  mov.u32 %full, filled; add.u32 %full, %full, %slot;
  mov.u32 %free, freed; add.u32 %free, %free, %slot;
  and.b32 %parity, %round, 1;
FULL:
  mbarrier.try_wait.parity.shared.b64 %p, [%full], %parity;
  @!%p bra FULL;
{used}
  mbarrier.arrive.shared.b64 %state, [%free];
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, {ITERATIONS};
  @%p bra USE;
  ret;
}}
"""


def timeline_of_ring(slots: int, work: int) -> Timeline:
    trace = Tracer()
    source = np.zeros(SLOT_BYTES, np.uint8)
    report = emulator.launch(
        ring(slots, work),
        grid=1,
        block=64,
        args=[source],
        mode="fast",
        bounds=HOPPER,
        watcher=trace,
    )
    return timeline_of(trace, report, HOPPER)


def waits(timeline: Timeline, track: str, what: str) -> list[Span]:
    return [s for s in timeline.of(track) if s.name == f"waits for {what}"]


def copies(timeline: Timeline) -> list[Span]:
    return sorted(
        (s for s in timeline.spans if s.kind == "copy"), key=lambda s: s.begin
    )


def test_a_ring_of_too_few_slots_makes_its_load_wait() -> None:
    scarce, ample = timeline_of_ring(1, 200), timeline_of_ring(ITERATIONS, 200)
    assert scarce.tracks["warp 0"] == "warp 0: copies"
    assert not waits(ample, "warp 0", "a free slot")
    # Each slot but the first is waited for: until its copy has come and was used.
    found = waits(scarce, "warp 0", "a free slot")
    assert len(found) == ITERATIONS - 1
    use = 200 * CHIP.alu.value
    assert all(s.end - s.begin > CHIP.bulk.value + use - 100 for s in found)
    assert scarce.clocks > ample.clocks + (ITERATIONS - 2) * CHIP.bulk.value


def test_copies_begin_when_a_slot_is_free_and_are_awaited() -> None:
    timeline = timeline_of_ring(2, 100)
    came = copies(timeline)
    assert len(came) == ITERATIONS
    freed = waits(timeline, "warp 0", "a free slot")
    for before, after in zip(freed, came[2:], strict=True):
        assert 0 <= after.begin - before.end < 50, "copied as soon as it was free"
    for copy in came:
        assert copy.end - copy.begin >= CHIP.bulk.value + SLOT_BYTES / 40
    # The wait of the other warp is over an mbarrier's round after its copy has come.
    after = CHIP.mbarrier.value
    ends = {(s.cell, s.phase): s.end for s in waits(timeline, "warp 1", "a copy")}
    arrivals = {(s.cell, s.phase): s.end + after for s in came}
    assert ends
    assert all(arrivals[key] == pytest.approx(end) for key, end in ends.items())


def product(n_iterations: int) -> Timeline:
    module = cuda_tile.load(PRODUCT)
    compiled = cuda_tile.compile(module, "sm_90")
    k = 64 * n_iterations
    made: list[Any] = [
        np.zeros(s, np.float16) for s in ((128, k), (k, 128), (128, 128))
    ]
    args = [arg for array in made for arg in cuda_tile.array_args(array)]
    trace = Tracer()
    report = cuda_tile.run(
        module,
        grid=1,
        args=args,
        on="emulator",
        compiled=compiled,
        watcher=trace,
        **counting(compiled),
    )
    return timeline_of(trace, report, HOPPER)


@pytest.mark.skipif(find_nvdisasm() is None, reason="needs nvdisasm")
def test_a_product_begins_when_its_operands_have_come() -> None:
    timeline = product(8)
    products = timeline.of("tensor cores")
    came = copies(timeline)[:-1]  # the last one stores the result
    assert len(products) == len(came) == 8
    for copy, found in zip(came, products, strict=True):
        assert found.begin >= copy.end + CHIP.mbarrier.value
    # 128 x 128 x 64 multiply-adds at 4,096 / 4 a clock, slower beside copies.
    clocks = 128 * 128 * 64 / HOPPER.fma_per_clock * CHIP.matrix_slower.value
    assert products[0].end - products[0].begin == pytest.approx(clocks, rel=0.05)
    # Six slots: the seventh copy waits for the first product.
    loader = next(t for t, name in timeline.tracks.items() if name.endswith(": copies"))
    first, _ = waits(timeline, loader, "a free slot")
    assert first.end >= products[0].end
    assert came[6].begin >= first.end > came[5].begin
    page = timeline_page(timeline)
    assert "Where each role waits" in page
    assert page.count('class="product"') >= 8


def checked_events(text: str) -> list[dict[str, Any]]:
    """The events of a trace, by the rules of the Trace Event Format."""
    whole = json.loads(text)
    assert whole["displayTimeUnit"] in ("ms", "ns")
    events = whole["traceEvents"]
    named = {e["tid"] for e in events if (e["ph"], e["name"]) == ("M", "thread_name")}
    last: dict[int, float] = {}
    for event in events:
        assert isinstance(event["name"], str)
        assert event["ph"] in ("X", "M")
        assert isinstance(event["pid"], int)
        assert event["tid"] in named
        if event["ph"] == "M":
            assert len(event["args"]) == 1
            continue
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        # Complete events of one thread must nest; these follow each other.
        assert event["ts"] >= last.get(event["tid"], 0.0) - 1e-9
        last[event["tid"]] = event["ts"] + event["dur"]
    return [event for event in events if event["ph"] == "X"]


def test_the_trace_meets_its_format() -> None:
    timeline = timeline_of_ring(2, 10)
    events = checked_events(timeline.to_json())
    assert len(events) == len(timeline.spans)
    assert {event["cat"] for event in events} == {"run", "wait", "copy"}
    copy = next(event for event in events if event["cat"] == "copy")
    clocks = copy["args"]["end"] - copy["args"]["begin"]
    assert copy["dur"] == pytest.approx(clocks / CHIP.boost_ghz.value / 1e3, abs=1e-4)
    assert copy["args"]["phase"] == 0


def test_spans_of_a_track_follow_each_other() -> None:
    a, b = Span("t", "a", 0, 10, "copy"), Span("t", "a", 5, 20, "copy")
    assert merged([b, a]) == [Span("t", "a", 0, 20, "copy")]
    other = Span("t", "b", 5, 20, "copy")
    assert merged([a, other]) == [a, Span("t", "b", 10, 20, "copy")]
    assert [s.track for s in in_rows([a, other], "r")] == ["r 1", "r 2"]
    late = Span("t", "a", 30, 40, "copy")
    assert {s.track for s in in_rows([a, late], "r")} == {"r 1"}


def test_a_full_trace_says_so() -> None:
    trace = Tracer(most_steps=100)
    report = emulator.launch(
        ring(2, 10),
        grid=1,
        block=64,
        args=[np.zeros(SLOT_BYTES, np.uint8)],
        mode="fast",
        bounds=HOPPER,
        watcher=trace,
    )
    timeline = timeline_of(trace, report, HOPPER)
    assert timeline.is_cut
    assert "The trace was full" in timeline_page(timeline)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [str(VADD), "--grid", "1", *["ones:f32[1024]"] * 3, "--on", "emulator"]
    for name in ("a.json", "a.html"):
        argv = ["cuda-tile-run", *words, "--timeline", str(tmp_path / name)]
        monkeypatch.setattr("sys.argv", argv)
        assert main() == 0
    assert checked_events((tmp_path / "a.json").read_text())
    assert "<svg" in (tmp_path / "a.html").read_text()


def test_another_ending_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [str(VADD), "--grid=1", "--on=emulator", "--timeline=a.txt"]
    monkeypatch.setattr("sys.argv", ["cuda-tile-run", *words])
    assert main() == 1


def test_without_bounds_there_is_none() -> None:
    report = emulator.launch(ring(1, 1), grid=1, block=64, args=[np.zeros(1024, "u1")])
    with pytest.raises(UserError, match="expected a report with bounds"):
        timeline_of(Tracer(), report, HOPPER)
