# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names that scripts for the dialect import, in the expected modules."""

from __future__ import annotations

import io
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from cuda_tile import builder as b
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.dialects import cuda_tile_ops
from cuda_tile._mlir.ir import (
    Context,
    F32Type,
    IntegerType,
    Location,
    MLIRError,
    Module,
    Type,
)

ENUMS_TD = "dialect/include/cuda_tile/IR/Enums.td"

NAMES = (Path(__file__).parent / "names.txt").read_text().splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_name_exists(name: str):
    assert hasattr(cuda_tile_ops, name)


def test_op_classes_types_and_functions_are_there_too():
    for name in ("AddFOp", "TileType", "RoundingModeAttr", "writeBytecode"):
        assert hasattr(cuda_tile_ops, name)
    assert cuda_tile_ops.absf is b.absf


def test_private_name_of_the_type_of_an_element():
    with Context():
        assert cuda_tile_ops._get_mlir_type(b.Int32) == IntegerType.get_signless(32)
        assert b.Int32._get_mlir_type() == IntegerType.get_signless(32)
        assert cuda_tile_ops._get_mlir_type(F32Type.get()) == F32Type.get()
        assert cuda_tile_ops._get_mlir_type(float) == F32Type.get()
        nonsense: Any = "x"
        with pytest.raises(TypeError, match="expected an element class or a type"):
            cuda_tile_ops._get_mlir_type(nonsense)


def keywords(enum: str) -> set[str]:
    """The keywords of an enumeration as ODS declares it."""
    text = Path(ENUMS_TD).read_text()
    body = re.search(rf'CudaTile_Enum<\s*"{enum}".*?\]>;', text, re.DOTALL)
    assert body is not None
    return set(re.findall(r'Case<"\w+", \d+, "(\w+)">', body[0])) | set(
        re.findall(r'CaseSince<"[\d.]+", "\w+", \d+, "(\w+)">', body[0])
    )


@pytest.mark.parametrize(
    ("enum", "ods_name"),
    [
        (b.AtomicRMWMode, "AtomicRMWMode"),
        (b.MemoryScope, "MemoryScope"),
        (b.PaddingValue, "PaddingValue"),
        (b.MemoryOrderingSemantics, "MemoryOrderingSemantics"),
        (b.RoundingMode, "RoundingMode"),
        (b.IntegerOverflow, "IntegerOverflow"),
        (b.Signedness, "Signedness"),
        (b.ComparisonPredicates, "ComparisonPredicate"),
        (b.ComparisonOrdering, "ComparisonOrdering"),
        (b.SymbolVisibility, "SymbolVisibility"),
    ],
)
def test_enumerations_are_those_of_ods(enum: Any, ods_name: str):
    assert {str(member) for member in enum} == keywords(ods_name)
    attribute = getattr(_cuda_tile, f"{ods_name}Attr")
    with Context():
        for member in enum:
            assert attribute.get(member).value == str(member)
        with pytest.raises(ValueError, match=r"Invalid .*: nonsense; expected a key"):
            attribute.get("nonsense")


def test_pointer_and_tile_types():
    with Context() as context, Location.unknown():
        _cuda_tile.register_dialect(context, load=True)
        f32 = F32Type.get()
        pointer = _cuda_tile.PointerType.get(f32, context)
        assert str(pointer) == "!cuda_tile.ptr<f32>"
        assert pointer.pointee_type == f32
        tile = _cuda_tile.TileType.get([2, 4], f32, context, loc=Location.unknown())
        assert str(tile) == "!cuda_tile.tile<2x4xf32>"
        assert (tile.shape, tile.element_type) == ([2, 4], f32)
        assert tile == _cuda_tile.TileType.get(shape=[2, 4], element_type=f32)
        assert tile == b.make_tile_type(b.Float32, [2, 4])
        assert tile == b.make_tile_type([2, 4], b.Float32)
        as_type = Type.parse("!cuda_tile.tile<2x4xf32>")
        upcast = _cuda_tile.TileType.upcast_type(as_type)
        assert upcast is not None
        assert upcast.shape == [2, 4]
        assert str(_cuda_tile.TokenType.get()) == "!cuda_tile.token"
        assert _cuda_tile.PointerType.upcast_type(as_type) is None
        with pytest.raises(ValueError, match="powers of two, got 3"):
            _cuda_tile.TileType.get([3], f32)
        with pytest.raises(ValueError, match="failed to verify 'pointeeType'"):
            _cuda_tile.PointerType.get(IntegerType.get_signless(4))
        with pytest.raises(ValueError, match="failed to verify 'elementType'"):
            b.make_tile_type(b.Float8E4M3FNUZ, [4])


