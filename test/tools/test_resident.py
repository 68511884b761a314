# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The server that stands in for processes: nobody can tell, but by the time."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuda_tile.resident import wire

KERNELS = Path(__file__).resolve().parents[1] / "kernels" / "13.4"
PACKAGE = Path(wire.__file__).resolve().parents[2]
VADD = str(KERNELS / "vadd_f32_1024.tileirbc")
CALL = "import sys; from cuda_tile.resident.client import {0}; sys.exit({0}())"
IDLE_SECONDS = 60


class User:
    """Calls commands, with a runtime folder of its own."""

    def __init__(self, folder: Path, asked: str = "1", **more: str) -> None:
        self.environment = os.environ | {
            "XDG_RUNTIME_DIR": str(folder),
            wire.VARIABLE: asked,
            wire.IDLE_VARIABLE: str(IDLE_SECONDS),
            **more,
        }

    def command(self, *words: str, name: str = "assembler") -> list[str]:
        return [sys.executable, "-c", CALL.format(name), *words]

    def call(
        self, *words: str, name: str = "assembler", **how: Any
    ) -> subprocess.CompletedProcess[bytes]:
        how = {"env": self.environment, "capture_output": True, "check": False} | how
        return subprocess.run(self.command(*words, name=name), **how)

    def ask(self, word: str) -> str:
        command = [sys.executable, "-m", "cuda_tile.resident", word]
        done = subprocess.run(
            command, env=self.environment, stdout=subprocess.PIPE, check=True
        )
        return done.stdout.decode().strip()

    def wait(self) -> None:
        """Until the server that a call has started can be asked."""
        end = time.monotonic() + 60
        while self.ask("ping") != "running":
            assert time.monotonic() < end
            time.sleep(0.1)


def server_of(folder: Path) -> int:
    """The process that serves at the one socket of a folder."""
    (path,) = (p for p in (folder / "cuda-tile").iterdir() if not p.suffix)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        return wire.peer(connection)[0]


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    """Somebody whose server runs."""
    run = tmp_path / "run"
    run.mkdir()
    found = User(run)
    assert found.call("--list-versions").returncode == 0
    found.wait()
    yield found
    found.ask("stop")


