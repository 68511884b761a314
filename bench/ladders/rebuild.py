# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the model of clocks against published speeds.

    .venv/bin/python bench/ladders/rebuild.py
    .venv/bin/python bench/ladders/rebuild.py --fast-cu DIR --learn-cuda DIR
    .venv/bin/python bench/ladders/rebuild.py --sgemm-cuda DIR

Without sources, which the user fetches, only ladders run that are had by kernels of
ours. `--write` keeps what was found in results.json and writes the table of
docs/time.md from it; a step that did not run keeps its last result.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.timing.model import Time

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "examples")]

from attention_kernels import Attention  # noqa: E402
from product_kernels import Product  # noqa: E402
from published import STEPS, Step  # noqa: E402

Sources = Mapping[str, Path | None]
"""Folders of the sources that the user fetched, by the first word of `Step.kernel`."""

RESULTS = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "time.md"
MARKS = ("<!-- ladders -->\n", "<!-- end of ladders -->\n")
COUNTED = 12
"""Iterations that are counted of a loop that has more."""


@dataclass(frozen=True)
class Result:
    """What the model says of a step, TFLOP/s.

    Attributes:
        step: The step.
        low, likely, high: Speeds by the slow, likely and fast constants.
        bound: By the bound, at the likely clock.
        limiter: What limits.
    """

    step: Step
    low: float
    likely: float
    high: float
    bound: float
    limiter: str

    @property
    def ratio(self) -> float:
        """Predicted over published speed."""
        return self.likely / self.step.tflops


def result(step: Step, time: Time) -> Result:
    """Speeds of a time."""
    low, likely, high, bound = (
        step.operations / us / 1e6
        for us in (
            time.high_us,
            time.likely_us,
            time.low_us,
            time.bound / time.ghz / 1e3,
        )
    )
    return Result(step, low, likely, high, bound, time.limiter)


def product(step: Step) -> Time:
    """Our product of the same tile."""
    m, n, k, kind = step.kernel.split()[1:]
    made = Product(kind, kind, (int(m), int(n), int(k)))
    grid, args = made.launch((2, 2), COUNTED)
    rows, columns, depth = step.size
    moved = 2 * (rows * depth + depth * columns + rows * columns)
    return cuda_tile.time_of(
        _compiled(made.text(), step.gpu),
        grid=grid,
        args=args,
        as_grid=rows // int(m) * (columns // int(n)),
        longer=depth / int(k) / COUNTED,
        dram_bytes=moved,
    )


def attention(step: Step) -> Time:
    """Our attention with the same head and keys of an iteration."""
    depth, keys = map(int, step.kernel.split()[1:])
    made = Attention("full", depth, keys=keys)
    heads, queries, all_keys = step.size
    grid, args = made.launch(1, 2 * made.rows, COUNTED * keys)
    return cuda_tile.time_of(
        _compiled(made.text(), step.gpu),
        grid=grid,
        args=args,
        as_grid=heads * queries // made.rows,
        longer=all_keys / keys / COUNTED,
        dram_bytes=2.0 * heads * depth * (2 * queries + 2 * all_keys),
    )


def _compiled(text: str, gpu: str) -> cuda_tile.Compiled:
    return cuda_tile.compile(cuda_tile.load(text.encode()), gpu)


def predict(step: Step, sources: Sources) -> Result | None:
    """The model's result; None where the source is not at hand."""
    if step.is_same:
        found = _by_source(step, sources)
        return None if found is None else result(step, found)
    how = attention if step.kernel.startswith("attention") else product
    return result(step, how(step))


def _by_source(step: Step, sources: Sources) -> Time | None:
    """The time of the very kernel."""
    whose, _, name = step.kernel.partition(" ")
    folder = sources[whose]
    if folder is None:
        return None
    if whose == "fast.cu":
        from fast_cu import predict as by_fast_cu

        return by_fast_cu(folder, int(name), step.size[0])
    if whose == "learn-cuda":
        from learn_cuda import predict as by_learn_cuda

        return by_learn_cuda(folder, name, step.gpu, step.size)
    from sgemm_cuda import predict as by_sgemm_cuda

    return by_sgemm_cuda(folder, name, step.gpu, step.size)


def error(results: Sequence[Result]) -> float:
    """Mean distance of predicted from published speed, relative to the latter."""
    return float(np.mean([abs(found.ratio - 1) for found in results]))


