# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves a run of neighbouring elements between memory and registers.

A run of `count` elements goes as one access of up to 16 bytes. In registers
the run is a list of *words*: pairs for 16-bit elements, quadruples for 8-bit
ones, single elements otherwise. Predicated accesses are inline PTX, since LLVM
has no form for them that stays one instruction; so are strong ones, which LLVM has as
scalars only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.errors import InternalError
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Run:
    """How `count` neighbouring elements of one type travel.

    Attributes:
        element: LLVM type of an element in registers.
        bits: Bits of an element in memory; i1 is one byte there.
        count: Elements, a power of two.
    """

    element: ir.Type
    bits: int
    count: int

    @cached_property
    def kind(self) -> str:
        """The element type as text."""
        return str(self.element)

    @property
    def is_pointer(self) -> bool:
        """Whether elements are pointers."""
        return self.kind.startswith("!llvm.ptr")

    @property
    def bytes(self) -> int:
        """Bytes of the whole run."""
        return self.bits * self.count // 8

    @cached_property
    def word_elements(self) -> int:
        """Elements of a word."""
        return max(1, min(self.count, 32 // self.bits))

    @cached_property
    def word_bits(self) -> int:
        """Bits of the register that carries a word: 8, 16, 32 or 64."""
        return self.bits * self.word_elements

    @cached_property
    def carrier(self) -> ir.Type:
        """The type in which a word is loaded or stored."""
        if self.word_bits >= 32 and self.word_elements == 1 and not self.is_pointer:
            return self.element
        return ir.IntegerType.get_signless(self.word_bits)

    @property
    def words(self) -> int:
        """Words of the run."""
        return self.count // self.word_elements


def word_type(b: Builder, run: Run) -> ir.Type:
    """The type a word has as a value of the kernel.

    Args:
        b: The builder.
        run: How elements travel.
    """
    return b.vector_type(run.word_elements, run.element)


def from_carrier(b: Builder, run: Run, value: ir.Value) -> ir.Value:
    """A loaded carrier as a word.

    Args:
        b: The builder.
        run: How elements travel.
        value: The value.
    """
    if run.kind == "i1":
        if run.word_elements == 1:
            return b.icmp("ne", value, 0)
        parts = b.elements(
            b.bitcast(value, b.vector_type(run.word_elements, b.i8)),
            run.word_elements,
        )
        return b.vector([b.icmp("ne", part, 0) for part in parts])
    if run.is_pointer:
        return b.op("llvm.inttoptr", run.element, value)
    return b.bitcast(value, word_type(b, run))


def to_carrier(b: Builder, run: Run, value: ir.Value) -> ir.Value:
    """A word as the carrier that is stored; inverse of `from_carrier`.

    Args:
        b: The builder.
        run: How elements travel.
        value: The value.
    """
    if run.kind == "i1":
        wide = b.vector_type(run.word_elements, b.i8)
        value = b.op("llvm.zext", wide, value)
    elif run.is_pointer:
        return b.op("llvm.ptrtoint", b.i64, value)
    return b.bitcast(value, run.carrier)


def load_run(
    b: Builder,
    run: Run,
    pointer: ir.Value,
    predicate: ir.Value | None = None,
    otherwise_bits: int = 0,
    order: str = "",
) -> list[ir.Value]:
    """Loads a run as words.

    Args:
        b: Where to build.
        run: What to load.
        pointer: Address of the first element, aligned to the run.
        predicate: Whether to load at all, None for always.
        otherwise_bits: Bits of each element that is not loaded.
        order: PTX modifiers of a strong load, such as `.relaxed.gpu`.
    """
    carrier = run.carrier
    if predicate is None and not order:
        loaded = b.load(b.vector_type(run.words, carrier), pointer, run.bytes)
        carriers = b.elements(loaded, run.words)
    else:
        suffix = f".v{run.words}" if run.words > 1 else ""
        text = f"ld{order}.global{suffix}.b{run.word_bits}"
        return guarded_load(b, run, text, pointer, predicate, otherwise_bits)
    return [from_carrier(b, run, value) for value in carriers]


def guarded_load(
    b: Builder,
    run: Run,
    text: str,
    pointer: ir.Value,
    predicate: ir.Value | None,
    otherwise_bits: int,
) -> list[ir.Value]:
    """A load in inline PTX; if it is predicated, over the fill value of each word.

    Args:
        b: Where to build.
        run: What to load.
        text: The instruction without its operands.
        pointer: Address of the first element, aligned to the run.
        predicate: Whether to load at all, None for always.
        otherwise_bits: Bits of each element that is not loaded.
    """
    # There are no 8-bit registers: ld.b8 widens into a 16-bit one.
    carrier = run.carrier
    narrow = str(carrier) == "i8"
    result = b.i16 if narrow else carrier
    target, _ = slots_text(0, run.words)
    pointer, moved = b.displaced(pointer)
    if predicate is None:
        lines = [f"{text} {target}, {place_text(run.words, moved)};"]
        guards: list[ir.Value] = []
    else:
        move = f"mov.b{max(16, run.word_bits)}"
        fill = _fill_word(run, otherwise_bits)
        lines = [f"{move} ${i}, {fill:#x};" for i in range(run.words)]
        place = place_text(run.words + 1, moved)
        lines.append(f"@${run.words} {text} {target}, {place};")
        guards = [predicate]
    values = b.ptx(
        "\n\t".join(lines),
        [result] * run.words,
        *guards,
        pointer,
        has_effect=True,
        is_early=bool(guards),
    )
    if narrow:
        values = [b.op("llvm.trunc", b.i8, value) for value in values]
    return [from_carrier(b, run, value) for value in values]


def place_text(slot: int, moved: int) -> str:
    """The address in an operand's slot, moved by bytes.

    Args:
        slot: The number of the operand.
        moved: The distance in bytes.
    """
    return f"[${slot}+{moved}]" if moved else f"[${slot}]"


def slots_text(first: int, count: int) -> tuple[str, str]:
    """Operand slots of one vector operand, and the suffix that tells its length.

    Args:
        first: The number of the first slot.
        count: The number of slots.
    """
    slots = [f"${first + i}" for i in range(count)]
    if count == 1:
        return slots[0], ""
    return "{" + ", ".join(slots) + "}", f".v{count}"


def _fill_word(run: Run, element_bits: int) -> int:
    word = 0
    for i in range(run.word_elements):
        word |= element_bits << (i * run.bits)
    return word


REMOTE = "shared::cluster"
"""The state space of shared memory of any CTA of the cluster."""


def store_run(
    b: Builder,
    run: Run,
    words: Sequence[ir.Value],
    pointer: ir.Value,
    predicate: ir.Value | None = None,
    *,
    space: str = "global",
    order: str = "",
) -> None:
    """Stores a run of words at `pointer`, aligned to the run.

    Args:
        b: Where to build.
        run: What to store.
        words: As `load_run` gives them.
        pointer: Address of the first element.
        predicate: Whether to store at all, None for always.
        space: PTX state space of `pointer`, `global`, `shared` or `REMOTE`, whose
            pointers are i32.
        order: PTX modifiers of a strong store, such as `.release.gpu`.
    """
    if len(words) != run.words:
        raise InternalError(f"expected {run.words} words, got {len(words)}")
    carriers = [to_carrier(b, run, word) for word in words]
    if predicate is None and not order and space != REMOTE:
        b.store(b.vector(carriers), pointer, run.bytes)
        return
    if carriers[0].type == b.i8:
        carriers = [b.op("llvm.zext", b.i16, value) for value in carriers]
    pointer, moved = b.displaced(pointer)
    suffix = f".v{run.words}" if run.words > 1 else ""
    text = f"st{order}.{space}{suffix}.b{run.word_bits}"
    guarded_effect(b, text, pointer, predicate, carriers, moved)


def guarded_effect(
    b: Builder,
    text: str,
    pointer: ir.Value,
    predicate: ir.Value | None,
    carriers: Sequence[ir.Value],
    moved: int = 0,
) -> None:
    """An instruction that hands words to memory, in inline PTX.

    Args:
        b: Where to build.
        text: The instruction without its operands.
        pointer: The address.
        predicate: Whether it does anything, None for always.
        carriers: The words, in the types in which they are stored.
        moved: Bytes behind the address.
    """
    guards = [] if predicate is None else [predicate]
    at = len(guards)
    source, _ = slots_text(at + 1, len(carriers))
    whole = f"{'@$0 ' * at}{text} {place_text(at, moved)}, {source};"
    b.ptx(whole, [], *guards, pointer, *carriers, has_effect=True)
