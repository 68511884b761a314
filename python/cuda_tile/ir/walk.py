# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walking kernels: entries, operations in program order, loop depth."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import islice
from typing import Concatenate, ParamSpec, TypeVar

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.errors import CudaTileError, UserError
from cuda_tile.locations import place_text

Read = TypeVar("Read")
More = ParamSpec("More")
Node = TypeVar("Node", bound=Hashable)


def tile_modules(module: ir.Operation) -> list[ir.Operation]:
    """Every `cuda_tile.module` in (or equal to) `module`, in order."""
    if module.name == "cuda_tile.module":
        return [module]
    return [
        op.operation
        for op in module.regions[0].blocks[0].operations
        if op.operation.name == "cuda_tile.module"
    ]


def entries(module: ir.Operation) -> list[ir.Operation]:
    """Every `cuda_tile.entry` of `module`, in order."""
    return [
        op.operation
        for tile_module in tile_modules(module)
        for op in tile_module.regions[0].blocks[0].operations
        if op.operation.name == "cuda_tile.entry"
    ]


def op_stem(op: ir.Operation) -> str:
    """The name under which rule tables hold an op: without `cuda_tile.`."""
    return op.name.removeprefix("cuda_tile.")


def entry_name(entry: ir.Operation) -> str:
    """The symbol of an entry or `llvm.func`."""
    return ir.StringAttr(entry.attributes["sym_name"]).value


def find_entry(module: ir.Operation, name: str | None) -> ir.Operation:
    """The entry called `name`, or the only one.

    Args:
        module: A `builtin.module` or `cuda_tile.module`.
        name: The name of the kernel; None where there is but one.

    Raises:
        UserError: No entry, none of the name, or no name for several.
    """
    found = entries(module)
    if not found:
        raise UserError("expected a module with a kernel, a cuda_tile.entry, got none")
    names = ", ".join(entry_name(op) for op in found)
    if name is None:
        if len(found) == 1:
            return found[0]
        raise UserError(f"expected a kernel name, since the module has: {names}")
    for op in found:
        if entry_name(op) == name:
            return op
    raise UserError(f"expected a kernel of the module, got '{name}'; it has: {names}")


def body(op: ir.Operation, region: int = 0) -> ir.Block:
    """The first block of a region.

    Args:
        op: An op with regions.
        region: The number of the region.
    """
    return op.regions[region].blocks[0]


