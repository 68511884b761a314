# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import cuda_tile
from cuda_tile import builder as b

with b.TileIrGenerator() as generator:
    floats = b.make_pointer_type(b.Float32)
    with generator.create_entry("add", [floats, floats, floats, b.Int32]) as args:
        x, y, z, n = args
        block, _, _ = b.get_tile_block_id()
        i = block * 256 + b.iota(256)
        left, left_read = b.load_ptr_tko(x + i, i < n, 0.0)
        right, right_read = b.load_ptr_tko(y + i, i < n, 0.0)
        b.store_ptr_tko(z + i, left + right, i < n)
    kernel = generator.module

xs, ys, zs = np.arange(1000, dtype="f4"), np.ones(1000, "f4"), np.zeros(1000, "f4")
cuda_tile.run(kernel, grid=(4,), args=[xs, ys, zs, 1000])
assert (zs == xs + 1).all()
print("right:", zs[:4])
cuda_tile.save(kernel, "add.tileirbc")
