# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command's main function in this process: a new one would take longer."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

KERNELS = Path(__file__).parents[1] / "kernels"
SCALE = Path(__file__).parent / "Inputs" / "scale.mlir"


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The error: one line, no traceback, nothing on stdout."""
        assert self.code == 1
        assert not self.out
        assert "Traceback" not in self.err
        lines = self.err.splitlines()
        assert len(lines) == 1
        assert "error: " in lines[0]
        return lines[0]


Command = Callable[..., Result]


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Command:
    """Calls `main` of a module with words and, if given, bytes on stdin."""

    def call(module: ModuleType, *words: object, stdin: bytes = b"") -> Result:
        name = module.__name__.rpartition(".")[2]
        argv = [f"cuda-tile-{name}", *(str(word) for word in words)]
        monkeypatch.setattr(sys, "argv", argv)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = module.main()
        except SystemExit as end:  # --help
            code = int(end.code or 0)
        out, err = capfdbinary.readouterr()
        return Result(code, out.decode(errors="replace"), err.decode())

    return call
