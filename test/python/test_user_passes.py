# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's own passes: `cuda_tile.register_pass` and `cuda-tile-opt --load-pass`."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cuda_tile
from cuda_tile import UserError
from cuda_tile.cli.opt import DIALECT_PASSES, take_option
from cuda_tile.ir import Module, Operation
from cuda_tile.passmanager import PassManager
from cuda_tile.user_passes import load_passes

TEXT = "cuda_tile.module @kernels {\n  entry @k() {\n    return\n  }\n}\n"
PASS = '''
import cuda_tile

@cuda_tile.register_pass("say-name")
def say(op, *, loud: bool = False, times: int = 1):
    """Prints the names of the modules."""
    for child in op.regions[0].blocks[0].operations:
        name = str(child.attributes["sym_name"])
        print(*[name.upper() if loud else name] * times, flush=True)
'''


@pytest.fixture(scope="module")
def module() -> Module:
    """A module with one kernel."""
    return cuda_tile.load(TEXT.encode())


def run(module: Module, pipeline: str) -> None:
    """Runs a pipeline's text."""
    with module.context:
        PassManager.parse(f"builtin.module({pipeline})").run(module.operation)


def test_a_function_becomes_a_pass(module: Module) -> None:
    """With options of each type, whose defaults its parameters have."""
    seen: list[tuple[str, Any]] = []

    @cuda_tile.register_pass("test-note")
    def note(
        op: Operation, *, flag: bool = False, count: int = 3, rate: float = 0.5,
        some_text: str = "a",
    ) -> None:  # fmt: skip
        seen.append((op.name, (flag, count, rate, some_text)))

    run(module, "test-note")
    run(module, "test-note{flag=true count=-4 rate=2 some-text=b}")
    assert seen == [
        ("builtin.module", (False, 3, 0.5, "a")),
        ("builtin.module", (True, -4, 2.0, "b")),
    ]
    assert note.__name__ == "note"


def test_a_later_function_replaces_the_first(module: Module) -> None:
    """A notebook's cell can be run again; other options are another pass."""
    seen: list[str] = []

    @cuda_tile.register_pass("test-replaced")
    def say(op: Operation, *, end: str = "first") -> None:
        seen.append(op.name + end)

    run(module, "test-replaced")
    with pytest.raises(UserError, match="taken by a pass with other options"):

        @cuda_tile.register_pass("test-replaced")
        def other(op: Operation, *, count: int = 1) -> None:
            seen.append(op.name * count)

    @cuda_tile.register_pass("test-replaced")
    def again(op: Operation, *, end: str = "first") -> None:
        seen.append(end)

    run(module, "test-replaced")
    assert [one.__name__ for one in (say, again)] == ["say", "again"]
    assert seen == ["builtin.modulefirst", "first"]


def test_a_value_of_another_type_is_refused(module: Module) -> None:
    """When the pass runs, with the option's name."""

    @cuda_tile.register_pass("test-typed")
    def typed(op: Operation, *, count: int = 1) -> None:
        raise AssertionError((op, count))

    with pytest.raises(UserError, match="expected option count of type int, got 'x'"):
        run(module, "test-typed{count=x}")


@pytest.mark.parametrize("name", ["", "My-Pass", "a b", "1st"])
def test_a_name_that_no_pipeline_could_hold(name: str) -> None:
    """Is refused at once."""
    with pytest.raises(UserError, match="expected a pass name of lower-case words"):
        cuda_tile.register_pass(name)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: None, "expected a function of one op, got one of 0"),
        (lambda op, other: None, "expected a function of one op, got one of 2"),
        (lambda op, *, rate: None, "option 'rate' to have a default"),
        (lambda op, *, rate=(): None, "option 'rate' to have a default"),
    ],
)
def test_a_function_that_is_no_pass(
    function: Callable[..., None], message: str
) -> None:
    """The message says what form it must have."""
    with pytest.raises(UserError, match=message):
        cuda_tile.register_pass("test-refused")(function)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "expected a Python file with passes, found no"),
        ("x = 1", "expected a function under @cuda_tile.register_pass"),
        ("1 / 0", "the file failed: ZeroDivisionError: division by zero"),
        ("def", "the file failed: SyntaxError"),
    ],
)
def test_a_file_without_passes(tmp_path: Path, text: str | None, message: str) -> None:
    """The message names the file."""
    path = tmp_path / "passes.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=message) as raised:
        load_passes(str(path))
    assert str(path) in str(raised.value)


