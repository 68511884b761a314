# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adding +0 to what is never -0 goes: an open mask that was added leaves that behind.

x + 0 is x but for x = -0. The sum of a product with an initial +0 is never -0 where it
is either 0 or too large to be rounded to 0: +0 plus anything else is 0 only as +0
(IEEE 754, 6.3). Products of two numbers of 16 bits or less with few bits of exponent
are multiples of 2^-48 or more, so that no sum in f32 is rounded to 0; those of bf16 and
wider ones may be. Of these the addition goes where nobody sees the signs of zeros, such
as in scores of which only exponentials are computed.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.zero_signs import hides_zero_signs
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import defining_op, listed_ops

_NEVER_TINY = ("f16", "f8E4M3FN", "f8E5M2")


def drop_added_zeros(entry: ir.Operation) -> None:
    """Replaces such additions by what they add to."""
    for op in listed_ops(entry):
        if op.name != "cuda_tile.addf":
            continue
        for value, zero in (op.operands, reversed(list(op.operands))):
            if uniform_bits(zero) == 0 and (
                _is_never_minus_zero(value) or hides_zero_signs(op.results[0])
            ):
                op.results[0].replace_all_uses_with(value)
                op.erase()
                break


def _is_never_minus_zero(value: ir.Value) -> bool:
    op = defining_op(value)
    if op is None or op.name != "cuda_tile.mmaf":
        return False
    left, _, start = op.operands
    is_exact = str(element_of(left)) in _NEVER_TINY and str(element_of(start)) == "f32"
    return is_exact and uniform_bits(start) == 0
