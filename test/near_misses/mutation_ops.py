# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutations of computations: another op, another operand, another place."""

from __future__ import annotations

import re

from mutation import (
    Draft,
    index_of,
    mutation,
    rivals,
    scope,
    text_of,
    uses_of,
    with_operands,
)

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.carried import ancestor_in, carry, ends_of, first_carried, set_ends
from cuda_tile.ir.traits import LOOPS, is_pure
from cuda_tile.ir.walk import block_ops, defining_op, nested_ops, op_stem

_NEEDED = {
    "signedness": "#cuda_tile.signedness<signed>",
    "rounding_mode": "#cuda_tile.rounding<nearest_even>",
    "overflow": "#cuda_tile.overflow<none>",
    "comparison_predicate": "#cuda_tile.comparison_predicate<less_than>",
    "comparison_ordering": "#cuda_tile.comparison_ordering<ordered>",
}
"""Attributes that an op may need and the one before it does not have."""
_FAMILIES = ("integer", "bitwise", "float", "math")
"""Families of ops that compute each element of a type from others of that type."""


def _peers(op: ir.Operation) -> list[str]:
    """Ops that take the same operands and give the same type of result."""
    infos = ods.ops()
    own = infos.get(op_stem(op))
    if own is None or own.family not in _FAMILIES:
        return []
    return [
        other.name
        for other in infos.values()
        if other.family in _FAMILIES
        and other.name != own.name
        and [other.elements[n] for n in (*other.operands, *other.results)]
        == [own.elements[n] for n in (*own.operands, *own.results)]
    ]


@mutation("op: another")
def another_op(draft: Draft) -> str | None:
    """An op that takes the same types, such as maxf for addf."""
    found = [op for op in draft.ops() if _peers(op)]
    if not found:
        return None
    op = draft.random.choice(found)
    old, new = op_stem(op), draft.random.choice(_peers(op))
    known, wanted = attributes_of(op), ods.ops()[new].attributes
    attributes = {name: attr for name, attr in known.items() if name in wanted}
    for name in wanted:
        if name in _NEEDED and name not in known:
            attributes[name] = ir.Attribute.parse(_NEEDED[name])
    with_operands(op, list(op.operands), attributes, f"cuda_tile.{new}")
    return f"{old} -> {new}"


@mutation("op: operands swapped")
def swapped(draft: Draft) -> str | None:
    """Two operands of a type change places, such as those of a select."""
    pairs = [
        (op, i, j)
        for op in draft.ops()
        for j in range(len(op.operands))
        for i in range(j)
        if op.operands[i].type == op.operands[j].type
        and op.operands[i] != op.operands[j]
    ]
    if not pairs:
        return None
    op, i, j = draft.random.choice(pairs)
    op.operands[i], op.operands[j] = op.operands[j], op.operands[i]
    return f"{op_stem(op)}: operands {i} and {j}"


@mutation("operand: another value")
def another_operand(draft: Draft) -> str | None:
    """An operand is another value of its type: of outside, of before, an argument."""
    op = draft.op()
    if op is None or not len(op.operands):
        return None
    number = draft.random.randrange(len(op.operands))
    others = rivals(op, op.operands[number])
    if not others:
        return None
    value = draft.random.choice(others)
    op.operands[number] = value
    return f"{op_stem(op)}: operand {number} is {text_of(value)}"


@mutation("operand: of a region from outside")
def captured(draft: Draft) -> str | None:
    """An op inside a region uses a value of outside instead of one of the region."""
    found = [
        (op, number, value)
        for op in draft.ops()
        if op.parent is not None and op.parent.operation.name != "cuda_tile.entry"
        for number, old in enumerate(op.operands)
        for value in rivals(op, old)
        if _block_of(value) != op.block and _block_of(old) == op.block
    ]
    if not found:
        return None
    op, number, value = draft.random.choice(found)
    op.operands[number] = value
    return f"{op_stem(op)}: operand {number} is {text_of(value)} of outside"


