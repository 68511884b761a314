# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Data Movement and Conversion Instructions": multimem.

A multicast address stands for one location on each GPU of a group. There is one device
here, so that an address is its own only replica: `ld_reduce` loads, `st` stores, and
`red` is an atomic reduction.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.isa.atomic import update_rule, update_words
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.move import SCOPES, WIDTHS, memory_operand
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ordering.memory_order import MemoryOrder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import Type
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Data Movement and Conversion Instructions: multimem")

_BITWISE = ("b32", "b64")
_INTEGERS = ("u32", "s32", "u64", "s64")
_HALVES = ("f16", "bf16", "f16x2", "bf16x2")
_EIGHTHS = ("e5m2x4", "e4m3x4")
_TYPES: dict[str, tuple[str, ...]] = {
    "and": _BITWISE,
    "or": _BITWISE,
    "xor": _BITWISE,
    "add": ("u32", "s32", "u64", "f32", "f64", *_HALVES, *_EIGHTHS),
    "min": (*_INTEGERS, *_HALVES, *_EIGHTHS),
    "max": (*_INTEGERS, *_HALVES, *_EIGHTHS),
}
_STORED = (*_BITWISE, *_INTEGERS, "f32", "f64", *_HALVES, *_EIGHTHS)
_ORDERS = {
    "ld_reduce": ("weak", "relaxed", "acquire"),
    "st": ("weak", "relaxed", "release"),
    "red": ("relaxed", "release"),
}
_PRECISIONS = ("acc::f32", "acc::f16")


@CHAPTER.instruction("multimem")
def multimem(form: Form, b: Builder) -> Compiled:
    """Data Movement multimem: ld_reduce, st and red of one replica."""
    kind = form.choice(*_ORDERS)
    form.arrange(
        _ORDERS[kind], SCOPES, ("global",), _TYPES, _PRECISIONS, WIDTHS, _STORED
    )
    semantics = form.option(*_ORDERS[kind])
    # Only a strong order has a scope. Without one `red` is relaxed, the others weak.
    scope = form.option(*SCOPES) if semantics not in ("", "weak") else ""
    semantics = semantics or ("relaxed" if kind == "red" else "weak")
    order = MemoryOrder.of(semantics, scope or ("" if semantics == "weak" else "gpu"))
    space = form.option("global")
    operation = "" if kind == "st" else form.choice(*_TYPES)
    if kind == "ld_reduce":
        form.option(*_PRECISIONS)
    width = WIDTHS.get(form.option(*WIDTHS), 1)
    ty = form.type(*(_TYPES[operation] if operation else _STORED))
    _check_vector(form, kind, operation, ty, width)
    if kind == "ld_reduce":
        return _load(form, b, space, ty, width, order)
    if kind == "st":
        return _store(form, b, space, ty, width, order)
    assert order is not None, "reductions are strong"
    address, value = form.operands(2)
    rule = update_rule(operation, ty, "global", b.algebra)
    return update_words(form, b, (), address, [value], space, ty, width, rule, order)


def _check_vector(form: Form, kind: str, operation: str, ty: Type, width: int) -> None:
    """A vector is of floats and has at most 16 bytes; a single half has no form."""
    is_half, is_pair = ty.name in ("f16", "bf16"), ty.name in ("f16x2", "bf16x2")
    is_vector = ty.name in ("f32", *_HALVES, *_EIGHTHS)
    if width > 1 and (not is_vector or width * ty.bits > 128):
        form.error(f"expected a vector of floats of at most 128 bits, got {ty}")
    if width == 1 and is_half:
        form.error(f"expected a vector of {ty}")
    if kind != "red":
        return
    if ty.name in _EIGHTHS or (width == 1 and is_pair and operation != "add"):
        form.error(f"expected '.add', or a vector of 16-bit floats, got {ty}")


def _load(
    form: Form, b: Builder, space: str, ty: Type, width: int, order: MemoryOrder | None
) -> Compiled:
    """The reduction over one replica is what it holds."""
    d, source = form.operands(2)
    space, address = memory_operand(form, b, source, space)
    results = form.vector(d, width) if width > 1 else (d,)
    targets = [b.dst(result, ty) for result in results]
    size, at, spaces = ty.bytes * width, b.at, b.spaces

    def run(lanes: Lanes) -> None:
        values = spaces.load(at, space, lanes, address(lanes), size, order)
        for place, target in enumerate(targets):
            target[lanes.index] = values.view(ty.dtype)[:, place]

    return b.step(run, defines=True)


def _store(
    form: Form, b: Builder, space: str, ty: Type, width: int, order: MemoryOrder | None
) -> Compiled:
    where, value = form.operands(2)
    space, address = memory_operand(form, b, where, space)
    elements = form.vector(value, width) if width > 1 else (value,)
    sources = [b.stored(element, ty) for element in elements]
    at, spaces, machine = b.at, b.spaces, b.machine

    def run(lanes: Lanes) -> None:
        data = np.stack([source[lanes.index] for source in sources], axis=1)
        machine.progress += 1
        octets = np.ascontiguousarray(data.astype(ty.dtype, copy=False)).view(np.uint8)
        spaces.store(at, space, lanes, address(lanes), octets, order, None)

    return b.step(run)
