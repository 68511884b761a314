# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family structure: globals of every element type, grid positions; and alloca."""

from __future__ import annotations

import numpy as np
from entry_text import ELEMENTS, Kernel, values_of
from op_case import ARRAY_TYPES, Array, OpCase

CHIPS = ("sm_75", "sm_80", "sm_90")


def _literals(element: str) -> str:
    """Four values of a global as the text has them."""
    if element == "i1":
        return "[true, false, true, true]"
    if element.startswith("i"):
        top = (1 << (int(element[1:]) - 1)) - 1
        return f"[0, -1, {top}, {-top - 1}]"
    if element == "f8E8M0FNU":
        return "[1.0, 0.5, 4.0, 2.0]"
    return "[1.5, -0.0, -4.0, 0.5]"


def _globals(element: str) -> OpCase:
    """A variable, a constant with an alignment, and one value for all elements."""
    k = Kernel()
    text = _literals(element)
    one = text[1:].partition(",")[0]
    k.globals += [
        f"global @var <{element}: {text}> : tile<4x{element}>",
        f"global private constant @tab alignment = 128 <{element}: {text}> "
        f": tile<4x{element}>",
        f"global @same <{element}: {one}> : tile<8x{element}>",
    ]
    outs = [k.array(element) for _ in range(5)]
    for name, out, count in (("tab", outs[0], 4), ("same", outs[1], 8)):
        k.line(f"%{name} = get_global @{name} : tile<ptr<{element}>>")
        k.store(out, k.load(f"%{name}", element, count), element, count)
    # What is written is read back, also through a second get_global.
    k.line(f"%g = get_global @var : tile<ptr<{element}>>")
    k.line(f"%h = get_global @var : tile<ptr<{element}>>")
    before = k.load("%g", element, 4)
    read = k.done
    k.store(outs[2], before, element, 4)
    done = k.store("%g", k.load(outs[4], element, 4), element, 4, read)
    k.store(outs[3], k.load("%h", element, 4, done), element, 4)
    dtype = ARRAY_TYPES[element]

    def args(rng: np.random.Generator) -> list[Array]:
        return [values_of(rng, 8, element).astype(dtype) for _ in range(5)]

    return OpCase(f"global-{element}", k.text(), args, CHIPS)


def _grid() -> OpCase:
    k = Kernel()
    out = k.array("i32")
    k.line("%x, %y, %z = get_tile_block_id : tile<i32>")
    k.line("%a, %b, %c = get_num_tile_blocks : tile<i32>")
    k.line("%r0 = muli %z, %b : tile<i32>")
    k.line("%r1 = addi %r0, %y : tile<i32>")
    k.line("%r2 = muli %r1, %a : tile<i32>")
    k.line("%r3 = addi %r2, %x : tile<i32>")
    k.line("%at = offset %p1, %r3 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>")
    k.line("%s = addi %r3, %c : tile<i32>")
    k.store("%at", "%s", "i32", 0)
    assert out == "%p1"
    return OpCase(
        "grid",
        k.text(),
        lambda rng: [np.zeros(30, np.int32)],
        grid=(3, 2, 5),
        numpy=lambda a: [np.arange(30, dtype=np.int32) + 5],
    )


