"""Calls of what the driver provides to kernels, and the constants they take.

`vprintf`, `__assertfail`, `malloc` and `free` (PTX Writer's Guide to Interoperability,
"System Calls"; CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic
Global Memory Allocation and Operations"). They take generic addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import GLOBAL_SPACE, Builder
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import block_ops, entry_name

VPRINTF = ("vprintf", "i32 (ptr, ptr)")
ASSERT_FAIL = ("__assertfail", "void (ptr, ptr, i32, ptr, i64)")
MALLOC = ("malloc", "ptr (i64)")
FREE = ("free", "void (ptr)")
ARGUMENT_BYTES = 256
"""Room for the arguments of one call of `vprintf`: it takes at most 32 (CUDA C++
Programming Guide, "Formatted Output", Limitations)."""


class Calls:
    """The driver's functions for one kernel; declares what it calls.

    Args:
        func: The kernel, in its `gpu.module`.
        builder: Where the calls go.
        table: Gives the address of constant bytes in global memory.
    """

    def __init__(
        self,
        func: ir.Operation,
        builder: Builder,
        table: Callable[[bytes], ir.Value],
    ) -> None:
        self._func = func
        self._builder = builder
        self._table = table
        self._constants: dict[bytes, ir.Value] = {}
        self._arguments: ir.Value | None = None
        self.pointer = ir.Type.parse("!llvm.ptr")

    def call(self, function: tuple[str, str], *operands: ir.Value) -> ir.Value | None:
        """Calls a function by its name and type; gives its result, if it has one."""
        name, text = function
        self._declare(name, text)
        result = text.partition(" ")[0]
        types = [] if result == "void" else [self._type(result)]
        sizes = ir.DenseI32ArrayAttr.get([len(operands), 0])
        made = self._builder.create(
            "llvm.call",
            types,
            operands,
            {
                "callee": ir.FlatSymbolRefAttr.get(name),
                "operandSegmentSizes": sizes,
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
            },
        )
        return made.results[0] if types else None

    def _type(self, text: str) -> ir.Type:
        return self.pointer if text == "ptr" else ir.Type.parse(text)

    def _declare(self, name: str, text: str) -> None:
        """Declares a function in the module, if no kernel has done so before."""
        parent = self._func.parent
        if parent is None:
            raise InternalError("emit: expected a kernel in a gpu.module")
        for op in block_ops(parent.operation.regions[0].blocks[0]):
            if op.name == "llvm.func" and entry_name(op) == name:
                return
        with ir.InsertionPoint(self._func), self._func.location:
            ir.Operation.create(
                "llvm.func",
                attributes={
                    "sym_name": ir.StringAttr.get(name),
                    "function_type": ir.TypeAttr.get(
                        ir.Type.parse(f"!llvm.func<{text}>")
                    ),
                    "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
                    "CConv": ir.Attribute.parse("#llvm.cconv<ccc>"),
                },
                regions=1,
            )

    # Constants --------------------------------------------------------------------

    def constant(self, data: bytes) -> ir.Value:
        """Generic pointer to constant bytes."""
        b = self._builder
        if data not in self._constants:
            pointer = self._table(data)
            cast = b.in_prologue("llvm.addrspacecast", self.pointer, pointer)
            self._constants[data] = cast
        return self._constants[data]

    def text(self, text: str) -> ir.Value:
        """Generic pointer to a text that ends with a zero."""
        return self.constant(text.encode() + b"\0")

    # Printing ---------------------------------------------------------------------

    def vprintf(self, layout: str, values: Sequence[ir.Value] = ()) -> None:
        """Prints values of 4 or 8 bytes, each at a multiple of its size."""
        b = self._builder
        if self._arguments is None:
            ty = ir.Type.parse(f"!llvm.array<{ARGUMENT_BYTES} x i8>")
            one = b.constant(b.i32, 1)
            self._arguments = b.in_prologue(
                "llvm.alloca",
                self.pointer,
                one,
                elem_type=ir.TypeAttr.get(ty),
                alignment=b.number(8),
            )
        place = 0
        for value in values:
            size = 4 if value.type == b.i32 else 8
            place = -(-place // size) * size
            b.store(value, b.byte_offset(self._arguments, place), size)
            place += size
        if place > ARGUMENT_BYTES:
            raise InternalError(f"emit: {place} bytes of arguments for one vprintf")
        self.call(VPRINTF, self.text(layout), self._arguments)


def declare_global(
    symbol: str,
    ty: ir.Type,
    value: ir.Attribute,
    *,
    alignment: int = 0,
    is_constant: bool = False,
    is_public: bool = False,
) -> None:
    """An `llvm.mlir.global` in global memory, at the current insertion point."""
    i32, i64 = (ir.IntegerType.get_signless(bits) for bits in (32, 64))
    linkage = "external" if is_public else "internal"
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(symbol),
        "global_type": ir.TypeAttr.get(ty),
        "linkage": ir.Attribute.parse(f"#llvm.linkage<{linkage}>"),
        "addr_space": ir.IntegerAttr.get(i32, GLOBAL_SPACE),
        "value": value,
    }
    if alignment:
        attributes["alignment"] = ir.IntegerAttr.get(i64, alignment)
    if is_constant:
        attributes["constant"] = ir.UnitAttr.get()
    ir.Operation.create("llvm.mlir.global", attributes=attributes, regions=1)
