# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an instruction that only computes leaves in its registers."""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.proof.arithmetic import computed
from cuda_tile.emulator.proof.kernel import AMONG_LANES, destinations, sources
from cuda_tile.emulator.proof.shadow import WARP, Doubt
from cuda_tile.emulator.proof.step import Step
from cuda_tile.emulator.proof.values import Value, constant, is_one, is_same, unknown
from cuda_tile.emulator.ptx.syntax import Register, SymbolAddress


def compute(step: Step) -> None:
    """Writes what an instruction computes, as far as a proof follows it.

    Args:
        step: Threads at an instruction of `COMPUTES`.

    Raises:
        Doubt: Part of a warp may do what whole warps must do.
    """
    if step.instruction.opcode in AMONG_LANES:
        step.meet_lanes()
    written = destinations(step.instruction)
    if step.instruction.opcode == "elect":
        _elect(step, written)
        return
    wanted = [register for register in written if register in step.kernel.followed]
    if not wanted:
        return
    value = _result(step)
    for number, register in enumerate(wanted):
        step.write(register, value if not number else unknown(value))


def _elect(step: Step, written: tuple[Register, ...]) -> None:
    """`elect.sync`: one lane of each warp; taken to be the first of the mask."""
    mask = step.number(step.instruction.operands[1])
    if mask not in {-1, 0xFFFFFFFF}:
        raise Doubt("elects of lanes that nobody knows")
    step.state.meet_lanes(step.mask)
    leader = np.arange(step.kernel.n_threads) % WARP == 0
    for register in written:
        is_flag = register.type.name == "pred"
        number = leader.astype(np.int64) if is_flag else np.zeros(leader.size, np.int64)
        step.write(register, Value(number))


def _broadcast(step: Step, values: list[Value]) -> Value | None:
    """`shfl.sync.idx` from one lane that is known."""
    lane, clamp = constant(values[1]), constant(values[2])
    array = values[0].array
    if "idx" not in step.instruction.modifiers or array is None or clamp != WARP - 1:
        return None
    if lane is None or not 0 <= lane < WARP or array.size % WARP:
        return None
    return values[0]._replace(array=np.repeat(array[lane::WARP], WARP))


def _result(step: Step) -> Value:
    instruction = step.instruction
    opcode = instruction.opcode
    values = [step.value(o) for o in sources(instruction)]
    if opcode == "shfl" and is_one(values[0], step.group.mask):
        return values[0]
    if opcode == "shfl" and (found := _broadcast(step, values)) is not None:
        return found
    if opcode in AMONG_LANES or len(destinations(instruction)) > 1:
        return unknown(*values)
    if opcode == "selp":
        return _selected(step, values)
    if opcode == "mov" and isinstance(instruction.operands[1], SymbolAddress):
        return values[0]
    return computed(opcode, instruction.modifiers, values)


def _selected(step: Step, values: list[Value]) -> Value:
    yes, no, condition = values
    numbers = condition.numbers
    if is_same(yes, no):
        return yes
    if numbers is None:
        return computed("selp", step.instruction.modifiers, values)
    truth, own = numbers != 0, numbers[step.group.mask] != 0
    if own.all() or not own.any():
        return yes if own.all() else no
    if yes.array is None or no.array is None or yes.terms != no.terms:
        return unknown(yes, no)
    origins = yes.origins | no.origins
    return Value(np.where(truth, yes.array, no.array), yes.terms, False, origins)
