# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bundle for a GPU elsewhere, run against a stand-in for the CUDA driver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpu_check
import gpu_runner
import ml_dtypes
import numpy as np
import pytest

import cuda_tile
from cuda_tile.runtime.expressions import Expression
from cuda_tile.runtime.record import GridExtents
from cuda_tile.runtime.tensor_map import TensorMapParameter

TEXT = b"""cuda_tile.module @m {
  entry @add(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %i = iota : tile<16xi32>
    %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %w = broadcast %q : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %a = offset %w, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %x, %t = load_ptr_tko weak %a : tile<16xptr<i32>> -> tile<16xi32>, token
    %m = reshape %n : tile<i32> -> tile<1xi32>
    %k = broadcast %m : tile<1xi32> -> tile<16xi32>
    %y = addi %x, %k : tile<16xi32>
    %u = store_ptr_tko weak %a, %y token=%t : tile<16xptr<i32>>, tile<16xi32> -> token
    return
  }
}"""
GUARDED = 64 + 3 * gpu_runner.GUARD_BYTES
"""Most bytes for 16 numbers: two guards, and the place within an aligned block."""
Run = Callable[..., tuple[int, str, list[str]]]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    kernel = gpu_check.Kernel(
        "ops/add",
        lambda: cuda_tile.load(TEXT),
        lambda: [np.arange(16, dtype=np.int32), 1],
        (1,),
    )
    manifest = gpu_check.make_bundle(folder, ["sm_80", "sm_90"], [kernel])
    assert [code["arch"] for code in manifest["kernels"][0]["code"]] == [
        "sm_80",
        "sm_90a",
    ]
    return folder


def test_a_bundle_for_producers_launchers(tmp_path: Path) -> None:
    kernel = gpu_check.Kernel(
        "ops/add",
        lambda: cuda_tile.load(TEXT),
        lambda: [np.arange(16, dtype=np.int32), 1],
        (1,),
    )
    manifest = gpu_check.make_bundle(tmp_path, ["sm_80", "sm_90"], [kernel], "tile")
    (item,) = manifest["kernels"]
    (code,) = item["code"]
    assert (code["arch"], code["block"], code["cluster"]) == (
        *("sm_90a", [1, 1, 1]),
        [1, 1, 1],
    )
    assert "needs sm_90 or later" in item["refused"]["sm_80"]


@pytest.fixture
def run(bundle: Path, stub: Path, tmp_path: Path) -> Run:
    """Runs the bundle: exit code, output, the driver's calls."""

    def run_bundle(
        *options: str, folder: Path = bundle, **settings: str
    ) -> tuple[int, str, list[str]]:
        log = tmp_path / "log"
        environment = os.environ | {
            gpu_runner.LIBRARY: str(stub),
            "STUB_LOG": str(log),
            **settings,
        }
        # The runner must not need the package: nothing but NumPy is on the path.
        command = [sys.executable, str(folder / "run.py"), *options]
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        calls = log.read_text().splitlines() if log.exists() else []
        return done.returncode, done.stdout + done.stderr, calls

    return run_bundle


