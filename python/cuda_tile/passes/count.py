# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wait counts: how many groups each wait may leave in flight.

Contract: in, level W as `ring`, `skew` and `issue` leave it; out, the same with
`groups` on every `take` of a ring that waits by groups, and on every `await` and
`release` that waits for products.

Copies of threads are committed in groups, one per `publish`; each product is a group.
Waits are in order: "all but the N youngest" (PTX ISA, "cp.async.wait_group",
"wgmma.wait_group"). N is the number of groups that are younger, on every path, than the
youngest group that is needed. A smaller N is always safe: paths that meet keep the
smaller number. If they disagree about the iterations that a ring has in flight, its
takes wait for everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.analysis.liveness import products_of
from cuda_tile.ir.async_products import completes_in_groups
from cuda_tile.ir.copies import waits_by_groups
from cuda_tile.ir.traits import AWAITS, DRAIN_STEPS, RELEASES, TAKES
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.records import dataclass

Ages = tuple[int, ...]
"""Of iterations that are published and not taken, oldest first: the groups since."""


@dataclass(frozen=True)
class InFlight:
    """What has been committed on the paths to an op.

    Attributes:
        rings: Ages of the iterations of each ring; None where paths disagree about
            them.
        products: Groups of products since each pending value was made. A value that is
            missing was pending from the start.
    """

    rings: Mapping[ir.Value, Ages | None] = field(
        default_factory=dict[ir.Value, "Ages | None"]
    )
    products: Mapping[ir.Value, int] = field(default_factory=dict[ir.Value, int])


@each_kernel
def run(entry: ir.Operation) -> None:
    """Sets the counts of an entry."""
    i64 = ir.IntegerType.get_signless(64)
    flow = ControlFlow(entry)
    waits = [op for op in flow.ops() if op.name in DRAIN_STEPS | AWAITS]
    if not waits:
        return
    analysis = Groups(flow)
    analysis.solve(InFlight())
    for op in waits:
        state = analysis.before(op)
        count = None if state is None else _groups(op, state)
        if count is not None:
            op.attributes["groups"] = ir.IntegerAttr.get(i64, count)


def _groups(op: ir.Operation, state: InFlight) -> int | None:
    """Groups that an op may leave in flight; None if it waits for no groups."""
    if op.name in TAKES:
        if not waits_by_groups(op.operands[0]):
            return None
        ages = state.rings.get(op.operands[0])
        return ages[0] if ages else 0
    if not all(map(completes_in_groups, products_of(op))):
        return None
    pending = [v for v in op.operands if isinstance(v.type, PendingType)]
    ages = [state.products[value] for value in pending if value in state.products]
    if op.name in RELEASES and not pending:
        return None
    # A value from the start needs no wait; 0 is right without a special case.
    return min(ages, default=0)


class Groups(ForwardAnalysis[InFlight]):
    """What is in flight before each op."""

    def join(self, known: InFlight, news: InFlight) -> InFlight:
        """The smaller numbers of either path."""
        rings: dict[ir.Value, Ages | None] = {}
        for ring in _keys(known.rings, news.rings):
            one, other = known.rings.get(ring, ()), news.rings.get(ring, ())
            rings[ring] = _smaller(one, other)
        products = {
            value: min(
                known.products.get(value, news.products.get(value, 0)),
                news.products.get(value, known.products.get(value, 0)),
            )
            for value in _keys(known.products, news.products)
        }
        return InFlight(rings, products)

    def forward(self, edge: Edge, state: InFlight) -> InFlight:
        """A forwarded value keeps its age."""
        news = {
            received: state.products[sent]
            for sent, received in edge.pairs
            if sent in state.products
        }
        if not news:
            return state
        return InFlight(state.rings, {**state.products, **news})

    def transfer(self, op: ir.Operation, state: InFlight) -> InFlight:
        """Publishes and products are new groups; a take ends the oldest iteration."""
        rings = dict(state.rings)
        match op.name:
            case "tileas.ring":
                rings[op.results[0]] = ()
            case "tileas.publish" if waits_by_groups(op.operands[0]):
                for ring, ages in rings.items():
                    rings[ring] = ages and tuple(age + 1 for age in ages)
                own = rings.get(op.operands[0], ())
                rings[op.operands[0]] = None if own is None else (*own, 0)
            case "tileas.take" if rings.get(op.operands[0]):
                rings[op.operands[0]] = (rings[op.operands[0]] or ())[1:]
            case _ if completes_in_groups(op):
                older = {value: age + 1 for value, age in state.products.items()}
                return InFlight(state.rings, {**older, op.results[0]: 0})
            case _:
                return state
        return InFlight(rings, state.products)


def _smaller(one: Ages | None, other: Ages | None) -> Ages | None:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(map(min, one, other))


def _keys(*maps: Mapping[ir.Value, object]) -> Iterable[ir.Value]:
    return dict.fromkeys(key for each in maps for key in each)
