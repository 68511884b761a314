# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every number by which the compiler decides says where it is from."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cuda_tile import constants

_UNITS = re.compile(
    r"register|byte|clock|warp|CTA|slot|element|row|column|iteration|share|times"
    r"|plan",
    re.IGNORECASE,
)
_DATE = r"20\d\d-\d\d-\d\d"
_ORIGINS = (
    re.compile(rf"Measured: .*sm_\d+.*(ptxas \d|emulator).*{_DATE}"),
    re.compile(r"Source: .{20,}"),
    re.compile(rf"Chosen: {_DATE}, .{{20,}}"),
)


def documented() -> dict[str, str]:
    """Names of the constants, each with its docstring on one line."""
    path = constants.__file__
    assert path is not None
    found: dict[str, str] = {}
    names: list[str] = []
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
            found |= dict.fromkeys(names, "")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = " ".join(str(node.value.value).split())
            found |= dict.fromkeys(names, text)
    return found


@pytest.mark.parametrize(("name", "text"), documented().items())
def test_a_constant_has_a_unit_and_an_origin(name: str, text: str) -> None:
    first, *origin = text.partition(". ")
    assert _UNITS.search(first), name
    assert any(pattern.search("".join(origin)) for pattern in _ORIGINS), (name, text)
