# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and bulk stores that go on behind their op, in the order of their starts.

For each the places that it reads, as bits, the youngest last. A wait that may leave N
of them in flight ends all but the N youngest (PTX ISA, "wgmma.wait_group",
"cp.async.bulk.wait_group").
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.traits import AWAITS

InFlight = tuple[int, ...]
MOST = 16
"""How many are told apart; older ones count as one."""


def joined(one: InFlight, other: InFlight) -> InFlight:
    """What is in flight on either path, matched from the youngest.

    Args:
        one: What is in flight on one path.
        other: On the other one.
    """
    length = max(len(one), len(other))
    padded = ((0,) * (length - len(each)) + each for each in (one, other))
    both = tuple(a | b for a, b in zip(*padded, strict=True))
    if length <= MOST:
        return both
    oldest = 0
    for each in both[: length - MOST + 1]:
        oldest |= each
    return (oldest, *both[length - MOST + 1 :])


def products_behind(op: ir.Operation, products: InFlight) -> InFlight:
    """The products that are still in flight behind an op.

    Args:
        op: An op, which may be a wait for products.
        products: Those in flight before it.
    """
    is_waiting = any(isinstance(value.type, PendingType) for value in op.operands)
    return _left(op, products) if op.name in AWAITS and is_waiting else products


def copies_behind(op: ir.Operation, copies: InFlight) -> InFlight:
    """The bulk stores that still read their buffers behind an op.

    Args:
        op: An op, which may be a wait for them.
        copies: Those in flight before it.
    """
    return _left(op, copies) if op.name == "tileas.await_copies" else copies


def _left(op: ir.Operation, started: InFlight) -> InFlight:
    count = integer(op, "groups") if "groups" in op.attributes else 0
    return started[max(0, len(started) - count) :]
