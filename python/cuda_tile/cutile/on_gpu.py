# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`on="gpu"`: cuTile's launches with this compiler and its launcher, on a real GPU.

Nothing is stood in for. cuTile makes the bytecode, for the arrays of the launch; a
cubin is compiled once for each bytecode, for the GPU of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from cuda_tile.cutile.binding import members
from cuda_tile.cutile.function import Function
from cuda_tile.cutile.history import Launch, launches
from cuda_tile.cutile.kernels import load_image
from cuda_tile.cutile.settings import Settings
from cuda_tile.cutile.signatures import export, passed, signature_of
from cuda_tile.errors import UserError
from cuda_tile.runtime.driver import load_driver


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
        self, native: Callable[..., Any], words: Sequence[Any], choices: dict[str, Any]
    ) -> Any:
        """Launches a kernel; other functions than `launch` are cuTile's own.

        Args:
            native: The function of cuTile that was called.
            words: Stream, grid, kernel and its arguments.
            choices: Keyword arguments of the call.

        Raises:
            UserError: The compiler or the driver refuses the launch.
            Exception: cuTile's own errors.
        """
        if native.__name__ != "launch" or len(words) != 4 or choices:
            return native(*words, **choices)
        stream, grid, kernel, args = words
        signature = signature_of(kernel, tuple(args))
        data, name = export(kernel, signature), Function.of(kernel).name
        driver: Any = load_driver()
        compiled = load_image(data).compiled(f"sm_{driver.capability}", cubin=True)
        launcher = import_module("cuda_tile.launcher")
        values = list(members(passed(signature.parameters, args)))
        launcher.launch(compiled, grid, values, stream, kernel=name)
        x, y, z = (*grid, 1, 1)[:3]
        launches.append(Launch(name, name, (x, y, z), tuple(args), "gpu", None, data))
        return None
