# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family bitwise: every width of integer, awkward shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from elementwise_kernel import SHAPES, Statement, elementwise_case, shape_name
from emit_data import INTEGERS
from op_case import OpCase

STATEMENTS = [Statement(f"{name} %a, %b") for name in ("andi", "ori", "xori")]


def _by_numpy(arrays: Sequence[Any]) -> list[Any]:
    a, b, *_ = arrays
    return [a, b, a & b, a | b, a ^ b]


def _case(name: str, element: str, shape: tuple[int, ...]) -> OpCase:
    return elementwise_case(
        name, [element] * 2, STATEMENTS, shape=shape, numpy=_by_numpy
    )


CASES = [
    *(_case(element, element, (128,)) for element in INTEGERS),
    *(_case(f"i16-{shape_name(shape)}", "i16", shape) for shape in SHAPES),
]
