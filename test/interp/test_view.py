# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views: positions of tiles, padding, bounds, shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import DTYPES, NAMES, kernel, parse, same_bits

from cuda_tile import interp
from cuda_tile.interp import InterpError
from cuda_tile.runtime.args import array_args

PADDINGS = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": np.nan,
    "pos_inf": np.inf,
    "neg_inf": -np.inf,
}


def view(
    name: str,
    kind: str,
    rank: int,
    tile: str,
    padding: str = "",
    dim_map: str = "",
    **fixed: Any,
) -> tuple[str, str]:
    """Text that makes `%NAME` from parameters `%NAME_p, %NAME_s0.., %NAME_d0..`."""
    sizes = ", ".join(f"%{name}_s{d}" for d in range(rank))
    steps = ", ".join(f"%{name}_d{d}" for d in range(rank))
    unknown = "x".join("?" * rank)
    strides = ",".join("?" * rank)
    tensor = f"tensor_view<{unknown}x{kind}, strides=[{strides}]>"
    pad = f"padding_value = {padding}, " if padding else ""
    mapped = f", dim_map={dim_map}" if dim_map else ""
    kind_text = f"partition_view<tile=({tile}), {pad}{tensor}{mapped}>"
    text = f"""
      %{name}_tv = make_tensor_view %{name}_p, shape = [{sizes}], strides = [{steps}]
        : tile<i32> -> {tensor}
      %{name} = make_partition_view %{name}_tv : {kind_text}
    """
    return text, kind_text


def parameters(name: str, kind: str, rank: int) -> str:
    numbers = [f"%{name}_s{d}: tile<i32>" for d in range(rank)]
    numbers += [f"%{name}_d{d}: tile<i32>" for d in range(rank)]
    return ", ".join([f"%{name}_p: tile<ptr<{kind}>>", *numbers])


def copy(
    a: np.ndarray,
    out: np.ndarray,
    tile: tuple[int, ...],
    index: tuple[int, ...],
    padding: str = "",
    dim_map: str = "",
    inbounds: str = "",
    **options: Any,
) -> np.ndarray:
    """Loads the tile of `a` at `index` and stores it at the origin of `out`."""
    kind, rank = NAMES[a.dtype], a.ndim
    text = "x".join(str(size) for size in tile)
    in_text, in_type = view("a", kind, rank, text, padding, dim_map)
    out_text, out_type = view("o", kind, rank, text)
    names = ", ".join(f"%i{d}" for d in range(rank))
    zeros = ", ".join(["%zero"] * rank)
    constants = "".join(
        f"%i{d} = constant <i32: {i}> : tile<i32>\n" for d, i in enumerate(index)
    )
    body = f"""
      {in_text} {out_text} {constants}
      %zero = constant <i32: 0> : tile<i32>
      %x, %t = load_view_tko weak %a[{names}] {inbounds}
        : {in_type}, tile<i32> -> tile<{text}x{kind}>, token
      %s = store_view_tko weak %x, %o[{zeros}] token = %t
        : tile<{text}x{kind}>, {out_type}, tile<i32> -> token
    """
    module = kernel(
        f"{parameters('a', kind, rank)}, {parameters('o', kind, rank)}", body
    )
    interp.run(module, grid=(1,), args=[*array_args(a), *array_args(out)], **options)
    return out


def matrix(rows: int, columns: int, kind: str = "f32") -> np.ndarray:
    return np.arange(rows * columns).reshape(rows, columns).astype(DTYPES[kind])


