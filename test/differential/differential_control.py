# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches: bounds of every kind, carried tiles, scalars and tokens.

What is between the braces is written by a function that is passed in, so that any
step may stand in any region. A region op carries the tokens of some chains; the
memory of the others may not be touched inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from differential_memory import Access, Chain
from differential_program import Frame, RandomProgram
from emit_program import Loop, Value

WriteBody = Callable[[RandomProgram], None]
CONDITIONS = ("less_than", "greater_than", "equal", "not_equal")


@dataclass
class _Region:
    """A chain's part in a region op: the tokens it goes in and comes out with."""

    chain: Chain
    before: str
    argument: str
    result: str


def _enter(p: RandomProgram, *, carries: bool = True) -> list[_Region]:
    """Chooses the chains that a region op carries."""
    regions: list[_Region] = []
    for chain in p.open_chains():
        if p.chance(4):
            continue
        before = chain.full_token(p) if carries else ""
        regions.append(_Region(chain, before, p.fresh("k"), p.fresh("k")))
    return regions


def _lock(p: RandomProgram, regions: Sequence[_Region]) -> list[Chain]:
    """Locks every chain but those of a region op; gives the ones to unlock again."""
    mine = [region.chain for region in regions]
    locked = [chain for chain in p.open_chains() if chain not in mine]
    for chain in locked:
        chain.is_locked = True
    return locked


def _note_place(p: RandomProgram, kind: str) -> None:
    """Names where a region op stands."""
    for frame in p.frames[-1:]:
        p.note(f"{kind} in {frame.kind}")
    if len(p.frames) > 1:
        p.note("regions three deep")


# Loops --------------------------------------------------------------------------------


def for_(p: RandomProgram, write: WriteBody) -> None:
    """A `for` that runs 0 to 3 times."""
    kind = p.pick(("i32", "i32", "i32", "i64", "i16"))
    low, bounds, is_known = _bounds(p, kind)
    _note_place(p, "for")
    inits = _inits(p)
    regions = _enter(p)
    index = Value(p.fresh("i"), (), kind)
    carried = [_like(p, value) for value in inits]
    results = [_like(p, value) for value in inits]
    unsigned = "unsigned " if low >= 0 and p.chance(4) else ""
    if unsigned:
        p.note("for: unsigned")
    head = f"for {unsigned}{index.name} in ({bounds[0]} to {bounds[1]}, step "
    head += f"{bounds[2]}) : tile<{kind}>"
    pairs = [(new.name, old.name) for new, old in zip(carried, inits, strict=True)]
    pairs += [(region.argument, region.before) for region in regions]
    types = [value.type for value in inits] + ["token"] * len(regions)
    if pairs:
        values = ", ".join(f"{new} = {old}" for new, old in pairs)
        head = f"{_names(results, regions)} = {head} iter_values({values}) -> "
        head += f"({', '.join(types)})"
    p.line(head + " {")
    trips = is_known if low == 0 and kind == "i32" else 99
    p.loops.append(Loop(index, 99 if trips is None else trips))
    frame = Frame("for", carried, results, [region.chain for region in regions])
    frame.make_next = lambda: _next(p, frame)
    _loop_body(p, frame, regions, write, first=[*carried, index])
    p.loops.pop()
    p.line("}")
    p.pool += results
    p.note("for carries nothing" if not pairs else "for carries values")
    if regions:
        p.note("for carries a token")


def _bounds(p: RandomProgram, kind: str) -> tuple[int, list[str], int | None]:
    """Low end, the names of the bounds, and how often the loop runs if it is known."""
    step = p.number(1, 3)
    scalars = [v for v in p.pool if v.shape == () and v.element == kind]
    if scalars and p.chance(4):
        p.note("for: computed bound")
        three = p.constant((), kind, 3)
        text = f"andi {p.pick(scalars).name}, {three.name} : tile<{kind}>"
        high = p.make((), kind, text)
        low = p.number(0, 1)
        names = [p.constant((), kind, n).name for n in (low, step)]
        return low, [names[0], high.name, names[1]], None
    trips = p.pick((0, 0, 1, 1, 2, 2, 3))
    low = p.number(-3, 3) if p.chance() else 0
    if trips:
        high = low + trips * step - p.number(0, step - 1)
    elif p.chance():
        high = low
    else:
        p.note("for: bounds that cross")
        low = max(low, 1)
        high = p.number(0, low - 1)
    p.note(f"for: {trips} trips")
    p.note(f"for: step {step}")
    p.note(f"for: {kind}")
    names: list[str] = []
    for number in (low, high, step):
        is_constant = p.chance()
        p.note("for: constant bound" if is_constant else "for: argument bound")
        bound = p.constant((), kind, number) if is_constant else p.scalar(kind, number)
        names.append(bound.name)
    return low, names, trips if step == 1 else None


