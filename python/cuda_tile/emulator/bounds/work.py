# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of one PTX instruction for the units of a multiprocessor.

PTX is not what runs: ptxas joins, removes and adds instructions. Where it is known what
becomes of an instruction (tried with ptxas 13.5), its weight says so; the others
count as one. Weights are the least that was seen, as this is a bound.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile.emulator.bounds.chip import Chip
from cuda_tile.emulator.ptx.syntax import Instruction

# No instructions: names for registers and constants, which others take as operands,
# and hints.
_FREE = frozenset({"mov", "cvta", "pragma", "createpolicy", "isspacep"})
# 64-bit integers are pairs of registers.
_WIDE = frozenset({"u64", "s64", "b64"})
_PAIRED = frozenset(
    {"add", "sub", "and", "or", "xor", "not", "neg", "min", "max", "selp", "setp"}
    | {"shl", "shr", "set"}
)
_SPECIAL = frozenset(
    {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh", "div"}
)
_FLOATS = frozenset({"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"})
_PAIRS = frozenset({"f16x2", "bf16x2"})
# Multiply-adds of one HMMA.16816 of a warp, which wmma consists of.
_LARGEST_HMMA = 16 * 8 * 16
_MATRIX = frozenset({"mma", "wmma", "wgmma", "tcgen05"})
# Bits of an operand's element by its name.
_ELEMENT_BITS = {
    **dict.fromkeys(("f64",), 64),
    **dict.fromkeys(("tf32", "kind::tf32"), 32),
    **dict.fromkeys(("f16", "bf16", "kind::f16"), 16),
    **dict.fromkeys(
        ("e4m3", "e5m2", "s8", "u8", "kind::i8", "kind::f8f6f4", "kind::mxf8f6f4"), 8
    ),
    **dict.fromkeys(("e2m1", "s4", "u4", "kind::mxf4", "kind::mxf4nvf4"), 4),
    **dict.fromkeys(("b1",), 1),
}
_INTEGER = frozenset({"s8", "u8", "s4", "u4", "b1", "kind::i8"})


def issue_slots(
    instruction: Instruction, fma_per_warp: float, *, has_packed_f32: bool = True
) -> float:
    """Instructions that a scheduler issues for one instruction of a warp.

    Args:
        instruction: The PTX instruction.
        fma_per_warp: Multiply-adds it does per warp, for matrix instructions.
        has_packed_f32: Whether the chip has instructions for pairs of f32.
    """
    opcode, names = instruction.opcode, instruction.modifiers
    if opcode in _FREE:
        return 0
    if opcode == "ld" and "param" in names:
        return 0
    if opcode == "wmma" and fma_per_warp:
        return max(1.0, fma_per_warp / _LARGEST_HMMA)
    if "f32x2" in names:
        return 1 if has_packed_f32 else 2
    if _WIDE.isdisjoint(names):
        return 1
    if opcode == "cvt":  # the upper half, or nothing
        return 1
    if opcode in ("mul", "mad") and "lo" in names:
        return 3
    return 2 if opcode in _PAIRED else 1


def special_results(instruction: Instruction) -> int:
    """Results per lane that the special function units compute."""
    types = _FLOATS.intersection(instruction.modifiers)
    if instruction.opcode not in _SPECIAL or not types:
        return 0
    return 2 if types & _PAIRS else 1


def is_matrix(instruction: Instruction) -> bool:
    """Whether it may be a matrix product."""
    return instruction.opcode in _MATRIX


def fma_per_clock(chip: Chip, instruction: Instruction) -> float:
    """Multiply-adds per clock of a chip for a matrix instruction.

    Twice the width of an operand's element is half the rate.
    """
    names = instruction.modifiers
    bits, element = _operand(names)
    if bits == 64:
        return chip.f64_fma_per_clock
    rate = chip.fma_per_clock * 16 / bits
    if chip.has_slow_f32_sums and (element in _INTEGER or _sums_in_f16(names)):
        rate *= 2
    return rate


def _operand(names: Sequence[str]) -> tuple[int, str]:
    """Bits and name of the narrowest operand's element; 16 if none is named.

    D and C are never narrower than A and B. A kind says the width of the units, which
    floats of 4 and 6 bits may not fill.
    """
    kinds = [name for name in names if name.startswith("kind::")]
    known = [name for name in (kinds or names) if name in _ELEMENT_BITS]
    if not known:
        return 16, ""
    narrow = min(known, key=_ELEMENT_BITS.__getitem__)
    return _ELEMENT_BITS[narrow], narrow


def _sums_in_f16(names: Sequence[str]) -> bool:
    """Whether the first type, that of D (PTX ISA, "mma"), is f16."""
    types = [name for name in names if name in _ELEMENT_BITS or name in ("f32", "s32")]
    return bool(types) and types[0] == "f16"
