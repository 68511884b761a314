# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tables of `bench` are made of: kernels, machine code, comparisons."""

from __future__ import annotations

from pathlib import Path

import cold_start
import loop_mix
import numpy as np
import pytest
import rows
from kernel_args import LAUNCHES
from product_kernels import Product
from products import GOALS, OTHERS, checked
from resources import DEFAULT_FOLDER, Row

import cuda_tile
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args

LISTING = """
        /*0000*/                   S2R R7, SR_CTAID.X ;
        /*07f0*/               @P0 BRA `(.L_x_0) ;
.L_x_2:
        /*0800*/                   LDSM.16.M88.4 R4, [R2] ;
.L_x_1:
        /*0810*/                   HMMA.16816.F32 R8, R4, R6, R8 ;
        /*0820*/                   HMMA.16816.F32 R8, R4, R6, R8 ;
        /*0830*/              @!P1 IADD3 R2, R2, 0x1, RZ ;
        /*0840*/               @P2 BRA `(.L_x_1) ;
        /*0850*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0860*/               @P3 BRA `(.L_x_2) ;
.L_x_0:
        /*0870*/                   EXIT ;
.L_x_3:
        /*0880*/                   BRA `(.L_x_3);
"""


PRODUCTS = {case.product.name: case.product for case in (*GOALS, *OTHERS)}


def test_the_inner_loop() -> None:
    """Of two loops with as many products the shorter one counts."""
    mix = loop_mix.hottest_loop(LISTING.splitlines())
    assert mix is not None
    assert (mix.instructions, mix.products) == (4, 2)
    assert mix.mnemonics == {"HMMA": 2, "IADD3": 1, "BRA": 1}


def test_a_call_of_a_label_is_a_jump() -> None:
    """What leaves a loop so does not come back; a call of a function does."""
    lines = """\
.L_x_0:
        /*0010*/                   HMMA.16816.F32 R0, R1, R2, R3 ;
        /*0020*/                   CALL.REL.NOINC `($k$__nv_tanhf) ;
        /*0030*/               @P1 CALL.REL.NOINC `(.L_x_1) ;
        /*0040*/                   BRA `(.L_x_0) ;
""".splitlines()
    (loop,) = loop_mix.read_loops(lines)
    assert (loop.of("CALL"), loop.of("BRA")) == (1, 2)


def test_no_loop_has_a_product() -> None:
    lines = [line for line in LISTING.splitlines() if "HMMA" not in line]
    assert loop_mix.hottest_loop(lines) is None


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_products_are_kernels(product: Product, tmp_path: Path) -> None:
    """The text loads, and an array for each matrix is all that it needs."""
    path = tmp_path / "product.mlir"
    path.write_text(product.text())
    module = cuda_tile.load(path)
    grid, values = product.launch((2, 1), 3)
    types = parameter_types(find_entry(module.operation, None))
    assert (grid, len(spread_args("kernel", types, values))) == ((2, 1), len(types))


def test_a_product_is_right(tmp_path: Path) -> None:
    path = tmp_path / "product.mlir"
    path.write_text(Product("f16", "f16", (32, 32, 16)).text())
    module = cuda_tile.load(path)
    grid, values = Product("f16", "f16", (32, 32, 16)).launch((2, 2), 3)
    types = parameter_types(find_entry(module.operation, None))
    assert checked(*values)
    cuda_tile.run(module, grid=grid, args=spread_args("kernel", types, values))
    assert not checked(*values)
    values[2][3, 5] += np.float16(1)
    assert checked(*values)


def test_every_kernel_has_a_launch() -> None:
    assert set(LAUNCHES) == {path.stem for path in DEFAULT_FOLDER.iterdir()}


def test_worse() -> None:
    """Only columns that should not grow count, and only where both were measured."""
    old = Row("k", "sm_80", registers=40, sectors=10, shared_bytes=0)
    assert (
        Row("k", "sm_80", registers=40, sectors=9, shared_bytes=9).worse_than(old) == []
    )
    new = Row("k", "sm_80", registers=41, sectors=11, conflicts=3)
    assert new.worse_than(old) == ["regs 40 -> 41", "sectors 10 -> 11"]
    assert Row("k", "sm_80", refused="no").worse_than(old) == ["refused"]
    more = Row("k", "sm_80", registers=42, sectors=9)
    assert more.worse_than(new) == []  # both have 48, in units of 8
    assert more.grown_within_unit(new) == "regs 41 -> 42, both given out as 48"
    assert not new.grown_within_unit(old)


@pytest.mark.parametrize(
    ("cell", "wanted", "is_met"),
    [
        ("285", "<=285", True),
        ("286", "<=285", False),
        ("0.02", "<0.1", True),
        ("100%", "<100%", False),
        ("1.11", ">1", True),
        ("0", "0", True),
        ("1", "1.00", True),
        ("36", "0", False),
        ("tensor cores", "tensor cores", True),
        ("issue slots", "tensor cores", False),
        ("1+4+4", ">=1+3+3", True),
        ("1+2+4", ">=1+3+3", False),
        ("-", ">=1+3+3", False),
        ("", "<=285", False),
    ],
)
def test_whether_a_cell_meets_a_goal(cell: str, wanted: str, is_met: bool) -> None:
    assert rows.meets(cell, wanted) == is_met


def test_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    """A goal is that of the line above it; a wrong result meets none."""

    def lines(cells: rows.Cells, note: str = "") -> list[rows.Row]:
        ours = rows.Row("k", "sm_90", "ours", cells, note)
        return [ours, rows.Row("k", "sm_90", rows.GOAL, {"spill": "0", "PTX": "<9"})]

    table = lines({"spill": "0"}) + lines({"spill": "4", "PTX": "9"})
    table += lines({"spill": "0", "PTX": "8"}, "WRONG RESULT")
    table += lines({"spill": "0", "PTX": "8"})
    table += lines({"spill": "0", "PTX": "8", "limiter": "WRONG by 1"})
    assert rows.show(table, {"spill": 6, "PTX": 6}, 10) == 3
    said = [line.split("  ")[-1] for line in capsys.readouterr().out.splitlines()]
    assert said[2] == "met; not measured: PTX"
    assert said[4] == "NOT MET: spill 4, PTX 9"
    assert said[6] == "NOT MET: WRONG RESULT"
    assert said[8] == "met"
    assert said[10] == "NOT MET: WRONG by 1"
    assert said[11] == "goals: 2 met, 3 not met"


def test_a_process_that_fails_has_no_time() -> None:
    """Else a compiler that refuses a kernel would be the fastest."""
    assert cold_start.cpu_seconds(["false"], None) is None
    assert cold_start.cpu_seconds(["true"], None) is not None
    assert cold_start.best("false", Path("k.tileirbc"), "sm_90", 2) is None


def test_cold_starts_are_measured_on_fifty_kernels(tmp_path: Path) -> None:
    files = cold_start.default_kernels(tmp_path)
    assert all(file.is_file() for file in files)
    assert len({file.name for file in files}) == len(files) == cold_start.MOST_KERNELS
