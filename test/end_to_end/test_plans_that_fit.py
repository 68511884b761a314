# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A legal kernel that fits the chip compiles: a plan that does not is replaced.

Shared memory and the registers that instructions need are constraints of plans. Where
an estimate was too low, another plan is made, and a remark says what was given up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_text import Drawn
from product_scan import Scanned, all_products, compile_one

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile._mlir import ir
from cuda_tile.ir.plan import PLAN_ATTRIBUTE as PLAN
from cuda_tile.ir.plan import plan_attribute, read_plan
from cuda_tile.ir.walk import entries, nested_ops

PERSISTENT = Path(__file__).parent / "Inputs" / "persistent_128x256.mlir"
REMARK = "copies ahead of their use have"
SAMPLE, EVERY = 7, 131
"""Products compiled whole here, of all of bench/product_scan.py, and how far apart."""
SCANNED = all_products(("sm_90",), ("f16",))[::EVERY][:SAMPLE]


def test_a_persistent_product_compiles_and_is_right() -> None:
    module = cuda_tile.load(PERSISTENT.read_bytes())
    compiled = cuda_tile.compile(module, options=Options(gpu="sm_90"))
    (kernel,) = compiled.report.kernels
    assert kernel.spill_bytes == 0
    m, n, k = 128, 512, 128
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, shape).astype("f2") for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), "f2")
    cuda_tile.run(
        *(module, None),
        grid=1,
        args=[a, b, c],
        on="emulator",
        gpu="sm_90",
        compiled=compiled,
        mode="adversarial",
    )
    assert np.array_equal(c, (a.astype("f4") @ b.astype("f4")).astype("f2"))


def with_slots(count: int, least: int) -> Any:
    """A hook that gives copies so many slots where they have `least` or more."""

    def change(level: ir.Operation) -> None:
        for op in nested_ops(level):
            if op.name == "cuda_tile.load_view_tko" and slots_of(op) >= least:
                made = {"engine": "tma", "slots": count, "ahead": count - 1}
                op.attributes[PLAN] = plan_attribute(made)

    return {"plan": change}


def slots_of(load: ir.Operation) -> int:
    if PLAN not in load.attributes:
        return 0
    fields = ir.DictAttr(load.attributes[PLAN])
    return ir.IntegerAttr(fields["slots"]).value if "slots" in fields else 0


def test_an_estimate_that_is_too_low_gives_another_plan() -> None:
    """A hook stands for the estimate: it adds slots while there is memory for three."""
    module = cuda_tile.load(PERSISTENT.read_bytes())
    levels: list[str] = []
    compiled = cuda_tile.compile(
        module,
        options=Options(gpu="sm_90"),
        cubin=False,
        after=with_slots(4, least=3),
        observe=lambda name, level: levels.append(name),
    )
    (launch,) = compiled.launch.values()
    assert any(REMARK in remark for remark in launch.remarks)
    assert levels.count("plan") > 1
    assert levels.count("allocate") == 1


def test_what_no_plan_can_hold_is_refused_with_its_first_message() -> None:
    module = cuda_tile.load(PERSISTENT.read_bytes())
    before, after = str(module), with_slots(8, least=0)
    with pytest.raises(UserError, match="ring of 8 slots of 49152 bytes, of which 3"):
        cuda_tile.compile(module, "sm_90", cubin=False, after=after)
    assert str(module) == before


@pytest.mark.parametrize("scanned", SCANNED)
def test_products_of_any_shape_compile(scanned: Scanned) -> None:
    wrong = compile_one(scanned)
    assert wrong is None or wrong.startswith("spills"), wrong


@pytest.mark.parametrize("columns", [128, 256])
def test_instructions_have_the_registers_that_they_need(columns: int) -> None:
    """Of 64 rows, one warpgroup works: more CTAs would leave its sums too few."""
    assert compile_one(Scanned((64, columns, 64))) is None


def test_what_spills_has_the_registers_of_its_instructions() -> None:
    """256 x 256 sums fill all registers: `m64n256k32` would lack 30 of 16 warps."""
    wrong = compile_one(Scanned((256, 256, 32), "i8", abi="cuda"))
    assert wrong is None, wrong


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
def test_elements_that_threads_load_one_by_one_have_registers(gpu: str) -> None:
    """Of arrays that promise nothing: four warps would spill 272 bytes and more."""
    scanned = Scanned((128, 128, 64), "f16 to f16", gpu=gpu, is_aligned=False)
    module = cuda_tile.load(scanned.text().encode())
    options = cuda_tile.Options(gpu=gpu, line_info=False)
    compiled = cuda_tile.compile(module, options=options)
    (kernel,) = compiled.report.kernels
    assert kernel.spill_bytes == 0


def test_what_has_no_room_in_shared_memory_before_a_loop_holds_registers() -> None:
    """128 KB of a left operand: four warps held 256 registers, and spilled 4,408 B."""
    drawn = Drawn((256, 16, 128), "tf32", "tf32", columns=64)
    module = cuda_tile.load(drawn.text().encode())
    warps: list[int] = []
    for gpu in ("sm_86", "sm_80"):
        level = cuda_tile.lower(module, gpu, until="plan")
        warps.append(read_plan(entries(level.operation)[0]).num_warps)
    assert warps == [8, 4]


def test_plan_counts_on_no_more_than_its_budget() -> None:
    module = cuda_tile.load(Scanned((128, 128, 64)).text().encode())
    slots: list[int] = []
    for budget in (None, 150_000, 70_000):
        level = cuda_tile.lower(
            module, until="plan", options=Options(gpu="sm_90", shared_budget=budget)
        )
        (entry,) = entries(level.operation)
        loads = [o for o in nested_ops(entry) if o.name == "cuda_tile.load_view_tko"]
        slots.append(slots_of(loads[0]))
    assert slots == [6, 4, 2]
