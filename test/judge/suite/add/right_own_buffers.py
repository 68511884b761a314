# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import cupy as cp


@ct.kernel
def add(x, y, workspace, z):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(64,)) + ct.load(y, index=(i,), shape=(64,))
    ct.store(workspace, index=(i,), tile=tile)
    ct.store(z, index=(i,), tile=tile)


class Adder:
    """Has two results by turns, and a workspace that is too large."""

    def __init__(self):
        self.results, self.turn = {}, 0

    def __call__(self, x, y):
        n = x.shape[0]
        pair = self.results.setdefault(n, [cp.empty_like(x), cp.empty_like(x)])
        self.turn ^= 1
        workspace = cp.empty(4 * n + 77, cp.float32)[n : 2 * n]
        words = x, y, workspace, pair[self.turn]
        grid = (ct.cdiv(n, 64), 1, 1)
        ct.launch(cp.cuda.get_current_stream(), grid, add, words)
        return pair[self.turn]


candidate = Adder()
