# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family multimem: one instruction reaches the replicas of a vector on every GPU.

The order in which replicas are reduced is not specified, so that a reduction that is
loaded is obtained by one thread and given to those with copies, weak or not.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.access import TileAccess
from cuda_tile.emit.atomic_forms import operation_text
from cuda_tile.emit.copies import set_obtained
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.vectors import (
    Run,
    guarded_effect,
    guarded_load,
    to_carrier,
)
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import segments


def _order(access: TileAccess) -> str:
    return access.order or ".weak"


def _operation(op: ir.Operation, run: Run, tile: ir.Value) -> str:
    """Operation, vector and type of a reduction, such as `add.v4.f16x2`."""
    reduction, vector = keyword(op, "reduction"), ""
    element = str(element_of(tile))
    if not element.startswith(("f", "bf")):
        return operation_text(reduction, run)
    kind = element + ("x2" if run.word_elements == 2 else "")
    if run.words > 1:
        vector = f".v{run.words}"
    return f"{reduction}{vector}.{kind}"


@RULES.register("multimem_load_reduce_view_tko")
def load_reduce(e: Emitter, op: ir.Operation) -> None:
    """`multimem.ld_reduce`; elements out of bounds get the padding value."""
    result, token = op.results
    e.set(token, None)
    access = TileAccess.of_view(e, op, result)
    operation = _operation(op, access.run, result)
    text = f"multimem.ld_reduce{_order(access)}.global.{operation}"
    obtained: list[ir.Value | None] = [None] * access.layout.n_registers
    for registers, address, allowed in access.owned():
        words = guarded_load(e.builder, access.run, text, address, allowed, access.fill)
        access.put_words(obtained, registers, words)
    set_obtained(e, result, obtained)


@RULES.register("multimem_store_view_tko")
def store(e: Emitter, op: ir.Operation) -> None:
    """`multimem.st`, which moves bits: words of 32, or of 64 for such elements."""
    _, (tile,), _, _ = segments(op)
    e.set(op.results[0], None)
    access = TileAccess.of_view(e, op, tile)
    run, fragment = access.run, e.fragment(tile)
    kind = "b64" if run.bits == 64 else "f32"
    vector = f".v{run.words}" if run.words > 1 else ""
    text = f"multimem.st{_order(access)}.global{vector}.{kind}"
    for registers, address, allowed in access.owned():
        words = access.words_of(fragment, registers)
        carriers = [to_carrier(e.builder, run, word) for word in words]
        guarded_effect(e.builder, text, address, allowed, carriers)


@RULES.register("multimem_reduce_view_tko")
def reduce(e: Emitter, op: ir.Operation) -> None:
    """`multimem.red`, of floats sums only."""
    _, (tile,), _, _ = segments(op)
    e.set(op.results[0], None)
    access = TileAccess.of_view(e, op, tile)
    run, fragment = access.run, e.fragment(tile)
    text = f"multimem.red{_order(access)}.global.{_operation(op, run, tile)}"
    for registers, address, allowed in access.owned():
        words = access.words_of(fragment, registers)
        carriers = [to_carrier(e.builder, run, word) for word in words]
        guarded_effect(e.builder, text, address, allowed, carriers)
