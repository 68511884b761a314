# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the variables of a module lie: offsets and addresses for one launch.

PTX ISA: "State Spaces". Global and constant variables are placed in global memory;
shared and local ones get offsets in their windows, extern shared arrays start after
all others (dynamic shared memory).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import LaunchError, PtxError
from cuda_tile.emulator.ptx.call_graph import CallGraph
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Element,
    Function,
    Group,
    Immediate,
    Instruction,
    Module,
    Operand,
    Special,
    SymbolAddress,
    Variable,
    Vector,
)
from cuda_tile.emulator.ptx.types import TYPES, Type
from cuda_tile.runtime.memory import GlobalMemory

# Shared memory of a CTA that the system keeps, zero at the start; cooperative groups
# have their barriers of tiles there (CUDA's cooperative_groups/details/memory.h).
# CUDA C++ Programming Guide, "Compute Capability 8.x: Shared Memory": 1 KiB.
RESERVED_SHARED_BYTES = 1024
# What a call takes at least, for what the hardware keeps of the caller.
_LEAST_FRAME_BYTES = 16
_STACK = ("alloca", "stacksave", "stackrestore")
# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": local
# memory of a thread, shared memory of a CTA (the most that any device has), static
# shared memory, constants.
_MOST_LOCAL_BYTES = 512 << 10
_MOST_SHARED_BYTES = 227 << 10
_MOST_STATIC_BYTES = 48 << 10
_MOST_CONST_BYTES = 64 << 10
_WAY_OUT = {"shared": "; an '.extern .shared' array may be larger"}


