# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, its gradients and linear attention: machine code, rings, bounds, goals.

    python bench/attention.py [--gpu sm_90 ...] [--only TEXT] [--run] [--triton]
        [--judge N] [--json FILE]

For each kernel and chip a line for each of its loops, one for the goal, which says
whether it is met, and with `--triton` one for Triton's kernel:

- regs, spill: of ptxas, the latter in bytes per thread
- loop: `full` without and `masked` with a mask; instr: instructions of one warp in an
  iteration; MMA, MUFU, SHFL, BAR: how many of them are matrix instructions, special
  functions, shuffles and barriers (nvdisasm of our cubins; install the extra `bench`)
- exp: clocks of special functions over those of issue slots, by the two columns before
  (docs/bounds.md has the rates): from 1 on exponentials bound a warp, not instructions
- slots: of each ring at level W
- warn: warnings of ptxas, such as C7510 (products serialised)
- `--run` runs a tile block of 4 iterations on the emulator, compares its result with
  NumPy's and says what limits the loop that multiplies, DRAM left out, and the shares
  of tensor cores, special functions and issue slots (docs/bounds.md); what the role
  that loads takes of L2 belongs to its own loop
- PTX: PTX instructions of the loop that multiplies, of all warps of a CTA in an
  iteration, as the emulator counts them; a kernel with several such loops has the mean
  of that which runs longest. This, too, is only there with `--run`; `--triton` implies
  it. Triton's machine code is never looked at
- `--judge N` (judges.py): in how many of N orders of the emulator, and after how many
  of the passes on the interpreter, the results are NumPy's

The exit status is 1 if a goal is not met.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.api import Compiled
from cuda_tile.emulator import Report
from cuda_tile.emulator.bounds import Bound
from cuda_tile.engines.wgmma import WGMMA
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entries, find_entry, nested_ops
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

import judges
from attention_kernels import Attention
from backward_kernels import Backward
from kernel_args import Launch
from linear_kernels import Linear
from loop_mix import LoopMix, product_loops
from rows import GOAL, Cells, Row, show, write
from triton_attention import run as run_triton
from triton_attention import triton_attention

COLUMNS = (
    *("regs", "spill", "loop", "instr", "MMA", "MUFU", "exp", "SHFL", "BAR", "slots"),
    *("warn", "PTX", "limiter", "tensor", "special", "issue", "orders", "passes"),
)
WIDTHS = dict.fromkeys(COLUMNS, 7) | {"limiter": 19, "slots": 14, "special": 9}
SHARES = {
    "tensor": "tensor cores",
    "special": "special functions",
    "issue": "issue slots",
}
_SPECIAL_CLOCKS = 8
"""Clocks of a scheduler for a warp's 32 results; a multiprocessor has 16 a clock."""
_TRITON_SHARE = 1.25
"""PTX instructions of an iteration on chips without warpgroups, at most, over Triton's.
"""
ITERATIONS = 4
ALLOWED = 2.0**-6
"""Error of results near 1 whose weights are rounded to bf16."""


@dataclass(frozen=True)
class Case:
    """One kernel on one chip.

    Attributes:
        attention: The kernel.
        gpu: The chip.
        goals: What the columns should show, by loop.
    """

    attention: Attention | Backward | Linear
    gpu: str = "sm_90"
    goals: dict[str, Cells] = field(default_factory=dict[str, Cells])


_CLEAN = {"spill": "0", "warn": "0"}
_HIDDEN = {"limiter": "tensor cores", "special": "<100%", "issue": "<100%"}
"""Exponentials and instructions take less than the products."""
_BY_EXP = {"exp": ">1"}


def _goal(instr: int, products: int, special: int, slots: str = "") -> Cells:
    counts = {"instr": f"<={instr}", "MMA": str(products), "MUFU": str(special)}
    return {**_CLEAN, **counts, **({"slots": f">={slots}"} if slots else {})}


