# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products that two CTAs may compute together, as the hint of their kernel asks.

Each tile block multiplies the same matrices, of which rows and columns may stick out,
makes something of the sum, and stores it to rows of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from differential_operands import VIEWS, Operand, load_operand, make_operand
from differential_program import RandomProgram
from emit_data import DTYPES, Buffer
from emit_program import Value, tile

HINT = " optimization_hints=<default = {num_cta_in_cga = 2}>"
TYPES = (
    *(("f16", "f32"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32")),
    *(("f8E4M3FN", "f32"), ("f8E5M2", "f32"), ("i8", "i32")),
)
"""Types of operands and sums, exact in any order."""
ROWS, COLUMNS, DEPTHS = (256, 256, 512), (32, 32, 64, 128), (32, 64)
MOST_ITERATIONS = 5


def pair_step(p: RandomProgram) -> None:
    """The whole of a program: a product in a loop, and what follows it."""
    p.hints = HINT
    element, total = p.pick(TYPES)
    m, n, k = (p.pick(sizes) for sizes in (ROWS, COLUMNS, DEPTHS))
    iterations = p.number(0, MOST_ITERATIONS)
    left = make_operand(p, element, (m, k), 1, iterations, None, VIEWS)
    right = make_operand(p, element, (k, n), 0, iterations, None, VIEWS)
    value = _multiplied(p, (left, right), Value("", (m, n), total), iterations)
    if p.chance():
        value = p.pick(EPILOGUES)(p, value)
    _store(p, value)


def _multiplied(
    p: RandomProgram, operands: tuple[Operand, Operand], total: Value, iterations: int
) -> Value:
    """The sum of the products of a loop's iterations."""
    count = p.scalar("i32", iterations)
    bounds = [p.constant((), "i32", number).name for number in (0, 1)]
    zero = p.constant(total.shape, total.element, 0)
    made, index = Value(p.fresh(), total.shape, total.element), p.fresh("i")
    before = Value(p.fresh(), total.shape, total.element)
    p.line(
        f"{made.name} = for {index} in ({bounds[0]} to {count.name}, step {bounds[1]})"
        f" : tile<i32> iter_values({before.name} = {zero.name}) -> ({total.type}) {{"
    )
    x, y = (load_operand(p, each, Value(index, (), "i32")) for each in operands)
    stem, signs = ("mmai", " signed signed") if x.element == "i8" else ("mmaf", "")
    text = f"{stem} {x.name}, {y.name}, {before.name}{signs} : {x.type}, {y.type}"
    after = p.make(total.shape, total.element, f"{text}, {total.type}")
    p.line(f"continue {after.name} : {total.type}")
    p.line("}")
    return made


def _doubled(p: RandomProgram, value: Value) -> Value:
    stem = "addf" if value.element == "f32" else "addi"
    text = f"{stem} {value.name}, {value.name} : {value.type}"
    return p.make(value.shape, value.element, text)


def _numbered(p: RandomProgram, value: Value) -> Value:
    """A sum with the number of each column added."""
    m, n = value.shape
    numbers = p.make((n,), "i32", f"iota : tile<{n}xi32>")
    text = f"reshape {numbers.name} : {numbers.type} -> {tile((1, n), 'i32')}"
    row = p.make((1, n), "i32", text)
    if value.element == "f32":
        text = f"itof {row.name} signed : {row.type} -> {tile((1, n), 'f32')}"
        row = p.make((1, n), "f32", text)
    text = f"broadcast {row.name} : {row.type} -> {value.type}"
    wide = p.make((m, n), value.element, text)
    stem = "addf" if value.element == "f32" else "addi"
    text = f"{stem} {value.name}, {wide.name} : {value.type}"
    return p.make((m, n), value.element, text)


def _narrowed(p: RandomProgram, value: Value) -> Value:
    """A sum of f32 as one of bf16; a sum of i32 as it is."""
    if value.element != "f32":
        return value
    text = f"ftof {value.name} : {value.type} -> {tile(value.shape, 'bf16')}"
    return p.make(value.shape, "bf16", text)


EPILOGUES: tuple[Callable[[RandomProgram, Value], Value], ...] = (
    _doubled,
    _numbered,
    _narrowed,
)


def _store(p: RandomProgram, value: Value) -> None:
    """Stores a tile to the rows of its block, of an array of its own."""
    (m, n), element = value.shape, value.element
    rows, row = p.grid * m - p.pick((0, 0, 8, 130)), n + p.pick((0, 16))
    pointer, known = p.fresh("p"), p.fresh("a")
    p.parameters.append(f"{pointer}: tile<ptr<{element}>>")
    count = p.grid * m * row
    p.args.append(Buffer(np.zeros(count, DTYPES[element]), 0, (count,), (1,)))
    p.line(f"{known} = assume div_by<16>, {pointer} : tile<ptr<{element}>>")
    made, view = p.fresh("t"), p.fresh("w")
    tensor = f"tensor_view<{rows}x{n}x{element}, strides=[{row}, 1]>"
    p.line(
        f"{made} = make_tensor_view {known}, shape = [{rows}, {n}], "
        f"strides = [{row}, 1] : {tensor}"
    )
    kind = f"partition_view<tile=({m}x{n}), {tensor}>"
    p.line(f"{view} = make_partition_view {made} : {kind}")
    block, zero = p.block_index(), p.constant((), "i32", 0)
    p.line(
        f"{p.fresh('k')} = store_view_tko weak {value.name}, {view}[{block.name}, "
        f"{zero.name}] : {value.type}, {kind}, tile<i32> -> token"
    )
