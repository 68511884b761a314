# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor memory: its words, and their last accesses.

PTX ISA: "Tensor Memory", "Memory Consistency Model for 5th generation of TensorCore
operations". A CTA has 128 lanes (rows) of 512 columns of 32 bits; an address has the
lane in its upper 16 bits and the column in the lower.

Values move when an operation starts. The checks make sure that no program can tell this
from any later time: each access must be ordered after the earlier ones that it
conflicts with (see `ordering.tensor_order`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ordering.tensor_order import Operation, TensorOrder

N_LANES = 128
N_COLUMNS = 512
BLOCK_COLUMNS = 32

Words = NDArray[np.uint32]
Numbers = NDArray[np.int64]


class Region(NamedTuple):
    """A rectangle of one CTA's tensor memory.

    Attributes:
        cta: Number of the CTA in the machine.
        lanes: Its rows.
        columns: Its columns.
    """

    cta: int
    lanes: slice | Numbers
    columns: slice

    def shifted(self, lanes: slice | Numbers) -> Region:
        """The same columns of other lanes."""
        return self._replace(lanes=lanes)


class TensorMemory:
    """The tensor memory of all CTAs of a machine.

    Attributes:
        words: The contents, uint32[n_ctas, 128, 512].
        order: Happens-before of operations on it.
    """

    def __init__(self, machine: Memories, order: TensorOrder) -> None:
        self._machine = machine
        self.order = order
        n_ctas = machine.geometry.n_ctas
        shape = (n_ctas, N_LANES, N_COLUMNS)
        self.words: Words = np.zeros(shape, np.uint32)
        self._is_written = np.zeros(shape, np.bool_)
        self._is_owned = np.zeros((n_ctas, N_COLUMNS // BLOCK_COLUMNS), np.bool_)
        # The operations so far, by number; per cell the number of its last writer, and
        # of its last reader in each stream of each warp, 0 for none.
        self._operations: list[Operation | None] = [None]
        self._writers = np.zeros(shape, np.int32)
        self._readers: dict[tuple[int, int], NDArray[np.int32]] = {}

    def reset(self) -> None:
        """Starts new CTAs: nothing is allocated or written."""
        if self._machine.is_adversarial:
            rng = self._machine.rng
            self.words[...] = rng.integers(0, 1 << 32, self.words.shape, np.uint32)
        self._is_written[...] = False
        self._is_owned[...] = False
        del self._operations[1:]
        self._writers[...] = 0
        self._readers.clear()

    # Allocation --------------------------------------------------------------------

    def find_free(self, ctas: list[int], n_columns: int) -> int | None:
        """Returns columns that are free in all of some CTAs, None if there are none."""
        free: NDArray[np.bool_] = ~np.logical_or.reduce(self._is_owned[ctas], axis=0)
        blocks = n_columns // BLOCK_COLUMNS
        starts = [
            start
            for start in range(len(free) - blocks + 1)
            if free[start : start + blocks].all()
        ]
        if not starts:
            return None
        if self._machine.is_adversarial:
            return int(self._machine.rng.choice(starts)) * BLOCK_COLUMNS
        return starts[0] * BLOCK_COLUMNS

    def take(self, cta: int, start: int, n_columns: int) -> None:
        """Allocates columns; what they hold is undefined."""
        columns = slice(start, start + n_columns)
        self._is_owned[cta, _blocks(columns)] = True
        self._is_written[cta, :, columns] = False
        self._writers[cta, :, columns] = 0
        for table in self._readers.values():
            table[cta, :, columns] = 0

    def give_back(self, at: int, lane: int, start: int, n_columns: int) -> None:
        """Deallocates columns of a lane's CTA, whose operations must be complete."""
        machine = self._machine
        cta = int(machine.cta_of[lane])
        region = Region(cta, slice(0, N_LANES), slice(start, start + n_columns))
        cluster = cta // machine.geometry.cluster_size
        warp = int(machine.agents[lane])
        for table in (self._writers, *self._readers.values()):
            for other in self._found(table, region):
                if not self.order.knows_complete(other, cluster, warp):
                    self._report(
                        at,
                        f"{machine.shadow.name(warp)} deallocates tensor memory that "
                        f"{self._words_for(other)} may still use: "
                        f"{self.order.what_is_missing(other, None, warp)}",
                    )
        self._is_owned[cta, _blocks(region.columns)] = False

    # Accesses ----------------------------------------------------------------------

    def access(
        self, operation: Operation, region: Region, *, reads: bool, writes: bool
    ) -> None:
        """Checks and records what an operation does to a region.

        Raises:
            Fault: The region is not inside allocated columns.
        """
        self._check_place(region)
        if operation is not self._operations[-1]:
            self._operations.append(operation)
        number = len(self._operations) - 1
        if reads and not self._is_written[region].all():
            self._report(
                operation.at,
                f"{self._words_for(operation)} reads tensor memory that nobody wrote, "
                f"in {_place(region)}",
                "uninitialised",
            )
        self._check_order(operation, region, self._writers, writes=writes)
        if writes:
            for table in self._readers.values():
                self._check_order(operation, region, table, writes=True)
            self._writers[region] = number
            self._is_written[region] = True
        if reads:
            key = operation.stream, operation.warp
            if key not in self._readers:
                self._readers[key] = np.zeros(self._writers.shape, np.int32)
            self._readers[key][region] = number

    def _check_place(self, region: Region) -> None:
        lanes, columns = region.lanes, region.columns
        last = lanes.stop - 1 if isinstance(lanes, slice) else int(lanes.max())
        if last >= N_LANES or columns.stop > N_COLUMNS:
            raise Fault(
                "tensor memory",
                f"{_place(region)} is outside the {N_LANES} lanes and {N_COLUMNS} "
                "columns of tensor memory",
            )
        if not self._is_owned[region.cta, _blocks(columns)].all():
            raise Fault(
                "tensor memory",
                f"{_place(region)} is not inside columns that the CTA allocated",
            )

    def _check_order(
        self,
        operation: Operation,
        region: Region,
        table: NDArray[np.int32],
        *,
        writes: bool,
    ) -> None:
        is_read = table is not self._writers
        for other in self._found(table, region):
            if other is operation or self.order.is_ordered(other, operation):
                continue
            verb = "overwrites" if writes else "reads"
            did = "reads" if is_read else "writes"
            missing = self.order.what_is_missing(other, operation, operation.warp)
            self._report(
                operation.at,
                f"{self._words_for(operation)} {verb} tensor memory in "
                f"{_place(region)} that {self._words_for(other)} {did} "
                f"{self._machine.shadow.log.where(other.at)}: {missing}",
            )
            return

    def _found(self, table: NDArray[np.int32], region: Region) -> list[Operation]:
        cells = table[region]
        first = int(cells.flat[0])
        same = bool((cells == first).all())
        numbers = [first] if same else [int(n) for n in np.unique(cells)]
        found = [self._operations[number] for number in numbers]
        return [operation for operation in found if operation is not None]

    def _words_for(self, operation: Operation) -> str:
        who = self._machine.shadow.name(operation.warp)
        return f"tcgen05.{operation.kind} of {who}"

    def _report(self, at: int, message: str, kind: str = "tensor memory") -> None:
        self._machine.shadow.report(kind, message, at)


def _blocks(columns: slice) -> slice:
    return slice(columns.start // BLOCK_COLUMNS, -(-columns.stop // BLOCK_COLUMNS))


def _place(region: Region) -> str:
    lanes, columns = region.lanes, region.columns
    if isinstance(lanes, slice):
        rows = f"{lanes.start} to {lanes.stop - 1}"
    else:
        rows = f"{int(lanes.min())} to {int(lanes.max())}"
    return f"lanes {rows}, columns {columns.start} to {columns.stop - 1}"
