# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in tensor memory: chosen by the search, right on all levels, no spills."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ptx_mutation import Mutant, mutants

import cuda_tile
from cuda_tile import UserError
from cuda_tile._mlir import ir
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from attention_kernels import Attention

pytestmark = pytest.mark.sampled(4)

CHIP = "sm_100"
LEVELS = ("skew", "issue", "barriers")
SEEDS = 8
ERROR = {"f16": 2.0**-9, "bf16": 2.0**-6}
"""Of results below 4 whose weights are rounded to a type, as they are."""
CASES: dict[str, tuple[Attention, tuple[int, int, int]]] = {
    "all keys": (Attention("full", 64, keys=64), (1, 128, 320)),
    "128 columns": (Attention("full", 128, keys=64), (1, 128, 256)),
    "256 columns": (Attention("full", 256, keys=64), (1, 128, 192)),
    "256 rows": (Attention("full", 64, rows=256, keys=64), (1, 256, 192)),
    "64 rows": (Attention("full", 64, rows=64, keys=64), (1, 64, 320)),
    "64 rows, 128 columns": (Attention("full", 128, rows=64, keys=64), (1, 64, 256)),
    "128 keys": (Attention("full", 64, keys=128), (1, 128, 384)),
    "a mask in every iteration": (Attention("causal", 64, keys=64), (1, 256, 256)),
    "a loop with a mask": (Attention("split", 64, keys=64), (1, 256, 256)),
    "ragged keys": (Attention("ragged", 64, keys=64), (1, 100, 150)),
    "grouped heads": (
        Attention("split", 64, keys=64, element="bf16", group=2),
        (2, 128, 128),
    ),
    "one iteration": (Attention("full", 64, keys=64), (1, 128, 64)),
}
"""Kernels, each with heads, queries and keys."""


def capped(text: str) -> str:
    """A kernel whose scores are at most 5: 5 * tanh(s / 5)."""
    tile = re.search(r"%raw = mmaf .* (tile<\w+>)$", text, re.MULTILINE)
    assert tile is not None
    cap = f"""
      %cap = constant <f32: 5.0> : {tile[1]}
      %less = constant <f32: 0.2> : {tile[1]}
      %near = mulf %products, %less : {tile[1]}
      %bent = tanh %near : {tile[1]}
      %raw = mulf %bent, %cap : {tile[1]}"""
    return re.sub(
        r"%raw = (mmaf .*)$", rf"%products = \1{cap}", text, flags=re.MULTILINE
    )


@cache
def kernel(name: str) -> tuple[ir.Module, Any]:
    module = cuda_tile.load(CASES[name][0].text().encode())
    return module, cuda_tile.compile(module, CHIP)


def run(
    attention: Attention, size: tuple[int, int, int], module: ir.Module, **how: Any
) -> tuple[np.ndarray[Any, Any], list[Any]]:
    """What a module computes, and its arguments."""
    grid, values = attention.launch(*size)
    args = spread_args(
        "kernel", parameter_types(find_entry(module.operation, None)), values
    )
    cuda_tile.run(module, grid=grid, args=args, **how)
    return np.asarray(values[3], np.float64), values


@pytest.mark.parametrize("name", CASES)
def test_level_w_computes_the_same(name: str) -> None:
    module, _ = kernel(name)
    expected, values = run(*CASES[name], module)
    attention, size = CASES[name]
    assert (
        np.abs(expected - attention.reference(values)).max() <= ERROR[attention.element]
    )
    for at in LEVELS:
        lowered = cuda_tile.lower(module, CHIP, until=at)
        assert len(re.findall("tileas.tcgen05 ", str(lowered))) >= 2
        found, _ = run(attention, size, lowered)
        assert np.array_equal(found, expected), at


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_computes_the_same(name: str, draws: Callable[[int], int]) -> None:
    module, compiled = kernel(name)
    (report,) = compiled.report.kernels
    assert "tcgen05.mma" in compiled.ptx
    assert not compiled.report.warnings
    assert not report.spill_bytes
    attention, size = CASES[name]
    how = {"on": "emulator", "gpu": CHIP, "mode": "adversarial", "compiled": compiled}
    for seed in range(draws(SEEDS)):
        found, values = run(attention, size, module, seed=seed, **how)
        error = np.abs(found - attention.reference(values)).max()
        assert error <= ERROR[attention.element], seed


