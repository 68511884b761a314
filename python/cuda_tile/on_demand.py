# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose modules are imported when they are called for the first time.

For tables of what a process may do, of which it does little: each module that a command
does not import makes its start shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def on_demand(module: str, name: str) -> Callable[..., Any]:
    """A function that calls another one.

    Args:
        module: Where that one is, with dots.
        name: Its name there.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(module), name)(*args, **kwargs)

    return call
