# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family hint: assumptions, which the facts analysis has read; assertions; printing."""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.scratch import SLOT_BYTES, print_slots
from cuda_tile.emit.blocks import barrier, counting, is_first, when
from cuda_tile.emit.calls import VALUES_PER_CALL
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.printing import Directive, directives, escaped, slot_of
from cuda_tile.emit.vectors import Run, store_run
from cuda_tile.ir.tiles import element_of, elements_of, is_distributed, shape_of
from cuda_tile.ir.walk import enclosing_entry, entry_name, location_text, segments
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.locations import places_of

_WORD_BITS = 64
_ELEMENTS_PER_CALL = VALUES_PER_CALL // 2
"""Of a long tile: a power of two that leaves room for the brackets around them."""


@RULES.register("assume")
def assume(e: Emitter, op: ir.Operation) -> None:
    """The operand itself."""
    e.set(op.results[0], e.get(op.operands[0]))


# assert -------------------------------------------------------------------------------


@RULES.register("assert")
def assert_(e: Emitter, op: ir.Operation) -> None:
    """A line for each false element; then the kernel fails, with the message.

    The thread that owns an element reports it.
    """
    b, condition = e.builder, op.operands[0]
    if not is_distributed(condition):
        false = b.icmp("eq", e.scalar(condition), 0)
        with when(e, b.binary("and", false, is_first(e))):
            _report(e, op, "", ())
            _fail(e, op)
        return
    fragment = e.fragment(condition)
    layout, values = fragment.layout, e.packer.scalars(fragment)
    owner = e.threads.is_owner(layout)
    copies = layout.free_bits().register
    for start in range(0, len(values), _WORD_BITS):
        part = [
            (r, values[start + r])
            for r in range(min(_WORD_BITS, len(values) - start))
            if not (start + r) & copies
        ]
        if part:
            _check_word(e, op, layout, start, part, owner)


def _check_word(
    e: Emitter,
    op: ir.Operation,
    layout: LinearLayout,
    start: int,
    part: Sequence[tuple[int, ir.Value]],
    owner: ir.Value | None,
) -> None:
    """Checks up to 64 registers from `start` on, each by its number and value."""
    b = e.builder
    false = b.constant(b.i64, 0)
    for number, value in part:
        wrong = b.binary("xor", value, 1)
        bit = b.op("llvm.zext", b.i64, wrong)
        if number:
            bit = b.binary("shl", bit, number)
        false = b.binary("or", false, bit)
    some = b.icmp("ne", false, 0)
    failed = b.both(some, owner)
    assert failed is not None
    with when(e, failed):
        with counting(e, part[-1][0] + 1) as number:
            shift = b.op("llvm.zext", b.i64, number)
            rest = b.binary("lshr", false, shift)
            with when(e, b.op("llvm.trunc", b.i1, rest)):
                place = [
                    _coordinate(e, layout, dim, start, number)
                    for dim in range(len(layout.shape))
                ]
                layouts = ", ".join(["%d"] * len(place))
                _report(e, op, f", element [{layouts}]", place)
        _fail(e, op)


def _coordinate(
    e: Emitter, layout: LinearLayout, dim: int, start: int, number: ir.Value
) -> ir.Value:
    """Coordinate of the element in register `start` + `number` (i32)."""
    b = e.builder
    place = e.threads.coordinate(layout, dim)
    for bit, basis in enumerate(layout.register):
        if not basis[dim]:
            continue
        if 1 << bit >= _WORD_BITS:
            part = b.constant(b.i32, basis[dim] if start >> bit & 1 else 0)
        else:
            has = b.binary("and", number, 1 << bit)
            is_set = b.icmp("ne", has, 0)
            zero = b.constant(b.i32, 0)
            part = b.select(is_set, b.constant(b.i32, basis[dim]), zero)
        place = b.binary("xor", place, part)
    return place


def _message(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["message"]).value


def _report(
    e: Emitter, op: ir.Operation, element: str, place: Sequence[ir.Value]
) -> None:
    """Prints one line: where, the message, the element, the tile block."""
    b = e.builder
    block = [b.in_prologue(f"nvvm.read.ptx.sreg.ctaid.{axis}", b.i32) for axis in "xyz"]
    where = escaped(location_text(op))
    text = f"{where}: assertion failed: {escaped(_message(op))}{element}"
    e.calls.vprintf(f"{text} (tile block (%d, %d, %d))\n", [*place, *block])


