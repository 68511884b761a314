# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
r"""`python -m cuda_tile.emulator`: runs one kernel of a PTX file and reports.

    python -m cuda_tile.emulator vadd.ptx --grid 8 --block 128 \
        randn:f32[1024] randn:f32[1024] out:sum.npy:f32[1024] 1024

Prints what the kernel prints, what became of its arrays, and what it asked of the
hardware. Ends with 1 if there is a finding or a mistake, 2 if the words are wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np

from cuda_tile.codegen.ptxas import Assembled, assemble
from cuda_tile.codegen.versions import versions
from cuda_tile.emulator.bounds.slots import machine_code
from cuda_tile.emulator.errors import FindingError, LaunchError, PtxError
from cuda_tile.emulator.launch import STACK_BYTES, find_entry, launch
from cuda_tile.emulator.proof.verdict import Verdict, verdict_of
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.emulator.ptx.syntax import Function, Module
from cuda_tile.emulator.recorded import RESIDENT_CTAS, box_bytes, launch_recorded
from cuda_tile.emulator.report import Report
from cuda_tile.emulator.schedules.explore import explore
from cuda_tile.emulator.tensor.map import TensorMap
from cuda_tile.errors import UserError
from cuda_tile.runtime.arg_text import ParsedArg, parse_arg
from cuda_tile.runtime.number_text import array_kind
from cuda_tile.runtime.options import add_options, read_flags
from cuda_tile.runtime.record import LaunchRecord
from cuda_tile.targets import find_target
from cuda_tile.version import __version__

SCHEDULES = 8
"""Schedules that --prove tries with a launch."""
_ARGUMENTS = """\
arguments, one for each parameter of the kernel:
  3  -1  0x1f  1.5           a number
  zeros:f32[64,64]           an array, passed by its address; also ones:, arange:,
                             randn:TYPE[SIZES][,SEED], and FILE.npy
  out:c.npy:f32[64,64]       zeros, saved to c.npy after the run; out:FILE.npy:ones:...
  map:32,32:randn:f32[64,64] a tensor map of an array with boxes of 32 x 32, in the
                             order of the array's dimensions; map:64,64@128: swizzles
                             spans of 128 bytes
types: i1 i8 i16 i32 i64 f16 bf16 f32 f64 tf32 f8E4M3FN f8E5M2 f8E8M0FNU
"""
_MAP = re.compile(r"map:(?P<box>\d+(,\d+)*)(@(?P<swizzle>\d+))?:(?P<array>.*)")


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the words."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = _Parser(
        prog="python -m cuda_tile.emulator",
        description="Runs a PTX kernel on the CPU, checks it, and counts what it does.",
        epilog=_ARGUMENTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"{parser.prog} {__version__}"
    parser.add_argument(
        "--version", action="version", version=version, help="print versions and exit"
    )
    shape = "X[,Y[,Z]]"
    parser.add_argument("file", metavar="KERNEL.ptx", help="PTX text; - is stdin")
    parser.add_argument("args", metavar="ARG", nargs="*", help="see below")
    parser.add_argument(
        "--grid",
        type=_extents,
        metavar=shape,
        help="CTAs; with --record tile blocks; not needed for --prove",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="launch as the JSON report of cuda-tile-compile says: block, cluster, "
        "shared memory, tensor maps and further parameters come from there",
    )
    parser.add_argument(
        "--resident",
        type=int,
        metavar="N",
        help="CTAs that the chip holds at once, for a persistent kernel with --record; "
        f"{RESIDENT_CTAS} if not given",
    )
    parser.add_argument(
        "--block",
        type=_extents,
        metavar=shape,
        help="threads of a CTA; without it what .reqntid says",
    )
    parser.add_argument(
        "--cluster",
        type=_extents,
        metavar=shape,
        help="CTAs of a cluster; without it what .reqnctapercluster says, or 1",
    )
    parser.add_argument(
        "--cooperative",
        action="store_true",
        help="run all CTAs together, so that they may wait for each other",
    )
    parser.add_argument("--entry", metavar="NAME", help="which entry of the module")
    parser.add_argument(
        "--shared", type=int, default=0, metavar="BYTES", help="dynamic shared memory"
    )
    parser.add_argument(
        "--stack",
        type=int,
        default=STACK_BYTES,
        metavar="BYTES",
        help=f"of each thread, for alloca and recursion; {STACK_BYTES} if not given",
    )
    _add_checks(parser)
    _add_counts(parser)
    return parser


def _add_checks(parser: argparse.ArgumentParser) -> None:
    """How to run, and what to look for."""
    add_options(parser)
    parser.add_argument(
        "--strict",
        action="store_true",
        help="bulk copies over what threads have read need a proxy fence between",
    )
    parser.add_argument(
        "--prove",
        action="store_true",
        help="say if the kernel is proved free of races and deadlocks for all "
        "arguments, grids and orders; with a launch, look for a schedule against it",
    )
    parser.add_argument(
        "--schedules",
        action="store_true",
        help="run a launch of up to 4 warps in all schedules that may differ, and say "
        "whether one of them is wrong, and how many results they have",
    )


def _add_counts(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the report on work that was done."""
    parser.add_argument("--json", metavar="FILE", help="write all counts; - is stdout")
    parser.add_argument(
        "--annotate", action="store_true", help="print the PTX with counts by line"
    )
    parser.add_argument(
        "--bounds",
        action="store_true",
        help="also say how fast the chip could at best do the work, by loop",
    )
    parser.add_argument(
        "--gpu", metavar="SM", help="chip of --bounds; without it the module's .target"
    )
    parser.add_argument(
        "--registers",
        type=int,
        metavar="N",
        help="registers per thread that ptxas gave the kernel, for --bounds and "
        "allocations of tensor memory",
    )


