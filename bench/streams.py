# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels limited by memory beside their goals and beside Triton's.

    python bench/streams.py [--gpu sm_90 ...] [--only TEXT] [--triton] [--judge N]
        [--json FILE]

For each kernel of stream_kernels.py and update_kernels.py and each chip a line for
ours, one for the goal where there is one, which says whether it is met, and with
`--triton` one for the PTX that Triton makes of the same kernel
(test/ptx/triton/make_streams.py). All run on the emulator; results are compared with
NumPy's, and a wrong one is said in the last column. Columns:

- regs, spill: of ptxas, the latter in bytes per thread; warps, CTAs: of a CTA and of a
  cluster
- BAR: barriers, of CTA and cluster, that a warp waits at
- slots: instructions that the warps of a tile block issue (docs/bounds.md says which);
  clocks: the bound of a tile block, DRAM left out
- sectors: of global memory over the least that hold what must be read and written; a
  row's weights count once for each CTA that reads them, and so does one element of each
- DRAM: bytes that come from and go to DRAM over the least. What a grid reads again
  comes from L2 if the rows that all multiprocessors work on fit there, else it counts
  again; an L1 hit is none
- confl: bank conflicts of shared memory; KB/SM: bytes in flight, all resident CTAs
- width: bytes of a lane's access to global memory, on average over instructions
- atoms: atomic operations on global memory, lanes together, over elements
- orders, passes: with `--judge N`, in how many of N orders of the emulator, and after
  how many of the passes on the interpreter, results are NumPy's (judges.py)

The exit status is 1 if a goal is not met.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.emulator import Report
from cuda_tile.emulator.bounds import Chip
from cuda_tile.errors import UserError
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))

import judges
from kernel_args import Array
from rows import GOAL, Cells, Row, show, write
from stream_kernels import STREAMS, Stream
from triton_kernels import Problem
from triton_specs import compile_specs, triton_kernel
from update_kernels import UPDATES

GPUS = ("sm_80", "sm_90", "sm_120")
SECTOR_BYTES = 32
L2_BYTES = {"sm_80": 40 << 20, "sm_90": 50 << 20, "sm_120": 96 << 20}
"""L2 caches: NVIDIA's whitepapers of A100 (40 MB), H100 (50 MB), RTX Blackwell (GB202:
96 MB in the RTX 5090)."""
MULTIPROCESSORS = {"sm_80": 108, "sm_90": 132, "sm_120": 170}
"""Of A100, H100 SXM and RTX 5090 (the same whitepapers)."""
COLUMNS = (
    *("regs", "spill", "warps", "CTAs", "BAR", "slots", "clocks", "sectors", "DRAM"),
    *("confl", "KB/SM", "width", "atoms", *judges.COLUMNS),
)
WIDTHS = dict.fromkeys(COLUMNS, 8)
_ACCESS = re.compile(r"^(ld|st)\.(?!shared|local|param|const)")
_TYPE = re.compile(r"\.[bufs](8|16|32|64|128)$")


@dataclass(frozen=True)
class Run:
    """What a launch was and did."""

    report: Report
    registers: int
    spill_bytes: int
    warps: int
    cluster: int
    grid: tuple[int, ...]


def ours(stream: Stream, gpu: str, orders: int = 0) -> Row:
    """Compiles and runs our kernel."""
    grid, args, wanted = stream.launch()
    module = stream.module()
    try:
        compiled = cuda_tile.compile(module, gpu)
        (kernel,) = compiled.report.kernels
        report = cuda_tile.run(
            module,
            grid=grid,
            args=args,
            on="emulator",
            gpu=gpu,
            compiled=compiled,
            bounds=find_target(gpu),
            registers=kernel.registers,
        )
    except UserError as error:
        return Row(stream.name, gpu, "ours", {}, error.message[:70])
    record = compiled.launch["stream"]
    run = Run(
        report,
        kernel.registers,
        kernel.spill_bytes,
        record.block[0] // 32,
        math.prod(record.cluster),
        grid,
    )
    cells = counted(stream, gpu, run, args, wanted)
    if orders:
        attempt = partial(_attempt, stream)
        cells |= judges.judged(attempt, module, compiled, gpu, orders)
    return Row(stream.name, gpu, "ours", cells, checked(stream, args, wanted))


def _attempt(stream: Stream, module: ir.Module, **how: Any) -> bool:
    """Runs a kernel on one of the judges; says whether it is right."""
    grid, args, wanted = stream.launch()
    cuda_tile.run(module, grid=grid, args=args, **how)
    return not checked(stream, args, wanted)


