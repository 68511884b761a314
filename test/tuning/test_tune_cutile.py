# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of cuTile in the tuner, and `ct.tune` served by its clocks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import cuda.tile as ct
import cupy as cp
import numpy as np

@ct.kernel
def copy(x, y, size: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(size,)))

"""
MARKED = f"""{PROGRAM}
from cuda_tile import cutile, tune
from cuda_tile.batch.run import Machines
host = np.ones(4096, np.float32), np.zeros(4096, np.float32)
marked = cutile.tunable(lambda size: ((4096 // size,), (*host, size)), size=(32, 1024))
found = tune(marked(copy), "sm_80", over={{"size": ()}}, machines=Machines(2))
compiled = cutile.compile(
    copy, (*host, found.constants["size"]), "sm_80", tuning=found.record
)
print(found.constants, compiled.report.kernels[0].threads)
"""
SERVED = f"""{PROGRAM}
x = cp.ones(4096, cp.float32)
found = ct.tune.exhaustive_search(
    [32, 1024],
    0,
    lambda size: (4096 // size,),
    copy,
    lambda size: (x, cp.zeros(4096, cp.float32), size),
    quiet=True,
)
times = {{each.config: each.mean_us for each in found.successes}}
# 4,096 elements are 1,024 sectors of 32 bytes in and out, at 64 bytes of L2 a clock or
# less, however they are cut; small tiles leave most lanes of the issue slots idle.
print(found.best.config, times[1024] >= 512, times[32] >= times[1024])
"""


def run(tmp_path: Path, text: str, *words: str) -> str:
    (tmp_path / "program.py").write_text(text)
    done = subprocess.run(
        [sys.executable, *words, "program.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_marked_constants_of_a_kernel(tmp_path: Path) -> None:
    text = MARKED.replace("import cupy as cp\n", "")
    assert run(tmp_path, text).startswith("{'size': 1024} ")


def test_ct_tune_is_given_clocks(tmp_path: Path) -> None:
    said = run(tmp_path, SERVED, "-m", "cuda_tile.cutile", "--on=emulator")
    assert said == "1024 True True\n"
