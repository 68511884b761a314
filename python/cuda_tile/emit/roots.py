# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correctly rounded roots of f32, those of a thread with one test for many.

`rsqrt.approx` gives y within 2^-22.9 of 1 / sqrt(x), relative (PTX ISA, "rsqrt"). The
root s = x y is corrected twice, to s + (x - s s) y / 2. All x from 1 to 4 were tried
with all y that the error allows: two are wrong after the first correction, none after
the second (2026-11-29); test/emit/test_roots.py tries some.

Scaling by powers of four changes nothing while no step leaves the normal numbers: for
roots of 2^-50 or more the remainder is at least 2^-46 of x, or zero, and representable.
Zero, infinity, what is negative and what is subnormal leave NaN.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.jointly import (
    Values,
    are_no_less,
    fma,
    gains,
    groups,
    if_usual,
    in_pairs,
    negative,
)
from cuda_tile.emit.steps import ptx_float, splat

_LEAST_ROOT = 2.0**-50


def joint_roots(e: Emitter, op: ir.Operation) -> list[ir.Value] | None:
    """The roots of one thread, or None where these gain nothing by being joint.

    Args:
        e: The emitter.
        op: A root of a tile of f32, to nearest.
    """
    operands = e.packer.scalars(e.fragment(op.operands[0]))
    if not gains(e, len(operands)):
        return None
    return [root for (some,) in groups(operands) for root in _roots(e, some)]


def _roots(e: Emitter, operands: Values) -> list[ir.Value]:
    b, one_by_one = e.builder, ptx_float(e, "sqrt.rn", "f32")
    inverse = list(map(ptx_float(e, "rsqrt.approx.ftz", "f32"), operands))

    def corrected(x: ir.Value, y: ir.Value) -> ir.Value:
        half = b.op("llvm.fmul", x.type, y, splat(e, x.type, 0.5))
        root = b.op("llvm.fmul", x.type, x, y)
        for _ in range(2):
            root = fma(b, fma(b, negative(b, root), root, x), half, root)
        return root

    made = in_pairs(e, corrected, operands, inverse)
    tests = [are_no_less(b, made, _LEAST_ROOT)]
    return if_usual(b, tests, lambda: made, lambda: list(map(one_by_one, operands)))