@pytest.mark.parametrize("name", CASES)
def test_as_many_ctas_have_shared_memory_as_registers(name: str) -> None:
    """What threads store for products behind a loop takes no bytes of its own."""
    _, compiled = kernel(name)
    (report,) = compiled.report.kernels
    ctas = re.search(r"min_ctas = (\d+)", report.plan)
    assert ctas is not None
    target = find_target(CHIP)
    taken = report.shared_bytes + target.shared_bytes_reserved
    assert int(ctas[1]) * taken <= target.shared_bytes_per_sm


@pytest.mark.parametrize("loop", ["causal", "split"])
def test_what_roles_have_in_common_takes_no_register_of_both(loop: str) -> None:
    """The bound of their loops, which was in one register, spilled 24 to 36 bytes."""
    module = cuda_tile.load(Attention(loop, 128, keys=64).text().encode())
    (report,) = cuda_tile.compile(module, CHIP).report.kernels
    assert not report.spill_bytes


@pytest.mark.parametrize("name", ["a loop with a mask", "ragged keys"])
def test_no_mask_waits_for_scores_in_registers(name: str) -> None:
    """It is made of scalars where it is used, an iteration behind the product."""
    module, _ = kernel(name)
    text = str(cuda_tile.lower(module, CHIP, until="skew"))
    carried = re.findall(r" = for .* -> \((.*)\) {", text)
    assert any("pending" in kinds for kinds in carried)
    for kinds in carried:
        assert not re.search(r"(?<!pending<)tile<128x64x", kinds)


def test_scores_may_be_capped() -> None:
    attention, size = CASES["all keys"]
    module = cuda_tile.load(capped(attention.text()).encode())
    expected, _ = run(attention, size, module)
    how: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
    found, _ = run(attention, size, module, **how)
    assert np.abs(found - expected).max() <= ERROR["f16"]


def test_scores_are_multiplied_while_threads_compute_weights() -> None:
    """In the loop: wait and load, start the next scores, then the exponentials."""
    module, compiled = kernel("all keys")
    text = str(cuda_tile.lower(module, CHIP, until="barriers"))
    loop = text[text.index(" = for ") :]
    places = [loop.index(x) for x in ("tileas.await", "tileas.tcgen05 ", " exp2 ")]
    assert places == sorted(places)
    assert loop.index("tileas.await", places[0] + 1) > places[2], "the sum's, later"
    assert "vote.sync.all.pred" in compiled.ptx, "sums that stay are not rescaled"


REDUNDANT = {
    "tcgen05.relinquish_alloc_permit": "other CTAs of the multiprocessor wait for it",
    "tcgen05.fence": "barriers and mbarriers around it acquire and release as well",
}
"""Beginnings of deleted statements that no run reports, and why."""
UNREPORTED = {"tcgen05.wait::ld": 1, "tcgen05.commit": 2}
"""How many others no run reports, by how they begin. The wait is that of the last
scores, behind whose load no product takes their columns: registers of a load may be
used at once (PTX ISA, "Register dependencies, same thread"). The commits stand behind
the loop and release slots of keys and values that no copy fills again."""


def deleted_statements(ptx: str) -> list[Mutant]:
    """What orders products, sums and threads, one statement deleted in each."""
    own = ("tcgen05.", "mbarrier.try_wait.shared", "fence.proxy.async.shared")
    found = [m for m in mutants(ptx) if m.change == "delete"]
    return [m for m in found if m.instruction.startswith(own)]


def test_deleted_synchronisation_is_noticed(draws: Callable[[int], int]) -> None:
    module, compiled = kernel("all keys")
    attention, size = CASES["all keys"]
    how: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
    made = deleted_statements(compiled.ptx)
    silent: list[str] = []
    for mutant in made[:: max(1, len(made) // draws(len(made)))]:
        try:
            changed = replace(compiled, ptx=mutant.text)
            found, values = run(attention, size, module, compiled=changed, **how)
        except UserError:
            continue
        if np.abs(found - attention.reference(values)).max() <= ERROR["f16"]:
            silent.append(mutant.instruction)
    silent = [s for s in silent if not s.startswith(tuple(REDUNDANT))]
    assert all(s.startswith(tuple(UNREPORTED)) for s in silent)
    for beginning, most in UNREPORTED.items():
        assert sum(s.startswith(beginning) for s in silent) <= most
