# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes of ops as plain Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    AtomicRMWModeAttr,
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    IntegerOverflowAttr,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    MultimemReductionAttr,
    PaddingValueAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from cuda_tile.errors import InternalError

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int"

KeywordAttr = (
    AtomicRMWModeAttr
    | ComparisonOrderingAttr
    | ComparisonPredicateAttr
    | IntegerOverflowAttr
    | MemoryOrderingSemanticsAttr
    | MemoryScopeAttr
    | MultimemReductionAttr
    | PaddingValueAttr
    | RoundingModeAttr
    | SignednessAttr
)
"""The attributes that hold one keyword of a fixed list."""


def keyword(op: ir.Operation, name: str, default: str = "") -> str:
    """An enum attribute as the keyword of the text form.

    Args:
        op: The op.
        name: The attribute.
        default: The keyword where it is absent.

    Raises:
        InternalError: The attribute is no keyword.
    """
    if name not in op.attributes:
        return default
    attr = op.attributes[name]
    if not isinstance(attr, KeywordAttr):
        raise InternalError(f"expected a keyword for {name} of {op.name}, got {attr}")
    return attr.value


def flag(op: ir.Operation, name: str) -> bool:
    """Whether a unit attribute is set.

    Args:
        op: The op.
        name: The attribute.
    """
    return name in op.attributes


def attributes_of(op: ir.Operation) -> dict[str, ir.Attribute]:
    """All attributes of an op, by name."""
    pairs = cast("Any", op.attributes).items()
    return dict(cast("list[tuple[str, ir.Attribute]]", list(pairs)))


def integer(op: ir.Operation, name: str) -> int:
    """An integer attribute.

    Args:
        op: The op.
        name: The attribute.
    """
    return ir.IntegerAttr(op.attributes[name]).value


def text(op: ir.Operation, name: str) -> str:
    """A string attribute.

    Args:
        op: The op.
        name: The attribute.
    """
    return ir.StringAttr(op.attributes[name]).value


def integers(op: ir.Operation, name: str) -> tuple[int, ...]:
    """A dense array attribute of i32 or i64.

    Args:
        op: The op.
        name: The attribute.
    """
    attr = op.attributes[name]
    if isinstance(attr, ir.DenseI32ArrayAttr):
        return tuple(ir.DenseI32ArrayAttr(attr))
    return tuple(ir.DenseI64ArrayAttr(attr))


def attribute_of(value: Json) -> ir.Attribute:
    """Converts a JSON value to an attribute: objects, lists, texts, booleans, i64."""
    match value:
        case Mapping():
            return ir.DictAttr.get({key: attribute_of(v) for key, v in value.items()})
        case str():
            return ir.StringAttr.get(value)
        case bool():
            return ir.BoolAttr.get(value)
        case int():
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        case _:
            return ir.ArrayAttr.get([attribute_of(item) for item in value])


def value_of(attribute: ir.Attribute) -> Any:
    """Inverse of `attribute_of`.

    Raises:
        ValueError: The attribute, or a part of it, is of another kind.
    """
    match attribute:
        case ir.DictAttr():
            return {item.name: value_of(item.attr) for item in attribute}
        case ir.ArrayAttr():
            return [value_of(item) for item in attribute]
        case ir.StringAttr():
            return attribute.value
        case ir.IntegerAttr() | ir.BoolAttr():
            return attribute.value
        case _:
            raise ValueError(
                "expected a dictionary, array, string, truth or integer, got "
                f"{attribute}"
            )
