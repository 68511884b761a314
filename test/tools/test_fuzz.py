# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tools/fuzz`: it finds a planted fault, makes it small, files it once, goes on."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from differential_check import Failure
from fuzzing import tasks
from fuzzing.foreign_kind import find_tileiras
from fuzzing.generator import Input, Seen, explains, reason, signature
from fuzzing.history import history_table
from fuzzing.kinds import GENERATORS, OWN
from fuzzing.session import Session
from fuzzing.store import Store
from fuzzing.tasks import judged

import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.reducer import Source, read_source

PLANTED = Path(__file__).with_name("planted_fuzz.py")
COMMAND = (sys.executable, str(PLANTED))


def fuzz(fault: str, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Runs a session in a process of its own, with a fault in its compiler."""
    command = [*COMMAND, fault, "--folder", str(folder), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def findings(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(p.read_text()) for p in (folder / "findings").glob("*.json")]


def programs_with(op: str, count: int) -> list[int]:
    """Numbers of the smallest of some programs that have an op whose result is used."""
    made = ((n, GENERATORS["programs"].make(n, ())) for n in itertools.count())
    sizes = (
        (len(each.data), n)
        for n, each in made
        if each is not None and _needs(each.data, f" {op} ")
    )
    return [n for _, n in sorted(itertools.islice(sizes, 2 * count))[:count]]


def _needs(program: bytes, op: str) -> bool:
    """Whether a program still has an op once it is simplified."""
    if op.encode() not in program:
        return False
    return op in str(
        cuda_tile.lower(cuda_tile.load(program), "sm_80", until="simplify")
    )


def test_a_planted_fault_is_found_made_small_filed_once_and_mended(tmp_path: Path):
    """The planted fault makes every program with `negi` a refusal."""
    words = "--kind", "programs", "--programs"
    state, runs = tmp_path / "state.json", list[str]()
    for number in programs_with("negi", 2):
        state.write_text(json.dumps({"numbers": {"programs": number}}))
        run = fuzz("refused", tmp_path, *words, 1)
        assert run.returncode == 1, run.stderr
        assert "1 programs, 1 open findings" in run.stdout, run.stdout
        runs.append(run.stdout)
    assert ["finding: " in said for said in runs] == [True, False]
    (found,) = findings(tmp_path)
    assert found["count"] == 2
    said = "compile: Unsupported: planted fault in cuda_tile.negi N"
    assert found["signature"] == said
    assert int(found["sizes"][0].split()[0]) > 20
    (program,) = (tmp_path / "findings").glob("*.mlir")
    assert re.findall(r"= (negi|mmaf|for|addi)\b", program.read_text()) == ["negi"]
    # What is needed has a load and a store, each with two views and an index.
    assert program.read_text().count(" = ") <= 16

    again = fuzz("none", tmp_path, *words, 0)
    assert again.returncode == 0, again.stdout
    assert "mended: programs-" in again.stdout

    (path,) = (tmp_path / "findings").glob("*.json")
    assert fuzz("none", tmp_path, "--replay", path).returncode == 0
    broken = fuzz("refused", tmp_path, "--replay", path)
    assert broken.returncode == 1
    assert "planted fault in" in broken.stdout
    table = fuzz("none", tmp_path, "--history").stdout.splitlines()
    assert table[0].split()[:2] == ["commit", "date"]


def test_a_wrong_result_is_found_where_it_is(tmp_path: Path):
    """The planted fault: a maximum of signed integers is the minimum."""
    name = "maxi"
    folder = tmp_path / "findings"
    folder.mkdir()
    text = MAXIMUM.replace("OP", name)
    how = {"gpu": "sm_80", "orders": 1}
    made = Input("programs", text.encode(), how)
    assert judged(GENERATORS["programs"], made).failure is None
    store = Store(tmp_path, GENERATORS)
    failure = Failure("emulator (sm_80, fast)", "mismatch", "")
    found = store.file(made, failure, "here")
    path = folder / f"{found.name}.json"
    run = fuzz("maximum", tmp_path, "--replay", path)
    assert run.returncode == 1
    assert "mismatch" in run.stdout
    run = fuzz("maximum", tmp_path, "--kind", "programs", "--programs", 0)
    left = re.search(r"13 operations -> (\d+) operations", run.stdout)
    assert left is not None, run.stdout
    assert int(left[1]) <= 9
    text = next(folder.glob("*.mlir")).read_text()
    assert f"{name} " in text
    assert "muli" not in text
    assert "grid=1" in text


MAXIMUM = """\
// differential: seed=3 grid=2 warps=4
// differential: array 0 i32 size=1 start=0 shape=1 strides=1
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %a = constant <i32: -5> : tile<i32>
    %b = constant <i32: 7> : tile<i32>
    %i, %j, %l = get_tile_block_id : tile<i32>
    %c = muli %a, %b : tile<i32>
    %d = OP %c, %i signed : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %first = cmpi equal %i, %z, signed : tile<i32> -> tile<i1>
    if %first {
      %t = store_ptr_tko weak %p, %d : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }
}
"""


# Small generators --------------------------------------------------------------------


@dataclass
class Toy:
    """A generator of words; some of them are faults."""

    name: str = "toy"
    suffix: str = ".txt"
    cpu_seconds: int = 2
    faults: Mapping[str, str] = field(default_factory=lambda: {"7": "seven 7"})

    def make(self, number: int, corpus: Sequence[bytes]) -> Input | None:
        del corpus
        text = f"line\nnumber {number} of many\nend"
        return Input(self.name, text.encode()) if number % 5 else None

    def judge(self, made: Input) -> Seen:
        text = made.data.decode()
        for mark, what in self.faults.items():
            if mark not in text:
                continue
            if what == "die":
                os.kill(os.getpid(), signal.SIGABRT)
            if what == "raise":
                raise ZeroDivisionError("by 0")
            if what == "hang":
                while True:
                    pass
            return Seen(Failure("toy", "problem", what))
        return Seen(None, frozenset({*text.split()[2:3], "always"}))

    def source(self, data: bytes) -> Source:
        return read_source(data, "raw")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    made = Toy()
    monkeypatch.setattr(tasks, "GENERATORS", {"toy": made})
    return made


def session(folder: Path, toy: Toy, most: int, jobs: int = 1) -> tuple[Session, Store]:
    store = Store(folder, {"toy": toy})
    made = Session(store, ["toy"], 600, most, say=lambda line: None, commit="here")
    made.run(jobs)
    return made, store


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_fault_is_one_finding(tmp_path: Path, toy: Toy, jobs: int):
    made, store = session(tmp_path, toy, 100, jobs)
    (found,) = store.findings.values()
    assert found.made.data == b"7"
    assert found.count == sum("7" in str(n) for n in range(100) if n % 5)
    assert made.totals["toy"].programs == 80
    assert made.totals["toy"].findings == 1


def test_two_messages_are_two_findings(tmp_path: Path, toy: Toy):
    toy.faults = {"13": "the first", "26": "the other"}
    _, store = session(tmp_path, toy, 30)
    assert sorted(found.made.data for found in store.findings.values()) == [
        b"13",
        b"26",
    ]


@pytest.mark.parametrize(
    ("what", "kind"),
    [("die", "death"), ("raise", "ZeroDivisionError"), ("hang", "timeout")],
)
def test_what_ends_a_process_or_never_ends_is_kept(
    tmp_path: Path, toy: Toy, monkeypatch: pytest.MonkeyPatch, what: str, kind: str
):
    monkeypatch.setattr(tasks, "REDUCE_SECONDS", 1 if what == "hang" else 60)
    toy.cpu_seconds = 1
    toy.faults = {"number 3 ": what}
    _, store = session(tmp_path, toy, 6)
    (found,) = store.findings.values()
    assert found.failure.kind == kind
    assert b"number 3 " in found.made.data
    if what != "hang":
        assert found.made.data == b"number 3 "
    assert not list((tmp_path / "running").iterdir())


def test_a_session_goes_on_where_the_last_one_ended(tmp_path: Path, toy: Toy):
    session(tmp_path, toy, 10)
    toy.faults = {}
    made, store = session(tmp_path, toy, 10)
    assert store.numbers == {"toy": 20}
    (found,) = store.findings.values()
    assert found.state == "mended"
    assert made.facts()["mended"] == 1
    toy.faults = {"7": "seven 8"}
    _, store = session(tmp_path, toy, 1)
    assert [found.state for found in store.findings.values()] == ["open"]


def test_what_reaches_something_new_is_kept(tmp_path: Path, toy: Toy):
    _, store = session(tmp_path, toy, 20)
    kept = list((tmp_path / "corpus" / "toy").iterdir())
    assert len(kept) == 13  # of 16, without the first and two with a fault
    assert len(store.reached["toy"]) == 14 + 1


def test_ctrl_c_keeps_what_is_known(tmp_path: Path):
    command = [*COMMAND, "none", "--folder", str(tmp_path), "--kind", "ptx"]
    # A shell's background process ignores SIGINT, and hands that on.
    begin = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, preexec_fn=begin
    )
    end = time.monotonic() + 60
    running = tmp_path / "running"
    while time.monotonic() < end and not (running.exists() and list(running.iterdir())):
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=60)
    assert said.startswith("stopped\n"), said
    assert json.loads((tmp_path / "state.json").read_text())["numbers"]["ptx"] >= 1
    (line,) = (tmp_path / "history.jsonl").read_text().splitlines()
    assert json.loads(line)["kinds"].keys() == {"ptx"}


def test_every_kind_makes_and_judges(tmp_path: Path):
    store = Store(tmp_path, GENERATORS)
    made = Session(store, list(OWN), 600, 2 * len(OWN), commit="here")
    made.run(1)
    assert not store.findings, [str(found) for found in store.findings.values()]
    assert all(store.numbers[kind] for kind in OWN)
    assert all(store.reached[kind] for kind in OWN if kind != "near-misses")


# Another compiler ---------------------------------------------------------------------

REFUSES = "echo '<loc>: error: too many {}'; echo 'error: failed'; exit 5"
FAILURES = {
    "compiles": ("exit 0", None),
    "refused": (REFUSES, ("refused", "too many {}")),
    "without a reason": ("echo 'error: failed' >&2; exit 5", ("foreign", "failed")),
    "dies": ("kill -SEGV $$", ("death", "died of SIGSEGV")),
    "a chip lacks it": (
        "echo '<loc>: error: Incompatibility with architecture: f8'; exit 5",
        None,
    ),
}


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A stand-in for tileiras that ends as it is told."""

    def make(end: str, said: str = "NVIDIA") -> None:
        program = tmp_path / "tileiras"
        version = f'[ "$1" = --version ] && echo {said} && exit 0'
        program.write_text(f"#!/bin/sh\n{version}\n{end}\n")
        program.chmod(0o755)
        monkeypatch.setenv("TILEIRAS", str(program))
        find_tileiras.cache_clear()

    yield make
    find_tileiras.cache_clear()


