# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Error reporting of the commands: one sentence on stderr, an exit code."""

from __future__ import annotations

import argparse
import contextlib
import errno
import functools
import gc
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from cuda_tile.cli import is_command
from cuda_tile.cli.versions import version_line
from cuda_tile.errors import (
    INTERNAL,
    CudaTileError,
    InternalError,
    UserError,
    notes_of,
)
from cuda_tile.locations import CALLER, UNKNOWN

TRACEBACK_VARIABLE = "CUDA_TILE_TRACEBACK"
"""Environment variable that makes commands print a traceback on any error."""

OUTPUT_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors of the system that say that an output cannot be written."""

_DIAGNOSTIC = r"(?P<where>[^\n]+?): error: (?P<said>.*)"


class _ShowVersions(argparse.Action):
    """`--version`: the versions are asked for only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        print(version_line(parser.prog))
        parser.exit()


class ArgumentParser(argparse.ArgumentParser):
    """A parser that reports errors as `UserError` and knows `--version`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._words: list[str] = []
        self.add_argument(
            "--version", action=_ShowVersions, nargs=0, help="print versions and exit"
        )

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        """As argparse; keeps the words for `error`."""
        self._words = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raises an error of argparse as `UserError`.

        A misspelled option is named first: argparse would say what is missing.

        Raises:
            UserError: Always; the message refers to `--help`.
        """
        if message.startswith(("the following arguments", "unrecognized")):
            known = list(self._option_string_actions)
            message = unknown_option(self._words, known) or message
        raise UserError(f"{message}; see {self.prog} --help")


def unknown_option(words: Sequence[str], known: Sequence[str]) -> str | None:
    """What to say of the first long option among the words that is none, or None.

    Args:
        words: The command line.
        known: All options; a beginning of one stands for it.
    """
    from difflib import get_close_matches

    for word in words:
        if word == "--":
            return None
        name = word.partition("=")[0]
        if not name.startswith("--") or any(each.startswith(name) for each in known):
            continue
        near = get_close_matches(name, [each for each in known if each[:2] == "--"], 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"unrecognized option {name}{hint}"
    return None


def reports_errors(command: Callable[[], int]) -> Callable[[], int]:
    """Decorates the main function of a command: prints errors, returns an exit code.

    0 is success, 1 an error that the user can fix, `INTERNAL` a bug of this package,
    which no code of `cuda-tile-as` means. A closed pipe (`| head`) and Ctrl-C end the
    command without a message.
    """

    @functools.wraps(command)
    def wrapped() -> int:
        if not gc.isenabled() and is_command():
            gc.freeze()
            gc.enable()
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL and is_command():
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A file's name may have bytes or letters that the locale has not.
                stream.reconfigure(errors="backslashreplace")
        try:
            code = command()
            sys.stdout.flush()
        except BrokenPipeError:
            # Otherwise Python reports it again when it flushes stdout at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except KeyboardInterrupt as stopped:
            for note in notes_of(stopped):
                print(note, file=sys.stderr)
            return 130
        except Exception as error:
            return _report(error)
        return code

    return wrapped


def end_at_closed_pipe() -> None:
    """Makes a closed pipe (`| head`) and Ctrl-C end the process, as in C programs.

    For commands whose work is done by C++, where there is no `BrokenPipeError`, and
    nobody to give a `KeyboardInterrupt` to.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def expect_words(words: Sequence[str], what: str) -> None:
    """Refuses a command that would wait for what somebody types in a terminal.

    Args:
        words: The command line.
        what: What the command reads.

    Raises:
        UserError: There are no words, and stdin is a terminal.
    """
    if not words and sys.stdin is not None and sys.stdin.isatty():
        raise UserError(f"expected {what}, got none; see --help")


def _report(error: Exception) -> int:
    if os.environ.get(TRACEBACK_VARIABLE):
        import traceback

        traceback.print_exc()
    if isinstance(error, OSError) and error.errno in OUTPUT_FAILURES:
        error = UserError(f"expected to write the output, got: {error.strerror}")
        with contextlib.suppress(OSError):
            # What is left in the buffer would fail once more when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, MemoryError):
        error = UserError("expected more memory than there is or a limit allows")
    if isinstance(error, CudaTileError) and not isinstance(error, InternalError):
        print(error_text(error), *notes_of(error), sep="\n", file=sys.stderr)
        return 1
    print(internal_error_text(error), file=sys.stderr)
    return INTERNAL


def internal_error_text(error: Exception) -> str:
    """What to say of a bug of this package."""
    said = str(error) or type(error).__name__
    if not isinstance(error, InternalError):
        said = f"{type(error).__name__}: {said}"
    return (
        f"internal error: {said}\nThis is a bug of the compiler. To see where, set "
        f"{TRACEBACK_VARIABLE}=1 and run the same command again."
    )


def error_text(error: CudaTileError) -> str:
    """Formats an error as compilers do: `FILE:LINE:COLUMN: error: MESSAGE`."""
    if error.location is not None or not re.match(_DIAGNOSTIC, error.message):
        return _located(error.location or UNKNOWN, error.message)
    lines = ((line, re.match(_DIAGNOSTIC, line)) for line in error.message.splitlines())
    return "\n".join(
        line if found is None else _located(found["where"], found["said"])
        for line, found in lines
    )


def _located(where: str, said: str) -> str:
    """An error at a place of `place_text`, with a note for each caller of the place."""
    if where == UNKNOWN:
        return f"error: {said}"
    first, *callers = (_named(place) for place in where.split(CALLER))
    notes = (f"{place}: note: called from here" for place in callers)
    return "\n".join((f"{first}: error: {said}", *notes))


def _named(place: str) -> str:
    # Only stdin gives the commands bytes without a name.
    return re.sub(r"^(?:-|<bytes>)(?=:|$)", "<stdin>", place)
