# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dictionary attribute of a plan, and its fields as Python values.

The dataclass of a plan declares each field once, by `number_field` or `word_field`: its
kind, its default and its allowed values. An undeclared field is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.attributes import attribute_of
from cuda_tile.ir.walk import op_stem

PLAN_ATTRIBUTE = "tileas.plan"


def plan_attribute(values: Mapping[str, int | str]) -> ir.Attribute:
    """The dictionary attribute that holds some fields; integers are i64."""
    return attribute_of(values)


def chosen_fields(plan: Any) -> dict[str, Any]:
    """The fields of a plan whose values differ from their defaults."""
    declared = (f for f in fields(plan) if "kind" in f.metadata)
    values = ((f, getattr(plan, f.name)) for f in declared)
    return {f.name: value for f, value in values if value != f.default}


def number_field(default: int = 0, allowed: range | None = None) -> Any:
    """A field of a plan that holds an integer.

    Args:
        default: Its value if it is left out.
        allowed: The values that it takes; None if another check decides.
    """
    return field(default=default, metadata={"kind": int, "allowed": allowed})


def word_field(default: str = "", *others: str) -> Any:
    """A field of a plan that holds a word.

    Args:
        default: Its value if it is left out.
        others: The other words that it takes; any word if there are none.
    """
    allowed = (default, *others) if others else None
    return field(default=default, metadata={"kind": str, "allowed": allowed})


def kinds_of(plan: type) -> Mapping[str, type]:
    """The fields that the dataclass of a plan declares, with their kinds."""
    return {f.name: f.metadata["kind"] for f in fields(plan) if "kind" in f.metadata}


def plan_values(op: ir.Operation, plan: type) -> dict[str, Any]:
    """The plan dictionary of `op` as Python values, each checked by its declaration.

    Args:
        op: The op.
        plan: The dataclass that declares the fields.

    Raises:
        UserError: A field is unknown, or has a value that is not allowed.
    """
    attribute = op.attributes[PLAN_ATTRIBUTE]
    if not isinstance(attribute, ir.DictAttr):
        raise UserError(f"expected a dictionary as '{PLAN_ATTRIBUTE}', got {attribute}")
    known = {f.name: f for f in fields(plan) if "kind" in f.metadata}
    values: dict[str, Any] = {}
    for item in attribute:
        if item.name not in known:
            raise UserError(
                f"expected only {', '.join(known)} in '{PLAN_ATTRIBUTE}' of "
                f"'{op_stem(op)}', got '{item.name}'{_nearest(item.name, known)}",
            )
        declared = known[item.name].metadata
        values[item.name] = _value(item, declared["kind"])
        _check(item.name, values[item.name], declared["allowed"])
    return values


def _nearest(name: str, known: Iterable[str]) -> str:
    """A suggestion for an unknown name."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def _check(name: str, got: int | str, allowed: range | tuple[str, ...] | None) -> None:
    if allowed is None or got in allowed:
        return
    if isinstance(allowed, range):
        wanted = f"{name} of {allowed[0]} to {allowed[-1]}"
    else:
        wanted = f"{name} to be {' or '.join(filter(None, allowed))}"
        got = f"'{got}'"
    raise UserError(f"expected {wanted} in '{PLAN_ATTRIBUTE}', got {got}")


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
