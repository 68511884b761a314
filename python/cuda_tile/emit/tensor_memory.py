# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor memory: its columns, and sums that come from there or go there.

The first warp allocates when a kernel begins, gives up the right to allocate more, so
that others may, and frees at the end, once all threads are there. What threads did to
tensor memory and what products do is ordered by a pair of `tcgen05.fence` around a
barrier (PTX ISA, "tcgen05 memory consistency model").
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.tensor_columns import (
    is_started_by,
    tensor_columns,
    tensor_products,
)
from cuda_tile.constants import TENSOR_ACCESS_REGISTERS
from cuda_tile.emit import mbarriers
from cuda_tile.emit.blocks import barrier, is_first, when
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.cta_pairs import BOTH, group_of
from cuda_tile.emit.emitter import Emitter, TensorMemory
from cuda_tile.emit.fragment import Fragment, Pending
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.rings import MBARRIER_BYTES
from cuda_tile.ir.roles import role_around
from cuda_tile.ir.tensor_memory import TENSOR_ATTRIBUTE, TENSOR_BYTES
from cuda_tile.ir.tiles import element_bits, layout_of, pending_tile
from cuda_tile.ir.walk import enclosing_ops
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.tensor import (
    TENSOR_LANES,
    TENSOR_WARPS,
    column_of,
    rows_of_sums,
)
from cuda_tile.records import dataclass

TENSOR_SPACE = 6
"""The address space of tensor memory (LLVM, "NVPTX address spaces")."""
_WARP_LANES = TENSOR_LANES // TENSOR_WARPS
_LANE_SHIFT = 16
"""An address has the lane in its upper half (PTX ISA, "Tensor Memory Addressing")."""
WARP_ADDRESSES = (_WARP_LANES << _LANE_SHIFT, 2 * _WARP_LANES << _LANE_SHIFT)
"""What the bits of a warp's number add to an address: the lanes that it reaches."""


def allocate_columns(e: Emitter, entry: ir.Operation) -> None:
    """Allocates the columns of a kernel, and makes the mbarrier of its products.

    Args:
        e: The emitter.
        entry: The entry, which has some.
    """
    b, places = e.builder, tensor_columns(entry)
    pointer = b.byte_offset(e.shared_pointer(), integer(entry, TENSOR_ATTRIBUTE))
    word = b.byte_offset(pointer, MBARRIER_BYTES)
    group = {"group": group_of(e)}
    if e.is_pair:
        barrier(e)  # the other CTA of the pair has begun
    with when(e, in_first_warp(e)):
        columns = b.constant(b.i32, places.allocated)
        b.create("nvvm.tcgen05.alloc", [], [word, columns], group)
        b.create("nvvm.tcgen05.relinquish_alloc_permit", [], [], group)
    waiting = role_around(tensor_products(entry)[0]) or e.role
    own = {
        place: b.byte_offset(pointer, TENSOR_BYTES + number * MBARRIER_BYTES)
        for number, place in enumerate(places.alone)
    }
    with when(e, is_first(e)):
        for mbarrier in (pointer, *own.values()):
            mbarriers.init(e, mbarrier, waiting.threads + 1)
        mbarriers.fence_init(e)
    hand_over(e)
    e.tensor = TensorMemory(places, b.load(b.i32, word, 4), pointer, own)


def free_columns(e: Emitter) -> None:
    """Frees the columns of a kernel, where it ends, if it has some."""
    if e.tensor is None:
        return
    b = e.builder
    hand_over(e)
    with when(e, in_first_warp(e)):
        columns = b.constant(b.i32, e.tensor.places.allocated)
        address, group = pointer_of(b, e.tensor.base), {"group": group_of(e)}
        b.create("nvvm.tcgen05.dealloc", [], [address, columns], group)


def in_first_warp(e: Emitter) -> ir.Value:
    """Whether this is a thread of the role's first warp, the same in all of a warp."""
    b = e.builder
    bits = (e.threads.role.warps - 1).bit_length()
    warp = e.threads.warp_form([1 << bit for bit in range(bits)])
    return b.icmp("eq", warp, b.constant(b.i32, 0))


@contextmanager
def issuing(e: Emitter) -> Generator[None]:
    """Emits what follows for the one thread that starts products, and commits them.

    It is always the same one: an election among the same lanes has one result (PTX ISA,
    "elect.sync"), and a commit is for what its thread has started.
    """
    with in_warp_that_issues(e), elected(e):
        yield


@contextmanager
def elected(e: Emitter) -> Generator[None]:
    """Emits what follows for that thread, in its warp."""
    with when(e, e.builder.op("nvvm.elect.sync", e.builder.i1)):
        yield


