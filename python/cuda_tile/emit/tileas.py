# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tileas dialect: conversions, shared memory, barriers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.tokens import token_operand
from cuda_tile.emit.access import Loaded, pick_words
from cuda_tile.emit.addresses import Origin, addresses_in
from cuda_tile.emit.blocks import barrier, proxy_fence
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.exchange import shuffle
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.ldmatrix import find_matrices, is_read_by_partial_sums
from cuda_tile.emit.ptxas_habits import scheduling_fence
from cuda_tile.emit.push import Push
from cuda_tile.emit.stmatrix import find_stmatrix, store_matrices
from cuda_tile.emit.tensor_memory import load_slot
from cuda_tile.emit.threads import linear_form_of
from cuda_tile.emit.vectors import Run, load_run, store_run
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import flag, integer, integers
from cuda_tile.ir.shared_loads import is_again
from cuda_tile.ir.shared_stores import is_for_cluster
from cuda_tile.ir.tiles import buffer_layout_of, element_bits, element_of, layout_of
from cuda_tile.ir.traits import COPIES
from cuda_tile.ir.walk import enclosing_entry, nested_ops
from cuda_tile.layout.convert import ConversionKind, classify, register_map
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import TilePart
from cuda_tile.layout.shared import SharedAccess, shared_access
from cuda_tile.layout.shuffle import (
    PairedPlan,
    Select,
    ShufflePlan,
    paired_plan,
    shuffle_plan,
)

Registers = list[ir.Value]


@RULES.register("tileas.convert_layout")
def convert_layout(e: Emitter, op: ir.Operation) -> None:
    """Renames registers and shuffles lanes; `stage` replaced what crosses warps."""
    source = e.fragment(op.operands[0])
    layout = layout_of(op.results[0])
    scalars = e.packer.scalars(source)
    match classify(source.layout, layout):
        case ConversionKind.IDENTITY:
            e.set(op.results[0], source)
        case ConversionKind.REGISTER:
            values = [scalars[r] for r in register_map(source.layout, layout)]
            e.set(op.results[0], Fragment(layout, tuple(values)))
        case ConversionKind.SHUFFLE:
            plan = shuffle_plan(source.layout, layout)
            if plan is None:
                raise InternalError("emit: a shuffle conversion without a plan")
            bits = element_bits(element_of(op.results[0]))
            words = paired_plan(plan, len(scalars), bits)
            if words is None:
                moved = _shuffled(e, plan, scalars)
            else:
                moved = _shuffled_in_pairs(e, words, scalars)
            e.set(op.results[0], Fragment(layout, tuple(moved)))
        case ConversionKind.SHARED:
            raise InternalError("emit: a conversion through shared memory after stage")


def _shuffled(e: Emitter, plan: ShufflePlan, registers: Registers) -> Registers:
    """Follows a shuffle plan; see `layout/shuffle.py`."""
    b = e.builder
    x = registers
    for select in plan.before:
        x = _selected(e, select, x)
    y: Registers = []
    base = None if plan.is_butterfly else e.threads.linear_form(plan.lane)
    for step in plan.rounds:
        value = x[step.register]
        if base is None:
            same = step.lane_xor == 0
            y.append(value if same else shuffle(b, "bfly", value, step.lane_xor))
            continue
        lane = b.binary("xor", base, step.lane_xor)
        y.append(shuffle(b, "idx", value, lane))
    for select in plan.after:
        y = _selected(e, select, y)
    return [y[i] for i in plan.result]


def _shuffled_in_pairs(
    e: Emitter, words: PairedPlan, registers: Registers
) -> Registers:
    """Follows a shuffle plan with two registers of 16 bits in each word."""
    packed = [
        e.packer.pack_values([registers[first], registers[second]])
        for first, second in words.sources
    ]
    moved = _shuffled(e, words.plan, packed)
    pairs = zip(moved, words.halves, strict=True)
    return [e.packer.split(word, 2)[half] for word, half in pairs]


def _selected(e: Emitter, select: Select, x: Registers) -> Registers:
    """Exchanges registers in the threads whose masked bits have odd parity."""
    b = e.builder
    mask, columns = select.thread_mask, [0] * select.thread_mask.bit_length()
    for bit in range(len(columns)):
        columns[bit] = mask >> bit & 1
    odd = b.icmp("ne", e.threads.linear_form(columns), 0)
    return [b.select(odd, x[r ^ select.register_xor], x[r]) for r in range(len(x))]


