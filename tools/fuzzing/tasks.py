# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process of the fuzz does: runs a program, or makes a failing one small.

A program that ends its process must not be lost: it is written down before that.
"""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from children import Death, forked
from differential_check import Failure

from cuda_tile.reducer import Source, read_source, reduce_text
from fuzzing.generator import Generator, Input, Seen, is_like
from fuzzing.kinds import GENERATORS

MEMORY_BYTES = 8 << 30
REDUCE_SECONDS = 240
"""Wall time in which a program is made small."""


@dataclass(frozen=True)
class Run:
    """A program to make and judge, or one to judge again.

    Attributes:
        kind: Its generator.
        number: Which program.
        folder: The folder of the fuzz.
        again: The program, if it is there already.
    """

    kind: str
    number: int
    folder: Path
    again: Input | None = None


@dataclass(frozen=True)
class Reduce:
    """A failing program to make small.

    Attributes:
        name: Of its finding.
        made: The program.
        failure: How it fails.
    """

    name: str
    made: Input
    failure: Failure


@dataclass(frozen=True)
class Done:
    """What came of a task.

    Attributes:
        made: The program; None if the number gives none, or none was made.
        seen: What was seen of it.
        seconds: CPU time of the task.
        sizes: Before and after, of a program that was made small.
    """

    made: Input | None
    seen: Seen
    seconds: float = 0.0
    sizes: tuple[str, str] = ("", "")


def running_file(folder: Path, process: int) -> Path:
    """Where a process keeps the program that it judges."""
    return folder / "running" / f"{process}.json"


def do(task: Run | Reduce) -> Done:
    """Does a task."""
    start = _cpu_seconds()
    done = _run(task) if isinstance(task, Run) else _reduce(task)
    return replace(done, seconds=_cpu_seconds() - start)


def _cpu_seconds() -> float:
    """CPU time of this process, and of those that it started."""
    return sum(os.times()[:4])


def _run(task: Run) -> Done:
    generator = GENERATORS[task.kind]
    made = task.again
    try:
        if made is None:
            made = generator.make(task.number, _corpus(task, generator))
    except Exception as error:  # of the generator itself
        failure = Failure("generator", type(error).__name__, str(error))
        return Done(Input(task.kind, b""), Seen(failure))
    if made is None:
        return Done(None, Seen())
    if made.failure is not None:
        return Done(made, Seen(made.failure, made.features))
    place = running_file(task.folder, os.getpid())
    place.write_text(json.dumps(made.to_json()))
    seen = judged(generator, made)
    place.unlink(missing_ok=True)
    return Done(made, replace(seen, features=seen.features | made.features))


def _corpus(task: Run, generator: Generator) -> list[bytes]:
    """Earlier programs of a kind that reached something new."""
    files = sorted((task.folder / "corpus" / task.kind).glob(f"*{generator.suffix}"))
    return [path.read_bytes() for path in files]


def judged(generator: Generator, made: Input) -> Seen:
    """What becomes of a program; that it has no end, and that its judge fails, too."""

    def ring(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeoutError(f"not ready after {generator.cpu_seconds} CPU s")

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, generator.cpu_seconds)
    try:
        return generator.judge(made)
    except TimeoutError as error:
        return Seen(Failure("anywhere", "timeout", str(error)))
    except Exception as error:
        return Seen(Failure("judge", type(error).__name__, str(error)))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _reduce(task: Reduce) -> Done:
    """The smallest program found that fails as one does."""
    generator = GENERATORS[task.made.kind]
    best = [(task.made, task.failure)]
    end = time.monotonic() + REDUCE_SECONDS

    def fails(data: bytes) -> bool:
        made = replace(task.made, data=data)
        again = _in_child(generator, made)
        if again is None or not is_like(again, task.failure):
            return False
        best.append((made, again))
        return True

    if fails(task.made.data):
        source = _source(generator, task.made.data, fails)
        left = reduce_text(
            source.text,
            source.kinds,
            lambda text: fails(source.encode(text)),
            is_over=lambda: time.monotonic() > end,
        )
        sizes = source.size(source.text), source.size(left)
        return Done(best[-1][0], Seen(best[-1][1]), 0.0, sizes)
    return Done(task.made, Seen(task.failure), 0.0, ("not again", ""))


def _source(generator: Generator, data: bytes, fails: Any) -> Source:
    """A program to make small: as its kind reads it if it fails then, too; else raw."""

    def reads() -> bool:
        try:
            return fails(_encoded(generator.source(data)))
        except Exception:
            return False

    is_read = forked(reads, 2 * generator.cpu_seconds, MEMORY_BYTES)
    return generator.source(data) if is_read is True else read_source(data, "raw")


def _encoded(source: Source) -> bytes:
    return source.encode(source.text)


def _in_child(generator: Generator, made: Input) -> Failure | None:
    """How a program fails, whatever it does to its process."""

    def judge() -> list[str] | None:
        failure = judged(generator, made).failure
        return None if failure is None else [*vars(failure).values()]

    said = forked(judge, 2 * generator.cpu_seconds, MEMORY_BYTES)
    if isinstance(said, Death):
        kind = "timeout" if said.how == "hung" else "death"
        return Failure("anywhere", kind, said.how)
    return None if said is None else Failure(*said)
