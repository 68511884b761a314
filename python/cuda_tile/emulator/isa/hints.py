# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Data Movement and Conversion Instructions": hints to the caches."""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate
from cuda_tile.emulator.ptx.types import B64, TYPES, U32
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Data Movement and Conversion Instructions: caches")
# PTX ISA, discard and applypriority: the only size.
_LINE_BYTES = 128
_WORD_BYTES = 16
_SECONDARY = ("L2::evict_first", "L2::evict_unchanged")
_PRIMARY = ("L2::evict_last", "L2::evict_normal", *_SECONDARY)


@CHAPTER.instruction("prefetch")
def prefetch(form: Form, b: Builder) -> Compiled:
    """Data Movement prefetch: no effect on values."""
    space = form.option("global", "local", "const", "param")
    form.choice("L1", "L2", "L2::evict_last", "L2::evict_normal", "tensormap")
    (x,) = form.operands(1)
    b.address(x, space)
    return b.no_effect()


@CHAPTER.instruction("prefetchu")
def prefetchu(form: Form, b: Builder) -> Compiled:
    """Data Movement prefetchu: no effect on values."""
    form.require("L1")
    (x,) = form.operands(1)
    b.address(x, "")
    return b.no_effect()


@CHAPTER.instruction("applypriority")
def applypriority(form: Form, b: Builder) -> Compiled:
    """Data Movement applypriority: no effect on values."""
    space = form.option("global")
    form.require("L2::evict_normal")
    x, size = form.operands(2)
    b.address(x, space)
    if b.integer(size, "a constant size") != _LINE_BYTES:
        form.error(f"expected a size of {_LINE_BYTES}")
    return b.no_effect()


@CHAPTER.instruction("discard")
def discard(form: Form, b: Builder) -> Compiled:
    """Data Movement discard: the line's values are undetermined from here on.

    An adversarial machine fills it with random bits; a fast one leaves it.
    """
    form.option("global")
    form.require("L2")
    x, size = form.operands(2)
    address = b.address(x, "global")
    if b.integer(size, "a constant size") != _LINE_BYTES:
        form.error(f"expected a size of {_LINE_BYTES}")
    machine, spaces, at = b.machine, b.spaces, b.at

    def run(lanes: Lanes) -> None:
        where = address(lanes)
        spaces.check_alignment(lanes, where, _LINE_BYTES)
        spaces.load_bytes(lanes, where, _LINE_BYTES)
        if not machine.is_adversarial:
            return
        noise = machine.rng.integers(0, 256, (lanes.count, _LINE_BYTES), np.uint8)
        for start in range(0, _LINE_BYTES, _WORD_BYTES):
            data = noise[:, start : start + _WORD_BYTES]
            place = where + np.uint64(start)
            spaces.store(at, "global", lanes, place, np.ascontiguousarray(data))

    return b.step(run)


@CHAPTER.instruction("createpolicy")
def createpolicy(form: Form, b: Builder) -> Compiled:
    """Data Movement createpolicy: an opaque 64-bit value, here 0."""
    kind = form.choice("fractional", "range", "cvt")
    if kind == "cvt":
        form.require("L2", "b64")
        d, access = form.operands(2)
        b.src(access, B64)
    elif kind == "range":
        form.option("global")
        form.choice(*_PRIMARY)
        form.option(*_SECONDARY)
        form.require("b64")
        d, address, *sizes = form.operands(4)
        b.address(address, "global")
        for size in sizes:
            b.src(size, U32)
    else:
        form.choice(*_PRIMARY)
        form.option(*_SECONDARY)
        form.require("b64")
        d, *fraction = form.some_operands(1, 2)
        for part in fraction:
            if not 0 < b.src(part, TYPES["f32"])[0] <= 1 and isinstance(
                part, Immediate
            ):
                form.error("expected a fraction above 0, at most 1")
    dst = b.dst(d, B64)

    def run(lanes: Lanes) -> None:
        dst[lanes.index] = 0

    return b.step(run, defines=True)
