# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops before and after `ring`, `skew` and `count` compute the same at any moment.

The kernels begin where `stage` leaves off: copies into buffers, products of these.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from staged_kernels import LOOPS, PRODUCTS, copies, kernel, run, two_loops, wgmma

from cuda_tile.options import Options
from cuda_tile.passes import count, ring, skew

pytestmark = pytest.mark.sampled(4)

SEEDS = (None, 0, 1)


def check(module: Any, iterations: Any, first: int, last: int) -> None:
    """The kernel gives the products of the iterations, whenever copies land."""
    for seed in SEEDS:
        a, b, c = run(module, first, last, seed)
        wanted = np.zeros((64, 8), np.float32)
        for k in iterations:
            at = slice(16 * k, 16 * k + 16)
            wanted += a[:, at].astype(np.float32) @ b[at].astype(np.float32)
        assert np.array_equal(c, wanted), (first, last, seed)


@pytest.mark.parametrize("form", LOOPS)
@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("engine", ["cp_async", "tma"])
@pytest.mark.parametrize(
    ("slots", "ahead", "lag", "step"),
    [
        (3, 2, 0, 1),
        (3, 1, 1, 1),
        (3, 2, 1, 2),
        (2, 2, 0, 1),
        (4, 1, 0, 1),
        (1, 0, 0, 1),
    ],
)
def test_each_pass_keeps_the_product(
    form: str, product: str, engine: str, slots: int, ahead: int, lag: int, step: int
) -> None:
    loop, iterations = LOOPS[form]
    body = copies("%k", slots, ahead, engine) + PRODUCTS[product]("%acc", "%n", lag)
    text = f"%step = constant <i32: {step}> : tile<i32>\n{loop(body)}"
    module = kernel(text)
    with module.context:
        for change in (None, ring, skew, count):
            if change is not None:
                change.run(module.operation, Options())
                assert module.operation.verify()
            for first, last in ((0, 9), (1, 3), (5, 5)):
                check(module, iterations(range(first, last, step)), first, last)


def twice(engine: str) -> str:
    """Two products of an iteration, each with copies of its own."""
    first = copies("%k", 3, 1, engine) + wgmma("%acc", "%m", 1)
    second = copies("%k", 3, 1, engine) + wgmma("%m", "%n", 1)
    return first + re.sub(r"%(a|b|ta|tb|p|q)\b", r"%\g<1>2", second)


@pytest.mark.parametrize(("engine", "rings"), [("tma", 2), ("cp_async", 4)])
def test_equal_rings_of_loops_that_follow_each_other(engine: str, rings: int) -> None:
    text = f"%step = constant <i32: 1> : tile<i32>\n{two_loops(twice(engine))}"
    module = kernel(text)
    with module.context:
        ring.run(module.operation, Options())
        assert str(module).count("= tileas.ring") == rings
        for change in (skew, count):
            change.run(module.operation, Options())
    check(module, 4 * list(range(9)), 0, 9)
