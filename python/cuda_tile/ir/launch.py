"""Launch data of a kernel: an attribute that `emit` writes on its `llvm.func`.

Level P holds no tiles, so what launchers and reports need to know is kept here.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import body, entry_name, location_text

LAUNCH_ATTRIBUTE = "tileas.launch"
KERNEL_ATTRIBUTE = "nvvm.kernel"


@dataclass(frozen=True)
class LaunchData:
    """How to launch a compiled kernel, and what was decided for it.

    Attributes:
        block: Threads per CTA along x, y, z; the grid counts tile blocks.
        dynamic_shared_bytes: Shared memory to ask for at launch.
        shared_bytes: Shared memory of a CTA, of fixed size and dynamic.
        parameters: Types of the kernel's parameters, in order.
        plan: The plan attribute as text.
        remarks: What was given up for want of registers or shared memory, and why.
    """

    block: tuple[int, int, int]
    dynamic_shared_bytes: int = 0
    shared_bytes: int = 0
    parameters: tuple[str, ...] = ()
    plan: str = ""
    remarks: tuple[str, ...] = ()

    def to_attribute(self) -> ir.Attribute:
        """The dictionary attribute."""
        i64 = ir.IntegerType.get_signless(64)
        return ir.DictAttr.get(
            {
                "block": ir.DenseI32ArrayAttr.get(list(self.block)),
                "dynamic_shared_bytes": ir.IntegerAttr.get(
                    i64, self.dynamic_shared_bytes
                ),
                "shared_bytes": ir.IntegerAttr.get(i64, self.shared_bytes),
                "parameters": _strings(self.parameters),
                "plan": ir.StringAttr.get(self.plan),
                "remarks": _strings(self.remarks),
            }
        )

    @classmethod
    def from_attribute(cls, attribute: ir.Attribute) -> LaunchData:
        """Reads what `to_attribute` makes.

        Raises:
            KeyError: A key is missing.
            ValueError: The attribute, or a value in it, is of another kind.
        """
        values = ir.DictAttr(attribute)
        x, y, z = ir.DenseI32ArrayAttr(values["block"])
        return cls(
            block=(x, y, z),
            dynamic_shared_bytes=ir.IntegerAttr(values["dynamic_shared_bytes"]).value,
            shared_bytes=ir.IntegerAttr(values["shared_bytes"]).value,
            parameters=strings_of(values["parameters"]),
            plan=ir.StringAttr(values["plan"]).value,
            remarks=strings_of(values["remarks"]),
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
    """Element types of an entry's parameters: `ptr<f16>`, `i32`, `f32`..."""
    texts = (str(element_of(argument)) for argument in body(entry).arguments)
    return tuple(text.removeprefix("!cuda_tile.") for text in texts)


def read_launch(kernel: ir.Operation) -> LaunchData:
    """The launch data that stand on a kernel of level P.

    Raises:
        UserError: There are none, or they are not what `emit` writes.
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
    except (KeyError, ValueError) as error:
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


def _strings(texts: tuple[str, ...]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])