@contextmanager
def in_warp_that_issues(e: Emitter) -> Generator[None]:
    """Emits what follows for the warp of the thread that starts products."""
    if e.threads.chosen is not None:
        yield
        return
    with when(e, in_first_warp(e)):
        yield


def wait_for_sums(e: Emitter, values: Sequence[ir.Value]) -> None:
    """All threads of the role wait for sums, or where one has no own mbarrier for all.

    They arrive at the mbarrier that the end of the products arrives at, too. The state
    that their arrival gave them names the phase, so that none need know how many came
    before.

    Args:
        e: The emitter.
        values: The sums.
    """
    b, tensor = e.builder, tensor_of(e)
    own = [own_mbarrier(e, value) for value in values]
    mbarrier = own[0] if len(own) == 1 and own[0] is not None else tensor.mbarrier
    state = b.op("nvvm.mbarrier.arrive", b.i64, mbarrier)
    if mbarrier == tensor.mbarrier:
        with issuing(e):
            commit(e, mbarrier)
    mbarriers.wait(e, mbarrier, state)
    fence(e, "after")


def commit_sum(e: Emitter, value: ir.Value) -> None:
    """Tells the mbarrier of a sum when that is there; once the thread has started it.

    Args:
        e: The emitter, in the thread that starts products.
        value: The sum.
    """
    mbarrier = own_mbarrier(e, value)
    if mbarrier is not None and is_started_by(value):
        commit(e, mbarrier)


def own_mbarrier(e: Emitter, value: ir.Value) -> ir.Value | None:
    """The mbarrier of a sum; None if it has none of its own.

    Args:
        e: The emitter.
        value: The sum.
    """
    tensor = tensor_of(e)
    return tensor.own.get(tensor.places.place[value])


def commit(e: Emitter, mbarrier: ir.Value) -> None:
    """An arrival at an mbarrier once all products that this thread started are done.

    In a pair at those of both CTAs, of the one thread that starts the products of both.

    Args:
        e: The emitter.
        mbarrier: Its address.
    """
    if e.follows:
        return
    b, operands = e.builder, [mbarrier]
    if e.is_pair:
        operands.append(b.constant(b.i16, BOTH))
    b.create("nvvm.tcgen05.commit", [], operands, {"group": group_of(e)})


def hand_over(e: Emitter) -> None:
    """Products may change what threads have read or written of tensor memory."""
    fence(e, "before")
    barrier(e)
    fence(e, "after")


def tensor_of(e: Emitter) -> TensorMemory:
    """What the kernel has allocated.

    Raises:
        InternalError: It has no tensor memory.
    """
    if e.tensor is None:
        raise InternalError("emit: expected columns of tensor memory; run allocate")
    return e.tensor


def fence(e: Emitter, when_: str) -> None:
    """Orders tensor memory around what synchronises threads.

    Args:
        e: The emitter.
        when_: "before" or "after" that.
    """
    kind = e.builder.attribute(f"#nvvm.tcgen05_fence<{when_}>")
    e.builder.create("nvvm.tcgen05.fence", [], [], {"kind": kind})


def pointer_of(b: Builder, address: ir.Value) -> ir.Value:
    """An address in tensor memory (i32) as a pointer.

    Args:
        b: The builder.
        address: The address.
    """
    return b.op("llvm.inttoptr", ir.Type.parse(f"!llvm.ptr<{TENSOR_SPACE}>"), address)


def first_column(e: Emitter, value: ir.Value) -> tuple[ir.Value, int]:
    """Address of the kernel's columns or of a slot's, and which of them is the first.

    Args:
        e: The emitter.
        value: The sum, or its slot.

    Raises:
        InternalError: The kernel has no tensor memory.
    """
    b, tensor = e.builder, tensor_of(e)
    base, first = tensor.base, tensor.places.first[value]
    slot = tensor.places.slots.get(value)
    number = None if slot is None else e.buffer(slot).slot
    if number is not None:
        step = tensor.places.steps[tensor.places.place[value]]
        base = b.add(base, b.mul(number, b.constant(b.i32, step)))
    return base, first


