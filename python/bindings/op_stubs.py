# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the type stub of generated op classes: mlir-tblgen gives parameters no types.

Usage: op_stubs.py OPS_GEN_PY STUB. A parameter gets its type from the property of the
same name, whose type mlir-tblgen does write: an operand, operands, or an attribute.
Parameters without a property are types of results, or regions.
"""

import ast
import sys
from pathlib import Path

HEAD = '''"""The generated classes of ops, for type checkers."""

from collections.abc import Sequence
from typing import Any

import cuda_tile._mlir.ir as _ods_ir

_Value = _ods_ir.Value | _ods_ir.Operation | _ods_ir.OpView
_Types = Sequence[_ods_ir.Type]
# An attribute, or what its builder makes it of: a string, a number, a list.
_Attribute = _ods_ir.Attribute | str | float | Sequence[Any]
'''

# What each kind of property takes in a constructor; all others are attributes.
TAKEN = {
    "_ods_ir.Value": "_Value",
    "_ods_ir.OpOperandList": "Sequence[_Value]",
    "_Optional[_ods_ir.Value]": "_Value | None",
    "_ods_ir.OpResult": "_ods_ir.Type",
    "_ods_ir.OpResultList": "_Types",
    "bool": "bool",
    "": "Any",
}
WHERE = {
    "results": "_Types | _ods_ir.Operation | None",
    "loc": "_ods_ir.Location | None",
    "ip": "_ods_ir.InsertionPoint | None",
}

# What every operation has; an op may call something else by the same name.
BASE = {"name": "str", "result": "_ods_ir.OpResult"}
OVERRIDE = "  # pyright: ignore[reportIncompatibleMethodOverride]"


def returned(annotation: ast.expr | None) -> str:
    """The type that a property or function gives."""
    text = "Any" if annotation is None else ast.unparse(annotation)
    if text.startswith("_Union["):
        # A function of an op with variadic results: one, several or the op.
        return "Any"
    if text.startswith("_Optional["):
        return f"{text[len('_Optional[') : -1]} | None"
    return text


def properties(class_: ast.ClassDef) -> dict[str, str]:
    """Name and type of each property."""
    return {
        item.name: "Any" if item.returns is None else ast.unparse(item.returns)
        for item in class_.body
        if isinstance(item, ast.FunctionDef)
        and any("property" in ast.unparse(d) for d in item.decorator_list)
    }


def parameter(name: str, known: dict[str, str], default: bool) -> str:
    """A parameter with its type."""
    if name in WHERE and name not in known:
        return f"{name}: {WHERE[name]} = ..."
    taken = TAKEN.get(known.get(name, ""), "_Attribute")
    if not default:
        return f"{name}: {taken}"
    return f"{name}: {taken.removesuffix(' | None')} | None = ..."


def parameters(function: ast.FunctionDef, known: dict[str, str]) -> str:
    """The parameters of a constructor or function."""
    arguments = function.args
    words = [
        argument.arg
        if argument.arg == "self"
        else parameter(argument.arg, known, False)
        for argument in arguments.args
    ]
    words.append("*")
    for argument, default in zip(
        arguments.kwonlyargs, arguments.kw_defaults, strict=True
    ):
        words.append(parameter(argument.arg, known, default is not None))
    return ", ".join(words)


def class_stub(class_: ast.ClassDef) -> list[str]:
    """The lines of one op class."""
    bases = ", ".join(ast.unparse(base) for base in class_.bases)
    lines = [f"class {class_.name}({bases}):"]
    known = properties(class_)
    for item in class_.body:
        if isinstance(item, ast.Assign):
            value = ast.literal_eval(item.value)
            lines.append(f"    {ast.unparse(item.targets[0])}: {type_of(value)}")
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            lines.append(f"    def __init__({parameters(item, known)}) -> None: ...")
    for name, kind in known.items():
        text = returned(ast.parse(kind, mode="eval").body)
        note = OVERRIDE if name in BASE and BASE[name] != text else ""
        lines += ["    @property", f"    def {name}(self) -> {text}: ...{note}"]
    return lines if len(lines) > 1 else [*lines, "    ..."]


def type_of(value: object) -> str:
    """The type of a class constant."""
    if isinstance(value, tuple):
        return f"tuple[{', '.join(type(item).__name__ for item in value)}]"
    return "Any" if value is None or isinstance(value, list) else type(value).__name__


def stub(source: str) -> str:
    """The whole stub."""
    lines: list[str] = []
    known: dict[str, str] = {}
    for item in ast.parse(source).body:
        if isinstance(item, ast.ClassDef):
            lines += class_stub(item)
            known = {
                snake(name): kind for name, kind in properties(item).items()
            } | properties(item)
        elif isinstance(item, ast.FunctionDef):
            text = returned(item.returns)
            lines.append(f"def {item.name}({parameters(item, known)}) -> {text}: ...")
    return HEAD + "\n" + "\n".join(lines) + "\n"


def snake(name: str) -> str:
    """`lowerBound` as functions spell it, `lower_bound`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(stub(Path(sys.argv[1]).read_text()))
