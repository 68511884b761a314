# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda-tile-compile: output files, and invalid input."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from tool_command import KERNELS, SCALE, Command

from cuda_tile.cli import compile as tool
from cuda_tile.codegen.ptxas import find_ptxas
from cuda_tile.pipeline import STEP_NAMES

VADD = KERNELS / "13.4" / "vadd_f32_1024.tileirbc"
ELF_MAGIC = b"\x7fELF"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_cubin_of_a_file_goes_beside_its_name(command: Command, folder: Path):
    result = command(tool, VADD, "--gpu", "sm_90")
    assert result.code == 0
    assert result.out.startswith(
        "vadd_f32_1024.cubin: vadd_f32_1024 for sm_90 (compiled"
    )
    made = sorted(path.name for path in folder.iterdir())
    assert made == ["vadd_f32_1024.cubin", "vadd_f32_1024.launch.json"]
    assert (folder / "vadd_f32_1024.cubin").read_bytes().startswith(ELF_MAGIC)


def test_plans_are_listed_and_one_of_them_is_compiled(command: Command, folder: Path):
    listed = command(tool, VADD, "--gpu", "sm_90", "--list-plans")
    (plans,) = json.loads(listed.out).values()
    for plan in plans:
        given = ["--gpu", "sm_90", "--emit=ptx", f"--plan={plan['number']}"]
        done = command(tool, VADD, *given)
        threads = 32 * plan["fields"]["num_warps"]
        assert f".reqntid {threads}" in done.out or not plan["possible"]
    assert [path.name for path in folder.iterdir()] == []
    refused = command(tool, VADD, "--gpu", "sm_90", "--plan=9999")
    assert "expected the number of one of" in refused.err
    refused = command(tool, VADD, "--gpu", "sm_90", "--plan=0", "--list-plans")
    assert "expected --list-plans without" in refused.err


def test_cubin_of_stdin_goes_to_stdout(command: Command, folder: Path):
    result = command(tool, "-", "--gpu", "sm_90", stdin=VADD.read_bytes())
    assert result.code == 0
    assert result.out.encode().startswith(ELF_MAGIC)
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("name", "start"), [("k.ptx", "//"), ("k.ll", ";"), ("k.bin", "\x7fELF")]
)
def test_name_of_the_output_says_the_form(
    command: Command, folder: Path, name: str, start: str
):
    assert command(tool, SCALE, "--gpu", "sm_90", "-o", name).code == 0
    assert (folder / name).read_bytes().startswith(start.encode())


def test_report_keeps_out_of_the_output(command: Command):
    words = (SCALE, "--gpu", "sm_90", "--emit=placed", "--report=json")
    result = command(tool, *words)
    assert "#cute.layout" in result.out
    assert json.loads(result.err)["kernels"][0]["kernel"] == "scale"


def test_line_tables_go_into_ptx_and_cubin(command: Command, folder: Path):
    for name, words in {"with": [], "plain": ["--no-line-info"]}.items():
        run = (SCALE, "--gpu", "sm_90", *words)
        assert command(tool, *run, "-o", f"{name}.cubin").code == 0
        ptx = command(tool, *run, "--emit=ptx").out
        assert (".loc" in ptx) == ('scale.mlir"' in ptx) == (name == "with")
        cubin = (folder / f"{name}.cubin").read_bytes()
        assert (b".debug_line" in cubin) == (name == "with")


def test_levels_and_full_debug_info_reach_llvm_and_ptxas(command: Command):
    run = (SCALE, "--gpu", "sm_90", "--emit=ptx")
    texts = [command(tool, *run, *words).out for words in ([], ["-O0"], ["-O3"])]
    assert len(set(texts)) > 1
    assert ".target sm_90a, debug" in command(tool, *run, "--device-debug").out
    refused = command(tool, *run, "-O4")
    assert refused.code == 1
    assert "-O" in refused.err


def test_the_verifier_may_be_left_out(command: Command):
    words = (SCALE, "--gpu", "sm_90", "--timing", "-o", "k.cubin")
    assert "\nverify " in command(tool, *words).out
    assert "verify" not in command(tool, *words, "--no-verify-each").out


