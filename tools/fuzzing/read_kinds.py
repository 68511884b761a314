# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generators of damaged files: Tile IR as text and bytecode, and PTX."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import ptx_fuzz
from differential_check import Failure
from ptx_programs import PROGRAMS
from run_fuzz import sort_of
from used_fuzz import use_in_child

from cuda_tile.errors import UserError
from cuda_tile.files import load
from cuda_tile.reducer import Source, read_source
from fuzzing import mutators
from fuzzing.generator import Input, Read, Seen, reason
from fuzzing.mutators import TOKENS, cut, insert, line_ends, lines, mark, nest, replace

ROOT = Path(__file__).resolve().parents[2]
FUZZER = ROOT / "build" / "dialect" / "fuzz" / "cuda-tile-fuzz"
BATCH = 60
"""Damaged files of a number, of which one that can be read is used."""
FILES_EACH = 24
"""Files from which those of a number are made."""
STEPS = ["print", "interpret", "compile"]
"""What is done with a file that can be read."""
COMMANDS = ["assemble", "translate"]
COMMANDS_EACH = 8
"""One of so many is given to commands, too, which takes seconds."""
_NUMBERS = (
    *("0", "1", "-1", "2", "3", "8", "16", "128", "255", "256", "1073741824"),
    *("2147483648", "9223372036854775808", "99999999999999999999", "0x7FC00000"),
    *("0.0", "-0.0", "1e400", "0xFF800000", "?", "1.5"),
)
_TYPES = (
    *("i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32"),
    *("f8E4M3FN", "f8E5M2", "ptr<f32>", "token", "tile<f32>", "tile<4x4xf32>"),
    *("tensor_view<?x4xf32, strides=[?,1]>", "index", "!cuda_tile.token", "none"),
)
_WORDS = (
    *("weak", "relaxed", "acquire", "release", "device", "tl_blk", "sys", "signed"),
    *("unsigned", "ordered", "unordered", "rounding<zero>", "flush_to_zero", "token"),
    *("overflow<no_wrap>", "iter_values(", "mask =", "loc(unknown)", "attributes {}"),
    *("optimization_hints = <sm_90 = {}>", "->", "{", "}", "yield", "continue"),
)
_NUMBER, _NAME = re.compile(r"\d[\w.]*"), re.compile(r"%[\w$]+")
_TYPE, _WORD = re.compile(r"[a-z]+\d+\w*"), re.compile(r"[a-z]\w*")
TEXT_MUTATORS = (
    *(*TOKENS, *TOKENS, replace(_NAME, None), replace(_NAME, None)),
    *(replace(_TYPE, None), replace(_TYPE, _TYPES), replace(_WORD, None)),
    *(replace(_NUMBER, None), replace(_NUMBER, _NUMBERS), replace(_NUMBER, _NUMBERS)),
    *(insert(_WORDS), insert(_TYPES), mark, nest, lines, lines, cut, line_ends),
)


