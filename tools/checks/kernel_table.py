# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/table.md, the table of all kernels beside Triton's; `--write` updates it.

The page is made from bench/table.json, which bench/table.py measures. Checked is that
each kernel has its lines for each chip, that no result was wrong, and that the page
names a reason wherever ours needs more than Triton's in clocks of the bound, sectors or
spills. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "examples"))

from table_cases import CASES, GPUS  # noqa: E402 - a program, found by its folder

DATA = ROOT / "bench" / "table.json"
PAGE = ROOT / "docs" / "table.md"
COLUMNS = {
    "regs": "registers",
    "spill": "spills",
    "sectors": "sectors",
    "confl": "conflicts",
    "bars": "barriers",
    "instr": "instructions",
    "clocks": "clocks",
    "limiter": "limiter",
}
"""Cells of a line, and how the page calls them."""
TENSOR = {
    "clocks": "clocks",
    "limiter": "limiter",
    "time": "time",
    "step": "step",
    "machine": "machine",
    "regs": "registers",
    "spill": "spills",
    "columns": "columns",
}
"""The same of kernels with tensor memory."""
NO_WORSE = ("clocks", "sectors", "spill", "time")
"""Where more than Triton's needs a reason."""
GROUPS = {
    "Elementwise": ("*vadd*", "*saxpy*", "mathops*"),
    "Moved: transposes and gathers": (
        *("*transpose*", "*rotate", "*copy_left", "*gather*"),
    ),
    "Reductions and prefix sums": (
        *("*softmax*", "*layernorm*", "*argmax*", "*cumsum*"),
        *("*running*", "*extremes"),
    ),
    "Atomics and control flow": (
        *("*histogram*", "*control*", "*collatz*", "*power*", "*choose", "*lookup"),
    ),
    "Products": ("*matmul*",),
    "Attention": ("fmha*",),
}
"""Headings, and the names of kernels below them."""
REASONS: dict[tuple[str, str], str] = {
    ("*softmax*", "*"): (
        "more instructions: `exp` of f32 is within a unit in the last place "
        "([accuracy](accuracy.md)), Triton's is `ex2.approx` of a rounded product"
    ),
    ("layernorm_f16_1024", "*"): (
        "more instructions: the program has extents and strides of each of its arrays, "
        "and so a comparison and a counter for each, Triton's kernel one number of "
        "columns for all"
    ),
    ("tilecpp/layernorm", "*"): (
        "sectors: each warp stores the mean and factor of the row that it reduced; "
        "together they would be fewer, after one more barrier"
    ),
    ("tilecpp/extremes", "*"): (
        "sectors: each warp stores the place that it found; together they would be "
        "fewer, after one more barrier"
    ),
    ("histogram_i32_1024", "*"): (
        "sectors: which bins meet in one instruction depends on which numbers a warp "
        "loads together; both add each number to global memory"
    ),
    ("mathops_f32_1024", "*"): (
        "more instructions as counted: coefficients of `sin`, `cos` and `tanh` are "
        "chosen by `selp`, Triton's by branches around `mov`, which counts nothing as "
        "ptxas removes most; with moves a warp runs 845 instructions, Triton's 981; "
        "the machine code for sm_80 has 1,877 instructions, Triton's 2,410"
    ),
    ("matmul_tf32_128x128x32", "sm_80"): (
        "more instructions: every operand is rounded to tf32 as the language asks, "
        "Triton gives the bits of f32 to the matrix instruction, which cuts them off; "
        "counted in PTX. Of machine code a warp has 922 an iteration, which is less "
        "than the 1024 clocks of the tensor cores: these bound both"
    ),
    ("matmul_f16_64x64x64", "sm_100"): (
        "time (less than one clock of 29,492): L2 bounds both; what else a CTA waits "
        "for hides behind that, but for this"
    ),
    ("tilecpp/matmul_f16", "sm_100"): (
        "sectors (3%): nothing is aligned, and threads load tiles in the order in "
        "which they store them for `tcgen05`; more loads begin inside a sector"
    ),
    ("fmha_causal_f16_d128_128x64", "sm_100"): (
        "the bound, not the time: threads store weights into shared memory, where the "
        "product reads them, Triton's into tensor memory; but one CTA of Triton's is "
        "on a multiprocessor, and two of ours"
    ),
    ("argmax_f32_4x1024", "sm_100"): (
        "clocks (1%): instructions as counted in PTX bound both, 1,888 for 1,872"
    ),
    ("tilecpp/matmul_s8", "*"): (
        "more instructions (2%): C++ promises no alignment, so both load and store "
        "single bytes, which ours puts together by shifts, Triton's by `prmt`"
    ),
}
"""Kernel and chip, with wildcards: why ours needs more than Triton's."""
HEAD = """\
# All kernels, beside Triton

<!-- made by tools/checks/kernel_table.py --write from bench/table.json -->

Each kernel of `test/kernels` on four chips: *before* (the last version without
asynchronous copies), or by *mma.sync* where products are in
[tensor memory](tensor-memory.md) now, *now*, and the same kernel in *Triton*: same
tiles, same launch, same promises about arguments, sources in `test/ptx/triton`. Results
were compared with NumPy's. Nothing ran on a GPU: registers and spills (bytes per
thread) are those of ptxas; sectors, bank conflicts and barriers were counted on the
[emulator](emulator.md), as were instructions (PTX, of the warps of a CTA) and clocks,
which are the [bound](bounds.md) of a CTA by the resource in the last column, without
DRAM: launches this small share less of it than those that fill a GPU. The names are
those of [the kernels](../test/kernels/README.md), `tilecpp/` those of
[CUDA Tile C++](../test/kernels/tilecpp/README.md), which promises nothing of its
arguments. *Before* has no clocks: there was no bound then. *Reported* is what the
emulator finds in Triton's kernels, see [below](#tensor-memory).

Measured on {date} with {versions}. This makes the page:

    python bench/table.py --triton --json bench/table.json
    python tools/checks/kernel_table.py --write

## Sums

How often the kernels of ours that have a form in Triton need less than, as much as, or
more than Triton's, and ours in all over Triton's (geometric mean):

{sums}
"""


