# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules with the emit rules of each family; take the table from here.

A module registers its rules when it is imported, which happens when one is asked for.
"""

from __future__ import annotations

from cuda_tile import ods
from cuda_tile.emit.emitter import RULES

HOMES = {
    "atomic": "atomic",
    "barrier": "tileas",
    "bitwise": "bitwise",
    "control": "control",
    "convert": "convert",
    "copy": "copy copy_out",
    "float": "float",
    "hint": "hint",
    "integer": "integer",
    "math": "math",
    "memory": "memory heap structure",
    "mma": "mma pending tcgen05 wgmma",
    "multimem": "multimem",
    "persist": "persist",
    "place": "tileas",
    "reduce": "reduce scan",
    "ring": "ring",
    "roles": "roles",
    "shape": "shape shape_constant shape_parts pack",
    "shared": "tileas",
    "structure": "structure",
    "view": "view",
}
"""For each family of `ods` the modules of this package with its rules, in the order in
which a rule is looked for."""

RULES.fill_from("cuda_tile.emit", HOMES, ods.family_of)

__all__ = ["RULES"]
