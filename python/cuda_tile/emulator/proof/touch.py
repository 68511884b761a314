# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that touch memory or wait, as the shadow of a path sees them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.proof.asynchronous import bulk, mbarrier, wgmma
from cuda_tile.emulator.proof.facts import Argument
from cuda_tile.emulator.proof.global_accesses import Accesses
from cuda_tile.emulator.proof.kernel import destinations, vector_of
from cuda_tile.emulator.proof.shadow import WARP, Doubt
from cuda_tile.emulator.proof.step import Step
from cuda_tile.emulator.proof.tcgen05 import loads_base, tcgen05
from cuda_tile.emulator.proof.values import Value, is_one, symbol, unknown
from cuda_tile.emulator.ptx.types import Array

_SPACES = frozenset({"global", "shared", "local", "param", "const"})
_STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})
_NOTHING = frozenset(
    {"membar", "prefetch", "prefetchu", "nanosleep", "pragma", "setmaxnreg", "pmevent"}
)
_KINDS = {"ld": "read", "ldu": "read", "st": "write"}
_ATOMICS = frozenset({"atom", "red"})
_ALL_LANES = {0xFFFFFFFF, -1}


def touch(step: Step, accesses: Accesses) -> None:
    """Follows an instruction that accesses memory or waits.

    Args:
        step: Threads at the instruction.
        accesses: Where those to global memory are noted.

    Raises:
        Doubt: It is not ordered, or not followed.
    """
    opcode, modifiers = step.instruction.opcode, step.instruction.modifiers
    is_same = _is_same_for_all(step, accesses)
    for register in destinations(step.instruction):
        step.write(register, unknown(is_uniform=is_same), is_sure=is_same)
    follow = _FOLLOWED.get(opcode)
    if opcode == "fence":
        _fence(step)
    elif opcode in _NOTHING:
        return
    elif opcode in _ATOMICS or opcode in _KINDS:
        _access(step, accesses)
    elif follow is not None:
        follow(step)
    elif opcode == "cp" and modifiers[:1] == ("async",):
        _copy(step, accesses)
    else:
        raise Doubt("is not followed")


def _access(step: Step, accesses: Accesses) -> None:
    opcode, modifiers = step.instruction.opcode, step.instruction.modifiers
    is_atomic = opcode in _ATOMICS
    if "global" not in modifiers if is_atomic else _STRONG & {*modifiers}:
        raise Doubt("is not followed")
    space = next((s for m in modifiers if (s := m.split("::")[0]) in _SPACES), "")
    width = vector_of(step.instruction) * max(
        1, int("".join(filter(str.isdigit, modifiers[-1]))) // 8
    )
    address = step.address()
    match space:
        case "param":
            _argument(step, address)
        case "shared":
            threads, places = _bytes(step, address, step.mask, width)
            shadow = step.state.shadow
            (shadow.writes if opcode == "st" else shadow.reads)(places, threads)
            if opcode == "ld" and is_one(address, step.mask):
                _same_word(step, places)
        case "global":
            kind = "atomic" if is_atomic else _KINDS[opcode]
            accesses.add(step.instruction, kind, address, step.mask, width)
        case "local" | "const":
            pass
        case _:
            raise Doubt("names no state space")


def _same_word(step: Step, places: Array) -> None:
    """Gives threads that load from one place at once the same value."""
    if not step.is_sure or not step.is_whole:
        return
    for register in destinations(step.instruction):
        found = loads_base(step, places) or unknown(is_uniform=True)
        step.write(register, found)


def _argument(step: Step, address: Value) -> None:
    """A load of an argument, which is a symbol."""
    if step.instruction.opcode != "ld" or not address.terms:
        raise Doubt("is not followed")
    offset = int(address.array[0]) if address.array is not None else 0
    name = f"{address.terms[0][0]}+{offset}"
    bits = int(step.instruction.modifiers[-1][1:])
    is_pointer = bits == 64
    origins = frozenset({name}) if is_pointer else frozenset[str]()
    written = destinations(step.instruction)
    for number, register in enumerate(written):
        one = f"{name}.{number}" if len(written) > 1 else name
        value = symbol(Argument(one, bits), step.kernel.n_threads, origins)
        step.write(register, value)


def _is_same_for_all(step: Step, accesses: Accesses) -> bool:
    """Whether a load gives all threads one number: from one place, or none of them."""
    if step.instruction.opcode != "ld" or "global" not in step.instruction.modifiers:
        return False
    mask, address = step.group.mask, step.address()
    found = bool(address.origins) and step.is_whole and is_one(address, mask)
    if found and not step.is_sure:
        guard = step.instruction.guard
        made_of = [guard[0]] if guard else []
        made_of += destinations(step.instruction)
        known = [step.group.registers.get(register) for register in made_of]
        found = all(value is not None and is_one(value, mask) for value in known)
    if found:
        accesses.fix(step.instruction, address)
    return found


