# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family memory: loads and stores through tiles of pointers, and tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from access_text import kernel, load, numbers, pointers, shape_text, store, tile
from op_case import ARRAY_TYPES, Array, OpCase
from view_cases import ELEMENTS, values

LOADS = ("weak", "relaxed tl_blk", "relaxed device", "acquire sys", "acquire device")
STORES = ("weak", "relaxed sys", "release tl_blk", "release device")
SHAPES = {"rows": (4, 16), "one": (1,), "scalar": (), "wide": (256,)}


def _accesses(element: str, shape: tuple[int, ...], first: int) -> str:
    """Scattered and neighbouring places, masks, padding that varies by element."""
    body = numbers(shape)
    for name, kind in (("w", "i32"), ("k", "i1"), ("f", element)):
        body += pointers(f"{name}p", f"{name}0", "i", shape, kind)
        body += load(name, f"{name}p", shape, kind)
    s, orders = shape_text(shape), (LOADS[first % 5], LOADS[(first + 1) % 5])
    ptr, ty = tile(shape, f"ptr<{element}>"), tile(shape, element)
    body += pointers("far", "m", "w", shape, element)
    body += pointers("near", "m", "i", shape, element)
    body += f"""
    %a, %at = load_ptr_tko {orders[0]} %far : {ptr} -> {ty}, token
    %b, %bt = load_ptr_tko {orders[1]} %near, %k, %f
      : {ptr}, tile<{s}i1>, {ty} -> {ty}, token
    %c, %ct = load_ptr_tko weak %far, %k, %f : {ptr}, tile<{s}i1>, {ty} -> {ty}, token
"""
    for n, name in enumerate("abc"):
        body += pointers(f"o{name}", f"o{n}", "w" if n == 1 else "i", shape, element)
        order = STORES[(first + n) % 4]
        mask, kind = (", %k", f", tile<{s}i1>") if n == 2 else ("", "")
        body += f"""
    %t{name} = store_ptr_tko {order} %o{name}, %{name}{mask}
      : {ptr}, {ty}{kind} -> token
"""
    parameters = {"w0": "i32", "k0": "i1", "f0": element, "m": element}
    return kernel({**parameters, "o0": element, "o1": element, "o2": element}, body)


def _access_args(
    element: str, shape: tuple[int, ...], rng: np.random.Generator
) -> list[Array]:
    n = int(np.prod(shape, dtype=int))
    flags = rng.integers(0, 2, n).astype(np.bool_)
    blank = [np.zeros(n, ARRAY_TYPES[element]) for _ in range(3)]
    places = rng.permutation(n).astype(np.int32)
    return [places, flags, values(rng, n, element), values(rng, n, element), *blank]


# Wide accesses ------------------------------------------------------------------------


def _tail(element: str, *, is_strong: bool) -> str:
    """Neighbours up to a bound; vectors, as the bound is known to be a multiple."""
    shape, ptr = (512,), f"ptr<{element}>"
    load_order, store_order = (
        ("relaxed device", "relaxed sys") if is_strong else ("weak",) * 2
    )
    zero = {"i1": "false"}.get(element, "0.0" if element[0] in "fbt" else "0")
    if element == "f8E8M0FNU":
        zero = "1.0"
    body = numbers(shape)
    body += f"""
    %xa = assume div_by<16>, %x : tile<{ptr}>
    %oa = assume div_by<16>, %o : tile<{ptr}>
    %na = assume div_by<16>, %n : tile<i32>
    %n_r = reshape %na : tile<i32> -> tile<1xi32>
    %n_b = broadcast %n_r : tile<1xi32> -> tile<512xi32>
    %mask = cmpi less_than %i, %n_b, signed : tile<512xi32> -> tile<512xi1>
    %zero = constant <{element}: {zero}> : tile<512x{element}>
"""
    body += pointers("xp", "xa", "i", shape, element)
    body += pointers("op", "oa", "i", shape, element)
    body += f"""
    %v, %t = load_ptr_tko {load_order} %xp, %mask, %zero
      : tile<512x{ptr}>, tile<512xi1>, tile<512x{element}> -> tile<512x{element}>, token
    %s = store_ptr_tko {store_order} %op, %v
      : tile<512x{ptr}>, tile<512x{element}> -> token
"""
    return kernel({"x": element, "o": element, "n": "(i32)"}, body)


def _tail_args(element: str, rng: np.random.Generator) -> list[Any]:
    blank = np.zeros(512, ARRAY_TYPES[element])
    return [values(rng, 512, element), blank, np.int32(304)]


# Groups that the producer knows of --------------------------------------------------