@pytest.mark.parametrize("kind", ["i8", "i32", "i64", "f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("index", [(0, 0), (1, 1), (3, 0)])
def test_tiles_of_a_matrix(kind: str, index: tuple[int, int]) -> None:
    a = (matrix(16, 8, "i32") % 100).astype(DTYPES[kind])
    out = np.zeros((4, 4), a.dtype)
    r, c = index[0] * 4, index[1] * 4
    same_bits(copy(a, out, (4, 4), index), a[r : r + 4, c : c + 4])


def test_strided_arrays() -> None:
    base = matrix(32, 32)
    a = base[1::3, ::2]
    out_base = np.zeros((8, 16), np.float32)
    copy(a, out_base[::2, 1::2], (4, 8), (1, 0))
    expected = np.zeros((8, 16), np.float32)
    expected[::2, 1::2] = a[4:8, :8]
    np.testing.assert_array_equal(out_base, expected)


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_padding(padding: str, kind: str) -> None:
    a, out = matrix(8, 2, kind), np.ones((1, 4), DTYPES[kind])
    pad = PADDINGS[padding]
    got = copy(a, out, (1, 4), (1, 0), padding)
    same_bits(got, np.array([[2, 3, pad, pad]], a.dtype))


@pytest.mark.parametrize("kind", ["i1", "i8", "i64"])
def test_zero_padding_of_integers(kind: str) -> None:
    a, out = np.ones(3, DTYPES[kind]), np.ones(4, DTYPES[kind])
    assert copy(a, out, (4,), (0,), "zero").tolist() == [1, 1, 1, 0]


def test_dim_map_equals_a_permuted_load() -> None:
    a, out = matrix(8, 16), np.zeros((4, 2), np.float32)
    got = copy(a, out, (4, 2), (1, 3), dim_map="[1, 0]")
    np.testing.assert_array_equal(got, a[6:8, 4:8].T)


def test_stores_drop_what_is_outside() -> None:
    base = np.full((4, 4), -1, np.float32)
    copy(matrix(4, 4), base[:3, :2], (4, 4), (0, 0))
    expected = np.full((4, 4), -1, np.float32)
    expected[:3, :2] = matrix(4, 4)[:3, :2]
    np.testing.assert_array_equal(base, expected)


def test_unspecified_elements_that_are_dropped_are_no_error() -> None:
    a, out = matrix(3, 3), np.zeros((3, 3), np.float32)
    np.testing.assert_array_equal(copy(a, out, (4, 4), (0, 0)), a)


def test_unspecified_elements_that_are_stored_are_an_error() -> None:
    with pytest.raises(InterpError, match="the stored value is unspecified") as caught:
        copy(matrix(3, 3), np.zeros((4, 4), np.float32), (4, 4), (0, 0))
    assert caught.value.element_index == (0, 3)


def test_index_outside_the_index_space() -> None:
    out = np.zeros((4, 4), np.float32)
    message = r"index \[2, 0\] is outside the index space \[2, 1\]"
    with pytest.raises(InterpError, match=message):
        copy(matrix(8, 4), out, (4, 4), (2, 0), "zero")
    got = copy(matrix(8, 4), out + 1, (4, 4), (2, 0), "zero", mode="permissive")
    assert not got.any()


def test_inbounds_is_a_promise() -> None:
    a, out = matrix(8, 6), np.zeros((4, 4), np.float32)
    copy(a, out, (4, 4), (1, 0), "zero", inbounds="inbounds = [true, true]")
    copy(a, out, (4, 4), (1, 1), "zero", inbounds="inbounds = [true, false]")
    with pytest.raises(InterpError, match="promised inbounds along index 1"):
        copy(a, out, (4, 4), (1, 1), "zero", inbounds="inbounds = [true, true]")


def test_memory_beyond_the_array_is_an_error() -> None:
    a, out = matrix(4, 4), np.zeros((4, 4), np.float32)
    args = array_args(a)
    args[1] = np.int32(8)  # claims more rows than there are
    text, kind = view("a", "f32", 2, "8x4")
    body = f"""{text}
      %zero = constant <i32: 0> : tile<i32>
      %x, %t = load_view_tko weak %a[%zero, %zero]
        : {kind}, tile<i32> -> tile<8x4xf32>, token
    """
    module = kernel(parameters("a", "f32", 2), body)
    with pytest.raises(InterpError, match="outside every array") as caught:
        interp.run(module, grid=(1,), args=args, memory=None)
    assert caught.value.element_index == (4, 0)
    assert not out.any()


def test_shapes() -> None:
    text, kind = view("a", "f32", 2, "4x2")
    mapped, mapped_kind = view("a", "f32", 2, "4x2", dim_map="[1, 0]")
    mapped = mapped.replace("%a_tv", "%b_tv").replace("%a =", "%b =")
    tensor = "tensor_view<?x?xf32, strides=[?,?]>"
    body = f"""{text} {mapped}
      %s:2 = get_tensor_shape %a_tv : {tensor} -> tile<i32>
      %n:2 = get_index_space_shape %a : {kind} -> tile<i32>
      %m:2 = get_index_space_shape %b : {mapped_kind} -> tile<i32>
    """
    seen: dict[str, list[list[int]]] = {}

    def trace(op: interp.Op, results: tuple[Any, ...]) -> None:
        if op.name.startswith("get_"):
            seen.setdefault(op.name, []).append([int(value) for value in results])

    array = np.zeros((63, 16), np.float32)
    module = kernel(parameters("a", "f32", 2), body)
    interp.run(module, grid=(1,), args=array_args(array), trace=trace)
    assert seen["get_tensor_shape"] == [[63, 16]]
    assert seen["get_index_space_shape"] == [[16, 8], [4, 32]]


def test_sizes_are_unsigned() -> None:
    """255 fits a result of eight bits, though its signed reading is -1."""
    tensor = "tensor_view<?xf32, strides=[1]>"
    body = f"""
      %t = make_tensor_view %p, shape=[%n], strides=[1] : tile<i32> -> {tensor}
      %s = get_tensor_shape %t : {tensor} -> tile<i8>
      %w = exti %s unsigned : tile<i8> -> tile<i32>
      %d = store_ptr_tko weak %o, %w : tile<ptr<i32>>, tile<i32> -> token"""
    parameters = "%p: tile<ptr<f32>>, %n: tile<i32>, %o: tile<ptr<i32>>"
    module, out = kernel(parameters, body), np.zeros(1, np.int32)
    interp.run(module, grid=(1,), args=[np.zeros(1, np.float32), 255, out])
    assert out[0] == 255
    with pytest.raises(InterpError, match="expected a size that fits i8, got 256"):
        interp.run(module, grid=(1,), args=[np.zeros(1, np.float32), 256, out])


def test_strides_are_positive() -> None:
    tensor = "tensor_view<4xf32, strides=[?]>"
    body = f"%t = make_tensor_view %p, shape=[4], strides=[%s] : tile<i32> -> {tensor}"
    module = kernel("%p: tile<ptr<f32>>, %s: tile<i32>", body)
    with pytest.raises(InterpError, match="expected strides above 0, got 0"):
        interp.run(module, grid=(1,), args=[np.zeros(4, np.float32), 0])
    interp.run(module, grid=(1,), args=[np.zeros(4, np.float32), 1])


def test_static_shapes_and_scalar_views() -> None:
    module = parse(
        """
      cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
        %z = constant <i32: 0> : tile<i32>
        %t = make_tensor_view %p, shape = [4, 2], strides = [2, 1]
          : tensor_view<4x2xi32, strides=[2,1]>
        %v = make_partition_view %t
          : partition_view<tile=(4x2), tensor_view<4x2xi32, strides=[2,1]>>
        %u = make_tensor_view %q, shape = [4, 2], strides = [1, 4]
          : tensor_view<4x2xi32, strides=[1,4]>
        %w = make_partition_view %u
          : partition_view<tile=(4x2), tensor_view<4x2xi32, strides=[1,4]>>
        %x, %a = load_view_tko weak %v[%z, %z]
          : partition_view<tile=(4x2), tensor_view<4x2xi32, strides=[2,1]>>, tile<i32>
          -> tile<4x2xi32>, token
        %b = store_view_tko weak %x, %w[%z, %z] token = %a
          : tile<4x2xi32>,
            partition_view<tile=(4x2), tensor_view<4x2xi32, strides=[1,4]>>, tile<i32>
          -> token
        return
      } }"""
    )
    a, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    interp.run(module, grid=(1,), args=[a, out])
    assert out.tolist() == a.reshape(4, 2).T.reshape(-1).tolist()
