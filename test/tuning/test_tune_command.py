# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-tune` and `cuda-tile-compile --tuning`, as processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tool_command import Command, command

from cuda_tile.cli import tune
from cuda_tile.codegen.ptxas import find_ptxas

KERNELS = Path(__file__).resolve().parents[1] / "kernels" / "13.4"
VADD = KERNELS / "vadd_f32_1024.tileirbc"
ARGS = "--args=1 randn:f32[1024] randn:f32[1024] zeros:f32[1024]"
__all__ = ["command"]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(name="run")
def process(tmp_path: Path) -> Run:
    """Runs a module of the commands in a folder of its own, with its cache."""

    def run(module: str, *words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", f"cuda_tile.cli.{module}", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            cwd=tmp_path,
            env=os.environ | {"CUDA_TILE_CACHE_DIR": str(tmp_path / "cache")},
        )

    return run


def test_a_record_is_written_merged_and_used(run: Run, tmp_path: Path) -> None:
    done = run("tune", VADD, "--gpu=sm_80", ARGS, "--top=2", "-o", "a.json")
    assert (done.returncode, done.stderr) == (0, "")
    head, first, *_ = done.stdout.splitlines()
    assert head.split()[:3] == ["candidate", "clocks", "limiter"]
    assert first.startswith("plan ")
    assert "candidates, " in done.stdout
    record = json.loads((tmp_path / "a.json").read_text())
    assert len(record["tuned"][0]["ranked"]) <= 2
    run("tune", VADD, "--gpu=sm_90", "--over=plan=0", "-o", "b.json", "--merge=a.json")
    both = json.loads((tmp_path / "b.json").read_text())
    assert [each["chip"] for each in both["tuned"]] == ["sm_80", "sm_90"]
    for chip in ("sm_80", "sm_90"):
        used = run("compile", VADD, f"--gpu={chip}", "--tuning=b.json")
        assert used.returncode == 0, used.stderr
    refused = run("compile", VADD, "--gpu=sm_80", "--abi=cuda", "--tuning=b.json")
    assert refused.returncode == 1
    assert "error: expected options of the default" in refused.stderr


def test_the_record_on_stdout_is_alone_there(run: Run) -> None:
    done = run("tune", VADD, "--gpu=sm_80", "--over=plan=0", "-o", "-")
    assert json.loads(done.stdout)["schema"] == 1
    assert "candidate" in done.stderr


def test_a_marked_function_of_a_program(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "from cuda_tile import builder as b, tunable\n"
        "x = np.zeros(256, np.float32)\n"
        "@tunable(lambda tile: (256 // tile, [x]), tile=(32, 64))\n"
        "def double(tile):\n"
        "    with b.TileIrGenerator() as g:\n"
        "        pointer = b.make_pointer_type(b.Float32)\n"
        "        with g.create_entry('double', [pointer]) as (p,):\n"
        "            at = p + (b.get_tile_block_id()[0] * tile + b.iota(tile))\n"
        "            part, _ = b.load_ptr_tko(at)\n"
        "            b.store_ptr_tko(at, part * 2.0)\n"
        "        return g.module\n"
    )
    done = run("tune", "mine.py:double", "--gpu=sm_80", "--over=tile", "-o", "r.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("tile=64, its own plan")
    missing = run("tune", "mine.py:x", "--gpu=sm_80")
    assert "expected 'x' of mine.py to be marked" in missing.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "expected KERNEL, or --merge"),
        ((VADD,), "expected --gpu with a kernel"),
        ((VADD, "--gpu=sm_80", "--top=0"), "expected --top of 1 or more"),
        ((VADD, "--gpu=sm_80", "--over=plan=x"), "with integers, got 'plan=x'"),
        ((VADD, "--gpu=sm_80", "--args=x"), "expected --args with a grid"),
        (("none.py:f", "--gpu=sm_80"), "cannot read 'none.py'"),
    ],
)
def test_a_wrong_command_line(
    command: Command, words: tuple[object, ...], said: str
) -> None:
    assert said in command(tune, *words).sentence


def test_ctrl_c_keeps_what_is_known(tmp_path: Path) -> None:
    """All but the first compilations wait; what those gave is in the record."""
    ptxas = tmp_path / "ptxas"
    count = tmp_path / "count"
    ptxas.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = --version ] && exec {find_ptxas()} "$@"\n'
        f"echo >> {count}\n"
        f'[ "$(wc -l < {count})" -gt 2 ] && sleep 300\n'
        f'exec {find_ptxas()} "$@"\n'
    )
    ptxas.chmod(0o755)
    words = [str(VADD), "--gpu=sm_80", "--jobs=1", "--no-cache", "-o", "r.json"]
    # A shell's background process ignores SIGINT, and hands that on.
    begin = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(
        [sys.executable, "-m", "cuda_tile.cli.tune", *words],
        preexec_fn=begin,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PTXAS": str(ptxas)},
    )
    end = time.monotonic() + 120
    while not (count.exists() and len(count.read_text()) > 2):
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "not tried: stopped" in said
    (tuned,) = json.loads((tmp_path / "r.json").read_text())["tuned"]
    assert tuned["untried"] > 0
    assert tuned["ranked"]
