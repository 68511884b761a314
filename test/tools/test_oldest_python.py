# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package asks for no newer Python than pyproject.toml names."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PACKAGE = ROOT / "python" / "cuda_tile"


def newest_needed(files: Iterable[Path]) -> str:
    """What vermin says that the files need, of Python 3."""
    command = [str(BIN / "vermin"), "--no-tips", "--violations"]
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    target = oldest["requires-python"].removeprefix(">=")
    words = [*command, f"--target={target}-", *map(str, files)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def test_the_package_needs_no_newer_one() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if "_mlir" not in path.parts]
    assert "Minimum required versions: 3.10" in newest_needed(files).splitlines()


def test_a_newer_name_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from typing import Self\n")
    assert "'typing.Self' member requires" in newest_needed([tmp_path / "a.py"])
