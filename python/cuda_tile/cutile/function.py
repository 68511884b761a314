# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a kernel's Python function: its name and its parameters'."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np


@dataclass(frozen=True)
class Function:
    """A kernel's function.

    Attributes:
        name: Its name.
        names: The names of its parameters.
    """

    name: str
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, kernel: Any) -> Function:
        """The function of what `@ct.kernel` made."""
        function = getattr(kernel, "_pyfunc", None)
        if not callable(function):
            return cls("kernel")
        parameters = inspect.signature(function).parameters
        return cls(getattr(function, "__name__", "kernel"), tuple(parameters))

    def notes(self, error: Exception, args: Sequence[Any]) -> list[str]:
        """A note on an error of cuTile about the number or kind of the arguments."""
        if not isinstance(error, TypeError):
            return []
        given = ", ".join(map(describe, args))
        return [f"{self.name}({', '.join(self.names)}) was launched with ({given})"]


def describe(arg: object) -> str:
    """An argument in a few words: an array by type and shape."""
    shape, dtype = getattr(arg, "shape", None), getattr(arg, "dtype", None)
    if shape is not None and dtype is not None and not isinstance(arg, np.generic):
        return f"{dtype}[{','.join(map(str, shape))}]"
    if isinstance(arg, (list, tuple)):
        items = cast(Sequence[Any], arg)
        inner = ", ".join(map(describe, items[:4])) + (", ..." if items[4:] else "")
        return f"[{inner}]" if isinstance(arg, list) else f"({inner})"
    return repr(cast(Any, arg))[:40]