def test_output_replaces_the_file_behind_a_link(command: Command, folder: Path):
    (folder / "real").write_text("old")
    (folder / "link.ptx").symlink_to("real")
    assert command(tool, SCALE, "--gpu", "sm_90", "-o", "link.ptx").code == 0
    assert (folder / "link.ptx").is_symlink()
    assert ".entry scale" in (folder / "real").read_text()


def test_every_step_may_be_printed(command: Command):
    words = (SCALE, "--gpu", "sm_90", "-o", "k.cubin", "--print-after=all")
    said = command(tool, *words).err
    heads = [line for line in said.splitlines() if line.startswith("// after")]
    assert heads == [f"// after {name}" for name in STEP_NAMES]
    assert ".entry scale(" in said
    assert "\n// after ptxas\ncubin of " in said


def test_output_may_be_a_device(command: Command):
    words = ("--gpu", "sm_90", "--emit=ptx", "-o", os.devnull)
    assert command(tool, SCALE, *words).code == 0
    assert not Path(os.devnull).is_file()


def test_machine_code_does_not_go_to_a_terminal():
    leader, follower = pty.openpty()
    program = [sys.executable, "-m", "cuda_tile.cli.compile", "-", "--gpu", "sm_90"]
    result = subprocess.run(
        program,
        input=VADD.read_bytes(),
        stdout=follower,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(follower)
    os.close(leader)
    assert result.returncode == 1
    assert b"got a terminal; use -o FILE" in result.stderr


def test_a_reader_may_go_away():
    program = f"{sys.executable} -m cuda_tile.cli.compile --gpu sm_90 --emit=ptx"
    result = subprocess.run(
        f"{program} {SCALE} | true", shell=True, capture_output=True, check=False
    )
    assert result.stderr == b""


def damaged(data: bytes) -> dict[str, tuple[bytes, str]]:
    """Bad files by case, each with what the error must say."""
    return {
        "empty": (b"", "got none"),
        "wrong magic": (b"\x7fTileXX\x00" + data[8:], "expected MLIR text or Tile IR"),
        "future version": (data[:8] + b"\xff" + data[9:], "version"),
        "truncated": (data[: len(data) // 2], "offset"),
        "only magic": (data[:8], "offset"),
        "unknown op": (
            b"cuda_tile.module @m { entry @f() { frobnicate } }",
            "1:36: error: ",
        ),
        "wrong type": (
            b"cuda_tile.module @m { entry @f(%a: tile<i32>) "
            b"{ %b = addf %a, %a : tile<i32> return } }",
            "'cuda_tile.addf' op",
        ),
        "no kernel": (b"module {}", "expected a kernel in"),
    }


@pytest.mark.parametrize("case", damaged(b"0" * 16))
@pytest.mark.parametrize("from_pipe", [False, True])
def test_bad_file(command: Command, folder: Path, case: str, from_pipe: bool):
    data, expected = damaged(VADD.read_bytes())[case]
    (folder / "bad").write_bytes(data)
    (folder / "bad.cubin").write_text("old")
    name = "-" if from_pipe else "bad"
    result = command(tool, name, "--gpu", "sm_90", "-o", "bad.cubin", stdin=data)
    assert expected in result.sentence
    assert ("<stdin>" if from_pipe else "bad") in result.sentence or name == "-"
    assert (folder / "bad.cubin").read_text() == "old"
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "the following arguments are required: FILE"),
        ((VADD,), "the following arguments are required: --gpu"),
        (("no-such-file", "--gpu", "sm_90"), "error: cannot read 'no-such-file'"),
        ((".", "--gpu", "sm_90"), "error: cannot read '.'"),
        ((VADD, "--gpu", "sm_12"), "known gpu name, got 'sm_12'; did you mean"),
        ((VADD, "--gpu", "sm_90", "--emit=elf"), "'elf'"),
        ((VADD, "--gpu", "sm_90", "--print-after=x"), "expected --print-after of"),
        ((VADD, "--gpu", "sm_90", "--num-warps", "3"), "--num-warps of 1, 2, 4"),
        ((VADD, "--gpu", "sm_90", "-o", "no/k.cubin"), "cannot write 'no/k.cubin'"),
        ((VADD, "--gpu", "sm_90", "-o", "."), "cannot write '.'"),
    ],
)
def test_bad_command_line(
    command: Command, folder: Path, words: tuple[object, ...], expected: str
):
    assert expected in command(tool, *words).sentence
    assert not list(folder.iterdir())


