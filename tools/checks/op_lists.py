# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds lists of ops in the compiler that are no rule tables, and fails on them.

What holds of an op whoever asks is a fact: ODS declares it, `ir/traits.py` reads it. A
tuple, list or set of two or more names of ops is a second list of a fact, unless it is

- the keys of a dictionary: what to do with each op;
- arguments of `register`, or of `dict.fromkeys`: the ops of one rule;
- arguments of `ops_by_rule`, which takes the reason why the rule is one of its own;
- names on the right of an assignment to as many variables.

A name may stand for itself, or a constant of the compiler for it. A comparison with
the name of an op asks for what no fact says; there may be `MOST_COMPARISONS`. Ends with
`N passed, N failed`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from cuda_tile import ods

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "cuda_tile"
FOLDERS = (
    *("analysis", "codegen", "emit", "engines", "ir", "layout"),
    *("passes", "pictures", "place", "plan", "reducer", "rewrites", "stage"),
)
MOST_COMPARISONS = 180
"""Comparisons with names of ops in all files; what several ask is a fact."""
RULES = ("register", "fromkeys", "ops_by_rule")
"""Functions whose arguments are the ops of a rule."""
NAMES = frozenset(ods.ops()) | frozenset(map(ods.full_name, ods.ops()))

Constants = Mapping[str, str]
"""Texts that hold the name of an op, by the name of the constant."""


def compiler_files() -> list[Path]:
    """The compiler's Python, without the judges, which share no facts with it."""
    inner = (file for folder in FOLDERS for file in (PACKAGE / folder).rglob("*.py"))
    return sorted([*PACKAGE.glob("*.py"), *inner])


def constants_in(tree: ast.Module) -> dict[str, str]:
    """The constants of a file that hold the name of an op."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            targets, values = [target], [value]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                targets, values = target.elts, value.elts
            for each, text in zip(targets, values, strict=False):
                if isinstance(each, ast.Name) and (name := _op_in(text, {})):
                    found[each.id] = name
    return found


def _op_in(node: ast.expr, constants: Constants) -> str | None:
    """The name of an op that an expression is; None if it is none."""
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if node.value in NAMES else None
    return None


def _allowed(tree: ast.Module) -> set[ast.AST]:
    """The literals that are parts of rules or of an assignment to variables."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            found |= {node.targets[0], node.value}
        if isinstance(node, ast.Call):
            function = node.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in RULES:
                found |= {part for each in node.args for part in ast.walk(each)}
    return found


def lists_in(tree: ast.Module, constants: Constants) -> Iterator[tuple[int, list[str]]]:
    """Line and names of each list of ops in a file that is no part of a rule.

    Args:
        tree: The file.
        constants: Those of all files.
    """
    allowed = _allowed(tree)
    for node in ast.walk(tree):
        is_literal = isinstance(node, ast.Tuple | ast.List | ast.Set)
        if is_literal and node not in allowed:
            parts = [e for e in node.elts if not isinstance(e, ast.Starred)]
            names = [name for e in parts if (name := _op_in(e, constants))]
            if len(names) > 1 and len(names) == len(parts):
                yield node.lineno, names


def comparisons_in(tree: ast.Module, constants: Constants) -> int:
    """How often a file compares something with the name of an op."""
    return sum(
        _op_in(each, constants) is not None
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for each in (node.left, *node.comparators)
    )


def main() -> int:
    """Lists what is no rule; 1 if there is any."""
    trees = {path: ast.parse(path.read_text()) for path in compiler_files()}
    constants: dict[str, str] = {}
    for tree in trees.values():
        constants |= constants_in(tree)
    failed = 0
    for path, tree in trees.items():
        found = list(lists_in(tree, constants))
        failed += bool(found)
        for line, names in found:
            print(
                f"{path.relative_to(ROOT)}:{line}: expected a fact of ir/traits.py, or "
                f"ops_by_rule with a reason, got a list of ops: {', '.join(names)}"
            )
    count = sum(comparisons_in(tree, constants) for tree in trees.values())
    failed += count > MOST_COMPARISONS
    print(f"{count} comparisons with names of ops, of {MOST_COMPARISONS}")
    print(f"{len(trees) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
