# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m cuda_tile.cutile program.py`: runs a program without a GPU.

    python -m cuda_tile.cutile --on=emulator --gpu=sm_80 program.py its arguments
    python -m cuda_tile.cutile --on=interp -m package.module its arguments

The program is not changed and needs neither GPU nor driver; see docs/cutile.md.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from cuda_tile.cli.failure import (
    TRACEBACK_VARIABLE,
    ArgumentParser,
    error_text,
    reports_errors,
)
from cuda_tile.cli.plain_dialects import use_plain_dialects
from cuda_tile.cutile.installation import AnySession, install, installed
from cuda_tile.cutile.session import Session
from cuda_tile.cutile.settings import add_settings, from_options
from cuda_tile.debug.options import add_debug_options, front_end
from cuda_tile.debug.target import FrontEnd
from cuda_tile.errors import CudaTileError, UserError, add_note, notes_of

PACKAGE = Path(__file__).resolve().parent.parent
MISSING = {
    "triton": "compiles for the GPU by itself",
    "numba": "compiles for the GPU by itself",
    "pycuda": "calls the CUDA driver",
    "cuda.bindings": "calls the CUDA driver",
    "cuda.core": "calls the CUDA driver",
    "pynvml": "asks the GPU's driver",
    "jax": "calls the CUDA driver",
    "nvshmem": "connects GPUs",
}
"""Libraries that programs for GPUs use and that nothing here stands in for."""


def build_parser() -> argparse.ArgumentParser:
    """The command line; what follows the program's name is the program's."""
    parser = ArgumentParser(
        prog="python -m cuda_tile.cutile",
        description="Runs a cuTile Python program without a GPU.",
    )
    add_settings(parser)
    add_debug_options(parser)
    parser.add_argument(
        "--report",
        metavar="PAGE.html",
        type=Path,
        help="write a page with all levels of each kernel that is launched, side by "
        "side, run with the arguments of its first launch (docs/report.md)",
    )
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module")
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, help="program and its arguments"
    )
    return parser


def prepare(
    words: argparse.Namespace, front: FrontEnd | None = None
) -> Callable[[], object]:
    """Makes the process ready; gives the function that runs the program.

    Args:
        words: The command line.
        front: Where the user of a debugger is, if the command line does not say it.

    Raises:
        UserError: There is no program, or a choice is not allowed.
    """
    rest: list[str] = words.program
    if words.module is None and not rest:
        raise UserError("expected a program, got none; see --help")
    if words.module is None and not Path(rest[0]).exists():
        raise UserError(f"cannot read '{rest[0]}': there is no such file")
    session = install(**vars(from_options(words)))
    front = front or front_end(words)
    if front is not None:
        debug_by(session, front)
    if words.module is not None:
        sys.argv = [words.module, *rest]
        sys.path.insert(0, "")
        return partial(
            runpy.run_module, words.module, run_name="__main__", alter_sys=True
        )
    sys.argv = rest
    sys.path.insert(0, str(Path(rest[0]).resolve().parent))
    return partial(runpy.run_path, rest[0], run_name="__main__")


def debug_by(session: AnySession, front: FrontEnd) -> None:
    """Lets the user stop in kernels.

    Raises:
        UserError: Kernels run on the GPU.
    """
    if not isinstance(session, Session):
        raise UserError("expected --on=interp or --on=emulator with --debug, got gpu")
    session.front = front


def show(error: Exception) -> None:
    """Shows an error of the program as Python does, without the frames of this package.

    Kernel errors name the line of the kernel's source themselves.
    """
    if isinstance(error, ModuleNotFoundError):
        name = error.name or ""
        if name == "torch":
            add_note(
                error,
                "install torch in this Python environment; one for the CPU is enough",
            )
        if name == "cupy":  # elsewhere there is a stand-in
            add_note(
                error,
                "with --on=gpu the program gets the CuPy that is installed; "
                "--on=interp and --on=emulator need neither CuPy nor a GPU",
            )
        for known, what in MISSING.items():
            if name == known or name.startswith(f"{known}."):
                add_note(
                    error,
                    f"'{known}' {what}, for which there is no stand-in; run that part "
                    "of the program on a machine with a GPU (--on=gpu)",
                )
    is_ours = isinstance(error, CudaTileError)
    shown = traceback.TracebackException.from_exception(error)
    frames = [f for f in shown.stack if not _is_hidden(f.filename)]
    shown.stack = traceback.StackSummary.from_list(frames)
    text = "".join(shown.format())
    if sys.version_info < (3, 11):  # which shows no notes
        text += "".join(f"{note}\n" for note in notes_of(error))
    if is_ours:
        # With the place of the kernel's source in front, as compilers write it.
        kind, said = (
            f"{type(error).__module__}.{type(error).__qualname__}: ",
            str(error),
        )
        text = text.replace(f"{kind}{said}", error_text(error))
    print(text, end="", file=sys.stderr)


def _is_hidden(file: str) -> bool:
    return file.startswith(("<frozen", str(PACKAGE)))


def run(program: Callable[[], object]) -> int:
    """Runs the program; gives the exit code, 1 where findings were collected."""
    before = _finding_count()
    try:
        program()
    except Exception as error:
        sys.stdout.flush()
        if os.environ.get(TRACEBACK_VARIABLE):
            traceback.print_exc()
        show(error)
        return 1
    return int(_finding_count() > before)


def _finding_count() -> int:
    """Findings that the process has collected."""
    return len(getattr(installed(), "findings", ()))


@reports_errors
def main() -> int:
    """Reads the command line and runs the program."""
    use_plain_dialects()
    words = build_parser().parse_args()
    if words.report is None:
        return run(prepare(words))
    with TemporaryDirectory(prefix="cuda-tile-") as folder:
        words.record = words.record or folder
        code = run(prepare(words))
        _write_pages(words)
    return code


def _write_pages(words: argparse.Namespace) -> None:
    """Writes the pages that were asked for, and says which.

    Raises:
        UserError: The program has launched nothing, or as `page.write_pages`.
    """
    from cuda_tile.cutile.page import write_pages

    gpu = from_options(words).gpu
    pages = write_pages(Path(words.record), words.report, gpu)
    if not pages:
        raise UserError("expected a launch to report on, got none from the program")
    for page in pages:
        print(f"{page}: report of a kernel for {gpu}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
