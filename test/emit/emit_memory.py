# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loads and stores: views and pointers over arrays of every shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from emit_data import DTYPES, FLOATS, INTEGERS, Array, Buffer, is_float, random_values
from emit_program import Program, Shape, Value, elements, fits, tile

PADDINGS = ("zero", "neg_zero", "pos_inf", "neg_inf", "nan")


def leaf(p: Program, shape: Shape, element: str) -> Value:
    """A new tile that depends on no other tile."""
    ways: list[Any] = [load_pointer, load_pointer, constant, parameter]
    if shape:
        ways += [load_view] * 3
    if element in INTEGERS and len(shape) and fits(element, max(shape)):
        ways.append(coordinates)
    return p.pick(ways)(p, shape, element)


def constant(p: Program, shape: Shape, element: str) -> Value:
    """A splat of a random number."""
    value = random_values(p.generator(), 1, element)[0]
    return p.constant(shape, element, value)


def parameter(p: Program, shape: Shape, element: str) -> Value:
    """A scalar argument in every element."""
    value = random_values(p.generator(), 1, element)[0]
    return p.spread(p.scalar(element, value), shape)


def coordinates(p: Program, shape: Shape, element: str) -> Value:
    """Coordinates along one dimension."""
    return p.coordinate(shape, p.number(0, len(shape) - 1), element)


# Views --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tiling:
    """How a tile's dimensions cut a tensor.

    Attributes:
        tile_shape: Extents of a tile.
        dim_map: Tensor dimension of each tile dimension.
        counts: Tiles along each tile dimension.
        extents: Extents of the tensor, by its own dimensions.
    """

    tile_shape: Shape
    dim_map: tuple[int, ...]
    counts: tuple[int, ...]
    extents: Shape


def _tiling(p: Program, shape: Shape, first_count: int, *, ragged: bool) -> Tiling:
    dims = list(range(len(shape)))
    dim_map = tuple(p.shuffled(dims))
    counts = [p.number(1, 3) for _ in dims]
    if first_count:
        counts = [first_count] + [1] * (len(shape) - 1)
    extents = [0] * len(shape)
    for d, (count, extent) in enumerate(zip(counts, shape, strict=True)):
        missing = p.number(0, extent - 1) if ragged and p.chance() else 0
        extents[dim_map[d]] = count * extent - missing
    return Tiling(shape, dim_map, tuple(counts), tuple(extents))


def _place(p: Program, extents: Shape, element: str, data: Array | None) -> Buffer:
    """Memory for a tensor: any order of dimensions, gaps, any first element."""
    order = p.shuffled(range(len(extents)))
    strides = [0] * len(extents)
    step = p.pick((1, 1, 1, 2))
    for d in order:
        strides[d] = step
        step = step * extents[d] + p.pick((0, 0, 1, 16))
    start = p.pick((0, 0, 0, 1, 4))
    size = start + 1 + sum((n - 1) * s for n, s in zip(extents, strides, strict=True))
    if data is None:
        contents = random_values(p.generator(), size, element)
    else:
        contents = np.resize(data, size).astype(DTYPES[element])
    return Buffer(contents, start, extents, tuple(strides))


def _axis_text(p: Program, numbers: Shape, kind: str) -> tuple[list[str], list[str]]:
    """Operands of make_tensor_view and the type's text, static or dynamic."""
    operands: list[str] = []
    texts: list[str] = []
    for number in numbers:
        if p.chance():
            operands.append(str(number))
            texts.append(str(number))
        else:
            value = p.assumed(p.scalar(kind, number), number)
            operands.append(value.name)
            texts.append("?")
    return operands, texts


def _tensor(p: Program, buffer: Buffer, element: str) -> tuple[str, str]:
    """A make_tensor_view over a buffer: its name and type."""
    kind = p.pick(("i32", "i32", "i64"))
    base = p.pointer(element, buffer)
    shape, shape_text = _axis_text(p, buffer.shape, kind)
    strides, stride_text = _axis_text(p, buffer.strides, kind)
    ty = f"tensor_view<{'x'.join(shape_text)}x{element}, "
    ty += f"strides=[{','.join(stride_text)}]>"
    dynamic = f"tile<{kind}> -> " if "?" in shape_text + stride_text else ""
    name = p.fresh("t")
    p.line(
        f"{name} = make_tensor_view {base.name}, shape = [{', '.join(shape)}], "
        f"strides = [{', '.join(strides)}] : {dynamic}{ty}"
    )
    return name, ty


