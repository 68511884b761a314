# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first day on a GPU: bundle, runner on a stand-in for the driver, and page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import day_bundle
import day_page
import day_runner
import gpu_check
import gpu_runner
import numpy as np
import pytest
from day_constants import CHAIN, PROBES, UNMEASURED, Probe
from day_times import TIMED, Timed, stream
from day_triton import Theirs, launch_of
from test_gpu_check import TEXT
from triton_kernels import Described, kernels
from triton_specs import Assembled

import cuda_tile
from cuda_tile import emulator
from cuda_tile.chip_clocks import ChipClocks, Constant, chip_clocks
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.machine.code import read_code
from cuda_tile.machine.disassembler import disassemble, find_nvdisasm
from cuda_tile.runtime.launch import spans
from cuda_tile.targets import find_target

OPCODES = {
    "alu": "FFMA",
    "special": "MUFU",
    "matrix": "HMMA",
    "shared": "LDS",
    "shuffle": "SHFL",
    "l2": "LD",
    "barrier": "BAR",
    "mbarrier": "SYNCS",
    "bulk": "UBLKCP",
}
"""How the machine code of each chain's instructions begins."""
HOPPER = find_target("sm_90")
MEASURED = [probe for probe in PROBES if probe.constant in OPCODES]
TINY = stream("softmax f32 1024", "softmax", 1 << 12)


def theirs(_: str, values: Sequence[Any]) -> Theirs:
    """What Triton made of a product; here it gets another kernel's arrays."""
    x, y, rows, _ = values
    made = Assembled(kernels()["tma_matmul_f16.sm_90"], 0, 0, 0)
    half = [Described(each.view(np.float16).reshape(4, -1)) for each in (x, y, y)]
    return made, [*half, rows]


BESIDE = replace(TINY, name="beside", triton=theirs)
Run = Callable[..., tuple[int, str, Any]]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("day")
    kernel = gpu_check.Kernel(
        "ops/add",
        lambda: cuda_tile.load(TEXT),
        lambda: [np.arange(16, dtype=np.int32), 1],
        (1,),
    )
    day_bundle.make_bundle(folder, ["sm_90"], [kernel], [TINY])
    return folder


