# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tuning gains over the plan that the compiler chooses, and what the tuner misses.

    python bench/tuning.py [--gpu sm_80 ...] [--only TEXT] [--json FILE] [--jobs N]

A row per kernel and chip. Every plan that can be is compiled and counted
(docs/tuning.md), by the launch that the tuner makes up, but for `SIZES`; `best` has the
fewest clocks of all. `own` is the compiler's plan,
chosen by estimate; `tuned` is the first of those that the tuner compiles, which drops
some by estimate. The row ends with how far the tuned one is off the best, and with why
the own plan is more than 5 % off, if it is. The line below counts how often the choice
by estimate is the choice by count. `--json` keeps the rows, and adds to those of the
file; `--show FILE` prints them as the page has them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

from real_kernels import make_problem

from cuda_tile import api
from cuda_tile.batch.run import Machines
from cuda_tile.errors import UserError
from cuda_tile.options import Options
from cuda_tile.tuning.candidate import Candidate
from cuda_tile.tuning.clocks import clocks_of
from cuda_tile.tuning.marks import Given
from cuda_tile.tuning.ranking import rank
from cuda_tile.tuning.search import Tuned, processors, tune
from cuda_tile.tuning.space import make_space, read_over

KERNELS = Path(__file__).resolve().parents[1] / "test" / "kernels" / "13.4"
GPUS = ("sm_80", "sm_90")
NAMES = (
    "vadd_f32_1024",
    "vadd_f16_4096",
    "vadd_f32_unaligned",
    "saxpy_tail_f32",
    "control_f32_256",
    "mathops_f32_1024",
    "transpose_f32_64x64",
    "softmax_f32_1024",
    "softmax_f16_4096",
    "layernorm_f16_1024",
    "argmax_f32_4x1024",
    "cumsum_f32_1024",
    "gather_rows_f16_64x128",
    "histogram_i32_1024",
    "matmul_f16_64x64x64",
    "matmul_tf32_128x128x32",
    "matmul_f16_128x128x64",
    "matmul_i8_128x128x64",
    "fmha_causal_f16_d64_128x64",
    "fmha_causal_f16_d128_128x64",
)
SIZES = {
    "fmha_causal_f16_d64_128x64": (512,),
    "fmha_causal_f16_d128_128x64": (512,),
}
"""Sizes of kernels of which one tile block does not tell what they do: of causal
attention the first one has two tiles of keys, fewer than rings have slots. Of four tile
blocks the last one has eight."""
SLACK = 0.05
"""By how much the own plan may take more than the tuned one without a reason."""


@dataclass(frozen=True)
class Row:
    """A kernel on a chip.

    Attributes:
        kernel: Its name.
        gpu: The chip.
        plans: Plans that there are.
        possible: Those that can be, which were compiled and counted.
        tried: Those that the tuner compiles.
        own: Clocks of the compiler's own plan; None if it spills.
        tuned: Clocks of what the tuner chooses.
        best: Clocks of the best of all.
        own_plan, tuned_plan, best_plan: Their numbers.
        words: The tuned plan in words, where it is another one.
        limiter: What the tuned plan waits for.
        seconds: Wall time of compiling and counting all.
        note: Why the own plan takes more than 5 % more, or why there is no row.
    """

    kernel: str
    gpu: str
    plans: int = 0
    possible: int = 0
    tried: int = 0
    own: float | None = None
    tuned: float = 0.0
    best: float = 0.0
    own_plan: int | None = None
    tuned_plan: int | None = None
    best_plan: int | None = None
    words: str = ""
    limiter: str = ""
    seconds: float = 0.0
    note: str = ""

    @property
    def own_regret(self) -> float:
        """Share by which the own plan takes more than the best."""
        return self.own / self.best - 1 if self.own else 0.0

    @property
    def regret(self) -> float:
        """The same of the tuned plan."""
        return self.tuned / self.best - 1


