"""Vector clocks of warps: what each warp knows of what the others did.

Lamport's happens-before: a warp's own clock counts its barriers; meeting at a barrier
gives the waiting warps what the arriving ones know. An access at clock t of warp w
comes before whatever a warp does that knows at least t of w.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]
Cells = NDArray[np.int64]
Warps = NDArray[np.uint8]


class WarpClocks:
    """Clocks of the warps of all CTAs, and of the last accesses to each byte.

    Bytes are numbered over the shared memories of all CTAs, one after another.
    """

    def __init__(self, n_ctas: int, stride_bytes: int, n_warps: int) -> None:
        self._stride_bytes = stride_bytes
        self._n_warps = n_warps
        total = n_ctas * stride_bytes
        # What each warp knows of each warp, [cta, knowing warp, known warp].
        self._known = np.zeros((n_ctas, n_warps, n_warps), np.int32)
        self._written = np.zeros(total, np.int32)
        self._read = np.zeros((n_warps, total), np.int32)

    def reset(self) -> None:
        """Starts new CTAs: every warp knows only of itself."""
        self._known[:] = 0
        for warp in range(self._n_warps):
            self._known[:, warp, warp] = 1
        self._written[:] = 0
        self._read[:] = 0

    def meet(self, cta: int, arriving: Index, waiting: Index) -> None:
        """What `arriving` did comes before what `waiting` do next."""
        known = self._known[cta]
        joined = known[arriving].max(axis=0)
        known[waiting] = np.maximum(known[waiting], joined)
        known[arriving, arriving] += 1

    def meet_all(self, cta: int | None = None) -> None:
        """All warps of one CTA, or of every one, meet."""
        everybody = np.arange(self._n_warps)
        for number in range(len(self._known)) if cta is None else (cta,):
            self.meet(number, everybody, everybody)

    def note_read(self, cells: Cells, warps: Warps) -> None:
        """Records reads of single bytes by warps."""
        ctas = cells // self._stride_bytes
        self._read[warps, cells] = self._known[ctas, warps, warps]

    def note_write(self, cells: Cells, warps: Warps) -> None:
        """Records writes of single bytes by warps."""
        ctas = cells // self._stride_bytes
        self._written[cells] = self._known[ctas, warps, warps]

    def is_after_write(
        self, cells: Cells, warps: Warps, writers: Warps
    ) -> NDArray[np.bool_]:
        """Whether each warp knows of the last write of a byte by `writers`."""
        ctas = cells // self._stride_bytes
        return self._known[ctas, warps, writers] >= self._written[cells]

    def is_after_reads(self, cells: Cells, warps: Warps) -> NDArray[np.bool_]:
        """Whether each warp knows of all other warps' reads of a byte."""
        ctas = cells // self._stride_bytes
        reads = np.moveaxis(self._read[:, cells], 0, -1)
        unknown = self._known[ctas, warps] < reads
        unknown[np.arange(self._n_warps) == warps[..., None]] = False
        return ~np.logical_or.reduce(unknown, axis=-1)
