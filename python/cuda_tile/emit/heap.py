# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family memory: `alloca`, from the device's heap.

The memory is shared by the threads of the tile block, lives as long as a region and may
be of any size, so that neither registers nor local memory can be it; and accesses
through its pointer are those of global memory. One thread calls `malloc` (CUDA C++
Programming Guide, "Dynamic Global Memory Allocation and Operations") and hands the
address to the others through scratch memory. Where the heap has not enough, the kernel
traps, as the dialect wants. The host can enlarge it: `cudaLimitMallocHeapSize`.

Memory is freed where control leaves the scope: the loop body that holds the op, or the
kernel. Each op has a variable for its present address, zero where it has not run.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.blocks import barrier, is_first, when
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import memory_bits, pointee_of
from cuda_tile.ir.traits import FREES
from cuda_tile.ir.walk import nested_ops

SCOPES = FREES | {"cuda_tile.entry"}
"""Ops whose region frees the memory that was allocated in it."""
MALLOC_ALIGNMENT_BYTES = 16
"""Alignment of what `malloc` gives (same chapter)."""


def scope_of(op: ir.Operation) -> ir.Operation:
    """The innermost op around `op` that ends the life of its memory."""
    parent = op.parent
    while parent is not None and parent.operation.name not in SCOPES:
        parent = parent.operation.parent
    if parent is None:
        raise InternalError(f"emit: expected '{op.name}' in an entry")
    return parent.operation


def prepare(e: Emitter, entry: ir.Operation) -> None:
    """Makes the variables of all allocas of an entry, and clears the outermost.

    Args:
        e: The emitter.
        entry: The entry.
    """
    b = e.builder
    for op in nested_ops(entry):
        if op.name == "cuda_tile.alloca":
            variable = b.in_prologue(
                "llvm.alloca",
                e.calls.pointer,
                b.constant(b.i32, 1),
                elem_type=ir.TypeAttr.get(b.i64),
                alignment=b.number(8),
            )
            e.allocas.setdefault(scope_of(op), {})[op] = variable
    clear(e, entry)


def clear(e: Emitter, scope: ir.Operation) -> None:
    """Notes at the beginning of a scope that nothing has been allocated in it.

    Args:
        e: The emitter.
        scope: The op whose body is the scope.
    """
    b = e.builder
    for variable in e.allocas.get(scope, {}).values():
        b.store(b.constant(b.i64, 0), variable, 8)


def release(e: Emitter, scope: ir.Operation) -> None:
    """Frees what has been allocated in a scope that control leaves.

    Args:
        e: The emitter.
        scope: The op whose body is the scope.
    """
    variables = e.allocas.get(scope)
    if not variables:
        return
    b = e.builder
    barrier(e)  # all threads are done with it
    with when(e, is_first(e)):
        for variable in variables.values():
            address = b.load(b.i64, variable, 8)
            with when(e, b.icmp("ne", address, 0)):
                e.calls.free(address)


@RULES.register("alloca")
def alloca(e: Emitter, op: ir.Operation) -> None:
    """Thread 0 allocates; all take the address, or trap if there is none."""
    b = e.builder
    bits = memory_bits(pointee_of(op.results[0])) * integer(op, "num_elem")
    align = integer(op, "alignment")
    size = max(1, -(-bits // 8))
    size += max(0, align - MALLOC_ALIGNMENT_BYTES)
    barrier(e)  # scratch memory may still be in use
    with when(e, is_first(e)):
        b.store(e.calls.malloc(size), e.scratch_pointer(), 8)
    barrier(e)
    address = b.load(b.i64, e.scratch_pointer(), 8)
    with when(e, b.icmp("eq", address, 0)):
        b.create("llvm.intr.trap", [], [])
    b.store(address, e.allocas[scope_of(op)][op], 8)
    if align > MALLOC_ALIGNMENT_BYTES:
        up = b.add(address, align - 1)
        address = b.binary("and", up, -align)
    generic = b.op("llvm.inttoptr", e.calls.pointer, address)
    e.set(op.results[0], b.op("llvm.addrspacecast", b.global_pointer, generic))
