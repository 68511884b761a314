# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family atomic: every mode, type, order and scope, masks, copies, vectors, loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from access_text import kernel, load, numbers, pointers, shape_text, store
from emit_data import DTYPES, random_values
from op_case import Array, OpCase

BITWISE = ("and", "or", "xor")
EXTREMES = ("max", "min", "umax", "umin")
MODES = {
    "i32": ("add", *BITWISE, *EXTREMES, "xchg"),
    "i64": ("add", *BITWISE, *EXTREMES, "xchg"),
    "f16": ("addf",),
    "bf16": ("addf",),
    "f32": ("addf", "xchg"),
    "f64": ("addf", "xchg"),
}
SWAPPED = ("i32", "i64", "f32", "f64")
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("tl_blk", "device", "sys")
SHAPES = {"rows": (4, 16), "one": (1,), "scalar": (), "wide": (512,)}


def _order(number: int) -> str:
    return f"{ORDERS[number % 4]} {SCOPES[number // 4 % 3]}"


def _rmw(
    name: str, mode: str, arg: str, order: str, ty: tuple[str, str], mask: str = ""
) -> str:
    """One update through `%{name}_p`; `mask` is an operand, `ty` shape and element."""
    shape, element = ty
    types = f"tile<{shape}ptr<{element}>>, tile<{shape}{element}>"
    if mask:
        types += f", tile<{shape}i1>"
        mask = f", %{mask}"
    return f"""
    %{name}, %{name}_u = atomic_rmw_tko {order} %{name}_p, {mode}, %{arg}{mask}
      : {types} -> tile<{shape}{element}>, token
"""


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=int))


def _every_mode(element: str, shape: tuple[int, ...], first: int) -> str:
    """Each mode on memory of its own at shuffled places; old values are stored."""
    ty = (shape_text(shape), element)
    parameters = {"where": "i32", "a": element}
    body = numbers(shape)
    body += pointers("wp", "where", "i", shape, "i32") + load("w", "wp", shape, "i32")
    body += pointers("ap", "a", "i", shape, element) + load("arg", "ap", shape, element)
    for n, mode in enumerate(MODES[element]):
        parameters |= {f"m{n}": element, f"o{n}": element}
        body += pointers(f"old{n}_p", f"m{n}", "w", shape, element)
        body += _rmw(f"old{n}", mode, "arg", _order(first + n), ty)
        body += pointers(f"op{n}", f"o{n}", "i", shape, element)
        body += store(f"old{n}", f"op{n}", shape, element)
    return kernel(parameters, body)


def _every_mode_args(
    element: str, shape: tuple[int, ...], rng: np.random.Generator
) -> list[Array]:
    n = _count(shape)
    args: list[Array] = [rng.permutation(n).astype(np.int32)]
    args.append(random_values(rng, n, element))
    for _ in MODES[element]:
        args += [random_values(rng, n, element), np.zeros(n, DTYPES[element])]
    return args


def _plain(element: str, shape: tuple[int, ...], name: str, first: int) -> OpCase:
    return OpCase(
        f"{element}-{name}",
        _every_mode(element, shape, first),
        lambda rng: _every_mode_args(element, shape, rng),
        num_warps=4,
    )


# Reductions: nobody uses the old values, and elements share places --------------------

PLACES = 8


def _shared_places(element: str) -> str:
    """Several elements per place, under a mask; sums are of small whole numbers."""
    shape, ty = (256,), ("256x", element)
    parameters = {"where": "i32", "a": element, "n": "(i32)"}
    body = numbers(shape)
    body += pointers("wp", "where", "i", shape, "i32") + load("w", "wp", shape, "i32")
    body += pointers("ap", "a", "i", shape, element) + load("arg", "ap", shape, element)
    body += """
    %n_r = reshape %n : tile<i32> -> tile<1xi32>
    %n_b = broadcast %n_r : tile<1xi32> -> tile<256xi32>
    %mask = cmpi less_than %i, %n_b, signed : tile<256xi32> -> tile<256xi1>
"""
    modes = [mode for mode in MODES[element] if mode != "xchg"]
    for n, mode in enumerate(modes):
        parameters |= {f"m{n}": element}
        body += pointers(f"old{n}_p", f"m{n}", "w", shape, element)
        body += _rmw(
            f"old{n}", mode, "arg", _order(4 * n), ty, "mask" if n % 2 == 0 else ""
        )
    return kernel(parameters, body)


