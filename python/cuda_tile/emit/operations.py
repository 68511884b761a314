# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes `llvm` operations at a moving insertion point, and what need be made once only.

Generic `Operation.create` is used on purpose: it costs less than half of the typed
builders (measured: 0.8 against 1.8 us per op), and emission makes the bulk of all
operations. Parsing an attribute costs more than making ten operations, so attributes,
types and constants are made once per function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from cuda_tile._mlir import ir

GLOBAL_SPACE = 1
SHARED_SPACE = 3
"""NVPTX address spaces (LLVM, "User Guide for NVPTX Back-end")."""

Key = TypeVar("Key")
Made = TypeVar("Made")


class Once(dict[Key, Made]):
    """What is made where it is first asked for, by its key.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[Key], Made]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Key) -> Made:
        made = self[key] = self._make(key)
        return made


class Operations:
    """Raw operations of one `llvm.func`, its types, attributes and constants.

    Args:
        func: The function; its entry block must hold only a branch to the body.
            What does not depend on the body's control flow (constants, thread
            indices) goes before that branch and is made once.
    """

    def __init__(self, func: ir.Operation) -> None:
        self._function = func
        self.region = func.regions[0]
        entry = self.region.blocks[0]
        self.prologue = ir.InsertionPoint(list(entry.operations)[-1])
        self.ip = ir.InsertionPoint(self.region.blocks[1])
        self.loc = func.location
        self.i1, self.i8, self.i16, self.i32, self.i64 = (
            ir.IntegerType.get_signless(bits) for bits in (1, 8, 16, 32, 64)
        )
        self.f16, self.bf16 = ir.F16Type.get(), ir.BF16Type.get()
        self.f32, self.f64 = ir.F32Type.get(), ir.F64Type.get()
        self.global_pointer = ir.Type.parse(f"!llvm.ptr<{GLOBAL_SPACE}>")
        self.shared_pointer = ir.Type.parse(f"!llvm.ptr<{SHARED_SPACE}>")
        i64, in_prologue = self.i64, self.in_prologue
        self._attributes = Once(ir.Attribute.parse)
        self._numbers = Once[int, ir.Attribute](lambda n: ir.IntegerAttr.get(i64, n))
        self._constants = Once(self._make_constant)
        self._structs = Once(_struct_type)
        self._positions = Once(_positions)
        self._poisons = Once[ir.Type, ir.Value](
            lambda ty: in_prologue("llvm.mlir.poison", ty)
        )

    def attribute(self, text: str) -> ir.Attribute:
        """An attribute that is written as `text`."""
        return self._attributes[text]

    def number(self, value: int) -> ir.Attribute:
        """An i64 attribute."""
        return self._numbers[value]

    def vector_type(self, count: int, element: ir.Type) -> ir.Type:
        """`element` itself for one, else a vector."""
        return element if count == 1 else ir.VectorType.get([count], element)

    def struct_type(self, types: Sequence[ir.Type]) -> ir.Type:
        """A literal LLVM struct."""
        return self._structs[tuple(types)]

    def poison(self, ty: ir.Type) -> ir.Value:
        """A value without any bit yet."""
        return self._poisons[ty]

    def constant(self, ty: ir.Type, value: int | float) -> ir.Value:
        """A scalar constant, made once per function; integers wrap to the width."""
        return self._constants[ty, value if isinstance(value, int) else repr(value)]

    def _make_constant(self, key: tuple[ir.Type, int | str]) -> ir.Value:
        ty, value = key
        if isinstance(ty, ir.IntegerType):
            number = wrapped(int(float(value) if isinstance(value, str) else value), ty)
            if number != value:
                return self._constants[ty, number]
            attribute: ir.Attribute = ir.IntegerAttr.get(ty, number)
        else:
            attribute = ir.FloatAttr.get(ty, float(value))
        return self.in_prologue("llvm.mlir.constant", ty, value=attribute)

    def create(
        self,
        name: str,
        results: Sequence[ir.Type],
        operands: Sequence[ir.Value],
        attributes: dict[str, ir.Attribute] | None = None,
    ) -> ir.Operation:
        """One operation at the insertion point."""
        return ir.Operation.create(
            name,
            results=results,
            operands=operands,
            attributes=attributes,
            loc=self.loc,
            ip=self.ip,
        )

    def op(
        self,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation with one result."""
        return ir.Operation.create(
            name,
            results=[result],
            operands=operands,
            attributes=attributes or None,
            loc=self.loc,
            ip=self.ip,
        ).result

    def in_prologue(
        self,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation that runs once, before the body."""
        return self.at(self.prologue, name, result, *operands, **attributes)

    def at(
        self,
        place: ir.InsertionPoint,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation at another place than the insertion point."""
        saved, self.ip = self.ip, place
        value = self.op(name, result, *operands, **attributes)
        self.ip = saved
        return value

    def fields(self, value: ir.Value, types: Sequence[ir.Type]) -> list[ir.Value]:
        """The fields of a struct value."""
        operands, create, loc, ip = [value], ir.Operation.create, self.loc, self.ip
        return [
            create(
                "llvm.extractvalue",
                results=[ty],
                operands=operands,
                attributes=attributes,
                loc=loc,
                ip=ip,
            ).result
            for ty, attributes in zip(types, self._positions[len(types)], strict=True)
        ]

    def global_bytes(self, number: int, data: bytes) -> ir.Value:
        """Address of a new constant in global memory, the kernel's table `number`.

        It is aligned to 16 bytes.
        """
        kernel = ir.StringAttr(self._function.attributes["sym_name"]).value
        name = f"table_{number}_{kernel}"
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(name),
            "global_type": ir.TypeAttr.get(
                ir.Type.parse(f"!llvm.array<{len(data)} x i8>")
            ),
            "linkage": self.attribute("#llvm.linkage<internal>"),
            "constant": ir.UnitAttr.get(),
            "addr_space": ir.IntegerAttr.get(self.i32, GLOBAL_SPACE),
            "alignment": self.number(16),
            "value": ir.StringAttr.get(data),
        }
        with ir.InsertionPoint(self._function), self.loc:
            ir.Operation.create("llvm.mlir.global", attributes=attributes, regions=1)
        return self.in_prologue(
            "llvm.mlir.addressof",
            self.global_pointer,
            global_name=ir.FlatSymbolRefAttr.get(name),
        )


def wrapped(value: int, ty: ir.IntegerType) -> int:
    """A number in the width of a type; with a sign, but for a truth value."""
    value &= (1 << ty.width) - 1
    is_negative = value >> (ty.width - 1) and ty.width > 1
    return value - (1 << ty.width) if is_negative else value


def _struct_type(types: tuple[ir.Type, ...]) -> ir.Type:
    return ir.Type.parse(f"!llvm.struct<({', '.join(map(str, types))})>")


def _positions(count: int) -> list[dict[str, ir.Attribute]]:
    """The attributes of extractions of so many fields."""
    return [{"position": ir.DenseI64ArrayAttr.get([i])} for i in range(count)]