def store_sum(e: Emitter, tile: ir.Value, result: ir.Value) -> Pending:
    """A tile in tensor memory, where a product adds to it; a zero is not written.

    But for one that is awaited before a product, which is on its way like any other.

    Args:
        e: The emitter.
        tile: The tile.
        result: The sum that it becomes.
    """
    b, layout = e.builder, pending_tile(result)[1]
    is_repeated = any(map(_cuda_tile.is_loop, enclosing_ops(result)))
    places = tensor_of(e).places
    is_shared = places.place[result] in places.shared
    if uniform_bits(tile) == 0 and not _is_started(e, result):
        if is_repeated or is_shared:
            hand_over(e)  # what threads have loaded of these columns before
        return Pending(layout, (), b.constant(b.i1, 0))
    if is_shared:
        hand_over(e)
    words = [to_word(b, value) for value in e.packer.scalars(e.fragment(tile))]
    for piece in pieces_of(e, Part.of_sum(result, layout)):
        store_piece(e, piece, [words[register] for register in piece.registers])
    wait(b, "store")
    return finish_sum(e, result, layout)


def finish_sum(e: Emitter, result: ir.Value, layout: LinearLayout) -> Pending:
    """A sum that threads have stored is there for products, and for awaits.

    Args:
        e: The emitter.
        result: The sum.
        layout: Its layout in registers.
    """
    hand_over(e)
    return begin_sum(e, result, layout)


def begin_sum(e: Emitter, result: ir.Value, layout: LinearLayout) -> Pending:
    """A sum that is where it shall be, for products and for awaits.

    Args:
        e: The emitter.
        result: The sum.
        layout: Its layout in registers.
    """
    if _is_started(e, result):
        with issuing(e):
            commit_sum(e, result)
    return Pending(layout, ())


def _is_started(e: Emitter, value: ir.Value) -> bool:
    """Whether threads wait for what they have stored as for a product."""
    return own_mbarrier(e, value) is not None and is_started_by(value)


def load_sum(e: Emitter, value: ir.Value) -> Fragment:
    """The tile that a sum in tensor memory is, zero where nothing was added.

    Args:
        e: The emitter.
        value: The sum.
    """
    pending = e.pending(value)
    element = e.element_type(pending_tile(value)[0])
    holds = None if own_mbarrier(e, value) is not None else pending.holds
    return _fragment(e, Part.of_sum(value, pending.layout), element, holds)


def load_slot(e: Emitter, op: ir.Operation) -> Fragment:
    """What a slot in tensor memory holds; its word says whether anything is there.

    Args:
        e: The emitter.
        op: The `load_shared` of the whole of it, or the `load_part` of some columns.

    Raises:
        InternalError: It is of some rows, or loads into another tile.
    """
    b, layout, buffer = e.builder, layout_of(op.results[0]), e.buffer(op.operands[0])
    number = _number_of_columns(e, op, buffer.layout.shape, layout.shape)
    flag = b.load(b.i32, b.byte_offset(buffer.pointer, buffer.base_bytes), 4)
    holds = b.icmp("ne", flag, b.constant(b.i32, 0))
    element = e.element_type(buffer.element)
    part = Part(op.operands[0], layout, buffer.layout.shape[-1], number)
    return _fragment(e, part, element, holds)


