# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs get planned that `plan` would not choose, and what passes made of them.

Some kernels are made persistent, some get a role that loads, some are divided among the
CTAs of a cluster, and sums of bytes are promoted at other depths: the seed says which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from differential_tensor import plan_tensor_memory

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.reused_tiles import repeated_tiles
from cuda_tile.ir.plan import (
    PLAN_ATTRIBUTE,
    plan_attribute,
    read_plan,
    read_product,
    read_target,
)
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import entries, nested_ops

PERSISTENT_EACH = 4
"""One of so many programs is made persistent, by its seed."""
ROLES_EACH = 3
"""One of so many gets a role that loads, also where `plan` would not choose that."""
CLUSTERS_EACH = 2
"""One of so many of the others is divided among CTAs, if its ops and the chip suit."""
REUSED_EACH = 2
"""In one of so many, what loops load again is kept, if there is such a thing."""
PROMOTED_EACH = 2
"""In one of so many, sums of 8-bit floats are promoted at another depth."""
TENSOR_EACH = 4
"""In all but one of so many, products go to tensor memory where they fit."""
MOST_GROUP = 3
"""Rows of tile blocks in a group, at most."""
CONSTRUCTS = (
    "plan: persistent",
    *(f"plan: tile_group = {rows}" for rows in range(MOST_GROUP + 1)),
    "plan: roles = load",
    "plan: persistent with a role that loads",
    "plan: promote",
)
"""What is planned for some programs."""
CLUSTERS = "plan: cluster"
"""What is planned for programs whose ops suit it: for the others it is left out."""
REUSED = "made: tiles kept for later loops"
IN_PARTS = "made: rows in parts"
DIVIDED = "made: divided among CTAs"
"""What becomes of them, on a chip with clusters."""


@dataclass(frozen=True)
class DrawnPlan:
    """What a seed adds to the plan of a kernel.

    Attributes:
        fields: Fields of the entry's plan.
        resident_ctas: CTAs that run at once, or 0 for all.
        promote: Instructions along K after which sums of 8-bit floats are promoted; 0
            where `plan` says so.
        reuse: Whether what a loop loads is kept for a later one that loads it again.
        tensor: Whether products go to tensor memory wherever they fit, also where
            `plan` would not choose that.
        part: Columns of these sums that threads shall load at a time, or 0.
    """

    fields: Mapping[str, int | str]
    resident_ctas: int = 0
    promote: int = 0
    reuse: bool = False
    tensor: bool = False
    part: int = 0

    @classmethod
    def of(cls, seed: int) -> DrawnPlan:
        """What a case's seed adds."""
        drawn = Random(seed)
        fields: dict[str, int | str] = {}
        resident = 0
        if not drawn.randrange(PERSISTENT_EACH):
            fields |= {"persistent": 1, "tile_group": drawn.randrange(MOST_GROUP + 1)}
            resident = drawn.randrange(1, 4)
        if not drawn.randrange(ROLES_EACH):
            fields |= {"roles": "load"}
        if not fields and not drawn.randrange(CLUSTERS_EACH):
            fields |= {"cluster": drawn.choice((2, 4))}
        promote = 0 if drawn.randrange(PROMOTED_EACH) else drawn.randrange(1, 5)
        reuse = not drawn.randrange(REUSED_EACH)
        tensor = bool(drawn.randrange(TENSOR_EACH))
        part = drawn.choice((0, 16, 32))
        return cls(fields, resident, promote, reuse, tensor, part)

    def notes(self) -> Iterator[str]:
        """Which of `CONSTRUCTS` these are."""
        if "persistent" in self.fields:
            yield "plan: persistent"
            yield f"plan: tile_group = {self.fields['tile_group']}"
        if "roles" in self.fields:
            yield "plan: roles = load"
            if "persistent" in self.fields:
                yield "plan: persistent with a role that loads"
        if "cluster" in self.fields:
            yield CLUSTERS
        if self.promote:
            yield "plan: promote"

    def without_roles(self) -> DrawnPlan:
        """The same for a kernel of one role."""
        fields = {name: n for name, n in self.fields.items() if name != "roles"}
        return replace(self, fields=fields)

    def adds_to_plans(self) -> bool:
        """Whether `add_to` has something to do."""
        return bool(self.fields or self.promote or self.reuse or self.tensor)

    def add_to(self, level: ir.Operation) -> None:
        """Adds the fields to the plan of each kernel of a module."""
        for entry in entries(level):
            ops = list(nested_ops(entry))
            is_divided = read_target(entry).has_clusters and suits_clusters(ops)
            takes = is_divided or "cluster" not in self.fields
            # A cluster that `plan` chose has neither roles nor a persistent grid.
            is_one = read_plan(entry).cluster == 1
            if is_one and self.reuse and _loads_again(entry, ops):
                _add(entry, {"reuse": 1})
            if takes and (is_one or "cluster" in self.fields):
                _add(entry, self.fields)
            if self.tensor:
                plan_tensor_memory(entry, ops, self.part)
            for op in ops:
                if self.promote and op.name in PRODUCTS:
                    plan = read_product(op)
                    if plan.promote:
                        _add(op, {"promote": self.promote * plan.atom.shape[2]})