def test_the_opt_tool_loads_files(tmp_path: Path) -> None:
    """As a flag of its own and in a pipeline, between our passes."""
    kernel, passes = tmp_path / "k.mlir", tmp_path / "passes.py"
    kernel.write_text(TEXT)
    passes.write_text(PASS)
    for words, said in (
        (("--say-name",), '"kernels"'),
        (
            (
                "--pass-pipeline=builtin.module(cuda-tile-simplify,"
                "say-name{loud=true times=2})",
            ),
            '"KERNELS" "KERNELS"',
        ),
    ):
        command = ("-m", "cuda_tile.cli.opt", "--load-pass", str(passes), *words)
        result = subprocess.run(
            [sys.executable, *command, str(kernel), "-o", str(tmp_path / "out")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.strip() == said


def test_options_are_taken_from_the_command_line() -> None:
    """In both spellings, and only these."""
    words = ["--x", "a", "--load-pass=b", "-load-pass", "c", "-load-passes", "d"]
    assert take_option("load-pass", words) == ["b", "c"]
    assert words == ["--x", "a", "-load-passes", "d"]
    with pytest.raises(UserError, match="expected a value after --load-pass"):
        take_option("load-pass", ["--load-pass"])


def test_an_error_of_a_pass_stands_where_it_says(tmp_path: Path) -> None:
    """A place of inlined code too, with a note for the caller."""
    file, passes = tmp_path / "k.mlir", tmp_path / "passes.py"
    file.write_text(TEXT)
    passes.write_text(
        "import cuda_tile\n"
        '@cuda_tile.register_pass("refuse")\n'
        "def refuse(op, *, where: str = ''):\n"
        "    raise cuda_tile.UserError('no', where or None)\n"
    )
    command = (sys.executable, "-m", "cuda_tile.cli.opt", "--load-pass", passes, file)

    def said(where: str) -> list[str]:
        flag = f'--refuse=where="{where}"' if where else "--refuse"
        done = subprocess.run([*command, flag], capture_output=True, text=True)
        assert done.returncode == 1
        return done.stderr.splitlines()

    assert said("") == [f"{file}:0:0: error: pass 'refuse' failed: no"]
    assert said("a.py:3:4") == ["a.py:3:4: error: no"]
    assert said("a.py:3:4, called from b c.py:5:6") == [
        "a.py:3:4: error: no",
        "b c.py:5:6: note: called from",
    ]
    assert said("nowhere") == [f"{file}:0:0: error: pass 'refuse' failed: nowhere: no"]


def test_passes_are_known_to_the_pass_manager(module: Module) -> None:
    """Once it is imported, alone and all in a row."""
    run(Module.parse(TEXT, module.context), "cuda-tile-compile-pipeline{until=place}")


def test_what_the_help_lists_is_all_of_the_dialect() -> None:
    source = Path(__file__).parents[2] / "dialect/include/cuda_tile/Transforms"
    text = (source / "Passes.td").read_text()
    assert tuple(sorted(re.findall(r'Pass<"([\w-]+)"', text))) == DIALECT_PASSES


def test_ctrl_c_ends_the_tool_without_a_word(tmp_path: Path) -> None:
    """In the middle of a pass too, where MLIR has nobody to give an exception to."""
    file, passes = tmp_path / "k.mlir", tmp_path / "passes.py"
    file.write_text(TEXT)
    passes.write_text(
        "import cuda_tile, time\n"
        '@cuda_tile.register_pass("wait")\n'
        "def wait(op):\n"
        "    print('waits', flush=True)\n"
        "    time.sleep(60)\n"
    )
    words = ("-m", "cuda_tile.cli.opt", "--load-pass", passes, file, "--wait")
    # What a shell starts in the background ignores the signal, and its children do.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(signal.SIGINT, handler)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waits\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (-signal.SIGINT, b"")