def _loop_body(
    p: RandomProgram,
    frame: Frame,
    regions: Sequence[_Region],
    write: WriteBody,
    first: Sequence[Value],
) -> None:
    """Writes a loop's body, and leaves the chains as they are behind the loop."""
    states = [region.chain.state() for region in regions]
    locked = _lock(p, regions)
    for region in regions:
        region.chain.begin_body(region.argument)
    _begin(p, frame)
    p.pool += first
    write(p)
    made = [list(region.chain.accesses) for region in regions]
    for region, accesses in zip(regions, made, strict=True):
        accesses += [access for chain, access in frame.left if chain is region.chain]
    _end(p, frame)
    for region, state, accesses in zip(regions, states, made, strict=True):
        region.chain.restore(state)
        region.chain.end_region(region.result, accesses)
    for chain in locked:
        chain.is_locked = False


def _begin(p: RandomProgram, frame: Frame) -> None:
    frame.outside = len(p.pool)
    p.frames.append(frame)


def _end(p: RandomProgram, frame: Frame) -> None:
    """Writes the `continue` of a loop's body."""
    last = frame.make_next()
    types = [value.type for value in frame.carried] + ["token"] * len(frame.chains)
    p.line(f"continue {_operands(last, types)}")
    p.frames.pop()
    del p.pool[frame.outside :]


def _operands(names: Sequence[str], types: Sequence[str]) -> str:
    return f"{', '.join(names)} : {', '.join(types)}" if names else ""


def _names(results: Sequence[Value], regions: Sequence[_Region]) -> str:
    names = [value.name for value in results] + [region.result for region in regions]
    return ", ".join(names)


def _like(p: RandomProgram, value: Value) -> Value:
    return Value(p.fresh("c"), value.shape, value.element, is_payload=False)


def _inits(p: RandomProgram) -> list[Value]:
    """What a loop carries: up to three tiles and scalars."""
    flat = [value for value in p.pool if len(value.shape) == 2]
    flat = p.unused(flat) or flat
    count = p.pick((0, 1, 1, 2, 2, 3)) if p.pool else 0
    values = [p.pick(flat if flat and p.chance() else p.pool) for _ in range(count)]
    for value in values:
        p.note("carried tile" if value.shape else "carried scalar")
    return values


def _next(p: RandomProgram, frame: Frame) -> list[str]:
    """What a loop goes on with: preferably what was made in its body."""
    return [_one_of(p, value) for value in frame.carried] + _tokens(p, frame)


def _one_of(p: RandomProgram, like: Value) -> str:
    known = p.known(like.shape, like.element)
    inner = p.inner(known) or known
    return p.pick(p.unused(inner) or inner).name


def _tokens(p: RandomProgram, frame: Frame) -> list[str]:
    return [chain.full_token(p) for chain in frame.chains]


def loop(p: RandomProgram, write: WriteBody) -> None:
    """A `loop` that counts, and breaks at its head, in its middle or at its end."""
    _note_place(p, "loop")
    inits = _inits(p)
    regions = _enter(p)
    trips = p.number(0, 2)
    start = p.constant((), "i32", 0)
    counter = Value(p.fresh("n"), (), "i32")
    carried = [_like(p, value) for value in inits]
    results = [_like(p, value) for value in inits]
    pairs = [(counter.name, start.name)]
    pairs += [(new.name, old.name) for new, old in zip(carried, inits, strict=True)]
    pairs += [(region.argument, region.before) for region in regions]
    types = [value.type for value in inits] + ["token"] * len(regions)
    values = ", ".join(f"{new} = {old}" for new, old in pairs)
    names = _names(results, regions)
    head = f"{names} = loop" if names else "loop"
    arrow = f" -> {', '.join(types)}" if types else ""
    kinds = ", ".join(["tile<i32>", *types])
    p.line(f"{head} iter_values({values}) : {kinds}{arrow} {{")
    frame = Frame("loop", [counter, *carried], results, [r.chain for r in regions])
    place = p.pick(("head", "end"))
    # A `continue` would go past the test at the end.
    frame.may_continue = place == "head"
    p.note(f"loop breaks at its {place}")
    limit = trips if p.chance() else None
    after: list[str] = []

    def body(p: RandomProgram) -> None:
        if place == "head":
            _exit(p, frame, counter, limit, trips)
        one = p.constant((), "i32", 1)
        text = f"addi {counter.name}, {one.name} : tile<i32>"
        after.append(p.make((), "i32", text).name)
        write(p)
        if place == "end":
            _exit(p, frame, counter, limit, trips)

    frame.make_next = lambda: [
        after[0],
        *(_one_of(p, value) for value in frame.carried[1:]),
        *_tokens(p, frame),
    ]
    _loop_body(p, frame, regions, body, first=[*carried, counter])
    p.line("}")
    p.pool += results


def _exit(
    p: RandomProgram, frame: Frame, counter: Value, limit: int | None, trips: int
) -> None:
    top = p.constant((), "i32", trips) if limit is None else p.scalar("i32", limit)
    text = f"cmpi greater_than_or_equal {counter.name}, {top.name}, signed : "
    condition = p.make((), "i1", text + "tile<i32> -> tile<i1>")
    _leave_if(p, condition, frame, "break", lambda p: None)


# Branches -----------------------------------------------------------------------------


