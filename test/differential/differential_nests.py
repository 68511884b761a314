# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of products: branches, early ends and stores in them, loops of loops.

What an iteration computes is given; see differential_rings.py and
differential_chains.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from differential_operands import Operand, first_pointers, next_pointers
from differential_program import RandomProgram
from emit_data import DTYPES, Buffer
from emit_program import Shape, Value, elements

CONSTRUCTS = (
    *(
        f"nest of {iterations}"
        for iterations in ("0 iterations", "1 iterations", "iterations")
    ),
    "store between products",
    "branch around loads",
    "loop of loops",
    "iterations backwards",
    "iterations that end early",
    "iterations by the block",
    "a loop behind a loop",
)
"""What the programs have."""

Iteration = Callable[[RandomProgram, Value, list[Value]], list[Value]]
"""Writes an iteration, from its index and what the loop carries to what it carries on.
"""


@dataclass
class Nest:
    """A loop that is being written.

    Attributes:
        iterations: How many iterations it has.
        body: What an iteration does.
        initial: What it carries, before the first iteration.
        operands: Those that the loop carries pointers for.
    """

    iterations: int
    body: Iteration
    initial: list[Value]
    operands: list[Operand] = field(default_factory=list[Operand])


def write_nest(p: RandomProgram, nest: Nest, *, is_outer: bool) -> list[Value]:
    """Writes a loop, or a loop of such loops; gives what it carried."""
    p.note(
        f"nest of {nest.iterations} iterations"
        if nest.iterations < 2
        else "nest of iterations"
    )
    if is_outer:
        return _outer(p, nest)
    if nest.operands or nest.iterations < 2 or not p.chance(6):
        return _loop(p, nest, nest.initial)
    p.note("a loop behind a loop")
    middle = p.constant((), "i32", p.number(1, nest.iterations - 1))
    sums = _loop(p, nest, nest.initial, p.constant((), "i32", 0), middle)
    return _loop(p, nest, sums, middle)


def _outer(p: RandomProgram, nest: Nest) -> list[Value]:
    """The same loop twice, the second time from the second iteration on, perhaps."""
    p.note("loop of loops")
    sums = nest.initial
    zero, two, one = (p.constant((), "i32", number) for number in (0, 2, 1))
    index = Value(p.fresh("o"), (), "i32")
    inner, results = _head(p, sums)
    p.line(
        f"{results} = for {index.name} in ({zero.name} to {two.name}, step {one.name}) "
        f": tile<i32> iter_values({_pairs(inner, sums)}) -> ({types_of(sums)}) {{"
    )
    made = _loop(p, nest, inner, index if p.chance() else None)
    p.line(f"  continue {', '.join(v.name for v in made)} : {types_of(sums)}")
    p.line("}")
    return _split(results, sums)


def _loop(
    p: RandomProgram,
    nest: Nest,
    sums: list[Value],
    first: Value | None = None,
    last: Value | None = None,
) -> list[Value]:
    """The loop up to an iteration; pointers that it carries begin at its first."""
    step = p.number(1, 2) if not nest.operands and p.chance(3) else 1
    lower = first or p.constant((), "i32", 0)
    upper = last or _end(p, nest)
    by = p.constant((), "i32", step)
    pointers = [first_pointers(p, o, first) for o in nest.operands]
    index = Value(p.fresh("i"), (), "i32")
    values = [*sums, *pointers]
    inner, results = _head(p, values)
    p.line(
        f"{results} = for {index.name} in ({lower.name} to {upper.name}, step "
        f"{by.name}) : tile<i32> iter_values({_pairs(inner, values)}) -> "
        f"({types_of(values)}) {{"
    )
    carried = inner[len(sums) :]
    for operand, value in zip(nest.operands, carried, strict=True):
        operand.carried = value
    place = index
    if not nest.operands and step == 1 and first is None and p.chance(4):
        end = p.constant((), "i32", max(1, nest.iterations) - 1)
        text = f"subi {end.name}, {index.name} : tile<i32>"
        place = p.make((), "i32", text)
        p.note("iterations backwards")
    made = nest.body(p, place, inner[: len(sums)])
    following = [next_pointers(p, o) for o in nest.operands]
    names = ", ".join(v.name for v in (*made, *following))
    p.line(f"  continue {names} : {types_of(values)}")
    p.line("}")
    return _split(results, values)[: len(sums)]


def _end(p: RandomProgram, nest: Nest) -> Value:
    """How many iterations there are, which is less for the first blocks sometimes."""
    iterations = p.scalar("i32", nest.iterations)
    if not p.chance(6):
        return iterations
    p.note("iterations by the block")
    more, block = p.constant((), "i32", p.number(0, 2)), p.block_index()
    own = p.make((), "i32", f"addi {block.name}, {more.name} : tile<i32>")
    return p.make((), "i32", f"mini {own.name}, {iterations.name} signed : tile<i32>")


