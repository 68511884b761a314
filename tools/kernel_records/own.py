# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The committed record of our own kernels: which they are, and what differs from it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from cuda_tile.errors import UserError
from kernel_records.compare import Change, Limits, changes
from kernel_records.record import Task, files_of
from kernel_records.states import ROOT, Rows, parse_rows, read_rows

RECORD = Path("bench", "ecosystem.json")
"""Written again with each change of what kernels become."""
FOLDERS = (Path("test", "kernels", "13.4"), Path("test", "kernels", "tilecpp"))
CHIPS = ("sm_80", "sm_90", "sm_100", "sm_120")


def own_files() -> list[tuple[str, str]]:
    """The kernels, with the folder's name in front of theirs."""
    return [
        (f"{folder.name}/{name}", str(path))
        for folder in FOLDERS
        for name, path in files_of([ROOT / folder])
    ]


def own_tasks(salt: str | None) -> list[Task]:
    """The files and chips to record.

    Args:
        salt: Each file is for one chip, which depends on this and on the file's name;
            None: for all chips.
    """
    return [
        (file, chip)
        for file in own_files()
        for chip in CHIPS
        if salt is None or chip == _chip_of(file[0], salt)
    ]


def _chip_of(name: str, salt: str) -> str:
    """The chip of a file in a sample."""
    number = int.from_bytes(blake2b(f"{salt} {name}".encode(), digest_size=8).digest())
    return CHIPS[number % len(CHIPS)]


def rows_at(state: str) -> Rows:
    """The committed record of a checkout or a revision, which is not built.

    Raises:
        UserError: It has none.
    """
    if state.endswith(".json"):
        return read_rows(Path(state))
    if Path(state).is_dir():
        return read_rows(Path(state) / RECORD)
    shown = subprocess.run(
        ["git", "-C", str(ROOT), "show", f"{state}:{RECORD.as_posix()}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if shown.returncode:
        raise UserError(
            f"expected a revision with {RECORD}, got '{state}'; name the kernels to "
            "compile them by a revision without it"
        )
    return parse_rows(shown.stdout, f"{state}:{RECORD}")


def key(row: Mapping[str, Any]) -> tuple[str, str]:
    """What a row is of."""
    return row["kernel"], row["gpu"]


def differences(recorded: Rows, now: Rows, limits: Limits) -> list[Change]:
    """What differs between the record and what kernels become now.

    Args:
        recorded: The rows of the record, also of chips and kernels that `now` has not.
        now: What was compiled.
        limits: From where on a change is for the worse.
    """
    known = {key(row) for row in recorded}
    # A file that does not compile now has one row, which stands for its kernels.
    known |= {(name.partition(" ")[0], gpu) for name, gpu in known}
    found = list(changes(recorded, now, limits))
    found += [
        Change(*key(row), "outcome", None, row["outcome"], is_worse=False)
        for row in now
        if key(row) not in known
    ]
    return found


def gone(recorded: Rows) -> list[Change]:
    """Rows of the record whose kernel is none of ours any more, or whose chip."""
    names = {name for name, _ in own_files()}
    return [
        Change(*key(row), "outcome", row["outcome"], None, is_worse=False)
        for row in recorded
        if row["kernel"].partition(" ")[0] not in names or row["gpu"] not in CHIPS
    ]
