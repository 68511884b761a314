# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds one layout per tile value from the constraints of all ops.

Values that must agree form classes (union-find). Matrix results fix their class, the
heaviest first. The other classes follow, first the one whose access moves most bytes.
The candidates of a class are the layouts that its accesses prefer; the class gets the
one with the least cost over all accesses (`place/cost.py`). An access that gets another
layout pays for the sectors it wastes or for a conversion, whichever is less. A class
with a layout passes it over `Related` edges to classes that have none.

The rest is a cut: a list of operands and results at which the caller inserts a
conversion. The result is deterministic. The time is linear in the number of
constraints, except for classes with many accesses: each is priced in the layout of each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import defining_op, location_text
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import (
    Constraint,
    Demand,
    Fixed,
    Meets,
    Prefer,
    Related,
    Same,
)
from cuda_tile.place.cost import conversion_cycles, tile_bits
from cuda_tile.records import dataclass


class Classes:
    """Union-find over values, in order of first mention."""

    def __init__(self) -> None:
        self._parent: dict[ir.Value, ir.Value] = {}

    def find(self, value: ir.Value) -> ir.Value:
        """The representative of `value`'s class."""
        root = value
        while (parent := self._parent.setdefault(root, root)) != root:
            root = parent
        while self._parent[value] != root:
            self._parent[value], value = root, self._parent[value]
        return root

    def union(self, first: ir.Value, second: ir.Value) -> None:
        """Joins two classes; the first keeps its representative.

        Args:
            first: A value of one class.
            second: A value of the other.
        """
        a, b = self.find(first), self.find(second)
        if a != b:
            self._parent[b] = a

    def values(self) -> Iterable[ir.Value]:
        """All values that were mentioned."""
        return list(self._parent)


@dataclass
class Solution:
    """Layouts of definitions, and of uses that need another one.

    Attributes:
        defined: Layout in which each value is produced.
        used: Layout in which an operand `(op, index)` must arrive.
    """

    defined: dict[ir.Value, LinearLayout] = field(default_factory=dict)
    used: dict[tuple[ir.Operation, int], LinearLayout] = field(default_factory=dict)


class _Solver:
    def __init__(
        self, constraints: list[Constraint], default: Callable[[ir.Value], LinearLayout]
    ) -> None:
        self.classes = Classes()
        self.layouts: dict[ir.Value, LinearLayout] = {}
        self.constraints = constraints
        self.default = default
        self.related = [c for c in constraints if isinstance(c, Related)]
        self.prefers: list[Prefer] = []
        self.apart: list[Meets] = []
        self.fixed_roots: set[ir.Value] = set()

    def build_classes(self) -> None:
        for constraint in self.constraints:
            match constraint:
                case Same(values):
                    for value in values:
                        self.classes.union(values[0], value)
                case Related(op, operand, result):
                    self.classes.find(op.operands[operand])
                    self.classes.find(op.results[result])
                case Fixed(value):
                    self.classes.find(value)
                case Prefer():
                    self.classes.find(constraint.value)
                case Demand(op, index):
                    self.classes.find(op.operands[index])
                case Meets():
                    pass  # `_read_accesses` joins it
        self._read_accesses()
        self._read_edges()

    def _read_edges(self) -> None:
        self.edges: dict[ir.Value, list[Related]] = {}
        for edge in self.related:
            for value in (edge.op.operands[edge.operand], edge.op.results[edge.result]):
                self.edges.setdefault(self.classes.find(value), []).append(edge)

    def _read_accesses(self) -> None:
        """Joins pointers and the tile that they write, unless it is converted."""
        fixed = sorted(_fixed(self.constraints), key=lambda c: c.weight)
        layouts = {self.classes.find(c.value): c.layout for c in fixed}
        together: list[Meets] = []
        for constraint in self.constraints:
            if isinstance(constraint, Prefer):
                self.prefers.append(constraint)
            elif isinstance(constraint, Meets):
                is_apart = self._is_apart(constraint, layouts)
                (self.apart if is_apart else together).append(constraint)
                access = constraint.apart if is_apart else constraint.prefer
                self.prefers.append(access)
        for meets in together:
            self.classes.union(meets.apart.value, meets.prefer.value)

    def _is_apart(self, meets: Meets, fixed: dict[ir.Value, LinearLayout]) -> bool:
        """Whether pointers get a layout of their own, to which the tile is converted.

        Args:
            meets: The access.
            fixed: The layouts of the classes that have one.
        """
        layout = fixed.get(self.classes.find(meets.prefer.value))
        is_free = self.classes.find(meets.apart.value) not in fixed
        return bool(layout and is_free and _is_worth_converting(meets.prefer, layout))

    def assign(self, value: ir.Value, layout: LinearLayout) -> None:
        """Gives a class its layout and propagates it to classes that have none."""
        work = [(self.classes.find(value), layout)]
        while work:
            root, layout = work.pop()
            if root in self.layouts:
                continue
            self.layouts[root] = layout
            for edge in self.edges.get(root, ()):
                source = self.classes.find(edge.op.operands[edge.operand])
                result = self.classes.find(edge.op.results[edge.result])
                handed, other = None, root
                if source == root and edge.forward and self._is_free(result):
                    handed, other = edge.forward(layout), result
                elif result == root and self._is_free(source):
                    back = edge.backward or edge.guess
                    handed, other = back(layout) if back else None, source
                if handed is not None:
                    work.append((other, handed))

    def _is_free(self, root: ir.Value) -> bool:
        return root not in self.layouts and root not in self.fixed_roots

    def assign_all(self) -> None:
        fixed = _fixed(self.constraints)
        _check_no_contradiction(fixed)
        self.fixed_roots = {self.classes.find(c.value) for c in fixed}
        for constraint in sorted(fixed, key=lambda c: -c.weight):
            root = self.classes.find(constraint.value)
            self.fixed_roots.discard(root)
            self.assign(root, constraint.layout)
        accesses: dict[ir.Value, list[Prefer]] = {}
        for prefer in sorted(self.prefers, key=lambda c: -c.weight):
            root = self.classes.find(prefer.value)
            accesses.setdefault(root, []).append(prefer)
        for root, prefers in accesses.items():
            if root not in self.layouts:
                self.assign(root, _cheapest(prefers))
        for value in self.classes.values():
            root = self.classes.find(value)
            if root not in self.layouts:
                self.assign(root, self.default(root))

    def solution(self) -> Solution:
        out = Solution()
        for value in self.classes.values():
            out.defined[value] = self.layouts[self.classes.find(value)]
        self._convert_at_accesses(out)
        for constraint in self.constraints:
            match constraint:
                case Fixed(value, layout) if out.defined[value] != layout:
                    self._redefine(out, value, layout)
                case Demand(op, index, layout):
                    out.used[(op, index)] = layout
                case _:
                    pass
        for edge in self.related:
            if edge.is_binding:
                self._close_edge(out, edge)
        return out

    def _convert_at_accesses(self, out: Solution) -> None:
        """Notes a cut at accesses whose tiles are converted next to them."""
        for prefer in self.prefers:
            layout = out.defined[prefer.value]
            if not prefer.can_convert or not _is_worth_converting(prefer, layout):
                continue
            if prefer.operand is None:
                self._redefine(out, prefer.value, prefer.layout)
            else:
                out.used[(prefer.op, prefer.operand)] = prefer.layout
        for each in self.apart:
            written = list(each.prefer.op.operands).index(each.prefer.value)
            out.used[(each.prefer.op, written)] = out.defined[each.apart.value]

    def _close_edge(self, out: Solution, edge: Related) -> None:
        """Notes a cut if the two sides of an edge do not agree."""
        result = edge.op.results[edge.result]
        layout = out.defined[result]
        operand = edge.op.operands[edge.operand]
        arriving = out.used.get((edge.op, edge.operand))
        source = arriving or out.defined[operand]
        if edge.backward is not None:
            wanted = edge.backward(layout)
            if wanted is not None and wanted != source:
                out.used[(edge.op, edge.operand)] = wanted
        elif edge.forward is not None:
            made = edge.forward(source)
            if made is not None and made != layout:
                self._redefine(out, result, made)

    def _redefine(self, out: Solution, value: ir.Value, layout: LinearLayout) -> None:
        """Produces `value` in `layout`; its uses keep the class's layout."""
        wanted = out.defined[value]
        out.defined[value] = layout
        for use in value.uses:
            out.used.setdefault((use.owner.operation, use.operand_number), wanted)


