# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of what the driver provides to kernels, and the constants they take.

`vprintf`, `__assertfail`, `malloc` and `free` (PTX Writer's Guide to Interoperability,
"System Calls"; CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic
Global Memory Allocation and Operations"). They take generic addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.errors import InternalError

VALUES_PER_CALL = 32
"""What one call of `vprintf` takes at most (CUDA C++ Programming Guide, "Formatted
Output", Limitations)."""
ARGUMENT_BYTES = 8 * VALUES_PER_CALL
"""Room for them."""


class Calls:
    """The driver's functions for one kernel.

    Args:
        builder: Where the calls go.
        table: Gives the address of constant bytes in global memory.
    """

    def __init__(self, builder: Builder, table: Callable[[bytes], ir.Value]) -> None:
        self._builder = builder
        self._table = table
        self._constants: dict[bytes, ir.Value] = {}
        self._arguments: ir.Value | None = None
        self.pointer = ir.Type.parse("!llvm.ptr")

    def malloc(self, size_bytes: int) -> ir.Value:
        """Takes memory of the device's heap: its address, or zero (i64)."""
        b = self._builder
        size = b.constant(b.i64, min(size_bytes, (1 << 63) - 1))
        return b.op("llvm.ptrtoint", b.i64, b.call("malloc", self.pointer, [size]))

    def free(self, address: ir.Value) -> None:
        """Gives back what `malloc` gave (i64)."""
        b = self._builder
        pointer = b.op("llvm.inttoptr", self.pointer, address)
        b.call_for_effect("free", [pointer])

    def fail(self, message: str, file: str, line: int, function: str) -> None:
        """Ends the kernel with an error, as C's `assert` does.

        Args:
            message: The text of the error.
            file: The source file.
            line: The line in it.
            function: The name of the kernel.
        """
        b = self._builder
        place = (self.text(file), b.constant(b.i32, line), self.text(function))
        size = b.constant(b.i64, 1)
        b.call_for_effect("__assertfail", [self.text(message), *place, size])

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
        """Prints values of 4 or 8 bytes, each at a multiple of its size.

        Args:
            layout: The format, as that of printf.
            values: The values.
        """
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
        b.call("vprintf", b.i32, [self.text(layout), self._arguments])
