# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of which a register holds more bits than they have: moved, made, exchanged.

Only conversions and products compute with i4, tf32 and the floats of 8 and 4 bits;
these cases have what only moves elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from convert_cases import CHIPS, Kernel, case
from op_case import OpCase

LITERALS = {
    "i4": ("-3", "5"),
    "tf32": ("1.5", "-0.25"),
    "f8E4M3FN": ("448.0", "-0.015625"),
    "f8E5M2": ("57344.0", "-1.5"),
    "f8E8M0FNU": ("8.0", "0.25"),
    "f4E2M1FN": ("-6.0", "0.5"),
}


def move_cases() -> Iterator[OpCase]:
    """Constants of narrow types, and ops that only move elements."""
    for element, (first, second) in LITERALS.items():
        kernel = Kernel(element, 256)
        flat, square = f"tile<256x{element}>", f"tile<16x16x{element}>"
        for name, value, shape in (("first", first, "256"), ("many", second, "16x16")):
            if element == "i4":  # which has no constants
                kernel.lines.append(
                    f"""
    %{name}8 = constant <i8: {value}> : tile<{shape}xi8>
    %{name} = trunci %{name}8 : tile<{shape}xi8> -> tile<{shape}xi4>"""
                )
            else:
                kernel.lines.append(
                    f"""
    %{name} = constant <{element}: {value}> : tile<{shape}x{element}>"""
                )
        chosen = f"%u2 = select %is2, %many, %t2 : tile<16x16xi1>, {square}"
        if element == "f4E2M1FN":  # the one type that select does not take
            chosen = f"%u2 = permute %t2 [0, 1] : {square} -> {square}"
        kernel.lines.append(
            f"""
    %x2 = reshape {kernel.x} : {flat} -> {square}
    %t2 = permute %x2 [1, 0] : {square} -> {square}
    %j = iota : tile<256xi32>
    %three = constant <i32: 3> : tile<256xi32>
    %bits = andi %j, %three : tile<256xi32>
    %is = cmpi equal %bits, %three, signed : tile<256xi32> -> tile<256xi1>
    %is2 = reshape %is : tile<256xi1> -> tile<16x16xi1>
    {chosen}
    %u = reshape %u2 : {square} -> {flat}
    %go = cmpi less_than %block, %block, signed : tile<i32> -> tile<i1>
    %w = if %go -> ({flat}) {{
      yield %first : {flat}
    }} else {{
      yield %u : {flat}
    }}"""
        )
        kernel.store("%first", element)
        kernel.store("%w", element)
        yield case(f"move_{element}", kernel, 1, CHIPS)


LISTS = {
    "tf32": "1.5, -2.0, 0.25, 3.0",
    "f8E4M3FN": "448.0, -0.5, 1.0, 2.0",
    "f8E5M2": "1.5, -57344.0, 0.5, 1.0",
    "f8E8M0FNU": "1.0, 2.0, 0.5, 4.0",
    "f4E2M1FN": "6.0, -1.5, 0.5, -0.0",
}


def list_case() -> OpCase:
    """Constants of several values."""
    kernel = Kernel("i8", 8)
    for element, values in LISTS.items():
        kernel.lines.append(
            f"""
    %{element} = constant <{element}: [{values}, {values}]> : tile<8x{element}>"""
        )
        kernel.store(f"%{element}", element)
    return case("lists", kernel, 1, CHIPS)


def exchange_cases() -> Iterator[OpCase]:
    """A transpose between four warps, through shared memory."""
    for element in LITERALS:
        kernel = Kernel(element, 4096)
        flat, square = f"tile<4096x{element}>", f"tile<64x64x{element}>"
        kernel.lines.append(
            f"""
    %s = reshape {kernel.x} : {flat} -> {square}
    %p = permute %s [1, 0] : {square} -> {square}
    %f = reshape %p : {square} -> {flat}"""
        )
        kernel.store("%f", element)
        made = case(f"exchange_{element}", kernel, 1, CHIPS[:1])
        yield replace(made, num_warps=4)


CASES = [*move_cases(), list_case(), *exchange_cases()]
