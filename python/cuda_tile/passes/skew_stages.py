# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a loop between its products: the later ones run an iteration behind.

The loop

    for k { a(k); b(k) }

where b has the ops that `analysis/stages.py` puts in stage 1, becomes

    if there is an iteration { a(lower); for k behind lower { a(k), b(k - 1) }; b(last)
    }

so that a product of a(k) is in flight while b(k - 1) is computed, and vice versa.
Values of a(k) that b(k) uses are carried to the next iteration. Ops keep their order in
the new body, unless an op of a(k) needs a value that b(k - 1) carries to it: then the
ops that compute the value come before. `issue` moves them further.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.analysis.slots import take_of
from cuda_tile.analysis.stages import (
    CannotStage,
    Stages,
    has_effects,
    is_free,
    keeps_sum,
    outer_values,
    root_of,
)
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import factors_of
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.carried import first_carried, leaves
from cuda_tile.ir.cloned import clone_renamed
from cuda_tile.ir.pruning import prune_loop
from cuda_tile.ir.scalars import branch, constant_of
from cuda_tile.ir.traits import BUFFER_MAKERS, RELEASES
from cuda_tile.ir.walk import location_text
from cuda_tile.passes.skew_slice import CannotMove
from cuda_tile.passes.skew_trips import Trips

Known = dict[ir.Value, ir.Value]


def cut_loop(loop: ir.Operation) -> ir.Operation:
    """Cuts a loop if plans of its products ask for that; returns the new loop.

    Raises:
        CannotMove: It cannot be cut; nothing was changed.
    """
    try:
        stages = Stages.find(loop)
    except CannotStage as reason:
        raise CannotMove(str(reason)) from reason
    if stages is None:
        return loop
    if any(leaves(op) for op in stages.ops):
        raise CannotMove("some of its iterations end early")
    trips = Trips.of(loop, 1)
    _release_behind_products(stages)
    _keep_buffers(stages)
    return _Cut(stages, trips).apply()


def _release_behind_products(stages: Stages) -> None:
    """Lets early releases wait for products that no await completes before them."""
    products = [op for op in stages.ops if keeps_sum(op) and not stages.of[op]]
    for number, op in enumerate(stages.ops):
        if op.name not in RELEASES or stages.of[op]:
            continue
        read = [p for p in products if op.operands[0] in _rings_of(p)]
        if read:
            with ir.InsertionPoint(op), op.location:
                sums = [p.results[0] for p in read]
                ring, iteration = list(op.operands)[:2]
                made = tileas.ReleaseOp(ring, iteration, sums).operation
            stages.ops[number] = made
            stages.of[made] = stages.of.pop(op)
            op.erase()


def _keep_buffers(stages: Stages) -> None:
    """Makes buffers of early products that are awaited late once, before the loop."""
    early = [op for op in stages.ops if keeps_sum(op) and not stages.of[op]]
    for op in filter(stages.sums_before, early):
        for factor in factors_of(op):
            maker = stages.made_by(root_of(factor))
            if maker is not None and maker.name in BUFFER_MAKERS:
                maker.move_before(stages.loop)
                stages.ops.remove(maker)
                del stages.of[maker]


def _rings_of(product: ir.Operation) -> list[ir.Value]:
    """The rings whose slots a product reads."""
    takes = map(take_of, factors_of(product))
    return [take.operands[0] for take in takes if take is not None]


