# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places in messages: `file:line:column`, whatever MLIR prints."""

from __future__ import annotations

import pytest

import cuda_tile
from cuda_tile.cli.failure import error_text
from cuda_tile.errors import UserError
from cuda_tile.ir import Context, Module
from cuda_tile.locations import Place, place_text, places_of

INLINED = 'callsite("f"("lib/h.py":5:7) at callsite("b.py":5:6 at "c d.py":7:8))'


@pytest.mark.parametrize(
    ("location", "text"),
    [
        ('"a.py":3:4', "a.py:3:4"),
        ('"folder é/a b.py":3:4', "folder é/a b.py:3:4"),
        ('"a.py":3:4 to 3:9', "a.py:3:4"),
        ('"k.tileirbc":0:0', "k.tileirbc"),
        ('"name"("a.py":3:4)', "a.py:3:4"),
        ('"name"', "name"),
        ('fused["a.py":3:4, "b.py":5:6]', "a.py:3:4"),
        ("unknown", "unknown location"),
        (INLINED, "lib/h.py:5:7, called from b.py:5:6, called from c d.py:7:8"),
    ],
)
def test_a_location_in_one_line(location: str, text: str) -> None:
    with Context():
        module = Module.parse(f"module {{}} loc({location})")
        assert place_text(module.operation.location) == text


def test_the_places_of_that_line() -> None:
    found = places_of("a b.py:5:7, called from c:d.py:12:1")
    assert found == [Place("a b.py", 5, 7), Place("c:d.py", 12, 1)]
    assert places_of("unknown location") == places_of("k.tileirbc") == []


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (UserError("wrong"), "error: wrong"),
        (UserError("wrong", "unknown location"), "error: wrong"),
        (UserError("wrong", "a.py:3:4"), "a.py:3:4: error: wrong"),
        (UserError("wrong", "-:3:4"), "<stdin>:3:4: error: wrong"),
        (UserError("<bytes>: error: wrong"), "<stdin>: error: wrong"),
        (UserError("a.py:3:4: error: a\nb.py:5:6: error: b"), None),
        (
            UserError("wrong", "a.py:3:4, called from b.py:5:6"),
            "a.py:3:4: error: wrong\nb.py:5:6: note: called from here",
        ),
    ],
)
def test_errors_of_the_commands(error: UserError, text: str | None) -> None:
    assert error_text(error) == (text or error.message)


def test_errors_in_python_have_no_quotes() -> None:
    text = b"cuda_tile.module @m { entry @k(%a: tile<4xf32>) { return } }"
    with pytest.raises(UserError, match=r"^-:1:23: error: "):
        cuda_tile.load(text)
