# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-compile`: compiles a kernel file to PTX, a cubin or an earlier level.

Without `-o`, text goes to stdout and a cubin to `STEM.cubin` in the current folder
(to stdout if the kernel came from stdin); `STEM.launch.json` beside it has the launch
records. A report goes to stdout, or to stderr
where stdout holds the output itself.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import cast

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile.cli import many
from cuda_tile.cli.failure import ArgumentParser, reports_errors
from cuda_tile.cli.files import STANDARD_STREAM, read_kernel, write_beside, write_output
from cuda_tile.cli.limited import Limited
from cuda_tile.codegen.versions import versions
from cuda_tile.errors import UserError
from cuda_tile.hooks import Artifact
from cuda_tile.ir.walk import entries, entry_name, find_entry
from cuda_tile.options import MOST_PLANS_LISTED, Options
from cuda_tile.pipeline import STEP_NAMES, Observer
from cuda_tile.records import dataclass
from cuda_tile.report import Report
from cuda_tile.runtime.record import ABIS
from cuda_tile.targets import DEFAULT_GPU, WARP_COUNTS, target_names
from cuda_tile.tuned import TuningRecord

SUFFIXES: dict[str, api.Emit] = {".cubin": "cubin", ".ptx": "ptx", ".ll": "llvm"}
"""What `-o NAME` alone says of the form."""
NO_MACHINE_CODE = {
    ".mlir": "expected --emit=tile, placed or nvvm with {}, for each of them is MLIR",
    ".tileirbc": "expected another output than {}: cuda-tile-optimize -O0 "
    "--emit-bytecode writes bytecode",
}
"""What `-o NAME` without `--emit` asks for that is not clear, or not made here."""
ALL_STEPS = "all"


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = ArgumentParser(
        prog="cuda-tile-compile",
        description="Compiles a Tile IR kernel file, text or bytecode.",
        epilog="Without -o, text goes to stdout and a cubin to STEM.cubin in the "
        "current folder (to stdout if the kernel came from stdin). Beside a cubin "
        "NAME.cubin, NAME.launch.json says how to launch its kernels.",
    )
    parser.add_argument(
        "file", metavar="FILE", nargs="+", help="kernel files; - is stdin"
    )
    parser.add_argument(
        "--gpu",
        metavar="SM",
        help="target chip, or several with commas; --emit=tile needs none: "
        + ", ".join(target_names()),
    )
    parser.add_argument(
        "--emit",
        choices=api.EMIT_FORMS,
        help="what to write: tile (as read), placed (tiles with layouts), nvvm (code "
        "of one thread), llvm, ptx, cubin; default: by the suffix of -o (.cubin, "
        ".ptx, .ll), else cubin",
    )
    parser.add_argument("-o", dest="output", metavar="OUT", help="- is stdout")
    parser.add_argument(
        "--report",
        nargs="?",
        const="text",
        choices=("text", "json", "html"),
        help="print registers, spills, shared memory and plan of each kernel; html "
        "writes to OUT one page with all levels side by side (docs/report.md)",
    )
    parser.add_argument(
        "--report-run",
        metavar="'GRID ARG ...'",
        help="what the html report runs the kernel with on the emulator, as "
        "cuda-tile-run has arguments, such as '4,4 randn:f16[64,64] ...', or the "
        "folder of a launch that python -m cuda_tile.cutile --record=DIR has "
        "recorded; default: one tile block on arrays of a few tiles",
    )
    parser.add_argument(
        "--certify",
        metavar="FILE.json",
        help="also run each launch of --certify-run on terms, as Tile IR and as PTX, "
        "and write what that proves for all data (docs/certificate.md); it is an error "
        "if they differ",
    )
    parser.add_argument(
        "--certify-run",
        metavar="'GRID ARG ...'",
        action="append",
        default=[],
        help="a launch to certify, as --report-run has it; may be repeated",
    )
    parser.add_argument(
        "--print-after",
        metavar="STEP",
        action="append",
        default=[],
        help=f"print what a step left to stderr: {', '.join(STEP_NAMES)}, or "
        f"{ALL_STEPS}; may be repeated",
    )
    parser.add_argument(
        "--list-plans",
        action="store_true",
        help="print the plans that each kernel could have as JSON, and do not compile",
    )
    parser.add_argument(
        "--timing", action="store_true", help="print the time of each step"
    )
    _add_choices(parser)
    many.add_arguments(parser)
    return parser


