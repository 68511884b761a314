# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three kinds of errors, by who can fix them.

Every message says what was expected, what was found, and how to fix it if possible;
`location` is the source location of the op, printed before the message.
"""

from __future__ import annotations

import traceback
from typing import Any

INTERNAL = 70
"""Exit code of commands for a bug of this package, EX_SOFTWARE of sysexits."""


class CudaTileError(Exception):
    """Base class of the errors that this package raises intentionally.

    Args:
        message: One sentence, lower case, without a full stop.
        location: Place in the source, `file:line:column`, or None.
    """

    def __init__(self, message: str, location: str | None = None) -> None:
        self.message = message
        self.location = location
        super().__init__(message if location is None else f"{location}: {message}")


def add_note(error: BaseException, text: str) -> None:
    """`error.add_note(text)`, which exceptions of Python 3.10 do not have."""
    setattr(error, "__notes__", [*notes_of(error), text])  # noqa: B010  (of any class)


def notes_of(error: BaseException) -> list[str]:
    """The notes of an error."""
    return list(getattr(error, "__notes__", ()))


class UserError(CudaTileError):
    """The program, a file or an argument is at fault."""

    def _render_traceback_(self) -> list[str]:
        """What IPython and Jupyter print: the user's own frames, and the message.

        Those of this package, and of the one before it in the chain, would bury both.
        """
        walked = traceback.walk_tb(self.__traceback__)
        kept = [
            (frame, line)
            for frame, line in walked
            if str(frame.f_globals.get("__name__")).partition(".")[0]
            not in (__package__, "IPython")
        ]
        frames = traceback.StackSummary.extract(iter(kept)).format()
        name = type(self).__name__
        return [*(frame.rstrip("\n") for frame in frames), f"{name}: {self}"]


class Unsupported(UserError):
    """Valid input that this version does not support; the message says what to do."""


class NoRoom(UserError):
    """The plan of a kernel asks for more shared or tensor memory than a CTA can have.

    Args:
        message: As of `CudaTileError`.
        location: The same.
        excess_bytes: Bytes of shared memory that are wanting.
        excess_columns: Columns of tensor memory that are wanting.
    """

    def __init__(
        self,
        message: str,
        location: str | None = None,
        excess_bytes: int = 0,
        excess_columns: int = 0,
    ) -> None:
        super().__init__(message, location)
        self.excess_bytes, self.excess_columns = excess_bytes, excess_columns


class NoPair(UserError):
    """The CTAs of a pair cannot compute a kernel together by any plan."""


class InternalError(CudaTileError):
    """A broken invariant of the compiler itself: a bug to report."""


def expect(name: str, value: object, kinds: Any, what: str) -> None:
    """Refuses an argument of another type than a function takes.

    Args:
        name: The argument.
        value: What came.
        kinds: The types that it may have, as `isinstance` takes them.
        what: These, in words.

    Raises:
        UserError: It has none of them.
    """
    if not isinstance(value, kinds):
        raise UserError(
            f"expected {name} to be {what}, got {value!r:.80} of type "
            f"{type(value).__name__}"
        )
