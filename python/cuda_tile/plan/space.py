# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plans that an entry could have: each a value, and all of them in order.

A `Decision` says what a CTA is; what follows from it for products and loads is
computed by plan/model.py. `Space.all` numbers every decision, for tools; `Space.tiers`
has those that a search looks at, those first that give up nothing of what the producer
hints at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.operand_sources import is_chained
from cuda_tile.constants import (
    ACCUMULATOR_COLUMNS,
    ACCUMULATOR_ROWS,
    COMBINED_ELEMENTS,
    FULL_WARPS,
    LEAST_ELEMENTS,
    MANY_ELEMENTS,
    MOST_CROWDED_CTAS,
    PAIRED_CTAS,
    SINGLE_CLUSTERS,
    USUAL_WARPS,
    WANTED_ELEMENTS,
)
from cuda_tile.ir.copy_plan import TMA
from cuda_tile.ir.cta_pairs import is_pair
from cuda_tile.ir.hints import read_hints
from cuda_tile.ir.plan import ROLES, extents_of
from cuda_tile.ir.tiles import elements_of, is_distributed
from cuda_tile.ir.traits import COMBINES, PRODUCTS
from cuda_tile.options import Options
from cuda_tile.plan.products import possible_divisions
from cuda_tile.records import dataclass
from cuda_tile.targets import MOST_CLUSTER, PORTABLE_CLUSTER, WARP_COUNTS, WARP_LANES


@dataclass(frozen=True)
class Decision:
    """What a CTA is, and which engine copies.

    Attributes:
        num_warps: Warps that do not only load.
        division: How they divide products along M and N; (0, 0) without products.
        roles: How the warps divide the work, one of `ir.plan.ROLES`.
        ctas: CTAs that shall fit on a multiprocessor.
        cluster: CTAs that serve a tile block.
        engine: Who makes the copies, one of `ir.copy_plan.ENGINES`.
        part: Elements of a row that loops compute at a time; 0 leaves rows whole.
        reuse: 1 if shared memory holds what one loop loads for a later one.
    """

    num_warps: int
    division: tuple[int, int] = (0, 0)
    roles: str = "one"
    ctas: int = 1
    cluster: int = 1
    engine: str = "threads"
    part: int = 0
    reuse: int = 0

    def to_json(self) -> dict[str, int | str]:
        """The decision by the names of `tileas.plan`, `engine` beside them."""
        values = asdict(self)
        warps_m, warps_n = values.pop("division")
        ctas = values.pop("ctas")
        return {**values, "warps_m": warps_m, "warps_n": warps_n, "min_ctas": ctas}


@dataclass(frozen=True)
class Hints:
    """What the producer or the user asks for.

    Attributes:
        warps: Warps of a CTA; None to choose.
        is_fixed: Whether no other number of warps will do.
        ctas: CTAs of a multiprocessor; None to choose.
        cluster: CTAs of a tile block; 1 to choose.
        most_cluster: The most that the launcher is told.
    """

    warps: int | None = None
    is_fixed: bool = False
    ctas: int | None = None
    cluster: int = 1
    most_cluster: int = PORTABLE_CLUSTER

    @classmethod
    def of(cls, entry: ir.Operation, options: Options) -> Hints:
        """The hints that stand on an entry, below the user's options.

        Args:
            entry: The entry.
            options: The options of the compilation.
        """
        hints = read_hints(entry, options.target.chip)
        return cls(
            options.num_warps or _hinted_warps(hints),
            options.num_warps is not None,
            max(1, hints["occupancy"]) if "occupancy" in hints else None,
            hints.get("num_cta_in_cga", 1),
            MOST_CLUSTER if options.abi != "tile" else PORTABLE_CLUSTER,
        )


