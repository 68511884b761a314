# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of emission and the table of its rules."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TypeVar

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    PendingType,
    PointerType,
    TokenType,
)
from cuda_tile.analysis.control_flow import Point
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.legality import INSTEAD
from cuda_tile.analysis.tensor_columns import TensorColumns
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.calls import Calls
from cuda_tile.emit.forms import Forms
from cuda_tile.emit.fragment import (
    ElementFunction,
    Fragment,
    Packer,
    Pending,
    View,
    zip_fragments,
)
from cuda_tile.emit.hoisted import HoistedOps
from cuda_tile.emit.offsets import Offsets
from cuda_tile.emit.operations import GLOBAL_SPACE
from cuda_tile.emit.threads import Threads
from cuda_tile.errors import CudaTileError, InternalError
from cuda_tile.ir.roles import Role
from cuda_tile.ir.tiles import (
    element_of,
    is_distributed,
    is_e5m3,
    layout_of,
    pending_tile,
)
from cuda_tile.ir.walk import block_ops, located_error, op_stem
from cuda_tile.records import dataclass
from cuda_tile.rules import RuleTable
from cuda_tile.targets import Target

SHARED_SYMBOL = "shared_memory"
"""Start of the name of a kernel's one shared-memory variable; `_KERNEL` follows."""


@dataclass(frozen=True)
class TensorMemory:
    """What a kernel has allocated of tensor memory.

    Attributes:
        places: The columns of sums.
        base: Address of its first column, in lane 0 (i32).
        mbarrier: Where in shared memory threads wait for products.
        own: Where they wait for the sum of a place alone, by its number.
    """

    places: TensorColumns
    base: ir.Value
    mbarrier: ir.Value
    own: Mapping[int, ir.Value]


Kind = TypeVar("Kind")
Lowered = ir.Value | Fragment | Pending | View | Buffer | None
"""What stands for a tile-level value: a scalar, a fragment, one that is still being
computed, a view, a buffer, or nothing for a token: order is settled before emission."""


def register_type(element: ir.Type) -> ir.Type:
    """The LLVM type in which a thread holds one element.

    LLVM knows neither tf32, which travels in its 32-bit container, nor floats of 8
    bits, which travel as bytes: moves need no more, and arithmetic on them is a matter
    of the conversion instructions. Elements of 4 bits take a byte each, with zeros in
    its upper half.
    """
    if isinstance(element, PointerType):
        return ir.Type.parse(f"!llvm.ptr<{GLOBAL_SPACE}>")
    if isinstance(element, ir.FloatTF32Type):
        return ir.F32Type.get()
    if (isinstance(element, ir.FloatType) and element.width <= 8) or is_e5m3(element):
        return ir.IntegerType.get_signless(8)
    if isinstance(element, ir.IntegerType) and element.width == 4:
        return ir.IntegerType.get_signless(8)
    return element


