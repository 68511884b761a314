"""How the commands fail: one sentence on stderr, an exit code, no traceback."""

from __future__ import annotations

import argparse
import functools
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from cuda_tile.errors import CudaTileError, InternalError, UserError

TRACEBACK_VARIABLE = "CUDA_TILE_TRACEBACK"
"""Environment variable; set, failures of any kind show where they were raised."""

_DIAGNOSTIC = re.compile(r'(?:"?[^"\n]*"?:\d+:\d+|unknown|[^\n]*loc[^\n]*): error: ')
_FILE_LOCATION = re.compile(r'"([^"]*)":(\d+):(\d+)')


class ArgumentParser(argparse.ArgumentParser):
    """A parser whose complaints are ordinary `UserError`s."""

    def error(self, message: str) -> NoReturn:
        """Raises what argparse found wrong.

        Raises:
            UserError: Always; names the command's help.
        """
        raise UserError(f"{message}; see {self.prog} --help")


def reports_errors(command: Callable[[], int]) -> Callable[[], int]:
    """Makes a command's main function print its errors and return an exit code.

    0 is success, 1 an error that the user can mend, 3 a bug of this package; a
    reader that goes away (`| head`) and Ctrl-C end the command quietly.
    """

    @functools.wraps(command)
    def wrapped() -> int:
        try:
            code = command()
            sys.stdout.flush()
        except BrokenPipeError:
            # Python would complain again when it flushes stdout at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except KeyboardInterrupt as stopped:
            for note in _notes(stopped):
                print(note, file=sys.stderr)
            return 130
        except Exception as error:
            return _report(error)
        return code

    return wrapped


def end_at_closed_pipe() -> None:
    """Lets a reader that goes away (`| head`) end the process, as it does C programs.

    For commands whose output C++ writes; it knows no `BrokenPipeError`.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _report(error: Exception) -> int:
    if os.environ.get(TRACEBACK_VARIABLE):
        traceback.print_exc()
    if isinstance(error, CudaTileError) and not isinstance(error, InternalError):
        print(error_text(error), *_notes(error), sep="\n", file=sys.stderr)
        return 1
    said = str(error) or type(error).__name__
    if not isinstance(error, InternalError):
        said = f"{type(error).__name__}: {said}"
    print(
        f"internal error: {said}\nThis is a bug of the compiler. To see where, set "
        f"{TRACEBACK_VARIABLE}=1 and run the same command again.",
        file=sys.stderr,
    )
    return 3


def _notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", ()))


def error_text(error: CudaTileError) -> str:
    """An error as compilers print it: `FILE:LINE:COLUMN: error: MESSAGE`."""
    if _DIAGNOSTIC.match(error.message):
        lines = error.message.splitlines()
        return "\n".join(plain_locations(line) for line in lines).replace(
            "unknown: error: ", "error: "
        )
    where = plain_locations(error.location or "")
    if where in ("", "unknown"):
        return f"error: {error.message}"
    return f"{where}: error: {error.message}"


def plain_locations(text: str) -> str:
    """MLIR's `loc("f.mlir":3:5)` as editors know it, `f.mlir:3:5`."""

    def plain(match: re.Match[str]) -> str:
        # Commands read bytes without a name from nowhere else.
        name = "<stdin>" if match[1] in ("-", "<bytes>") else match[1]
        return name if match[2] == "0" else f"{name}:{match[2]}:{match[3]}"

    if text.startswith("loc(") and text.endswith(")"):
        text = text[4:-1]
    return _FILE_LOCATION.sub(plain, text)
