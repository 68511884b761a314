# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine code: what is read of it, how often it ran, and bounds that count it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from ptx_arrays import aligned
from ptx_harness import module

from cuda_tile.codegen.ptxas import assemble
from cuda_tile.emulator import Report, launch, parse
from cuda_tile.emulator.bounds.slots import machine_code
from cuda_tile.emulator.ptx.marks import marked
from cuda_tile.errors import UserError
from cuda_tile.machine.code import MachineCode, read_code
from cuda_tile.machine.disassembler import disassemble, find_nvdisasm
from cuda_tile.machine.executions import executions
from cuda_tile.machine.flow import Equations
from cuda_tile.machine.pending import pending_by_line
from cuda_tile.targets import find_target

needs_nvdisasm = pytest.mark.skipif(find_nvdisasm() is None, reason="needs nvdisasm")

# A loop that ptxas unrolled twice, with a slow path that returns, a wait and its retry.
LISTING = """
.text.other:
        /*0000*/                   EXIT ;
.text.k:
	//## File "ptx", line 10
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/              @!P0 BRA `(.L_x_2) ;
.L_x_1:
	//## File "ptx", line 12
        /*0020*/                   STG.E.128 [R2], R4 ;
        /*0030*/                   STG.E.128 [R2+0x10], R4 ;
	//## File "ptx", line 13
        /*0040*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0050*/               @P1 BRA `(.L_x_1) ;
.L_x_2:
	//## File "ptx", line 15
        /*0060*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P2, [UR4], R4 ;
        /*0070*/              @!P2 BRA `(.L_x_3) ;
.L_x_4:
	//## File "ptx", line 17
        /*0080*/              @!P3 CALL.REL.NOINC `($slow) ;
	//## File "ptx", line 18
        /*0090*/                   STG.E [R2], R4 ;
        /*00a0*/                   EXIT ;
.L_x_3:
	//## File "ptx", line 15
        /*00b0*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P2, [UR4], R4 ;
        /*00c0*/              @!P2 BRA `(.L_x_3) ;
        /*00d0*/                   BRA `(.L_x_4) ;
$slow:
	//## File "ptx", line 17
        /*00e0*/                   MUFU.RCP R4, R4 ;
        /*00f0*/                   RET.REL.NODEC R2 `(k) ;
"""
LINES = {10: 4, 12: 40, 13: 40, 15: 9, 17: 4, 18: 4}


def counts(code: MachineCode, name: str) -> list[float]:
    found = executions(code, LINES).counts
    return [c for i, c in zip(code.code, found, strict=True) if i.name == name]


def test_copies_of_a_line_share_its_count() -> None:
    code = read_code(LISTING, "k")
    assert counts(code, "STG.E.128") == [20, 20]
    assert counts(code, "IADD3") == [20]
    assert counts(code, "STG.E") == [4]


# The last jump of a loop is turned: those that are done leave by a call, which ptxas
# writes for sm_80, and the others go back. Spills in front have lines of the loop.
TURNED = """
.text.k:
	//## File "ptx", line 10
        /*0000*/                   STG.E [R2], R4 ;
        /*0010*/              @!P0 BRA `(.L_x_2) ;
	//## File "ptx", line 13
        /*0020*/                   STL [R1], R4 ;
.L_x_1:
	//## File "ptx", line 12
        /*0030*/                   STG.E.128 [R2], R4 ;
	//## File "ptx", line 13
        /*0040*/               @P0 CALL.REL.NOINC `(.L_x_2) ;
        /*0050*/                   BRA `(.L_x_1) ;
.L_x_2:
	//## File "ptx", line 15
        /*0060*/                   STG.E [R2], R4 ;
        /*0070*/                   EXIT ;
"""


def test_a_turned_jump_and_a_spill_say_nothing_of_their_line() -> None:
    code = read_code(TURNED, "k")
    found = executions(code, {10: 4, 12: 40, 13: 40, 15: 4})
    (head,) = code.graph.loops()
    assert found.counts[code.starts[head]] == 40
    assert found.entries() == {head: 4}
    assert found.contradicting == 0


