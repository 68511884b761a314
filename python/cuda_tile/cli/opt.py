# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-opt`: mlir-opt with our dialects and passes.

Arguments are mlir-opt's; the passes of this package, written in C++ or Python, are
available by name, as flags and in `--pass-pipeline`. `--cuda-tile-compile-pipeline` is
all of the compiler's in a row. `--load-pass FILE.py` runs a Python file first, whose
functions under `@cuda_tile.register_pass` are passes too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.cli.failure import end_at_closed_pipe, expect_words, reports_errors
from cuda_tile.cli.mlir_input import check_words
from cuda_tile.cli.versions import version_line
from cuda_tile.errors import UserError
from cuda_tile.options import option_flag
from cuda_tile.pass_flags import COMPILE_PIPELINE, register_passes
from cuda_tile.pipeline import (
    PIPELINE,
    PRINTERS,
    Pass,
)
from cuda_tile.user_passes import load_passes, options_of, registered_passes


def take_option(name: str, arguments: list[str]) -> list[str]:
    """Takes `--name VALUE` and `--name=VALUE` out of the arguments; the values.

    MLIR's own options are read later, by a parser that refuses what it does not know.

    Raises:
        UserError: The last argument is the option, without a value.
    """
    values: list[str] = []
    kept: list[str] = []
    words = iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option not in (f"--{name}", f"-{name}"):
            kept.append(word)
        elif equals:
            values.append(value)
        elif (following := next(words, None)) is not None:
            values.append(following)
        else:
            raise UserError(f"expected a value after --{name}")
    arguments[:] = kept
    return values


HELP = """\
cuda-tile-opt: reads a kernel, text or bytecode, runs passes on it, prints it as text.

  cuda-tile-opt kernel.tileirbc --cuda-tile-compile-pipeline=gpu=sm_90
  cuda-tile-opt kernel.mlir --cuda-tile-simplify --cuda-tile-plan=gpu=sm_90

Passes run in the order of their flags. FILE is - for stdin; -o FILE writes to a file.
"""
DIALECT_PASSES = (
    "fold-constants",
    "fuse-fma",
    "loop-split",
    "synthesize-debug-info-scopes",
)
"""The passes written in C++, with the dialect."""


OPTIONS = {
    "load-pass FILE.py": "run a Python file with passes first, see "
    "cuda_tile.register_pass",
    "version": "print versions",
}
MLIR_OPTIONS = {
    "pass-pipeline='builtin.module(...)'": "passes in order, with options in braces",
    "mlir-print-ir-after-all": "print the module after every pass",
    "mlir-print-debuginfo": "print locations",
    "mlir-print-op-generic": "print the generic form",
    "split-input-file": "parts between lines of // ----- are modules of their own",
    "verify-diagnostics": "compare errors with expected-error comments",
    "allow-unregistered-dialect": "read ops of unknown dialects",
    "help-hidden": "all options of the passes, of mlir-opt and of LLVM",
}


def help_text() -> str:
    """Our own passes and options, which MLIR's help has among a thousand others."""
    flags = {
        COMPILE_PIPELINE: "all of the passes below: =gpu=SM, or ='gpu=SM num-warps=4 "
        "until=place'"
    }
    names = [
        *(step.flag for step in (*PIPELINE, *PRINTERS) if isinstance(step, Pass)),
        *DIALECT_PASSES,
        *registered_passes(),
    ]
    for name in names:
        flags[name] = _cuda_tile.pass_description(name) or ""
        options = [f"{option}=" for option in pass_options().get(f"--{name}", ())]
        if options:
            flags[name] += f" [{' '.join(options)}]"
    width = max(map(len, (*flags, *OPTIONS, *MLIR_OPTIONS))) + 2

    def table(rows: dict[str, str]) -> str:
        return "".join(f"  --{name:{width}}{text}\n" for name, text in rows.items())

    return (
        f"{HELP}\nPasses of this package:\n{table(flags)}\nOptions of this package:\n"
        f"{table(OPTIONS)}\nOf mlir-opt's options, those that are used most:\n"
        f"{table(MLIR_OPTIONS)}"
    )


def check_flags(arguments: Sequence[str]) -> None:
    """Refuses the name of a pass as a flag, which LLVM would explain by one of its own.

    Raises:
        UserError: A flag lacks `cuda-tile-` in front.
    """
    passes = [step for step in (*PIPELINE, *PRINTERS) if isinstance(step, Pass)]
    flags = {name: step.flag for step in passes for name in names_of(step)}
    for word in arguments:
        given = word.partition("=")[0]
        if word.startswith("-") and given.lstrip("-") in flags:
            flag = flags[given.lstrip("-")]
            raise UserError(f"expected --{flag} for the pass, got {given}")


def names_of(step: Pass) -> tuple[str, str]:
    """What a user may call a pass without the prefix of its flag."""
    return step.name, step.flag.removeprefix("cuda-tile-")


def pass_options() -> dict[str, list[str]]:
    """The options of our passes and the user's, by the flag of the pass."""
    return {
        f"--{step.flag}": [option_flag(field) for field in step.reads]
        for step in (*PIPELINE, *PRINTERS)
        if isinstance(step, Pass)
    } | {f"--{name}": options_of(name) for name in registered_passes()}


def notes_on_flags(arguments: Sequence[str]) -> list[str]:
    """What to add to an error of MLIR: the options of passes that were given others."""
    passes = pass_options()
    notes: list[str] = []
    for word in arguments:
        flag, _, given = word.partition("=")
        allowed = passes.get(flag)
        if allowed is None:
            continue
        bare = re.sub(r"\"[^\"]*\"|'[^']*'|\{[^}]*\}", "", given)
        asked = re.findall(r"(?:^| )([\w-]+)(?==| |$)", bare)
        if set(asked) - set(allowed):
            notes.append(f"options of {flag}: {', '.join(allowed) or 'none'}")
    return notes


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    if "--version" in sys.argv[1:]:
        print(version_line("cuda-tile-opt"))
        return 0
    end_at_closed_pipe()
    arguments = sys.argv[1:]
    expect_words(arguments, "a kernel file, or - for stdin")
    files = take_option("load-pass", arguments)
    register_passes()
    for file in files:
        load_passes(file)
    if {"--help", "-help", "-h"} & set(arguments):
        print(help_text(), end="")
        return 0
    check_flags(arguments)
    check_words(arguments)
    code = _cuda_tile.opt_main(["cuda-tile-opt", *arguments])
    if code:
        for note in notes_on_flags(arguments):
            print(f"note: {note}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