def test_triton_is_timed_beside_ours(
    stub: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(day_bundle, "_predictions", lambda *_: ())
    monkeypatch.setattr(day_bundle, "EXPERIMENTS", ())
    bundle, log = tmp_path / "day", tmp_path / "log"
    day_bundle.make_bundle(bundle, ["sm_90"], [], [BESIDE], has_triton=True)
    run = partial(run_day, bundle, stub, tmp_path, "--only", "times")
    code, said, day = run(STUB_KERNEL="nothing", STUB_LOG=str(log))
    assert code == 0, said
    (time,) = day["times"]
    assert time["triton_us"] == pytest.approx(12.5)
    assert time["triton_apart"] == 0
    claim = day_page.claims(day)[-1]
    assert claim.says == "beside gives what Triton's kernel does"
    assert claim.holds
    assert "| 12.5 | 100% |" in day_page.page(day)
    calls = log.read_text().splitlines()
    maps = [call for call in calls if call.startswith("cuTensorMapEncodeTiled")]
    assert len(maps) == 3
    assert "(2048 step 1 box 64) (4 step 1 box 128) stride 4096" in maps[0]
    _, _, day = run(STUB_KERNEL="nothing", STUB_FAIL="cuTensorMapEncodeTiled=1")
    assert "cuTensorMapEncodeTiled" in day["times"][0]["triton_failure"]
    assert [c.holds for c in day_page.claims(day)][-1] is None


def test_parameters_are_those_of_tritons_ptx(tmp_path: Path) -> None:
    """A descriptor is a map, sizes and strides, as the emulator's tests launch it."""
    (tmp_path / "code").mkdir()
    made, args = theirs("sm_90", BESIDE.full()[1])
    pieces = spans([arg.array for arg in args[:2]])
    launch = launch_of((made, args), "k", pieces, tmp_path)
    assert launch is not None
    (function,) = emulator.parse(made.kernel.text).functions.values()
    assert [p.size_bytes for p in function.params] == [
        128 if "kind" in p else len(bytes.fromhex(p.get("bytes", "00" * 8)))
        for p in launch["parameters"]
    ]
    maps = [p for p in launch["parameters"] if "kind" in p]
    assert [m["box"] for m in maps] == [[64, 128], [64, 64], [64, 128]]
    assert maps[0]["extents"] == [args[0].array.shape[1], 4]


def test_results_that_are_apart_are_told() -> None:
    one = np.array([1.0, 100.0], np.float32)
    other = one + np.float32(3)
    assert day_runner.apart("float32", one.view(np.uint8), other.view(np.uint8)) == (
        pytest.approx(0.03)
    )
    words = np.array([0x3F80, 0x4000], np.uint16).view(np.uint8)
    assert day_runner.apart("bfloat16", words, words[[2, 3, 2, 3]]) == 0.5
    time = {"name": "t", "us": 1.0, "triton_us": 2.0, "triton_apart": 0.03}
    assert [c.holds for c in day_page.claims({"times": [time]})][-1] is False


@pytest.fixture
def run(bundle: Path, stub: Path, tmp_path: Path) -> Run:
    """Runs the bundle, with nothing but NumPy; gives exit code, output, the file."""
    return partial(run_day, bundle, stub, tmp_path)


def run_day(
    bundle: Path, stub: Path, tmp_path: Path, *words: str, **settings: str
) -> tuple[int, str, Any]:
    done = subprocess.run(
        [sys.executable, str(bundle / "day.py"), "--json=day.json", *words],
        env=os.environ | {gpu_runner.LIBRARY: str(stub), **settings},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    file = tmp_path / "day.json"
    day = json.loads(file.read_text()) if file.exists() else None
    return done.returncode, done.stdout + done.stderr, day


def test_every_section_runs(run: Run, bundle: Path) -> None:
    code, said, day = run()
    assert code == 0, said
    assert (day["device"], day["chip"]) == ("Stub GPU", "sm_90")
    assert [r["verdict"] for r in day["right"]] == ["PASS"]
    plan = json.loads((bundle / "plan.json").read_text())
    assert len(day["questions"]) == len(plan["questions"]) > 80
    assert {r["question"] for r in day["questions"]} > {2, 13}
    assert [r["constant"] for r in day["constants"]] == [p.constant for p in PROBES]
    (time,) = day["times"]
    assert time["us"] == pytest.approx(12.5)
    assert time["predicted"]["low"] < time["predicted"]["high"]
    assert "sanitizer: compute-sanitizer is not installed" in day["left_out"]


def test_the_page_says_which_claims_fell(run: Run, tmp_path: Path) -> None:
    """The stand-in computes nothing, so that nearly all of them do."""
    code, _, day = run(STUB_KERNEL="wrong")
    assert code == 1
    page = tmp_path / "page.md"
    assert day_page.main([str(tmp_path / "day.json"), "-o", str(page)]) == 1
    text = page.read_text()
    assert text.startswith("# Stub GPU (sm_90)")
    fell = text.partition("## What fell")[2].partition("## Times")[0]
    right = "| every kernel gives what the interpreter computes | 0 passed, 1 failed"
    assert right in fell
    assert "| alu is 4, from 4 to 4 |" in fell
    assert "softmax f32 1024, 4 rows takes" in fell
    assert "| softmax f32 1024, 4 rows | 12.5 |" in text
    found = {claim.says: claim.holds for claim in day_page.claims(day)}
    assert found["compute-sanitizer finds nothing"] is None


def test_claims_hold_at_the_edges_of_their_intervals() -> None:
    known = {"alu": {"value": 4, "fast": 3, "slow": 5, "kind": "assumed", "source": ""}}
    said = {"low": 10.0, "likely": 12.0, "high": 15.0}
    time = {"name": "t", "flops": 0.0, "bytes": 1.0, "torch_us": None}

    def holds(alu: float, us: float) -> list[bool | None]:
        day = {
            "right": [{"kernel": "k", "verdict": "PASS"}],
            "constants": [{"name": "constants/alu", "constant": "alu", "value": alu}],
            "times": [{**time, "us": us, "predicted": said}],
            "known": known,
        }
        return [claim.holds for claim in day_page.claims(day)]

    assert holds(3, 15.0) == [True, None, True, True]
    assert holds(5.1, 9.9) == [True, None, False, False]


def test_what_there_is_no_time_for_is_named(run: Run) -> None:
    code, _, day = run("--minutes", "0")
    assert code == 0
    assert day["right"] == day["times"] == []
    assert {"ops/add", "softmax f32 1024, 4 rows"} <= set(day["left_out"])
    _, _, day = run("--only", "times")
    assert "right: not asked for" in day["left_out"]
    assert day["times"]


@pytest.mark.parametrize(
    ("settings", "code", "said"),
    [
        ({"STUB_FAIL": "cuInit=100"}, 2, "cannot run: cuInit: error 100"),
        ({"STUB_DEVICES": "0"}, 2, "cannot run: expected device 0"),
        ({"STUB_FAIL": "cuLaunchKernelEx=700"}, 1, "1 kernels failed"),
    ],
)
def test_failures(run: Run, settings: dict[str, str], code: int, said: str) -> None:
    got, text, day = run("--only", "right", "times", **settings)
    assert (got, said in text) == (code, True), text
    if day:
        assert "error 700" in day["times"][0]["failure"]
        assert [c.holds for c in day_page.claims(day)][-1] is None


def test_other_files_are_refused(tmp_path: Path, capsys: Any) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"schema": 1}')
    assert day_page.main([str(other)]) == 2
    assert "expected what day.py writes, of schema 2" in capsys.readouterr().err


def test_compute_sanitizer_is_used_where_it_is(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "compute-sanitizer"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$2" = racecheck ] && exit 9\nexit 0\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    _, _, day = run("--only", "sanitizer", PATH=path)
    found = [(r["kernel"], r["tool"], r["verdict"]) for r in day["sanitizer"]]
    assert found == [
        ("ops/add", "memcheck", "PASS"),
        ("ops/add", "racecheck", "FAIL"),
    ]
    assert day_page.claims(day)[1].holds is False


# Constants ---------------------------------------------------------------------------


def test_each_constant_is_measured_or_it_is_said_why_not() -> None:
    names = {
        name
        for name in ChipClocks.__dataclass_fields__
        if isinstance(getattr(chip_clocks(HOPPER), name), Constant)
    }
    measured = {probe.constant for probe in PROBES}
    assert measured | set(UNMEASURED) == names
    assert not measured & set(UNMEASURED)


@pytest.mark.skipif(find_nvdisasm() is None, reason="nvdisasm reads machine code")
@pytest.mark.parametrize("probe", MEASURED, ids=lambda p: p.constant)
def test_ptxas_keeps_the_chains_between_the_clocks(probe: Probe) -> None:
    text = disassemble(assemble(probe.text("sm_90a"), "sm_90a").cubin)
    names = [i.name for i in read_code(text, "probe").code]
    clocks = [n for n, name in enumerate(names) if name.startswith("CS2R")][-3:]
    head = OPCODES[probe.constant]
    between = [
        sum(name.startswith(head) for name in names[first:last])
        for first, last in pairwise(clocks)
    ]
    assert len(between) == 2
    assert between[0] >= CHAIN
    assert between[1] - between[0] >= CHAIN


@pytest.mark.parametrize("probe", MEASURED, ids=lambda p: p.constant)
def test_the_programs_run_without_a_finding(probe: Probe) -> None:
    out, cell = np.zeros(8, np.uint64), np.zeros(128, np.uint64)
    emulator.launch(
        probe.text("sm_90a"), grid=1, block=probe.threads, args=[out, cell], mode="fast"
    )
    first, middle, last = (int(value) for value in out[:3])
    assert last >= middle >= first > 0, "its clock is that of blocks"


@pytest.mark.parametrize("target", ["sm_80", "sm_100a", "sm_120a"])
def test_the_programs_assemble_for_other_chips(target: str) -> None:
    for probe in PROBES:
        if int(target.strip("sm_a")) >= probe.since:
            assert assemble(probe.text(target), target).cubin


def test_random_arrays_fill_their_spans() -> None:
    assert not day_runner.filled("zeros", 24).any()
    values = day_runner.filled("float16", 8 << 20).view(np.float16)
    assert len(values) == 4 << 20
    assert 0.9 < values.astype(np.float32).std() < 1.1
    halves = day_runner.filled("bfloat16", 1 << 20).view(np.uint16).astype(np.uint32)
    assert 0.9 < (halves << 16).view(np.float32).std() < 1.1


@pytest.mark.parametrize("timed", TIMED, ids=lambda timed: timed.name)
def test_full_launches_have_the_bytes_that_they_claim(timed: Timed) -> None:
    """Rows and all that a row has are grown; weights and widths stay."""
    _, few = timed.counted()
    _, many = timed.full()
    size = sum(arg.nbytes for arg in many if isinstance(arg, np.ndarray))
    assert size == timed.bytes
    assert [type(arg) for arg in few] == [type(arg) for arg in many]
    assert timed.as_grid == np.prod(timed.full()[0])
