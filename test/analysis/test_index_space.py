# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tiles surely begin inside: indices that show it, and near misses."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.index_space import mark_inside
from cuda_tile.analysis.tiling import promised_inside
from cuda_tile.ir.walk import entries, nested_ops

LINE = "tensor_view<?xf32, strides=[1]>"
FIXED = "tensor_view<256xf32, strides=[1]>"
NATURAL = "bounded<0, ?>"


def kernel(index: str, at: str, tensor: str, before: str = "", after: str = "") -> str:
    """Stores tile `at` of 64 elements; `%n` is the extent, `%m` any other number."""
    shape = "%e" if tensor == LINE else "256"
    operand = "tile<i32> -> " if tensor == LINE else ""
    kind = f"partition_view<tile=(64), {tensor}>"
    return f"""cuda_tile.module @k {{
      entry @k(%p: tile<ptr<f32>>, %x: tile<i32>, %y: tile<i32>) {{
        %e = assume div_by<64>, %x : tile<i32>
        %n = assume {NATURAL}, %e : tile<i32>
        %m = assume {NATURAL}, %y : tile<i32>
        %c0 = constant <i32: 0> : tile<i32>
        %c1 = constant <i32: 1> : tile<i32>
        %c4 = constant <i32: 4> : tile<i32>
        %c32 = constant <i32: 32> : tile<i32>
        %c63 = constant <i32: 63> : tile<i32>
        %c64 = constant <i32: 64> : tile<i32>
        %c128 = constant <i32: 128> : tile<i32>
        %b, %by, %bz = get_tile_block_id : tile<i32>
        %t = make_tensor_view %p, shape = [{shape}], strides = [1] : {operand}{tensor}
        %v = make_partition_view %t : {kind}
        %tiles = divi %n, %c64 signed rounding<positive_inf> : tile<i32>
        {before}
        {index}
        %f1 = constant <f32: 1.0> : tile<64xf32>
        %k = store_view_tko weak %f1, %v[{at}] : tile<64xf32>, {kind}, tile<i32>
          -> token
        {after}
        return
      }}
    }}"""


def is_promised(text: str) -> bool:
    module = cuda_tile.load(text.encode())
    (entry,) = entries(module.operation)
    found: list[bool] = []
    with module.context, ir.Location.unknown():
        facts = FactsOnDemand(entry)
        for op in nested_ops(entry):
            mark_inside(op, facts)
            if op.name == "cuda_tile.store_view_tko":
                found += promised_inside(op, 1)
    return found == [True]


def loop(upper: str, lower: str = "%c0", sign: str = "", step: str = "%c1") -> str:
    return f"for {sign}%i in ({lower} to {upper}, step {step}) : tile<i32> {{"


def binary(op: str, x: str, y: str, tail: str = "", name: str = "%r") -> str:
    return f"{name} = {op} {x}, {y}{tail} : tile<i32>\n"


SHAPE = f"""%s = get_index_space_shape %v : partition_view<tile=(64), {LINE}>
    -> tile<i32>\n"""
FINE = f"""%w = make_partition_view %t : partition_view<tile=(16), {LINE}>
    %s = get_index_space_shape %w : partition_view<tile=(16), {LINE}> -> tile<i32>\n"""
