# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proofs of rings: for any number of iterations, and no mutant is taken for right."""

from __future__ import annotations

import make_ws_gemm as ws
import pytest
from proof_rings import CHOSEN, COPIES, ROLES, SLIPS
from ptx_mutation import Mutant, mutants
from ptx_programs import PROGRAMS

from cuda_tile.emulator import parse
from cuda_tile.emulator.proof.verdict import Verdict, verdict_of

RINGS = {
    "copies": COPIES,
    "chosen": CHOSEN,
    "roles": ROLES,
    "bulk_ring": PROGRAMS["bulk_ring"].text,
}
WS_GEMM = PROGRAMS["ws_gemm"].text
BOXES = {
    "ws_gemm_param_0": 2 * ws.TILE_M * ws.TILE_K,
    "ws_gemm_param_1": 2 * ws.TILE_N * ws.TILE_K,
    "ws_gemm_param_2": 2 * 64 * ws.TILE_N,
}


def verdict(text: str) -> Verdict:
    """What is proved of the kernel of a text."""
    module = parse(text)
    (entry,) = (f for f in module.functions.values() if f.is_entry)
    block = entry.limits.get("reqntid", (384,))
    return verdict_of(module, entry, block, boxes=BOXES)


def is_stricter(mutant: Mutant) -> bool:
    """Whether a mutant only waits for more."""
    return (mutant.kind, mutant.change) == ("group count", "-1")


@pytest.mark.parametrize("name", RINGS)
def test_a_ring_is_proved_and_no_mutant(name: str) -> None:
    """Each wait, arrival, count, parity, fence and commit is needed."""
    assert verdict(RINGS[name]).block == ""
    found = list(mutants(RINGS[name]))
    assert len(found) >= 6
    proved = [str(m) for m in found if not verdict(m.text).block]
    assert proved == [str(m) for m in found if is_stricter(m)]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [(name, *slip) for name, slips in SLIPS.items() for slip in slips],
)
def test_no_slip_is_proved(name: str, right: str, wrong: str) -> None:
    """A slot beside, an iteration too many, a guard off by one."""
    assert RINGS[name].count(right) == 1
    assert verdict(RINGS[name].replace(right, wrong)).block


def test_products_of_warpgroups() -> None:
    """Roles, tensor maps, mbarriers with parities and products in flight."""
    found = verdict(WS_GEMM)
    assert (found.block, found.grid) == ("", "bulk copies touch it")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("mutant", list(mutants(WS_GEMM)), ids=str)
def test_no_mutant_of_products_is_proved(mutant: Mutant) -> None:
    """Of one that waits for less."""
    assert bool(verdict(mutant.text).block) is not is_stricter(mutant)


def test_boxes_come_from_a_launch_record() -> None:
    """Without one nobody knows what a tensor map copies."""
    module = parse(WS_GEMM)
    (entry,) = (f for f in module.functions.values() if f.is_entry)
    why = verdict_of(module, entry, (384,)).block
    assert why.endswith("copies by a tensor map whose box no launch record tells")
