# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types as users meet them: strict type checkers, and values that are printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cuda_tile
from cuda_tile import UserError
from cuda_tile import builder as b

ROOT = Path(__file__).resolve().parents[2]
REVEALED = {
    "left": "Tile",
    "generator.module": "Module",
    "cuda_tile.run(kernel, grid=1, args=[])": "InterpReport",
    'cuda_tile.run(kernel, grid=1, args=[], on="emulator")': "Report",
    "block * 256": "Tile",
}
"""Expressions in the program of "Start here", and their types."""


def check_types(program: str, folder: Path) -> tuple[int, str]:
    """What basedpyright says of a program in strict mode: its exit code, its output."""
    (folder / "program.py").write_text(program)
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "strict", "include": ["program.py"]})
    )
    done = subprocess.run(
        [Path(sys.executable).with_name("basedpyright"), "-p", folder,
         "--pythonpath", sys.executable],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_the_first_program_passes_a_strict_type_checker(tmp_path: Path) -> None:
    program = (ROOT / "examples" / "guide" / "add.py").read_text()
    program += "".join(f"reveal_type({text})\n" for text in REVEALED)
    code, said = check_types(program, tmp_path)
    assert code == 0, said
    assert re.findall(r'Type of ".*" is "(\w+)"', said) == list(REVEALED.values())


@pytest.mark.parametrize("name", ["add.py", "fast_division.py"])
def test_programs_of_start_here_pass_mypy_in_strict_mode(
    name: str, tmp_path: Path
) -> None:
    program = ROOT / "examples" / "guide" / name
    package = str(Path(cuda_tile.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent",
         "--cache-dir", tmp_path, program],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env=os.environ | {"MYPYPATH": package},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_what_is_wrong_is_found_by_the_type_checker(tmp_path: Path) -> None:
    program = "import cuda_tile\nfrom cuda_tile import builder as b\n"
    program += "cuda_tile.run(b.TileIrGenerator(), grid=1, args=[])\n"
    code, said = check_types(program, tmp_path)
    assert code == 1
    assert '"TileIrGenerator" cannot be assigned to parameter "module"' in said


def test_a_tile_shows_its_type_and_its_place() -> None:
    floats = b.make_pointer_type
    with b.TileIrGenerator() as generator:
        kinds = [floats(b.Float32), b.Int32]
        with generator.create_entry("k", kinds) as (pointer, number):
            twice = number + number
            assert repr(number) == "<Tile !cuda_tile.tile<i32>: a parameter>"
            assert repr(pointer) == "<Pointer !cuda_tile.tile<ptr<f32>>: a parameter>"
            line = test_a_tile_shows_its_type_and_its_place.__code__.co_firstlineno + 5
            shown = rf"<Tile !cuda_tile.tile<i32>: .*test_types.py:{line}:\d+>"
            assert re.fullmatch(shown, repr(twice))


def test_a_generator_that_was_not_entered_has_no_module() -> None:
    with pytest.raises(UserError, match="expected a generator with a module"):
        _ = b.TileIrGenerator().module
