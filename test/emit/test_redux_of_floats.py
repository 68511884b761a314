# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Largest f32 of a warp by one instruction; by shuffles where subnormals are zero."""

from __future__ import annotations

import numpy as np
import pytest
from emit_agree import agree
from emit_placed import LARGEST

import cuda_tile

LOW = -np.inf


@pytest.mark.parametrize("flags", ["", " propagate_nan"])
@pytest.mark.parametrize("first", [(1.0,), (3.0, 2.0), (LOW,) * 256, (-0.0,) * 128])
def test_every_judge_agrees(flags: str, first: tuple[float, ...]) -> None:
    x = -np.abs(np.random.default_rng(0).standard_normal(256)).astype(np.float32)
    x[: len(first)] = first
    text = LARGEST.replace("%c = maxf %a, %b", f"%c = maxf %a, %b{flags}")
    found = agree(text, [x, np.zeros(1, np.float32)], gpu="sm_100")
    assert found[1][0] == x.max()


def test_flushed_maxima_take_shuffles() -> None:
    text = LARGEST.replace("%c = maxf %a, %b", "%c = maxf %a, %b flush_to_zero")
    for each, count in ((LARGEST, 1), (text, 0)):
        ptx = cuda_tile.compile(
            cuda_tile.load(each.encode()), "sm_100", cubin=False
        ).ptx
        assert ptx.count("redux.sync.max") >= count
        assert ("redux.sync.max" in ptx) == bool(count)
