# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family mma: products of warpgroups, which run by themselves until they are awaited.

A pending value is the accumulator registers of the instructions. They are passed from
op to op, and through blocks, as single values, and each instruction's results are tied
to its inputs: so they stay in their registers, which nothing may move or read while an
instruction uses them.

An op becomes one text of PTX: a fence and its instructions, whose group then ends. The
fence orders all earlier accesses to the registers, so what the instructions take must
have been computed before the text begins. An accumulator that is zero is not written at
all: the first instruction then ignores what its registers hold (PTX ISA,
"wgmma.mma_async", "wgmma.fence").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment, Pending
from cuda_tile.emit.hold_back import hold_back
from cuda_tile.emit.mma_operands import operand_form
from cuda_tile.emit.wgmma_operands import (
    Part,
    Places,
    by_parts,
    from_buffer,
    from_registers,
    places_of,
    repeats,
)
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.ir.attributes import flag, integer, keyword
from cuda_tile.ir.copies import planned
from cuda_tile.ir.tiles import (
    element_name,
    is_distributed,
    pending_tile,
)
from cuda_tile.ir.walk import block_ops, enclosing_ops
from cuda_tile.layout.coords import Coord, n_bits
from cuda_tile.layout.fragments import atom_registers
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.wgmma import (
    PART_REGISTERS,
    WARPGROUP_WARPS,
    WGMMA_CAPABILITY,
    WgmmaAtom,
    atom_of_sums,
)

_GROUP_BITS = n_bits(WARPGROUP_WARPS)


