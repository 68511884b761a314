# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An open compiler for CUDA Tile IR.

`load` reads a kernel and `save` writes one, `compile` makes PTX and a cubin of it,
`run` runs it on the CPU (tiles or PTX) or on a GPU. Everything is loaded on first
use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cuda_tile.version import __version__

if TYPE_CHECKING:
    from cuda_tile.api import (
        Compiled,
        compile,  # noqa: A004  (the name users expect)
        lower,
        run,
        translate,
    )
    from cuda_tile.errors import CudaTileError, InternalError, Unsupported, UserError
    from cuda_tile.files import load, save
    from cuda_tile.launcher import launch
    from cuda_tile.options import Options
    from cuda_tile.pictures.showing import Picture, show
    from cuda_tile.runtime.args import array_args, list_args
    from cuda_tile.user_passes import register_pass

_HOMES = {
    "Compiled": "api",
    "compile": "api",
    "launch": "launcher",
    "load": "files",
    "lower": "api",
    "run": "api",
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
    "register_pass": "user_passes",
    "show": "pictures.showing",
}

__all__ = [
    "Compiled",
    "CudaTileError",
    "InternalError",
    "Options",
    "Picture",
    "Unsupported",
    "UserError",
    "__version__",
    "array_args",
    "compile",
    "launch",
    "list_args",
    "load",
    "lower",
    "register_pass",
    "run",
    "save",
    "show",
    "translate",
]


def __getattr__(name: str) -> Any:
    """Loads a public name from its home on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cuda_tile' has no attribute '{name}'")
    value = getattr(import_module(f"cuda_tile.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, for completion: most are not loaded yet."""
    return sorted({*globals(), *__all__})