def test_argument_types_of_a_kernel():
    """An element, by class or type, stands for a scalar; other types are themselves."""
    generator = b.TileIrGenerator()
    with generator.tile_ir_start():
        pointer = b.make_pointer_type(b.Float8E5M2)
        scalar = b.make_tile_type(b.Int8)
        given = [b.Boolean, int, b.TFloat32.mlir_type, b.Float8E5M2, pointer, scalar]
        with generator.create_entry("k", given) as values:
            types = [str(value.type) for value in values]
    elements = ["i1", "i32", "tf32", "f8E5M2", "ptr<f8E5M2>", "i8"]
    assert types == [f"!cuda_tile.tile<{element}>" for element in elements]


def test_tensor_view_types():
    with Context():
        view = _cuda_tile.TensorViewType.get(F32Type.get(), [None, 64], [64, 1])
        assert str(view) == "!cuda_tile.tensor_view<?x64xf32, strides=[64,1]>"
        assert view.shape == [None, 64]
        assert view.strides == [64, 1]
        with pytest.raises(ValueError, match="strictly positive value for tensor_view"):
            _cuda_tile.TensorViewType.get(F32Type.get(), [0, 64], [64, 1])
        with pytest.raises(ValueError, match="shape and stride to be of same rank"):
            _cuda_tile.TensorViewType.get(F32Type.get(), [64], [64, 1])


def test_view_types():
    with Context():
        tensor = b.make_tensor_view_type(b.Float32, [None, 64], [64, 1])
        view = b.make_partition_view_type([4, 8], tensor, padding_value="nan")
        assert (view.tile_shape, view.dim_map) == ([4, 8], [0, 1])
        assert view.padding_value == "nan"
        assert view.view_tile_type == b.make_tile_type(b.Float32, [4, 8])
        strided = b.make_strided_view_type([4, 8], [2, 2], tensor, [1, 0])
        assert strided.traversal_strides == [2, 2]
        gather = b.make_gather_scatter_view_type([4, 8], tensor, 1)
        assert (gather.sparse_dim, gather.view_index_rank) == (1, 2)
        with pytest.raises(ValueError, match="expected a keyword of PaddingValueAttr"):
            b.make_partition_view_type([4, 8], tensor, padding_value="one")
        with pytest.raises(ValueError, match="mapped at least twice"):
            b.make_partition_view_type([4, 8], tensor, [0, 0])


def test_predicates_and_hints():
    with Context():
        div_by = _cuda_tile.DivByAttr.get(16, every=4, along=0)
        assert (div_by.divisor, div_by.every, div_by.along) == (16, 4, 0)
        with pytest.raises(ValueError, match="divisor must be a power of 2"):
            _cuda_tile.DivByAttr.get(3)
        assert _cuda_tile.SameElementsAttr.get([2, 4]).values == [2, 4]
        bounded = _cuda_tile.BoundedAttr.get(0, None)
        assert (bounded.lower, bounded.upper) == (0, None)
        hints = _cuda_tile.OptimizationHintsAttr
        entry = hints.getEntryOpHint("sm_100", num_cta_in_cga=2, occupancy=4)
        assert entry == hints.getEntryOpHint("sm_100", 2, 0, 4)
        warps = hints.getEntryOpHint("sm_90", num_cta=1, num_worker_warps=8)
        assert "num_cta_in_cga = 1, num_worker_warps_per_cta = 8" in str(warps)
        parsed = hints.parse(
            "#cuda_tile.optimization_hints<"
            "sm_100 = {num_cta_in_cga = 2, occupancy = 4}>"
        )
        assert entry == parsed
        access = hints.getLoadStoreOpHint("sm_90", allow_tma=False, latency=3)
        assert "allow_tma = false, latency = 3" in str(access)
        assert hints.get(access.value) == access
        assert len(hints.getEmpty().value) == 0


VALID = "cuda_tile.module @m { entry @k(%x: tile<f32>) { %0 = negf %x : tile<f32> } }"


