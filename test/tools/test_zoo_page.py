# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/zoo.md is made of what was measured, and what is wrong there is told."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import zoo_page


def data() -> dict[str, Any]:
    return json.loads(zoo_page.DATA.read_text())


def test_the_page_is_what_was_measured() -> None:
    found = data()
    assert not [*zoo_page.faults(found["lines"])]
    assert zoo_page.PAGE.read_text() == zoo_page.page(found)


def test_what_is_missing_or_wrong_is_told() -> None:
    lines = deepcopy(data()["lines"])
    missing = lines.pop(0)
    lines[0]["note"] = "WRONG: argument 1 is off by 2"
    names = [f"{line['kernel']} {line['gpu']} {line['who']}" for line in lines[:1]]
    told = [*zoo_page.faults(lines)]
    assert len(told) == 2
    assert any(missing["who"] in text and "not measured" in text for text in told)
    assert f"{names[0]}: WRONG: argument 1 is off by 2" in told


def test_no_row_tells_of_a_kernel_that_is_kept_apart() -> None:
    page = zoo_page.open_rows(zoo_page.pairs(data()["lines"]))
    apart = [name for name, case in zoo_page.load().items() if case.is_apart]
    assert apart
    assert not [name for name in apart if f"`{name}`" in page]
