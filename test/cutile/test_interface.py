# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda_tile.cutile.launch`, `compile` and `bytecode`."""

from __future__ import annotations

import os
import weakref
from importlib import metadata
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cutile_command import python

os.environ.setdefault("CUDA_TILE_CACHE_DIR", "off")

import cuda.tile as ct
from cuda.tile import compilation
from cuda.tile.compilation import CallingConvention, KernelSignature

import cuda_tile
from cuda_tile import cutile
from cuda_tile.cutile import installation
from cuda_tile.cutile.binding import flattened
from cuda_tile.cutile.dlpack import DeviceArray, view
from cuda_tile.errors import UserError

Const = ct.Constant[int]


@ct.kernel  # pyright: ignore[reportUntypedFunctionDecorator]
def add(a: Any, b: Any, c: Any, size: Const) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(size,))
    y = ct.load(b, index=(i,), shape=(size,))
    ct.store(c, index=(i,), tile=x + y)


@ct.kernel  # pyright: ignore[reportUntypedFunctionDecorator]
def scale(arrays: Any, pair: Any, count: Any, half: Any) -> None:
    for i in range(len(arrays)):
        x = ct.load(arrays[i], index=(0, 0), shape=(4, 4))
        x = x * pair[1] + count
        if half:
            x = x * 0.5
        ct.store(pair[0], index=(i, 0, 0), tile=ct.reshape(x, (1, 4, 4)))


def arrays(dtype: Any = np.float32, count: int = 3, size: int = 64) -> list[Any]:
    return [np.arange(n, n + size).astype(dtype) for n in range(count)]


@pytest.mark.parametrize("on", ["interp", "emulator"])
@pytest.mark.parametrize(
    "dtype",
    [
        *(np.float16, np.float64, np.int32, np.int64, np.uint8, np.uint32),
        ml_dtypes.bfloat16,
    ],
)
def test_launch_changes_arrays_in_place(on: Any, dtype: Any) -> None:
    a, b, c = arrays(dtype)
    done = cutile.launch((4,), add, (a, b, c, 16), on=on, gpu="sm_80")
    assert (c == a + b).all()
    assert cutile.launches[-1] is done
    assert (done.kernel, done.grid, done.on) == ("add", (4, 1, 1), on)
    assert done.args[2] is c
    assert cuda_tile.load(done.bytecode)


@pytest.mark.parametrize(
    "dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.bool_]
)
def test_elements_that_only_move(dtype: Any) -> None:
    @ct.kernel  # pyright: ignore[reportUntypedFunctionDecorator]
    def copy(a: Any, b: Any) -> None:
        ct.store(b, index=(0,), tile=ct.load(a, index=(0,), shape=(64,)))

    a, b = (np.arange(64) % 7).astype(dtype), np.zeros(64, dtype)
    cutile.launch((1,), copy, [a, b])
    assert (a.view(np.uint8) == b.view(np.uint8)).all()


@pytest.mark.parametrize("on", ["interp", "emulator"])
def test_lists_tuples_scalars_and_views(on: Any) -> None:
    storage = np.arange(200, dtype=np.float32).reshape(5, 5, 8)
    items = [storage[0, :4, :4], storage[1, 1:, ::2], storage[2, :4, 4:].T]
    result = np.zeros((4, 4, 4, 2), np.float32)[:3, :, :, 1]
    cutile.launch((1,), scale, (items, (result, 2.0), np.int64(3), True), on=on)
    for item, got in zip(items, result, strict=True):
        assert (got == (2 * item + 3) / 2).all()