COARSE = FINE.replace("tile=(16)", "tile=(128)")
LENGTH = f"%s = get_tensor_shape %t : {LINE} -> tile<i32>\n"
UP = binary("addi", "%n", "%c63", name="%u")
SHIFT = "%c6 = constant <i32: 6> : tile<i32>\n"
QUOTIENT = binary("divi", "%i", "%c64", " signed")
LOOPS = {
    "tiles": (loop("%tiles"), "%i", True),
    "tiles from the second on": (loop("%tiles", "%c1"), "%i", True),
    "tiles from anywhere on": (loop("%tiles", "%y"), "%i", False),
    "unsigned": (loop("%tiles", sign="unsigned "), "%i", True),
    "another number": (loop("%m"), "%i", False),
    "index space": (SHAPE + loop("%s"), "%i", True),
    "index space of smaller tiles": (FINE + loop("%s"), "%i", False),
    "index space of larger tiles": (COARSE + loop("%s"), "%i", True),
    "rounded down": (
        binary("divi", "%n", "%c64", " signed") + loop("%r"),
        "%i",
        True,
    ),
    "rounded up by hand": (
        UP + binary("divi", "%u", "%c64", " signed") + loop("%r"),
        "%i",
        True,
    ),
    "rounded up by a shift": (
        SHIFT + UP + binary("shri", "%u", "%c6", " signed") + loop("%r"),
        "%i",
        True,
    ),
    "rounded up twice": (
        UP
        + binary("divi", "%u", "%c64", " signed rounding<positive_inf>")
        + loop("%r"),
        "%i",
        False,
    ),
    "smaller parts": (
        binary("divi", "%n", "%c32", " signed") + loop("%r"),
        "%i",
        False,
    ),
    "one too many": (binary("addi", "%tiles", "%c1") + loop("%r"), "%i", False),
    "one fewer": (binary("subi", "%tiles", "%c1") + loop("%r"), "%i", True),
    "at most": (binary("mini", "%tiles", "%m", " signed") + loop("%r"), "%i", True),
    "at least": (binary("maxi", "%tiles", "%m", " signed") + loop("%r"), "%i", False),
    "next tile": (loop("%tiles") + binary("addi", "%i", "%c1"), "%r", False),
    "elements": (loop("%n", step="%c64") + QUOTIENT, "%r", True),
    "elements of the tensor": (
        LENGTH + loop("%s", step="%c64") + QUOTIENT,
        "%r",
        True,
    ),
    "elements over a smaller number": (
        loop("%n", step="%c64") + binary("divi", "%i", "%c32", " signed"),
        "%r",
        False,
    ),
    "elements of another tensor": (loop("%m", step="%c64") + QUOTIENT, "%r", False),
    "elements over no part of a tile": (
        "%c48 = constant <i32: 48> : tile<i32>\n"
        + loop("%n")
        + binary("divi", "%i", "%c48", " signed"),
        "%r",
        False,
    ),
    "half of the tiles": (
        binary("divi", "%n", "%c128", " signed rounding<positive_inf>")
        + loop("%r")
        + binary("muli", "%i", "%c1", name="%q"),
        "%q",
        True,
    ),
    "each fourth": (loop("%tiles") + binary("muli", "%i", "%c4"), "%r", False),
    "elements, all as tiles": (loop("%n"), "%i", False),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    before, at, expected = LOOPS[name]
    assert is_promised(kernel("", at, LINE, before, "continue }")) == expected


TEST = "%f = cmpi less_than {0}, {1}, signed : tile<i32> -> tile<i1>\nif %f {{\n"
SCALARS = {
    "block": ("", "%b", LINE, False),
    "zero": ("", "%c0", LINE, False),
    "zero of a fixed extent": ("", "%c0", FIXED, True),
    "the fourth of four": (
        "%c3 = constant <i32: 3> : tile<i32>",
        "%c3",
        FIXED,
        True,
    ),
    "the fifth of four": ("", "%c4", FIXED, False),
    "before the first": ("%d = constant <i32: -1> : tile<i32>", "%d", FIXED, False),
    "remainder of four": (binary("remi", "%b", "%c4", " signed"), "%r", FIXED, True),
    "remainder of a signed number": (
        binary("remi", "%y", "%c4", " signed"),
        "%r",
        FIXED,
        False,
    ),
    "remainder of tiles": (
        binary("remi", "%b", "%tiles", " signed"),
        "%r",
        LINE,
        True,
    ),
    "remainder of another number": (
        binary("remi", "%b", "%m", " signed"),
        "%r",
        LINE,
        False,
    ),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name: str) -> None:
    index, at, tensor, expected = SCALARS[name]
    assert is_promised(kernel(index, at, tensor)) == expected


CONDITIONS = {
    "tiles": (("%b", "%tiles"), True),
    "a signed number": (("%y", "%tiles"), False),
    "another number": (("%b", "%m"), False),
    "the other way": (("%tiles", "%b"), False),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions(name: str) -> None:
    (x, y), expected = CONDITIONS[name]
    at = "%y" if "%y" in (x, y) else "%b"
    text = kernel(TEST.format(x, y), at, LINE, after="}")
    assert is_promised(text) == expected


def test_the_other_branch() -> None:
    """Under `else` the condition is false."""
    test = TEST.format("%b", "%tiles")
    assert not is_promised(kernel(f"{test} }} else {{", "%b", LINE, after="}"))


@pytest.mark.parametrize("name", [name for name, row in LOOPS.items() if row[2]])
def test_interpreter_finds_no_broken_promise(name: str) -> None:
    """At level W the promise stands in the text, which the interpreter checks."""
    before, at, _ = LOOPS[name]
    module = cuda_tile.load(kernel("", at, LINE, before, "continue }").encode())
    lowered = cuda_tile.lower(module, "sm_80", until="place")
    assert "inbounds = [true]" in str(lowered)
    for size in (0, 64, 192, 256):
        numbers = [np.int32(size), np.int32(7)]
        args = [np.zeros(max(1, size), np.float32), *numbers]
        cuda_tile.run(lowered, grid=(1,), args=args)