def checked(stream: Stream, args: Sequence[Any], wanted: dict[int, Array]) -> str:
    """What to say of results that are not NumPy's."""
    for place, exact in wanted.items():
        got = np.asarray(args[place]).astype(np.float64)
        most = stream.tolerance * np.abs(exact.astype(np.float64)).max()
        if not (np.abs(got - exact.astype(np.float64)) <= most).all():
            return "WRONG RESULT"
    return ""


def counted(
    stream: Stream, gpu: str, run: Run, args: Sequence[Any], wanted: Any
) -> Cells:
    """The columns that ptxas and the emulator fill."""
    report, ctas = run.report, math.prod(run.grid) * run.cluster
    bounds = report.bounds
    assert bounds is not None, "bounds were asked for"
    on_chip = {r.name: r for r in bounds.grid.resources if r.name != "DRAM"}
    mix = report.instruction_mix()
    waits = ("bar.sync", "barrier.sync", "bar.cta", "barrier.cta", "bar.red")
    barriers = sum(n for name, n in mix.items() if name.startswith(waits))
    barriers += sum(n for m, n in mix.items() if m.startswith("barrier.cluster.wait"))
    least = least_bytes(stream, args, wanted, math.prod(run.grid))
    lines = report.by_instruction()
    accesses = [i for i in lines if _ACCESS.match(str(i["mnemonic"]))]
    atoms = [i for i in lines if str(i["mnemonic"]).startswith(("red.", "atom."))]
    moved = sum(int(i["sectors"]) for i in (*accesses, *atoms, *_copies(lines)))
    width = [(_lane_bytes(str(i["mnemonic"])), int(i["warps"])) for i in accesses]
    issued = sum(n for _, n in width)
    elements = np.asarray(args[0]).size
    cells = {
        "regs": str(run.registers),
        "spill": str(run.spill_bytes),
        "warps": str(run.warps),
        "CTAs": str(run.cluster),
        "BAR": f"{barriers / (ctas * run.warps):.3g}",
        "slots": f"{on_chip['issue slots'].work * run.cluster:.0f}",
        "clocks": f"{max(r.clocks for r in on_chip.values()):.0f}",
        "sectors": f"{moved * SECTOR_BYTES / least:.2f}",
        "DRAM": f"{_dram(stream, gpu, run, args, wanted):.2f}",
        "confl": str(_conflicts(lines)),
        "KB/SM": f"{bounds.grid.bytes_in_flight * bounds.ctas / 1024:.0f}",
        "width": f"{sum(w * n for w, n in width) / max(issued, 1):.3g}",
    }
    if atoms:
        lanes = sum(int(i["bytes"]) for i in atoms) // 4
        lanes -= sum(
            int(i["bytes"]) // 4 for i in atoms if ".shared" in str(i["mnemonic"])
        )
        cells["atoms"] = f"{lanes / elements:.2f}"
    return cells


