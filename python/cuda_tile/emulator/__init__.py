"""Runs PTX on the CPU, checks how threads synchronise, and counts what they do.

The emulator knows PTX text and nothing of who wrote it: it judges the very text that
ptxas gets. `launch` runs one kernel; `python -m cuda_tile.emulator` does it from a
shell.
"""

from __future__ import annotations

from cuda_tile.emulator.errors import Finding, FindingError, LaunchError, PtxError
from cuda_tile.emulator.launch import launch
from cuda_tile.emulator.parse import parse
from cuda_tile.emulator.report import Report
from cuda_tile.emulator.tensor_map import TensorMap

__all__ = [
    "Finding",
    "FindingError",
    "LaunchError",
    "PtxError",
    "Report",
    "TensorMap",
    "launch",
    "parse",
]
