# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs many small programs as `python -m cuda_tile.cutile` does, in one process.

    python cutile_scenarios.py FOLDER

FOLDER has `scenarios.json`: per name the text of a program and the settings. The
answer, on stdout, is per name the exit code and what the program wrote.
"""

from __future__ import annotations

import io
import json
import runpy
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from cuda_tile.cutile.__main__ import run
from cuda_tile.cutile.installation import install


def answer(program: Path, settings: dict[str, Any]) -> tuple[int, str]:
    """Runs one program; its exit code, and what it wrote on both streams."""
    said = io.StringIO()
    install(**settings)
    with redirect_stdout(said), redirect_stderr(said), warnings.catch_warnings():
        warnings.simplefilter("always")
        code = run(partial(runpy.run_path, str(program), run_name="__main__"))
    return code, said.getvalue()


def main() -> None:
    """Runs all of a folder."""
    folder = Path(sys.argv[1])
    scenarios = json.loads((folder / "scenarios.json").read_text())
    answers: dict[str, tuple[int, str]] = {}
    for name, (text, settings) in scenarios.items():
        program = folder / f"{name}.py"
        program.write_text(text)
        answers[name] = answer(program, settings)
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