class OtherLibrary:
    """An array of a library that only knows the exchange."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **_: object) -> Any:
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class OnTheGpu(OtherLibrary):
    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 1)


def test_arrays_of_other_libraries() -> None:
    a, b, c = arrays()
    cutile.launch((4,), add, (*map(OtherLibrary, (a, b, c)), 16))
    assert (c == a + b).all()


def test_compile_and_bytecode() -> None:
    args = (*arrays(), 16)
    for version in ("13.1", "13.4"):
        data = cutile.bytecode(add, args, version)
        assert data[8:10] == bytes(map(int, version.split(".")))
    compiled = cutile.compile(add, args, "sm_80", cubin=False)
    assert ".target sm_80" in compiled.ptx
    assert list(compiled.launch) == ["add"]
    signature = KernelSignature.from_kernel_args(
        add,  # pyright: ignore[reportArgumentType]
        (*map(DeviceArray, arrays()), 16),
        CallingConvention.cutile_python_v1(),
    )
    assert cutile.bytecode(add, signature) == cutile.bytecode(add, args)


def test_a_kernel_is_written_once_for_one_signature(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    args = (*arrays(), 32)
    cutile.bytecode(add, args)
    monkeypatch.setattr(compilation, "export_kernel", None)
    assert cutile.bytecode(add, args)


@pytest.mark.parametrize(
    ("args", "error", "said"),
    [
        ((1, 2, 3), TypeError, "Kernel expects 4 arguments but 3 were given"),
        ((*arrays()[:2], arrays()[2][::-1], 16), UserError, "argument 2: expected str"),
        ((*arrays()[:2], np.zeros(9, "c8"), 16), UserError, "complex64; convert"),
        ((*arrays()[:2], OnTheGpu(0), 16), UserError, "OnTheGpu on device 2:1; copy"),
        ((*arrays()[:2], "c", 16), TypeError, "Objects of type 'str'"),
        (np.zeros(3), UserError, "arguments in a tuple or list, got a ndarray"),
    ],
)
def test_wrong_arguments(args: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said) as raised:
        cutile.launch((1,), add, args)
    if error is TypeError:
        assert "add(a, b, c, size) was launched with (" in raised.value.__notes__[0]


def test_wrong_words() -> None:
    args = (*arrays(), 16)
    for said, call in (
        ("a kernel, as @cuda.tile.kernel", lambda: cutile.launch((1,), print, args)),
        ("expected a grid of 1 to 3", lambda: cutile.launch((0,), add, args)),
        ("extents as grid, got 4", lambda: cutile.launch(4, add, args)),  # pyright: ignore[reportArgumentType]
        ("one of interp", lambda: cutile.launch((1,), add, args, on="cpu")),  # pyright: ignore[reportArgumentType]
        ("bytecode version of 13.1", lambda: cutile.bytecode(add, args, "12.0")),
        ("or a KernelSignature", lambda: cutile.bytecode(add, 3)),
    ):
        with pytest.raises(UserError, match=said):
            call()


def test_missing_parameters_are_counted_by_array() -> None:
    a = DeviceArray(np.zeros((128, 64), np.float16))
    with pytest.raises(UserError) as raised:
        flattened(["ptr<f16>"] + 4 * ["i32"] + 10 * ["i32"], (7, a), "k")
    assert "expected 15 parameters" in str(raised.value)
    assert "argument 1: float16[128,64] becomes pointer, 2 extents, 2 strides" in str(
        raised.value
    )


def test_cutile_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "DISTRIBUTION", "no-such-distribution")
    with pytest.raises(UserError, match=r"pip install 'cuda-tile-compiler\[cutile\]'"):
        cutile.launch((1,), add, (*arrays(), 16))


def test_other_versions_of_cutile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "1.8.0")
    with pytest.warns(UserWarning, match=r"cuTile 1\.8\.0 is installed.*with 1\.7"):
        installation.check_cutile()


def test_importing_the_package_loads_none_of_it() -> None:
    text = """
import sys, cuda_tile, cuda_tile.cutile
print([n for n in sys.modules if "cutile" in n or n in ("numpy", "cuda.tile")])
"""
    assert python("-c", text).stdout == "['cuda_tile.cutile']\n"


def test_a_view_of_memory_keeps_what_has_the_memory() -> None:
    memory = np.arange(64, dtype=np.int32)
    gone = weakref.ref(memory)
    seen = view(memory.ctypes.data, (4, 8), (64, 4), memory.dtype, memory)[2:]
    del memory
    assert gone() is not None
    assert seen.tolist() == [list(range(32, 40)), list(range(48, 56))]
    del seen
    assert gone() is None
