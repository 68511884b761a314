# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles products of all tile shapes whole, ptxas included, and names what fails.

A legal kernel that fits the chip compiles: plans whose registers or shared memory the
chip lacks are no excuse. Prints what fails, what spills, and counts.

    python bench/product_scan.py --gpu sm_90 --kind f16 --jobs 2
    python bench/product_scan.py --sample 200
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

from product_kernels import Product

import cuda_tile
from cuda_tile.errors import CudaTileError, UserError
from cuda_tile.pipeline import Artifact
from cuda_tile.targets import find_target

GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
ABIS = ("maps", "cuda", "tile")
ROWS = COLUMNS = (16, 32, 64, 128, 256)
DEPTHS = (16, 32, 64, 128)
KINDS = {
    "f16": ("f16", "f32"),
    "f16 to f16": ("f16", "f16"),
    "bf16": ("bf16", "bf16"),
    "tf32": ("tf32", "f32"),
    "f8": ("f8E4M3FN", "f32"),
    "i8": ("i8", "i32"),
}
"""Element types of the operands and of what is stored."""
EPILOGUES = {"none": "", "scaled": "mulf %sum, %sum", "tanh": "tanh %sum"}
"""What is done to sums before they are stored."""
MOST_SPILLS = 64
"""Bytes of a thread that may be spilled where no remark foretells it."""
_PLAN = re.compile(r"tileas\.plan = (\{[^}]*\})")
FORETOLD = "wanted no spills"
"""What a remark says of a plan for which a thread has too few registers."""


@dataclass(frozen=True)
class Scanned:
    """One product, and how it is compiled.

    Attributes:
        tile: Extents M, N, K of an iteration.
        kind: A key of `KINDS`.
        epilogue: A key of `EPILOGUES`.
        gpu: The chip.
        abi: What the launcher does.
        persistent: Whether a CTA serves several tile blocks.
        is_aligned: Whether bases, extents and strides are multiples of anything.
    """

    tile: tuple[int, int, int]
    kind: str = "f16"
    epilogue: str = "none"
    gpu: str = "sm_90"
    abi: str = "maps"
    persistent: bool = False
    is_aligned: bool = True

    def text(self) -> str:
        """The kernel."""
        operand, result = KINDS[self.kind]
        product = Product(operand, result, self.tile, is_aligned=self.is_aligned)
        epilogue = EPILOGUES[self.epilogue]
        if not epilogue:
            return product.text()
        m, n, _ = self.tile
        made = f"    %act = {epilogue} : tile<{m}x{n}xf32>\n"
        head, mark, tail = product.text().partition("    }\n")
        return head + mark + made + tail.replace("%sum", "%act")


@dataclass(frozen=True)
class Wanted:
    """How a kernel is compiled that must compile.

    Attributes:
        gpu: The chip.
        abi: What the launcher does; None for the default.
        persistent: Whether a CTA serves several tile blocks.
        needed_bytes: Shared memory that every plan needs: a chip with less refuses.
        cubin: Whether ptxas runs, and spills count that no remark foretells.
    """

    gpu: str
    abi: str | None = None
    persistent: bool = False
    needed_bytes: int = 0
    cubin: bool = True

    def options(self) -> cuda_tile.Options:
        """The compiler's options."""
        options = cuda_tile.Options(
            gpu=self.gpu, persistent=self.persistent, line_info=False
        )
        return options if self.abi is None else replace(options, abi=self.abi)


def fault_of(
    text: str, wanted: Wanted, say: Callable[[str], None] = lambda line: None
) -> str | None:
    """What is wrong with a kernel that must compile; None if nothing is.

    Args:
        text: The kernel.
        wanted: How it is compiled.
        say: Is told the plans that were chosen.

    Returns:
        The error, or the bytes that it spills where no remark says why.
    """

    def observe(name: str, level: Artifact) -> None:
        if name == "plan":
            for plan in _PLAN.findall(str(level)):
                say(f"{wanted.gpu}: {plan}")

    try:
        module = cuda_tile.load(text.encode())
        compiled = cuda_tile.compile(
            module, cubin=wanted.cubin, options=wanted.options(), observe=observe
        )
    except UserError as error:
        most = find_target(wanted.gpu).shared_bytes_per_cta
        is_right = "shared memory" in str(error) and wanted.needed_bytes > most
        return None if is_right else str(error)
    except CudaTileError as error:
        return f"{type(error).__name__}: {error}"
    spilled = max((kernel.spill_bytes for kernel in compiled.report.kernels), default=0)
    remarks = [text for launch in compiled.launch.values() for text in launch.remarks]
    if spilled <= MOST_SPILLS or any(FORETOLD in text for text in remarks):
        return None
    return f"spills {spilled} bytes"


def compile_one(scanned: Scanned) -> str | None:
    """What is wrong with a product's cubin; None if nothing is."""
    wanted = Wanted(scanned.gpu, scanned.abi, scanned.persistent)
    return fault_of(scanned.text(), wanted)


def all_products(gpus: Sequence[str], kinds: Sequence[str]) -> list[Scanned]:
    """Every shape, type, epilogue, chip and ABI that a kernel may have."""
    shapes = list(itertools.product(ROWS, COLUMNS, DEPTHS))
    found: list[Scanned] = []
    for gpu, kind, tile in itertools.product(gpus, kinds, shapes):
        found += [
            Scanned(tile, kind, epilogue, gpu)
            for epilogue in EPILOGUES
            if epilogue == "none" or kind != "i8"
        ]
        abis = ABIS[1:] if gpu != "sm_80" else ABIS[1:2]
        found += [Scanned(tile, kind, gpu=gpu, abi=abi) for abi in abis]
        found.append(Scanned(tile, kind, gpu=gpu, persistent=True))
        found.append(Scanned(tile, kind, gpu=gpu, is_aligned=False))
    return found


def main() -> int:
    """Compiles what was asked for; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="append", choices=GPUS)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--plain", action="store_true", help="no epilogue, abi maps")
    parser.add_argument("--sample", type=int, help="so many of all, by chance")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    chosen = all_products(options.gpu or GPUS, options.kind or list(KINDS))
    if options.plain:
        chosen = [s for s in chosen if s == Scanned(s.tile, s.kind, gpu=s.gpu)]
    if options.sample:
        chosen = Random(options.seed).sample(chosen, min(options.sample, len(chosen)))
    failed = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for scanned, wrong in zip(chosen, pool.map(compile_one, chosen), strict=True):
            if wrong is not None:
                failed += 1
                print(f"{scanned}: {wrong}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
