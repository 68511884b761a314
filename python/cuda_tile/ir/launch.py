# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launch data of a kernel: an attribute that `emit` writes on its `llvm.func`.

Level P holds no tiles. So this attribute keeps what launchers and reports need: the
launch record of `runtime/record.py`, and further lines of a report.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.errors import UserError
from cuda_tile.ir.attributes import attribute_of, value_of
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import body, entry_name, location_text
from cuda_tile.records import dataclass
from cuda_tile.runtime.record import LaunchRecord

LAUNCH_ATTRIBUTE = "tileas.launch"
KERNEL_ATTRIBUTE = "nvvm.kernel"
CLUSTERS_ATTRIBUTE = "nvvm.blocksareclusters"
"""On a kernel whose grid is counted in clusters, see `runtime/record.py`."""
CLUSTER_EXTENTS_ATTRIBUTE = "nvvm.cluster_dim"


@dataclass(frozen=True)
class LaunchData(LaunchRecord):
    """How to launch a compiled kernel, and the decisions of the compiler.

    Attributes:
        shared_bytes: Shared memory of a CTA, static and dynamic together.
        plan: The plan attribute as text.
        remarks: What was given up for want of registers or shared memory, and why.
        choice: Why the plan of an entry with products is as it is.
        estimate: The estimated costs of the plan; empty for a plan made by hand.
    """

    shared_bytes: int = 0
    plan: str = ""
    remarks: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    estimate: dict[str, Any] = field(default_factory=dict[str, Any])

    def to_attribute(self) -> ir.Attribute:
        """The dictionary attribute."""
        return attribute_of(
            {
                **self.to_json(),
                "shared_bytes": self.shared_bytes,
                "plan": self.plan,
                "remarks": list(self.remarks),
                **({"choice": list(self.choice)} if self.choice else {}),
                **({"estimate": self.estimate} if self.estimate else {}),
            }
        )

    @classmethod
    def from_attribute(cls, attribute: ir.Attribute) -> LaunchData:
        """Reads what `to_attribute` makes.

        Raises:
            KeyError: A key is missing.
            TypeError: The attribute, or a value in it, is of another kind.
            UserError: The launch record in it is not valid.
            ValueError: As for TypeError.
        """
        values = value_of(attribute)
        record = LaunchRecord.from_json(values)
        return cls(
            **{each.name: getattr(record, each.name) for each in fields(record)},
            shared_bytes=int(values["shared_bytes"]),
            plan=str(values["plan"]),
            remarks=tuple(map(str, values["remarks"])),
            choice=tuple(map(str, values.get("choice", ()))),
            estimate=dict(values.get("estimate", {})),
        )


def device_modules(module: ir.Operation) -> list[ir.Operation]:
    """Every `gpu.module` of a module at level P."""
    ops = [op.operation for op in module.regions[0].blocks[0].operations]
    return [op for op in ops if op.name == "gpu.module"]


def emitted_kernels(module: ir.Operation) -> list[ir.Operation]:
    """Every kernel of a module at level P, an `llvm.func` in a `gpu.module`."""
    return [
        op.operation
        for device in device_modules(module)
        for op in device.regions[0].blocks[0].operations
        if KERNEL_ATTRIBUTE in op.operation.attributes
    ]


def parameter_types(entry: ir.Operation) -> tuple[str, ...]:
    """Element types of an entry's parameters: `ptr<f16>`, `i32`, `f32`...

    Raises:
        UserError: A parameter is no tile.
    """
    for argument in body(entry).arguments:
        if not isinstance(argument.type, TileType):
            raise UserError(
                f"expected parameters that are tiles, such as tile<i32>, got "
                f"{argument.type}",
                location_text(entry),
            )
    texts = (str(element_of(argument)) for argument in body(entry).arguments)
    return tuple(text.removeprefix("!cuda_tile.") for text in texts)


def read_launch(kernel: ir.Operation) -> LaunchData:
    """The launch data of a kernel at level P.

    Raises:
        UserError: There are none, or `emit` does not write such data.
    """
    name, where = entry_name(kernel), location_text(kernel)
    if LAUNCH_ATTRIBUTE not in kernel.attributes:
        raise UserError(
            f"expected attribute '{LAUNCH_ATTRIBUTE}' on kernel @{name}, as "
            "cuda-tile-emit writes it, got none",
            where,
        )
    attribute = kernel.attributes[LAUNCH_ATTRIBUTE]
    try:
        return LaunchData.from_attribute(attribute)
    except (KeyError, TypeError, UserError, ValueError) as error:
        raise UserError(
            f"expected '{LAUNCH_ATTRIBUTE}' on kernel @{name} as cuda-tile-emit writes "
            f"it, got {attribute} ({error})",
            where,
        ) from None


def strings_of(attribute: ir.Attribute) -> tuple[str, ...]:
    """The texts of an array of strings.

    Raises:
        ValueError: The attribute is something else.
    """
    return tuple(ir.StringAttr(each).value for each in ir.ArrayAttr(attribute))
