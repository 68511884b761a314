# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads through a table, and tiles for which shared memory has no two slots.

A table's entries are there an iteration before the copies that they place, so these run
ahead as those of other loops do. Where two slots have no room, a tile is copied where
it is used: threads need no registers for it.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from latent_text import Latent
from lowered_levels import lowered_levels

import cuda_tile

pytestmark = pytest.mark.sampled(3)

CHIPS = ("sm_80", "sm_90", "sm_100", "sm_120")
HOW = ("next", "pages", "rows")
FEW_BYTES = 14_000
"""Shared memory for one slot of each small kernel's tiles, and not for two."""


def ran(kernel: Latent, module: Any, count: int, **how: Any) -> Any:
    """Runs it and compares what it wrote with NumPy's."""
    args, expected = kernel.launch(count)
    report = cuda_tile.run(module, grid=(1,), args=args, **how)
    assert np.array_equal(args[4], expected), count
    return report


def check(kernel: Latent, gpu: str, counts: tuple[int, ...], **options: Any) -> None:
    """The interpreter after passes, the emulator in random orders, and NumPy agree."""
    chosen = cuda_tile.Options(gpu=gpu, **options)
    module = cuda_tile.load(kernel.text().encode())
    for _, lowered in lowered_levels(
        module, levels=("stage", "skew", "barriers"), options=chosen
    ):
        ran(kernel, cuda_tile.load(str(lowered).encode()), counts[-1])
    compiled = cuda_tile.compile(module, options=chosen, cubin=False)
    for count in counts:
        ran(
            kernel,
            module,
            count,
            on="emulator",
            gpu=gpu,
            compiled=compiled,
            mode="adversarial",
            seed=count,
        )


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_120"])
@pytest.mark.parametrize("how", ["pages", "rows"])
def test_a_table_may_name_what_is_copied(how: str, gpu: str) -> None:
    check(Latent(how), gpu, (0, 1, 4))


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_120"])
@pytest.mark.parametrize("how", HOW)
def test_tiles_are_copied_where_they_are_used(how: str, gpu: str) -> None:
    check(Latent(how), gpu, (0, 3), shared_budget=FEW_BYTES)


@pytest.mark.parametrize("how", ["pages", "rows"])
def test_entries_come_an_iteration_before_the_copies(how: str) -> None:
    module = cuda_tile.load(Latent(how).text().encode())
    skewed = str(cuda_tile.lower(module, "sm_80", until="skew"))
    loop = skewed[skewed.index("%for:") :]
    copies = re.search(r"\n *if (%\d+) \{.*?(copy|gather)_in", loop, re.DOTALL)
    table = re.search(r"= if (%\d+) -> .*?load_ptr_tko", loop, re.DOTALL)
    assert copies is not None
    assert table is not None
    assert copies[1] != table[1]
    assert "load_ptr_tko" not in copies[0]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("gpu", CHIPS)
def test_one_slot_is_taken_where_two_have_no_room(how: str, gpu: str) -> None:
    options = cuda_tile.Options(gpu=gpu, shared_budget=FEW_BYTES)
    module = cuda_tile.load(Latent(how).text().encode())
    planned = str(cuda_tile.lower(module, until="plan", options=options))
    assert planned.count('engine = "cp_async", slots = 1') == 2


@pytest.mark.parametrize("how", ["next", "pages"])
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_100"])
def test_wide_rows_spill_nothing(how: str, gpu: str) -> None:
    kernel = Latent(how, width=512, tile=128, rows=512)
    compiled = cuda_tile.compile(cuda_tile.load(kernel.text().encode()), gpu)
    assert compiled.report.kernels[0].spill_bytes == 0
