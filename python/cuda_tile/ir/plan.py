"""The plan of a kernel: an attribute on its entry, and a value for passes."""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.walk import entry_name, location_text

PLAN_ATTRIBUTE = "tileas.plan"
TARGET_ATTRIBUTE = "tileas.target"
MAX_WARPS = 16


@dataclass(frozen=True)
class Plan:
    """The decisions for one kernel, as the attribute holds them."""

    num_warps: int
    warps_m: int = 1
    warps_n: int = 1
    mma: str = "none"
    min_ctas: int = 0

    def to_attribute(self) -> ir.Attribute:
        """The dictionary attribute; integers are i64."""
        i64 = ir.IntegerType.get_signless(64)
        values: dict[str, ir.Attribute] = {
            "num_warps": ir.IntegerAttr.get(i64, self.num_warps)
        }
        if self.mma != "none":
            values["warps_m"] = ir.IntegerAttr.get(i64, self.warps_m)
            values["warps_n"] = ir.IntegerAttr.get(i64, self.warps_n)
            values["mma"] = ir.StringAttr.get(self.mma)
        if self.min_ctas:
            values["min_ctas"] = ir.IntegerAttr.get(i64, self.min_ctas)
        return ir.DictAttr.get(values)


def read_plan(entry: ir.Operation) -> Plan:
    """The plan that stands on an entry.

    Raises:
        UserError: There is none, or it is not usable; says which field.
    """
    where = location_text(entry)
    if PLAN_ATTRIBUTE not in entry.attributes:
        raise UserError(
            f"expected attribute '{PLAN_ATTRIBUTE}' on entry @{entry_name(entry)}; "
            "run cuda-tile-plan first",
            where,
        )
    attr = ir.DictAttr(entry.attributes[PLAN_ATTRIBUTE])
    numbers = {
        key: ir.IntegerAttr(attr[key]).value
        for key in ("num_warps", "warps_m", "warps_n", "min_ctas")
        if key in attr
    }
    mma = ir.StringAttr(attr["mma"]).value if "mma" in attr else "none"
    plan = Plan(mma=mma, **{"num_warps": 0, **numbers})
    if plan.num_warps not in (1, 2, 4, 8, MAX_WARPS):
        raise UserError(
            f"expected num_warps of 1, 2, 4, 8 or {MAX_WARPS} in '{PLAN_ATTRIBUTE}', "
            f"got {plan.num_warps}",
            where,
        )
    if mma != "none" and plan.warps_m * plan.warps_n != plan.num_warps:
        raise UserError(
            f"expected warps_m x warps_n = num_warps in '{PLAN_ATTRIBUTE}', got "
            f"{plan.warps_m} x {plan.warps_n} and {plan.num_warps}",
            where,
        )
    return plan
