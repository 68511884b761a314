# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-opt`: mlir-opt with our dialects and passes.

Arguments are mlir-opt's; the passes of this package, written in C++ or Python, are
available by name, as flags and in `--pass-pipeline`.
"""

from __future__ import annotations

import sys

from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.cli.failure import end_at_closed_pipe, reports_errors
from cuda_tile.cli.versions import version_line
from cuda_tile.pipeline import register_passes


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    if "--version" in sys.argv[1:]:
        print(version_line("cuda-tile-opt"))
        return 0
    end_at_closed_pipe()
    register_passes()
    return _cuda_tile.opt_main(["cuda-tile-opt", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
