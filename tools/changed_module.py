# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes this process import another text than a module's file has: for mutants."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType


class _Loader(SourceFileLoader):
    """Loads a module from a text, past any cache of compiled files."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        super().__init__(name, str(path))
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        """The compiled text, with the places of the file."""
        return self.source_to_code(self._text.encode(), self.get_filename(fullname))


class _Finder:
    """Finds the module that is changed."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self._name, self._path, self._text = name, path, text

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """The changed module; nothing for any other."""
        del path, target
        if name != self._name:
            return None
        loader = _Loader(name, self._path, self._text)
        return spec_from_file_location(name, self._path, loader=loader)


def change_module(name: str, path: Path, text: str) -> None:
    """From now on an import of a module runs a text.

    Args:
        name: The module's full name. It must not be among `sys.modules`, nor must what
            imported it before.
        path: Its file, which stays as it is.
        text: The source that runs.
    """
    sys.meta_path.insert(0, _Finder(name, path, text))
