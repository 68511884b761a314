# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves the synchronisation of kernels: `python -m cuda_tile.prove k.tileirbc`.

For each kernel two lines: of its roles, rings and shared memory, for every number of
iterations and every order, and of its grid. Each is *proved*, *refuted* or *unknown*,
with what is wrong or in doubt. docs/proof.md says what that means.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.checkers import allocate, barriers, count
from cuda_tile.checkers.grid import Grid
from cuda_tile.checkers.protocol import verdict_of
from cuda_tile.errors import CudaTileError, InternalError
from cuda_tile.ir.walk import entries, entry_name, location_text
from cuda_tile.options import Options
from cuda_tile.targets import DEFAULT_GPU, target_names


@dataclass(frozen=True)
class Proof:
    """What is known of a kernel.

    Attributes:
        kernel: Its name.
        block: `proved`, `refuted` or `unknown`, of what happens in a tile block.
        block_reason: What is wrong, or what is not known.
        grid: `proved` or `unknown`, of the tile blocks among each other.
        grid_reason: Which accesses may meet, or which grids are proved.
        seconds: CPU time of the proof, without the compilation.
    """

    kernel: str
    block: str
    block_reason: str
    grid: str
    grid_reason: str
    seconds: float

    def __str__(self) -> str:
        lines = (
            ("block", self.block, self.block_reason),
            ("grid", self.grid, self.grid_reason),
        )
        return "\n".join(
            f"{self.kernel}: {name} {said}{reason and f': {reason}'}"
            for name, said, reason in lines
        )


def prove(module: ir.Module, options: Options) -> list[Proof]:
    """Proves each kernel of a module.

    Args:
        module: The module, at level T; it stays as it is.
        options: The options of the compilation.

    Raises:
        CudaTileError: It does not compile.
    """
    lowered = api.lower(module, until="barriers", options=options)
    with lowered.context:
        return [_proof(entry, options) for entry in entries(lowered.operation)]


def _proof(entry: ir.Operation, options: Options) -> Proof:
    start = time.process_time()
    block, why = _block(entry, options)
    judged = Grid(entry)
    doubt = judged.doubt()
    grid, reason = ("unknown", doubt) if doubt else ("proved", judged.extent())
    seconds = time.process_time() - start
    return Proof(entry_name(entry), block, why, grid, reason, seconds)


def _block(entry: ir.Operation, options: Options) -> tuple[str, str]:
    """What happens in a tile block."""
    assert entry.parent is not None, "entries stand in a module"
    for checker in (count, allocate, barriers):
        try:
            checker.check(entry.parent.operation, options)
        except InternalError as error:
            return "refuted", str(error)
    verdict = verdict_of(ControlFlow(entry))
    if verdict.op is None:
        return "proved", ""
    why = f"{location_text(verdict.op)}: {verdict.fault}"
    if not verdict.assumed:
        return "refuted", why
    return "unknown", f"{why}; this takes for possible: {', '.join(verdict.assumed)}"


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a kernel is refuted, 2 if it does not compile.

    Args:
        arguments: Those of the command line.
    """
    parser = argparse.ArgumentParser(prog="python -m cuda_tile.prove")
    parser.add_argument("file", nargs="+", help="kernel files, text or bytecode")
    parser.add_argument("--gpu", default=DEFAULT_GPU, choices=target_names())
    given = parser.parse_args(arguments)
    refuted = False
    for file in given.file:
        try:
            module = api.load(Path(file).read_bytes())
            proofs = prove(module, Options(gpu=given.gpu))
        except (CudaTileError, OSError) as error:
            print(f"{file}: {error}", file=sys.stderr)
            return 2
        for proof in proofs:
            print(proof)
            refuted |= proof.block == "refuted"
    return int(refuted)


if __name__ == "__main__":
    sys.exit(main())
