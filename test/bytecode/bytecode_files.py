# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading bytecode in tests."""

from pathlib import Path

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
VERSIONS = ("13.1", "13.4")
NAMES = sorted(path.stem for path in (KERNELS / "13.1").glob("*.tileirbc"))


def kernel(version: str, name: str) -> bytes:
    """The bytes of a real kernel."""
    return (KERNELS / version / f"{name}.tileirbc").read_bytes()


def read(data: bytes, context: ir.Context, *, strict: bool = False) -> ir.Module:
    """Reads a file; a bad one raises MLIRError."""
    return _cuda_tile.read_bytecode(data, "test.tileirbc", context, strict)


def messages(data: bytes, context: ir.Context, *, strict: bool = False) -> list[str]:
    """What the reader says against `data`; empty if it reads."""
    try:
        read(data, context, strict=strict)
    except ir.MLIRError as error:
        return [diagnostic.message for diagnostic in error.error_diagnostics]
    return []


def refusal(module: ir.Module, version: str) -> str:
    """What the writer says against `module`.

    Raises:
        AssertionError: It says nothing.
    """
    try:
        _cuda_tile.write_bytecode(module, version)
    except ir.MLIRError as error:
        return str(error)
    raise AssertionError(f"expected {version} not to hold the module")


def op_names(module: ir.Module) -> set[str]:
    """Names of all ops without the dialect's."""
    names: set[str] = set()

    def note(op: ir.Operation) -> ir.WalkResult:
        names.add(op.name.removeprefix("cuda_tile."))
        return ir.WalkResult.ADVANCE

    module.operation.walk(note, ir.WalkOrder.PRE_ORDER)
    return names
