# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family mma: what products that run by themselves leave in registers until awaited.

A pending value is the accumulator registers of the instructions. They are passed from
op to op, and through blocks, as single values, and each instruction's results are tied
to its inputs: so they stay in their registers, which nothing may move or read while an
instruction uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.liveness import products_of
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment, Pending
from cuda_tile.emit.ptxas_habits import scheduling_fence
from cuda_tile.emit.tensor_memory import load_sum, store_sum, wait_for_sums
from cuda_tile.emit.tensor_update import is_put_off, update_sum
from cuda_tile.engines.registry import engine_of_op
from cuda_tile.ir.async_products import reader_name, runs_by_itself
from cuda_tile.ir.attributes import flag, integer
from cuda_tile.ir.tiles import is_distributed, pending_tile
from cuda_tile.ir.traits import PRODUCT_WAITS, TILE_LOOPS
from cuda_tile.ir.walk import block_ops, defining_op, enclosing_ops
from cuda_tile.rules import RuleTable

WaitRule = Callable[[Emitter, int], None]
WAITS: RuleTable[WaitRule] = RuleTable("waits for products")
"""By the name of an engine: waits until at most so many of its youngest groups run."""


@RULES.register("tileas.settled")
def settled(e: Emitter, op: ir.Operation) -> None:
    """The registers of a tile; none are set for a zero, but for a loop that runs once.

    There a flag for the first iteration would cost more than to set them, while the
    first operands are on their way. That holds in a role; where there is one role,
    ptxas 13.5 takes the zeros of a loop that does not run at all for writes in the
    middle of products, and makes these wait for each other (C7515).
    """
    b, tile, result = e.builder, op.operands[0], op.results[0]
    _, layout = pending_tile(result)
    if e.in_tensor_memory(result):
        change = defining_op(tile)
        if change is not None and change in e.put_off:
            update_sum(e, change, op)
        else:
            e.set(result, store_sum(e, tile, result))
        return
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


@RULES.register("tileas.await")
def await_(e: Emitter, op: ir.Operation) -> None:
    """Waits, and ties the registers to the wait: nothing reads them before it.

    Nothing may write the registers of left operands either: those of the next iteration
    would be computed in the same ones, since nothing else needs them behind the
    product.
    """
    b = e.builder
    if all(map(e.in_tensor_memory, op.operands)):
        _await_in_tensor_memory(e, op)
        return
    if all(e.pending(value).is_done for value in op.operands):
        for value, tile in zip(op.operands, op.results, strict=True):
            pending = e.pending(value)
            e.set(tile, Fragment(pending.layout, pending.registers))
        return
    if _follows_work(op):
        scheduling_fence(b)
    wait_for_products(e, op, integer(op, "groups") if flag(op, "groups") else 0)
    held = [
        pending
        for pending in map(e.pending, op.operands)
        if not pending.is_done and known(b, pending.holds) is not False
    ]
    registers = [r for pending in held for r in pending.registers]
    reads = [r for pending in held for r in pending.reads]
    done = iter(tied(b, "", registers, reads))
    for value, tile in zip(op.operands, op.results, strict=True):
        pending = e.pending(value)
        if pending in held:
            own = [next(done) for _ in pending.registers]
            if pending.holds is not None and not known(b, pending.holds):
                own = or_zero(e, pending.holds, own)
        elif pending.is_done:
            own = list(pending.registers)
        else:
            own = _zeros(b, pending.registers)
        element, layout = pending_tile(value)
        pack = layout.n_registers // len(own)
        ty = b.vector_type(pack, e.element_type(element))
        words = tuple(b.bitcast(word, ty) for word in own)
        e.set(tile, Fragment(layout, words, pack))


def _await_in_tensor_memory(e: Emitter, op: ir.Operation) -> None:
    """Waits, and loads the sums but for one that is changed where it is."""
    wait_for_sums(e, list(op.operands))
    if not is_put_off(e, op):
        for value, tile in zip(op.operands, op.results, strict=True):
            e.set(tile, load_sum(e, value))


def _follows_work(op: ir.Operation) -> bool:
    """Whether threads compute tiles between the await before and this one.

    What they compute before the first await, such as masks, may as well come behind it:
    it would only hold registers.
    """
    ops, works = block_ops(op.block), False
    for before in reversed(ops[: ops.index(op)]):
        if before.name in PRODUCT_WAITS:
            return works
        if runs_by_itself(before):
            return False
        if len(before.operands) and any(map(is_distributed, before.results)):
            works = True
    return False


def repeats(op: ir.Operation) -> bool:
    """Whether an op runs its region again and again."""
    return op.name in TILE_LOOPS or _cuda_tile.is_loop(op)


def wait_for_products(e: Emitter, op: ir.Operation, groups: int) -> None:
    """Waits for the products whose sums an op is given.

    Args:
        e: The emitter.
        op: The op.
        groups: How many of the youngest groups of products may still run.
    """
    engines = {engine_of_op(reader_name(product)) for product in products_of(op)}
    for engine in sorted(engines, key=lambda engine: engine.name):
        if engine.completion == "mbarrier":
            wait_for_sums(e, [v for v in op.operands if e.in_tensor_memory(v)])
        else:
            WAITS[engine.name](e, groups)


def known(b: Builder, holds: ir.Value | None) -> bool | None:
    """Whether registers hold anything, where that is known.

    Args:
        b: The builder.
        holds: The predicate, or None for always.
    """
    if holds is None or holds == b.constant(b.i1, 1):
        return True
    return False if holds == b.constant(b.i1, 0) else None


def _zeros(b: Builder, registers: Sequence[ir.Value]) -> list[ir.Value]:
    ty = registers[0].type
    return [b.constant(ty, 0 if ty == b.i32 else 0.0)] * len(registers)


def or_zero(e: Emitter, holds: ir.Value, own: list[ir.Value]) -> list[ir.Value]:
    """The registers, or zeros: by a branch, which costs no instruction per register.

    Args:
        e: The emitter.
        holds: Whether the registers hold anything (i1).
        own: The registers.
    """
    b = e.builder
    empty, after = b.block(), b.block([word.type for word in own])
    b.branch_if(holds, after, empty, own)
    b.enter(empty)
    b.branch(after, _zeros(b, own))
    b.enter(after)
    return list(after.arguments)


def letters(b: Builder, values: Sequence[ir.Value]) -> list[str]:
    """The kind of register of each value in the constraints of inline PTX.

    Args:
        b: The builder.
        values: The values.
    """
    kinds: dict[ir.Type, str] = {b.f32: "f", b.i32: "r", b.i64: "l", b.i1: "b"}
    return [kinds[value.type] for value in values]


def tied(
    b: Builder,
    text: str,
    registers: Sequence[ir.Value],
    inputs: Sequence[ir.Value] = (),
) -> list[ir.Value]:
    """PTX that changes registers where they are: `$0`... are they, then the inputs.

    Args:
        b: The builder.
        text: The PTX.
        registers: The registers that it changes.
        inputs: The values that it reads.
    """
    if not registers:
        return []
    constraints = [f"={letter}" for letter in letters(b, registers)]
    constraints += letters(b, inputs)
    ties = map(str, range(len(registers)))
    return b.inline_ptx(
        text,
        ",".join([*constraints, *ties]),
        [register.type for register in registers],
        [*inputs, *registers],
        side_effects=True,
    )
