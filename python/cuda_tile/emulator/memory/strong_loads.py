# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strong loads of global memory, which may return older writes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ordering.memory_order import MemoryOrder
from cuda_tile.emulator.ordering.older_writes import OlderWrites, OldWrite
from cuda_tile.emulator.threads.lanes import Lanes

Addresses = NDArray[np.uint64]
Bytes = NDArray[np.uint8]


def load_strong(
    machine: Memories,
    at: int,
    lanes: Lanes,
    addresses: Addresses,
    latest: Bytes,
    order: MemoryOrder,
    older: OlderWrites,
) -> Bytes:
    """Chooses what strong loads return, and records what they observe by it.

    Args:
        machine: The machine.
        at: Number of the instruction.
        lanes: Who reads.
        addresses: uint64[count].
        latest: What is there, uint8[count, size].
        order: How strong the loads are.
        older: What else they may return.

    Returns:
        What they return, uint8[count, size].
    """
    chosen = older.choose(lanes, addresses, latest)
    size = int(latest.shape[1])
    if not chosen:
        _note(machine, at, lanes, addresses, size, order, None)
        return latest
    data = latest.copy()
    for number in range(lanes.count):
        write = chosen.get(number)
        if write is not None:
            data[number] = np.frombuffer(write.data, np.uint8)
        one = Lanes(lanes.numbers[number : number + 1], machine.n_lanes)
        _note(machine, at, one, addresses[number : number + 1], size, order, write)
    return data


def _note(
    machine: Memories,
    at: int,
    lanes: Lanes,
    addresses: Addresses,
    size: int,
    order: MemoryOrder,
    write: OldWrite | None,
) -> None:
    """Records what loads observe: the latest writes, or an older one."""
    if machine.order is not None and write is None:
        machine.order.read(lanes, addresses, size, order)
    elif machine.order is not None and write is not None:
        machine.order.read_older(int(lanes.warps[0]), write.releases, order)
    if machine.global_shadow is not None:
        is_latest = write is None
        machine.global_shadow.read(
            at, lanes, addresses, size, order=order, is_latest=is_latest
        )
