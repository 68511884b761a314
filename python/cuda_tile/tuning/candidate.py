# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One way to compile a kernel, the estimate of its plan, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cuda_tile.pictures.inputs import Inputs
from cuda_tile.targets import Target

NO_COST: dict[str, Any] = {
    "clocks": {},
    "iteration": 0.0,
    "registers": 0,
    "shared_bytes": 0,
}
"""The estimate of a plan that nothing is known of."""


@dataclass(frozen=True, eq=False)
class Variant:
    """A kernel with some constants and hints.

    Attributes:
        entry: Its symbol.
        data: The module with the hints, as a file has it.
        sum: `tuned.kernel_sum` of the module without them.
        inputs: The launch that is counted.
        constants: Those that the author marks, by name.
        hints: By name.
    """

    entry: str
    data: bytes = field(repr=False)
    sum: str
    inputs: Inputs = field(repr=False)
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    hints: Mapping[str, int] = field(default_factory=dict[str, int])

    def __str__(self) -> str:
        pairs = {**self.constants, **self.hints}
        return ", ".join(f"{name}={value}" for name, value in pairs.items())


@dataclass(frozen=True)
class Final:
    """What the code of a candidate takes, by ptxas and the emulator.

    Attributes:
        registers: Of a thread.
        spill_bytes: Of a thread.
        shared_bytes: Of a CTA.
        warps: Of a CTA.
        code: SHA-256 of its PTX.
        total: Clocks of the launch, see `clocks.launch_clocks`; 0 if it was not run.
        limiter: What it waits for.
        clocks: The same by unit or latency.
    """

    registers: int
    spill_bytes: int
    shared_bytes: int
    warps: int
    code: str
    total: float = 0.0
    limiter: str = ""
    clocks: Mapping[str, float] = field(default_factory=dict[str, float])

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A variant with a plan.

    Attributes:
        target: The chip.
        variant: The kernel.
        plan: What `list_plans` says of the plan; None for the compiler's own choice.
        final: What its code takes, once it was made.
    """

    target: Target
    variant: Variant
    plan: Mapping[str, Any] | None = None
    final: Final | None = None

    @property
    def number(self) -> int | None:
        """The number of the plan."""
        return None if self.plan is None else self.plan["number"]

    @property
    def predicted(self) -> Mapping[str, Any]:
        """The estimate of the plan, as `list_plans` has it."""
        return NO_COST if self.plan is None else self.plan["cost"]

    def __str__(self) -> str:
        number = "its own plan" if self.plan is None else f"plan {self.number}"
        return ", ".join(filter(None, (str(self.variant), number)))

    @property
    def words(self) -> str:
        """The plan in words."""
        if self.plan is None:
            return "as the compiler chooses"
        fields = self.plan["fields"]
        warps = fields["num_warps"]
        parts = [f"{warps} warp{'s' if warps > 1 else ''}"]
        if fields["warps_m"]:
            parts[0] += f" as {fields['warps_m']} x {fields['warps_n']}"
        parts.append(f"{fields['engine']} copies")
        if fields["roles"] == "load":
            parts.append("a role that loads")
        for name, said in (("min_ctas", "CTAs at once"), ("cluster", "CTAs a block")):
            if fields[name] > 1:
                parts.append(f"{fields[name]} {said}")
        return ", ".join(parts)
