# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan of a load or store: which engine moves its tile, and how far ahead.

`tileas.plan` on a load names an engine. `tma` and `cp_async` copy asynchronously to
shared memory, into a ring of `slots` buffers, `ahead` iterations of the loop before the
tile is used. `threads`, the default, load it to registers when it is needed. On a store
`tma` copies a buffer in shared memory to a view.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.constants import MOST_SLOTS
from cuda_tile.errors import UserError
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, read_target
from cuda_tile.ir.plan_values import (
    chosen_fields,
    kinds_of,
    number_field,
    plan_attribute,
    plan_values,
    word_field,
)
from cuda_tile.ir.walk import enclosing_entry, located_at_op, op_stem
from cuda_tile.records import dataclass
from cuda_tile.targets import Target

TMA, CP_ASYNC, THREADS = "tma", "cp_async", "threads"
ENGINES = (TMA, CP_ASYNC, THREADS)
"""Who may move a tile, the fastest first."""


@dataclass(frozen=True)
class LoadPlan:
    """The decisions for one load.

    Attributes:
        engine: One of `ENGINES`.
        slots: Tiles that its ring holds; 0 for `threads`.
        ahead: Iterations of the loop by which it runs ahead of the use of its tile.
    """

    engine: str = word_field(THREADS)
    slots: int = number_field()
    ahead: int = number_field()

    @property
    def is_copy(self) -> bool:
        """Whether an engine copies the tile to shared memory asynchronously."""
        return self.engine != THREADS

    def to_attribute(self) -> ir.Attribute:
        """The dictionary attribute; integers are i64, zeros are left out."""
        return plan_attribute({"engine": self.engine, **chosen_fields(self)})


@dataclass(frozen=True)
class StorePlan:
    """The decisions for one store.

    Attributes:
        engine: `tma` or `threads`.
    """

    engine: str = word_field(THREADS)

    def to_attribute(self) -> ir.Attribute:
        """The dictionary attribute."""
        return plan_attribute({"engine": self.engine})


LOAD_FIELDS, STORE_FIELDS = kinds_of(LoadPlan), kinds_of(StorePlan)
"""The fields of the plans of loads and stores."""


@located_at_op
def read_load(op: ir.Operation) -> LoadPlan:
    """The plan of a load; without one, threads load.

    Raises:
        UserError: The plan is not usable; the message names the field.
    """
    if PLAN_ATTRIBUTE not in op.attributes:
        return LoadPlan()
    values = plan_values(op, LoadPlan)
    engine = _engine(op, values.get("engine", ""), ENGINES)
    slots, ahead = values.get("slots", 0), values.get("ahead", 0)
    if engine == THREADS:
        if slots or ahead:
            raise UserError(
                f"expected no slots and ahead for engine {THREADS} in "
                f"'{PLAN_ATTRIBUTE}', got {slots} and {ahead}",
            )
        return LoadPlan()
    if not 1 <= slots <= MOST_SLOTS:
        raise UserError(
            f"expected slots of 1 to {MOST_SLOTS} in '{PLAN_ATTRIBUTE}', got {slots}",
        )
    if not 0 <= ahead <= slots:
        raise UserError(
            f"expected ahead of 0 to {slots}, the slots, in '{PLAN_ATTRIBUTE}', got "
            f"{ahead}",
        )
    return LoadPlan(engine, slots, ahead)


@located_at_op
def read_store(op: ir.Operation) -> StorePlan:
    """The plan of a store; without one, threads store.

    Raises:
        UserError: The plan is not usable; the message names the field.
    """
    if PLAN_ATTRIBUTE not in op.attributes:
        return StorePlan()
    values = plan_values(op, StorePlan)
    return StorePlan(_engine(op, values.get("engine", ""), (TMA, THREADS)))


def has_engine(target: Target, engine: str) -> bool:
    """Whether a chip has an engine.

    Args:
        target: The chip.
        engine: `tma`, `cp_async` or `threads`.
    """
    match engine:
        case "tma":
            return target.has("cp.async.bulk.tensor")
        case "cp_async":
            return target.has("nvvm.cp.async.shared.global")
        case _:
            return True


def _engine(op: ir.Operation, name: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise UserError(
            f"expected engine to be one of {', '.join(known)} in '{PLAN_ATTRIBUTE}' "
            f"of '{op_stem(op)}', got '{name}'",
        )
    target = read_target(enclosing_entry(op))
    if not has_engine(target, name):
        raise UserError(
            f"expected an engine that {target.name} has in '{PLAN_ATTRIBUTE}', got "
            f"'{name}'",
        )
    return name
