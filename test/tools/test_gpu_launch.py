# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`on="gpu"` against a stand-in for the CUDA driver that logs its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.ir.maps import add_map
from cuda_tile.ir.walk import entries
from cuda_tile.runtime import driver
from cuda_tile.runtime.args import bind_args
from cuda_tile.runtime.expressions import Expression
from cuda_tile.runtime.launch import launch_cubin
from cuda_tile.runtime.record import GridExtents, LaunchRecord
from cuda_tile.runtime.tensor_map import TensorMapParameter

Calls = Callable[[str], list[str]]
TYPES = ("ptr<f16>", "i32", "i32", "i64")
MAP = TensorMapParameter(
    element="f16",
    base=0,
    shape=(Expression.parse("arg 2"), Expression.parse("arg 1")),
    strides=(Expression.parse("arg 3"),),
    box=(64, 128),
    swizzle_bytes=128,
)
RECORD = LaunchRecord((384, 1, 1), 65536, TYPES, appended=(MAP,))


@pytest.fixture(name="calls")
def logged_calls(
    stub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Calls]:
    """Uses the stub as driver; gives the calls of a function that it logged."""
    log = tmp_path / "log"
    driver.load_driver.cache_clear()
    monkeypatch.setattr(driver, "LIBRARIES", (str(stub),))
    monkeypatch.setenv("STUB_LOG", str(log))
    monkeypatch.setenv("STUB_KERNEL", "nothing")
    yield lambda name: [c for c in log.read_text().splitlines() if name in c]
    driver.load_driver.cache_clear()


def launch(record: LaunchRecord, *, rows: int = 100, columns: int = 80) -> None:
    array = np.ones((128, 96), np.float16)
    args = bind_args(record.parameters, [array, rows, columns, 96])
    launch_cubin(b"\x7fELF", "k", record, grid=(2, 3, 4), args=args)


def test_a_tensor_map_is_made_and_appended(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_PARAMETERS", "0,4,4,8,4")
    launch(RECORD)
    assert calls("cuTensorMapEncodeTiled") == [
        "cuTensorMapEncodeTiled aligned type 6 rank 2 at 3c003c003c003c00 "
        "(80 step 1 box 64) (100 step 1 box 128) stride 192 interleave 0 swizzle 3 "
        "l2 3 fill 0"
    ]
    assert calls("cuFuncSetAttribute") == ["cuFuncSetAttribute 0x30 8 65536"]
    (found,) = calls("cuLaunchKernelEx")
    shape, _, parameters = found.partition("  ")
    assert shape == (
        "cuLaunchKernelEx 0x30 grid 2 3 4 block 384 1 1 shared 65536 stream (nil) "
        "extra (nil)"
    )
    *own, last = parameters.split()
    assert own == ["64000000", "50000000", "6000000000000000"]
    assert len(last) == 8
    assert int(last[:2], 16) > 0  # the stub's number of the map
    assert len(calls("cuMemAlloc")) == len(calls("cuMemFree")) == 1


def test_an_array_without_elements_becomes_a_line_of_zeros(calls: Calls) -> None:
    launch(replace(RECORD, appended=(MAP, replace(MAP, access="store"))), rows=0)
    for text in calls("cuTensorMapEncodeTiled"):
        assert " at 0 (1 step 1 box 64) (1 step 1 box 128) stride 16 " in text
    assert len(calls("cuMemAlloc")) == len(calls("cuMemFree")) == 3


def test_a_persistent_kernel_gets_what_the_device_holds(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_PARAMETERS", "0,4,4,8,4,4,4")
    launch(replace(RECORD, grid="persistent", appended=(GridExtents(),)))
    assert calls("cuOccupancy") == [
        "cuOccupancyMaxActiveBlocksPerMultiprocessor 0x30 384 65536"
    ]
    (found,) = calls("cuLaunchKernelEx")
    assert "grid 6 1 1 block" in found  # 3 multiprocessors of 2 CTAs
    assert found.split()[-3:] == ["02000000", "03000000", "04000000"]


def test_a_cluster_is_an_attribute(calls: Calls) -> None:
    launch(replace(RECORD, cluster=(2, 1, 1)))
    (found,) = calls("cuLaunchKernelEx")
    assert "grid 4 3 4 block 384 1 1" in found
    assert found.endswith("attribute 4 = 2 1 1")


def test_a_cluster_of_more_than_eight_is_allowed_first(calls: Calls) -> None:
    """`CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED` is 14."""
    launch(replace(RECORD, cluster=(16, 1, 1)))
    assert calls("cuFuncSetAttribute")[-1] == "cuFuncSetAttribute 0x30 14 1"
    (found,) = calls("cuLaunchKernelEx")
    assert found.endswith("attribute 4 = 16 1 1")


def test_what_does_not_fit_a_map_is_told(calls: Calls) -> None:
    with pytest.raises(UserError, match=r"expected extents from 1 to .*, got"):
        launch(RECORD, columns=-5)
    assert not calls("cuLaunchKernelEx")
    assert len(calls("cuMemAlloc")) == len(calls("cuMemFree")) == 1


def test_a_refusal_of_the_driver_is_told(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_FAIL", "cuTensorMapEncodeTiled=1")
    with pytest.raises(UserError, match="cuTensorMapEncodeTiled failed with error 1"):
        launch(RECORD)
    assert len(calls("cuMemAlloc")) == len(calls("cuMemFree")) == 1


TEXT = b"""
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i64>) {
    %one = constant <f16: 1.0> : tile<f16>
    %t = store_ptr_tko weak %a, %one : tile<ptr<f16>>, tile<f16> -> token
    return
  }
}
"""


def test_run_follows_the_record_of_a_compiled_kernel(calls: Calls) -> None:
    def add(level: Any) -> None:
        add_map(entries(level)[0], MAP)

    module = cuda_tile.load(TEXT)
    compiled = cuda_tile.compile(module, "sm_90", after={"place": add})
    array = np.ones((16, 64), np.float16)
    cuda_tile.run(
        module, grid=(1,), args=[array, 16, 64, 64], on="gpu", compiled=compiled
    )
    assert len(calls("cuTensorMapEncodeTiled")) == 1
    (found,) = calls("cuLaunchKernelEx")
    assert "grid 1 1 1 block 32 1 1 shared 0" in found
    cuda_tile.run(
        module, grid=(1,), args=[array, 16, 64, 64], on="emulator", compiled=compiled
    )