def _bytes(step: Step, address: Value, mask: Array, width: int) -> tuple[Array, Array]:
    """The units of an access to shared memory, and whose they are."""
    numbers = address.numbers
    if numbers is None:
        raise Doubt("has an address that nobody knows")
    threads = np.flatnonzero(mask)
    first = numbers[threads]
    if (first < 0).any() or (first + width > step.kernel.shared_bytes).any():
        raise Doubt("leaves shared memory")
    unit = step.kernel.unit
    if width % unit or (first % unit).any():
        raise Doubt("is not aligned to its width")
    count = width // unit
    places = (first[:, None] // unit + np.arange(count)).ravel()
    return np.repeat(threads, count), places


def _matrix(step: Step) -> None:
    """Rows of 16 bytes, which lanes of a warp exchange."""
    if "m8n8" not in step.instruction.modifiers:
        raise Doubt("is not followed")
    step.meet_lanes()
    shadow, mask = step.state.shadow, step.mask
    named = {"x1", "x2", "x4"} & {*step.instruction.modifiers}
    lanes = np.arange(mask.size) % WARP < 8 * int(named.pop()[1:])
    threads, places = _bytes(step, step.address(), mask & lanes, 16)
    if step.instruction.opcode == "stmatrix":
        shadow.writes(places, threads)
        return
    shadow.reads(places, threads)
    shadow.reads(places, threads ^ 1)  # other lanes get what they read


def _copy(step: Step, accesses: Accesses) -> None:
    if step.instruction.modifiers[1:2] == ("bulk",):
        bulk(step, accesses)
        return
    shadow, operands = step.state.shadow, step.instruction.operands
    match step.instruction.modifiers[1:2]:
        case ("ca" | "cg",):
            size = step.number(operands[2])
            if size is None:
                raise Doubt("copies bytes that nobody counts")
            threads, places = _bytes(step, step.address(operands[0]), step.mask, size)
            shadow.copies(places, threads)
            source = step.address(operands[1])
            accesses.add(step.instruction, "read", source, step.mask, size)
        case ("commit_group" | "wait_group" | "wait_all",) if not (
            step.mask.all() and step.is_certain
        ):
            raise Doubt("is not reached by all threads")
        case ("commit_group",):
            shadow.commits()
        case ("wait_group",):
            shadow.waits(step.number(operands[0]) or 0)
        case ("wait_all",):
            shadow.waits(0, is_all=True)
        case _:
            raise Doubt("is not followed")


def _fence(step: Step) -> None:
    """What threads know is visible to asynchronous operations of another proxy.

    `fence.mbarrier_init` says so of mbarriers alone.
    """
    kind, *rest = step.instruction.modifiers
    if kind not in {"proxy", "mbarrier_init"}:
        return
    if kind == "proxy" and (rest[:1] != ["async"] or "global" in rest):
        return
    if not step.is_certain:
        raise Doubt("may be reached or not")
    threads = np.flatnonzero(step.mask)
    step.state.shadow.rows.fence(threads, of_waits=kind == "mbarrier_init")
    step.state.shadow.release(threads)


def _wait(step: Step) -> None:
    modifiers, warps = step.instruction.modifiers, step.warps
    if not step.is_whole or not step.is_certain:
        raise Doubt("is reached by threads on a condition that nobody knows")
    operands = step.instruction.operands
    if modifiers[:1] == ("warp",):
        if step.number(operands[0]) in _ALL_LANES and warps is not None:
            step.state.shadow.warp_barrier(warps)
        return
    if "sync" not in modifiers or not 1 <= len(operands) <= 2:
        raise Doubt("is not followed")
    n = step.kernel.n_threads
    threads = n if len(operands) == 1 else step.number(operands[1])
    numbers = step.value(operands[0]).numbers
    if numbers is None or threads is None or threads % WARP or threads > n:
        raise Doubt("is not followed")
    if warps is None:
        raise Doubt("is reached by part of a warp")
    _meet(step, numbers, threads)


def _meet(step: Step, numbers: Array, threads: int) -> None:
    """Threads wait at the barriers that they name, each at its own."""
    state, group = step.state, step.group
    state.groups.remove(group)
    for barrier in map(int, np.unique(numbers[step.mask])):
        some = group.copy()
        some.mask = group.mask & (numbers == barrier)
        if some.mask.sum() % WARP:
            raise Doubt("is reached by part of a warp")
        some.waits = barrier
        state.groups.append(some)
        state.meet(barrier, threads)


_FOLLOWED: dict[str, Callable[[Step], None]] = {
    "bar": _wait,
    "barrier": _wait,
    "ldmatrix": _matrix,
    "stmatrix": _matrix,
    "mbarrier": mbarrier,
    "wgmma": wgmma,
    "tcgen05": tcgen05,
}
