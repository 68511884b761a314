# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A B in tiles of 64 x 64, for matrices of 256 x 512 and 512 x 128."""

import numpy as np

import cuda_tile
from cuda_tile import builder as b

M, N, K, TILE = 256, 128, 512, 64


def tiles_of(pointer, rows, columns):
    """A matrix in memory, cut into tiles; the compiler may use its alignment."""
    aligned = b.assume_div_by(pointer, 16)
    matrix = b.make_tensor_view(aligned, [rows, columns], [columns, 1])
    return b.make_partition_view(matrix, [TILE, TILE])


with b.TileIrGenerator() as generator:
    halves, floats = b.make_pointer_type(b.Float16), b.make_pointer_type(b.Float32)
    with generator.create_entry("product", [halves, halves, floats]) as (x, y, z):
        a, c, out = tiles_of(x, M, K), tiles_of(y, K, N), tiles_of(z, M, N)
        i, j, _ = b.get_tile_block_id()

        @b.for_loop(0, K // TILE, 1, [b.constant(0.0, b.Float32, [TILE, TILE])])
        def total(k, sum_so_far):
            left, _ = b.load_view_tko(a, [i, k])
            right, _ = b.load_view_tko(c, [k, j])
            return b.mmaf(left, right, sum_so_far)

        b.store_view_tko(total, out, [i, j])
    kernel = generator.module

rng = np.random.default_rng(0)
x = rng.standard_normal((M, K)).astype(np.float16)
y = rng.standard_normal((K, N)).astype(np.float16)
z = np.zeros((M, N), np.float32)
cuda_tile.run(kernel, grid=(M // TILE, N // TILE), args=[x, y, z])
expected = x.astype(np.float64) @ y.astype(np.float64)
print("largest error:", f"{abs(z - expected).max():.0e}")
cuda_tile.save(kernel, "product.tileirbc")
