# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of a warp of the emulator, as they are shown."""

from __future__ import annotations

import numpy as np

from cuda_tile.debug.expression import Coordinates
from cuda_tile.debug.values import Shown, frozen
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.number_text import array_kind
from cuda_tile.targets import WARP_LANES


def launch_values(machine: Machine, lanes: slice) -> dict[str, Shown]:
    """Where a warp is in the grid, and which of its lanes live."""
    block = machine.block_of(int(machine.cta_of[lanes.start]))
    return {
        "block": Shown(Coordinates(block)),
        "warp": Shown(int(machine.warp_in_cta[lanes.start])),
        "lanes": Shown(frozen(machine.live[lanes]), "lanes that have not ended"),
    }


def shared_values(machine: Machine, lane: int) -> dict[str, Shown]:
    """The shared memory of a lane's CTA, as words and as floats."""
    size = machine.symbols.shared_bytes // 4 * 4
    start = int(machine.shared_base[lane])
    words = frozen(machine.shared[start : start + size].view(np.uint32))
    floats = frozen(words.view(np.float32))
    return {
        "shared": Shown(words, array_kind(words)),
        "shared_f32": Shown(floats, array_kind(floats)),
    }


def lanes_of(thread: int) -> slice:
    """The lanes of a warp among those of the machine."""
    return slice((thread - 1) * WARP_LANES, thread * WARP_LANES)


def register_value(kept: Array, machine: Machine, lanes: slice) -> Shown:
    """One value where all lanes of a warp agree, else 32."""
    values = kept[lanes]
    alive = values[machine.live[lanes]]
    if len(alive) and alive.ndim == 1 and (alive == alive[0]).all():
        return Shown(np.asarray(alive[0]), f"{values.dtype}, in all lanes")
    return Shown(frozen(values), array_kind(values))
