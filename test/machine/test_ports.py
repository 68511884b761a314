# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Read ports of the register file, by what Huerta et al. measured."""

from __future__ import annotations

import pytest

from cuda_tile.machine.code import MachineInstruction
from cuda_tile.machine.ports import port_clocks


def clocks(*rows: str) -> list[int]:
    """The clocks of instructions, given as their text."""
    split = [row.split(" ", 1) for row in rows]
    return list(
        port_clocks(MachineInstruction(name, rest, "", 0) for name, rest in split)
    )


@pytest.mark.parametrize(
    ("second", "issued"),
    [
        ("FFMA R13, R16, R17, R19", 1),
        ("FFMA R13, R16, R18, R19", 2),
        ("FFMA R13, R16, R18, R20", 3),
    ],
)
def test_two_multiply_adds(second: str, issued: int) -> None:
    """The pair of the paper: three even registers, then one, two or three."""
    found = clocks("FFMA R11, R10, R12, R14", second, "NOP ")
    assert sum(found[:2]) == 1 + issued


def test_long_run_takes_what_the_busier_bank_needs() -> None:
    """Three even registers each: three clocks each; two and one: two clocks."""
    evens = ["FFMA R11, R10, R12, R14"] * 100
    assert sum(clocks(*evens)) == pytest.approx(300, abs=3)
    mixed = ["FFMA R11, R10, R12, R15"] * 100
    assert sum(clocks(*mixed)) == pytest.approx(200, abs=3)


def test_kept_registers_take_no_port() -> None:
    """Of the same place and register; another one drives it out."""
    kept = ["FFMA R1, R2.reuse, R4, R7"] * 100
    assert sum(clocks(*kept)) == pytest.approx(100, abs=3)
    driven_out = ["FFMA R1, R2.reuse, R4, R7", "FFMA R1, R6, R4, R7"] * 50
    assert sum(clocks(*driven_out)) == pytest.approx(200, abs=3)
    other_place = ["FFMA R1, R2.reuse, R4, R7", "FFMA R1, R4, R2, R7"] * 50
    assert sum(clocks(*other_place)) == pytest.approx(200, abs=3)


@pytest.mark.parametrize(
    "row",
    [
        "IADD3 R1, R3, 0x4, RZ",
        "FFMA R1, R3, c[0x0][0x168], R4",
        "LDS.128 R4, [R9]",
        "UIADD3 UR4, UR6, UR8, UR10",
        "BAR.SYNC 0x0",
    ],
)
def test_what_needs_one_register_of_a_bank_is_not_slowed(row: str) -> None:
    """Neither immediates nor constants, uniform registers or results are read."""
    assert clocks(*[row] * 50) == [1] * 50


def test_stores_read_data_and_address() -> None:
    """An address of 64 bits is one register of each bank."""
    store = ["STG.E [R2.64], R5"] * 100
    assert sum(clocks(*store)) == pytest.approx(200, abs=3)
