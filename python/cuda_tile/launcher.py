# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda_tile.launch`: runs a compiled kernel on a GPU, on arrays of any library.

Only the driver's library is used, and it is loaded on the first launch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cuda_tile.api import Compiled
from cuda_tile.errors import UserError, expect
from cuda_tile.report import KernelReport
from cuda_tile.runtime.args import Bound, PointerTable
from cuda_tile.runtime.device_view import DeviceView, stream_handle
from cuda_tile.runtime.driver import Driver, load_driver
from cuda_tile.runtime.launch import launch_function
from cuda_tile.runtime.record import read_grid
from cuda_tile.runtime.spread import argument_list, spread_args
from cuda_tile.targets import find_target


def launch(
    compiled: Compiled,
    grid: Sequence[int],
    args: Sequence[Any],
    stream: Any = None,
    *,
    kernel: str | None = None,
) -> None:
    """Launches a kernel on the GPU that its arrays are on.

    Arrays in GPU memory (torch, CuPy, and whatever has `__cuda_array_interface__` or
    `__dlpack__`) are used in place, and the launch returns at once. NumPy arrays are
    copied to the GPU (the first, if no argument is on one) and, when the kernel has
    ended, back; a launch with one of them waits.

    Args:
        compiled: What `cuda_tile.compile` gave.
        grid: Tile blocks along x, y, z; missing ones are 1.
        args: Numbers, arrays and lists of arrays in the order of the source, or one
            argument per parameter. An array becomes a pointer, its extents and its
            strides in elements.
        stream: A stream of torch or CuPy, one with `__cuda_stream__`, or a handle of
            the driver; None is the default stream.
        kernel: The kernel's name; may be left out if there is only one.

    Raises:
        UserError: An argument does not fit, there is no driver or GPU, the GPU is
            another than the kernel was compiled for or lacks memory, or the driver
            reports an error.
    """
    name, report = _kernel(compiled, kernel)
    args = argument_list(args)
    record, extents = compiled.launch[name], read_grid(grid)
    handle = stream_handle(stream)
    bound = spread_args(name, record.parameters, args, handle)
    views = _views(bound)
    driver = load_driver(_ordinal(views))
    _check_chip(driver, report)
    with driver.current():
        for view in views:
            if view.stream is not None:
                driver.call("cuStreamSynchronize", view.stream)
        shared = record.dynamic_shared_bytes
        function = driver.function(compiled.cubin, name, shared)
        launch_function(
            driver, function, record, grid=extents, args=bound, stream=handle
        )


def _kernel(compiled: Compiled, kernel: str | None) -> tuple[str, KernelReport]:
    """The name of the kernel to launch, and its report."""
    if not isinstance(compiled, Compiled):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            "expected what cuda_tile.compile gives, to launch, got a "
            f"{type(compiled).__name__}"
        )
    if not compiled.cubin:
        raise UserError(
            "expected machine code to launch, got none; compile with cubin=True"
        )
    reports = {each.kernel: each for each in compiled.report.kernels}
    names = ", ".join(reports)
    expect("kernel", kernel, (str, type(None)), "the name of one")
    if kernel is None and len(reports) != 1:
        raise UserError(f"expected the name of one of the kernels {names}, got none")
    name = next(iter(reports)) if kernel is None else kernel
    if name not in reports:
        raise UserError(f"expected the name of a kernel, one of {names}, got '{name}'")
    return name, reports[name]


def _views(args: Sequence[Bound]) -> list[DeviceView]:
    """The arrays in GPU memory among the parameters, also those in tables."""
    found: list[DeviceView] = []
    for arg in args:
        if isinstance(arg, DeviceView):
            found.append(arg)
        elif isinstance(arg, PointerTable):
            found.extend(_views(arg.targets))
    return found


def _ordinal(views: Sequence[DeviceView]) -> int:
    """The number of the GPU that all arrays are on; that of the first without any."""
    places: dict[int, DeviceView] = {}
    for view in views:
        if not view.address:
            continue
        number = view.gpu
        if number is None:
            number = load_driver().ordinal_of(view.address)
        if number is None:
            raise UserError(
                f"expected arrays in the memory of a GPU, got {view}, an address that "
                "the driver does not know; pass a NumPy array, which is copied"
            )
        places.setdefault(number, view)
    if len(places) > 1:
        (one, first), (other, second), *_ = places.items()
        raise UserError(
            f"expected all arrays on one GPU, got {first} on GPU {one} and {second} on "
            f"GPU {other}; copy one of them"
        )
    return next(iter(places), 0)


def _check_chip(driver: Driver, report: KernelReport) -> None:
    """Refuses a GPU that the machine code does not run on.

    PTX ISA, ".target": code for `sm_90a` runs on that chip only, code for `sm_100f` on
    its family; other machine code on later chips of the same major number (CUDA C++
    Programming Guide, "Binary Compatibility").
    """
    found, wanted = driver.capability, find_target(report.arch).capability
    is_near = found // 10 == wanted // 10 and found >= wanted
    if found == wanted or (is_near and not report.arch.endswith("a")):
        return
    raise UserError(
        f"{report.kernel}: expected a GPU that runs code for {report.arch}, got GPU "
        f"{driver.device.value} of sm_{found}; compile with gpu='sm_{found}'"
    )
