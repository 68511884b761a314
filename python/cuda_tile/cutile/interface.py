# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of cuTile called by a program: launch, compile, bytecode, record."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import cuda_tile
from cuda_tile.cutile.arrays import converted
from cuda_tile.cutile.binding import flattened, labels
from cuda_tile.cutile.function import Function
from cuda_tile.cutile.history import Launch
from cuda_tile.cutile.installation import check_cutile, install, installed
from cuda_tile.cutile.kernels import Work, load_image
from cuda_tile.cutile.recorder import record_launch
from cuda_tile.cutile.settings import Settings
from cuda_tile.cutile.signatures import (
    NEWEST,
    VERSIONS,
    check_kernel,
    export,
    passed,
    signature_of,
)
from cuda_tile.cutile.standin import load_standin
from cuda_tile.errors import UserError
from cuda_tile.files import load
from cuda_tile.runtime.args import bind_args

if TYPE_CHECKING:
    from cuda_tile.api import Compiled
    from cuda_tile.running import Executor


def launch(
    grid: Sequence[int],
    kernel: Any,
    args: Sequence[Any],
    *,
    on: Executor = "interp",
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
        choices: Other attributes of `Settings`, such as `mode` and `seed`.

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
    extents, words = _grid(grid), ready_arguments(args)
    _prepare(on)
    signature, function = signature_of(kernel, words), Function.of(kernel)
    image = load_image(export(kernel, signature))
    name, types = function.name, image.types(function.name)
    flat = flattened(types, passed(signature.parameters, words), name)
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
) -> Compiled:
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
    return cuda_tile.compile(load(bytecode(kernel, signature)), gpu, **choices)


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
    check_kernel(kernel)
    _prepare("interp")
    compilation = import_module("cuda.tile.compilation")
    if isinstance(signature, compilation.KernelSignature):
        name = Function.of(kernel).name
        return export(kernel, signature.with_symbol(name), version)
    if not isinstance(signature, (tuple, list)):
        raise UserError(
            "expected the arguments of a launch or a KernelSignature, got a "
            f"{type(signature).__name__}"
        )
    args = ready_arguments(cast(Any, signature))
    return export(kernel, signature_of(kernel, args), version)


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


def _prepare(on: str) -> None:
    """Makes cuTile's functions ready to be called."""
    check_cutile()
    if on != "gpu" and "cuda.tile._load_libcuda" not in sys.modules:
        load_standin()  # cuTile asks the driver's version before it reads arguments


def ready_arguments(args: Sequence[Any]) -> tuple[Any, ...]:
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


def _grid(grid: Sequence[int]) -> tuple[int, int, int]:
    if not isinstance(grid, (tuple, list)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(f"expected a tuple of 1 to 3 extents as grid, got {grid!r}")
    extents = (*grid, 1, 1)[:3]
    if not 1 <= len(grid) <= 3 or any(n < 1 for n in extents):
        raise UserError(
            f"expected a grid of 1 to 3 positive extents, got {tuple(grid)}"
        )
    return int(extents[0]), int(extents[1]), int(extents[2])
