# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `place` and `stage`: a thread holds the operands of its own elements.

Level W gives each tile a layout, a map linear over F2 from the bits of (register, lane,
warp, block) to coordinates. An op works on each thread's own registers, so the thread
that computes an element must hold the elements of operands that it needs:

- ops on each element, scans and accesses through pointers take register r of every tile
  for register r: their layouts are one, column by column;
- `reshape` and `permute` rename what register r holds: columns are one once coordinates
  are renamed;
- `broadcast`, `cat`, `insert` may take any register of the thread: with f the element
  of the operand that an element of the result comes from, f(result's column) and the
  operand's column of each lane, warp or block bit differ by what registers reach, and
  registers of the result need only what registers of the operand reach;
- `reduce` likewise, from the operand without its reduced dimension;
- `extract` behind `stage` likewise, whichever part it takes: `stage` moves the others;
  not of sums in tensor memory, of which `roles` makes slots.

A linear condition holds for all threads if it holds for each bit. Every tile has all
its elements somewhere. Conversions and accesses through views take any layout. The
engines define fragments of matrix instructions, which tests compare with the
emulator's. The verifier checks that loops pass on values of one type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.analysis.tensor_sums import awaits_columns
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import is_distributed, layout_of, shape_of
from cuda_tile.ir.traits import ELEMENTWISE, POINTER_ACCESSES, REDUCTIONS, SCANS
from cuda_tile.ir.walk import entries, location_text, nested_ops, op_stem
from cuda_tile.layout.coords import Coord, pack
from cuda_tile.layout.f2 import Span
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.options import Options

_PEERS = ELEMENTWISE | POINTER_ACCESSES | SCANS
Layouts = dict[ir.Type, LinearLayout]
Columns = Sequence[Sequence[Coord]]
"""Of each bit of register, lane, warp and block, the coordinate that it adds."""


def check(module: ir.Operation, options: Options) -> None:
    """Judges the layouts of each kernel.

    Args:
        module: The output of `place` or `stage`.
        options: The options of the compilation.

    Raises:
        InternalError: A thread lacks elements that it computes with; names the value.
    """
    del options
    _judge(module, fault_of)


def _judge(
    module: ir.Operation, judge: Callable[[ir.Operation, Layouts], str | None]
) -> None:
    for entry in entries(module):
        known: Layouts = {}
        for op in nested_ops(entry):
            if (fault := judge(op, known)) is not None:
                raise InternalError(f"layouts: {fault}", location_text(op))


def check_staged(module: ir.Operation, options: Options) -> None:
    """Judges the layouts of each kernel, also of ops that take parts of tiles.

    Args:
        module: The output of `stage`.
        options: The options of the compilation.

    Raises:
        InternalError: As `check` does.
    """
    del options
    _judge(module, _staged_fault_of)


def _staged_fault_of(op: ir.Operation, known: Layouts) -> str | None:
    fault = fault_of(op, known)
    if fault is not None or op.name != "cuda_tile.extract" or awaits_columns(op):
        return fault
    return next(_parts(op), None)


def fault_of(op: ir.Operation, known: Layouts | None = None) -> str | None:
    """The fault of the layouts of an op; None if there is none.

    Args:
        op: The op, at level W.
        known: Layouts, by type, in which each element has a place; it grows.
    """
    known = {} if known is None else known
    tiles = [v for v in (*op.operands, *op.results) if is_distributed(v)]
    if not tiles:
        return None
    layouts: list[LinearLayout] = []
    for value in tiles:
        kind = value.type
        if kind not in known:
            if TileType(kind).layout is None:
                return f"expected '{op.name}' on tiles with layouts, got {kind}"
            if not (layout := layout_of(value)).is_surjective:
                return f"expected a layout of all elements of {kind}"
            known[kind] = layout
        layouts.append(known[kind])
    if op.name in _PEERS and all(layout is layouts[0] for layout in layouts):
        return None
    return next(_faults(op, tiles), None)


def _faults(op: ir.Operation, tiles: Sequence[ir.Value]) -> Iterator[str]:
    if op.name in _PEERS:
        yield from _unlike(op, tiles)
    elif op.name in REDUCTIONS:
        yield from _unlike(op, [v for v in op.operands if is_distributed(v)])
        yield from _reduced(op)
    elif op.results and is_distributed(op.results[0]):
        yield from _handed_on(op)


def _unlike(op: ir.Operation, tiles: Sequence[ir.Value]) -> Iterator[str]:
    """Tiles whose registers are not those of the first one."""
    for value in tiles[1:]:
        if layout_of(value).bases != layout_of(tiles[0]).bases:
            yield _message(op, tiles[0], value)


def _handed_on(op: ir.Operation) -> Iterator[str]:
    """The faults of an op whose result has elements of its operands."""
    result = op.results[0]
    match op_stem(op):
        case "reshape":
            yield from _renamed(op, layout_of(result).columns)
        case "permute":
            order = list(ir.DenseI32ArrayAttr(op.attributes["permutation"]))
            shape = _permuted(shape_of(result), order)
            bases = layout_of(result).bases
            columns = [[pack(_permuted(at, order), shape) for at in b] for b in bases]
            yield from _renamed(op, columns)
        case "broadcast" | "cat":
            yield from _within(op, range(len(op.operands)))
        case "insert":
            yield from _unlike(op, [op.operands[1], result])
            yield from _within(op, [0])
        case _:
            pass


def _renamed(op: ir.Operation, wanted: Sequence[Sequence[int]]) -> Iterator[str]:
    """Whether registers of the operand are those of the result, under other names.

    Args:
        op: The op.
        wanted: Columns of the operand, as numbers of elements in row-major order.
    """
    source = op.operands[0]
    if not is_distributed(source):
        return
    if [*map(list, wanted)] != [*map(list, layout_of(source).columns)]:
        yield _message(op, source, op.results[0])


def _within(op: ir.Operation, numbers: Sequence[int]) -> Iterator[str]:
    """Whether a thread has the elements of operands that its result is made of."""
    result = op.results[0]
    for source in (op.operands[number] for number in numbers):
        if not is_distributed(source):
            continue
        shape = shape_of(source)
        bases = [
            [tuple(x % n for x, n in zip(at, shape, strict=True)) for at in group]
            for group in layout_of(result).bases
        ]
        if not _reach(layout_of(source).bases, bases, shape):
            yield _message(op, source, result)


def _parts(op: ir.Operation) -> Iterator[str]:
    """Whether a thread has the elements of its result in every part of the operand."""
    source, result = op.operands[0], op.results[0]
    if not (is_distributed(source) and is_distributed(result)):
        return
    part, whole = shape_of(result), shape_of(source)
    firsts = [
        tuple(step if dim == place else 0 for place in range(len(part)))
        for dim, (extent, size) in enumerate(zip(part, whole, strict=True))
        for step in (extent << bit for bit in range((size // extent).bit_length() - 1))
    ]
    registers, *others = layout_of(result).bases
    wanted = [[*registers, *firsts], *others]
    if not _reach(layout_of(source).bases, wanted, whole):
        yield _message(op, source, result)


def _reduced(op: ir.Operation) -> Iterator[str]:
    """Whether a thread has results of its own rows."""
    dim = integer(op, "dim")
    for source, result in zip(op.operands, op.results, strict=True):
        if not is_distributed(result):
            continue
        bases = [
            [(*at[:dim], *at[dim + 1 :]) for at in group]
            for group in layout_of(source).bases
        ]
        if not _reach(bases, layout_of(result).bases, shape_of(result)):
            yield _message(op, source, result)


def _reach(source: Columns, wanted: Columns, shape: Sequence[int]) -> bool:
    """Whether each thread has the wanted elements in some register.

    Args:
        source: Columns of registers, lanes, warps and blocks.
        wanted: The same columns of the wanted elements.
        shape: The extents that both are coordinates in.
    """
    registers, *threads = ([pack(at, shape) for at in group] for group in source)
    needed, *others = ([pack(at, shape) for at in group] for group in wanted)
    differences = (
        own ^ other
        for group, again in zip(threads, others, strict=True)
        for own, other in zip(group, again, strict=True)
    )
    held = Span(registers)
    return all(each in held for each in (*needed, *differences))


def _permuted(at: Sequence[int], order: Sequence[int]) -> Coord:
    """Where a permutation has an element from: dimension d becomes order's place."""
    found = [0] * len(at)
    for place, dim in enumerate(order):
        found[dim] = at[place]
    return tuple(found)


def _message(op: ir.Operation, first: ir.Value, second: ir.Value) -> str:
    return (
        f"expected each thread to hold what '{op.name}' needs of it, got "
        f"{first.type} and {second.type}"
    )
