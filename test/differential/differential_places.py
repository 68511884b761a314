# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of memory: views of each kind, orders and scopes, atomics of each mode.

Every array is touched by one step only, and each block has a part of its own, so that
what comes out does not depend on who is first.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
from differential_elements import BASE, any_tile, keep, with_constant
from differential_folds import whole
from differential_program import RandomProgram
from differential_variants import FLOATS, INTEGERS
from emit_data import DTYPES, Buffer, random_values
from emit_memory import numbers, pointers_at
from emit_program import Shape, Value, elements, tile

HELD = (*INTEGERS, *FLOATS, "tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU")
"""Element types that arrays may have."""
SCOPES = ("tl_blk", "device", "sys")
LOADS = ("weak", *(f"{o} {s}" for o in ("relaxed", "acquire") for s in SCOPES))
STORES = ("weak", *(f"{o} {s}" for o in ("relaxed", "release") for s in SCOPES))
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
PADDINGS = ("", "zero", "neg_zero", "nan", "pos_inf", "neg_inf")
KINDS = ("partition", "strided", "gather")
TILES: tuple[Shape, ...] = ((32,), (8, 16), (16, 8), (4, 4, 8), (1, 64), (2, 2, 2, 8))


# Views --------------------------------------------------------------------------------


def paddings(element: str) -> tuple[str, ...]:
    """The paddings that a type has a value for."""
    if element in INTEGERS:
        return PADDINGS[:2]
    if element in FLOATS or element == "f8E5M2":
        return PADDINGS
    return ("", "zero") if element != "f8E8M0FNU" else ("",)


def _tensor(
    p: RandomProgram, base: Value, extents: Shape, strides: Shape, element: str
) -> tuple[str, str]:
    """A tensor view of an array, sizes and strides partly known: name and type."""
    kind, operands = p.pick(("i32", "i64", "i16")), list[str]()
    lists: list[list[str]] = []
    for values in (extents, strides):
        lists.append([])
        for number in values:
            if p.chance():
                operands.append(str(number))
                lists[-1].append(str(number))
            else:
                operands.append(p.scalar(kind, number).name)
                lists[-1].append("?")
    rank = len(extents)
    ty = f"tensor_view<{'x'.join(lists[0])}x{element}, strides=[{','.join(lists[1])}]>"
    types = f"tile<{kind}> -> " if "?" in (*lists[0], *lists[1]) else ""
    name = p.fresh("t")
    p.line(
        f"{name} = make_tensor_view {base.name}, shape = "
        f"[{', '.join(operands[:rank])}], strides = [{', '.join(operands[rank:])}] : "
        f"{types}{ty}"
    )
    return name, ty


def _view(
    p: RandomProgram, kind: str, shape: Shape, tensor: tuple[str, str], padding: str
) -> tuple[str, str, int]:
    """A view of tiles: its name, type and sparse dimension, -1 for none."""
    head = f"tile=({'x'.join(map(str, shape))})"
    pad = f", padding_value = {padding}" if padding else ""
    sparse = -1
    if kind == "partition":
        ty = f"partition_view<{head}{pad}, {tensor[1]}>"
    elif kind == "strided":
        steps = ", ".join(str(n) for n in shape)
        ty = f"strided_view<{head}, traversal_strides=[{steps}]{pad}, {tensor[1]}>"
    else:
        sparse = p.number(0, len(shape) - 1)
        ty = f"gather_scatter_view<{head}{pad}, {tensor[1]}, sparse_dim={sparse}>"
        kind = "gather_scatter"
    name = p.fresh("w")
    p.line(f"{name} = make_{kind}_view {tensor[0]} : {ty}")
    return name, ty, sparse


