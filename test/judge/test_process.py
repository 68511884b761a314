# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the candidate's process cannot do, whatever it calls."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuda_tile.judge.wire import Wire, WireError

TRIES = {
    "read": "open('/etc/hostname').read()",
    "write": "open('/tmp/x', 'w')",
    "beside": f"open({__file__!r}).read()",
    "memory": "open('/proc/self/mem', 'rb')",
    "socket": "socket.socket()",
    "fork": "os.fork()",
    "spawn": "subprocess.run(['/bin/true'])",
    "exec": "os.execv('/bin/true', ['true'])",
    "kill": "os.kill(os.getppid(), 0)",
    "limits": "resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))",
    "raw fork": "raw(57 if x86 else 220)",
    "raw socket": "raw(41 if x86 else 198, 2, 1, 0)",
    "session": "os.setsid()",
    "group": "os.setpgid(0, os.getpgid(os.getppid()))",
    "mode": f"os.chmod({__file__!r}, os.stat({__file__!r}).st_mode)",
    "owner": f"os.chown({__file__!r}, -1, -1)",
    "times": f"os.utime({__file__!r})",
    "attribute": f"os.setxattr({__file__!r}, 'user.x', b'x')",
    "truncate": f"os.truncate({__file__!r}, os.stat({__file__!r}).st_size)",
    "priority": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "scheduler": "os.sched_setaffinity(os.getppid(), {0})",
    "memory file": "os.write(os.memfd_create('x'), b'x')",
    "orphan": "control(1, 0)",
    "io_uring": "raw(425, 1, 0)",
    "ptrace": "raw(101 if x86 else 117, 16, os.getppid(), 0, 0)",
}
PROGRAM = """
import ctypes, json, os, platform, resource, socket, subprocess, threading
from cuda_tile.judge.sandbox import Cage, confine
x86 = platform.machine() == "x86_64"
library = ctypes.CDLL(None, use_errno=True)
def raw(*words):
    if library.syscall(*words) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def control(*words):
    if library.prctl(*words) < 0:
        raise OSError(ctypes.get_errno(), "refused")
held = confine(Cage(20, 1 << 30, ["/usr"]))
found = {}
for name, text in TRIES.items():
    try:
        exec(text)
        found[name] = "done"
    except (OSError, ValueError) as error:
        found[name] = "refused"
worker = threading.Thread(target=lambda: found.update(thread="done"))
worker.start()
worker.join()
print(json.dumps([held, found]))
"""


def test_a_confined_process_keeps_threads_and_nothing_else():
    text = f"TRIES = {TRIES!r}\n{textwrap.dedent(PROGRAM)}"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    held, found = json.loads(done.stdout)
    missing = {name for name, said in held.items() if said != "holds"}
    assert not missing, held
    assert found.pop("thread") == "done"
    assert set(found.values()) == {"refused"}, found


OUTLIVES = """
import ctypes, os, time
library = ctypes.CDLL(None)
library.setsid()
library.prctl(1, 0, 0, 0, 0)
def candidate(x, y):
    while True:
        time.sleep(1)
"""
JUDGE = """
import ctypes, os, sys
from pathlib import Path
from cuda_tile.judge.court import Rules
from cuda_tile.judge.runner import Limits, judge_file
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans come to this process
program, reference = map(Path, sys.argv[1:])
print(judge_file(program, reference, Limits(rules=Rules(seconds=1))).word)
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no process is left")
"""


def test_no_candidate_outlives_its_verdict(tmp_path):
    program = tmp_path / "candidate.py"
    program.write_text(OUTLIVES)
    reference = Path(__file__).parent / "suite" / "add" / "reference.py"
    command = [sys.executable, "-c", JUDGE, program, reference]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "faulty\nno process is left\n", done.stdout + done.stderr


UNCHANGED = """
import os, subprocess, sys
from pathlib import Path
from cuda_tile.judge import Limits, judge_file
from cuda_tile.judge.court import Rules
quick = Limits(rules=Rules(emulate=False))
before = dict(os.environ), subprocess.Popen.__init__
for folder, name in (("kernel_rows", "right_view.mlir"), ("add", "right_numpy.py")):
    candidate = Path(sys.argv[1]) / folder / name
    print(judge_file(candidate, candidate.with_name("reference.py"), quick).word)
import cuda.tile._cext as extension
print(before == (dict(os.environ), subprocess.Popen.__init__), extension.launch)
"""


def test_the_process_that_asks_stays_as_it_was():
    """Only the judge's own processes run cuTile on the CPU; the caller may not want."""
    suite = Path(__file__).parent / "suite"
    command = [sys.executable, "-c", UNCHANGED, suite]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split("<")[0] == "right\nright\nTrue ", done.stdout + done.stderr
    assert "built-in" in done.stdout


def test_compiled_files_in_a_folder_of_their_own_are_no_attempt(tmp_path):
    suite = Path(__file__).parent / "suite" / "add"
    words = [suite / "right_plain.py", "--against", suite / "reference.py"]
    done = subprocess.run(
        [sys.executable, "-m", "cuda_tile.judge", *words, "--no-emulator"],
        env={**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout)["verdict"] == "right", done.stdout + done.stderr


def ends():
    one, two = socket.socketpair()
    return Wire(one), Wire(two), one


def test_messages_carry_arrays_of_any_shape():
    left, right, _ = ends()
    arrays: list[Any] = [
        np.arange(6.0).reshape(2, 3).T,
        np.zeros((0, 4), np.int8),
        np.array(2, "f2"),
    ]
    left.send({"kind": "x"}, arrays)
    facts, got = right.receive()
    assert facts == {"kind": "x"}
    for array, wanted in zip(got, arrays, strict=True):
        np.testing.assert_array_equal(array, wanted)
        assert array.dtype == wanted.dtype


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'{"arrays": 3}',
        b'{"arrays": [["O", [1]]]}',
        b'{"arrays": [["f4", [-1]]]}',
        b'{"arrays": [["f4", [9]]]}',
        b'{"arrays": [["f4", [99999999999999]]]}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_what_is_no_message_is_an_error_of_its_own(text):
    _, right, end = ends()
    end.sendall(len(text).to_bytes(8, "little") + bytes(8) + text)
    with pytest.raises(WireError):
        right.receive()


def test_time_without_a_processor_does_not_count():
    one, _ = socket.socketpair()
    # Two that are bound to one processor and always run each have half of the time.
    spin = "import os; os.sched_setaffinity(0, {0})\nwhile True: pass"
    both = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(2)]
    try:
        time.sleep(0.5)
        wire, plain = Wire(one, both[0].pid), Wire(one)
        start, whole = wire.now(), plain.now()
        time.sleep(2)
        assert wire.now() - start < 0.8 * (plain.now() - whole)
    finally:
        for process in both:
            process.kill()
            process.wait()
    with pytest.raises(TimeoutError):
        plain.receive(plain.now() + 0.1)


def test_huge_lengths_are_refused_before_memory_is_taken():
    _, right, end = ends()
    end.sendall((1 << 60).to_bytes(8, "little") * 2)
    with pytest.raises(WireError, match="expected at most"):
        right.receive()
