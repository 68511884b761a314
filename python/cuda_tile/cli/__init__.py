# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands: they parse arguments, call the API, and print text and exit codes."""

import gc
import os
import signal
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# Products of tiles are small: BLAS threads cost more than they gain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_RARELY_USED = (
    *("bz2", "inspect", "ipaddress", "linecache", "locale", "lzma", "textwrap"),
    "tokenize",
)
"""Modules of the standard library that its other ones import and that few calls use: a
tenth of a start."""


def is_command() -> bool:
    """Whether this process is one of the commands."""
    return os.path.basename(sys.argv[0] if sys.argv else "").startswith(
        ("cuda-tile-", "tileiras")
    )


class _LoadedOnUse(ModuleType):
    """Stands for a module until something of it is asked for.

    The standard library's `LazyLoader` loads when a module is imported a second time.
    """

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


if is_command():
    # What is imported stays: looking through it for garbage costs a tenth of the time.
    # `failure.reports_errors` turns the collector on.
    gc.disable()
    for _name in _RARELY_USED:
        sys.modules.setdefault(_name, _LoadedOnUse(_name))

if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Ctrl-C while modules are imported ends the command without a traceback;
    # `failure.reports_errors` gives it back to Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
