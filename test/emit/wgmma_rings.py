# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups at level W whose operands come through a ring of cp.async.

As `skew` leaves them: the sums are carried as what is pending, and the slot of an
iteration is released when the product of the next iteration runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ring_kernels import RingProduct, spelled

from cuda_tile.layout.descriptors import panel_buffer
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.wgmma import tile_wgmma, wgmma_atom


@dataclass(frozen=True)
class RingOfWarpgroups(RingProduct):
    """C = A @ B of f16 with sums in f32.

    Attributes:
        groups: Warpgroups along the rows and the columns.
        columns: N of an instruction.
        lag: Iterations by which the release of a slot trails its product: 0 or 1.
    """

    tile: tuple[int, int, int] = (128, 128, 64)
    warps: tuple[int, int] = (8, 1)
    groups: tuple[int, int] = (2, 1)
    columns: int = 128
    lag: int = 1
    slots: int = 4
    ahead: int = 2
    gpu: str = "sm_90"

    @cached_property
    def text(self) -> str:
        """The module."""
        m, n, _ = self.tile
        atom = wgmma_atom(f"m64n{self.columns}k16")
        assert atom is not None
        c = spelled(tile_wgmma((m, n), self.groups, "c", atom))
        return self._module(
            f"!c = !cuda_tile.tile<{m}x{n}xf32, {c}>",
            f"!p = !tileas.pending<tile<{m}x{n}xf32, {c}>>",
        )

    @cached_property
    def _buffers(self) -> tuple[SharedLayout, SharedLayout]:
        m, n, k = self.tile
        return panel_buffer((m, k), 16, 1), panel_buffer((k, n), 16, 1)

    def _entry(self) -> list[str]:
        lines = super()._entry()
        first = next(i for i, line in enumerate(lines) if line.startswith("%sum = "))
        last = next(i for i, line in enumerate(lines) if line.startswith("%tok = "))
        lines[first] = (
            "%last = for %t in (%c0 to %trips, step %c1) : tile<i32> "
            "iter_values(%p = %nothing) -> (!p) {"
        )
        lines.insert(last, "%sum = tileas.await %last groups = 0 : !p")
        lines.insert(first, "%nothing = tileas.settled %zero : !c")
        return [line.replace('drain = "threads"', 'drain = "wgmma"') for line in lines]

    def _loop(self) -> list[str]:
        lines = [
            f"%da, %db = tileas.take %r[%t] groups = {self.ahead - 1} : !ring",
            f'%q = tileas.wgmma %da, %db, %p atom = "m64n{self.columns}k16" '
            ": !sa, !sb, !p",
        ]
        if self.lag:
            lines += [
                "%more = cmpi greater_than %t, %c0, signed : !i -> tile<i1>",
                "%before = subi %t, %c1 : !i",
                "if %more {",
                "tileas.release %r[%before] after(%p : !p) groups = 1 : !ring",
                "}",
            ]
        else:
            lines.append("tileas.release %r[%t] after(%q : !p) groups = 0 : !ring")
        lines += [f"%next = addi %t, %c{self.ahead} : !i", *self._fill("%next", "f")]
        return [*lines, "continue %q : !p"]
