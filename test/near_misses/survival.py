# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing dies: programs go through every command, legal ones and others.

A program that is illegal must be refused, or run as far as it does, with a message for
its author: no traceback, no internal error, and no process that ends. What the results
are, `near_miss_judge` looks at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from differential_case import Case
from differential_check import Failure

import cuda_tile
from cuda_tile.cli import compile as command
from cuda_tile.cli.failure import reports_errors
from cuda_tile.errors import InternalError, UserError

CUBIN_EACH = 10
"""One of so many programs is assembled, with a report as JSON."""
PAGE_EACH = 20
"""One of so many gets a page."""
LIMIT = 50_000
"""Ops of the interpreter, or steps of the emulator, that a program runs at most."""
BAD = ("internal error", "Traceback")
"""Words that no command may say."""


def survive(case: Case, number: int, gpu: str) -> Failure | None:
    """Takes a program through commands and judges; what none of them may do.

    Args:
        case: The program, legal or not.
        number: Its number, which says what else is made of it.
        gpu: The chip.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "k.mlir"
        path.write_text(case.body)
        for arguments in _commands(path, number):
            said = _said([str(path), "--gpu", gpu, *arguments])
            if any(word in said for word in BAD):
                where = f"cuda-tile-compile {' '.join(arguments[:1])} ({gpu})"
                return Failure(where, "internal error", said[-600:])
    return _runs(case, gpu)


def _commands(path: Path, number: int) -> Iterator[list[str]]:
    """Arguments of the commands that compile a program."""
    yield ["--report", "--emit=ptx", "-o", str(path.with_suffix(".ptx"))]
    if not number % CUBIN_EACH:
        yield ["--report=json", "-o", str(path.with_suffix(".cubin"))]
    if not number % PAGE_EACH:
        yield ["--report=html", "-o", str(path.with_suffix(".html"))]


def _said(arguments: list[str]) -> str:
    """What a command writes to stderr."""
    errors = StringIO()
    argv = ["cuda-tile-compile", *arguments]
    with (
        patch.object(sys, "argv", argv),
        redirect_stderr(errors),
        redirect_stdout(StringIO()),
        suppress(SystemExit),
    ):
        reports_errors(command.main)()
    return errors.getvalue()


def _runs(case: Case, gpu: str) -> Failure | None:
    """Runs a program on both judges, which may refuse it."""
    try:
        module = cuda_tile.load(case.body.encode())
    except UserError:
        return None
    choices: list[dict[str, Any]] = [
        {"on": "interp", "mode": "hardware"},
        {"on": "interp", "mode": "permissive", "seed": 1},
        {"on": "emulator", "gpu": gpu, "mode": "adversarial"},
    ]
    for choice in choices:
        failure = _failure(lambda c=choice: _run(case, module, **c))
        if failure is not None:
            return Failure(f"{choice['on']} ({gpu})", *failure)
    return None


def _run(case: Case, module: Any, **choices: Any) -> None:
    _, args = case.memories()
    cuda_tile.run(module, "k", grid=(case.grid,), args=args, limit=LIMIT, **choices)


def _failure(step: Callable[[], None]) -> tuple[str, str] | None:
    """The kind and message of an error that is not for a user."""
    try:
        step()
    except InternalError as error:
        return "internal error", str(error)
    except UserError:
        return None
    except Exception as error:
        return type(error).__name__, str(error)
    return None