class _Cut:
    """The expansion of one loop.

    Args:
        stages: The stages of its ops.
        trips: The iterations of the loop.
    """

    def __init__(self, stages: Stages, trips: Trips) -> None:
        self._stages, self._trips = stages, trips
        self._loop = stages.loop
        self._crossing = stages.crossing()
        first_operand, self._first = first_carried(self._loop)
        self._initial = list(self._loop.operands)[first_operand:]
        self._late = [stages.of_carried(n) for n in range(len(self._initial))]
        self._arguments = list(stages.body.arguments)

    def apply(self) -> ir.Operation:
        """Makes the new loop in place of the old one; returns it."""
        old = self._loop
        types = [result.type for result in old.results]
        with ir.InsertionPoint(old), old.location:
            if self._surely_runs():
                made, results = self._expand()
            else:
                with branch(self._trips.reaches(0), types) as guard:
                    made, results = self._expand()
                    if types:
                        cuda_tile.YieldOp(results)
                if types:
                    with ir.InsertionPoint(guard.regions[1].blocks.append()):
                        cuda_tile.YieldOp(self._initial)
                results = list(guard.results)
        for value, result in zip(list(old.results), results, strict=True):
            value.replace_all_uses_with(result)
        old.erase()
        return prune_loop(made)

    def _surely_runs(self) -> bool:
        lower, upper = (constant_of(self._trips.loop.lower), self._trips.loop.upper)
        bound = constant_of(upper)
        return lower is not None and bound is not None and 0 <= lower < bound

    def _expand(self) -> tuple[ir.Operation, list[ir.Value]]:
        """Builds prologue, loop and epilogue; returns the loop and the results."""
        early = _Iterations(
            self._stages, dict(self._carried(self._initial, None)), None
        )
        early.known[0][self._arguments[0]] = self._trips.loop.lower
        early.place_all(0)
        made, block = self._new_loop(self._states(early, self._initial))
        inside = list(block.arguments)
        count = len(self._initial)
        rest = inside[self._first + count :]
        with ir.InsertionPoint(block), self._loop.location:
            both = _Iterations(
                self._stages,
                dict(self._carried(inside[self._first :], 0)),
                dict(self._carried(inside[self._first :], 1))
                | dict(zip(self._crossing, rest, strict=True)),
            )
            both.known[0][self._arguments[0]] = inside[0]
            both.place_all(0, 1)
            now = [
                both.value(self._arguments[self._first + n], 0) for n in range(count)
            ]
            ir.Operation.create(self._stages.end.name, operands=self._states(both, now))
        results = list(made.results)
        known = dict(self._carried(results, 1))
        known |= dict(zip(self._crossing, results[count:], strict=True))
        late = _Iterations(self._stages, {}, known)
        late.place_all(1)
        ends = list(self._stages.end.operands)
        return made, [
            late.value(ends[n], 1) if is_late else results[n]
            for n, is_late in enumerate(self._late)
        ]

    def _carried(
        self, values: Sequence[ir.Value], stage: int | None
    ) -> list[tuple[ir.Value, ir.Value]]:
        """The values of the body's arguments: those of one stage, or all."""
        return [
            (self._arguments[self._first + n], values[n])
            for n, late in enumerate(self._late)
            if stage is None or late == stage
        ]

    def _states(
        self, iterations: _Iterations, now: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The values that the loop passes to its next iteration.

        Args:
            iterations: The iteration or iterations before.
            now: The carried values of the younger one.
        """
        ends = list(self._stages.end.operands)
        carried = [
            now[n] if is_late else iterations.value(ends[n], 0)
            for n, is_late in enumerate(self._late)
        ]
        return carried + [iterations.value(value, 0) for value in self._crossing]

    def _new_loop(self, initial: list[ir.Value]) -> tuple[ir.Operation, ir.Block]:
        """The loop from the second iteration on, with an empty block."""
        bounds = [self._second(), self._trips.loop.upper, self._trips.loop.step]
        types = [value.type for value in initial]
        made = ir.Operation.create(
            self._loop.name,
            results=types,
            operands=[*bounds, *initial],
            attributes=attributes_of(self._loop),
            regions=1,
            loc=self._loop.location,
        )
        all_types = [self._arguments[0].type, *types]
        locations = [self._loop.location] * len(all_types)
        return made, made.regions[0].blocks.append(*all_types, arg_locs=locations)

    def _second(self) -> ir.Value:
        """The index of the second iteration; the upper bound if there is none.

        The sum of the first index and the step may be beyond the index's type.
        """
        trips = self._trips
        second = trips.first(1)
        if constant_of(trips.loop.lower) == 0:
            return second
        comes = trips.comes(trips.loop.lower, 1)
        return cuda_tile.SelectOp(comes, second, trips.loop.upper).result


class _Iterations:
    """Ops of one iteration, or of an iteration and the one before, placed at one point.

    Args:
        stages: The stages of the loop.
        early: The values of the body's arguments in the younger iteration, whose ops of
            stage 0 are placed here. Arguments with values from the older iteration may
            be missing.
        late: The values of the body's arguments, and those that cross, in the older
            iteration, whose ops of stage 1 are placed here.
    """

    def __init__(self, stages: Stages, early: Known, late: Known | None) -> None:
        self._stages = stages
        self.known: tuple[Known, Known] = (early, late or {})
        self._placed: set[ir.Operation] = set()
        self._places = {op: place for place, op in enumerate(stages.ops)}
        self._effects = [op for op in stages.ops if stages.of[op] and has_effects(op)]

    def place_all(self, *which: int) -> None:
        """Places the ops of some stages."""
        for op in self._stages.ops:
            stage = self._stages.of[op]
            if stage not in which or op in self._placed:
                continue
            if stage == 0 and len(which) > 1:
                self._place_before(op)
            self._place(op, stage)

    def value(self, value: ir.Value, stage: int) -> ir.Value:
        """The new value for a value of the old body, as used by an op of a stage.

        Raises:
            InternalError: The other stage computes it.
        """
        known = self.known[stage]
        if value in known:
            return known[value]
        op, number = self._stages.made_by(value), self._stages.number(value)
        if op is not None:
            if not is_free(op):
                raise InternalError(
                    f"skew: expected '{op.name}' in another stage", location_text(op)
                )
            known.update(zip(op.results, op.clone().results, strict=True))
            return known[value]
        if number is not None:
            return self.value(self._stages.end.operands[number], 1)
        return value

    def _place_before(self, op: ir.Operation) -> None:
        """Places, in order, the ops of the older iteration that a younger op needs."""
        work = [
            self._stages.end.operands[number]
            for value in outer_values(op)
            if value not in self.known[0]
            and (number := self._stages.number(value)) is not None
        ]
        work += self._stages.sums_before(op)
        needed: set[ir.Operation] = set()
        while work:
            maker = self._stages.made_by(work.pop())
            if maker is None or maker in needed or not self._stages.of[maker]:
                continue
            for other in (maker, *self._effects_before(maker)):
                if other not in needed and other not in self._placed:
                    needed.add(other)
                    work += outer_values(other)
        for maker in sorted(needed, key=self._places.__getitem__):
            self._place(maker, 1)

    def _effects_before(self, op: ir.Operation) -> list[ir.Operation]:
        """The late ops with effects that an op must not overtake."""
        if not has_effects(op):
            return []
        place = self._places[op]
        return [other for other in self._effects if self._places[other] < place]

    def _place(self, op: ir.Operation, stage: int) -> None:
        """Places a copy of an op."""
        outer = outer_values(op)
        values = {value: self.value(value, stage) for value in outer}
        made = clone_renamed(op, values)
        self.known[stage].update(zip(op.results, made.results, strict=True))
        self._placed.add(op)
