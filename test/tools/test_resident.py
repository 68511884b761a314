# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The server that stands in for processes: nobody can tell, but by the time."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cuda_tile.resident import server
from cuda_tile.resident.calls import N_FILES, receive

PROGRAMS = Path(sys.executable).parent
VARIABLE = "CUDA_TILE_SERVER"
KERNELS = Path(__file__).resolve().parents[1] / "kernels" / "13.4"
PACKAGE = Path(server.__file__).resolve().parents[2]
VADD = str(KERNELS / "vadd_f32_1024.tileirbc")
IDLE_SECONDS = 60


class User:
    """Calls commands, with a runtime folder of its own."""

    def __init__(self, folder: Path, asked: str = "1", **more: str) -> None:
        self.environment = os.environ | {
            "XDG_RUNTIME_DIR": str(folder),
            VARIABLE: asked,
            server.IDLE_VARIABLE: str(IDLE_SECONDS),
            **more,
        }

    def command(self, *words: str, name: str = "cuda-tile-as") -> list[str]:
        return [str(PROGRAMS / name), *words]

    def call(
        self, *words: str, name: str = "cuda-tile-as", **how: Any
    ) -> subprocess.CompletedProcess[bytes]:
        how = {"env": self.environment, "capture_output": True, "check": False} | how
        return subprocess.run(self.command(*words, name=name), **how)

    def ask(self, word: str) -> str:
        command = [PROGRAMS / "cuda-tile-server", word]
        return subprocess.check_output(command, env=self.environment, text=True).strip()

    def wait(self) -> None:
        """Until the server that a call has started can be asked."""
        end = time.monotonic() + 60
        while self.ask("ping") != "running":
            assert time.monotonic() < end
            time.sleep(0.1)


