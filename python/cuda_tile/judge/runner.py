# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes of a verdict: one that judges, one that runs the candidate's Python.

`judge_file` forks the judge, and the judge forks the candidate's process before it
loads the reference: neither this process nor the candidate's ever has an answer.
Both end with the verdict, or when their time or memory does.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from cuda_tile.errors import UserError
from cuda_tile.judge import child
from cuda_tile.judge.court import Court, Rules
from cuda_tile.judge.emulated import emulate_largest
from cuda_tile.judge.exactly import look_exactly
from cuda_tile.judge.hook import HOOK, put_in_front
from cuda_tile.judge.reference import Reference
from cuda_tile.judge.sandbox import Cage
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
        candidate: A file with a function `candidate`, which is not trusted.
        reference: A file with `inputs` and `reference`, which is.
        limits: What it may cost.
        seed: Draws data and orders; by default both files' contents do.

    Raises:
        UserError: A file cannot be read, or the reference is none.
    """
    limits = limits or Limits()
    for path in (candidate, reference):
        if not path.is_file():
            raise UserError(f"cannot read '{path}': there is no such file")
    if seed is None:
        raw = candidate.read_bytes() + b"\0" + reference.read_bytes()
        seed = int.from_bytes(hashlib.sha256(raw).digest()[:6], "big")
    put_in_front_once()
    with tempfile.TemporaryDirectory(prefix="judge-") as home:
        own = Path(home) / candidate.name
        shutil.copyfile(candidate, own)
        return _judged(own, reference, limits, seed)


def put_in_front_once() -> None:
    """Loads what both processes need, before they are forked."""
    if not _ready:
        put_in_front()
        _ready.append(True)


_ready: list[bool] = []


def _judged(candidate: Path, reference: Path, limits: Limits, seed: int) -> Verdict:
    reader, writer = os.pipe()
    judge = os.fork()
    if judge == 0:
        os.close(reader)
        _work(writer, candidate, reference, limits, seed)
    os.close(writer)
    try:
        lines = _read_lines(reader, time.monotonic() + limits.seconds)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(judge, signal.SIGKILL)
        os.close(reader)
        os.waitpid(judge, 0)
    return _verdict(lines, limits, seed)


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


def _verdict(lines: list[str], limits: Limits, seed: int) -> Verdict:
    last: dict[str, Any] = json.loads(lines[-1]) if lines else {"at": "the start"}
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
    writer: int, candidate: Path, reference: Path, limits: Limits, seed: int
) -> NoReturn:
    """The judge's process."""
    os.setpgid(0, 0)

    def say(facts: dict[str, Any]) -> None:
        os.write(writer, json.dumps(facts, default=str).encode() + b"\n")

    code = 1
    try:
        wire = _start_candidate(candidate, limits)
        most = limits.memory_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        say({"verdict": _hold_court(wire, reference, limits.rules, seed, say)})
        code = 0
    except UserError as error:
        say({"refused": str(error)})
    except MemoryError:
        say({"at": "the end of its memory"})
    except Exception as error:
        say({"failed": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(code)


def _hold_court(
    wire: Wire,
    path: Path,
    rules: Rules,
    seed: int,
    say: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    reference = Reference.load(path)
    court = Court(wire, reference, seed, rules, lambda where: say({"at": where}))
    verdict = court.judge()
    if verdict.word == "right":
        look_exactly(court)
    if verdict.word == "right" and rules.emulate:
        emulate_largest(court, seed)
    return verdict.to_json()


def _start_candidate(program: Path, limits: Limits) -> Wire:
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(0, 1)
            os.dup2(0, 2)
            os.dup2(theirs.fileno(), 3)
            os.closerange(4, 1 << 16)
            os.chdir(program.parent)
            end = socket.socket(fileno=3)
            seconds = limits.seconds
            cage = Cage(seconds, limits.memory_bytes, child.readable_places(program))
            os.environ.clear()
            HOOK.target = None
            child.serve(Wire(end), program, cage)
        finally:
            os._exit(1)
    theirs.close()
    return Wire(ours)
