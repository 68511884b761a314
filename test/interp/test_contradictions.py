# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contradictions in the specification: the choice of the interpreter, one test each.

C1 to C19 are the contradictions in the order of the project's list; each test is named
after its topic.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from interp_build import Kernel, apply, tile_of
from interp_harness import bits, kernel, parse

from cuda_tile import interp
from cuda_tile._mlir import ir
from cuda_tile.errors import UserError

I32, F32 = tile_of("i32"), tile_of("f32")


def combined(name: str, order: str) -> list[int]:
    """`reduce` or `scan` of [1, 2, 3] and 5 by first - second, from 10."""
    k = Kernel("ptr<i32>")
    x = k.constant([1, 2, 3, 5], "i32")
    with k.region(I32, I32) as body:
        k.op("yield", k.op("subi", *body.arguments, results=(I32,)))
    shape = () if name == "reduce" else (4,)
    y = k.op(
        name, x, results=(tile_of("i32", *shape),), regions=(body,), dim=0,
        reverse=False, identities=[np.int32(10)],
    )  # fmt: skip
    k.output(k.parameters[0], y)
    out = np.zeros(int(np.prod(shape)), np.int32)
    k.run(out, order=order)
    return out.tolist()


def test_c1_the_first_argument_is_the_element() -> None:
    # 1 - 10 = -9, 2 - -9 = 11, 3 - 11 = -8, 5 - -8 = 13
    assert combined("scan", "left") == [-9, 11, -8, 13]
    assert combined("reduce", "left") == [13]
    # exchanged: 10 - 1 = 9, 9 - 2 = 7, 7 - 3 = 4, 4 - 5 = -1
    assert combined("scan", "swapped") == [9, 7, 4, -1]
    assert combined("reduce", "swapped") == [-1]


def test_c2_shuffle_exchanges_and_regroups() -> None:
    """A body that is not associative and commutative is not portable, and shows it."""
    k = Kernel("ptr<i32>")
    with k.region(I32, I32) as body:
        k.op("yield", k.op("subi", *body.arguments, results=(I32,)))
    y = k.op(
        "reduce", k.constant([1, 2, 3, 5], "i32"), results=(I32,), regions=(body,),
        dim=0, identities=[np.int32(0)],
    )  # fmt: skip
    k.store(k.parameters[0], y)
    out = np.zeros(1, np.int32)
    assert not interp.shuffle_check(k.program(), grid=(1,), args=[out])


def test_c3_flushing_keeps_the_sign() -> None:
    tiny = np.array([-1e-40, 1e-40], np.float32)
    one = np.ones(2, np.float32)
    for name in ("mulf", "maxf", "minf"):
        other = one if name == "mulf" else tiny
        got = apply(
            name, [(tiny, "f32"), (other, "f32")], [((2,), "f32")], flush_to_zero=True
        )
        assert bits(got).tolist() == [0x80000000, 0]


def test_c4_offsets_count_elements() -> None:
    base = np.array([4096], np.uint64)
    for kind, size in (("f64", 8), ("f32", 4), ("i8", 1), ("i1", 1), ("tf32", 4)):
        pointer = f"ptr<{kind}>"
        got = apply("offset", [(base, pointer), ([3], "i32")], [((1,), pointer)])
        assert got.tolist() == [4096 + 3 * size]


def test_c5_nan_stays_nan_in_f8e4m3fn() -> None:
    got = apply("ftof", [([nan], "f32")], [((1,), "f8E4M3FN")])
    assert got.view(np.uint8)[0] & 0x7F == 0x7F


def test_c6_itof_overflows_as_ftof_does() -> None:
    for to, expected in (("f16", inf), ("f8E4M3FN", 448.0), ("f4E2M1FN", 6.0)):
        got = apply("itof", [([70000], "i32")], [((1,), to)], signedness="signed")
        assert got.astype(np.float64).tolist() == [expected]


def test_c7_unsigned_floor_division_truncates() -> None:
    got = apply(
        "divi",
        [([-1, 7], "i8"), ([2, 2], "i8")],
        [((2,), "i8")],
        signedness="unsigned",
        rounding="negative_inf",
    )
    assert got.tolist() == [127, 3]


def index_space(**how: Any) -> list[int]:
    k = Kernel("ptr<f32>")
    view, _ = k.view(k.parameters[0], (64, 16), (4, 2), **how)
    k.op("get_index_space_shape", view, results=(I32, I32))
    seen: list[int] = []

    def keep(op: interp.Op, results: tuple[Any, ...]) -> None:
        if op.name == "get_index_space_shape":
            seen.extend(map(int, results))

    k.run(np.zeros(1, np.float32), trace=keep)
    return seen


def test_c8_index_space_of_a_mapped_strided_view() -> None:
    assert index_space(steps=(4, 3), dim_map=(1, 0)) == [4, 22]