# A loop of four copies, whose loads ptxas joins, and one for what is left.
REMAINDER = """
.text.k:
	//## File "ptx", line 10
        /*0000*/                   STG.E [R2], R4 ;
        /*0010*/              @!P0 BRA `(.L_x_2) ;
.L_x_1:
	//## File "ptx", line 12
        /*0020*/                   LDS.128 R4, [R2] ;
        /*0030*/                   LDG.E R12, [R30] ;
        /*0040*/                   LDG.E R13, [R30+0x4] ;
        /*0050*/                   LDG.E.64 R14, [R30+0x8] ;
	//## File "ptx", line 13
        /*0060*/                   FFMA R8, R4, R12, R8 ;
        /*0070*/                   FFMA R9, R5, R13, R9 ;
        /*0080*/                   FFMA R10, R6, R14, R10 ;
        /*0090*/                   FFMA R11, R7, R15, R11 ;
	//## File "ptx", line 14
        /*00a0*/               @P1 BRA `(.L_x_1) ;
.L_x_2:
	//## File "ptx", line 17
        /*00b0*/              @!P2 BRA `(.L_x_4) ;
.L_x_3:
	//## File "ptx", line 12
        /*00c0*/                   LDS R4, [R2] ;
        /*00c8*/                   LDG.E R6, [R30] ;
	//## File "ptx", line 13
        /*00d0*/                   FFMA R8, R4, R6, R8 ;
	//## File "ptx", line 14
        /*00e0*/               @P2 BRA `(.L_x_3) ;
.L_x_4:
	//## File "ptx", line 15
        /*00f0*/                   STG.E [R2], R4 ;
        /*0100*/                   EXIT ;
"""


def test_the_loop_for_what_is_left_is_taken_not_to_run() -> None:
    code = read_code(REMAINDER, "k")
    counted = executions(code, {10: 4, 12: 400, 13: 400, 14: 400, 15: 4})
    found = {
        (i.name, i.operands.split(",")[0].strip()): count
        for i, count in zip(code.code, counted.counts, strict=True)
    }
    assert found["FFMA", "R11"] == found["LDS.128", "R4"] == 100
    assert found["LDS", "R4"] == 0


def test_a_loop_for_what_is_left_that_is_known_to_run_contradicts_nothing() -> None:
    line, store = '//## File "ptx", line 16', "/*00d8*/ STG.E [R8], R4 ;"
    told = REMAINDER.replace("R6, [R30] ;", f"R6, [R30] ;\n\t{line}\n{store}")
    code = read_code(told, "k")
    counted = executions(code, {10: 4, 12: 402, 13: 402, 14: 402, 15: 4, 16: 2})
    (found,) = (
        count
        for i, count in zip(code.code, counted.counts, strict=True)
        if i.name == "LDS.128"
    )
    assert (found, counted.contradicting) == (100, 0)


def test_a_guard_of_the_ptx_leaves_nothing_out_of_its_line() -> None:
    """A near miss: one that ptxas made of a branch says nothing of how often it ran."""
    code = read_code(re.sub(" (?=LD[SG])", " @P4 ", REMAINDER), "k")
    (head, _) = code.graph.loops()
    lines, place = {10: 4, 12: 400, 13: 400, 14: 400, 15: 4}, code.starts[head]
    known, unknown = executions(code, lines, {12}), executions(code, lines)
    assert known.counts[place] == 100
    assert unknown.counts[place] != 100
    assert not unknown.is_known[place]


def test_loads_are_on_their_way_until_something_needs_one() -> None:
    code = read_code(REMAINDER, "k")
    assert pending_by_line(code) == {12: 16}
    needed = REMAINDER.replace("LDG.E R13, [R30+0x4]", "LDG.E R13, [R12]")
    assert pending_by_line(read_code(needed, "k")) == {12: 12}


def test_a_wait_is_asked_once_and_slow_paths_are_not_counted() -> None:
    code = read_code(LISTING, "k")
    assert counts(code, "SYNCS.PHASECHK.TRANS64.TRYWAIT") == [4, 0]
    assert counts(code, "MUFU.RCP") == [0]
    assert len(code.called) == 1


