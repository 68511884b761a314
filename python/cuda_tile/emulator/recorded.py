# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching a compiled kernel by its launch record.

The record is all that this launcher knows of the compiler, see
`cuda_tile/runtime/record.py`: it makes the tensor maps and the grid that it asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from cuda_tile.emulator.errors import LaunchError
from cuda_tile.emulator.launch import launch
from cuda_tile.emulator.ptx.syntax import Function, Module
from cuda_tile.emulator.report import Report
from cuda_tile.emulator.tensor.map_object import Tensor
from cuda_tile.runtime.args import Argument, Bound, bind_args
from cuda_tile.runtime.elements import element
from cuda_tile.runtime.memory import GlobalMemory
from cuda_tile.runtime.preceding import Preceding
from cuda_tile.runtime.record import Appended, Dim3, GridExtents, LaunchRecord
from cuda_tile.runtime.tensor_map import UNIT_BYTES, TensorMapFields, map_fields

RESIDENT_CTAS = 4
"""CTAs that the emulated chip holds at once where nothing else is said: few, so that a
persistent kernel serves several tile blocks by one CTA."""


def launch_recorded(
    ptx: str | Module,
    entry: str,
    record: LaunchRecord | Mapping[str, Any],
    *,
    grid: Dim3,
    args: Sequence[Argument],
    resident_ctas: int = RESIDENT_CTAS,
    memory: GlobalMemory | None = None,
    preceding: Preceding = None,
    **choices: Any,
) -> Report:
    """Runs a kernel given as PTX text and its launch record.

    Args:
        ptx: The PTX text, or what `parse` made of it.
        entry: Name of the entry.
        record: Its launch record, or what the JSON report has for it.
        grid: Tile blocks along x, y, z.
        args: The user's arguments, one per parameter of the record.
        resident_ctas: CTAs that the chip holds at once; a persistent kernel is launched
            with no more.
        memory: As for `launch`.
        preceding: As for `launch`.
        choices: Passed on to `launch`.

    Raises:
        UserError: The record is none, or the arguments do not fit it.
        LaunchError: As `launch`.
        FindingError: As `launch`.
        PtxError: As `launch`.
    """
    if not isinstance(record, LaunchRecord):
        record = LaunchRecord.from_json(record)
    if resident_ctas < 1:
        raise LaunchError(f"expected resident_ctas of at least 1, got {resident_ctas}")
    memory = GlobalMemory() if memory is None else memory
    bound = bind_args(record.parameters, args, kernel=entry)
    if preceding == "all":
        preceding = [array for array in bound if isinstance(array, np.ndarray)]
    values: list[Any] = list(bound)
    for part in record.appended:
        values += _appended(part, bound, grid, memory)
    return launch(
        ptx,
        entry,
        grid=record.launch_grid(grid, resident_ctas),
        block=record.launch_block,
        cluster=record.launch_cluster,
        shared_bytes=record.dynamic_shared_bytes,
        args=values,
        memory=memory,
        preceding=preceding,
        **choices,
    )


def box_bytes(entry: Function, record: LaunchRecord) -> dict[str, int]:
    """Bytes that one copy by each tensor map moves, by the name of its parameter.

    Args:
        entry: The kernel.
        record: Its launch record.
    """
    found: dict[str, int] = {}
    place = len(record.parameters)
    for part in record.appended:
        if isinstance(part, GridExtents):
            place += 3
            continue
        bits = element(part.element).bits
        found[entry.params[place].name] = prod(part.box) * bits // 8
        place += 1
    return found


def _appended(
    part: Appended, args: Sequence[Bound], grid: Dim3, memory: GlobalMemory
) -> list[Any]:
    """The parameters that the record asks for."""
    if isinstance(part, GridExtents):
        return [np.int32(extent) for extent in grid]
    base = args[part.base]
    address = int(base.ctypes.data) if isinstance(base, np.ndarray) else 0

    def line() -> int:
        return memory.allocate("line of zeros", UNIT_BYTES, UNIT_BYTES)

    return [tensor(map_fields(part, args, address, line))]


def tensor(fields: TensorMapFields) -> Tensor:
    """A tensor map as the emulator's copy engine has it.

    Raises:
        LaunchError: The hardware's limits are broken.
    """
    found = Tensor(
        address=fields.address,
        dtype=element(fields.element).array_dtype,
        extents=fields.extents[::-1],
        strides=fields.strides_bytes[::-1],
        box=fields.box[::-1],
        swizzle_bytes=fields.swizzle_bytes,
        fills_nan=False,
    )
    if problem := found.problem():
        raise LaunchError(f"tensor map: {problem}")
    return found
