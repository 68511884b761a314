"""Family memory: accesses through tiles of pointers; tokens need no instruction."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.emit.access import TileAccess
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.vectors import Run, load_run, store_run
from cuda_tile.emit.view import check_weak
from cuda_tile.ir.tiles import element_bits, element_of, is_distributed
from cuda_tile.ir.walk import segments


@RULES.register("make_token", "join_tokens")
def token(e: Emitter, op: ir.Operation) -> None:
    """Nothing: the pass `order` has inserted the barriers that tokens require."""
    e.set(op.results[0], None)


@RULES.register("load_ptr_tko")
def load_ptr_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector loads where the pointers are known to be contiguous."""
    check_weak(op)
    pointers, mask, padding, _ = segments(op)
    result = op.results[0]
    e.set(op.results[1], None)
    known = uniform_bits(padding[0]) if padding else 0
    if not is_distributed(result):
        _load_scalar(e, op, known)
    else:
        access = TileAccess.of_pointers(e, op, pointers[0], mask, result, known or 0)
        e.set(result, access.load())
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


def _scalar_run(e: Emitter, value: ir.Value) -> Run:
    element = element_of(value)
    return Run(e.element_type(element), element_bits(element), 1)


def _load_scalar(e: Emitter, op: ir.Operation, fill: int | None) -> None:
    pointers, mask, *_ = segments(op)
    predicate = e.scalar(mask[0]) if mask else None
    run = _scalar_run(e, op.results[0])
    pointer = e.scalar(pointers[0])
    e.set(op.results[0], load_run(e.builder, run, pointer, predicate, fill or 0)[0])


@RULES.register("store_ptr_tko")
def store_ptr_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector stores where the pointers are known to be contiguous."""
    check_weak(op)
    pointers, value, mask, _ = segments(op)
    e.set(op.results[0], None)
    if is_distributed(value[0]):
        access = TileAccess.of_pointers(e, op, pointers[0], mask, value[0], 0)
        access.store(e.fragment(value[0]))
        return
    first = e.builder.icmp("eq", e.threads.index, e.builder.constant(e.builder.i32, 0))
    predicate = e.builder.both(first, e.scalar(mask[0]) if mask else None)
    run = _scalar_run(e, value[0])
    words = [e.scalar(value[0])]
    store_run(e.builder, run, words, e.scalar(pointers[0]), predicate)