class _Files:
    """Generators of files that the reader of Tile IR gets, and whoever uses it."""

    cpu_seconds = 120
    suffix = ".mlir"
    form = "text"

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`: a message for the user, or all is well."""
        with TemporaryDirectory(prefix="cuda-tile-fuzz-") as folder:
            path = Path(folder, f"input{self.suffix}")
            path.write_bytes(made.data)
            found = use_in_child(path, made.how["steps"])
        feature = f"{found.step}: {found.kind}: {reason(found.text)}"
        is_lost = found.kind == "refused" and found.step == "print"
        if found.kind != "problem" and not is_lost:
            return Seen(None, frozenset({feature}))
        kind = "death" if found.text.startswith("died") else found.kind
        return Seen(Failure(found.step, kind, found.text), frozenset({feature}))

    def source(self, data: bytes) -> Source:
        """As `Generator.source`."""
        return read_source(data, self.form)


@cache
def _texts() -> list[str]:
    """Texts of Tile IR to damage."""
    folders = (ROOT / "test" / "differential" / "Inputs", ROOT / "test" / "compat")
    files = sorted(path for folder in folders for path in folder.rglob("*.mlir"))
    found = [_readable(path.read_bytes()) for path in files]
    return [text for text in found if text is not None]


def _readable(data: bytes) -> str | None:
    try:
        return str(load(data))
    except UserError:
        return None


class Text(_Files):
    """Damaged texts of Tile IR."""

    name = "text"

    def make(self, number: int, corpus: Sequence[bytes]) -> Input:
        """As `Generator.make`."""
        rng = Random(f"text {number}")
        old = rng.choice(corpus).decode() if corpus and rng.random() < 0.5 else None
        text = mutators.mutated(old or rng.choice(_texts()), rng, TEXT_MUTATORS)
        how = {"steps": STEPS}
        return Input(self.name, text.encode("utf-8", "surrogatepass"), how)


@cache
def _kernels() -> list[Path]:
    """Bytecode to damage."""
    return sorted([*(ROOT / "test").rglob("*.tileirbc")])


class Bytecode(_Files):
    """Damaged bytecode that reads, all the same."""

    name = "bytecode"
    suffix = ".tileirbc"
    form = "bytecode"

    def make(self, number: int, corpus: Sequence[bytes]) -> Input | None:
        """As `Generator.make`; what the reader stumbles over itself is a failure."""
        rng = Random(f"bytecode {number}")
        with TemporaryDirectory(prefix="cuda-tile-fuzz-") as name:
            folder = Path(name)
            problem, accepted = folder / "problem", folder / "accepted"
            accepted.mkdir()
            for place, data in enumerate(rng.sample(corpus, min(8, len(corpus)))):
                (folder / f"{place}.tileirbc").write_bytes(data)
            files = [*rng.sample(_kernels(), FILES_EACH), *folder.glob("*.tileirbc")]
            command = [FUZZER, "--runs", BATCH, "--seed", number, "--keep", *files]
            command += ["--artifact", problem, "--accepted", accepted]
            words = [str(word) for word in command]
            run = subprocess.run(words, capture_output=True, text=True, check=False)
            if run.returncode:
                failure = Failure("reader", "problem", run.stderr[-2000:])
                data = problem.read_bytes() if problem.exists() else b""
                how = {"steps": STEPS}
                return Input(self.name, data, how, frozenset(), failure)
            if not (read := sorted(accepted.iterdir())):
                return None
            how = {"steps": STEPS if number % COMMANDS_EACH else [*STEPS, *COMMANDS]}
            return Input(self.name, rng.choice(read).read_bytes(), how)


@cache
def _starts() -> Mapping[str, ptx_fuzz.Start]:
    return {start.name: start for start in ptx_fuzz.starts()}


class Ptx(Read):
    """Damaged PTX, on the emulator."""

    name = "ptx"
    suffix = ".ptx"
    cpu_seconds = 60

    def make(self, number: int, corpus: Sequence[bytes]) -> Input:
        """As `Generator.make`."""
        del corpus  # an input is run with the arguments of what it was made from
        rng = Random(f"ptx {number}")
        start = rng.choice(list(_starts().values()))
        mode = "adversarial" if rng.random() < 0.25 else "fast"
        how = {"start": start.name, "mode": mode, "seed": number}
        text = ptx_fuzz.mutated(start.text, rng)
        return Input(self.name, text.encode("utf-8", "surrogatepass"), how)

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`."""
        start = _starts()[made.how["start"]]
        text = made.data.decode("utf-8", "surrogatepass")
        found = ptx_fuzz.outcome(start, text, made.how["mode"], made.how["seed"])
        if found.kind == "problem":
            failure = Failure("emulator", "problem", sort_of(found))
            return Seen(failure, frozenset())
        return Seen(None, frozenset({f"{found.kind}: {reason(found.message)}"}))


class Schedules(Read):
    """Programs of PTX under many orders of threads and copies."""

    name = "schedules"
    suffix = ".ptx"
    cpu_seconds = 120

    def make(self, number: int, corpus: Sequence[bytes]) -> Input:
        """As `Generator.make`."""
        del corpus
        seed, place = divmod(number, len(PROGRAMS))
        name = list(PROGRAMS)[place]
        how = {"program": name, "seed": seed}
        return Input(self.name, PROGRAMS[name].text.encode(), how, frozenset({name}))

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`."""
        program, seed = PROGRAMS[made.how["program"]], int(made.how["seed"])
        try:
            report = program.run("adversarial", seed, text=made.data.decode())
        except Exception as error:
            kind = "mismatch" if isinstance(error, AssertionError) else ""
            kind = kind or type(error).__name__
            return Seen(Failure("emulator", kind, str(error)))
        return Seen(None, frozenset(report.totals))