def _add_choices(parser: argparse.ArgumentParser) -> None:
    """The flags that become fields of `Options`, but for the chip."""
    parser.add_argument(
        "--num-warps",
        metavar="N",
        type=int,
        help="warps per CTA, a power of two up to 16; default: chosen per kernel",
    )
    parser.add_argument(
        "--plan",
        metavar="N",
        type=int,
        help="number of a plan of --list-plans; default: the one that costs least",
    )
    parser.add_argument(
        "--tuning",
        metavar="RECORD",
        help="record of cuda-tile-tune, whose choice is taken if kernel, chip, options "
        "and compiler are those that were tuned",
    )
    parser.add_argument(
        "--abi",
        choices=ABIS,
        default=ABIS[0],
        help="what the launcher does: append the parameters that the report lists, "
        "such as tensor maps (default: maps), pass the kernel's own only (cuda), or "
        "leave the threads of a block to the kernel too, as producers' launchers do "
        "(tile)",
    )
    parser.add_argument(
        "-O",
        dest="level",
        metavar="N",
        type=int,
        choices=range(4),
        help="optimisation level of LLVM and ptxas, 0 to 3; default: "
        f"{Options.llvm_opt_level} for LLVM, {Options.ptxas_opt_level} for ptxas",
    )
    parser.add_argument(
        "--persistent",
        action="store_true",
        help="let a CTA serve several tile blocks, one after another, in kernels that "
        "gain by it",
    )
    parser.add_argument(
        "--pairs",
        action=argparse.BooleanOptionalAction,
        default=Options.pairs,
        help="let pairs of CTAs multiply together where hints ask (default)",
    )
    parser.add_argument(
        "--line-info",
        "--lineinfo",
        action=argparse.BooleanOptionalAction,
        default=Options.line_info,
        help="write line tables to PTX and cubin, for profilers; the code is the same",
    )
    parser.add_argument(
        "--libdevice",
        action=argparse.BooleanOptionalAction,
        default=Options.libdevice,
        help="link functions of libdevice (default); with --no-libdevice they stay "
        "calls in the PTX, which the emulator and --certify follow",
    )
    parser.add_argument(
        "--device-debug",
        action="store_true",
        help="write full debug info, for debuggers; the code is not optimised",
    )
    parser.add_argument(
        "--verify-each",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="verify the IR after every pass",
    )
    parser.add_argument(
        "--check", action="store_true", help="judge what passes leave by checkers"
    )


@dataclass(frozen=True)
class Request:
    """A checked command line.

    Attributes:
        file: Kernel file, `-` for stdin.
        form: What to write.
        output: Where to, `-` for stdout.
        options: Choices of the compilation.
        report: `text`, `json`, `html` or None.
        report_run: What the page runs the kernel with; None to make it up.
        has_timing: Whether to print a table of times.
        lists_plans: Whether to list plans instead.
        tuning: Whose choice to take; None to let the compiler choose.
        print_after: Steps to print the result of.
        certify: Where the certificate goes; None for none.
        certify_runs: The launches that it is of.
    """

    file: str
    form: api.Emit
    output: str
    options: Options
    report: str | None
    report_run: str | None
    has_timing: bool
    lists_plans: bool
    tuning: TuningRecord | None
    print_after: frozenset[str]
    certify: str | None
    certify_runs: tuple[str, ...]

    @property
    def wants_report(self) -> bool:
        """Whether the whole way to a cubin must be gone, whatever is written."""
        return self.report is not None or self.has_timing


def read_request(arguments: argparse.Namespace) -> Request:
    """The request for one file and one chip.

    Raises:
        UserError: As `read_options`, or an unknown step.
    """
    options = read_options(arguments, arguments.gpu)
    (file,) = arguments.file
    _check_page(arguments)
    _check_list(arguments)
    form, output = _form_and_output(arguments, file)
    _check_certificate(arguments, form)
    return Request(
        file=file,
        form=form,
        output=output,
        options=options,
        report=arguments.report,
        report_run=arguments.report_run,
        has_timing=arguments.timing,
        lists_plans=arguments.list_plans,
        tuning=TuningRecord.read(arguments.tuning) if arguments.tuning else None,
        print_after=_steps(arguments.print_after),
        certify=arguments.certify,
        certify_runs=tuple(arguments.certify_run),
    )


def _check_page(arguments: argparse.Namespace) -> None:
    """Refuses what does not go with a page, and what only a page has.

    Raises:
        UserError: One of these.
    """
    if arguments.report != "html":
        if arguments.report_run is not None:
            raise UserError(
                "expected --report-run with --report=html, got "
                + (
                    f"--report={arguments.report}"
                    if arguments.report
                    else "no --report"
                )
            )
        return
    if arguments.output is None:
        raise UserError("expected -o FILE.html with --report=html, got no -o")
    if arguments.emit is not None:
        raise UserError(
            f"expected --report=html without --emit, got --emit={arguments.emit}: the "
            "page has all levels, and -o names the page"
        )


