# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes of a verdict: one that judges, one that runs the candidate's Python.

`judge_file` forks both. Only the judge loads the reference: neither this process nor
the candidate's ever has an answer. This process ends both with the verdict, or when
their time or memory ends: the candidate has no say in it.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fcntl import F_DUPFD, fcntl
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from cuda_tile.errors import UserError
from cuda_tile.judge import child
from cuda_tile.judge.court import Court, Rules
from cuda_tile.judge.emulated import emulate_largest
from cuda_tile.judge.exactly import look_exactly
from cuda_tile.judge.hook import HOOK, load, put_in_front
from cuda_tile.judge.kernel_court import KernelCourt
from cuda_tile.judge.launches import SUFFIXES
from cuda_tile.judge.reference import Reference
from cuda_tile.judge.sandbox import Cage, confine
from cuda_tile.judge.verdict import Verdict
from cuda_tile.judge.wire import Wire


@dataclass(frozen=True)
class Limits:
    """What a verdict may cost.

    Attributes:
        seconds: Wall time of it all.
        memory_bytes: Memory of each of the two processes.
        rules: What the candidate is held to.
    """

    seconds: float = 300
    memory_bytes: int = 4 << 30
    rules: Rules = field(default_factory=Rules)


def judge_file(
    candidate: Path,
    reference: Path,
    limits: Limits | None = None,
    seed: int | None = None,
) -> Verdict:
    """Judges a candidate.

    Args:
        candidate: A file with a function `candidate`, or with kernels as Tile IR or
            PTX; it is not trusted.
        reference: A file with `inputs` and `reference`, which is; for kernels with
            `launch` too.
        limits: What it may cost.
        seed: Draws data and orders; by default one that nobody knows before. The
            candidate's process may know one that is given.

    Raises:
        UserError: A file cannot be read, or the reference is none.
    """
    limits = limits or Limits()
    for path in (candidate, reference):
        if not path.is_file():
            raise UserError(f"cannot read '{path}': there is no such file")
    load(candidate, reference)  # once, before processes are forked
    with tempfile.TemporaryDirectory(prefix="judge-") as home:
        own = Path(home) / candidate.name
        shutil.copyfile(candidate, own)
        if own.suffix in SUFFIXES:
            return _judged_kernel(own, reference, limits, seed)
        return _judged(own, reference, limits, seed)


_FIRST_FILE, _MOST_FILES = 3, 1 << 16
"""Open files: the number after that of standard error, and more than there are."""


def _judged(
    candidate: Path, reference: Path, limits: Limits, seed: int | None
) -> Verdict:
    ours, theirs = socket.socketpair()
    reader, writer = os.pipe()
    started = [_forked(lambda: _run_candidate(theirs, candidate, limits))]
    try:
        own = writer, ours.fileno()
        process = started[0]
        work = partial(_work, process, reference, limits, seed)
        started += [_forked(lambda: work(_kept(*own)))]
        for end in (ours, theirs):
            end.close()
        os.close(writer)
        lines = _read_lines(reader, time.monotonic() + limits.seconds)
    finally:
        for process in started:
            _end(process)
        os.close(reader)
    return _verdict(lines, limits)


def _judged_kernel(
    candidate: Path, reference: Path, limits: Limits, seed: int | None
) -> Verdict:
    """Of a file without a host: there is no process but the judge's."""
    reader, writer = os.pipe()

    def judge() -> NoReturn:
        (out,) = _kept(writer)
        _hear(out, reference, limits, seed, partial(_hold_kernel_court, candidate))

    process = _forked(judge)
    try:
        os.close(writer)
        lines = _read_lines(reader, time.monotonic() + limits.seconds)
    finally:
        _end(process)
        os.close(reader)
    return _verdict(lines, limits)


def _forked(do: Callable[[], NoReturn]) -> int:
    """A process of its own group that does something, and nothing after it."""
    process = os.fork()
    if process == 0:
        try:
            os.setpgid(0, 0)
            do()
        finally:
            os._exit(1)
    return process


def _end(process: int) -> None:
    """Ends a child, and what it has started."""
    for kill in (os.killpg, os.kill):  # it has no group yet, perhaps
        with suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def _kept(*files: int) -> list[int]:
    """Some open files of a process under other numbers; all others are closed.

    What it has from its parent may belong to another verdict: a candidate's end of a
    socket, by which the other judge would not see that the candidate has ended.
    """
    high = [fcntl(file, F_DUPFD, _FIRST_FILE + len(files)) for file in files]
    kept = [os.dup2(file, _FIRST_FILE + place) for place, file in enumerate(high)]
    os.closerange(_FIRST_FILE + len(files), _MOST_FILES)
    return kept