class Emitter:
    """Walks one entry and builds the `llvm.func` that each thread runs.

    Args:
        func: The function, with an entry block that branches to the body.
        facts: What is known of the entry's values.
        rules: The filled rule table.
        target: The chip to emit for, which decides between forms of an instruction.
        everyone: All threads of the CTA; see `role` for those of a part of the kernel.
        shared_symbol: Name of the kernel's shared-memory variable.
        scratch: Where in it scratch memory begins, in bytes; see `analysis/scratch.py`.
        cluster: CTAs that serve a tile block.
        is_pair: Whether tile blocks are CTAs of pairs.
    """

    def __init__(
        self,
        func: ir.Operation,
        facts: FactsAnalysis,
        rules: RuleTable[EmitRule],
        target: Target,
        everyone: Role,
        shared_symbol: str = SHARED_SYMBOL,
        scratch: int = 0,
        cluster: int = 1,
        *,
        is_pair: bool = False,
    ) -> None:
        self.builder = Builder(func)
        self.packer = Packer(self.builder)
        self.hoisted = HoistedOps(self.builder)
        self.threads = Threads(self.builder, everyone, cluster=cluster)
        self.facts = facts
        self.target = target
        self._rules = rules
        self._shared_symbol = shared_symbol
        self._scratch_bytes = scratch
        self.allocas: dict[ir.Operation, dict[ir.Operation, ir.Value]] = {}
        """Variables of allocas by the op that ends their life, see `heap.py`."""
        self.maps: tuple[ir.Value, ...] = ()
        """Addresses of the tensor maps, in the order of the entry's `tileas.maps`."""
        self.grid_extents: tuple[ir.Value, ir.Value, ir.Value] | None = None
        """Tile blocks along x, y, z where the launcher appends them, else None."""
        self.put_off: set[ir.Operation] = set()
        """Ops that others emit with their own, a part at a time (tensor_update.py)."""
        self.tile_heads: dict[ir.Operation, ir.Block] = {}
        """Of each `tileas.tiles` where a tile block begins, its number the argument."""
        self.is_pair = is_pair
        self.follows = False
        """Whether what is emitted runs in the CTA of a pair that starts no products."""
        self.tensor: TensorMemory | None = None
        """The kernel's tensor memory, if it has some."""
        self._shared: ir.Value | None = None
        """Where slots of rings are counted from, see `ring.py`; None before any."""
        self.offsets = Offsets()
        """Which integers differ by constants, see `distance.py`."""
        self.forms = Forms(self.offsets)
        """Of which sums and products addresses consist."""
        self._tables: dict[bytes, ir.Value] = {}
        self._register_types: dict[ir.Type, ir.Type] = {}
        self._values: dict[ir.Value, Lowered] = {}
        self._landings: dict[Point, ir.Block] = {}
        self._is_reachable = True

    # Values -------------------------------------------------------------------------

    def set(self, value: ir.Value, lowered: Lowered) -> None:
        """Notes the lowered form of `value`.

        Args:
            value: A value of level W.
            lowered: Its form at level P.
        """
        self._values[value] = lowered

    def get(self, value: ir.Value) -> Lowered:
        """The lowered form of `value`."""
        if value not in self._values:
            raise InternalError(f"emit: a use of {value} before its definition")
        return self._values[value]

    def _as(self, value: ir.Value, kind: type[Kind], name: str) -> Kind:
        """What a value became, which is of one kind."""
        lowered = self.get(value)
        if not isinstance(lowered, kind):
            raise InternalError(f"emit: expected a {name} for {value}")
        return lowered

    def scalar(self, value: ir.Value) -> ir.Value:
        """The LLVM value of a tile of rank 0."""
        return self._as(value, ir.Value, "scalar")

    def fragment(self, value: ir.Value) -> Fragment:
        """The registers of a tile of rank 1 or more."""
        return self._as(value, Fragment, "fragment")

    def pending(self, value: ir.Value) -> Pending:
        """The registers of a tile that a product may still be computing."""
        return self._as(value, Pending, "pending value")

    def view(self, value: ir.Value) -> View:
        """The base, extents and strides of a view."""
        return self._as(value, View, "view")

    def buffer(self, value: ir.Value) -> Buffer:
        """The address of a buffer, with its own memory or in a slot of a ring."""
        return self._as(value, Buffer, "buffer")

    # Values across blocks -----------------------------------------------------------

    def flatten(self, value: ir.Value) -> list[ir.Value]:
        """The LLVM values that stand for `value` as an argument of a block.

        Their form depends on the type of `value` only, so that all branches to a
        block agree: fragments in packs of `pack_of`, pending values as their
        registers and whether these hold anything, nothing for a token.
        """
        match self.get(value):
            case None:
                return []
            case Fragment() as fragment:
                return self.packer.packed(fragment, self.pack_of(value))
            case Pending() as pending:
                always = self.builder.constant(self.builder.i1, 1)
                return [*pending.registers, pending.holds or always]
            case ir.Value() as scalar:
                return [scalar]
            case View():
                raise InternalError("emit: a view cannot pass through a block")
            case Buffer():
                raise InternalError("emit: a buffer cannot pass through a block")

    def flat_types(self, value: ir.Value) -> list[ir.Type]:
        """The types of what `flatten` gives."""
        if isinstance(value.type, TokenType):
            return []
        if isinstance(value.type, PendingType):
            register, count = self.pending_registers(value)
            return [*[register] * count, self.builder.i1]
        element = self.element_type(element_of(value))
        if not is_distributed(value):
            return [element]
        pack = self.pack_of(value)
        count = layout_of(value).n_registers // pack
        return [self.builder.vector_type(pack, element)] * count

    def set_flat(self, value: ir.Value, arguments: Iterator[ir.Value]) -> None:
        """Inverse of `flatten`: takes the next block arguments for `value`.

        Args:
            value: A value of level W.
            arguments: The block arguments that are left.
        """
        count = len(self.flat_types(value))
        taken = tuple(itertools.islice(arguments, count))
        if isinstance(value.type, TokenType):
            self.set(value, None)
        elif isinstance(value.type, PendingType):
            _, layout = pending_tile(value)
            self.set(value, Pending(layout, taken[:-1], taken[-1]))
        elif is_distributed(value):
            self.set(value, Fragment(layout_of(value), taken, self.pack_of(value)))
        else:
            self.set(value, taken[0])

    def landing(self, point: Point) -> ir.Block:
        """The block that a point of control flow became, made on first question."""
        if point not in self._landings:
            types = [ty for value in point.values for ty in self.flat_types(value)]
            self._landings[point] = self.builder.block(types)
        return self._landings[point]

    def leave(self) -> None:
        """Notes that control never reaches what stands behind the last op."""
        self._is_reachable = False

    def enter(self, point: Point) -> None:
        """Goes on at `point`, with its values; nothing is reached if no branch did."""
        block = self._landings.get(point)
        self._is_reachable = block is not None
        if block is None:
            return
        self.builder.enter(block)
        arguments = iter(block.arguments)
        for value in point.values:
            self.set_flat(value, arguments)

    def shared_pointer(self) -> ir.Value:
        """Start of the kernel's shared memory."""
        if self._shared is None:
            self._shared = self.builder.in_prologue(
                "llvm.mlir.addressof",
                self.builder.shared_pointer,
                global_name=ir.FlatSymbolRefAttr.get(self._shared_symbol),
            )
        return self._shared

    def shared_address(self) -> ir.Value:
        """The same as an address (i32), known to be uniform; made once per role."""
        is_constant = not self.target.has("nvvm.cluster.arrive")
        return self.threads.shared_address(self.shared_pointer(), is_constant)

    def leader_address(self) -> ir.Value:
        """That of the first CTA of the cluster."""
        return self.threads.leader_address(self.shared_pointer())

    def table(self, data: bytes) -> ir.Value:
        """Address of constant bytes in global memory, aligned for any vector."""
        if data not in self._tables:
            self._tables[data] = self.builder.global_bytes(len(self._tables), data)
        return self._tables[data]

    def scratch_pointer(self) -> ir.Value:
        """Start of the kernel's scratch memory."""
        return self.builder.byte_offset(self.shared_pointer(), self._scratch_bytes)

    @cached_property
    def calls(self) -> Calls:
        """The driver's functions; few kernels call any."""
        return Calls(self.builder, self.table)

    # Types --------------------------------------------------------------------------

    def element_type(self, element: ir.Type) -> ir.Type:
        """The LLVM type of one element."""
        found = self._register_types.get(element)
        if found is None:
            found = self._register_types[element] = register_type(element)
        return found

    def pending_registers(self, value: ir.Value) -> tuple[ir.Type, int]:
        """Type and number of the registers of a pending value; f16 two to an i32.

        None where it is in tensor memory.
        """
        element, layout = pending_tile(value)
        if self.in_tensor_memory(value):
            return self.element_type(element), 0
        if isinstance(element, ir.F16Type):
            return self.builder.i32, layout.n_registers // 2
        return self.element_type(element), layout.n_registers

    def in_tensor_memory(self, value: ir.Value) -> bool:
        """Whether a pending value is there, and not in registers."""
        return self.tensor is not None and value in self.tensor.places.first

    def pack_of(self, value: ir.Value) -> int:
        """Elements per value in which a tile is best kept: 2 for 16-bit floats."""
        if not is_distributed(value) or layout_of(value).n_registers % 2:
            return 1
        return 2 if str(element_of(value)) in ("f16", "bf16") else 1

    def pack_to_compute(self, value: ir.Value) -> int:
        """Elements of a tile that one instruction adds or multiplies."""
        if not is_distributed(value) or layout_of(value).n_registers % 2:
            return 1
        is_single = isinstance(element_of(value), ir.F32Type)
        if is_single and self.target.has_packed_f32:
            return 2
        return self.pack_of(value)

    # Walking ------------------------------------------------------------------------

    @property
    def role(self) -> Role:
        """The threads that run what is emitted now."""
        return self.threads.role

    @contextmanager
    def in_role(self, role: Role, place: ir.InsertionPoint) -> Generator[None]:
        """Emits what follows for the threads of a role.

        Args:
            role: The threads.
            place: Where to compute what depends on the thread index only.
        """
        outer, self.threads = self.threads, Threads(self.builder, role, place)
        with self.packer.scope():
            yield
        self.threads = outer

    @contextmanager
    def once_of_two(self) -> Generator[None]:
        """Emits what follows for some threads, and once more behind it for others.

        Places of control flow in it become other blocks the next time.
        """
        landings = dict(self._landings)
        yield
        self._landings = landings

    def emit_block(self, block: ir.Block) -> None:
        """Emits the operations of a block in order, as far as control gets."""
        for op in block_ops(block):
            if not self._is_reachable:
                return
            self.emit_op(op)

    def emit_op(self, op: ir.Operation) -> None:
        """Emits one operation by its rule.

        Raises:
            CudaTileError: The rule refuses the op; the error has its location.
        """
        if op in self.put_off:
            return
        self.builder.loc = op.location
        try:
            self._rules[op_stem(op)](self, op)
        except CudaTileError as error:
            raise located_error(error, op) from error

    def elementwise(
        self,
        op: ir.Operation,
        combine: ElementFunction,
        *,
        operands: Sequence[ir.Value] | None = None,
        pack: int = 1,
    ) -> None:
        """Emits an op that works element by element on all its operands.

        Args:
            op: The operation; its first result is set.
            combine: Makes one result value of one value per operand.
            operands: The tiles among the operands; all of them by default.
            pack: Neighbours that `combine` takes at once, as a vector.
        """
        tiles = list(op.operands) if operands is None else list(operands)
        result = op.results[0]
        if not is_distributed(result):
            self.set(result, combine(*(self.scalar(v) for v in tiles)))
            return
        fragments = [self.fragment(v) for v in tiles]
        self.set(result, zip_fragments(self.packer, fragments, combine, pack=pack))


EmitRule = Callable[[Emitter, ir.Operation], None]
RULES: RuleTable[EmitRule] = RuleTable("emit", INSTEAD)