def _fixed(constraints: Iterable[Constraint]) -> list[Fixed]:
    return [c for c in constraints if isinstance(c, Fixed)]


def _check_no_contradiction(fixed: list[Fixed]) -> None:
    """One value cannot be made in two layouts; two values can be converted."""
    layouts: dict[ir.Value, Fixed] = {}
    for constraint in fixed:
        other = layouts.setdefault(constraint.value, constraint)
        if other.layout != constraint.layout:
            made = defining_op(constraint.value)
            name = "a region argument" if made is None else f"'{made.name}'"
            raise InternalError(
                f"place: expected one fixed layout for the result of {name}, got "
                f"{other.layout} and {constraint.layout}",
                None if made is None else location_text(made),
            )


def _cheapest(prefers: list[Prefer]) -> LinearLayout:
    """The cheapest layout for all accesses of a class, among those that some prefer.

    On a tie it is that of the heaviest access, which comes first.
    """
    layouts = dict.fromkeys(prefer.layout for prefer in prefers)
    if len(layouts) == 1:
        return prefers[0].layout
    return min(layouts, key=lambda layout: sum(_price(p, layout) for p in prefers))


def _price(prefer: Prefer, layout: LinearLayout) -> float:
    """The cost of an access for a tile that has `layout`, over the whole run."""
    price = max(0.0, prefer.cycles(layout) - prefer.cycles(prefer.layout))
    if prefer.can_convert:
        price = min(price, _conversion(prefer, layout))
    return price * prefer.trips


def _is_worth_converting(prefer: Prefer, layout: LinearLayout) -> bool:
    """Whether the sectors saved by the layout of `prefer` outweigh a conversion."""
    wasted = prefer.cycles(layout) - prefer.cycles(prefer.layout)
    return wasted > 0 and wasted > _conversion(prefer, layout)


def _conversion(prefer: Prefer, layout: LinearLayout) -> float:
    bits = tile_bits(prefer.value)
    if prefer.operand is None:
        return conversion_cycles(prefer.layout, layout, bits)
    return conversion_cycles(layout, prefer.layout, bits)


def solve(
    constraints: list[Constraint], default: Callable[[ir.Value], LinearLayout]
) -> Solution:
    """Assigns layouts to every value the constraints mention.

    Args:
        constraints: The constraints of all ops, in program order.
        default: Layout for a value that no constraint determines.
    """
    solver = _Solver(constraints, default)
    solver.build_classes()
    solver.assign_all()
    return solver.solution()