def _fail(e: Emitter, op: ir.Operation) -> None:
    """Ends the kernel with an error that holds the message and the source line."""
    kernel = entry_name(enclosing_entry(op))
    e.calls.fail(_message(op), *_file_and_line(op), kernel)


def _file_and_line(op: ir.Operation) -> tuple[str, int]:
    """File and line of an op; the whole location and 0 where it has none."""
    places = places_of(location_text(op))
    return (places[0].file, places[0].line) if places else (location_text(op), 0)


# print_tko ----------------------------------------------------------------------------


@RULES.register("print_tko")
def print_tko(e: Emitter, op: ir.Operation) -> None:
    """Thread 0 prints; it gets the elements of a tile through scratch memory.

    The driver keeps the text of a call together, not that of several: what one call can
    take is printed by one. Longer tiles are printed a part at a time.
    """
    for result in op.results:
        e.set(result, None)
    text = ir.StringAttr(op.attributes["str"]).value
    args = segments(op)[0]
    found, end = directives(text)
    pairs = list(zip(found, args, strict=True))
    if not all(d.suits(element_of(v)) for d, v in pairs):
        pairs, end = [], escaped(text)
    is_one_call = sum(elements_of(v) for _, v in pairs) <= VALUES_PER_CALL
    line = _Line(e)
    for directive, value in pairs:
        line.text(directive.before)
        if not is_distributed(value):
            slot = slot_of(e, e.scalar(value), element_of(value), directive)
            line.value(directive.layout, slot)
        elif is_one_call:
            _add_tile(e, line, directive, value)
        else:
            line.flush()
            _print_tile(e, directive, value, print_slots(op))
    line.text(end)
    line.flush()


class _Line:
    """Text and scalars that are printed in one call."""

    def __init__(self, e: Emitter) -> None:
        self._e = e
        self._layout = ""
        self._values: list[ir.Value] = []

    def text(self, text: str) -> None:
        """Adds text, in which `%%` is a percent sign."""
        self._layout += text

    def value(self, layout: str, value: ir.Value) -> None:
        """Adds a scalar."""
        if len(self._values) == VALUES_PER_CALL:
            self.flush()
        self._layout += layout
        self._values.append(value)

    def flush(self) -> None:
        """Prints what there is."""
        if self._layout:
            with when(self._e, is_first(self._e)):
                self._e.calls.vprintf(self._layout, self._values)
        self._layout, self._values = "", []


def _add_tile(e: Emitter, line: _Line, directive: Directive, value: ir.Value) -> None:
    """Adds all elements of a small tile to a line."""
    b, count = e.builder, elements_of(value)
    zero = b.constant(b.i32, 0)
    barrier(e)
    _hand_over(e, directive, value, e.fragment(value), zero, count)
    barrier(e)
    for number in range(count):
        before, after = _brackets(shape_of(value), number)
        line.text(before)
        line.value(directive.layout, _load_slot(e, directive, value, zero, number))
        line.text(after)


