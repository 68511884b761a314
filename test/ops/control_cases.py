# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family control: nested regions that carry tiles, scalars, tokens and pointers."""

from __future__ import annotations

import numpy as np
from entry_text import ELEMENTS, NARROW, Kernel, values_of
from op_case import OpCase

COUNT = 32
CHIPS = ("sm_75", "sm_80", "sm_90")


def _numbers(k: Kernel, *numbers: int) -> None:
    """Constants `%c0`, `%c1`, ... of i32."""
    for number in numbers:
        k.line(f"%c{number} = constant <i32: {number}> : tile<i32>")


def _carried(element: str) -> OpCase:
    """A `for`, an `if` and a `loop` that carry a tile, a scalar, a pointer, a token.

    Even iterations swap two tiles; the `loop` walks a pointer until a count, and `if`s
    in it break, continue and yield.
    """
    k = Kernel()
    first, second = k.array(element), k.array(element)
    outs = [k.array(element) for _ in range(3)]
    count = k.scalar("i32")
    _numbers(k, 0, 1, 2, 5)
    tile, one, ptr = f"tile<{COUNT}x{element}>", f"tile<{element}>", "tile<ptr<"
    ptr += f"{element}>>"
    a, b = k.load(first, element, COUNT), k.load(second, element, COUNT)
    s = k.load(first, element, 0)
    k.line("%start = make_token : token")
    types = f"{tile}, {tile}, {one}, {ptr}, token"
    k.line(
        f"%x, %y, %s, %p, %t = for %i in (%c0 to {count}, step %c1) : tile<i32> "
        f"iter_values(%u = {a}, %v = {b}, %r = {s}, %q = {first}, %w = %start) "
        f"-> ({types}) {{"
    )
    k.line("%m = remi %i, %c2 signed : tile<i32>")
    k.line("%even = cmpi equal %m, %c0, signed : tile<i32> -> tile<i1>")
    k.line(f"%n = offset %q, %c1 : {ptr}, tile<i32> -> {ptr}")
    k.line(f"%g, %h, %j, %d, %o = if %even -> ({tile}, {tile}, {one}, token, {ptr}) {{")
    k.line(f"%e0, %f0 = load_ptr_tko weak %q token=%w : {ptr} -> {one}, token")
    k.line(f"yield %v, %u, %e0, %f0, %n : {tile}, {tile}, {one}, token, {ptr}")
    k.line("} else {")
    k.line("%last = cmpi equal %i, %c5, signed : tile<i32> -> tile<i1>")
    k.line("if %last {")
    k.line(f"continue %u, %v, %r, %q, %w : {types}")
    k.line("}")
    k.line(f"yield %u, %v, %r, %w, %q : {tile}, {tile}, {one}, token, {ptr}")
    k.line("}")
    k.line(f"continue %g, %h, %j, %o, %d : {types}")
    k.line("}")
    k.store(outs[0], "%x", element, COUNT, "%t")
    k.store(outs[1], "%s", element, 0)
    k.line(
        f"%found, %left, %where = loop iter_values(%k = {count}, %at = %p, %z = %y) "
        f": tile<i32>, {ptr}, {tile} -> {tile}, {one}, {ptr} {{"
    )
    k.line("%done = cmpi less_than_or_equal %k, %c0, signed : tile<i32> -> tile<i1>")
    k.line("if %done {")
    k.line(f"break %z, %s, %at : {tile}, {one}, {ptr}")
    k.line("}")
    k.line("%fewer = subi %k, %c1 : tile<i32>")
    k.line("%mm = remi %k, %c2 signed : tile<i32>")
    k.line("%odd = cmpi equal %mm, %c1, signed : tile<i32> -> tile<i1>")
    k.line("if %odd {")
    k.line(f"continue %fewer, %at, %x : tile<i32>, {ptr}, {tile}")
    k.line("} else {")
    k.line("%five = cmpi equal %k, %c2, signed : tile<i32> -> tile<i1>")
    k.line("if %five {")
    k.line(f"%e1, %f1 = load_ptr_tko weak %at : {ptr} -> {one}, token")
    k.line(f"break %z, %e1, %at : {tile}, {one}, {ptr}")
    k.line("}")
    k.line("yield")
    k.line("}")
    k.line(f"continue %fewer, %at, %z : tile<i32>, {ptr}, {tile}")
    k.line("}")
    k.store(outs[2], "%found", element, COUNT)
    k.line(f"%end = offset {outs[1]}, %c1 : {ptr}, tile<i32> -> {ptr}")
    k.store("%end", "%left", element, 0)
    there = k.load("%where", element, 0)
    k.line(f"%after = offset {outs[1]}, %c2 : {ptr}, tile<i32> -> {ptr}")
    k.store("%after", there, element, 0)
    return OpCase(f"carried-{element}", k.text(), _args(element), CHIPS)


