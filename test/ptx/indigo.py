# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hundred small kernels, half of them with a race, by patterns that are known.

The patterns are those of suites of irregular programs (Indigo): what threads share, who
writes, what orders it. Each has a twin that differs in the one thing that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

HEAD = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 out, .param .u32 n)
.reqntid {threads}
{{
	.reg .pred %p<8>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	.shared .align 16 .b8 cells[16384];
	ld.param.u64 %rd0, [data];
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r9, [n];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, cells;
	mad.lo.s32 %r3, %r1, {threads}, %r0;
	mad.wide.s32 %rd2, %r3, 4, %rd0;
	mad.wide.s32 %rd3, %r3, 4, %rd1;
"""
TAIL = """	ret;
}
"""


@dataclass(frozen=True)
class Program:
    """A kernel.

    Attributes:
        name: Its pattern and what is varied.
        threads: Of a CTA.
        body: What it does.
        is_racy: Whether threads meet in some byte that one of them writes.
    """

    name: str
    threads: int
    body: str
    is_racy: bool

    @property
    def text(self) -> str:
        """Its PTX."""
        return HEAD.format(threads=self.threads) + self.body + TAIL


def _lines(*lines: str) -> str:
    return "".join(f"\t{line}\n" for line in lines)


def _cell(register: str, index: str) -> str:
    return f"\tmad.lo.s32 {register}, {index}, 4, %r2;\n"


def exchange(threads: int, kind: int, *, is_racy: bool) -> str:
    """Threads read what one of another number wrote."""
    barrier = "" if is_racy else "\tbar.sync 0;\n"
    return (
        _cell("%r4", "%r0")
        + _lines("st.shared.u32 [%r4], %r0;")
        + barrier
        + _lines(f"xor.b32 %r5, %r0, {32 + kind};")
        + _cell("%r6", "%r5")
        + _lines("ld.shared.u32 %r7, [%r6];", "st.global.u32 [%rd3], %r7;")
    )


def tree(threads: int, kind: int, *, is_racy: bool) -> str:
    """A sum by halves, with a barrier in each step, or without that of one step."""
    text = _lines("ld.global.u32 %r7, [%rd2];") + _cell("%r4", "%r0")
    text += _lines("st.shared.u32 [%r4], %r7;", "bar.sync 0;")
    half, step = threads // 2, 0
    while half:
        text += _lines(
            f"setp.ge.u32 %p1, %r0, {half};",
            f"@%p1 bra NEXT{step};",
            f"ld.shared.u32 %r7, [%r4+{4 * half}];",
            "ld.shared.u32 %r8, [%r4];",
            "add.u32 %r8, %r8, %r7;",
            "st.shared.u32 [%r4], %r8;",
        )
        text += f"NEXT{step}:\n"
        if not (is_racy and step == kind):
            text += _lines("bar.sync 0;")
        half, step = half // 2, step + 1
    return text + _lines(
        "setp.ne.u32 %p1, %r0, 0;",
        "@%p1 ret;",
        "ld.shared.u32 %r8, [cells];",
        "mad.wide.s32 %rd4, %r1, 4, %rd1;",
        "st.global.u32 [%rd4], %r8;",
    )


def own_places(threads: int, kind: int, *, is_racy: bool) -> str:
    """Threads write to places of their own, or of their neighbours, too."""
    width = (4, 8, 16)[kind]
    step = width // 2 if is_racy else width
    value = {4: "u32", 8: "v2.u32", 16: "v4.u32"}[width]
    data = {4: "%r0", 8: "{%r0, %r0}", 16: "{%r0, %r0, %r0, %r0}"}[width]
    return _lines(
        f"mad.wide.s32 %rd4, %r3, {step}, %rd1;", f"st.global.{value} [%rd4], {data};"
    )


def shared_sum(threads: int, kind: int, *, is_racy: bool) -> str:
    """All threads add to one word, by atomics or by a load and a store."""
    place = ("[%rd1]", "[%rd1+4]", "[%rd1+64]")[kind]
    if not is_racy:
        return _lines(f"red.global.add.u32 {place}, %r0;")
    return _lines(
        f"ld.global.u32 %r7, {place};",
        "add.u32 %r7, %r7, %r0;",
        f"st.global.u32 {place}, %r7;",
    )


def bounded(threads: int, kind: int, *, is_racy: bool) -> str:
    """A guard by an argument; the last thread of each CTA writes for the next one."""
    more = (4, 8, 16)[kind] if is_racy else 0
    return (
        _lines(
            "setp.ge.s32 %p1, %r3, %r9;",
            "@%p1 bra DONE;",
            "st.global.u32 [%rd3], %r0;",
            *([f"st.global.u32 [%rd3+{more}], %r0;"] if more else []),
        )
        + "DONE:\n"
    )


def divergent_barrier(threads: int, kind: int, *, is_racy: bool) -> str:
    """A barrier that threads reach on a loaded condition, or all of them."""
    text = _lines(
        "ld.global.u32 %r7, [%rd2];",
        f"setp.gt.u32 %p1, %r7, {kind};",
    ) + _cell("%r4", "%r0")
    inside = "\tbar.sync 0;\n" if is_racy else ""
    outside = "" if is_racy else "\tbar.sync 0;\n"
    return (
        text
        + _lines("st.shared.u32 [%r4], %r7;", "@%p1 bra OVER;")
        + inside
        + "OVER:\n"
        + outside
        + _lines(f"xor.b32 %r5, %r0, {32 + kind};")
        + _cell("%r6", "%r5")
        + _lines("ld.shared.u32 %r8, [%r6];", "st.global.u32 [%rd3], %r8;")
    )


def rounds(threads: int, kind: int, *, is_racy: bool) -> str:
    """As many rounds of an exchange as an argument says, with one or two barriers."""
    second = "" if is_racy else "\tbar.sync 0;\n"
    return (
        _cell("%r4", "%r0")
        + _lines(f"xor.b32 %r5, %r0, {32 + kind};")
        + _cell("%r6", "%r5")
        + _lines("mov.u32 %r10, 0;", "mov.u32 %r7, 0;")
        + "LOOP:\n"
        + _lines(
            "st.shared.u32 [%r4], %r7;", "bar.sync 0;", "ld.shared.u32 %r7, [%r6];"
        )
        + second
        + _lines(
            "add.u32 %r10, %r10, 1;",
            "setp.lt.s32 %p1, %r10, %r9;",
            "@%p1 bra LOOP;",
            "st.global.u32 [%rd3], %r7;",
        )
    )


def copies(threads: int, kind: int, *, is_racy: bool) -> str:
    """Slots are filled by copies a round ahead; the wait leaves one group too many."""
    slots = kind + 2
    left = slots - 1 if is_racy else slots - 2
    text = _lines("shl.b32 %r4, %r0, 2;", "add.u32 %r4, %r4, %r2;", "mov.u32 %r10, 0;")
    for slot in range(slots - 1):
        text += _lines(
            f"cp.async.ca.shared.global [%r4+{slot * 1024}], [%rd2], 4;",
            "cp.async.commit_group;",
        )
    return (
        text
        + _lines("mov.u32 %r11, 0;", f"mov.u32 %r12, {(slots - 1) * 1024};")
        + "LOOP:\n"
        + _lines(
            f"cp.async.wait_group {left};",
            "bar.sync 0;",
            "xor.b32 %r5, %r0, 32;",
            f"and.b32 %r5, %r5, {threads - 1};",
            "shl.b32 %r5, %r5, 2;",
            "add.u32 %r5, %r5, %r2;",
            "add.u32 %r6, %r5, %r11;",
            "ld.shared.u32 %r7, [%r6];",
            "add.u32 %r8, %r4, %r12;",
            "cp.async.ca.shared.global [%r8], [%rd2], 4;",
            "cp.async.commit_group;",
            *_next("%r11", slots),
            *_next("%r12", slots),
            "add.u32 %r10, %r10, 1;",
            "setp.lt.s32 %p1, %r10, %r9;",
            "@%p1 bra LOOP;",
            "st.global.u32 [%rd3], %r7;",
        )
    )


def _next(register: str, slots: int) -> list[str]:
    """The next slot of a ring."""
    return [
        f"add.u32 {register}, {register}, 1024;",
        f"setp.eq.u32 %p2, {register}, {slots * 1024};",
        f"selp.b32 {register}, 0, {register}, %p2;",
    ]


def lanes(threads: int, kind: int, *, is_racy: bool) -> str:
    """Lanes of a warp exchange words, with `bar.warp.sync` or without."""
    order = "" if is_racy else "\tbar.warp.sync 0xffffffff;\n"
    return (
        _cell("%r4", "%r0")
        + _lines("st.shared.u32 [%r4], %r0;")
        + order
        + _lines(f"xor.b32 %r5, %r0, {1 << kind};")
        + _cell("%r6", "%r5")
        + _lines("ld.shared.u32 %r7, [%r6];", "st.global.u32 [%rd3], %r7;")
    )


def loaded_places(threads: int, kind: int, *, is_racy: bool) -> str:
    """Places that are loaded, which may be one for two threads; atomics may meet."""
    what = (
        "st.global.u32 [%rd4], %r0;" if is_racy else "red.global.add.u32 [%rd4], %r0;"
    )
    return _lines(
        f"ld.global.u32 %r7, [%rd2+{4 * kind}];",
        "mad.wide.u32 %rd4, %r7, 4, %rd1;",
        what,
    )


PATTERNS = (
    *(exchange, tree, own_places, shared_sum, bounded),
    *(divergent_barrier, rounds, copies, lanes, loaded_places),
)
PROGRAMS = [
    Program(f"{pattern.__name__} {kind} of {threads}", threads, body, is_racy)
    for number, pattern in enumerate(PATTERNS)
    for kind, threads, is_racy in [
        *product((0, 1), (64, 128), (False, True)),
        (2, 256 if number % 2 else 64, False),
        (2, 256 if number % 2 else 64, True),
    ]
    for body in [pattern(threads, kind, is_racy=is_racy)]
]
