# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile.emulator`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from json_schemas import fitting

import cuda_tile
from cuda_tile.codegen.versions import versions
from cuda_tile.emulator.__main__ import main
from cuda_tile.emulator.report import SCHEMA

HERE = Path(__file__).parent
PROGRAM = str(HERE / "programs" / "reduction.ptx")
LAUNCH = ["--grid", "2", "--block", "256"]


def test_it_runs_saves_and_counts(tmp_path: Path, capsys) -> None:
    target = tmp_path / "sums.npy"
    args = [PROGRAM, *LAUNCH, "ones:f32[512]", f"out:{target}:f32[2]"]
    assert main(args) == 0
    assert np.load(target).tolist() == [256, 256]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "source: float32[512] 1 to 1"
    assert lines[1] == f"result: float32[2] 256 to 256, saved to {target}"
    assert lines[2].split() == ["reduction", "all", "lines", "49-55"]


def test_block_and_cluster_come_from_the_kernel(capsys) -> None:
    path = str(HERE / "programs" / "cluster_reduction.ptx")
    assert main([path, "--grid", "4", "ones:i32[512]", "zeros:i32[1]"]) == 0
    assert "result: int32[1] 512 to 512" in capsys.readouterr().out


def test_tensor_maps(tmp_path: Path, capsys) -> None:
    path = str(HERE / "programs" / "tma_transpose.ptx")
    target = tmp_path / "turned.npy"
    maps = ["map:32,32:arange:f32[96,64]", f"map:32,32:out:{target}:f32[64,96]"]
    assert main([path, "--grid", "2", *maps, "3"]) == 0
    wanted = np.arange(96 * 64, dtype=np.float32).reshape(96, 64).T
    assert np.array_equal(np.load(target), wanted)
    assert main([path, "--grid", "2", "map:32,32:zeros:f32[96,64]", "1", "3"]) == 1
    assert "a tensor map perhaps" in capsys.readouterr().err
    assert main([path, "--grid", "2", "map:32x32:zeros:f32[96,64]", "1", "3"]) == 1
    assert "expected map:BOX:ARRAY" in capsys.readouterr().err


STYLES = {
    "nvcc": ["--grid", "2", "--block", "128", "ones:f32[250]", "zeros:f32[2]", "250"],
    "triton": ["--grid", "1", *["ones:f32[600]"] * 2, "zeros:f32[600]", "500", "0"],
}


@pytest.mark.parametrize("style", STYLES)
def test_ptx_of_other_compilers(style: str, capsys) -> None:
    path = str(HERE / "styles" / f"{style}.ptx")
    assert main([path, *STYLES[style], "--mode", "adversarial"]) == 0
    said = capsys.readouterr().out
    wanted = {"nvcc": "float32[2] 244 to 256", "triton": "float32[600] 0 to 2"}
    assert wanted[style] in said
    assert ("hello 1\n" in said) == (style == "nvcc")


def test_json_and_listing(capsys) -> None:
    args = [PROGRAM, *LAUNCH, "ones:f32[512]", "zeros:f32[2]"]
    assert main([*args, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["kernel"] == "reduction"
    assert main([*args, "--annotate", "--mode", "adversarial"]) == 0
    assert "bar.sync" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            [*LAUNCH, "ones:f32[512]"],
            "expected 2 arguments, got 1; its parameters are .",
        ),
        (["--grid", "2", "--block", "64", "ones:f32[8]", "1"], "expected a block"),
        ([*LAUNCH, "ones:f32[300]", "zeros:f32[2]"], "out of bounds"),
        ([*LAUNCH, "what", "zeros:f32[2]"], "expected a number"),
        ([*LAUNCH, "ones:f32[99999999999999]", "1"], "an array that fits in memory"),
        ([*LAUNCH, "--limit", "0", "ones:f32[512]", "1"], "a whole number of 1"),
        ([*LAUNCH, "--shared", "999999", "1", "1"], "at most 232448 bytes"),
        (["--grid", "2,2,2,2", "1", "1"], "1 to 3 positive extents of the grid"),
    ],
)
def test_mistakes_are_one_sentence(args: list[str], message: str, capsys) -> None:
    assert main([PROGRAM, *args]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_file_that_is_no_ptx_is_named(tmp_path: Path, capsys) -> None:
    path = tmp_path / "kernel.mlir"
    path.write_text("module {}")
    assert main([str(path), *LAUNCH]) == 1
    assert f"error: {path}: ptx line 1: expected" in capsys.readouterr().err


def test_a_missing_file(capsys) -> None:
    assert main(["none.ptx", *LAUNCH]) == 1
    assert "none.ptx" in capsys.readouterr().err


def test_what_is_no_text(tmp_path: Path, capsys) -> None:
    path = tmp_path / "binary.ptx"
    path.write_bytes(b".version \xff")
    assert main([str(path), *LAUNCH]) == 1
    said = capsys.readouterr().err
    assert said.endswith("expected PTX text in UTF-8, got byte 0xff at offset 9\n")


def test_text_may_come_from_stdin(monkeypatch, capsys) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(Path(PROGRAM).read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["-", *LAUNCH, "ones:f32[512]", "zeros:f32[2]"]) == 0
    assert "result: float32[2] 256 to 256" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["out", "json"])
