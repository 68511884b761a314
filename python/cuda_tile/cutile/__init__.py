# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of cuTile Python on any machine, see docs/cutile.md.

`python -m cuda_tile.cutile program.py` runs an unmodified program; `launch`, `compile`
and `bytecode` take a kernel and its arguments. Nothing is loaded before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda_tile.cutile.history import KernelError, KernelWarning, Launch, launches
    from cuda_tile.cutile.installation import TESTED_VERSIONS, install
    from cuda_tile.cutile.interface import (
        bytecode,
        compile,  # noqa: A004  (the name users expect)
        launch,
        record,
    )
    from cuda_tile.cutile.settings import Settings
    from cuda_tile.cutile.tuning import tunable

_HOMES = {
    "TESTED_VERSIONS": "installation",
    "install": "installation",
    "bytecode": "interface",
    "compile": "interface",
    "launch": "interface",
    "record": "interface",
    "KernelError": "history",
    "KernelWarning": "history",
    "Launch": "history",
    "launches": "history",
    "Settings": "settings",
    "tunable": "tuning",
}

__all__ = [
    "TESTED_VERSIONS",
    "KernelError",
    "KernelWarning",
    "Launch",
    "Settings",
    "bytecode",
    "compile",
    "install",
    "launch",
    "launches",
    "record",
    "tunable",
]


def __getattr__(name: str) -> Any:
    """Loads a public name from its home on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cuda_tile.cutile' has no attribute '{name}'")
    value = getattr(import_module(f"cuda_tile.cutile.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names and nothing else: most are not loaded yet."""
    return sorted(__all__)