def _partition(
    p: Program, tensor: tuple[str, str], tiling: Tiling, padding: str
) -> tuple[str, str]:
    """A make_partition_view: its name and type."""
    name, ty = p.fresh("w"), "partition_view<"
    ty += f"tile=({'x'.join(map(str, tiling.tile_shape))})"
    ty += f", padding_value = {padding}" if padding else ""
    ty += f", {tensor[1]}"
    if tiling.dim_map != tuple(range(len(tiling.dim_map))) or p.chance():
        ty += f", dim_map=[{', '.join(map(str, tiling.dim_map))}]"
    ty += ">"
    p.line(f"{name} = make_partition_view {tensor[0]} : {ty}")
    return name, ty


def _index(p: Program, count: int, kind: str) -> Value:
    """A tile index below `count`: fixed, of the block, or of the loop."""
    if kind != "i32":
        return p.constant((), kind, p.number(0, count - 1))
    ways = ["fixed", "block"]
    if p.loops and p.loops[-1].trips <= count and p.loops[-1].index.element == "i32":
        ways += ["loop", "loop"]
    match p.pick(ways):
        case "loop":
            return p.loops[-1].index
        case "block":
            number = p.constant((), "i32", count)
            block = p.block_index()
            text = f"remi {block.name}, {number.name} unsigned : tile<i32>"
            return p.make((), "i32", text)
        case _:
            return p.constant((), "i32", p.number(0, count - 1))


def load_view(p: Program, shape: Shape, element: str) -> Value:
    """A tile of a partition view; outside the tensor it has padding."""
    padding = p.pick(("", *PADDINGS)) if is_float(element) else p.pick(("", "zero"))
    tiling = _tiling(p, shape, 0, ragged=bool(padding))
    tensor = _tensor(p, _place(p, tiling.extents, element, None), element)
    name, ty = _partition(p, tensor, tiling, padding)
    kind = p.pick(("i32", "i32", "i32", "i64", "i8"))
    indices = [_index(p, count, kind) for count in tiling.counts]
    names = ", ".join(index.name for index in indices)
    value, token = Value(p.fresh(), shape, element), p.fresh("k")
    p.line(
        f"{value.name}, {token} = load_view_tko weak {name}[{names}]"
        f"{_promise(p, tiling)} : {ty}, tile<{kind}> -> {value.type}, token"
    )
    if p.number(0, 5) == 0:
        _sizes(p, tensor, (name, ty), len(shape))
    return value


def _promise(p: Program, tiling: Tiling) -> str:
    """Sometimes says along which dimensions no tile sticks out."""
    if p.number(0, 3):
        return ""
    inside = [
        tiling.extents[tiling.dim_map[d]] % extent == 0 and p.chance()
        for d, extent in enumerate(tiling.tile_shape)
    ]
    return f" inbounds = [{', '.join(str(one).lower() for one in inside)}]"


def _sizes(
    p: Program, tensor: tuple[str, str], view: tuple[str, str], rank: int
) -> None:
    """The extents of a tensor and the number of its tiles, as scalars."""
    for op, (name, ty) in (
        ("get_tensor_shape", tensor),
        ("get_index_space_shape", view),
    ):
        results = [Value(p.fresh(), (), "i32") for _ in range(rank)]
        p.line(
            f"{', '.join(r.name for r in results)} = {op} {name} : {ty} -> tile<i32>"
        )
        p.pool += results


def store_view(p: Program, value: Value, *, is_inexact: bool = False) -> None:
    """Each block stores its own tile; what lies outside the tensor is dropped."""
    tiling = _tiling(p, value.shape, p.grid, ragged=True)
    data = np.arange(1, 4)
    place = _place(p, tiling.extents, value.element, data)
    buffer = Buffer(place.data, place.start, place.shape, place.strides, is_inexact)
    name, ty = _partition(p, _tensor(p, buffer, value.element), tiling, "")
    block = p.block_index()
    zero = p.constant((), "i32", 0)
    names = ", ".join([block.name] + [zero.name] * (len(value.shape) - 1))
    p.line(
        f"{p.fresh('k')} = store_view_tko weak {value.name}, {name}[{names}] : "
        f"{value.type}, {ty}, tile<i32> -> token"
    )


# Pointers -----------------------------------------------------------------------------


