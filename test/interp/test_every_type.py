# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op on every choice of element types that its verifier accepts.

Each is executed and compared with an independent expectation: Python's integers and
rationals, mpmath, the fields of the formats. The list is computed (`interp_legal`), so
that an op or a type without a check fails.
"""

from __future__ import annotations

from dataclasses import replace
from types import GeneratorType
from typing import Any

import interp_check_convert
import interp_check_functions
import interp_check_memory
import interp_check_moves
import interp_check_numbers
import interp_check_sums
import numpy as np
import pytest
from interp_check_numbers import Check
from interp_legal import NUMBERS, Signature, signatures
from interp_types import FORMATS, numbers, sample

from cuda_tile import interp, ods
from cuda_tile.interp import RULES, InterpError, Op
from cuda_tile.interp.program import (
    BufferType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
    Type,
)
from cuda_tile.interp.values import TensorView, TileView, Token

CHECKS: dict[str, Check] = (
    interp_check_numbers.CHECKS
    | interp_check_convert.CHECKS
    | interp_check_functions.CHECKS
    | interp_check_moves.CHECKS
    | interp_check_memory.CHECKS
    | interp_check_sums.CHECKS
)
WITHOUT_ELEMENTS = {
    *("module", "entry", "global", "return", "make_token", "join_tokens"),
    *("memory_fence_alias_tko", "gdc_wait_tko", "gdc_launch_dependents_tko"),
    "tileas.barrier",
}
"""Ops that have no elements (a global's are those of `get_global`)."""
OF_RINGS = {
    *("ring", "acquire", "publish", "take", "release", "roles", "done"),
    *("copy_in", "gather_in", "copy_out", "await_copies", "reinterpret"),
    *("wgmma", "tcgen05", "settled", "await", "deposit", "tiles", "next_tile"),
}
"""Ops of `tileas` that move whole buffers and tiles, or compute what other ops do:
test_ring.py, test_roles.py, the products of test/emit/test_wgmma.py and of
test/end_to_end/test_tcgen05.py run them."""
CARRIERS = {"yield": "if", "continue": "for", "break": "loop"}
"""Terminators, and the op whose check runs them: they take what it carries."""


def elements(kind: Type) -> str | None:
    """The element type of an operand or result; None for a token."""
    if isinstance(kind, (TileType, TensorViewType, BufferType)):
        return kind.element.name
    if isinstance(kind, TileViewType):
        return kind.tensor_view.element.name
    return None


def signature(op: Op) -> Signature:
    """The element types of a decoded op."""
    found = (elements(kind) for kind in (*op.operand_types, *op.result_types))
    return tuple(name for name in found if name is not None)


def test_every_op_is_listed() -> None:
    assert set(CHECKS) <= set(ods.ops())
    listed = {*CHECKS, *WITHOUT_ELEMENTS, *CARRIERS}
    listed |= {f"tileas.{name}" for name in OF_RINGS}
    assert set(ods.ops()) - listed == set()
    assert all(not signatures(name) for name in WITHOUT_ELEMENTS)
    assert all(signatures(name) for name in CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_every_type(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: set[Signature] = set()
    run = interp.run

    def recording(*args: Any, trace: Any = None, **options: Any) -> Any:
        def note(op: Op, results: tuple[Any, ...]) -> None:
            if op.name == name:
                ran.add(signature(op))
            if trace is not None:
                trace(op, results)

        return run(*args, trace=note, **options)

    monkeypatch.setattr(interp, "run", recording)
    for row, modes in signatures(name).items():
        CHECKS[name](row, modes)
        used = {r[: len(row)] for r in ran}
        assert row in used, f"the check of {name} did not run it on {row}"


def test_what_the_verifier_accepts() -> None:
    """A few counts that are known, lest the list shrink unseen."""
    assert len(signatures("addf")) == 4
    assert len(signatures("addi")) == 5
    assert len(signatures("mmaf")) == 10
    assert {row[0] for row in signatures("select")} == {"i1"}
    moved = {row[0] for row in signatures("permute")}
    assert moved == {*NUMBERS, "ptr<f32>"}
    assert {row[1] for row in signatures("load_ptr_tko")} == {*NUMBERS} - {"i4"}
    assert len(signatures("ptr_to_ptr")) == 14**2


@pytest.mark.parametrize("kind", FORMATS)
def test_the_formats_agree_with_numpy(kind: str) -> None:
    values = sample(kind, 512, 7)
    exact = np.array([float(x) for x in numbers(kind, values)])
    np.testing.assert_array_equal(values.astype(np.float64), exact)


UNSEEN = {"tileas.alloc_shared"}
"""Ops whose result is the same whatever they do: a buffer that is filled later."""


NOTICED = (
    AssertionError,
    pytest.fail.Exception,
    InterpError,
    LookupError,
    TypeError,
    ValueError,
)
"""How a check fails: by comparison, or because a value cannot be at all."""


def spoiled(value: Any) -> Any:
    """A result that is wrong in every element."""
    if isinstance(value, np.ndarray):
        if value.dtype == np.bool_:
            return ~value
        raw = np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}")
        step = raw.dtype.type(1 if raw.dtype.itemsize < 4 else 16)
        return (raw ^ step).view(value.dtype).reshape(value.shape)
    if isinstance(value, TensorView):
        return replace(value, shape=tuple(size + 1 for size in value.shape))
    if isinstance(value, TileView):
        moved = value.tensor.address + value.tensor.element.storage_bytes
        return replace(value, tensor=replace(value.tensor, address=moved))
    return value


def wrong(rule: Any) -> Any:
    """A rule that spoils its results, or does nothing where it has none."""

    def spoil(results: Any) -> Any:
        return (
            tuple(map(spoiled, results))
            if isinstance(results, tuple)
            else spoiled(results)
        )

    def steps(body: Any) -> Any:
        return spoil((yield from body))

    def rule_of(run: Any, op: Op, *operands: Any) -> Any:
        if all(isinstance(kind, TokenType) for kind in op.result_types):
            return tuple(Token() for _ in op.result_types) or None
        made = rule(run, op, *operands)
        return steps(made) if isinstance(made, GeneratorType) else spoil(made)

    return rule_of


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted({*CHECKS} - UNSEEN))
def test_a_wrong_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES._rules, name, wrong(RULES[name]))
    unseen: list[Signature] = []
    for row, modes in signatures(name).items():
        try:
            CHECKS[name](row, modes)
        except NOTICED:
            continue
        unseen.append(row)
    assert not unseen