def _number_of_columns(
    e: Emitter, op: ir.Operation, whole: tuple[int, ...], part: tuple[int, ...]
) -> ir.Value | None:
    """Which columns of a slot an op loads, counted in its own; None for all."""
    indices = list(op.operands)[1:]
    if whole == part and not indices:
        return None
    if whole[:-1] != part[:-1] or len(indices) != len(whole):
        raise InternalError(f"emit: expected '{op.name}' of whole columns of a sum")
    b = e.builder
    last = b.constant(b.i32, whole[-1] // part[-1] - 1)
    return b.op("llvm.and", b.i32, e.scalar(indices[-1]), last)


@dataclass(frozen=True)
class Part:
    """Columns of a sum in tensor memory, all of them or some.

    Attributes:
        value: The sum, or its slot.
        layout: Who loads or stores which of its elements.
        columns: Columns of the whole sum.
        number: Which columns, counted in those of the part (i32); None for all.
    """

    value: ir.Value
    layout: LinearLayout
    columns: int
    number: ir.Value | None = None

    @classmethod
    def of_sum(cls, value: ir.Value, layout: LinearLayout) -> Part:
        """All columns of a sum.

        Args:
            value: The sum.
            layout: Its layout in registers.
        """
        return cls(value, layout, layout.shape[-1])

    @property
    def whole(self) -> tuple[int, int]:
        """The shape of the whole sum."""
        return self.layout.shape[0], self.columns


def _fragment(
    e: Emitter, part: Part, element: ir.Type, holds: ir.Value | None
) -> Fragment:
    """What the columns of a value hold, zero where nothing was added."""
    b, layout, count = e.builder, part.layout, part.layout.n_registers
    if holds is None or holds == b.constant(b.i1, 1):
        words = _loaded(e, part)
    else:
        full, after = b.block(), b.block([b.i32] * count)
        zeros = [b.constant(b.i32, 0)] * count
        b.branch_if(holds, full, after, no_values=zeros)
        b.enter(full)
        b.branch(after, _loaded(e, part))
        b.enter(after)
        words = list(after.arguments)
    return Fragment(layout, tuple(from_word(b, word, element) for word in words))


def _loaded(e: Emitter, part: Part) -> list[ir.Value]:
    """The words of a sum, tied to the wait for their loads."""
    b = e.builder
    words: dict[int, ir.Value] = {}
    for piece in pieces_of(e, part):
        words |= zip(piece.registers, load_piece(e, piece), strict=True)
    wait(b, "load")
    return [words[register] for register in range(len(words))]


def load_piece(e: Emitter, piece: Piece) -> list[ir.Value]:
    """Starts to load some words, which are there behind a wait for loads.

    Args:
        e: The emitter.
        piece: Which.
    """
    b, count = e.builder, len(piece.registers)
    ty = ir.VectorType.get([count], b.i32)
    pointer = pointer_of(b, piece.address)
    made = b.op("nvvm.tcgen05.ld", ty, pointer, shape=piece.shape)
    return b.elements(made, count)


def store_piece(e: Emitter, piece: Piece, words: Sequence[ir.Value]) -> None:
    """Starts to store some words.

    Args:
        e: The emitter.
        piece: Which.
        words: The words (i32).
    """
    b = e.builder
    vector = b.vector(words) if len(words) > 1 else words[0]
    operands = [pointer_of(b, piece.address), vector]
    b.create("nvvm.tcgen05.st", [], operands, {"shape": piece.shape})


def wait(b: Builder, what: str) -> None:
    """Waits for the thread's own accesses to tensor memory.

    Args:
        b: The builder.
        what: "load" or "store".
    """
    kind = b.attribute(f"#nvvm.tcgen05_wait<{what}>")
    b.create("nvvm.tcgen05.wait", [], [], {"kind": kind})


@dataclass(frozen=True)
class Piece:
    """What one access of all warps loads or stores of a sum.

    Attributes:
        address: Its address (i32).
        shape: The shape of the access.
        registers: The registers of a thread.
    """

    address: ir.Value
    shape: ir.Attribute
    registers: Sequence[int]


def pieces_of(e: Emitter, part: Part) -> Iterator[Piece]:
    """The accesses to columns of a sum, in the order of registers.

    Args:
        e: The emitter.
        part: Which columns.
    """
    b, layout = e.builder, part.layout
    is_half = layout.lane[0] != (1, 0)
    rows = rows_of_sums(layout)
    base, first = first_column(e, part.value)
    start = b.add(base, e.threads.warp_form(_warp_columns(part, rows)))
    if part.number is not None:
        step = b.constant(b.i32, layout.shape[-1])
        start = b.add(start, b.mul(part.number, step))
    name = "16x256b" if is_half else "32x32b"
    shape = b.attribute(f"#nvvm.tcgen05_ldst_shape<shape_{name}>")
    step = min(TENSOR_ACCESS_REGISTERS, _own_registers(layout, rows))
    places = layout.register_offsets()
    for number in range(0, layout.n_registers, step):
        row, column = places[number]
        at = first + column_of(row, column, part.whole, rows)
        address = b.add(start, b.constant(b.i32, at)) if at else start
        yield Piece(address, shape, range(number, number + step))


def _own_registers(layout: LinearLayout, rows: int) -> int:
    """Registers of a thread that hold columns of one block of rows."""
    return 1 << sum(basis[0] < rows for basis in layout.register)


def _warp_columns(part: Part, rows: int) -> list[int]:
    """What each bit of a warp's number adds to the address of a sum."""
    further = part.layout.warp[len(WARP_ADDRESSES) :]
    columns = (column_of(row, column, part.whole, rows) for row, column in further)
    return [*WARP_ADDRESSES, *columns]


def to_word(b: Builder, value: ir.Value) -> ir.Value:
    """A word of tensor memory: a float of 16 bits is its lower half.

    Args:
        b: The builder.
        value: An element of a sum.
    """
    if element_bits(value.type) < 32:
        return b.unsigned(b.bitcast(value, b.i16), b.i32)
    return b.bitcast(value, b.i32)


def from_word(b: Builder, word: ir.Value, element: ir.Type) -> ir.Value:
    """The element of a sum that a word is.

    Args:
        b: The builder.
        word: The word (i32).
        element: The type of the element.
    """
    if element_bits(element) < 32:
        return b.bitcast(b.op("llvm.trunc", b.i16, word), element)
    return b.bitcast(word, element)