def numbers(p: Program, shape: Shape, *, each_block: bool) -> Value:
    """A distinct number per element, row-major or not, apart for each block."""
    total: Value | None = None
    step = 1
    for d in p.shuffled(range(len(shape))):
        part = p.coordinate(shape, d)
        factor = p.constant(shape, "i32", step)
        text = f"muli {part.name}, {factor.name} : {part.type}"
        part = p.make(shape, "i32", text) if step != 1 or p.chance() else part
        total = part if total is None else _plus(p, total, part)
        step *= shape[d]
    if each_block or p.chance():
        size = p.constant((), "i32", elements(shape))
        block = p.block_index()
        text = f"muli {block.name}, {size.name} : tile<i32>"
        start = p.spread(p.make((), "i32", text), shape)
        total = start if total is None else _plus(p, start, total)
    return p.constant(shape, "i32", 0) if total is None else total


def _plus(p: Program, a: Value, b: Value) -> Value:
    return p.make(a.shape, a.element, f"addi {a.name}, {b.name} : {a.type}")


def pointers_at(p: Program, base: Value, places: Value) -> Value:
    """Pointers to numbered elements."""
    base = p.spread(base, places.shape)
    text = f"offset {base.name}, {places.name} : {base.type}, {places.type}"
    return p.make(places.shape, base.element, f"{text} -> {base.type}")


def _mask(p: Program, places: Value, limit: int) -> Value:
    """Which elements lie below a limit, a constant or an argument."""
    if p.chance():
        top = p.constant(places.shape, "i32", limit)
    else:
        top = p.spread(p.assumed(p.scalar("i32", limit), limit), places.shape)
    order = p.pick((("less_than", places, top), ("greater_than", top, places)))
    text = f"cmpi {order[0]} {order[1].name}, {order[2].name}, signed : "
    text += f"{places.type} -> {tile(places.shape, 'i1')}"
    return p.make(places.shape, "i1", text)


def _room(p: Program, shape: Shape) -> tuple[int, int]:
    """Elements of all blocks, and how many of them a mask lets through."""
    room = elements(shape) * p.grid
    return room, p.pick((room, max(1, room - p.number(0, room - 1)), room // 16 * 16))


def load_pointer(p: Program, shape: Shape, element: str) -> Value:
    """A tile read through pointers, often under a mask with padding."""
    room, limit = _room(p, shape)
    is_masked = p.chance()
    size = max(limit, 1) if is_masked else room
    start = p.pick((0, 0, 1, 8))
    data = random_values(p.generator(), start + size, element)
    buffer = Buffer(data, start, (size,), (1,))
    places = numbers(p, shape, each_block=False)
    pointers = pointers_at(p, p.pointer(element, buffer), places)
    value, token = Value(p.fresh(), shape, element), p.fresh("k")
    names, types = [pointers.name], [pointers.type]
    if is_masked:
        fill = p.pick((constant, parameter))(p, shape, element)
        mask = _mask(p, places, limit)
        names += [mask.name, fill.name]
        types += [mask.type, fill.type]
    p.line(
        f"{value.name}, {token} = load_ptr_tko weak {', '.join(names)} : "
        f"{', '.join(types)} -> {value.type}, token"
    )
    return value


def store_pointer(p: Program, value: Value, *, is_inexact: bool = False) -> None:
    """Each block writes its own elements, often under a mask."""
    room, limit = _room(p, value.shape)
    is_masked = p.chance()
    size = max(limit, 1) if is_masked else room
    start = p.pick((0, 0, 1, 8))
    data = np.resize(np.arange(1, 4), start + size).astype(DTYPES[value.element])
    buffer = Buffer(data, start, (size,), (1,), is_inexact)
    places = numbers(p, value.shape, each_block=True)
    pointers = pointers_at(p, p.pointer(value.element, buffer), places)
    names, types = [pointers.name, value.name], [pointers.type, value.type]
    if is_masked:
        mask = _mask(p, places, limit)
        names.append(mask.name)
        types.append(mask.type)
    p.line(
        f"{p.fresh('k')} = store_ptr_tko weak {', '.join(names)} : "
        f"{', '.join(types)} -> token"
    )


def store(p: Program, value: Value, *, is_inexact: bool = False) -> None:
    """Writes a tile to an output of its own."""
    ways = [store_pointer] + [store_view] * (2 if value.shape else 0)
    p.pick(ways)(p, value, is_inexact=is_inexact)


def any_leaf(p: Program, shape: Shape) -> None:
    """A new tile of any element type."""
    if p.number(0, 9) == 0:
        p.pool += p.grid_extents()
    p.add(leaf(p, shape, p.pick((*INTEGERS, *FLOATS))))