def _indices(p: RandomProgram, shape: Shape, sparse: int, kind: str) -> tuple[str, str]:
    """The block's own tile: along the first dimension it counts blocks."""
    names: list[str] = []
    types: list[str] = []
    for dim, extent in enumerate(shape):
        first = _block(p, kind) if dim == 0 else p.constant((), kind, 0)
        if dim == 0 < sparse:  # indices of a gather count elements, not tiles
            first = with_constant(p, "muli", first, extent)
        if dim == sparse:  # positions in any order, all different
            place = p.coordinate((extent,), 0, kind)
            place = with_constant(p, "xori", place, p.number(0, extent - 1))
            if dim == 0:
                start = with_constant(p, "muli", first, extent)
                start = p.spread(start, (extent,))
                text = f"addi {place.name}, {start.name} : {place.type}"
                place = p.make((extent,), kind, text)
            first = place
        names.append(first.name)
        types.append(first.type)
    short = types[0] if len(set(types)) == 1 and p.chance() else ", ".join(types)
    return ", ".join(names), short


def _block(p: RandomProgram, kind: str) -> Value:
    value = p.block_index()
    if kind == "i32":
        return value
    op = "exti" if kind == "i64" else "trunci"
    how = " unsigned" if kind == "i64" else ""
    text = f"{op} {value.name}{how} : tile<i32> -> tile<{kind}>"
    return p.make((), kind, text)


def _strides(p: RandomProgram, extents: Shape) -> Shape:
    order, step = p.shuffled(range(len(extents))), p.pick((1, 1, 2))
    strides = [0] * len(extents)
    for dim in order:
        strides[dim] = step
        step *= extents[dim]
    return tuple(strides)


def _array(
    p: RandomProgram, shape: Shape, element: str, *, missing: bool, is_output: bool
) -> tuple[tuple[str, str], Shape]:
    """An array of a tile for each block, some elements missing: its tensor view."""
    extents = [shape[0] * p.grid, *shape[1:]]
    if missing:
        dim = p.number(0, len(shape) - 1)
        extents[dim] -= p.number(0, shape[dim] - 1)
    strides = _strides(p, tuple(extents))
    size = 1 + sum((n - 1) * s for n, s in zip(extents, strides, strict=True))
    data = random_values(p.generator(), size, element)
    if is_output:
        data = np.zeros(size, DTYPES[element])
    base = p.pointer(element, Buffer(data, 0, tuple(extents), strides))
    return _tensor(p, base, tuple(extents), strides, element), tuple(extents)


def _inbounds(p: RandomProgram, rank: int, *, is_ragged: bool) -> str:
    if is_ragged or p.chance():
        return ""
    return f" inbounds = [{', '.join(p.pick(('true', 'false')) for _ in range(rank))}]"


def load_tile(p: RandomProgram, kind: str, element: str, how: str, pad: str) -> None:
    """The block's tile of an array, through a view."""
    shape, index = p.pick(TILES), p.pick(("i32", "i32", "i64", "i16"))
    tensor, _ = _array(p, shape, element, missing=bool(pad), is_output=False)
    name, ty, sparse = _view(p, kind, shape, tensor, pad)
    names, types = _indices(p, shape, sparse, index)
    value = Value(p.fresh(), shape, element)
    promise = _inbounds(p, len(shape), is_ragged=bool(pad))
    p.line(
        f"{value.name}, {p.fresh('k')} = load_view_tko {how} {name}[{names}]{promise} "
        f": {ty}, {types} -> {value.type}, token"
    )
    keep(p, value)
    if element in BASE:
        p.add(value)


def store_tile(p: RandomProgram, kind: str, element: str, how: str) -> None:
    """A tile to the block's own place, through a view; what is outside is dropped."""
    shape, index = p.pick(TILES), p.pick(("i32", "i32", "i64", "i16"))
    value = any_tile(p, shape, element)
    is_ragged = p.chance()
    tensor, _ = _array(p, shape, element, missing=is_ragged, is_output=True)
    name, ty, sparse = _view(p, kind, shape, tensor, "")
    names, types = _indices(p, shape, sparse, index)
    promise = _inbounds(p, len(shape), is_ragged=is_ragged)
    p.line(
        f"{p.fresh('k')} = store_view_tko {how} {value.name}, {name}[{names}]{promise} "
        f": {value.type}, {ty}, {types} -> token"
    )


# Pointers and atomics -----------------------------------------------------------------