def test_a_missing_folder_is_noticed_before_the_run(option: str, capsys) -> None:
    out = "out:/none/such.npy:f32[2]" if option == "out" else "zeros:f32[2]"
    more = ["--json", "/none/such.json"] if option == "json" else []
    assert main([PROGRAM, *LAUNCH, "ones:f32[512]", out, *more]) == 1
    said = capsys.readouterr()
    assert "expected a folder /none to write to, got none" in said.err
    assert not said.out


def test_arrays_of_another_byte_order(tmp_path: Path, capsys) -> None:
    path = tmp_path / "big.npy"
    np.save(path, np.ones(512, ">f4"))
    assert main([PROGRAM, *LAUNCH, str(path), "zeros:f32[2]"]) == 1
    assert "this machine's byte order, got >f4" in capsys.readouterr().err


def test_findings_count_though_nobody_reads_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "racy.ptx"
    path.write_text(Path(PROGRAM).read_text().replace("bar.sync 0;", "", 1))
    args = [str(path), *LAUNCH, "--collect", "ones:f32[512]", "zeros:f32[2]"]
    command = [sys.executable, "-m", "cuda_tile.emulator", *args, "--json", "-"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait() == 1


def test_findings_can_be_collected(tmp_path: Path, capsys) -> None:
    text = Path(PROGRAM).read_text().replace("bar.sync 0;", "", 1)
    path = tmp_path / "racy.ptx"
    path.write_text(text)
    args = [str(path), *LAUNCH, "--collect", "ones:f32[512]", "zeros:f32[2]"]
    assert main(args) == 1
    assert "finding: reduction: ptx line" in capsys.readouterr().err
    assert main([*args, "--json", "-"]) == 1
    whole = fitting(capsys.readouterr().out, "run")
    assert (whole["schema"], whole["chip"]) == (SCHEMA, "sm_80")
    assert whole["versions"] == versions()
    first, *_ = whole["findings"]
    assert (first["kind"], first["kernel"]) == ("race", "reduction")


# By a launch record -------------------------------------------------------------------

KERNEL = HERE.parent / "kernels" / "13.4" / "transpose_f32_64x64.tileirbc"
SHAPES = ("128", "64", "64", "1", "zeros:f32[64,128]", "64", "128", "128", "1")


@pytest.fixture(name="compiled", scope="module")
def compiled_kernel(tmp_path_factory: Any) -> tuple[str, str]:
    """PTX and JSON report of a compiled kernel, as files."""
    folder = tmp_path_factory.mktemp("compiled")
    compiled = cuda_tile.compile(cuda_tile.load(KERNEL), "sm_90")
    (folder / "k.ptx").write_text(compiled.ptx)
    (folder / "report.json").write_text(compiled.report.to_json())
    return str(folder / "k.ptx"), str(folder / "report.json")


def test_a_launch_by_its_record(compiled: tuple[str, str], capsys) -> None:
    ptx, report = compiled
    words = [ptx, "--record", report, "--grid", "2,1", "ones:f32[128,64]", *SHAPES]
    assert main(words) == 0
    assert "float32[64,128] 1 to 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (None, ["--shared", "8"], "no --block, --cluster or --shared beside --record"),
        ("{", [], "expected JSON, got"),
        ("{}", [], "expected a launch record, as the JSON report"),
        ("3", [], "expected a launch record, as the JSON report"),
        (
            '{"kernels": []}',
            [],
            "kernel transpose_f32_64x64 in the report, it has none",
        ),
    ],
)
def test_a_wrong_record(
    compiled: tuple[str, str],
    tmp_path: Path,
    capsys,
    text: str | None,
    words: list[str],
    said: str,
) -> None:
    ptx, report = compiled
    if text is not None:
        report = str(tmp_path / "record.json")
        Path(report).write_text(text)
    words = [ptx, "--record", report, "--grid", "2,1", *words, *SHAPES]
    assert main(words) == 1
    assert said in capsys.readouterr().err
