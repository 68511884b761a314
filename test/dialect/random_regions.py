# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of random modules: branches, loops with early exits, reductions."""

from __future__ import annotations

from collections.abc import Sequence

from random_module import INTEGERS, Tile, Writer, names_of, step, types_of

from cuda_tile import ods

CARRIED = (*INTEGERS, "f32", "f16", "ptr<f32>", "f8E5M2")


def _some(w: Writer, most: int = 3) -> list[Tile]:
    return [w.some(CARRIED) for _ in range(w.random.randint(0, most))]


def _end(w: Writer, name: str, wanted: Sequence[Tile]) -> None:
    """A terminator with values of the types of `wanted`."""
    values = [w.like(value.shape, value.element) for value in wanted]
    w.op(name, f"{names_of(values)} : {types_of(values)}" if values else "")


def _results(w: Writer, values: Sequence[Tile]) -> list[Tile]:
    return [Tile(w.fresh(), value.shape, value.element) for value in values]


def _leave(w: Writer) -> str | None:
    """Leaves the loop or kernel around; gives the terminator, or none."""
    if not w.loops:
        w.op("return", "")
        return "return"
    kind, carried, given = w.loops[-1]
    if kind == "loop" and w.chance():
        _end(w, "break", given)
        return "break"
    if kind in ("for", "loop"):
        _end(w, "continue", carried)
        return "continue"
    return None


@step("if")
def if_(w: Writer) -> None:
    values = _some(w)
    condition = w.like((), "i1")
    results = _results(w, values)
    arrow = f" -> ({types_of(values)})" if values else ""
    w.op("if", f"{condition.name}{arrow} {{", names_of(results))
    has_else = bool(values) or w.chance()
    for is_else in (False, True)[: 1 + has_else]:
        if is_else:
            w.line("} else {")
        with w.region():
            w.body()
            if not (w.chance(0.2) and _leave(w)) and (values or w.chance()):
                _end(w, "yield", values)
    w.line("}")
    w.tiles += results


@step("for")
def for_(w: Writer) -> None:
    kind = w.pick(INTEGERS[1:])
    low, high, step_ = (w.like((), kind) for _ in range(3))
    values = _some(w)
    results, carried = _results(w, values), _results(w, values)
    index = Tile(w.fresh(), (), kind)
    head = f"{w.maybe('unsigned ', 0.3)}{index.name} in ({low.name} to {high.name}, "
    head += f"step {step_.name}) : tile<{kind}>"
    if values:
        pairs = zip(carried, values, strict=True)
        inits = ", ".join(f"{new.name} = {old.name}" for new, old in pairs)
        head += f" iter_values({inits}) -> ({types_of(values)})"
    w.op("for", f"{head} {{", names_of(results))
    with w.region():
        w.tiles += [index, *carried]
        w.loops.append(("for", carried, results))
        w.body()
        if values or w.chance():
            _end(w, "continue", carried)
        w.loops.pop()
    w.line("}")
    w.tiles += results


@step("loop")
def loop(w: Writer) -> None:
    values, given = _some(w), _some(w, 2)
    carried, results = _results(w, values), _results(w, given)
    head = ""
    if values:
        pairs = zip(carried, values, strict=True)
        inits = ", ".join(f"{new.name} = {old.name}" for new, old in pairs)
        head = f"iter_values({inits}) : {types_of(values)} "
    if given:
        head += f"-> {types_of(given)} "
    w.op("loop", f"{head}{{", names_of(results))
    with w.region():
        w.tiles += carried
        w.loops.append(("loop", carried, results))
        w.body()
        if w.chance(0.7):
            condition = w.like((), "i1")
            w.op("if", f"{condition.name} {{")
            with w.region():
                _end(w, "break", results)
            w.line("}")
            _end(w, "continue", carried)
        else:
            _end(w, "break", results)
        w.loops.pop()
    w.line("}")
    w.tiles += results


# Reductions ---------------------------------------------------------------------------

PLAIN = {
    "integer": ("addi", "muli", "maxi", "mini", "remi"),
    "float": ("addf", "mulf", "maxf", "minf"),
}


def _combine(w: Writer, x: Tile, y: Tile) -> Tile:
    is_float = x.element not in INTEGERS
    name = w.pick(PLAIN["float" if is_float else "integer"])
    signed = " signed" if "signedness" in ods.ops()[name].attributes else ""
    return w.make(name, (), x.element, f"{x.name}, {y.name}{signed} : {x.type}")


@step("reduce", "scan")
def reduce(w: Writer) -> None:
    first = w.some(("i32", "f32", "f16", "i8"), (1, 2, 3))
    values = [first]
    if w.chance(0.3):
        values.append(w.like(first.shape, w.pick(("i32", "f32"))))
    dim = w.random.randrange(len(first.shape))
    is_scan = w.chance(0.4)
    shape = first.shape if is_scan else (*first.shape[:dim], *first.shape[dim + 1 :])
    results = [Tile(w.fresh(), shape, value.element) for value in values]
    zeros = (f"0 : {v.element}" if v.element in INTEGERS else f"0.0 : {v.element}"
             for v in values)  # fmt: skip
    how = f" reverse={w.pick(('true', 'false'))}" if is_scan else ""
    text = f"{names_of(values)} dim={dim}{how} identities=[{', '.join(zeros)}] : "
    text += f"{types_of(values)} -> {types_of(results)}"
    w.op("scan" if is_scan else "reduce", text + " {", names_of(results))
    w.lines[-1] = w.lines[-1].removesuffix(" {")
    pairs = [(Tile(w.fresh(), (), v.element), Tile(w.fresh(), (), v.element))
             for v in values]  # fmt: skip
    arguments = ", ".join(f"{t.name}: {t.type}" for pair in pairs for t in pair)
    w.line(f"({arguments}) {{")
    with w.region():
        made = [_combine(w, *pair) for pair in pairs]
        w.op("yield", f"{names_of(made)} : {types_of(made)}")
    w.line("}")
    w.tiles += results
