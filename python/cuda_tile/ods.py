# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of ops, read from `_mlir/ops.json`, which is generated from the ODS.

The build writes that file with `tools/ods_json.py` from `llvm-tblgen --dump-json`.
Stages compare their rule tables with it; there is no second list.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from cuda_tile.errors import InternalError
from cuda_tile.records import dataclass


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One op as ODS declares it.

    Attributes:
        name: Mnemonic, with the prefix `tileas.` for the ops of that dialect.
        family: Stem of the files that contain its rules.
        opcode: Number in bytecode, or None if bytecode does not have the op.
        since: First bytecode version that has it, e.g. `13.1`.
        operands, attributes, results: Names in order of declaration.
        elements: Types of elements that each operand and result allows, by its name;
            `ptr` is a pointer to any of them. Tokens have none.
        traits: What passes may rely on, by the words of `IR/Traits.td`.
        since_of: First version of each argument that is newer than the op.
        examples: Snippets that parse; see `dialect/include/cuda_tile/IR/Dialect.td`.
        description: Semantics and constraints.
    """

    name: str
    family: str
    opcode: int | None
    since: str
    operands: tuple[str, ...]
    attributes: tuple[str, ...]
    results: tuple[str, ...]
    elements: dict[str, tuple[str, ...]]
    since_of: dict[str, str]
    traits: frozenset[str]
    examples: tuple[str, ...]
    description: str


@cache
def ops() -> dict[str, OpInfo]:
    """Every op by name, in the order of the ODS.

    Raises:
        InternalError: The package does not contain the list.
    """
    path = Path(__file__).parent / "_mlir" / "ops.json"
    if not path.is_file():
        raise InternalError(f"expected the op list at {path}; build the package again")
    listed: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: OpInfo(
            name,
            op["family"],
            op["opcode"],
            op["since"],
            tuple(op["operands"]),
            tuple(op["attributes"]),
            tuple(op["results"]),
            {value: tuple(listed) for value, listed in op["elements"].items()},
            op["since_of"],
            frozenset(op["traits"]),
            tuple(op["examples"]),
            op["description"],
        )
        for name, op in listed.items()
    }


def full_name(stem: str) -> str:
    """The name of an op that the list of ops has without its dialect."""
    return stem if "." in stem else f"cuda_tile.{stem}"


def ops_by_rule(reason: str, *stems: str) -> frozenset[str]:
    """The names of ops that an analysis or rewrite treats alike by a rule of its own.

    Args:
        reason: What it does with them, for those who add an op.
        stems: Their names, without `cuda_tile.`.

    Raises:
        InternalError: There is no such op, or no reason.
    """
    unknown = [stem for stem in stems if stem not in ops()]
    if unknown or not reason:
        raise InternalError(f"expected a reason, and ops of ODS, got {unknown}")
    return frozenset(map(full_name, stems))


def family_of(stem: str) -> str | None:
    """The family of an op, or None for what is no op of ours."""
    op = ops().get(stem)
    return None if op is None else op.family


def family(stem: str) -> list[OpInfo]:
    """The ops of one family."""
    return [op for op in ops().values() if op.family == stem]