def defining_op(value: ir.Value) -> ir.Operation | None:
    """The operation that makes `value`; None for a block argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def value_behind(value: ir.Value, names: Container[str]) -> ir.Value:
    """Looks through a chain of ops to the value that they pass on.

    Args:
        value: The result of the last op of the chain, or any other value.
        names: Names of ops that pass on their first operand.
    """
    op = defining_op(value)
    while op is not None and op.name in names:
        value = op.operands[0]
        op = defining_op(value)
    return value


def reached(
    start: Iterable[Node], following: Callable[[Node], Iterable[Node]]
) -> Iterator[Node]:
    """All nodes that are reachable from some nodes, these included, each once.

    Args:
        start: The nodes to begin at.
        following: Gives the direct successors of a node.
    """
    work, seen = list(start), set[Node]()
    while work:
        node = work.pop()
        if node not in seen:
            seen.add(node)
            yield node
            work += following(node)


def user_ops(value: ir.Value) -> list[ir.Operation]:
    """The op of each use of a value."""
    return [use.owner.operation for use in value.uses]


def makers_in(block: ir.Block, values: Iterable[ir.Value]) -> list[ir.Operation]:
    """The ops of a block that define some values, in the order of the values.

    Args:
        block: The block; ops in nested blocks do not count.
        values: The values; some may be defined elsewhere.
    """
    makers = map(defining_op, values)
    return [op for op in makers if op is not None and op.block == block]


def block_ops(block: ir.Block) -> list[ir.Operation]:
    """The operations of a block as a list, safe to change while walking it."""
    return [op.operation for op in block.operations]


def nested_ops(op: ir.Operation) -> Iterator[ir.Operation]:
    """Every operation under `op` in program order, without `op` itself."""
    return _within(block for region in op.regions for block in region.blocks)


def taken(op: ir.Operation) -> Iterator[ir.Value]:
    """The values that an op uses, including those that its regions capture."""
    yield from op.operands
    for inner in nested_ops(op):
        yield from inner.operands


def listed_ops(op: ir.Operation) -> Iterator[ir.Operation]:
    """Every operation under `op`, for callers that erase some of them.

    Ops that are erased before their turn are left out, such as the body of an erased
    loop.
    """
    return (each for each in list(nested_ops(op)) if _cuda_tile.is_alive(each))


def nested_in(region: ir.Region) -> Iterator[ir.Operation]:
    """Every operation in a region, in program order."""
    return _within(iter(region.blocks))


def _within(blocks: Iterator[ir.Block]) -> Iterator[ir.Operation]:
    """Every operation in some blocks; a block is listed when it is reached.

    One generator serves all levels: nested generators would each pass on every
    operation.
    """
    nothing: list[ir.Operation] = []
    around, ops = [blocks], [iter(nothing)]
    while around:
        for inner in ops[-1]:
            yield inner
            if len(inner.regions):
                around.append(b for region in inner.regions for b in region.blocks)
                ops.append(iter(nothing))
                break
        else:
            block = next(around[-1], None)
            if block is None:
                around.pop()
                ops.pop()
            else:
                ops[-1] = iter(block_ops(block))


def enclosing_entry(op: ir.Operation) -> ir.Operation:
    """The `cuda_tile.entry` that holds `op`, or `op` itself.

    Raises:
        UserError: `op` stands in no entry.
    """
    found: ir.Operation | None = op
    while found is not None and found.name != "cuda_tile.entry":
        parent = found.parent
        found = None if parent is None else parent.operation
    if found is None:
        raise UserError(
            f"expected '{op.name}' inside a cuda_tile.entry", location_text(op)
        )
    return found


def is_parameter(value: ir.BlockArgument) -> bool:
    """Whether an argument of a block is a parameter of its kernel."""
    return value.owner.owner.operation.name == "cuda_tile.entry"


def enclosing_ops(value: ir.Value) -> Iterator[ir.Operation]:
    """The ops whose regions define `value`, the innermost first."""
    owner = value.owner
    parent = owner.owner if isinstance(owner, ir.Block) else owner.operation.parent
    while parent is not None:
        yield parent.operation
        parent = parent.operation.parent


def enclosing_ops_of(op: ir.Operation) -> list[ir.Operation]:
    """The ops around an op in its entry, the innermost first."""
    found: list[ir.Operation] = []
    parent = op.parent
    while parent is not None and parent.operation.name != "cuda_tile.entry":
        found.append(parent.operation)
        parent = parent.operation.parent
    return found


def loop_depth(op: ir.Operation) -> int:
    """How many loops enclose `op` within its entry."""
    return sum(map(_cuda_tile.is_loop, enclosing_ops_of(op)))


def location_text(op: ir.Operation) -> str:
    """The source location of `op` as errors print it: `file:line:column`."""
    return place_text(op.location)


@contextmanager
def located(op: ir.Operation) -> Generator[None]:
    """Adds the location of `op` to an error of the `with` block that has none.

    Raises:
        CudaTileError: The error that was raised in the block.
    """
    try:
        yield
    except CudaTileError as error:
        raise located_error(error, op) from error


def located_at_op(
    read: Callable[Concatenate[ir.Operation, More], Read],
) -> Callable[Concatenate[ir.Operation, More], Read]:
    """Adds the location of the op to errors of a function of an op.

    Most calls raise none; then no location is looked up.
    """

    @wraps(read)
    def reading(op: ir.Operation, *more: More.args, **named: More.kwargs) -> Read:
        try:
            return read(op, *more, **named)
        except CudaTileError as error:
            raise located_error(error, op) from error

    return reading


def located_error(error: CudaTileError, op: ir.Operation) -> CudaTileError:
    """An error with the location of `op`, if it has none yet.

    Args:
        error: The error.
        op: The op to name.
    """
    if error.location is not None:
        return error
    return type(error)(error.message, location_text(op))


def named_operands(op: ir.Operation, name: str) -> list[ir.Value]:
    """The operands that ODS gives a name, of an op with operand segments.

    Args:
        op: The op.
        name: The name of the operand in ODS.
    """
    return segments(op)[ods.ops()[op_stem(op)].operands.index(name)]


def segments(op: ir.Operation) -> list[list[ir.Value]]:
    """Operands of an op with operand segments, grouped as ODS declares them."""
    values = iter(list(op.operands))
    sizes = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return [list(islice(values, size)) for size in sizes]