def _alloca(element: str) -> OpCase:
    """Memory that other threads read back, in and out of a loop."""
    k = Kernel()
    source, out, last = k.array(element), k.array(element), k.array(element)
    n = 64
    value = k.load(source, element, n)
    k.line(f"%a = alloca num_elem = {n}, alignment = 256 : tile<ptr<{element}>>")
    k.line(f"%b = alloca num_elem = 8, alignment = 8 global : tile<ptr<{element}>>")
    k.line(f"%none = alloca num_elem = 0, alignment = 16 : tile<ptr<{element}>>")
    done = k.store("%a", value, element, n)
    k.line("%shift = constant <i32: 32> : tile<i32>")
    step = f"tile<ptr<{element}>>, tile<i32> -> tile<ptr<{element}>>"
    k.line(f"%half = offset %a, %shift : {step}")
    upper = k.load("%half", element, 32, done)
    k.store(out, upper, element, 32)
    k.line("%zero = constant <i32: 0> : tile<i32>")
    k.line("%one = constant <i32: 1> : tile<i32>")
    k.line("%four = constant <i32: 4> : tile<i32>")
    k.line("for %i in (%zero to %four, step %one) : tile<i32> {")
    k.line(f"%c = alloca num_elem = 8, alignment = 32 : tile<ptr<{element}>>")
    k.line("%odd = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>")
    k.line("if %odd {")
    k.line(f"%d = alloca num_elem = 8, alignment = 8 : tile<ptr<{element}>>")
    k.line("continue")
    k.line("}")
    eight = k.load(source, element, 8)
    first = k.store("%c", eight, element, 8)
    k.line("%eight = constant <i32: 8> : tile<i32>")
    k.line("%far = muli %i, %eight : tile<i32>")
    k.line(f"%place = offset {last}, %far : {step}")
    k.store("%place", k.load("%c", element, 8, first), element, 8)
    k.line("continue")
    k.line("}")

    def args(rng: np.random.Generator) -> list[Array]:
        x = values_of(rng, n, element)
        return [x, np.zeros_like(x), np.zeros_like(x)]

    return OpCase(f"alloca-{element}", k.text(), args, CHIPS, num_warps=2)


def _dependent() -> OpCase:
    """Alone, a kernel depends on nothing."""
    k = Kernel()
    source, out = k.array("i32"), k.array("i32")
    k.line("%w = gdc_wait_tko : token")
    value = k.load(source, "i32", 16, "%w")
    done = k.store(out, value, "i32", 16)
    k.line(f"%l = gdc_launch_dependents_tko token={done} : token")
    k.line("%m = gdc_launch_dependents_tko : token")
    k.line("%v = gdc_wait_tko token=%l : token")
    return OpCase(
        "dependent-launch",
        k.text(),
        lambda rng: [values_of(rng, 16, "i32"), np.zeros(16, np.int32)],
        CHIPS,
        numpy=lambda a: [a[0], a[0]],
    )


def _half_bytes() -> OpCase:
    """Two elements of 4 bits share a byte, in a global and on the heap."""
    k = Kernel()
    element = "f4E2M1FN"
    k.globals.append(
        f"global @half <{element}: [1.5, -6.0, 0.5, -0.0]> : tile<4x{element}>"
    )
    source, out, again = k.array("i8"), k.array("i8"), k.array("i8")
    to_bytes = f"tile<ptr<{element}>> -> tile<ptr<i8>>"
    k.line(f"%g = get_global @half : tile<ptr<{element}>>")
    k.line(f"%b = ptr_to_ptr %g : {to_bytes}")
    k.store(out, k.load("%b", "i8", 2), "i8", 2)
    k.line(f"%a = alloca num_elem = 32, alignment = 16 : tile<ptr<{element}>>")
    k.line(f"%h = ptr_to_ptr %a : {to_bytes}")
    done = k.store("%h", k.load(source, "i8", 16), "i8", 16)
    k.store(again, k.load("%h", "i8", 16, done), "i8", 16)

    def args(rng: np.random.Generator) -> list[Array]:
        x = values_of(rng, 16, "i8")
        return [x, np.zeros(2, np.int8), np.zeros_like(x)]

    stored = np.array([0xF3, 0x81], np.uint8).view(np.int8)
    return OpCase("half-bytes", k.text(), args, numpy=lambda a: [a[0], stored, a[0]])


CASES = [
    _half_bytes(),
    *(_globals(element) for element in ELEMENTS),
    _grid(),
    *(_alloca(element) for element in ELEMENTS),
    _dependent(),
]
