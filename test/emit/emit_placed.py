# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that use what a program of level T only gets by a plan.

Rings and products of warpgroups, written at level W as they are before `allocate`, and
stores by the copy engine, with a plan by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from emit_wgmma import Product
from ring_kernels import RingProduct, emit_placed
from store_kernels import StoredProduct

import cuda_tile
from cuda_tile._mlir import ir

RINGS = (
    RingProduct(),
    RingProduct(sync="mbarriers", load_warps=1),
    RingProduct(sync="mbarriers", fill="tma", load_warps=1, gpu="sm_90"),
)
PLACED = (
    *((product.gpu, product.text) for product in RINGS),
    ("sm_90", Product().text()),
)


def placed_kernels() -> Iterator[tuple[str, ir.Module]]:
    """Level P of each of them, with its chip."""
    for gpu, text in PLACED:
        yield gpu, emit_placed(text, gpu)
    stored = cuda_tile.load(StoredProduct().text.encode())
    yield "sm_90", cuda_tile.lower(stored, "sm_90")
