# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheels of a release: makes those that are missing, and tries all.

A wheel is tried in each bare system of a Debian that has its Python, and else in an
environment of that Python here. What a try found is kept beside the sum of the wheel
(`TRIED`), so that only a new wheel is tried again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TRIED = ROOT / "build" / "tried.json"


class ReleaseError(Exception):
    """What has to be mended before there can be a release."""


@dataclass(frozen=True)
class Planned:
    """A wheel that a release has.

    Attributes:
        tag: Of its Python, as in its name.
        machine: The kind of machine, as `uname -m` prints it.
        python: The interpreter that builds it.
        systems: Names of Debian releases that have its Python; none if none has.
    """

    tag: str
    machine: str
    python: str
    systems: tuple[str, ...] = ()

    def found(self) -> Path | None:
        """Its file in `DIST`."""
        names = f"*-{self.tag}-*-*{self.machine}.whl"
        return next(iter(sorted(DIST.glob(names))), None)

    def check(self) -> None:
        """Raises `ReleaseError` if it is neither there nor can be made."""
        if self.found() is None and shutil.which(self.python) is None:
            raise ReleaseError(
                f"expected a wheel of {self.tag} for {self.machine} in dist/, or "
                f"{self.python} on the PATH to make it, got neither"
            )


PLAN = tuple(
    planned
    for machine in ("x86_64", "aarch64")
    for planned in (
        Planned("cp310", machine, "python3.10"),
        Planned("cp311", machine, "python3.11", ("bookworm",)),
        Planned("cp312", machine, "python3.12", ("trixie", "forky")),
    )
)


def made_wheels() -> list[Path]:
    """All wheels of the plan; those that are not in `DIST` are made.

    Raises:
        ReleaseError: One could not be made.
    """
    for planned in PLAN:  # before the hour that making the others takes
        planned.check()
    return [planned.found() or _make(planned) for planned in PLAN]


def _make(planned: Planned) -> Path:
    words = ["--python", planned.python, "--arch", planned.machine]
    if subprocess.run([ROOT / "tools" / "wheel", *words], check=False).returncode:
        raise ReleaseError(f"tools/wheel {' '.join(words)} failed, as it says above")
    found = planned.found()
    if found is None:
        raise ReleaseError(f"tools/wheel made no wheel of {planned.tag}")
    return found


def tries(wheel: Path) -> Iterator[list[str]]:
    """The arguments of tools/try_wheel for a wheel, one list for each place.

    Args:
        wheel: A file; one that no row of the plan names is tried nowhere.
    """
    for planned in PLAN:
        if f"-{planned.tag}-" in wheel.name and wheel.stem.endswith(planned.machine):
            yield from ([system] for system in planned.systems)
            runs_here = planned.machine == _machine() and not planned.systems
            if runs_here and shutil.which(planned.python):
                yield ["--python", planned.python]


def _machine() -> str:
    return subprocess.check_output(["uname", "-m"], text=True).strip()


def tried_rows(wheels: list[Path], is_trying: bool = True) -> dict[Path, list[str]]:
    """For each wheel the rows of a table, one for each place where it was tried.

    Args:
        wheels: The files.
        is_trying: Whether to try what has not been tried.

    Raises:
        ReleaseError: A try failed.
    """
    known: dict[str, dict[str, str]] = {}
    if TRIED.exists():
        known = json.loads(TRIED.read_text())
    found: dict[Path, list[str]] = {}
    for wheel in wheels:
        rows = known.setdefault(hashlib.sha256(wheel.read_bytes()).hexdigest(), {})
        for words in tries(wheel):
            place = " ".join(words)
            if place not in rows and is_trying:
                rows[place] = _try(words, wheel)
                TRIED.parent.mkdir(parents=True, exist_ok=True)
                TRIED.write_text(json.dumps(known, indent=1))
        found[wheel] = list(rows.values())
    return found


def _try(words: list[str], wheel: Path) -> str:
    """The row of a table for a wheel that passed."""
    command = [sys.executable, ROOT / "tools" / "try_wheel.py", *words, wheel]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(result.stdout, flush=True)
    if result.returncode:
        raise ReleaseError(f"{wheel.name} failed where it was tried: {' '.join(words)}")
    return next(line for line in result.stdout.splitlines() if line.startswith("| "))
