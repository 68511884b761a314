# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constant expressions, special registers as operands, vector registers.

Values are computed by hand from the ISA's rules: integers of 64 bits as in C, floats
in double precision. What is legal, and what is not, is asked of ptxas as well.
"""

from __future__ import annotations

import struct

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import PtxError, launch

# PTX ISA, "Integer Constant Expression Evaluation" and the summary behind it.
INTEGERS = {
    "2+3*4": 14,
    "(2+3)*4": 20,
    "1 - 2 - 3": -4,
    "7/2": 3,
    "-7/2": -3,
    "7 % 4": 3,
    "-7 % 4": (2**64 - 7) % 4,
    "-7>>1": -4,
    "(.u64)-1 >> 60": 15,
    "(.s64)0x8000000000000000 >> 60": -8,
    "0x8000000000000000 >> 63": 1,
    "18446744073709551615/2": 2**63 - 1,
    "5U/-1": 0,
    "-1<0U": 0,
    "-1<0": 1,
    "(-1U)>>63": 1,
    "(~0)>>63": 1,
    "(-1&-1)>>63": -1,
    "(1U<2U)-2>>63": -1,
    "(2U<<1)-5>>63": 1,
    "1<<65": 2,
    "1+2<<3": 24,
    "1|2^3&4": 3,
    "1<2<3": 1,
    "6^3": 5,
    "1==1": 1,
    "1!=1": 0,
    "3>=4": 0,
    "3<=3": 1,
    "2&&3": 1,
    "2||0": 1,
    "1&&0": 0,
    "!5": 0,
    "!0": 1,
    "~-1": 0,
    "- -1": 1,
    "+1": 1,
    "1?5:6": 5,
    "0?5:0?7:8": 8,
    "2-1?3:4": 3,
    "(0?-1:0U)>>63": 0,
    "(0?0U:-1)>>63": -1,
    "WARP_SZ*2": 64,
    "1.0<2.0": 1,
    ".5==1.0": 0,
}
FLOATS = {
    "1.0/3.0": 1.0 / 3.0,
    "- -1.0": 1.0,
    "0.5-(2.0*.25)": 0.0,
    "1.0+2.5": 3.5,
    "-0d3FF0000000000000": -1.0,
    "0d3FF0000000000000*2.0": 2.0,
    "1e308*10.0": float("inf"),
}
# The low bits of a constant count, as many as the type has.
TRUNCATED = {
    ("u8", "256+3"): 3,
    ("s8", "200"): 200,
    ("u16", "-40000"): -40000 % 2**16,
    ("u32", "0x1fffffffe"): 0xFFFFFFFE,
    ("b32", "1.0/4.0"): 0x3E800000,
}


def run(body: str, words: int, block: int = 1, around: str = "") -> list[int]:
    """Runs a body that fills 64-bit words at %q, after ptxas took it."""
    text = module(
        f"""{around}
.visible .entry k(.param .u64 p)
{{
	.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<4>;
	.reg .b64 %q, %d<4>;
	ld.param.u64 %q, [p];
{body}
	ret;
}}
""",
        "sm_90",
    )
    assert assemble(text, "sm_90") == "", text
    result = np.zeros(words, np.uint64)
    launch(text, grid=1, block=block, args=[result])
    return [int(value) for value in result]


def test_values_of_expressions_as_operands() -> None:
    integers = list(INTEGERS) + [f"({text})" for text in INTEGERS]
    wanted = [value % 2**64 for value in INTEGERS.values()] * 2
    lines = [
        f"mov.u64 %d0, {text}; st.global.u64 [%q+8*{place}], %d0;"
        for place, text in enumerate(integers)
    ]
    assert run("\n".join(lines), len(integers)) == wanted


def test_values_of_expressions_as_initial_values() -> None:
    cases = [("u64", text, value % 2**64) for text, value in INTEGERS.items()]
    cases += [
        ("f64", text, int.from_bytes(struct.pack("<d", value), "little"))
        for text, value in FLOATS.items()
    ]
    cases += [(ty, text, value) for (ty, text), value in TRUNCATED.items()]
    declared, lines = "", ""
    for place, (ty, text, _) in enumerate(cases):
        declared += f".global .{ty} v{place} = {text};\n"
        bits = int(ty[1:])
        lines += f"ld.global.u{bits} %d0, [v{place}]; "
        lines += f"st.global.u64 [%q+{place}*8], %d0;\n"
    assert run(lines, len(cases), around=declared) == [value for *_, value in cases]


def test_where_expressions_stand() -> None:
    body = """
	.reg .b32 %w<WARP_SZ>;
	.local .align 8U .b8 space[WARP_SZ];
	mov.b16 %h0, 65536+7;
	cvt.u64.u16 %d0, %h0;
	st.global.u64 [%q+(1?8:0)-8], %d0;
	mov.u32 %w31, 2;
	lop3.b32 %r0, %w31, 0, 0, 0xf0|0;
	setp.eq.u32 %p0|%p1, %r0, 1+1;
	selp.b32 %r1, 2*3, 4, %p1;
	cvt.u64.u32 %d1, %r1;
	st.global.v2.u32 [%q+8], {1<<4, WARP_SZ-32};
	st.global.u64 [%q+16], %d1;
	bar.sync 1+1, WARP_SZ*1;
	mov.u64 %d2, table+4*2;
	ld.global.u64 %d2, [table+4+4];
	st.global.u64 [%q+3*8], %d2;
	ld.global.u64 %d2, [place];
	ld.global.u64 %d2, [%d2+-8];
	st.global.u64 [%q+32], %d2;
	st.local.u32 [space+4*7], 7 % 4;
	ld.local.u32 %r2, [space+28];
	cvt.u64.u32 %d3, %r2;
	st.global.u64 [%q+40], %d3;
