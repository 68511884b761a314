# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules with the place rules of each family; take the tables from here.

A module registers its rules when it is imported, at the first request for one of them.
"""

from __future__ import annotations

from cuda_tile import ods
from cuda_tile.place import elementwise as elementwise  # rules of most families
from cuda_tile.place.rules import FRAGMENTS, RULES

HOMES = {
    "atomic": "atomic",
    "control": "control",
    "hint": "hint",
    "memory": "memory",
    "mma": "mma",
    "multimem": "multimem",
    "persist": "control",
    "reduce": "reduce",
    "roles": "control",
    "shape": "shape pack",
    "view": "memory",
}
"""For each family of `ods` the modules of this package with its rules, beside those of
elementwise ops, in the order in which a rule is looked for."""

RULES.fill_from("cuda_tile.place", HOMES, ods.family_of)
FRAGMENTS.fill_from(
    "cuda_tile.place", {"engine": "mma tcgen05 wgmma"}, lambda _: "engine"
)

__all__ = ["FRAGMENTS", "RULES"]