class Space:
    """The decisions that may be taken for one entry.

    Args:
        entry: The entry, at level T.
        ops: Its ops.
        options: The user's choices.
        engines: Who may make the copies, the best first.
        rows: The decision by which rows that no registers hold are computed in parts.

    Attributes:
        engines: Who may make the copies.
        rows: The decision for rows that no registers hold; None if there are none.
        hints: What the producer or the user asks for.
        products: The products.
        largest_tile: Elements of the largest tile that the entry computes.
        is_persistent: Whether the user wants a CTA to compute several tile blocks.
        is_pair: Whether its CTAs are those of pairs.
    """

    def __init__(
        self,
        entry: ir.Operation,
        ops: Sequence[ir.Operation],
        options: Options,
        engines: Sequence[str],
        rows: Decision | None = None,
    ) -> None:
        self.hints = Hints.of(entry, options)
        self.products = [op for op in ops if op.name in PRODUCTS]
        self.largest_tile = _largest_tile(ops)
        self.engines, self.rows = engines, rows
        self.is_persistent, self.is_pair = options.persistent, is_pair(entry)
        self._combines = any(op.name in COMBINES for op in ops)
        self._is_chained = any(map(is_chained, self.products))
        self._may_cluster = options.target.has_clusters and suits_clusters(ops)

    @property
    def is_free(self) -> bool:
        """Whether the CTAs of a multiprocessor are nobody's wish but the search's."""
        return self.hints.ctas is None

    @property
    def is_bounded(self) -> bool:
        """Whether a plan bounds registers by the CTAs of a multiprocessor.

        With products always: without any bound ptxas 13.5 aims at an occupancy of its
        own, and spills for it.
        """
        return bool(self.products) or not self.is_free

    @property
    def wanted_cluster(self) -> int:
        """CTAs of a tile block as hinted at; 1 if nobody did, or they cannot be."""
        hints = self.hints
        return min(hints.cluster, hints.most_cluster) if self._may_cluster else 1

    def all(self, engines: Sequence[str]) -> list[Decision]:
        """Every decision; the number of one is its place.

        Args:
            engines: Who may make the copies, threads included.
        """
        clusters = (1, *SINGLE_CLUSTERS, PORTABLE_CLUSTER, MOST_CLUSTER)
        wanted = self.hints.ctas or 1
        most = max(MOST_CROWDED_CTAS, wanted)
        rows = [] if self.rows is None else [self.rows]
        return rows + [
            replace(made, ctas=ctas, cluster=cluster)
            for warps in ([self.hints.warps] if self.hints.is_fixed else WARP_COUNTS)
            for made in self._of_warps(warps or 1, engines)
            for ctas in (range(1, most + 1) if self.products else (wanted,))
            for cluster in (clusters if self._may_cluster else (1,))
        ]

    def tiers(self) -> Iterator[list[Decision]]:
        """Groups of decisions, the best group that has one that fits decides."""
        for ctas in range(self.hints.ctas or 1, 0, -1):
            for group in self._warp_groups():
                yield [each for warps in group for each in self._of_ctas(warps, ctas)]

    def clusters(self, warps: int | None = None) -> Iterator[Decision]:
        """Decisions by which several CTAs serve a tile block.

        Args:
            warps: The warps of a CTA that serves one alone, where somebody hinted at
                clusters. Their parts of the tiles need no more, and perhaps fewer.
        """
        if not self._may_cluster:
            return
        ctas = self.hints.ctas or 1
        if warps is not None:
            cluster = self.wanted_cluster
            threads = self.largest_tile // (cluster * WANTED_ELEMENTS)
            while self.hints.warps is None and warps > max(1, threads // WARP_LANES):
                warps //= 2
            yield Decision(warps, ctas=ctas, cluster=cluster)
            return
        for group in self._warp_groups():
            for warps in group:
                for cluster in (*SINGLE_CLUSTERS, PORTABLE_CLUSTER):
                    yield Decision(warps, ctas=ctas, cluster=cluster)

    def _warp_groups(self) -> list[list[int]]:
        """Numbers of warps, in groups of which a later one gives up a hint."""
        hints, usual = self.hints, self.usual_warps()
        first = [hints.warps] if hints.warps else usual
        more = [w for w in WARP_COUNTS if w > first[-1]]
        if hints.is_fixed:
            return [first]
        if self.products:
            return [first, more]
        if hints.warps or not self.is_free:
            return [first, *([warps] for warps in more)]
        return [[w for w in WARP_COUNTS if w < first[0]] + first + more]

    def usual_warps(self) -> list[int]:
        """Warps to try where nobody asked for a number."""
        if not self.products:
            return [_warps_for_elements(self.largest_tile, combines=self._combines)]
        rows, columns = self._largest_product
        least, most = USUAL_WARPS
        atom = ACCUMULATOR_ROWS * ACCUMULATOR_COLUMNS
        while least > 1 and rows * columns < least * atom:
            least //= 2
        return [w for w in WARP_COUNTS if least <= w <= max(least, most)]

    def may_have(self, warps: int) -> bool:
        """Whether so many warps of a kernel without products have enough each."""
        return self.largest_tile >= warps * WARP_LANES * LEAST_ELEMENTS

    def _of_ctas(self, warps: int, ctas: int) -> Iterator[Decision]:
        """Decisions for so many warps, and for so many CTAs or more."""
        for made in self._of_warps(warps, self.engines):
            most = MOST_CROWDED_CTAS if made.roles == "load" else PAIRED_CTAS
            if not (self.is_free and self.products):
                most = ctas
            for count in range(ctas, most + 1):
                yield replace(made, ctas=count)

    def _of_warps(self, warps: int, engines: Sequence[str]) -> Iterator[Decision]:
        divisions = [(0, 0)]
        if self.products:
            divisions = possible_divisions(
                *self._largest_product, warps, along_rows=self._is_chained
            )
        for engine in engines:
            may_have_role = self.products and engine == TMA
            for roles in ROLES if may_have_role else ROLES[:1]:
                for division in divisions:
                    yield Decision(warps, division, roles, engine=engine)

    @property
    def _largest_product(self) -> tuple[int, int]:
        """Rows and columns of the largest result."""
        extents = map(extents_of, self.products)
        rows, columns, _ = max(extents, key=lambda e: e[0] * e[1])
        return rows, columns


def _hinted_warps(hints: Mapping[str, int]) -> int | None:
    """The producer's `num_worker_warps_per_cta`, clamped to 4 or 8 as it expects."""
    warps = hints.get("num_worker_warps_per_cta")
    few, many = USUAL_WARPS
    return None if warps is None else few if warps <= few else many


def _largest_tile(ops: Sequence[ir.Operation]) -> int:
    """Elements of the largest tile of numbers that an entry computes."""
    sizes = [
        elements_of(result)
        for op in ops
        for result in op.results
        if isinstance(result.type, TileType) and is_distributed(result)
    ]
    return max(sizes, default=1)


def _warps_for_elements(elements: int, *, combines: bool) -> int:
    """As many warps as have enough work, more where that leaves a thread too much."""
    few, many = USUAL_WARPS
    warps, wanted = 1, WANTED_ELEMENTS
    while warps < few and elements >= 2 * warps * WARP_LANES * wanted:
        warps *= 2
        wanted = COMBINED_ELEMENTS if combines and warps >= FULL_WARPS else wanted
    while warps < many and elements > warps * WARP_LANES * MANY_ELEMENTS:
        warps *= 2
    return warps
