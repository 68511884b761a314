# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Smaller Tile IR: fewer operations, values, attributes; smaller tiles and constants.

Each change reads the text anew, changes the module, verifies it, and prints it. What is
no valid program then, is none for the search either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.files import load
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.carried import BRANCH, drop, first_carried
from cuda_tile.ir.traits import CONSTANTS, LOOPS, TERMINATORS
from cuda_tile.ir.walk import block_ops, body, entries, nested_ops
from cuda_tile.reducer.search import Kind
from cuda_tile.reducer.stand_ins import stand_in

PARAMETERS = "remove parameters"
"""Name of the kind of change after which a kernel takes fewer arguments."""

Edit = Callable[[ir.Module, range], bool]
"""Changes some places of a module; says whether anything changed."""

_EXTENT = re.compile(r"(?<=[<(x])\d+(?=[x)])")
"""An extent in a type: of a tile, a tensor, or a view's tile."""


def size(text: str) -> str:
    """How many operations a text has."""
    return f"{sum(1 for _ in nested_ops(load(text.encode()).operation))} operations"


def _edited(edit: Edit, text: str, places: range) -> str | None:
    """A text after an edit; None where nothing changed or it is not valid."""
    module = load(text.encode())
    with module.context, ir.Location.unknown():
        try:
            if not edit(module, places) or not module.operation.verify():
                return None
        except (ir.MLIRError, ValueError):
            return None
        return _valid(str(module))


def _valid(text: str) -> str | None:
    """A text as a module that is read prints it."""
    try:
        return str(load(text.encode()))
    except UserError:
        return None


def _ops(module: ir.Module) -> list[ir.Operation]:
    """The operations that may go: all but modules and what ends blocks."""
    return [
        op
        for op in nested_ops(module.operation)
        if op.name != "cuda_tile.module" and op.name not in TERMINATORS
    ]


def _remove(module: ir.Module, places: range) -> bool:
    """Removes operations, the last first, where others can do without."""
    ops = _ops(module)
    chosen = [op for op in (ops[i] for i in places) if _cuda_tile.is_alive(op)]
    return any([_remove_one(op) for op in reversed(chosen)])


def _remove_one(op: ir.Operation) -> bool:
    """Removes one operation, if something can stand in for each used result."""
    if not _cuda_tile.is_alive(op) or (op.name == "cuda_tile.entry" and _is_last(op)):
        return False
    used = [result for result in op.results if len(list(result.uses))]
    heirs = [stand_in(op, result) for result in used]
    if any(heir is None for heir in heirs):
        return False
    for result, heir in zip(used, heirs, strict=True):
        assert heir is not None, "looked at above"
        result.replace_all_uses_with(heir)
    op.erase()
    return True


def _is_last(entry: ir.Operation) -> bool:
    """Whether a module has no other entry."""
    parent = entry.parent
    assert parent is not None, "entries stand in modules"
    return len(entries(parent.operation)) == 1


def _around(module: ir.Module) -> list[ir.Operation]:
    """The loops and branches."""
    names = LOOPS | {BRANCH}
    return [op for op in nested_ops(module.operation) if op.name in names]


def _unwrap(module: ir.Module, places: range, *, region: int) -> bool:
    """Puts what stands in a loop or branch in the place of that, once."""
    op = _around(module)[places.start]
    if region >= len(op.regions) or not len(op.regions[region].blocks):
        return False
    block = op.regions[region].blocks[0]
    *inner, end = block_ops(block)
    if len(end.operands) != len(op.results):
        return False
    _give_arguments(op, block)
    for each in inner:
        each.move_before(op)
    for result, value in zip(op.results, list(end.operands), strict=True):
        result.replace_all_uses_with(value)
    op.erase()
    return True


def _give_arguments(op: ir.Operation, block: ir.Block) -> None:
    """Uses the first values of what a loop's region gets instead of its arguments."""
    first_operand, first_argument = first_carried(op)
    begin = list(op.operands)[:first_argument]  # a loop's counter begins at its bound
    values = [*begin, *list(op.operands)[first_operand:]]
    for argument, value in zip(block.arguments, values, strict=False):
        argument.replace_all_uses_with(value)


def _carried(module: ir.Module) -> list[tuple[ir.Operation, int]]:
    """The values that loops carry: each loop with a number."""
    loops = (op for op in nested_ops(module.operation) if op.name in LOOPS)
    return [(op, i) for op in loops for i in range(len(op.results))]


def _carry_less(module: ir.Module, places: range) -> bool:
    """A loop gets along with the first value of what it carries."""
    op, number = _carried(module)[places.start]
    first_operand, first_argument = first_carried(op)
    if len(op.operands) != first_operand + len(op.results):
        return False
    first = op.operands[first_operand + number]
    op.results[number].replace_all_uses_with(first)
    body(op).arguments[first_argument + number].replace_all_uses_with(first)
    drop(op, [number])
    return True


