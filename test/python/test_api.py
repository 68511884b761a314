# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users import: load, compile, lower, emit, run."""

from __future__ import annotations

import importlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import cuda_tile
from cuda_tile import UserError
from cuda_tile.runtime.memory import GlobalMemory
from cuda_tile.targets import find_target

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
VADD = KERNELS / "13.4" / "vadd_f32_1024.tileirbc"
TEXT = """
cuda_tile.module @kernels {
  entry @scale(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %x: tile<f32>) {
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p8 = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q8 = broadcast %q1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %i = iota : tile<8xi32>
    %a = offset %p8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %b = offset %q8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %y, %r = load_ptr_tko weak %a : tile<8xptr<f32>> -> tile<8xf32>, token
    %x1 = reshape %x : tile<f32> -> tile<1xf32>
    %x8 = broadcast %x1 : tile<1xf32> -> tile<8xf32>
    %z = mulf %y, %x8 : tile<8xf32>
    %t = store_ptr_tko weak %b, %z : tile<8xptr<f32>>, tile<8xf32> -> token
    return
  }
  entry @nothing() {
    return
  }
}
"""
JUDGES: Any = pytest.mark.parametrize("on", ["interp", "emulator"])


def scale_args() -> list[Any]:
    return [np.arange(8, dtype=np.float32), np.zeros(8, np.float32), np.float32(2)]


@pytest.fixture(name="module", scope="module")
def loaded() -> Any:
    return cuda_tile.load(TEXT.encode())


# Loading ------------------------------------------------------------------------------


def test_text_and_bytecode_are_told_apart_by_content(tmp_path: Path) -> None:
    odd = tmp_path / "kernel.dat"
    for data in (TEXT.encode(), VADD.read_bytes()):
        odd.write_bytes(data)
        for source in (odd, str(odd), data):
            assert "cuda_tile.module" in str(cuda_tile.load(source))


def test_locations_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "scale.mlir"
    path.write_text(TEXT)
    text = str(cuda_tile.load(path).operation.get_asm(enable_debug_info=True))
    assert "scale.mlir" in text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x00\xff\xfe", "expected MLIR text or Tile IR bytecode"),
        (b"\x7fELF\x02\x01", "error:"),
        (b"cuda_tile.module @m {", "1:"),
        (b"cuda_tile.module @m { entry @k() { no_such_op } }", "no_such_op"),
        (
            b"cuda_tile.module @m { entry @k(%a: tile<4xf32>) { return } }",
            "scalar types",
        ),
    ],
    ids=["bytes", "elf", "unfinished", "unknown op", "invalid"],
)
def test_bad_text_is_one_error_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(UserError, match=said):
        cuda_tile.load(data)


@pytest.mark.parametrize("size", [9, 12, 40, 100, 400])
def test_truncated_bytecode_is_an_error(size: int) -> None:
    with pytest.raises(UserError, match="error: "):
        cuda_tile.load(VADD.read_bytes()[:size])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read '.*none\.mlir': No such file"):
        cuda_tile.load(tmp_path / "none.mlir")


def test_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read '.*': Is a directory"):
        cuda_tile.load(tmp_path)


# Saving -------------------------------------------------------------------------------


def test_saved_bytes_are_the_file(module: Any, tmp_path: Path) -> None:
    path, stream = tmp_path / "scale.tileirbc", io.BytesIO()
    data = cuda_tile.save(module, path)
    assert path.read_bytes() == data == cuda_tile.save(module, stream)
    assert stream.getvalue() == data
    assert data[8:10] == bytes([13, 3])
    assert str(cuda_tile.load(path)) == str(module)


def test_saved_version() -> None:
    module = cuda_tile.load(VADD)
    assert cuda_tile.save(module, version="13.4") == VADD.read_bytes()
    assert cuda_tile.save(module, version="13.1")[8:10] == bytes([13, 1])
    with pytest.raises(
        UserError, match=r"expected a bytecode version of 13\.1, .* 13\.5, got 'new'"
    ):
        cuda_tile.save(module, version="new")


def test_what_a_version_lacks_is_said_where_it_stands() -> None:
    text = b"""cuda_tile.module @m { entry @k(%x: tile<f32>) {
      %y = tanh %x rounding<approx> : tile<f32>
      return } }"""
    with pytest.raises(
        UserError, match=r":2:\d+: error: attribute 'rounding_mode' req"
    ):
        cuda_tile.save(cuda_tile.load(text), version="13.1")


