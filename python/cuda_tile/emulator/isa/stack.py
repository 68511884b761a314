# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Stack Manipulation Instructions": stacksave, stackrestore, alloca.

Each thread has a stack in its local memory, as large as the launch says; a stack
pointer is an address there. What a function allocates is free again when it returns.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import Type
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Stack Manipulation Instructions")
# PTX ISA, alloca: alignment where none is given.
_ALIGN_BYTES = 8


def _word(form: Form) -> Type:
    return form.type("u32", "u64")


@CHAPTER.instruction("alloca")
def alloca(form: Form, b: Builder) -> Compiled:
    """alloca: local memory until the function returns, or a stackrestore."""
    ty = _word(form)
    operands = form.some_operands(2, 3)
    dst, sizes = b.dst(operands[0], ty), b.src(operands[1], ty)
    align = _ALIGN_BYTES
    if len(operands) == 3:
        align = b.integer(operands[2], "a constant alignment")
        if align < 1 or align & (align - 1):
            form.error(f"expected a power of two as alignment, got {align}")
    machine = b.machine

    def run(lanes: Lanes) -> None:
        pointers = machine.call_stack.pointers[lanes.index]
        start = (pointers + align - 1) // align * align
        end = start + sizes[lanes.index].astype(np.int64)
        limit = machine.symbols.local_bytes
        if int(end.max()) > limit:
            raise Fault(
                "stack",
                f"expected at most {limit - machine.symbols.stack_start} bytes of "
                f"stack, got {int(end.max()) - machine.symbols.stack_start}; raise "
                f"`stack_bytes`",
            )
        machine.call_stack.pointers[lanes.index] = end
        dst[lanes.index] = start

    return b.step(run, defines=True)


@CHAPTER.instruction("stacksave")
def stacksave(form: Form, b: Builder) -> Compiled:
    """stacksave: the stack pointer, for a later stackrestore."""
    ty = _word(form)
    (d,) = form.operands(1)
    dst, machine = b.dst(d, ty), b.machine

    def run(lanes: Lanes) -> None:
        dst[lanes.index] = machine.call_stack.pointers[lanes.index]

    return b.step(run, defines=True)


@CHAPTER.instruction("stackrestore")
def stackrestore(form: Form, b: Builder) -> Compiled:
    """stackrestore: frees what was allocated since a stacksave."""
    ty = _word(form)
    (x,) = form.operands(1)
    source, machine = b.stored(x, ty), b.machine

    def run(lanes: Lanes) -> None:
        pointers = source[lanes.index].astype(np.int64)
        inside = (pointers >= machine.symbols.stack_start) & (
            pointers <= machine.call_stack.pointers[lanes.index]
        )
        if not inside.all():
            which = int(np.argmin(inside))
            raise Fault(
                "stack",
                f"expected a pointer of stacksave, got {int(pointers[which]):#x}",
            )
        machine.call_stack.pointers[lanes.index] = pointers

    return b.step(run)
