# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs PTX on the CPU, checks how threads synchronise, and counts what they do.

The emulator knows PTX text and nothing of who wrote it: it judges the very text that
ptxas gets. `launch` runs one kernel, `launch_recorded` a compiled one by its launch
record; `python -m cuda_tile.emulator` does it from a shell.

Each package imports only those below it (a contract in pyproject.toml):

- `isa`: one function per instruction, by chapter of the PTX ISA
- `bounds`: how fast a chip could at best do what was counted
- `machine`: the state of the CTAs that run, compiled functions, the scheduler
- `tensor`: tensor maps, tensor memory, the tensor cores of wgmma and tcgen05
- `sync`: mbarriers, cluster barriers, asynchronous copies and their groups
- `memory`: the state spaces: addresses, loads, stores, atomics, counters
- `shadow`: the last accesses to each byte, and the races that follow from them
- `ordering`: happens-before: vector clocks, release and acquire, scopes
- `threads`: lanes, warps and CTAs, and how they lie in the grid
- `ptx`: PTX text read as plain data
"""

from __future__ import annotations

from cuda_tile.emulator.errors import Finding, FindingError, LaunchError, PtxError
from cuda_tile.emulator.launch import launch
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.emulator.recorded import launch_recorded
from cuda_tile.emulator.report import Report
from cuda_tile.emulator.tensor.map import TensorMap

__all__ = [
    "Finding",
    "FindingError",
    "LaunchError",
    "PtxError",
    "Report",
    "TensorMap",
    "launch",
    "launch_recorded",
    "parse",
]
