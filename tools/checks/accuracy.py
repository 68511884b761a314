# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the errors of functions in docs/accuracy.md; `--write` measures them anew.

Without arguments a small part of the operands is measured and must stay within the
page's numbers. `--write` takes some minutes. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from ulp.measure import compiled, measure, worst_texts  # noqa: E402 - lies in tools
from ulp.samples import operands_of  # noqa: E402
from ulp.subjects import ELEMENTS, SUBJECTS, Subject  # noqa: E402

PAGE = ROOT / "docs/accuracy.md"
GPU = "sm_90"
FULL = {"f16": 1 << 22, "bf16": 1 << 22, "f32": 1 << 24, "f64": 1 << 16}
"""Operands that `--write` takes of each type; 16-bit ones that stand alone, all."""
WORST = {"f16": 1 << 18, "bf16": 1 << 18, "f32": 1 << 20}
"""The same for the columns at the limits of the hardware."""
FEW = {"f16": 1 << 12, "bf16": 1 << 12, "f32": 1 << 12, "f64": 1 << 7}
"""The same for a check."""
PROMISED: dict[str, str] = {
    "sqrt nearest_even": "rounded",
    "divf": "rounded",
    "remf": "exact",
    "tanh": "2; f64 1",
    "tanh approx": "relative 2^-11",
    "divf approx": "2",
    "divf full": "2",
    "exp approx": "that of 2^(x log2 e)",
}
"""What the specification of Tile IR asks for, in units in the last place."""
HEAD = """\
# Errors of functions

<!-- made by tools/checks/accuracy.py --write -->

The largest error of the functions of the families `math` and `float`, in units in the
last place (ulp) of the exact result, as compiled for {gpu}. A unit is the distance
between the numbers of the type around the exact result; 0.5 is correct rounding.

Two numbers stand for a type that uses approximations of the hardware (`ex2`, `lg2`,
`rcp`, `rsqrt`, `sqrt.approx`, `tanh`, `div.approx`, `div.full` of f32):

1. measured on the emulator, which gives the correctly rounded value of each of them;
2. in brackets, with each of them off by all that the PTX ISA allows, in either
   direction, the same for all operands. That is worse than any hardware: it also moves
   results that hardware gives exactly, such as powers of two.

What a GPU gives lies between; it has not been measured on one yet. f64 has no brackets:
its sequences start from such approximations and refine them, but the ISA gives no error
for the ones of f64, nor for `rsqrt.approx.f64`, to which `rsqrt` is compiled and of
which CUDA's manual says that it is within one unit.

Operands: f16 and bf16, all of them; f32, 2^24, at random within equal parts of all
codes; f64, 2^16, of which half have magnitudes of 2^-30 to 2^11 and half are taken from
all codes; two operands, 2^22 pairs for 16 bits and as many as above for the others, of
which a fifth is random bits; and all pairs of special values: zeros, subnormal numbers,
infinities, NaN, the ends of the range, both signs. Brackets: 2^20, for 16 bits 2^18.
Wherever the exact result is NaN, infinite or zero, every result is that, with its sign.

Exact results: for types up to f32, NumPy's f64, itself less than 2^-28 ulp off; for
f64, mpmath with 160 bits. The interpreter's results, which tests compare with, are
those of NumPy in f64, rounded once: up to f32 they are within 0.5 + 2^-28 ulp, in f64
within 1 ulp. It rounds `sqrt`, sums, products, quotients and `fma` correctly in every
mode and type, and so does the compiled code: test/ops compares them bit for bit.

Promised is what the specification of Tile IR asks for. It counts, as CUDA's manual
does, the distance from the correctly rounded result, so that a promise of 1 allows
errors below 1.5 here. 16-bit types are computed in f32 and rounded once.
`flush_to_zero` takes subnormal operands as zeros of their sign and gives such zeros for
subnormal results. `divf approx` is measured for divisors from 2^-126 to 2^126. The
error of `exp approx` is that of its product x log2 e, |x| 2^-24 of the result.

Sums of products are not in the table. Matrix instructions of 16-bit floats, and
multiply-adds, are within the bounds of f32 sums. Those of 8-bit floats by warpgroups
on sm_90 and by `mma.sync` on sm_89 keep 14 bits of each term, by the measurements that
`python/cuda_tile/emulator/isa/short_sums.py` names; every 128 elements of K their sum
is added to one of f32 (`fast_acc` leaves that out). On that model, beside f32 sums of
the same products, error over the sum of the magnitudes, K = 4096, e4m3, 1,024 sums:

| sums | normal numbers: largest, mean | their magnitudes: largest, mean |
|---|---|---|
| f32, one product after the other | 7.4e-9, 4.9e-10 | 8.5e-7, 1.7e-7 |
| promoted every 32 (`promote = 32`) | 4.3e-6, 9.4e-7 | 5.3e-5, 4.5e-5 |
| every 64 | 7.0e-6, 1.5e-6 | 1.9e-4, 1.6e-4 |
| every 128, the default | 9.9e-6, 2.5e-6 | 7.4e-4, 6.2e-4 |
| every 256 | 1.8e-5, 4.2e-6 | 2.4e-3, 2.1e-3 |
| never (`fast_acc`) | 2.3e-4, 2.1e-5 | 7.4e-2, 7.0e-2 |

Cutting off always goes toward zero, so sums of magnitudes lose most: what one cut takes
of a part grows with the part, and the number of parts falls as they grow. Products of
two 8-bit floats are exact in f16, so an f32 sum of f16 products is as good as one of
exact products, and **no interval of promotion reaches it**: one instruction adds 32
products, and of 1 and 31 times 2^-14, all of them products of e4m3 numbers, it gives 1,
which is off by 1.9e-3; f32 holds the sum. That is the instruction's own, below any
promotion (test/ptx/test_short_sums.py). Where it matters, convert the operands to f16
first. `promote = 32` or `64` in the plan of a product lies between: for 128x128x128 on
sm_90 an iteration of the loop has 291 or 159 instructions a warp for 93, with as many
registers and no spills; 582 issue slots of 512 clocks of the tensor cores, or 318.

"""
COLUMNS = f"""\
| function | promised | {" | ".join(ELEMENTS)} |
|---|---|{"---|" * len(ELEMENTS)}
"""


