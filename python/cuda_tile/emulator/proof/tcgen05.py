# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions on tensor memory, as a path sees them.

PTX ISA: "tcgen05.alloc", "tcgen05.ld", "tcgen05.mma", "tcgen05.commit". Of one CTA,
without scale factors, copies and operands in tensor memory.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.proof.asynchronous import (
    PIECE_BYTES,
    by_address,
    must_be_sure,
    same,
)
from cuda_tile.emulator.proof.shadow import Doubt
from cuda_tile.emulator.proof.step import Step
from cuda_tile.emulator.proof.tensor import COLUMNS, HALVES, Ways, lanes_of
from cuda_tile.emulator.proof.values import Value
from cuda_tile.emulator.ptx.syntax import Address, Operand, Register
from cuda_tile.emulator.ptx.types import Array
from cuda_tile.emulator.tensor.datapaths import parts_of
from cuda_tile.emulator.tensor.descriptor import Descriptor
from cuda_tile.emulator.tensor.instruction_descriptor import InstructionDescriptor

_SHAPES = {"32x32b": (32, 1), "16x64b": (16, 2), "16x128b": (16, 4), "16x256b": (16, 8)}
"""Lanes and columns of the smallest load of each shape."""
_DEPTHS = {"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32}
"""Elements along K of one product, of 32 bytes."""
_PLAIN = frozenset(
    {
        *("mma", "alloc", "dealloc", "relinquish_alloc_permit", "ld", "st", "commit"),
        *("wait::ld", "wait::st", "fence::before_thread_sync"),
        *("fence::after_thread_sync", "cta_group::1", "sync", "aligned", "shared::cta"),
        *("b32", "b64", "mbarrier::arrive::one", "shared::cluster", *_SHAPES),
        *("collector::a::discard", "collector::a::fill", "collector::a::use"),
        *("collector::a::lastuse", *(f"kind::{kind}" for kind in _DEPTHS)),
        *(f"x{1 << n}" for n in range(8)),
    }
)
BASE = "tensor memory"
"""The symbol of the first column that the CTA has got."""


def tcgen05(step: Step) -> None:
    """An instruction on tensor memory.

    Args:
        step: Threads at it.

    Raises:
        Doubt: It is not ordered, or not followed.
    """
    must_be_sure(step)
    kind = step.instruction.modifiers[0]
    if set(step.instruction.modifiers) - _PLAIN:
        raise Doubt("is not followed")
    if kind == "mma":
        _product(step)
    elif kind == "commit":
        _commit(step)
    elif kind == "fence::after_thread_sync":
        step.state.shadow.rows.fence_columns(np.flatnonzero(step.mask))
    else:
        for warp in _warps(step):
            _of_warp(step, kind, warp)


def _warps(step: Step) -> list[int]:
    """The warps at an instruction, which must be whole ones."""
    warps = step.warps
    if warps is None:
        raise Doubt("may be reached by part of a warp")
    return [int(warp) for warp in warps]


def _of_warp(step: Step, kind: str, warp: int) -> None:
    tensor, shadow = step.state.tensor, step.state.shadow
    operands = step.instruction.operands
    match kind:
        case "ld" | "st":
            tensor.access(shadow, _loaded(step, warp), warp, kind)
        case "wait::ld" | "wait::st":
            way: Ways = "ld" if kind == "wait::ld" else "st"
            tensor.wait(shadow, warp, way)
        case "fence::before_thread_sync":
            tensor.fence_before(shadow, warp)
        case "alloc":
            tensor.allocate(warp, same(step, operands[1], "a number of columns"))
            unit, at = step.kernel.unit, same(step, operands[0], "an address")
            units = np.arange(at // unit, -(-(at + 4) // unit))
            shadow.writes(units, np.full(units.size, lanes_of(warp)[0]))
            shadow.words = frozenset(units.tolist())
        case "dealloc":
            if _column(step, operands[0]) != (0, 0):
                raise Doubt("gives back other columns than its warp has allocated")
            columns = same(step, operands[1], "a number of columns")
            every = _units(step, np.arange(HALVES), 0, columns)
            tensor.free(shadow, every, warp, columns)
        case _:
            pass


def loads_base(step: Step, places: Array) -> Value | None:
    """What a load of the word gives that `tcgen05.alloc` wrote; None of other loads.

    Args:
        step: Threads at the load.
        places: The units that it reads.
    """
    words = step.state.shadow.words
    if not words or not {*np.unique(places).tolist()} <= words:
        return None
    zeros = np.zeros(step.kernel.n_threads, np.int64)
    return Value(zeros, ((BASE, 1),), True, frozenset())


def _column(step: Step, operand: Operand, warp: int | None = None) -> tuple[int, int]:
    """Lane and column of an address, from the first column of the CTA on."""
    value = (
        step.address(operand) if isinstance(operand, Address) else step.value(operand)
    )
    own = step.mask if warp is None else lanes_of(warp)
    if value.array is None or value.terms != ((BASE, 1),):
        raise Doubt("has an address in tensor memory that nobody knows")
    numbers = np.unique(value.array[own])
    if numbers.size != 1 or numbers[0] < 0:
        raise Doubt("has an address in tensor memory that nobody knows, or several")
    return int(numbers[0]) >> 16, int(numbers[0]) & 0xFFFF


def _units(step: Step, halves: Array, column: int, count: int) -> Array:
    """Units of some columns in parts of 16 lanes."""
    if column + count > step.state.tensor.columns:
        raise Doubt("leaves the columns that are allocated")
    columns = column + np.arange(count)
    return step.kernel.n_units + (halves[:, None] * COLUMNS + columns).ravel()


def _loaded(step: Step, warp: int) -> Array:
    """The units that a warp loads or stores."""
    modifiers = step.instruction.modifiers
    n_lanes, width = next(_SHAPES[m] for m in modifiers if m in _SHAPES)
    times = next(int(m[1:]) for m in modifiers if m[0] == "x" and m[1:].isdigit())
    address = next(o for o in step.instruction.operands if isinstance(o, Address))
    lane, column = _column(step, address, warp)
    first = warp % 4 * 32
    if not first <= lane <= first + 32 - n_lanes or lane % 16:
        raise Doubt("has lanes of tensor memory that are not those of its warp")
    return _units(
        step, np.arange(lane, lane + n_lanes, 16) // 16, column, width * times
    )


def _alone(step: Step) -> int:
    """The only thread at an instruction."""
    threads = np.flatnonzero(step.mask)
    if threads.size != 1:
        raise Doubt("is made by several threads")
    return int(threads[0])


def _product(step: Step) -> None:
    instruction, thread = step.instruction, _alone(step)
    operands = instruction.operands
    kind = next(m for m in instruction.modifiers if m.startswith("kind::"))[6:]
    if len(operands) != 5 or not isinstance(operands[1], Register):
        raise Doubt("is not followed")
    try:
        shape = InstructionDescriptor.decode(
            same(step, operands[3], "an instruction descriptor"), kind
        )
        lane, column = _column(step, operands[0])
        parts = parts_of(shape.m, shape.n, 1, lane, is_ws=False)
        read = [
            _operand(step, operands[1 + n], (shape.m, shape.n)[n], kind, flip=flip)
            for n, flip in enumerate(shape.flips)
        ]
    except Fault as fault:
        raise Doubt(f"is not followed: {fault}") from None
    lanes = np.arange(HALVES * 16)
    halves = np.unique(np.concatenate([lanes[part.lanes] for part in parts]) // 16)
    places = _units(step, halves, column, max(part.columns.stop for part in parts))
    step.state.tensor.product(
        step.state.shadow,
        np.concatenate(read),
        places,
        thread,
        (column, shape.m, shape.n, kind),
    )


def _operand(
    step: Step, operand: Operand, count: int, kind: str, *, flip: bool
) -> Array:
    """The units of a matrix in shared memory."""
    bits = same(step, operand, "a matrix descriptor") & (1 << 64) - 1
    matrix, depth = Descriptor.decode_tensor(bits), _DEPTHS[kind]
    pieces = matrix.columns(count, depth, depth // 2) if flip else matrix.rows(count)
    unit, first = step.kernel.unit, pieces.ravel()
    if (first + PIECE_BYTES > step.kernel.shared_bytes).any():
        raise Doubt("leaves shared memory")
    return (first[:, None] // unit + np.arange(PIECE_BYTES // unit)).ravel()


def _commit(step: Step) -> None:
    """A thread's products, and what is before them, arrive at an mbarrier."""
    thread, state = _alone(step), step.state
    address = next(o for o in step.instruction.operands if isinstance(o, Address))
    rows = [*state.tensor.issued.get(thread, ())]
    for place in by_address(step, address):
        if state.mbarriers.find(place).tracks(state.shadow, thread, rows):
            state.wake(place)
