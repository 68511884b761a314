"""Attributes of ops as plain Python values."""

from __future__ import annotations

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
    """An enum attribute as the keyword the text form uses."""
    if name not in op.attributes:
        return default
    attr = op.attributes[name]
    if not isinstance(attr, KeywordAttr):
        raise InternalError(f"expected a keyword for {name} of {op.name}, got {attr}")
    return attr.value


def flag(op: ir.Operation, name: str) -> bool:
    """Whether a unit attribute is set."""
    return name in op.attributes


def integer(op: ir.Operation, name: str) -> int:
    """An integer attribute."""
    return ir.IntegerAttr(op.attributes[name]).value


def integers(op: ir.Operation, name: str) -> tuple[int, ...]:
    """A dense array attribute of i32 or i64."""
    attr = op.attributes[name]
    if isinstance(attr, ir.DenseI32ArrayAttr):
        return tuple(ir.DenseI32ArrayAttr(attr))
    return tuple(ir.DenseI64ArrayAttr(attr))