def test_c9_index_times_tile_is_the_place() -> None:
    """Tile (4, 2) of 128x4 tiles begins at (512, 8)."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    view, _ = k.view(k.parameters[0], (1024, 16), (128, 4))
    x, _ = k.load_view(view, [k.constant(4, "i32"), k.constant(2, "i32")])
    k.output(k.parameters[1], x)
    a = np.arange(1024 * 16, dtype=np.int32).reshape(1024, 16)
    out = np.zeros((128, 4), np.int32)
    k.run(a, out)
    assert out.tolist() == a[512:640, 8:12].tolist()


def test_c10_dense_indices_of_a_gather_count_elements() -> None:
    k = Kernel("ptr<i32>", "ptr<i32>")
    view, _ = k.view(k.parameters[0], (8, 8), (2, 4), sparse=0)
    x, _ = k.load_view(view, [k.constant([5, 1], "i32"), k.constant(2, "i32")])
    k.output(k.parameters[1], x)
    a, out = np.arange(64, dtype=np.int32).reshape(8, 8), np.zeros((2, 4), np.int32)
    k.run(a, out)
    assert out.tolist() == a[[5, 1], 2:6].tolist()


def test_c11_a_loop_gives_what_break_gives() -> None:
    body = """
      %a = constant <i32: 1> : tile<i32>
      %r = loop iter_values(%l = %a) : tile<i32> -> tile<f32> {
        %f = constant <f32: 2.5> : tile<f32>
        break %f : tile<f32>
      }
      %t = store_ptr_tko weak %p, %r : tile<ptr<f32>>, tile<f32> -> token
    """
    out = np.zeros(1, np.float32)
    interp.run(kernel("%p: tile<ptr<f32>>", body), grid=(1,), args=[out])
    assert out.tolist() == [2.5]


def test_c12_maxf_orders_zeros_and_passes_nan_over() -> None:
    a, b = [0.0, -0.0, nan, 1.0], [-0.0, 0.0, 1.0, nan]
    got = apply("maxf", [(a, "f32"), (b, "f32")], [((4,), "f32")])
    assert bits(got).tolist() == [0, 0, 0x3F800000, 0x3F800000]


def test_c13_a_scan_takes_several_operands() -> None:
    k = Kernel("ptr<i32>", "ptr<f32>")
    with k.region(I32, I32, F32, F32) as body:
        a, b, x, y = body.arguments
        first = k.op("addi", a, b, results=(I32,))
        k.op("yield", first, k.op("maxf", x, y, results=(F32,)))
    sums, most = k.op(
        "scan",
        k.constant([1, 2, 3, 4], "i32"),
        k.constant([1, 3, 2, 4], "f32"),
        results=(tile_of("i32", 4), tile_of("f32", 4)),
        regions=(body,),
        dim=0,
        reverse=False,
        identities=[np.int32(0), np.float32(-inf)],
    )
    k.output(k.parameters[0], sums)
    k.output(k.parameters[1], most)
    out, tops = np.zeros(4, np.int32), np.zeros(4, np.float32)
    k.run(out, tops)
    assert (out.tolist(), tops.tolist()) == ([1, 3, 6, 10], [1, 3, 3, 4])


def test_c14_return_in_a_loop_ends_the_block() -> None:
    k = Kernel("ptr<i32>")
    with k.region() as body:
        token = k.store(k.parameters[0], k.constant(1, "i32"))
        with k.region() as then:
            k.op("return")
        k.op("if", k.constant(True, "i1"), regions=(then, None))
        k.op("continue")
    k.op("loop", regions=(body,))
    k.store(k.parameters[0], k.constant(2, "i32"), token)
    out = np.zeros(1, np.int32)
    k.run(out)
    assert out[0] == 1


def test_c15_ftof_rounds_in_every_mode_of_the_table() -> None:
    x = 1 + 2.0**-11 + 2.0**-30
    low, high = 1.0, 1 + 2.0**-10
    modes = {
        "nearest_even": high, "zero": low, "nearest_away": high,
    }  # fmt: skip
    for mode, expected in modes.items():
        got = apply("ftof", [([x], "f64")], [((1,), "f16")], rounding_mode=mode)
        assert float(got[0]) == expected
    for mode, expected in {"negative_inf": 1.0, "positive_inf": 1 + 2.0**-23}.items():
        got = apply(
            "ftof", [([1 + 2.0**-30], "f64")], [((1,), "f32")], rounding_mode=mode
        )
        assert float(got[0]) == expected


def test_c16_pow_in_half_types_rounds_once() -> None:
    x, y = np.float16(1.001), np.float16(700)
    got = apply("pow", [([x], "f16"), ([y], "f16")], [((1,), "f16")])
    assert got[0] == np.float16(float(x) ** float(y))


def test_c17_pow_and_fpowf_are_one_op() -> None:
    for name in ("pow", "fpowf"):
        body = f"""
          %a = constant <f32: 3.0> : tile<f32>
          %r = {name} %a, %a : tile<f32>
          %t = store_ptr_tko weak %p, %r : tile<ptr<f32>>, tile<f32> -> token
        """
        out = np.zeros(1, np.float32)
        interp.run(kernel("%p: tile<ptr<f32>>", body), grid=(1,), args=[out])
        assert out.tolist() == [27]


def test_c18_a_module_may_be_empty() -> None:
    module = parse("cuda_tile.module @m {}")
    assert module.operation.verify()
    with pytest.raises(UserError, match="at least one entry"):
        interp.load(module)


def test_c19_ceil_is_the_smallest_above() -> None:
    got = apply("ceil", [([1.25, -1.25, 2.0], "f32")], [((3,), "f32")])
    assert got.tolist() == [2.0, -1.0, 2.0]


def test_unsigned_floor_in_text_is_refused() -> None:
    """C7 keeps the diagnostic for text."""
    text = "%r = divi %n, %n unsigned rounding<negative_inf> : tile<i32>"
    with pytest.raises(ir.MLIRError, match="negative_inf"):
        kernel("%n: tile<i32>", text)
