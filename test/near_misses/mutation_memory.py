# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutations of flags and of memory accesses: orders, tokens, masks, aliases."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Any

from differential_case import ArrayArgument
from mutation import Draft, mutation, rivals, scope, segments, text_of, with_segments

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile as ct
from cuda_tile.builder.keywords import (
    AtomicRMWMode,
    ComparisonOrdering,
    ComparisonPredicates,
    IntegerOverflow,
    MemoryOrderingSemantics,
    MemoryScope,
    RoundingMode,
    Signedness,
)
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.memory_order import SCOPE, SEMANTICS
from cuda_tile.ir.walk import op_stem

_KEYWORDS: dict[str, tuple[Any, type[StrEnum]]] = {
    "rounding_mode": (ct.RoundingModeAttr, RoundingMode),
    "rounding": (ct.RoundingModeAttr, RoundingMode),
    "signedness": (ct.SignednessAttr, Signedness),
    "signedness_lhs": (ct.SignednessAttr, Signedness),
    "signedness_rhs": (ct.SignednessAttr, Signedness),
    "overflow": (ct.IntegerOverflowAttr, IntegerOverflow),
    "comparison_predicate": (ct.ComparisonPredicateAttr, ComparisonPredicates),
    "comparison_ordering": (ct.ComparisonOrderingAttr, ComparisonOrdering),
    "mode": (ct.AtomicRMWModeAttr, AtomicRMWMode),
}
"""Attributes with a keyword of a list, and that list."""
_UNITS = (
    *("flush_to_zero", "propagate_nan", "fast_acc", "unsignedCmp", "reverse"),
    "saturating",
)
"""Attributes that are there or not."""
_TOKENS = "!cuda_tile.token"


@mutation("flag")
def flags(draft: Draft) -> str | None:
    """A flag of an op: rounding, sign, overflow, predicate, flush_to_zero ..."""
    known = (*_KEYWORDS, *_UNITS, "dim")
    found = [
        (op, name)
        for op in draft.ops()
        for name in ods.ops()[op_stem(op)].attributes
        if name in known
    ]
    if not found:
        return None
    op, name = draft.random.choice(found)
    return f"{op_stem(op)}: {_changed(draft, op, name)}"


def _changed(draft: Draft, op: ir.Operation, name: str) -> str:
    """Gives an attribute another value; says which."""
    if name in _UNITS and flag(op, name):
        del op.attributes[name]
        return f"no {name}"
    if name in _UNITS:
        op.attributes[name] = ir.UnitAttr.get()
        return name
    if name == "dim":
        dim = ir.IntegerAttr(op.attributes[name])
        value = dim.value + draft.random.choice((-1, 1))
        op.attributes[name] = ir.IntegerAttr.get(dim.type, value)
        return f"dim = {value}"
    kind, words = _KEYWORDS[name]
    word = draft.random.choice([w for w in words if w != keyword(op, name)])
    op.attributes[name] = kind.get(word)
    return f"{name} = {word}"


@mutation("order: of an access")
def memory_order(draft: Draft) -> str | None:
    """An access is relaxed, acquire or release, at a scope, or weak."""
    found = [op for op in draft.ops() if SEMANTICS in op.attributes]
    if not found:
        return None
    op = draft.random.choice(found)
    words = [w for w in MemoryOrderingSemantics if w != keyword(op, SEMANTICS)]
    order, scope_ = draft.random.choice(words), draft.random.choice([*MemoryScope])
    op.attributes[SEMANTICS] = ct.MemoryOrderingSemanticsAttr.get(order)
    if order == "weak" and SCOPE in op.attributes:
        del op.attributes[SCOPE]
    elif order != "weak":
        op.attributes[SCOPE] = ct.MemoryScopeAttr.get(scope_)
    return f"{op_stem(op)} {order} {scope_}"


def _with_optional(draft: Draft, name: str) -> ir.Operation | None:
    """An op that may have an operand of a name."""
    found = [
        op
        for op in draft.ops()
        if name in ods.ops()[op_stem(op)].operands and segments(op) is not None
    ]
    return draft.random.choice(found) if found else None


@mutation("token: of an access")
def token(draft: Draft) -> str | None:
    """An access gets a token, another one, the join of two, or none."""
    op = _with_optional(draft, "token")
    operands = segments(op) if op is not None else None
    if op is None or operands is None:
        return None
    known = [v for v in scope(op) if str(v.type) == _TOKENS]
    choices: list[list[ir.Value]] = [[], *([value] for value in known)]
    if len(known) > 1:
        choices.append([_joined(op, draft.random.sample(known, 2))])
    choices = [choice for choice in choices if choice != operands["token"]]
    if not choices:
        return None
    operands["token"] = draft.random.choice(choices)
    made = with_segments(op, operands)
    new = operands["token"]
    return f"{op_stem(made)}: {text_of(new[0]) if new else 'none'}"


