# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows every path of a kernel and judges its accesses to shared memory.

Threads are concrete, arguments are symbols. A condition that depends on arguments alone
is the same for all threads: the path goes on both ways. One that may differ between
threads leaves them in both places at once, until these meet. The search ends where it
finds a state that it has seen; registers that count for ever are forgotten.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.proof.arithmetic import computed
from cuda_tile.emulator.proof.global_accesses import Accesses
from cuda_tile.emulator.proof.kernel import (
    AMONG_LANES,
    COMPUTES,
    Kernel,
    destinations,
    sources,
)
from cuda_tile.emulator.proof.shadow import MOST_BYTES, WARP, Doubt, Shadow
from cuda_tile.emulator.proof.state import State, Threads
from cuda_tile.emulator.proof.values import (
    Value,
    constant,
    is_one,
    is_same,
    joined,
    plus,
    symbol,
    unknown,
)
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Immediate,
    Instruction,
    Label,
    Negated,
    Operand,
    Register,
    Special,
    SymbolAddress,
    Variable,
)
from cuda_tile.emulator.ptx.types import Array

MOST_VISITS = 6000
MOST_SECONDS = 10.0
"""After which a search is given up."""
_SPACES = frozenset({"global", "shared", "local", "param", "const"})
_STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})
_NOTHING = frozenset(
    {"fence", "membar", "prefetch", "prefetchu", "nanosleep", "pragma"}
)
_FIXED = ("%ctaid", "%nctaid", "%gridid", "%nsmid", "%smid", "%envreg", "%clusterid")
_WIDTHS = {"v2": 2, "v4": 4, "v8": 8}