def _copies(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [i for i in lines if str(i["mnemonic"]).startswith("cp.async")]


def _conflicts(lines: Sequence[dict[str, Any]]) -> int:
    names = ((str(i["mnemonic"]), i) for i in lines)
    shared = [i for m, i in names if ".shared" in m and "::cluster" not in m]
    return sum(int(i["bank_conflicts"]) for i in shared)


def _lane_bytes(mnemonic: str) -> int:
    """Bytes of a lane's access."""
    found = _TYPE.search(mnemonic)
    bits = int(found[1]) if found else 32
    vector = 8 if ".v8" in mnemonic else 4 if ".v4" in mnemonic else 1
    return bits // 8 * (2 if ".v2" in mnemonic else vector)


def least_bytes(
    stream: Stream, args: Sequence[Any], wanted: dict[int, Array], blocks: int
) -> int:
    """Bytes that accesses must move: each block moves whole sectors.

    Lines that all blocks read count for each. Where blocks have one element each, as
    labels and places are, each of them has a sector.
    """
    rows = np.asarray(args[stream.reads[0]])

    def least(place: int) -> int:
        array = np.asarray(args[place])
        if array.ndim < rows.ndim and array.size == rows.shape[-1]:
            return _sector_bytes(array) * blocks
        is_each = array.ndim == 1 and array.size == blocks
        return SECTOR_BYTES * blocks if is_each else _sector_bytes(array)

    total = sum(map(least, (*wanted, *stream.reads)))
    if "cross-entropy" in stream.name:  # the element that the label chooses
        total += SECTOR_BYTES * blocks
    if "gather" in stream.name:  # what is chosen is read, and written
        total += _sector_bytes(np.asarray(args[2]))
    return total


def _sector_bytes(array: Array) -> int:
    return -(-array.nbytes // SECTOR_BYTES) * SECTOR_BYTES


def _dram(
    stream: Stream, gpu: str, run: Run, args: Sequence[Any], wanted: Any
) -> float:
    """DRAM traffic over the least: reads again come from L2 if it holds all rows."""
    report = run.report
    once = sum(_sector_bytes(np.asarray(args[p])) for p in {*stream.reads, *wanted})
    if "gather" in stream.name:
        once += _sector_bytes(np.asarray(args[2]))
    assert report.bounds is not None, "bounds were asked for"
    dram = [r for r in report.bounds.grid.resources if r.name == "DRAM"]
    moved = (
        SECTOR_BYTES * dram[0].work * math.prod(run.grid) * run.cluster if dram else 0
    )
    read = np.asarray(args[stream.reads[0]])
    row_bytes = read.nbytes / math.prod(run.grid)
    resident = MULTIPROCESSORS[gpu] * report.bounds.ctas / run.cluster
    if resident * row_bytes > L2_BYTES[gpu]:
        lines = report.by_instruction()
        loads = ("ld.global", "cp.async", "ld.relaxed", "ld.weak")
        fetched = sum(
            int(i["sectors"]) for i in lines if str(i["mnemonic"]).startswith(loads)
        )
        once_each = sum(_sector_bytes(np.asarray(args[p])) for p in stream.reads)
        moved += max(0, fetched * SECTOR_BYTES - once_each)
    return moved / once


# Triton -------------------------------------------------------------------------------


def spec_of(stream: Stream, gpu: str) -> str:
    """How make_streams.py is told."""
    return f"{stream.name}:{gpu.removeprefix('sm_')}"


def has_form(stream: Stream) -> bool:
    """Whether Triton is asked for a kernel: not for tiles of a million elements."""
    return not stream.name.endswith(" 1M")


def triton(stream: Stream, gpu: str) -> Row:
    """Runs Triton's PTX of the same kernel."""
    if not has_form(stream):
        return Row(stream.name, gpu, "Triton", {}, "not asked for tiles of 1 M")
    made = triton_kernel("make_streams.py", spec_of(stream, gpu))
    if made is None:
        return Row(stream.name, gpu, "Triton", {}, "no such kernel")
    grid, args, wanted = stream.launch()
    chip: Chip = find_target(gpu)
    problem = Problem(args, grid, [])
    report = made.kernel.start(problem, "fast", bounds=chip, registers=made.registers)
    warps = made.kernel.meta["num_warps"]
    run = Run(report, made.registers, made.spill_bytes, warps, 1, grid)
    cells = counted(stream, gpu, run, args, wanted)
    return Row(stream.name, gpu, "Triton", cells, checked(stream, args, wanted))


def goal_of(stream: Stream, gpu: str) -> Cells:
    """The goal on a chip; without clusters long rows may be read twice."""
    is_long = stream.name.endswith(("128k", "1M", "loop"))
    if not is_long or "DRAM" not in stream.goal or find_target(gpu).has_clusters:
        return stream.goal
    _, args, wanted = stream.launch()
    once = sum(_sector_bytes(np.asarray(args[p])) for p in {*stream.reads, *wanted})
    again = _sector_bytes(np.asarray(args[stream.reads[0]]))
    return stream.goal | {"DRAM": f"<={1 + again / once:.2f}"}


# The table ----------------------------------------------------------------------------


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: three")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--triton", action="store_true", help="Triton's beside it")
    parser.add_argument("--judge", type=int, default=0, metavar="N", help="N orders")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all cells")
    return parser.parse_args()


def main() -> int:
    """Prints the table; 1 if a goal is not met."""
    words = read_arguments()
    streams = [stream for stream in (*STREAMS, *UPDATES) if words.only in stream.name]
    gpus = words.gpu or GPUS
    if words.triton:
        asked = filter(has_form, streams)
        specs = (spec_of(stream, gpu) for stream in asked for gpu in gpus)
        compile_specs("make_streams.py", specs)
    rows: list[Row] = []
    for stream in streams:
        for gpu in gpus:
            rows.append(ours(stream, gpu, words.judge))
            if stream.goal or words.judge:
                judged = judges.goal(words.judge) if words.judge else {}
                goal = goal_of(stream, gpu) | judged
                rows.append(Row(stream.name, gpu, GOAL, goal))
            if words.triton:
                rows.append(triton(stream, gpu))
    missed = show(rows, WIDTHS, name_width=24)
    if words.json:
        write(rows, words.json)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
