# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of cuTile as bytecode, by its functions for compilation ahead of time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib import import_module
from typing import Any, cast
from weakref import WeakKeyDictionary

from cuda_tile.cutile.function import Function
from cuda_tile.errors import UserError, add_note

VERSIONS = ("13.1", "13.2", "13.3", "13.4")
"""Bytecode versions that cuTile 1.7 writes."""
NEWEST = VERSIONS[-1]
_FIRST_WITHOUT_CHIP = "13.3"
"""From this version on bytecode need not name a chip."""

_exported: WeakKeyDictionary[Any, dict[tuple[str, str], bytes]] = WeakKeyDictionary()


def check_kernel(kernel: Any) -> None:
    """Refuses what is no kernel.

    Raises:
        UserError: It is none.
    """
    if not hasattr(kernel, "replace_hints"):
        raise UserError(
            "expected a kernel, as @cuda.tile.kernel makes of a function, got a "
            f"{type(kernel).__name__}"
        )


def signature_of(kernel: Any, args: tuple[Any, ...]) -> Any:
    """The signature for which cuTile would compile a kernel to launch it.

    Args:
        kernel: What `@ct.kernel` made.
        args: The arguments of the launch, arrays on the device.

    Raises:
        UserError: There is no such kernel.
        Exception: cuTile's own errors, with a note on the arguments.
    """
    compilation = import_module("cuda.tile.compilation")
    check_kernel(kernel)
    function = Function.of(kernel)
    try:
        return compilation.KernelSignature.from_kernel_args(
            kernel, args, _convention(compilation, args), symbol=function.name
        )
    except Exception as error:
        for note in function.notes(error, [_inside(arg) for arg in args]):
            add_note(error, note)
        raise


def export(kernel: Any, signature: Any, version: str = NEWEST) -> bytes:
    """A kernel as bytecode; once for each signature and version.

    Raises:
        Exception: cuTile's own errors, of kernels that it refuses.
    """
    known = _exported.setdefault(kernel, {})
    key = (repr(signature), version)  # its parts are not all hashable
    if key not in known:
        raw = io.BytesIO()
        import_module("cuda.tile.compilation").export_kernel(
            kernel,
            [signature],
            raw,
            gpu_code=None if version >= _FIRST_WITHOUT_CHIP else "sm_100",
            output_format="tileir_bytecode",
            bytecode_version=version,
        )
        known[key] = raw.getvalue()
    return known[key]


def passed(parameters: Sequence[Any], args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments that reach the kernel: not constants, also not those in tuples.

    Args:
        parameters: Of the signature.
        args: The arguments of the launch.
    """
    found: list[Any] = []
    for parameter, arg in zip(parameters, args, strict=True):
        inner = getattr(parameter, "items", None)
        if type(parameter).__name__ == "ConstantConstraint":
            continue
        if isinstance(arg, tuple) and inner is not None:
            found.append(passed(inner, cast(Any, arg)))
        else:
            found.append(arg)
    return tuple(found)


def _convention(compilation: Any, args: Sequence[Any]) -> Any:
    """The calling convention that cuTile's launcher takes: tuples need the second."""
    known = compilation.CallingConvention
    if any(isinstance(arg, tuple) for arg in args):
        return known.cutile_python_v2()
    return known.cutile_python_v1()


def _inside(arg: Any) -> Any:
    """The array of a `DeviceArray`; other arguments as they are."""
    return getattr(arg, "array", arg)
