# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-opt`: mlir-opt with our dialects and passes.

Arguments are mlir-opt's; the passes of this package, written in C++ or Python, are
available by name, as flags and in `--pass-pipeline`. `--load-pass FILE.py` runs a
Python file first, whose functions under `@cuda_tile.register_pass` are passes too.
"""

from __future__ import annotations

import sys

from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.cli.failure import end_at_closed_pipe, reports_errors
from cuda_tile.cli.versions import version_line
from cuda_tile.errors import UserError
from cuda_tile.pipeline import register_passes
from cuda_tile.user_passes import load_passes


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


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    if "--version" in sys.argv[1:]:
        print(version_line("cuda-tile-opt"))
        return 0
    end_at_closed_pipe()
    arguments = sys.argv[1:]
    files = take_option("load-pass", arguments)
    register_passes()
    for file in files:
        load_passes(file)
    return _cuda_tile.opt_main(["cuda-tile-opt", *arguments])


if __name__ == "__main__":
    sys.exit(main())
