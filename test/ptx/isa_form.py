# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the coverage table writes forms of instructions, and what they expand to.

A pattern is an instruction with alternatives: `add{- .sat}.s32 d, d, d` stands for
`add.s32` and `add.sat.s32`, `-` being nothing. Operands are one-letter classes:

    d  register of the width of the last type       t  of the first type
    w  twice as wide                                 p  predicate
    o  8 bits       h  16 bits       r  32 bits      l  64 bits       q  128 bits
    <d d>  a vector, {d, d} in PTX;  <r*4>  one of four

Anything else stands as it is written: addresses, constants, names of the frame.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

_GROUP = re.compile(r"\{(?! )([^{}]*)\}")
_TYPE = re.compile(r"(?:pred|[busf]\d+(?:x\d)?|bf16(?:x2)?|tf32|e\dm\dx\d|ue8m0x2)$")
_ODD_WIDTHS = {"e2m1x2": 4, "e2m1x4": 16, "tf32": 32, "ue8m0x2": 16}
_FILES = {4: "o", 8: "h", 16: "h", 32: "r", 64: "l", 128: "q"}

FRAME = """
.visible .entry k(.param .u64 arg, .param .align 64 .b8 map[128])
{
	.reg .b16 %h<64>; .reg .b32 %r<600>; .reg .b64 %l<80>; .reg .b128 %q<8>;
	.reg .pred %p<16>; .reg .b64 %ga; .reg .b32 %sa; .reg .b64 %tm; .reg .b8 %o<8>;
	T0: .branchtargets L0;
	.shared .align 1024 .b8 sm[4096];
	.local .align 16 .b8 loc[64];
	.param .align 8 .b8 call_in[8]; .param .align 8 .b8 call_out[8];
	.param .b64 format; .param .b64 values; .param .b32 status;
	ld.param.u64 %ga, [arg];
	cvta.to.global.u64 %ga, %ga;
	mov.u64 %tm, map;
	cvta.param.u64 %tm, %tm;
	mov.u32 %sa, sm;
"""
HEAD = """
.const .align 8 .b8 con[64];
.global .align 16 .b8 glob[64];
.extern .func (.param .b32 s) vprintf(.param .b64 f, .param .b64 v);
.func (.param .align 8 .b8 out[8]) callee(.param .align 8 .b8 in[8])
{
	ret;
}
"""


@dataclass(frozen=True)
class Family:
    """Forms of one instruction of the ISA.

    Attributes:
        chapter, name: The ISA's chapter, and the instruction as its section names it.
        patterns: Forms, see the module.
        target: A target that has them.
        refused: Empty, or what the emulator's error says.
        is_legal: False for what the ISA has only for older chips; ptxas refuses it.
    """

    chapter: str
    name: str
    patterns: tuple[str, ...]
    target: str = "sm_90a"
    refused: str = ""
    is_legal: bool = True

    def forms(self) -> Iterator[str]:
        """All instructions, as PTX text without the semicolon."""
        for pattern in self.patterns:
            yield from expand(pattern)


def expand(pattern: str) -> Iterator[str]:
    """Expands the alternatives of a pattern and names its operands."""
    pieces = _GROUP.split(pattern)
    choices = [
        [piece] if place % 2 == 0 else piece.split()
        for place, piece in enumerate(pieces)
    ]
    for picked in product(*choices):
        text = "".join("" if part == "-" else part for part in picked)
        mnemonic, _, operands = text.partition(" ")
        yield f"{mnemonic} {_operands(mnemonic, operands)}".strip()


def _width(ty: str) -> int:
    if ty in _ODD_WIDTHS:
        return _ODD_WIDTHS[ty]
    if ty.startswith("e"):
        return 8 * int(ty[-1])
    size, _, count = ty.lstrip("busf").partition("x")
    return int(size) * int(count or 1)


def _operands(mnemonic: str, text: str) -> str:
    types = [part for part in mnemonic.split(".")[1:] if _TYPE.match(part)]
    widths = [0 if ty == "pred" else _width(ty) for ty in types]
    counts: Counter[str] = Counter()

    def name(match: re.Match[str]) -> str:
        letter = match.group()
        if letter == "_":
            return letter
        if letter == "p":
            file = "p"
        elif letter in "hrlqo":
            file = letter
        else:
            width = widths[0] if letter == "t" else widths[-1]
            width *= 2 if letter == "w" else 1
            file = _FILES[width] if width else "p"
        counts[file] += 1
        return f"%{file}{counts[file]}"

    text = re.sub(r"(\w)\*(\d+)", lambda m: " ".join([m[1]] * int(m[2])), text)
    text = re.sub(r"<([^<>]*)>", lambda m: "{" + ", ".join(m[1].split()) + "}", text)
    return re.sub(r"(?<![\w%.\[+:])[dtwphrlqo](?![\w.:])", name, text)


def module(forms: list[str], target: str, *, runs: bool = False) -> str:
    """A module whose entry holds all forms, one a line, after an `exit`.

    Args:
        forms: The instructions.
        target: The module's target.
        runs: Whether a thread gets there; else every thread leaves before.
    """
    lines = "".join(f"\t{form}{'' if form[0] == '{' else ';'}\n" for form in forms)
    leave = "" if runs else "\texit;\n"
    end = "L0:\n\tret;\n}\n"
    head = f".version {VERSIONS[target]}\n.target {target}\n.address_size 64\n{HEAD}"
    return f"{head}{FRAME}{leave}{lines}{end}"


VERSIONS = {
    "sm_75": "8.6",
    "sm_80": "8.6",
    "sm_90": "8.6",
    "sm_90a": "8.8",
    "sm_100a": "9.2",
    "sm_103a": "8.8",
    "sm_120a": "9.1",
}