def server_of(folder: Path) -> int:
    """The process that serves at the one socket of a folder."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(socket_of(folder)))
        raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return struct.unpack("=iII", raw)[0]


def socket_of(folder: Path) -> Path:
    """The one socket of a folder."""
    (path,) = (p for p in (folder / "cuda-tile").iterdir() if not p.suffix)
    return path


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder with a short name: that of a socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="ct-") as folder:
        yield Path(folder)


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
    done = user.call(*words, name="cuda-tile-compile", input=text)
    assert forms(done) == forms(
        User(tmp_path, "0").call(*words, name="cuda-tile-compile", input=text)
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


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def test_a_process_takes_calls_of_one_kind_only(user: User, tmp_path: Path) -> None:
    """It stays after a call that went well, and takes the next if that is like it."""
    own = server_of(tmp_path / "run")
    words = ("--gpu-name=sm_90", VADD, "-o", "k")
    folders, seen = [tmp_path / name for name in "ab"], set[str]()
    for folder in folders:
        folder.mkdir()
        assert user.call(*words, cwd=folder).returncode == 0
        seen.update(children(own))
    (first,) = seen
    assert os.readlink(f"/proc/{first}/cwd") == "/"
    assert {os.readlink(f"/proc/{first}/fd/{n}") for n in range(3)} == {os.devnull}
    assert (folders[0] / "k").read_bytes() == (folders[1] / "k").read_bytes()
    others = user.environment | {"OTHER": "1"}
    assert user.call(*words, cwd=tmp_path, env=others).returncode == 0
    assert first in children(own)
    (second,) = set(children(own)) - {first}
    assert user.call("--gpu-name=sm_90", "missing", "-o", "k").returncode == 1
    wait_for(lambda: first not in children(own))
    limited = ["prlimit", "--cpu=60", *user.command(*words)]
    subprocess.run(limited, env=user.environment, cwd=tmp_path, check=True)
    wait_for(lambda: children(own) == [second])
    assert user.ask("stop")
    wait_for(lambda: is_gone(int(second)))


def test_what_has_changed_between_calls_is_read_anew(
    user: User, tmp_path: Path
) -> None:
    file, words = tmp_path / "k.tileirbc", ("--gpu-name=sm_90", "k.tileirbc", "-o", "k")
    cubins: list[bytes] = []
    for name in ("vadd_f32_1024", "vadd_f16_4096", "vadd_f32_1024"):
        file.write_bytes((KERNELS / f"{name}.tileirbc").read_bytes())
        assert user.call(*words, cwd=tmp_path).returncode == 0
        cubins.append((tmp_path / "k").read_bytes())
    assert len(children(server_of(tmp_path / "run"))) == 1
    assert cubins[0] == cubins[2] != cubins[1]


def test_a_waiting_process_that_was_killed_is_replaced(
    user: User, tmp_path: Path
) -> None:
    own = server_of(tmp_path / "run")
    words = ("--gpu-name=sm_90", VADD, "-o", str(tmp_path / "k"))
    assert user.call(*words).returncode == 0
    (first,) = children(own)
    os.kill(int(first), signal.SIGKILL)
    wait_for(lambda: not children(own))
    assert user.call(*words).returncode == 0
    assert len(children(own)) == 1


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
    seconds = f"2000.{os.getpid()}"  # no sleep of another run has that
    slow.write_text(f"#!/bin/sh\nexec sleep {seconds}\n")
    slow.chmod(0o755)
    process = subprocess.Popen(
        user.command("--gpu-name=sm_90", VADD, "-o", str(tmp_path / "k")),
        env=user.environment | {"PTXAS": str(slow), "TMPDIR": str(tmp_path)},
    )
    wait_for(lambda: is_running(seconds))
    process.kill()
    wait_for(lambda: not is_running(seconds))
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
    words = ("-", "--gpu=sm_90", "-o", str(tmp_path / "k"))
    reading, writing = os.pipe()
    with subprocess.Popen(
        user.command(*words, name="cuda-tile-compile"),
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
    texts = [b"", b"\xff" * 4, b"\xff\0" * 9, b"\0", b"a\0" * 9]
    texts.append(b"cuda_tile.cli.compile\0")
    whole = (len(text).to_bytes(8, sys.byteorder) + text for text in texts)
    for data in (b"", b"\x01", *whole):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(socket_of(tmp_path / "run")))
            connection.sendall(data)
    assert user.ask("ping") == "running"


def test_a_server_without_calls_ends(tmp_path: Path) -> None:
    idle = User(tmp_path, **{server.IDLE_VARIABLE: "0.5"})
    idle.call("--list-versions")
    folder = tmp_path / "cuda-tile"
    wait_for(lambda: any(not p.suffix for p in folder.glob("*")))
    wait_for(lambda: all(p.suffix for p in folder.iterdir()))
    assert idle.ask("ping") == "no server"


def test_the_socket_is_the_users_own(user: User, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "cuda-tile"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(p.stat().st_mode & 0o077 == 0 for p in folder.iterdir())


def test_a_folder_that_is_not_the_users_own_is_not_used(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "cuda-tile", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    for spoil in (
        lambda: folder.mkdir(mode=0o755),
        lambda: (folder.rmdir(), folder.mkdir(mode=0o700), os.chown(folder, 1234, 0)),
        lambda: (folder.rmdir(), folder.symlink_to(elsewhere)),
        lambda: (folder.unlink(), folder.write_text("")),
    ):
        spoil()
        assert User(tmp_path).call("--list-versions").stdout.endswith(b"13.5\n")
        assert not folder.is_dir() or not list(folder.iterdir())


@pytest.mark.parametrize("folder", ["/proc/self", "/no/such/folder", "x" * 120, "near"])
def test_where_there_can_be_no_socket_a_call_runs_by_itself(
    folder: str, tmp_path: Path
) -> None:
    done = User(Path(folder)).call("--list-versions", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == b""
    assert not list(tmp_path.iterdir())


def test_it_is_not_used_unasked(tmp_path: Path) -> None:
    assert User(tmp_path, "0").call("--list-versions").returncode == 0
    assert not list(tmp_path.iterdir())
    done = User(tmp_path, "yes").call("--list-versions")
    said = b"error: expected CUDA_TILE_SERVER of 0 or 1, got 'yes'\n"
    assert forms(done) == (1, b"", said)


class Installation:
    """The commands' programs beside an interpreter that only says how it is called."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.run = folder / "bin", folder / "run"
        self.run.mkdir(parents=True)
        shutil.copytree(PROGRAMS, self.programs, ignore=self._others)
        name = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.python = self.programs / name
        is_server = "case $* in *resident.server*) exec >" + f"{folder}/server;; esac"
        self.python.write_text(f'#!/bin/sh\n{is_server}\nprintf "%s\\n" "$@"\n')
        self.python.chmod(0o755)
        self.server = folder / "server"

    @staticmethod
    def _others(_: str, names: list[str]) -> list[str]:
        ours = ("cuda-tile-as", "cuda-tile-compile", "cuda-tile-server")
        return [name for name in names if name not in ours]

    def call(self, *words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
        here = {"XDG_RUNTIME_DIR": str(self.run), VARIABLE: "1"}
        how: dict[str, Any] = {"env": os.environ | here | more.pop("variables", {})}
        how |= {"capture_output": True, "check": False, "timeout": 60} | more
        return subprocess.run([self.programs / "cuda-tile-as", *words], **how)

    def socket(self) -> str:
        """The path that a server is told."""
        self.call()
        wait_for(lambda: self.server.exists() and self.server.read_text().count("\n"))
        return self.server.read_text().splitlines()[-1]


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


def test_without_a_server_python_gets_the_words(installation: Installation) -> None:
    words = ["", "a b", "\u00e4", "x" * 100_000, *("y" * 1000 for _ in range(900))]
    said = installation.call(*words).stdout.decode().splitlines()
    assert said[0] == "-Pc"
    assert "cuda_tile.cli.assembler" in said[1]
    assert said[2:] == [str(installation.programs / "cuda-tile-as"), *words]


def test_the_interpreter_is_that_of_the_installation(
    installation: Installation, tmp_path: Path
) -> None:
    """Also through a link; else the one that is named, else the one of PATH."""
    link = tmp_path / "tileiras"
    link.symlink_to(installation.programs / "cuda-tile-as")
    assert subprocess.check_output([link], text=True).endswith(f"{link}\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    installation.python.rename(elsewhere / installation.python.name)
    named = {"CUDA_TILE_PYTHON": "/bin/echo", "PATH": str(elsewhere)}
    assert installation.call(variables=named).stdout.startswith(b"-Pc ")
    assert installation.call(variables={"PATH": str(elsewhere)}).stdout[:2] == b"-P"
    lost = installation.call(variables={"PATH": str(tmp_path)})
    assert lost.returncode == 1
    assert b"name the Python that has the package in CUDA_TILE_PYTHON" in lost.stderr


ANSWERS = {
    "nothing": b"",
    "a part": b"\1\0",
    "a code": (7).to_bytes(4, sys.byteorder, signed=True),
    "a signal": (-signal.SIGUSR1).to_bytes(4, sys.byteorder, signed=True),
}


@pytest.mark.parametrize("said", ANSWERS)
def test_what_becomes_of_an_answer(installation: Installation, said: str) -> None:
    """A server that goes in the midst leaves the command to the caller."""
    with socket.socket(socket.AF_UNIX) as listener:
        path = installation.socket()
        listener.bind(path)
        listener.listen()
        with subprocess.Popen(
            [installation.programs / "cuda-tile-as", "word", "x" * 100_000],
            env=os.environ | {"XDG_RUNTIME_DIR": str(installation.run), VARIABLE: "1"},
            stdout=subprocess.PIPE,
        ) as process:
            connection, _ = listener.accept()
            call, files = receive(connection, N_FILES)
            for file in files:
                os.close(file)
            connection.sendall(ANSWERS[said])
            connection.close()
            output, _ = process.communicate(timeout=60)
    assert call.words[1:] == [b"word", b"x" * 100_000]
    assert len(files) == N_FILES
    has_run = output.startswith(b"-P")
    assert has_run == (said in ("nothing", "a part"))
    assert has_run or process.returncode == (7 if said == "a code" else -signal.SIGUSR1)


def test_what_decides_on_pythons_start_decides_on_the_server(
    installation: Installation,
) -> None:
    """Another folder of modules or locale, another server; else the same one."""
    paths = set[str]()
    for variables in (
        {},
        {"OTHER": "1"},
        {"PYTHONPATH": "/elsewhere"},
        {"LC_ALL": "C.UTF-8"},
        {"HOME": "/nowhere"},
        {"PYTHONPATH": "near:/elsewhere"},
    ):
        installation.server.unlink(missing_ok=True)
        installation.call(variables=variables)
        time.sleep(0.2)
        if installation.server.exists():
            paths.add(installation.server.read_text().splitlines()[-1])
    assert len(paths) == 4


def test_ctrl_c_ends_the_call_and_its_command(user: User, tmp_path: Path) -> None:
    slow = tmp_path / "ptxas"
    seconds = f"1000.{os.getpid()}"  # no sleep of another run has that
    slow.write_text(f"#!/bin/sh\nexec sleep {seconds}\n")
    slow.chmod(0o755)
    process = subprocess.Popen(
        user.command("--gpu-name=sm_90", VADD, "-o", str(tmp_path / "k")),
        env=user.environment | {"PTXAS": str(slow), "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        # A shell starts what runs in the background with the signal ignored.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(lambda: is_running(seconds))
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    wait_for(lambda: not is_running(seconds))
    assert process.stderr
    assert process.stderr.read() == b""


def test_a_command_that_is_killed_ends_the_call_likewise(
    user: User, tmp_path: Path
) -> None:
    """Of the server's death alone a call that runs knows nothing."""
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\nkill -KILL ${WHOM:-$PPID}; exit 3\n")
    ptxas.chmod(0o755)
    words = ("--gpu-name=sm_90", VADD, "-o", str(tmp_path / "k"))
    own = user.environment | {"PTXAS": str(ptxas)}
    killed = user.call(*words, env=own)
    assert killed.returncode == -signal.SIGKILL
    first = server_of(tmp_path / "run")
    other = user.call(*words, env=own | {"WHOM": str(first)})
    assert other.returncode == 5
    assert b"ptxas failed with exit code 3" in other.stderr
    user.call("--list-versions")  # starts another one, for the fixture to stop
