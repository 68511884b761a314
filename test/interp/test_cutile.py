# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that cuTile Python wrote, each against NumPy: checked, and shuffled."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cutile_references import Case, case
from interp_harness import CONTEXT
from interp_kernels import run_in_hardware_mode

from cuda_tile import interp
from cuda_tile._mlir._mlir_libs import _cuda_tile as ext
from cuda_tile.interp import AssertionsFailed, Program
from cuda_tile.runtime.args import array_args

ARCHIVE = zipfile.ZipFile(
    Path(__file__).parents[1] / "kernels" / "cutile" / "bytecode-13.4.zip"
)
TALKING = ("printed_i32", "asserted_i32")
NAMES = sorted(name.removesuffix(".tileirbc") for name in ARCHIVE.namelist())


def read(name: str) -> Program:
    data = ARCHIVE.read(f"{name}.tileirbc")
    return interp.load(ext.read_bytecode(data, name, CONTEXT))


def flat(args: list[Any]) -> list[Any]:
    """Arguments with shapes and strides, as cuTile passes them."""
    found: list[Any] = []
    for arg in args:
        found.extend(array_args(arg) if isinstance(arg, np.ndarray) else [arg])
    return found


def verify(launch: Case) -> None:
    for place, expected in launch.expected.items():
        got = launch.args[place]
        if launch.rtol:
            with np.errstate(all="ignore"):
                a, b = got.astype(np.float64), expected.astype(np.float64)
            size = np.abs(b[np.isfinite(b)]).max(initial=0) * launch.depends
            np.testing.assert_allclose(
                a, b, rtol=launch.rtol, atol=launch.rtol * size + 1e-30
            )
        elif got.dtype.kind in "biu":
            np.testing.assert_array_equal(got, expected)
        else:
            np.testing.assert_array_equal(
                got.astype(np.float64), expected.astype(np.float64)
            )


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", [n for n in NAMES if n not in TALKING])
def test_equals_numpy(name: str, seed: int | None) -> None:
    launch = case(name)
    interp.run(read(name), grid=launch.grid, args=flat(launch.args), seed=seed)
    verify(launch)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in TALKING])
def test_no_alarm_in_hardware_mode(name: str) -> None:
    launch = case(name)
    run_in_hardware_mode(read(name), launch.grid, flat(launch.args))
    verify(launch)


ORDERED = [n for n in NAMES if n not in TALKING and not case(n).depends]


@pytest.mark.parametrize("name", ORDERED[::4])
def test_the_order_does_not_matter(name: str) -> None:
    launch = case(name)
    program, args = read(name), flat(launch.args)
    assert interp.shuffle_check(program, grid=launch.grid, args=args, seeds=4)


def test_a_kernel_that_prints(seed: int | None) -> None:
    x = np.arange(8, dtype=np.int32)
    report = interp.run(read("printed_i32"), grid=(2,), args=flat([x]), seed=seed)
    lines = report.stdout.splitlines()
    assert sorted(lines) == ["block 0: [0, 1, 2, 3]", "block 1: [4, 5, 6, 7]"]


def test_a_kernel_that_asserts(seed: int | None) -> None:
    x, y = np.ones(8, np.int32), np.zeros(8, np.int32)
    interp.run(read("asserted_i32"), grid=(1,), args=flat([x, y]), seed=seed)
    assert y.all()
    x[5] = -2
    with pytest.raises(AssertionsFailed, match=r"positive numbers only.*element") as e:
        interp.run(read("asserted_i32"), grid=(1,), args=flat([x, y]), seed=seed)
    assert y[5] == -2
    (finding,) = e.value.report.findings
    assert "kernels.py" in finding.message