def _loads_again(entry: ir.Operation, ops: Sequence[ir.Operation]) -> bool:
    """Whether `reuse` suits an entry."""
    return not any(op.name in PRODUCTS for op in ops) and bool(repeated_tiles(entry))


def _add(op: ir.Operation, fields: Mapping[str, int | str]) -> None:
    """Adds fields to the plan of an op."""
    plans = (op.attributes[PLAN_ATTRIBUTE], plan_attribute(fields))
    merged = {item.name: item.attr for p in plans for item in ir.DictAttr(p)}
    op.attributes[PLAN_ATTRIBUTE] = ir.DictAttr.get(merged)


# What the passes made -----------------------------------------------------------------

MADE: Mapping[str, re.Pattern[str]] = {
    "made: cp.async in groups": re.compile(r'fill = "cp_async".*sync = "groups"'),
    "made: cp.async with mbarriers": re.compile(r'fill = "cp_async".*"mbarriers"'),
    "made: bulk copies": re.compile(r'copy_in .*engine = "tma"'),
    "made: bulk stores": re.compile(r'copy_out .*engine = "tma"'),
    "made: gathers": re.compile(r"tileas\.gather_in"),
    "made: ring of one slot": re.compile(r"!tileas\.ring<1,"),
    "made: ring of several slots": re.compile(r"!tileas\.ring<[2-9],"),
    "made: release that trails": re.compile(r"release .* after"),
    "made: products of warpgroups": re.compile(r"tileas\.wgmma"),
    "made: operands that threads convert": re.compile(
        r'ring fill = "threads" drain = "wgmma"'
    ),
    "made: left operands from slots": re.compile(
        r'tileas\.wgmma .*lhs = "register", promote'
    ),
    "made: transposes by warpgroups": re.compile(r"tileas\.wgmma .*swap = 1"),
    "made: scales in rings": re.compile(
        r"tileas\.ring<\d, .*buffer<(1x\d+|\d+x1)x[a-z]"
    ),
    "made: sums that are promoted": re.compile(r"tileas\.plan = \{[^}]*promote ="),
    "made: products of warps": re.compile(r"tileas\.mma_sync"),
    "made: a role that loads": re.compile(r'role "load"'),
    "made: loop over tile blocks": re.compile(r"tileas\.tiles"),
}
"""What rings and products become, as the text at level W has it."""


def made(text: str) -> Counter[str]:
    """Which of `MADE` a module at level W has."""
    patterns = {
        **MADE,
        DIVIDED: re.compile(r"tileas\.plan = \{cluster = "),
        REUSED: re.compile(r"tileas\.plan = \{.*reuse = 1"),
        IN_PARTS: re.compile(r"it is computed in parts of"),
    }
    return Counter(name for name, pattern in patterns.items() if pattern.search(text))


OPENED = "made: iterations without their masks"
"""That `split` divided a loop."""


def is_split(module: ir.Module, gpu: str) -> bool:
    """Whether a module has more loops after `split` than before it."""
    counts = [
        str(cuda_tile.lower(module, gpu, until=name)).count("= for ")
        for name in ("simplify", "split")
    ]
    return counts[1] > counts[0]