@dataclass(eq=False)
class Search:
    """The search of one kernel.

    Attributes:
        kernel: The kernel.
        accesses: Its accesses to global memory.
    """

    kernel: Kernel
    accesses: Accesses = field(init=False)

    def __post_init__(self) -> None:
        self.accesses = Accesses(self.kernel.n_threads)
        self._work: list[State] = []
        self._seen: set[tuple[object, ...]] = set()
        self._labels = frozenset(self.kernel.function.labels)
        self._visits, self._deadline = 0, 0.0
        self._ids = self._thread_ids()

    def _thread_ids(self) -> dict[str, Array]:
        x, y, z = self.kernel.block
        threads = np.arange(x * y * z, dtype=np.int64)
        found = {
            "%tid.x": threads % x,
            "%tid.y": threads // x % y,
            "%tid.z": threads // (x * y),
            "%laneid": threads % WARP,
        }
        for name, n in zip("xyz", self.kernel.block, strict=True):
            found[f"%ntid.{name}"] = np.full(threads.size, n)
        return found

    def run(self) -> None:
        """Follows all paths.

        Raises:
            Doubt: Something is not proved; says which line.
        """
        n, n_bytes = self.kernel.n_threads, self.kernel.shared_bytes
        if n_bytes > MOST_BYTES:
            raise Doubt(f"it has {n_bytes} bytes of shared memory")
        first = Threads(0, np.ones(n, bool), {})
        shadow = Shadow.of(n, n_bytes)
        self._work.append(State([first], shadow, np.zeros(n, bool)))
        self._deadline = time.process_time() + MOST_SECONDS
        while self._work:
            self._follow(self._work.pop())

    def _follow(self, state: State) -> None:
        """Follows a path until it ends, meets another one, or forks."""
        while (group := state.next()) is not None:
            group = state.gather(group)
            if group.place in self._labels and not self._is_new(state, group):
                return
            if group.place >= len(self.kernel.function.code):
                self._end(state, group, group.mask)
                continue
            instruction = self.kernel.function.code[group.place]
            try:
                self._step(state, group, instruction)
            except Doubt as doubt:
                raise Doubt(
                    f"line {instruction.line}: {instruction.mnemonic} {doubt}"
                ) from None
        if state.groups:
            raise Doubt("some threads wait at a barrier that others do not reach")

    def _is_new(self, state: State, group: Threads) -> bool:
        """Whether a path goes on: nobody was in its state at a label."""
        self._visits += 1
        if self._visits > MOST_VISITS or time.process_time() > self._deadline:
            raise Doubt(f"its paths are too many ({self._visits} steps)")
        state.widen(group, self.kernel.followed)
        key = state.key()
        if key not in self._seen:
            self._seen.add(key)
            return True
        if state.is_certain(group):
            return False
        state.lost |= group.mask
        state.groups.remove(group)
        return bool(state.groups)

    def _end(self, state: State, group: Threads, mask: Array) -> None:
        """Threads end."""
        if not state.is_certain(group):
            state.lost |= mask
        group.mask = group.mask & ~mask
        if not group.mask.any():
            state.groups.remove(group)

    # One instruction.

    def _step(self, state: State, group: Threads, instruction: Instruction) -> None:
        mask, is_sure = group.mask, True
        if instruction.guard is not None:
            register, is_negated = instruction.guard
            value = group.registers.get(register) or unknown()
            numbers = value.numbers
            if numbers is not None:
                mask = mask & ((numbers != 0) ^ is_negated)
            elif value.is_uniform and self._forks(instruction):
                self._fork(state, group, register)
                return
            else:
                is_sure = False
        if instruction.opcode == "bra":
            self._branch(state, group, instruction, mask, is_sure=is_sure)
            return
        group.place += 1
        if not mask.any():
            return
        if instruction.opcode in {"ret", "exit", "trap"}:
            self._leave(state, group, mask, is_sure=is_sure)
        elif instruction.opcode in COMPUTES:
            if instruction.opcode in AMONG_LANES:
                self._meet_lanes(state, group, mask, is_sure=is_sure)
            self._compute(group, instruction, mask, is_sure=is_sure)
        else:
            self._touch(state, group, instruction, mask, is_sure=is_sure)

    def _meet_lanes(
        self, state: State, group: Threads, mask: Array, *, is_sure: bool
    ) -> None:
        """Refuses what a part of a warp does that whole warps must do."""
        if not is_sure or not state.is_certain(group) or _whole_warps(mask) is None:
            raise Doubt("may be reached by part of a warp")

    def _forks(self, instruction: Instruction) -> bool:
        """Whether it matters to a path if an instruction runs."""
        opcode, *more = instruction.mnemonic.split(".")
        if opcode in {"bra", "bar", "barrier", "ret", "exit", "trap"}:
            return True
        return opcode == "cp" and ("commit_group" in more or "wait" in str(more))

    def _fork(self, state: State, group: Threads, register: Register) -> None:
        """Goes on both ways, and knows the condition then."""
        place = state.groups.index(group)
        for truth in (0, 1):
            other = state.copy()
            mine = other.groups[place]
            known = np.full(self.kernel.n_threads, truth, np.int64)
            mine.registers[register] = Value(known)
            self._work.append(other)
        state.groups.clear()

    def _branch(
        self,
        state: State,
        group: Threads,
        instruction: Instruction,
        mask: Array,
        *,
        is_sure: bool,
    ) -> None:
        (label,) = instruction.operands
        if not isinstance(label, Label):
            raise Doubt("is not followed")
        stays = group.mask & ~mask if is_sure else group.mask
        if stays.any() and mask.any():
            other = group.copy()
            other.place, other.mask = label.target, mask
            state.groups.append(other)
            group.mask = stays
            group.place += 1
        else:
            group.place = label.target if mask.any() else group.place + 1

    def _leave(
        self, state: State, group: Threads, mask: Array, *, is_sure: bool
    ) -> None:
        if is_sure:
            self._end(state, group, mask)
        else:
            state.lost |= mask

    def _compute(
        self, group: Threads, instruction: Instruction, mask: Array, *, is_sure: bool
    ) -> None:
        wanted = [r for r in destinations(instruction) if r in self.kernel.followed]
        if not wanted:
            return
        value = self._result(group, instruction)
        for number, register in enumerate(wanted):
            self.write(
                group,
                register,
                value if not number else unknown(value),
                mask,
                is_sure=is_sure,
            )

    def _result(self, group: Threads, instruction: Instruction) -> Value:
        opcode, modifiers = instruction.opcode, instruction.modifiers
        values = [self._value(group, o) for o in sources(instruction)]
        if opcode == "shfl" and is_one(values[0], group.mask):
            return values[0]
        if opcode in AMONG_LANES or len(destinations(instruction)) > 1:
            return unknown(*values)
        if opcode == "selp":
            return self._selected(group, values)
        if opcode == "mov" and isinstance(instruction.operands[1], SymbolAddress):
            return values[0]
        return computed(opcode, modifiers, values)

    def _selected(self, group: Threads, values: list[Value]) -> Value:
        yes, no, condition = values
        numbers = condition.numbers
        if is_same(yes, no):
            return yes
        if numbers is None:
            both = is_one(yes) and is_one(no) and condition.is_uniform
            return unknown(yes, no, is_uniform=both)
        truth = numbers != 0
        if truth[group.mask].all() or not truth[group.mask].any():
            return yes if truth[group.mask].all() else no
        if yes.array is None or no.array is None or yes.terms != no.terms:
            return unknown(yes, no)
        origins = yes.origins | no.origins
        return Value(np.where(truth, yes.array, no.array), yes.terms, False, origins)

    def write(
        self,
        group: Threads,
        register: Register,
        value: Value,
        mask: Array,
        *,
        is_sure: bool,
    ) -> None:
        """Gives a register of some threads a value, for sure or perhaps."""
        before = group.registers.get(register)
        if is_sure and (mask == group.mask).all():
            group.registers[register] = value
        elif before is None or is_same(before, value):
            group.registers[register] = value if before is not None else unknown(value)
        elif not is_sure:
            group.registers[register] = unknown(before, value)
        else:
            rest = group.mask & ~mask
            group.registers[register] = joined(value, before, mask, rest)

    def _value(self, group: Threads, operand: Operand) -> Value:
        n = self.kernel.n_threads
        match operand:
            case Register():
                return group.registers.get(operand) or unknown()
            case Negated(register=register):
                value = group.registers.get(register) or unknown()
                numbers = value.numbers
                return value if numbers is None else Value(1 - numbers)
            case Immediate(value=int(number)):
                if number >= 1 << 63:
                    number -= 1 << 64
                return Value(np.full(n, number, np.int64))
            case Immediate():
                return unknown(is_uniform=True)
            case Special(name=name):
                if name in self._ids:
                    return Value(self._ids[name])
                if name.startswith(_FIXED):
                    return symbol(name, n, frozenset())
                return unknown()
            case SymbolAddress(variable=variable, offset_bytes=offset):
                return self._place(variable, offset)
            case _:
                return unknown()

    def _place(self, variable: Variable, offset: int) -> Value:
        n = self.kernel.n_threads
        if variable.space == "shared":
            return Value(np.full(n, self.kernel.places[variable] + offset, np.int64))
        name = f"{variable.space} {variable.name}"
        value = symbol(name, n, frozenset({name}))
        return plus(value, Value(np.full(n, offset, np.int64)), 64)

    # Memory.

    def _touch(
        self,
        state: State,
        group: Threads,
        instruction: Instruction,
        mask: Array,
        *,
        is_sure: bool,
    ) -> None:
        """What touches memory or waits."""
        opcode, modifiers = instruction.opcode, instruction.modifiers
        for register in destinations(instruction):
            self.write(group, register, unknown(), mask, is_sure=False)
        if opcode in _NOTHING:
            return
        if opcode in {"bar", "barrier"}:
            self._wait(state, group, instruction, mask, is_sure=is_sure)
        elif opcode in {"ld", "ldu", "st"} and not _STRONG & {*modifiers}:
            self._access(state, group, instruction, mask, is_sure=is_sure)
        elif opcode in {"ldmatrix", "stmatrix"}:
            self._meet_lanes(state, group, mask, is_sure=is_sure)
            self._matrix(state, group, instruction, mask)
        elif opcode in {"atom", "red"} and "global" in modifiers:
            self._access(state, group, instruction, mask, is_sure=is_sure)
        elif opcode == "cp" and modifiers[:1] == ("async",):
            self._copy(state, group, instruction, mask, is_sure=is_sure)
        else:
            raise Doubt("is not followed")

    def _address(self, group: Threads, operand: Operand) -> Value:
        if not isinstance(operand, Address) or operand.coordinates:
            raise Doubt("has an address that is not followed")
        base, n = operand.base, self.kernel.n_threads
        if isinstance(base, Variable):
            return self._place(base, operand.offset_bytes)
        offset = Value(np.full(n, operand.offset_bytes, np.int64))
        if isinstance(base, int):
            return plus(Value(np.full(n, base, np.int64)), offset, 64)
        value = group.registers.get(base) or unknown()
        return plus(value, offset, 64)

    def _access(
        self,
        state: State,
        group: Threads,
        instruction: Instruction,
        mask: Array,
        *,
        is_sure: bool,
    ) -> None:
        modifiers = instruction.modifiers
        space = next(
            (m.split("::")[0] for m in modifiers if m.split("::")[0] in _SPACES), ""
        )
        place = next(o for o in instruction.operands if isinstance(o, Address))
        count = next((_WIDTHS[m] for m in modifiers if m in _WIDTHS), 1)
        width = count * max(1, int("".join(filter(str.isdigit, modifiers[-1]))) // 8)
        address = self._address(group, place)
        if space == "param":
            self._argument(group, instruction, address, mask, is_sure=is_sure)
        elif space == "shared":
            threads, places = self._bytes(address, mask, width)
            if instruction.opcode == "st":
                state.shadow.writes(places, threads)
            else:
                state.shadow.reads(places, threads)
        elif space == "global":
            kind = {"ld": "read", "ldu": "read", "st": "write"}
            what = kind.get(instruction.opcode, "atomic")
            self.accesses.add(instruction, what, address, mask, width)
        elif space not in {"local", "const"}:
            raise Doubt("names no state space")

    def _argument(
        self,
        group: Threads,
        instruction: Instruction,
        address: Value,
        mask: Array,
        *,
        is_sure: bool,
    ) -> None:
        """A load of an argument, which is a symbol."""
        if instruction.opcode != "ld" or not address.terms:
            raise Doubt("is not followed")
        offset = int(address.array[0]) if address.array is not None else 0
        name = f"{address.terms[0][0]}+{offset}"
        is_pointer = instruction.modifiers[-1][1:] == "64"
        origins = frozenset({name}) if is_pointer else frozenset[str]()
        written = destinations(instruction)
        for number, register in enumerate(written):
            one = f"{name}.{number}" if len(written) > 1 else name
            value = symbol(one, self.kernel.n_threads, origins)
            self.write(group, register, value, mask, is_sure=is_sure)

    def _bytes(self, address: Value, mask: Array, width: int) -> tuple[Array, Array]:
        """The bytes of an access to shared memory, and whose they are."""
        numbers = address.numbers
        if numbers is None:
            raise Doubt("has an address that nobody knows")
        threads = np.flatnonzero(mask)
        first = numbers[threads]
        if (first < 0).any() or (first + width > self.kernel.shared_bytes).any():
            raise Doubt("leaves shared memory")
        places = (first[:, None] + np.arange(width)).ravel()
        return np.repeat(threads, width), places

    def _matrix(
        self, state: State, group: Threads, instruction: Instruction, mask: Array
    ) -> None:
        """Rows of 16 bytes, which lanes of a warp exchange."""
        modifiers = instruction.modifiers
        if "m8n8" not in modifiers:
            raise Doubt("is not followed")
        place = next(o for o in instruction.operands if isinstance(o, Address))
        count = int(next(m for m in modifiers if m in {"x1", "x2", "x4"})[1:])
        lanes = np.arange(mask.size) % WARP < 8 * count
        threads, places = self._bytes(self._address(group, place), mask & lanes, 16)
        if instruction.opcode == "stmatrix":
            state.shadow.writes(places, threads)
            return
        state.shadow.reads(places, threads)
        state.shadow.reads(places, threads ^ 1)  # other lanes get what they read

    def _copy(
        self,
        state: State,
        group: Threads,
        instruction: Instruction,
        mask: Array,
        *,
        is_sure: bool,
    ) -> None:
        modifiers = instruction.modifiers
        match modifiers[1:2]:
            case ("ca" | "cg",):
                to, source, *more = instruction.operands
                size = constant(self._value(group, more[0]))
                if size is None:
                    raise Doubt("copies bytes that nobody counts")
                threads, places = self._bytes(self._address(group, to), mask, size)
                state.shadow.copies(places, threads)
                address = self._address(group, source)
                self.accesses.add(instruction, "read", address, mask, size)
            case ("commit_group" | "wait_group" | "wait_all",):
                is_all = bool(mask.all()) and is_sure and state.is_certain(group)
                if not is_all:
                    raise Doubt("is not reached by all threads")
                if modifiers[1] == "commit_group":
                    state.shadow.commits()
                elif modifiers[1] == "wait_all":
                    state.shadow.waits(0, is_all=True)
                else:
                    left = constant(self._value(group, instruction.operands[0]))
                    state.shadow.waits(left or 0)
            case _:
                raise Doubt("is not followed")

    def _wait(
        self,
        state: State,
        group: Threads,
        instruction: Instruction,
        mask: Array,
        *,
        is_sure: bool,
    ) -> None:
        modifiers, n = instruction.modifiers, self.kernel.n_threads
        if not is_sure or not (mask == group.mask).all() or not state.is_certain(group):
            raise Doubt("is reached by threads on a condition that nobody knows")
        numbers = [constant(self._value(group, o)) for o in instruction.operands]
        if modifiers[:1] == ("warp",):
            warps = _whole_warps(mask)
            if numbers[0] in {0xFFFFFFFF, -1} and warps is not None:
                state.shadow.warp_barrier(warps)
            return
        if (
            "sync" not in modifiers
            or numbers[0] is None
            or numbers[1:] not in ([], [n])
        ):
            raise Doubt("is not followed")
        if _whole_warps(mask) is None:
            raise Doubt("is reached by part of a warp")
        group.waits = numbers[0]
        waiting = [other for other in state.groups if other.waits == group.waits]
        if sum(int(other.mask.sum()) for other in waiting) == n:
            state.shadow.barrier()
            for other in waiting:
                other.waits = None


def _whole_warps(mask: Array) -> Array | None:
    """The warps of a mask; None if it has a part of one."""
    padded = np.pad(mask, (0, -mask.size % WARP), mode="edge")
    warps = padded.reshape(-1, WARP)
    if (warps.any(axis=1) != warps.all(axis=1)).any():
        return None
    return np.flatnonzero(warps.any(axis=1))
