# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values for an editor: numbered references that it asks for the children of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cuda_tile.debug.values import (
    Shown,
    array_kind,
    as_array,
    children,
    one_line,
    statistics,
)
from cuda_tile.errors import UserError

Asked = Mapping[str, Any]
"""The arguments of `variables`: `filter`, `start`, `count`."""
Children = Callable[[Asked], list[dict[str, Any]]]


@dataclass
class References:
    """The references that an editor may ask for until the launch goes on."""

    _children: list[Children] = field(default_factory=list[Children])

    def clear(self) -> None:
        """The launch goes on."""
        self._children.clear()

    def add(self, make: Children) -> int:
        """A reference, from 1."""
        self._children.append(make)
        return len(self._children)

    def children(self, arguments: Asked) -> list[dict[str, Any]]:
        """The answer to `variables`.

        Raises:
            UserError: The reference is of an earlier stop.
        """
        number = int(arguments.get("variablesReference", 0))
        if not 0 < number <= len(self._children):
            raise UserError(f"expected a reference of this stop, got {number}")
        return self._children[number - 1](arguments)

    def group(self, values: Mapping[str, Shown]) -> int:
        """A reference to named values."""
        return self.add(
            lambda asked: [self.variable(n, value) for n, value in values.items()]
        )

    def variable(self, name: str, value: Shown) -> dict[str, Any]:
        """One variable: arrays have children, their statistics and rows."""
        found = {
            "name": name,
            "value": value.line(),
            "type": value.kind,
            "evaluateName": name,
            "variablesReference": 0,
        }
        return found | (self.array(value.value, value.lost) if value.is_array else {})

    def array(self, array: Any, lost: int = 0) -> dict[str, Any]:
        """The parts of a variable or result that let an editor open an array."""
        facts = statistics(array, lost)

        def make(asked: Asked) -> list[dict[str, Any]]:
            named = [_plain(name, text) for name, text in facts.items()]
            rows = self._rows(array, asked)
            if asked.get("filter") == "named":
                return named
            return rows if asked.get("filter") == "indexed" else [*named, *rows]

        return {
            "variablesReference": self.add(make),
            "namedVariables": len(facts),
            "indexedVariables": len(array),
        }

    def _rows(self, array: Any, asked: Asked) -> list[dict[str, Any]]:
        start, count = int(asked.get("start") or 0), int(asked.get("count") or 0)
        return [
            self.variable(name, Shown(row, _kind(row)))
            for name, row in children(array, start, count)
        ]

    def result(self, value: Any) -> dict[str, Any]:
        """The answer to `evaluate`."""
        body = {"result": one_line(value), "type": _kind(value)}
        array = as_array(value)
        if array is not None and array.ndim:
            return body | self.array(array)
        return body | {"variablesReference": 0}


def _plain(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "value": text, "variablesReference": 0}


def _kind(value: Any) -> str:
    array = as_array(value)
    if array is not None and array.ndim:
        return array_kind(array)
    return str(value.dtype) if hasattr(value, "dtype") else type(value).__name__