def own_places(
    p: RandomProgram, shape: Shape, element: str, *, is_whole: bool = False
) -> Value:
    """Pointers to the block's own part of an array."""
    size = elements(shape) * p.grid
    data = np.zeros(size, DTYPES[element])  # what it holds is the case's matter
    base = p.pointer(element, Buffer(data, 0, (size,), (1,), is_whole=is_whole))
    return pointers_at(p, base, numbers(p, shape, each_block=True))


def pointer_access(p: RandomProgram, element: str, load: str, store: str) -> None:
    """A load and a store of pointers with their orders."""
    shape = p.pick(TILES)
    source = own_places(p, shape, element)
    value = Value(p.fresh(), shape, element)
    p.line(
        f"{value.name}, {p.fresh('k')} = load_ptr_tko {load} {source.name} : "
        f"{source.type} -> {value.type}, token"
    )
    target = own_places(p, shape, element)
    p.line(
        f"{p.fresh('k')} = store_ptr_tko {store} {target.name}, {value.name} : "
        f"{target.type}, {value.type} -> token"
    )


MODES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("i32", "i64"),
        ("and", "or", "xor", "add", "max", "min", "umax", "umin", "xchg"),
    ),
    **dict.fromkeys(("f32", "f64"), ("addf", "xchg")),
    **dict.fromkeys(("f16", "bf16"), ("addf",)),
}


def _amount(p: RandomProgram, shape: Shape, element: str, mode: str) -> Value:
    if mode == "addf":
        return whole(p, shape, element, 3)
    return any_tile(p, shape, element)


def _mask(p: RandomProgram, shape: Shape) -> list[Value]:
    return [any_tile(p, shape, "i1")] if p.chance() else []


def update(p: RandomProgram, element: str, mode: str, order: str) -> None:
    """Each element updates a place of its own; the old values are kept."""
    shape = p.pick(TILES)
    where = own_places(p, shape, element, is_whole=mode == "addf")
    amount, mask = _amount(p, shape, element, mode), _mask(p, shape)
    old = Value(p.fresh(), shape, element)
    names = ", ".join(v.name for v in (amount, *mask))
    types = ", ".join(v.type for v in (where, amount, *mask))
    p.line(
        f"{old.name}, {p.fresh('k')} = atomic_rmw_tko {order} {where.name}, {mode}, "
        f"{names} : {types} -> {old.type}, token"
    )
    if mask:  # the others get nothing that is specified
        zero = p.constant(shape, element, 0)
        text = f"select {mask[0].name}, {old.name}, {zero.name} : {mask[0].type}, "
        old = p.make(shape, element, text + old.type)
    keep(p, old)


def update_shared(p: RandomProgram, element: str, mode: str, order: str) -> None:
    """All elements of all blocks update a few places; nobody looks at old values."""
    shape, places = p.pick(TILES), p.pick((1, 4, 16))
    count = places * p.grid
    data = np.zeros(count, DTYPES[element])
    buffer = Buffer(data, 0, (count,), (1,), is_whole=mode == "addf")
    base = p.pointer(element, buffer)
    place = with_constant(p, "andi", any_tile(p, shape, "i32"), places - 1)
    if "tl_blk" in order:  # other blocks have other places
        start = with_constant(p, "muli", p.block_index(), places)
        text = f"addi {place.name}, {p.spread(start, shape).name} : {place.type}"
        place = p.make(shape, "i32", text)
    where = pointers_at(p, base, place)
    amount, mask = _amount(p, shape, element, mode), _mask(p, shape)
    names = ", ".join(v.name for v in (amount, *mask))
    types = ", ".join(v.type for v in (where, amount, *mask))
    p.line(
        f"{p.fresh('x')}, {p.fresh('k')} = atomic_rmw_tko {order} {where.name}, "
        f"{mode}, {names} : {types} -> {tile(shape, element)}, token"
    )


