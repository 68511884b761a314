# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile IR for another compiler, NVIDIA's `tileiras`, as a black box.

Bytecode that our reader and verifier accept is legal, as we read the specification.
Where that compiler refuses it, dies or has no end, one of both is wrong, and a small
program says which.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from differential_check import Failure
from near_miss_run import GPUS

from cuda_tile.errors import UserError
from cuda_tile.files import load, save
from cuda_tile.packaged import packaged
from cuda_tile.reducer import Source, read_source
from fuzzing.compiled_kinds import Programs
from fuzzing.generator import Input, Seen, reason
from fuzzing.read_kinds import Bytecode

DAMAGED_EACH = 3
"""One program of so many is damaged bytecode that can still be read."""
LIMIT_SECONDS = 60
VERSION = "13.4"
"""Of the bytecode: every tileiras from 13.4 on reads it."""
_ERROR = ": error: "
_LACKING = "Incompatibility with architecture"
"""What a chip has not got is refused by every compiler."""


class Tileiras:
    """Random programs and damaged bytecode, compiled by tileiras."""

    name = "tileiras"
    suffix = ".tileirbc"
    cpu_seconds = 120

    def __init__(self) -> None:
        self._programs, self._bytecode = Programs(), Bytecode()

    def make(self, number: int, corpus: Sequence[bytes]) -> Input | None:
        """As `Generator.make`."""
        place, kind = divmod(number, DAMAGED_EACH)
        if kind == 0:
            made = self._bytecode.make(place, corpus)
        else:
            made = self._programs.make(place * (DAMAGED_EACH - 1) + kind - 1, ())
        if made is None or made.failure is not None:
            return None  # findings of others
        try:
            data = _encoded(made.data)
        except UserError:
            return None  # it needs more than that version has
        gpu = GPUS[number % len(GPUS)]
        return Input(self.name, data, {"gpu": gpu}, made.features)

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`."""
        said = compiled_by_tileiras(made.data, made.how["gpu"])
        if said is not None and said[1].startswith(_LACKING):
            return Seen(None, frozenset({f"limit: {reason(said[1])}"}))
        where = f"tileiras ({made.how['gpu']})"
        features = frozenset({f"{where}: {reason(said[1]) if said else 'compiles'}"})
        return Seen(None if said is None else Failure(where, *said), features)

    def source(self, data: bytes) -> Source:
        """As `Generator.source`."""
        source = read_source(data, "text")
        return Source(
            source.text,
            source.kinds,
            lambda text: _encoded(text.encode()),
            self.suffix,
            source.size,
        )


def _encoded(program: bytes) -> bytes:
    """A program as bytecode.

    Raises:
        UserError: It cannot be written.
    """
    return save(load(program), version=VERSION)


def compiled_by_tileiras(data: bytes, gpu: str) -> tuple[str, str] | None:
    """What tileiras says against a program: a kind of failure and a message.

    Args:
        data: Bytecode.
        gpu: The chip.

    Raises:
        UserError: tileiras is not installed.
    """
    program = find_tileiras()
    home = program.parent.parent
    libraries = [home / "lib", home / "nvvm" / "lib64"]
    found = os.pathsep.join(map(str, libraries))
    with TemporaryDirectory(prefix="cuda-tile-fuzz-") as folder:
        source = Path(folder, "input.tileirbc")
        source.write_bytes(data)
        words = [program, "--gpu-name", gpu, source, "-o", source.with_suffix(".cubin")]
        try:
            run = subprocess.run(
                list(map(str, words)),
                env=os.environ | {"LD_LIBRARY_PATH": found},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "timeout", f"not ready after {LIMIT_SECONDS} s"
    if run.returncode == 0:
        return None
    if run.returncode < 0:
        return "death", f"died of {signal.Signals(-run.returncode).name}"
    said = run.stderr + run.stdout
    reasons = [line.partition(_ERROR)[2] for line in said.splitlines()]
    reasons = [each for each in reasons if each]
    if reasons:
        return "refused", reasons[0]
    return "foreign", said.strip() or f"status {run.returncode}"


@cache
def find_tileiras() -> Path:
    """NVIDIA's compiler: `TILEIRAS`, the package's, or one on `PATH`.

    Raises:
        UserError: There is none, or it is our own program of that name.
    """
    found = os.environ.get("TILEIRAS") or packaged("bin/tileiras")
    found = found or shutil.which("tileiras")
    said = "" if found is None else _version(Path(found))
    if found is None or "NVIDIA" not in said:
        raise UserError(
            f"expected NVIDIA's tileiras, found {found or 'none'}; install it with "
            "'pip install nvidia-cuda-tileiras', or set TILEIRAS to the program's path"
        )
    return Path(found)


def _version(program: Path) -> str:
    words = [str(program), "--version"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
