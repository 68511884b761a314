# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges programs with cuTile kernels that nobody trusts, see docs/judging.md.

The candidate runs in a process of its own and only asks for launches; a second one,
which it cannot reach, runs them, books where each array came from, and compares.
"""

from cuda_tile.judge.draw import draw as draw
from cuda_tile.judge.launches import Launch as Launch
from cuda_tile.judge.runner import Limits as Limits
from cuda_tile.judge.runner import judge_file as judge_file
from cuda_tile.judge.verdict import Verdict as Verdict
