# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scripted editor debugs kernels through the Debug Adapter Protocol."""

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from dap_client import PROGRAMS, Client, Debugger, environment

PRODUCT = str(PROGRAMS / "product.py")
TWO = str(PROGRAMS / "two.py")
SUMS = str(PROGRAMS / "sums.mlir")


def line_of(file: str, text: str) -> int:
    """The number of the first line with a text."""
    lines = Path(file).read_text().splitlines()
    return 1 + next(n for n, line in enumerate(lines) if text in line)


MMA = line_of(PRODUCT, "acc = ct.mma")
LOOP = line_of(PRODUCT, "for k in")
IF = line_of(PRODUCT, "if i > 0")
STORE = line_of(PRODUCT, "ct.store(c")
DOUBLED = line_of(PRODUCT, "doubled = t")


@pytest.fixture
def editor(tmp_path):
    """An editor with a debugger process."""
    with Debugger(tmp_path) as found:
        yield found


def begin_product(editor, *points, **config):
    """Launches the product with breakpoints."""
    editor.begin("launch", {PRODUCT: list(points)}, program=PRODUCT, **config)


def test_stops_where_a_condition_holds(editor):
    condition = "block == (1, 0) and k == 2"
    begin_product(editor, {"line": MMA, "condition": condition})
    reason, line, thread = editor.stop()
    assert (reason, line) == ("breakpoint", MMA)
    names = editor.request("threads")["threads"]
    assert [t["name"] for t in names if t["id"] == thread] == [
        "tile block (1, 0, 0): runs"
    ]
    assert editor.value("k") == "2"
    assert editor.value("acc[0, 0] + acc[15, 15]") == "64"
    assert editor.value("isnan(acc).any()") == "false"
    editor.request("continue", threadId=thread)
    assert editor.end() == 0
    assert "first: 64.0 last: 65.0" in "".join(editor.output)


def test_tile_blocks_are_threads(editor):
    begin_product(editor, MMA)
    editor.stop()
    names = [t["name"] for t in editor.request("threads")["threads"]]
    assert names == [
        "tile block (0, 0, 0): runs",
        "tile block (1, 0, 0): not begun",
        "tile block (0, 1, 0): not begun",
        "tile block (1, 1, 0): not begun",
    ]


def test_a_tile_opens_into_statistics_rows_and_elements(editor):
    begin_product(editor, {"line": MMA, "condition": "k == 1"})
    editor.stop()
    acc = editor.variables("Variables")["acc"]
    assert acc["type"] == "tile<16x16xf32>"
    assert acc["indexedVariables"] == 16
    number = acc["variablesReference"]
    facts = editor.request("variables", variablesReference=number, filter="named")
    shown = {each["name"]: each["value"] for each in facts["variables"]}
    assert (shown["min"], shown["max"], shown["NaN"]) == ("16", "16", "0")
    rows = editor.request(
        "variables", variablesReference=number, filter="indexed", start=3, count=2
    )["variables"]
    assert [row["name"] for row in rows] == ["[3]", "[4]"]
    number = rows[0]["variablesReference"]
    elements = editor.request("variables", variablesReference=number, filter="indexed")[
        "variables"
    ]
    assert len(elements) == 16
    assert elements[7]["value"] == "16"


def test_steps(editor):
    begin_product(editor, {"line": MMA, "condition": "k == 3"})
    editor.stop()
    assert editor.go("next")[:2] == ("step", LOOP)
    assert editor.go("next")[:2] == ("step", IF)
    assert editor.go("next")[:2] == ("step", STORE)
    assert editor.go("stepIn")[:2] == ("step", DOUBLED)
    frames = editor.request("stackTrace", threadId=1)["stackFrames"]
    assert [frame["name"] for frame in frames] == ["scaled", "product"]
    assert frames[1]["line"] == STORE
    assert Path(frames[1]["source"]["path"]) == Path(PRODUCT)
    assert editor.go("stepOut")[:2] == ("step", STORE)