def _print_tile(e: Emitter, directive: Directive, value: ir.Value, slots: int) -> None:
    """A tile, `slots` elements at a time: barrier, hand over, barrier, print."""
    count = elements_of(value)
    batch = min(count, slots)
    fragment = e.fragment(value)
    if count == batch:
        _print_batch(
            e, directive, value, fragment, e.builder.constant(e.builder.i32, 0)
        )
        return
    with counting(e, count // batch) as number:
        first = e.builder.mul(number, batch)
        _print_batch(e, directive, value, fragment, first, batch)


def _print_batch(
    e: Emitter,
    directive: Directive,
    value: ir.Value,
    fragment: Fragment,
    first: ir.Value,
    batch: int = 0,
) -> None:
    """Prints `batch` elements from number `first` on; 0 for all of them."""
    b, count = e.builder, elements_of(value)
    batch = batch or count
    barrier(e)
    _hand_over(e, directive, value, fragment, first, batch)
    barrier(e)
    part = min(batch, _ELEMENTS_PER_CALL)
    with when(e, is_first(e)), counting(e, batch // part) as number:
        place = b.mul(number, part)
        _print_part(e, directive, value, place, b.add(first, place), part)


def _print_part(
    e: Emitter,
    directive: Directive,
    value: ir.Value,
    place: ir.Value,
    first: ir.Value,
    part: int,
) -> None:
    """Prints `part` elements from number `first` on, in slots from `place` on."""
    shape, last = shape_of(value), part - 1
    loaded = [_load_slot(e, directive, value, place, n) for n in range(part)]
    texts = [_brackets(shape, number) for number in range(part)]
    inner = directive.layout
    for number in range(1, part):
        inner += texts[number - 1][1] + texts[number][0] + directive.layout
    before, _ = _outer_brackets(e, shape, first)
    end = e.builder.add(first, last)
    _, after = _outer_brackets(e, shape, end)
    e.calls.vprintf(f"%s{inner}%s", [before, *loaded, after])


def _load_slot(
    e: Emitter, directive: Directive, value: ir.Value, place: ir.Value, number: int
) -> ir.Value:
    """An element as `_hand_over` stored it in slot `place` + `number`."""
    b = e.builder
    place = b.add(place, number) if number else place
    offset = b.mul(place, SLOT_BYTES)
    pointer = b.byte_offset(e.scratch_pointer(), offset)
    is_float = "f" in str(element_of(value)) and directive.letter != "p"
    loaded = b.load(b.f64 if is_float else b.i64, pointer, SLOT_BYTES)
    return b.op("llvm.trunc", b.i32, loaded) if directive.letter == "c" else loaded


def _hand_over(
    e: Emitter,
    directive: Directive,
    value: ir.Value,
    fragment: Fragment,
    first: ir.Value,
    batch: int,
) -> None:
    """Stores the elements of this batch in scratch memory, row-major."""
    b, layout = e.builder, fragment.layout
    registers, lanes, warps, _ = layout.columns
    thread = e.threads.linear_form([*lanes, *warps])
    owner, copies = e.threads.is_owner(layout), layout.free_bits().register
    for register, scalar in enumerate(e.packer.scalars(fragment)):
        if register & copies:
            continue
        slot = slot_of(e, scalar, element_of(value), directive)
        if slot.type == b.i32:  # whole slots are written, because loads are joined
            slot = b.op("llvm.zext", b.i64, slot)
        column = 0
        for bit, basis in enumerate(registers):
            column ^= basis if register >> bit & 1 else 0
        place = b.binary("xor", thread, column)
        inside = None
        if batch < elements_of(value):
            place = b.sub(place, first)
            inside = b.icmp("ult", place, batch)
        place = b.mul(place, SLOT_BYTES)
        pointer = b.byte_offset(e.scratch_pointer(), place)
        run = Run(slot.type, 8 * SLOT_BYTES, 1)
        store_run(b, run, [slot], pointer, b.both(inside, owner), space="shared")


def _brackets(shape: Sequence[int], number: int) -> tuple[str, str]:
    """The texts before and behind element `number` of a tile, in row-major order.

    A comma stands before all but the first; a bracket opens and closes for each
    dimension that begins or ends there.
    """
    opened = closed = 0
    size = 1
    for extent in reversed(shape):
        size *= extent
        opened += number % size == 0
        closed += (number + 1) % size == 0
    return (", " if number else "") + "[" * opened, "]" * closed


def _outer_brackets(
    e: Emitter, shape: Sequence[int], number: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """The same for an element whose number only the kernel knows (i32)."""
    b, calls = e.builder, e.calls
    before, after = calls.text(", "), calls.text("")
    size = 1
    for depth, extent in enumerate(reversed(shape), 1):
        size *= extent
        opening = "[" * depth if depth == len(shape) else ", " + "[" * depth
        mask = b.constant(b.i32, size - 1)
        inner = b.binary("and", number, mask)
        begins = b.icmp("eq", inner, 0)
        before = b.select(begins, calls.text(opening), before)
        after = b.select(b.icmp("eq", inner, mask), calls.text("]" * depth), after)
    return before, after
