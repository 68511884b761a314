# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-translate`: mlir-translate with the translations of this package.

Arguments are mlir-translate's, and `--gpu SM` (sm_90 by default) for the last two:

    --cudatilebc-to-mlir     Tile IR bytecode to text
    --cuda-tile-to-llvmir    a kernel, text or bytecode, to LLVM IR
    --cuda-tile-to-ptx       a kernel, text or bytecode, to PTX
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from cuda_tile import api
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.cli.failure import end_at_closed_pipe, reports_errors
from cuda_tile.cli.mlir_input import check_words
from cuda_tile.cli.versions import version_line
from cuda_tile.errors import CudaTileError, UserError
from cuda_tile.options import Options
from cuda_tile.targets import DEFAULT_GPU, find_target

GPU_OPTION = "--gpu"
TRANSLATIONS = (
    "cudatilebc-to-mlir",
    "mlir-to-cudatilebc",
    "cuda-tile-to-llvmir",
    "cuda-tile-to-ptx",
)
"""What this package translates; upstream's tool has a few more."""
HELP = """\
cuda-tile-translate: reads a kernel, writes it in another form.

  cuda-tile-translate --cudatilebc-to-mlir kernel.tileirbc -o kernel.mlir
  cuda-tile-translate --mlir-to-cudatilebc kernel.mlir -o kernel.tileirbc

FILE is - for stdin; without -o the result goes to stdout.

  --cudatilebc-to-mlir   Tile IR bytecode to text
  --mlir-to-cudatilebc   text to Tile IR bytecode
  --cuda-tile-to-llvmir  a kernel, text or bytecode, to LLVM IR
  --cuda-tile-to-ptx     a kernel, text or bytecode, to PTX
  --gpu SM               chip of the last two, sm_90 by default
  --version              print versions

All options that mlir-translate has:
"""
OTHER_ACTIONS = ("dump", "h", "list-versions", "test-", "version")
"""How other options begin that do something by themselves."""


def split_gpu(words: Sequence[str]) -> tuple[list[str], str]:
    """Extracts our own option from the arguments of mlir-translate.

    Returns:
        The remaining arguments, and the chip.

    Raises:
        UserError: The option has no value, or names an unknown chip.
    """
    left: list[str] = []
    gpu = DEFAULT_GPU
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


def check_translation(words: Sequence[str]) -> None:
    """Refuses a command line that names no translation.

    Raises:
        UserError: It names none; MLIR would say so seven times.
    """
    flags = [word.lstrip("-") for word in words if word.startswith("-")]
    if not any("-to-" in flag or flag.startswith(OTHER_ACTIONS) for flag in flags):
        *known, last = (f"--{name}" for name in TRANSLATIONS)
        raise UserError(
            f"expected one of {', '.join(known)} or {last}, got none; see "
            "cuda-tile-translate --help"
        )


class Translations:
    """The translations that are implemented in Python, and the last error.

    Args:
        options: Target chip and further choices.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.error: CudaTileError | None = None

    def register(self) -> None:
        """Registers the translations to LLVM IR and PTX."""
        hint = f"({GPU_OPTION} SM, {self.options.gpu} by default)"
        forms: tuple[tuple[api.Emit, str], ...] = (("llvm", "LLVM IR"), ("ptx", "PTX"))
        for form, text in forms:
            name = "llvmir" if form == "llvm" else form
            _cuda_tile.register_translation(
                f"cuda-tile-to-{name}",
                f"kernel, text or bytecode, to {text} {hint}",
                partial(self._translate, form),
            )

    def _translate(self, form: api.Emit, data: bytes, name: str) -> str | None:
        """Translates one kernel file; on failure, stores the error and returns None."""
        try:
            # By file name if there is one, so that errors have locations.
            module = api.load(name if Path(name).is_file() else data)
            return str(api.translate(module, form, options=self.options))
        except CudaTileError as error:
            self.error = error
            return None


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    if "--version" in sys.argv[1:]:
        print(version_line("cuda-tile-translate"))
        return 0
    end_at_closed_pipe()
    words, gpu = split_gpu(sys.argv[1:])
    check_translation(words)
    translations = Translations(Options(gpu=gpu))
    translations.register()
    if {"--help", "-help", "-h"} & set(words):
        print(HELP, flush=True)
    check_words(words)
    code = _cuda_tile.translate_main(["cuda-tile-translate", *words])
    if translations.error is not None:
        raise translations.error
    return code


if __name__ == "__main__":
    sys.exit(main())
