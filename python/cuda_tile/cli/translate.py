"""`cuda-tile-translate`: mlir-translate with the translations of this package.

Arguments are mlir-translate's, and `--gpu SM` (sm_90 by default) for the last two of

    --cudatilebc-to-mlir     Tile IR bytecode to text
    --cuda-tile-to-llvmir    a kernel, text or bytecode, to LLVM IR
    --cuda-tile-to-ptx       a kernel, text or bytecode, to PTX
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.cli.failure import reports_errors
from cuda_tile.codegen.ptx import to_llvm_ir, to_ptx
from cuda_tile.errors import UserError
from cuda_tile.options import Options
from cuda_tile.pipeline import run_passes
from cuda_tile.targets import find_target

GPU_OPTION = "--gpu"


def split_gpu(words: Sequence[str]) -> tuple[list[str], str]:
    """Takes our one option out of mlir-translate's arguments.

    Returns:
        The arguments that are left, and the chip.

    Raises:
        UserError: The option has no value, or names an unknown chip.
    """
    left: list[str] = []
    gpu = Options().gpu
    rest = iter(words)
    for word in rest:
        name, separator, value = word.partition("=")
        if name.lstrip("-") != GPU_OPTION.lstrip("-") or not word.startswith("-"):
            left.append(word)
            continue
        gpu = value if separator else next(rest, "")
        if not gpu:
            raise UserError(
                f"expected {GPU_OPTION} with a chip such as sm_90, got none"
            )
    return left, find_target(gpu).name


def register_translations(options: Options) -> None:
    """Makes LLVM IR and PTX known to the tool, by name."""

    def lowered(
        to_text: Callable[[ir.Module], str],
    ) -> Callable[[ir.Operation], str]:
        def translate(op: ir.Operation) -> str:
            with op.context, op.location:
                run_passes(op, options)
                return to_text(cast(ir.Module, op))  # an operation does as well

        return translate

    _cuda_tile.register_translation(
        "cuda-tile-to-llvmir",
        f"kernel to LLVM IR ({GPU_OPTION} SM)",
        lowered(to_llvm_ir),
    )
    _cuda_tile.register_translation(
        "cuda-tile-to-ptx",
        f"kernel to PTX ({GPU_OPTION} SM)",
        lowered(lambda module: to_ptx(module, options)),
    )


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    words, gpu = split_gpu(sys.argv[1:])
    register_translations(Options(gpu=gpu))
    return _cuda_tile.translate_main(["cuda-tile-translate", *words])


if __name__ == "__main__":
    sys.exit(main())