# Shared memory ------------------------------------------------------------------------


@RULES.register("tileas.alloc_shared")
def alloc_shared(e: Emitter, op: ir.Operation) -> None:
    """No instruction: the buffer is an offset in the kernel's shared memory."""
    result = op.results[0]
    if "offset" not in op.attributes:
        raise InternalError("emit: a shared buffer without an offset; run allocate")
    start, element = e.shared_pointer(), BufferType(result.type).element_type
    layout = buffer_layout_of(result)
    e.set(result, Buffer(start, integer(op, "offset"), layout, element))


@RULES.register("tileas.reinterpret")
def reinterpret(e: Emitter, op: ir.Operation) -> None:
    """No instruction: the same bytes under another layout."""
    source, result = e.buffer(op.operands[0]), op.results[0]
    e.set(result, replace(source, layout=buffer_layout_of(result)))


@RULES.register("tileas.barrier")
def barrier_(e: Emitter, op: ir.Operation) -> None:
    """All threads of the role wait for each other, and see each other's accesses.

    With `async`, each thread's fence for its own writes comes first. It includes those
    to global memory, and what the thread has acquired, where a copy waits for that.
    """
    if flag(op, "async"):
        copies = (o for o in nested_ops(enclosing_entry(op)) if o.name in COPIES)
        proxy_fence(e, is_global=any(map(token_operand, copies)))
    barrier(e)


def _plan_access(
    layout: LinearLayout, buffer: Buffer
) -> tuple[SharedAccess, tuple[int, ...]]:
    access = shared_access(layout, buffer.layout, element_bits(buffer.element))
    columns = access.columns
    return access, (*columns.lane, *columns.warp, *columns.block)


@RULES.register("tileas.store_shared")
def store_shared(e: Emitter, op: ir.Operation) -> None:
    """`stmatrix`, or vector stores: of copies of an element one thread writes."""
    fragment, buffer = e.fragment(op.operands[0]), e.buffer(op.operands[1])
    layout, part = fragment.layout, None
    if "offsets" not in op.attributes and e.threads.cluster == 1:
        plan = find_stmatrix(e, fragment, buffer)
        if plan is not None:
            store_matrices(e, fragment, buffer, plan)
            return
    if "offsets" in op.attributes:
        part = TilePart(layout, buffer.layout.shape, integers(op, "offsets"))
    access, columns = _plan_access(part.inner if part else layout, buffer)
    addresses = addresses_in(e, buffer, columns, Origin())
    bits = element_bits(buffer.element)
    run = Run(e.element_type(buffer.element), bits, access.vector)
    send = Push(e, layout) if is_for_cluster(op) else None
    owner = send.owner if send else e.threads.is_owner(layout, in_cta=True)
    copies = layout.free_bits().register
    vectors = zip(access.offsets, access.registers, strict=True)
    for offset, registers in vectors:
        if registers[0] & copies or not _is_in_part(part, registers):
            continue
        words = pick_words(e, fragment, registers, run.word_elements)
        holds = e.builder.both(owner, _holds_part(e, part, registers))
        if send:
            send.store(run, words, addresses.at(offset), holds)
            continue
        store_run(e.builder, run, words, addresses.at(offset), holds, space="shared")


@RULES.register("tileas.load_shared")
def load_shared(e: Emitter, op: ir.Operation) -> None:
    """`ldmatrix` where the layouts allow it, else vector loads."""
    buffer, result = e.buffer(op.operands[0]), op.results[0]
    layout, offsets = layout_of(result), integers(op, "offsets")
    if e.in_tensor_memory(op.operands[0]):
        e.set(result, load_slot(e, op))
        return
    if is_again(op):
        scheduling_fence(e.builder)
    if len(op.operands) > 1:
        part = TilePart(layout, buffer.layout.shape, offsets)
        old = e.packer.scalars(e.fragment(op.operands[1]))
        scalars = _replace_part(e, buffer, part, old)
        e.set(result, Fragment(layout, tuple(scalars)))
        return
    start = Origin(buffer.layout.offset_of(offsets or (0,) * layout.rank))
    # A byte of i1 is no bit of the word that holds it; a CTA's part of a tile has an
    # origin that is known only when it runs.
    is_bit = e.element_type(buffer.element) == e.builder.i1
    by_vectors = is_bit or e.threads.cluster > 1
    found = None if by_vectors else find_matrices(e, buffer, layout, start)
    if found is not None:
        if not is_read_by_partial_sums(op):
            e.set(result, found.fragment())
        return
    e.set(result, load_vectors(e, buffer, layout, start, e.pack_of(result)))


