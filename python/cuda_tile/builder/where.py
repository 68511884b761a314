# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Insertion point and source location of the ops that are built."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypedDict, TypeVar, cast

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_HERE = str(Path(__file__).parent)
_LINE: ContextVar[ir.Location | None] = ContextVar("_LINE", default=None)
"""The location derived from the caller's line, if none was given."""


class Where(TypedDict, total=False):
    """The two keyword arguments of every op function.

    Attributes:
        loc: Location of the op; by default the current one, else the caller's line.
        ip: Insertion point; by default the current one.
    """

    loc: ir.Location | None
    ip: ir.InsertionPoint | None


def cuda_tile_op(
    function: Callable[_Parameters, _Result],
) -> Callable[_Parameters, _Result]:
    """Decorates a function that builds ops, adding `loc` and `ip` (see `Where`).

    Both apply to all ops that the function builds. If no location is given or current,
    ops get the line that called the function. What it returns is verified.
    """

    @wraps(function)
    def build(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        loc = cast("ir.Location | None", kwargs.pop("loc", None))
        ip = cast("ir.InsertionPoint | None", kwargs.pop("ip", None))
        if ip is None:
            _check_place(function.__name__)
        with ip or nullcontext(), loc or given_location() or _standing_at(_caller()):
            built = function(*args, **kwargs)
            _check(built)
            return built

    return build


def _check(built: object) -> None:
    """Refuses an op that the verifier refuses, while its line can be told.

    An op with regions is verified with the module: its body is still to come.

    Raises:
        TypeError: Its operands do not fit; the op is gone.
    """
    given = cast("tuple[object, ...]", built) if isinstance(built, tuple) else (built,)
    value = given[0] if given else None
    if not isinstance(value, ir.Value) or isinstance(value.owner, ir.Block):
        return
    op = value.owner.operation
    if len(op.regions):
        return
    try:
        op.verify()
    except ir.MLIRError as error:
        said = "; ".join(found.message for found in error.error_diagnostics)
        if not any(True for result in op.results for _ in result.uses):
            op.erase()
        raise TypeError(said or str(error)) from None


def _check_place(name: str) -> None:
    """Refuses to build an op where there is no kernel to build it in.

    Raises:
        UserError: There is no current insertion point.
    """
    try:
        place = ir.InsertionPoint.current
    except ValueError:
        place = None
    if place is None:
        raise UserError(
            f"{name}: expected a kernel to build the op in, got a call outside any; "
            "call it under `with TileIrGenerator() as generator, "
            "generator.create_entry('kernel', [Float32]) as (x,):`, or pass ip="
        )


def given_location() -> ir.Location | None:
    """The current location, if it was given explicitly; else None."""
    try:
        current = ir.Location.current
    except ValueError:
        return None
    line = _LINE.get()
    return None if line is not None and current == line else current


@contextmanager
def _standing_at(line: ir.Location) -> Generator[None]:
    """Makes the derived location of a line current."""
    before = _LINE.set(line)
    try:
        with line:
            yield
    finally:
        _LINE.reset(before)


def _caller() -> ir.Location:
    """The innermost line of the call stack outside this package."""
    frame = inspect.currentframe()
    assert frame is not None, "CPython has frames"
    while frame.f_back and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return ir.Location.file(frame.f_code.co_filename, frame.f_lineno, 0)
