# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile`: the commands, and where the package keeps its C headers."""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files

from cuda_tile.cli.failure import ArgumentParser, reports_errors

COMMANDS = """\
commands, each with --help:
  cuda-tile-run                runs a kernel on the CPU or a GPU
  cuda-tile-compile            compiles kernels to PTX, cubins and reports
  cuda-tile-opt                runs passes on a kernel, prints it as text
  cuda-tile-optimize           passes for producers of Tile IR
  cuda-tile-translate          text to bytecode and back
  cuda-tile-debug              debugs kernels from an editor
  cuda-tile-reduce             makes a kernel with a fault small
  cuda-tile-judge              says of a program whether it is right or cheats
  cuda-tile-as                 compiles bytecode, called as tileiras is
  cuda-tile-lsp-server         for editors
  python -m cuda_tile.cutile   runs programs in cuTile Python
  python -m cuda_tile.emulator runs PTX on the CPU
"""


@reports_errors
def main() -> int:
    """Prints the folder that is asked for; without a question the help."""
    parser = ArgumentParser(
        prog="python -m cuda_tile",
        description="An open compiler for CUDA Tile IR.",
        epilog=COMMANDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    folder = parser.add_mutually_exclusive_group()
    folder.add_argument(
        "--cmake_dir",
        dest="folder",
        action="store_const",
        const="cmake",
        help="print what CudaTile_DIR is for find_package(CudaTile)",
    )
    folder.add_argument(
        "--include_dir",
        dest="folder",
        action="store_const",
        const="include",
        help="print the folder of the headers cuda_tile-c/*.h",
    )
    asked = parser.parse_args().folder
    if asked is None:
        parser.print_help()
    else:
        print(files("cuda_tile") / "_mlir" / asked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
