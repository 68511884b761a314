# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences of f32 instructions, of single elements or of pairs of them.

For single elements a sequence is one piece of inline PTX, which keeps its order; for
pairs each instruction that has a form for pairs is one, and the others are two.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.ptxas_habits import with_its_sign
from cuda_tile.records import dataclass

IN_PAIRS = ("add", "sub", "mul", "fma")
"""Instructions with `.f32x2`, where the chip has pairs of f32 (PTX ISA, "fma")."""
SOURCE, RESULT = "x", "result"
"""The names of a sequence's operand and of what it gives."""


def ptx_float(e: Emitter, instruction: str, suffix: str) -> Callable[..., ir.Value]:
    """A function that applies one PTX instruction to f32 or f64 scalars, or f32 pairs.

    Args:
        e: The emitter.
        instruction: The instruction, such as `add`; for pairs one of `IN_PAIRS`.
        suffix: The type.
    """

    def apply(*operands: ir.Value) -> ir.Value:
        b, result = e.builder, operands[0].type
        kind, ty = suffix, result
        values = [with_its_sign(e.builder, operand) for operand in operands]
        if isinstance(result, ir.VectorType):
            kind, ty = "f32x2", b.i64
            values = [b.bitcast(operand, b.i64) for operand in operands]
        slots = ", ".join(f"${i}" for i in range(len(values) + 1))
        found = b.ptx_value(f"{instruction}.{kind} {slots};", ty, *values)
        return b.bitcast(found, result)

    return apply


@dataclass(frozen=True)
class Step:
    """One instruction.

    Attributes:
        name: What later steps call its result.
        instruction: The instruction without its type.
        operands: Names, and numbers that f32 holds.
    """

    name: str
    instruction: str
    operands: tuple[str | float, ...]

    @property
    def has_pairs(self) -> bool:
        """Whether there is a form for pairs; `.sat` has none (PTX ISA, "fma")."""
        stem, *modifiers = self.instruction.split(".")
        return stem in IN_PAIRS and "sat" not in modifiers


def in_steps(e: Emitter, steps: Sequence[Step]) -> Callable[[ir.Value], ir.Value]:
    """A function that applies a sequence to an f32 or a pair of f32.

    Args:
        e: The emitter.
        steps: The sequence; the last one gives `RESULT`.
    """
    text = _text(steps)

    def function(x: ir.Value) -> ir.Value:
        if isinstance(x.type, ir.VectorType):
            return _of_pair(e, steps, x)
        return e.builder.ptx_value(text, x.type, with_its_sign(e.builder, x))

    return function


def splat(e: Emitter, ty: ir.Type, number: float) -> ir.Value:
    """A number as an f32, or as a pair of it.

    Args:
        e: The emitter.
        ty: The type of either.
        number: A number that f32 holds.
    """
    one = e.builder.constant(e.builder.f32, number)
    return e.packer.pack_values([one, one]) if isinstance(ty, ir.VectorType) else one


def each(e: Emitter, function: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """A function of single elements that takes pairs, too.

    Args:
        e: The emitter.
        function: The function.
    """

    def apply(*operands: ir.Value) -> ir.Value:
        if not isinstance(operands[0].type, ir.VectorType):
            return function(*operands)
        rows = zip(*(e.packer.split(v, 2) for v in operands), strict=True)
        return e.packer.pack_values([function(*row) for row in rows])

    return apply


def _of_pair(e: Emitter, steps: Sequence[Step], x: ir.Value) -> ir.Value:
    values = {SOURCE: x}
    for step in steps:
        apply = ptx_float(e, step.instruction, "f32")
        operands = [
            values[operand] if isinstance(operand, str) else splat(e, x.type, operand)
            for operand in step.operands
        ]
        values[step.name] = (apply if step.has_pairs else each(e, apply))(*operands)
    return values[RESULT]


def _text(steps: Sequence[Step]) -> str:
    """The sequence as a block of inline PTX: `$0` of `$1`."""
    slots = {SOURCE: "$1", RESULT: "$0"}
    names = dict.fromkeys(step.name for step in steps if step.name != RESULT)
    lines = [f".reg .f32 {', '.join(names)};"]
    for step in steps:
        operands = [
            slots.get(operand, operand) if isinstance(operand, str) else _f32(operand)
            for operand in step.operands
        ]
        places = ", ".join([slots.get(step.name, step.name), *operands])
        lines.append(f"{step.instruction}.f32 {places};")
    return "\n".join(["{", *lines, "}"])


def _f32(number: float) -> str:
    """An f32 as PTX writes it: `0f` and its bits (PTX ISA, "Constants")."""
    return f"0f{struct.unpack('<I', struct.pack('<f', number))[0]:08X}"
