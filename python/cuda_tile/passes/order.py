"""Turns tokens into barriers, only where program order does not do already.

Contract: in, staged level W; out, the same with a `tileas.barrier` between two
accesses of global memory that a token orders and that threads of the CTA may
make to the same element. A tile block is one logical thread, but its accesses
are spread over many: what one thread stored another may load only after a
barrier (PTX ISA, "bar.sync": orders prior accesses among participating threads).

Two loads need no order. Nor do two accesses through one tile of pointers whose
elements all differ: each thread touches its own elements only. Tokens that a loop
carries are followed through it.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.walk import block_ops, body, entries, nested_ops
from cuda_tile.options import Options

_LOADS = ("cuda_tile.load_view_tko", "cuda_tile.load_ptr_tko")
_STORES = ("cuda_tile.store_view_tko", "cuda_tile.store_ptr_tko")


def run(module: ir.Operation, options: Options) -> None:
    """Orders every entry of `module`."""
    del options
    for entry in entries(module):
        facts = FactsAnalysis(entry)
        for op in list(nested_ops(entry)):
            if op.name in (*_LOADS, *_STORES) and needs_barrier(op, facts):
                _barrier_before(op)


def needs_barrier(op: ir.Operation, facts: FactsAnalysis) -> bool:
    """Whether an access must wait for earlier accesses of other threads."""
    earlier = _accesses_behind(op)
    if op.name in _LOADS:
        earlier = [access for access in earlier if access.name in _STORES]
    return not all(_stays_in_thread(access, op, facts) for access in earlier)


def _stays_in_thread(
    earlier: ir.Operation, later: ir.Operation, facts: FactsAnalysis
) -> bool:
    """Whether each element is touched by one thread, the same in both accesses.

    That is so for one tile of pointers that count up without a gap and that no
    thread holds a copy of.
    """
    pointers = later.operands[0]
    if not later.name.endswith("_ptr_tko") or earlier.operands[0] != pointers:
        return False
    if not is_distributed(pointers):
        return False
    layout, known = layout_of(pointers), facts.of(pointers)
    copies = layout.free_bits()
    long = [d for d, extent in enumerate(known.shape) if extent > 1]
    counts_up = len(long) == 1 and known.contiguity[long[0]] == known.shape[long[0]]
    return counts_up and not (copies.lane or copies.warp)


def _barrier_before(op: ir.Operation) -> None:
    """Puts a barrier in front of `op` unless one stands there already."""
    ops = block_ops(op.block)
    index = ops.index(op)
    if index and ops[index - 1].name == "tileas.barrier":
        return
    with ir.InsertionPoint(op), op.location:
        tileas.BarrierOp()


def _accesses_behind(op: ir.Operation) -> list[ir.Operation]:
    """The nearest accesses on every path of tokens that leads to `op`."""
    found: list[ir.Operation] = []
    seen: set[ir.Value] = set()
    work = [v for v in op.operands if isinstance(v.type, TokenType)]
    while work:
        token = work.pop()
        if token in seen:
            continue
        seen.add(token)
        owner = token.owner
        if isinstance(owner, ir.Block):
            work += _loop_sources(token, owner)
            continue
        producer = owner.operation
        if producer.name in (*_LOADS, *_STORES):
            found.append(producer)
        elif producer.name == "cuda_tile.join_tokens":
            work += list(producer.operands)
        elif producer.name == "cuda_tile.for":
            index = ir.OpResult(token).result_number
            work += [producer.operands[3 + index], _next_value(producer, index)]
    return found


def _loop_sources(token: ir.Value, block: ir.Block) -> list[ir.Value]:
    """Where a token that a loop carries comes from: before it, and its last turn."""
    loop = block.owner.operation
    if loop.name != "cuda_tile.for":
        return []
    index = ir.BlockArgument(token).arg_number - 1
    return [loop.operands[3 + index], _next_value(loop, index)]


def _next_value(loop: ir.Operation, index: int) -> ir.Value:
    return block_ops(body(loop))[-1].operands[index]
