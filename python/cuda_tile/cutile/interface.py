# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of cuTile called by a program: launch, compile, bytecode, record."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from cuda_tile import api
from cuda_tile.cutile.arrays import converted
from cuda_tile.cutile.binding import flattened, labels
from cuda_tile.cutile.function import Function
from cuda_tile.cutile.history import Launch
from cuda_tile.cutile.installation import check_cutile, install, installed
from cuda_tile.cutile.kernels import Work, load_image
from cuda_tile.cutile.recorder import record_launch
from cuda_tile.cutile.settings import Settings
from cuda_tile.cutile.standin import load_standin
from cuda_tile.errors import UserError
from cuda_tile.runtime.args import bind_args

VERSIONS = ("13.1", "13.2", "13.3", "13.4")
"""Bytecode versions that cuTile 1.7 writes."""
NEWEST = VERSIONS[-1]
_FIRST_WITHOUT_CHIP = "13.3"
"""From this version on bytecode need not name a chip."""

_exported: WeakKeyDictionary[Any, dict[tuple[str, str], bytes]] = WeakKeyDictionary()


def launch(
    grid: Sequence[int],
    kernel: Any,
    args: Sequence[Any],
    *,
    on: api.Executor = "interp",
    gpu: str | None = None,
    **choices: Any,
) -> Launch:
    """Runs a kernel on arrays of the host, which it changes in place.

    Args:
        grid: Tile blocks along x, y, z; missing ones are 1.
        kernel: What `@ct.kernel` made.
        args: The kernel's arguments, constants among them: NumPy arrays, torch CPU
            tensors, whatever has DLPack; numbers; lists and tuples of these. Strided
            views are used in place.
        on: `interp`, `emulator` or `gpu`, see `Settings`.
        gpu: The chip to compile for; sm_90 by default.
        choices: `mode` and `seed`, see `Settings`.

    Returns:
        The launch with the executor's report; `launches` holds it too.

    Raises:
        UserError: An argument does not fit, cuTile is not installed, the kernel did
            something undefined, or the compiler does not support it.
        Exception: cuTile's own errors, of kernels that it refuses.
    """
    if gpu is not None:
        choices["gpu"] = gpu
    settings = Settings(on=on, **choices)
    extents, words = _grid(grid), _arguments(args)
    signature, data = _from_arguments(kernel, words)
    image, function = load_image(data), Function.of(kernel)
    name, types = function.name, image.types(function.name)
    flat = flattened(types, _passed(signature.parameters, words), name)
    bound = bind_args(types, flat, kernel=name)
    called = labels(types, words, function.names)
    work = Work(image, name, name, extents, bound, tuple(args), called)
    session = installed()
    folder = session.settings.record if session else settings.record
    if folder is None:
        return work.run(settings)
    with record_launch(folder, work):
        return work.run(settings)


def compile(  # noqa: A001  (the name users expect)
    kernel: Any, signature: Any, gpu: str | None = None, **choices: Any
) -> api.Compiled:
    """Compiles a kernel for the arguments of a launch, or for a signature.

    Args:
        kernel: What `@ct.kernel` made.
        signature: A sequence of arguments as for `launch`, or cuTile's
            `KernelSignature`.
        gpu: Target chip; sm_90 by default.
        choices: As for `cuda_tile.compile`.

    Raises:
        UserError: As `bytecode` and `cuda_tile.compile`.
        Exception: As `bytecode`.
    """
    return api.compile(api.load(bytecode(kernel, signature)), gpu, **choices)


def bytecode(kernel: Any, signature: Any, version: str = NEWEST) -> bytes:
    """A kernel as Tile IR bytecode, with the name of its function as entry.

    Args:
        kernel: What `@ct.kernel` made.
        signature: As for `compile`.
        version: Version of the format, one of `VERSIONS`.

    Raises:
        UserError: An argument does not fit, the version is unknown, or cuTile is not
            installed.
        Exception: cuTile's own errors, of kernels that it refuses.
    """
    if version not in VERSIONS:
        raise UserError(
            f"expected a bytecode version of {', '.join(VERSIONS)}, got {version!r}"
        )
    compilation = _compilation()
    if not isinstance(signature, compilation.KernelSignature):
        if not isinstance(signature, (tuple, list)):
            raise UserError(
                "expected the arguments of a launch or a KernelSignature, got a "
                f"{type(signature).__name__}"
            )
        return _from_arguments(kernel, _arguments(cast(Any, signature)), version)[1]
    _check_kernel(kernel)
    name = Function.of(kernel).name
    return _export(kernel, signature.with_symbol(name), version)


