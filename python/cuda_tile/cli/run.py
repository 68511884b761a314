# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-run`: runs a kernel on the CPU or a GPU and shows the modified arrays.

    cuda-tile-run vadd_i32_8.tileirbc --grid 2 arange:i32[16] ones:i32[16] zeros:i32[16]

An argument is a number or an array; `--help` and `cuda_tile.runtime.arg_text` have the
syntax of arrays. If a kernel takes the shape and strides of an array after its pointer,
as cuTile's kernels do, the array alone is enough.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

import cuda_tile
from cuda_tile import running
from cuda_tile.cli.counts import stats_text
from cuda_tile.cli.failure import ArgumentParser, reports_errors
from cuda_tile.cli.files import read_kernel, write_output
from cuda_tile.cli.plain_dialects import use_plain_dialects
from cuda_tile.cli.speed import Speed, add_speed_options, read_speed
from cuda_tile.debug.options import add_debug_options, front_end
from cuda_tile.debug.target import FrontEnd
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.runtime.arg_text import ParsedArg, parse_arg
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.number_text import array_kind, first_elements, number_text
from cuda_tile.runtime.options import add_options, read_flags
from cuda_tile.runtime.report import Finding
from cuda_tile.runtime.spread import bind_named, naming

EXECUTORS = {
    "interp": "the interpreter",
    "emulator": "the PTX emulator",
    "gpu": "the GPU",
}
EXECUTOR_OF = {
    **dict.fromkeys(("trace", "shuffle"), "interp"),
    **dict.fromkeys(("bounds", "time", "timeline"), "emulator"),
}
"""The executor that an option is for, if it is for one only."""
SHOWN_ELEMENTS = 6

_ARGUMENT_HELP = """\
each ARG is one of
  3  -1  0x1f  1.5  inf  true      a number
  FILE.npy[:TYPE]                  the array in a file (TYPE names raw bits)
  zeros:f32[64,64]  ones:f16[8]    every element 0 or 1
  arange:i32[16]                   0, 1, 2, ...
  randn:f16[64,64][,SEED]          standard normal numbers
  table:FILE.npy                   a list of arrays: FILE.0.npy, FILE.1.npy, ...
  out:FILE.npy:f32[64,64]          starts with zeros, is saved after the run
  out:FILE.npy:SOURCE              starts as any of the above, is saved
types: i1 i8 i16 i32 i64 f16 bf16 f32 f64 tf32 f8E4M3FN f8E5M2

Arguments that begin with a minus sign and are not numbers go after `--`. Errors count
arguments as the kernel does, where an array is its pointer, shape and strides.
"""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = ArgumentParser(
        prog="cuda-tile-run",
        description="Runs a Tile IR kernel and shows the arrays that it changed.",
        epilog=_ARGUMENT_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="kernel file; - is stdin")
    parser.add_argument("args", metavar="ARG", nargs="*", help="see below")
    parser.add_argument(
        "--grid",
        required=True,
        metavar="X[,Y[,Z]]",
        help="tile blocks along each axis",
    )
    parser.add_argument("--kernel", metavar="NAME", help="which kernel of the file")
    parser.add_argument(
        "--on",
        choices=tuple(EXECUTORS),
        default="interp",
        help="interp executes Tile IR, emulator PTX, gpu the cubin",
    )
    parser.add_argument(
        "--gpu", metavar="SM", default="sm_90", help="chip to compile for (%(default)s)"
    )
    parser.add_argument(
        "--print",
        dest="printed",
        metavar="I,J",
        help="print these arguments in full, by position, from 0",
    )
    parser.add_argument(
        "--stats", action="store_true", help="print the counters of the executor"
    )
    add_speed_options(parser)
    _add_checks(parser)
    add_debug_options(parser)
    return parser


def _add_checks(parser: argparse.ArgumentParser) -> None:
    """How to run, and what to look for."""
    add_options(parser)
    parser.add_argument(
        "--shuffle",
        type=int,
        metavar="N",
        help="interp: also run with N seeds, and fail if a result differs",
    )
    for name, what in (("rtol", "relative"), ("atol", "absolute")):
        parser.add_argument(
            f"--{name}",
            type=float,
            default=0.0,
            metavar="R",
            help=f"{what} tolerance of --shuffle for floats (%(default)g)",
        )
    parser.add_argument(
        "--preceding",
        metavar="I,J",
        help="interp, and emulator with --seed: the kernel is launched while a grid "
        "still runs that writes these arguments, by position, from 0 (programmatic "
        "launch); it is an error to touch them before gdc_wait_tko",
    )
    parser.add_argument(
        "--trace",
        action="store_true",
        help="interp: print each operation with its results: shape, least and "
        "greatest element, first elements",
    )