def _extents(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected X, X,Y or X,Y,Z, got '{text}'"
        ) from None


def parse_argument(text: str) -> ParsedArg:
    """Reads one argument: a tensor map, or what `cuda-tile-run` takes too.

    Raises:
        UserError: The text follows none of the forms.
    """
    found = _MAP.fullmatch(text)
    if found is None:
        if text.startswith("map:"):
            raise UserError(
                f"expected map:BOX:ARRAY or map:BOX@BYTES:ARRAY, got {text}"
            )
        return parse_arg(text)
    inner = parse_arg(found["array"])
    if not isinstance(inner.value, np.ndarray):
        raise UserError(f"expected an array in a tensor map, got {found['array']}")
    box = [int(extent) for extent in found["box"].split(",")]
    value: Any = TensorMap(inner.value, box, int(found["swizzle"] or 0))
    return ParsedArg(value, inner.save_path)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status (1 for findings and mistakes)."""
    parser = build_parser()
    options = parser.parse_intermixed_args(argv)
    if options.grid is None and (options.schedules or not options.prove):
        parser.error("the following arguments are required: --grid")
    try:
        if options.schedules:
            return _explore(options)
        return _prove(options) if options.prove else _run(options)
    except PtxError as error:
        print(f"error: {options.file}: {error}", file=sys.stderr)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
    except BrokenPipeError:
        # Otherwise Python reports it again when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(
            f"error: cannot use '{error.filename}': {error.strerror}", file=sys.stderr
        )
    return 1


def _prove(options: argparse.Namespace) -> int:
    """Prints what is proved of a kernel; 1 if a schedule refutes it."""
    module = parse(_text(options.file))
    entry = find_entry(module, options.entry)
    verdict = _verdict(options, module, entry)
    is_open = bool(verdict.block or verdict.grid) and options.grid is not None
    seeds = range(SCHEDULES) if is_open else ()
    for seed in seeds:
        args = [parse_argument(text).value for text in options.args]
        try:
            _launch(options, module, entry, args=args, mode="adversarial", seed=seed)
        except FindingError as error:
            print(f"{entry.name}: refuted by --mode adversarial --seed {seed}: {error}")
            return 1
    print(verdict)
    return 0


def _explore(options: argparse.Namespace) -> int:
    """Prints what a launch does in all schedules; 1 if it is wrong in one of them."""
    module = parse(_text(options.file))
    entry = find_entry(module, options.entry)
    found = explore(
        module,
        entry.name,
        grid=options.grid,
        block=options.block or _declared(entry, "reqntid", "--block"),
        args=[parse_argument(text).value for text in options.args],
        shared_bytes=options.shared,
        **read_flags(options).given("emulator"),
    )
    print(f"{entry.name}: {found}")
    return int(found.finding is not None)


def _verdict(options: argparse.Namespace, module: Module, entry: Function) -> Verdict:
    """The verdict on a kernel, proved with the help of its launch record."""
    if options.record is None:
        block = options.block or _declared(entry, "reqntid", "--block")
        return verdict_of(module, entry, block, options.shared)
    record = LaunchRecord.from_json(_record(options.record, entry.name))
    shared, boxes = record.dynamic_shared_bytes, box_bytes(entry, record)
    return verdict_of(module, entry, record.launch_block, shared, boxes)


def _run(options: argparse.Namespace) -> int:
    module = parse(_text(options.file))
    entry = find_entry(module, options.entry)
    args: list[ParsedArg] = [parse_argument(text) for text in options.args]
    for path in [arg.save_path for arg in args] + [options.json]:
        _check_folder(path)
    report = _launch(
        options,
        module,
        entry,
        args=[arg.value for arg in args],
        cooperative=options.cooperative,
        stack_bytes=options.stack,
        **read_flags(options).given("emulator"),
        **_for_bounds(options, module, entry),
        strict=options.strict,
    )
    for arg in args:
        saved = arg.saved
        if isinstance(arg.value, TensorMap) and arg.save_path is not None:
            saved = [(arg.save_path, _array(arg))]
        for path, array in saved:
            np.save(path, array)
    status = 1 if report.findings else 0
    try:
        _print(report, entry, args, options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _for_bounds(
    options: argparse.Namespace, module: Module, entry: Function
) -> dict[str, Any]:
    """What bounds depend on: the chip, and what ptxas makes of the text."""
    found: dict[str, Any] = {"registers": options.registers}
    if not options.bounds:
        return found
    found["bounds"] = chip = find_target(options.gpu or module.target)
    made: list[Assembled] = []

    def cubin(text: str) -> bytes:
        made.append(assemble(text, chip.arch, line_info=True))
        return made[0].cubin

    try:
        found["machine"] = machine_code(module, entry.name, cubin)
    except UserError as error:
        print(f"warning: bounds count PTX: {error}", file=sys.stderr)
    if made and options.registers is None:
        found["registers"] = made[0].resources[entry.name].registers
    return found


def _launch(
    options: argparse.Namespace, module: Module, entry: Function, **choices: Any
) -> Report:
    """Launches by the words of the command line, or by a launch record."""
    if options.record is None:
        return launch(
            module,
            entry.name,
            grid=options.grid,
            block=options.block or _declared(entry, "reqntid", "--block"),
            cluster=options.cluster or entry.limits.get("reqnctapercluster", (1,)),
            shared_bytes=options.shared,
            **choices,
        )
    if options.block or options.cluster or options.shared:
        raise UserError(
            "expected no --block, --cluster or --shared beside --record, which has them"
        )
    if len(options.grid) > 3:
        raise UserError(f"expected a grid of up to 3 extents, got {options.grid}")
    x, y, z, *_ = (*options.grid, 1, 1)
    resident = RESIDENT_CTAS if options.resident is None else options.resident
    record = _record(options.record, entry.name)
    return launch_recorded(
        module, entry.name, record, grid=(x, y, z), resident_ctas=resident, **choices
    )


def _record(file: str, entry: str) -> Any:
    """The launch record of an entry in a JSON report, or a file that is one."""
    try:
        data: Any = json.loads(_text(file))
    except json.JSONDecodeError as error:
        raise UserError(f"{file}: expected JSON, got {error}") from None
    report: dict[str, Any] = cast(Any, data) if isinstance(data, dict) else {}
    if "kernels" not in report:
        return cast(Any, data)
    records = {str(each["kernel"]): each["launch"] for each in report["kernels"]}
    if entry in records:
        return records[entry]
    names = ", ".join(records) or "none"
    raise UserError(f"{file}: expected kernel {entry} in the report, it has {names}")


def _text(file: str) -> str:
    """The PTX text of a file, or of stdin for `-`."""
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            f"{file}: expected PTX text in UTF-8, got byte {data[error.start]:#04x} at "
            f"offset {error.start}"
        ) from None


def _check_folder(path: str | Path | None) -> None:
    """Says before the run that a file could not be written after it."""
    if path is None or str(path) == "-":
        return
    folder = Path(path).parent
    if not folder.is_dir():
        raise UserError(f"{path}: expected a folder {folder} to write to, got none")


def _declared(entry: Function, directive: str, option: str) -> tuple[int, ...]:
    found = entry.limits.get(directive)
    if found is None:
        raise LaunchError(f"{entry.name}: expected {option}, as it has no .{directive}")
    return tuple(found)


def _array(arg: ParsedArg) -> np.ndarray[Any, Any]:
    value: Any = arg.value
    return value.array if isinstance(value, TensorMap) else np.asarray(value)


def _print(
    report: Report, entry: Function, args: list[ParsedArg], options: argparse.Namespace
) -> None:
    for finding in report.findings:
        print(f"finding: {finding}", file=sys.stderr)
    for warning in report.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.json == "-":
        print(report.to_json(versions()))
        return
    sys.stdout.write(report.stdout)
    for param, arg in zip(entry.params, args, strict=False):  # some are appended
        if isinstance(arg.value, np.ndarray | TensorMap):
            saved = f", saved to {arg.save_path}" if arg.save_path else ""
            print(f"{param.name}: {_describe(_array(arg))}{saved}")
    if options.json:
        Path(options.json).write_text(report.to_json(versions()) + "\n")
    print(report.annotated() if options.annotate else report.table())


def _describe(array: np.ndarray[Any, Any]) -> str:
    """Type, shape and range of an array."""
    text = array_kind(array)
    if not array.size:
        return text
    values = array if array.dtype.kind in "biu" else array.astype(np.float64)
    return f"{text} {values.min():.6g} to {values.max():.6g}"


if __name__ == "__main__":
    sys.exit(main())
