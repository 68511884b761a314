# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translation in a separate process, for code on which LLVM may abort.

Level P goes in as text; LLVM IR or PTX comes out. It costs the start of a Python
process, so only ops that `legality.py` does not know are translated this way.
"""

from __future__ import annotations

import os
import subprocess
import sys

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.errors import UserError

TIME_LIMIT_SECONDS = 600
_REFUSED = 3
"""Exit code of the child where LLVM said what is wrong; its text is the message."""


def translate(
    module: ir.Operation, arch: str, features: str, level: int, library: str
) -> str:
    """The PTX of a module at level P, or its LLVM IR for an empty `arch`.

    Args:
        module: A module at level P.
        arch: The target, such as sm_90a; empty for LLVM IR.
        features: LLVM features of the target.
        level: The optimisation level, 0 to 3.
        library: The path of the bitcode to link; empty for none.

    Raises:
        UserError: LLVM refused the module, ended the process or took too long.
    """
    asm = module.get_asm(enable_debug_info=True, print_generic_op_form=True)
    command = [sys.executable, "-m", __name__, arch, features, str(level), library]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        result = subprocess.run(
            command,
            input=str(asm),
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=TIME_LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise UserError(
            f"expected LLVM to end, but it ran for {TIME_LIMIT_SECONDS} seconds"
        ) from None
    if result.returncode == 0:
        return result.stdout
    said = result.stderr.strip().splitlines() or ["nothing"]
    if result.returncode == _REFUSED:
        raise UserError("\n".join(said))
    # LLVM prints the reason before its trace, if it knows it.
    reasons = [line for line in said if "LLVM ERROR" in line] or said[:1]
    raise UserError(f"LLVM ended on it, saying: {reasons[0]}")


def main(arch: str, features: str, level: str, library: str) -> int:
    """Translates standard input to standard output."""
    with ir.Context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(sys.stdin.read())
            if arch:
                text = _cuda_tile.translate_to_ptx(
                    module, arch, features, int(level), library
                )
            else:
                text = _cuda_tile.translate_to_llvmir(module)
        except ir.MLIRError as error:
            sys.stderr.write(str(error))
            return _REFUSED
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