@RULES.register("tileas.settled")
def settled(e: Emitter, op: ir.Operation) -> None:
    """The registers of a tile; none are set for a zero, but for a loop that runs once.

    There a flag for the first turn would cost more than to set them, while the first
    operands are on their way. That holds in a role; where there is one role, ptxas 13.5
    takes the zeros of a loop that does not run at all for writes in the middle of
    products, and makes these wait for each other (C7515).
    """
    b, tile, result = e.builder, op.operands[0], op.results[0]
    _, layout = pending_tile(result)
    register, count = e.pending_registers(result)
    is_set = e.role.number >= 0 and _starts_only_loop(op)
    if uniform_bits(tile) == 0 and not is_set:
        nothing = b.op("llvm.mlir.poison", register)
        e.set(result, Pending(layout, (nothing,) * count, b.constant(b.i1, 0)))
        return
    words = e.packer.packed(e.fragment(tile), layout.n_registers // count)
    e.set(result, Pending(layout, tuple(b.bitcast(w, register) for w in words)))


def _starts_only_loop(op: ir.Operation) -> bool:
    """Whether a loop begins with what `settled` gives, itself outside all loops."""
    users = [use.owner.operation for use in op.results[0].uses]
    around = enclosing_ops(op.results[0])
    return any(map(repeats, users)) and not any(map(repeats, around))


@RULES.register("tileas.wgmma")
def wgmma(e: Emitter, op: ir.Operation) -> None:
    """Starts the instructions of a product, all along K before the group ends."""
    if not e.target.has_wgmma:
        raise Unsupported(
            f"'{op.name}' needs sm_{WGMMA_CAPABILITY}a, got {e.target.arch}; "
            "tileas.mma_sync multiplies on every chip"
        )
    atom = _atom_of(op)
    acc, b = e.pending(op.operands[2]), e.builder
    _check_accumulator(acc.layout, atom)
    right, flips = from_buffer(e, op, "b", acc.layout, atom)
    depth, reads = planned(op, "promote", 0), list(acc.reads)
    parts = None if not depth else by_parts(e, op.operands[0], acc.layout, atom)
    left: Places = {}
    if isinstance(op.operands[0].type, BufferType):
        left, flip = from_buffer(e, op, "a", acc.layout, atom)
        flips = flip + flips
    elif parts is None:
        left = from_registers(e, op.operands[0], acc.layout, atom)
        reads += [word for words in left.values() for word in words]
    if depth:
        whole = _Form(_mnemonic(op, atom), (), (), (), _tail(op, atom, flips), False)
        operands = parts or partial(places_of, left), right
        e.set(op.results[0], _promoted(e, whole, acc, operands, atom, depth))
        return
    form = _Form(
        mnemonic=_mnemonic(op, atom),
        accumulators=_accumulators(acc, atom),
        lefts=tuple((place, len(words)) for place, words in left.items()),
        rights=tuple(right),
        tail=_tail(op, atom, flips),
        adds=_known(b, acc.holds),
    )
    inputs = [word for words in (*left.values(), *right.values()) for word in words]
    if form.adds is None and acc.holds is not None:
        inputs.append(acc.holds)
    registers = _run(e, form, acc.registers, inputs)
    b.create("nvvm.wgmma.commit.group.sync.aligned", [], [])
    e.set(op.results[0], Pending(acc.layout, registers, reads=tuple(reads)))


@RULES.register("tileas.await")
def await_(e: Emitter, op: ir.Operation) -> None:
    """Waits, and ties the registers to the wait: nothing reads them before it.

    Nor does anything write the registers of left operands: the next turn's would be
    computed in the same ones, since nothing else needs them behind the product.
    """
    b = e.builder
    if all(e.pending(value).is_done for value in op.operands):
        for value, tile in zip(op.operands, op.results, strict=True):
            pending = e.pending(value)
            e.set(tile, Fragment(pending.layout, pending.registers))
        return
    if _follows_work(op):
        hold_back(b)
    wait_for_products(e, integer(op, "groups") if flag(op, "groups") else 0)
    held = [
        pending
        for pending in map(e.pending, op.operands)
        if not pending.is_done and _known(b, pending.holds) is not False
    ]
    registers = [r for pending in held for r in pending.registers]
    reads = [r for pending in held for r in pending.reads]
    done = iter(_tied(b, "", registers, reads))
    for value, tile in zip(op.operands, op.results, strict=True):
        pending = e.pending(value)
        if pending in held:
            own = [next(done) for _ in pending.registers]
            if pending.holds is not None and not _known(b, pending.holds):
                own = _or_zero(e, pending.holds, own)
        elif pending.is_done:
            own = list(pending.registers)
        else:
            own = _zeros(b, pending.registers)
        element, layout = pending_tile(value)
        pack = layout.n_registers // len(own)
        ty = b.vector_type(pack, e.element_type(element))
        words = tuple(b.bitcast(word, ty) for word in own)
        e.set(tile, Fragment(layout, words, pack))


def _follows_work(op: ir.Operation) -> bool:
    """Whether threads compute tiles between the await before and this one.

    What they compute before the first await, such as masks, may as well come behind it:
    it would only hold registers.
    """
    ops, works = block_ops(op.block), False
    for before in reversed(ops[: ops.index(op)]):
        if before.name == "tileas.await":
            return works
        if before.name == "tileas.wgmma":
            return False
        if len(before.operands) and any(map(is_distributed, before.results)):
            works = True
    return False


def wait_for_products(e: Emitter, groups: int) -> None:
    """Waits until at most so many of the youngest groups of products still run."""
    b = e.builder
    name = "nvvm.wgmma.wait.group.sync.aligned"
    b.create(name, [], [], {"group": b.number(groups)})


# Registers ----------------------------------------------------------------------------


def _known(b: Builder, holds: ir.Value | None) -> bool | None:
    """Whether registers hold anything, where that is known."""
    if holds is None or holds == b.constant(b.i1, 1):
        return True
    return False if holds == b.constant(b.i1, 0) else None


def _zeros(b: Builder, registers: Sequence[ir.Value]) -> list[ir.Value]:
    ty = registers[0].type
    return [b.constant(ty, 0 if ty == b.i32 else 0.0)] * len(registers)


def _or_zero(e: Emitter, holds: ir.Value, own: list[ir.Value]) -> list[ir.Value]:
    """The registers, or zeros: by a branch, which costs no instruction per register."""
    b = e.builder
    empty, after = b.block(), b.block([word.type for word in own])
    b.branch_if(holds, after, empty, own)
    b.enter(empty)
    b.branch(after, _zeros(b, own))
    b.enter(after)
    return list(after.arguments)


def _letters(b: Builder, values: Sequence[ir.Value]) -> list[str]:
    """The kind of register of each value in the constraints of inline PTX."""
    kinds: dict[ir.Type, str] = {b.f32: "f", b.i32: "r", b.i64: "l", b.i1: "b"}
    return [kinds[value.type] for value in values]


def _tied(
    b: Builder,
    text: str,
    registers: Sequence[ir.Value],
    inputs: Sequence[ir.Value] = (),
) -> list[ir.Value]:
    """PTX that changes registers where they are: `$0`... are they, then the inputs."""
    if not registers:
        return []
    letters = [f"={letter}" for letter in _letters(b, registers)]
    letters += _letters(b, inputs)
    ties = map(str, range(len(registers)))
    return b.inline_ptx(
        text,
        ",".join([*letters, *ties]),
        [register.type for register in registers],
        [*inputs, *registers],
        side_effects=True,
    )


# Instructions -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Form:
    """What decides the text of a product.

    Attributes:
        mnemonic: The instruction.
        accumulators: Where each begins in a warpgroup's part, and its registers.
        lefts: Where each operand A begins (row, k), and how many inputs it is.
        rights: Where each operand B begins (k, column).
        tail: What follows scale-d.
        adds: Whether the product is added to the accumulators; None if the last input
            says so.
    """

    mnemonic: str
    accumulators: tuple[tuple[Coord, tuple[int, ...]], ...]
    lefts: tuple[tuple[Coord, int], ...]
    rights: tuple[Coord, ...]
    tail: str
    adds: bool | None


def _run(
    e: Emitter, form: _Form, registers: Sequence[ir.Value], inputs: Sequence[ir.Value]
) -> tuple[ir.Value, ...]:
    """The instructions; gives the registers as they leave them."""
    b, text = e.builder, _text(form, len(registers))
    if form.adds is not False:
        return tuple(_tied(b, text, registers, inputs))
    letters = [f"={letter}" for letter in _letters(b, registers)]
    made = b.inline_ptx(
        text,
        ",".join([*letters, *_letters(b, inputs)]),
        [register.type for register in registers],
        inputs,
        side_effects=True,
    )
    return tuple(made)


def _promoted(
    e: Emitter,
    whole: _Form,
    acc: Pending,
    operands: tuple[Part, Places],
    atom: WgmmaAtom,
    depth: int,
) -> Pending:
    """Partial sums of `depth` elements along K, each added to the sum by f32.

    Instructions take turns in the registers of a part. A warpgroup waits for each part;
    the tensor cores go on with those of others (CUTLASS and DeepGEMM add so too).
    """
    b, total = e.builder, list(acc.registers)
    if _known(b, acc.holds) is None and acc.holds is not None:
        total = _or_zero(e, acc.holds, total)
    is_sum = _known(b, acc.holds) is not False
    deepest = max(k for k, _ in operands[1])
    parts = _accumulators(acc, atom)
    step = max(1, PART_REGISTERS // len(parts[0][1]))
    for some in (parts[i : i + step] for i in range(0, len(parts), step)):
        numbers = [number for _, own in some for number in own]
        for first in range(0, deepest + 1, depth):  # promotion C7
            form, inputs = _part(whole, some, operands, range(first, first + depth))
            made = _run(e, form, [acc.registers[n] for n in numbers], inputs)
            b.create("nvvm.wgmma.commit.group.sync.aligned", [], [])
            wait_for_products(e, 0)  # promotion C6
            for number, word in zip(numbers, _tied(b, "", made), strict=True):
                before = total[number]
                adds = is_sum or first  # promotion C4
                total[number] = b.op("llvm.fadd", b.f32, before, word) if adds else word
    return Pending(acc.layout, tuple(total), is_done=True)


def _part(
    whole: _Form,
    some: Sequence[tuple[Coord, tuple[int, ...]]],
    operands: tuple[Part, Places],
    depths: range,
) -> tuple[_Form, list[ir.Value]]:
    """The instructions of some accumulators over some of K, and their inputs."""
    rows = {row for (row, _), _ in some}
    columns = {column for (_, column), _ in some}
    left = operands[0](rows, depths)
    right = {p: w for p, w in operands[1].items() if p[1] in columns and p[0] in depths}
    numbers = iter(range(sum(len(own) for _, own in some)))
    form = replace(
        whole,
        accumulators=tuple((at, tuple(next(numbers) for _ in own)) for at, own in some),
        lefts=tuple((place, len(words)) for place, words in left.items()),
        rights=tuple(right),
    )
    return form, [word for words in (*left.values(), *right.values()) for word in words]


@lru_cache(maxsize=64)
def _text(form: _Form, first: int) -> str:
    """The fence and the instructions, K outermost; inputs are numbered from `first`."""
    lefts: dict[Coord, str] = {}
    for place, count in form.lefts:
        slots = ", ".join(f"${first + i}" for i in range(count))
        lefts[place] = slots if count == 1 else f"{{{slots}}}"
        first += count
    rights = {place: f"${first + i}" for i, place in enumerate(form.rights)}
    first += len(rights)
    adds = f"${first}" if form.adds is None else str(int(form.adds))
    lines = ["wgmma.fence.sync.aligned;"]
    depths = sorted({place[0] for place in form.rights})
    first_k = depths[0]
    for k in depths:
        for (row, column), registers in form.accumulators:
            slots = ", ".join(f"${register}" for register in registers)
            operands = f"{lefts[row, k]}, {rights[k, column]}"
            scale = adds if k == first_k else "1"
            lines.append(
                f"{form.mnemonic} {{{slots}}}, {operands}, {scale}{form.tail};"
            )
    return "\n\t".join(lines)


def _atom_of(op: ir.Operation) -> WgmmaAtom:
    name = ir.StringAttr(op.attributes["atom"]).value
    atom = atom_of_sums(name, pending_tile(op.operands[2])[1])
    if atom is None:
        raise InternalError(f"emit: no instruction of warpgroups is called {name}")
    return atom


def _check_accumulator(layout: LinearLayout, atom: WgmmaAtom) -> None:
    """Raises unless each warpgroup has whole instructions, `tile_wgmma`'s."""
    own, groups = layout.warp[:_GROUP_BITS], layout.warp[_GROUP_BITS:]
    m, n, _ = atom.shape
    if own != atom.c.warp or any(row % m or column % n for row, column in groups):
        raise InternalError(f"emit: expected accumulators of {atom.name}, got {layout}")


def _accumulators(
    acc: Pending, atom: WgmmaAtom
) -> tuple[tuple[Coord, tuple[int, ...]], ...]:
    """The registers of each instruction's accumulator."""
    per_register = acc.layout.n_registers // len(acc.registers)
    found = atom_registers(acc.layout, atom.c)
    return tuple(
        (
            origin,
            tuple(r // per_register for r in some[::per_register] if r is not None),
        )
        for origin, some in found.items()
    )


_RESULTS = {"i32": "s32"}
"""Accumulator types that PTX calls otherwise."""


def _mnemonic(op: ir.Operation, atom: WgmmaAtom) -> str:
    element = str(BufferType(op.operands[1].type).element_type)
    kinds = [operand_form(element).ptx_type] * 2
    for side, name in enumerate(("signedness_lhs", "signedness_rhs")):
        if name in op.attributes:
            kinds[side] = "s8" if keyword(op, name) == "signed" else "u8"
    result = element_name(pending_tile(op.operands[2])[0])
    types = ".".join((_RESULTS.get(result, result), *kinds))
    return f"wgmma.mma_async.sync.aligned.{atom.name}.{types}"


def _tail(op: ir.Operation, atom: WgmmaAtom, flips: Sequence[bool]) -> str:
    """The scales of A and B, which integers lack, and which of them are transposed."""
    if "signedness_lhs" in op.attributes:
        return ""
    turned = [int(flip) for flip in flips] if atom.majors else []
    return "".join(f", {number}" for number in (1, 1, *turned))
