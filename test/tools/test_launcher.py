# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda_tile.launch` against the stand-in for the CUDA driver, call by call."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreign_arrays import ADDRESS, GPU_BIT, Exchanged, Interface
from real_kernels import RECIPES, kernel_path, make_problem

import cuda_tile
from cuda_tile import Compiled, UserError
from cuda_tile.runtime import driver

TRANSPOSE = "transpose_f32_64x64"


class Calls:
    """What the stand-in logged."""

    def __init__(self, log: Path) -> None:
        self._log = log

    @property
    def lines(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []

    @property
    def names(self) -> list[str]:
        """The functions in order, without those that only look something up."""
        names = [line.split()[0] for line in self.lines]
        ignored = ("cuInit", "cuDevice", "cuPointer")
        return [name for name in names if not name.startswith(ignored)]

    def of(self, name: str) -> list[str]:
        return [line for line in self.lines if line.split()[0] == name]

    def forget(self) -> None:
        self._log.unlink()


@pytest.fixture
def calls(
    stub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Calls]:
    driver.load_driver.cache_clear()
    monkeypatch.setattr(driver, "LIBRARIES", (str(stub),))
    monkeypatch.setenv("STUB_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("STUB_KERNEL", "nothing")
    yield Calls(tmp_path / "log")
    driver.load_driver.cache_clear()


@pytest.fixture(scope="module")
def compiled() -> Callable[..., Compiled]:
    made: dict[Any, Compiled] = {}

    def get(name: str = TRANSPOSE, abi: str = "cuda", gpu: str = "sm_90") -> Compiled:
        if (name, abi, gpu) not in made:
            options = cuda_tile.Options(gpu=gpu, abi=abi)
            module = cuda_tile.load(kernel_path(name))
            made[name, abi, gpu] = cuda_tile.compile(module, options=options)
        return made[name, abi, gpu]

    return get


def parameters_logged(types: Any) -> str:
    sizes = {"i64": 8, "i32": 4, "f32": 4}
    return ",".join(str(sizes.get(ty, 8)) for ty in types)


def test_arrays_on_the_gpu_stay_where_they_are(
    calls: Calls, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = compiled()
    record = kernel.launch[TRANSPOSE]
    monkeypatch.setenv("STUB_PARAMETERS", parameters_logged(record.parameters))
    x, y = Interface((64, 128), "f4"), Interface((128, 64), "f4", ADDRESS + 0x10000)
    cuda_tile.launch(kernel, (1, 2), [x, y])
    assert calls.names == [
        *("cuCtxPushCurrent_v2", "cuModuleLoadData", "cuModuleGetFunction"),
        *("cuLaunchKernelEx", "cuCtxPopCurrent_v2"),
    ]
    (found,) = calls.of("cuLaunchKernelEx")
    threads = record.block[0]
    assert f"grid 1 2 1 block {threads} 1 1 shared 0 stream (nil)" in found
    expected = struct.pack(
        "<QiiiiQiiii", ADDRESS, 64, 128, 128, 1, *((ADDRESS + 0x10000, 128, 64, 64, 1))
    )
    assert "".join(found.split()[-10:]) == expected.hex()
    calls.forget()
    cuda_tile.launch(kernel, (1, 2), [x, y], 0x55)  # the module stays loaded
    assert calls.names == [
        *("cuCtxPushCurrent_v2", "cuModuleGetFunction"),
        *("cuLaunchKernelEx", "cuCtxPopCurrent_v2"),
    ]
    assert "stream 0x55 " in calls.of("cuLaunchKernelEx")[0]


def test_numpy_arrays_are_copied_there_and_back(
    calls: Calls, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_KERNEL", "add")  # to 16 numbers of 32 bits
    numbers = np.arange(64, dtype=np.int32)
    x, y = numbers.view(np.float32).reshape(8, 8), np.zeros((8, 8), np.float32)
    cuda_tile.launch(compiled(), (1,), [x, y], 0x55)
    assert numbers.tolist() == [*range(1, 17), *range(16, 64)]
    assert calls.names == [
        *("cuCtxPushCurrent_v2", "cuModuleLoadData", "cuModuleGetFunction"),
        *("cuMemAlloc_v2", "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemcpyHtoD_v2"),
        *("cuStreamSynchronize", "cuLaunchKernelEx", "cuStreamSynchronize"),
        *("cuMemcpyDtoH_v2", "cuMemcpyDtoH_v2", "cuMemFree_v2", "cuMemFree_v2"),
        "cuCtxPopCurrent_v2",
    ]
    assert calls.of("cuStreamSynchronize") == [
        "cuStreamSynchronize (nil)",
        "cuStreamSynchronize 0x55",
    ]


PASSED: dict[str, str] = json.loads(
    (Path(__file__).parent / "Inputs" / "cutile_parameters.json").read_text()
)
"""What cuTile Python 1.7 passed to the driver for each example with its last sizes: the
bytes of the parameters, recorded below its own launcher. Without the kernel of 64-bit
indices: `ct.launch` makes one of 32 bits of it."""


def is_of_array(args: list[Any], place: int) -> bool:
    """Whether a number is an extent or a stride of the array before it."""
    array = next(p for p in range(place, -1, -1) if isinstance(args[p], np.ndarray))
    return place <= array + 2 * args[array].ndim


@pytest.mark.parametrize("abi", ["cuda", "tile", "maps"])
@pytest.mark.parametrize("name", PASSED)
def test_every_example_gets_the_bytes_that_cutile_passes(
    calls: Calls,
    compiled: Any,
    name: str,
    abi: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = compiled(name, abi)
    record = kernel.launch[name]
    problem = make_problem(name, RECIPES[name].sizes[-1])
    monkeypatch.setenv("STUB_PARAMETERS", parameters_logged(record.parameters))
    args = [
        arg
        for place, arg in enumerate(problem.args)
        if isinstance(arg, np.ndarray) or not is_of_array(problem.args, place)
    ]
    cuda_tile.launch(kernel, problem.grid, args)
    (found,) = calls.of("cuLaunchKernelEx")
    words, own = found.partition("extra (nil)")[2].split(), PASSED[name].split()
    assert len(words) == len(own)
    for word, passed in zip(words, own, strict=True):
        assert word == passed or (passed == "address" and int(word, 16))
    asked = (1, 1, 1) if abi == "tile" else record.block
    assert f"block {asked[0]} {asked[1]} {asked[2]} " in found
    assert f"shared {record.dynamic_shared_bytes} " in found
    if record.grid == "tile_blocks":
        x, y, z = (*problem.grid, 1, 1)[:3]
        assert f" grid {x} {y} {z} " in found
    maps = [part for part in record.appended if hasattr(part, "box")]
    assert len(calls.of("cuTensorMapEncodeTiled")) == len(maps)


def test_arrays_by_dlpack(calls: Calls, compiled: Any) -> None:
    x, y = Exchanged((64, 128)), Exchanged((128, 64))
    cuda_tile.launch(compiled(), (1, 2), [x, y], 0x55)
    assert x.streams == y.streams == [0x55]
    assert len(calls.of("cuLaunchKernelEx")) == 1


def test_what_another_stream_makes_is_waited_for(calls: Calls, compiled: Any) -> None:
    x = Interface((64, 128), "f4", stream=0x77)
    y = Interface((128, 64), "f4", stream=1)
    cuda_tile.launch(compiled(), (1, 2), [x, y])
    assert calls.of("cuStreamSynchronize") == ["cuStreamSynchronize 0x77"]
    assert calls.names.index("cuStreamSynchronize") < calls.names.index(
        "cuLaunchKernelEx"
    )


def test_lists_of_arrays_become_tables(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"""cuda_tile.module @m {
      entry @k(%table: tile<ptr<i64>>, %length: tile<i32>) { return } }"""
    kernel = cuda_tile.compile(cuda_tile.load(text), "sm_90")
    monkeypatch.setenv("STUB_PARAMETERS", "0,4")
    on_gpu = [Interface((5,), "f4"), Interface((6,), "f4", ADDRESS + 256)]
    for arrays in (on_gpu, [np.zeros(5, np.float32), np.zeros(6, np.float32)]):
        cuda_tile.launch(kernel, (1,), [arrays])
        assert calls.of("cuLaunchKernelEx")[-1].endswith(" 02000000")
    table = [line for line in calls.of("cuMemcpyHtoD_v2") if line.endswith(" 48")]
    assert len(table) == 4  # each is copied, and then with device addresses


def test_other_gpus(calls: Calls, compiled: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("STUB_DEVICES", "2")
    second = ADDRESS | 1 << GPU_BIT
    x, y = Interface((8, 8), "f4", second), Interface((8, 8), "f4", second)
    cuda_tile.launch(compiled(), (1,), [x, y])
    assert calls.of("cuDevicePrimaryCtxRetain") == ["cuDevicePrimaryCtxRetain 1"]
    with pytest.raises(UserError, match=r"on one GPU, got .* on GPU 1 and .* on GPU 0"):
        cuda_tile.launch(compiled(), (1,), [x, Interface((8, 8), "f4")])
    third = Interface((8, 8), "f4", ADDRESS | 2 << GPU_BIT)
    with pytest.raises(UserError, match=r"number of a GPU below 2, .* got 2"):
        cuda_tile.launch(compiled(), (1,), [third, third])


X, Y = Interface((64, 128), "f4"), Interface((128, 64), "f4")
WRONG: dict[str, tuple[list[Any], str]] = {
    "one array too few": (
        [X],
        "argument 0: float32[64,128] becomes pointer, 2 extents, 2 strides; expected "
        "10 parameters, got 5 of 1 argument; parameter 5, a ptr<f32>, and what is",
    ),
    "another rank": (
        [Interface((8,), "f4"), Y],
        "argument 0: float32[8] becomes pointer, 1 extent, 1 stride; expected an array "
        "of 2 dimensions for parameters 0 to 4 (ptr<f32>, i32, i32, i32, i32), got one "
        "of 1; reshape it",
    ),
    "a number too many": (
        [X, Y, 3],
        "argument 2: int becomes 1 parameter; expected 10",
    ),
    "no arguments": (
        [],
        "expected 10 parameters, got 0 of 0 arguments; parameter 0, a",
    ),
    "a list": ([X, Y, [X, X]], "argument 2: a list of 2 arrays becomes table, length"),
    "a list before": ([[X, X], Y], "argument 1: float32[128,64] becomes pointer, 2 ex"),
    "mixed list": ([[X, 3], Y], "argument 0: expected a list of arrays only, got"),
    "no list of one rank": (
        [[X, Interface((8,), "f4")], Y],
        "argument 0: expected arrays of one rank and type in a list",
    ),
    "element type": (
        [X, Interface((128, 64), "f2")],
        "argument 1: expected an array of f32 (NumPy float32) for ptr<f32>, got an ar",
    ),
    "a string": (
        ["x", Y],
        "argument 0: expected a number, None, a NumPy array, an arr",
    ),
    "negative strides": (
        [X, Interface((128, 64), "f4", strides=(-256, 4))],
        "argument 1: expected strides that are not negative, got (-256, 4) bytes of",
    ),
    "negative strides of NumPy": (
        [X, np.zeros((128, 64), np.float32)[::-1]],
        "argument 1: expected strides that are multiples of the 4-byte element and not",
    ),
    "host memory by the interface": (
        [Interface((64, 128), "f4", 0x1000), Y],
        "in the memory of a GPU, got DeviceView(float32[64, 128] at 0x1000), an addr",
    ),
    "DLPack on the CPU": (
        [X, Exchanged((128, 64), kind=1)],
        "argument 1: expected an array in the memory of a GPU, got a Exchanged on DLPa",
    ),
    "DLPack, no such type": (
        [X, Exchanged((128, 64), code=5, bits=64)],
        "argument 1: expected integers, floats or bool, got elements of DLPack code 5",
    ),
    "DLPack, vectors": (
        [X, Exchanged((128, 64), lanes=4)],
        "argument 1: expected integers, floats or bool, got elements of DLPack code 2",
    ),
    "number for a pointer": (
        [1, 64, 128, 128, 1, Y, 128, 64, 64, 1],
        "argument 0: expected an array of f32 for ptr<f32>, got 1 of type int",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(calls: Calls, compiled: Any, name: str) -> None:
    args, said = WRONG[name]
    with pytest.raises(UserError) as caught:
        cuda_tile.launch(compiled(), (1, 2), args)
    assert said in str(caught.value)
    assert not calls.of("cuLaunchKernelEx")


def test_wrong_grids_kernels_and_results(compiled: Any) -> None:
    for grid in ((), (1, 2, 3, 4), (0,), (-1, 1)):
        with pytest.raises(UserError, match="a grid of 1 to 3 positive extents, got"):
            cuda_tile.launch(compiled(), grid, [X, Y])
    with pytest.raises(UserError, match=f"one of {TRANSPOSE}, got 'other'"):
        cuda_tile.launch(compiled(), (1,), [X, Y], kernel="other")
    with pytest.raises(
        UserError, match=r"what cuda_tile.compile gives, .* got a bytes"
    ):
        cuda_tile.launch(b"cubin", (1,), [])  # type: ignore[arg-type]
    with pytest.raises(UserError, match="got none; compile with cubin=True"):
        cuda_tile.launch(replace(compiled(), cubin=b""), (1,), [X, Y])
    two = replace(
        compiled(),
        report=replace(
            compiled().report,
            kernels=(
                *compiled().report.kernels,
                replace(compiled().report.kernels[0], kernel="k2"),
            ),
        ),
    )
    with pytest.raises(UserError, match=rf"the kernels {TRANSPOSE}, k2, got none"):
        cuda_tile.launch(two, (1,), [X, Y])


@pytest.mark.parametrize(
    ("gpu", "chip", "runs"),
    [
        *[("sm_90", 90, True), ("sm_90", 100, False), ("sm_90", 89, False)],
        *[("sm_80", 86, True), ("sm_86", 80, False), ("sm_80", 90, False)],
        *[("sm_100f", 103, True), ("sm_100", 103, False), ("sm_103f", 100, False)],
    ],
)
def test_the_chip_must_be_right(
    calls: Calls,
    compiled: Any,
    gpu: str,
    chip: int,
    runs: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STUB_CHIP", str(chip))
    kernel = compiled("vadd_i32_8", "cuda", gpu)
    array = Interface((8,), "i4")
    if runs:
        cuda_tile.launch(kernel, (1,), [array, array, array])
    else:
        with pytest.raises(UserError, match=rf"of sm_{chip}; compile with gpu='sm_"):
            cuda_tile.launch(kernel, (1,), [array, array, array])
    assert len(calls.of("cuLaunchKernelEx")) == runs


@pytest.mark.parametrize(
    ("function", "error", "said"),
    [
        ("cuInit", 100, "cuInit failed with error 100: an error of the stub"),
        ("cuMemAlloc_v2", 2, "expected 256 bytes of free GPU memory .* out of memory"),
        ("cuMemAlloc_v2", 1, "cuMemAlloc_v2 failed with error 1"),
        ("cuModuleLoadData", 209, "cuModuleLoadData failed with error 209"),
        ("cuModuleGetFunction", 500, "cuModuleGetFunction failed with error 500"),
        ("cuLaunchKernelEx", 701, "cuLaunchKernelEx failed with error 701"),
        ("cuStreamSynchronize", 700, "error 700: an illegal memory access; on="),
        ("cuMemcpyDtoH_v2", 700, "cuMemcpyDtoH_v2 failed with error 700"),
    ],
)
def test_errors_of_the_driver(
    calls: Calls,
    compiled: Any,
    function: str,
    error: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STUB_FAIL", f"{function}={error}")
    x, y = np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32)
    with pytest.raises(UserError, match=said):
        cuda_tile.launch(compiled(), (1,), [x, y])
    assert (y == 0).all()
    allocated = [] if function == "cuMemAlloc_v2" else calls.of("cuMemAlloc_v2")
    assert len(calls.of("cuMemFree_v2")) == len(allocated)
    assert calls.names.count("cuCtxPushCurrent_v2") == calls.names.count(
        "cuCtxPopCurrent_v2"
    )
    # What went wrong once does not stay wrong.
    monkeypatch.delenv("STUB_FAIL")
    cuda_tile.launch(compiled(), (1,), [x, y])


def test_without_a_gpu_or_driver(
    calls: Calls, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_DEVICES", "0")
    with pytest.raises(UserError, match="cannot run on a GPU: the driver finds none"):
        cuda_tile.launch(compiled(), (1,), [X, Y])
    monkeypatch.setattr(driver, "LIBRARIES", ("libnowhere.so.1",))
    with pytest.raises(UserError, match=r"no CUDA driver library \(libnowhere.so.1\)"):
        cuda_tile.launch(compiled(), (1,), [X, Y])
    assert not calls.of("cuLaunchKernelEx")


def test_an_old_driver_is_told(compiled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.load_driver.cache_clear()
    monkeypatch.setattr(driver, "LIBRARIES", ("libm.so.6",))
    with pytest.raises(UserError, match="the CUDA driver has no function cuInit"):
        cuda_tile.launch(compiled(), (1,), [X, Y])
    driver.load_driver.cache_clear()


def test_old_cubins_are_unloaded(
    calls: Calls, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "MOST_MODULES", 2)
    kernel = compiled()
    for number in (1, 2, 1, 3):
        other = replace(kernel, cubin=kernel.cubin + bytes([number]))
        cuda_tile.launch(other, (1, 2), [X, Y])
    assert len(calls.of("cuModuleLoadData")) == 3
    assert len(calls.of("cuModuleUnload")) == 1
    before = calls.names[: calls.names.index("cuModuleUnload")]
    assert before[-1] == "cuCtxSynchronize"
