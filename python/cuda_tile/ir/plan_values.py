# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dictionary attribute of a plan, and its fields as Python values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.walk import op_stem

PLAN_ATTRIBUTE = "tileas.plan"


def plan_attribute(values: Mapping[str, int | str]) -> ir.Attribute:
    """The dictionary attribute that holds some fields; integers are i64."""
    i64 = ir.IntegerType.get_signless(64)
    return ir.DictAttr.get(
        {
            key: ir.StringAttr.get(value)
            if isinstance(value, str)
            else ir.IntegerAttr.get(i64, value)
            for key, value in values.items()
        }
    )


def plan_values(op: ir.Operation, known: Mapping[str, type]) -> dict[str, Any]:
    """The plan dictionary of `op` as Python values, keys and types checked."""
    attribute = op.attributes[PLAN_ATTRIBUTE]
    if not isinstance(attribute, ir.DictAttr):
        raise UserError(f"expected a dictionary as '{PLAN_ATTRIBUTE}', got {attribute}")
    values: dict[str, Any] = {}
    for item in attribute:
        if item.name not in known:
            raise UserError(
                f"expected only {', '.join(known)} in '{PLAN_ATTRIBUTE}' of "
                f"'{op_stem(op)}', got '{item.name}'",
            )
        values[item.name] = _value(item, known[item.name])
    return values


def _value(item: ir.NamedAttribute, kind: type) -> int | str:
    attribute = item.attr
    if kind is str and isinstance(attribute, ir.StringAttr):
        return attribute.value
    if (
        kind is int
        and isinstance(attribute, ir.IntegerAttr)
        and str(attribute.type) == "i64"
    ):
        return attribute.value
    wanted = "a string" if kind is str else "an i64 integer"
    raise UserError(
        f"expected {wanted} as {item.name} in '{PLAN_ATTRIBUTE}', got {attribute}",
    )