def _condition(p: RandomProgram) -> Value:
    """A scalar that decides: of an argument, the block, a loop, or the data."""
    known = p.known((), "i1")
    scalars = [v for v in p.pool if v.shape == () and v.element in ("i32", "i64")]
    way = p.pick(("argument", "block", "compare", "compare", "known", "known"))
    if way == "known" and known:
        p.note("if: condition of the data")
        return p.pick(known)
    if way == "compare" and scalars:
        p.note("if: a scalar compared")
        value = p.pick(scalars)
    elif way == "block":
        p.note("if: depends on the block")
        value = p.block_index()
    else:
        p.note("if: argument")
        return p.scalar("i1", p.chance())
    other = p.constant((), value.element, p.number(0, 2))
    text = f"cmpi {p.pick(CONDITIONS)} {value.name}, {other.name}, signed : "
    return p.make((), "i1", f"{text}{value.type} -> tile<i1>")


def if_(p: RandomProgram, write_then: WriteBody, write_else: WriteBody | None) -> None:
    """An `if` with results or without, and with an `else` or without."""
    _note_place(p, "if")
    condition = _condition(p)
    likes = [p.pick(p.pool) for _ in range(p.number(0, 2))] if p.pool else []
    regions = _enter(p, carries=False)
    for region in regions:
        region.before = region.chain.full_token(p)
    if write_else is None and (likes or regions):
        likes, regions = ([], []) if p.chance(3) else (likes, regions)
    has_results = bool(likes or regions)
    results = [_like(p, value) for value in likes]
    types = [value.type for value in likes] + ["token"] * len(regions)
    p.note("if with results" if has_results else "if without results")
    for value in likes:
        p.note("if gives a tile" if value.shape else "if gives a scalar")
    if regions:
        p.note("if gives a token")
    head = f"if {condition.name}"
    if has_results:
        head = f"{_names(results, regions)} = {head} -> ({', '.join(types)})"
    p.line(head + " {")
    made = _branch(p, likes, regions, types, write_then)
    if write_else is not None or has_results:
        p.note("if with else")
        p.line("} else {")
        made_else = _branch(p, likes, regions, types, write_else or (lambda p: None))
        made = [a + b for a, b in zip(made, made_else, strict=True)]
    p.line("}")
    for region, accesses in zip(regions, made, strict=True):
        known = set(region.chain.accesses)
        region.chain.end_region(
            region.result, [access for access in accesses if access not in known]
        )
    p.pool += results


def _branch(
    p: RandomProgram,
    likes: Sequence[Value],
    regions: Sequence[_Region],
    types: Sequence[str],
    write: WriteBody,
) -> list[list[Access]]:
    """Writes one branch; gives the accesses that each chain made in it."""
    states = [region.chain.state() for region in regions]
    locked = _lock(p, regions)
    frame = Frame("if", chains=[region.chain for region in regions])
    _begin(p, frame)
    write(p)
    names = [_one_of(p, value) for value in likes] + _tokens(p, frame)
    if names or p.chance():
        p.line(f"yield {_operands(names, types)}".rstrip())
    p.frames.pop()
    del p.pool[frame.outside :]
    made: list[list[Access]] = []
    for region, state in zip(regions, states, strict=True):
        made.append(list(region.chain.accesses[len(state[0]) :]))
        region.chain.restore(state)
    for chain in locked:
        chain.is_locked = False
    return made


def leave(p: RandomProgram, write: WriteBody) -> None:
    """An `if` whose branch ends with `continue`, `break` or `return`."""
    loops = [frame for frame in p.frames if frame.kind != "if"]
    if not loops:
        p.note("return in an if")
        return _leave_if(p, _condition(p), None, "return", write)
    frame = loops[-1]
    ways = ["continue"] if frame.may_continue else []
    way = p.pick(ways if frame.kind == "for" else [*ways, "break"])
    p.note(f"{way} in an if of a {frame.kind}")
    if p.frames[-1] is not frame:
        p.note("leaves from an if in an if")
    return _leave_if(p, _condition(p), frame, way, write)


def _leave_if(
    p: RandomProgram,
    condition: Value,
    frame: Frame | None,
    way: str,
    write: WriteBody,
) -> None:
    p.line(f"if {condition.name} {{")
    states = [chain.state() for chain in p.chains]
    inner = Frame("if")
    _begin(p, inner)
    write(p)
    if frame is None:
        p.line("return")
    else:
        names, kinds = _values_for(p, frame, way)
        p.line(f"{way} {_operands(names, kinds)}".rstrip())
    p.frames.pop()
    del p.pool[inner.outside :]
    for chain, state in zip(p.chains, states, strict=True):
        if frame is not None:
            made = chain.accesses[len(state[0]) :]
            frame.left += [(chain, access) for access in made]
        chain.restore(state)
    p.line("}")


def _values_for(
    p: RandomProgram, frame: Frame, way: str
) -> tuple[list[str], list[str]]:
    """What leaves for the next iteration or the end of a loop."""
    tokens = ["token"] * len(frame.chains)
    if way == "continue":
        return frame.make_next(), [v.type for v in frame.carried] + tokens
    names = [_one_of(p, value) for value in frame.results] + _tokens(p, frame)
    return names, [value.type for value in frame.results] + tokens
