"""View types: creation and accessors in Python."""

from __future__ import annotations

import pytest

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct


@pytest.fixture
def tensor_view() -> ct.TensorViewType:
    with ir.Context():
        return ct.TensorViewType.get(ir.F32Type.get(), [64, ct.DYNAMIC], [64, 1])


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
    strides = "dimensions must have strictly positive constant strides but got"
    with tensor_view.context, pytest.raises(ValueError, match=strides):
        ct.TensorViewType.get(ir.F32Type.get(), [64, 4], [64, 0])


def test_string() -> None:
    with ir.Context():
        assert str(ct.StringType.get()) == "!cuda_tile.string"