class Symbols:
    """Addresses of variables.

    Attributes:
        used_shared_bytes: Size of a CTA's shared memory, static and dynamic.
        reserved_start: Where the part of shared memory begins that the system reserves.
        shared_bytes: The sum of both; nothing is reserved for kernels that do not ask.
        local_bytes: Size of a thread's local memory, with the params of calls.
        stack_start: Where in local memory the stack of alloca and of functions that
            call themselves begins, if there is one.
        graph: The functions that the entry may run.
        param_bytes: Size of the entry's parameters.
    """

    def __init__(
        self,
        module: Module,
        entry: Function,
        memory: GlobalMemory,
        dynamic_shared_bytes: int,
        stack_bytes: int,
    ) -> None:
        self._module = module
        self._offsets: dict[Variable, int] = {}
        self._entry_params = set(entry.params)
        self._memory = memory
        self.graph = CallGraph(module, entry)
        used = self.functions = self.graph.functions
        self._frames: dict[Function, int] = {}
        self._in_frames: set[Variable] = set()
        self.static_shared_bytes = self._place_shared(module, used)
        self._check_static(module, used)
        self._check_dynamic(module, used, dynamic_shared_bytes)
        self.dynamic_shared_bytes = dynamic_shared_bytes
        self.used_shared_bytes = self.static_shared_bytes + dynamic_shared_bytes
        self.shared_bytes = self.used_shared_bytes
        self.reserved_start = -(-self.shared_bytes // 16) * 16
        if any(_asks_for_reserved(i) for f in used for i in f.code):
            self.shared_bytes = self.reserved_start + RESERVED_SHARED_BYTES
        self.stack_start = -(-self._place_local(used) // 16) * 16
        has_stack = any(i.opcode in _STACK for f in used for i in f.code)
        has_stack = has_stack or bool(self.graph.recursive)
        self.local_bytes = self.stack_start + has_stack * stack_bytes
        _check_at_most(_MOST_LOCAL_BYTES, self.local_bytes, "local memory per thread")
        self.param_bytes = self._pack(entry.params)
        self._place_global(module, used)

    def is_entry_param(self, variable: Variable) -> bool:
        """Whether a variable is a parameter of the entry (not of a call)."""
        return variable in self._entry_params

    def is_in_frame(self, variable: Variable) -> bool:
        """Whether a variable's offset counts from the frame of its function's call."""
        return variable in self._in_frames

    def frame_bytes(self, function: Function) -> int:
        """Returns the size of the frame of a function that may call itself."""
        return self._frames[function]

    def address(self, variable: Variable, line: int) -> int:
        """Returns a variable's address within its state space."""
        if variable not in self._offsets:
            raise PtxError(
                f"expected a definition of {variable.name!r}, got only '.extern'", line
            )
        return self._offsets[variable]

    def shared_place(self, offset: int) -> str:
        """Says in words where a byte of shared memory is: `offset 12 (cells+12)`."""
        starts = [
            (start, variable.name)
            for variable, start in self._offsets.items()
            if variable.space == "shared" and start <= offset
        ]
        if not starts:
            return f"offset {offset}"
        start, name = max(starts, key=lambda found: found[0])
        return f"offset {offset} ({name}+{offset - start})"

    def _pack(self, variables: Iterable[Variable], start: int = 0) -> int:
        for variable in variables:
            start = -(-start // variable.align_bytes) * variable.align_bytes
            self._offsets[variable] = start
            start += variable.size_bytes
        return start

    def _place_shared(self, module: Module, used: list[Function]) -> int:
        everything = [
            *module.variables.values(),
            *(variable for function in used for variable in function.variables),
        ]
        shared = [v for v in everything if v.space == "shared"]
        size = self._pack(v for v in shared if v.size_bytes)
        dynamic = [v for v in shared if not v.size_bytes]
        align = max((v.align_bytes for v in dynamic), default=1)
        start = -(-size // align) * align
        for variable in dynamic:
            self._offsets[variable] = start
        return start if dynamic else size

    def _check_static(self, module: Module, used: list[Function]) -> None:
        """Refuses variables that do not fit, at the line of the one that overflows.

        Targets for one architecture may have more static shared memory than others.
        """
        is_specific = module.target.endswith(("a", "f"))
        shared = _MOST_SHARED_BYTES if is_specific else _MOST_STATIC_BYTES
        limits = {"shared": shared, "const": _MOST_CONST_BYTES}
        sums = dict.fromkeys(limits, 0)
        own = [variable for function in used for variable in function.variables]
        for variable in (*module.variables.values(), *own):
            if variable.space in limits:
                sums[variable.space] += variable.size_bytes
                if sums[variable.space] > limits[variable.space]:
                    raise PtxError(
                        f"expected at most {limits[variable.space]} bytes in "
                        f".{variable.space}, got {sums[variable.space]} with "
                        f"{variable.name!r}" + _WAY_OUT.get(variable.space, ""),
                        variable.line,
                    )

    def _check_dynamic(self, module: Module, used: list[Function], size: int) -> None:
        if size < 0:
            raise LaunchError(f"expected shared_bytes >= 0, got {size}")
        _check_at_most(
            _MOST_SHARED_BYTES,
            self.static_shared_bytes + size,
            "shared memory per CTA",
        )
        if size == 0:
            named = _named(instruction for f in used for instruction in f.code)
            for variable in named:
                if variable.space == "shared" and not variable.size_bytes:
                    raise LaunchError(
                        f"expected shared_bytes > 0 for the dynamic shared array "
                        f"{variable.name!r}, got 0"
                    )

    def _place_local(self, used: list[Function]) -> int:
        size = 0
        for function in used:
            own = [v for v in function.variables if v.space in ("local", "param")]
            if not function.is_entry:
                own += [*function.params, *function.results]
            if function in self.graph.recursive:
                self._in_frames.update(own)
                self._frames[function] = max(self._pack(own), _LEAST_FRAME_BYTES)
            else:
                size = self._pack(own, size)
        return size

    def _place_global(self, module: Module, used: list[Function]) -> None:
        everything = [
            *module.variables.values(),
            *(variable for function in used for variable in function.variables),
        ]
        placed = [
            v for v in everything if v.space in ("global", "const") and not v.is_extern
        ]
        for variable in placed:
            try:
                self._offsets[variable] = self._memory.allocate(
                    variable.name,
                    max(variable.size_bytes, 1),
                    max(variable.align_bytes, 16),
                )
            except MemoryError:
                raise PtxError(
                    f"expected a size of {variable.name!r} that fits in memory, got "
                    f"{variable.size_bytes} bytes",
                    variable.line,
                ) from None
        for variable in placed:
            self._initialise(variable)

    def _initialise(self, variable: Variable) -> None:
        if not variable.elements:
            return
        data = b"".join(self._bytes(variable, e) for e in variable.elements)
        cells = np.frombuffer(data, np.uint8).reshape(1, -1)
        where = np.array([self._offsets[variable]], np.uint64)
        self._memory.store(where, cells)

    def _bytes(self, variable: Variable, element: Element) -> bytes:
        ty, value = variable.type, element.value
        if isinstance(value, str) and value in self._module.functions:
            return self.graph.address(value).to_bytes(8, "little")[: ty.bytes]
        if isinstance(value, str):
            target = self._module.variables.get(value)
            if target is None or target not in self._offsets:
                raise PtxError(
                    f"expected a placed variable, got {value!r}", variable.line
                )
            address = self._offsets[target] + element.offset_bytes
            return address.to_bytes(8, "little")[: ty.bytes]
        is_double = isinstance(value.value, float) or value.bits == 64
        if is_double and ty.name in ("b32", "b64"):
            ty = TYPES[f"f{ty.bits}"]  # untyped memory takes either kind
        return constant_bytes(value, ty, variable.line)


def constant_bytes(constant: Immediate, ty: Type, line: int) -> bytes:
    """Returns the bytes of a constant as a value of a type.

    PTX ISA, "Integer Constants": an integer takes the size of the type at its use, so
    only its low bits count.

    Raises:
        PtxError: The constant is of another kind than the type.
    """
    value, bits = constant.value, constant.bits
    if bits:
        pattern: NDArray[np.generic] = np.array([value], f"uint{bits}")
        if ty.bits == bits and ty.kind in "bf":
            return pattern.tobytes()
        if ty.is_float:
            with np.errstate(over="ignore", invalid="ignore"):
                return pattern.view(f"float{bits}").astype(ty.dtype).tobytes()
        raise PtxError(f"expected a constant of type {ty}, got a float constant", line)
    if isinstance(value, float):
        if not ty.is_float:
            raise PtxError(f"expected a constant of type {ty}, got {value}", line)
        with np.errstate(over="ignore"):  # too large is infinity
            return np.array([value], ty.dtype).tobytes()
    if ty.is_float and ty.bits > 16:
        raise PtxError(f"expected a constant of type {ty}, got integer {value}", line)
    return (value & ((1 << ty.bits) - 1)).to_bytes(ty.bytes, "little")


def _check_at_most(most: int, size: int, what: str) -> None:
    if size > most:
        raise LaunchError(f"expected at most {most} bytes of {what}, got {size}")


def _asks_for_reserved(instruction: Instruction) -> bool:
    return any(
        isinstance(part, Special) and "reserved_smem" in part.name
        for operand in instruction.operands
        for part in (operand.elements if isinstance(operand, Vector) else (operand,))
    )


def _named(code: Iterable[Instruction]) -> Iterator[Variable]:
    """All variables that instructions name."""
    for instruction in code:
        for operand in instruction.operands:
            yield from _variables(operand)


def _variables(operand: Operand) -> Iterator[Variable]:
    if isinstance(operand, SymbolAddress):
        yield operand.variable
    elif isinstance(operand, Address) and isinstance(operand.base, Variable):
        yield operand.base
    elif isinstance(operand, (Vector, Group)):
        for element in operand.elements:
            yield from _variables(element)
