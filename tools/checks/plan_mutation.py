# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes each value of a kernel's plan; it is refused, or the kernel does as it says.

A plan may be written by hand or by a tuner, so each field of `tileas.plan` on entries,
loads, stores and products is set to other values, one at a time, and the text with it
is compiled. Then

- either an error names the field,
- or the PTX or the launch record is another one, and the result still right,
- or nothing changed, for a reason that `REASONS` lists.

The kernels are a product, and a product of a product, of which the second one's plan is
changed. `--chip NAME` takes one chip, `--kernel NAME` one kernel,
`--sample` one mutant of three. Ends with `N passed,
N failed`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "end_to_end"))

from product_kinds import KINDS, check
from sampling import add_sample_option, is_sampled

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.errors import InternalError, Unsupported, UserError
from cuda_tile.ir.copy_plan import ENGINES, LOAD_FIELDS, STORE_FIELDS
from cuda_tile.ir.plan import (
    ENTRY_FIELDS,
    PLAN_ATTRIBUTE,
    PRODUCT_FIELDS,
    ROLES,
    plan_attribute,
)
from cuda_tile.ir.traits import LOADS, PRODUCTS, VIEW_STORES
from cuda_tile.ir.walk import entries, nested_ops

CHIPS = ("sm_80", "sm_90")
KERNELS = ("plain", "chained")
"""Of test/end_to_end/product_kinds.py; of the second only products are changed."""
SIZES = (64, 64, 224)
"""Rows, columns and depth of the product: one tile, seven iterations."""
FIELDS = {
    "entry": ENTRY_FIELDS,
    "load": LOAD_FIELDS,
    "store": STORE_FIELDS,
    "product": PRODUCT_FIELDS,
}
WORDS = {
    "roles": ROLES,
    "lhs": ("shared", "register"),
    "engine": ENGINES,
    "convert": ("a", "b", "ab"),
    "atom": ("m16n8k16", "m16n8k8", "m64n32k16", "m64n64k16", "m64n128k16", "fma8x4"),
}
"""What fields that hold words may be set to."""
NUMBERS = (-1, 0, 1, 2, 3, 1000)
"""What fields that hold numbers are set to, beside neighbours of what they are."""
Value = int | str


@dataclass(frozen=True)
class PlanMutant:
    """One field of one plan with another value.

    Attributes:
        where: What the plan is of, one of `FIELDS`.
        field: The field.
        old: Its value; None if it is not there.
        value: What it becomes.
    """

    where: str
    field: str
    old: Value | None
    value: Value

    def __str__(self) -> str:
        return f"{self.where}: {self.field} = {self.value} instead of {self.old}"


class Subject:
    """A kernel with the plan that a chip has by default.

    Args:
        chip: The chip.
        kernel: One of `KERNELS`.
    """

    def __init__(self, chip: str, kernel: str = "plain") -> None:
        self.chip, self.kernel = chip, kernel
        module = cuda_tile.load(KINDS[kernel].text.encode())
        self._text = str(cuda_tile.lower(module, chip, until="plan"))
        # Without lines: those of the plan's text are others than the kernel's.
        self._options = cuda_tile.Options(gpu=chip, line_info=False)
        self._plain = self._compile(module)

    def is_kept(self) -> bool:
        """Whether the plan makes the same kernel when it is there from the start."""
        made = self._compile(self._module())
        return made.ptx == self._plain.ptx

    def _compile(self, module: ir.Module) -> cuda_tile.Compiled:
        return cuda_tile.compile(module, options=self._options, cubin=False)

    def _module(self) -> ir.Module:
        return cuda_tile.load(self._text.encode())

    @cached_property
    def mutants(self) -> list[PlanMutant]:
        """Every mutant of the plans; of products of products those of products."""
        module = self._module()
        with module.context:
            found = list(_mutants(module))
        is_plain = self.kernel == "plain"
        return [m for m in found if is_plain or m.where == "product"]

    @cached_property
    def entry_plan(self) -> dict[str, Value]:
        """The plan of the entry."""
        module = self._module()
        with module.context:
            return _plan_of(entries(module.operation)[0])

    def outcome(self, mutant: PlanMutant) -> str:
        """`refused`, `honoured`, `nothing`, or what is wrong."""
        module = self._module()
        with module.context:
            _apply(module, mutant)
        try:
            made = self._compile(module)
        except InternalError as error:
            return f"an internal error: {error}"
        except (UserError, Unsupported) as error:
            named = any(word in str(error) for word in _names(mutant))
            return "refused" if named else f"an error without the field: {error}"
        how: dict[str, Any] = {"compiled": made, "mode": "adversarial", "seed": 1}
        try:
            check(
                self.kernel, SIZES, self._module(), on="emulator", gpu=self.chip, **how
            )
        except (AssertionError, UserError) as error:
            return f"wrong: {error}"
        same = made.ptx == self._plain.ptx and made.launch == self._plain.launch
        return "nothing" if same else "honoured"


