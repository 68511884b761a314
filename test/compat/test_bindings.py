# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python bindings as scripts written for other tools of this dialect use them.

`row` in a comment names the row of rows.txt.
"""

import io
from pathlib import Path
from typing import Any

import pytest

from cuda_tile._mlir._mlir_libs import _cuda_tile as ct
from cuda_tile._mlir.ir import Context, F32Type, IntegerType, Location, Module, Type

DYNAMIC = -(2**63)
KERNEL = "cuda_tile.module @m { entry @f(%x: tile<f32>) { } }"


@pytest.fixture(autouse=True)
def _context():
    with Context(), Location.unknown():
        yield


def view() -> ct.TensorViewType:
    return ct.TensorViewType.get(F32Type.get(), [8, None], [None, 1])


def test_dynamic_sizes_are_none() -> None:
    # row 9.1
    assert view().shape == [8, None]
    assert view().strides == [None, 1]


@pytest.mark.parametrize("size", [-5, 0, DYNAMIC])
def test_only_none_is_dynamic(size: int) -> None:
    # row 9.2: the shape is checked first
    said = "expected strictly positive value for tensor_view dimension, got "
    with pytest.raises(ValueError, match=f"^{said}{size}"):
        ct.TensorViewType.get(F32Type.get(), [size, 32], [size, 1])
    with pytest.raises(ValueError, match=f"^{said}{size}"):
        ct.TensorViewType.get(F32Type.get(), [8, 32], [size, 1])


ENUMS = {
    "PaddingValueAttr": "Invalid padding value: bad",
    "MemoryScopeAttr": "Invalid memory scope: bad",
    "SymbolVisibilityAttr": "Invalid symbol visibility: bad",
    "AtomicRMWModeAttr": "Invalid atomic RMW mode: bad",
    "IntegerOverflowAttr": "Invalid integer overflow: bad",
    "SignednessAttr": "Invalid signedness: bad",
    "ComparisonOrderingAttr": "Invalid comparison ordering: bad",
    "ComparisonPredicateAttr": "Invalid comparison predicate: bad",
    # row 9.4: compatible tools take these two for the first case
    "RoundingModeAttr": "Invalid rounding mode: bad",
    "MemoryOrderingSemanticsAttr": "Invalid memory ordering semantics: bad",
}


@pytest.mark.parametrize("name", ENUMS)
def test_words_that_are_no_case(name: str) -> None:
    # row 9.3
    with pytest.raises(ValueError, match=f"^{ENUMS[name]}"):
        getattr(ct, name).get("bad")


def test_a_written_file_is_flushed(tmp_path: Path) -> None:
    # row 9.5
    path = tmp_path / "open.tileirbc"
    with path.open("wb") as file:
        assert ct.writeBytecode(file, Module.parse(KERNEL))
        assert path.read_bytes()[1:7] == b"TileIR"
    memory = io.BytesIO()
    assert ct.writeBytecode(memory, Module.parse(KERNEL))
    assert memory.getvalue() == path.read_bytes()


def test_hints_by_position_and_by_name() -> None:
    # row 9.6, row 9.7: architecture, CTAs, warps, occupancy; 0 leaves out
    hints = ct.OptimizationHintsAttr
    whole = hints.getEntryOpHint("sm_90", 2, 8, 4)
    keys = "num_cta_in_cga = 2, num_worker_warps_per_cta = 8, occupancy = 4"
    assert str(whole) == f"#cuda_tile.optimization_hints<sm_90 = {{{keys}}}>"
    assert hints.getEntryOpHint("sm_90", 2, 8, 0) == hints.getEntryOpHint(
        "sm_90", num_cta=2, num_worker_warps=8
    )
    assert "occupancy" not in str(hints.getEntryOpHint("sm_90", 2, 8, 0))


def test_names_of_arguments() -> None:
    # row 9.7
    f32 = F32Type.get()
    assert ct.TensorViewType.get(f32, [8, None], stride=[None, 1]) == view()
    assert ct.TensorViewType.get(f32, [8, None], strides=[None, 1]) == view()
    tiles = ct.PartitionViewType.get([4, 4], tensor_view_type=view())
    assert tiles == ct.PartitionViewType.get([4, 4], tensor_view=view())
    strided = ct.StridedViewType.get([4, 4], [2, 2], tensor_view_type=view())
    assert strided == ct.StridedViewType.get([4, 4], [2, 2], tensor_view=view())


def test_upcast() -> None:
    # row 9.8
    tile = Type.parse("!cuda_tile.tile<4xf32>")
    assert ct.TileType.upcast_type(tile) is not None
    for other in ("PointerType", "TokenType", "TensorViewType", "PartitionViewType"):
        assert getattr(ct, other).upcast_type(tile) is None
    assert ct.TileType.upcast_type(F32Type.get()) is None


def test_a_view_of_no_tensor_view() -> None:
    # row 9.9
    number: Any = IntegerType.get_signless(32)
    with pytest.raises(TypeError, match=r"^expected tensor_view type"):
        ct.PartitionViewType.get([4], number)
    with pytest.raises(TypeError, match=r"^expected tensor_view type"):
        ct.StridedViewType.get([4], [1], number)


def test_optimizations() -> None:
    # row 9.10, row 9.11
    module = Module.parse(KERNEL)
    assert ct.applyTileIROptimizations(module, ct.TileIROptimizationsOpts())
    entry = module.body.operations[0].regions[0].blocks[0].operations[0]
    ct.addLoopSplitThresholdAttr(entry, 3)
    assert "loop_split_threshold = 3" in str(entry)


def test_what_cannot_be_written() -> None:
    # row 9.5
    assert not ct.writeBytecode(io.BytesIO(), Module.create())
