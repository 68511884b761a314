# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine wgmma: products of warpgroups, which run by themselves until awaited.

An op becomes one text of PTX: a fence and its instructions, whose group then ends. The
fence orders all earlier accesses to the registers, so what the instructions take must
have been computed before the text begins. An accumulator that is zero is not written at
all: the first instruction then ignores what its registers hold (PTX ISA,
"wgmma.mma_async", "wgmma.fence").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Pending
from cuda_tile.emit.mma_operands import operand_form
from cuda_tile.emit.pending import WAITS, known, letters, or_zero, tied
from cuda_tile.emit.wgmma_operands import (
    Part,
    Places,
    by_partial_sums,
    from_buffer,
    from_registers,
    places_of,
    product_atom,
)
from cuda_tile.engines.wgmma import WGMMA
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.copies import planned
from cuda_tile.ir.tiles import (
    element_name,
    pending_tile,
)
from cuda_tile.layout.coords import Coord, n_bits
from cuda_tile.layout.fragments import atom_registers
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.wgmma import (
    PARTIAL_SUM_REGISTERS,
    WARPGROUP_WARPS,
    WGMMA_CAPABILITY,
    WgmmaAtom,
)
from cuda_tile.records import dataclass

_GROUP_BITS = n_bits(WARPGROUP_WARPS)


@WAITS.register(WGMMA.name)
def wait_for_groups(e: Emitter, groups: int) -> None:
    """Waits until at most so many of the youngest groups of products still run."""
    b = e.builder
    name = "nvvm.wgmma.wait.group.sync.aligned"
    b.create(name, [], [], {"group": b.number(groups)})


@RULES.register("tileas.wgmma")
def wgmma(e: Emitter, op: ir.Operation) -> None:
    """Starts the instructions of a product, all along K before the group ends.

    Raises:
        Unsupported: The chip has no products of warpgroups.
    """
    if not WGMMA.is_on(e.target):
        raise Unsupported(
            f"'{op.name}' needs sm_{WGMMA_CAPABILITY}a, got {e.target.arch}; "
            "tileas.mma_sync multiplies on every chip"
        )
    atom = product_atom(op)
    acc, b = e.pending(op.operands[2]), e.builder
    _check_accumulator(acc.layout, atom)
    right, flips = from_buffer(e, op, "b", acc.layout, atom)
    depth, reads = planned(op, "promote", 0), list(acc.reads)
    parts = None if not depth else by_partial_sums(e, op.operands[0], acc.layout, atom)
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
        adds=known(b, acc.holds),
    )
    inputs = [word for words in (*left.values(), *right.values()) for word in words]
    if form.adds is None and acc.holds is not None:
        inputs.append(acc.holds)
    registers = _run(e, form, acc.registers, inputs)
    b.create("nvvm.wgmma.commit.group.sync.aligned", [], [])
    e.set(op.results[0], Pending(acc.layout, registers, reads=tuple(reads)))


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
        return tuple(tied(b, text, registers, inputs))
    outputs = [f"={letter}" for letter in letters(b, registers)]
    made = b.inline_ptx(
        text,
        ",".join([*outputs, *letters(b, inputs)]),
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
    if known(b, acc.holds) is None and acc.holds is not None:
        total = or_zero(e, acc.holds, total)
    is_sum = known(b, acc.holds) is not False
    deepest = max(k for k, _ in operands[1])
    parts = _accumulators(acc, atom)
    step = max(1, PARTIAL_SUM_REGISTERS // len(parts[0][1]))
    for some in (parts[i : i + step] for i in range(0, len(parts), step)):
        numbers = [number for _, own in some for number in own]
        for first in range(0, deepest + 1, depth):  # promotion C7
            form, inputs = _part(whole, some, operands, range(first, first + depth))
            made = _run(e, form, [acc.registers[n] for n in numbers], inputs)
            b.create("nvvm.wgmma.commit.group.sync.aligned", [], [])
            wait_for_groups(e, 0)  # promotion C6
            words = tied(b, "", made)
            if is_sum or first:  # promotion C4
                added = zip((total[n] for n in numbers), words, strict=True)
                words = [b.op("llvm.fadd", b.f32, *pair) for pair in added]
                words = tied(b, "", words)  # LLVM would add behind the next branch
            for number, word in zip(numbers, words, strict=True):
                total[number] = word
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
    transposed = [int(flip) for flip in flips] if atom.majors else []
    return "".join(f", {number}" for number in (1, 1, *transposed))
