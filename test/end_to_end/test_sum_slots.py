# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of two tiles in tensor memory: one is multiplied into while one is stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from copied_product_text import Case
from ptx_mutation import mutants
from test_product_role import lowered, of_roles, run_in_one_cta, two_sums
from test_tcgen05 import CHIP, F16

import cuda_tile
from cuda_tile.emulator.isa import tcgen05
from cuda_tile.emulator.machine.step import Step

PERSISTENT = "persistent = 1 : i64, tile_group = 1 : i64, "
TILES = replace(F16, sizes=(512, 64, 64))
WIDE = replace(F16, tile=(256, 256, 16), sizes=(512, 256, 32))


def slots_of(text: str) -> list[int]:
    """Slots of the rings of sums."""
    found = re.findall(r'fill = "tcgen05".*?ring<(\d+)', lowered(text))
    return [int(slots) for slots in found]


@pytest.mark.parametrize(
    ("case", "warps", "slots"), [(TILES, (4, 1), 2), (WIDE, (8, 1), 1)]
)
def test_there_are_as_many_as_columns_allow(
    case: Case, warps: tuple[int, int], slots: int
) -> None:
    more = "part = 32 : i64, "
    assert slots_of(of_roles(case, warps, more=more + PERSISTENT)) == [slots]
    assert slots_of(of_roles(case, warps, more=more)) == [1]


def test_each_of_several_sums_has_two() -> None:
    text = two_sums().replace("{roles", f"{{{PERSISTENT}roles")
    assert slots_of(text) == [2, 2]
    made = cuda_tile.compile(cuda_tile.load(text.encode()), CHIP, cubin=False)
    assert re.search(r"mov.b32 \s*%r\d+, 256;", made.ptx)  # 2 x 2 x 64 columns


@pytest.mark.parametrize("seed", range(4))
def test_tiles_take_turns(seed: int) -> None:
    case = replace(TILES, sizes=(400, 128, 96))
    run_in_one_cta(of_roles(case, more=PERSISTENT), case, seed)
    run_in_one_cta(of_roles(case, more=f"part = 16 : i64, {PERSISTENT}"), case, seed)


@pytest.mark.parametrize(
    ("case", "warps", "overlaps"), [(TILES, (4, 1), True), (WIDE, (8, 1), False)]
)
def test_products_run_while_a_sum_is_loaded(
    case: Case,
    warps: tuple[int, int],
    overlaps: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[str] = []

    def note(name: str) -> None:
        make: Callable[..., Step] = getattr(tcgen05, name)

        def noting(*args: object) -> Step:
            step = make(*args)
            run = step.run
            step.run = lambda lanes: (events.append(name), run(lanes))
            return step

        monkeypatch.setattr(tcgen05, name, noting)

    note("mma")
    note("load")
    run_in_one_cta(of_roles(case, warps, more=f"part = 16 : i64, {PERSISTENT}"), case)
    tiles = case.sizes[0] // case.tile[0]
    products, loads = events.count("mma") // tiles, events.count("load") // tiles
    places = [i for i, name in enumerate(events) if name == "load"]
    before = events[: places[loads - 1]].count("mma")
    assert (before > products) == overlaps


REDUNDANT = {
    "tcgen05.relinquish_alloc_permit": "no other CTA asks for columns",
    "fence.mbarrier_init": "no cluster: the barrier behind it orders",
    "tcgen05.fence": "mbarriers and barriers acquire and release what it orders",
}
"""Beginnings of deleted statements that no run reports, and why."""
SHORT = replace(F16, tile=(128, 16, 32), sizes=(384, 16, 96))
TWO_SLOTS = r'\1 {tileas.plan = {engine = "tma", slots = 2 : i64, ahead = 1 : i64}}'


def test_missing_steps_of_the_rings_are_noticed() -> None:
    text = of_roles(SHORT, more=PERSISTENT)
    text = re.sub(r"(load_view_tko weak %w\w\[[^]]*\])", TWO_SLOTS, text)
    compiled = cuda_tile.compile(cuda_tile.load(text.encode()), CHIP, cubin=False)
    deleted = [
        m for m in mutants(compiled.ptx) if m.change == "delete" and m.kind != "init"
    ]
    silent: list[int] = []
    for mutant in deleted:
        if mutant.instruction.startswith(tuple(REDUNDANT)):
            continue
        try:
            run_in_one_cta(text, SHORT, compiled=replace(compiled, ptx=mutant.text))
        except (cuda_tile.UserError, AssertionError):
            continue
        silent.append(mutant.line)
    barriers = [m.line for m in deleted if m.kind == "barrier"]
    # Lanes of a warp wait together on the emulator; `--prove` asks that they meet.
    behind_waits = [
        after.line
        for before, after in pairwise(deleted)
        if before.kind == "wait" and after.instruction.startswith("bar.warp.sync")
    ]
    assert len(behind_waits) == 1
    # Warps met behind their last loads, for the copy.
    assert silent == [*behind_waits, barriers[-1]]
