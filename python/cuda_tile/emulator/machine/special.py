# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special registers.

PTX ISA: "Special Registers". What depends on the chip's placement has a fixed value:
every CTA is on SM 0. Time is that of `Timers`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.memory.symbols import RESERVED_SHARED_BYTES
from cuda_tile.emulator.ptx.types import Array


def special_register(machine: Machine, name: str, line: int) -> tuple[Array, int]:
    """Returns the lanes of a special register and its width in bits.

    Raises:
        PtxError: Unknown name.
    """
    if name in machine.specials:
        return machine.specials[name], 32
    timer = machine.timers.register(name)
    if timer is not None:
        return timer
    lane = np.arange(machine.n_lanes, dtype=np.uint32)
    rule = _PER_LANE.get(name)
    if rule is not None:
        values = rule(lane & np.uint32(31)).astype(np.uint32)
    elif name == "%cluster_ctarank":
        rank = machine.cta_of % machine.geometry.cluster_size
        values = rank.astype(np.uint32)
    elif name == "%warpid":
        values = machine.warp_in_cta.astype(np.uint32)
    else:
        fixed = _fixed(machine)
        if name not in fixed:
            raise PtxError(f"expected a special register, got {name!r}", line)
        value, width = fixed[name]
        dtype = np.dtype(np.bool_ if width == 1 else f"uint{width}")
        return machine.constant(value, dtype), width
    machine.specials[name] = values
    return values, 32


_ONE = np.uint32(1)
_PER_LANE: dict[str, Callable[[Array], Array]] = {
    "%laneid": lambda lane: lane,
    "%lanemask_eq": lambda lane: _ONE << lane,
    "%lanemask_lt": lambda lane: (_ONE << lane) - _ONE,
    "%lanemask_le": lambda lane: ((_ONE << lane) << _ONE) - _ONE,
    "%lanemask_gt": lambda lane: ~(((_ONE << lane) << _ONE) - _ONE),
    "%lanemask_ge": lambda lane: ~((_ONE << lane) - _ONE),
}


def _fixed(machine: Machine) -> dict[str, tuple[int, int]]:
    """Registers that are equal in all lanes: value and width in bits."""
    geometry, symbols = machine.geometry, machine.symbols
    table = {
        "%nwarpid": (geometry.warps_per_cta, 32),
        "%cluster_nctarank": (geometry.cluster_size, 32),
        "%smid": (0, 32),
        "%nsmid": (1, 32),
        "%gridid": (0, 64),
        "%dynamic_smem_size": (symbols.dynamic_shared_bytes, 32),
        "%total_smem_size": (symbols.used_shared_bytes, 32),
        "%aggr_smem_size": (symbols.shared_bytes, 32),
        "%current_graph_exec": (0, 64),
        "%is_explicit_cluster": (int(geometry.cluster != (1, 1, 1)), 1),
    }
    # No driver environment, no performance monitors.
    table |= {f"%envreg{number}": (0, 32) for number in range(32)}
    table |= {f"%pm{number}": (0, 32) for number in range(8)}
    table |= {f"%pm{number}_64": (0, 64) for number in range(8)}
    # Offset 0 is where the region begins, 1 where cooperative groups have their part.
    start, size = symbols.reserved_start, RESERVED_SHARED_BYTES
    for part, value in {
        "begin": start,
        "end": start + size,
        "cap": start + size,
        "0": start,
        "1": start + size // 2,
    }.items():
        table[f"%reserved_smem_offset_{part}"] = (value, 32)
    for name in ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid"):
        table[f"%{name}.w"] = (0, 32)  # the ISA: "always returns zero"
    for name in ("cluster_ctaid", "cluster_nctaid"):
        table[f"%{name}.w"] = (0, 32)
    for axis, letter in enumerate("xyz"):
        table[f"%ntid.{letter}"] = (geometry.block[axis], 32)
        table[f"%nctaid.{letter}"] = (geometry.grid[axis], 32)
        part = geometry.cluster[axis]
        table[f"%cluster_nctaid.{letter}"] = (part, 32)
        table[f"%nclusterid.{letter}"] = (geometry.grid[axis] // part, 32)
    return table
