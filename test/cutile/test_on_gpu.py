# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`on="gpu"`: `ct.launch` reaches our launcher, with a driver that logs its calls."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cutile_command import cutile, python

STUB = Path(__file__).parents[1] / "tools" / "Inputs" / "stub_cuda.c"
PROGRAM = """
import sys
from cuda_tile import cutile
from cuda_tile.cutile.standin import load_standin
from cuda_tile.runtime import driver

load_standin()  # cuTile asks a driver for its version; ours is asked for the rest
driver.LIBRARIES = (sys.argv[1],)
cutile.install(on="gpu")

import cuda.tile as ct

class OnDevice:
    def __init__(self, offset):
        self.address = (7 << 48) + offset  # the logging driver's memory begins there

    @property
    def __cuda_array_interface__(self):
        data = (self.address, False)
        return {"shape": (64,), "typestr": "<f4", "data": data, "version": 3}

@ct.kernel
def copy(pair, n, size: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(pair[1], index=(i,), tile=ct.load(pair[0], index=(i,), shape=(size,)) + n)

ARGUMENTS = ((OnDevice(0), OnDevice(256)), 3, 16)
ct.launch(0, (4,), copy, ARGUMENTS)
last = cutile.launches[-1]
print(last.kernel, last.grid, last.on)
try:
    cutile.install(on="interp")
except cutile.KernelError as error:
    print(error)
"""
MORE = """
from cuda.tile._cext import launch_extended

launch_extended(5, (4, 1, 1), (1, 1, 1), copy, ARGUMENTS, cooperative=False)
for block, choices in (((32, 1, 1), {}), ((1, 1, 1), {"cooperative": True})):
    try:
        launch_extended(5, (4, 1, 1), block, copy, ARGUMENTS, **choices)
    except cutile.KernelError as error:
        print(error)
words = ([16], 0, lambda size: (64 // size,), copy, lambda size: ARGUMENTS)
found = ct.tune.exhaustive_search(*words, quiet=True)
print(found.best.config, round(found.best.mean_us, 3))
try:
    ct.tune.exhaustive_search(*words, quiet=True, single_run_timeout_sec=9.0)
except ValueError as error:
    print(str(error).splitlines()[-1])
"""


@pytest.fixture(name="driver")
def logging_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The driver that logs its calls; the log is `log` beside it."""
    compiler = os.environ.get("CC") or shutil.which("clang-22") or "cc"
    library = tmp_path / "libstub.so"
    words = [compiler, "-shared", "-fPIC", "-o", library, STUB]
    subprocess.run(words, check=True)
    environment = {
        "STUB_LOG": str(tmp_path / "log"),
        "STUB_KERNEL": "nothing",
        "STUB_CHIP": "80",
        "STUB_PARAMETERS": "8,4,4,8,4,4,4",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return library


def test_a_launch_reaches_the_driver(tmp_path: Path, driver: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = python("program.py", driver, folder=tmp_path)
    said, refusal = done.stdout.splitlines()
    assert said == "copy (4, 1, 1) gpu"
    assert "a GPU and its stand-in need a process each" in refusal
    calls = (tmp_path / "log").read_text()
    (launch,) = [line for line in calls.splitlines() if "cuLaunchKernelEx" in line]
    assert "grid 4 1 1" in launch
    first, second = "0000000000000700", "0001000000000700"
    assert launch.endswith(
        f"{first} 40000000 01000000 {second} 40000000 01000000 03000000"
    )
    assert "cuMemAlloc" not in calls  # arrays on the device are used in place


def test_other_ways_to_launch(tmp_path: Path, driver: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM + MORE)
    said = python("program.py", driver, folder=tmp_path).stdout.splitlines()[2:]
    assert "expected a block of (1, 1, 1) threads, got (32, 1, 1)" in said[0]
    assert "expected no cooperative in launch_extended" in said[1]
    assert said[2] == "16 12.5"
    assert "expected no single_run_timeout_sec with on='gpu'" in said[3]
    calls = (tmp_path / "log").read_text().splitlines()
    launches = [n for n, line in enumerate(calls) if "cuLaunchKernelEx" in line]
    assert "stream 0x5" in calls[launches[1]]
    first = launches[2]  # of a benchmark: the cache is flushed before
    before = [line.split()[0] for line in calls[:first]]
    assert before.index("cuMemsetD8Async") < before.index("cuEventRecord")
    after = [line.split()[0] for line in calls[first + 1 :]]
    assert after.index("cuEventRecord") < after.index("cuLaunchKernelEx")


def test_no_driver(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("import cuda.tile")
    cutile("--on=gpu", "p.py", folder=tmp_path)  # nothing is asked before a launch
    done = cutile("--on=gpu", "--record=x", "p.py", folder=tmp_path, code=1)
    assert "whose arrays the host cannot read" in done.stderr