def forms(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


CALLS = [
    ("--gpu-name=sm_90", VADD, "-o", "k.cubin"),
    ("--gpu-name=sm_90", VADD, "-o", "k.cubin", "--remarks=all"),
    ("--gpu-name=sm_100", "near.tileirbc", "-o", "k.cubin", "-O0", "-g"),
    ("--gpu-name=sm_80", VADD, "-o", "k.cubin"),
    ("--gpu-name=sm_90", "missing", "-o", "k.cubin"),
    ("--gpu-name=sm_90", "text.mlir", "-o", "k.cubin"),
    ("--gpu-name=sm_90", VADD, "-o", "no/such/folder/k.cubin"),
    ("--opt-level=9", VADD),
    ("--help",),
    ("--version",),
    (),
]


def test_bytes_messages_and_exit_codes_are_those_without_it(
    user: User, tmp_path: Path
) -> None:
    """In another folder than the server's, with relative names."""
    runs = []
    for asked in "10":
        folder = tmp_path / asked / "here"
        folder.mkdir(parents=True)
        shutil.copy(VADD, folder / "near.tileirbc")
        (folder / "text.mlir").write_text("module {}")
        each = User(tmp_path / "run", asked)
        found = []
        for words in CALLS:
            (folder / "k.cubin").unlink(missing_ok=True)
            said = forms(each.call(*words, cwd=folder))
            cubin = folder / "k.cubin"
            found.append((said, cubin.read_bytes() if cubin.exists() else None))
        runs.append(found)
    for words, with_it, without in zip(CALLS, *runs, strict=True):
        assert with_it == without, words
    assert {codes[0][0] for codes in runs[0]} == {0, 1, 2, 3}
    assert server_of(tmp_path / "run")


def test_stdin_and_the_environment_are_the_callers(user: User, tmp_path: Path) -> None:
    words = ("-", "--gpu=sm_90", "--emit=ptx")
    text = Path(VADD).read_bytes()
    done = user.call(*words, name="compiler", input=text)
    assert forms(done) == forms(
        User(tmp_path, "0").call(*words, name="compiler", input=text)
    )
    assert b".entry vadd_f32_1024" in done.stdout
    no_ptxas = user.environment | {"PTXAS": "/nowhere"}
    done = user.call("--gpu-name=sm_90", VADD, "-o", str(tmp_path / "k"), env=no_ptxas)
    assert done.returncode == 5
    assert b"expected PTXAS to name a ptxas program, got '/nowhere'" in done.stderr


def test_masks_and_names_that_are_no_text_are_the_callers(
    user: User, tmp_path: Path
) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.cubin"
    command = [*user.command("--gpu-name=sm_90", VADD, "-o"), name]
    subprocess.run(command, env=user.environment, umask=0o027, check=True)
    assert os.stat(name).st_mode & 0o777 == 0o640


def test_many_calls_at_once_have_their_own_answers(user: User, tmp_path: Path) -> None:
    kernels = sorted(KERNELS.glob("v*.tileirbc"))[:4] * 3
    running = [
        subprocess.Popen(
            user.command("--gpu-name=sm_90", str(file), "-o", str(tmp_path / f"{i}")),
            env=user.environment,
        )
        for i, file in enumerate(kernels)
    ]
    assert [each.wait() for each in running] == [0] * len(kernels)
    made = [(tmp_path / f"{i}").read_bytes() for i in range(len(kernels))]
    assert made[:4] == made[4:8] == made[8:]
    assert len(set(made)) == 4


def test_a_server_that_was_killed_is_replaced(user: User, tmp_path: Path) -> None:
    """Its socket is left over; the call runs by itself, and starts another.

    While the server dies its socket may still take a call and its lock is still held:
    then the call after it starts the other.
    """
    first = server_of(tmp_path / "run")
    os.kill(first, signal.SIGKILL)
    assert user.call("--list-versions").stdout.endswith(b"13.5\n")
    wait_for(lambda: is_gone(first))
    assert user.call("--list-versions").stdout.endswith(b"13.5\n")
    user.wait()
    assert server_of(tmp_path / "run") != first


def is_gone(process: int) -> bool:
    """Whether a process has ended, though its parent may not have asked for it."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


def test_a_caller_that_goes_takes_its_command_along(user: User, tmp_path: Path) -> None:
    slow = tmp_path / "ptxas"
    slow.write_text("#!/bin/sh\nexec sleep 1000.25\n")
    slow.chmod(0o755)
    process = subprocess.Popen(
        user.command("--gpu-name=sm_90", VADD, "-o", str(tmp_path / "k")),
        env=user.environment | {"PTXAS": str(slow), "TMPDIR": str(tmp_path)},
    )
    wait_for(lambda: is_running("1000.25"))
    process.kill()
    wait_for(lambda: not is_running("1000.25"))
    wait_for(lambda: not list(tmp_path.glob("cuda-tile-*")))


def is_running(word: str) -> bool:
    """Whether some process has a word in its command line."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if file.read_bytes().split(b"\0")[1:2] == [word.encode()]:
                return True
        except OSError:
            continue
    return False


def wait_for(holds: Any) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_another_version_of_the_package_is_served_by_another(
    user: User, tmp_path: Path
) -> None:
    """A server ends when files of its package change, and others have other names."""
    copy = tmp_path / "copy"
    shutil.copytree(
        PACKAGE / "cuda_tile",
        copy / "cuda_tile",
        symlinks=True,
        ignore=shutil.ignore_patterns("_mlir", "interp", "emulator", "cutile"),
    )
    (copy / "cuda_tile" / "_mlir").symlink_to((PACKAGE / "cuda_tile/_mlir").resolve())
    run = tmp_path / "other"
    run.mkdir()
    other = User(run, PYTHONPATH=str(copy))
    other.call("--list-versions")
    other.wait()
    first = server_of(run)
    (copy / "cuda_tile" / "version.py").write_text('__version__ = "0.1.1"\n')
    assert other.call("--version").stdout.startswith(b"cuda-tile-as 0.1.1:")
    wait_for(lambda: not Path(f"/proc/{first}").exists())
    assert user.call("--version").stdout.startswith(b"cuda-tile-as 0.1.0:")
    other.ask("stop")


def test_a_server_that_ends_keeps_nobody_waiting(user: User, tmp_path: Path) -> None:
    """A call still runs when it is told to stop: others run by themselves."""
    reading, writing = os.pipe()
    with subprocess.Popen(
        user.command("-", "--gpu=sm_90", "-o", str(tmp_path / "k"), name="compiler"),
        env=user.environment,
        stdin=reading,
        stdout=subprocess.DEVNULL,
    ) as slow:
        os.close(reading)
        time.sleep(1)
        assert user.ask("stop")
        done = user.call("--list-versions", timeout=30)
        assert done.returncode == 0
        os.write(writing, Path(VADD).read_bytes())
        os.close(writing)
        assert slow.wait(timeout=60) == 0


def test_what_is_no_call_harms_no_server(user: User, tmp_path: Path) -> None:
    (path,) = (p for p in (tmp_path / "run/cuda-tile").iterdir() if not p.suffix)
    for data in (b"", b"\x01", (4).to_bytes(8, "little") + b"\xff" * 4):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(data)
    assert user.ask("ping") == "running"


def test_a_server_without_calls_ends(tmp_path: Path) -> None:
    idle = User(tmp_path, **{wire.IDLE_VARIABLE: "0.5"})
    idle.call("--list-versions")
    folder = tmp_path / "cuda-tile"
    wait_for(lambda: any(not p.suffix for p in folder.glob("*")))
    wait_for(lambda: all(p.suffix for p in folder.iterdir()))
    assert idle.ask("ping") == "no server"


def test_the_socket_is_the_users_own(user: User, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "cuda-tile"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(p.stat().st_mode & 0o077 == 0 for p in folder.iterdir())


def test_a_folder_that_others_may_enter_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "cuda-tile").mkdir()
    (tmp_path / "cuda-tile").chmod(0o755)
    assert User(tmp_path).call("--list-versions").returncode == 0
    assert not list((tmp_path / "cuda-tile").iterdir())


def test_it_is_not_used_unasked(tmp_path: Path) -> None:
    assert User(tmp_path, "0").call("--list-versions").returncode == 0
    assert not list(tmp_path.iterdir())
    done = User(tmp_path, "yes").call("--list-versions")
    said = b"error: expected CUDA_TILE_SERVER of 0 or 1, got 'yes'\n"
    assert forms(done) == (1, b"", said)


def test_a_call_imports_next_to_nothing(user: User) -> None:
    code = """
import sys
from cuda_tile.resident import client
sys.argv = ["cuda-tile-as", "--list-versions"]
assert client.call("cuda_tile.cli.assembler") == 0
print(*sorted(sys.modules))
"""
    command = [sys.executable, "-S", "-c", code]
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, env=user.environment | path, stdout=subprocess.PIPE, check=True
    )
    found = set(done.stdout.decode().split())
    assert "13.5" in found
    assert not found & {"typing", "re", "enum", "socket", "argparse", "cuda_tile.api"}