def _assumed_groups() -> str:
    """Places from memory, of which every four count up; a mask equal in each four."""
    shape = (256,)
    body = """
    %xa = assume div_by<16>, %x : tile<ptr<f32>>
    %oa = assume div_by<16>, %o : tile<ptr<f32>>
    %wb = assume div_by<16>, %w0 : tile<ptr<i32>>
    %kb = assume div_by<16>, %k0 : tile<ptr<i1>>
"""
    body += numbers(shape)
    body += pointers("wp", "wb", "i", shape, "i32") + load("w", "wp", shape, "i32")
    body += pointers("kp", "kb", "i", shape, "i1") + load("k", "kp", shape, "i1")
    body += """
    %wa = assume div_by<4, every 4 along 0>, %w : tile<256xi32>
    %ka = assume same_elements<[4]>, %k : tile<256xi1>
    %zero = constant <f32: 0.0> : tile<256xf32>
"""
    body += pointers("far", "xa", "wa", shape, "f32")
    body += pointers("op", "oa", "i", shape, "f32")
    body += """
    %opa = assume div_by<16, every 4 along 0>, %op : tile<256xptr<f32>>
    %v, %t = load_ptr_tko weak %far, %ka, %zero
      : tile<256xptr<f32>>, tile<256xi1>, tile<256xf32> -> tile<256xf32>, token
    %s = store_ptr_tko weak %opa, %v : tile<256xptr<f32>>, tile<256xf32> -> token
"""
    return kernel({"x": "f32", "o": "f32", "w0": "i32", "k0": "i1"}, body)


def _group_args(rng: np.random.Generator) -> list[Array]:
    groups = rng.permutation(64).astype(np.int32)[:, None] * 4
    places = (groups + np.arange(4, dtype=np.int32)).reshape(-1)
    flags = np.repeat(rng.integers(0, 2, 64).astype(np.bool_), 4)
    return [values(rng, 256, "f32"), np.zeros(256, np.float32), places, flags]


# Rows from anywhere -------------------------------------------------------------------


def _rows() -> str:
    """Rows that a tile names; masks of rows and columns, equal in each eight."""
    shape = (16, 64)
    body = """
    %ba = assume div_by<16>, %x : tile<ptr<f16>>
    %oa = assume div_by<16>, %o : tile<ptr<f16>>
    %na = assume div_by<8>, %n : tile<i32>
    %rows = iota : tile<16xi32>
"""
    body += pointers("wp", "w", "rows", (16,), "i32") + load("w0", "wp", (16,), "i32")
    body += """
    %w1 = reshape %w0 : tile<16xi32> -> tile<16x1xi32>
    %row = broadcast %w1 : tile<16x1xi32> -> tile<16x64xi32>
    %r1 = reshape %rows : tile<16xi32> -> tile<16x1xi32>
    %out = broadcast %r1 : tile<16x1xi32> -> tile<16x64xi32>
    %columns = iota : tile<64xi32>
    %c1 = reshape %columns : tile<64xi32> -> tile<1x64xi32>
    %column = broadcast %c1 : tile<1x64xi32> -> tile<16x64xi32>
    %m1 = reshape %m : tile<i32> -> tile<1x1xi32>
    %most = broadcast %m1 : tile<1x1xi32> -> tile<16x64xi32>
    %n1 = reshape %na : tile<i32> -> tile<1x1xi32>
    %width = broadcast %n1 : tile<1x1xi32> -> tile<16x64xi32>
    %below = cmpi less_than %row, %most, unsigned : tile<16x64xi32> -> tile<16x64xi1>
    %left = cmpi less_than %column, %width, signed : tile<16x64xi32> -> tile<16x64xi1>
    %inside = andi %below, %left : tile<16x64xi1>
    %beyond = cmpi greater_than_or_equal %row, %most, signed
      : tile<16x64xi32> -> tile<16x64xi1>
    %some = ori %inside, %beyond : tile<16x64xi1>
    %true = constant <i1: true> : tile<16x64xi1>
    %kept = xori %some, %true : tile<16x64xi1>
    %stride = constant <i32: 64> : tile<16x64xi32>
    %first = muli %row, %width : tile<16x64xi32>
    %place = addi %first, %column : tile<16x64xi32>
    %target = muli %out, %stride : tile<16x64xi32>
    %spot = addi %target, %column : tile<16x64xi32>
    %zero = constant <f16: 0.0> : tile<16x64xf16>
    %one = constant <f16: 1.0> : tile<16x64xf16>
"""
    body += pointers("far", "ba", "place", shape, "f16")
    body += pointers("op", "oa", "spot", shape, "f16")
    tile = "tile<16x64xf16>"
    kinds = "tile<16x64xptr<f16>>, tile<16x64xi1>, tile<16x64xf16>"
    mask = "tile<16x64xptr<f16>>, tile<16x64xf16>, tile<16x64xi1>"
    body += f"""
    %v, %t = load_ptr_tko weak %far, %inside, %zero : {kinds} -> {tile}, token
    %s = store_ptr_tko weak %op, %v, %some : {mask} -> token
    %u = store_ptr_tko weak %op, %one, %kept : {mask} -> token
"""
    types = {"x": "f16", "o": "f16", "w": "i32", "m": "(i32)", "n": "(i32)"}
    return kernel(types, body)


