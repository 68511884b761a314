# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ISA functions use to turn operands into arrays and instructions into steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.machine.machine import Machine, uses_tensor_memory
from cuda_tile.emulator.machine.special import special_register
from cuda_tile.emulator.machine.step import Compiled, Step
from cuda_tile.emulator.memory.addresses import rank_bits
from cuda_tile.emulator.memory.spaces import Addresses, Spaces
from cuda_tile.emulator.memory.symbols import constant_bytes
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import (
    Address,
    FunctionName,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    SymbolAddress,
    Variable,
)
from cuda_tile.emulator.ptx.types import PRED, U64, Array, Type
from cuda_tile.emulator.sync.bulk import BulkCopies
from cuda_tile.emulator.sync.cancels import Cancels
from cuda_tile.emulator.sync.clusters import ClusterBarriers
from cuda_tile.emulator.sync.copies import Copies
from cuda_tile.emulator.sync.map_changes import MapChanges
from cuda_tile.emulator.sync.mbarriers import Mbarriers
from cuda_tile.emulator.sync.register_pool import RegisterPool
from cuda_tile.emulator.tensor.residency import Residency
from cuda_tile.emulator.tensor.unit import TensorUnit
from cuda_tile.emulator.tensor.warpgroup import TensorCores
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.exact.algebra import Algebra

AddressOf = Callable[[Lanes], Addresses]
# A function of equally long arrays, element by element.
Elementwise = Callable[..., Array]

# More async-groups than can be pending; a wait that allows so many never waits.
_MOST_GROUPS = 1 << 31