def test_out_of_a_loop_and_to_the_next_iteration(editor):
    begin_product(editor, {"line": MMA, "hitCondition": "2"})
    editor.stop()
    assert editor.value("k") == "1"
    editor.command("iteration")
    assert editor.stop()[1] == MMA - 2
    assert editor.value("k") == "2"
    assert editor.go("stepOut")[1] == IF


def test_back(editor):
    begin_product(editor, {"line": IF, "condition": "i > 0"}, MMA)
    for _ in range(4):
        editor.stop()
        editor.request("continue", threadId=1)
    _, line, thread = editor.stop()
    assert (line, thread) == (MMA, 2)
    assert editor.value("k") == "0"
    before = editor.value("acc.sum()")
    assert editor.go("reverseContinue", 2)[1:] == (MMA, 1)
    assert editor.value("k") == "3"
    assert editor.go("stepBack")[1] == MMA - 1
    assert editor.go("next")[1] == MMA
    assert editor.go("continue")[1:] == (MMA, 2)
    assert editor.value("acc.sum()") == before
    assert editor.go("restartFrame", 2)[1:] == (line_of(PRODUCT, "def product"), 1)


def test_who_wrote_an_element(editor):
    begin_product(editor, {"line": IF, "condition": "block == (1, 1)"})
    editor.stop()
    story = editor.command("who c[2, 3]").splitlines()
    assert re.match(r"written by tile block \(0, 0, 0\) at .*product.py:", story[1])
    assert any("doubled[2, 3] = 128" in each for each in story)
    assert editor.command("who c[20, 20]").endswith(
        "nobody has written it in this launch"
    )
    assert editor.value("i") == "1"  # it stands where it stood
    editor.command("store c[20, 20]")
    assert editor.stop()[:2] == ("data breakpoint", STORE)
    assert "acc[4, 4] = 65" in editor.command("who c[20, 20]")


def test_log_points_do_not_stop(editor):
    begin_product(editor, {"line": IF, "logMessage": "i is {i}, top {acc.max()}"})
    assert editor.end() == 0
    said = [each for each in editor.output if each.startswith("i is")]
    assert said == ["i is 0, top 64\n", "i is 1, top 64\n"] * 2


def test_what_is_wrong_is_answered(editor):
    begin_product(editor, MMA)
    editor.stop()
    bad = (
        ("().__class__", "constants|attributes|expected"),
        ("open('x')", "expected one of abs"),
        ("nothing + 1", "expected a name in scope, got 'nothing'"),
        ("acc +", "expected an expression"),
        ("2 ** 999999", "exponent"),
    )
    for text, why in bad:
        answer = editor.ask("evaluate", expression=text, context="watch")
        assert not answer["success"]
        assert re.search(why, answer["message"])
    assert not editor.ask("fly")["success"]
    assert not editor.ask("variables", variablesReference=99)["success"]


def test_an_answer_whatever_an_editor_sends(editor):
    """And what it asked for before stays as it was."""
    begin_product(editor, MMA)
    _, line, _ = editor.stop()
    assert not editor.ask("setBreakpoints", source="x")["success"]
    bad = [{"line": line, "hitCondition": "often"}]
    assert not editor.ask("setBreakpoints", source={"path": PRODUCT}, breakpoints=bad)[
        "success"
    ]
    assert not editor.ask("stackTrace", threadId=-1, startFrame="y")["success"]
    editor.request("continue", threadId=1)
    assert editor.stop()[0] == "breakpoint"


def test_what_cannot_be_launched_ends_with_a_message(editor):
    editor.request("initialize", adapterID="cuda-tile")
    assert not editor.ask("attach")["success"]
    editor.request("launch", program=SUMS, cwd="/no/such/folder")
    editor.request("configurationDone")
    assert editor.event("exited")["exitCode"] == 1
    assert "cannot enter 'cwd'" in "".join(editor.output)


