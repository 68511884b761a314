# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-as`: Tile IR bytecode to a cubin, called as producers call `tileiras`.

Command line, exit codes and the form of messages are those that producers know
(docs/producers.md): 0 done; 1 the command line, or a file that cannot be read; 2 a
configuration that is not possible; 3 no valid bytecode; 5 the kernel cannot be
compiled. A message is `loc("FILE":LINE:COLUMN): error: TEXT`, or `error: TEXT`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from errno import EPIPE
from pathlib import Path
from typing import Any, cast

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.cli.assembler_options import (
    build_parser,
    refuse_libraries,
    refuse_or_warn,
)
from cuda_tile.cli.failure import (
    OUTPUT_FAILURES,
    internal_error_text,
    reports_errors,
)
from cuda_tile.cli.files import write_output
from cuda_tile.cli.plain_dialects import use_plain_dialects
from cuda_tile.cli.remarks import (
    KINDS,
    Kind,
    quoted,
    remarks_of,
    to_text,
    to_yaml,
    wanted,
)
from cuda_tile.codegen.build_id import build_id
from cuda_tile.codegen.ptx import empty_ptx
from cuda_tile.codegen.ptxas import assemble, ptxas_version
from cuda_tile.errors import CudaTileError, InternalError, UserError
from cuda_tile.files import MAGIC
from cuda_tile.ir.walk import entries
from cuda_tile.locations import places_of
from cuda_tile.options import Options
from cuda_tile.records import dataclass
from cuda_tile.report import Report
from cuda_tile.targets import find_target
from cuda_tile.version import __version__

COMMAND_LINE, CONFIGURATION, BYTECODE, BACK_END = 1, 2, 3, 5
"""Exit codes, by what is at fault."""
RELEASE_VARIABLE = "CUDA_TILE_AS_RELEASE"
"""Environment variable with the newest version of bytecode to claim, for producers that
refuse a compiler which is newer than they are."""
_DIAGNOSTIC = r"(?s)^(?P<place>.+?): error: (?P<text>.*)$"
_RELEASE = r"V(\d+\.\d+\.\d+)"


@dataclass(frozen=True)
class Request:
    """A checked command line.

    Attributes:
        file: Bytecode to read.
        output: Cubin to write.
        options: Choices of the compilation.
        remark_filters: Category of remarks to show, per kind.
        remark_file: Where remarks go, as YAML; None for text on stdout.
    """

    file: str
    output: str
    options: Options
    remark_filters: Mapping[Kind, str]
    remark_file: str | None


class Stop(Exception):
    """Ends the command with an exit code; what there is to say has been said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def failing_with(code: int) -> Generator[None]:
    """Prints an error as producers expect it, and ends the command with `code`.

    A fault of our own ends it with that of the back end.

    Raises:
        Stop: Something failed.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (EPIPE, *OUTPUT_FAILURES):
            raise  # for `reports_errors`
        if isinstance(error, CudaTileError) and not isinstance(error, InternalError):
            print(*message_lines(error), sep="\n", file=sys.stderr)
            raise Stop(code) from error
        print(f"error: {internal_error_text(error)}", file=sys.stderr)
        raise Stop(BACK_END) from error


def message_lines(error: CudaTileError) -> list[str]:
    """An error in the form of `loc("FILE":LINE:COLUMN): error: TEXT`.

    What was inlined is reported where it stands, with a note for each call.
    """
    if error.location is not None:
        return _located(error.location, error.message)
    lines: list[str] = []
    for line in error.message.splitlines():
        found = re.match(_DIAGNOSTIC, line)
        lines += _located(found["place"], found["text"]) if found else [line]
    if not any("error: " in line for line in lines[:1]):
        lines[0] = f"error: {lines[0]}"
    return lines


def _located(location: str, text: str) -> list[str]:
    places = places_of(location)
    if not places:
        return [f"error: {text}"]
    first, *callers = (quoted(place) for place in places)
    notes = [f"loc({place}): note: called from here" for place in callers]
    return [f"loc({first}): error: {text}", *notes]


def version_text() -> str:
    """What `--version` prints; producers take it for the identity of the compiler.

    Some read a release and a version of three numbers from it: the newest format that
    is read, and a number that depends on the build.

    Raises:
        UserError: `RELEASE_VARIABLE` has a wrong value, or there is no ptxas.
    """
    build, newest = build_id(), list_versions()[-1]
    ptxas = re.search(_RELEASE, ptxas_version())
    return (
        f"cuda-tile-as {__version__}: open compiler of CUDA Tile IR bytecode\n"
        f"format of release {newest}, V{newest}.{int(build[:6], 16)}\n"
        f"machine code by ptxas {ptxas[1] if ptxas else 'of unknown release'}\n"
        f"build {build}"
    )


def list_versions() -> list[str]:
    """The versions of bytecode to claim, oldest first.

    They are those that can be read, up to the one that `RELEASE_VARIABLE` names.

    Raises:
        UserError: It names none that can be read.
    """
    known = list(_cuda_tile.bytecode_versions())
    newest = os.environ.get(RELEASE_VARIABLE) or known[-1]
    if newest not in known:
        raise UserError(
            f"expected {RELEASE_VARIABLE} of {', '.join(known)}, got '{newest}'"
        )
    return known[: known.index(newest) + 1]


