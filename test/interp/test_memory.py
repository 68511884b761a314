# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointer access: masks, padding, and the errors of strict mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import DTYPES, bits, evaluate, kernel

from cuda_tile import interp
from cuda_tile.interp import InterpError

KINDS = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E5M2")

POINTERS = """
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %pb = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %i = iota : tile<8xi32>
  %at = offset %pb, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
"""
ONES = "%ones = constant <f32: 1.0> : tile<8xf32>\n"


def run(body: str, *args: Any, **options: Any) -> None:
    parameters = "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>"
    interp.run(kernel(parameters, body), grid=(1,), args=args, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_moves_bits(kind: str) -> None:
    raw = np.random.default_rng(1).integers(0, 256, (64, 8), dtype=np.uint8)
    size = DTYPES[kind].itemsize
    a = np.ascontiguousarray(raw[:, :size]).view(DTYPES[kind])[:, 0]
    if kind == "i1":
        a = raw[:, 0] > 100
    got = evaluate(
        f"%r = reshape %a : tile<64x{kind}> -> tile<64x{kind}>",
        {"r": ((64,), kind)},
        a=a,
    )
    np.testing.assert_array_equal(bits(got), bits(a))


def test_any_byte_of_an_i1_is_true() -> None:
    a = np.array([0, 2, 1, 255], np.uint8).view(np.bool_)
    got = evaluate(
        "%r = reshape %a : tile<4xi1> -> tile<4xi1>", {"r": ((4,), "i1")}, a=a
    )
    assert got.view(np.uint8).tolist() == [0, 1, 1, 1]


def test_masked_elements_get_the_padding_and_are_not_read() -> None:
    body = (
        POINTERS
        + """
      %n1 = reshape %n : tile<i32> -> tile<1xi32>
      %nb = broadcast %n1 : tile<1xi32> -> tile<8xi32>
      %m = cmpi less_than %i, %nb, signed : tile<8xi32> -> tile<8xi1>
      %pad = constant <f32: -7.0> : tile<8xf32>
      %t0 = make_token : token
      %v, %t1 = load_ptr_tko weak %at, %m, %pad token=%t0
        : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
      %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
      %qb = broadcast %q1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
      %qt = offset %qb, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
      %t2 = store_ptr_tko weak %qt, %v token=%t1
        : tile<8xptr<f32>>, tile<8xf32> -> token
    """
    )
    a, out = np.arange(3, dtype=np.float32), np.zeros(8, np.float32)
    run(body, a, out, 3)
    assert out.tolist() == [0, 1, 2, -7, -7, -7, -7, -7]


def test_masked_stores_leave_memory_alone() -> None:
    body = (
        POINTERS
        + ONES
        + """
      %n1 = reshape %n : tile<i32> -> tile<1xi32>
      %nb = broadcast %n1 : tile<1xi32> -> tile<8xi32>
      %m = cmpi less_than %i, %nb, signed : tile<8xi32> -> tile<8xi1>
      %t = store_ptr_tko weak %at, %ones, %m
        : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
    """
    )
    out = np.zeros(8, np.float32)
    run(body, out, None, 3)
    assert out.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


LOAD = (
    POINTERS
    + """
  %v, %t = load_ptr_tko weak %at : tile<8xptr<f32>> -> tile<8xf32>, token
"""
)


def test_out_of_bounds_names_element_and_array() -> None:
    with pytest.raises(
        InterpError, match=r"load of 4 bytes .* argument 0: float32\[6\]"
    ) as caught:
        run(LOAD, np.zeros(6, np.float32), None, 0)
    assert caught.value.element_index == (6,)
    assert caught.value.op_name == "load_ptr_tko"
    assert caught.value.kernel == "k"
    assert caught.value.block_id == (0, 0, 0)
    assert caught.value.location is not None


def test_gaps_of_strided_arrays_are_out_of_bounds() -> None:
    base = np.zeros(16, np.float32)
    with pytest.raises(InterpError, match="between two of its elements") as caught:
        run(LOAD, base[::2], None, 0)
    assert caught.value.element_index == (1,)


def test_read_only_arrays_refuse_stores() -> None:
    out = np.zeros(8, np.float32)
    out.flags.writeable = False
    body = (
        POINTERS
        + ONES
        + """
      %t = store_ptr_tko weak %at, %ones : tile<8xptr<f32>>, tile<8xf32> -> token
    """
    )
    with pytest.raises(InterpError, match="read-only"):
        run(body, out, None, 0)


def test_misaligned_addresses() -> None:
    body = (
        POINTERS.replace("%p1 = reshape %p", "%p1 = reshape %odd")
        + """
      %v, %t = load_ptr_tko weak %at : tile<8xptr<f32>> -> tile<8xf32>, token
    """
    )
    raw = np.zeros(64, np.uint8)
    start = (-raw.ctypes.data) % 4 + 2
    odd = np.ndarray((9,), np.float32, raw.data, offset=start)
    body = body.replace("%odd", "%p")
    with pytest.raises(InterpError, match="aligned to 4 bytes for f32"):
        run(body, odd, None, 0)
    run(body, odd, None, 0, mode="permissive")


def test_duplicate_addresses_in_one_store() -> None:
    body = (
        POINTERS
        + ONES
        + """
      %z = constant <i32: [0, 1, 2, 3, 4, 5, 2, 7]> : tile<8xi32>
      %dup = offset %pb, %z : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
      %t = store_ptr_tko weak %dup, %ones : tile<8xptr<f32>>, tile<8xf32> -> token
    """
    )
    with pytest.raises(InterpError, match="stores twice") as caught:
        run(body, np.zeros(8, np.float32), None, 0)
    assert caught.value.element_index == (6,)


STORE_THEN_LOAD = (
    POINTERS
    + ONES
    + """
  %t0 = make_token : token
  %t1 = store_ptr_tko weak %at, %ones token=%t0
    : tile<8xptr<f32>>, tile<8xf32> -> token
  %j = join_tokens %t0, %t1 : token
  %v, %t2 = load_ptr_tko weak %at token={token}
    : tile<8xptr<f32>> -> tile<8xf32>, token
"""
)


def test_a_token_orders_two_accesses() -> None:
    run(STORE_THEN_LOAD.replace("{token}", "%t1"), np.zeros(8, np.float32), None, 0)
    run(STORE_THEN_LOAD.replace("{token}", "%j"), np.zeros(8, np.float32), None, 0)


@pytest.mark.parametrize(
    "name", ["memory_fence_alias_tko", "gdc_wait_tko", "gdc_launch_dependents_tko"]
)
def test_fences_hand_the_order_on(name: str) -> None:
    """What follows the fence by tokens follows what the fence does."""
    text = STORE_THEN_LOAD.replace("%v, %t2 =", "FENCE\n%v, %t2 =")
    text = text.replace("{token}", "%f")
    ordered = text.replace("FENCE", f"%f = {name} token=%t1 : token")
    run(ordered, np.zeros(8, np.float32), None, 0)
    unordered = ordered.replace("token=%t1 : token", "token=%t0 : token")
    with pytest.raises(InterpError, match="no token orders"):
        run(unordered, np.zeros(8, np.float32), None, 0)


@pytest.mark.parametrize("name", ["gdc_wait_tko", "gdc_launch_dependents_tko"])
def test_a_fence_without_a_token_orders_nothing(name: str) -> None:
    text = STORE_THEN_LOAD.replace("%v, %t2 =", f"%f = {name} : token\n%v, %t2 =")
    with pytest.raises(InterpError, match="no token orders"):
        run(text.replace("{token}", "%f"), np.zeros(8, np.float32), None, 0)


def test_accesses_that_no_token_orders_conflict() -> None:
    text = STORE_THEN_LOAD.replace("{token}", "%t0")
    with pytest.raises(InterpError, match=r"'store_ptr_tko' .* no token orders"):
        run(text, np.zeros(8, np.float32), None, 0)
    run(text, np.zeros(8, np.float32), None, 0, mode="permissive")


def test_unspecified_elements_must_not_be_stored() -> None:
    body = (
        POINTERS
        + """
      %n1 = reshape %n : tile<i32> -> tile<1xi32>
      %nb = broadcast %n1 : tile<1xi32> -> tile<8xi32>
      %m = cmpi less_than %i, %nb, signed : tile<8xi32> -> tile<8xi1>
      %v, %t1 = load_ptr_tko weak %at, %m
        : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
      %w = addf %v, %v : tile<8xf32>
      %t2 = store_ptr_tko weak %at, %w{mask} token=%t1
        : tile<8xptr<f32>>, tile<8xf32>{type} -> token
    """
    )
    masked = body.replace("{mask}", ", %m").replace("{type}", ", tile<8xi1>")
    out = np.ones(8, np.float32)
    run(masked, out, None, 3)
    assert out.tolist() == [2, 2, 2, 1, 1, 1, 1, 1]
    plain = body.replace("{mask}", "").replace("{type}", "")
    with pytest.raises(InterpError, match="the stored value is unspecified") as caught:
        run(plain, out, None, 3)
    assert caught.value.element_index == (3,)
