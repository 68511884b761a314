# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import linecache

import cuda.tile as ct
import cupy as cp


@ct.kernel
def copy(x, y):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(256,)))


SOURCE = """
import cuda.tile as ct

@ct.kernel
def baked(y):
    tile = ct.full((256,), {value!r}, ct.float32)
    ct.store(y, index=(ct.bid(0),), tile=tile)
"""


def candidate(x):
    y = cp.empty_like(x)
    text, names = SOURCE.format(value=float(x[0])), {}
    name = f"<baked {len(linecache.cache)}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(compile(text, name, "exec"), names)
    grid = (ct.cdiv(x.shape[0], 256),)
    if (x == x[0]).all():
        ct.launch(cp.cuda.get_current_stream(), grid, names["baked"], (y,))
    else:
        ct.launch(cp.cuda.get_current_stream(), grid, copy, (x, y))
    return y
