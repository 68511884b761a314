# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutated PTX gives a located error, a report or a finding, nothing else.

`tools/fuzz_ptx` runs any number of inputs.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from ptx_fuzz import Start, mutated, outcome, starts

from cuda_tile.emulator import LaunchError, PtxError, launch
from cuda_tile.emulator.launch import Mode
from cuda_tile.emulator.ptx.parse import parse

STARTS = starts()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.name)
def test_whatever_is_in_a_text(start: Start) -> None:
    assert outcome(start, start.text, limit=100_000).kind == "report"
    kinds: Counter[str] = Counter()
    for number in range(90):
        draw = random.Random(f"{start.name} {number}")
        mode: Mode = "adversarial" if number % 10 == 0 else "fast"
        found = outcome(start, mutated(start.text, draw), mode, number)
        assert found.kind != "problem", f"number {number}: {found.message}"
        kinds[found.kind] += 1
    assert kinds["PtxError"] > 30, kinds
    assert kinds["report"] + kinds["FindingError"] > 3, kinds


HEAD = ".version 8.6\n.target sm_80\n.address_size 64\n"
BODY = ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nLINE\nret;\n}\n"
LINE = 8
BROKEN = {
    "too many digits": (f"mov.u32 %r0, {'9' * 5000};", "an integer of 64 bits"),
    "more than 64 bits": ("mov.u64 %rd0, 0x1FFFFFFFFFFFFFFFF;", "of 64 bits"),
    "beyond a double": ("mov.f32 %r0, 1e999;", "a constant of double precision"),
    "nested blocks": ("{" * 5000, "at most 100 nested blocks"),
    "nested braces": (f"mov.b32 %r0, {'{' * 5000};", "in a list"),
    "nested parentheses": (f"mov.b32 %r0, {'(' * 5000};", "nested constant"),
    "nested brackets": (f"ld.global.b32 %r0, {'[' * 5000};", "a register or variable"),
    "coordinates": ("ld.global.b32 %r0, [%rd0, [%rd0]];", "coordinates in braces"),
    "initial values": (f".global .u32 x[2] = {'{' * 5000};", "without braces"),
    "memory": (".global .b8 x[99999999999999];", "fits in memory"),
    "an address space": (".global .b8 x[9999999999999999];", "expected at most"),
    "static shared": (".shared .b8 x[50000];", "'.extern .shared' array"),
    "constants": (".const .b8 x[70000];", "65536 bytes in .const"),
    "no power of two": (".shared .align 3 .b8 x;", "a power of two"),
    "no alignment": (".shared .align 0 .b8 x;", "a power of two"),
    "a negative size": (".shared .b8 x[-4];", "an array size"),
    "a negative family": (".reg .b32 %q<-1>;", "a number of registers"),
    "a family twice": (".reg .b64 %r<9>;", "one register '%r'"),
    "a member of a family": (".reg .b64 %r2;", "one register '%r2'"),
    "a family of a member": (".reg .b64 %z1; .reg .b32 %z<2>;", "one register '%z'"),
    "a variable like a register": (".reg .b32 x; .shared .b32 x;", "one variable 'x'"),
    "a label like a variable": (".shared .b32 x; x: ret;", "one label 'x'"),
    "a type for instructions": (".reg .bf16 x;", "declare .b16"),
    "a predicate in memory": (".shared .pred x;", "other than .pred"),
    "a wide vector": (".shared .v8 .b32 x;", "at most 16 bytes"),
    "open size": (".shared .b32 x[];", "only '.extern' arrays"),
    "size of zero": (".local .b32 x[0];", "only '.extern' arrays"),
    "values in shared memory": (".shared .b32 x = 1;", "no initial value"),
    "values of a half": (".global .f16 x = 1.0;", "no initial value"),
    "braces around one": (".global .u32 x = {1};", "without braces"),
    "braces missing": (".global .u32 x[2] = 1;", "before the initial values"),
    "braces too few": (".global .u32 x[2][2] = {1, 2};", "before the initial values"),
    "too many in a row": (".global .u32 x[2][2] = {{1, 2, 3}};", "at most 2"),
    "a part of a vector": (".global .v4 .u32 x = {1, 2};", "4 values of a vector"),
    "too many rows": (".global .u32 x[1] = {1, 2};", "at most 1"),
    "an empty statement": (";", "an instruction, a label"),
    "a difference": ("ld.global.b32 %r0, [%rd0 - 4];", "']' after an address"),
    "elements of two widths": ("mov.b64 %rd0, {%r0, %rd1};", "elements of one type"),
    "elements of two kinds": (
        ".reg .f32 f; .reg .s32 s; st.global.v2.b32 [%rd0], {f, s};",
        "elements of one type in a vector, got .f32, .s32",
    ),
    "a constant address": ("st.shared.b32 [4], %r0;", "only .local has constant"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_texts_are_refused_at_their_line(name: str) -> None:
    line, message = BROKEN[name]
    with pytest.raises(PtxError) as caught:
        launch(HEAD + BODY.replace("LINE", line), grid=1, block=32, args=[])
    assert message in str(caught.value)
    assert caught.value.line == LINE


def test_parameters_are_checked_too() -> None:
    text = BODY.replace("LINE", "")
    twice = text.replace("k()", "k(.param .u32 a,\n.param .u32 a)")
    with pytest.raises(PtxError, match="ptx line 5: expected one parameter 'a'"):
        parse(HEAD + twice)
    for ty in (".pred", ".bf16x2"):
        with pytest.raises(PtxError, match=f"a parameter type, got {ty}"):
            parse(HEAD + text.replace("k()", f"k(.param {ty} a)"))
    hidden = text.replace("k()", "k(.param .u32 a)").replace("%r<4>", "a")
    with pytest.raises(PtxError, match="one register 'a', got two"):
        parse(HEAD + hidden)


def test_memory_of_a_thread_has_a_limit() -> None:
    text = HEAD + BODY.replace("LINE", ".local .b8 x[600000];")
    with pytest.raises(LaunchError, match="at most 524288 bytes of local memory"):
        launch(text, grid=1, block=32, args=[])


def test_lines_are_counted_whatever_ends_them() -> None:
    broken = BODY.replace("LINE", "/* a\n comment */ frob;")
    for text in (broken, broken.replace("\n", "\r\n")):
        with pytest.raises(PtxError) as caught:
            launch(HEAD + text, grid=1, block=32, args=[])
        assert caught.value.line == LINE + 1


@pytest.mark.parametrize("name", ["cp.async", "cp.async.bulk", "wgmma"])
@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_wait_for_very_many_groups(name: str, mode: Mode) -> None:
    """Found by `tools/fuzz_ptx`: more than an int64 of groups may be in flight."""
    aligned = ".sync.aligned" if name == "wgmma" else ""
    line = f"{name}.wait_group{aligned} 18446744073709551615;"
    text = (HEAD + BODY.replace("LINE", line)).replace("sm_80", "sm_90a")
    launch(text, grid=1, block=128, args=[], mode=mode)
