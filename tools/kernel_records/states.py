# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States of the project: a checkout, a revision, or a record that is there."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cuda_tile.errors import UserError
from kernel_records.record import Row, Wish

ROOT = Path(__file__).resolve().parents[2]
Rows = list[dict[str, Any]]
_NATIVE = Path("python", "cuda_tile", "_mlir")
"""What a build makes: the dialect, which a revision alone does not have."""


def rows_of_state(
    state: str, wish: Wish, watch: Callable[[str], None] = lambda line: None
) -> Rows:
    """The record of a state.

    Args:
        state: A JSON file with a record, a folder with a built checkout, or a revision
            of this one: its Python, with the dialect that is built here.
        wish: What is recorded, unless it is already.
        watch: Is told each row as it comes.

    Raises:
        UserError: It is none of these.
    """
    if state.endswith(".json"):
        return read_rows(Path(state))
    if Path(state).is_dir():
        return _recorded(Path(state), wish, watch)
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", state, "python"],
        capture_output=True,
        check=False,
    )
    if archive.returncode:
        raise UserError(f"expected a record, a checkout or a revision, got '{state}'")
    with TemporaryDirectory(prefix="cuda-tile-state-") as name:
        folder = Path(name)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            # `filter="data"`, where Python has it: Debian's 3.11.2 has not.
            files.extraction_filter = getattr(tarfile, "data_filter", None)
            files.extractall(folder)
        (folder / _NATIVE).symlink_to((ROOT / _NATIVE).resolve())
        return _recorded(folder, wish, watch)


def read_rows(path: Path) -> Rows:
    """Reads a record.

    Raises:
        UserError: It is none.
    """
    try:
        text = path.read_text()
    except OSError as error:
        raise UserError(f"expected a record in '{path}': {error}") from None
    return parse_rows(text, str(path))


def parse_rows(text: str, place: str) -> Rows:
    """The rows of a record's text; what is left out is as `Row` has it.

    Raises:
        UserError: It is none; the message names its place.
    """
    try:
        return [asdict(Row(**row)) for row in json.loads(text)["rows"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"expected a record in '{place}': {error}") from None


def without_times(rows: Rows) -> Rows:
    """Rows for a record that is committed: times differ each time."""
    return [row | {"seconds": 0.0} for row in rows]


def write_rows(path: Path, rows: Rows) -> None:
    """Writes a record, a line for each row, without what is as `Row` has it."""
    usual = asdict(Row("", ""))
    short = ({n: v for n, v in row.items() if v != usual[n]} for row in rows)
    lines = ",\n".join(map(json.dumps, short))
    path.write_text(f'{{"rows": [\n{lines}\n]}}\n')


def _recorded(folder: Path, wish: Wish, watch: Callable[[str], None]) -> Rows:
    """Records kernels with the package of a folder."""
    own = folder / ".venv" / "bin" / "python"
    path = os.pathsep.join([str((folder / "python").resolve()), str(ROOT / "tools")])
    command = [str(own) if own.exists() else sys.executable, "-m"]
    command += ["kernel_records.record", json.dumps(asdict(wish))]
    child = subprocess.Popen(
        command,
        env=os.environ | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    rows: Rows = []
    assert child.stdout is not None, "a pipe"
    for line in child.stdout:
        rows.append(json.loads(line))
        watch(f"{rows[-1]['kernel']} {rows[-1]['gpu']}: {rows[-1]['outcome']}")
    if child.wait():
        raise UserError(f"expected a built checkout in '{folder}'; its Python failed")
    return rows