"""
    around = ".global .u64 table[2] = {11, 12};\n.global .u64 place = table+2*4;\n"
    found = run(body, 6, block=32, around=around)
    assert found == [7, 16, 4, 12, 11, 3]


REFUSED = {
    "mov.u64 %d0, 1.5+1;": "operands of one type",
    "mov.u64 %d0, (.u64)1.5;": "expected an integer in 'a cast'",
    "mov.u64 %d0, 1/0;": "no zero on the right of '/'",
    "mov.u64 %d0, 1?2:1/0;": "no zero on the right of '/'",
    "mov.u64 %d0, 5 % 0;": "no zero on the right of '%'",
    "mov.u64 %d0, 7%4;": "expected ',' or ';'",
    "mov.u64 %d0, (1;": "after a constant expression",
    "mov.u64 %d0, 1?2;": "in a conditional constant expression",
    "mov.u64 %d0, (.u32)1;": "expected a constant",
    "mov.u64 %d0, 1+;": "expected a constant",
    "mov.u64 %d0, 1.0&&1.0;": "integers as operands of '&&'",
    "mov.u64 %d0, 1.0?1:2;": "expected an integer in '?:'",
    "mov.f32 %f0, !1.0;": "expected an integer in '!'",
    "mov.f32 %f0, 1.0/0.0;": "no zero on the right of '/'",
    "mov.f32 %f0, -0f3F800000;": "no 0f constant as an operand of '-'",
    "add.f32 %f0, %f1, 1+1;": "expected a constant of type .f32",
    "ld.global.u32 %r0, [%q+1.0];": "an offset in bytes",
    ".local .b8 l[2*4];": "expected ']'",
    ".reg .b32 %z<2*4>;": "expected '>'",
    "add.u32 %r0, %tid.x, 1;": "expected a register, got %tid.x",
    "st.global.u32 [%q], %tid.x;": "expected a register, got %tid.x",
    "cvt.rn.f32.u32 %f0, %tid.x;": "expected a register, got %tid.x",
    "mov.u64 %d0, %tid.x;": "expected a 32-bit integer type for %tid.x",
    "mov.u16 %h0, %clock64;": "expected a 64-bit integer type for %clock64",
    "and.pred %p0, %p1, %is_explicit_cluster;": "copy it with mov",
    "mov.u32 %r0, %tid;": "expected a special register, got '%tid'",
    "cvt.f32.f16 %f0, %f1;": "expected a register of type .f16",
    "ld.global.u32 %r0, [%r1];": "expected a 64-bit address",
    ".reg .v3 .u32 %v;": "expected a register type",
    ".reg .v2 .pred %v;": "without predicates",
    ".reg .v4 .u64 %v;": "at most 128 bits",
    ".reg .v2 .u32 %v; add.u32 %v, %v, %v;": "expected a register",
    ".reg .v2 .u32 %v; st.global.v4.u32 [%q], {%v, %v};": "an element in a list",
    "mov.v4.u64 {%d0, %d1, %d2, %d3}, {%d0, %d1, %d2, %d3};": "at most 128 bits",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_ptxas_refuses_is_refused(line: str) -> None:
    text = module(
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<4>;\n"
        f".reg .b64 %q, %d<4>;\n{line}\nret;\n}}\n",
        "sm_90",
    )
    with pytest.raises(PtxError) as caught:
        launch(text, grid=1, block=1, args=[np.zeros(8, np.uint64)])
    assert REFUSED[line] in str(caught.value), str(caught.value)
    assert caught.value.line == 8
    assert assemble(text, "sm_90") != ""


def test_deep_nesting_is_a_located_error() -> None:
    for text in ("(" * 5000, "-" * 5000, "1?" * 5000, "(.u64)" * 5000):
        with pytest.raises(PtxError, match="nested constant expressions"):
            launch(
                module(f".global .u64 x = {text}1;\n.visible .entry k() {{ ret; }}"),
                grid=1,
                block=1,
                args=[],
            )


def test_special_registers_as_operands() -> None:
    """PTX ISA, "Special Registers": mov and cvt, elements of vectors, guards."""
    body = """
	.reg .v4 .u32 %ids;
	cvt.u64.u32 %d0, %tid.x;
	mad.lo.u64 %d1, %d0, 64, %q;
	st.global.u64 [%d1], %d0;
	mov.b64 %d2, {%tid.x, %ntid.x};
	st.global.u64 [%d1+8], %d2;
	st.global.v2.u32 [%d1+16], {%laneid, %tid.x};
	mov.u16 %h0, %tid.x;
	cvt.u8.u32 %r0, %tid.x;
	mov.b64 %d2, {%h0, %h0, %h0, %h0};
	st.global.u64 [%d1+24], %d2;
	mov.v4.u32 %ids, %tid;
	cvt.u64.u32 %d3, %ids.r;
	@%is_explicit_cluster add.u64 %d3, %d3, 1000;
	@!%is_explicit_cluster add.u64 %d3, %d3, 500;
	st.global.u64 [%d1+32], %d3;
	mov.b64 {%r1, %r2}, %clock64;
	mov.b32 {%h1, %h2}, %ntid.x;
	cvt.u64.u16 %d3, %h1;
	st.global.u64 [%d1+40], %d3;
	mov.u32 %r3, %tid.w;
	st.global.v2.u32 [%d1+48], {%ids.w, %r3};