def _joined(op: ir.Operation, tokens: list[ir.Value]) -> ir.Value:
    made = ir.Operation.create(
        "cuda_tile.join_tokens",
        results=[tokens[0].type],
        operands=tokens,
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    return made.results[0]


@mutation("mask: of an access")
def mask(draft: Draft) -> str | None:
    """An access through pointers gets a mask, another one, or none."""
    op = _with_optional(draft, "mask")
    operands = segments(op) if op is not None else None
    if op is None or operands is None:
        return None
    pointers = ct.TileType(op.operands[0].type)
    wanted = ir.Type.parse(str(ct.TileType.get(pointers.shape, _bit())))
    known = [v for v in scope(op) if v.type == wanted and [v] != operands["mask"]]
    choices: list[list[ir.Value]] = [[value] for value in known]
    choices += [[]] if operands["mask"] else []
    if pointers.shape:
        choices.append([_part(draft, op, list(pointers.shape))])
    if not choices:
        return None
    operands["mask"] = draft.random.choice(choices)
    padding = operands.get("paddingValue")
    if padding is not None:
        operands["paddingValue"] = _padding(draft, op, bool(operands["mask"]))
    stem = op_stem(op)
    with_segments(op, operands)
    return f"{stem}: {text_of(operands['mask'][0]) if operands['mask'] else 'none'}"


def _bit() -> ir.Type:
    return ir.IntegerType.get_signless(1)


def _padding(draft: Draft, op: ir.Operation, is_masked: bool) -> list[ir.Value]:
    """A value for what a mask hides: any of the type, or -1."""
    if not is_masked:
        return []
    found = rivals(op, op.results[0])
    if found and draft.random.randrange(2):
        return [draft.random.choice(found)]
    kind = op.results[0].type
    is_float = "f" in str(ct.TileType(kind).element_type)
    return [_constant(op, kind, "-1.0" if is_float else "-1")]


def _constant(op: ir.Operation, kind: ir.Type, text: str) -> ir.Value:
    made = ir.Operation.parse(
        f'"cuda_tile.constant"() <{{value = dense<{text}> : {kind}}}> : () -> {kind}'
    )
    ir.InsertionPoint(op).insert(made)
    return made.results[0]


def _part(draft: Draft, op: ir.Operation, shape: list[int]) -> ir.Value:
    """A mask that is open for the first places along the last dimension."""
    extent, rank = shape[-1], len(shape)
    number = ir.IntegerType.get_signless(32)
    row = ct.TileType.get([extent], number)
    line = ct.TileType.get([1] * (rank - 1) + [extent], number)
    whole, bits = ct.TileType.get(shape, number), ct.TileType.get(shape, _bit())
    limit = draft.random.choice((0, 1, extent // 2, extent - 1, extent))
    steps: list[tuple[str, ir.Type]] = [("iota", row), ("reshape", line)]
    value: list[ir.Value] = []
    for name, kind in [*steps, ("broadcast", whole)]:
        made = ir.Operation.create(
            f"cuda_tile.{name}",
            results=[kind],
            operands=value,
            loc=op.location,
            ip=ir.InsertionPoint(op),
        )
        value = [made.results[0]]
    word = draft.random.choice(("less_than", "greater_than_or_equal"))
    made = ir.Operation.create(
        "cuda_tile.cmpi",
        results=[bits],
        operands=[*value, _constant(op, whole, str(limit))],
        attributes={
            "comparison_predicate": ct.ComparisonPredicateAttr.get(word),
            "signedness": ct.SignednessAttr.get("signed"),
        },
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    return made.results[0]


# Arguments ----------------------------------------------------------------------------


@mutation("alias")
def alias(draft: Draft) -> str | None:
    """Two arguments share an array, at the same place or at a shifted one."""
    arrays = draft.arrays()
    pairs = [
        (i, j)
        for i in arrays
        for j in arrays
        if i != j and _array(draft, i).element == _array(draft, j).element
    ]
    if not pairs:
        return None
    kept, other = draft.random.choice(pairs)
    shift = draft.random.choice((0, 0, 1, 4, 16))
    first, second = _array(draft, kept), _array(draft, other)
    size = max(first.size, second.size) + shift
    ulp, scale = max(first.ulp, second.ulp), max(first.scale, second.scale)
    shared = replace(first, size=size, ulp=ulp, scale=scale)
    draft.set_argument(kept, shared)
    draft.set_argument(
        other,
        replace(
            shared,
            start=first.start + shift,
            shape=second.shape,
            strides=second.strides,
        ),
    )
    return f"arguments {kept} and {other}, {shift} apart"


def _array(draft: Draft, number: int) -> ArrayArgument:
    argument = draft.case.args[number]
    assert isinstance(argument, ArrayArgument)
    return argument
