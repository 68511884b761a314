# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family atomic: each element is updated by one thread, in one instruction if there is.

One of the threads with copies of an element updates it and gives the old value to the
others. Where nobody uses the old values, `red` does not fetch them, and what goes to
few known places is collected first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.bins import find_bins
from cuda_tile.emit.access import TileAccess, ptx_order
from cuda_tile.emit.atomic_bins import collect
from cuda_tile.emit.atomic_forms import (
    Guarded,
    Words,
    atom,
    has_reduction,
    operation_text,
    red,
    swap_loop,
)
from cuda_tile.emit.copies import set_obtained
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.memory import scalar_run
from cuda_tile.emit.vectors import Run
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.walk import segments

Update = Callable[[Run, Guarded, Sequence[Words]], Sequence[ir.Value]]
"""Updates one vector, given the operands' words; gives the old words, or nothing."""


@RULES.register("atomic_rmw_tko")
def atomic_rmw_tko(e: Emitter, op: ir.Operation) -> None:
    """`atom` or `red`; f32 sums flush subnormals, as the hardware does in memory."""
    _, arg, mask, _ = segments(op)
    bins = find_bins(op, e.facts)
    if bins is not None:
        e.set(op.results[1], None)
        collect(e, op, arg[0], mask, bins)
        return
    _at_pointers(e, op, arg, mask, _update_of(e, op, is_used=_is_used(op)))


@RULES.register("atomic_cas_tko")
def atomic_cas_tko(e: Emitter, op: ir.Operation) -> None:
    """`atom.cas` on the bits; where masked off, the result is what was expected."""
    _, cmp, val, mask, _ = segments(op)

    def update(run: Run, where: Guarded, words: Sequence[Words]) -> list[ir.Value]:
        b = e.builder
        raw = Run(ir.IntegerType.get_signless(run.bits), run.bits, 1)
        plain = [[b.bitcast(word, raw.element) for word in column] for column in words]
        old = atom(b, raw, f"cas.b{run.bits}", where, plain, plain[0])
        return [b.bitcast(word, run.element) for word in old]

    _at_pointers(e, op, [*cmp, *val], mask, update)


@RULES.register("atomic_red_view_tko")
def atomic_red_view_tko(e: Emitter, op: ir.Operation) -> None:
    """`red` for each element inside the tensor."""
    _, _, (value,), _ = segments(op)
    e.set(op.results[0], None)
    access = TileAccess.of_view(e, op, value)
    _each(e, access, [value], _update_of(e, op, is_used=False), None)


def _is_used(op: ir.Operation) -> bool:
    return bool(list(op.results[0].uses))


def _at_pointers(
    e: Emitter,
    op: ir.Operation,
    values: Sequence[ir.Value],
    mask: Sequence[ir.Value],
    update: Update,
) -> None:
    """Updates through a tile of pointers, or through one pointer."""
    result, token = op.results
    e.set(token, None)
    if is_distributed(result):
        access = TileAccess.of_pointers(e, op, op.operands[0], mask, result, 0)
        _each(e, access, values, update, result)
        return
    allowed = e.builder.both(e.threads.is_first(), e.scalar(mask[0]) if mask else None)
    where = Guarded(e.scalar(op.operands[0]), allowed, ptx_order(op))
    old = update(scalar_run(e, result), where, [[e.scalar(v)] for v in values])
    if old:
        set_obtained(e, result, old)


def _each(
    e: Emitter,
    access: TileAccess,
    values: Sequence[ir.Value],
    update: Update,
    result: ir.Value | None,
) -> None:
    """Updates every element once; sets the result if there are old values."""
    fragments = [e.fragment(value) for value in values]
    obtained: list[ir.Value | None] = [None] * access.layout.n_registers
    for registers, address, allowed in access.owned():
        words = [access.words_of(fragment, registers) for fragment in fragments]
        where = Guarded(address, allowed, access.order)
        with e.packer.scope():  # a loop ends in another block
            old = update(access.run, where, words)
            access.put_words(obtained, registers, old)
    if result is not None and any(value is not None for value in obtained):
        set_obtained(e, result, obtained)


def _update_of(e: Emitter, op: ir.Operation, *, is_used: bool) -> Update:
    """How a read-modify-write op updates a vector."""
    mode, b = keyword(op, "mode"), e.builder
    is_native = e.target.has("red.bf16x2")

    def update(run: Run, where: Guarded, words: Sequence[Words]) -> Sequence[ir.Value]:
        (column,) = words
        operation = operation_text(mode, run)
        if operation.endswith(("bf16", "bf16x2")) and not is_native:
            return [swap_loop(b, run, where, lambda x: _sum(e, x, column[0]))]
        if is_used or not has_reduction(operation, where.order):
            return atom(b, run, operation, where, [column])
        red(b, run, operation, where, column)
        return []

    return update


def _sum(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    return e.builder.op("llvm.fadd", x.type, x, y)