class Builder:
    """Compiles operands of the current instruction.

    Attributes:
        machine: Whose registers the steps read and write.
        spaces: Its memories.
        copies: Its cp.async copies.
        mbarriers: Its mbarrier objects.
        bulk: Its bulk copies.
        tensor_cores: Its wgmma products.
        clusters: Its cluster barriers.
        cancels: Who saw a request for a cluster fail.
        maps: Tensor maps that the kernel modified.
        tensor: Tensor memory and its cores; None where no instruction needs them.
        registers: The register pool of setmaxnreg.
        target: The chip that the module is for, as `.target` names it.
        algebra: What floats are, if they are no floats; see `cuda_tile.exact`.
        compared: Loads that count as strong; see `ptx.data_flow.compared_loads`.
        made_of_bits: With exact numbers, registers whose floats may be no elements.
        at: Number of the instruction within its function.
    """

    def __init__(
        self,
        machine: Machine,
        spaces: Spaces,
        copies: Copies,
        declared_registers: int = 0,
        resident_ctas: int = 1,  # that `.minnctapersm` asks for
        target: str = "",
        *,
        registers: int | None = None,  # that ptxas gave, if known
        algebra: Algebra | None = None,
    ) -> None:
        self.machine = machine
        self.algebra = algebra
        self.target = target
        self.copies = copies
        self.mbarriers = Mbarriers(machine)
        self.bulk = BulkCopies(machine, self.mbarriers)
        self.clusters = ClusterBarriers(machine)
        self.cancels = Cancels(machine)
        self.maps = MapChanges(machine)
        self.tensor_cores = TensorCores(machine)
        self.tensor: TensorUnit | None = None
        if uses_tensor_memory(machine.symbols):
            residency = Residency.of(machine, target, registers)
            self.tensor = TensorUnit(machine, self.mbarriers, residency)
        self.registers = RegisterPool(machine, declared_registers, resident_ctas)
        self.spaces = spaces
        self.compared: frozenset[Instruction] = frozenset()
        self.made_of_bits: frozenset[Register] = frozenset()
        self.at = 0
        self.line = 0
        self._reads: list[Register] = []
        self._demands: list[Register] = []
        self._writes: list[Register] = []

    def reset(self) -> None:
        """Starts new CTAs: nothing is in flight and no thread waits."""
        self.copies.reset()
        self.mbarriers.reset()
        self.bulk.reset()
        self.tensor_cores.reset()
        self.clusters.reset()
        self.cancels.reset()
        self.maps.reset()
        self.registers.reset()
        if self.tensor is not None:
            self.tensor.reset()

    def finish(self) -> Iterator[tuple[str, str, int]]:
        """The CTAs end; yields kind, message and instruction of what is left over."""
        for part in (self.mbarriers, self.bulk):
            for text, at in part.finish():
                yield "copy in flight", text, at
        if self.tensor is not None:
            yield from self.tensor.finish()

    def begin(self, at: int, line: int) -> None:
        """Starts the next instruction."""
        self.at, self.line = at, line
        self._reads, self._demands, self._writes = [], [], []

    @property
    def reads(self) -> tuple[Register, ...]:
        """Registers that the current instruction reads."""
        return tuple(self._reads)

    @property
    def writes(self) -> tuple[Register, ...]:
        """Registers that the current instruction writes."""
        return tuple(self._writes)

    def error(self, message: str) -> PtxError:
        """Makes an error about the current instruction."""
        return PtxError(message, self.line)

    # Operands ----------------------------------------------------------------------

    def src(self, operand: Operand, ty: Type, *, wider: bool = False) -> Array:
        """Returns the array of a source operand, one value per lane.

        Args:
            operand: A register or constant.
            ty: The type the instruction names.
            wider: Whether a register may be wider than the type (its low bits count).
        """
        if isinstance(operand, Register):
            self._reads.append(operand)
            return self._typed(operand, ty, wider)
        if isinstance(operand, Immediate):
            return self.constant(operand, ty)
        if isinstance(operand, Special):
            return self._special(operand, ty)
        raise self.error(f"expected a register or constant, got {name_of(operand)}")

    def stored(self, operand: Operand, ty: Type, *, wider: bool = False) -> Array:
        """Like `src` for a value that must be defined."""
        values = self.src(operand, ty, wider=wider)
        if isinstance(operand, Register):
            self._demands.append(operand)
        return values

    def value(self, operand: Operand, ty: Type) -> Array:
        """Like `src`, but addresses may stand."""
        if isinstance(operand, SymbolAddress):
            if ty.bits not in (32, 64) or ty.kind == "f":
                raise self.error(f"expected .b64 for an address, got {ty}")
            address = self.symbol(operand.variable) + operand.offset_bytes
            if self.machine.symbols.is_in_frame(operand.variable):
                return self.machine.call_stack.address(address, ty.dtype)
            if address >> ty.bits:
                name = operand.variable.name
                raise self.error(f"expected a 64-bit type for the address of {name!r}")
            if operand.variable.space == "shared" and (
                self.machine.geometry.cluster_size > 1
            ):
                above = rank_bits(self.machine.rank)
                return above.astype(ty.dtype) | ty.dtype.type(address)
            return self.machine.constant(address, ty.dtype)
        if isinstance(operand, FunctionName):
            if ty.bits != 64 or ty.kind == "f":
                raise self.error(f"expected .b64 for a function's address, got {ty}")
            address = self.machine.symbols.graph.address(operand.name)
            return self.machine.constant(address, ty.dtype)
        return self.src(operand, ty)

    def dst(self, operand: Operand, ty: Type, *, wider: bool = False) -> Array:
        """Returns the array of a destination operand; `_` gives a scratch array."""
        if isinstance(operand, Sink):
            return self.machine.scratch(ty)
        if not isinstance(operand, Register):
            raise self.error(f"expected a register to write, got {name_of(operand)}")
        self._writes.append(operand)
        return self._typed(operand, ty, wider)

    def pred(self, operand: Operand) -> Array:
        """Returns a source predicate; `!p` gives its register (see `negated`)."""
        if isinstance(operand, Negated):
            operand = operand.register
        return self.src(operand, PRED)

    def pair(self, operand: Operand) -> tuple[Operand, Operand | None]:
        """Splits `d|p`; the second is None where only `d` stands."""
        if isinstance(operand, Pair):
            return operand.first, operand.second
        return operand, None

    def constant(self, operand: Operand, ty: Type) -> Array:
        """Returns an array of one constant."""
        if not isinstance(operand, Immediate):
            raise self.error(f"expected a constant, got {name_of(operand)}")
        if ty is PRED:  # PTX ISA, "Predicate Constants": zero is false
            if not isinstance(operand.value, int) or operand.bits:
                raise self.error("expected a predicate or an integer, got a float")
            return self.machine.constant(np.bool_(operand.value != 0), ty.dtype)
        if ty.kind == "raw" or (ty.is_float and ty.bits == 16):
            raise self.error(f"expected a register of type {ty}, got a constant")
        data = constant_bytes(operand, ty, self.line)
        if ty.bits == 128:
            raise self.error("expected a register of type .b128, got a constant")
        if self.algebra and (operand.bits or isinstance(operand.value, float)):
            number = np.frombuffer(data, f"f{len(data)}")
            data = self.algebra.literals(number).tobytes()
        return self.machine.constant(np.frombuffer(data, ty.dtype)[0], ty.dtype)

    def integer(self, operand: Operand, what: str) -> int:
        """Returns a constant integer operand."""
        if isinstance(operand, Immediate):
            value = operand.value
            if isinstance(value, int) and not operand.bits:  # else a float by its bits
                return value
        raise self.error(f"expected {what}, got {name_of(operand)}")

    def groups(self, operand: Operand) -> int:
        """Returns the constant number of groups that may stay pending after a wait."""
        count = self.integer(operand, "a constant number of groups")
        if count < 0:
            raise self.error(f"expected a number of groups from 0 on, got {count}")
        return min(count, _MOST_GROUPS)

    def symbol(self, variable: Variable) -> int:
        """Returns the address of a variable within its state space."""
        return self.machine.symbols.address(variable, self.line)

    def address(self, operand: Operand, space: str) -> AddressOf:
        """Returns what computes the addresses of `[base+offset]` for some lanes."""
        if not isinstance(operand, Address) or operand.coordinates:
            raise self.error(f"expected an address in brackets, got {name_of(operand)}")
        base, offset = operand.base, operand.offset_bytes
        if isinstance(base, Register):
            if base.type.bits not in (32, 64) or base.type.kind == "f":
                raise self.error(f"expected a 32- or 64-bit address, got {base.name}")
            if base.type.bits == 32 and space in ("", "global"):
                raise self.error(f"expected a 64-bit address, got {base.name}")
            self._reads.append(base)
            self._demands.append(base)
            return _register_address(self.machine.register(base), offset)
        if isinstance(base, Variable):
            if space and base.space != space:
                raise self.error(
                    f"expected a .{space} variable, got {base.name} in .{base.space}"
                )
            offset += self.symbol(base)
        elif space != "local":
            where = f".{space}" if space else "generic"
            raise self.error(
                f"expected a register or variable in a {where} address, got {base}; "
                f"only .local has constant addresses"
            )
        else:
            offset += base
        if isinstance(base, Variable) and self.machine.symbols.is_in_frame(base):
            fixed = self.machine.call_stack.address(offset, U64.dtype)
        else:
            fixed = self.machine.constant(offset & (2**64 - 1), U64.dtype)
        return lambda lanes: fixed[lanes.index]

    def _special(self, operand: Special, ty: Type) -> Array:
        """One of 32 bits gives its low bits to a narrower type, as in ptxas."""
        values, width = special_register(self.machine, operand.name, self.line)
        is_narrowed = width == 32 and ty.bits in (8, 16)
        if (ty.bits != width and not is_narrowed) or ty.kind == "f":
            raise self.error(
                f"expected a {width}-bit integer type for {operand.name}, got {ty}"
            )
        return values.view(ty.dtype)[:: width // ty.bits]

    def _typed(self, register: Register, ty: Type, wider: bool) -> Array:
        self._check_type(register, ty, wider)
        values = self.machine.register(register)
        if register.type.bits == ty.bits:
            return values.view(ty.dtype) if ty is not PRED else values
        narrow = values.view(ty.dtype)
        return narrow[:: register.type.bits // ty.bits]

    def _check_type(self, register: Register, ty: Type, wider: bool) -> None:
        """PTX ISA, "Operand Size Exceeding Instruction-Type Size"."""
        have = register.type
        fits = have.bits == ty.bits or (wider and 64 >= have.bits > ty.bits > 1)
        is_mixed = {have.kind, ty.kind} in ({"f", "u"}, {"f", "s"})
        if not fits or is_mixed:
            raise self.error(
                f"expected a register of type {ty}, got {register.name} of type {have}"
            )

    # Steps -------------------------------------------------------------------------

    def step(
        self,
        run: Callable[[Lanes], object],
        full: Callable[[], object] | None = None,
        *,
        defines: bool = False,
        merges: bool = False,
    ) -> Step:
        """Makes a step of the operands asked for since `begin`."""
        return Step(
            run,
            full,
            reads=self._reads,
            demands=self._demands,
            writes=self._writes,
            defines=defines,
            merges=merges,
        )

    def no_effect(self) -> Step:
        """Makes a step that changes nothing a program can see: a hint, a short wait."""
        return self.step(_nothing)

    def elementwise(self, fn: Elementwise, dst: Array, *srcs: Array) -> Step:
        """Makes the step `dst = fn(*srcs)`, lane by lane.

        A NumPy ufunc writes its result directly; any other function returns it.
        """
        if isinstance(fn, np.ufunc):
            return self.step(_some(fn, dst, srcs), partial(fn, *srcs, out=dst))
        return self.step(_some(fn, dst, srcs), _full(fn, dst, srcs))


# Compiles one instruction: its written form, with what the machine offers, to a step.
Rule = Callable[[Form, Builder], Compiled]


@cache
def _nothing(lanes: Lanes) -> None:
    """Nothing that can be seen."""


def _full(fn: Elementwise, dst: Array, srcs: tuple[Array, ...]) -> Callable[[], None]:
    def full() -> None:
        dst[...] = fn(*srcs)

    return full


def _some(
    fn: Elementwise, dst: Array, srcs: tuple[Array, ...]
) -> Callable[[Lanes], None]:
    if len(srcs) == 2:
        first, second = srcs

        def run_two(lanes: Lanes) -> None:
            index = lanes.index
            dst[index] = fn(first[index], second[index])

        return run_two

    def run(lanes: Lanes) -> None:
        index = lanes.index
        dst[index] = fn(*[src[index] for src in srcs])

    return run


def _register_address(values: Array, offset: int) -> AddressOf:
    if values.dtype == np.uint64:
        shift = np.uint64(offset & (2**64 - 1))
        if not offset:
            return lambda lanes: values[lanes.index]
        return lambda lanes: values[lanes.index] + shift
    narrow = np.uint32(offset & 0xFFFFFFFF)
    return lambda lanes: (values[lanes.index] + narrow).astype(np.uint64)


def name_of(operand: Operand) -> str:
    """Names an operand in an error message."""
    if isinstance(operand, (Register, Special)):
        return operand.name
    return type(operand).__name__.lower()
