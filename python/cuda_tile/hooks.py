# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's own functions between the steps: how they are called and what they may do.

A module that such a function has had in hand is verified before the next step sees
it. So invalid IR is never compiled, and the error names the function that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.admission import check_depth
from cuda_tile.codegen.ptxas import Assembled
from cuda_tile.constants import MOST_ALIGNMENT_BYTES
from cuda_tile.errors import InternalError, UserError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.launch import emitted_kernels, parameter_types
from cuda_tile.ir.walk import entries, location_text, nested_ops
from cuda_tile.locations import place_text

Artifact = ir.Operation | str | Assembled
"""What a step leaves: the `builtin.module`, PTX text, or a cubin."""
UserFunction = Callable[[Any], Any]
"""A user's own step: gets what the step before it left. It changes a module in place;
of PTX text it may return another one."""
Hooks = Mapping[str, UserFunction | Sequence[UserFunction]]
"""Functions by the name of the step that they stand before or after."""
Side = Literal["before", "after"]


def check_hooks(
    hooks: Hooks | None, side: Side, names: Sequence[str], until: str
) -> None:
    """Checks a user's `before=` or `after=`, before anything runs.

    Args:
        hooks: What the user gave.
        side: Which of the two it is.
        names: The steps, in order.
        until: The last one that runs.

    Raises:
        UserError: It is no mapping, a key is no step that runs, or a value is no
            function.
    """
    if hooks is None:
        return
    if not isinstance(hooks, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            f"expected {side} to map names of steps to functions, got {hooks!r}"
        )
    for name in hooks:
        if name not in names:
            known = ", ".join(names)
            raise UserError(
                f"expected the name of a step in {side}, got '{name}'; known: {known}"
            )
        if names.index(name) > names.index(until):
            raise UserError(
                f"expected a step up to '{until}' in {side}, got '{name}', which does "
                "not run"
            )
        found = cast("object", functions_of(hooks, name))
        if not isinstance(found, Sequence) or not all(
            callable(function) for function in cast("Sequence[object]", found)
        ):
            raise UserError(
                f"expected a function or a list of functions for {side} '{name}', "
                f"got {found!r}"
            )


def functions_of(hooks: Hooks | None, name: str) -> Sequence[UserFunction]:
    """The functions that stand at a step, in order."""
    found = (hooks or {}).get(name, ())
    return (found,) if callable(found) else found


def call_hook(
    function: UserFunction, artifact: Artifact, name: str, side: Side
) -> str | None:
    """Calls a user's function and checks what it leaves.

    Args:
        function: The function; what it raises goes through unchanged.
        artifact: What it gets.
        name: The step that the function stands before or after.
        side: Which of the two.

    Returns:
        PTX text to go on with, where the function returned one.

    Raises:
        UserError: A module is invalid afterwards, or was erased, replaced, or left
            without its kernels; or something other than text came for PTX. Names
            the function.
    """
    title = f'{side}={{"{name}": {_qualified_name(function)}}}'
    if isinstance(artifact, ir.Operation):
        had_kernels = _has_kernels(artifact)
        _check_module(artifact, function(artifact), title)
        if had_kernels and not _has_kernels(artifact):
            raise UserError(
                f"expected {title} to leave a kernel in the module, got none"
            )
        return None
    returned: object = function(artifact)
    if isinstance(artifact, Assembled) or returned is None:
        return None
    if not isinstance(returned, str):
        raise UserError(
            f"expected {title} to return PTX text or nothing, got {returned!r}"
        )
    return returned


def _check_module(module: ir.Operation, returned: object, title: str) -> None:
    """Checks a module that a user's function had in hand, and what it returned."""
    if not _cuda_tile.is_alive(module):
        raise UserError(
            f"expected {title} to change the module in place, got an erased module"
        )
    if isinstance(returned, (ir.Module, ir.OpView)):
        returned = returned.operation
    if (
        isinstance(returned, ir.Operation)
        and returned.name == module.name
        and returned != module
    ):
        raise UserError(
            f"expected {title} to change the module in place, got another module back"
        )
    if invalid := find_invalid(module):
        said, location = invalid
        raise UserError(f"expected a valid module from {title}, got: {said}", location)


def _has_kernels(module: ir.Operation) -> bool:
    return bool(entries(module) or emitted_kernels(module))


def check_input(module: ir.Operation) -> None:
    """Verifies what the user wants to have compiled or run.

    Raises:
        UserError: The module is invalid, or nests too deep.
    """
    check_depth(module)
    if invalid := find_invalid(module):
        said, location = invalid
        raise UserError(f"expected a valid module, got: {said}", location)
    for entry in entries(module):
        parameter_types(entry)
    for op in nested_ops(module):
        if op.name == "cuda_tile.global":
            _check_alignment(op)


def _check_alignment(op: ir.Operation) -> None:
    """Refuses a global that no memory can hold: PTX and LLVM have powers of two."""
    align = integer(op, "alignment") if "alignment" in op.attributes else 0
    if align & (align - 1) or align > MOST_ALIGNMENT_BYTES:
        raise UserError(
            f"expected an alignment that is a power of two up to "
            f"{MOST_ALIGNMENT_BYTES}, got {align}",
            location_text(op),
        )


def check_pass(module: ir.Operation, name: str) -> None:
    """Verifies what a pass of ours left.

    Raises:
        InternalError: The module is invalid; names the pass.
    """
    if invalid := find_invalid(module):
        said, location = invalid
        raise InternalError(
            f"expected a valid module from pass '{name}', got: {said}", location
        )


def find_invalid(module: ir.Operation) -> tuple[str, str | None] | None:
    """What the verifier says of an invalid module, and where; None for a valid one."""
    try:
        module.verify()
    except ir.MLIRError as error:
        found = error.error_diagnostics
        if not found:
            return str(error), None
        said = "; ".join(diagnostic.message for diagnostic in found)
        return said, place_text(found[0].location)
    return None


def _qualified_name(function: object) -> str:
    """`module.function` where there is a name, else how the object prints."""
    name: str | None = getattr(function, "__qualname__", None)
    home: str | None = getattr(function, "__module__", None)
    if name is None:
        return repr(function)
    return name if home is None else f"{home}.{name}"