@dataclass(frozen=True)
class Lines:
    """What was measured of one kernel on one chip, by whose it is."""

    kernel: str
    gpu: str
    by_whom: dict[str, dict[str, Any]]

    def cells(self, who: str) -> dict[str, str]:
        """Those of a line; empty if there is none."""
        return self.by_whom.get(who, {}).get("cells", {})

    @property
    def worse(self) -> list[str]:
        """Columns in which ours needs more than Triton's."""
        now, theirs = self.cells("now"), self.cells("Triton")
        return [
            column
            for column in NO_WORSE
            if theirs and float(now.get(column, 0)) > float(theirs.get(column, 0))
        ]

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Keys of reasons that are about this."""
        return [
            key
            for key in REASONS
            if fnmatch(self.kernel, key[0]) and fnmatch(self.gpu, key[1])
        ]


def read() -> tuple[dict[str, Any], list[Lines]]:
    """What bench/table.py wrote, in its order."""
    data: dict[str, Any] = json.loads(DATA.read_text())
    found = [
        Lines(kernel, gpu, {each["who"]: each for each in lines})
        for (kernel, gpu), lines in groupby(
            data["lines"], lambda each: (each["kernel"], each["gpu"])
        )
    ]
    return data, found


# Checks -------------------------------------------------------------------------------


def faults(found: Sequence[Lines]) -> Iterable[str]:
    """What is wrong with the measurements."""
    known = {(lines.kernel, lines.gpu): lines for lines in found}
    for name in CASES:
        if not any(fnmatch(name, p) for each in GROUPS.values() for p in each):
            yield f"{name}: expected a heading in GROUPS for it"
        for gpu in GPUS:
            if (name, gpu) not in known:
                yield f"{name} {gpu}: not measured; run bench/table.py"
                continue
            yield from _faults_of(known[name, gpu])


def _faults_of(lines: Lines) -> Iterable[str]:
    where = f"{lines.kernel} {lines.gpu}"
    for who in ("now", "Triton"):
        line = lines.by_whom.get(who)
        if line is None:
            yield f"{where}: no line of {who}; run bench/table.py --triton"
        elif line["note"].startswith("WRONG"):
            yield f"{where}: {who}: {line['note']}"
        elif not line["note"] and line["cells"].keys() < COLUMNS.keys():
            yield f"{where}: {who}: expected all columns, got {[*line['cells']]}"
    if lines.worse and not lines.reasons:
        yield f"{where}: worse in {', '.join(lines.worse)}; mend it or say why"


# The page -----------------------------------------------------------------------------


def table(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    head = [*names]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)


def sums(found: Sequence[Lines]) -> str:
    """Ours against Triton's, a row for each chip and column."""
    rows: list[list[object]] = []
    for gpu in GPUS:
        both = [x for x in found if x.gpu == gpu and x.cells("Triton")]
        for column in ("clocks", "instr", "sectors", "regs", "spill"):
            pairs = [
                (float(x.cells("now")[column]), float(x.cells("Triton")[column]))
                for x in both
            ]
            shares = [a / b for a, b in pairs if a and b]
            rows.append(
                [
                    gpu,
                    COLUMNS[column],
                    sum(a < b for a, b in pairs),
                    sum(a == b for a, b in pairs),
                    sum(a > b for a, b in pairs),
                    f"{mean(shares):.2f}" if column != "spill" else "-",
                ]
            )
    return table(("chip", "column", "less", "same", "more", "mean"), rows)


