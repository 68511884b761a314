# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile`: where the package keeps what C projects need of it."""

from __future__ import annotations

import sys
from importlib.resources import files

from cuda_tile.cli.failure import ArgumentParser, reports_errors


@reports_errors
def main() -> int:
    """Prints the folder that is asked for."""
    parser = ArgumentParser(prog="python -m cuda_tile", description=__doc__)
    folder = parser.add_mutually_exclusive_group(required=True)
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
    print(files("cuda_tile").joinpath("_mlir", parser.parse_args().folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
