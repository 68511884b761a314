# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on disk: bytecode, grid and arguments, for `cuda-tile-run` to run again.

Each launch has a folder `0001-KERNEL`: `kernel.tileirbc`, a file per array before
(`0.npy`) and after the launch (`0.after.npy`), `launch.json`, and `run.sh` with the
command. Arrays are saved as their memory from first to last element, one-dimensional,
so that strides stay as they were.
"""

from __future__ import annotations

import itertools
import json
import shlex
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from cuda_tile.cutile.dlpack import view
from cuda_tile.cutile.kernels import Work
from cuda_tile.errors import UserError
from cuda_tile.runtime.args import PointerTable
from cuda_tile.runtime.elements import Array, element

_LOCK = threading.Lock()


@contextmanager
def record_launch(folder: str, work: Work) -> Generator[Path]:
    """Writes a launch: its inputs before, and what they became after the body.

    Args:
        folder: Holds the folders of launches; made if need be.
        work: The launch.

    Raises:
        UserError: The files cannot be written.
    """
    try:
        home = _new_folder(Path(folder), work.kernel)
        (home / "kernel.tileirbc").write_bytes(work.image.bytecode)
        arrays = _save_all(home, work, ".npy")
        _describe(home, work, arrays)
    except OSError as error:
        raise UserError(
            f"cannot record a launch in '{folder}': {error.strerror or error}"
        ) from None
    yield home
    _save_all(home, work, ".after.npy")


def _new_folder(folder: Path, kernel: str) -> Path:
    with _LOCK:
        folder.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1 + len(list(folder.iterdir()))):
            home = folder / f"{number:04}-{kernel}"
            try:
                home.mkdir()
            except FileExistsError:  # by another process
                continue
            return home
    raise AssertionError("numbers do not end")


def _save_all(home: Path, work: Work, suffix: str) -> list[str]:
    """Saves the arrays among the arguments; gives the word of each for the command."""
    types = work.image.types(work.entry)
    words: list[str] = []
    for place, (name, value) in enumerate(zip(types, work.bound, strict=True)):
        if isinstance(value, PointerTable):
            for number, target in enumerate(value.targets):
                _save(home / f"{place}.{number}{suffix}", target)
            rows = np.array(value, np.int64, subok=False)
            rows = rows.reshape(-1, max(value.words_per_array, 1))
            rows[:, 0] = 0  # addresses are those of another process
            _save_rows(home / f"{place}.npy", rows)
            words.append(f"out:{place}.again.npy:table:{place}.npy")
        elif isinstance(value, np.ndarray):
            _save(home / f"{place}{suffix}", value)
            pointee = element(name).pointee
            words.append(f"out:{place}.again.npy:{place}{suffix}:{pointee}")
        else:
            number = cast(Any, value).item()
            words.append(
                repr(number).lower() if isinstance(number, bool) else repr(number)
            )
    return words


def _save(path: Path, array: Array) -> None:
    """Saves the memory of an array, as raw elements where NumPy lacks their type."""
    flat = memory_of(array)
    if flat.dtype.kind == "V" or flat.dtype.num >= 256:
        flat = flat.view(f"V{flat.dtype.itemsize}")
    with path.open("wb") as file:
        np.save(file, flat)


def _save_rows(path: Path, rows: Array) -> None:
    with path.open("wb") as file:
        np.save(file, rows)


def memory_of(array: Array) -> Array:
    """The memory from the first to the last element of an array, one-dimensional."""
    if not array.size:
        return array.reshape(-1)
    low, high = np.lib.array_utils.byte_bounds(array)
    count = (high - low) // array.itemsize
    return view(int(low), (count,), (array.itemsize,), array.dtype)


def _describe(home: Path, work: Work, words: Sequence[str]) -> None:
    grid = ",".join(map(str, work.grid))
    facts = {
        "kernel": work.kernel,
        "entry": work.entry,
        "grid": list(work.grid),
        "parameters": work.image.types(work.entry),
        "arguments": list(words),
    }
    (home / "launch.json").write_text(json.dumps(facts, indent=1) + "\n")
    command = ["cuda-tile-run", "kernel.tileirbc", "--kernel", work.entry]
    command += ["--grid", grid, "--", *words]
    (home / "run.sh").write_text(
        "#!/bin/sh\n# Runs the launch again; results are the files *.again.npy.\n"
        f'cd "$(dirname "$0")" && exec {shlex.join(command)}\n'
    )