def read_arguments() -> argparse.Namespace:
    """Parses the process's arguments.

    Raises:
        UserError: They are wrong whatever is compiled.
    """
    arguments = build_parser().parse_args()
    if arguments.version or arguments.list_versions:
        return arguments
    if arguments.file is None:
        raise UserError("no input file provided; see cuda-tile-as --help")
    read_start(arguments.file)
    if arguments.gpu_name is not None:
        find_target(arguments.gpu_name)  # for its message
    if not arguments.opt_level.isdecimal():
        raise UserError(
            f"expected --opt-level of 0, 1, 2 or 3, got '{arguments.opt_level}'"
        )
    return arguments


def read_request(arguments: argparse.Namespace) -> Request:
    """What the arguments ask for.

    Raises:
        UserError: It is not possible.
    """
    for warning in refuse_or_warn(arguments):
        print(f"warning: {warning}", file=sys.stderr)
    return Request(
        file=arguments.file,
        output=arguments.output_file,
        options=_options(arguments),
        remark_filters=_filters(arguments),
        remark_file=_remark_file(arguments),
    )


def _options(arguments: argparse.Namespace) -> Options:
    """The choices of the compilation.

    Raises:
        UserError: They cannot be had together.
    """
    if arguments.gpu_name is None:
        raise UserError("expected --gpu-name, got none; for example --gpu-name sm_90")
    level = int(arguments.opt_level)
    if level > 3:
        raise UserError(f"invalid optimization level: expected 0 to 3, got {level}")
    if arguments.device_debug and level:
        raise UserError(
            f"expected -O0 with --device-debug, got -O{level}: optimised code cannot "
            "be debugged; add -O0, or ask for --lineinfo only"
        )
    choices: dict[str, Any] = {}
    if level < 3:  # the default level of LLVM is the one that gives the fastest code
        choices = {"llvm_opt_level": level, "ptxas_opt_level": level}
    return Options(
        gpu=arguments.gpu_name,
        abi=arguments.abi,
        line_info=arguments.lineinfo or arguments.device_debug,
        device_debug=arguments.device_debug,
        **choices,
    )


def _filters(arguments: argparse.Namespace) -> dict[Kind, str]:
    chosen = {kind: getattr(arguments, f"remarks_{kind}") for kind in KINDS}
    return {kind: chosen[kind] or arguments.remarks for kind in KINDS}


def _remark_file(arguments: argparse.Namespace) -> str | None:
    if arguments.remark_format != "yaml":
        return None
    return cast(str, arguments.remarks_output_file)


def read_start(name: str) -> bytes:
    """The first bytes of a file.

    Raises:
        UserError: It cannot be read.
    """
    try:
        with Path(name).open("rb") as file:
            return file.read(len(MAGIC))
    except OSError as error:
        raise UserError(
            f"unable to read input file '{name}': {error.strerror}"
        ) from None


def read_module(name: str) -> ir.Module:
    """Reads a file of bytecode.

    Raises:
        UserError: It is no valid bytecode.
    """
    if (start := read_start(name)) != MAGIC:
        raise UserError(
            f"'{name}' does not correspond to Tile IR bytecode: expected it to begin "
            f"with {MAGIC!r}, got {start!r}; text is compiled by cuda-tile-compile"
        )
    return api.load(name)


def compile_module(module: ir.Module, options: Options) -> tuple[bytes, Report]:
    """The cubin, of an empty module too, and the report.

    Raises:
        UserError: The kernel cannot be compiled.
    """
    if not entries(module.operation):
        empty = assemble(empty_ptx(options.target), options.target.arch)
        return empty.cubin, Report((), (), {})
    compiled = api.compile(module, options=options)
    return compiled.cubin, compiled.report


def write_remarks(request: Request, report: Report) -> None:
    """Prints or writes the remarks that were asked for; no file where there are none.

    Raises:
        UserError: The file cannot be written.
    """
    remarks = [
        remark
        for kernel in report.kernels
        for remark in remarks_of(kernel)
        if wanted(remark, request.remark_filters)
    ]
    if request.remark_file is not None:
        if set(request.remark_filters.values()) != {"none"}:
            write_output(request.remark_file, to_yaml(remarks))
    elif remarks:
        print(to_text(remarks))


def run() -> None:
    """Runs the command on the process's arguments.

    Raises:
        Stop: Something failed.
    """
    with failing_with(COMMAND_LINE):
        arguments = read_arguments()
        if arguments.version or arguments.list_versions:
            versions = list_versions()
            print(version_text() if arguments.version else "\n".join(versions))
            return
    with failing_with(BACK_END):
        refuse_libraries(arguments)
    with failing_with(CONFIGURATION):
        request = read_request(arguments)
    with failing_with(BYTECODE):
        module = read_module(request.file)
    with failing_with(BACK_END):
        cubin, report = compile_module(module, request.options)
    for warning in report.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    with failing_with(CONFIGURATION):
        write_remarks(request, report)
        write_output(request.output, cubin)


@reports_errors
def main() -> int:
    """Runs the command and returns its exit code."""
    use_plain_dialects()
    try:
        run()
    except Stop as stop:
        return stop.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
