# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a cuTile Python program calls its values, read from its source.

An op that stands at the place of an assignment's right side makes the variable on the
left. cuTile's columns count from 0, as Python's syntax tree does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from cuda_tile.locations import Place

Position = tuple[int, int]


@dataclass
class PythonNames:
    """The names in one Python file.

    Attributes:
        assigned: Variables by the place of what is assigned to them.
        loops: Loop variables by the place of their `for`.
        parameters: Parameters of functions by their place.
        functions: First and last line of each function, and its name.
        signatures: The parameters of each function.
        calls: Calls by their place.
    """

    assigned: dict[Position, str] = field(default_factory=dict[Position, str])
    loops: dict[Position, str] = field(default_factory=dict[Position, str])
    parameters: dict[Position, str] = field(default_factory=dict[Position, str])
    functions: list[tuple[int, int, str]] = field(
        default_factory=list[tuple[int, int, str]]
    )
    signatures: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    calls: dict[Position, ast.Call] = field(default_factory=dict[Position, ast.Call])

    @classmethod
    def of(cls, text: str) -> PythonNames:
        """Those of a source text; none where it is not Python."""
        names = cls()
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return names
        for node in ast.walk(tree):
            names._read(node)
        return names

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            for target, place in _pairs(node):
                self.assigned.setdefault(place, target)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            self.loops[node.lineno, node.col_offset] = node.target.id
        elif isinstance(node, ast.arg):
            self.parameters[node.lineno, node.col_offset] = node.arg
        elif isinstance(node, ast.FunctionDef):
            last = node.end_lineno or node.lineno
            self.functions.append((node.lineno, last, node.name))
            self.signatures[node.name] = [arg.arg for arg in node.args.args]
        elif isinstance(node, ast.Call):
            self.calls[node.lineno, node.col_offset] = node

    def function_at(self, line: int) -> str | None:
        """The innermost function around a line."""
        around = [each for each in self.functions if each[0] <= line <= each[1]]
        return max(around)[2] if around else None

    def bound(self, call: Place, function: str) -> dict[str, str]:
        """The variables that a call passes on, by the function's parameter."""
        node = self.calls.get((call.line, call.column))
        if node is None:
            return {}
        pairs = [
            *zip(self.signatures.get(function, []), node.args, strict=False),
            *((word.arg, word.value) for word in node.keywords),
        ]
        return {
            name: value.id
            for name, value in pairs
            if name is not None and isinstance(value, ast.Name)
        }

    def result(self, place: Place) -> str | None:
        """The variable that an op at a place makes."""
        return self.assigned.get((place.line, place.column))

    def loop(self, place: Place) -> str | None:
        """The variable of a loop."""
        return self.loops.get((place.line, place.column))

    def parameter(self, place: Place) -> str | None:
        """The parameter at a place."""
        return self.parameters.get((place.line, place.column))


def _pairs(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign,
) -> Iterator[tuple[str, Position]]:
    """Names, and the places of the expressions that are assigned to them.

    An op of `x += y` stands at the statement itself.
    """
    if isinstance(node, ast.AugAssign):
        if isinstance(node.target, ast.Name):
            yield node.target.id, (node.lineno, node.col_offset)
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if node.value is not None:
            yield from _split(target, node.value)


def _split(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Position]]:
    if isinstance(target, ast.Name):
        yield target.id, (value.lineno, value.col_offset)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for part, item in zip(target.elts, value.elts, strict=False):
            yield from _split(part, item)