def test_counts_that_do_not_fit_are_counted() -> None:
    code = read_code(LISTING, "k")
    assert executions(code, LINES).contradicting == 0
    assert executions(code, {**LINES, 18: 5}).contradicting == 2  # store and exit


def test_an_unknown_kernel_is_refused() -> None:
    with pytest.raises(UserError, match="machine code of 'j'"):
        read_code(LISTING, "j")


def test_equations_say_what_is_known() -> None:
    found = Equations(3)
    found.add(np.array([1.0, 1.0, 0.0]), 5)
    found.add(np.array([0.0, 1.0, 0.0]), 2)
    found.add(np.array([2.0, 0.0, 0.0]), 6)
    found.add(np.array([1.0, 0.0, 0.0]), 4)
    assert (found.agreeing, found.contradicting) == (1, 1)
    assert found.solve(np.array([1.0, 0.0, 0.0])) == (3.0, True)
    assert found.solve(np.array([1.0, 0.0, 1.0])) == (3.0, False)
    assert found.solve(np.array([1.0, 0.0, -1.0])) == (0.0, False)


# Real code --------------------------------------------------------------------

JOINED = """
.visible .entry k(.param .u64 y)
{
	.reg .b32 %r<20>;
	.reg .b64 %q<2>;
	.shared .align 16 .b8 cells[2048];
	ld.param.u64 %q0, [y];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, cells;
	mad.lo.u32 %r1, %r0, 16, %r1;
	st.shared.u32 [%r1], %r0;
	st.shared.u32 [%r1+4], %r0;
	st.shared.u32 [%r1+8], %r0;
	st.shared.u32 [%r1+12], %r0;
	bar.sync 0;
	xor.b32 %r1, %r1, 16;
	ld.shared.u32 %r2, [%r1];
	ld.shared.u32 %r3, [%r1+4];
	ld.shared.u32 %r4, [%r1+8];
	ld.shared.u32 %r5, [%r1+12];
	add.u32 %r2, %r2, %r3;
	add.u32 %r4, %r4, %r5;
	add.u32 %r2, %r2, %r4;
	mad.wide.u32 %q0, %r0, 4, %q0;
	st.global.u32 [%q0], %r2;
	ret;
}
"""


def counted(text: str, gpu: str, *, by_machine: bool) -> Report:
    chip, parsed = find_target(gpu), parse(text)
    made = machine_code(
        parsed, "k", lambda source: assemble(source, chip.arch, line_info=True).cubin
    )
    y = aligned((128,), np.uint32)
    machine = made if by_machine else None
    return launch(parsed, grid=1, block=128, args=[y], bounds=chip, machine=machine)


@needs_nvdisasm
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_120"])
def test_accesses_that_ptxas_joins_count_once(gpu: str) -> None:
    """Four words of a lane are one access: 4 wavefronts of a warp, not 16."""
    clocks = {}
    for by_machine in (False, True):
        bounds = counted(JOINED_TEXT, gpu, by_machine=by_machine).bounds
        assert bounds is not None
        (clocks[by_machine],) = [
            r.clocks for r in bounds.grid.resources if r.name == "shared memory"
        ]
    assert clocks == {False: 4 * 32, True: 4 * 8}


@needs_nvdisasm
def test_slots_are_those_of_the_listing() -> None:
    """Each of four warps runs straight code to its EXIT once."""
    bounds = counted(JOINED_TEXT, "sm_90", by_machine=True).bounds
    assert bounds is not None
    assert bounds.executions is not None
    names = [i.opcode for i in bounds.executions.code.code]
    (slots,) = [r.work for r in bounds.grid.resources if r.name == "issue slots"]
    assert slots == 4 * (names.index("EXIT") + 1)
    assert sum(count for _, count in bounds.grid.units) == slots


@needs_nvdisasm
def test_marks_leave_the_machine_code_as_it_is() -> None:
    plain, noted = (
        read_code(disassemble(assemble(text, "sm_90a", line_info=True).cubin), "k")
        for text in (JOINED_TEXT, marked(parse(JOINED_TEXT)))
    )
    assert [(i.name, i.operands) for i in plain.code] == [
        (i.name, i.operands) for i in noted.code
    ]


JOINED_TEXT = module(JOINED, "sm_80")
