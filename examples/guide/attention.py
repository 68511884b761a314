# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""O = softmax(Q K^T / 8) V for one head: 256 queries and keys of 64 numbers."""

import numpy as np

import cuda_tile
from cuda_tile import builder as b

LENGTH, WIDTH, QUERIES, KEYS = 256, 64, 128, 64
SCALE = 1 / 8 * np.log2(np.e)  # softmax by powers of two


def rows_of(pointer, rows):
    """A matrix of 256 x 64 in memory, cut into tiles of so many rows."""
    aligned = b.assume_div_by(pointer, 16)
    matrix = b.make_tensor_view(aligned, [LENGTH, WIDTH], [WIDTH, 1])
    return b.make_partition_view(matrix, [rows, WIDTH])


def filled(value, shape):
    return b.constant(value, b.Float32, shape)


with b.TileIrGenerator() as generator:
    halves = b.make_pointer_type(b.Float16)
    with generator.create_entry("attention", [halves] * 4) as (q, k, v, o):
        queries, out = rows_of(q, QUERIES), rows_of(o, QUERIES)
        keys, values = rows_of(k, KEYS), rows_of(v, KEYS)
        i, _, _ = b.get_tile_block_id()
        query, _ = b.load_view_tko(queries, [i, 0])
        column = [QUERIES, 1]
        start = [filled(-np.inf, column), filled(0, column)]
        start.append(filled(0, [QUERIES, WIDTH]))

        @b.for_loop(0, LENGTH // KEYS, 1, start)
        def result(j, largest, total, sum_so_far):
            key, _ = b.load_view_tko(keys, [j, 0])
            score = b.mmaf(query, b.permute(key, [1, 0]), filled(0, [QUERIES, KEYS]))
            score = score * SCALE
            row = b.reshape(b.reduce(score, 1, -np.inf, b.maxf), column)
            now = b.maxf(largest, row)
            rescale = b.exp2(largest - now)
            weight = b.exp2(score - b.broadcast(now, [QUERIES, KEYS]))
            row = b.reshape(b.reduce(weight, 1, 0.0, b.addf), column)
            value, _ = b.load_view_tko(values, [j, 0])
            sum_so_far = sum_so_far * b.broadcast(rescale, [QUERIES, WIDTH])
            sum_so_far = b.mmaf(b.Float16(weight), value, sum_so_far)
            return now, total * rescale + row, sum_so_far

        _, total, weighted = result
        mean = weighted / b.broadcast(total, [QUERIES, WIDTH])
        b.store_view_tko(b.Float16(mean), out, [i, 0])
    kernel = generator.module
rng = np.random.default_rng(0)
q, k, v = rng.standard_normal((3, LENGTH, WIDTH)).astype(np.float16)
o = np.zeros((LENGTH, WIDTH), np.float16)
cuda_tile.run(kernel, grid=LENGTH // QUERIES, args=[q, k, v, o])
weights = np.exp2(q.astype(np.float64) @ k.T.astype(np.float64) * SCALE)
expected = weights / weights.sum(axis=1, keepdims=True) @ v.astype(np.float64)
print("largest error:", f"{abs(o - expected).max():.0e}")
cuda_tile.save(kernel, "attention.tileirbc")
