# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels: on the interpreter, the PTX emulator, or a GPU.

The compiler is imported only for the latter two: a run on the interpreter needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError, expect
from cuda_tile.hooks import check_input
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.runtime.record import read_grid

if TYPE_CHECKING:
    from cuda_tile.api import Compiled
    from cuda_tile.emulator.report import Report as EmulatorReport
    from cuda_tile.interp.driver import InterpReport
    from cuda_tile.runtime.args import Argument, Bound

Executor = Literal["interp", "emulator", "gpu"]
SMALL_LAUNCH_THREADS = 512
"""A launch on the emulator of no more threads is checked in adversarial mode."""


@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Literal["interp"] = "interp",
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> InterpReport: ...
@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Literal["emulator"],
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> EmulatorReport: ...
@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Literal["gpu"],
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> None: ...
@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Executor,
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> Any: ...
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Executor = "interp",
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> Any:
    """Runs one kernel; arrays are read and written in place.

    Args:
        module: What `load` gave.
        kernel: The entry's name; may be left out if there is only one.
        grid: Tile blocks along x, y, z; missing ones are 1. A number is that many
            along x.
        args: NumPy arrays, lists of arrays and numbers in the order of the source: an
            array becomes a pointer to its first element, its extents and its strides.
            With as many arguments as parameters, each is one, and an array a pointer;
            `array_args` gives the parameters of an array.
        on: `interp` runs the tiles, `emulator` the PTX, `gpu` the cubin.
        gpu: Target chip for `emulator` and `gpu`; sm_90 by default.
        compiled: A result of `compile` to use again.
        choices: Attributes of `cuda_tile.runtime.options.RunOptions`, and further
            arguments of `interp.run` or `emulator.launch`. Small launches on the
            emulator run in adversarial mode without a seed, too.

    Returns:
        The executor's own report, a `cuda_tile.runtime.report.RunReport`: `kernel`,
        `findings`, `stdout`, `warnings`, `checked`, `steps`. None of `gpu`.

    Raises:
        UserError: An argument does not fit, or the kernel did something illegal,
            such as an access outside every array that was passed.
    """
    from cuda_tile.runtime.spread import bind_named, host_args, naming

    expect("module", module, ir.Module, "a module, as cuda_tile.load gives it")
    expect("kernel", kernel, (str, type(None)), "the name of one")
    expect("on", on, str, "interp, emulator or gpu")
    extents = read_grid(grid)
    entry = find_entry(module.operation, kernel)
    name = entry_name(entry)
    bound, names = bind_named(name, parameter_types(entry), host_args(args))
    executors: dict[str, Callable[..., Any]] = {
        "interp": _run_interp,
        "emulator": _run_emulator,
        "gpu": _run_gpu,
    }
    if on not in executors:
        known = ", ".join(executors)
        raise UserError(f"expected one of {known} to run on, got '{on}'")
    source = _source(module, on, gpu, compiled)
    with naming(names):
        report = executors[on](source, name, extents, bound, **choices)
    if on == "emulator":
        report.checked += _open_loads_text(entry, bound)
    return report


def _source(
    module: ir.Module, on: Executor, gpu: str | None, compiled: Compiled | None
) -> Any:
    """What the executor runs: the module, or what was compiled of it, earlier or now.

    Raises:
        UserError: As `api.compile`, or `compiled` is not what that gave.
    """
    if on == "interp" and compiled is None:
        return module
    from cuda_tile import api

    allowed = api.Compiled, type(None)
    expect("compiled", compiled, allowed, "what cuda_tile.compile gives")
    if on == "interp":
        return module
    return compiled or api.compile(module, gpu, cubin=on == "gpu")


def _open_loads_text(entry: ir.Operation, args: Sequence[Any]) -> str:
    """What the emulator cannot see: unspecified elements are zeros in PTX."""
    from cuda_tile.analysis.open_loads import open_loads

    found = open_loads(entry, args)
    if not found:
        return ""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"; nor what becomes of elements that a load without padding leaves "
        f"unspecified, zeros here: {found[0]}{more}; the interpreter follows them"
    )


def _run_interp(
    module: ir.Module,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile import interp

    check_input(module.operation)
    return interp.run(module, name, grid=grid, args=args, **choices)


def _run_emulator(
    compiled: Compiled,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile import emulator

    record = compiled.launch[name]
    threads = prod(grid) * prod(record.block)
    if threads <= SMALL_LAUNCH_THREADS and not {"mode", "bounds"} & set(choices):
        choices = {"mode": "adversarial", **choices}
    return emulator.launch_recorded(
        compiled.ptx, name, record, grid=grid, args=args, **choices
    )


def _run_gpu(
    compiled: Compiled,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile.runtime.launch import launch_cubin
    from cuda_tile.runtime.options import read

    read(choices).given("gpu")
    record = compiled.launch[name]
    return launch_cubin(compiled.cubin, name, record, grid=grid, args=args)
