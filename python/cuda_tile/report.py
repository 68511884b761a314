# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What became of a kernel: resources, occupancy, plan, time; text and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from math import prod
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.codegen.ptxas import Assembled, KernelResources
from cuda_tile.ir.attributes import value_of
from cuda_tile.ir.launch import LaunchData
from cuda_tile.pictured import Pictured
from cuda_tile.records import dataclass
from cuda_tile.remarks import read_remark
from cuda_tile.targets import WARP_LANES, Target

SCHEMA = 2
"""Version of the JSON, which `report_schema.json` describes; it goes up when a field
goes or means something else, not when one is added."""


@dataclass(frozen=True)
class KernelReport(Pictured):
    """The facts of one compiled kernel.

    Attributes:
        kernel: Its symbol.
        gpu: Target chip, by the name that the user gave.
        arch: What the code was compiled for: `sm_90a` for sm_90.
        threads: Threads per CTA.
        registers: 32-bit registers per thread.
        spill_bytes: Bytes spilled to local memory, loads and stores.
        shared_bytes: Shared memory per CTA, static and dynamic.
        occupancy: Share of the multiprocessor's threads that may be resident.
        plan: The plan attribute as text.
        remarks: What was given up for want of registers or shared memory, and why.
        choice: Why the plan of an entry with products is as it is: what it was compared
            with, by estimates.
        estimate: What the plan was estimated to take, of which the final numbers stand
            above: `clocks` of an iteration by part, `iteration` with latency,
            `registers`, `register_limit`, `shared_bytes` of rings, `ctas`. Empty for a
            plan by hand.
        launch: The launch record, see `runtime/record.py`, as JSON has it.
    """

    kernel: str
    gpu: str
    arch: str
    threads: int
    registers: int
    spill_bytes: int
    shared_bytes: int
    occupancy: float
    plan: str
    remarks: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    estimate: dict[str, Any] = field(default_factory=dict[str, Any])
    launch: dict[str, Any] = field(default_factory=dict[str, Any])

    def data(self) -> dict[str, Any]:
        """The report as JSON has it: the plan and each remark as an object."""
        with ir.Context():
            plan: Any = value_of(ir.Attribute.parse(self.plan or "{}"))
        remarks = [read_remark(text, self.kernel).data() for text in self.remarks]
        return {**asdict(self), "plan": plan, "remarks": remarks}

    @property
    def launch_texts(self) -> list[str]:
        """What a launcher must do beyond passing the kernel's own parameters."""
        lines: list[str] = []
        if self.launch.get("grid") == "persistent":
            lines.append("persistent: no more CTAs than the chip holds at once")
        for part in self.launch.get("appended", ()):
            if part["kind"] == "grid_extents":
                lines.append("append the grid's extents")
            else:
                base, access = part["base"], part["access"]
                lines.append(f"append a tensor map of parameter {base} for {access}s")
        return lines

    @property
    def target_text(self) -> str:
        """The chip, and what was compiled for where that has another name."""
        is_same = self.gpu == self.arch
        return self.gpu if is_same else f"{self.gpu} (compiled for {self.arch})"


@dataclass(frozen=True)
class Report(Pictured):
    """Everything a compilation says beside its code.

    Attributes:
        kernels: One per entry, in order.
        warnings: Lines ptxas warned with; empty is good.
        seconds: CPU seconds per step, child processes included.
    """

    kernels: tuple[KernelReport, ...]
    warnings: tuple[str, ...]
    seconds: dict[str, float]

    def data(self) -> dict[str, Any]:
        """What a result has in JSON, of one kernel file or of one among many."""
        return {
            "kernels": [kernel.data() for kernel in self.kernels],
            "warnings": list(self.warnings),
            "seconds": sum(self.seconds.values()),
            "steps": self.seconds,
        }

    def to_json(self, versions: dict[str, str] | None = None) -> str:
        """The report as one JSON object, see `report_schema.json`.

        Args:
            versions: Of the programs that made it; left out where they are not known.
        """
        head = {"schema": SCHEMA, **({"versions": versions} if versions else {})}
        return json.dumps({**head, **self.data()}, indent=2)

    def to_text(self) -> str:
        """The report as a person reads it."""
        lines: list[str] = []
        for k in self.kernels:
            lines += [
                f"kernel @{k.kernel} for {k.target_text}",
                f"  threads per CTA    {k.threads}",
                f"  registers          {k.registers}",
                f"  spilled bytes      {k.spill_bytes}",
                f"  shared memory      {k.shared_bytes} bytes",
                f"  occupancy          {k.occupancy:.0%}",
                f"  plan               {k.plan}",
                *(f"  choice             {line}" for line in k.choice),
                *(f"  launch             {part}" for part in k.launch_texts),
                *(f"  remark             {remark}" for remark in k.remarks),
            ]
        lines += [f"warning: {line}" for line in self.warnings]
        total = sum(self.seconds.values())
        lines.append(f"compile time         {total * 1e3:.0f} ms")
        return "\n".join(lines)

    def launch_json(self) -> str:
        """The launch record of each kernel by its name, for a launcher of the cubin."""
        records = {kernel.kernel: kernel.launch for kernel in self.kernels}
        return launch_json(records)

    def timing_text(self) -> str:
        """Time per step with its share, slowest last step included."""
        total = sum(self.seconds.values()) or 1.0
        lines = [f"{'step':<10} {'ms':>8} {'share':>6}"]
        lines += [
            f"{name:<10} {spent * 1e3:8.1f} {spent / total:6.0%}"
            for name, spent in self.seconds.items()
        ]
        lines.append(f"{'total':<10} {total * 1e3:8.1f} {1:6.0%}")
        return "\n".join(lines)


def launch_json(records: Mapping[str, Any]) -> str:
    """What stands in the `.launch.json` beside a cubin: a schema, records by kernel."""
    return json.dumps({"schema": SCHEMA, "kernels": records}, indent=2) + "\n"


def make_report(
    target: Target,
    launch: dict[str, LaunchData],
    assembled: Assembled,
    seconds: dict[str, float],
    slow: Mapping[str, tuple[str, ...]],
) -> Report:
    """Puts a report together.

    Args:
        target: The chip.
        launch: Launch data per kernel, in order.
        assembled: What ptxas said; a kernel that it says nothing of is left out.
        seconds: CPU seconds per step.
        slow: Remarks on slow accesses, by kernel.
    """
    kernels = tuple(
        _kernel_report(
            name, target, data, assembled.resources[name], slow.get(name, ())
        )
        for name, data in launch.items()
        if name in assembled.resources
    )
    return Report(kernels, assembled.warnings, seconds)


def _kernel_report(
    name: str,
    target: Target,
    data: LaunchData,
    resources: KernelResources,
    slow: tuple[str, ...],
) -> KernelReport:
    threads = prod(data.block)
    return KernelReport(
        kernel=name,
        gpu=target.name,
        arch=target.arch,
        threads=threads,
        registers=resources.registers,
        spill_bytes=resources.spill_load_bytes + resources.spill_store_bytes,
        shared_bytes=data.shared_bytes,
        occupancy=occupancy(target, resources, threads, data.shared_bytes),
        plan=data.plan,
        remarks=data.remarks + slow,
        choice=data.choice,
        estimate=data.estimate,
        launch=data.to_json(),
    )


def occupancy(
    target: Target, resources: KernelResources, threads: int, shared_bytes: int
) -> float:
    """Share of a multiprocessor's threads that can be resident at once."""
    registers = max(1, resources.registers)
    ctas = target.resident_ctas(threads // WARP_LANES, registers, shared_bytes)
    return ctas * threads / target.threads_per_sm
