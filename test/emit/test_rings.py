# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rings at level W, hand-written: NumPy and the emulator in adversarial mode agree."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from ring_kernels import RingProduct, Sizes, compile_placed

from cuda_tile.api import Compiled
from cuda_tile.errors import UserError

pytestmark = pytest.mark.sampled(4)

WHOLE: Sizes = (128, 128, 128)
RAGGED: Sizes = (72, 88, 104)

WARPGROUP = RingProduct(
    tile=(64, 64, 64), warps=(4, 1), drain="wgmma", slots=4, gpu="sm_90"
)
PRODUCTS = {
    "warpgroup": WARPGROUP,
    "warpgroup, loading warps": replace(WARPGROUP, sync="mbarriers", load_warps=4),
    "warpgroup, bulk copies": replace(WARPGROUP, sync="mbarriers", fill="tma"),
    "warpgroups, loading thread": RingProduct(
        tile=(128, 128, 64),
        warps=(8, 1),
        fill="tma",
        drain="wgmma",
        sync="mbarriers",
        load_warps=4,
        gpu="sm_90",
    ),
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
    "mbarriers": RingProduct(sync="mbarriers"),
    "mbarriers, sm_90": RingProduct(sync="mbarriers", gpu="sm_90"),
    "loading warps": RingProduct(sync="mbarriers", load_warps=4),
    "one loading warp": RingProduct(sync="mbarriers", load_warps=1, gpu="sm_90"),
    "bulk copies": RingProduct(sync="mbarriers", fill="tma", gpu="sm_90"),
    "loading thread": RingProduct(
        sync="mbarriers", fill="tma", load_warps=1, gpu="sm_90"
    ),
    "loading thread, sm_120": RingProduct(
        sync="mbarriers", fill="tma", load_warps=1, gpu="sm_120"
    ),
    "loading thread, two slots": RingProduct(
        tile=(64, 128, 64),
        warps=(1, 4),
        slots=2,
        ahead=1,
        sync="mbarriers",
        fill="tma",
        load_warps=4,
        gpu="sm_90",
    ),
    "threads": RingProduct(fill="threads", sync="mbarriers"),
    "storing warps": RingProduct(fill="threads", sync="mbarriers", load_warps=4),
    "one storing warp": RingProduct(
        fill="threads", sync="mbarriers", load_warps=1, gpu="sm_90"
    ),
    "warpgroup, threads": replace(WARPGROUP, fill="threads", sync="mbarriers"),
    "warpgroup, storing warps": replace(
        WARPGROUP, fill="threads", sync="mbarriers", load_warps=4
    ),
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


GROUPS = RingProduct(tile=(32, 32, 16), warps=(2, 1))
COPIED = replace(GROUPS, sync="mbarriers", load_warps=1)
STORED = replace(COPIED, fill="threads")
MULTIPLIED = replace(WARPGROUP, fill="threads", sync="mbarriers", load_warps=4)
BULK = replace(COPIED, fill="tma", gpu="sm_90")


@pytest.mark.parametrize(
    ("product", "pattern", "by"),
    [
        (GROUPS, r"cp\.async\.wait_group \t?1;", "cp.async.wait_group 2;"),
        (GROUPS, r"bar\.sync \t?0;", ""),
        (GROUPS, r"cp\.async\.commit_group;", ""),
        (COPIED, r"cp\.async\.mbarrier\.arrive\.noinc.*;", ""),
        (COPIED, r"mbarrier\.arrive\.shared.*;", ""),
        (COPIED, r"bar\.sync \t?0;", ""),
        (STORED, r"mbarrier\.arrive\.shared.*;", ""),
        (STORED, r"bar\.sync \t?0;", ""),
        (MULTIPLIED, r"fence\.proxy\.async.*;", ""),
        (BULK, r"mbarrier\.arrive\.shared.*;", ""),
        (BULK, r"mbarrier\.arrive\.expect_tx.*;", ""),
        (BULK, r"(?<=cp\.async\.bulk\.tensor\.2d).*(?=;)", None),
    ],
)
def test_what_order_rests_on_is_noticed(
    product: RingProduct, pattern: str, by: str | None
) -> None:
    """Without a wait, an arrival or a copy a race, a wrong sum or a hang shows.

    The barriers of warps are not among these: the emulator runs the lanes of a warp in
    step as long as they take the same way.
    """
    compiled = product.compiled()
    places = list(re.finditer(pattern, compiled.ptx))
    assert places
    for place in places:
        start, end = place.span()
        if by is None:  # the whole statement
            start = compiled.ptx.rindex("\n", 0, start)
            end += 1
        changed = compiled.ptx[:start] + (by or "") + compiled.ptx[end:]
        assert _is_noticed(product, replace(compiled, ptx=changed)), place.group()


@pytest.mark.parametrize("product", [COPIED, STORED, BULK])
def test_counts_of_arrivals_are_noticed(product: RingProduct) -> None:
    compiled = product.compiled()
    places = list(
        re.finditer(r"mbarrier\.init\.shared\.b64 .*?, (\d+|%r\d+);", compiled.ptx)
    )
    assert len(places) == 2 * product.slots
    for place in places:
        start, end = place.span(1)
        changed = compiled.ptx[:start] + "7" + compiled.ptx[end:]
        assert _is_noticed(product, replace(compiled, ptx=changed)), place.group()


def _is_noticed(product: RingProduct, compiled: Compiled) -> bool:
    for seed in range(3):
        try:
            got, expected = product.run(
                compiled,
                (*product.tile[:2], product.tile[2] * 8),
                mode="adversarial",
                seed=seed,
            )
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
