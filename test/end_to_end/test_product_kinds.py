# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each kind of product: all judges agree, with the default plan and some by hand.

CI runs each size of a kind in one order of the emulator; docs/pipelining.md has the
command for more.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from lowered_levels import lowered_levels
from product_kinds import KINDS, NO, TMA, check, compiled, sizes_of
from product_text import K, M, N
from ptx_mutation import mutants

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.emulator import FindingError
from cuda_tile.ir.copy_plan import LoadPlan, read_load
from cuda_tile.ir.plan import plan_attribute, read_plan
from cuda_tile.ir.traits import LOADS, PRODUCTS
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.options import Options

pytestmark = pytest.mark.sampled(6)

CHIPS = ("sm_80", "sm_90", "sm_120")
LEVELS = ("stage", "barriers")
PLAN = "tileas.plan"
SEEDS = 2
MORE_SEEDS = int(os.environ.get("CUDA_TILE_PRODUCT_SEEDS", "0"))
"""Orders of the emulator that each size of each kind is run in, instead of one."""


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("chip", CHIPS)
def test_plan_and_levels(name: str, chip: str) -> None:
    kind = KINDS[name]
    module = cuda_tile.load(kind.text.encode())
    planned = cuda_tile.lower(module, chip, until="plan")
    (entry,) = entries(planned.operation)
    loads = [read_load(op) for op in nested_ops(entry) if op.name in LOADS]
    wanted = kind.bulk_engines if chip == "sm_90" else kind.engines
    assert tuple(load.engine for load in loads) == wanted
    # What is loaded once, outside of loops, has one slot and nothing to run ahead of.
    assert all(
        load.slots > load.ahead > 0 or (load.slots, load.ahead) == (1, 0)
        for load in loads
        if load.engine != NO
    )
    if chip == "sm_90":
        assert ('roles = "load"' in str(planned)) == (TMA in wanted)
        remarks = compiled(name, chip)[1].launch["k"].remarks
        assert len(remarks) == len(kind.remarks)
        pairs = zip(kind.remarks, remarks, strict=True)
        assert all(words in remark for words, remark in pairs)
    for _, lowered in lowered_levels(module, chip, LEVELS):
        check(name, sizes_of(name)[0], lowered)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("chip", CHIPS)
def test_emulator_agrees(name: str, chip: str) -> None:
    module, made = compiled(name, chip)
    for number, sizes in enumerate(sizes_of(name)):
        for seed in range(MORE_SEEDS) if MORE_SEEDS else (number % 2,):
            how = {"compiled": made, "mode": "adversarial", "seed": seed}
            check(name, sizes, module, on="emulator", gpu=chip, **how)


@pytest.mark.parametrize("name", ["plain", "chained", "two loops"])
@pytest.mark.parametrize("chip", CHIPS[1:])
def test_bulk_copies_feed_products_of_warps_in_one_role(name: str, chip: str) -> None:
    """A plan by hand: `plan` would let warpgroups multiply, or threads copy."""

    def change(level: Any) -> None:
        (entry,) = entries(level)
        plan = read_plan(entry)
        one = replace(plan, roles="one", registers=0, load_registers=0)
        entry.attributes[PLAN] = one.to_attribute()
        for op in nested_ops(entry):
            if op.name in LOADS and read_load(op).is_copy:
                op.attributes[PLAN] = LoadPlan(TMA, 3, 2).to_attribute()
            elif op.name in PRODUCTS:
                op.attributes[PLAN] = plan_attribute({"atom": "m16n8k16"})

    module = cuda_tile.load(KINDS[name].text.encode())
    levels: dict[str, Any] = {}
    made = cuda_tile.compile(
        module,
        chip,
        after={"plan": change},
        observe=lambda step, level: levels.update({step: str(level)}),
        cubin=False,
    )
    assert "cp.async.bulk.tensor" in made.ptx
    assert "mma.sync" in made.ptx
    assert not any(word in made.ptx for word in ("wgmma", "setmaxnreg", "bar.sync 1"))
    for level in ("ring", "skew", "count", "barriers"):
        check(name, sizes_of(name)[0], cuda_tile.load(levels[level].encode()))
    for seed, sizes in enumerate(sizes_of(name)):
        how = {"compiled": made, "mode": "adversarial", "seed": seed}
        check(name, sizes, module, on="emulator", gpu=chip, **how)


