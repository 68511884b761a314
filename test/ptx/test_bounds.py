# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bound report against work that is known by hand, with the derivation."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from json_schemas import fitting
from ptx_arrays import aligned
from ptx_harness import module
from ptx_programs import FOLDER, PROGRAMS
from triton_kernels import kernels
from triton_products import problem_of

from cuda_tile.emulator import Report, launch, parse
from cuda_tile.emulator.bounds import Bound, Bounds
from cuda_tile.emulator.bounds.chip import resident_ctas
from cuda_tile.emulator.bounds.pending_loads import pending_bytes
from cuda_tile.emulator.bounds.work import fma_per_clock, issue_slots, special_results
from cuda_tile.emulator.ptx.loops import natural_loops
from cuda_tile.emulator.ptx.syntax import Function, Instruction
from cuda_tile.targets import find_target

TENSOR, ISSUE, SPECIAL = "tensor cores", "issue slots", "special functions"
SHARED, L2, DRAM, FLIGHT = "shared memory", "L2", "DRAM", "bytes in flight"


@dataclass(frozen=True)
class Chip:
    """Rates that make sums easy."""

    name: str = "sm_test"
    fma_per_clock: int = 1024
    f64_fma_per_clock: int = 64
    has_slow_f32_sums: bool = False
    has_packed_f32: bool = True
    exp2_per_clock: int = 16
    shared_bytes_per_clock: int = 128
    l2_bytes_per_clock: int = 32
    dram_bytes_per_clock: float = 8.0
    copy_latency_clocks: int = 500
    shared_bytes_per_sm: int = 64 * 1024
    shared_bytes_reserved: int = 1024
    threads_per_sm: int = 1024
    ctas_per_sm: int = 4
    registers_per_sm: int = 65536


CHIP = Chip()

LOOP = """
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 iterations)
{
	.reg .b32 %i, %t, %n, %a, %b, %s, %v<8>;
	.reg .b64 %x, %y, %p, %q, %w;
	.reg .f32 %f<8>;
	.reg .f64 %g<8>;
	.reg .pred %c;
	.shared .align 16 .b8 cells[8192];
	mov.u32 %i, %tid.x;
	ld.param.u64 %x, [x];
	ld.param.u64 %y, [y];
	ld.param.u32 %n, [iterations];
	mov.u32 %s, cells;
	mov.u32 %t, 0;
	mov.u32 %a, 0; mov.u32 %b, 0;
	mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
	mov.f64 %g0, 0d0000000000000000; mov.f64 %g1, %g0;
	mov.u32 %v0, 0; mov.u32 %v1, 0; mov.u32 %v2, 0; mov.u32 %v3, 0;
	mad.wide.u32 %p, %i, 16, %x;
	mad.lo.u32 %a, %i, SCALE, %s;
	mov.u64 %q, %p;
HEAD:
	BODY
	add.u32 %t, %t, 1;
	setp.lt.u32 %c, %t, %n;
	@%c bra HEAD;
	st.global.u32 [%y], %v0;
	ret;
}
"""
ITERATIONS = 5
OVERHEAD = 3  # add, setp and bra of the loop


def run(body: str, *, warps: int = 4, ctas: int = 2, scale: int = 4) -> Report:
    """Runs the loop with a body for `ITERATIONS` iterations."""
    text = module(LOOP.replace("BODY", body).replace("SCALE", str(scale)))
    x, y = aligned((1 << 16,), np.uint8), aligned((64,), np.uint32)
    args = [x, y, ITERATIONS]
    return launch(text, grid=ctas, block=32 * warps, args=args, bounds=CHIP)


def bounds_of(report: Report) -> Bounds:
    assert report.bounds is not None
    return report.bounds


def loop_of(report: Report) -> Bound:
    (loop,) = bounds_of(report).loops
    return loop


def clocks(bound: Bound, name: str) -> float:
    (found,) = [r.clocks for r in bound.resources if r.name == name]
    return found