def _block_of(value: ir.Value) -> ir.Block:
    owner = value.owner
    return owner if isinstance(owner, ir.Block) else owner.operation.block


@mutation("op: once more")
def duplicated(draft: Draft) -> str | None:
    """One of the uses of a value gets a copy of the op that makes it."""
    found = [op for op in draft.ops() if len(list(uses_of(op))) > 1 and is_pure(op)]
    if not found:
        return None
    op = draft.random.choice(found)
    user, number = draft.random.choice(list(uses_of(op)))
    index = index_of(op, user.operands[number])
    made = op.clone(ip=ir.InsertionPoint(op))
    user.operands[number] = made.results[index]
    return f"{op_stem(op)} for {op_stem(user)}"


@mutation("op: one more between")
def between(draft: Draft) -> str | None:
    """Something between a value and one of its uses, or all: -x, |x|, x + y."""
    found = [
        (op, number)
        for op in draft.ops()
        for number, value in enumerate(op.operands)
        if _computing(value)
    ]
    if not found:
        return None
    op, number = draft.random.choice(found)
    value = op.operands[number]
    name = draft.random.choice(_computing(value))
    info = ods.ops()[name]
    second = draft.random.choice([value, *rivals(op, value)])
    attributes = {
        name: ir.Attribute.parse(_NEEDED[name])
        for name in info.attributes
        if name in _NEEDED
    }
    made = ir.Operation.create(
        f"cuda_tile.{name}",
        results=[value.type],
        operands=[value, second][: len(info.operands)],
        attributes=attributes,
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    op.operands[number] = made.results[0]
    return f"{name} before operand {number} of {op_stem(op)}"


def _computing(value: ir.Value) -> list[str]:
    """Ops that make a value of others of its type, element by element."""
    match = re.fullmatch(r"!cuda_tile\.tile<(?:\d+x)*(\w+)>", str(value.type))
    if match is None:
        return []
    return [
        info.name
        for info in ods.ops().values()
        if info.family in _FAMILIES
        and len(info.operands) < 3
        and all(match[1] in kinds for kinds in info.elements.values())
    ]


@mutation("place: out of a region")
def hoisted(draft: Draft) -> str | None:
    """An op of a loop or branch stands before it."""
    found = [
        (op, op.parent.operation)
        for op in draft.ops()
        if op.parent is not None
        and op.parent.operation.name != "cuda_tile.entry"
        and op.results
        and all(_block_of(value) != op.block for value in op.operands)
    ]
    if not found:
        return None
    op, parent = draft.random.choice(found)
    op.move_before(parent)
    return f"{op_stem(op)} before {op_stem(parent)}"


@mutation("place: into a region")
def sunk(draft: Draft) -> str | None:
    """A copy of an op stands in a loop or branch that uses its result."""
    found = [
        (op, user, number)
        for op in draft.ops()
        if not len(op.regions)
        for user, number in uses_of(op)
        if user.block != op.block
    ]
    if not found:
        return None
    op, user, number = draft.random.choice(found)
    index = index_of(op, user.operands[number])
    made = op.clone(ip=ir.InsertionPoint.at_block_begin(user.block))
    user.operands[number] = made.results[index]
    return f"{op_stem(op)} beside {op_stem(user)}"


@mutation("place: earlier or later")
def moved(draft: Draft) -> str | None:
    """An op stands elsewhere in its block: behind what it needs, before its uses."""
    found = [(op, other) for op in draft.ops() for other in _places(op)]
    if not found:
        return None
    op, other = draft.random.choice(found)
    op.move_before(other)
    return f"{op_stem(op)} before {op_stem(other)}"


def _places(op: ir.Operation) -> list[ir.Operation]:
    """The ops of its block that an op may stand before, where it does not yet."""
    ops = block_ops(op.block)
    at = ops.index(op)
    users = {ancestor_in(op.block, user) for user, _ in uses_of(op)}
    makers = {
        defining_op(value) for each in (op, *nested_ops(op)) for value in each.operands
    }
    first = max((n + 1 for n in range(at) if ops[n] in makers), default=0)
    last = min(
        (n for n in range(at + 1, len(ops)) if ops[n] in users), default=len(ops) - 1
    )
    return [] if at == len(ops) - 1 else [*ops[first:at], *ops[at + 2 : last + 1]]


@mutation("loop: one more value carried")
def carried(draft: Draft) -> str | None:
    """A loop carries a value of outside, and its body uses that one instead."""
    loops = [op for op in draft.ops() if op.name in LOOPS]
    if not loops:
        return None
    loop = draft.random.choice(loops)
    block = loop.regions[0].blocks[0]
    found = [
        (op, number)
        for op in block_ops(block)
        for number, value in enumerate(op.operands)
        if _block_of(value) != block and op != block_ops(block)[-1]
    ]
    if not found:
        return None
    op, number = draft.random.choice(found)
    value = op.operands[number]
    made = carry(loop, value)
    op.operands[number] = made.value
    for end in ends_of(made.op):
        others = [v for v in rivals(end, made.value) if v.type == value.type]
        following = draft.random.choice([made.value, made.value, *others])
        set_ends(end, [*end.operands, following])
    return f"{text_of(value)} for {op_stem(op)}"


@mutation("loop: bounds")
def bounds(draft: Draft) -> str | None:
    """A bound or the step of a loop is a constant: 0, 1, 2, 3, 5, -1."""
    loop = draft.op("for")
    if loop is None:
        return None
    number = draft.random.randrange(first_carried(loop)[0])
    count = draft.random.choice((0, 1, 2, 3, 5, -1))
    kind = loop.operands[number].type
    made = ir.Operation.parse(
        f'"cuda_tile.constant"() <{{value = dense<{count}> : {kind}}}> : () -> {kind}'
    )
    ir.InsertionPoint(loop).insert(made)
    loop.operands[number] = made.results[0]
    return f"{('lower', 'upper', 'step')[number]} = {count}"


@mutation("loop: something around")
def around(draft: Draft) -> str | None:
    """A load or a computation stands in a branch, which may not be taken."""
    found = [
        op
        for op in draft.ops()
        if not len(op.regions)
        and len(op.results)
        and (is_pure(op) or op_stem(op).startswith(("load", "store")))
        and all(rivals(op, result) for result in op.results)
        and op_stem(op) != "constant"
    ]
    conditions = ("cmpi", "cmpf")
    if not found:
        return None
    op = draft.random.choice(found)
    flags = [
        value
        for value in _bits(op)
        if (maker := defining_op(value)) is None or op_stem(maker) in conditions
    ]
    others = [draft.random.choice(rivals(op, result)) for result in op.results]
    condition = draft.random.choice(flags) if flags else _condition(draft, op)
    if condition is None:
        return None
    made = ir.Operation.create(
        "cuda_tile.if",
        results=[result.type for result in op.results],
        operands=[condition],
        regions=2,
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    blocks = [region.blocks.append() for region in made.regions]
    blocks[0].append(op)
    for block, values in zip(blocks, (list(op.results), others), strict=True):
        with ir.InsertionPoint(block):
            ir.Operation.create("cuda_tile.yield", operands=values, loc=op.location)
    return f"a branch around {op_stem(op)}"


def _bits(op: ir.Operation) -> list[ir.Value]:
    """Scalars of one bit that an op may use."""
    return [v for v in scope(op) if str(v.type) == "!cuda_tile.tile<i1>"]


def _condition(draft: Draft, op: ir.Operation) -> ir.Value | None:
    """A comparison of two scalars that an op may use."""
    numbers = [v for v in scope(op) if str(v.type) == "!cuda_tile.tile<i32>"]
    if len(numbers) < 2:
        return None
    made = ir.Operation.create(
        "cuda_tile.cmpi",
        results=[ir.Type.parse("!cuda_tile.tile<i1>")],
        operands=draft.random.sample(numbers, 2),
        attributes={
            name: ir.Attribute.parse(_NEEDED[name])
            for name in ("comparison_predicate", "signedness")
        },
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    return made.results[0]