def _check_certificate(arguments: argparse.Namespace, form: str) -> None:
    """Refuses what a certificate cannot be made of.

    Raises:
        UserError: One of these.
    """
    if arguments.certify is None:
        if arguments.certify_run:
            raise UserError("expected --certify-run with --certify, got none")
        return
    if form not in ("ptx", "cubin") or arguments.report == "html":
        raise UserError(f"expected --certify with --emit=ptx or cubin, got {form}")
    if arguments.file == [STANDARD_STREAM]:
        raise UserError("expected --certify with a file, whose sum it has, got stdin")


def _is_as_read(arguments: argparse.Namespace) -> bool:
    """Whether only the text of the kernel is asked for, as it was read."""
    compiles = arguments.report or arguments.timing or arguments.list_plans
    return arguments.emit == "tile" and not compiles


def _check_list(arguments: argparse.Namespace) -> None:
    """Refuses what is not done where plans are listed.

    Raises:
        UserError: Something else is asked for.
    """
    is_chosen = arguments.plan is not None or arguments.tuning is not None
    if arguments.list_plans and (arguments.report or arguments.emit or is_chosen):
        raise UserError(
            "expected --list-plans without --report, --emit, --plan and --tuning"
        )


def read_options(arguments: argparse.Namespace, gpu: str | None) -> Options:
    """The choices of the compilation.

    Raises:
        UserError: An unknown chip, or a bad number of warps.
    """
    if arguments.num_warps not in (None, *WARP_COUNTS):
        *known, most = WARP_COUNTS
        raise UserError(
            f"expected --num-warps of {', '.join(map(str, known))} or {most}, got "
            f"{arguments.num_warps}"
        )
    return Options(
        gpu=gpu,
        num_warps=arguments.num_warps,
        plan=_plan(arguments.plan),
        abi=arguments.abi,
        persistent=arguments.persistent,
        pairs=arguments.pairs,
        line_info=arguments.line_info,
        device_debug=arguments.device_debug,
        libdevice=arguments.libdevice,
        verify_each=arguments.verify_each,
        check=arguments.check,
        **_levels(arguments.level),
    )


def _plan(number: int | None) -> int | None:
    """The number of a plan, as `Options` take it.

    Raises:
        UserError: No plan has that number.
    """
    if number is not None and not 0 <= number < MOST_PLANS_LISTED:
        raise UserError(f"expected --plan=N from 0 on, got {number}")
    return number


def _levels(level: int | None) -> dict[str, int]:
    """The fields of `Options` that one `-O` sets."""
    if level is None:
        return {}
    return {"llvm_opt_level": level, "ptxas_opt_level": level}


def _form_and_output(arguments: argparse.Namespace, file: str) -> tuple[api.Emit, str]:
    output: str | None = arguments.output
    if arguments.list_plans:
        return "cubin", output or STANDARD_STREAM
    suffix = Path(output).suffix if output else ""
    if suffix in NO_MACHINE_CODE and arguments.emit is None:
        raise UserError(NO_MACHINE_CODE[suffix].format(f"'-o {output}'"))
    form = cast(api.Emit, arguments.emit or SUFFIXES.get(suffix, "cubin"))
    if output is None:
        is_file = form == "cubin" and file != STANDARD_STREAM
        output = Path(file).stem + ".cubin" if is_file else STANDARD_STREAM
    return form, output


def _steps(names: list[str]) -> frozenset[str]:
    for name in names:
        if name not in (*STEP_NAMES, ALL_STEPS):
            known = ", ".join((*STEP_NAMES, ALL_STEPS))
            raise UserError(f"expected --print-after of {known}, got '{name}'")
    return frozenset(STEP_NAMES if ALL_STEPS in names else names)


def _printer(names: frozenset[str]) -> Observer:
    """Prints what each of the named steps left."""

    def observe(name: str, artifact: Artifact) -> None:
        if name in names:
            print(f"// after {name}\n{artifact}", file=sys.stderr)

    return observe