@pytest.mark.parametrize("name", FAILURES)
def test_what_another_compiler_says(foreign, name: str):
    end, expected = FAILURES[name]
    foreign(end)
    generator = GENERATORS["tileiras"]
    made = generator.make(1, ())
    assert made is not None
    failure = generator.judge(made).failure
    if expected is None:
        assert failure is None
    else:
        assert failure is not None
        assert (failure.kind, expected[1] in failure.message) == (expected[0], True)


def test_its_programs_are_bytecode_of_its_version_that_stays_so_when_small(foreign):
    foreign("exit 0")
    generator = GENERATORS["tileiras"]
    for number in (1, 3):  # a random program, and damaged bytecode
        made = next(m for n in range(9) if (m := generator.make(number + 3 * n, ())))
        assert made.data[8:10] == bytes([13, 4])
        source = generator.source(made.data)
        assert cuda_tile.load(source.encode(source.text))


def test_our_own_program_of_that_name_is_no_other_compiler(foreign):
    foreign("exit 0", said="cuda-tile-as")
    with pytest.raises(UserError, match="expected NVIDIA's tileiras, found"):
        find_tileiras()


# Words --------------------------------------------------------------------------------


def test_messages_without_places_and_numbers():
    said = "a.mlir:3:4: expected 12 elements of '%arg0', got 0x7f"
    assert reason(said) == "expected N elements of N, got N"
    assert reason("Traceback\n  line 3\nValueError: no 7") == "ValueError: no N"


