# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A producer's hints on an entry; those of a chip override those of all chips."""

from __future__ import annotations

from collections.abc import Mapping

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import OptimizationHintsAttr

HINTS_ATTRIBUTE = "optimization_hints"


def read_hints(entry: ir.Operation, chip: str) -> Mapping[str, int]:
    """The producer's integer hints for a chip, which override its default ones.

    Args:
        entry: The entry.
        chip: The chip, such as "sm_90".
    """
    hints = _by_chip(entry)
    found: dict[str, int] = {}
    for key in ("default", chip):
        for name, value in hints.get(key, {}).items():
            if isinstance(value, ir.IntegerAttr):
                found[name] = value.value
    return found


def write_hints(entry: ir.Operation, chip: str, hints: Mapping[str, int]) -> None:
    """Sets hints of an entry for a chip; replaces hints of the same names.

    Args:
        entry: The entry.
        chip: The chip, such as "sm_90".
        hints: Values by name.
    """
    if not hints:
        return
    with entry.context:
        word = ir.IntegerType.get_signless(32)
        known = _by_chip(entry)
        mine = known.get(chip, {}) | {
            name: ir.IntegerAttr.get(word, value) for name, value in hints.items()
        }
        whole: dict[str, ir.Attribute] = {
            key: ir.DictAttr.get(value) for key, value in {**known, chip: mine}.items()
        }
        made = OptimizationHintsAttr.get(ir.DictAttr.get(whole))
        entry.attributes[HINTS_ATTRIBUTE] = made


def _by_chip(entry: ir.Operation) -> dict[str, dict[str, ir.Attribute]]:
    if HINTS_ATTRIBUTE not in entry.attributes:
        return {}
    hints = OptimizationHintsAttr(entry.attributes[HINTS_ATTRIBUTE]).value
    return {
        item.name: {inner.name: inner.attr for inner in ir.DictAttr(item.attr)}
        for item in ir.DictAttr(hints)
    }
