# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unmodified programs of cuTile Python, run by `python -m cuda_tile.cutile`."""

from __future__ import annotations

import re
from importlib import metadata, util
from pathlib import Path

import pytest
from cutile_command import PROGRAMS, cutile, python, run_text

KERNEL = """
import cuda.tile as ct
import cupy as cp

@ct.kernel
def copy(a, b):
    i = ct.bid(0)
    ct.store(b, index=(i,), tile=ct.load(a, index=(i,), shape=(16,)))
"""


def test_the_sample_that_cutile_ships(tmp_path: Path) -> None:
    text = metadata.distribution("cuda-tile").read_text("METADATA")
    (sample,) = re.findall(r"```python\n(.*?)```", str(text), re.DOTALL)
    for executor in ("interp", "emulator"):
        run_text(sample, tmp_path, f"--on={executor}")
    wrong = sample.replace("a_tile + b_tile", "a_tile - b_tile")
    assert "Mismatched elements" in run_text(wrong, tmp_path, code=1)


@pytest.mark.parametrize(
    ("every", "words"),
    [
        (3, ["--on=interp", "--gpu=sm_100"]),
        (6, ["--on=emulator", "--gpu=sm_120", "--seed=1"]),
    ],
)
def test_kernels_of_many_kinds(every: int, words: list[str]) -> None:
    done = cutile(
        *words, PROGRAMS / "zoo.py", f"--every={every}", PYTHONWARNINGS="ignore"
    )
    assert re.search(r"(56|28) kernels, 0 wrong", done.stdout), done.stdout


needs_torch = pytest.mark.skipif(
    util.find_spec("torch") is None,
    reason="needs torch (800 MB), which the project's environment leaves out",
)


@needs_torch
@pytest.mark.parametrize("executor", ["interp", "emulator"])
def test_a_suite_in_torch(executor: str, tmp_path: Path) -> None:
    text = (PROGRAMS / "torch_suite.py").read_text()
    (tmp_path / "test_it.py").write_text(text)
    plugin = ("-p", "cuda_tile.cutile.pytest_plugin", f"--cutile-on={executor}")
    done = python("-m", "pytest", "-q", *plugin, folder=tmp_path)
    assert " passed" in done.stdout
    assert "failed" not in done.stdout


@needs_torch
@pytest.mark.parametrize("executor", ["interp", "emulator"])
def test_a_program_in_torch(executor: str) -> None:
    done = cutile(f"--on={executor}", PROGRAMS / "torch_program.py")
    assert done.stdout.endswith("all as on a GPU\n")


def test_the_program_sees_the_chip(tmp_path: Path) -> None:
    text = """
import cupy, sys
from cuda.tile._cext import get_compute_capability
print(cupy.cuda.Device(0).compute_capability, get_compute_capability(), sys.argv[1:])
"""
    (tmp_path / "program.py").write_text(text)
    done = cutile("--gpu=sm_120", "program.py", "--on", "x", folder=tmp_path)
    assert done.stdout == "120 (12, 0) ['--on', 'x']\n"


def test_tuning_repeats_no_more_than_it_must(tmp_path: Path) -> None:
    text = f"""{KERNEL}
from cuda_tile import cutile
x = cp.ones(64)
count = 0
def arguments(size):
    global count
    count += 1
    return x, cp.zeros(64)
found = ct.tune.exhaustive_search(
    [1, 2], 0, lambda blocks: (blocks,), copy, arguments, quiet=True
)
print(found.best.config, count < 50, found.best.mean_us)
"""
    for executor in ("interp", "emulator"):
        said = run_text(text, tmp_path, f"--on={executor}")
        assert said.startswith("1 True ")
        assert float(said.split()[-1]) >= 8  # operations or instructions


def test_signatures_of_arrays(tmp_path: Path) -> None:
    text = f"""{KERNEL}
import io
from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel
arrays, raw = (cp.ones(32), cp.zeros(32)), io.BytesIO()
convention = CallingConvention.cutile_python_v1()
signature = KernelSignature.from_kernel_args(copy, arrays, convention)
export_kernel(copy, [signature], raw, gpu_code="sm_90", output_format="tileir_bytecode")
print(raw.getvalue()[1:7])
"""
    assert run_text(text, tmp_path) == "b'TileIR'\n"


def test_processes_of_the_program_inherit(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('mine')\n")
    (tmp_path / "child.py").write_text(
        f"{KERNEL}\nb = cp.zeros(32)\n"
        "ct.launch(0, (2,), copy, (cp.ones(32), b))\nprint(b.sum())\n"
    )
    text = """
import subprocess, sys
subprocess.run([sys.executable, "child.py"], check=True)
"""
    (tmp_path / "program.py").write_text(text)
    done = cutile(
        "--gpu=sm_80", "program.py", folder=tmp_path, PYTHONPATH=str(tmp_path)
    )
    assert done.stdout == "mine\nmine\n32.0\n"


def test_an_installed_tileiras_is_not_called(tmp_path: Path) -> None:
    text = """
import subprocess
for program in ("/no/such/bin/tileiras", "echo"):
    print(subprocess.check_output([program, "--version"], text=True).splitlines()[0])
"""
    said = run_text(text, tmp_path).splitlines()
    assert (
        said[0] == "cuda_tile.cutile: stand-in for tileiras; kernels run without a GPU"
    )
    assert "echo" in said[1]


def test_a_module_runs_like_a_program(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "tool.py").write_text(
        "import sys, cupy; print(sys.argv[1:])"
    )
    done = cutile("-m", "package.tool", "a", folder=tmp_path)
    assert done.stdout == "['a']\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "expected a program, got none"),
        (["none.py"], "cannot read 'none.py'"),
        (["--gpu=sm_1", "p.py"], "sm_1"),
        (["--on=cpu", "p.py"], "invalid choice: 'cpu'"),
        (["--on=gpu", "--seed=1", "p.py"], "on='emulator' with seed, got on='gpu'"),
        (["--seed=-1", "p.py"], "seed to be a whole number of 0 or more, got -1"),
    ],
)
def test_a_wrong_command_line(words: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("")
    done = cutile(*words, folder=tmp_path, code=1)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_that_exits(tmp_path: Path) -> None:
    assert not run_text("raise SystemExit(7)", tmp_path, code=7)