def _args(element: str):
    def make(rng: np.random.Generator) -> list[object]:
        x, y = (values_of(rng, COUNT, element) for _ in range(2))
        count = int(rng.integers(6, 9))
        return [x, y, *(np.zeros_like(x) for _ in range(3)), count]

    return make


def _trips(trips: int) -> OpCase:
    """Loops within loops, with no iterations too; carried values come through."""
    k = Kernel()
    source, out, n = k.array("i32"), k.array("i32"), k.scalar("i32")
    _numbers(k, 0, 1, 3)
    x = k.load(source, "i32", COUNT)
    tile = f"tile<{COUNT}xi32>"
    for depth in range(3):
        held = x if depth == 0 else f"%a{depth - 1}"
        k.line(
            f"%r{depth} = for %i{depth} in (%c0 to {n}, step %c1) : tile<i32> "
            f"iter_values(%a{depth} = {held}) -> ({tile}) {{"
        )
    k.line("%f = reshape %i2 : tile<i32> -> tile<1xi32>")
    k.line(f"%g = broadcast %f : tile<1xi32> -> {tile}")
    k.line(f"%h = addi %a2, %g : {tile}")
    k.line(f"%h1 = addi %h, {x} : {tile}")
    k.line(f"continue %h1 : {tile}")
    k.line("}")
    k.line(f"continue %r2 : {tile}")
    k.line("}")
    k.line(f"continue %r1 : {tile}")
    k.line("}")
    k.store(out, "%r0", "i32", COUNT)
    sums = trips * trips * (trips * (trips - 1) // 2)
    return OpCase(
        f"trips-{trips}",
        k.text(),
        lambda rng: [
            rng.integers(-99, 99, COUNT).astype(np.int32),
            np.zeros(COUNT, np.int32),
            trips,
        ],
        numpy=lambda a: [a[0], (a[0] * (1 + trips**3) + sums).astype(np.int32), None],
    )


def _bounds(element: str, *, is_unsigned: bool) -> OpCase:
    """Bounds of every integer type, up to the ends of the type, several steps."""
    k = Kernel()
    out = k.array("i32")
    bits = int(element[1:])
    top = (1 << bits) - 1 if is_unsigned else (1 << (bits - 1)) - 1
    low = 0 if is_unsigned else -top - 1
    spans = [(top - 5, top, 2), (low, low + 5, 2), (top, low, 1), (top - 1, top, 1)]
    if bits == 1:
        spans = [(0, 1, 1), (1, 1, 1), (1, 0, 1)] if is_unsigned else []
    k.line("%zero = constant <i32: 0> : tile<i32>")
    k.line("%one = constant <i32: 1> : tile<i32>")
    names = []
    for number, span in enumerate(spans):
        for name, value in zip("abc", span, strict=True):
            signed = value - (1 << bits) if value >> (bits - 1) > 0 else value
            text = ("true" if value else "false") if bits == 1 else str(signed)
            k.line(f"%{name}{number} = constant <{element}: {text}> : tile<{element}>")
        word = "unsigned " if is_unsigned else ""
        k.line(
            f"%n{number} = for {word}%i{number} in (%a{number} to %b{number}, "
            f"step %c{number}) : tile<{element}> iter_values(%s{number} = %zero) "
            f"-> (tile<i32>) {{"
        )
        k.line(f"%m{number} = addi %s{number}, %one : tile<i32>")
        k.line(f"continue %m{number} : tile<i32>")
        k.line("}")
        names.append(f"%n{number}")
    wanted = [len(range(a, b, c)) for a, b, c in spans]
    step = "tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
    for number, name in enumerate(names):
        k.line(f"%at{number} = constant <i32: {number}> : tile<i32>")
        k.line(f"%q{number} = offset {out}, %at{number} : {step}")
        k.store(f"%q{number}", name, "i32", 0)
    sign = "unsigned" if is_unsigned else "signed"
    return OpCase(
        f"for-{element}-{sign}",
        k.text(),
        lambda rng: [np.zeros(4, np.int32)],
        numpy=lambda a: [np.array([*wanted, 0, 0, 0, 0][:4], np.int32)],
    )


def _early_return() -> OpCase:
    """Some tile blocks end early, in an `if` within an `if`."""
    k = Kernel()
    out = k.array("i32")
    _numbers(k, 0, 1, 3)
    k.line("%x, %y, %z = get_tile_block_id : tile<i32>")
    step = "tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
    k.line(f"%at = offset {out}, %x : {step}")
    k.line("%some = cmpi greater_than %x, %c0, signed : tile<i32> -> tile<i1>")
    k.line("if %some {")
    k.line("%more = cmpi equal %x, %c3, signed : tile<i32> -> tile<i1>")
    k.line("if %more {")
    k.line("return")
    k.line("}")
    k.store("%at", "%c1", "i32", 0)
    k.line("return")
    k.line("} else {")
    k.store("%at", "%c3", "i32", 0)
    k.line("}")
    k.line("%last = constant <i32: 4> : tile<i32>")
    k.line(f"%end = offset %at, %last : {step}")
    k.store("%end", "%c3", "i32", 0)
    return OpCase(
        "early-return",
        k.text(),
        lambda rng: [np.zeros(5, np.int32)],
        CHIPS,
        grid=(4,),
        numpy=lambda a: [np.array([3, 1, 1, 0, 3], np.int32)],
    )


def _while() -> OpCase:
    """Newton's iteration until it no longer changes, on 64-bit integers."""
    k = Kernel()
    source, out = k.array("i64"), k.array("i64")
    n = k.load(source, "i64", 0)
    k.line("%one = constant <i64: 1> : tile<i64>")
    k.line(f"%r = loop iter_values(%x = {n}) : tile<i64> -> tile<i64> {{")
    k.line(f"%q = divi {n}, %x signed : tile<i64>")
    k.line("%s = addi %x, %q : tile<i64>")
    k.line("%h = shri %s, %one signed : tile<i64>")
    k.line("%end = cmpi greater_than_or_equal %h, %x, signed : tile<i64> -> tile<i1>")
    k.line("if %end {")
    k.line("break %x : tile<i64>")
    k.line("}")
    k.line("continue %h : tile<i64>")
    k.line("}")
    k.store(out, "%r", "i64", 0)
    return OpCase(
        "while",
        k.text(),
        lambda rng: [np.array([10**12 + 12345], np.int64), np.zeros(1, np.int64)],
        CHIPS,
        numpy=lambda a: [a[0], np.array([10**6], np.int64)],
    )


def _narrow(element: str) -> OpCase:
    """Tiles of 4-bit elements through every kind of region."""
    k = Kernel()
    first, second = k.array("i8"), k.array("i8")
    outs = [k.array("i8"), k.array("i8")]
    count = k.scalar("i32")
    _numbers(k, 0, 1, 2)
    tile = f"tile<{COUNT}x{element}>"
    a, b = (k.narrow(base, element, COUNT) for base in (first, second))
    k.line(
        f"%x, %y = for %i in (%c0 to {count}, step %c1) : tile<i32> "
        f"iter_values(%u = {a}, %v = {b}) -> ({tile}, {tile}) {{"
    )
    k.line("%two = cmpi equal %i, %c2, signed : tile<i32> -> tile<i1>")
    k.line(f"%g, %h = if %two -> ({tile}, {tile}) {{")
    k.line(f"yield %u, %v : {tile}, {tile}")
    k.line("} else {")
    k.line(f"yield %v, %u : {tile}, {tile}")
    k.line("}")
    k.line(f"continue %g, %h : {tile}, {tile}")
    k.line("}")
    k.line(
        f"%r = loop iter_values(%n = {count}, %z = %x) : tile<i32>, {tile} -> {tile} {{"
    )
    k.line("%end = cmpi less_than_or_equal %n, %c0, signed : tile<i32> -> tile<i1>")
    k.line("if %end {")
    k.line(f"break %z : {tile}")
    k.line("}")
    k.line("%fewer = subi %n, %c2 : tile<i32>")
    k.line(f"continue %fewer, %y : tile<i32>, {tile}")
    k.line("}")
    k.store_narrow(outs[0], "%x", element, COUNT)
    k.store_narrow(outs[1], "%r", element, COUNT)

    def args(rng: np.random.Generator) -> list[object]:
        x, y = (rng.integers(-128, 128, COUNT // 2, np.int8) for _ in range(2))
        return [x, y, np.zeros_like(x), np.zeros_like(x), 4]

    return OpCase(
        f"narrow-{element}",
        k.text(),
        args,
        CHIPS,
        numpy=lambda a: [a[0], a[1], a[1], a[0], None],
    )


CASES = [
    *(_narrow(element) for element in NARROW),
    *(_carried(element) for element in ELEMENTS),
    *(_trips(trips) for trips in (0, 1, 3)),
    *(
        _bounds(element, is_unsigned=is_unsigned)
        for element in ("i1", "i8", "i16", "i32", "i64")
        for is_unsigned in (False, True)
        if element != "i1" or is_unsigned
    ),
    _early_return(),
    _while(),
]
