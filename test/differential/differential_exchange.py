# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles whose elements have to change threads: through shuffles or shared memory."""

from __future__ import annotations

from differential_program import RandomProgram
from emit_control import product
from emit_data import is_float
from emit_elementwise import operand
from emit_program import Shape, Value, tile
from emit_shape import factorised


def _matrix(p: RandomProgram) -> Value:
    """A tile of rank 2, more often one of the innermost region."""
    known = [v for v in p.pool if len(v.shape) == 2 and 1 not in v.shape]
    if not known:
        return operand(p, p.shape, p.pick(("i32", "f32")))
    inner = p.inner(known) if p.number(0, 5) else []
    return p.pick(p.unused(inner) or inner or known)


def _combine(p: RandomProgram, a: Value, b: Value) -> Value:
    """Both tiles in one, so that they need one layout."""
    if a.element == "i1":
        name = "xori"
    elif is_float(a.element):
        name = p.pick(("addf", "subf", "maxf"))
    else:
        name = p.pick(("addi", "subi", "xori"))
    text = f"{name} {a.name}, {b.name} : {a.type}"
    return p.add(p.make(a.shape, a.element, text, is_payload=False))


def _permuted(p: RandomProgram, value: Value) -> Value:
    shape = value.shape[::-1]
    text = f"permute {value.name} [1, 0] : {value.type} -> {tile(shape, value.element)}"
    return p.make(shape, value.element, text, is_payload=value.is_payload)


def _reshaped(p: RandomProgram, value: Value, shape: Shape) -> Value:
    text = f"reshape {value.name} : {value.type} -> {tile(shape, value.element)}"
    return p.make(shape, value.element, text, is_payload=value.is_payload)


def transpose(p: RandomProgram) -> None:
    """A tile and another one transposed, added up."""
    value = _matrix(p)
    other = operand(p, value.shape[::-1], value.element)
    _combine(p, value, _permuted(p, other))


def permute_and_reshape(p: RandomProgram) -> None:
    """The elements read in the other order of dimensions, in the same shape."""
    value = _matrix(p)
    transposed = _reshaped(p, _permuted(p, value), value.shape)
    _combine(p, value, transposed)


def regroup(p: RandomProgram) -> None:
    """A tile by way of a shape with other dimensions, one of them moved."""
    value = _matrix(p)
    count = value.shape[0] * value.shape[1]
    shape = factorised(p, count)
    if len(shape) < 2:
        return
    order = p.shuffled(range(len(shape)))
    apart = _reshaped(p, value, shape)
    moved = tuple(shape[d] for d in order)
    text = f"permute {apart.name} [{', '.join(map(str, order))}] : {apart.type} -> "
    text += tile(moved, value.element)
    apart = p.make(moved, value.element, text, is_payload=value.is_payload)
    _combine(p, value, _reshaped(p, apart, value.shape))


def spread_sums(p: RandomProgram) -> None:
    """Reduces along one dimension and adds the result to each row, as softmax does."""
    value = _matrix(p)
    dim = p.number(0, 1)
    rest = (value.shape[1 - dim],)
    total = Value(p.fresh(), rest, value.element, is_payload=False)
    if is_float(value.element):
        # What loses against every number: NaN.
        name, identity = (
            "maxf",
            {"f16": "7E00", "bf16": "7FC0", "f32": "7FC00000"}.get(
                value.element, "7FF8000000000000"
            ),
        )
        identity = f"0x{identity} : {value.element}"
    elif value.element == "i1":
        name, identity = "xori", "false"
    else:
        name, identity = "addi", f"0 : {value.element}"
    scalar = tile((), value.element)
    p.line(
        f"{total.name} = reduce {value.name} dim={dim} identities=[{identity}] : "
        f"{value.type} -> {total.type}"
    )
    p.line(f"(%a: {scalar}, %b: {scalar}) {{")
    p.line(f"  %r = {name} %a, %b : {scalar}")
    p.line(f"  yield %r : {scalar}")
    p.line("}")
    line = (1, rest[0]) if dim == 0 else (rest[0], 1)
    flat = _reshaped(p, total, line)
    text = f"broadcast {flat.name} : {flat.type} -> {value.type}"
    wide = p.make(value.shape, value.element, text, is_payload=False)
    _combine(p, value, wide)


EXCHANGES = {
    "transpose": transpose,
    "permute_and_reshape": permute_and_reshape,
    "regroup": regroup,
    "spread_sums": spread_sums,
    "product": product,
}
"""The exchanges, by name."""
