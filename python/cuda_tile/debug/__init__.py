# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger inside tile kernels: stops at source lines in tile blocks or warps.

`target.py` says what front ends know of a launch; `terminal.py` and `dap/` are the
front ends, `interp_target.py` is a launch on the interpreter, `emulator_target.py` one
on the emulator. See docs/debugging.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda_tile.debug.launch_emulator import debug_emulator, debug_ptx
    from cuda_tile.debug.launch_interp import debug_interp
    from cuda_tile.debug.terminal import Terminal

_HOMES = {
    "Terminal": "terminal",
    "debug_emulator": "launch_emulator",
    "debug_interp": "launch_interp",
    "debug_ptx": "launch_emulator",
}

__all__ = ["Terminal", "debug_emulator", "debug_interp", "debug_ptx"]


def __getattr__(name: str) -> Any:
    """Loads a public name on first use: commands that may debug mostly do not."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cuda_tile.debug' has no attribute '{name}'")
    return getattr(import_module(f"cuda_tile.debug.{_HOMES[name]}"), name)
