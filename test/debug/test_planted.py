# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three planted bugs of the tutorial, found by an editor through the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from dap_client import Debugger

BUGS = Path(__file__).parents[2] / "examples" / "guide" / "debugging"


@pytest.fixture
def editor(tmp_path: Path):
    """An editor with a debugger process."""
    with Debugger(tmp_path) as found:
        yield found


def begin(editor: Debugger, name: str, *points: tuple[str, str]) -> dict[str, int]:
    """Starts a program with breakpoints at lines with a text, if a condition holds.

    Returns:
        The line of each text.
    """
    file = BUGS / name
    texts = file.read_text().splitlines()
    lines = {
        text: 1 + next(n for n, line in enumerate(texts) if text in line)
        for text, _ in points
    }
    wanted = [
        {"line": lines[text], "condition": condition} for text, condition in points
    ]
    editor.begin("launch", {str(file): wanted}, program=str(file))
    return lines


def test_padding_that_is_counted(editor: Debugger) -> None:
    lines = begin(editor, "softmax.py", ("total =", "block == (3, 0)"))
    assert editor.stop()[:2] == ("breakpoint", lines["total ="])
    assert editor.value("block") == "(3, 0, 0)"
    assert editor.value("powers.sum() > powers[0, :100].sum() + 1") == "true"
    assert editor.value("(values[0, 100:] == 0).all()") == "true"
    thread = 4
    assert editor.go("next", thread)[1] == lines["total ="] + 1
    assert editor.go("stepBack", thread)[1] == lines["total ="]


def test_a_root_of_a_negative_number(editor: Debugger) -> None:
    store = "ct.store(y"
    lines = begin(editor, "normalize.py", (store, "isnan(scale).any()"))
    reason, line, thread = editor.stop()
    assert (reason, line) == ("breakpoint", lines[store])
    assert editor.value("block") == "(5, 0, 0)"
    assert "nobody" not in editor.command("who y[4, 0]")
    editor.request("reverseContinue", threadId=thread)
    editor.stop()
    assert editor.value("block") == "(0, 0, 0)", "no stop before: the beginning"
    editor.command("nan")
    reason, line, thread = editor.stop()
    assert line == 8
    frames = editor.request("stackTrace", threadId=thread)["stackFrames"]
    assert [frame["name"] for frame in frames] == ["deviation", "normalize"]
    assert editor.value("squares - mean * mean < 0.1") == "true"
    assert editor.value("%5 < 0") == "true"


def test_two_tile_blocks_that_write_one_place(editor: Debugger) -> None:
    load, loop = "old =", "part = part +"
    lines = begin(editor, "columns.py", (loop, "k > 6 and block == (0, 1)"))
    assert editor.stop()[:2] == ("breakpoint", lines[loop])
    assert editor.value("k") == "7"
    editor.command("race")
    reason, line, thread = editor.stop()
    assert (reason, line) == ("exception", lines[loop] + 1)
    assert load in (BUGS / "columns.py").read_text().splitlines()[line - 1]
    said = editor.command("who sums[0]")
    assert "written by tile block (0, 0, 0)" in said
    assert "i = 0" in said
    names = {t["id"]: t["name"] for t in editor.request("threads")["threads"]}
    assert "(0, 1, 0)" in names[thread]
