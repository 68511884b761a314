# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions at the prompt, with commands from a pipe."""

import io
import re
import subprocess
import sys
import tempfile
import weakref
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from dap_client import PROGRAMS, environment

from cuda_tile import api, interp
from cuda_tile._mlir.passmanager import PassManager
from cuda_tile.debug import Terminal, debug_interp
from cuda_tile.debug.terminal import Quit

RUN = [sys.executable, "-m", "cuda_tile.cli.run"]
SUMS = (PROGRAMS / "sums.mlir").read_text()


@cache
def folder():
    """A folder for kernels, which lives as long as the tests."""
    found = tempfile.TemporaryDirectory()
    weakref.finalize(session, found.cleanup)
    return Path(found.name)


def session(commands, text=SUMS, count=8, grid=2, **options):
    """What a session at the prompt says, and the arrays afterwards."""
    path = folder() / "sums.mlir"
    path.write_text(text)
    x, out = np.arange(8, dtype=np.float32), np.zeros(grid, np.float32)
    source, said = io.StringIO("\n".join(commands) + "\n"), io.StringIO()
    module = api.load(path)
    front = Terminal(source, said)
    report = None
    try:
        report = debug_interp(
            front, module, grid=(grid,), args=[x, out, count], **options
        )
    except interp.InterpError as error:
        said.write(f"raised {error}")
    return said.getvalue(), out, report


def test_the_debugger_changes_no_result():
    plain, _, report = session([])
    said, out, again = session(["break 12 if %i == 2", "c", "back", "c", "delete", "c"])
    assert report is not None
    assert again is not None
    assert report.steps == again.steps
    assert (out == 28).all()
    assert "breakpoint 1" in said
    assert "breakpoint 1" not in plain


def test_a_finding_that_is_collected_is_in_the_report():
    said, _, report = session(["c", "c"], count=99, collect=True)
    assert "fault: " in said
    assert "raised" not in said
    assert report is not None
    (finding,) = report.findings
    assert "outside" in finding.message
    said, _, report = session(["c", "c"], count=99)
    assert report is None
    assert f"raised {finding.location}" in said


@pytest.mark.parametrize("seed", [None, 0, 1, 7])
def test_going_back_and_on_again_ends_the_same(seed):
    """Under each seed the past is the same past, whatever was looked at."""
    commands = ["break 12", "c", "c", "p %acc", "who out[1]", "rc", "c", "p %acc"]
    said, out, _ = session(commands, seed=seed)
    first, second = re.findall(r"^%acc = (.*)$", said, re.MULTILINE)
    assert first == second
    assert (out == 28).all()


def test_each_step_forth_is_undone_by_one_back():
    said, _, _ = session(["start", "si", *["si"] * 20, *["backi"] * 20])
    places = re.findall(r"^(?:\(tile\) )?(sums.mlir:\d+)", said, re.MULTILINE)
    forth = places[-41:-20]
    assert places[-20:] == forth[-2::-1]


def test_every_element_is_traced_to_its_inputs():
    said, _, _ = session(["race", "who out[0]", "who out[1]"])
    assert said.count("%sum = 28") == 2
    assert "tile block (1, 0, 0)" in said


def test_a_fault_is_looked_into_and_then_raised():
    said, _, report = session(["c", "p %i", "backi", "where", "c", "c"], count=9)
    assert report is None
    assert "fault: " in said
    assert "%i = 8" in said
    assert said.rstrip().splitlines()[-1].startswith("raised")


def test_first_nan():
    text = SUMS.replace("0.0>", "-1.0>").replace(
        "%next = addf %acc, %v", "%s = sqrt %acc"
    )
    text = re.sub(r"%s = sqrt %acc.*", "%next = sqrt %acc : tile<f32>", text)
    said, _, _ = session(["nan", "p %acc", "p %next"], text)
    assert "NaN: %next[] is the first, by 'sqrt'" in said
    assert "%acc = -1" in said


def test_first_race():
    text = SUMS.replace("offset %out, %bx", "offset %out, %zero")
    said, _, report = session(["break 12", "race"], text)
    assert report is None
    assert "fault: " in said
    assert "nothing orders the two" in said


def test_kernels_without_places_are_debugged_by_their_text():
    module = api.load(PROGRAMS / "sums.mlir")
    with module.context:
        PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)
    source, said = io.StringIO("si\nb 9\nc\nlist\nc\nc\n"), io.StringIO()
    args = [np.arange(8, dtype=np.float32), np.zeros(1, np.float32), 8]
    debug_interp(Terminal(source, said), module, grid=(1,), args=args)
    assert "sums.mlir:9: " in said.getvalue()
    assert "-> " in said.getvalue()


def test_mistakes_are_said_and_the_prompt_comes_back():
    said, _, _ = session(
        ["fly", "b x", "b", "store out", "store out[9]", "who y[0]", "p", "t 9", "c"]
    )
    assert said.count("error: ") == 7  # all but `c`, and `b`, which lists
    assert "end: " in said


def test_quit_ends_the_program():
    with pytest.raises(Quit):
        session(["q"])


def test_help_describes_every_command():
    names = [n for n in dir(Terminal) if n.startswith("do_") and n != "do_EOF"]
    said, _, _ = session([f"help {name[3:]}" for name in names])
    for name in names:
        assert re.search(rf"^{name[3:]}: \S", said, re.MULTILINE), name


ARGS = ("arange:f32[8]", "zeros:f32[2]", "8")


def test_the_command_line_refuses_what_cannot_be():
    for words in (["--on=gpu"], ["--shuffle=2"], ["--debug-port=1"]):
        done = subprocess.run(
            [*RUN, "--debug", *words, "sums.mlir", "--grid=1", *ARGS],
            cwd=PROGRAMS,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "expected --debug with" in done.stderr or "not allowed" in done.stderr