@pytest.mark.parametrize("name", ["plain", "grouped", "chained"])
@pytest.mark.parametrize("chip", CHIPS[:2])
def test_few_ctas_serve_all_tile_blocks(name: str, chip: str) -> None:
    def change(level: Any) -> None:
        (entry,) = entries(level)
        own = plan_attribute({"persistent": 1, "tile_group": 2})
        plans = (ir.DictAttr(entry.attributes[PLAN]), ir.DictAttr(own))
        fields = {item.name: item.attr for plan in plans for item in plan}
        entry.attributes[PLAN] = ir.DictAttr.get(fields)
        for op in nested_ops(entry):
            if op.name in LOADS and read_load(op).slots > 3:
                plan = {"engine": read_load(op).engine, "slots": 3, "ahead": 2}
                op.attributes[PLAN] = plan_attribute(plan)

    module = cuda_tile.load(KINDS[name].text.encode())
    made = cuda_tile.compile(module, chip, after={"plan": change}, cubin=False)
    assert made.launch["k"].grid == "persistent"
    for seed in range(SEEDS):
        how = {"compiled": made, "mode": "adversarial", "seed": seed}
        sizes = sizes_of(name)[seed]
        check(name, sizes, module, on="emulator", gpu=chip, resident_ctas=1, **how)


# Mutants of the PTX of a kernel with roles, bulk copies and wgmma ---------------------

REDUNDANT = {
    "fence.mbarrier_init.release.cluster": "no cluster: the barrier behind it orders",
    "mbarrier.arrive.shared.b64 %rd": "the last release; nobody acquires afterwards",
    "bar.sync 1, 128": "the first: products are done for all warps of their warpgroup",
}
"""Beginnings of deleted statements that no run reports, and why."""


def test_deleted_synchronisation_is_noticed() -> None:
    module, made = compiled("plain", "sm_90")
    deleted = [
        m for m in mutants(made.ptx) if m.change == "delete" and m.kind != "init"
    ]
    assert {"fence", "wait", "commit", "arrive", "barrier"} == {m.kind for m in deleted}
    silent: list[str] = []
    for mutant in deleted:
        how = {"compiled": replace(made, ptx=mutant.text), "mode": "adversarial"}
        try:
            check("plain", (M, N, 7 * K), module, on="emulator", gpu="sm_90", **how)
        except (FindingError, AssertionError):
            continue
        silent.append(mutant.instruction)
    assert len(silent) == len(REDUNDANT), silent
    for text in REDUNDANT:
        assert len([s for s in silent if s.startswith(text)]) == 1, silent


def test_deleted_barriers_between_warpgroups_are_noticed() -> None:
    """The stores alias slots of the ring, which the other warpgroup may still read."""
    kind = KINDS["plain"]
    text = kind.text.replace(f"{M}x{K}", f"{2 * M}x{K}")
    module = cuda_tile.load(text.replace(f"{M}x{N}", f"{2 * M}x{N}").encode())
    options = Options(gpu="sm_90", num_warps=8)
    made = cuda_tile.compile(module, options=options, cubin=False)
    assert "wgmma" in made.ptx
    barriers = [m for m in mutants(made.ptx) if m.change == "delete"]
    barriers = [m for m in barriers if m.instruction.startswith("bar.sync 1, 256")]
    assert len(barriers) == 2
    for mutant in barriers:
        args, _ = kind.problem(2 * M, N, 7 * K)
        sizes = map(np.int32, (2 * M, N, 7 * K))
        found = r"race|before the asynchronous operation"
        with pytest.raises(FindingError, match=found):
            cuda_tile.run(
                module,
                grid=(1, 1),
                args=[*args, *sizes],
                on="emulator",
                compiled=replace(made, ptx=mutant.text),
                mode="adversarial",
                gpu="sm_90",
            )