def measure(name: str, gpu: str, jobs: int) -> Row:
    """Compiles and counts every plan of a kernel."""
    launch = None
    if name in SIZES:
        problem = make_problem(name, SIZES[name])
        launch = problem.grid, problem.args
    source = Given(api.load(KERNELS / f"{name}.tileirbc"), launch)
    start = time.monotonic()
    try:
        found = tune(source, gpu, machines=Machines(jobs), prune=False)
    except UserError as error:
        return Row(name, gpu, note=error.message)
    seconds = time.monotonic() - start
    over, options = read_over(source, None), Options(gpu=gpu)
    tried = {each.number for each in make_space(source, over, options, prune=True).left}
    counted = list(found.made)
    tuned = rank([each for each in counted if each.number in tried]).ranked[0]
    best = found.ranking.ranked[0]
    own = next((c for c in counted if c.plan and c.plan["chosen"]), None)
    is_other = own is None or tuned.number != own.number
    row = Row(
        name,
        gpu,
        found.n_candidates,
        len(counted),
        len(tried),
        _clocks(own),
        clocks_of(tuned).total,
        clocks_of(best).total,
        None if own is None else own.number,
        tuned.number,
        best.number,
        tuned.words if is_other else "",
        clocks_of(tuned).limiter,
        round(seconds, 1),
    )
    return replace(row, note=_note(row, own, found))


def _clocks(candidate: Candidate | None) -> float | None:
    if candidate is None or candidate.final is None or candidate.final.spill_bytes:
        return None
    return clocks_of(candidate).total


def _note(row: Row, own: Candidate | None, found: Tuned) -> str:
    """Why the own plan is not the tuned one, by the model, where that costs."""
    if own is None or own.final is None:
        return "the own plan was not counted"
    if own.final.spill_bytes:
        return f"the own plan spills {own.final.spill_bytes} bytes"
    if row.own_regret <= SLACK:
        return ""
    mine, best = clocks_of(own), clocks_of(found.best)
    return (
        f"{own.words}, limited by {mine.limiter}; the best is {found.best.words}, by "
        f"{best.limiter}"
    )


def save(path: Path, rows: Sequence[Row]) -> list[Row]:
    """Adds rows to a file; gives all of it, in the order of `NAMES`."""
    known = [] if not path.exists() else load(path)
    found = {(each.kernel, each.gpu): each for each in (*known, *rows)}
    keys = [(name, gpu) for name in NAMES for gpu in GPUS if (name, gpu) in found]
    kept = [found[key] for key in keys]
    path.write_text(json.dumps([asdict(each) for each in kept], indent=1) + "\n")
    return kept


def load(path: Path) -> list[Row]:
    """The rows of a file."""
    return [Row(**each) for each in json.loads(path.read_text())]


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown, and what they say together."""
    lines = [
        "| kernel | chip | plans | tried | own | tuned | best | tuned off | note |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        own = "spills" if row.own is None else f"{row.own:.0f}"
        lines.append(
            f"| {row.kernel} | {row.gpu} | {row.possible} of {row.plans} | {row.tried} "
            f"| {own} | {row.tuned:.0f} | {row.best:.0f} | {row.regret:.1%} "
            f"| {row.note} |"
        )
    return "\n".join([*lines, "", summary(rows)])


def summary(rows: Sequence[Row]) -> str:
    """What the rows say together."""
    counted = [row for row in rows if row.possible]
    own = [row for row in counted if row.own is not None]
    same = sum(row.own == row.best for row in own)
    near = sum(row.own_regret <= SLACK for row in own)
    exact = sum(row.tuned == row.best for row in counted)
    made, seconds = sum(r.possible for r in counted), sum(r.seconds for r in counted)
    mean_own = sum(row.own_regret for row in own) / max(1, len(own))
    mean = sum(row.regret for row in counted) / max(1, len(counted))
    return (
        f"{len(counted)} rows. The choice by estimate takes the clocks of the choice "
        f"by count in {same}, and within 5 % in {near}; mean regret {mean_own:.1%}. "
        f"The tuner finds the best of all plans in {exact}; mean regret {mean:.1%}, "
        f"most {max((r.regret for r in counted), default=0.0):.1%}. "
        f"{made} candidates in {seconds:.0f} s, "
        f"{made / max(seconds, 1e-9):.1f} in a second."
    )


def main() -> int:
    """Prints the rows; 1 if one has neither clocks near the best nor a reason."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", choices=GPUS)
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--jobs", type=int, default=processors(), metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the rows to it")
    parser.add_argument("--show", type=Path, metavar="FILE", help="print its rows")
    words = parser.parse_args()
    if words.show:
        print(table(load(words.show)))
        return 0
    rows: list[Row] = []
    for name in (name for name in NAMES if words.only in name):
        for gpu in words.gpu or GPUS:
            rows.append(measure(name, gpu, words.jobs))
            print(rows[-1], flush=True)
            if words.json:
                save(words.json, rows)
    print(table(rows))
    return int(any(row.own_regret > SLACK and not row.note for row in rows))


if __name__ == "__main__":
    sys.exit(main())
