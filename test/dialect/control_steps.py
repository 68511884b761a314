# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of random programs that run: branches, and loops that end early.

The compiler does not know these ops, so that they stand here and not in test/emit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emit_memory import any_leaf
from emit_program import Program, Value
from emit_shape import MOVES, REDUCTIONS

INNER = (*MOVES, *REDUCTIONS)


def _types(values: Sequence[Value]) -> str:
    return ", ".join(value.type for value in values)


def _names(values: Sequence[Value]) -> str:
    return ", ".join(value.name for value in values)


def _condition(p: Program) -> Value:
    """A scalar that differs from block to block, or is known, or the opposite."""
    index, zero = p.block_index(), p.constant((), "i32", p.number(0, 1))
    text = f"equal {index.name}, {zero.name}, signed : tile<i32> -> tile<i1>"
    condition = p.make((), "i1", f"cmpi {text}")
    if p.number(0, 3) == 0:
        condition = p.constant((), "i1", p.number(0, 1))
    if p.chance():
        one = p.constant((), "i1", 1)
        text = f"xori {condition.name}, {one.name} : tile<i1>"
        condition = p.make((), "i1", text)
    return condition


def _work(p: Program) -> None:
    """A few ops on what there is."""
    for _ in range(p.number(0, 3)):
        if p.number(0, 3) == 0:
            any_leaf(p, p.pick(p.pool).shape)
        else:
            p.pick(INNER)(p)


def _inside(p: Program, fill: Callable[[], None]) -> None:
    """Writes a region: what it makes is not seen outside."""
    outside = len(p.pool)
    fill()
    del p.pool[outside:]


def _end(p: Program, name: str, wanted: Sequence[Value]) -> None:
    values = [p.pick(p.known(value.shape, value.element)) for value in wanted]
    p.line(f"{name} {_names(values)} : {_types(values)}" if values else name)


def _copies(p: Program, values: Sequence[Value]) -> list[Value]:
    return [Value(p.fresh(), v.shape, v.element, is_payload=False) for v in values]


def branch(p: Program) -> None:
    """An `if` with results; now and then a second one on the same condition."""
    condition = _condition(p)
    for _ in range(p.number(1, 2)):
        values = [p.pick(p.pool) for _ in range(p.number(1, 3))]
        results = _copies(p, values)
        head = f"if {condition.name} -> ({_types(values)})"
        p.line(f"{_names(results)} = {head} {{")

        def fill(values: Sequence[Value] = values) -> None:
            _work(p)
            _end(p, "yield", values)

        _inside(p, fill)
        p.line("} else {")
        _inside(p, fill)
        p.line("}")
        p.pool += results


def early_continue(p: Program) -> None:
    """A `for` whose body may end in the middle."""
    values = [p.pick(p.pool) for _ in range(p.number(1, 2))]
    carried, results = _copies(p, values), _copies(p, values)
    bounds = [p.constant((), "i32", n) for n in (0, p.number(0, 3), 1)]
    low, high, step = (bound.name for bound in bounds)
    pairs = zip(carried, values, strict=True)
    inits = ", ".join(f"{new.name} = {old.name}" for new, old in pairs)
    index = p.fresh("i")
    head = f"for {index} in ({low} to {high}, step {step}) : tile<i32>"
    p.line(f"{_names(results)} = {head} iter_values({inits}) -> ({_types(values)}) {{")

    def fill() -> None:
        p.pool.extend(carried)
        _work(p)
        for _ in range(p.number(1, 2)):
            p.line(f"if {_condition(p).name} {{")
            _inside(p, lambda: _end(p, "continue", carried))
            p.line("}")
        _work(p)
        _end(p, "continue", carried)

    _inside(p, fill)
    p.line("}")
    p.pool += results


def counted_loop(p: Program) -> None:
    """A `loop` that breaks after a few runs."""
    values = [p.pick(p.pool) for _ in range(p.number(1, 2))]
    given = [p.pick(p.pool) for _ in range(p.number(0, 2))]
    carried, results = _copies(p, values), _copies(p, given)
    zero, one = p.constant((), "i32", 0), p.constant((), "i32", 1)
    limit = p.constant((), "i32", p.number(0, 2))
    count = Value(p.fresh("n"), (), "i32")
    pairs = zip([count, *carried], [zero, *values], strict=True)
    inits = ", ".join(f"{new.name} = {old.name}" for new, old in pairs)
    arrow = f" -> {_types(given)}" if given else ""
    assigned = f"{_names(results)} = " if results else ""
    types = _types([zero, *values])
    p.line(f"{assigned}loop iter_values({inits}) : {types}{arrow} {{")

    def fill() -> None:
        p.pool.extend(carried)
        _work(p)
        text = f"greater_than_or_equal {count.name}, {limit.name}, signed"
        done = p.make((), "i1", f"cmpi {text} : tile<i32> -> tile<i1>")
        p.line(f"if {done.name} {{")
        _inside(p, lambda: _end(p, "break", given))
        p.line("}")
        _work(p)
        more = p.make((), "i32", f"addi {count.name}, {one.name} : tile<i32>")
        last = [p.pick(p.known(value.shape, value.element)) for value in carried]
        last = [more, *last]
        p.line(f"continue {_names(last)} : {_types(last)}")

    _inside(p, fill)
    p.line("}")
    p.pool += results


CONTROL = (branch, branch, early_continue, counted_loop)
