# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module with every op of the dialect, built with the builder, verifies."""

from __future__ import annotations

from typing import Any

from cuda_tile import builder as b
from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.dialects import cuda_tile as ct


def integers(x: b.Tile) -> None:
    b.absi(x)
    b.negi(x, overflow="no_signed_wrap")
    for op in (b.addi, b.subi, b.muli, b.divi, b.remi, b.maxi, b.mini, b.mulhii):
        op(x, 3)
    for op in (b.shli, b.shri, b.andi, b.ori, b.xori):
        op(x, 1)
    b.cmpi(b.ComparisonPredicates.LESS_THAN, x, 5, signedness="unsigned")
    for op, element in ((b.exti, b.Int64), (b.trunci, b.Int8), (b.itof, b.Float32)):
        op(x, element)
    b.bitcast(x, b.Float32)
    b.insert(x, b.cat(x, x, 0), [1])
    b.extract(x, [0], [4])
    b.select(x > 0, x, -x)
    b.assume_bounded(x, 0, 99)
    b.assert_(x < 99, "small")  # noqa: PT009  (an op)


def floats(x: b.Tile) -> None:
    unary = (b.absf, b.negf, b.ceil, b.floor, b.cos, b.cosh, b.sin, b.sinh, b.tan)
    for op in (*unary, b.tanh, b.exp, b.exp2, b.log, b.log2, b.sqrt, b.rsqrt):
        op(x)
    for op in (b.addf, b.subf, b.mulf, b.divf, b.remf, b.maxf, b.minf, b.pow, b.atan2):
        op(x, 2.0)
    b.fma(x, 2.0, x, rounding_mode=b.RoundingMode.ZERO, flush_to_zero=True)
    b.fpowi(x, b.iota(8))
    b.cmpf("equal", x, x, ordering=b.ComparisonOrdering.UNORDERED)
    b.ftof(x, b.Float16)
    b.ftoi(x, b.Int32, saturating=True)
    b.unpack(b.pack(b.ftof(x, b.Float4E2M1FN)), b.Float4E2M1FN)
    b.reduce(b.reshape(x, [2, 4]), 1, 0.0, b.add)
    b.scan(b.permute(b.reshape(x, [2, 4]), [1, 0]), 0, 0.0, b.add, reverse=True)


def products() -> None:
    half = b.constant(1.0, b.Float16, [16, 16])
    byte = b.constant(1, b.Int8, [16, 16])
    b.mma(half, half, b.constant(0.0, b.Float32, [16, 16]))
    b.mma(byte, byte, b.constant(0, b.Int32, [16, 16]), signedness_rhs="unsigned")
    factor = b.constant(1.0, b.Float8E4M3FN, [32, 32])
    lhs_scale = b.constant(1.0, b.Float8E8M0FNU, [32, 1])
    rhs_scale = b.constant(1.0, b.Float8E8M0FNU, [1, 32])
    acc = b.constant(0.0, b.Float32, [32, 32])
    b.mmaf_scaled(factor, factor, acc, lhs_scale, rhs_scale)


def pointers(p: b.Tile) -> None:
    b.int_to_ptr(b.ptr_to_int(p), b.Float32)
    b.ptr_to_ptr(b.assume_div_by(p, 16), b.Int8)
    places = p + b.iota(8)
    token = b.make_token()
    hints = ct.OptimizationHintsAttr.getLoadStoreOpHint("sm_90", latency=2)
    tile, loaded = b.load_ptr_tko(
        places,
        b.iota(8) < 5,
        1.0,
        token,
        memory_ordering_semantics=b.MemoryOrderingSemantics.ACQUIRE,
        memory_scope=b.MemoryScope.DEVICE,
        optimization_hints=hints,
    )
    stored = b.store_ptr_tko(places, tile, True, loaded)
    _, added = b.atomic_rmw_tko(places, b.AtomicRMWMode.ADDF, tile, token=stored)
    _, swapped = b.atomic_cas_tko(places, 0.0, tile, token=added)
    waited = b.gdc_wait_tko(b.join_tokens(swapped, token))
    b.print_tko("%f\n", tile, token=b.memory_fence_alias_tko(waited))
    b.gdc_launch_dependents_tko()
    b.alloca(b.Float32, 64, is_global=True)
    b.create_and_get_global("table", [1.0, 2.0])


def views(p: b.Tile, n: b.Tile) -> None:
    tensor = b.make_tensor_view(p, [n, 64], [64, 1])
    b.get_tensor_shape(tensor)
    parts = b.make_partition_view(tensor, [8, 8])
    b.get_index_space_shape(parts, b.Int64)
    tile, token = b.load_view_tko(parts, [n, 0], inbounds=[False, True])
    b.store_view_tko(tile, b.make_strided_view(tensor, [8, 8], [4, 8]), [n, 0], token)
    b.atomic_red_view_tko(parts, [0, 1], b.AtomicRMWMode.ADDF, 1.0, token)
    rows = b.make_gather_scatter_view(tensor, [8, 8], 0, b.PaddingValue.NAN)
    b.store_view_tko(0.0, rows, [b.iota(8), 0])
    replicas = b.ptr_to_ptr(p, b.Float32, b.PtrAttr.MULTICAST)
    everywhere = b.make_tensor_view(replicas, [n, 64], [64, 1])
    parts = b.make_partition_view(everywhere, [8, 8])
    summed, after = b.multimem_load_reduce_view_tko(parts, [0, 0], "add")
    after = b.multimem_store_view_tko(summed, parts, [0, 0], after)
    b.multimem_reduce_view_tko(summed, parts, [0, 0], "add", after)


def control(n: b.Tile) -> None:
    def body(i: b.Tile) -> Any:
        b.if_generate(i > 3, lambda: b.loop_break(i))
        return i + 1

    b.if_generate(n > 2, lambda: b.ret())
    b.loop_generate([n], body)
    b.for_loop(0, n, 1, [], lambda _: None)
    b.get_num_tile_blocks()
    b.get_tile_block_id()


def names(op: ir.Operation) -> set[str]:
    """The names of all ops in an op."""
    found: set[str] = set()

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.add(inner.name)
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def test_every_op():
    with b.TileIrGenerator() as generator:
        pointer = b.make_pointer_type(b.Float32)
        with generator.create_entry("k", [pointer, b.Int32]) as (p, n):
            integers(b.iota(8))
            floats(b.constant(1.5, b.Float32, [8]))
            products()
            pointers(p)
            views(p, n)
            control(n)
        module = generator.module
        assert module.operation.verify()
        wanted = {name for name in ods.ops() if not name.startswith("tileas.")}
        assert names(module.operation) - {"builtin.module"} == {
            f"cuda_tile.{name}" for name in wanted
        }
        data = _cuda_tile.write_bytecode(module, _cuda_tile.bytecode_versions()[-1])
        again = _cuda_tile.read_bytecode(data)
        assert names(again.operation) == names(module.operation)
