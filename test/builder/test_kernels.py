# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole kernels made with the builder, run on the interpreter against NumPy."""

from __future__ import annotations

import io

import numpy as np
import pytest
from builder_kernels import build, evaluate

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir._mlir_libs import _cuda_tile

RANDOM = np.random.default_rng(7)


def test_vector_sum_of_any_length():
    def kernel(x: b.Pointer, y: b.Pointer, z: b.Pointer, n: b.Tile) -> None:
        block, _, _ = b.get_tile_block_id()
        i = block * 16 + b.iota(16)
        inside = i < n
        u, _ = b.load_ptr_tko(x + i, inside, 0.0)
        v, _ = b.load_ptr_tko(y + i, inside, 0.0)
        b.store_ptr_tko(z + i, u + 2 * v, inside)

    module = build(kernel, [[b.Float32], [b.Float32], [b.Float32], b.Int32])
    x, y = RANDOM.random((2, 37), np.float32)
    z = np.zeros(37, np.float32)
    cuda_tile.run(module, grid=(3,), args=[x, y, z, 37])
    np.testing.assert_array_equal(z, x + 2 * y)


def test_matrix_product_in_a_loop():
    m, n, k = 16, 8, 16

    def kernel(x: b.Pointer, y: b.Pointer, z: b.Pointer, steps: b.Tile) -> None:
        row, column, _ = b.get_tile_block_id()
        lhs = b.make_partition_view(
            b.make_tensor_view(x, [32, steps * k], [steps * k, 1]), [m, k]
        )
        rhs = b.make_partition_view(
            b.make_tensor_view(y, [steps * k, 16], [16, 1]), [k, n]
        )
        out = b.make_partition_view(b.make_tensor_view(z, [32, 16], [16, 1]), [m, n])
        zero = b.constant(0.0, b.Float32, [m, n])

        @b.for_loop(0, steps, 1, [zero])
        def total(i: b.Tile, acc: b.Tile) -> b.Tile:
            left, _ = b.load_view_tko(lhs, [row, i])
            right, _ = b.load_view_tko(rhs, [i, column])
            return b.mma(left, right, acc)

        b.store_view_tko(total, out, [row, column])

    module = build(kernel, [[b.Float16], [b.Float16], [b.Float32], b.Int32])
    x = RANDOM.integers(-4, 5, (32, 64)).astype(np.float16)
    y = RANDOM.integers(-4, 5, (64, 16)).astype(np.float16)
    z = np.zeros((32, 16), np.float32)
    cuda_tile.run(module, grid=(2, 2), args=[x, y, z, 4])
    np.testing.assert_array_equal(z, x.astype(np.float32) @ y.astype(np.float32))


def test_softmax_of_rows():
    def kernel(x: b.Pointer, y: b.Pointer) -> None:
        row, _, _ = b.get_tile_block_id()
        i = row * 64 + b.iota(64)
        values, _ = b.load_ptr_tko(x + i)
        top = b.reduce(values, 0, -np.inf, b.max)
        powers = b.exp(values - top)
        b.store_ptr_tko(y + i, powers / b.reduce(powers, 0, 0.0, b.add))

    module = build(kernel, [[b.Float32], [b.Float32]])
    x = RANDOM.random((3, 64), np.float32)
    y = np.zeros_like(x)
    cuda_tile.run(module, grid=(3,), args=[x, y])
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(1, keepdims=True))
    # Two roundings in a power, whose argument is above -1, six more in the sum of 64
    # of them, one in the quotient.
    expected = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(y, expected, rtol=(2 + 2 + 6 + 1) * 2.0**-24)


def test_reduction_of_pairs():
    def argmax(values: b.Tile) -> b.Tile:
        def better(x: b.Tile, y: b.Tile, i: b.Tile, j: b.Tile) -> list[b.Tile]:
            first = (x > y) | ((x == y) & (i < j))
            return [b.select(first, x, y), b.select(first, i, j)]

        return b.reduce([values, b.iota(32)], 0, [-np.inf, 0], better)[1]

    x = RANDOM.permutation(32).astype(np.float32)
    assert evaluate(argmax, x, result=b.Int32, shape=(1,)) == x.argmax()


@pytest.mark.parametrize("reverse", [False, True])
def test_scan(reverse: bool):
    x = RANDOM.integers(-9, 9, (4, 16), np.int32)
    sums = evaluate(
        lambda tile: b.scan(tile, 1, 0, b.add, reverse=reverse), x, result=b.Int32
    )
    expected = x[:, ::-1].cumsum(1)[:, ::-1] if reverse else x.cumsum(1)
    np.testing.assert_array_equal(sums, expected)


def test_gather_through_a_view():
    def kernel(x: b.Pointer, y: b.Pointer) -> None:
        source = b.make_gather_scatter_view(
            b.make_tensor_view(x, [16, 4], [4, 1]), [4, 4], 0
        )
        rows = 3 * b.iota(4)
        tile, _ = b.load_view_tko(source, [rows, 0])
        out = b.make_strided_view(b.make_tensor_view(y, [8, 4], [4, 1]), [4, 4], [2, 4])
        b.store_view_tko(tile, out, [1, 0])

    module = build(kernel, [[b.Int32], [b.Int32]])
    x = np.arange(64, dtype=np.int32).reshape(16, 4)
    y = np.zeros((8, 4), np.int32)
    cuda_tile.run(module, grid=(1,), args=[x, y])
    np.testing.assert_array_equal(y[2:6], x[[0, 3, 6, 9]])
    assert not y[:2].any()
    assert not y[6:].any()


def test_atomics_and_globals():
    def kernel(counts: b.Pointer, table: b.Pointer) -> None:
        block, _, _ = b.get_tile_block_id()
        weights = b.create_and_get_global("weights", [3, 5, 7, 11], b.Int32)
        weight, loaded = b.load_ptr_tko(weights + block)
        weight, loaded = b.load_ptr_tko((weights + (block + 2)) - 2, token=loaded)
        old, after = b.atomic_rmw_tko(counts, b.AtomicRMWMode.ADD, weight, token=loaded)
        seen, _ = b.atomic_cas_tko(table + block, 0, old + weight, token=after)
        b.assert_(seen == 0, "written once")  # noqa: PT009  (an op)

    module = build(kernel, [[b.Int32], [b.Int32]])
    counts, table = np.zeros(1, np.int32), np.zeros(4, np.int32)
    cuda_tile.run(module, grid=(4,), args=[counts, table])
    assert counts[0] == 26
    assert table.max() == 26


def test_the_kernel_lives_on_as_bytecode():
    module = build(lambda p: b.store_ptr_tko(p, 42), [[b.Int32]])
    file = io.BytesIO()
    assert _cuda_tile.writeBytecode(file, module)
    out = np.zeros(1, np.int32)
    cuda_tile.run(cuda_tile.load(file.getvalue()), grid=(1,), args=[out])
    assert out[0] == 42


def test_decorated_entry_and_print_ir(capsys: pytest.CaptureFixture[str]):
    with b.TileIrGenerator() as generator, generator.create_tile_ir_module():
        pointer = b.make_pointer_type(b.Float64)

        def fill(out, value):
            b.store_ptr_tko(out, value)

        fill.__annotations__ = {"out": pointer, "value": b.Float64}
        b.entry(fill)

    generator.print_ir()
    text = capsys.readouterr().out
    assert "cuda_tile.module @kernels" in text
    assert "entry @fill(%arg0: tile<ptr<f64>>, %arg1: tile<f64>)" in text
