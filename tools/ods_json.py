#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces TableGen's dump of the ODS to the op list that Python reads.

    llvm-tblgen --dump-json -I dialect/include -I MLIR_INCLUDE OPS.td -o OPS.dump.json
    tools/ods_json.py OUT.json OPS.dump.json [MORE.dump.json ...]

The result maps each op (`addf`, `tileas.barrier`) to its family, opcode, since,
operands, attributes, results, elements (types of elements that each operand and result
allows), since_of (arguments newer than the op), traits, examples and description.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DEFAULT_DIALECT = "cuda_tile"
"""Ops of this dialect are listed without a prefix."""


TESTING = "testing"
"""The family of ops that only tests make, which no stage must know."""
POINTER = "ptr"
"""How a pointer element is called, whatever it points to."""
TOKEN = "CudaTile_TokenType"
"""What orders accesses to global memory."""
UPSTREAM = {
    "NoMemoryEffect": "computes",
    "Terminator": "ends",
    "AutomaticAllocationScope": "frees",
    "ConstantLike": "constant",
}
"""The words of traits that upstream declares."""
_VALUES = re.compile(r"\bof (.*) values$")
_VIEW = re.compile(r"view type$|^TileView\b")
"""How the summaries of view types look; their elements are numbers."""
_ANY = re.compile(r"^(Tile type|any type|.* or )$")
"""How the summaries of tiles of any element, and of carried values, look."""


def element_names(records: dict[str, Any]) -> list[str]:
    """The element types of tiles, as diagnostics name them.

    f8E5M3FNU, which is stored and converted only, has no name there.
    """
    found = records["!instanceof"].get("CudaTile_Element", [])
    names = [_name(records[element]["text"]) for element in found]
    return [name for name in names if name]


def _name(text: str) -> str:
    return POINTER if text == "Pointer type" else text


def elements_of(records: dict[str, Any], constraint: dict[str, Any]) -> list[str]:
    """The element types that a constraint of an operand or result allows.

    Tiles and views of any element allow all; a token has none.
    """
    while {"Variadic", "Optional"} & {*constraint["!superclasses"]}:
        constraint = records[constraint["baseType"]["def"]]
    summary: str = constraint["summary"]
    if listed := _VALUES.search(summary):
        return [_name(text) for text in listed[1].split(" or ")]
    every = element_names(records)
    if _ANY.search(summary):
        return every
    is_view = _VIEW.search(summary) is not None
    return [name for name in every if name != POINTER] if is_view else []


def reduce_dump(records: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The ops of one TableGen dump, by opcode, then by name."""
    every = [reduce_op(records, records[name]) for name in records["!instanceof"]["Op"]]
    found = [op for op in every if op["family"] != TESTING]
    found.sort(key=lambda op: (op["opcode"] is None, op["opcode"], op["name"]))
    return {op.pop("name"): op for op in found}


def reduce_op(records: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """The fields of one op that Python needs."""
    dialect = records[record["opDialect"]["def"]]["name"]
    prefix = "" if dialect == DEFAULT_DIALECT else f"{dialect}."
    operands: list[str] = []
    attributes: list[str] = []
    elements: dict[str, list[str]] = {}
    since_of: dict[str, str] = {}
    for argument, name in record["arguments"]["args"]:
        constraint = records[argument["def"]]
        if "CudaTile_Since" in constraint["!superclasses"]:
            since_of[name] = constraint["since"]
            constraint = records[constraint["constraint"]["def"]]
        is_attribute = "AttrConstraint" in constraint["!superclasses"]
        (attributes if is_attribute else operands).append(name)
        if not is_attribute:
            elements[name] = elements_of(records, constraint)
    for result, name in record["results"]["args"]:
        constraint = records[result["def"]]
        if "CudaTile_Since" in constraint["!superclasses"]:
            constraint = records[constraint["constraint"]["def"]]
        elements[name] = elements_of(records, constraint)
    return {
        "name": prefix + record["opName"],
        "family": record.get("family", ""),
        "opcode": record.get("opcode"),
        "since": record.get("since", ""),
        "operands": operands,
        "attributes": attributes,
        "results": [name for _, name in record["results"]["args"]],
        "elements": elements,
        "since_of": since_of,
        "traits": traits_of(records, record),
        "examples": record.get("examples", []),
        "description": (record.get("description") or "").strip(),
    }


def _flat(records: dict[str, Any], traits: list[Any]) -> Iterator[str]:
    """The names of traits, those in lists of traits included."""
    for each in traits:
        record = records[each["def"]]
        if "TraitList" in record["!superclasses"]:
            yield from _flat(records, record["traits"])
        else:
            yield each["def"]


def _has_tokens(records: dict[str, Any], record: dict[str, Any]) -> bool:
    """Whether an op takes or gives tokens that it declares."""
    for value, _ in record["arguments"]["args"] + record["results"]["args"]:
        name = value["def"]
        while inner := records[name].get("constraint") or records[name].get("baseType"):
            name = inner["def"]
        if name == TOKEN:
            return True
    return False


def traits_of(records: dict[str, Any], record: dict[str, Any]) -> list[str]:
    """The facts of an op, by the words of IR/Traits.td, and a few more.

    - `ends`: it ends a block;
    - `frees`: behind it, what was allocated in its region is no longer there;
    - `computes`: it only computes its results, and has no region;
    - `accesses`: it touches global memory, as far as its tokens tell.
    """
    names = set(_flat(records, record["traits"]))
    facts = records["!instanceof"].get("CudaTile_Fact", [])
    words = {records[name]["word"] for name in names.intersection(facts)}
    words |= {word for name, word in UPSTREAM.items() if name in names}
    if "Terminator" in names or record["regions"]["args"]:
        words.discard("computes")
    if _has_tokens(records, record) and not words & {"computes", "touches_nothing"}:
        words.add("accesses")
    return sorted(words)


def main(argv: list[str]) -> int:
    """Writes the op list; arguments as the module says."""
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    listed: dict[str, dict[str, Any]] = {}
    for path in argv[1:]:
        listed |= reduce_dump(json.loads(Path(path).read_text(encoding="utf-8")))
    text = json.dumps(listed, indent=1)
    Path(argv[0]).write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
