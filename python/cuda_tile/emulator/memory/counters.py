# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of what a kernel asks of the hardware, from real addresses.

A request is one memory instruction of one warp. Global memory moves 32-byte sectors;
shared memory has 32 banks of 4 bytes and serves a request in wavefronts: one for each
32 lanes of at most 4 bytes, each half warp of 8 and each quarter warp of 16 bytes, and
one more for each further word that the same bank must give. Sources: CUDA C++
Programming Guide, "Shared Memory", and Nsight Compute's metric names.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.memory.alignment import Alignment
from cuda_tile.emulator.memory.traffic import Traffic
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.threads.lanes import Lanes

_MEMO_LIMIT = 4096

# The way that bytes take: loads, stores and atomics of global and of the CTA's own
# shared memory, any access to another CTA's, copies into and out of shared memory, and
# what matrix units read there.
Path = Literal[
    "global_load",
    "global_store",
    "global_atomic",
    "shared_load",
    "shared_store",
    "shared_atomic",
    "cluster",
    "copy_in",
    "copy_out",
    "matrix",
]


class Counters:
    """Per-instruction counts of one function, int64[n_instructions] each.

    Attributes:
        warps: Warps that executed the instruction.
        requests: Memory requests (global or shared).
        sectors, min_sectors: 32-byte global sectors touched, and the least number
            that could hold the requested bytes.
        wavefronts, min_wavefronts: Shared-memory wavefronts, and their number
            without bank conflicts.
        bytes: Bytes asked for by all lanes, and then the same by `PATHS`: the way
            that they take. A copy counts once, where it starts.
        flops: Operations of matrix instructions.
        idle_flops: Operations that their units could do besides, as lanes are idle.
        bulk_lines: 128-byte lines of bulk copies, of each row of a box by itself.
        tensor_words: 32-bit words that loads and stores of tensor memory move.
        traffic: What the bound report needs besides; None unless it was asked for.
        alignment: Where arrays are counted that the host placed by chance; None if they
            all begin at sectors.
        tensor_columns: Most columns of tensor memory that a CTA held at a time.
    """

    PATHS: tuple[Path, ...] = get_args(Path)

    NAMES = (
        "warps",
        "requests",
        "sectors",
        "min_sectors",
        "wavefronts",
        "min_wavefronts",
        "bytes",
        "flops",
        *(f"bytes_{path}" for path in PATHS),
    )

    def __init__(self, n_instructions: int) -> None:
        self._table = np.zeros((len(self.NAMES), n_instructions), np.int64)
        (
            self.warps,
            self.requests,
            self.sectors,
            self.min_sectors,
            self.wavefronts,
            self.min_wavefronts,
            self.bytes,
            self.flops,
            *paths,
        ) = self._table
        self.paths = dict(zip(self.PATHS, paths, strict=True))
        self.traffic: Traffic | None = None
        self.tensor_columns = 0
        self.alignment: Alignment | None = None
        self.idle_flops = np.zeros(n_instructions, np.int64)
        self.tensor_words = np.zeros(n_instructions, np.int64)
        self.bulk_lines = np.zeros(n_instructions, np.int64)
        self._memo: dict[tuple[int, bytes], tuple[int, int, int]] = {}

    @contextmanager
    def uncounted(self, at: int) -> Generator[None]:
        """What one instruction does within is not counted."""
        before = self._table[:, at].copy()
        yield
        self._table[:, at] = before

    def sums(self, start: int, stop: int) -> list[int]:
        """Sums over instructions `start` to `stop`, one for each of `NAMES`."""
        return [int(count) for count in self._table[:, start:stop].sum(axis=1)]

    def moved(self, at: int, path: Path, size_bytes: int) -> None:
        """Counts bytes that take one of the paths."""
        self.bytes[at] += size_bytes
        self.paths[path][at] += size_bytes

    def global_access(
        self,
        at: int,
        lanes: Lanes,
        addresses: NDArray[np.uint64],
        size: int,
        path: Path,
    ) -> None:
        """Counts one global access of `size` bytes by each lane of instruction `at`."""
        if self.alignment is not None:
            addresses = self.alignment.moved(addresses)
        base = addresses.min() & ~np.uint64(31)
        key = (-size, _key(lanes, addresses - base))
        found = self._memo.get(key)
        if found is None:
            found = self._remember(key, count_sectors(lanes.spread(addresses), size))
        if self.traffic is not None:
            self.traffic.touched(at, lanes, addresses)
        requests, sectors, least = found
        if path != "copy_in":  # counted with the shared half
            self.requests[at] += requests
        self.sectors[at] += sectors
        self.min_sectors[at] += least
        self.moved(at, path, size * lanes.count)

    def copied(self, at: int, lane: int, rows: GlobalRows) -> None:
        """Counts the global side of a lane's bulk copy, but not its bytes."""
        if self.alignment is not None:
            moved = self.alignment.moved(rows.addresses)
            rows = GlobalRows(moved, rows.size_bytes)
        if self.traffic is not None:
            self.traffic.copied(at, lane, rows)
        sectors, least = rows.sectors
        self.requests[at] += 1
        self.bulk_lines[at] += rows.lines
        self.sectors[at] += sectors
        self.min_sectors[at] += least

    def shared_access(
        self,
        at: int,
        lanes: Lanes,
        addresses: NDArray[np.int64],
        size: int,
        path: Path | None,
    ) -> None:
        """Counts one shared access of `size` bytes by each lane.

        Without a path its bytes are counted elsewhere.
        """
        base = addresses.min() & ~127
        key = (size, _key(lanes, addresses - base))
        found = self._memo.get(key)
        if found is None:
            rows = lanes.spread(addresses)
            found = self._remember(key, count_wavefronts(rows, size, lanes.active))
        self._add_shared(at, found)
        if path is not None:
            self.moved(at, path, size * lanes.count)

    def matrix_access(self, at: int, rows: NDArray[np.int64], path: Path) -> None:
        """Counts an ldmatrix or stmatrix: 16-byte rows, [n_warps, n_matrices * 8]."""
        base = rows.min() & ~127
        key = (16, rows.shape[1].to_bytes(4, "little") + (rows - base).tobytes())
        found = self._memo.get(key)
        if found is None:
            found = self._remember(key, count_wavefronts(rows, 16, None))
        self._add_shared(at, found)
        self.moved(at, path, 16 * rows.size)

    def _add_shared(self, at: int, found: tuple[int, int, int]) -> None:
        requests, wavefronts, least = found
        self.requests[at] += requests
        self.wavefronts[at] += wavefronts
        self.min_wavefronts[at] += least

    def _remember(
        self, key: tuple[int, bytes], found: tuple[int, int, int]
    ) -> tuple[int, int, int]:
        """Keeps a count for the next access of the same pattern, within a limit."""
        if len(self._memo) < _MEMO_LIMIT:
            self._memo[key] = found
        return found


