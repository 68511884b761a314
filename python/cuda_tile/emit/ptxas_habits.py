# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code for the sake of ptxas alone: one function for each of its habits.

Without these a kernel computes the same. `test/emit/test_ptxas_habits.py` assembles
kernels with and without each, and says what the difference is for which version.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.ir.walk import defining_op


def scheduling_fence(b: Builder) -> None:
    """Keeps ptxas from moving anything over this point, and from joining loads.

    ptxas 13.5 moves a wait for products up over instructions that only compute: in
    attention 31 of 34 exponentials then came behind the wait. ptxas merges two reads of
    the same shared memory, and keeps or spills the value. It moves and merges nothing
    over an event of the performance monitor; the empty mask stands for no event (PTX
    ISA, "pmevent").
    """
    b.ptx("pmevent.mask 0;", [], has_effect=True)


def register_constant(number: int, axis: str) -> str:
    """PTX of a constant (i32) that ptxas keeps in a register, as the output `$0`.

    Where an instruction takes several registers in a row, ptxas writes constants among
    them anew each time. The upper bit of `%ctaid` is zero (PTX ISA, "%ctaid"; CUDA C++
    Programming Guide, "Technical Specifications": grids have at most 2^31 - 1 CTAs
    along x and 65535 along y and z), but ptxas 13.5 does not use that.

    Args:
        number: The constant.
        axis: "x", "y", "z": constants of different axes get registers of their own.
    """
    text = f"mov.u32 $0, %ctaid.{axis};\n\tshr.u32 $0, $0, 31;\n\t"
    return f"{text}or.b32 $0, $0, {number};"


def computed_here(b: Builder, word: ir.Value) -> ir.Value:
    """The same 64 bits, of which what follows is computed where it stands.

    LLVM would compute what no iteration changes before the loop; where uniform
    registers are short, ptxas 13.5 keeps that in a thread's, and spills others for it.

    Args:
        b: The builder.
        word: The value (i64).
    """
    return b.ptx("mov.b64 $0, $1;", [b.i64], word, has_effect=True)[0]


def converted_word(b: Builder, low: ir.Value, high: ir.Value) -> ir.Value:
    """Two halves (i16) that conversions gave, as one word (i32), by `mov`.

    The second conversion then puts its bits beside those of the first one; where shifts
    join the halves, ptxas 13.5 makes a `PRMT` of them.
    """
    return b.bitcast(b.vector([low, high]), b.i32)


def with_its_sign(b: Builder, x: ir.Value) -> ir.Value:
    """The same f32 for inline PTX: if it is -y, the sign goes with what reads it.

    LLVM turns a sign of such an operand as an integer, which ptxas 13.5 keeps as an
    instruction; `neg.f32` becomes part of the instruction that follows.

    Args:
        b: The builder.
        x: The value.
    """
    made = defining_op(x)
    if x.type != b.f32 or made is None or made.name != "llvm.fneg":
        return x
    return b.ptx_value("neg.f32 $0, $1;", b.f32, made.operands[0])