def test_saving_where_it_cannot_be(module: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write '.*': No such file"):
        cuda_tile.save(module, tmp_path / "no" / "where.tileirbc")


# Compiling ----------------------------------------------------------------------------


def test_a_compilation_says_everything(module: Any) -> None:
    compiled = cuda_tile.compile(module, "sm_80")
    assert ".entry scale(" in compiled.ptx
    assert ".entry nothing(" in compiled.ptx
    assert compiled.cubin.startswith(b"\x7fELF")
    launch = compiled.launch["scale"]
    assert launch.parameters == ("ptr<f32>", "ptr<f32>", "f32")
    assert launch.block == (32, 1, 1)
    assert [k.kernel for k in compiled.report.kernels] == ["scale", "nothing"]
    assert compiled.report.kernels[0].registers > 0
    assert "scale" in compiled.report.to_text()
    assert '"spill_bytes": 0' in compiled.report.to_json()


def test_without_a_cubin_ptxas_is_not_needed(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTXAS", "/no/such/ptxas")
    assert cuda_tile.compile(module, cubin=False).cubin == b""
    with pytest.raises(UserError, match="expected PTXAS to name a ptxas program"):
        cuda_tile.compile(module)


def test_an_unknown_gpu_is_named(module: Any) -> None:
    with pytest.raises(UserError, match="expected a known gpu name, got 'sm_70'"):
        cuda_tile.compile(module, "sm_70")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("H100", "H100 is 'sm_90'"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090 is 'sm_89'"),
        ("gb200", "is 'sm_100'"),
        ("9.0", "did you mean 'sm_90'"),
        ("compute_120a", "did you mean 'sm_120a'"),
        ("sm_91", "did you mean 'sm_90'"),
        ("V100", "sm_75 is the oldest"),
        ("sm_61", "sm_75 is the oldest"),
        ("cpu", "'cpu'; known"),
    ],
)
def test_the_error_says_which_chip_a_product_has(name: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        find_target(name)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("form", "held"),
    [
        ("tile", "load_ptr_tko"),
        ("placed", "#cute.layout"),
        ("nvvm", "llvm.func @scale"),
        ("llvm", "define ptx_kernel void @scale"),
        ("ptx", ".entry scale("),
    ],
)
def test_each_level_is_reachable_as_text(module: Any, form: Any, held: str) -> None:
    assert held in str(cuda_tile.translate(module, form, "sm_80"))


def test_the_cubin_is_reachable(module: Any) -> None:
    data = cuda_tile.translate(module, "cubin")
    assert isinstance(data, bytes)
    assert data.startswith(b"\x7fELF")


def test_an_unknown_form_is_named(module: Any) -> None:
    with pytest.raises(UserError, match=r"expected one of tile, .*, got 'sass'"):
        cuda_tile.translate(module, "sass")  # pyright: ignore[reportArgumentType]


def test_what_is_compiled_is_a_module() -> None:
    path: Any = str(VADD)
    for call in (cuda_tile.compile, cuda_tile.lower):
        with pytest.raises(
            UserError, match=r"module, as cuda_tile.load gives it, got '"
        ):
            call(path)


@pytest.mark.parametrize("text", [b"module {}", b"cuda_tile.module @m {}"])
def test_without_a_kernel_there_is_nothing_to_compile(text: bytes) -> None:
    with pytest.raises(UserError, match=r"a module with a kernel, .* got none"):
        cuda_tile.compile(cuda_tile.load(text))


def test_one_tile_module_is_compiled_at_a_time() -> None:
    text = b"""cuda_tile.module @m { entry @k() { return } }
    cuda_tile.module @n { entry @l() { return } }"""
    with pytest.raises(
        UserError, match=r":2:5: expected one cuda_tile.module .* @m, @n"
    ):
        cuda_tile.compile(cuda_tile.load(text))


# Running ------------------------------------------------------------------------------


@JUDGES
def test_arrays_are_written_in_place(module: Any, on: Any) -> None:
    args = scale_args()
    cuda_tile.run(module, "scale", grid=(1,), args=args, on=on)
    np.testing.assert_array_equal(args[1], args[0] * 2)


@JUDGES
def test_a_view_of_an_array_is_written_in_place(module: Any, on: Any) -> None:
    whole = np.zeros((3, 8), np.float32)
    args = scale_args()
    args[1] = whole[1]
    cuda_tile.run(module, "scale", grid=(1,), args=args, on=on)
    np.testing.assert_array_equal(whole[1], args[0] * 2)
    assert not whole[0].any()
    assert not whole[2].any()


def test_a_compilation_can_be_used_again(module: Any) -> None:
    compiled = cuda_tile.compile(module, "sm_80", cubin=False)
    for factor in (3, 5):
        args = [*scale_args()[:2], np.float32(factor)]
        cuda_tile.run(
            module, "scale", grid=(1,), args=args, on="emulator", compiled=compiled
        )
        np.testing.assert_array_equal(args[1], args[0] * factor)


@JUDGES
def test_an_access_outside_names_everything(module: Any, on: Any) -> None:
    args = scale_args()
    args[0] = args[0][:5]
    with pytest.raises(UserError) as caught:
        cuda_tile.run(module, "scale", grid=(1,), args=args, on=on)
    message = str(caught.value)
    assert "scale" in message  # the kernel
    assert "load_ptr_tko" in message or "ld.global" in message  # the operation
    assert "0x" in message  # the address
    nearest = {"interp": "argument 0", "emulator": "scale_param_0"}[on]
    assert f"{nearest}: float32[5]" in message


@JUDGES
def test_arrays_bring_their_extents_and_strides(on: Any) -> None:
    module = cuda_tile.load(VADD)
    x, y, z = (np.full(2048, n, np.float32) for n in (1, 2, 0))
    cuda_tile.run(module, grid=2, args=[x, y, z], on=on)
    assert (z == 3).all()
    with pytest.raises(UserError, match="argument 1: float32") as caught:
        cuda_tile.run(module, grid=2, args=[x, y[None], z], on=on)
    assert "expected an array of 1 dimension for parameters 3 to 5" in str(caught.value)


def test_a_false_assumption_names_the_argument() -> None:
    module = cuda_tile.load(VADD)
    x = np.zeros(2049, np.float32)
    with pytest.raises(UserError, match=r"got 2049 for argument 1; pass ano") as caught:
        cuda_tile.run(module, grid=2, args=[x, x, x.copy()])
    (note,) = caught.value.__notes__
    assert note.endswith("extent 0 of argument 0 that was passed, float32[2049]")


@pytest.mark.parametrize("args", [None, 3, "ab", b"ab"])
def test_arguments_that_are_no_list(module: Any, args: Any) -> None:
    with pytest.raises(UserError, match="expected args to be a list of arrays and num"):
        cuda_tile.run(module, "nothing", grid=1, args=args)


def test_arrays_of_other_libraries_have_a_way_in(module: Any) -> None:
    class Tensor:
        def __dlpack__(self) -> object:
            raise AssertionError("not asked for")

    with pytest.raises(UserError, match=r"argument 1: .* a Tensor; numpy.from_dlpack"):
        cuda_tile.run(
            module, "scale", grid=1, args=cast(Any, [scale_args()[0], Tensor(), 1.0])
        )


@JUDGES
def test_a_read_only_array_is_not_written(module: Any, on: Any) -> None:
    args = scale_args()
    args[1].flags.writeable = False
    with pytest.raises(UserError, match="read-only"):
        cuda_tile.run(module, "scale", grid=(1,), args=args, on=on)
    assert not args[1].any()


def test_several_kernels_need_a_name(module: Any) -> None:
    with pytest.raises(
        UserError, match="expected a kernel name, since the module has: scale, nothing"
    ):
        cuda_tile.run(module, grid=(1,), args=scale_args())


def test_a_module_without_kernels() -> None:
    empty = cuda_tile.load(b"cuda_tile.module @m {}")
    with pytest.raises(UserError, match="expected a module with a kernel"):
        cuda_tile.run(empty, grid=(1,), args=[])


def test_an_unknown_kernel_is_named(module: Any) -> None:
    with pytest.raises(UserError, match="got 'sale'; it has: scale, nothing"):
        cuda_tile.run(module, "sale", grid=(1,), args=scale_args())


def test_a_number_is_a_grid_along_x(module: Any) -> None:
    """As in `launch[n]` of other tools; NumPy's integers too."""
    for grid in (3, np.int64(3)):
        assert cuda_tile.run(module, "nothing", grid=grid, args=[]).grid == (3, 1, 1)


@pytest.mark.parametrize("grid", ["4", 1.5, (1.5,), None], ids=repr)
def test_a_grid_of_another_kind_is_refused(module: Any, grid: Any) -> None:
    """With what came."""
    with pytest.raises(UserError, match="1 to 3 whole numbers, got"):
        cuda_tile.run(module, "nothing", grid=grid, args=[])


def test_a_dict_is_no_chip(module: Any) -> None:
    """The message says where further choices go."""
    with pytest.raises(UserError, match=r"options=cuda_tile.Options\(gpu"):
        cuda_tile.compile(module, {"gpu": "sm_90"})  # pyright: ignore[reportArgumentType]


def test_results_print_on_one_line(module: Any) -> None:
    """Whatever PTX and cubin they hold."""
    shown = repr(cuda_tile.compile(module, gpu="sm_80", cubin=False))
    assert shown.startswith("<Compiled @scale, @nothing: ")
    assert len(shown) < 200
    for on in ("interp", "emulator"):
        report = cuda_tile.run(module, "nothing", grid=1, args=[], on=on)
        assert len(repr(report)) < 400, on


PACKAGES = ["builder", "cutile", "ir", "layout", "passmanager"]


@pytest.mark.parametrize(
    ("name", "packages"), [("cuda_tile", PACKAGES), ("cuda_tile.cutile", [])]
)
def test_completion_shows_the_public_names_alone(
    name: str, packages: list[str]
) -> None:
    """Though they are loaded on first use, which reading them is."""
    command = (
        f"import {name} as package; names = dir(package)\n"
        "assert all(getattr(package, each) is not None for each in names)\n"
        "assert dir(package) == names; print(*names)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    ).stdout.split()
    assert shown == sorted([*importlib.import_module(name).__all__, *packages])


@pytest.mark.parametrize("grid", [(), (0,), (1, 1, 1, 1), (-1,)], ids=str)
def test_a_wrong_grid_is_refused(module: Any, grid: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match="expected a grid of 1 to 3 positive extents"):
        cuda_tile.run(module, "nothing", grid=grid, args=[])


def test_an_unknown_executor_is_named(module: Any) -> None:
    with pytest.raises(
        UserError, match="expected one of interp, emulator, gpu to run on, got 'tpu'"
    ):
        cuda_tile.run(module, "nothing", grid=(1,), args=[], on=cast(Any, "tpu"))


@JUDGES
@pytest.mark.parametrize(
    "change",
    [
        lambda a: a[:2],
        lambda a: [*a, 1],
        lambda a: [a[0].astype(np.float64), *a[1:]],
        lambda a: [*a[:2], "two"],
        lambda a: [*a[:2], a[0]],
        lambda a: [1.5, *a[1:]],
    ],
    ids=[
        "too few",
        "too many",
        "dtype",
        "text",
        "array for number",
        "number for array",
    ],
)
def test_wrong_arguments_are_refused(module: Any, on: Any, change: Any) -> None:
    args = scale_args()
    with pytest.raises(UserError, match=r"expected .*, got "):
        cuda_tile.run(module, "scale", grid=(1,), args=change(args), on=on)
    assert not args[1].any()


def test_without_a_driver_the_gpu_says_so(module: Any) -> None:
    if Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has an NVIDIA driver")
    with pytest.raises(UserError, match="driver"):
        cuda_tile.run(module, "scale", grid=(1,), args=scale_args(), on="gpu")


# Lists of arrays ----------------------------------------------------------------------


def table_of(arrays: list[np.ndarray[Any, Any]]) -> tuple[Any, int]:
    """The table of a list of arrays, and its length."""
    table, length = cuda_tile.list_args(arrays)
    assert isinstance(length, np.integer)
    return table, int(length)


def test_a_list_is_a_table_of_pointers_shapes_and_strides() -> None:
    arrays = [np.zeros((4, 6), np.float32), np.zeros((2, 3), np.float32)[:, ::2]]
    table, length = table_of(arrays)
    assert length == 2
    words = np.asarray(table).reshape(2, -1).astype(np.int64)
    assert words[:, 0].tolist() == [a.ctypes.data for a in arrays]
    assert words[0, 1:].tolist() == [4, 6, 6, 1]
    assert words[1, 1:].tolist() == [2, 2, 3, 2]


def test_what_a_table_points_to_is_memory_of_the_launch() -> None:
    arrays = [np.arange(4, dtype=np.float32), np.arange(9, dtype=np.float32)]
    table, _ = table_of(arrays)
    memory = GlobalMemory()
    memory.add("table", table)
    for word, array in zip(np.asarray(table).reshape(2, -1)[:, 0], arrays, strict=True):
        start = np.array([int(word)], np.uint64)
        loaded = memory.load(start + np.uint64(4 * (len(array) - 1)), 4)
        assert loaded.view(np.float32)[0, 0] == array[-1]


@JUDGES
def test_pointers_in_memory_are_words_that_kernels_read(on: Any) -> None:
    text = b"""
    cuda_tile.module @m { entry @first(%table: tile<ptr<i64>>, %out: tile<ptr<i64>>) {
      %w, %r = load_ptr_tko weak %table : tile<ptr<i64>> -> tile<i64>, token
      %t = store_ptr_tko weak %out, %w : tile<ptr<i64>>, tile<i64> -> token
      return } }
    """
    array = np.zeros(4, np.float32)
    table, _ = table_of([array])
    out = np.zeros(1, np.int64)
    cuda_tile.run(
        cuda_tile.load(text), grid=(1,), args=[table, out], on=on, gpu="sm_80"
    )
    assert int(out[0]) == array.ctypes.data


# Importing ----------------------------------------------------------------------------


def test_importing_loads_nothing_heavy() -> None:
    code = "import cuda_tile, sys; print(*sorted(sys.modules), sep='\\n')"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = set(io.StringIO(done.stdout).read().split())
    assert not {"numpy", "cuda_tile.api", "cuda_tile._mlir.ir"} & modules


def test_every_public_name_is_there_and_no_other() -> None:
    for name in cuda_tile.__all__:
        assert getattr(cuda_tile, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = cuda_tile.nonsense


def test_a_name_with_other_bytes_than_the_locale_has(tmp_path: Path) -> None:
    """As a file of another system may have; MLIR takes UTF-8 only."""
    for name in (b"\xe9t\xe9.mlir", "été.mlir".encode(), b"\xff.tileirbc"):
        path = os.fsdecode(os.fsencode(tmp_path) + b"/" + name)
        Path(path).write_bytes(
            VADD.read_bytes() if name.endswith(b"c") else b"nonsense"
        )
        if name.endswith(b"c"):
            assert "vadd" in str(cuda_tile.load(path))
            continue
        with pytest.raises(UserError, match="1:1: error: custom op 'nonsense'"):
            cuda_tile.load(path)


RACE = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


def test_what_the_emulator_checks() -> None:
    """A seed means the same everywhere, and small launches need none."""
    module = cuda_tile.load(RACE.encode())
    out = np.zeros(1, np.int32)
    with pytest.raises(UserError, match="race"):
        cuda_tile.run(module, grid=2, args=[out], on="emulator")
    large: dict[str, Any] = {"grid": 200, "args": [out], "on": "emulator"}
    report = cuda_tile.run(module, **large)
    assert "not races in global memory" in report.checked
    with pytest.raises(UserError, match="race"):
        cuda_tile.run(module, seed=1, **large)
    report = cuda_tile.run(module, grid=1, args=[out], on="emulator", seed=3)
    assert "the order of seed 3; not other orders" in report.checked


UNPADDED = """
!t = !cuda_tile.tensor_view<?xf32, strides=[1]>
!v = !cuda_tile.partition_view<tile=(16), PADDINGtensor_view<?xf32, strides=[1]>>
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %view = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> !t
    %tiles = make_partition_view %view : !v
    %x, %t = load_view_tko weak %tiles[%zero] : !v, tile<i32> -> tile<16xf32>, token
    %u = store_view_tko weak %x, %tiles[%zero] token = %t
      : tile<16xf32>, !v, tile<i32> -> token
    return
  }
}
"""


@pytest.mark.parametrize(
    ("padding", "extent", "is_open"),
    [("", 10, True), ("", 16, False), ("padding_value = zero, ", 10, False)],
)
def test_the_emulator_says_what_it_cannot_tell_of_loads_without_padding(
    padding: str, extent: int, is_open: bool
) -> None:
    module = cuda_tile.load(UNPADDED.replace("PADDING", padding).encode())
    args = [np.zeros(extent, np.float32), extent]
    report = cuda_tile.run(module, grid=1, args=args, on="emulator")
    said = f"-:9:14 reaches past axis 0 of extent {extent}"
    assert (said in report.checked) == is_open
    assert ("without padding" in report.checked) == is_open
