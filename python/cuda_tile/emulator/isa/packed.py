# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Floating-Point Instructions" on pairs of singles (`.f32x2`, sm_100)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.floating import MODES, finish, product_in_mode, sum_in_mode
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate
from cuda_tile.emulator.ptx.types import TYPES, Array

CHAPTER = Chapter("Floating-Point Instructions: pairs")

_SINGLE = TYPES["f32"]
Fn = Callable[..., Array]


def _emit(form: Form, b: Builder, count: int, fn: Fn, *, ftz: bool) -> Compiled:
    form.require("f32x2")
    word = TYPES["b64"]
    if b.algebra:
        single = exact.function(b.algebra, form.instruction.opcode, fn)
        single = exact.from_pairs(b.algebra, single)
    else:
        single = finish(fn, _SINGLE, ftz=ftz)

    def on_pairs(*values: Array) -> Array:
        singles = [np.ascontiguousarray(value).view(np.float32) for value in values]
        return np.ascontiguousarray(single(*singles), np.float32).view(np.uint64)

    d, *sources = form.operands(count)
    if any(isinstance(source, Immediate) for source in sources):
        form.error("expected registers, got a constant")
    return b.elementwise(on_pairs, b.dst(d, word), *(b.src(s, word) for s in sources))


@CHAPTER.instruction("add", "f32x2")
def add(form: Form, b: Builder) -> Compiled:
    """Floating-Point add: `.f32x2`."""
    mode, ftz = form.option(*MODES) or "rn", form.flag("ftz")
    return _emit(form, b, 3, sum_in_mode(mode, _SINGLE, np.add, 1.0), ftz=ftz)


@CHAPTER.instruction("sub", "f32x2")
def sub(form: Form, b: Builder) -> Compiled:
    """Floating-Point sub: `.f32x2`."""
    mode, ftz = form.option(*MODES) or "rn", form.flag("ftz")
    return _emit(form, b, 3, sum_in_mode(mode, _SINGLE, np.subtract, -1.0), ftz=ftz)


@CHAPTER.instruction("mul", "f32x2")
def mul(form: Form, b: Builder) -> Compiled:
    """Floating-Point mul: `.f32x2`."""
    mode, ftz = form.option(*MODES) or "rn", form.flag("ftz")
    return _emit(form, b, 3, product_in_mode(mode, _SINGLE), ftz=ftz)


@CHAPTER.instruction("fma", "f32x2")
def fma(form: Form, b: Builder) -> Compiled:
    """Floating-Point fma: `.f32x2`."""
    mode, ftz = form.choice(*MODES), form.flag("ftz")

    def fn(x: Array, y: Array, z: Array) -> Array:
        return numerics.fma_f32(x, y, z, mode)

    return _emit(form, b, 4, fn, ftz=ftz)
