# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the real kernels, runs them on the CPU and prints a table.

Run it as `tools/demo`. Each kernel is compiled for each GPU (PTX and cubins are
written to a folder), run on the interpreter (Tile IR) and on the emulator (the PTX of
each GPU), and compared with NumPy.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from real_kernels import RECIPES, VERSIONS, Comparison, kernel_path, make_problem

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.cli.failure import error_text

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_GPUS = ("sm_80", "sm_90")
PROCESSES = 2


@dataclass(frozen=True)
class Row:
    """Results of one kernel on one GPU; `error` if it failed."""

    kernel: str
    gpu: str
    registers: int = 0
    spill_bytes: int = 0
    shared_bytes: int = 0
    compile_seconds: float = 0.0
    interp: Comparison | None = None
    emulator: Comparison | None = None
    error: str = ""

    @property
    def is_good(self) -> bool:
        """Whether it compiled and every result is within its tolerance."""
        results = (self.interp, self.emulator)
        return not self.error and all(r is not None and r.is_within for r in results)


def study(name: str, gpus: tuple[str, ...], version: str, folder: Path) -> list[Row]:
    """Compiles a kernel for each GPU, writes the files and runs it."""
    rows: list[Row] = []
    interp: Comparison | None = None
    for gpu in gpus:
        try:
            module = cuda_tile.load(kernel_path(name, version))
            if interp is None:
                problem = make_problem(name)
                cuda_tile.run(module, grid=problem.grid, args=problem.args)
                interp = problem.compare()
            rows.append(_study_gpu(name, gpu, module, folder, interp))
        except cuda_tile.CudaTileError as error:
            rows.append(Row(name, gpu, error=error_text(error)))
    return rows


def _study_gpu(
    name: str, gpu: str, module: ir.Module, folder: Path, interp: Comparison
) -> Row:
    start = time.perf_counter()
    compiled = cuda_tile.compile(module, gpu)
    seconds = time.perf_counter() - start
    (folder / f"{name}.{gpu}.ptx").write_text(compiled.ptx)
    (folder / f"{name}.{gpu}.cubin").write_bytes(compiled.cubin)
    problem = make_problem(name)
    cuda_tile.run(
        module,
        grid=problem.grid,
        args=problem.args,
        on="emulator",
        gpu=gpu,
        compiled=compiled,
    )
    report = compiled.report.kernels[0]
    return Row(
        kernel=name,
        gpu=gpu,
        registers=report.registers,
        spill_bytes=report.spill_bytes,
        shared_bytes=report.shared_bytes,
        compile_seconds=seconds,
        interp=interp,
        emulator=problem.compare(),
    )


HEADER = (
    f"{'':30}{'':7}{'':>10}{'spilled':>9}{'shared':>9}{'compile':>9}"
    f"{'largest error against NumPy':>37}\n"
    f"{'kernel':30}{'GPU':7}{'registers':>10}{'bytes':>9}{'bytes':>9}{'s':>9}"
    f"{'tiles':>11}{'PTX':>11}{'allowed':>15}"
)


def row_text(row: Row, *, is_first: bool) -> str:
    """A row of the table; only the first row of a kernel has its name."""
    name = f"{row.kernel if is_first else '':30}{row.gpu:7}"
    if row.error or row.interp is None or row.emulator is None:
        return f"{name}failed: {row.error}"
    verdict = "" if row.is_good else "  WRONG"
    return (
        f"{name}{row.registers:>10}{row.spill_bytes:>9}{row.shared_bytes:>9}"
        f"{row.compile_seconds:>9.2f}{row.interp.text:>11}{row.emulator.text:>11}"
        f"{row.emulator.allowed:>15}{verdict}"
    )


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/demo", description=__doc__)
    parser.add_argument(
        "--gpu",
        action="append",
        metavar="SM",
        help=f"chip to compile for, may be repeated ({', '.join(DEFAULT_GPUS)})",
    )
    parser.add_argument(
        "--kernel",
        action="append",
        choices=tuple(RECIPES),
        metavar="NAME",
        help=f"only this kernel, may be repeated; one of {', '.join(RECIPES)}",
    )
    parser.add_argument(
        "--bytecode",
        choices=VERSIONS,
        default=VERSIONS[-1],
        help="version of the files",
    )
    parser.add_argument(
        "-o",
        dest="folder",
        type=Path,
        default=ROOT / "build" / "demo",
        help="where PTX and cubins go (build/demo)",
    )
    return parser.parse_args()


def main() -> int:
    """Prints the rows as they are ready; 1 if anything failed."""
    arguments = read_arguments()
    gpus = tuple(arguments.gpu or DEFAULT_GPUS)
    names: list[str] = arguments.kernel or list(RECIPES)
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    print(
        f"Kernels that cuTile Python {arguments.bytecode} wrote, compiled and run here "
        f"on the CPU:\n\n{HEADER}\n{'-' * 111}",
        flush=True,
    )
    bad = 0
    with ProcessPoolExecutor(min(PROCESSES, len(names))) as pool:
        futures: list[Future[list[Row]]] = [
            pool.submit(study, name, gpus, arguments.bytecode, folder) for name in names
        ]
        for future in futures:
            for position, row in enumerate(future.result()):
                print(row_text(row, is_first=position == 0), flush=True)
                bad += not row.is_good
    seconds = time.perf_counter() - start
    shown = folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder
    print(
        "\ntiles: the kernel as read, run by the interpreter; PTX: what ptxas gets, run"
        "\nby the emulator. allowed: exact, units in the last place, or the rounding of"
        f"\nthat many f32 sums (and to f16). PTX and cubins are in {shown}.\n"
        f"{len(names)} kernels, {seconds:.1f} s."
    )
    if bad:
        print(f"{bad} of {len(names) * len(gpus)} went wrong.", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
