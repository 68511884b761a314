"""PTX ISA: "Parallel Synchronization and Communication Instructions": atom and red.

Lanes that hit one address go one after another, in lane order, or in a random order
in an adversarial machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator import numerics
from cuda_tile.emulator.build import Builder
from cuda_tile.emulator.form import Form
from cuda_tile.emulator.global_order import MemoryOrder
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.half import on_halves
from cuda_tile.emulator.isa.move import memory_operand, take_space
from cuda_tile.emulator.lanes import Lanes
from cuda_tile.emulator.step import Compiled
from cuda_tile.emulator.syntax import Operand
from cuda_tile.emulator.types import B64, Array, Type

CHAPTER = Chapter("Parallel Synchronization and Communication Instructions: atomics")

# New value from the old one and the operands.
Update = Callable[..., Array]

_TYPES: dict[str, tuple[str, ...]] = {
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
    "exch": ("b32", "b64", "b128"),
    "cas": ("b16", "b32", "b64", "b128"),
    "add": ("u32", "s32", "u64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"),
    "inc": ("u32",),
    "dec": ("u32",),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
}
_RETURNING = ("exch", "cas")


def _increment(old: Array, limit: Array) -> Array:
    return np.where(old >= limit, np.uint32(0), old + np.uint32(1))


def _decrement(old: Array, limit: Array) -> Array:
    return np.where((old == 0) | (old > limit), limit, old - np.uint32(1))


def _swap(old: Array, wanted: Array, new: Array) -> Array:
    equal = old == wanted
    if old.ndim == 2:
        equal = equal.all(axis=1, keepdims=True)
    return np.where(equal, new, old)


def _replace(old: Array, new: Array) -> Array:
    return new


_UPDATES: dict[str, Update] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": _replace,
    "cas": _swap,
    "add": np.add,
    "inc": _increment,
    "dec": _decrement,
    "min": np.minimum,
    "max": np.maximum,
}


def _float_add(space: str) -> Update:
    """f32 in global memory flushes subnormals; in shared memory it keeps them."""

    def add(old: Array, value: Array) -> Array:
        if old.dtype != np.float32 or space == "shared":
            return numerics.canonical(old + value)
        total = numerics.flush(old) + numerics.flush(value)
        return numerics.canonical(numerics.flush(total))

    return add


def _half_add(ty: Type) -> Update:
    def brain(x: Array, y: Array) -> Array:
        total = numerics.bf16_to_f32(x) + numerics.bf16_to_f32(y)
        return numerics.f32_to_bf16(total)

    def ieee(x: Array, y: Array) -> Array:
        return numerics.canonical(x + y)

    return on_halves(ty, ieee, brain)


def _update(operation: str, ty: Type, space: str) -> Update:
    if operation == "add" and ty.is_float and ty.bits > 16:
        return _float_add(space)
    if operation == "add" and ty.name in ("f16", "f16x2", "bf16", "bf16x2"):
        return _half_add(ty)
    return _UPDATES[operation]


@CHAPTER.instruction("atom")
def atom(form: Form, b: Builder) -> Compiled:
    """atom: changes a value in memory, returns the old one."""
    return _atomic(form, b, returns=True)


@CHAPTER.instruction("red")
def red(form: Form, b: Builder) -> Compiled:
    """red: changes a value in memory."""
    return _atomic(form, b, returns=False)


def _atomic(form: Form, b: Builder, *, returns: bool) -> Compiled:
    # PTX ISA, atom: without qualifiers `.relaxed` and `.gpu`.
    semantics = form.option("relaxed", "acquire", "release", "acq_rel") or "relaxed"
    order = MemoryOrder.of(semantics, form.option("cta", "cluster", "gpu", "sys"))
    assert order is not None, "atomics are strong"
    space = take_space(form)
    operation = form.choice(*(o for o in _TYPES if returns or o not in _RETURNING))
    is_noftz = form.flag("noftz")
    has_policy = form.flag("L2::cache_hint")
    width = {"": 1, "v2": 2, "v4": 4, "v8": 8}[form.option("v2", "v4", "v8")]
    ty = form.type(*_TYPES[operation])
    if is_noftz != (ty.name in ("f16", "f16x2", "bf16", "bf16x2")):
        form.error("expected '.noftz' exactly for 16-bit floats")
    n_sources = 2 if operation == "cas" else 1
    operands = list(form.operands(1 + n_sources + returns + has_policy))
    if has_policy:
        b.src(operands.pop(), B64)
    results: tuple[Operand, ...] = ()
    if returns:
        head = operands.pop(0)
        results = form.vector(head, width) if width > 1 else (head,)
    space, address = memory_operand(form, b, operands[0], space)
    words = _words(form, b, operands[1:], width, ty)
    targets = [b.dst(result, ty) for result in results]
    update, at, spaces = _update(operation, ty, space), b.at, b.spaces

    def run(lanes: Lanes) -> None:
        values = [[word[lanes.index] for word in group] for group in words]

        def change(old: Array, which: Array) -> Array:
            columns = [
                update(old[:, place], *(value[which] for value in group))
                for place, group in enumerate(values)
            ]
            return np.stack(columns, axis=1).astype(ty.dtype, copy=False)

        where = address(lanes)
        old = spaces.atomic(at, space, lanes, where, ty, width, change, order)
        for place, target in enumerate(targets):
            target[lanes.index] = old[:, place]

    return b.step(run, defines=True)


def _words(
    form: Form, b: Builder, operands: list[Operand], width: int, ty: Type
) -> list[list[Array]]:
    """Source arrays by vector element, each with its one or two operands."""
    columns = [
        form.vector(operand, width) if width > 1 else (operand,) for operand in operands
    ]
    return [[b.stored(e, ty) for e in group] for group in zip(*columns, strict=True)]
