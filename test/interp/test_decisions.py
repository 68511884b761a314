# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Open questions: each has a named decision, which the interpreter follows.

Every constant is changed to its other value, which must have an effect.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, apply, tile_of
from interp_harness import bits

from cuda_tile import interp
from cuda_tile.interp import InterpError, decisions, rounding
from cuda_tile.interp.program import TensorViewType
from cuda_tile.runtime.elements import element

I32 = tile_of("i32")
CONSTANTS = [name for name in vars(decisions) if name.isupper() and name != "QUESTIONS"]


def test_every_question_has_an_answer() -> None:
    assert list(decisions.QUESTIONS) == list(range(1, 44))
    options = inspect.signature(interp.run).parameters
    named: set[str] = set()
    for question in decisions.QUESTIONS.values():
        assert question.names or question.answer, question.asks
        named.update(question.names)
    assert named - {*CONSTANTS} <= {*options}
    assert {*CONSTANTS} <= named


def test_no_constant_is_idle() -> None:
    """Rules read each constant, and only as `decisions.NAME`."""
    used: set[str] = set()
    for path in Path(decisions.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.add(f"{node.value.id}.{node.attr}")
            assert not (
                isinstance(node, ast.ImportFrom)
                and node.module == "cuda_tile.interp.decisions"
            )
    assert {f"decisions.{name}" for name in CONSTANTS} <= used


def one(name: str, kind: str, *values: Any, to: str | None = None, **kw: Any) -> Any:
    pairs = [([v], kind) for v in values]
    return apply(name, pairs, [((1,), to or kind)], **kw)


def told(action: Callable[[], Any]) -> Any:
    """What an action gives, or the text of its error."""
    try:
        return action()
    except InterpError as error:
        return re.sub(r"^.*?'cuda_tile[^:]*: ", "", str(error))


DIRTY_PRODUCT = float(np.float32((1 + 0x1FFF * 2.0**-23) ** 2))
"""Of the operands of `tf32_product` with all their bits; float64 has the square."""


def tf32_product() -> float:
    dirty = np.array([[0x3F801FFF]], np.uint32).view(np.float32)
    operands = [(dirty, "tf32"), (dirty, "tf32"), (np.zeros((1, 1)), "f32")]
    return float(apply("mmaf", operands, [((1, 1), "f32")])[0, 0])


def flushed() -> float:
    a, b = 1 - 2.0**-24, 2.0**-126
    return float(one("mulf", "f32", a, b, flush_to_zero=True)[0])


def packed() -> int:
    tile = [True] + [False] * 7
    return int(apply("pack", [(tile, "i1")], [((1,), "i8")]).view(np.uint8)[0])


def f4_offset() -> int:
    base = np.array([4096], np.uint64)
    pair = [(base, "ptr<f4E2M1FN>"), ([2], "i32")]
    return int(apply("offset", pair, [((1,), "ptr<f4E2M1FN>")])[0])


def wrong_identity() -> int:
    """A sum whose identity is 5, folded in or not."""
    k = Kernel("ptr<i32>")
    with k.region(I32, I32) as body:
        k.op("yield", k.op("addi", *body.arguments, results=(I32,)))
    y = k.op(
        "reduce", k.constant([1, 2], "i32"), results=(I32,), regions=(body,), dim=0,
        identities=[np.int32(5)],
    )  # fmt: skip
    k.store(k.parameters[0], y)
    out = np.zeros(1, np.int32)
    k.run(out, order="left")
    return int(out[0])


def two_scans() -> Any:
    k = Kernel()
    x = k.constant([1, 2], "i32")
    with k.region(I32, I32, I32, I32) as body:
        k.op("yield", body.arguments[0], body.arguments[2])
    kind = tile_of("i32", 2)
    k.op(
        "scan", x, x, results=(kind, kind), regions=(body,), dim=0, reverse=False,
        identities=[np.int32(0)] * 2,
    )  # fmt: skip
    return told(lambda: k.run().steps > 0)


def unsigned_floor() -> Any:
    kw = {"signedness": "unsigned", "rounding": "negative_inf"}
    return told(lambda: int(one("divi", "i8", 7, 2, **kw)[0]))


def remi_overflow() -> Any:
    return told(lambda: int(one("remi", "i8", -128, -1, signedness="signed")[0]))


def wide_shift() -> int:
    return int(one("shli", "i8", 1, 9, mode="permissive")[0])


def checked_shift() -> Any:
    return told(lambda: int(one("shli", "i8", 1, 9)[0]))


def true_is_less() -> bool:
    kw = {"comparison_predicate": "less_than", "signedness": "signed"}
    return bool(one("cmpi", "i1", True, False, **kw)[0])


def far_remainder() -> float:
    return float(one("remf", "f32", 2.0**100, 3.0)[0])


def zeros() -> int:
    return int(bits(one("maxf", "f32", -0.0, 0.0))[0])


def seventh_power() -> float:
    pair = [([np.float16(1.1)], "f16"), ([7], "i32")]
    return float(apply("fpowi", pair, [((1,), "f16")])[0])


def nan_to_i64() -> int:
    kw = {"signedness": "signed", "mode": "permissive"}
    return int(one("ftoi", "f32", nan, to="i64", **kw)[0])


def half_to_i1() -> bool:
    return bool(one("ftoi", "f32", 0.5, to="i1", signedness="unsigned")[0])


def negative_e8m0() -> int:
    got = one("ftof", "f32", -4.0, to="f8E8M0FNU", rounding_mode="zero")
    return int(got.view(np.uint8)[0])


def twice_rounded() -> float:
    x = 1 + 2.0**-8 + 2.0**-40
    return float(one("ftof", "f64", x, to="bf16")[0])


def trips(kind: str, low: int, high: int, step: int, **kw: Any) -> Any:
    """Trips of a for that is left after ten."""
    k = Kernel()
    bounds = [k.constant(n, kind) for n in (low, high, step)]
    with k.region(tile_of(kind)) as body:
        k.op("continue")
    k.op("for", *bounds, regions=(body,), **kw)
    seen: list[int] = []

    def count(op: Any, results: tuple[Any, ...]) -> None:
        seen.append(len(op.name))

    def run() -> int:
        report = k.run(mode="permissive", limit=20, trace=count)
        return report.steps - 5

    return told(run)


def empty_tensor() -> Any:
    k = Kernel("ptr<f32>")
    kind = TensorViewType(element("f32"), (None,), (1,))
    size = k.constant(0, "i32")
    t = k.op("make_tensor_view", [k.parameters[0]], [size], [], results=(kind,))
    k.op("get_tensor_shape", t, results=(I32,))
    return told(lambda: k.run(np.zeros(1, np.float32)).steps > 0)


def padded() -> float:
    k = Kernel("ptr<i8>", "ptr<f32>")
    p = k.op("ptr_to_ptr", k.parameters[0], results=(tile_of("ptr<f4E2M1FN>"),))
    view, _ = k.view(p, (2,), (4,), padding="nan")
    x, _ = k.load_view(view, [k.constant(0, "i32")])
    k.output(k.parameters[1], k.op("ftof", x, results=(tile_of("f32", 4),)))
    out = np.zeros(4, np.float32)
    k.run(np.zeros(1, np.int8), out)
    return float(out[3])


def gathered_outside() -> Any:
    k = Kernel("ptr<f32>")
    view, _ = k.view(k.parameters[0], (8, 4), (2, 4), sparse=0, padding="zero")
    k.load_view(view, [k.constant([8, 9], "i32"), k.constant(0, "i32")])
    return told(lambda: k.run(np.zeros(32, np.float32)).steps > 0)


def gather_space() -> Any:
    k = Kernel("ptr<f32>")
    view, _ = k.view(k.parameters[0], (8, 4), (2, 4), sparse=0)
    k.op("get_index_space_shape", view, results=(I32, I32))
    return told(lambda: k.run(np.zeros(32, np.float32)).steps > 0)


def promised() -> Any:
    """Only tensor dimension 0, which is index 1, is partial; index 0 promises."""
    k = Kernel("ptr<f32>")
    view, _ = k.view(k.parameters[0], (6, 8), (4, 4), dim_map=(1, 0), padding="zero")
    at = [k.constant(0, "i32"), k.constant(1, "i32")]
    k.load_view(view, at, inbounds=(True, False))
    return told(lambda: k.run(np.zeros(48, np.float32)).steps > 0)


def printed() -> str:
    k = Kernel()
    k.op("print_tko", [k.constant(True, "i1")], [], results=(TOKEN,), str="%d")
    return k.run().stdout


def atomic_subnormal() -> float:
    k = Kernel("ptr<f32>")
    k.op(
        "atomic_rmw_tko", [k.parameters[0]], [k.constant(np.float32(1e-40), "f32")],
        [], [], results=(tile_of("f32"), TOKEN), mode="addf",
        memory_ordering_semantics="relaxed", memory_scope="device",
    )  # fmt: skip
    memory = np.zeros(1, np.float32)
    k.run(memory)
    return float(memory[0])


def masked_cas() -> Any:
    k = Kernel("ptr<i32>", "ptr<i32>")
    old, _ = k.op(
        "atomic_cas_tko", [k.parameters[0]], [k.constant(7, "i32")],
        [k.constant(1, "i32")], [k.constant(False, "i1")], [],
        results=(I32, TOKEN), memory_ordering_semantics="relaxed",
        memory_scope="device",
    )  # fmt: skip
    k.store(k.parameters[1], old)
    out = np.zeros(1, np.int32)
    return told(lambda: (k.run(np.zeros(1, np.int32), out), int(out[0]))[1])


def by_zero() -> int:
    kw = {"signedness": "signed", "mode": "permissive"}
    return int(one("divi", "i8", 7, 0, **kw)[0])


def alloca_lives() -> Any:
    k = Kernel("ptr<i32>")
    start = k.constant(np.array(0), "i64")
    bounds = [k.constant(n, "i32") for n in (0, 1, 1)]
    with k.region(I32, tile_of("i64")) as body:
        memory = k.op("alloca", results=(tile_of("ptr<i32>"),), num_elem=1, alignment=4)
        k.store(memory, k.constant(5, "i32"))
        k.op("continue", k.op("ptr_to_int", memory, results=(tile_of("i64"),)))
    last = k.op("for", *bounds, start, results=(tile_of("i64"),), regions=(body,))
    at = k.op("int_to_ptr", last, results=(tile_of("ptr<i32>"),))
    value, _ = k.load(at)
    k.store(k.parameters[0], value)
    out = np.zeros(1, np.int32)
    return "life ended" not in str(told(lambda: k.run(out, mode="permissive")))


def asserted() -> str:
    k = Kernel()
    k.op("assert", k.constant(False, "i1"), message="no")
    with pytest.raises(interp.AssertionsFailed) as caught:
        k.run()
    return caught.value.report.findings[0].message


CASES: dict[str, tuple[Callable[[], Any], Any, Any, Any]] = {
    "TF32_MMA_IGNORES_LOW_BITS": (tf32_product, 1.0, False, DIRTY_PRODUCT),
    "FLUSH_BEFORE_ROUNDING": (flushed, 2.0**-126, True, 0.0),
    "PACK_I1_BITS": (packed, 1, "big", 128),
    "F4_POINTERS_ADDRESS_LOW_HALVES": (f4_offset, 4097, False, 4098),
    "ORDERS_WITH_IDENTITY": (wrong_identity, 8, frozenset[str](), 3),
    "SCAN_OPERANDS": (two_scans, True, 1, "expected at most 1 operands, got 2"),
    "UNSIGNED_FLOOR_TRUNCATES": (
        unsigned_floor, 3, False, "expected zero or positive_inf, got negative_inf",
    ),
    "REMI_OVERFLOW_IS_UNDEFINED": (
        remi_overflow, "the smallest i8 divided by -1 overflows", False, 0,
    ),
    "WIDE_SHIFT": (wide_shift, 0, "mask", 2),
    "WIDE_SHIFT_IS_UNDEFINED": (
        checked_shift, "shifts i8 by 8 bits or more", False, 0,
    ),
    "TRUE_I1_SIGNED": (true_is_less, True, 1, False),
    "REMF": (far_remainder, float(2**100 % 3), "rounded", 0.0),
    "EXTREMES_ORDER_ZEROS": (zeros, 0, False, 0x80000000),
    "FPOWI": (seventh_power, 1.9443359375, "products", 1.943359375),
    "FTOI_NAN": (nan_to_i64, -(2**63), "zero", 0),
    "FTOI_TO_I1": (half_to_i1, True, "truncated", False),
    "F8_UNSIGNED_DROPS_SIGN": (negative_e8m0, 129, False, 0),
    "CONVERT_THROUGH_F32": (twice_rounded, 1 + 2.0**-7, True, 1.0),
    "UNSIGNED_FOR_READS_STEP": (
        lambda: trips("i8", 0, 1, -1, unsignedCmp=True),
        1,
        False,
        "expected a step above 0, got -1",
    ),
    "FOR_WRAPS": (
        lambda: trips("i8", 120, 127, 10),
        1,
        True,
        "more than 20 ops ran",
    ),
    "STEP_MUST_BE_POSITIVE": (
        lambda: trips("i8", 0, 4, 0), "expected a step above 0, got 0", False, 0,
    ),
    "ASSERT_LINE": (
        asserted,
        "test.py:1: assertion failed: no (tile block (0, 0, 0))",
        "{message} at {location}",
        "no at test.py:1",
    ),
    "ALLOCA_SCOPES": (alloca_lives, False, frozenset[str](), True),
    "TENSORS_MAY_BE_EMPTY": (
        empty_tensor, True, False, "expected sizes above 0, got 0",
    ),
    "PADDING_WITHOUT_CODE": (padded, 6.0, {("f4E2M1FN", "nan"): 0.5}, 0.5),
    "GATHER_ALL_OUTSIDE_IS_UNDEFINED": (
        gathered_outside, "no element lies inside the tensor of [8, 4]", False, True,
    ),
    "INBOUNDS_GOES_BY": (
        promised,
        True,
        "dimension",
        "promised inbounds along index 0, but the tile ends at 8 of 6 elements",
    ),
    "GATHER_HAS_INDEX_SPACE": (
        gather_space, "a gather_scatter_view has no index space", True, True,
    ),
    "PRINT_BOOL_AS_BIT": (printed, "1", False, "-1"),
    "ATOMIC_ADDF_FLUSHES_F32": (atomic_subnormal, 0.0, False, float(np.float32(1e-40))),
    "MASKED_CAS_GIVES_CMP": (masked_cas, 7, False, "the stored value is unspecified"),
    "DIVI_BY_ZERO": (by_zero, -1, 0, 0),
}  # fmt: skip
"""Per constant: what shows it, what is seen, another answer, what is seen then."""

AT_IMPORT = {
    "F64_CANONICAL_NAN_BITS": 0x7FF8000000000000,
    "E4M3_OF_NAN": nan,
    "F4_OF_NAN": 6.0,
    "MAX_GRID_EXTENT": 2**24 - 1,
}
"""Constants that tables take when they are made, or that have no other answer."""


def test_every_constant_is_tried() -> None:
    assert {*CASES, *AT_IMPORT} == {*CONSTANTS}


def agree(seen: Any, expected: Any) -> bool:
    if isinstance(expected, str):
        return str(seen).startswith(expected)
    return bool(seen == expected)


@pytest.mark.parametrize("name", CASES)
def test_the_answer_shows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    show, now, other, then = CASES[name]
    assert agree(show(), now)
    monkeypatch.setattr(decisions, name, other)
    assert agree(show(), then)


def test_answers_that_tables_hold() -> None:
    a = np.array([nan])
    kind = "f64"
    assert bits(apply("maxf", [(a, kind), (a, kind)], [((1,), kind)])).tolist() == [
        AT_IMPORT["F64_CANONICAL_NAN_BITS"]
    ]
    assert np.isnan(rounding.FORMATS["f8E4M3FN"].nan)
    assert rounding.FORMATS["f4E2M1FN"].nan == AT_IMPORT["F4_OF_NAN"]
    got = apply("ftof", [([nan, inf], "f32")], [((2,), "f4E2M1FN")])
    assert got.astype(np.float64).tolist() == [6.0, 6.0]
    with pytest.raises(interp.InterpError.__mro__[1], match="at most 16777215 blocks"):
        Kernel().run(grid=(2**24,))


# Questions without a constant


def test_q3_products_and_sums_round_each() -> None:
    x, c = 1 + 2.0**-12, -(1 + 2.0**-11)
    product = one("mulf", "f32", x, x)
    assert one("addf", "f32", product[0], c)[0] == 0
    fused = apply("fma", [([x], "f32"), ([x], "f32"), ([c], "f32")], [((1,), "f32")])
    assert fused[0] == 2.0**-24


def test_q15_functions_of_special_values() -> None:
    assert one("exp", "f16", -inf)[0] == 0
    assert np.isnan(one("sin", "bf16", inf)[0].astype(np.float64))
    assert np.signbit(one("tanh", "f32", -0.0)[0])


def test_q16_fast_acc_changes_nothing() -> None:
    a = np.full((1, 64), 0.0625)
    operands = [(a, "f8E4M3FN"), (a.T.copy(), "f8E4M3FN"), ([[1.0]], "f32")]
    results = [
        apply("mmaf", operands, [((1, 1), "f32")], fast_acc=fast)[0, 0]
        for fast in (False, True)
    ]
    assert results == [1.25, 1.25]


def test_q17_extreme_scales() -> None:
    ones = np.ones((1, 32))
    operands = [
        (ones, "f8E4M3FN"), (ones.T.copy(), "f8E4M3FN"), ([[0.0]], "f32"),
        ([[2.0**127]], "f8E8M0FNU"), ([[2.0**-127]], "f8E8M0FNU"),
    ]  # fmt: skip
    assert apply("mmaf_scaled", operands, [((1, 1), "f32")])[0, 0] == 32


def test_q40_payloads_are_kept() -> None:
    payload = np.array([0x7FC12345, 0xFFC54321], np.uint32).view(np.float32)
    other = np.zeros(2, np.float32)
    for name, operands in {
        "select": [([True, True], "i1"), (payload, "f32"), (other, "f32")],
        "permute": [(payload, "f32")],
        "reshape": [(payload, "f32")],
    }.items():
        kw: dict[str, Any] = {"permutation": (0,)} if name == "permute" else {}
        got = apply(name, operands, [((2,), "f32")], **kw)
        assert bits(got).tolist() == [0x7FC12345, 0xFFC54321]
    wide = apply("ftof", [(payload, "f32")], [((2,), "f64")])
    back = apply("ftof", [(wide, "f64")], [((2,), "f32")])
    assert bits(back).tolist() == [0x7FC12345, 0xFFC54321]
