# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Register pressure: an estimate of a thread's registers, from liveness of tiles.

`live_tiles` walks an entry once, at level T or W. At each operation it notes the tiles
that registers must hold. `estimate` weighs them, at level W by their layouts, at level
T by the layouts that a plan would give them (plan/registers.py). The cost is linear in
the number of operations times the tiles live at one; one walk serves all plans.

Constants, results of `broadcast`, and values that elementwise operations compute from
these alone hold no registers: they are rematerialised at each use. `reshape` and the
like only rename: a use of their result is a use of their source. The same holds for the
steps of an elementwise computation from one tile, which runs element by element.
Scalars, addresses, predicates and loop counters count as `OVERHEAD_REGISTERS` in total.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.constants import (
    LOOP_OVERHEAD_REGISTERS,
    OVERHEAD_REGISTERS,
)
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    is_distributed,
    shape_of,
)
from cuda_tile.ir.traits import ELEMENTWISE, RENAMES
from cuda_tile.ir.walk import block_ops
from cuda_tile.ods import ops_by_rule
from cuda_tile.records import dataclass
from cuda_tile.targets import REGISTER_BITS

NAMES = RENAMES | {"cuda_tile.extract"}
"""Ops whose result names registers of their operand."""
MADE_IN_PLACE = ops_by_rule(
    "elements are made where they are used", "constant", "iota", "broadcast"
)
_HELD_BY_NOTHING = MADE_IN_PLACE | NAMES


@dataclass(frozen=True)
class Tile:
    """A tile that is held in registers.

    Attributes:
        value: The value.
        shape: Its extents.
        bits: Bits of an element.
        neighbours: Number of neighbouring elements for which a thread holds only one.
    """

    value: ir.Value
    shape: tuple[int, ...]
    bits: int
    neighbours: int

    @classmethod
    def of(
        cls, value: ir.Value, *, is_apart: bool = False, neighbours: int = 1
    ) -> Tile:
        """Reads the properties of a value once.

        Args:
            value: The tile.
            is_apart: Whether each element has at least one register of its own.
            neighbours: Number of neighbouring elements for which a thread holds only
                one.
        """
        bits = max(element_bits(element_of(value)), REGISTER_BITS * is_apart)
        return cls(value, shape_of(value), bits, neighbours)


Weigh = Callable[[Tile], int]
"""Registers of one thread that hold a tile."""
Extra = Callable[[ir.Operation], int]
"""Registers that an operation needs beside the tiles that are live."""
IsStaged = Callable[[ir.Operation, int], bool]
"""Whether an operand is read from shared memory."""
IsApart = Callable[[ir.Operation], bool]
"""Whether an operation brings each element of its tile in a register of its own."""
Neighbours = Callable[[ir.Value], int]
"""Elements of a tile of which a thread holds one."""


@dataclass(frozen=True)
class LiveTiles:
    """Liveness: the tiles that registers must hold at each operation of an entry.

    Attributes:
        tiles: Every tile that is held somewhere.
        points: Operations, each with the numbers of the tiles live right before it and
            with how many region operations are around it.
    """

    tiles: tuple[Tile, ...]
    points: tuple[tuple[ir.Operation, tuple[int, ...], int], ...]


@dataclass(frozen=True)
class Estimate:
    """The most registers a thread needs.

    Attributes:
        registers: 32-bit registers, overhead included.
        op: The op that needs them; None in an entry that holds no tile.
    """

    registers: int
    op: ir.Operation | None


def estimate(live: LiveTiles, weigh: Weigh, extra: Extra) -> Estimate:
    """The most registers needed at any point.

    Args:
        live: The live tiles of the entry.
        weigh: Gives the registers of a tile.
        extra: Gives the registers that an op needs beside live tiles.
    """
    weights = [weigh(tile) for tile in live.tiles]
    most, where = OVERHEAD_REGISTERS, None
    for op, held, depth in live.points:
        needed = sum(weights[i] for i in held) + extra(op) + OVERHEAD_REGISTERS
        if depth:
            needed += LOOP_OVERHEAD_REGISTERS
        if needed > most:
            most, where = needed, op
    return Estimate(most, where)


