# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that nest too deep, and strings that are no UTF-8, wherever they come in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cuda_tile
from cuda_tile import UserError
from cuda_tile._mlir import ir

DEEPEST = 256
SAID = "expected regions nested at most 256 deep"


def nested(levels: int) -> str:
    """A kernel that adds 1 to an element, `levels` ifs deep."""
    return (
        "cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>) {\n"
        "%c = constant <i1: true> : tile<i1>\n%one = constant <i32: 1> : tile<i32>\n"
        + "if %c {\n"
        * levels
        + "%x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token\n"
        "%y = addi %x, %one : tile<i32>\n"
        "%u = store_ptr_tko weak %p, %y token=%t : tile<ptr<i32>>, tile<i32> -> token\n"
        + "}\n" * levels
        + "return } }"
    )


def test_as_deep_as_allowed() -> None:
    module = cuda_tile.load(nested(DEEPEST).encode())
    data = cuda_tile.save(module)
    for source in (module, cuda_tile.load(data)):
        x = np.zeros(1, np.int32)
        cuda_tile.run(source, grid=1, args=[x])
        assert x[0] == 1
    cuda_tile.run(module, grid=1, args=[x], on="emulator")
    assert x[0] == 2


@pytest.mark.parametrize("levels", [DEEPEST + 1, 1000, 6000])
def test_too_deep(levels: int, tmp_path: Path) -> None:
    text = nested(levels)
    with pytest.raises(UserError, match=SAID):
        cuda_tile.load(text.encode())
    file = tmp_path / "deep.mlir"
    file.write_text(text)
    with pytest.raises(UserError, match=rf"deep.mlir:\d+:\d+: {SAID}"):
        cuda_tile.load(file)


def test_too_deep_by_hand() -> None:
    """A module that no parser has seen."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(nested(DEEPEST + 1))
        for use in (
            lambda: cuda_tile.run(module, grid=1, args=[np.zeros(1, np.int32)]),
            lambda: cuda_tile.compile(module),
            lambda: cuda_tile.save(module),
        ):
            with pytest.raises(UserError, match=SAID):
                use()


@pytest.mark.parametrize(
    "words",
    [
        ["opt"],
        ["translate", "--mlir-to-cudatilebc"],
        ["compile", "--gpu=sm_80"],
        ["run", "--grid=1"],
        ["optimize"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("is_stdin", [False, True])
def test_too_deep_for_each_command(
    words: list[str], is_stdin: bool, tmp_path: Path
) -> None:
    file = tmp_path / "deep.mlir"
    file.write_text(nested(6000))
    command = [sys.executable, "-m", f"cuda_tile.cli.{words[0]}", *words[1:]]
    done = subprocess.run(
        [*command, "-" if is_stdin else str(file)],
        input=file.read_text() if is_stdin else "",
        capture_output=True,
        text=True,
        check=False,
    )
    name = "<stdin>" if is_stdin else str(file)
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith(f"{name}:"), done.stderr
    assert done.stderr.endswith(f": error: {SAID}\n"), done.stderr


@pytest.mark.parametrize("kind", ["[", "tuple<", "(", "{a = "])
def test_brackets_of_all_kinds(kind: str) -> None:
    """Attributes and types nest by the same parser."""
    with pytest.raises(UserError, match=SAID):
        cuda_tile.load(f"module attributes {{x = {kind * 100000}".encode())


@pytest.mark.parametrize(
    "text",
    [
        'module @"\\FF" {}',
        'module attributes {x = "\\C3"} {}',
        'module {} loc("\\FE.py":1:1)',
    ],
)
def test_a_string_that_is_not_utf8(text: str) -> None:
    with pytest.raises(UserError, match=r"<bytes>:1:\d+: expected a string of UTF-8"):
        cuda_tile.load(text.encode())
    assert cuda_tile.load(b'module @"\\C3\\A4" {}')


def test_a_name_that_ptx_has_not() -> None:
    """It runs on the interpreter; compiled code could not name it."""
    text = 'cuda_tile.module @m { entry @"a)b"(%x: tile<i32>) { return } }'
    module = cuda_tile.load(text.encode())
    cuda_tile.run(cuda_tile.load(str(module).encode()), grid=1, args=[1])
    with pytest.raises(UserError, match=r"what PTX names, got 'a\)b'"):
        cuda_tile.compile(module)
