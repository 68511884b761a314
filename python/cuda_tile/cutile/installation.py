# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes cuTile run its kernels here, for the rest of the process.

cuTile itself stays as it is. Below it the driver library and `tileiras` are stand-ins,
and its launching functions get arrays of host memory that say that they are the
device's. Programs that say 'cuda' to torch, or use CuPy, get stand-ins for these too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from types import ModuleType
from typing import Any, Protocol, TypeAlias, cast

from cuda_tile.cutile.on_gpu import GpuSession
from cuda_tile.cutile.session import Session
from cuda_tile.cutile.settings import VARIABLE, Settings
from cuda_tile.cutile.standin import FOLDER
from cuda_tile.errors import UserError

DISTRIBUTION = "cuda-tile"
TESTED_VERSIONS = ("1.7",)
"""Versions of cuTile Python that the tests run with, major and minor."""

LAUNCHERS = (
    "launch",
    "launch_extended",
    "_benchmark",
    "_export_ipc_benchmark_payload",
    "get_parameter_constraints_from_pyargs",
)
"""Functions of cuTile's extension module that take a kernel and its arguments."""

_STARTUP = str(FOLDER.parent.parent / "cutile" / "startup")
_TILEIRAS = FOLDER / "tileiras"
AnySession: TypeAlias = Session | GpuSession
_installed: list[AnySession] = []


class Launcher(Protocol):
    """What stands in front of cuTile's launching functions."""

    def call(
        self,
        name: str,
        native: Callable[..., Any],
        words: Sequence[Any],
        choices: dict[str, Any],
    ) -> Any:
        """As `Session.call`."""
        ...


def check_cutile() -> str:
    """The installed version of cuTile.

    Raises:
        UserError: It is not installed.
    """
    try:
        version = metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise UserError(
            "expected cuTile Python in this Python environment, found none; install it "
            "with: pip install 'cuda-tile-compiler[cutile]'"
        ) from None
    if version.rpartition(".")[0] not in TESTED_VERSIONS:
        tested = ", ".join(TESTED_VERSIONS)
        warnings.warn(
            f"cuTile {version} is installed; cuda_tile.cutile is tested with {tested}",
            stacklevel=2,
        )
    return version


def install(**choices: Any) -> AnySession:
    """Makes each launch of cuTile run here, for the rest of the process.

    Python processes that it starts do the same. A second call changes how.

    Args:
        choices: The attributes of `Settings`.

    Raises:
        UserError: A choice is not allowed, cuTile is not installed, or the process has
            loaded a CUDA driver.
    """
    settings = Settings(**choices)
    check_cutile()
    if _installed:
        return _change(_installed[0], settings)
    session = GpuSession(settings) if settings.on == "gpu" else Session(settings)
    _installed.append(session)
    if settings.on != "gpu":
        _replace_tileiras()
        _stand_in_for_libraries(settings)
    _tell_children(settings)
    _replace_launchers(session)
    return session


def installed() -> AnySession | None:
    """The session of this process, if `install` made one."""
    return _installed[0] if _installed else None


def install_from_environment() -> None:
    """Does in a child process what `install` did in its parent."""
    settings = Settings.from_environment()
    if settings is not None and not _installed:
        install(**{name: getattr(settings, name) for name in vars(settings)})


def _change(session: AnySession, settings: Settings) -> AnySession:
    if (settings.on == "gpu") != (session.settings.on == "gpu"):
        raise UserError(
            f"expected on='{session.settings.on}', with which the process has begun, "
            f"got '{settings.on}'; a GPU and its stand-in need a process each"
        )
    if settings.gpu != session.settings.gpu:
        raise UserError(
            f"expected gpu='{session.settings.gpu}', which the process has been told "
            f"its device is, got '{settings.gpu}'; use a process per chip"
        )
    session.settings = settings
    _tell_children(settings)
    return session


def _replace_tileiras() -> None:
    """Makes cuTile call the stand-in for tileiras.

    cuTile prefers the program of pip's package to one on the PATH, so that is not
    enough where the package is installed.
    """
    os.environ["PATH"] = f"{FOLDER}{os.pathsep}{os.environ.get('PATH', '')}"
    begin: Any = subprocess.Popen.__init__

    def begin_ours(self: Any, args: Any, *words: Any, **choices: Any) -> None:
        if isinstance(args, (list, tuple)) and args:
            program, *rest = cast(Sequence[str], args)
            if os.path.basename(os.fspath(program)) == _TILEIRAS.name:
                args = [str(_TILEIRAS), *rest]
                choices.pop("executable", None)
        begin(self, args, *words, **choices)

    subprocess.Popen.__init__ = begin_ours


def _tell_children(settings: Settings) -> None:
    os.environ[VARIABLE] = settings.to_environment()
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if _STARTUP not in paths:
        rest = [path for path in paths if path]
        os.environ["PYTHONPATH"] = os.pathsep.join([_STARTUP, *rest])


def _stand_in_for_libraries(settings: Settings) -> None:
    from cuda_tile.cutile import cupy_standin, import_hook

    sys.modules["cupy"] = cupy_standin.make_module(settings.gpu)

    def patch_torch(torch: ModuleType) -> None:
        from cuda_tile.cutile import torch_standin

        torch_standin.patch(torch, settings.gpu)

    import_hook.when_imported("torch", patch_torch)


def take_over(launcher: Launcher) -> None:
    """Gives all launches of this process to somebody else, after `install`."""
    _replace_launchers(launcher)


def _replace_launchers(session: Launcher) -> None:
    """Puts functions in front of cuTile's, wherever a module has these."""
    import_module("cuda.tile")
    extension: Any = import_module("cuda.tile._cext")
    replaced = {
        id(getattr(extension, name)): (name, _in_front(session, extension, name))
        for name in LAUNCHERS
        if hasattr(extension, name)
    }
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name in (*LAUNCHERS, "_launch"):
            found = replaced.get(id(names.get(name)))
            if found is not None:
                setattr(module, name, found[1])


def _in_front(session: Launcher, extension: Any, name: str) -> Callable[..., Any]:
    native = getattr(extension, name)

    def call(*words: Any, **choices: Any) -> Any:
        return session.call(name, native, words, choices)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = native.__doc__
    return call