def compile_file(request: Request) -> Report | None:
    """Reads, compiles and writes; gives the report where it went to a cubin."""
    module = read_kernel(request.file)
    if request.form != "tile" and not entries(module.operation):
        raise UserError(f"expected a kernel in '{request.file}', got none")
    if request.report == "html":
        return _write_page(module, request)
    observe = _printer(request.print_after)
    needs_cubin = request.form == "cubin" or request.wants_report
    if needs_cubin or request.form == "ptx":
        compiled = api.compile(
            module,
            options=request.options,
            observe=observe,
            cubin=needs_cubin,
            tuning=request.tuning,
        )
        forms: dict[str, str | bytes] = {"ptx": compiled.ptx, "cubin": compiled.cubin}
        data = forms.get(request.form) or _level(module, request, None)
        write_output(request.output, data)
        _certify(module, request, compiled)
        if request.form == "cubin":
            write_beside(request.output, compiled.report.launch_json())
        return compiled.report if needs_cubin else None
    write_output(request.output, _level(module, request, observe))
    return None


def _certify(module: ir.Module, request: Request, compiled: api.Compiled) -> None:
    """Writes the certificate that is asked for.

    Raises:
        UserError: There are several kernels, or the kernel is not certified.
    """
    if request.certify is None:
        return
    from cuda_tile.certificate.certify import certify
    from cuda_tile.certificate.launches import read_launches

    entry = find_entry(module.operation, None)
    name = entry_name(entry)
    made = certify(
        module,
        Path(request.file).read_bytes(),
        name,
        compiled.ptx,
        compiled.launch[name],
        read_launches(request.certify_runs, entry),
        request.options.gpu or DEFAULT_GPU,
    )
    write_output(request.certify, json.dumps(made.to_json(), indent=1) + "\n")
    if made.why:
        raise UserError(f"@{name} is not certified: {made.why}")


def _write_page(module: ir.Module, request: Request) -> Report:
    """Compiles with everything watched, and writes the page."""
    from cuda_tile.pictures.collect import collect
    from cuda_tile.pictures.html_page import html_page

    is_file = request.file != STANDARD_STREAM
    collected = collect(
        module,
        request.options,
        beside=Path(request.file).parent if is_file else None,
        given_run=request.report_run,
        observe=_printer(request.print_after),
        tuning=request.tuning,
    )
    write_output(request.output, html_page(collected))
    return collected.compiled.report


def _level(
    module: ir.Module, request: Request, observe: Observer | None
) -> str | bytes:
    """The text of a level before PTX."""
    if request.form == "tile":  # before any pass, so there is nothing to choose
        return api.translate(module, "tile")
    return api.translate(
        module,
        request.form,
        options=request.options,
        observe=observe,
        tuning=request.tuning,
    )


def say_what_became(request: Request, report: Report) -> None:
    """Prints report and times, or one line where neither was asked for."""
    holds_output = request.output == STANDARD_STREAM
    stream = sys.stderr if holds_output else sys.stdout
    if request.report == "json":
        print(report.to_json(versions()), file=stream)
    elif request.report == "text":
        print(report.to_text(), file=stream)
    elif not holds_output:
        for kernel in report.kernels:
            print(
                f"{request.output}: {kernel.kernel} for {kernel.target_text}, "
                f"{kernel.registers} registers, {kernel.spill_bytes} bytes spilled, "
                f"{kernel.shared_bytes} bytes of shared memory",
                file=stream,
            )
    if request.has_timing:
        print(report.timing_text(), file=stream)
    if request.report is None:
        for warning in report.warnings:
            print(f"warning: {warning}", file=sys.stderr)


@reports_errors
def main() -> int:
    """Runs the command on the process's arguments and returns its exit code."""
    parser = build_parser()
    arguments = parser.parse_args()
    if arguments.gpu is None:
        if not _is_as_read(arguments):
            parser.error("the following arguments are required: --gpu")
        arguments.gpu = DEFAULT_GPU  # which the text does not depend on
    if many.is_many(arguments):
        if arguments.list_plans:
            raise UserError("expected --list-plans with one file and one chip")
        return many.compile_many(arguments, read_options(arguments, None))
    request = read_request(arguments)
    limits = many.read_limits(arguments)
    if limits != (None, None):
        return Limited(*limits).run(reports_errors(lambda: compile_one(request)))
    return compile_one(request)


def compile_one(request: Request) -> int:
    """Compiles one file for one chip; returns the exit code.

    Raises:
        UserError: The program, a choice or the installation is at fault.
    """
    if request.lists_plans:
        return _list_plans(request)
    report = compile_file(request)
    if report is not None:
        say_what_became(request, report)
    return 0


def _list_plans(request: Request) -> int:
    """Prints the plans of a file's kernels as JSON, to `-o` if there is one."""
    plans = api.list_plans(read_kernel(request.file), options=request.options)
    write_output(request.output, json.dumps(plans, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
