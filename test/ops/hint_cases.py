# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family hint: assumptions and assertions that hold, and printing.

`test_hint.py` compares what is printed, and runs assertions that do not hold.
"""

from __future__ import annotations

import numpy as np
from entry_text import ELEMENTS, NARROW, Kernel, values_of
from op_case import Array, OpCase

CHIPS = ("sm_75", "sm_80", "sm_90")


def _assume(element: str) -> OpCase:
    """Every predicate that the type allows, of tiles, scalars, pointers and views."""
    k = Kernel()
    source, out, one = k.array(element), k.array(element), k.array(element)
    ptr = f"tile<ptr<{element}>>"
    k.line(f"%a = assume div_by<1>, {source} : {ptr}")
    k.line(f"%b = assume same_elements<[]>, %a : {ptr}")
    value = k.load("%b", element, 16)
    scalar = k.load("%b", element, 0)
    if element.startswith("i"):
        k.line(f"%w = assume same_elements<[1]>, {value} : tile<16x{element}>")
        k.line(f"%x = assume div_by<1>, %w : tile<16x{element}>")
        k.line(f"%y = assume bounded<?, ?>, %x : tile<16x{element}>")
        k.line(f"%z = assume same_elements<[]>, {scalar} : tile<{element}>")
        value, scalar = "%y", "%z"
    k.store(out, value, element, 16)
    k.store(one, scalar, element, 0)

    def args(rng: np.random.Generator) -> list[Array]:
        x = values_of(rng, 16, element)
        return [x, np.zeros_like(x), np.zeros_like(x)]

    return OpCase(
        f"assume-{element}",
        k.text(),
        args,
        numpy=lambda a: [a[0], a[0], np.where(np.arange(16) < 1, a[0], a[2])],
    )


def _assume_narrow() -> OpCase:
    """Integers of 4 bits, which no pointer leads to."""
    k = Kernel()
    source, out = k.array("i8"), k.array("i8")
    value = k.narrow(source, "i4", 32)
    k.line(f"%w = assume same_elements<[1]>, {value} : tile<32xi4>")
    k.line("%x = assume bounded<-8, 7>, %w : tile<32xi4>")
    k.store_narrow(out, "%x", "i4", 32)
    return OpCase(
        "assume-i4",
        k.text(),
        lambda rng: [values_of(rng, 16, "i8"), np.zeros(16, np.int8)],
        numpy=lambda a: [a[0], a[0]],
    )


def directives_of(element: str) -> str:
    """What suits an element type."""
    if element.startswith("i"):
        return "%d|%5i|%-6u|%#x|%o|%+lld|%hhd|%hx|%03d"
    return "%f|%10.3e|%g|%a|%-12.1f|%+G"


def print_kernel(element: str, shape: tuple[int, ...], directives: str) -> Kernel:
    """Prints a tile of a shape and a scalar, with each directive."""
    k = Kernel()
    count = int(np.prod(shape))
    if element in NARROW:
        value = scalar = k.narrow(k.array("i8"), element, count)
    else:
        source = k.array(element)
        value = k.load(source, element, count)
        scalar = k.load(source, element, 0)
    extents = "x".join(map(str, shape))
    other = f"tile<{count}x{element}>" if scalar == value else f"tile<{element}>"
    k.line(
        f"%r = reshape {value} : tile<{count}x{element}> -> tile<{extents}x{element}>"
    )
    done = ""
    for number, directive in enumerate(directives.split("|")):
        token = f"%d{number}"
        after = f" token={done}" if done else ""
        k.line(
            f'{token} = print_tko "{number}: {directive} 100%% {directive};\\n", '
            f"%r, {scalar}{after} : tile<{extents}x{element}>, {other} -> token"
        )
        done = token
    return k


def _print(element: str) -> OpCase:
    k = print_kernel(element, (2, 4), directives_of(element))

    def args(rng: np.random.Generator) -> list[Array]:
        return [values_of(rng, 8, "i8" if element in NARROW else element)]

    return OpCase(f"print-{element}", k.text(), args, ("sm_90",), num_warps=2)


def _print_others() -> OpCase:
    """Text alone, pointers, many scalars, directives that do not suit, characters."""
    k = Kernel()
    one, byte, text = k.scalar("i32"), k.array("i8"), k.array("i8")
    k.line('%a = print_tko "no value, 100%%\\n" -> token')
    many = ", ".join([one] * 20)
    types = ", ".join(["tile<i32>"] * 20)
    k.line(f'%b = print_tko "{"%d " * 20}\\n", {many} token=%a : {types} -> token')
    k.line('%c = print_tko "", token=%b -> token'.replace(", token", " token"))
    letters = k.load(text, "i8", 8)
    k.line(
        f'%d = print_tko "%c %c%c\\n", {letters}, {one}, {one} token=%c '
        f": tile<8xi8>, tile<i32>, tile<i32> -> token"
    )
    pointers = k.pointers(byte, "i8", 4)
    k.line(
        f'%e = print_tko "%p %20p\\n", {pointers}, {byte} token=%d '
        f": tile<4xptr<i8>>, tile<ptr<i8>> -> token"
    )
    return OpCase(
        "print-others",
        k.text(),
        lambda rng: [65, np.zeros(4, np.int8), np.arange(97, 105, dtype=np.int8)],
        CHIPS,
    )


def _assert() -> OpCase:
    k = Kernel()
    source, out = k.array("i1"), k.array("i1")
    value = k.load(source, "i1", 64)
    k.line(f'assert {value}, "all must hold" : tile<64xi1>')
    scalar = k.load(source, "i1", 0)
    k.line(f'assert {scalar}, "the first must hold" : tile<i1>')
    k.store(out, value, "i1", 64)
    return OpCase(
        "assert-holds",
        k.text(),
        lambda rng: [np.ones(64, np.bool_), np.zeros(64, np.bool_)],
        CHIPS,
        numpy=lambda a: [a[0], a[0]],
    )


def _hints() -> OpCase:
    """Optimisation hints change nothing, ids least of all."""
    k = Kernel()
    out = k.array("i32")
    k.line("%x, %y, %z = get_tile_block_id : tile<i32>")
    k.line("%a, %b, %c = get_num_tile_blocks : tile<i32>")
    k.line("%s = addi %x, %a : tile<i32>")
    k.line(f"%at = offset {out}, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>")
    k.store("%at", "%s", "i32", 0)
    hints = "num_cta_in_cga = 2, occupancy = 2"
    text = k.text().replace(
        ") {\n", f") optimization_hints=<sm_90 = {{{hints}}}, default = {{}}> {{\n", 1
    )
    return OpCase(
        "num-cta-in-cga",
        text,
        lambda rng: [np.zeros(3, np.int32)],
        grid=(3,),
        numpy=lambda a: [np.arange(3, dtype=np.int32) + 3],
    )


CASES = [
    *(_assume(element) for element in ELEMENTS),
    *(_print(element) for element in (*ELEMENTS, *NARROW)),
    _assume_narrow(),
    _print_others(),
    _assert(),
    _hints(),
]
