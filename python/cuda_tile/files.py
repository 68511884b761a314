# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads kernel files (text or Tile IR bytecode) and writes bytecode."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import BinaryIO

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.admission import check_depth, check_text
from cuda_tile.errors import UserError, expect
from cuda_tile.locations import place_text

MAGIC = b"\x7fTileIR\x00"
"""First bytes of a Tile IR bytecode file."""

ELF_MAGIC = b"\x7fELF"
"""First bytes of a cubin."""

_CPP = "CUDA C++; `nvcc --enable-tile -tilebc` makes bytecode of it (docs/from-cpp.md)"
OTHER_LANGUAGES = {
    ".py": "a Python program; `python -m cuda_tile.cutile FILE` runs one in cuTile "
    "(docs/cutile.md), and one that uses cuda_tile.builder is run by Python",
    ".cu": _CPP,
    ".cpp": _CPP,
    ".ptx": "PTX; `python -m cuda_tile.emulator FILE` runs it (docs/emulator.md)",
    ".jl": "Julia; docs/from-julia.md says how to get bytecode of it",
    ".rs": "Rust; docs/from-rust.md says how to get bytecode of it",
}
"""By suffix: what a file is that is neither text nor bytecode, and what runs it."""

DEFAULT_VERSION = "13.3"
"""Bytecode version that is written by default."""


def load(
    source: str | os.PathLike[str] | bytes,
    *,
    context: ir.Context | None = None,
    strict: bool = False,
) -> ir.Module:
    """Reads a kernel file; its content decides between text and bytecode.

    Args:
        source: A path, or the file's bytes.
        context: Context of the new module; a new context by default.
        strict: Refuse bytecode with bytes or flags that nothing reads; otherwise a
            warning reports them.

    Returns:
        A verified `builtin.module` that contains the file's tile modules.

    Raises:
        UserError: The file cannot be read or does not contain valid Tile IR; the
            message has every diagnostic with its location.
    """
    expect("source", source, (str, os.PathLike, bytes), "a path or a file's bytes")
    expect("context", context, (ir.Context, type(None)), "a Context or None")
    data = read_bytes(source)
    context = context or ir.Context()
    with context, ir.Location.unknown():
        try:
            if data.startswith(MAGIC):
                module = _cuda_tile.read_bytecode(data, _name(source), context, strict)
            else:
                module = _parse_text(data, source)
        except ir.MLIRError as error:
            said = _other_language(source) or diagnostics_text(error)
            raise UserError(said) from None
    check_depth(module)
    return module


def _other_language(source: str | os.PathLike[str] | bytes) -> str | None:
    """What to say of a program in another language, told by the name of its file."""
    name = "" if isinstance(source, bytes) else _name(source)
    language = OTHER_LANGUAGES.get(Path(name).suffix)
    if language is None:
        return None
    return (
        f"{name}: expected MLIR text or Tile IR bytecode, got a file named like "
        f"{language}"
    )


def _name(source: str | os.PathLike[str] | bytes) -> str:
    """How MLIR has the name of a file: in UTF-8, whatever the locale."""
    if isinstance(source, bytes):
        return "<bytes>"
    return os.fsencode(source).decode(errors="replace")


def read_bytes(source: str | os.PathLike[str] | bytes) -> bytes:
    """The bytes of a file, or those that are given.

    Raises:
        UserError: The file cannot be read.
    """
    if isinstance(source, bytes):
        return source
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise UserError(f"cannot read '{source}': {error.strerror}") from None


def _parse_text(data: bytes, source: str | os.PathLike[str] | bytes) -> ir.Module:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            f"{_name(source)}: expected MLIR text or Tile IR bytecode (which starts "
            f"with {MAGIC!r}), got bytes that are neither, at offset {error.start}"
            f"{'; it is a cubin or another ELF file' * data.startswith(ELF_MAGIC)}"
        ) from None
    name = _name(source)
    check_text(data, name)
    # Bytes have no name, and some names have bytes that MLIR takes for none.
    has_name = not isinstance(source, bytes) and name.encode() == os.fsencode(source)
    # The name of a file is in locations.
    return ir.Module.parseFile(name) if has_name else ir.Module.parse(text)


def diagnostics_text(error: ir.MLIRError) -> str:
    """All diagnostics of a failure, one per line, each with its location."""
    lines = (
        f"{place_text(diagnostic.location)}: error: {diagnostic.message}"
        for diagnostic in error.error_diagnostics
    )
    return "\n".join(lines) or error.message


def save(
    module: ir.Module | ir.Operation | ir.OpView,
    file: str | os.PathLike[str] | BinaryIO | None = None,
    *,
    version: str = DEFAULT_VERSION,
) -> bytes:
    """Writes a module as Tile IR bytecode, which `load` and NVIDIA's compiler read.

    Args:
        module: A `cuda_tile.module`, or a `builtin.module` that contains only one.
        file: A path or an open binary file to write to as well.
        version: Version of the format, "13.1" to "13.5". A compiler reads files of its
            own version and of older ones.

    Returns:
        The bytes of the file.

    Raises:
        UserError: The module is invalid, or uses something newer than the version (with
            every diagnostic and its location), or the file cannot be written.
    """
    module_kinds = (ir.Module, ir.Operation, ir.OpView)
    expect("module", module, module_kinds, "a module, as cuda_tile.load gives it")
    expect("version", version, str, "one such as '13.3'")
    if not hasattr(file, "write"):
        kinds = (str, os.PathLike, type(None))
        expect("file", file, kinds, "a path or an open binary file")
    versions = _cuda_tile.bytecode_versions()
    if version not in versions:
        known = ", ".join(versions)
        raise UserError(f"expected a bytecode version of {known}, got '{version}'")
    try:
        data = _cuda_tile.write_bytecode(module, version)
    except ir.MLIRError as error:
        raise UserError(diagnostics_text(error)) from None
    if file is None:
        return data
    try:
        if isinstance(file, (str, os.PathLike)):
            Path(file).write_bytes(data)
        else:
            file.write(data)
    except OSError as error:
        raise UserError(f"cannot write '{file}': {error.strerror}") from None
    return data


def launch_path(cubin: Path) -> Path:
    """Where the launch records of a cubin are: `k.launch.json` beside `k.cubin`."""
    stem = cubin.stem if cubin.suffix == ".cubin" else cubin.name
    return cubin.with_name(stem + ".launch.json")


def replace_file(path: Path, raw: bytes) -> None:
    """Writes a file so that readers see the old content or the new one.

    Raises:
        OSError: It cannot be written; what was there before stays.
    """
    unique = f"{os.getpid()}.{threading.get_ident()}"
    temporary = path.with_name(f".{path.name}.{unique}.tmp")
    try:
        temporary.write_bytes(raw)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
