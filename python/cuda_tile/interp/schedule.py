# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scheduler: which tile block runs next.

A block runs until it has yielded a few times, then the others get their turn, so that
blocks that wait for each other all make progress. With a seed the next block is drawn
at random whenever one yields.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator

from cuda_tile.interp.machine import Body, Stop, TileBlock
from cuda_tile.interp.standstill import Standstill
from cuda_tile.runtime.elements import Array

PATIENCE = 16
"""How often a block may yield before another one runs."""

STALL = 2000
"""How often each block may yield without any write before it may be a deadlock."""


def run_blocks(
    blocks: Iterable[TileBlock], arguments: tuple[Array, ...]
) -> Generator[Stop, None, None]:
    """Runs tile blocks to their ends; gives a `Stop` at each breakpoint.

    Args:
        blocks: In the order in which they begin.
        arguments: The kernel's parameters, each a 0-d tile.

    Raises:
        InterpError: A block failed, or all wait and none can go on.
    """
    fresh = iter(blocks)
    turns = _Turns(fresh, arguments)
    while True:
        turn = turns.next()
        if turn is None:
            return
        yield from turns.play(*turn)


class _Turns:
    """The blocks that have begun, and those that have not."""

    def __init__(
        self, fresh: Iterator[TileBlock], arguments: tuple[Array, ...]
    ) -> None:
        self._fresh = fresh
        self._arguments = arguments
        self._begun: deque[tuple[TileBlock, Body]] = deque()
        self._stall = 0
        self._changes = 0  # blocks that began or ended
        self._seen = (0, 0)
        self._standstill = Standstill()

    def next(self) -> tuple[TileBlock, Body] | None:
        """The block to run now: one that has yielded, or a new one."""
        if not self._begun:
            return self._start()
        run, _ = self._begun[0]
        if run.launch.is_shuffled:
            place = int(run.launch.random.integers(len(self._begun) + 1))
            if place < len(self._begun):
                self._begun.rotate(-place)
                return self._begun.popleft()
        return self._start() or self._begun.popleft()

    def _start(self) -> tuple[TileBlock, Body] | None:
        run = next(self._fresh, None)
        if run is None:
            return None
        self._changes += 1
        run.launch.live.append(run)
        return run, run.run(self._arguments)

    def play(self, run: TileBlock, body: Body) -> Generator[Stop, None, None]:
        """Runs a block until it ends or has yielded often enough."""
        patience = self._patience(run)
        if run.launch.on_block is not None:
            run.launch.on_block(run.block_id)
        run.is_running = True
        for event in body:
            if isinstance(event, Stop):
                yield event
                continue
            patience -= 1
            if patience == 0:
                run.is_running = False
                self._begun.append((run, body))
                self._watch(run)
                return
        self._changes += 1
        run.launch.live.remove(run)

    def _patience(self, run: TileBlock) -> int:
        return 1 if run.launch.is_shuffled else PATIENCE

    def _watch(self, run: TileBlock) -> None:
        """Fails once every block only waits.

        A block that returns to an op in an earlier state, while no block writes, begins
        or ends, does so for ever. A block that counts its reads has a new state each
        time, and ends eventually.
        """
        launch = run.launch
        seen = (launch.write_count, self._changes)
        if seen != self._seen:
            self._seen, self._stall = seen, 0
            self._standstill = Standstill()
            return
        self._stall += self._patience(run)
        most = STALL * len(launch.live)
        if 2 * self._stall < most or run.wait is None:
            return
        self._standstill.note(run, run.wait)
        if self._stall > most and self._standstill.is_of(launch.live):
            run.fail(
                run.wait,
                "no tile block can go on: all of them read again and again what "
                f"nobody writes{launch.waiting()}",
            )
