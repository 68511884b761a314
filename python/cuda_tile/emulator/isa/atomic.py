# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Parallel Synchronization and Communication Instructions": atom and red.

Lanes that hit one address go one after another, in lane order, or in a random order
in an adversarial machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.floating import extreme
from cuda_tile.emulator.isa.half import HALVES, on_halves
from cuda_tile.emulator.isa.move import (
    SCOPES,
    SPACES,
    WIDTHS,
    memory_operand,
    operands_before_policy,
    take_space,
)
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ordering.memory_order import MemoryOrder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand
from cuda_tile.emulator.ptx.types import Array, Type
from cuda_tile.emulator.tensor.map_object import decrement, increment
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.exact.algebra import Algebra

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
# PTX ISA, red.async and cp.reduce.async.bulk: types in shared memory of the cluster.
SHARED_TYPES: dict[str, tuple[str, ...]] = {
    "and": ("b32",),
    "or": ("b32",),
    "xor": ("b32",),
    "add": ("u32", "s32", "u64"),
    "inc": ("u32",),
    "dec": ("u32",),
    "min": ("u32", "s32"),
    "max": ("u32", "s32"),
}
_RETURNING = ("exch", "cas")
_ORDERS = ("relaxed", "acquire", "release", "acq_rel")
_REDUCTION_ORDERS = ("relaxed", "release")


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
    "inc": increment,
    "dec": decrement,
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


def _half_extreme(ty: Type, *, is_max: bool) -> Update:
    fn = extreme(is_max=is_max, nan=False, xorsign=False)

    def brain(x: Array, y: Array) -> Array:
        values = fn(numerics.bf16_to_f32(x), numerics.bf16_to_f32(y))
        return numerics.f32_to_bf16(values)

    return on_halves(ty, fn, brain)


def update_rule(
    operation: str, ty: Type, space: str, algebra: Algebra | None = None
) -> Update:
    """Returns what computes new values of an operation; `space` is the memory's."""
    rule = _update_rule(operation, ty, space)
    is_float = ty.name in (*HALVES, "f32", "f64")
    if algebra is None or not is_float or operation not in ("add", "min", "max"):
        return rule
    natural = extreme(is_max=operation == "max", nan=False, xorsign=False)
    return exact.update(algebra, operation, ty, natural)


def _update_rule(operation: str, ty: Type, space: str) -> Update:
    if operation in ("min", "max") and ty.name in HALVES:
        return _half_extreme(ty, is_max=operation == "max")
    if operation == "add" and ty.is_float and ty.bits > 16:
        return _float_add(space)
    if operation == "add" and ty.name in HALVES:
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
    orders = _ORDERS if returns else _REDUCTION_ORDERS
    form.arrange(orders, SCOPES, SPACES, _TYPES, ("noftz", "L2::cache_hint"), WIDTHS)
    # PTX ISA, atom: without qualifiers `.relaxed` and `.gpu`.
    semantics = form.option(*orders) or "relaxed"
    order = MemoryOrder.of(semantics, form.option(*SCOPES))
    assert order is not None, "atomics are strong"
    space = take_space(form)
    operation = form.choice(*(o for o in _TYPES if returns or o not in _RETURNING))
    is_noftz = form.flag("noftz")
    has_policy = form.flag("L2::cache_hint")
    width = WIDTHS.get(form.option(*WIDTHS), 1)
    ty = _type(form, operation, width, space)
    if is_noftz != (ty.name in HALVES):
        form.error("expected '.noftz' exactly for 16-bit floats")
    n_sources = 2 if operation == "cas" else 1
    count = 1 + n_sources + returns
    operands = operands_before_policy(form, b, count, has_policy=has_policy)
    results: tuple[Operand, ...] = ()
    if returns:
        head = operands.pop(0)
        results = form.vector(head, width) if width > 1 else (head,)
    rule = update_rule(operation, ty, space, b.algebra)
    address, *values = operands
    return update_words(
        form, b, results, address, values, space, ty, width, rule, order
    )


def update_words(
    form: Form,
    b: Builder,
    results: tuple[Operand, ...],
    where: Operand,
    operands: list[Operand],
    named_space: str,
    ty: Type,
    width: int,
    update: Update,
    order: MemoryOrder,
) -> Compiled:
    """Updates a vector in memory; gives the old one where there are results.

    Args:
        form: The instruction, for errors.
        b: Where to build.
        results: Destinations by element of the vector, or none.
        where: The address operand.
        operands: Source operands, each a vector.
        named_space: State space that the instruction names; empty for generic.
        ty: Type of an element.
        width: Elements of the vector.
        update: The new value of old one and operands.
        order: Semantics and scope.
    """
    space, address = memory_operand(form, b, where, named_space)
    words = _words(form, b, operands, width, ty)
    targets = [b.dst(result, ty) for result in results]
    returns, at, spaces = bool(results), b.at, b.spaces

    def run(lanes: Lanes) -> None:
        values = [[word[lanes.index] for word in group] for group in words]

        def change(old: Array, which: Array) -> Array:
            columns = [
                update(old[:, place], *(value[which] for value in group))
                for place, group in enumerate(values)
            ]
            return np.stack(columns, axis=1).astype(ty.dtype, copy=False)

        where = address(lanes)
        old = spaces.atomic(
            at, space, lanes, where, ty, width, change, order, returns=returns
        )
        for place, target in enumerate(targets):
            target[lanes.index] = old[:, place]

    return b.step(run, defines=True)


def _type(form: Form, operation: str, width: int, space: str) -> Type:
    """Takes the type; vectors are of floats, in global memory."""
    if width == 1:
        return form.type(*_TYPES[operation])
    if space not in ("", "global"):
        form.error(f"expected global memory for a vector, got .{space}")
    names = ("f16", "bf16") if width == 8 else HALVES
    if operation == "add":
        return form.type(*names, *(() if width == 8 else ("f32",)))
    if operation not in ("min", "max"):
        form.error(f"expected '.add', '.min' or '.max' of vectors, got '.{operation}'")
    return form.type(*names)


def _words(
    form: Form, b: Builder, operands: list[Operand], width: int, ty: Type
) -> list[list[Array]]:
    """Source arrays by vector element, each with its one or two operands."""
    columns = [
        form.vector(operand, width) if width > 1 else (operand,) for operand in operands
    ]
    return [[b.stored(e, ty) for e in group] for group in zip(*columns, strict=True)]
