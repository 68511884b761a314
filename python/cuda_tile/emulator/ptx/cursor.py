# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A place in the token list, with the questions a recursive-descent parser asks."""

from __future__ import annotations

from typing import NoReturn

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.ptx.lexer import Token
from cuda_tile.emulator.ptx.types import TYPES, Type

# The value of WARP_SZ.
WARP_SIZE = 32
# "0b" and 64 digits.
_LONGEST_INTEGER = 66
# No address space is larger, so no size, count or alignment may be.
_MOST_COUNT = 1 << 48


class Cursor:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def token(self) -> Token:
        """The next token, not yet taken."""
        return self._tokens[self._place]

    @property
    def following(self) -> Token:
        """The token after the next."""
        return self._tokens[min(self._place + 1, len(self._tokens) - 1)]

    @property
    def line(self) -> int:
        """Line of the next token."""
        return self.token.line

    def take(self) -> Token:
        """Takes the next token, whatever it is."""
        token = self._tokens[self._place]
        if token.kind != "end":
            self._place += 1
        return token

    def at(self, *texts: str) -> bool:
        """Whether the next token reads as one of `texts`."""
        token = self._tokens[self._place]
        return token.text in texts and token.kind != "string"

    def accept(self, text: str) -> bool:
        """Takes the next token if it reads as `text`."""
        if self.at(text):
            self._place += 1
            return True
        return False

    def expect(self, text: str, context: str) -> Token:
        """Takes the next token, which must read as `text`."""
        if not self.at(text):
            self.fail(f"{text!r} {context}")
        return self.take()

    def kind(self, kind: str, what: str) -> Token:
        """Takes the next token, which must be of the given kind."""
        if self.token.kind != kind:
            self.fail(what)
        return self.take()

    def fail(self, expected: str) -> NoReturn:
        """Raises the error "expected X, got Y" at the next token."""
        token = self.token
        got = token.text if token.kind == "end" else repr(token.text)
        raise PtxError(f"expected {expected}, got {got}", token.line)

    def integer(self, what: str) -> int:
        """Takes an integer constant with an optional sign."""
        sign = -1 if self.accept("-") else 1
        return sign * parse_int(self.kind("int", what))

    def count(self, what: str) -> int:
        """Takes an integer constant without a sign, or WARP_SZ."""
        if self.accept("WARP_SZ"):
            return WARP_SIZE
        return parse_int(self.kind("int", what))

    def alignment(self) -> int:
        """Takes an alignment in bytes: a power of two."""
        line = self.line
        value = self.count("an alignment in bytes")
        if value.bit_count() != 1 or value > _MOST_COUNT:
            raise PtxError(f"expected a power of two as alignment, got {value}", line)
        return value

    def type(self, what: str) -> Type:
        """Takes a type suffix such as `.b32`."""
        token = self.token
        found = TYPES.get(token.text[1:]) if token.kind == "suffix" else None
        if found is None:
            self.fail(what)
        self.take()
        return found

    def declared_type(self, what: str) -> Type:
        """Takes a type that registers and variables may have."""
        line, found = self.line, self.type(what)
        if found.kind == "raw" and found.name != "f16x2":
            raise PtxError(
                f"expected {what}, got {found}, which only instructions name; "
                f"declare .b{found.bits}",
                line,
            )
        return found

    def skip_line(self) -> None:
        """Takes every token of the current line (debug directives)."""
        line = self.line
        while self.line == line and self.token.kind != "end":
            self.take()


def parse_int(token: Token) -> int:
    """Returns the value of an integer token: decimal, 0x, 0b or octal.

    PTX ISA, "Integer Constants": they have 64 bits.
    """
    text = token.text.rstrip("U")
    if len(text) > _LONGEST_INTEGER:
        shown = f"{text[:20]}..., {len(text)} characters"
        raise PtxError(f"expected an integer of 64 bits, got {shown}", token.line)
    value = _value(text, token)
    if value >= 1 << 64:
        raise PtxError(f"expected an integer of 64 bits, got {text}", token.line)
    return value


def _value(text: str, token: Token) -> int:
    if len(text) > 1 and text[0] == "0" and text.isdigit():
        if not set(text) <= set("01234567"):
            raise PtxError(f"expected an octal constant, got {text!r}", token.line)
        return int(text, 8)
    return int(text, 0)
