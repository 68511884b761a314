# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random command lines of every command: its own options, and values of any kind.

A command ends with one of its exit codes; an error is a line, no traceback. Each runs
in a child process, forked because importing again would take longer.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_command import SCALE

EXAMPLES = int(os.environ.get("CUDA_TILE_COMMAND_LINES", "6"))
"""Command lines per command; more for a longer search."""
SECONDS = 120
FILES = (
    "scale.mlir",
    "k.ptx",
    "missing",
    "folder",
    "empty",
    "junk",
    "text",
    "bad.mlir",
)
SMALL = ("", "0", "1", "-1", "2", "x", "1.5", "é")
"""Values of options whose number is work to do."""
ODD = (*SMALL, "sm_80", "9" * 30, "a=b", "nan", "/dev/null", "folder", "folder/none/x")
WORK = ("grid", "shuffle", "limit", "resident", "block", "cluster", "stack", "shared")
LEFT_OUT = ("ray", "jobs", "help", "version", "debug_port")
"""Options that start processes, that end the command, or wait for an editor."""
LINE = re.compile(
    r"((.*?: )?(error|note|warning|remark)s?: |argument \d+ of|//|\s|$|.* for sm_)"
)
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n) { ret; }
"""
ARGUMENTS = (
    "1",
    "zeros:f32[8]",
    "out:y.npy:f32[8]",
    "zeros:f33[8]",
    "zeros:f32[",
    "x:",
)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All command lines run in a folder with files of each kind."""
    path, before = tmp_path_factory.mktemp("lines"), Path.cwd()
    (path / "folder").mkdir()
    (path / "empty").touch()
    (path / "junk").write_bytes(bytes(range(255, 0, -1)) * 9)
    (path / "text").write_text("hello\n")
    (path / "k.ptx").write_text(PTX)
    (path / "scale.mlir").write_bytes(SCALE.read_bytes())
    (path / "bad.mlir").write_text(SCALE.read_text().replace("entry", "entry entry", 1))
    os.chdir(path)
    yield path
    os.chdir(before)


def lines_of(parser: argparse.ArgumentParser, fixed: tuple[str, ...]) -> Any:
    """Command lines: a file, a subset of the options with values, some arguments."""
    options: list[Any] = []
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if not action.option_strings or action.dest in LEFT_OUT:
            continue
        flag = st.sampled_from(action.option_strings)
        if action.nargs == 0:
            options.append(st.tuples(flag))
            continue
        odd = st.sampled_from(SMALL if action.dest in WORK else ODD)
        choices = [str(choice) for choice in action.choices or ()]
        value = st.sampled_from(choices) | odd if choices else odd
        options.append(st.tuples(flag, value))
        options.append(st.builds(lambda f, v: (f"{f}={v}",), flag, value))
    chosen = st.lists(st.one_of(options), max_size=4).map(flat)
    files = st.lists(st.sampled_from((*FILES, "-", "--none", "--hepl")), max_size=1)
    arguments = st.lists(st.sampled_from(ARGUMENTS), max_size=3)
    always = st.sampled_from((fixed, fixed, ()))
    return st.builds(
        lambda f, a, c, words: [*f, *words, *a, *c], always, chosen, arguments, files
    )


def flat(groups: list[tuple[str, ...]]) -> list[str]:
    """The words of all groups."""
    return [word for group in groups for word in group]


def ran(main: Callable[[], int], name: str, words: list[str]) -> tuple[int, str]:
    """Exit code and stderr of a command in a process of its own."""
    child = os.fork()
    if not child:
        faulthandler.disable()
        signal.alarm(SECONDS)
        os.dup2(os.open("err", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), 2)
        os.dup2(os.open("out", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode) for number, mode in enumerate("rww")
        )
        sys.argv = [name, *words]
        code: Any = 99
        try:
            code = main()
        except SystemExit as end:
            code = end.code or 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    said = Path("err").read_bytes().decode(errors="replace")
    return os.waitstatus_to_exitcode(status), said


def check(words: list[str], code: int, said: str, codes: tuple[int, ...]) -> None:
    """The exit code is documented; an error says what, in lines of known form."""
    shown = f"{words} ended with {code} and said:\n{said}"
    assert code in codes, shown
    assert "Traceback" not in said, shown
    assert "internal error" not in said, shown
    if code:
        assert "error: " in said, shown
        for line in said.splitlines():
            assert LINE.match(line), f"{line!r} in: {shown}"


SEARCH = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
OURS: dict[str, tuple[str, tuple[str, ...], tuple[int, ...]]] = {
    "compile": ("cuda_tile.cli.compile", ("--gpu", "sm_80"), (0, 1)),
    "run": ("cuda_tile.cli.run", ("--grid", "1"), (0, 1)),
    "optimize": ("cuda_tile.cli.optimize", (), (0, 1)),
    "emulator": ("cuda_tile.emulator.__main__", ("--grid=1", "--block=1"), (0, 1, 2)),
    "assembler": ("cuda_tile.cli.assembler", ("--gpu-name", "sm_80"), (0, 1, 2, 3, 5)),
}


@pytest.mark.parametrize("name", OURS)
def test_random_words(name: str) -> None:
    home, fixed, codes = OURS[name]
    module = importlib.import_module(home)
    parser = getattr(module, "build_parser", argparse.ArgumentParser)()

    @SEARCH
    @given(lines_of(parser, fixed))
    def search(words: list[str]) -> None:
        check(words, *ran(module.main, name, words), codes)

    search()


MLIR: dict[str, tuple[str, ...]] = {
    "opt": (
        "--cuda-tile-simplify", "--cuda-tile-compile-pipeline", "--cuda-tile-plan=gpu=",
        "--cuda-tile-compile-pipeline=gpu=sm_1", "--cuda-tile-plan=num-warps=x",
        "--cuda-tile-place", "--fold-constants", "--pass-pipeline=builtin.module(x)",
        "--load-pass=missing", "--load-pass=text", "--load-pass", "--none", "-o=folder",
        "--cuda-tile-barriers", "--cuda-tile-emit", "--cuda-tile-allocate",
    ),
    "translate": (
        "--cudatilebc-to-mlir", "--mlir-to-cudatilebc", "--cuda-tile-to-ptx", "--gpu=x",
        "--cuda-tile-to-llvmir", "--gpu", "--none", "-o=folder", "--mlir-to-llvmir",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MLIR)
def test_random_words_of_the_tools_of_mlir(name: str) -> None:
    module = importlib.import_module(f"cuda_tile.cli.{name}")

    @SEARCH
    @given(
        st.lists(st.sampled_from(MLIR[name]), max_size=3),
        st.sampled_from((*FILES, "-")),
    )
    def search(options: list[str], file: str) -> None:
        code, said = ran(module.main, name, [file, *options])
        shown = f"{[file, *options]} ended with {code} and said:\n{said}"
        assert code in (0, 1), shown
        assert said or not code, shown
        assert "Traceback" not in said, shown
        assert "PLEASE submit a bug" not in said, shown

    search()
