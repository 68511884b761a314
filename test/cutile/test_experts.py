# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mixture of experts: rows of a flat array named by a table, a matrix per expert.

Copies fill the rows of A by what is known of their addresses, though the rows' numbers
change threads on the way: that `plan` knew it at level T is what `stage` relies on.
"""

from __future__ import annotations

from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest

from cuda_tile.cutile import launch

TOKENS, EXPERTS, WIDTH, COLUMNS = 48, 2, 128, 128
TILE = 32
Size = ct.Constant[int]


@ct.kernel  # pyright: ignore[reportUntypedFunctionDecorator]
def experts(
    x: Any, w: Any, y: Any, tokens: Any, expert_of: Any, width: Size, tile: Size
) -> None:
    i, j = ct.bid(0), ct.bid(1)
    slot = i * tile + ct.arange(tile, dtype=ct.int32)
    token = ct.gather(tokens, slot, padding_value=0)
    expert: Any = ct.load(expert_of, index=(i,), shape=(1,)).item()
    row = (token // 2)[:, None] * width
    total = ct.full((tile, 64), 0.0, dtype=ct.float32)
    steps: Any = ct.cdiv(width, 32)
    for k in range(0, steps):
        at = row + (k * 32 + ct.arange(32, dtype=ct.int32))[None, :]
        a = ct.gather(x, at, padding_value=0)
        b = ct.load(w, index=(expert, k, j), shape=(1, 32, 64), order=(0, 2, 1))
        total = ct.mma(a, ct.reshape(b, (32, 64)), total)
    column = j * 64 + ct.arange(64, dtype=ct.int32)
    ct.scatter(y, (token[:, None], column[None, :]), ct.astype(total, y.dtype))


@pytest.mark.parametrize("gpu", ["", "sm_80", "sm_90", "sm_120"])
def test_experts(gpu: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(-2, 3, (TOKENS, WIDTH)).astype(ml_dtypes.bfloat16)
    w = rng.integers(-2, 3, (EXPERTS, COLUMNS, WIDTH)).astype(ml_dtypes.bfloat16)
    y = np.zeros((2 * TOKENS, COLUMNS), ml_dtypes.bfloat16)
    tokens = rng.permutation(2 * TOKENS).astype(np.int32)
    expert_of = (np.arange(2 * TOKENS // TILE) % EXPERTS).astype(np.int32)
    choices: dict[str, Any] = {"on": "emulator", "gpu": gpu} if gpu else {}
    args = (x.reshape(-1), w, y, tokens, expert_of, WIDTH, TILE)
    launch((2 * TOKENS // TILE, COLUMNS // 64), experts, args, **choices)
    for place, token in enumerate(tokens):
        matrix = w[expert_of[place // TILE]].astype("f4")
        wanted = x[token // 2].astype("f4") @ matrix.T
        assert np.array_equal(y[token], wanted.astype(ml_dtypes.bfloat16))