def test_wrong_results_are_told_apart_by_their_ops():
    failure = Failure("emulator (sm_80, fast)", "mismatch", "array 1: 3 of 8 differ")
    one = signature(failure, "%1 = maxi %0\n%2 = load_ptr_tko %1")
    two = signature(failure, "%1 = maxi %0 \n%2 = reduce %1 dim=0")
    three = signature(failure, "%1 = addi %0 ")
    assert one == "emulator: mismatch: maxi"
    assert explains(one, two)
    assert not explains(two, one)
    assert not explains(three, two)
    plain = Failure("compile (sm_80)", "Unsupported", "no maxi")
    assert not explains(signature(plain, ""), signature(plain, "x"))


def test_the_history_has_a_row_for_each_commit():
    kinds = {"toy": {"programs": 30, "seconds": 2.0, "reached": 7, "findings": 1}}
    each = {"commit": "one", "date": "today", "seconds": 60, "kinds": kinds, "open": 1}
    more = {
        **kinds,
        "ptx": {"programs": 1, "seconds": 0.0, "reached": 2} | {"findings": 0},
    }
    table = history_table([each, each, {**each, "commit": "two", "kinds": more}])
    rows = [line.split() for line in table.splitlines()]
    assert rows[1] == ["one", "today", "2.0", "60", "15.0", "7", "2", "1"]
    assert rows[2] == ["two", "today", "1.0", "31", "15.5", "9", "1", "1"]