def _shared_args(element: str, rng: np.random.Generator) -> list[Any]:
    where = rng.integers(0, PLACES, 256).astype(np.int32)
    values = rng.integers(-3, 4, 256).astype(DTYPES[element])
    modes = [mode for mode in MODES[element] if mode != "xchg"]
    memory = [rng.integers(-8, 9, PLACES).astype(DTYPES[element]) for _ in modes]
    return [where, values, np.int32(200), *memory]


# Neighbours: as wide as the chip has it -----------------------------------------------


def _neighbours(element: str, *, is_used: bool) -> str:
    """Sums at neighbouring, aligned places, some under a mask of whole groups."""
    shape, ty = (1024,), ("1024x", element)
    ptr = f"ptr<{element}>"
    body = f"""
    %ma = assume div_by<16>, %m : tile<{ptr}>
    %aa = assume div_by<16>, %a : tile<{ptr}>
    %na = assume div_by<16>, %n : tile<i32>
""" + numbers(shape)
    body += pointers("ap", "aa", "i", shape, element) + load(
        "arg", "ap", shape, element
    )
    body += """
    %n_r = reshape %na : tile<i32> -> tile<1xi32>
    %n_b = broadcast %n_r : tile<1xi32> -> tile<1024xi32>
    %mask = cmpi less_than %i, %n_b, signed : tile<1024xi32> -> tile<1024xi1>
"""
    body += pointers("x_p", "ma", "i", shape, element)
    body += _rmw("x", "addf", "arg", "relaxed device", ty)
    body += f"""
    %y, %y_u = atomic_rmw_tko relaxed device %x_p, addf, %arg, %mask token=%x_u
      : tile<1024x{ptr}>, tile<1024x{element}>, tile<1024xi1>
      -> tile<1024x{element}>, token
"""
    parameters = {"m": element, "a": element, "n": "(i32)", "o": element, "q": element}
    if is_used:
        zero = f"    %zero = constant <{element}: 0.0> : tile<1024x{element}>\n"
        body += (
            zero
            + f"""
    %z = select %mask, %y, %zero : tile<1024xi1>, tile<1024x{element}>
"""
        )
        body += f"""
    %oa = assume div_by<16>, %o : tile<{ptr}>
    %qa = assume div_by<16>, %q : tile<{ptr}>
"""
        body += pointers("op", "oa", "i", shape, element)
        body += store("x", "op", shape, element)
        body += pointers("qp", "qa", "i", shape, element)
        body += store("z", "qp", shape, element)
    return kernel(parameters, body)


def _neighbour_args(element: str, rng: np.random.Generator) -> list[Any]:
    raw = random_values(rng, 1024, element)
    blank = np.zeros(1024, DTYPES[element])
    return [raw, random_values(rng, 1024, element), np.int32(1008), blank, blank]


# Compare and swap ---------------------------------------------------------------------