@RULES.register("tileas.load_part")
def load_part(e: Emitter, op: ir.Operation) -> None:
    """Vector loads from an origin that the indices give, bit by bit."""
    if e.in_tensor_memory(op.operands[0]):
        e.set(op.results[0], load_slot(e, op))
        return
    buffer, layout = e.buffer(op.operands[0]), layout_of(op.results[0])
    b, size = e.builder, element_bits(buffer.element) // 8
    chosen: ir.Value | None = None
    span = 0
    shapes = zip(buffer.layout.shape, layout.shape, strict=True)
    indices = list(op.operands)[1:]
    for dim, ((whole, part), index) in enumerate(zip(shapes, indices, strict=True)):
        columns = buffer.layout.invert()[dim][part.bit_length() - 1 :]
        if whole == part:
            continue
        for column in columns:
            span |= column
        bytes_apart = [column * size for column in columns]
        form = linear_form_of(b, b.op, e.scalar(index), bytes_apart)
        chosen = form if chosen is None else b.binary("xor", chosen, form)
    result, origin = op.results[0], Origin(0, chosen, span)
    e.set(result, load_vectors(e, buffer, layout, origin, e.pack_of(result)))


def _vectors(
    e: Emitter, buffer: Buffer, layout: LinearLayout, start: Origin
) -> tuple[Run, Iterator[tuple[tuple[int, ...], Callable[[], list[ir.Value]]]]]:
    """The vectors of a tile in a buffer: registers, and what loads their words."""
    access, columns = _plan_access(layout, buffer)
    addresses = addresses_in(e, buffer, columns, start)
    bits = element_bits(buffer.element)
    run = Run(e.element_type(buffer.element), bits, access.vector)
    vectors = zip(access.offsets, access.registers, strict=True)
    return run, (
        (registers, lambda at=offset: load_run(e.builder, run, addresses.at(at)))
        for offset, registers in vectors
    )


def load_vectors(
    e: Emitter, buffer: Buffer, layout: LinearLayout, start: Origin, pack: int
) -> Fragment:
    """Loads all registers; elements stay in pairs if `pack` is 2 and they lie so.

    Args:
        e: The emitter.
        buffer: The buffer.
        layout: The layout of the tile.
        start: Where in the buffer it begins.
        pack: Elements of a vector value.
    """
    run, vectors = _vectors(e, buffer, layout, start)
    loaded = Loaded(e.builder, layout, pack)
    for registers, load in vectors:
        loaded.put(registers, load(), run.word_elements)
    return loaded.fragment()


def _replace_part(
    e: Emitter, buffer: Buffer, part: TilePart, old: Registers
) -> Registers:
    """Registers with those replaced that lie in a part of the tile.

    All threads load; where only some hold the part, the others keep what they had.
    """
    b, scalars = e.builder, list(old)
    run, vectors = _vectors(e, buffer, part.inner, Origin())
    for registers, load in vectors:
        if not _is_in_part(part, registers):
            continue
        holds = _holds_part(e, part, registers)
        values = [v for w in load() for v in b.elements(w, run.word_elements)]
        for register, value in zip(registers, values, strict=True):
            kept = value if holds is None else b.select(holds, value, scalars[register])
            scalars[register] = kept
    return scalars


def _is_in_part(part: TilePart | None, registers: tuple[int, ...]) -> bool:
    """Whether a vector's registers lie in the part in any thread."""
    return part is None or part.wanted[registers[0]] is not None


def _holds_part(
    e: Emitter, part: TilePart | None, registers: tuple[int, ...]
) -> ir.Value | None:
    """Whether this thread's registers lie in the part; None for all threads."""
    if part is None or not any(part.thread_columns):
        return None
    wanted = {part.wanted[register] for register in registers}
    if len(wanted) != 1 or (number := wanted.pop()) is None:
        raise InternalError("emit: a vector that lies in several parts of a tile")
    b = e.builder
    form = e.threads.linear_form(part.thread_columns)
    return b.icmp("eq", form, number)
