# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family memory: accesses through tiles of pointers; tokens need no instruction."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.emit.access import TileAccess, ptx_order
from cuda_tile.emit.copies import set_obtained
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.vectors import Run, load_run, store_run
from cuda_tile.ir.tiles import element_bits, element_of, is_distributed
from cuda_tile.ir.walk import segments


@RULES.register("make_token", "join_tokens")
def token(e: Emitter, op: ir.Operation) -> None:
    """Nothing: the pass `order` has inserted the barriers that tokens require."""
    e.set(op.results[0], None)


@RULES.register("memory_fence_alias_tko")
def memory_fence_alias_tko(e: Emitter, op: ir.Operation) -> None:
    """`fence.proxy.alias` in every thread: what it orders is in all of them.

    `order` has put a barrier before it, so that the fence lies on the way from an
    access of any thread before it to one of any thread after it.
    """
    kind = e.builder.attribute("#nvvm.proxy_kind<alias>")
    e.builder.create("nvvm.fence.proxy", [], [], {"kind": kind})
    e.set(op.results[0], None)


@RULES.register("load_ptr_tko")
def load_ptr_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector loads where the pointers are known to be contiguous."""
    pointers, mask, padding, _ = segments(op)
    result = op.results[0]
    e.set(op.results[1], None)
    known = uniform_bits(padding[0]) if padding else 0
    if not is_distributed(result):
        _load_scalar(e, op, known)
    else:
        access = TileAccess.of_pointers(e, op, pointers[0], mask, result, known or 0)
        access.load_into(result)
    if padding and known is None:
        _select_padding(e, mask[0], padding[0], result)


def _select_padding(
    e: Emitter, mask: ir.Value, padding: ir.Value, result: ir.Value
) -> None:
    """Puts padding that is not one known constant where nothing was loaded."""
    if not is_distributed(result):
        picked = e.builder.select(e.scalar(mask), e.scalar(result), e.scalar(padding))
        e.set(result, picked)
        return
    columns = [e.packer.scalars(e.fragment(v)) for v in (mask, result, padding)]
    values = tuple(e.builder.select(*row) for row in zip(*columns, strict=True))
    e.set(result, Fragment(e.fragment(result).layout, values))


def scalar_run(e: Emitter, value: ir.Value) -> Run:
    """How a scalar travels.

    Args:
        e: The emitter.
        value: The scalar.
    """
    element = element_of(value)
    return Run(e.element_type(element), element_bits(element), 1)


def _load_scalar(e: Emitter, op: ir.Operation, fill: int | None) -> None:
    pointers, mask, *_ = segments(op)
    predicate = e.scalar(mask[0]) if mask else None
    run, result = scalar_run(e, op.results[0]), op.results[0]
    pointer, order = e.scalar(pointers[0]), ptx_order(op)
    if not order:
        e.set(result, load_run(e.builder, run, pointer, predicate, fill or 0)[0])
        return
    allowed = e.builder.both(e.threads.is_first(), predicate)
    words = load_run(e.builder, run, pointer, allowed, fill or 0, order)
    set_obtained(e, result, words)


@RULES.register("store_ptr_tko")
def store_ptr_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector stores where the pointers are known to be contiguous."""
    pointers, value, mask, _ = segments(op)
    e.set(op.results[0], None)
    if is_distributed(value[0]):
        access = TileAccess.of_pointers(e, op, pointers[0], mask, value[0], 0)
        access.store(e.fragment(value[0]))
        return
    allowed = e.builder.both(e.threads.is_first(), e.scalar(mask[0]) if mask else None)
    run, words = scalar_run(e, value[0]), [e.scalar(value[0])]
    order = ptx_order(op)
    store_run(e.builder, run, words, e.scalar(pointers[0]), allowed, order=order)