def test_tile_ir_text(editor):
    points = {SUMS: [{"line": line_of(SUMS, "addf"), "condition": "%i == 3"}]}
    words = ["arange:f32[8]", "zeros:f32[2]", "8"]
    editor.begin("launch", points, program=SUMS, args=words, grid=[2])
    assert editor.stop()[0] == "breakpoint"
    assert editor.value("%acc + v") == "6"
    assert editor.variables("Variables")["%x"]["type"] == "float32[8]"
    editor.request("disconnect")
    editor.process.wait(timeout=60)


def test_a_fault_stops_and_can_be_looked_into(editor):
    points = {SUMS: []}
    words = ["arange:f32[8]", "zeros:f32[2]", "9"]  # one element too many
    editor.begin("launch", points, program=SUMS, args=words, grid=2)
    reason, line, _ = editor.stop()
    assert (reason, line) == ("exception", line_of(SUMS, "load_ptr_tko"))
    assert "outside every array" in editor.request("exceptionInfo")["description"]
    assert editor.value("%i") == "8"
    assert editor.go("stepBack")[1] == line
    assert editor.go("stepBack")[1] == line - 1
    editor.request("continue", threadId=1)
    assert editor.stop()[0] == "exception"
    editor.request("continue", threadId=1)
    assert editor.end() == 1


def test_several_launches(editor):
    """Breakpoints stay in their function; what is printed is said once."""
    blank, store = line_of(TWO, "def fill") - 2, line_of(TWO, "ct.store(a")
    added = line_of(TWO, "t += i")
    points = [blank, store, {"line": added, "condition": "n == 2 and i == 1"}]
    editor.begin("launch", {TWO: points}, program=TWO)
    for value in (3, 4):
        for block in (1, 2):
            assert editor.stop() == ("breakpoint", store, block)
            assert editor.value("a[31]") == ("0" if value == 3 else "3")
            if block == 2:
                assert editor.go("reverseContinue", 2)[1:] == (store, 1)
                assert editor.go("continue")[1:] == (store, 2)
            editor.request("continue", threadId=block)
    assert editor.stop() == ("breakpoint", added, 2)
    assert editor.value("t[0]") == "6"
    editor.request("continue", threadId=2)
    assert editor.end() == 0
    said = "".join(editor.output)
    assert said.count("fill 0") == said.count("fill 1") == 2
    assert "grown: [4. 7.]" in said


def test_stops_at_the_end_and_at_new_nans_if_asked(editor):
    editor.request("initialize", adapterID="cuda-tile")
    editor.request("launch", program=TWO, stopOnEntry=True)
    editor.request("setExceptionBreakpoints", filters=["end", "nan"])
    editor.request("configurationDone")
    for _ in range(3):
        assert editor.stop()[0] == "entry"
        editor.request("continue", threadId=1)
        assert editor.event("stopped")["description"] == "end"
        editor.request("continue", threadId=1)
    assert editor.end() == 0


def test_pauses(editor):
    endless = PROGRAMS / "endless.mlir"
    editor.begin("launch", {}, program=str(endless), grid=1)
    while not editor.ask("evaluate", expression="1")["success"]:
        editor.request("pause", threadId=1)
    assert editor.stop()[0] == "pause"
    assert editor.go("next")[0] == "step"


def test_attaches_to_a_port(tmp_path):
    shutil.copy(SUMS, tmp_path / "sums.mlir")
    words = ["sums.mlir", "--grid=2", "arange:f32[8]", "zeros:f32[2]", "8"]
    with subprocess.Popen(
        [sys.executable, "-m", "cuda_tile.cli.run", "--debug-port=0", *words],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().split()[-1])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            stream = connection.makefile("rwb")
            client = Client(stream, stream)
            file = str(tmp_path / "sums.mlir")
            client.begin("attach", {file: [line_of(SUMS, "store_ptr")]})
            assert client.stop()[0] == "breakpoint"
            assert client.value("%sum") == "28"
            client.request("disconnect")
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "28 to 28" in said


def test_refuses_what_is_no_protocol(editor):
    editor.send(b"GET / HTTP/1.1\r\n\r\n")
    assert editor.process.wait(timeout=60) == 0