@dataclass(frozen=True)
class Request:
    """A checked command line.

    Attributes:
        file: Kernel file, `-` for stdin.
        grid: Tile blocks along x, y, z.
        kernel: Name of the kernel, or None for the only one.
        executor: A key of `EXECUTORS`.
        gpu: Target chip.
        args: The arguments of the command line, without added shapes and strides.
        printed: Positions among `args` to print in full.
        has_stats: Whether to print counters.
        speed: What to say of its speed.
        has_trace: Whether to print each operation.
        shuffle: Number of seeds to compare; 0 for none.
        tolerances: Tolerances of that comparison, for `shuffle_check`.
        preceding: Positions among `args` that a preceding grid writes.
        options: What is given of `RunOptions`.
        front: Where the user of the debugger is, or None.
    """

    file: str
    grid: tuple[int, ...]
    kernel: str | None
    executor: running.Executor
    gpu: str
    args: list[ParsedArg]
    printed: tuple[int, ...]
    has_stats: bool
    speed: Speed
    has_trace: bool
    shuffle: int
    tolerances: dict[str, float]
    preceding: tuple[int, ...]
    options: dict[str, Any]
    front: FrontEnd | None = None


def read_request(words: argparse.Namespace, front: FrontEnd | None = None) -> Request:
    """Checks and parses what argparse cannot.

    Args:
        words: The command line.
        front: Where the user of a debugger is, if the command line does not say it.

    Raises:
        UserError: An invalid number, argument or combination of options.
    """
    args = [parse_arg(text) for text in words.args]
    printed = _positions("--print", words.printed, len(args))
    preceding = _positions("--preceding", words.preceding, len(args))
    if any(_array(args[position].value) is None for position in preceding):
        raise UserError("expected --preceding of arguments that are arrays")
    for arg in args:
        if arg.save_path is not None and not arg.save_path.parent.is_dir():
            raise UserError(
                f"cannot write '{arg.save_path}': expected an existing folder, got "
                f"'{arg.save_path.parent}'"
            )
    _check_options(words)
    return Request(
        file=words.file,
        grid=_integers("--grid", words.grid),
        kernel=words.kernel,
        executor=words.on,
        gpu=words.gpu,
        args=args,
        printed=printed,
        has_stats=words.stats,
        speed=read_speed(words),
        has_trace=words.trace,
        shuffle=words.shuffle or 0,
        tolerances={"rtol": words.rtol, "atol": words.atol},
        preceding=preceding,
        options=read_flags(words).given(words.on),
        front=front or front_end(words),
    )


def _check_options(words: argparse.Namespace) -> None:
    """Refuses options that do not go together, or numbers that they cannot have."""
    for option, executor in EXECUTOR_OF.items():
        if getattr(words, option) and words.on != executor:
            raise UserError(
                f"expected --on={executor} with --{option}, got --on={words.on}"
            )
    if words.shuffle is not None and words.shuffle < 1:
        raise UserError(f"expected --shuffle above 0, got {words.shuffle}")
    is_debugged = words.debug or words.debug_port is not None
    if is_debugged and (words.on == "gpu" or words.shuffle or words.trace):
        raise UserError(
            "expected --debug with --on=interp or --on=emulator, without --shuffle and "
            "--trace"
        )
    if words.preceding and words.on == "gpu":
        raise UserError("expected --on=interp or --on=emulator with --preceding")
    if words.shuffle and (words.trace or words.collect or words.seed is not None):
        raise UserError("expected --shuffle without --trace, --collect and --seed")


def _positions(option: str, text: str | None, count: int) -> tuple[int, ...]:
    """Positions of arguments of the command line."""
    found = _integers(option, text) if text else ()
    for position in found:
        if not 0 <= position < count:
            raise UserError(
                f"expected {option} of arguments 0 to {count - 1}, got {position}"
            )
    return found


