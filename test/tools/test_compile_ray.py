# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--ray`: a cluster on this machine, one of whose processes dies."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cuda_tile.codegen.ptxas import find_ptxas

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason="needs Ray, 80 MB: pip install cuda-tile-compiler[ray]",
)
KERNELS = Path(__file__).resolve().parent.parent / "kernels" / "13.4"
NAMES = ("vadd_f32_1024", "vadd_i32_8", "vadd_f16_4096", "softmax_f32_1024")


def run_on_cluster(folder: Path, *words: str, **known: str) -> tuple[int, Any, str]:
    files = [str(KERNELS / f"{name}.tileirbc") for name in NAMES]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "cuda_tile.cli.compile", *files, "--gpu=sm_80"),
            *("--ray=local", "--no-cache", "--report=json", "-o", str(folder / "out")),
            *words,
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"} | known,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def wrapper(folder: Path, *lines: str) -> str:
    """A ptxas that notes each kernel, and does more for one of them."""
    path = folder / "ptxas"
    path.write_text(
        '#!/bin/sh\nfor last; do :; done\nif [ "$1" != --version ]; then\n'
        f'grep -o -m1 "entry [a-z0-9_]*" "$last" >> {folder}/log\n'
        'if grep -q vadd_i32_8 "$last"; then\n'
        + "\n".join(lines)
        + f'\nfi\nfi\nexec {find_ptxas()} "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


def test_a_task_whose_process_dies_runs_again_and_nothing_else(tmp_path: Path) -> None:
    dies = wrapper(
        tmp_path,
        f"if mkdir {tmp_path}/once 2>/dev/null; then",
        "kill -9 $(ps -o ppid= -p $PPID)",  # the process of Ray, not the compiler's
        "sleep 100",
        "fi",
    )
    code, result, said = run_on_cluster(tmp_path, PTXAS=dies)
    assert code == 0, said
    assert [job["status"] for job in result["jobs"]] == ["compiled"] * 4
    assert len(list((tmp_path / "out").glob("*.cubin"))) == 4
    log = (tmp_path / "log").read_text().split()[1::2]
    assert sorted(log) == sorted([*NAMES, "vadd_i32_8"])  # twice only what died


def test_limits_hold_on_a_cluster(tmp_path: Path) -> None:
    hangs = wrapper(tmp_path, "sleep 1000")
    code, result, said = run_on_cluster(tmp_path, "--time-limit=5", PTXAS=hangs)
    assert code == 1
    states = [job["status"] for job in result["jobs"]]
    assert states == ["compiled", "time", "compiled", "compiled"]
    assert "took longer than 5 seconds" in said


def test_no_cluster_at_an_address(tmp_path: Path) -> None:
    code, _, said = run_on_cluster(tmp_path, "--ray=127.0.0.1:1")
    assert code == 1
    assert "cannot reach a Ray cluster at '127.0.0.1:1'" in said