def _swap(element: str, shape: tuple[int, ...], first: int, *, is_masked: bool) -> str:
    """Swaps where the bits agree; with a mask, what is off gives the expected value."""
    body = numbers(shape)
    for name, kind in (("w", "i32"), ("c", element), ("v", element), ("k", "i1")):
        body += pointers(f"{name}p", f"{name}0", "i", shape, kind)
        body += load(name, f"{name}p", shape, kind)
    body += pointers("xp", "m", "w", shape, element)
    s = shape_text(shape)
    mask, mask_type = (", %k", f", tile<{s}i1>") if is_masked else ("", "")
    body += f"""
    %x, %u = atomic_cas_tko {_order(first)} %xp, %c, %v{mask}
      : tile<{s}ptr<{element}>>, tile<{s}{element}>{mask_type}
      -> tile<{s}{element}>, token
"""
    body += pointers("op", "o", "i", shape, element) + store("x", "op", shape, element)
    parameters = {"w0": "i32", "c0": element, "v0": element, "k0": "i1"}
    return kernel({**parameters, "m": element, "o": element}, body)


def _swap_args(
    element: str, shape: tuple[int, ...], rng: np.random.Generator
) -> list[Array]:
    n = _count(shape)
    where = rng.permutation(n).astype(np.int32)
    memory = random_values(rng, n, element)
    expected = memory[where].copy()
    off = rng.random(n) < 0.4
    if element.startswith("f"):  # the other zero does not agree, nor another NaN
        expected[off] = -expected[off]
    else:
        expected[off] += 1
    mask = rng.integers(0, 2, n).astype(np.bool_)
    value = random_values(rng, n, element)
    return [where, expected, value, mask, memory, np.zeros(n, DTYPES[element])]


def _swap_cases() -> list[OpCase]:
    return [
        OpCase(
            f"cas-{element}-{name}{'-masked' * is_masked}",
            _swap(element, shape, number + 3 * row, is_masked=is_masked),
            lambda rng, element=element, shape=shape: _swap_args(element, shape, rng),
            num_warps=4,
        )
        for row, element in enumerate(SWAPPED)
        for number, (name, shape) in enumerate(SHAPES.items())
        for is_masked in (False, True)
    ]


# Old values are a permutation ---------------------------------------------------------


def _tickets() -> str:
    """Every element of every block adds one to one place and gets a number."""
    shape, ty = (64,), ("64x", "i32")
    body = (
        numbers(shape)
        + """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %size = constant <i32: 64> : tile<i32>
    %one = constant <i32: 1> : tile<64xi32>
    %zero = constant <i32: 0> : tile<64xi32>
    %start = muli %bx, %size : tile<i32>
    %mine = offset %out, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
"""
    )
    body += pointers("t_p", "m", "zero", shape, "i32")
    body += _rmw("t", "add", "one", "relaxed device", ty)
    body += pointers("op", "mine", "i", shape, "i32") + store("t", "op", shape, "i32")
    return kernel({"m": "i32", "out": "i32"}, body)


def _ticket_args(rng: np.random.Generator) -> list[Array]:
    del rng
    return [np.array([5], np.int32), np.zeros(192, np.int32)]


def _sorted_second(args: Any) -> list[Array]:
    return [args[0], np.sort(args[1])]


# Into views ---------------------------------------------------------------------------


