# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`on="gpu"`: cuTile's launches with this compiler and its launcher, on a real GPU.

Nothing is stood in for. cuTile makes the bytecode, for the arrays of the launch; a
cubin is compiled once for each bytecode, for the GPU of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from cuda_tile.cutile.binding import members
from cuda_tile.cutile.function import Function
from cuda_tile.cutile.history import BENCHMARK, Launch, launches
from cuda_tile.cutile.kernels import load_image
from cuda_tile.cutile.settings import Settings
from cuda_tile.cutile.signatures import export, passed, signature_of
from cuda_tile.errors import UserError
from cuda_tile.runtime.device_view import stream_handle
from cuda_tile.runtime.driver import load_driver

_PLAIN: dict[str, tuple[Any, ...]] = {
    "cooperative": (False,),
    "block_in_cluster_count": (None, 1, (1,), (1, 1), (1, 1, 1)),
    "preferred_block_in_cluster_count": (None, 1, (1,), (1, 1), (1, 1, 1)),
}
"""Keyword arguments of `launch_extended`, and the values that ask for nothing."""


class GpuSession:
    """Runs launches on the GPU.

    Args:
        settings: How; `gpu` is not asked, for the machine's is what there is.

    Attributes:
        settings: How.
    """

    def __init__(self, settings: Settings) -> None:
        if settings.record is not None:
            raise UserError(
                "expected on='interp' or on='emulator' with a folder of records, got "
                "gpu, whose arrays the host cannot read"
            )
        self.settings = settings

    def call(
        self,
        name: str,
        native: Callable[..., Any],
        words: Sequence[Any],
        choices: dict[str, Any],
    ) -> Any:
        """Does what one of cuTile's functions for launches does.

        Args:
            name: What cuTile calls the function.
            native: The function.
            words: Its arguments: stream, grid, kernel and its arguments, and more.
            choices: Keyword arguments of the call.

        Raises:
            UserError: The compiler or the driver refuses the launch, or the call asks
                for what is not there.
            Exception: cuTile's own errors.
        """
        if name == "launch" and len(words) == 4:
            return self._launch(*words)
        if name == "launch_extended" and len(words) == 5:
            stream, grid, block, kernel, args = words
            _check_extended(block, choices)
            return self._launch(stream, grid, kernel, args)
        if name == BENCHMARK and len(words) == 5:
            return self._measure(*words)
        if name == "_export_ipc_benchmark_payload":
            raise UserError(
                "expected no single_run_timeout_sec with on='gpu', got one: kernels "
                "are launched in this process; leave it out"
            )
        return native(*words, **choices)

    def _launch(self, stream: Any, grid: Any, kernel: Any, args: Sequence[Any]) -> None:
        prepared = self._prepare(kernel, args)
        import_module("cuda_tile.launcher").launch(
            prepared.compiled, grid, prepared.values, stream, kernel=prepared.name
        )
        x, y, z = (*grid, 1, 1)[:3]
        name, data = prepared.name, prepared.bytecode
        launches.append(Launch(name, name, (x, y, z), tuple(args), "gpu", None, data))

    def _measure(
        self, stream: Any, grid: Any, kernel: Any, args: Sequence[Any], flush: bool
    ) -> float:
        """The time of a launch on the GPU, in microseconds."""
        from cuda_tile.runtime.timing import elapsed_us

        driver: Any = load_driver()
        # Before the clock starts: compiles and loads.
        self._prepare(kernel, args)
        with driver.current():
            return elapsed_us(
                driver,
                stream_handle(stream),
                lambda: self._launch(stream, grid, kernel, args),
                flush=flush,
            )

    def _prepare(self, kernel: Any, args: Sequence[Any]) -> _Prepared:
        signature = signature_of(kernel, tuple(args))
        data, name = export(kernel, signature), Function.of(kernel).name
        driver: Any = load_driver()
        compiled = load_image(data).compiled(f"sm_{driver.capability}", cubin=True)
        values = list(members(passed(signature.parameters, args)))
        return _Prepared(compiled, name, data, values)


@dataclass(frozen=True)
class _Prepared:
    """A kernel that is compiled for the GPU and the arguments of a launch.

    Attributes:
        compiled: The kernel.
        name: Its name.
        bytecode: What it was compiled from.
        values: The arguments, without constants.
    """

    compiled: Any
    name: str
    bytecode: bytes
    values: list[Any]


def _check_extended(block: Any, choices: dict[str, Any]) -> None:
    """Refuses launches for which the kernel would have to be compiled otherwise.

    A launch that may overlap with the one before it is right without overlap, too.
    """
    if any(extent != 1 for extent in block):
        raise UserError(
            f"expected a block of (1, 1, 1) threads, got {tuple(block)}: the compiler "
            "chooses the threads of a tile block"
        )
    for name, plain in _PLAIN.items():
        if choices.get(name, plain[0]) not in plain:
            raise UserError(
                f"expected no {name} in launch_extended with on='gpu', got "
                f"{choices[name]}: the compiler chooses clusters, and blocks do not "
                "wait for each other; leave it out"
            )