def test_a_kernel_passes_and_is_timed(run: Run, tmp_path: Path) -> None:
    code, said, calls = run("--repeat", "2", "--json", "out.json")
    assert (code, said.splitlines()) == (
        0,
        ["Stub GPU, sm_90", "PASS ops/add 12.5 us", "1 PASS, 0 FAIL, 0 SKIP"],
    )
    names = [call.split()[0] for call in calls]
    assert names == [
        *("cuInit", "cuDeviceGetCount", "cuDeviceGet"),
        *("cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuDeviceGetName"),
        *("cuDeviceGetAttribute", "cuDeviceGetAttribute"),
        *("cuModuleLoadData", "cuModuleGetFunction", "cuMemAlloc_v2"),
        *("cuMemcpyHtoD_v2", "cuLaunchKernelEx", "cuCtxSynchronize", "cuMemcpyDtoH_v2"),
        *("cuEventCreate", "cuEventCreate"),
        *2
        * (
            *("cuEventRecord", "cuLaunchKernelEx", "cuEventRecord"),
            *("cuEventSynchronize", "cuEventElapsedTime"),
        ),
        *("cuEventDestroy_v2", "cuEventDestroy_v2", "cuMemFree_v2", "cuModuleUnload"),
    ]
    assert "cuModuleLoadData ELF" in calls
    assert "cuModuleGetFunction 0x20 add" in calls
    launch = next(call for call in calls if call.startswith("cuLaunchKernelEx"))
    assert launch == (
        "cuLaunchKernelEx 0x30 grid 1 1 1 block 32 1 1 shared 0 stream (nil) extra "
        "(nil)"
    )
    sizes = {c.split()[1] for c in calls if c.startswith(("cuMemAlloc", "cuMemcpy"))}
    assert len(sizes) == 1
    assert 64 + 2 * gpu_runner.GUARD_BYTES <= int(sizes.pop()) < GUARDED
    (result,) = json.loads((tmp_path / "out.json").read_text())
    assert result == {
        "kernel": "ops/add",
        "verdict": "PASS",
        "text": "",
        "us": pytest.approx(12.5),
    }