A4, B2 = "{%v0, %v1, %v2, %v3}", "{%v0, %v1}"
D4 = "{%f0, %f1, %f2, %f3}"
I4 = "{%v4, %v5, %v6, %v7}"
MMA = "mma.sync.aligned"
# An instruction, its multiply-adds per warp and what a chip of 1024 does per clock.
PRODUCTS = {
    "f16": (f"{MMA}.m16n8k16.row.col.f32.f16.f16.f32 {D4}, {A4}, {B2}, {D4};", 16, 1),
    "bf16": (
        f"{MMA}.m16n8k16.row.col.f32.bf16.bf16.f32 {D4}, {A4}, {B2}, {D4};",
        16,
        1,
    ),
    "tf32": (f"{MMA}.m16n8k8.row.col.f32.tf32.tf32.f32 {D4}, {A4}, {B2}, {D4};", 8, 2),
    "f8": (
        f"{MMA}.m16n8k32.row.col.f32.e4m3.e5m2.f32 {D4}, {A4}, {B2}, {D4};",
        32,
        0.5,
    ),
    "s8": (f"{MMA}.m16n8k32.row.col.s32.s8.u8.s32 {I4}, {A4}, {B2}, {A4};", 32, 0.5),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("count", [1, 3])
def test_tensor_cores(name: str, count: int) -> None:
    """Each of 4 warps does `count` products of 16 x 8 x depth; 1024 a clock in f16."""
    line, depth, factor = PRODUCTS[name]
    loop = loop_of(run(line * count))
    fma = 4 * count * 16 * 8 * depth
    assert (loop.iterations, loop.warps) == (ITERATIONS, 4)
    assert clocks(loop, TENSOR) == pytest.approx(fma / 1024 * factor)
    assert clocks(loop, ISSUE) == pytest.approx((count + OVERHEAD) * 4 / 4)
    assert loop.limiter.name == TENSOR
    assert loop.share(ISSUE) == pytest.approx((count + OVERHEAD) / clocks(loop, TENSOR))


def test_tensor_cores_of_doubles() -> None:
    """8 x 8 x 4 multiply-adds of each of 4 warps, 64 per clock."""
    line = f"{MMA}.m8n8k4.row.col.f64.f64.f64.f64 {{%g0, %g1}}, {{%g2}}, {{%g3}}, "
    body = "mov.f64 %g2, %g0; mov.f64 %g3, %g0;" + line + "{%g0, %g1};"
    assert clocks(loop_of(run(body)), TENSOR) == pytest.approx(4 * 256 / 64)


def instruction(mnemonic: str) -> Instruction:
    opcode, *names = mnemonic.split(".")
    return Instruction(opcode, tuple(names), (), None, 1)


@pytest.mark.parametrize(
    ("gpu", "mnemonic", "rate"),
    [
        # sm_80: 312 TFLOPS in f16 and bf16, 156 in tf32, 19.5 in f64, 624 TOPS in int8,
        # with 108 multiprocessors at 1.41 GHz (data sheet).
        ("sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 1024),
        ("sm_80", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 1024),
        ("sm_80", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 512),
        ("sm_80", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 64),
        ("sm_80", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 2048),
        ("sm_80", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4096),
        ("sm_90", "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16", 2048),
        ("sm_90", "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3", 4096),
        # sm_89: 165 TFLOPS in f16 with f32 sums, 330 with f16 sums and in f8, 660 TOPS
        # in int8 (Ada white paper).
        ("sm_89", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 256),
        ("sm_89", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 512),
        ("sm_89", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 512),
        ("sm_89", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 1024),
        ("sm_89", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 256),
        ("sm_100", "tcgen05.mma.cta_group::1.kind::f16", 4096),
        ("sm_100", "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale", 8192),
        ("sm_100", "tcgen05.mma.cta_group::1.kind::mxf4.block_scale", 16384),
    ],
)
def test_rates(gpu: str, mnemonic: str, rate: int) -> None:
    assert fma_per_clock(find_target(gpu), instruction(mnemonic)) == rate


def test_weights() -> None:
    """Names are free, 64-bit integers are two, a special function is one and one."""
    expected = {
        "mov.b32": 0,
        "cvta.to.global.u64": 0,
        "ld.param.u64": 0,
        "add.s32": 1,
        "add.s64": 2,
        "mul.lo.s64": 3,
        "mul.wide.u32": 1,
        "ex2.approx.ftz.f32": 1,
        "fma.rn.f32x2": 1,
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16": 1,
    }
    assert {m: issue_slots(instruction(m), 0) for m in expected} == expected
    wmma = instruction("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32")
    assert issue_slots(wmma, 16 * 16 * 16) == 2
    for chip, slots in {"sm_100": 1, "sm_103": 1, "sm_110": 2, "sm_120": 2}.items():
        pairs = instruction("fma.rn.f32x2")
        has_pairs = find_target(chip).has_packed_f32
        assert issue_slots(pairs, 0, has_packed_f32=has_pairs) == slots
    special = ("ex2.approx.f32", "ex2.approx.f16x2", "add.f32", "div.s32")
    assert [special_results(instruction(m)) for m in special] == [1, 2, 0, 0]


def test_special_functions() -> None:
    """2 exponentials and a root of 4 warps are 384 results, 16 per clock."""
    body = "ex2.approx.ftz.f32 %f1, %f0;" * 2 + "rsqrt.approx.f32 %f1, %f0;"
    loop = loop_of(run(body))
    assert clocks(loop, SPECIAL) == 384 / 16
    assert loop.limiter.name == SPECIAL


@pytest.mark.parametrize(("scale", "ways"), [(4, 1), (8, 2), (16, 4)])
def test_shared_memory(scale: int, ways: int) -> None:
    """4 warps store words `scale` bytes apart twice: so many ways of conflict."""
    loop = loop_of(run("st.shared.u32 [%a], %v0;" * 2, scale=scale))
    assert clocks(loop, SHARED) == 4 * 2 * ways


@pytest.mark.parametrize("warps", [1, 4])
def test_sectors_that_the_first_cache_may_serve(warps: int) -> None:
    """Each iteration loads the same 512 bytes of a warp: 16 sectors of a CTA in all.

    Both CTAs load the same, so that half comes from DRAM, per CTA.
    """
    loop = loop_of(run(f"ld.global.v4.u32 {A4}, [%p];", warps=warps))
    assert clocks(loop, L2) == pytest.approx(warps * 512 / 32 / ITERATIONS)
    assert clocks(loop, DRAM) == pytest.approx(warps * 512 / 8 / ITERATIONS / 2)


@pytest.mark.parametrize(
    "line",
    [
        f"ld.global.cg.v4.u32 {A4}, [%p];",
        f"ld.relaxed.gpu.global.v4.u32 {A4}, [%p];",
        "cp.async.cg.shared.global [%a], [%p], 16; cp.async.wait_all;",
        f"st.global.v4.u32 [%p], {A4};",
    ],
)
def test_sectors_past_the_first_cache(line: str) -> None:
    """What goes past it asks L2 in each iteration: 512 bytes of a warp."""
    loop = loop_of(run(line, warps=1, scale=16, ctas=1))
    assert clocks(loop, L2) == pytest.approx(512 / 32)
    assert clocks(loop, DRAM) == pytest.approx(512 / 8 / ITERATIONS)


def test_each_iteration_loads_something_else() -> None:
    """512 bytes of a warp and iteration; reads and writes count both."""
    body = f"ld.global.v4.u32 {A4}, [%q]; add.u64 %q, %q, 512;"
    loop = loop_of(run(body, warps=1, ctas=1))
    assert clocks(loop, DRAM) == pytest.approx(512 / 8)
    body = f"ld.global.v4.u32 {A4}, [%q]; st.global.v4.u32 [%q], {A4};"
    loop = loop_of(run(body + "add.u64 %q, %q, 512;", warps=1, ctas=1))
    assert clocks(loop, DRAM) == pytest.approx(2 * 512 / 8)
    assert clocks(loop, L2) == pytest.approx(2 * 512 / 32)


COPY = (
    "cp.async.cg.shared.global [%a], [%q], 16;add.u64 %q, %q, 512; add.u32 %a, %a, 512;"
)


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_copies_in_flight(ahead: int) -> None:
    """A wait leaves `ahead` groups of 512 bytes: with its own, so many are in flight.

    An iteration brings 512 bytes; 4 CTAs share the latency of 500 clocks.
    """
    body = f"{COPY} cp.async.commit_group; cp.async.wait_group {ahead};"
    report = run(body, warps=1, scale=16)
    loop = loop_of(report)
    assert bounds_of(report).ctas == 4
    assert loop.bytes_in_flight == 512 * (ahead + 1)
    assert clocks(loop, FLIGHT) == pytest.approx(500 / (ahead + 1) / 4)


def test_loads_in_flight() -> None:
    """Two loads of 16 bytes are on their way before the first use."""
    load = "ld.global.v4.u32 {{%v{}, %v{}, %v{}, %v{}}}, [%p+{}];"
    first, second = load.format(0, 1, 2, 3, 0), load.format(4, 5, 6, 7, 512)
    use = "add.u32 %b, %v0, %v4;"
    assert loop_of(run(first + second + use)).bytes_in_flight == 2 * 16 * 128
    serial = f"{first} add.u32 %b, %v0, %b; {second} add.u32 %b, %v4, %b;"
    assert loop_of(run(serial)).bytes_in_flight == 16 * 128


@pytest.mark.parametrize(
    ("program", "warps", "in_flight"),
    # Two stages of 512 bytes, filled by one warp for another; one of 1024 bytes, as the
    # thread that fills a stage waits for it before it fills the next.
    [("copy_pipeline", 2, 2 * 512), ("bulk_ring", 4, 1024)],
)
def test_rings(program: str, warps: int, in_flight: int) -> None:
    """Loops of different warps with as many iterations are one pipeline."""
    chosen = PROGRAMS[program]
    problem = chosen.make(np.random.default_rng(0))
    report = launch(
        chosen.text,
        grid=chosen.grid,
        block=chosen.block,
        args=problem.args,
        bounds=find_target("sm_90"),
    )
    loop = loop_of(report)
    assert (loop.iterations, loop.warps) == (5, warps)
    assert loop.bytes_in_flight == in_flight
    assert len(loop.lines) == (2 if program == "copy_pipeline" else 1)


def test_waiting_is_no_loop() -> None:
    """Blocks poll what the one before them left; their loop is the scan of a warp."""
    chosen = PROGRAMS["chained_scan"]
    problem = chosen.make(np.random.default_rng(0))
    report = launch(
        chosen.text,
        grid=chosen.grid,
        block=chosen.block,
        args=problem.args,
        bounds=CHIP,
    )
    loop = loop_of(report)
    assert (loop.title, loop.iterations, loop.warps) == ("lines 33-37", 5, 2)


def test_the_grid_is_per_cta() -> None:
    """3 CTAs do what one does, each."""
    line, depth, _ = PRODUCTS["f16"]
    one, three = (bounds_of(run(line, ctas=n)).grid for n in (1, 3))
    assert clocks(one, TENSOR) == ITERATIONS * 4 * 16 * 8 * depth / 1024
    assert clocks(three, TENSOR) == clocks(one, TENSOR)
    assert clocks(three, ISSUE) == clocks(one, ISSUE)
    assert (three.iterations, three.title) == (1, "grid")


def test_nothing_is_recorded_unless_asked_for() -> None:
    text = module(LOOP.replace("BODY", "").replace("SCALE", "4"))
    args = [aligned((64,), np.uint8), aligned((64,), np.uint32), 1]
    report = launch(text, grid=1, block=32, args=args)
    assert report.bounds is None
    assert report.counters.traffic is None
    assert "bounds" not in json.loads(report.to_json())


def test_forms() -> None:
    """JSON, the table and the listing say the same."""
    report = run(PRODUCTS["f16"][0] * 4)
    loop = loop_of(report)
    record = fitting(report.to_json(), "run")["bounds"]
    assert record["chip"] == "sm_test"
    (found,) = record["loops"]
    assert (found["limiter"], found["iterations"]) == (TENSOR, ITERATIONS)
    tensor = next(r for r in found["resources"] if r["name"] == TENSOR)
    assert (tensor["clocks"], tensor["share"]) == (clocks(loop, TENSOR), 1)
    text = report.table()
    assert "limiter" in text
    assert loop.title in text
    (note,) = [
        n for n in report.annotated().splitlines() if "bound of an iteration" in n
    ]
    assert "32 clocks of tensor cores, issue slots 22%" in note


def test_source_lines() -> None:
    """`.loc` names where a loop comes from."""
    body = "add.u32 %b, %b, 1;\n\t.loc 1 17 3\n\tadd.u32 %b, %b, 1;"
    text = module(LOOP.replace("BODY", body).replace("SCALE", "4"))
    text = text.replace("HEAD:", ".loc 1 16 2\nHEAD:") + '\n.file 1 "/a/kernel.py"\n'
    args = [aligned((64,), np.uint8), aligned((64,), np.uint32), 3]
    report = launch(text, grid=1, block=32, args=args, bounds=CHIP)
    assert loop_of(report).source == "kernel.py:16"
    assert "(kernel.py:16)" in report.table()


def function_of(text: str) -> Function:
    (found,) = parse(module(text)).functions.values()
    return found


NEST = """
.visible .entry k(.param .u32 n)
{
	.reg .b32 %i, %j, %n, %x<4>; .reg .pred %p, %q; .reg .b64 %a;
	ld.param.u32 %n, [n]; mov.u64 %a, 0;
	mov.u32 %i, 0;
OUTER:
	mov.u32 %j, 0;
	setp.eq.u32 %q, %n, 1;
	@%q bra NEXT;
INNER:
	add.u32 %j, %j, 1;
	setp.lt.u32 %p, %j, %n;
	@%p bra INNER;
NEXT:
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %n;
	@%p bra OUTER;
	bra TAIL;
LEFT:
	mov.u32 %i, 1;
	bra RIGHT;
TAIL:
	@%q bra LEFT;
RIGHT:
	mov.u32 %i, 2;
	@%p bra LEFT;
	ret;
}
"""


def test_natural_loops() -> None:
    """A nest of two; the cycle of LEFT and RIGHT has two entries and is none."""
    function = function_of(NEST)
    outer, inner = natural_loops(function)
    names = [i.opcode for i in function.code]
    assert inner.body < outer.body
    assert [names[n] for n in sorted(inner.body)] == ["add", "setp", "bra"]
    assert len(outer.body) == 9
    assert list(outer.latches.values()) == [outer.body]


def test_loads_that_nobody_used_yet() -> None:
    """A load counts until its result is named, also around a loop."""
    text = LOOP.replace("SCALE", "4").replace(
        "BODY", "add.u32 %b, %v0, 1; ld.global.u32 %v0, [%p];"
    )
    function = function_of(text)
    head = next(n for n, i in enumerate(function.code) if str(i.operands[0]) == "%b")
    assert pending_bytes(function)[head - 1] == 0
    (load,) = [n for n, i in enumerate(function.code) if "global" in i.modifiers][:1]
    assert pending_bytes(function)[load] == 4
    assert pending_bytes(function)[load + 3] == 4


@pytest.mark.parametrize(
    ("threads", "shared", "registers", "ctas"),
    [
        (128, 0, None, 4),
        (512, 0, None, 2),
        (128, 31 * 1024, None, 2),
        (128, 32 * 1024, None, 1),
        (256, 0, 128, 2),
        (256, 0, 255, 1),
    ],
)
def test_resident_ctas(
    threads: int, shared: int, registers: int | None, ctas: int
) -> None:
    assert resident_ctas(CHIP, threads, shared, registers) == ctas


@pytest.mark.parametrize(
    ("name", "warps"),
    [("matmul_f16.sm_80", 4), ("matmul_f16.sm_90", 4), ("tma_matmul_f16.sm_90", 4)],
)
def test_foreign_programs(name: str, warps: int) -> None:
    """Triton's products: the loop's multiply-adds are those of the grid."""
    kernel = kernels()[name]
    problem = problem_of(name)(np.random.default_rng(0))
    report = kernel.start(problem, "fast", bounds=find_target(name.split(".")[1]))
    bounds = bounds_of(report)
    loop = bounds.hottest()
    in_all = clocks(bounds.grid, TENSOR)
    assert in_all > 0
    assert clocks(loop, TENSOR) * loop.iterations <= in_all * 1.001
    assert loop.warps == warps
    assert loop.bytes_in_flight > 0


def test_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """`--bounds` takes the chip from the module."""
    from cuda_tile.emulator.__main__ import main

    path = str(FOLDER / "reduction.ptx")
    words = [path, "--grid", "2", "ones:f32[512]", "zeros:f32[2]", "--bounds"]
    assert main(words) == 0
    assert "limiter" in capfd.readouterr().out


EXITS = """
.visible .entry k(.param .u64 x, .param .u32 n)
{
	.reg .b32 %t, %n, %v; .reg .pred %p; .reg .b64 %x;
	ld.param.u64 %x, [x]; ld.param.u32 %n, [n];
	mov.u32 %t, 0;
HEAD:
	FIRST
	setp.ge.u32 %p, %t, %n;
	@%p bra DONE;
	LAST
	add.u32 %t, %t, 1;
	bra HEAD;
DONE:
	st.global.u32 [%x], %t;
	ret;
}
"""


@pytest.mark.parametrize(
    ("first", "last", "iterations"),
    # The test stands ahead of the iteration's work; in the middle, behind a barrier
    # that ends the head's block, so that what comes before it runs once more.
    [("", "bar.sync 0;", 5), ("bra WORK; WORK: bar.sync 0;", "", 6)],
)
def test_where_a_loop_ends(first: str, last: str, iterations: int) -> None:
    text = module(EXITS.replace("FIRST", first).replace("LAST", last))
    args = [aligned((1,), np.uint32), 5]
    report = launch(text, grid=2, block=64, args=args, bounds=CHIP)
    assert (loop_of(report).iterations, loop_of(report).warps) == (iterations, 2)
