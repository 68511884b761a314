"""Family control: structured loops become blocks."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.ir.attributes import flag
from cuda_tile.ir.walk import block_ops, body


@RULES.register("for")
def for_(e: Emitter, op: ir.Operation) -> None:
    """Header with the carried values, body, exit."""
    b = e.builder
    lower, upper, step = (e.scalar(op.operands[i]) for i in range(3))
    inits = list(op.operands)[3:]
    flat = [value for init in inits for value in e.flatten(init)]
    types = [lower.type, *(value.type for value in flat)]
    header, inside, after = b.block(types), b.block(), b.block()
    b.branch(header, [lower, *flat])
    b.enter(header)
    arguments: list[ir.Value] = list(header.arguments)
    index, carried = arguments[0], arguments[1:]
    compare = "ult" if flag(op, "unsignedCmp") else "slt"
    b.branch_if(b.icmp(compare, index, upper), inside, after)
    b.enter(inside)
    block = body(op)
    e.set(block.arguments[0], index)
    rest = list(carried)
    for init, argument in zip(inits, list(block.arguments)[1:], strict=True):
        e.set(argument, e.unflatten(e.get(init), argument, rest))
    likes = [e.get(init) for init in inits]
    with e.packer.scope():
        *ops, last = block_ops(block)
        for inner in ops:
            e.emit_op(inner)
        next_values = [
            v
            for value, like in zip(last.operands, likes, strict=True)
            for v in e.flatten_like(value, like)
        ]
    b.branch(header, [b.add(index, step), *next_values])
    b.enter(after)
    rest = list(carried)
    for like, result in zip(likes, op.results, strict=True):
        e.set(result, e.unflatten(like, result, rest))


@RULES.register("continue", "yield")
def terminator(e: Emitter, op: ir.Operation) -> None:
    """The enclosing op's rule reads a terminator's operands itself."""
    del e, op


@RULES.register("return")
def return_(e: Emitter, op: ir.Operation) -> None:
    """The end of the kernel."""
    del op
    e.builder.create("llvm.return", [], [])
