"""Attributes of ops as plain Python values."""

from __future__ import annotations

from cuda_tile._mlir import ir


def keyword(op: ir.Operation, name: str, default: str = "") -> str:
    """An enum attribute as the keyword the text form uses."""
    return op.attributes[name].value if name in op.attributes else default


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
