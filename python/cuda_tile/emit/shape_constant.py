# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family shape: constants, of one value or of a list of values.

A splat is one LLVM constant. Each thread needs the values of a list at its own places.
If few threads differ, the thread index selects among constants; otherwise they come
from a table in global memory, which is part of the kernel.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, TypeAlias

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_bits, constant_list
from cuda_tile.constants import MOST_CHOICES
from cuda_tile.emit.addresses import Addresses, Origin
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.vectors import Run, load_run
from cuda_tile.errors import InternalError
from cuda_tile.ir.tiles import element_bits, element_of, is_distributed, layout_of
from cuda_tile.layout import f2
from cuda_tile.layout.coords import pack
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import shared_access
from cuda_tile.layout.swizzle import row_major

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Words: TypeAlias = "NDArray[np.unsignedinteger]"
"""The bits of each element of a tile in row-major order."""


@RULES.register("constant")
def constant(e: Emitter, op: ir.Operation) -> None:
    """One LLVM constant for all elements, or those of a list."""
    result = op.results[0]
    ty = e.element_type(element_of(result))
    splat = constant_bits(op)
    if splat is not None:
        scalar = _register(e, ty, splat)
        if not is_distributed(result):
            e.set(result, scalar)
            return
        layout = layout_of(result)
        e.set(result, Fragment(layout, (scalar,) * layout.n_registers))
        return
    layout, words = layout_of(result), constant_list(op)
    columns = [column for group in layout.columns[1:] for column in group]
    if 1 << f2.rank(columns) <= MOST_CHOICES:
        values = _chosen(e, ty, layout, words)
    else:
        values = _loaded(e, element_of(result), layout, words)
    e.set(result, Fragment(layout, tuple(values)))


def _register(e: Emitter, ty: ir.Type, bits: int) -> ir.Value:
    """A constant of some bits; NaNs keep theirs."""
    b = e.builder
    if isinstance(ty, ir.IntegerType):
        return b.constant(ty, bits)
    if not isinstance(ty, ir.FloatType):
        raise InternalError(f"emit: expected a constant of numbers, got {ty}")
    number = _float_of(ty, bits)
    if math.isnan(number):
        word = ir.IntegerType.get_signless(ty.width)
        return b.bitcast(b.constant(word, bits), ty)
    return b.constant(ty, number)


def _float_of(ty: ir.FloatType, bits: int) -> float:
    """The number that some bits stand for, exactly."""
    if isinstance(ty, ir.BF16Type):
        return _float_of_format("<f", bits << 16)
    return _float_of_format({16: "<e", 32: "<f", 64: "<d"}[ty.width], bits)


def _float_of_format(form: str, bits: int) -> float:
    (number,) = struct.unpack(form, bits.to_bytes(struct.calcsize(form), "little"))
    return float(number)


def _chosen(
    e: Emitter, ty: ir.Type, layout: LinearLayout, words: Words
) -> list[ir.Value]:
    """Constants, each chosen by what the thread index adds to the element's number."""
    b = e.builder
    columns = [*layout.columns[1], *layout.columns[2]]
    form = e.threads.linear_form(columns)
    numbers = [0]
    for column in f2.complete((), columns):
        numbers += [number ^ column for number in numbers]
    conditions = [b.icmp("eq", form, n) for n in numbers[1:]]
    values: list[ir.Value] = []
    for place in layout.register_offsets():
        first = pack(place, layout.shape)
        found = [_register(e, ty, int(words[first ^ n])) for n in numbers]
        value = found[0]
        for condition, other in zip(conditions, found[1:], strict=True):
            if other != value:
                value = b.select(condition, other, value)
        values.append(value)
    return values


def _loaded(
    e: Emitter, element: ir.Type, layout: LinearLayout, words: Words
) -> list[ir.Value]:
    """Vector loads from a table of all elements in row-major order."""
    bits = element_bits(element)
    access = shared_access(layout, row_major(layout.shape), bits)
    run = Run(e.element_type(element), bits, access.vector)
    data = words.astype(f"<u{bits // 8}").tobytes()
    columns = (*access.columns.lane, *access.columns.warp, *access.columns.block)
    addresses = Addresses(e, (e.table(data), 0), bits // 8, columns, Origin())
    scalars: dict[int, ir.Value] = {}
    for offset, registers in zip(access.offsets, access.registers, strict=True):
        loaded = load_run(e.builder, run, addresses.at(offset))
        values = [v for w in loaded for v in e.builder.elements(w, run.word_elements)]
        scalars.update(zip(registers, values, strict=True))
    return [scalars[register] for register in range(layout.n_registers)]
