# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every snippet of the op list parses, decodes and runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import parse

from cuda_tile import interp, ods
from cuda_tile.errors import UserError
from cuda_tile.interp import Op, Program
from cuda_tile.interp.debug import all_ops
from cuda_tile.interp.program import Entry

SNIPPETS = [
    pytest.param(op.name, text, id=f"{op.name}{number}")
    for op in ods.ops().values()
    if not op.name.startswith("tileas.")
    for number, text in enumerate(op.examples)
]


def load(text: str) -> Program:
    """The module that a snippet stands for; see `Dialect.td`."""
    if not text.lstrip().startswith(("cuda_tile.module", "entry", "global")):
        text = f"entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) {{\n{text}\nreturn }}"
    if not text.lstrip().startswith("cuda_tile.module"):
        text = f"cuda_tile.module @m {{ {text} }}"
    return interp.load(parse(text))


def arguments(entry: Entry) -> list[Any]:
    """Arrays of ones for pointers, 1 for numbers."""
    found: list[Any] = []
    for parameter in entry.parameters:
        kind = parameter.element
        if kind.pointee is not None:
            found.append(np.ones(1 << 14, kind.pointee.array_dtype))
        else:
            found.append(np.asarray(1).astype(kind.dtype)[()])
    return found


@pytest.mark.parametrize(("name", "text"), SNIPPETS)
def test_runs(name: str, text: str) -> None:
    if "entry" not in text and text.lstrip().startswith(("cuda_tile.module", "global")):
        with pytest.raises(UserError, match="at least one entry"):
            load(text)
        return
    program = load(text)
    for entry in program.entries.values():
        ran: set[str] = set()

        def note(op: Op, results: Any, into: set[str] = ran) -> None:
            into.add(op.name)

        args = arguments(entry)
        interp.run(
            program,
            entry.name,
            grid=(1,),
            args=args,
            mode="permissive",  # what an example assumes of its arguments is not said
            trace=note,
            limit=10000,
        )
        if name in {op.name for op in all_ops(entry.body)}:
            is_terminator = name in ("yield", "continue", "break", "return")
            assert name in ran or is_terminator