"""
    found = run(body, 8 * 40, block=40)
    for thread in range(40):
        lane = thread % 32
        assert found[8 * thread : 8 * thread + 7] == [
            thread,
            thread | 40 << 32,
            lane | thread << 32,
            thread * 0x0001_0001_0001_0001,
            thread + 500,
            40,
            0,
        ]


def test_vector_registers() -> None:
    """PTX ISA, "Vectors as Operands": whole, or an element by .x .y .z .w, .r .g .b .a.

    An inner block's scalar hides an outer vector of its name and the reverse.
    """
    body = """
	.reg .v2 .u32 %v, %w;
	.reg .v4 .f32 %c;
	.reg .v2 .b64 %l;
	.reg .b32 %x;
	mov.u32 %v.x, 3;
	mov.u32 %v.g, 4;
	mov.v2.u32 %w, {%v.y, %v.r};
	mov.b64 %d0, %w;
	st.global.u64 [%q], %d0;
	mov.v2.u32 %w, %v;
	st.global.v2.u32 [%q+8], %w;
	ld.global.v4.f32 %c, [colours];
	add.f32 %f0, %c.b, %c.w;
	st.global.v2.f32 [%q+16], {%f0, %c.a};
	mov.v2.u32 {%r0, %r1}, {%v.y, %v.x};
	mov.v2.u32 {%r0, %r1}, {%r1, %r0};
	st.global.v2.u32 [%q+24], {%r0, %r1};
	mov.b64 %v, 0x0000000600000005;
	ld.global.v2.b64 %l, [colours];
	{ .reg .b32 %v; mov.u32 %v, 9; .reg .v2 .u32 %x; mov.u32 %x.y, 8;
	st.global.v2.u32 [%q+32], {%v, %x.y}; }
	st.global.v2.u32 [%q+40], %v;
	st.global.u64 [%q+48], %l.y;
"""
    around = ".global .align 16 .f32 colours[4] = {1.0, 2.0, 3.0, 4.0};\n"
    float_3, float_4, float_7 = 0x40400000, 0x40800000, 0x40E00000
    assert run(body, 7, around=around) == [
        4 | 3 << 32,
        3 | 4 << 32,
        float_7 | float_4 << 32,
        3 | 4 << 32,
        9 | 8 << 32,
        5 | 6 << 32,
        float_3 | float_4 << 32,
    ]


def test_a_vector_has_no_further_elements() -> None:
    """`ptxas` does not always look at it; the ISA leaves no other reading."""
    body = ".visible .entry k() { .reg .v2 .u32 %v; .reg .b32 %r; LINE ret; }"
    for line in ("mov.u32 %r, %v.z;", "mov.u32 %v.a, 1;", "mov.u32 %r, %v.u;"):
        with pytest.raises(PtxError, match="expected an element of a vector of 2"):
            launch(module(body.replace("LINE", line)), grid=1, block=1, args=[])
