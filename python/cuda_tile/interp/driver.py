"""Runs a kernel of a module on the CPU, tile block by tile block."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.interp.decode import decode
from cuda_tile.interp.machine import Launch, TileBlock, Trace
from cuda_tile.interp.program import Entry, Program
from cuda_tile.runtime.args import Argument, Bound, bind_args
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.memory import GlobalMemory

MAX_GRID_EXTENT = (1 << 24) - 1
"""Tile blocks per axis up to which block ids are exact (the dialect's promise)."""


@dataclass(frozen=True, slots=True)
class InterpReport:
    """What a launch did.

    Attributes:
        entry: Name of the kernel.
        grid: Tile blocks along x, y, z.
        block_count: Tile blocks that ran.
        op_count: Ops that ran, in all blocks.
        seconds: Wall time of the launch.
    """

    entry: str
    grid: tuple[int, int, int]
    block_count: int
    op_count: int
    seconds: float


def run(
    module: Any,
    entry: str | None = None,
    *,
    grid: Sequence[int],
    args: Sequence[Argument],
    memory: GlobalMemory | None = None,
    mode: Literal["checked", "permissive"] = "checked",
    seed: int | None = None,
    reduce_order: Literal["tree", "left", "shuffle"] | None = None,
    trace: Trace | None = None,
    limit: int | None = None,
) -> InterpReport:
    """Runs one kernel; arrays among `args` are changed in place.

    Args:
        module: `ir.Module` (or operation) of level T or W; layouts are ignored.
        entry: Name of the kernel, or None where the module has only one.
        grid: Tile blocks along x, y, z; missing dimensions are 1.
        args: The kernel's parameters in order; NumPy arrays stand for pointers.
        memory: Where pointers may point besides `args`, or None for only there.
        mode: `checked` makes undefined behaviour an error; `permissive` gives the
            value that hardware most likely gives.
        seed: Shuffles the order of blocks, and of reductions unless `reduce_order`
            says otherwise; None runs x fastest, then y, then z.
        reduce_order: How reductions combine elements; see `reduce.py`.
        trace: Called after each op, terminators excepted, with the decoded op and its
            results; `trace.describe` makes a line of them.
        limit: Largest number of ops to run, or None.

    Raises:
        UserError: The entry, the grid or an argument does not fit.
        InterpError: The kernel did something undefined, or `limit` was reached.
        Unsupported: An op has no rule.
    """
    start = time.perf_counter()
    program = module if isinstance(module, Program) else decode(module)
    kernel = _select(program, entry)
    extents = _grid(kernel.name, grid, mode)
    names = [parameter.element.name for parameter in kernel.parameters]
    bound = bind_args(names, args, kernel.name)
    memory = GlobalMemory() if memory is None else memory
    arguments = tuple(
        _argument(memory, f"argument {index}", value)
        for index, value in enumerate(bound)
    )
    launch = Launch(
        kernel=kernel.name,
        memory=memory,
        grid=extents,
        is_checked=mode == "checked",
        reduce_order=reduce_order or ("tree" if seed is None else "shuffle"),
        random=np.random.default_rng(seed),
        trace=trace,
        limit=limit,
    )
    blocks = _block_ids(extents)
    order: Any = range(len(blocks))
    if seed is not None:
        order = launch.random.permutation(len(blocks))
    with np.errstate(all="ignore"):
        for position in order:
            TileBlock(launch, kernel, blocks[int(position)]).run(arguments)
    seconds = time.perf_counter() - start
    return InterpReport(kernel.name, extents, len(blocks), launch.op_count, seconds)


def _select(program: Program, name: str | None) -> Entry:
    known = ", ".join(program.entries)
    if name is None:
        if len(program.entries) > 1:
            raise UserError(f"expected the name of a kernel, one of: {known}")
        return next(iter(program.entries.values()))
    if name not in program.entries:
        raise UserError(f"expected a kernel among {known}, got '{name}'")
    return program.entries[name]


def _grid(kernel: str, grid: Sequence[int], mode: str) -> tuple[int, int, int]:
    if not 1 <= len(grid) <= 3 or any(extent < 1 for extent in grid):
        raise UserError(
            f"{kernel}: expected a grid of one to three sizes, got {list(grid)}"
        )
    if mode == "checked" and max(grid) > MAX_GRID_EXTENT:
        raise UserError(
            f"{kernel}: expected a grid of at most {MAX_GRID_EXTENT} blocks per axis, "
            f"got {list(grid)}"
        )
    x, y, z = (*(int(extent) for extent in grid), 1, 1)[:3]
    return x, y, z


def _block_ids(grid: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    ranges = (range(grid[2]), range(grid[1]), range(grid[0]))
    return [(x, y, z) for z, y, x in product(*ranges)]


def _argument(memory: GlobalMemory, name: str, value: Bound) -> Array:
    """A parameter as a 0-d tile; arrays become their address."""
    if value is None:
        return np.array(0, dtype=np.uint64)
    if isinstance(value, np.ndarray):
        return np.array(memory.add(name, value), dtype=np.uint64)
    return np.asarray(value)