def test_missing_ptxas(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PTXAS", "/no/ptxas")
    result = command(tool, VADD, "--gpu", "sm_90")
    assert "expected PTXAS to name a ptxas program, got '/no/ptxas'" in result.sentence
    assert not list(folder.iterdir())
    assert command(tool, VADD, "--gpu", "sm_90", "--emit=ptx").code == 0


def test_a_kernel_as_it_was_read_needs_no_chip(command: Command):
    given = command(tool, SCALE, "--gpu", "sm_90", "--emit=tile")
    assert command(tool, SCALE, "--emit=tile").out == given.out
    for words in (["--emit=ptx"], ["--emit=tile", "--report"], ["--list-plans"], []):
        result = command(tool, SCALE, *words)
        assert "arguments are required: --gpu" in result.sentence, words


def test_help(command: Command):
    result = command(tool, "--help")
    assert result.code == 0
    assert "sm_120" in result.out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.mlir", "expected --emit=tile, placed or nvvm with '-o x.mlir'"),
        ("x.tileirbc", "cuda-tile-optimize -O0 --emit-bytecode writes bytecode"),
    ],
)
def test_no_machine_code_in_a_file_that_is_called_text(
    command: Command, name: str, said: str
) -> None:
    assert said in command(tool, SCALE, "--gpu", "sm_90", "-o", name).sentence
    assert not Path(name).exists()
    done = command(tool, SCALE, "--gpu", "sm_90", "-o", name, "--emit=placed")
    assert (done.code, Path(name).read_text()[:7]) == (0, "#layout")


def test_limits_of_a_single_file(command: Command, folder: Path):
    hangs = folder / "ptxas"
    hangs.write_text("#!/bin/sh\nsleep 1000\n")
    hangs.chmod(0o755)
    words = [sys.executable, "-m", "cuda_tile.cli.compile", VADD, "--gpu=sm_80"]
    for limit, environment, said in (
        ("--time-limit=3", {"PTXAS": str(hangs)}, "took longer than 3 seconds"),
        ("--memory-limit=0.01", {}, "memory"),
        ("--time-limit=0", {}, "expected --time-limit above 0"),
    ):
        done = subprocess.run(
            [*words, limit],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        assert done.stderr.splitlines()[-1].startswith("error: ")
        assert said in done.stderr
    done = subprocess.run([*words, "--time-limit=100", "--memory-limit=8"], check=False)
    assert done.returncode == 0
    assert (folder / "vadd_f32_1024.cubin").exists()


def test_a_ptxas_that_nobody_chose(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    real = find_ptxas()
    (folder / "ptxas").symlink_to(real)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("cuda_tile.codegen.ptxas.packaged_ptxas", lambda: None)
    result = command(tool, VADD, "--gpu", "sm_90")
    assert f"warning: the ptxas on PATH made the cubin, {folder}/ptxas" in result.err
    monkeypatch.setenv("PTXAS", str(real))
    assert not command(tool, VADD, "--gpu", "sm_90").err


def test_no_folder_for_temporary_files(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def none(prefix: str) -> NoReturn:
        raise FileNotFoundError(2, f"no usable folder for {prefix}")

    monkeypatch.setattr("tempfile.TemporaryDirectory", none)
    result = command(tool, VADD, "--gpu", "sm_90")
    assert "expected a folder for temporary files, got: no usable" in result.sentence


@pytest.mark.parametrize(
    "words",
    [
        ["compile", "--gpu=sm_80"],
        ["run", "--grid=1"],
        ["opt"],
        ["translate", "--mlir-to-cudatilebc"],
        ["optimize"],
        ["assembler", "--gpu-name=sm_90", "-o", "x.cubin"],
    ],
    ids=lambda words: words[0],
)
def test_a_name_that_is_not_utf8(folder: Path, words: list[str]):
    file = os.fsencode(folder) + b"/\xff.mlir"
    with open(file, "w") as bad:
        bad.write("nonsense")
    command = [sys.executable, "-m", f"cuda_tile.cli.{words[0]}", *words[1:], file]
    done = subprocess.run(command, capture_output=True, check=False)
    # The tool that stands for the assembler has its exit code for a bad input.
    assert done.returncode == (3 if words[0] == "assembler" else 1), done.stderr
    assert b"error: " in done.stderr
    assert b"internal error" not in done.stderr