def _key(lanes: Lanes, relative: NDArray[np.generic]) -> bytes:
    """Names an access pattern: which lanes of their warps, and where relatively."""
    pattern = relative.tobytes()
    return pattern if lanes.active is None else pattern + lanes.active.tobytes()


def count_sectors(rows: NDArray[np.uint64], size: int) -> tuple[int, int, int]:
    """Counts requests, sectors and the minimum for addresses [n_warps, 32].

    The minimum is the number of sectors that the distinct bytes of a request would
    fill if they lay one after another.
    """
    ordered = np.sort(rows, axis=1)
    distinct = 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1)
    least = -(-distinct * size // 32)
    if size <= 32:
        sector = ordered >> np.uint64(5)
        sectors = 1 + (sector[:, 1:] != sector[:, :-1]).sum(axis=1)
    else:
        sectors = least
    return len(rows), int(sectors.sum()), int(least.sum())


def count_wavefronts(
    rows: NDArray[np.int64], size: int, active: NDArray[np.bool_] | None
) -> tuple[int, int, int]:
    """Counts requests, wavefronts and their least number for addresses [n, lanes]."""
    phase_lanes = 32 if size <= 4 else 128 // size
    phases = rows.reshape(-1, phase_lanes)
    if active is not None:
        here = active.reshape(-1, phase_lanes)
        is_used = here.any(axis=1)
        phases, here = phases[is_used], here[is_used]
        first = phases[np.arange(len(phases)), here.argmax(axis=1)]
        phases = np.where(here, phases, first[:, None])
    words = phases >> 2
    if size > 4:
        words = (words[:, :, None] + np.arange(size // 4)).reshape(len(phases), -1)
    ordered = np.sort(words, axis=1)
    is_new = np.ones(ordered.shape, np.bool_)
    is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    slot = np.arange(len(phases))[:, None] * 32 + (ordered & 31)
    depth = np.bincount(slot[is_new], minlength=len(phases) * 32).reshape(-1, 32)
    return len(rows), int(depth.max(axis=1).sum()), len(phases)