def held_registers(elements: int, bits: int) -> int:
    """Registers for some elements: two 16-bit elements in each, but one of 8 bits.

    Args:
        elements: Elements of one thread.
        bits: Bits of an element.
    """
    if bits == REGISTER_BITS // 2:
        return -(-elements // 2)
    return elements * max(1, bits // REGISTER_BITS)


def live_tiles(
    entry: ir.Operation,
    is_staged: IsStaged | None = None,
    is_apart: IsApart | None = None,
    neighbours: Neighbours | None = None,
) -> LiveTiles:
    """The tiles live at each operation of an entry.

    Args:
        entry: The entry, at level T or W.
        is_staged: Tells which operands are stored to shared memory when they are made:
            they hold no registers until their use. None are by default.
        is_apart: Tells which loads bring elements one by one: ptxas issues many before
            it packs the first two into one register. None do by default.
        neighbours: For how many elements of a tile a thread holds only one; one by
            default.
    """
    reader = _Reader(
        is_staged or (lambda op, index: False),
        is_apart or (lambda op: False),
        neighbours or (lambda value: 1),
    )
    points: list[tuple[ir.Operation, tuple[int, ...], int]] = []
    for region in entry.regions:
        for block in region.blocks:
            _visit(reader.read(block), frozenset(), 0, points)
    return LiveTiles(tuple(reader.tiles), tuple(points))


@dataclass(frozen=True)
class _Holding:
    """The tiles whose registers a value needs: its own, or those of its operands."""

    tiles: frozenset[int]
    is_made_in_place: bool = False


@dataclass(frozen=True)
class _Step:
    """An operation by the numbers of the tiles it touches."""

    op: ir.Operation
    used: frozenset[int]
    made: tuple[int, ...]
    blocks: tuple[_Body, ...]


@dataclass(frozen=True)
class _Body:
    """A block: its operations, and the tiles of other blocks that they use."""

    steps: tuple[_Step, ...]
    captured: frozenset[int]


class _Reader:
    """Reads blocks in program order and gives each tile a number."""

    def __init__(
        self, is_staged: IsStaged, is_apart: IsApart, neighbours: Neighbours
    ) -> None:
        self.tiles: list[Tile] = []
        self._is_staged, self._is_apart = is_staged, is_apart
        self._neighbours = neighbours
        self._holdings: dict[ir.Value, _Holding] = {}

    def read(self, block: ir.Block) -> _Body:
        """Reads a block and the tiles that it captures."""
        made = {self._hold(value) for value in block.arguments if is_distributed(value)}
        used: set[int] = set()
        steps: list[_Step] = []
        for op in block_ops(block):
            step = self._step(op)
            steps.append(step)
            used |= step.used.union(*(body.captured for body in step.blocks))
            made.update(step.made)
        return _Body(tuple(steps), frozenset(used - made))

    def _step(self, op: ir.Operation) -> _Step:
        sources: list[_Holding] = []
        used: set[int] = set()
        for index, operand in enumerate(op.operands):
            source = self._holdings.get(operand)
            if source is not None:
                sources.append(source)
                if op.name not in NAMES and not self._is_staged(op, index):
                    used |= source.tiles
        blocks = tuple(self.read(block) for region in op.regions for block in region)
        made: list[int] = []
        for value in op.results:
            if is_distributed(value):
                holding = _made_of(op, value, sources) or self._on_the_way(op, value)
                if holding is None:
                    made.append(self._hold(value, is_apart=self._is_apart(op)))
                else:
                    self._holdings[value] = holding
        return _Step(op, frozenset(used), tuple(made), blocks)

    def _on_the_way(self, op: ir.Operation, value: ir.Value) -> _Holding | None:
        """The source that holds a value which is an elementwise intermediate result.

        Only elementwise ops of its own block use the value. ptxas computes these
        element by element, so that registers hold only the source tile, however many
        steps there are. This does not apply if the source takes more registers than its
        result, as 8-bit elements do that become 16-bit ones.
        """
        uses = list(value.uses)
        if op.name not in ELEMENTWISE or not all(_is_step(op, use) for use in uses):
            return None
        held = [self._holdings[v].tiles for v in op.operands if v in self._holdings]
        tiles = frozenset[int]().union(*held)
        alike = [t for t in tiles if self.tiles[t].shape == shape_of(value)]
        if len(alike) != 1:
            return None
        pair, made = (
            held_registers(2, bits)
            for bits in (self.tiles[alike[0]].bits, element_bits(element_of(value)))
        )
        return _Holding(tiles) if pair <= made else None

    def _hold(self, value: ir.Value, *, is_apart: bool = False) -> int:
        number = len(self.tiles)
        neighbours = self._neighbours(value)
        self.tiles.append(Tile.of(value, is_apart=is_apart, neighbours=neighbours))
        self._holdings[value] = _Holding(frozenset((number,)))
        return number


def _is_step(op: ir.Operation, use: ir.OpOperand) -> bool:
    """Whether a use of an op's result is an elementwise op of the same block."""
    owner = use.owner.operation
    return owner.name in ELEMENTWISE and owner.block == op.block


def _made_of(
    op: ir.Operation, value: ir.Value, sources: list[_Holding]
) -> _Holding | None:
    """The tiles that hold a result instead of its own registers; None if none do."""
    if op.name in NAMES and sources:
        return sources[0]
    is_free = op.name in _HELD_BY_NOTHING
    if not is_free and (
        op.name not in ELEMENTWISE
        or not all(source.is_made_in_place for source in sources)
        or len(list(value.uses)) != 1
    ):
        return None
    tiles = frozenset[int]().union(*(source.tiles for source in sources))
    return _Holding(tiles, is_made_in_place=True)


def _visit(
    body: _Body,
    outside: frozenset[int],
    depth: int,
    points: list[tuple[ir.Operation, tuple[int, ...], int]],
) -> None:
    """Adds the points of a block, last operation first.

    Args:
        body: The block.
        outside: Tiles of other blocks that live all through it.
        depth: Region operations around it.
        points: Where to add them.
    """
    live = set(outside)
    last = live.copy()
    for step in reversed(body.steps):
        live.difference_update(step.made)
        if step.blocks:
            live.update(*(inner.captured for inner in step.blocks))
            around = frozenset(live)
            for inner in step.blocks:
                _visit(inner, around, depth + 1, points)
        live |= step.used
        if live != last:
            points.append((step.op, tuple(live), depth))
            last = live.copy()