def test_the_bundle_follows_the_launch_record(
    bundle: Path, run: Run, tmp_path: Path
) -> None:
    array = np.zeros(16, np.int32)
    pieces = gpu_check.spans([array])
    part = TensorMapParameter(
        element="i32",
        base=0,
        shape=(Expression.parse("arg 1"), Expression.parse("const 2")),
        strides=(Expression.parse("const 8"),),
        box=(4, 2),
        access="store",
    )
    appended = [
        gpu_check._appended(each, [array, np.int32(count)], pieces)
        for each, count in ((part, 8), (GridExtents(), 0), (part, 0))
    ]
    manifest = json.loads((bundle / "manifest.json").read_text())
    for code in manifest["kernels"][0]["code"]:
        code |= {"appended": appended, "cluster": [2, 1, 1], "grid": "persistent"}
    manifest["kernels"][0]["grid"] = [3, 5, 1]
    for name in ("data", "code"):
        (tmp_path / name).symlink_to(bundle / name)
    (tmp_path / "run.py").write_text((bundle / "run.py").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    sizes = "0,4,1,4,4,4,1"
    code, said, calls = run(folder=tmp_path, STUB_PARAMETERS=sizes)
    assert code == 0, said
    assert [c for c in calls if c.startswith("cuTensorMap")] == [
        "cuTensorMapEncodeTiled aligned type 3 rank 2 at 100000000 (8 step 1 box 4) "
        "(2 step 1 box 2) stride 32 interleave 0 swizzle 0 l2 3 fill 0",
        "cuTensorMapEncodeTiled aligned type 3 rank 2 at 0 (1 step 1 box 4) "
        "(1 step 1 box 2) stride 16 interleave 0 swizzle 0 l2 3 fill 0",
    ]
    assert next(c for c in calls if c.startswith("cuLaunchKernelEx")) == (
        "cuLaunchKernelEx 0x30 grid 6 1 1 block 32 1 1 shared 0 stream (nil) extra "
        "(nil)  01000000 01 03000000 05000000 01000000 02 attribute 4 = 2 1 1"
    )
    names = [call.split()[0] for call in calls]
    assert names.count("cuMemAlloc_v2") == names.count("cuMemFree_v2") == 2


@pytest.mark.parametrize(
    ("settings", "code", "said"),
    [
        ({"STUB_KERNEL": "wrong"}, 1, "FAIL ops/add argument 0: 1 of 16 elements "),
        ({"STUB_KERNEL": "wrong"}, 1, "differ, first [5]: expected 6, got 12 (int32)"),
        ({"STUB_KERNEL": "outside"}, 1, "FAIL ops/add memory around span 0 was over"),
        (
            {"STUB_FAIL": "cuLaunchKernelEx=700"},
            1,
            "error 700, an illegal memory access",
        ),
        ({"STUB_FAIL": "cuCtxSynchronize=719"}, 1, "FAIL ops/add cuCtxSynchronize: e"),
        ({"STUB_FAIL": "cuModuleLoadData=209"}, 1, "FAIL ops/add cuModuleLoadData: e"),
        ({"STUB_FAIL": "cuInit=100"}, 2, "cannot run: cuInit: error 100, an error of"),
        ({"STUB_DEVICES": "0"}, 2, "cannot run: expected device 0, the driver has 0"),
        ({"STUB_CHIP": "75"}, 2, "SKIP ops/add no code for sm_75: has sm_80, sm_90a"),
        ({"STUB_CHIP": "103"}, 2, "SKIP ops/add no code for sm_103: has"),
        ({gpu_runner.LIBRARY: "/no/such/library"}, 2, "no CUDA driver library on"),
    ],
)
def test_failures(run: Run, settings: dict[str, str], code: int, said: str) -> None:
    got, text, calls = run("--repeat", "0", **settings)
    assert (got, said in text) == (code, True), text
    count = [call.split()[0] for call in calls].count
    assert count("cuMemAlloc_v2") == count("cuMemFree_v2")
    if "FAIL" in text and "STUB_FAIL" in settings:
        assert count("cuDevicePrimaryCtxReset_v2") == 1  # for the kernels that follow


def test_code_for_an_earlier_chip_of_the_generation(run: Run) -> None:
    code, said, _ = run("--repeat", "0", STUB_CHIP="86")
    assert (code, said.splitlines()[0]) == (0, "Stub GPU, sm_86")


def test_a_kernel_that_is_not_asked_for_is_not_run(run: Run) -> None:
    code, said, calls = run("--only", "nothing")
    assert (code, said.splitlines()[-1]) == (2, "0 PASS, 0 FAIL, 0 SKIP")
    assert not any("cuModule" in call for call in calls)


@pytest.mark.parametrize(
    ("dtype", "found", "expected", "ulp", "relative", "good"),
    [
        (np.float32, [1.0, np.nan], [1.0, np.nan], 0, 0, [True, True]),
        (np.float32, [1.0 + 2**-22, 0.0], [1.0, -0.0], 2, 0, [True, True]),
        (np.float32, [1.0 + 2**-21, 0.0], [1.0, -0.0], 2, 0, [False, True]),
        (np.float32, [0.0], [-0.0], 0, 0, [False]),
        (np.float16, [1e-7, np.inf], [2e-7, 1.0], 2, 0, [True, False]),
        (np.float64, [100.1, 0.05], [100.0, 0.0], 0, 0.01, [True, False]),
        (ml_dtypes.bfloat16, [1.0078125, 3.0], [1.0, 4.0], 1, 0, [True, False]),
        (np.int16, [3, 4], [3, 5], 9, 9, [True, False]),
        (ml_dtypes.float8_e5m2, [1.0, 2.0], [1.0, 3.0], 0, 0, [True, False]),
    ],
)
def test_tolerances(
    dtype: Any, found: Any, expected: Any, ulp: int, relative: float, good: Any
) -> None:
    sides = [np.array(side, dtype) for side in (found, expected)]
    array = {
        "dtype": sides[0].dtype.name,
        "shape": [len(found)],
        "strides": [sides[0].itemsize],
        "offset": 0,
        "ulp": ulp,
        "relative": relative,
    }
    views = [gpu_runner._view(array, side.view(np.uint8)) for side in sides]
    assert gpu_runner.same(views[0], views[1], array).tolist() == good


def test_the_kernels_have_names_of_their_own() -> None:
    names = [kernel.name for kernel in gpu_check.kernels(["ops/", "zoo/gelu"])]
    assert len(set(names)) == len(names) > 500
    assert {name.partition("/")[0] for name in names} == {"ops", "zoo"}