def _head(p: RandomProgram, values: list[Value]) -> tuple[list[Value], str]:
    """Names for what a loop carries, and for its results."""
    inner = [Value(p.fresh("c"), v.shape, v.element) for v in values]
    results = ", ".join(p.fresh("r") for _ in values)
    return inner, results


def _pairs(inner: list[Value], values: list[Value]) -> str:
    return ", ".join(
        f"{new.name} = {old.name}" for new, old in zip(inner, values, strict=True)
    )


def types_of(values: list[Value]) -> str:
    """The types of values, as loops and branches spell them."""
    return ", ".join(value.type for value in values)


def _split(results: str, values: list[Value]) -> list[Value]:
    names = results.split(", ")
    return [Value(n, v.shape, v.element) for n, v in zip(names, values, strict=True)]


# What iterations may have -------------------------------------------------------------


def remainder_is(p: RandomProgram, index: Value, divisor: int, rest: int) -> Value:
    """Whether an iteration's index leaves a rest."""
    by = p.constant((), "i32", divisor)
    got = p.make((), "i32", f"remi {index.name}, {by.name} signed : tile<i32>")
    wanted = p.constant((), "i32", rest)
    text = f"cmpi equal {got.name}, {wanted.name}, signed : tile<i32> -> tile<i1>"
    return p.make((), "i1", text)


def leave(p: RandomProgram, index: Value, sums: list[Value]) -> None:
    """Some iterations end here."""
    p.note("iterations that end early")
    p.line(f"if {remainder_is(p, index, 3, p.number(0, 2)).name} {{")
    p.line(f"  continue {', '.join(v.name for v in sums)} : {types_of(sums)}")
    p.line("}")


def sometimes(
    body: Iteration, p: RandomProgram, index: Value, sums: list[Value]
) -> list[Value]:
    """What only some iterations do; the others carry on what they got."""
    test = remainder_is(p, index, p.number(2, 3), 0)
    names = [Value(p.fresh("i"), value.shape, value.element) for value in sums]
    p.line(
        f"{', '.join(v.name for v in names)} = if {test.name} -> ({types_of(sums)}) {{"
    )
    made = body(p, index, sums)
    p.line(f"  yield {', '.join(v.name for v in made)} : {types_of(sums)}")
    p.line("} else {")
    p.line(f"  yield {', '.join(v.name for v in sums)} : {types_of(sums)}")
    p.line("}")
    return names


@dataclass(frozen=True)
class Results:
    """An array that takes a tile of each iteration.

    Attributes:
        view: The text of its view's type.
        base: The view.
    """

    view: str
    base: str


def make_results(
    p: RandomProgram,
    shape: tuple[int, int],
    element: str,
    iterations: int,
    *,
    is_added: bool = False,
) -> Results:
    """An array for the tiles of all iterations; of whole numbers if it takes sums."""
    count = max(1, iterations) * elements(shape)
    name = p.fresh("p")
    p.parameters.append(f"{name}: tile<ptr<{element}>>")
    data = np.zeros(count, DTYPES[element])
    p.args.append(Buffer(data, 0, (count,), (1,), is_whole=is_added))
    if p.chance():
        known = p.fresh("a")
        p.line(f"{known} = assume div_by<16>, {name} : tile<ptr<{element}>>")
        name = known
    rows, columns = count // shape[1], shape[1]
    tensor = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns}, 1]>"
    made, base = p.fresh("t"), p.fresh("w")
    p.line(
        f"{made} = make_tensor_view {name}, shape = [{rows}, {columns}], "
        f"strides = [{columns}, 1] : {tensor}"
    )
    view = f"partition_view<tile=({shape[0]}x{columns}), {tensor}>"
    p.line(f"{base} = make_partition_view {made} : {view}")
    return Results(view, base)


def store_result(
    p: RandomProgram, results: Results, index: Value, value: Value
) -> None:
    """Stores an iteration's tile; only the first block does, and only once."""
    p.note("store between products")
    block = p.block_index()
    zero = p.constant((), "i32", 0)
    text = f"cmpi equal {block.name}, {zero.name}, signed : tile<i32> -> tile<i1>"
    p.line(f"if {p.make((), 'i1', text).name} {{")
    p.line(
        f"  {p.fresh('k')} = store_view_tko weak {value.name}, {results.base}"
        f"[{index.name}, {zero.name}] : {value.type}, {results.view}, tile<i32> "
        "-> token"
    )
    p.line("}")


def zeros(p: RandomProgram, shape: Shape, element: str) -> Value:
    """A sum before its first product."""
    return p.constant(shape, element, DTYPES[element].type(0))