def correlation(results: Sequence[Result]) -> float:
    """Spearman's rank correlation of predicted and published speeds."""
    said = _ranks([found.likely for found in results])
    true = _ranks([found.step.tflops for found in results])
    return float(np.corrcoef(said, true)[0, 1])


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each; equal ones, to a thousandth, have their mean."""
    rough = [float(f"{value:.3g}") for value in values]
    return [sum(r < v for r in rough) + (rough.count(v) - 1) / 2 for v in rough]


def regret(results: Sequence[Result]) -> float:
    """How much slower than the fastest is what the model takes for the fastest.

    Of several that it cannot tell apart, to a thousandth, the slowest.
    """
    ranks = _ranks([found.likely for found in results])
    chosen = [r for r, rank in zip(results, ranks, strict=True) if rank == max(ranks)]
    best = max(found.step.tflops for found in results)
    return best / min(found.step.tflops for found in chosen) - 1


def table(results: Sequence[Result]) -> str:
    """The results as Markdown, and a summary of each ladder and half."""
    rows = [
        "| ladder | kernel | half | published | model | interval | bound | ratio | "
        "limiter |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {r.step.ladder} | {r.step.name} | {r.step.half} | {_short(r.step.tflops)} "
        f"| {_short(r.likely)} | {_short(r.low)} to {_short(r.high)} "
        f"| {_short(r.bound)} | {r.ratio:.2f} | {r.limiter} |"
        for r in results
    ]
    rows += ["", "| steps | count | mean error | rank correlation | regret |"]
    rows += ["|---|---|---|---|---|"]
    rows += [
        f"| {title} | {len(some)} | {error(some):.1%} | {correlation(some):.2f} | "
        f"{regret(some):.1%} |"
        for title, some in _groups(results)
        if len(some) > 1
    ]
    return "\n".join(rows) + "\n"


def _short(speed: float) -> str:
    """TFLOP/s, with a digit behind the point where there are few."""
    return f"{speed:.0f}" if speed >= 10 else f"{speed:.1f}"


def _groups(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    seen = [r for r in results if r.step.half == "seen"]
    same = [r for r in results if r.step.is_same and r not in seen]
    others = [r for r in results if not r.step.is_same]
    kinds = (("the very kernels", same), ("ours of the same form", others))
    parts = [
        (f"{title}, {half}", [r for r in some if r.step.half == half])
        for title, some in kinds
        for half in ("open", "apart")
    ]
    ladders = dict.fromkeys(r.step.ladder for r in seen)
    each = [(f"seen, {n}", [r for r in seen if r.step.ladder == n]) for n in ladders]
    learned = [r for r in seen if r.step.kernel.startswith("learn-cuda")]
    return [*kinds, *parts, ("seen, all of learn-cuda", learned), *each]


def _key(step: Step) -> str:
    return f"{step.ladder}: {step.name}"


def read() -> dict[str, dict[str, Any]]:
    """What was kept of earlier runs, by ladder and step."""
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def known(found: dict[str, dict[str, Any]]) -> list[Result]:
    """The results of the steps that ran."""
    return [Result(s, **found[_key(s)]) for s in STEPS if _key(s) in found]


def write_page(results: Sequence[Result]) -> None:
    """Puts the table between the page's marks."""
    text = PAGE.read_text()
    first, last = (text.index(mark) for mark in MARKS)
    PAGE.write_text(text[: first + len(MARKS[0])] + table(results) + text[last:])


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast-cu", type=Path, metavar="DIR", help="fast.cu's sources")
    parser.add_argument("--learn-cuda", type=Path, metavar="DIR", help="learn-cuda's")
    parser.add_argument("--sgemm-cuda", type=Path, metavar="DIR", help="SGEMM_CUDA's")
    parser.add_argument("--only", default="", metavar="TEXT", help="part of the name")
    parser.add_argument(
        "--half", choices=("open", "apart", "seen"), help="only this half"
    )
    parser.add_argument("--write", action="store_true", help="keep it, write the page")
    words = parser.parse_args()
    sources: Sources = {
        "fast.cu": words.fast_cu,
        "learn-cuda": words.learn_cuda,
        "sgemm": words.sgemm_cuda,
    }
    kept = read()
    for step in STEPS:
        if words.only not in _key(step) or words.half not in (None, step.half):
            continue
        try:
            found = predict(step, sources)
        except UserError as problem:
            print(f"{_key(step)}: {problem.message[:300]}", file=sys.stderr)
            continue
        if found is not None:
            fields = ("low", "likely", "high", "bound", "limiter")
            kept[_key(step)] = {name: getattr(found, name) for name in fields}
            print(f"{_key(step)}: {found.likely:.0f} of {step.tflops:.0f}", flush=True)
            if words.write:
                RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    print(table(known(kept)))
    if words.write:
        write_page(known(kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
