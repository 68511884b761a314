"""Rings at level W, hand-written: NumPy and the emulator in adversarial mode agree."""

from __future__ import annotations

import re

import numpy as np
import pytest
from ring_kernels import RingProduct, Sizes, compile_placed

from cuda_tile.errors import UserError

WHOLE: Sizes = (128, 128, 128)
RAGGED: Sizes = (72, 88, 104)

PRODUCTS = {
    "three": RingProduct(),
    "two": RingProduct(slots=2, ahead=1),
    "four": RingProduct(slots=4, ahead=3),
    "five": RingProduct(slots=5, ahead=2),
    "one": RingProduct(slots=1, ahead=1, release_early=True),
    "full": RingProduct(slots=3, ahead=3, release_early=True),
    "known": RingProduct(divisor=64),
    "small units": RingProduct(divisor=2),
    "deep": RingProduct(tile=(64, 128, 64), warps=(1, 4)),
    "one warp": RingProduct(tile=(32, 16, 16), warps=(1, 1)),
    "few units": RingProduct(tile=(16, 16, 16), warps=(2, 2)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_agree(name: str) -> None:
    product = PRODUCTS[name]
    compiled = product.compiled()
    cases: tuple[Sizes, ...] = (RAGGED, (8, 8, 0), (64, 64, 32))
    if product.divisor > 8:
        cases = (WHOLE, (64, 64, 0))
    for seed, sizes in enumerate(cases):
        got, expected = product.run(compiled, sizes, mode="adversarial", seed=seed)
        assert np.array_equal(got, expected), (name, sizes, seed)


@pytest.mark.parametrize(
    ("pattern", "by"),
    [
        (r"cp\.async\.wait_group \t?1;", "cp.async.wait_group 2;"),
        (r"bar\.sync \t?0;", ""),
        (r"cp\.async\.commit_group;", ""),
    ],
)
def test_what_order_rests_on_is_noticed(pattern: str, by: str) -> None:
    """Without a wait, a barrier or a group a race or a wrong sum shows."""
    product = RingProduct()
    compiled = product.compiled()
    count = len(re.findall(pattern, compiled.ptx))
    assert count
    for number in range(count):
        assert _is_noticed(product, compiled, pattern, by, number), (pattern, number)


def _is_noticed(product, compiled, pattern, by, number) -> bool:
    places = list(re.finditer(pattern, compiled.ptx))
    match = places[number]
    ptx = compiled.ptx[: match.start()] + by + compiled.ptx[match.end() :]
    changed = type(compiled)(ptx, b"", compiled.report, compiled.launch)
    for seed in range(3):
        try:
            extents = (64, 64, 160)
            got, expected = product.run(changed, extents, mode="adversarial", seed=seed)
        except UserError:
            return True
        if not np.array_equal(got, expected):
            return True
    return False


def test_ring_that_does_not_fit() -> None:
    product = RingProduct(tile=(128, 128, 64), slots=4, ahead=3, gpu="sm_86")
    with pytest.raises(UserError) as error:
        product.compiled()
    assert "a ring of 4 slots of 32768 bytes, of which 3 would fit" in str(error.value)


def test_units_too_small_for_the_engine() -> None:
    text = RingProduct(divisor=1).text
    with pytest.raises(UserError) as error:
        compile_placed(text, "sm_80")
    assert "expected 4 bytes or more that lie together" in str(error.value)