_FULL = _goal(285, 12, 34, "1+3+3")
_MASKED = _goal(380, 12, 34, "1+3+3")
CASES = (
    Case(Attention("full", 128), goals={"full": _FULL | _HIDDEN}),
    Case(Attention("split", 128), goals={"full": _FULL, "masked": _MASKED}),
    Case(
        Attention("full", 128, keys=128),
        goals={"full": _goal(455, 16, 66, "1+2+2") | _HIDDEN},
    ),
    Case(Attention("full", 64), goals={"full": _goal(245, 8, 34) | _BY_EXP}),
    Case(Attention("full", 64, keys=128), goals={"full": _goal(405, 12, 66) | _BY_EXP}),
    Case(Attention("full", 256), goals={"full": _goal(410, 20, 34)}),
    Case(Attention("full", 256, keys=128), goals={"full": _CLEAN}),
    Case(
        Attention("split", 128, element="bf16", group=4),
        goals={"full": _FULL, "masked": _MASKED},
    ),
    Case(Attention("causal", 128), goals={"full": _FULL, "masked": _MASKED}),
    Case(
        Attention("causal", 128, element="bf16"),
        goals={"full": _FULL, "masked": _MASKED},
    ),
    Case(Attention("ragged", 64), goals={"full": _goal(245, 8, 34) | _BY_EXP}),
    Case(Attention("full", 128, has_values=False), goals={"full": _FULL}),
    *(
        Case(Attention(loop, depth), "sm_80", {"full": _CLEAN})
        for loop in ("full", "causal")
        for depth in (64, 128)
    ),
    Case(Attention("full", 256), "sm_80", {"full": _CLEAN}),
    Case(Attention("full", 64), "sm_120", {"full": _CLEAN}),
    Case(Attention("full", 128), "sm_120", {"full": _CLEAN}),
    Case(Backward(64, has_queries=False), goals={"full": _CLEAN}),
    Case(Backward(64), goals={"full": _CLEAN}),
    Case(Backward(128, by_queries=True), goals={"full": _CLEAN}),
    Case(Linear(128, 128), goals={"full": _CLEAN}),
    Case(Linear(64, 64, chunk=128), goals={"full": _CLEAN}),
)


def ours(case: Case, *, runs: bool, orders: int = 0) -> list[Row]:
    """Compiles and disassembles a kernel: a row for each loop with products."""
    slots: list[str] = []

    def look(module: ir.Operation) -> None:
        for entry in entries(module):
            rings = [op for op in nested_ops(entry) if op.name == "tileas.ring"]
            types = [str(op.results[0].type) for op in rings]
            slots.extend(n for t in types for n in re.findall(r"ring<(\d+)", t))

    module = cuda_tile.load(case.attention.text().encode())
    compiled = cuda_tile.compile(module, case.gpu, after={"barriers": look})
    (kernel,) = compiled.report.kernels
    cells = {
        "regs": str(kernel.registers),
        "spill": str(kernel.spill_bytes),
        "slots": "+".join(slots) or "-",
        "warn": str(len(compiled.report.warnings)),
    }
    cells |= limits(case, module, compiled) if runs else {}
    if orders:
        attempt = partial(_attempt, case.attention, find_entry(module.operation, None))
        cells |= judges.judged(attempt, module, compiled, case.gpu, orders)
    names = ["full", "masked"] if _is_masked(case.attention) else ["full"]
    mixes = product_loops(compiled.cubin)
    if mixes is None:
        sys.exit("nvdisasm is missing: install the extra `bench`")
    rows: list[Row] = []
    for mix, loop in zip_longest(mixes, names):
        if loop is None:
            continue
        note = "" if mix else "no such loop with products"
        row = cells | {"loop": loop} | (_counts(mix) if mix else {})
        rows.append(Row(case.attention.name, case.gpu, "ours", row, note))
        if loop in case.goals:
            goal = {"loop": loop, **case.goals[loop]}
            goal |= judges.goal(orders) if orders else {}
            rows.append(Row(case.attention.name, case.gpu, GOAL, goal))
    return rows


def _counts(mix: LoopMix) -> Cells:
    """The columns of machine code."""
    special, issue = _SPECIAL_CLOCKS * mix.of("MUFU"), mix.instructions
    return {
        "instr": str(mix.instructions),
        "MMA": str(mix.products),
        "exp": f"{special / issue:.2f}",
        **{head: str(mix.of(head)) for head in ("MUFU", "SHFL", "BAR")},
    }


def _attempt(
    kernel: Attention | Backward | Linear,
    entry: ir.Operation,
    module: ir.Module,
    **how: Any,
) -> bool:
    """Runs a kernel on one of the judges; says whether it is right."""
    grid, values = _launch(kernel)
    args = spread_args("kernel", parameter_types(entry), values)
    cuda_tile.run(module, grid=grid, args=args, **how)
    return _error(kernel, values) <= ALLOWED


def limits(case: Case, module: ir.Module, compiled: Compiled) -> Cells:
    """Runs the tile blocks of one head; says what limits the loop."""
    grid, values = _launch(case.attention)
    entry = find_entry(module.operation, None)
    (kernel,) = compiled.report.kernels
    report = cuda_tile.run(
        module,
        grid=grid,
        args=spread_args("kernel", parameter_types(entry), values),
        on="emulator",
        gpu=case.gpu,
        compiled=compiled,
        bounds=find_target(case.gpu),
        registers=kernel.registers,
    )
    error = _error(case.attention, values)
    if not error <= ALLOWED:
        return {"limiter": f"WRONG by {error:.1e}"}
    return _limits(report, grid[0])


