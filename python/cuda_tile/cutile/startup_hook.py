# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For processes that a program starts: installs when they first import cuTile or CuPy.

It imports nothing else of this package before, so that other processes start as fast as
they would without it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType

_NAMES = ("cuda.tile", "cupy", "torch")


class _Installer(MetaPathFinder):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname in _NAMES and self in sys.meta_path:
            sys.meta_path.remove(self)
            from cuda_tile.cutile.installation import install_from_environment

            install_from_environment()
            loaded = sys.modules.get(fullname)
            if loaded is None:
                # The finders are asked once more: installing has added one.
                return find_spec(fullname)
            return spec_from_loader(fullname, _Loaded(loaded))
        return None


class _Loaded(Loader):
    """Gives a module that was loaded meanwhile, as it is."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def install_before_cutile() -> None:
    """Installs at the first import of a module that is stood in for."""
    sys.meta_path.insert(0, _Installer())