def swap(p: RandomProgram, element: str, order: str) -> None:
    """Half of the elements find what they expect."""
    shape = p.pick(TILES)
    where = own_places(p, shape, element)
    expected, token = Value(p.fresh(), shape, element), p.fresh("k")
    p.line(
        f"{expected.name}, {token} = load_ptr_tko weak {where.name} : "
        f"{where.type} -> {expected.type}, token"
    )
    chosen, other = any_tile(p, shape, "i1"), p.constant(shape, element, 12345)
    text = f"select {chosen.name}, {expected.name}, {other.name} : {chosen.type}, "
    expected = p.make(shape, element, text + expected.type)
    new, mask = any_tile(p, shape, element), _mask(p, shape)
    old = Value(p.fresh(), shape, element)
    names = ", ".join(v.name for v in (where, expected, new, *mask))
    types = ", ".join(v.type for v in (where, new, *mask))
    p.line(
        f"{old.name}, {p.fresh('k')} = atomic_cas_tko {order} {names} token={token} : "
        f"{types} -> "
        f"{old.type}, token"
    )
    keep(p, old)


def update_view(p: RandomProgram, kind: str, element: str, mode: str, how: str) -> None:
    """An update of a tile, through a view; a quarter of the blocks' tiles coincide."""
    shape = p.pick(TILES)
    amount = _amount(p, shape, element, mode)
    data = np.zeros(prod(shape) * p.grid, DTYPES[element])
    extents = (shape[0] * p.grid, *shape[1:])
    strides = tuple(prod(extents[dim + 1 :]) for dim in range(len(shape)))
    buffer = Buffer(data, 0, extents, strides, is_whole=mode == "addf")
    tensor = _tensor(p, p.pointer(element, buffer), extents, strides, element)
    name, ty, _ = _view(p, kind, shape, tensor, "")
    names, types = _indices(p, shape, -1, "i32")
    p.line(
        f"{p.fresh('k')} = atomic_red_view_tko {how} {name}[{names}], {mode}, "
        f"{amount.name} : {amount.type}, {ty}, {types} -> token"
    )


PLACE_VARIANTS: tuple[tuple[str, ...], ...] = (
    *(
        ("load view", kind, element, "weak", pad)
        for kind, element in product(KINDS, HELD)
        for pad in paddings(element)
    ),
    *(("load view", kind, "f32", how, "") for kind, how in product(KINDS, LOADS[1:])),
    *(("store view", kind, e, "weak") for kind, e in product(KINDS, HELD)),
    *(("store view", kind, "i32", how) for kind, how in product(KINDS, STORES[1:])),
    *(("pointers", element, "weak", "weak") for element in HELD),
    *(("pointers", "f32", *how) for how in zip(LOADS[1:], STORES[1:], strict=True)),
    *(("pointers", "i8", *how) for how in zip(LOADS[1:], STORES[1:], strict=True)),
    *(
        (op, element, mode, "relaxed device")
        for op in ("update", "update shared")
        for element, modes in MODES.items()
        for mode in modes
        if (op, mode) != ("update shared", "xchg")
    ),
    *(
        (op, element, mode, f"{order} {scope}")
        for op, (element, mode) in product(
            ("update", "update shared"), (("i32", "add"), ("f16", "addf"))
        )
        for order, scope in product(ORDERS, SCOPES)
        if (order, scope) != ("relaxed", "device")
    ),
    *(
        ("swap", element, f"{order} {scope}")
        for element, order, scope in product(
            ("i32", "i64", "f32", "f64"), ORDERS, SCOPES
        )
    ),
    *(
        ("update view", kind, element, mode, f"relaxed {scope}")
        for kind, scope in product(KINDS[:2], SCOPES[:2])
        for element, modes in MODES.items()
        for mode in modes
        if mode != "xchg"
    ),
)
STEPS = {
    "load view": load_tile,
    "store view": store_tile,
    "pointers": pointer_access,
    "update": update,
    "update shared": update_shared,
    "swap": swap,
    "update view": update_view,
}
PLACE_NAMES = tuple(" ".join(" ".join(v).split()) for v in PLACE_VARIANTS)


def place_step(p: RandomProgram) -> None:
    """An access: the seed of the step says which."""
    number = p.step_seed % len(PLACE_VARIANTS)
    op, *words = PLACE_VARIANTS[number]
    STEPS[op](p, *words)
    p.note(f"variant: {PLACE_NAMES[number]}")