def _read_lines(reader: int, deadline: float) -> list[str]:
    """What the judge said, until it ended or its time did."""
    said = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([reader], [], [], left)[0]:
            break
        part = os.read(reader, 1 << 16)
        if not part:
            break
        said += part
    return said.decode(errors="replace").splitlines()


def _verdict(lines: list[str], limits: Limits) -> Verdict:
    last: dict[str, Any] = json.loads(lines[-1]) if lines else {"at": "the start"}
    seed = int(last.get("seed", 0))
    if "refused" in last:
        raise UserError(last["refused"])
    if "verdict" in last:
        facts = last["verdict"]
        verdict = Verdict([], facts["counts"], seed, facts["sandbox"], facts["notes"])
        for finding in facts["findings"]:
            verdict.add(finding["word"], finding["reason"], **finding["place"])
        return verdict
    verdict = Verdict(seed=seed)
    if "failed" in last:
        verdict.add("unknown", f"the judge failed, which is a bug: {last['failed']}")
        return verdict
    verdict.add(
        "faulty",
        f"the judge's process ended or took over {limits.seconds:g} s, "
        f"at {last.get('at')}",
    )
    return verdict


def _work(
    process: int,
    reference: Path,
    limits: Limits,
    seed: int | None,
    files: Sequence[int],
) -> NoReturn:
    """The judge's process; its files are the way out and that to the candidate."""
    writer, end = files
    wire = Wire(socket.socket(fileno=end), process)
    _hear(writer, reference, limits, seed, partial(_hold_court, wire))


Hold: TypeAlias = Callable[
    [int, Reference, Rules, Callable[[dict[str, Any]], None]], dict[str, Any]
]
"""Judges by a seed, a reference and rules, telling where it is; gives the verdict in
JSON."""


def _hear(
    writer: int, reference: Path, limits: Limits, given: int | None, hold: Hold
) -> NoReturn:
    """Judges in this process, which nobody trusts from here on, and ends it."""
    # Here, where no candidate is: who knows it knows the inputs, and all answers.
    seed = secrets.randbits(48) if given is None else given

    def say(facts: dict[str, Any]) -> None:
        line = json.dumps({**facts, "seed": seed}, default=str)
        os.write(writer, line.encode() + b"\n")

    code = 1
    try:
        put_in_front()  # a reference may launch kernels, too
        most = limits.memory_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        loaded = Reference.load(reference)
        # It reads bytecode of strangers: it may read files, and do nothing else.
        held = confine(Cage(limits.seconds, most, ["/"]))
        found = hold(seed, loaded, limits.rules, say)
        missing = [f"{name} {said}" for name, said in held.items() if said != "holds"]
        found["sandbox"]["the judge's process"] = "; ".join(missing) or "holds"
        say({"verdict": found})
        code = 0
    except UserError as error:
        say({"refused": str(error)})
    except MemoryError:
        say({"at": "the end of its memory"})
    except Exception as error:
        say({"failed": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(code)


def _hold_kernel_court(
    path: Path,
    seed: int,
    reference: Reference,
    rules: Rules,
    say: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    court = KernelCourt(path, reference, seed, rules, lambda at: say({"at": at}))
    return court.judge().to_json()


def _hold_court(
    wire: Wire,
    seed: int,
    reference: Reference,
    rules: Rules,
    say: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    court = Court(wire, reference, seed, rules, lambda where: say({"at": where}))
    verdict = court.judge()
    if verdict.word == "right":
        look_exactly(court)
    if verdict.word == "right" and rules.emulate:
        emulate_largest(court, seed)
    return verdict.to_json()


def _run_candidate(end: socket.socket, program: Path, limits: Limits) -> NoReturn:
    """The candidate's process."""
    silence = os.open(os.devnull, os.O_RDWR)
    for file in range(_FIRST_FILE):
        os.dup2(silence, file)
    (kept,) = _kept(end.fileno())
    os.chdir(program.parent)
    put_in_front()
    seconds, memory = limits.seconds, limits.memory_bytes
    cage = Cage(seconds, memory, child.readable_places(program))
    os.environ.clear()
    HOOK.target = None
    child.serve(Wire(socket.socket(fileno=kept)), program, cage)