def _into_views(element: str) -> str:
    """Every mode into partial tiles; several blocks add to a strided view."""
    modes = [mode for mode in MODES[element] if mode != "xchg"]
    kind = f"tensor_view<6x40x{element}, strides=[40,1]>"
    view = f"partition_view<tile=(4x16), {kind}>"
    padded = f"partition_view<tile=(4x16), padding_value = zero, {kind}>"
    transposed = f"partition_view<tile=(16x4), {kind}, dim_map=[1, 0]>"
    strided = f"strided_view<tile=(4x16), traversal_strides=[4,8], {kind}>"
    tile = f"tile<4x16x{element}>"
    body = f"""
    %x, %y, %z = get_tile_block_id : tile<i32>
    %t = make_tensor_view %a, shape = [6, 40], strides = [40, 1] : {kind}
    %v = make_partition_view %t : {padded}
    %e, %et = load_view_tko weak %v[%x, %y] : {padded}, tile<i32> -> {tile}, token
    %across = permute %e [1, 0] : {tile} -> tile<16x4x{element}>
"""
    parameters = {"a": element}
    for n, mode in enumerate(modes):
        scope = "device" if n % 2 == 0 else "tl_blk"
        parameters[f"m{n}"] = element
        body += f"""
    %t{n} = make_tensor_view %m{n}, shape = [6, 40], strides = [40, 1] : {kind}
    %v{n} = make_partition_view %t{n} : {view}
    %k{n} = atomic_red_view_tko relaxed {scope} %v{n}[%x, %y], {mode}, %e
      : {tile}, {view}, tile<i32> -> token
    %u{n} = make_partition_view %t{n} : {transposed}
    %l{n} = atomic_red_view_tko relaxed {scope} %u{n}[%y, %x], {mode}, %across
      token = %k{n} : tile<16x4x{element}>, {transposed}, tile<i32> -> token
"""
    adding = "addf" if element.startswith(("f", "b")) else "add"
    one = "1.0" if adding == "addf" else "1"
    parameters["s"] = element
    body += f"""
    %one = constant <{element}: {one}> : {tile}
    %ts = make_tensor_view %s, shape = [6, 40], strides = [40, 1] : {kind}
    %vs = make_strided_view %ts : {strided}
    %ks = atomic_red_view_tko relaxed device %vs[%x, %y], {adding}, %one
      : {tile}, {strided}, tile<i32> -> token
"""
    return kernel(parameters, body)


def _into_views_args(element: str, rng: np.random.Generator) -> list[Array]:
    modes = [mode for mode in MODES[element] if mode != "xchg"]
    arrays = [random_values(rng, 240, element) for _ in range(len(modes) + 1)]
    return [*arrays, rng.integers(-3, 4, 240).astype(DTYPES[element])]


def _views_by_index() -> str:
    """Adds at an index of every type."""
    kind = "tensor_view<32xi32, strides=[1]>"
    view = f"partition_view<tile=(16), {kind}>"
    body = f"""
    %x = constant <i32: 3> : tile<16xi32>
    %t = make_tensor_view %o, shape = [32], strides = [1] : {kind}
    %v = make_partition_view %t : {view}
"""
    for ity in ("i1", "i8", "i16", "i32", "i64"):
        number = "true" if ity == "i1" else "1"
        body += f"""
    %one_{ity} = constant <{ity}: {number}> : tile<{ity}>
    %k_{ity} = atomic_red_view_tko relaxed device %v[%one_{ity}], add, %x
      : tile<16xi32>, {view}, tile<{ity}> -> token
"""
    return kernel({"o": "i32"}, body)


CASES = [
    OpCase(
        "view-indices",
        _views_by_index(),
        lambda rng: [np.zeros(32, np.int32)],
        numpy=lambda args: [np.repeat(np.array([0, 15], np.int32), 16)],
    ),
    *(
        _plain(element, shape, name, 5 * row + 3 * column)
        for row, element in enumerate(MODES)
        for column, (name, shape) in enumerate(SHAPES.items())
    ),
    *(
        OpCase(
            f"{element}-shared",
            _shared_places(element),
            lambda rng, element=element: _shared_args(element, rng),
        )
        for element in MODES
    ),
    *(
        OpCase(
            f"{element}-neighbours{'-used' * is_used}",
            _neighbours(element, is_used=is_used),
            lambda rng, element=element: _neighbour_args(element, rng),
        )
        for element in ("f16", "bf16", "f32", "f64")
        for is_used in (False, True)
    ),
    *_swap_cases(),
    OpCase(
        "tickets",
        _tickets(),
        _ticket_args,
        grid=(3,),
        num_warps=4,
        canonical=_sorted_second,
    ),
    *(
        OpCase(
            f"{element}-view",
            _into_views(element),
            lambda rng, element=element: _into_views_args(element, rng),
            grid=(2, 3),
        )
        for element in MODES
    ),
]
