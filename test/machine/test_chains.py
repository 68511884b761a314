# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latencies of one warp, against sums by hand."""

from __future__ import annotations

import pytest

from cuda_tile.chip_clocks import chip_clocks
from cuda_tile.machine.code import MachineInstruction
from cuda_tile.targets import find_target
from cuda_tile.timing.chains import Warp, iteration_clocks

HOPPER = chip_clocks(find_target("sm_90"))
ALU, SHARED = HOPPER.alu.value, HOPPER.shared.value


def code(*lines: str) -> list[MachineInstruction]:
    found: list[MachineInstruction] = []
    for line in lines:
        name, _, operands = line.partition(" ")
        found.append(MachineInstruction(name, operands, "", 1))
    return found


def clocks(*lines: str) -> float:
    return iteration_clocks(Warp(HOPPER, "likely", 2048, 263), code(*lines))


def test_a_chain_waits_for_each_result() -> None:
    assert clocks(*["FADD R0, R0, R1"] * 3) == 3 * ALU


def test_independent_instructions_issue_one_a_clock() -> None:
    lines = [f"FADD R{n}, R{n}, R9" for n in range(8)]
    assert clocks(*lines) == 8


def test_a_wide_load_gives_all_its_registers() -> None:
    assert clocks("LDS.128 R4, [R0]", "IADD3 R0, R7, R1, RZ") == SHARED + ALU
    assert clocks("LDS R4, [R0]", "IADD3 R0, R7, R1, RZ") < SHARED


def test_ldmatrix_gives_a_register_for_each_matrix() -> None:
    def reads(load: str, register: str) -> float:
        return clocks(f"{load} R4, [R0]", f"IADD3 R0, {register}, R1, RZ")

    for name in ("LDSM.16.M88", "LDSM.16.MT88"):
        assert reads(f"{name}.4", "R7") == SHARED + ALU
        assert reads(name, "R4") == SHARED + ALU
        assert reads(name, "R5") < SHARED


def test_matrix_instructions_fill_their_unit_or_wait() -> None:
    """16 x 8 x 16 on a quarter of 2048 multiply-adds a clock, of which 0.63 come."""
    each = 16 * 8 * 16 / (2048 / 4 * HOPPER.matrix_share.value)
    free = [f"HMMA.16816.F32 R{4 * n}, R80, R90, R{4 * n}" for n in range(8)]
    assert clocks(*free) == pytest.approx(8 * each)
    assert clocks(free[0]) == pytest.approx(HOPPER.matrix.value)


def test_a_wait_for_products_drains_the_unit() -> None:
    """The second wait lets the last group run on, the first does not."""
    product = "HGMMA.64x128x16.F32 R24, gdesc[UR8], R24, gsb0"
    alone = 64 * HOPPER.matrix_slower.value
    waits = clocks(product, "WARPGROUP.DEPBAR.LE gsb0, 0x0")
    assert waits >= alone + HOPPER.drain.value
    goes_on = clocks(product, "WARPGROUP.DEPBAR.LE gsb0, 0x1")
    assert goes_on == pytest.approx(alone)


def test_copies_that_a_thread_started_ahead_hide_their_way() -> None:
    copy = ["LDGSTS.E.BYPASS.128 [R1], [R2]", "LDGDEPBAR"]
    near = clocks(*copy, "DEPBAR.LE SB0, 0x0")
    ahead = clocks(*copy, "DEPBAR.LE SB0, 0x3")
    assert near >= 263
    assert ahead == pytest.approx(near / 4, rel=0.03)


def test_what_the_cta_asks_for_comes_one_behind_the_other() -> None:
    """Four loads keep the way from L2 for 100 clocks each; issuing goes on."""
    loads = [f"LDG.E R{n}, [R{40 + n}]" for n in range(4)]
    warp = Warp(HOPPER, "likely", 2048, 263, {"global": 100.0})
    warp.run(code(*loads))
    assert warp.now == 4
    warp.run(code("FADD R9, R3, R3"))
    assert warp.now == 4 * 100 + 263 + 1
    near = Warp(HOPPER, "likely", 2048, 263, {"global": 100.0})
    near.run(code(*loads, "FADD R9, R0, R0"))
    assert near.now == 100 + 263 + 1


def test_a_spill_comes_from_the_l1_cache() -> None:
    warp = Warp(HOPPER, "likely", 2048, 263, {"global": 100.0})
    warp.run(code("LDL R4, [R1]", "FADD R9, R4, R4"))
    assert warp.now == SHARED + 1
