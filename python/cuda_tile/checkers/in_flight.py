# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous products and bulk stores in flight, and the places that they read.

Those that complete in groups are kept in the order of their starts, the youngest last:
a wait that may leave N of them in flight completes all but the N youngest (PTX ISA,
"wgmma.wait_group", "cp.async.bulk.wait_group"). Products that arrive at an mbarrier
belong to their sum: a wait completes those of its sums, and a take those of the sum in
its slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile.analysis.control_flow import Edge
from cuda_tile.analysis.tensor_columns import DEPOSIT
from cuda_tile.ir.async_products import completes_in_groups, sum_of
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.traits import AWAITS, PRODUCT_WAITS, TAKES
from cuda_tile.ir.walk import defining_op

InFlight = tuple[int, ...]
MOST = 16
"""How many are told apart; older ones count as one."""


def joined(one: InFlight, other: InFlight) -> InFlight:
    """What is in flight on either path, matched from the youngest.

    Args:
        one: The operations in flight on one path.
        other: Those on the other path.
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


class Products(NamedTuple):
    """The products in flight on some path; sets of places are bits.

    Attributes:
        groups: The places that each product reads which completes in groups, the
            youngest last.
        sums: For the other products, each sum that is not awaited with the places that
            are read for it; the ring of its slot replaces a sum that was deposited.
    """

    groups: InFlight = ()
    sums: frozenset[tuple[ir.Value, int]] = frozenset()

    def readers(self) -> Iterator[int]:
        """The places that each one reads, or those that are added to one sum."""
        yield from self.groups
        yield from (reads for _, reads in self.sums)

    def joined(self, other: Products) -> Products:
        """What is in flight on either path.

        Args:
            other: What is in flight on another path.
        """
        return Products(joined(self.groups, other.groups), self.sums | other.sums)

    def handed_on(self, edge: Edge) -> Products:
        """Sums under the names that control flow gives them.

        Args:
            edge: The edge.
        """
        return self._renamed(dict(edge.pairs))

    def started(self, op: ir.Operation, reads: int) -> Products:
        """What is in flight behind the start of a product.

        Args:
            op: The product.
            reads: The places that it reads.
        """
        if completes_in_groups(op):
            return self._replace(groups=joined((*self.groups, reads), ()))
        older = [item for item in self.sums if item[0] == sum_of(op)]
        news = {(op.results[0], reads | more) for _, more in older or [(None, 0)]}
        return self._replace(sums=self.sums - {*older} | news)

    def behind(self, op: ir.Operation) -> Products:
        """What is still in flight behind an op, which may be a wait for products.

        Args:
            op: The op.
        """
        if op.name == DEPOSIT:
            pending, slot = op.operands
            acquire = defining_op(slot)
            assert acquire is not None, "an acquire gives a slot"
            return self._renamed({pending: acquire.operands[0]})
        if op.name in TAKES:
            return self._ended({op.operands[0]})
        if op.name not in AWAITS:
            return self
        given = {value for value in op.operands if isinstance(value.type, PendingType)}
        if not given:
            return self
        left = self._replace(groups=_left(op, self.groups))
        return left._ended(given) if op.name in PRODUCT_WAITS else left

    def _ended(self, sums: Set[ir.Value]) -> Products:
        left = (item for item in self.sums if item[0] not in sums)
        return self._replace(sums=frozenset(left))

    def _renamed(self, names: Mapping[ir.Value, ir.Value]) -> Products:
        renamed = ((names.get(value, value), reads) for value, reads in self.sums)
        return self._replace(sums=frozenset(renamed))


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