def _arguments(module: ir.Module) -> list[tuple[ir.Operation, int]]:
    """The parameters that nothing uses: each kernel with a number."""
    return [
        (entry, i)
        for entry in entries(module.operation)
        for i, argument in enumerate(body(entry).arguments)
        if not len(list(argument.uses))
    ]


def unused_parameters(text: str) -> list[int]:
    """Which parameters "remove parameters" can take away: their numbers."""
    return [number for _, number in _arguments(load(text.encode()))]


def _take_less(module: ir.Module, places: range) -> bool:
    """Removes a parameter that nothing uses."""
    entry, number = _arguments(module)[places.start]
    body(entry).erase_argument(number)
    kinds = [argument.type for argument in body(entry).arguments]
    kind = ir.FunctionType.get(kinds, [])
    entry.attributes["function_type"] = ir.TypeAttr.get(kind)
    if "arg_attrs" in entry.attributes:
        given = list(ir.ArrayAttr(entry.attributes["arg_attrs"]))
        del given[number]
        entry.attributes["arg_attrs"] = ir.ArrayAttr.get(given)
    return True


def _attributes(module: ir.Module) -> list[tuple[ir.Operation, str]]:
    """All attributes but names: each operation with a name."""
    return [
        (op, name)
        for op in nested_ops(module.operation)
        for name in attributes_of(op)
        if name not in ("sym_name", "function_type", "value")
    ]


def _say_less(module: ir.Module, places: range) -> bool:
    """Removes attributes; the verifier says whether one may be missing."""
    for op, name in [_attributes(module)[i] for i in places]:
        del op.attributes[name]
    return True


def _integers(module: ir.Module) -> list[tuple[ir.Operation, int]]:
    """The constants of equal integers beyond 1, with their value."""
    found: list[tuple[ir.Operation, int]] = []
    for op in nested_ops(module.operation):
        if op.name not in CONSTANTS:
            continue
        value = op.attributes["value"]
        if isinstance(value, ir.DenseIntElementsAttr) and value.is_splat:
            number = ir.IntegerAttr(value.get_splat_value()).value
            found += [(op, number)] if abs(number) > 1 else []
    return found


def _count_less(
    module: ir.Module, places: range, *, smaller: Callable[[int], int]
) -> bool:
    """Makes a constant smaller."""
    op, number = _integers(module)[places.start]
    kind = ir.ShapedType(op.results[0].type)
    element = ir.IntegerAttr.get(kind.element_type, smaller(number))
    held = ir.DenseElementsAttr(op.attributes["value"]).type
    op.attributes["value"] = ir.DenseElementsAttr.get_splat(held, element)
    return True


def _extents(text: str) -> list[int]:
    """The extents of tiles beyond 1, the largest first."""
    found = {int(m[0]) for m in _EXTENT.finditer(text)}
    return sorted(found - {0, 1}, reverse=True)


def _shrink(
    text: str, places: range, *, smaller: Callable[[int], int], everywhere: bool
) -> str | None:
    """One extent gets smaller in all types, and in constants that equal it."""
    old = _extents(text)[places.start]
    new = str(smaller(old))
    made = _EXTENT.sub(lambda m: new if int(m[0]) == old else m[0], text)
    if everywhere:
        made = re.sub(rf"(?<=: ){old}(?=>)", new, made)
    return _valid(made) if made != text else None


def _of_module(
    list_places: Callable[[ir.Module], Sequence[object]],
) -> Callable[[str], int]:
    """How many places a text has, by what lists those of a module."""
    return lambda text: len(list_places(load(text.encode())))


def _half(number: int) -> int:
    """Half of a number, towards zero."""
    return int(number / 2)


def _kind(
    name: str,
    list_places: Callable[[ir.Module], Sequence[object]],
    edit: Edit,
    *,
    in_runs: bool = False,
) -> Kind:
    """A kind of edit of a module."""
    return Kind(name, _of_module(list_places), partial(_edited, edit), in_runs)


def _shrinking(name: str, smaller: Callable[[int], int], *, everywhere: bool) -> Kind:
    """A kind of change of extents."""
    change = partial(_shrink, smaller=smaller, everywhere=everywhere)
    return Kind(name, lambda text: len(_extents(text)), change, in_runs=False)


KINDS = (
    _kind("remove operations", _ops, _remove, in_runs=True),
    _kind("unwrap loops and branches", _around, partial(_unwrap, region=0)),
    _kind("unwrap other branches", _around, partial(_unwrap, region=1)),
    _kind("carry fewer values", _carried, _carry_less),
    _kind(PARAMETERS, _arguments, _take_less),
    _kind("remove attributes", _attributes, _say_less, in_runs=True),
    _kind("constants to 1", _integers, partial(_count_less, smaller=lambda n: 1)),
    _kind("halve constants", _integers, partial(_count_less, smaller=_half)),
    _shrinking("extents to 1", lambda n: 1, everywhere=False),
    _shrinking("halve extents", _half, everywhere=False),
    _shrinking("halve extents and constants", _half, everywhere=True),
)
"""Changes of Tile IR, those that take away most first."""
