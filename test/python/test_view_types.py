# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""View types: creation and accessors in Python."""

from __future__ import annotations

from typing import Any

import pytest

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct


@pytest.fixture
def tensor_view() -> ct.TensorViewType:
    with ir.Context():
        return ct.TensorViewType.get(ir.F32Type.get(), [64, None], [64, 1])


def test_strided_view(tensor_view: ct.TensorViewType) -> None:
    padding = ct.PaddingValueAttr.get("nan", tensor_view.context)
    view = ct.StridedViewType.get([8, 4], [3, 8], tensor_view, [1, 0], padding)
    assert view.tile_shape == [8, 4]
    assert view.traversal_strides == [3, 8]
    assert view.tensor_view == tensor_view
    assert view.dim_map == [1, 0]
    assert view.padding_value == "nan"
    assert view.view_tile_type.shape == [8, 4]
    assert view.view_index_rank == 2
    assert ir.Type.parse(str(view), tensor_view.context) == view


def test_gather_scatter_view(tensor_view: ct.TensorViewType) -> None:
    view = ct.GatherScatterViewType.get([8, 4], tensor_view, 1)
    assert view.sparse_dim == 1
    assert view.padding_value is None
    assert view.view_tile_type.element_type == tensor_view.element_type
    assert ir.Type.parse(str(view), tensor_view.context) == view


def test_refused(tensor_view: ct.TensorViewType) -> None:
    with pytest.raises(ValueError, match="expected 2 traversal strides, got 1"):
        ct.StridedViewType.get([8, 4], [3], tensor_view, [0, 1])
    with pytest.raises(ValueError, match="gather dimension is outside"):
        ct.GatherScatterViewType.get([8, 4], tensor_view, 2)


def test_refused_extents(tensor_view: ct.TensorViewType) -> None:
    sizes = "tile shape dimensions must have positive length but got \\[0, 4\\]"
    with pytest.raises(ValueError, match=sizes):
        ct.PartitionViewType.get([0, 4], tensor_view, [0, 1])
    strides = "tensor_view dimension, got 0 among the strides"
    with tensor_view.context, pytest.raises(ValueError, match=strides):
        ct.TensorViewType.get(ir.F32Type.get(), [64, 4], [64, 0])


@pytest.mark.parametrize("size", [-5, 0, ct.DYNAMIC])
def test_only_none_is_dynamic(size: int) -> None:
    message = f"expected strictly positive value for tensor_view dimension, got {size}"
    with ir.Context(), pytest.raises(ValueError, match=message):
        ct.TensorViewType.get(ir.F32Type.get(), [size, 32], [0, 1])


def test_names_of_parameters(tensor_view: ct.TensorViewType) -> None:
    """Both ours and those of other bindings."""
    get: Any = ct.TensorViewType.get
    for name in ("strides", "stride"):
        with tensor_view.context:
            view = get(ir.F32Type.get(), [64, None], **{name: [64, 1]})
        assert view == tensor_view
    get = ct.PartitionViewType.get
    names = ("tensor_view", "tensor_view_type")
    views = {get([8, 4], **{name: tensor_view}, dim_map=[1, 0]) for name in names}
    assert len(views) == 1
    with tensor_view.context, pytest.raises(TypeError, match="expected tensor_view"):
        get([4], ir.F32Type.get())


def test_pointer_attributes() -> None:
    with ir.Context():
        f32 = ir.F32Type.get()
        plain = ct.PointerType.get(f32)
        multicast = ct.PointerType.get(f32, ptr_attr="multicast")
        assert (plain.ptr_attr, multicast.ptr_attr) == (None, "multicast")
        assert str(multicast) == "!cuda_tile.ptr<f32, <multicast>>"
        assert ct.PointerType.get(f32, ptr_attr="none") != plain
        view = ct.TensorViewType.get(f32, [64], [1], ptr_attr="unicast")
        assert view.ptr_attr == "unicast"
        assert str(view).endswith("strides=[1], #cuda_tile.ptr_attr<unicast>>")
        with pytest.raises(ValueError, match="Invalid pointer attribute: many"):
            ct.PointerType.get(f32, ptr_attr="many")


def test_f8e5m3fnu() -> None:
    with ir.Context():
        kind = ct.F8E5M3FNUType.get()
        assert str(kind) == "!cuda_tile.fnv8E5M3FNU"
        assert ir.Type.parse("!cuda_tile.f8E5M3FNU") == kind
        assert str(ct.TileType.get([4], kind)) == "!cuda_tile.tile<4xfnv8E5M3FNU>"


def test_string() -> None:
    with ir.Context():
        assert str(ct.StringType.get()) == "!cuda_tile.string"