def rows() -> Iterator[str]:
    """The page's table, measured."""
    for subject in SUBJECTS:
        cells = [
            _cell(subject, element) if element in subject.elements else ""
            for element in ELEMENTS
        ]
        promised = PROMISED.get(subject.name, "none")
        row = f"| {subject.name} | {promised} | {' | '.join(cells)} |"
        print(row, flush=True)
        yield row


def _cell(subject: Subject, element: str) -> str:
    ptx = compiled(subject, element, GPU).ptx
    found = measure(subject, element, ptx, operands_of(subject, element, FULL[element]))
    name = f"{subject.name} {element}"
    if found.wrong:
        raise SystemExit(f"{name}: {found.wrong} wrong special values")
    if element not in WORST:
        return f"{found.ulp:.3f}"
    few = operands_of(subject, element, WORST[element])
    limits = [measure(subject, element, text, few) for text in worst_texts(ptx)]
    if any(limit.wrong for limit in limits):
        raise SystemExit(f"{name}: wrong special values at the limits")
    cell = f"{found.ulp:.3f}"
    if limits:
        cell += f" ({max(limit.ulp for limit in (found, *limits)):.3f})"
    return cell


def numbers_of(page: str) -> dict[tuple[str, str], float]:
    """The first number of each cell, by function and element type."""
    found: dict[tuple[str, str], float] = {}
    for line in page.partition(COLUMNS)[2].splitlines():
        name, _, *cells = [cell.strip() for cell in line.strip("|").split("|")] + [""]
        for element, cell in zip(ELEMENTS, cells, strict=False):
            number = re.match(r"[\d.]+", cell)
            if number:
                found[name, element] = float(number[0])
    return found


def check() -> tuple[int, int]:
    """Measures a few operands of each function; counts what is as the page says."""
    numbers = numbers_of(PAGE.read_text())
    wanted = [(s, e) for s in SUBJECTS for e in s.elements]
    failed = 0
    for subject, element in wanted:
        ptx = compiled(subject, element, GPU).ptx
        few = operands_of(subject, element, FEW[element])
        found = measure(subject, element, ptx, few)
        limit = numbers.pop((subject.name, element), -1.0)
        if found.ulp > limit + 0.0005 or found.wrong:
            failed += 1
            print(
                f"{subject.name} {element}: expected at most {limit} ulp, got "
                f"{found.ulp:.3f} at {found.worst}, {found.wrong} wrong special values"
            )
    for name, element in numbers:
        failed += 1
        print(f"{name} {element}: in {PAGE.name}, but measured nowhere; run --write")
    return len(wanted) + len(numbers) - failed, failed


def main() -> int:
    """Checks, or with `--write` measures all and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="measure and write")
    if parser.parse_args().write:
        table = "".join(f"{row}\n" for row in rows())
        PAGE.write_text(HEAD.format(gpu=GPU) + COLUMNS + table)
    passed, failed = check()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