def test_write_bytecode(tmp_path: Path):
    with Context(), Location.unknown():
        module = Module.parse(VALID)
        outer, inner = io.BytesIO(), io.BytesIO()
        assert _cuda_tile.writeBytecode(outer, module)
        assert _cuda_tile.writeBytecode(inner, module.body.operations[0])
        assert outer.getvalue() == inner.getvalue()
        assert _cuda_tile.writeBytecode(str(tmp_path / "by_name"), module)
        assert (tmp_path / "by_name").read_bytes() == outer.getvalue()
        again = _cuda_tile.read_bytecode(outer.getvalue())
        assert "negf" in str(again)
        with pytest.raises(MLIRError, match=r"damaged\.tileirbc"):
            _cuda_tile.read_bytecode(outer.getvalue()[:40], "damaged.tileirbc")
        nothing = io.BytesIO()
        assert not _cuda_tile.writeBytecode(nothing, Module.create())
        assert nothing.getvalue() == b""


LOOP = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %x: tile<f32>, %n: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    for %i in (%one to %n, step %one) : tile<i32> {
      %c = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
      if %c {
        %y = mulf %x, %x : tile<f32>
        %z = addf %y, %x : tile<f32>
        %t = store_ptr_tko weak %p, %z : tile<ptr<f32>>, tile<f32> -> token
      }
    }
  }
}
"""


def test_optimizations():
    def optimized(*, threshold: int | None = None, **choices: Any) -> str:
        module = Module.parse(LOOP)
        if threshold is not None:
            _cuda_tile.addLoopSplitThresholdAttr(module.body.operations[0], threshold)
        options = _cuda_tile.TileIROptimizationsOpts(**choices)
        assert _cuda_tile.applyTileIROptimizations(module, options)
        return str(module)

    with Context():
        assert optimized(opt_level=0) == str(Module.parse(LOOP))
        assert "fma" in optimized(opt_level=1, fuse_fma=True)
        assert "fma" not in optimized(opt_level=3)
        assert "if" not in optimized(opt_level=3)
        assert "if" in optimized(opt_level=2)
        assert "if" in optimized(opt_level=3, threshold=0)
        with pytest.raises(MLIRError, match="optimization level of 0 to 3, got 7"):
            optimized(opt_level=7)
        options = _cuda_tile.TileIROptimizationsOpts()
        options.opt_level, options.fuse_fma = 2, True
        assert (options.opt_level, options.fuse_fma) == (2, True)


def test_mma_configurations():
    with Context():
        assert b.find_mma_config(b.Float16, b.Float16, b.Float32) == (
            b.MMAConfig_F16_F16_F32
        )
        unsigned = b.find_mma_config(b.Int8, b.Int8, b.Int32, b.Signedness.UNSIGNED)
        assert unsigned == b.MMAConfig_U8_U8_S32
        assert b.find_mma_config(b.Float16, b.BFloat16, b.Float32) is None
        assert len(b.get_supported_mma_configs()) == 12
        scaled = b.find_mma_scaled_config(
            b.Float4E2M1FN, b.Float4E2M1FN, b.Float8E8M0FNU, 16
        )
        assert scaled == b.MMAScaledConfig_E2M1_E8M0_4X
        assert len(b.get_supported_mma_scaled_configs()) == 5


def is_product(op: str, signs: str, *elements: Any) -> bool:
    """Whether the verifier takes a product of these element types."""
    names = [str(b.get_mlir_type(element)) for element in elements]
    types = [f"!cuda_tile.tile<16x16x{name}>" for name in names]
    arguments = ", ".join(f"%{place}: {kind}" for place, kind in enumerate(types))
    operands = ", ".join(f"%{place}" for place in range(len(types)))
    body = f"%r = {op} {operands} {signs} : {', '.join(types)}"
    function = f"testing$func @f({arguments}) {{ {body}\n return }}"
    try:
        Module.parse(f"cuda_tile.module @m {{ {function} }}")
    except MLIRError:
        return False
    return True


def test_mma_configurations_are_those_of_the_verifier():
    floats = [b.Float16, b.BFloat16, b.TFloat32, b.Float32, b.Float64]
    floats += [b.Float8E4M3FN, b.Float8E5M2, b.Float4E2M1FN, b.Float8E8M0FNU]
    integers = [b.Boolean, b.Int4, b.Int8, b.Int16, b.Int32, b.Int64]
    with Context():
        for factor, acc in product(floats, floats):
            known = b.find_mma_config(factor, factor, acc) is not None
            assert known == is_product("mmaf", "", factor, factor, acc), (factor, acc)
        for factor, acc in product(integers, integers):
            known = b.find_mma_config(factor, factor, acc) is not None
            taken = is_product("mmai", "signed signed", factor, factor, acc)
            assert known == taken, (factor, acc)
