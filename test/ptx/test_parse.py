# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Malformed PTX is an error with a line; all legal syntax is accepted."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import PtxError, launch
from cuda_tile.emulator.isa import instruction_table
from cuda_tile.emulator.ptx.parse import parse

BODY = """.visible .entry k(.param .u64 p)
{
	.reg .pred %p<2>;
	.reg .b16 %h<4>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	LINE
	ret;
}
"""
LINE_NUMBER = 10


def run(line: str) -> None:
    text = module(BODY.replace("LINE", line))
    launch(text, grid=1, block=32, args=[np.zeros(64, np.uint32)])


MALFORMED = {
    "unknown instruction": ("frobnicate.b32 %r0, %r1;", "expected a PTX instruction"),
    "unknown type": ("add.u33 %r0, %r1, %r2;", "expected add with one of the types"),
    "unknown modifier": ("add.foo.f32 %r0, %r1, %r2;", "expected one of"),
    "modifier left over": ("ld.global.b32.foo %r0, [%rd0];", "no further modifier"),
    "wrong order": ("add.f32.rn %r0, %r1, %r2;", "got '.rn'"),
    "too few operands": ("add.u32 %r0, %r1;", "expected 3 operands, got 2"),
    "too many operands": ("add.u32 %r0, %r1, %r2, %r3;", "expected 3 operands, got 4"),
    "unknown register": ("add.u32 %r0, %r1, %r4;", "got %r4"),
    "unknown name": ("mov.u64 %rd0, nothing;", "expected a declared name"),
    "unknown label": ("bra nowhere;", "expected a declared name"),
    "wrong width": ("add.u32 %r0, %r1, %rd0;", "expected a register of type .u32"),
    "integer for a float": ("add.f32 %r0, %r1, 1;", "expected a constant of type .f32"),
    "no semicolon": ("add.u32 %r0, %r1, %r2", "expected ',' or ';'"),
    "wrong vector": ("ld.global.v4.b32 {%r0, %r1}, [%rd0];", "vector of 4 elements"),
    "no brackets": ("ld.global.b32 %r0, %rd0;", "expected an address in brackets"),
    "guard not a predicate": ("@%r0 bra L; L:", "expected a predicate register"),
    "narrow address": ("ld.global.b32 %r0, [%r1];", "expected a 64-bit address"),
    "bad rounding": ("cvt.s32.f32 %r0, %r1;", "expected .rni, .rzi"),
    "bad barrier": ("bar.sync 16;", "expected a barrier from 0 to 15"),
    "bad special register": ("mov.u32 %r0, %tid.q;", "expected a special register"),
    "bad size": ("cp.async.ca.shared.global [%r0], [%rd0], 12;", "size of 16 bytes"),
    "bad comparison": ("setp.lo.s32 %p0, %r0, %r1;", "expected a comparison"),
    "bad character": ("add.u32 %r0, %r1, `;", "expected a PTX token"),
    "bad table": ("lop3.b32 %r0, %r1, %r2, %r3, 256;", "from 0 to 255"),
    "bad octal": ("mov.u32 %r0, 08;", "octal"),
    "mismatched mma": (
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%r0, %r1, %r2, %r3}, "
        "{%r0, %r1, %r2, %r3}, {%r0, %r1}, {%r0, %r1, %r2, %r3};",
        "expected matching types for A and B",
    ),
    "unknown shape": ("mma.sync.aligned.m8n8k4.row.col.f32 %r0;", "expected one of"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_instruction(name: str) -> None:
    line, message = MALFORMED[name]
    with pytest.raises(PtxError) as caught:
        run(line)
    assert message in str(caught.value), str(caught.value)
    assert caught.value.line in (LINE_NUMBER, LINE_NUMBER + 1)
    assert f"line {caught.value.line}" in str(caught.value)


MALFORMED_MODULES = {
    "empty": ("", "expected '.version'"),
    "no target": (".version 8.0\n.address_size 64", "expected '.target'"),
    "bad target": (".version 8.0\n.target gfx90", "expected a target"),
    "32 bits": (".version 8.0\n.target sm_80\n.address_size 32", "address_size 64"),
    "unknown directive": (module(".frob x;"), "expected a directive"),
    "not closed": (module(".entry k() { ret;"), "expected an instruction"),
    "two of a name": (
        module(".entry k() { ret; } .entry k() { ret; }"),
        "one function",
    ),
    "two labels": (module(".entry k() { L: ret; L: ret; }"), "one label"),
    "two registers": (module(".entry k() { .reg .b32 a, a; ret; }"), "one register"),
    "too many values": (module(".global .b8 x[2] = {1, 2, 3};"), "at most 2"),
    "bad type": (module(".global .b7 x;"), "expected a variable type"),
    "open comment": (module("/* never closed"), "expected"),
    "text": ("hello", "expected '.version'"),
}


@pytest.mark.parametrize("name", MALFORMED_MODULES)
def test_malformed_module(name: str) -> None:
    text, message = MALFORMED_MODULES[name]
    with pytest.raises(PtxError, match=message):
        parse(text)


LEGAL = """
.file 1 "kernel.py"
.section .debug_str { .b8 1, 2; info: .b32 7; }
.extern .shared .align 16 .b8 dynamic[];
.visible .global .align 4 .u32 counter = 3;
.extern .func (.param .b32 out) vprintf (.param .b64 a, .param .b64 b);
.visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 2 .b8 h[2])
.maxntid 128, 1, 1
.minnctapersm 1
.pragma "nounroll";
{
    .reg .b32 %r<8>;
    .reg .pred p, q;
    .loc 1 12 3
    /* a comment
   over two lines */
    mov.u32 %r0, 0x10; // hexadecimal
    mov.u32 %r1, 017;
    mov.u32 %r2, 0b101;
    mov.u32 %r3, 7U;
    {
        .reg .b32 %r0;
        mov.u32 %r0, 5;
        add.u32 %r1, %r1, %r0;
    }
    setp.eq.u32 p|q, %r0, 16;
    @!q bra.uni $L__BB0_1;
    .pragma "nounroll";
$L__BB0_1:
    ret;
}
"""


def test_the_whole_grammar_is_read() -> None:
    found = parse(module(LEGAL))
    kernel = found.functions["k"]
    assert kernel.limits["maxntid"] == (128, 1, 1)
    assert [p.size_bytes for p in kernel.params] == [8, 2]
    assert len(kernel.code) == 9
    assert found.variables["counter"].elements
    assert not found.functions["vprintf"].is_defined


def test_inner_scopes_hide_outer_registers() -> None:
    text = module("""
.visible .entry k(.param .u64 p)
{
	.reg .b32 %x; .reg .b64 %q;
	ld.param.u64 %q, [p];
	mov.u32 %x, 1;
	{ .reg .b32 %x; mov.u32 %x, 2; bra DONE; DONE: }
	{ .reg .b32 %x; mov.u32 %x, 3; bra DONE; DONE: }
	st.global.u32 [%q], %x;
	ret;
}
""")
    assert assemble(text, "sm_80") == ""
    result = np.zeros(1, np.uint32)
    launch(text, grid=1, block=1, args=[result])
    assert result[0] == 1


def test_every_opcode_names_its_section() -> None:
    from cuda_tile.emulator.isa import CHAPTERS

    assert len(instruction_table().opcodes) > 85
    for chapter in CHAPTERS:
        for opcode, _, rule in chapter.rules:
            assert rule.__doc__, opcode


FILLED = module("""
.global .u32 rows[3][2] = {{1}, {2, 3}};
.global .v4 .f32 vectors[2] = {{1.0, 2.0, 3.0, 4.0}};
.global .u16 open[] = {7, 8, 9};
.visible .entry k(.param .u64 p)
{
	.reg .b32 %v, %i;
	.reg .b16 %h;
	.reg .b64 %q, %t;
	ld.param.u64 %q, [p];
	mov.u32 %i, %tid.x;
	mad.wide.u32 %q, %i, 4, %q;
	mov.u64 %t, rows;
	mad.wide.u32 %t, %i, 4, %t;
	ld.global.u32 %v, [%t];
	st.global.u32 [%q], %v;
	mov.u64 %t, vectors;
	mad.wide.u32 %t, %i, 4, %t;
	ld.global.u32 %v, [%t];
	st.global.u32 [%q+24], %v;
	ld.global.u16 %h, [open+4];
	cvt.u32.u16 %v, %h;
	st.global.u32 [%q+56], %v;
	ret;
}
""")


def test_missing_initial_values_are_zero_in_their_row() -> None:
    """PTX ISA, "Initializers": as in C, each dimension may be incomplete."""
    result = np.zeros(20, np.uint32)
    launch(FILLED, grid=1, block=6, args=[result])
    assert result[:6].tolist() == [1, 0, 2, 3, 0, 0]
    assert result[6:12].view(np.float32).tolist() == [1, 2, 3, 4, 0, 0]
    assert result[14] == 9
    assert assemble(FILLED, "sm_80") == ""
