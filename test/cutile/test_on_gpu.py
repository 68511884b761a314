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

ct.launch(0, (4,), copy, ((OnDevice(0), OnDevice(256)), 3, 16))
last = cutile.launches[-1]
print(last.kernel, last.grid, last.on)
try:
    cutile.install(on="interp")
except cutile.KernelError as error:
    print(error)
"""


def test_a_launch_reaches_the_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = os.environ.get("CC") or shutil.which("clang-22") or "cc"
    library, log = tmp_path / "libstub.so", tmp_path / "log"
    words = [compiler, "-shared", "-fPIC", "-o", library, STUB]
    subprocess.run(words, check=True)
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {"STUB_LOG": str(log), "STUB_KERNEL": "nothing", "STUB_CHIP": "80"}
    environment["STUB_PARAMETERS"] = "8,4,4,8,4,4,4"
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    done = python("program.py", library, folder=tmp_path)
    said, refusal = done.stdout.splitlines()
    assert said == "copy (4, 1, 1) gpu"
    assert "a GPU and its stand-in need a process each" in refusal
    calls = log.read_text()
    (launch,) = [line for line in calls.splitlines() if "cuLaunchKernelEx" in line]
    assert "grid 4 1 1" in launch
    first, second = "0000000000000700", "0001000000000700"
    assert launch.endswith(
        f"{first} 40000000 01000000 {second} 40000000 01000000 03000000"
    )
    assert "cuMemAlloc" not in calls  # arrays on the device are used in place


def test_no_driver(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("import cuda.tile")
    cutile("--on=gpu", "p.py", folder=tmp_path)  # nothing is asked before a launch
    done = cutile("--on=gpu", "--record=x", "p.py", folder=tmp_path, code=1)
    assert "whose arrays the host cannot read" in done.stderr
