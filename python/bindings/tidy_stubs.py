# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completes the generated type stubs: what stubgen cannot see gets its type.

Usage: tidy_stubs.py FILE...; each file is changed in place. A rule that finds
nothing is an error, so that none outlives a change of MLIR or of nanobind.
"""

import re
import sys
from pathlib import Path

# What Enum keeps for itself; nothing that users of an enumeration see.
ENUM_INTERNALS = (r"^ +_[a-z0-9_]+_(: \w+)? = .*\n\n", "")

RULES = {
    "ir.pyi": [
        ENUM_INTERNALS,
        # Slots of C, of what is a `Sequence` of its type anyway.
        (
            r'^    def __(getitem|len)__\(self(, key)?, /\):\n +"""Return .*\n\n',
            "",
        ),
        # A value is generic over its type; without arguments it has any type.
        (r"(?<=import Any, )TypeVar, overload", "Generic, overload"),
        (
            r'= TypeVar\("_T", bound=Type\)',
            '= typing_extensions.TypeVar("_T", bound=Type, default=Type, '
            "covariant=True)",
        ),
        (r"def set_type\(self, type: _T\):", "def set_type(self, type: Type) -> None:"),
        # The docstring says it: arguments belong to a block.
        (
            r"(class Value(?:.*\n)+?    def owner\(self\) -> OpView)(?=:)",
            r"\1 | Block",
        ),
        # Context managers give themselves.
        (
            r"def __enter__\(self\) -> object",
            "def __enter__(self) -> typing_extensions.Self",
        ),
        # Arguments of operations.
        (r"attributes: dict\b(?!\[)", "attributes: dict[str, Attribute]"),
        (r"results: list \|", "results: list[Type] |"),
        # An operand may also be an operation or, for segments, a sequence.
        (r"operands: list \|", "operands: list[Any] |"),
        (r"\*args, \*\*kwargs", "*args: Any, **kwargs: Any"),
        (r"_ODS_REGIONS: tuple ", "_ODS_REGIONS: tuple[int, bool] "),
        (r"exceptions: list\b", "exceptions: list[Operation]"),
        # Blocks: argument types, one location each.
        (r"\*(args|arg_types), arg_locs", r"*\1: Type, arg_locs"),
        (r"arg_types: Sequence = ", "arg_types: Sequence[Type] = "),
        (r"arg_locs: Sequence \|", "arg_locs: Sequence[Location] |"),
        # Attributes of an operation.
        (r"def __iter__\(self\) -> Iterator:", "def __iter__(self) -> Iterator[str]:"),
        (r"def keys\(self\) -> list:", "def keys(self) -> list[str]:"),
        (r"def values\(self\) -> list:", "def values(self) -> list[Attribute]:"),
        (
            r"def items\(self\) -> list:",
            "def items(self) -> list[tuple[str, Attribute]]:",
        ),
        (r"-> tuple:(?=\n +\"\"\".*note)", "-> tuple[Diagnostic, ...]:"),
        # Attribute values.
        (r"value: dict = ", "value: dict[str, Attribute] = "),
        (r"attributes: list, ", "attributes: list[Attribute], "),
        (r"attrs: list, ", "attrs: list[Attribute], "),
        (r"values: Sequence, ", "values: Sequence[bool], "),
        (r"arg: list, /\) -> DenseBool", "arg: list[bool], /) -> DenseBool"),
        (r"arg: list, /\) -> DenseI", "arg: list[int], /) -> DenseI"),
        (r"arg: list, /\) -> DenseF", "arg: list[float], /) -> DenseF"),
        (r"arg: list, /\) -> Array", "arg: list[Attribute], /) -> Array"),
        # Builders of attributes take a Python value and a context.
        (r"Callable(?=:$|, replace)", "Callable[[Any, Context], Attribute]"),
        # Types.
        (r"def (inputs|results)\(self\) -> list:", r"def \1(self) -> list[Type]:"),
        (r"scalable: list \|", "scalable: list[bool] |"),
        (r"(shape: |shape\(self\) -> )list\b(?!\[)", r"\1list[int]"),
        # Affine expressions.
        (r"exprs: list, ", "exprs: list[AffineExpr], "),
        (r"arg0: list, arg1: Context", "arg0: list[AffineMap], arg1: Context"),
    ],
    "passmanager.pyi": [
        ENUM_INTERNALS,
        (
            r"run: Callable,",
            "run: Callable[[cuda_tile._mlir.ir.Operation, ExternalPass], object],",
        ),
    ],
    "rewrite.pyi": [
        ENUM_INTERNALS,
        # The extension's own name, under which nothing can import it.
        (r"(?<![\w.])_mlir\.ir\b", "cuda_tile._mlir.ir"),
        (r"^import enum\n", r"\g<0>from cuda_tile._mlir.ir import Context\n"),
        # What PDL hands a function depends on the pattern.
        (r"arg1: Callable, ", "arg1: Callable[..., object], "),
    ],
    "_cuda_tile.pyi": [
        # Upstream's signatures name these without their module.
        (
            r"^import cuda_tile\._mlir\.ir\n",
            r"\g<0>from cuda_tile._mlir.ir import Context, Location, TypeID\n",
        ),
    ],
}


def tidy(path: Path) -> None:
    """Applies the rules of one stub."""
    text = path.read_text()
    for pattern, replacement in RULES.get(path.name, []):
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        if count == 0:
            sys.exit(f"{path}: expected a match of the rule {pattern!r}, got none")
    path.write_text(text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        tidy(Path(name))
