# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarriers, bulk copies and products of warpgroups, as a path sees them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cuda_tile.emulator.proof.global_accesses import Accesses
from cuda_tile.emulator.proof.kernel import Kernel
from cuda_tile.emulator.proof.meetings import spin_of
from cuda_tile.emulator.proof.products import Group, Products, warpgroups
from cuda_tile.emulator.proof.shadow import Doubt
from cuda_tile.emulator.proof.step import Step
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Immediate,
    Operand,
    Register,
    Vector,
    registers_in,
)
from cuda_tile.emulator.ptx.types import Array
from cuda_tile.emulator.tensor.descriptor import Descriptor

PIECE_BYTES = 16
_MBARRIER_BYTES = 8
_STATE = 1 << 40
"""With the parity of the phase of an arrival, the state that it gives; no parity."""


def must_be_sure(step: Step) -> None:
    """Refuses what threads may make or not."""
    if not step.is_certain:
        raise Doubt("may be reached or not")


def same(step: Step, operand: Operand, what: str) -> int:
    """The number that all threads at an instruction have."""
    value = (
        step.address(operand) if isinstance(operand, Address) else step.value(operand)
    )
    numbers = value.numbers
    own = None if numbers is None else numbers[step.mask]
    if own is None or not own.size or (own != own[0]).any():
        raise Doubt(f"has {what} that nobody knows, or several")
    return int(own[0])


def by_address(step: Step, operand: Operand) -> dict[int, Array]:
    """The threads at an instruction by their address."""
    numbers = step.address(operand).numbers
    if numbers is None:
        raise Doubt("has an address that nobody knows")
    threads = np.flatnonzero(step.mask)
    own = numbers[threads]
    return {int(place): threads[own == place] for place in np.unique(own)}


def mbarrier(step: Step) -> None:
    """An instruction on mbarriers.

    Args:
        step: Threads at it.

    Raises:
        Doubt: It is not ordered, or not followed.
    """
    must_be_sure(step)
    modifiers, operands = step.instruction.modifiers, step.instruction.operands
    known = {"shared", "shared::cta", "b64", "release", "acquire", "cta", "parity"}
    known |= {"arrive", "expect_tx", "init", "try_wait", "test_wait"}
    is_expected = modifiers[0] == "expect_tx"
    if {*modifiers} - known - ({"relaxed"} if is_expected else set()):
        raise Doubt("is not followed")
    if is_expected:
        _expect(step, same(step, operands[1], "a size"))
    elif modifiers[0] == "init":
        _init(step, same(step, operands[1], "a count"))
    elif modifiers[0] == "arrive":
        _arrive(step)
    elif modifiers[0] in {"try_wait", "test_wait"}:
        _wait(step)
    else:
        raise Doubt("is not followed")