def _ops(module: ir.Module) -> dict[str, ir.Operation]:
    """An op of each kind that may have a plan: the last product, the first others."""
    (entry,) = entries(module.operation)
    found = {"entry": entry}
    kinds = ("load", LOADS), ("store", VIEW_STORES), ("product", PRODUCTS)
    for op in nested_ops(entry):
        for where, names in kinds:
            if op.name in names and (where == "product" or where not in found):
                found[where] = op
    return found


def _plan_of(op: ir.Operation) -> dict[str, Value]:
    if PLAN_ATTRIBUTE not in op.attributes:
        return {}
    found: dict[str, Value] = {}
    for item in ir.DictAttr(op.attributes[PLAN_ATTRIBUTE]):
        if isinstance(item.attr, ir.StringAttr):
            found[item.name] = item.attr.value
        else:
            found[item.name] = ir.IntegerAttr(item.attr).value
    return found


def _mutants(module: ir.Module) -> Iterator[PlanMutant]:
    for where, op in _ops(module).items():
        plan = _plan_of(op)
        for field, kind in FIELDS[where].items():
            old = plan.get(field)
            for value in _values(field, kind, old):
                yield PlanMutant(where, field, old, value)


def _values(field: str, kind: type, old: Value | None) -> list[Value]:
    """What a field is set to."""
    if kind is str:
        return [word for word in (*WORDS[field], "nonsense") if word != old]
    near: list[int] = list(NUMBERS)
    if isinstance(old, int):
        near += [old - 1, old + 1, old + 8, 2 * old, old // 2]
    return [n for n in dict.fromkeys(near) if n != old]


def _apply(module: ir.Module, mutant: PlanMutant) -> None:
    op = _ops(module)[mutant.where]
    plan = _plan_of(op) | {mutant.field: mutant.value}
    op.attributes[PLAN_ATTRIBUTE] = plan_attribute(plan)


def _names(mutant: PlanMutant) -> tuple[str, ...]:
    """What a message may call the field."""
    return (mutant.field, *OTHER_NAMES.get(mutant.field, ()))


OTHER_NAMES = {"slots": ("ring of",), "ahead": ("ring of",)}


DEFAULTS: dict[tuple[str, str], Value] = {
    ("store", "engine"): "threads",
    ("product", "warps_b"): 1,
    ("product", "lhs"): "shared",
    ("product", "stage"): 0,
    ("product", "lag"): 0,
    ("product", "promote"): 0,
    ("product", "swap"): 0,
}
"""What fields are that are not there; the division by warps is the entry's then."""
REASONS: dict[tuple[str, str, Value], str] = {
    ("sm_80", "lag", 1): "products of warps are done when their instruction is",
    ("sm_80", "stage", 1): "there is no other product in the iteration",
    **{
        ("sm_80", "convert", which): "threads convert what warps multiply, anyway"
        for which in ("a", "b", "ab")
    },
    ("sm_90", "stage", 1): "there is no other product in the iteration",
}
"""Why a value changes nothing: chip, field, value."""
CHAINED_REASONS: dict[tuple[str, str, Value], str] = {
    (
        "sm_90",
        "lag",
        0,
    ): "a product that runs an iteration behind is awaited in its iteration",
    ("sm_90", "convert", "a"): "threads make the left operand: nothing copies it",
}
"""The same of the second of two chained products."""


def reason_for(mutant: PlanMutant, subject: Subject) -> str:
    """Why a value changes nothing, if it may not."""
    key = (mutant.where, mutant.field)
    is_default = DEFAULTS.get(key, subject.entry_plan.get(mutant.field)) == mutant.value
    if mutant.old is None and is_default:
        return "a field that is not there is that"
    if mutant.where != "product":
        return ""
    own = CHAINED_REASONS if subject.kernel == "chained" else {}
    return (REASONS | own).get((subject.chip, mutant.field, mutant.value), "")


def is_expected(outcome: str, reason: str) -> bool:
    """Whether a mutant is refused or honoured, or there is a reason for neither."""
    return outcome == "nothing" if reason else outcome in ("refused", "honoured")


def main() -> int:
    """Runs every mutant; 1 if one is neither refused nor honoured, without a reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chip", choices=CHIPS)
    parser.add_argument("--kernel", choices=KERNELS)
    add_sample_option(parser, 3)
    options = parser.parse_args()
    counts, failed = Counter[str](), 0
    chips = [options.chip] if options.chip else CHIPS
    kernels = [options.kernel] if options.kernel else KERNELS
    for chip, kernel in product(chips, kernels):
        subject = Subject(chip, kernel)
        for mutant in subject.mutants:
            if not is_sampled(f"{chip}, {kernel}: {mutant}", options.sample):
                continue
            got, reason = subject.outcome(mutant), reason_for(mutant, subject)
            what = f"{got} ({reason})" if reason else got
            counts[f"{mutant.where} {mutant.field}: {what}"] += 1
            if not is_expected(got, reason):
                failed += 1
                print(f"{chip}, {kernel}: {mutant}: {what}", flush=True)
    for line, times in sorted(counts.items()):
        print(f"  {times:5} {line}")
    print(f"{counts.total() - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