@contextmanager
def record(folder: str | os.PathLike[str]) -> Generator[Path]:
    """Writes each launch in the body to a folder of its own, see `recorder`.

    Args:
        folder: Holds these folders; made if need be.
    """
    session = installed() or install()
    before = session.settings
    session.settings = replace(before, record=os.fspath(folder))
    try:
        yield Path(folder)
    finally:
        session.settings = before


def _compilation() -> Any:
    """CuTile's public module for compilation ahead of time, ready to be called."""
    check_cutile()
    if "cuda.tile._load_libcuda" not in sys.modules:
        load_standin()  # cuTile asks the driver's version before it reads arguments
    return import_module("cuda.tile.compilation")


def _check_kernel(kernel: Any) -> None:
    if not hasattr(kernel, "replace_hints"):
        raise UserError(
            "expected a kernel, as @cuda.tile.kernel makes of a function, got a "
            f"{type(kernel).__name__}"
        )


def _arguments(args: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments as cuTile takes them: device arrays, numbers of Python."""
    if not isinstance(args, (tuple, list)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            "expected the arguments in a tuple or list, got a " + type(args).__name__
        )
    plain: list[Any] = [
        cast(Any, arg).item() if isinstance(arg, np.generic) else arg
        for arg in cast(Sequence[Any], args)
    ]
    return converted(tuple(plain))


def _from_arguments(
    kernel: Any, words: tuple[Any, ...], version: str = NEWEST
) -> tuple[Any, bytes]:
    """Signature and bytecode of a kernel for converted arguments."""
    compilation = _compilation()
    _check_kernel(kernel)
    function = Function.of(kernel)
    try:
        signature = compilation.KernelSignature.from_kernel_args(
            kernel,
            words,
            _convention(compilation, words),
            symbol=function.name,
        )
    except Exception as error:
        for note in function.notes(error, [_inside(word) for word in words]):
            error.add_note(note)
        raise
    known = _exported.setdefault(kernel, {})
    key = (repr(signature), version)  # its parts are not all hashable
    if key not in known:
        known[key] = _export(kernel, signature, version)
    return signature, known[key]


def _convention(compilation: Any, words: Sequence[Any]) -> Any:
    """The calling convention that cuTile's launcher takes: tuples need the second."""
    known = compilation.CallingConvention
    if any(isinstance(word, tuple) for word in words):
        return known.cutile_python_v2()
    return known.cutile_python_v1()


def _inside(word: Any) -> Any:
    """The array of a `DeviceArray`; other arguments as they are."""
    return getattr(word, "array", word)


def _export(kernel: Any, signature: Any, version: str) -> bytes:
    raw = io.BytesIO()
    _compilation().export_kernel(
        kernel,
        [signature],
        raw,
        gpu_code=None if version >= _FIRST_WITHOUT_CHIP else "sm_100",
        output_format="tileir_bytecode",
        bytecode_version=version,
    )
    return raw.getvalue()


def _passed(parameters: Sequence[Any], args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments that reach the kernel: not constants, also not those in tuples."""
    found: list[Any] = []
    for parameter, arg in zip(parameters, args, strict=True):
        inner = getattr(parameter, "items", None)
        if type(parameter).__name__ == "ConstantConstraint":
            continue
        if isinstance(arg, tuple) and inner is not None:
            found.append(_passed(inner, cast(Any, arg)))
        else:
            found.append(arg)
    return tuple(found)


def _grid(grid: Sequence[int]) -> tuple[int, int, int]:
    if not isinstance(grid, (tuple, list)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(f"expected a tuple of 1 to 3 extents as grid, got {grid!r}")
    extents = (*grid, 1, 1)[:3]
    if not 1 <= len(grid) <= 3 or any(n < 1 for n in extents):
        raise UserError(
            f"expected a grid of 1 to 3 positive extents, got {tuple(grid)}"
        )
    return int(extents[0]), int(extents[1]), int(extents[2])
