# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a function once a module has been imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


def when_imported(name: str, function: Callable[[ModuleType], None]) -> None:
    """Calls `function` with the module `name`, now or as soon as it is imported."""
    module = sys.modules.get(name)
    if module is not None:
        function(module)
    else:
        sys.meta_path.insert(0, _Finder(name, function))


class _Finder(MetaPathFinder):
    def __init__(self, name: str, function: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._function = function

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._function)
        return spec


class _Loader(Loader):
    """The module's own loader, with a call after it."""

    def __init__(self, loader: Any, function: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._function(module)