def mean(shares: Sequence[float]) -> float:
    """The geometric one."""
    product = 1.0
    for share in shares:
        product *= share ** (1 / len(shares))
    return product


def section(heading: str, found: Sequence[Lines]) -> str:
    """A table of some kernels, and the reasons below it."""
    rows: list[list[str]] = []
    notes: dict[str, None] = {}
    for lines in found:
        first = [f"`{lines.kernel}`", lines.gpu]
        for who, line in lines.by_whom.items():
            cells = line["cells"]
            if who == "before" and not cells:
                continue
            texts = [cells.get(column, "") for column in COLUMNS]
            texts[-1] = "; ".join(filter(None, (texts[-1], line["note"])))
            rows.append([*first, who, *texts])
            first = ["", ""]
        for key in lines.reasons if lines.worse else ():
            notes[f"- `{key[0]}`, {key[1]}: {REASONS[key]}"] = None
    names = ("kernel", "chip", "", *COLUMNS.values())
    said = "\n".join(notes)
    more = f"\n\nWhere ours needs more than Triton's:\n\n{said}" if notes else ""
    return f"\n## {heading}\n\n{table(names, rows)}{more}\n"


TENSOR_HEAD = """\

## Tensor memory

Those of these kernels whose products are in tensor memory, on {gpus}, by
[`tcgen05`](tensor-memory.md), beside themselves by `mma.sync` and Triton's. *Time* is
of the launch, by the model of [clocks](time.md), on a multiprocessor that does many of
them. *Step* are machine instructions of a warp that starts products, in an iteration of
the loop that has most of them, of ours alone; *machine* those that all warps of a CTA
issue; *columns* those that a CTA allocates. What the emulator reports of Triton's
kernels here, and of that of tf32 above:

- *uninitialised*: a loop without an iteration loads scores that nobody computed, and
  uses them for nothing
- *copy in flight*: threads transpose B into one buffer, while the product of the
  iteration before may still read it; in the order of fast mode the result is right

{table}
"""


def tensor_section(found: Sequence[Lines]) -> str:
    """The table of kernels with tensor memory."""
    rows: list[list[str]] = []
    chosen = [x for x in found if int(x.cells("now").get("columns", 0))]
    for lines in chosen:
        first = f"`{lines.kernel}`"
        for who, line in lines.by_whom.items():
            rows.append([first, who, *(line["cells"].get(c, "") for c in TENSOR)])
            first = ""
    gpus = ", ".join(dict.fromkeys(x.gpu for x in chosen))
    return TENSOR_HEAD.format(
        gpus=gpus, table=table(("kernel", "", *TENSOR.values()), rows)
    )


def page(data: dict[str, Any], found: Sequence[Lines]) -> str:
    """The page as it should be."""
    head = HEAD.format(date=data["date"], versions=data["versions"], sums=sums(found))
    parts = [
        section(
            heading,
            [x for x in found if any(fnmatch(x.kernel, name) for name in names)],
        )
        for heading, names in GROUPS.items()
    ]
    return head + "".join(parts) + tensor_section(found)


def main() -> int:
    """Compares or writes; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the page")
    is_writing: bool = parser.parse_args().write
    data, found = read()
    wrong = [*faults(found)]
    wanted = page(data, found)
    if is_writing:
        PAGE.write_text(wanted)
    elif not PAGE.is_file() or PAGE.read_text() != wanted:
        wrong.append("docs/table.md is stale; run tools/checks/kernel_table.py --write")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{int(not wrong)} passed, {len(wrong)} failed")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
