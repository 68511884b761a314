# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries in GPU memory, as launchers see them."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from foreign_arrays import ADDRESS, Exchanged, Renamed, Tensor

from cuda_tile import UserError
from cuda_tile.runtime.device_view import DeviceView, device_view, stream_handle


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("torch")
    module.Tensor = Tensor
    monkeypatch.setitem(sys.modules, "torch", module)


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("float32", np.float32),
        ("bfloat16", ml_dtypes.bfloat16),
        ("float8_e4m3fn", ml_dtypes.float8_e4m3fn),
        ("int8", np.int8),
        ("bool", np.bool_),
    ],
)
def test_tensors_of_torch(name: str, dtype: Any) -> None:
    view = device_view(Tensor(name, (2, 3)), "argument 0")
    assert isinstance(view, DeviceView)
    assert (view.dtype, view.shape) == (np.dtype(dtype), (2, 3))
    assert view.strides == (3 * view.itemsize, view.itemsize)
    assert (view.address, view.gpu) == (ADDRESS, 0)
    assert str(view) == repr(view) == f"DeviceView({view.dtype}[2, 3] at {ADDRESS:#x})"


def test_dlpack_of_another_producer() -> None:
    array = np.zeros((4, 6, 8), np.int16)[1:, ::2, ::-1][..., ::-1]
    for given in (array, np.zeros((2, 0), np.float64), np.array(3.5), array[0] > 0):
        view = device_view(Renamed(given), "argument 0")
        assert view is not None
        assert (view.dtype, view.shape, view.gpu) == (given.dtype, given.shape, 3)
        if given.size:
            assert view.strides == given.strides
            assert view.address == given.ctypes.data


def test_streams() -> None:
    assert stream_handle(None) == 0
    assert stream_handle(7) == 7
    assert stream_handle(SimpleNamespace(cuda_stream=8)) == 8
    assert stream_handle(SimpleNamespace(ptr=9)) == 9
    assert stream_handle(SimpleNamespace(__cuda_stream__=lambda: (0, 10))) == 10
    for wrong in ("7", True, 1.0):
        with pytest.raises(UserError, match=r"expected stream to be None, .* got a"):
            stream_handle(wrong)


@pytest.mark.usefixtures("torch")
def test_tensors_elsewhere() -> None:
    with pytest.raises(UserError, match=r"argument 3: expected a tensor on a GPU, got"):
        device_view(Tensor("float32", (2,), "cpu"), "argument 3")
    sparse = Tensor("float32", (2,))
    sparse.layout = "torch.sparse_coo"
    for tensor in (sparse, Tensor("float4_e2m1fn_x2", (2,))):
        with pytest.raises(
            UserError, match=r"expected a dense tensor .* got torch.flo"
        ):
            device_view(tensor, "argument 3")


def test_dlpack_without_strides() -> None:
    view = device_view(Exchanged((2, 3), 4, 16), "argument 0")
    assert view is not None
    assert (view.dtype, view.strides) == (np.dtype(ml_dtypes.bfloat16), (6, 2))
    assert view.address == ADDRESS + 64
