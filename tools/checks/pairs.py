# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints which element types of which operands and results the op tests use.

A pair is an operand or result of an op and an element type that the ODS allows there,
without those that the verifier rejects (`REJECTED`); of a pointer, what it points to
counts. Tested is what occurs in a kernel of test/ops/*_cases.py, which interpreter,
passes and emulator judge. Untested pairs are no failure: README's table counts the
tested ones per family, and status.py lets no count fall. `--gaps` lists them; names
after it choose families. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import cuda_tile
from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
)
from cuda_tile.ir.walk import nested_ops, op_stem

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("test/ops", "test/emit", "test/dialect", "examples")
"""Where the cases and what they import lie."""

POINTER = "ptr"
Pair = tuple[str, str, str]
"""Op, operand or result, element type."""

NO_MEMORY = "i4"
"""The element that no pointer and no view has."""
FLOATS = ("f16", "bf16", "f32", "f64", "tf32")
SMALL = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN")
BELOW_WORDS = ("i1", "i4", "i8", "i16", "tf32", *SMALL)

_VIEWS = "what a view is of is a number in memory"
_POINTEE = "what a pointer points to is a number in memory"
_FACTS = "predicates are of integers and pointers"
_SCALARS = "a tile of 4-bit floats has an even number of elements: the body has scalars"
_ATOMIC = "atomic modes are of 32 and 64 bits, addf also of f16 and bf16"
_SELECT = "its verifier refuses f4E2M1FN"
_WIDTH = "the elements have another width than bytes"
_ENTRY = "an entry has no results"

Rejection = tuple[str, str, tuple[str, ...], tuple[str, ...]]
REJECTED: tuple[Rejection, ...] = (
    ("assume", _FACTS, ("value", "result"), (*FLOATS, *SMALL)),
    (
        "atomic_cas_tko",
        _ATOMIC,
        ("pointers", "cmp", "val", "result"),
        ("f16", "bf16", POINTER, *BELOW_WORDS),
    ),
    (
        "atomic_rmw_tko",
        _ATOMIC,
        ("pointers", "arg", "result"),
        (POINTER, *BELOW_WORDS),
    ),
    ("atomic_red_view_tko", _ATOMIC, ("view", "value"), (POINTER, *BELOW_WORDS)),
    ("load_ptr_tko", _POINTEE, ("result",), (POINTER, NO_MEMORY)),
    ("store_ptr_tko", _POINTEE, ("value",), (POINTER, NO_MEMORY)),
    ("load_view_tko", _VIEWS, ("tile",), (POINTER, NO_MEMORY)),
    ("store_view_tko", _VIEWS, ("tile",), (POINTER, NO_MEMORY)),
    (
        "multimem_load_reduce_view_tko",
        "the switch has no reduction of them",
        ("view", "tile"),
        (POINTER, *BELOW_WORDS),
    ),
    (
        "multimem_reduce_view_tko",
        "the switch has no reduction of them",
        ("view", "tile"),
        (POINTER, *BELOW_WORDS),
    ),
    (
        "multimem_store_view_tko",
        "multicast memory holds elements that the switch reduces",
        ("view", "tile"),
        (POINTER, *BELOW_WORDS),
    ),
    ("reduce", _SCALARS, ("operands", "results"), (POINTER, "f4E2M1FN")),
    ("scan", _SCALARS, ("operands", "results"), (POINTER, "f4E2M1FN")),
    ("exti", "to a wider type", ("from",), ("i64",)),
    ("exti", "to a wider type", ("to",), ("i1",)),
    ("trunci", "to a narrower type", ("from",), ("i1",)),
    ("trunci", "to a narrower type", ("to",), ("i64",)),
    ("itof", "its verifier refuses f8E8M0FNU", ("to",), ("f8E8M0FNU",)),
    ("pack", _WIDTH, ("source",), ("i8", "f8E4M3FN", "f8E5M2", "f8E8M0FNU")),
    ("unpack", _WIDTH, ("result",), ("i8", "f8E4M3FN", "f8E5M2", "f8E8M0FNU")),
    ("return", _ENTRY, ("operands",), ("*",)),
    ("select", _SELECT, ("val_if_true", "val_if_false", "result"), ("f4E2M1FN",)),
)
"""Pairs that no valid program has: op, why, operands and results, and elements, `*` for
all. No identity of `reduce` and `scan` is a pointer."""


@cache
def numbers() -> tuple[str, ...]:
    """Every element type that is no pointer."""
    return tuple(e for e in ods.ops()["select"].elements["result"] if e != POINTER)


def universe() -> list[Pair]:
    """Every pair that a valid program can have, by op in the order of the ODS."""
    found: list[Pair] = []
    for info in ods.ops().values():
        if info.opcode is None:
            continue
        listed = dict(info.elements)
        if info.name == "global":
            listed["value"] = tuple(e for e in numbers() if e != NO_MEMORY)
        for value, elements in listed.items():
            found += [
                (info.name, value, element)
                for element in _possible(elements)
                if not _is_rejected((info.name, value, element))
            ]
    return found


def _possible(elements: tuple[str, ...]) -> tuple[str, ...]:
    """The elements of an operand: of a pointer or a view, those of its memory."""
    is_view = set(elements) == set(numbers())
    if is_view or elements == (POINTER,):
        return tuple(e for e in numbers() if e != NO_MEMORY)
    return elements


def _is_rejected(pair: Pair) -> bool:
    op, value, element = pair
    return any(
        op == name and value in values and (element in elements or "*" in elements)
        for name, _, values, elements in REJECTED
    )


def _element_of(ty: ir.Type) -> tuple[str, str]:
    """The element of a value, and what it points to, if it does; "" for a token."""
    if isinstance(ty, PartitionViewType | StridedViewType | GatherScatterViewType):
        ty = ty.tensor_view
    if isinstance(ty, TensorViewType):
        return _text(ty.element_type), ""
    if not isinstance(ty, TileType):
        return "", ""
    element = ty.element_type
    if isinstance(element, PointerType):
        return POINTER, _text(element.pointee_type)
    return _text(element), ""


def _text(element: ir.Type) -> str:
    return str(element).removeprefix("!cuda_tile.")


def _named(
    names: tuple[str, ...], values: list[ir.Value], sizes: list[int]
) -> Iterator[tuple[str, ir.Value]]:
    """Each value with the name of the operand or result that it belongs to.

    Without sizes, only one of several names can stand for any number of values, and
    it is the last.
    """
    if sizes:
        groups = [name for name, n in zip(names, sizes, strict=True) for _ in range(n)]
        yield from zip(groups, values, strict=True)
        return
    for number, value in enumerate(values):
        if names:
            yield names[min(number, len(names) - 1)], value


def pairs_of(op: ir.Operation) -> Iterator[Pair]:
    """The pairs that one op of a program shows."""
    info = ods.ops().get(op_stem(op))
    if info is None:
        return
    if info.name == "global":
        ty = ir.DenseElementsAttr(op.attributes["value"]).type
        yield info.name, "value", _element_of(ty)[0]
    attributes = op.attributes
    sizes: dict[str, list[int]] = {}
    for kind in ("operand", "result"):
        key = f"{kind}SegmentSizes"
        sizes[kind] = (
            list(ir.DenseI32ArrayAttr(attributes[key])) if key in attributes else []
        )
    values = [
        *_named(info.operands, list(op.operands), sizes["operand"]),
        *_named(info.results, list(op.results), sizes["result"]),
    ]
    for name, value in values:
        element, pointee = _element_of(value.type)
        if not element:
            continue
        is_pointer = info.elements[name] == (POINTER,)
        yield info.name, name, pointee if is_pointer else element


def cases() -> Iterator[tuple[str, Any]]:
    """Every case of test/ops with the name of its family."""
    for folder in FOLDERS:
        sys.path.insert(0, str(ROOT / folder))
    for file in sorted((ROOT / "test" / "ops").glob("*_cases.py")):
        for case in import_module(file.stem).CASES:
            yield file.stem.removesuffix("_cases"), case


@cache
def tested() -> frozenset[Pair]:
    """The pairs that occur in some case."""
    found: set[Pair] = set()
    seen: set[str] = set()
    for _, case in cases():
        if case.text in seen:
            continue
        seen.add(case.text)
        module = cuda_tile.load(case.text.encode())
        for op in nested_ops(module.operation):
            found.update(pairs_of(op))
    return frozenset(found)


def counts() -> dict[str, tuple[int, int]]:
    """Tested pairs and all pairs, by family."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for pair in universe():
        count = found[ods.ops()[pair[0]].family]
        count[0] += pair in tested()
        count[1] += 1
    return {family: (known, total) for family, (known, total) in found.items()}


def gaps(families: list[str]) -> Iterator[str]:
    """A line for each operand or result with untested element types."""
    missing: dict[tuple[str, str], list[str]] = defaultdict(list)
    for op, value, element in universe():
        family = ods.ops()[op].family
        if (op, value, element) not in tested() and (
            not families or family in families
        ):
            missing[op, value].append(element)
    for (op, value), elements in missing.items():
        yield f"{ods.ops()[op].family}: {op}, {value}: {', '.join(elements)}"


def main() -> int:
    """Prints counts, and gaps if asked; 1 if `REJECTED` names what occurs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gaps", action="store_true", help="list untested pairs")
    parser.add_argument("families", nargs="*", help="families to list; default: all")
    arguments = parser.parse_args()
    if arguments.gaps:
        print(*gaps(arguments.families), sep="\n")
    for family, (known, total) in sorted(counts().items()):
        print(f"{family:10} {known:5} of {total}")
    wrong = sorted(pair for pair in tested() if _is_rejected(pair))
    for op, value, element in wrong:
        print(f"{op}, {value}: expected {element} to be rejected, but a case has it")
    print(f"{len(tested())} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