def _row_args(rng: np.random.Generator) -> list[Any]:
    """A table of 12 rows of 40, of 16 named rows some of which it does not have."""
    table, out = values(rng, 12 * 40, "f16"), np.full(16 * 64, 7, np.float16)
    named = rng.integers(0, 15, 16).astype(np.int32)
    return [table, out, named, np.int32(12), np.int32(40)]


# Bytes that are neither 0 nor 1 -------------------------------------------------------


def _bytes_as_flags() -> str:
    """A byte that is not zero is true, and true is stored as one."""
    shape = (64,)
    body = numbers(shape)
    body += "    %p = ptr_to_ptr %x : tile<ptr<i8>> -> tile<ptr<i1>>\n"
    body += pointers("xp", "p", "i", shape, "i1") + load("v", "xp", shape, "i1")
    body += "    %q = ptr_to_ptr %o : tile<ptr<i8>> -> tile<ptr<i1>>\n"
    body += pointers("op", "q", "i", shape, "i1") + store("v", "op", shape, "i1")
    return kernel({"x": "i8", "o": "i8"}, body)


# Tokens -------------------------------------------------------------------------------


def _tokens() -> str:
    """Each access waits for others through tokens; threads change places in between."""
    shape = (256,)
    body = numbers(shape)
    body += """
    %last = constant <i32: 255> : tile<256xi32>
    %backward = subi %last, %i : tile<256xi32>
    %none = make_token : token
"""
    body += pointers("p", "x", "i", shape, "i32")
    body += pointers("r", "x", "backward", shape, "i32")
    body += pointers("q", "y", "backward", shape, "i32")
    ty = "tile<256xptr<i32>>"
    body += f"""
    %a = store_ptr_tko weak %p, %i token=%none : {ty}, tile<256xi32> -> token
    %b = store_ptr_tko weak %q, %i : {ty}, tile<256xi32> -> token
    %c = join_tokens %a, %b : token
    %f = memory_fence_alias_tko token=%c : token
    %v, %d = load_ptr_tko weak %r token=%f : {ty} -> tile<256xi32>, token
    %w = addi %v, %backward : tile<256xi32>
    %e = store_ptr_tko relaxed device %p, %w token=%d : {ty}, tile<256xi32> -> token
    %u, %g = load_ptr_tko relaxed tl_blk %r token=%e : {ty} -> tile<256xi32>, token
    %h = store_ptr_tko weak %q, %u token=%g : {ty}, tile<256xi32> -> token
"""
    return kernel({"x": "i32", "y": "i32"}, body)


CASES = [
    *(
        OpCase(
            f"{element}-{name}",
            _accesses(element, shape, row + 2 * column),
            lambda rng, element=element, shape=shape: _access_args(element, shape, rng),
            num_warps=4,
        )
        for row, element in enumerate(ELEMENTS)
        for column, (name, shape) in enumerate(SHAPES.items())
    ),
    *(
        OpCase(
            f"{element}-tail{'-strong' * is_strong}",
            _tail(element, is_strong=is_strong),
            lambda rng, element=element: _tail_args(element, rng),
            num_warps=1,
        )
        for element in ELEMENTS
        for is_strong in (False, True)
    ),
    OpCase(
        "bytes-as-flags",
        _bytes_as_flags(),
        lambda rng: [rng.integers(-2, 3, 64).astype(np.int8), np.full(64, 7, np.int8)],
        numpy=lambda args: [args[0], (args[0] != 0).astype(np.int8)],
    ),
    OpCase("rows", _rows(), _row_args, num_warps=2),
    OpCase("assumed-groups", _assumed_groups(), _group_args, num_warps=2),
    OpCase(
        "tokens",
        _tokens(),
        lambda rng: [np.zeros(256, np.int32), np.zeros(256, np.int32)],
        num_warps=4,
        seeds=(0, 1, 2),
    ),
]
