# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of this folder: for each kind of fault the smallest that has it.

Lines of comments at the top say everything else:

- `title`, `what` is wrong, what `mend`s it;
- `run` has the words for `cuda-tile-run` or `python -m cuda_tile.emulator`;
- `change: OLD => NEW`: mends this program, its words too; `\\n` is an end of line;
- `expect`: the whole message, a line each, with `0x...` for addresses.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import cuda_tile
from cuda_tile import Options
from cuda_tile.cli import run
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.emulator import __main__ as emulator
from cuda_tile.errors import CudaTileError
from cuda_tile.prove import prove

FOLDER = Path(__file__).parent
_FIELD = re.compile(r"^// (title|what|mend|run|change|expect): ?(.*)$", re.MULTILINE)
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
_TARGET = re.compile(r"^\.target (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class FaultProgram:
    """A program with one fault.

    Attributes:
        path: Its file.
        text: What is in it.
        fields: What its comments say, by name, in order.
    """

    path: Path
    text: str
    fields: Mapping[str, Sequence[str]]

    @property
    def name(self) -> str:
        """The kind of fault."""
        return self.path.stem

    @property
    def is_ptx(self) -> bool:
        """Whether it is PTX; else it is Tile IR."""
        return self.path.suffix == ".ptx"

    @property
    def words(self) -> str:
        """Those of its run."""
        return self.fields["run"][0]

    @property
    def changes(self) -> list[tuple[str, str]]:
        """What mends it."""
        pairs = (line.split(" => ") for line in self.fields["change"])
        return [(old, new.replace("\\n", "\n")) for old, new in pairs]

    @property
    def code(self) -> str:
        """The program without these comments."""
        return _FIELD.sub("", self.text).strip("\n") + "\n"

    def mended(self) -> FaultProgram:
        """The program, or its run, without the fault."""
        head, _, body = self.text.partition("\n\n")
        words = self.words
        for old, new in self.changes:
            assert old in body or old in words, f"{self.name}: {old} is not there"
            body, words = body.replace(old, new), words.replace(old, new)
        fields = {**self.fields, "run": [words]}
        return FaultProgram(self.path, f"{head}\n\n{body}", fields)


def programs() -> list[FaultProgram]:
    """All of them, by name."""
    return list(map(read, sorted([*FOLDER.glob("*.ptx"), *FOLDER.glob("*.mlir")])))


def read(path: Path) -> FaultProgram:
    """A program, by its file."""
    text, fields = path.read_text(), dict[str, list[str]]()
    for name, value in _FIELD.findall(text):
        fields.setdefault(name, []).append(value)
    return FaultProgram(path, text, fields)


def said(program: FaultProgram, more: str = "") -> tuple[int, str]:
    """The exit status and what a run prints, with `0x...` for addresses.

    Args:
        program: The program.
        more: Words in front of its own.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / program.path.name
        path.write_text(program.code)
        words = [str(path), *shlex.split(f"{more} {program.words}")]
        printed = StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            status = emulator.main(words) if program.is_ptx else _run(words)
        text = printed.getvalue().replace(f"{folder}/", "")
    return status, _ADDRESS.sub("0x...", text)


def _run(words: Sequence[str]) -> int:
    """`cuda-tile-run`, in this process."""
    before = sys.argv
    sys.argv = ["cuda-tile-run", *words]
    try:
        return run.main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.argv = before


def message(program: FaultProgram, text: str) -> str:
    """The part of what a run prints that says what is wrong."""
    lines = text.splitlines()
    first = next((n for n, line in enumerate(lines) if _is_said(program, line)), 0)
    return "\n".join(lines[first:]).strip()


def _is_said(program: FaultProgram, line: str) -> bool:
    return "error:" in line or "differ" in line or line.startswith(program.path.name)


# Judges -------------------------------------------------------------------------------


def _by_run(program: FaultProgram, more: str) -> str:
    words = re.sub(r"--mode \S+ ?", "", program.words)
    words = _without_shuffle(words) if "emulator" in more else words
    asked = FaultProgram(program.path, program.text, {**program.fields, "run": [words]})
    status, text = said(asked, more)
    return "error" if status else "warning" if "warning:" in text else ""


def _without_shuffle(words: str) -> str:
    """Without what the interpreter alone knows."""
    return re.sub(r"--(shuffle|atol) \S+ ?", "", words)


def _by_verifier(program: FaultProgram) -> str:
    try:
        cuda_tile.load(program.text.encode())
    except CudaTileError:
        return "error"
    return ""


def _by_proof(program: FaultProgram) -> str:
    try:
        found = prove(cuda_tile.load(program.text.encode()), Options("sm_90"))
    except CudaTileError:
        return "error"
    said = {proof.grid for proof in found} | {proof.block for proof in found}
    return (
        "error" if "refuted" in said else "unknown" if "unknown" in said else "proved"
    )


def _by_ptx_proof(program: FaultProgram) -> str:
    """By what `--prove` prints, which a launch may refute."""
    status, text = said(program, "--prove")
    if status:
        return "error"
    return "unknown" if " unknown: " in text else "proved"


def _by_ptxas(program: FaultProgram) -> str:
    target = _TARGET.search(program.text)
    try:
        assemble(program.text, target[1] if target else "sm_80")
    except CudaTileError:
        return "error"
    return ""


Judge = Callable[[FaultProgram], str]
TILE_JUDGES: Mapping[str, Judge] = {
    "verifier": _by_verifier,
    "interpreter": partial(_by_run, more=""),
    "interpreter, hardware mode": partial(_by_run, more="--mode hardware"),
    "emulator": partial(_by_run, more="--on emulator --gpu sm_90"),
    "emulator, with a seed": partial(
        _by_run, more="--on emulator --gpu sm_90 --seed 0"
    ),
    "prove": _by_proof,
}
PTX_JUDGES: Mapping[str, Judge] = {
    "ptxas": _by_ptxas,
    "emulator": partial(_by_run, more="--mode fast"),
    "emulator, adversarial": partial(_by_run, more="--mode adversarial"),
    "prove": _by_ptx_proof,
}


def verdicts(found: Sequence[FaultProgram]) -> Iterator[tuple[str, dict[str, str]]]:
    """What each judge says of each program; empty if it says nothing."""
    for program in found:
        judges = PTX_JUDGES if program.is_ptx else TILE_JUDGES
        yield program.name, {name: judge(program) for name, judge in judges.items()}
