# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's own passes, written in Python, known to every pipeline text and tool."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path
from typing import Any, TypeVar

from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.errors import UserError, expect

PassFunction = TypeVar("PassFunction", bound=Callable[..., None])

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_READERS: dict[type, Callable[[str], Any]] = {
    bool: lambda text: {"true": True, "1": True, "false": False, "0": False}[text],
    int: int,
    float: float,
    str: str,
}


@dataclass
class _UserPass:
    """What MLIR's registry calls; the function can be replaced by a later one.

    Attributes:
        function: The user's function.
        defaults: The values of its keyword-only parameters, the pass's options.
    """

    function: Callable[..., None]
    defaults: dict[str, Any]

    def __call__(self, op: Any, given: dict[str, str]) -> None:
        values = {
            name: _read(name, given[_flag(name)], default)
            for name, default in self.defaults.items()
        }
        self.function(op, **values)


# MLIR keeps one list of passes per process, from which nothing can be taken; this is
# what its entries of ours call.
_registered: dict[str, _UserPass] = {}


def register_pass(
    name: str, summary: str = ""
) -> Callable[[PassFunction], PassFunction]:
    """Makes a function a pass: `@register_pass("my-pass", "what it does")`.

    The function gets the op that the pipeline runs on (`builtin.module` mostly) and
    changes it in place; an exception fails the pass. Keyword-only parameters with a
    default of type bool, int, float or str are options: `my-pass{factor=2}`. A second
    function of the same name with the same options replaces the first, so that a
    notebook's cell can be run again.

    Args:
        name: In pipelines, and the flag of `cuda-tile-opt`: lower-case words with `-`.
        summary: A line for `--help`; the docstring's first line if empty.

    Raises:
        UserError: The name is not allowed or taken, or a parameter is no option.
    """
    expect("name", name, str, "that of a pass: @cuda_tile.register_pass('my-pass')")
    expect("summary", summary, str, "a line of text")
    if not _NAME.fullmatch(name):
        raise UserError(
            f"expected a pass name of lower-case words joined by '-', got '{name}'"
        )

    def register(function: PassFunction) -> PassFunction:
        expect(f"pass '{name}'", function, Callable, "a function")
        defaults = _options_of(name, function)
        known = _registered.get(name)
        if known is not None and _texts(known.defaults) == _texts(defaults):
            known.function, known.defaults = function, defaults
            return function
        doc = (inspect.getdoc(function) or "").partition("\n")[0]
        flags = [(flag, text, "") for flag, text in _texts(defaults).items()]
        made = _UserPass(function, defaults)
        try:
            _cuda_tile.register_pass(name, summary or doc, flags, made)
        except ValueError:
            raise UserError(
                f"expected a new pass name, got '{name}', which is taken by a pass "
                "with other options; choose another"
            ) from None
        _registered[name] = made
        return function

    return register


def load_passes(path: str) -> list[str]:
    """Runs a Python file that registers passes; their names.

    Raises:
        UserError: There is no such file, it fails, or it registers no pass.
    """
    if not Path(path).is_file():
        raise UserError(f"expected a Python file with passes, found no '{path}'")
    before = {name: known.function for name, known in _registered.items()}
    try:
        run_path(path, run_name="__cuda_tile_passes__")
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{path}: the file failed: {type(error).__name__}: {error}"
        ) from error
    new = [n for n, known in _registered.items() if before.get(n) != known.function]
    if not new:
        raise UserError(
            f"{path}: expected a function under @cuda_tile.register_pass('name'), "
            "found none"
        )
    return new


def registered_passes() -> list[str]:
    """The names of the user's passes, in the order of registration."""
    return list(_registered)


def options_of(name: str) -> list[str]:
    """The options of a user's pass, as flags."""
    return list(_texts(_registered[name].defaults))


def _options_of(name: str, function: Callable[..., None]) -> dict[str, Any]:
    """The defaults of the keyword-only parameters.

    Raises:
        UserError: The function has another number of parameters than one, one without
            a default, or none that Python knows.
    """
    positional = 0
    options: dict[str, Any] = {}
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a class of C has none
        raise UserError(
            f"pass '{name}': expected a function of Python, got {function!r}"
        ) from None
    for parameter in parameters:
        if parameter.kind is not parameter.KEYWORD_ONLY:
            positional += 1
        elif type(parameter.default) in _READERS:
            options[parameter.name] = parameter.default
        else:
            raise UserError(
                f"pass '{name}': expected option '{parameter.name}' to have a default "
                f"of bool, int, float or str"
            )
    if positional != 1:
        raise UserError(
            f"pass '{name}': expected a function of one op, got one of {positional} "
            "parameters; options are keyword-only: def f(op, *, factor: int = 2)"
        )
    return options


def _flag(name: str) -> str:
    return name.replace("_", "-")


def _texts(defaults: dict[str, Any]) -> dict[str, str]:
    """The options as MLIR's registry has them: flag and default as text."""
    return {
        _flag(name): str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in defaults.items()
    }


def _read(name: str, text: str, default: Any) -> Any:
    """An option's value.

    Raises:
        UserError: The text is not of the default's type.
    """
    try:
        return _READERS[type(default)](text)
    except (KeyError, ValueError):
        raise UserError(
            f"expected option {_flag(name)} of type {type(default).__name__}, "
            f"got '{text}'"
        ) from None
