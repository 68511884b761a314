#!/usr/bin/env python3
"""Reduces TableGen's dump of the ODS to the op list that Python reads.

    llvm-tblgen --dump-json -I dialect/include -I MLIR_INCLUDE OPS.td -o OPS.dump.json
    tools/ods_json.py OUT.json OPS.dump.json [MORE.dump.json ...]

The result maps each op (`addf`, `tileas.barrier`) to its family, opcode, since,
operands, attributes, results, since_of (arguments newer than the op), examples and
description.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DEFAULT_DIALECT = "cuda_tile"
"""Ops of this dialect are listed without a prefix."""


def reduce_dump(records: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The ops of one TableGen dump, by opcode, then by name."""
    found = [reduce_op(records, records[name]) for name in records["!instanceof"]["Op"]]
    found.sort(key=lambda op: (op["opcode"] is None, op["opcode"], op["name"]))
    return {op.pop("name"): op for op in found}


def reduce_op(records: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """The fields of one op that Python needs."""
    dialect = records[record["opDialect"]["def"]]["name"]
    prefix = "" if dialect == DEFAULT_DIALECT else f"{dialect}."
    operands: list[str] = []
    attributes: list[str] = []
    since_of: dict[str, str] = {}
    for argument, name in record["arguments"]["args"]:
        constraint = records[argument["def"]]
        if "CudaTile_Since" in constraint["!superclasses"]:
            since_of[name] = constraint["since"]
            constraint = records[constraint["constraint"]["def"]]
        is_attribute = "AttrConstraint" in constraint["!superclasses"]
        (attributes if is_attribute else operands).append(name)
    return {
        "name": prefix + record["opName"],
        "family": record.get("family", ""),
        "opcode": record.get("opcode"),
        "since": record.get("since", ""),
        "operands": operands,
        "attributes": attributes,
        "results": [name for _, name in record["results"]["args"]],
        "since_of": since_of,
        "examples": record.get("examples", []),
        "description": (record.get("description") or "").strip(),
    }


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