def _init(step: Step, count: int) -> None:
    state, unit = step.state, step.kernel.unit
    for place, threads in by_address(step, step.instruction.operands[0]).items():
        if threads.size > 1:
            raise Doubt("is made by several threads")
        units = np.arange(place // unit, -(-(place + _MBARRIER_BYTES) // unit))
        state.shadow.writes(units, np.full(units.size, threads[0]))
        state.shadow.flying[units] = True  # nobody else may touch it
        state.mbarriers.make(state.shadow, place, count, int(threads[0]))


def _arrive(step: Step) -> None:
    operands = [o for o in step.instruction.operands if isinstance(o, Address)]
    rest = step.instruction.operands[step.instruction.operands.index(operands[0]) + 1 :]
    number = same(step, rest[0], "a number") if rest else 1
    expects = "expect_tx" in step.instruction.modifiers
    result = step.instruction.operands[0]
    for place, threads in by_address(step, operands[0]).items():
        counts, size = (1, number) if expects else (number, 0)
        phases = step.state.mbarriers.find(place)
        if isinstance(result, Register):
            own = np.isin(np.arange(step.mask.size), threads)
            said = step.fixed(_STATE | phases.parity)
            replace(step, mask=own).write(result, said)
        if phases.arrive(step.state.shadow, threads, counts, size):
            step.state.wake(place)


def _expect(step: Step, size: int) -> None:
    for place, threads in by_address(step, step.instruction.operands[0]).items():
        phases = step.state.mbarriers.find(place)
        phases.expect(step.state.shadow, threads, size)


def _wait(step: Step) -> None:
    target, place, parity = step.instruction.operands[:3]
    spin = spin_of(step.kernel.function, step.group.place - 1)
    if not isinstance(target, Register) or spin is None:
        raise Doubt("is not asked again until it is fulfilled")
    at, bit = same(step, place, "an address"), same(step, parity, "a parity")
    if "parity" not in step.instruction.modifiers:
        bit ^= _STATE
    if bit not in {0, 1} or not step.is_whole:
        raise Doubt("has a parity that is none")
    phases = step.state.mbarriers.find(at)
    if phases.wait(step.state.shadow, np.flatnonzero(step.mask), bit):
        step.write(target, step.fixed(1))
    else:
        step.group.place -= 1
        step.group.waits = ("mbarrier", at)


# Bulk copies ---------------------------------------------------------------------


def bulk(step: Step, accesses: Accesses) -> None:
    """A bulk copy, or what waits for some.

    Args:
        step: Threads at it.
        accesses: Where those to global memory are noted.

    Raises:
        Doubt: It is not ordered, or not followed.
    """
    must_be_sure(step)
    modifiers, operands = step.instruction.modifiers, step.instruction.operands
    threads, state = np.flatnonzero(step.mask), step.state
    if "commit_group" in modifiers:
        state.bulk.commit(threads)
    elif "wait_group" in modifiers:
        state.bulk.wait(state.shadow, threads, same(step, operands[0], "a count"))
    elif modifiers[2:3] in {("prefetch",)}:
        return
    elif _REFUSED & {*modifiers}:
        raise Doubt("is not followed")
    else:
        accesses.doubt("bulk copies touch it")
        for thread in threads:
            alone = np.arange(step.mask.size) == thread
            _copy(replace(step, mask=alone), int(thread))


_REFUSED = frozenset({"multicast::cluster", "im2col", "im2col_no_offs", "reduce"})


def _copy(step: Step, thread: int) -> None:
    """A bulk copy of one thread."""
    modifiers = step.instruction.modifiers
    if "mbarrier::complete_tx::bytes" in modifiers and "global" in modifiers:
        _load(step, thread)
    elif "bulk_group" in modifiers and "global" in modifiers:
        _store(step, thread)
    else:
        raise Doubt("is not followed")


def _load(step: Step, thread: int) -> None:
    operands, state = step.instruction.operands, step.state
    is_tensor = "tensor" in step.instruction.modifiers
    size = _box(step, operands[1]) if is_tensor else same(step, operands[2], "a size")
    barrier = operands[2] if is_tensor else operands[3]
    units = _units(step, same(step, operands[0], "an address"), size)
    row = state.shadow.begin_async(units, np.array([thread]), is_write=True)
    place = same(step, barrier, "an address")
    if state.mbarriers.find(place).copies(state.shadow, thread, size, row):
        state.wake(place)


def _store(step: Step, thread: int) -> None:
    operands, state = step.instruction.operands, step.state
    is_tensor = "tensor" in step.instruction.modifiers
    size = _box(step, operands[0]) if is_tensor else same(step, operands[2], "a size")
    units = _units(step, same(step, operands[1], "an address"), size)
    row = state.shadow.begin_async(units, np.array([thread]), is_write=False)
    state.bulk.start(thread, row)


def _box(step: Step, operand: Operand) -> int:
    """Bytes of a copy by a tensor map."""
    if not isinstance(operand, Address) or not isinstance(operand.base, Register):
        raise Doubt("has a tensor map that is not followed")
    value = step.value(operand.base)
    names = [name for name, count in value.terms if count == 1]
    size = (
        step.kernel.boxes.get(str(names[0]).removeprefix("param ")) if names else None
    )
    if (
        size is None
        or len(value.terms) != 1
        or value.array is None
        or value.array.any()
    ):
        raise Doubt("copies by a tensor map whose box no launch record tells")
    return size


def _units(step: Step, first: int, size: int) -> Array:
    """The units of bytes that a bulk copy touches."""
    unit = step.kernel.unit
    if first < 0 or first + size > step.kernel.shared_bytes or size < 1:
        raise Doubt("leaves shared memory")
    if first % unit or size % unit:
        raise Doubt("is not aligned to its width")
    return np.arange(first // unit, (first + size) // unit)


# Products ------------------------------------------------------------------------


def wgmma(step: Step) -> None:
    """A product of warpgroups, its fence, its commit or the wait for it.

    Args:
        step: Threads at it.

    Raises:
        Doubt: It is not ordered, or not followed.
    """
    must_be_sure(step)
    for threads in warpgroups(step.mask):
        first = int(threads[0])
        products = step.state.products.setdefault(first, Products())
        match step.instruction.modifiers[0]:
            case "fence":
                products.touched = frozenset()
            case "commit_group":
                products.commit()
            case "wait_group":
                left = same(step, step.instruction.operands[0], "a count")
                products.wait(step.state.shadow, threads, left)
            case "mma_async":
                _product(step, products, threads)
            case _:
                raise Doubt("is not followed")


def _product(step: Step, products: Products, threads: Array) -> None:
    modifiers, operands = step.instruction.modifiers, step.instruction.operands
    shape = next(m for m in modifiers if m.startswith("m64n"))
    width, depth = map(int, shape.removeprefix("m64n").split("k"))
    flips = _flips(operands, modifiers, depth)
    places = [_pieces(step, operands[2], threads, width, depth, flip=flips[1])]
    if not isinstance(operands[1], Vector):
        places.append(_pieces(step, operands[1], threads, 64, depth, flip=flips[0]))
    used = [o for o in operands[:2] if isinstance(o, Vector)]
    held = {(e, shape) for o in used for e in o.elements if isinstance(e, Register)}
    units = np.unique(np.concatenate(places))
    products.start(step.state.shadow, threads, units, Group((), frozenset(held)))


def _flips(
    operands: tuple[Operand, ...], modifiers: tuple[str, ...], depth: int
) -> tuple[bool, bool]:
    """Whether A and B are transposed: of 16 bits the last operands say so."""
    if depth != 16 or not {"f16", "bf16"} & {*modifiers[-2:]}:
        return False, False
    is_held = isinstance(operands[1], Vector)
    said = operands[6:]
    bits = [bool(o.value) for o in said if isinstance(o, Immediate)]
    if len(bits) != (1 if is_held else 2):
        raise Doubt("has operands that are not followed")
    return (False, bits[0]) if is_held else (bits[0], bits[1])


def _pieces(
    step: Step, operand: Operand, threads: Array, count: int, depth: int, *, flip: bool
) -> Array:
    """The units of a matrix in shared memory."""
    numbers = step.value(operand).numbers
    own = None if numbers is None else np.unique(numbers[threads])
    if own is None or own.size != 1:
        raise Doubt("has a matrix descriptor that nobody knows")
    matrix = Descriptor.decode(int(own[0]) & (1 << 64) - 1)
    pieces = matrix.columns(count, depth) if flip else matrix.rows(count)
    unit = step.kernel.unit
    first = pieces.ravel()
    if (first + PIECE_BYTES > step.kernel.shared_bytes).any():
        raise Doubt("leaves shared memory")
    units = first[:, None] // unit + np.arange(PIECE_BYTES // unit)
    return units.ravel()


def watched(kernel: Kernel) -> list[frozenset[Register]]:
    """The registers of products that each other instruction touches."""
    code = kernel.function.code
    held = {
        element
        for instruction in code
        if instruction.opcode == "wgmma" and "mma_async" in instruction.modifiers
        for operand in instruction.operands[:2]
        if isinstance(operand, Vector)
        for element in operand.elements
    }
    return [
        frozenset(r for r in registers_in(i) if r in held)
        if i.opcode != "wgmma"
        else frozenset()
        for i in code
    ]


def touches(step: Step, registers: frozenset[Register]) -> None:
    """Threads touch registers that products use.

    Raises:
        Doubt: A product in flight uses them.
    """
    for first in np.unique(np.flatnonzero(step.mask) // 128 * 128):
        products = step.state.products.setdefault(int(first), Products())
        products.touch(registers)
