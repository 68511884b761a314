"""The three kinds of failure, by who can mend them.

Every message says what was expected, what came, and the way out where there is
one; `location` is the source location of the op at fault, printed in front.
"""

from __future__ import annotations


class CudaTileError(Exception):
    """Base of every error this package raises on purpose.

    Args:
        message: One sentence, lower case, without a full stop.
        location: Printed form of the source location, or None where there is none.
    """

    def __init__(self, message: str, location: str | None = None) -> None:
        self.message = message
        self.location = location
        super().__init__(message if location is None else f"{location}: {message}")


class UserError(CudaTileError):
    """The program, a file or an argument is at fault."""


class Unsupported(UserError):
    """Legal input that this version cannot handle yet; says what would do."""


class InternalError(CudaTileError):
    """A broken invariant of the compiler itself: a bug to report."""
