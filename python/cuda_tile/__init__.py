# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An open compiler for CUDA Tile IR.

Reads GPU kernels in Tile IR, runs them on the CPU, and compiles them to PTX and cubins:

    import cuda_tile, numpy as np

    kernel = cuda_tile.load("softmax_f32_1024.tileirbc")
    x, y = np.random.rand(16, 1024).astype("f4"), np.zeros((16, 1024), "f4")
    cuda_tile.run(kernel, grid=16, args=[x, y])  # on the CPU; y has the result
    compiled = cuda_tile.compile(kernel, "sm_90")
    print(compiled.ptx, compiled.report)

    load, save         a kernel from a file, text or bytecode; to bytecode
    run                a kernel on NumPy arrays: interpreter, PTX emulator, or GPU
    compile, launch    PTX, cubin and a report of a kernel; what was compiled on a GPU
    lower, translate   the IR after a pass; text of another form
    time_of            how long a launch takes by a model of clocks, without a GPU
    tune, tunable      the plan, hints and constants of fewest clocks, without a GPU
    show               a picture of a layout, module, compilation or report
    register_pass      makes a Python function a pass of the compiler
    Options            choices of a compilation
    UserError          what an error of yours raises, with the way out
    cuda_tile.builder  writes kernels in Python, without a front end
    cuda_tile.cutile   runs programs in cuTile Python
    cuda_tile.ir, cuda_tile.passmanager, cuda_tile.layout
                       MLIR's Python bindings with our dialects; layouts as objects

Everything is loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module

from cuda_tile.version import __version__

# Not imported from typing, which takes longer than a call of the server.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cuda_tile.api import (
        Compiled,
        compile,  # noqa: A004  (the name users expect)
        list_plans,
        lower,
        translate,
    )
    from cuda_tile.errors import CudaTileError, InternalError, Unsupported, UserError
    from cuda_tile.files import load, save
    from cuda_tile.launcher import launch
    from cuda_tile.options import Options
    from cuda_tile.pictures.showing import Picture, show
    from cuda_tile.running import run
    from cuda_tile.runtime.args import array_args, list_args
    from cuda_tile.timing.launched import time_of
    from cuda_tile.timing.model import Time
    from cuda_tile.tuned import TuningRecord
    from cuda_tile.tuning.marks import tunable
    from cuda_tile.tuning.search import Tuned, tune
    from cuda_tile.user_passes import register_pass

_HOMES = {
    "Compiled": "api",
    "compile": "api",
    "launch": "launcher",
    "load": "files",
    "lower": "api",
    "run": "running",
    "save": "files",
    "translate": "api",
    "CudaTileError": "errors",
    "InternalError": "errors",
    "Unsupported": "errors",
    "UserError": "errors",
    "Options": "options",
    "Picture": "pictures.showing",
    "array_args": "runtime.args",
    "list_args": "runtime.args",
    "list_plans": "api",
    "register_pass": "user_passes",
    "show": "pictures.showing",
    "Time": "timing.model",
    "time_of": "timing.launched",
    "Tuned": "tuning.search",
    "TuningRecord": "tuned",
    "tunable": "tuning.marks",
    "tune": "tuning.search",
}

_PACKAGES = ("builder", "cutile", "ir", "layout", "passmanager")
"""Those of the parts that are for users."""

__all__ = [
    "Compiled",
    "CudaTileError",
    "InternalError",
    "Options",
    "Picture",
    "Time",
    "Tuned",
    "TuningRecord",
    "Unsupported",
    "UserError",
    "__version__",
    "array_args",
    "compile",
    "launch",
    "list_args",
    "list_plans",
    "load",
    "lower",
    "register_pass",
    "run",
    "save",
    "show",
    "time_of",
    "translate",
    "tunable",
    "tune",
]


def __getattr__(name: str) -> Any:
    """Loads a public name from its home on first use."""
    if name in _PACKAGES:
        return import_module(f"cuda_tile.{name}")
    if name not in _HOMES:
        # With these two, Python adds "Did you mean: 'compile'?".
        package = sys.modules[__name__]
        message = f"module 'cuda_tile' has no attribute '{name}'"
        raise AttributeError(message, name=name, obj=package)
    value = getattr(import_module(f"cuda_tile.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names and nothing else: most are not loaded yet."""
    return sorted({*__all__, *_PACKAGES})
