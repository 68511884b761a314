# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The candidate's process: runs its Python, asks for its launches.

Nothing that decides is here. This process has no reference, no answer and no seed; it
is confined before the candidate's first line; and what it says is only material.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from cuda_tile.cutile.cupy_standin import ndarray as DeviceNdarray
from cuda_tile.cutile.order import ORDER
from cuda_tile.errors import UserError
from cuda_tile.judge.arguments import arrays_of, outputs_of
from cuda_tile.judge.hook import HOOK, Asked
from cuda_tile.judge.placement import place_of
from cuda_tile.judge.sandbox import Cage, confine
from cuda_tile.judge.tensors import (
    fill_empty_with,
    hide_where_not_loaded,
    tensor_of,
)
from cuda_tile.judge.wire import Wire
from cuda_tile.runtime.elements import Array

NAME = "candidate"
_PACKAGE = Path(__file__).resolve().parent.parent


class Remote:
    """Runs launches in the judge's process.

    Args:
        wire: The way there.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def launch(self, asked: Asked, arrays: Sequence[Array]) -> int:
        """Sends a launch; puts what it left into the arrays."""
        places = [place_of(array) for array in arrays]
        self._wire.send({"kind": "launch", "places": places, **asked}, arrays)
        answer, results = self._wire.receive()
        if answer["kind"] == "error":
            raise UserError(answer["text"])
        for place, result in zip(answer["changed"], results, strict=True):
            arrays[place][...] = result
        return int(answer["count"])


def readable_places(program: Path) -> list[str]:
    """What the candidate may read: its file, Python and this package."""
    python = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent)}
    python |= set(sysconfig.get_paths().values())
    system = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/dev/null", "/dev/urandom"]
    system += ["/etc/ld.so.cache", "/usr/share/zoneinfo", "/proc/cpuinfo"]
    return [str(program), str(_PACKAGE), *sorted(python), *system]


def serve(wire: Wire, program: Path, cage: Cage) -> NoReturn:
    """What the process does until the judge has gone; does not return."""
    code = 1
    sys.dont_write_bytecode = True
    sys.pycache_prefix = None  # a folder of files that the candidate may not read
    try:
        held = confine(cage)
        wire.send({"kind": "ready", "held": held})
        _serve(wire, program)
        code = 0
    except BaseException as error:
        if not isinstance(error, UserError):
            _tell(wire, error, program)
    finally:
        os._exit(code)


def _serve(wire: Wire, program: Path) -> None:
    hide_where_not_loaded()
    _report_attempts(wire, readable_places(program))
    candidate = _load(program)
    wire.send({"kind": "loaded"})
    slots: dict[int, tuple[list[Any], list[Any]]] = {}
    HOOK.target = Remote(wire)
    while True:
        order, arrays = wire.receive()
        _fill_empty_with(order["pattern"])
        args, given = _arguments(order, arrays, slots)
        ORDER.wait_for_all()
        try:
            results = outputs_of(candidate(*given))
        except Exception as error:
            _tell(wire, error, program)
            continue
        said = {"kind": "done", "count": len(results), "pending": ORDER.pending()}
        places = [place_of(array) for array in results]
        wire.send({**said, "places": places}, [*results, *arrays_of(args)])


def _tell(wire: Wire, error: BaseException, program: Path) -> None:
    """Tells the judge of what the candidate raised."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(program)]
    said = "".join(traceback.format_exception_only(error)).strip()[:2000]
    wire.send({"kind": "raised", "text": said, "line": lines[-1] if lines else None})


def _load(program: Path) -> Callable[..., Any]:
    # Not by the import system, which looks for compiled files beside it.
    module = ModuleType(NAME)
    module.__file__ = str(program)
    sys.modules[NAME] = module
    homes = sys.prefix, sys.base_prefix
    sys.path[:] = [
        path for path in sys.path if any(map(Path(path).is_relative_to, homes))
    ]
    sys.path.append(str(_PACKAGE.parent))
    code = compile(program.read_text(), str(program), "exec")
    exec(code, vars(module))
    function = getattr(module, NAME, None)
    if not callable(function):
        raise TypeError(f"expected a function {NAME}, got {function!r}")
    return function


def _arguments(
    order: dict[str, Any],
    arrays: Sequence[Array],
    slots: dict[int, tuple[list[Any], list[Any]]],
) -> tuple[list[Any], list[Any]]:
    """The arguments of a call: new ones, or earlier ones with new contents.

    Returns:
        Their arrays and numbers, and what the candidate gets of them.
    """
    slot = order["slot"]
    if not order["is_fresh"] and slot in slots:
        for arg, array in zip(arrays_of(slots[slot][0]), arrays, strict=True):
            arg.setflags(write=True)
            arg[...] = array
        return slots[slot]
    fresh = iter(arrays)
    found: list[Any] = [
        next(fresh).view(DeviceNdarray) if isinstance(value, dict) else value
        for value in order["args"]
    ]
    is_tensors = order["is_tensors"]
    given = [
        tensor_of(arg, is_on_device=True) if is_tensors and arrays_of([arg]) else arg
        for arg in found
    ]
    slots.setdefault(slot, (found, given))
    return found, given


_EMPTY, _EMPTY_LIKE = np.empty, np.empty_like


def _fill_empty_with(pattern: int) -> None:
    """Makes memory that nobody has written visible: it has one known pattern."""

    def filled(array: Any) -> Any:
        if array.dtype != bool and not array.dtype.hasobject:
            raw = bytes([pattern]) * array.dtype.itemsize
            array[...] = np.frombuffer(raw, array.dtype)[0]
        return array

    def empty(*args: Any, **words: Any) -> Any:
        return filled(_EMPTY(*args, **words))

    def empty_like(*args: Any, **words: Any) -> Any:
        return filled(_EMPTY_LIKE(*args, **words))

    np.empty, np.empty_like = empty, empty_like  # type: ignore[assignment]
    fill_empty_with(pattern)


_WRITES = os.O_WRONLY | os.O_RDWR
_ASKED = {
    "socket.__new__": "a socket",
    "subprocess.Popen": "a process",
    "os.fork": "a process",
    "os.forkpty": "a process",
    "os.exec": "a process",
    "os.posix_spawn": "a process",
    "os.system": "a process",
    "os.kill": "a signal to a process",
}


def _report_attempts(wire: Wire, allowed: Sequence[str]) -> None:
    """Tells the judge what the candidate asks the system for and does not get."""
    roots = [os.path.realpath(path) for path in allowed]

    def is_allowed(path: str, mode: str, flags: int) -> bool:
        whole = os.path.realpath(path)
        is_inside = any(whole == root or whole.startswith(f"{root}/") for root in roots)
        return is_inside and not set(mode) & set("wax+") and not flags & _WRITES

    def hook(event: str, args: tuple[Any, ...]) -> None:
        what = _ASKED.get(event)
        if event == "open" and isinstance(args[0], (str, bytes)):
            path, mode, flags = os.fsdecode(args[0]), *args[1:3]
            if not is_allowed(path, mode or "", flags or 0):
                what = f"the file {os.path.basename(path)}"
        if what is not None:
            wire.send({"kind": "attempt", "what": what})

    sys.addaudithook(hook)