def _launch(kernel: Attention | Backward | Linear) -> Launch:
    """Tile blocks of one head of keys: one, or two where a mask depends on it."""
    if isinstance(kernel, Attention):
        (rows, _), values = kernel.launch(kernel.group, *_extents(kernel))
        return (rows, 1), values
    if isinstance(kernel, Backward):
        return kernel.launch(1, ITERATIONS * kernel.queries, kernel.keys)
    return kernel.launch(1, ITERATIONS * kernel.chunk)


def _error(kernel: Attention | Backward | Linear, values: list[Any]) -> float:
    """The largest error of a run, beside the largest result where that is not 1."""
    if isinstance(kernel, Attention):
        expected = kernel.reference(values)[0]
        return float(np.abs(np.asarray(values[3][0], np.float64) - expected).max())
    if isinstance(kernel, Backward):
        pairs = list(zip(values[6:-1], kernel.reference(values), strict=True))
    else:
        pairs = [(values[3], kernel.reference(values))]
    errors = [
        np.abs(np.asarray(found, np.float64) - expected).max() / np.abs(expected).max()
        for found, expected in pairs
    ]
    return float(max(errors))


def _is_masked(kernel: Attention | Backward | Linear) -> bool:
    return isinstance(kernel, Attention) and kernel.loop != "full"


def triton(attention: Attention, gpu: str) -> Row:
    """Triton's kernel: what ptxas and the emulator say of it."""
    made = triton_attention(attention, gpu)
    if made is None:
        return Row(attention.name, gpu, "Triton", {"limiter": "no kernel"})
    queries, keys = _extents(attention)
    heads = attention.group
    report, error = run_triton(made, attention, gpu, heads, queries, keys)
    cells = {
        "regs": str(made.registers),
        "spill": str(made.spill_bytes),
        "warn": str(made.warnings),
        **_limits(report, heads * -(-queries // attention.rows)),
    }
    if not error <= ALLOWED:
        cells["limiter"] = f"WRONG by {error:.1e}"
    return Row(attention.name, gpu, "Triton", cells)


def _extents(attention: Attention) -> tuple[int, int]:
    """Queries and keys of a run: one tile block, or two where a mask depends on it."""
    if attention.loop in ("causal", "split"):
        return 2 * attention.rows, 2 * attention.rows
    return attention.rows, ITERATIONS * attention.keys


def _limits(report: Report, ctas: int) -> Cells:
    """The limiter of the main loop, and its PTX instructions an iteration."""
    assert report.bounds is not None, "bounds were asked for"
    grid = report.bounds.grid
    loops = [loop for loop in report.bounds.loops if _tensor_clocks(loop)] or [grid]
    loop = max(loops, key=_tensor_clocks)
    resources = [r for r in loop.resources if r.name != "DRAM"]
    most = max(resources, key=lambda resource: resource.clocks)
    clocks = {r.name: r.clocks / most.clocks for r in resources}
    shares = {head: f"{clocks.get(name, 0):.0%}" for head, name in SHARES.items()}
    lines = [span for loop in loops for span in loop.lines]
    count = sum(
        int(line["warps"])
        for line in report.by_instruction()
        if any(first <= int(line["line"]) <= last for first, last in lines)
    )
    iterations = ctas * sum(loop.iterations for loop in loops)
    return {"limiter": most.name, **shares, "PTX": f"{count / iterations:.0f}"}


def _tensor_clocks(bound: Bound) -> float:
    return sum(r.clocks for r in bound.resources if r.name == SHARES["tensor"])


def measured(case: Case, words: argparse.Namespace) -> list[Row]:
    """The lines of a kernel: ours, goals, Triton's."""
    kernel = case.attention
    rows = ours(case, runs=words.run or words.triton, orders=words.judge)
    if not (words.triton and isinstance(kernel, Attention) and kernel.has_values):
        return rows
    theirs = triton(kernel, case.gpu)
    if "PTX" in theirs.cells and not WGMMA.is_on(find_target(case.gpu)):
        most = f"<={_TRITON_SHARE * float(theirs.cells['PTX']):.0f}"
        rows = [
            replace(row, cells=row.cells | {"PTX": most}) if row.who == GOAL else row
            for row in rows
        ]
    return [*rows, theirs]


def main() -> int:
    """Prints the table; 1 if a goal is not met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="only these chips")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--run", action="store_true", help="run on the emulator, too")
    parser.add_argument("--triton", action="store_true", help="run Triton's, too")
    parser.add_argument("--judge", type=int, default=0, metavar="N", help="N orders")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all cells")
    words = parser.parse_args()
    rows: list[Row] = []
    for case in CASES:
        if words.only in case.attention.name and case.gpu in (words.gpu or [case.gpu]):
            rows += measured(case, words)
    missed = show(rows, WIDTHS, name_width=30)
    if words.json:
        write(rows, words.json)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
