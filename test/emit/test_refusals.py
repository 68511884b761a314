# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is refused: the op, its line, what is missing, and what the author can do."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import cuda_tile
from cuda_tile import UserError
from cuda_tile.analysis.legality import check_program
from cuda_tile.emit.families import RULES as EMIT_RULES
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.ir.walk import entries, nested_ops, op_stem
from cuda_tile.pipeline import PIPELINE, Pass, run_pass
from cuda_tile.place.families import RULES as PLACE_RULES

OPS = Path(__file__).resolve().parents[1] / "ops"


def kernels() -> dict[str, Any]:
    """A module for each op that some case of test/ops uses, by the op's name."""
    sys.path.insert(0, str(OPS))
    found: dict[str, Any] = {}
    for file in sorted(OPS.glob("*_cases.py")):
        for case in import_module(file.stem).CASES[:40]:
            if set(found) >= set(re.findall(r"= (\w+)", case.text)):
                continue
            module = cuda_tile.load(case.text.encode())
            for op in nested_ops(entries(module.operation)[0]):
                found.setdefault(op_stem(op), module)
    return found


def test_an_op_without_a_rule_is_named_with_its_line_and_a_way_out() -> None:
    """For every op, as if it had no rule: the tables may have gaps or not."""
    checked = 0
    for name, module in kernels().items():
        (entry, *_) = entries(module.operation)
        tables = [
            [rule for rule in t if rule != name] for t in (PLACE_RULES, EMIT_RULES)
        ]
        with pytest.raises(Unsupported) as caught:
            check_program(entry, *tables)
        said = re.fullmatch(r"-:(\d+):(\d+)", str(caught.value.location))
        assert said, caught.value
        line = module_line(module, int(said[1]))
        assert re.search(rf"\b{name}\b", line), (name, line)
        assert f"'cuda_tile.{name}'" in caught.value.message
        assert "interpreter" in caught.value.message
        checked += 1
    assert checked > 40


def module_line(module: Any, number: int) -> str:
    """A line of the text that a module was loaded from, as its locations count."""
    for op in nested_ops(module.operation):
        text = str(op.location)
        if f":{number}:" in text:
            return op.name
    return ""


TWO = b"""cuda_tile.module @m {
  entry @first() { return }
  entry @second() { return }
}"""
ONE = TWO.replace(b"  entry @second() { return }\n", b"")


@pytest.mark.parametrize(("text", "where"), [(ONE, "-:2:3"), (TWO, "-:1:1")])
@pytest.mark.parametrize("kind", [UserError, Unsupported, InternalError])
def test_an_error_of_a_pass_has_a_location(text: bytes, where: str, kind: Any) -> None:
    def fails(module: Any, options: Any) -> None:
        raise kind("something is wrong")

    module = cuda_tile.load(text)
    broken = Pass("broken", "T", "fails", fails)
    with pytest.raises(kind, match="something is wrong") as caught:
        run_pass(broken, module.operation, cuda_tile.Options())
    assert caught.value.location == where
    assert broken.name not in [step.name for step in PIPELINE]
