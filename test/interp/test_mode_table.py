# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of modes in the interpreter's manual: kernels for each row, in each mode.

A cell that begins with "error" means that a kernel fails, one with "warning" that it
runs and warns, any other that it runs without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_checked
import test_modes
from interp_build import Kernel

from cuda_tile import interp
from cuda_tile.interp.predicates import DivBy

MANUAL = Path(interp.__file__).with_name("README.md")
HEAD = "| what a kernel does | strict | hardware | permissive |"
MODES = ("strict", "hardware", "permissive")
Run = Callable[[str], Any]


def habit(name: str) -> Run:
    """Runs a kernel of `test_modes` in a mode."""
    return lambda mode: test_modes.run(test_modes.HABITS[name], mode)[1]


def real(name: str) -> Run:
    """Runs a kernel of `test_modes` that is wrong."""
    module, args, _ = test_modes.REAL[name]
    found = test_modes.Habit(module, args, [], "")
    return lambda mode: test_modes.run(found, mode)[1]


def fault(name: str) -> Run:
    """Runs a kernel of `test_checked`."""
    found = test_checked.FAULTS[name]
    return lambda mode: test_checked.launch(found, is_bad=True, mode=mode)


def in_place(mode: str) -> Any:
    """Stores without a token what it made of what it loaded there."""
    args = [test_modes.ones(8), 8, 0]
    return interp.run(test_modes.IN_PLACE, grid=(1,), args=args, mode=mode)


def assumed(mode: str, *, is_used: bool) -> Any:
    """Assumes 6 to be divisible by 4, and stores the number or does not."""
    k = Kernel("ptr<i32>")
    x = k.constant([6], "i32")
    y = k.op("assume", x, results=(x.type,), predicate=DivBy(4))
    if is_used:
        k.store(k.at(k.parameters[0], k.constant([0], "i32")), y)
    return k.run(np.zeros(1, np.int32), mode=mode)


ROWS: dict[str, list[Run]] = {
    "an element that nothing specifies": [
        habit("stores what nothing specifies"),
        fault("never written"),
        fault("no padding"),
        fault("unspecified condition"),
    ],
    "a tile's index is outside the index space": [
        habit("loads outside the index space"),
        habit("stores outside the index space"),
        fault("index outside"),
    ],
    "a gathered tile has no element inside": [fault("gather outside")],
    "a stride is 0": [habit("has a stride of 0")],
    "an `assume` about a stride is false, and its axis has one element": [
        habit("assumes too much of a stride that no access uses")
    ],
    "an `assume` is false about a value that nothing uses": [
        partial(assumed, is_used=False),
        fault("div_by"),
        fault("bounded"),
        fault("same_elements"),
    ],
    "any other false `assume`": [
        partial(assumed, is_used=True),
        real("a stride that counts"),
    ],
    "one weak store has an address twice, with equal values": [
        habit("stores equal values twice")
    ],
    "the same with different values": [
        real("different values at one address"),
        fault("one store twice"),
    ],
    "a store without a token follows a load of the same elements": [in_place],
    "another conflict that no token": [
        real("an element moves"),
        fault("no token between"),
        fault("blocks that overlap"),
        fault("scope too narrow"),
    ],
    "a negative scale of `mmaf_scaled`": [fault("negative scale")],
    "division by zero, ftoi out of range": [
        fault("division by zero"),
        fault("float out of range"),
        fault("wide shift"),
        fault("signed overflow"),
        fault("broken inbounds"),
        fault("misaligned"),
        fault("misaligned view"),
    ],
}
"""Kernels by the beginning of their row."""


def table() -> list[list[str]]:
    """The cells of each row."""
    rows = MANUAL.read_text().partition(HEAD)[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def of(row: list[str]) -> list[Run]:
    """The kernels of a row."""
    (found,) = (runs for begin, runs in ROWS.items() if row[0].startswith(begin))
    return found


def test_every_row_has_kernels() -> None:
    assert len(table()) == len(ROWS)
    assert all(of(row) for row in table())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", table(), ids=lambda row: row[0][:40])
def test_the_table_holds(row: list[str], mode: str) -> None:
    said = row[1 + MODES.index(mode)]
    for run in of(row):
        if said.startswith("error"):
            with pytest.raises(interp.InterpError):
                run(mode)
        else:
            report = run(mode)
            assert bool(report.warnings) == said.startswith("warning"), report.warnings