def _integers(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UserError(
            f"expected {option} with integers such as 4,2,1, got '{text}'"
        ) from None


def run_file(request: Request) -> Sequence[Finding]:
    """Runs the kernel, saves `out:` arrays and prints a summary of each.

    Returns:
        The findings, if they are collected.
    """
    module = read_kernel(request.file)
    entry = find_entry(module.operation, request.kernel)
    values = [arg.value for arg in request.args]
    before = [
        b"" if array is None else array.tobytes() for array in map(_array, values)
    ]
    args, names = bind_named(entry_name(entry), parameter_types(entry), values)
    with naming(names):
        if request.shuffle:
            compare_orders(request, module, entry_name(entry), args)
        start = time.perf_counter()
        counted = launch(request, module, entry_name(entry), args)
    seconds = time.perf_counter() - start
    if request.front is None:
        say(counted)
    save(request.args)
    where = EXECUTORS[request.executor]
    chip = "" if request.executor == "interp" else f" for {request.gpu}"
    grid = " x ".join(str(extent) for extent in request.grid)
    print(
        f"{entry_name(entry)} on {where}{chip}: grid {grid}, {seconds:.3f} s "
        f"{'' if request.executor == 'interp' else '(compilation included)'}".rstrip()
    )
    show_arrays(request, before)
    if checked := getattr(counted, "checked", ""):
        print(f"  checked: {checked}")
    if request.has_stats:
        print(stats_text(counted))
    request.speed.say(counted, request.grid, request.gpu)
    findings: Sequence[Finding] = getattr(counted, "findings", ())
    for finding in findings:
        print(f"finding: {finding}")
    return findings


def launch(request: Request, module: Any, kernel: str, args: list[Any]) -> Any:
    """Runs the kernel once and returns the report of the executor.

    Raises:
        UserError: As `running.run`; the output of the kernel is shown first.
    """
    if request.front is not None:
        return _debugged(request, request.front, module, kernel, args)
    try:
        return running.run(
            module,
            kernel,
            grid=request.grid,
            args=args,
            on=request.executor,
            gpu=request.gpu,
            **_choices(request),
            **request.speed.choices(module, kernel, request.gpu),
        )
    except UserError as error:
        say(error)
        raise


def _debugged(
    request: Request, front: FrontEnd, module: Any, kernel: str, args: list[Any]
) -> Any:
    """Runs the kernel once under the debugger, which shows its output."""
    from cuda_tile import debug

    words: dict[str, Any] = {
        "grid": request.grid,
        "args": args,
        "folders": [Path(request.file).parent],
        **_choices(request),
    }
    if request.executor == "interp":
        return debug.debug_interp(front, module, kernel, **words)
    compiled = cuda_tile.compile(module, request.gpu)
    return debug.debug_emulator(front, module, kernel, compiled=compiled, **words)


def compare_orders(request: Request, module: Any, kernel: str, args: list[Any]) -> None:
    """Runs the kernel with several seeds and restores the arrays.

    Raises:
        UserError: A result depends on the order, or the kernel fails with a seed.
    """
    from cuda_tile import interp

    arrays = [a for a in map(_array, args) if a is not None and a.flags.writeable]
    before = [array.copy() for array in arrays]
    report = interp.shuffle_check(
        module,
        kernel,
        grid=request.grid,
        args=args,
        seeds=request.shuffle,
        **request.tolerances,
        **request.options,
    )
    if not report:
        raise UserError(f"{kernel} depends on the order:\n{report}")
    print(f"{kernel}: {report}")
    for array, old in zip(arrays, before, strict=True):
        array[...] = old


def say(counted: Any) -> None:
    """Shows the output of the kernel, up to its error if any, and warnings."""
    said: str = getattr(counted, "stdout", "")
    if said:
        print(said, end="" if said.endswith("\n") else "\n")
    for warning in getattr(counted, "warnings", ()):
        print(f"warning: {warning}", file=sys.stderr)


def _choices(request: Request) -> dict[str, Any]:
    """Options of the executor, besides those of the launch."""
    choices: dict[str, Any] = dict(request.options)
    if request.has_trace:
        choices |= {"trace": _print_op, "on_block": _print_block}
    if request.preceding:
        arrays = [request.args[position].value for position in request.preceding]
        choices["preceding"] = arrays
    return choices


def _array(value: object) -> Array | None:
    """The value if it is an array."""
    return cast(Array, value) if isinstance(value, np.ndarray) else None


def _print_op(op: Any, results: tuple[Any, ...]) -> None:
    from cuda_tile.interp.trace import describe

    print(describe(op, results))


def _print_block(block_id: tuple[int, int, int]) -> None:
    print(f"tile block {block_id}")


def save(args: Sequence[ParsedArg]) -> None:
    """Writes every `out:` array to its file."""
    for arg in args:
        for path, array in arg.saved:
            raw = io.BytesIO()
            np.save(raw, array)
            write_output(str(path), raw.getvalue())


def show_arrays(request: Request, before: Sequence[bytes]) -> None:
    """Prints a line per array that changed or was saved; `printed` ones in full."""
    shown = 0
    for position, (arg, old) in enumerate(zip(request.args, before, strict=True)):
        array = _array(arg.value)
        if position in request.printed:
            print(f"  argument {position}: {describe(arg.value)}\n{arg.value}")
            shown += 1
        elif array is not None and (
            arg.save_path is not None or array.tobytes() != old
        ):
            saved = "" if arg.save_path is None else f", saved to {arg.save_path}"
            print(f"  argument {position}: {describe(array)}{saved}")
            shown += 1
    if not shown:
        print("  no argument was changed")


def describe(value: Any) -> str:
    """One line on an array: type, shape, range, first elements."""
    array = _array(value)
    if array is None:
        return f"{value!r}"
    flat = array.reshape(-1)
    first = first_elements(flat, SHOWN_ELEMENTS)
    return f"{array_kind(array)} {_range(flat)}first {first}"


def _range(flat: Array) -> str:
    """Smallest and largest element, and the number of NaNs."""
    if not flat.size:
        return "empty, "
    wide = flat.astype(np.float64) if flat.dtype.kind not in "biu" else flat
    lost = int(np.isnan(wide).sum()) if wide.dtype.kind == "f" else 0
    if lost == flat.size:
        return "all NaN, "
    low, high = (np.nanmin(wide), np.nanmax(wide)) if lost else (wide.min(), wide.max())
    nans = f", {lost} NaN" if lost else ""
    return f"{number_text(low)} to {number_text(high)}{nans}, "


@reports_errors
def main() -> int:
    """Runs the command on the process's arguments and returns its exit code."""
    use_plain_dialects()
    found = run_file(read_request(build_parser().parse_intermixed_args()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
