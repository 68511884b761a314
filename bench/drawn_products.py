# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws kernels with products at random and compiles each: some plan holds it.

Tile shapes, types, chains of two products, conversions in the loop, what is done to
sums, persistent loops. Prints what does not compile, and with `--cubin` what spills
though no remark foretells it.

    python bench/drawn_products.py --number 300 --seed 5 --cubin

Every plan may spill registers, keep one operand of a product in them, and bring the
other one to shared memory a step of the instruction at a time. So a refusal for want of
memory is right only where `needed_bytes` are more than a CTA may have.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

from drawn_text import BITS, EPILOGUES, Drawn
from product_scan import Wanted, fault_of

GPUS = ("sm_80", "sm_86", "sm_90", "sm_120")
EXTENTS = (16, 32, 64, 128, 256)
DEPTHS = EXTENTS[:-1]
KINDS = ("f16", "bf16", "tf32", "f8E4M3FN", "i8")
STORED = {"f16": ("i8", "f8E4M3FN", "f32"), "bf16": ("i8", "f32"), "tf32": ("f16",)}
"""Element types in memory that a loop converts, by those of products."""
STEP_BYTES = 32
"""Bytes of K of an operand that an instruction takes at once (PTX ISA, "mma")."""


@dataclass(frozen=True)
class Case:
    """A kernel, and the chip that it is for.

    Attributes:
        drawn: The kernel.
        gpu: The chip.
    """

    drawn: Drawn
    gpu: str

    def wrong(self, *, cubin: bool) -> str | None:
        """What is wrong with it; None if it compiles, or no plan could hold it.

        Args:
            cubin: Whether ptxas runs, and spills count that no remark foretells.
        """
        wanted = Wanted(self.gpu, needed_bytes=needed_bytes(self.drawn), cubin=cubin)
        return fault_of(self.drawn.text(), wanted)


def needed_bytes(drawn: Drawn) -> int:
    """Shared memory that every plan needs: the smaller operand of one K-step."""
    m, n, k = drawn.tile
    step = min(STEP_BYTES, k * BITS[drawn.kind] // 8)
    return min(m, n) * step


def draw(rng: Random, gpus: Sequence[str] = GPUS) -> Case:
    """One case.

    Args:
        rng: What chooses.
        gpus: The chips.
    """
    kind = rng.choice(KINDS)
    tile = rng.choice(EXTENTS), rng.choice(EXTENTS), rng.choice(DEPTHS)
    is_integer = kind == "i8"
    is_chain = not is_integer and rng.random() < 0.4
    stored = rng.choice((kind, *STORED.get(kind, ())))
    drawn = Drawn(
        tile,
        kind,
        stored="i8" if is_integer else stored,
        columns=rng.choice(EXTENTS) if is_chain else 0,
        epilogue="none" if is_integer else rng.choice(EPILOGUES),
        is_persistent=rng.random() < 0.4,
        is_transposed=rng.random() < 0.5,
    )
    return Case(drawn, rng.choice(gpus))


def main() -> int:
    """Draws and compiles as many as were asked for; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="append", choices=GPUS)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cubin", action="store_true", help="run ptxas, too")
    words = parser.parse_args()
    rng, failed = Random(words.seed), 0
    for _ in range(words.number):
        case = draw(rng, words.gpu or GPUS)
        wrong = case.wrong(cubin=words.cubin)
        if wrong is not None:
            failed += 1
            print(f"{case}: {wrong}", flush=True)
    print(f"{words.number - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
