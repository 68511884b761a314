# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of what has hundreds of cases: CI runs one of N, `tools/test --all` each.

A case is in the sample or not by its name alone, so that each chip and type meets every
other choice somewhere, which each Nth case would not give, and a new case moves none.
"""

from __future__ import annotations

import argparse
from zlib import crc32


def is_sampled(name: str, every: int) -> bool:
    """Whether a case is in the sample of one in `every`, by its name."""
    return crc32(name.encode()) % every == 0


def fewer(draws: int) -> int:
    """Of a number of draws of one kind, as seeds are, how many a sample makes."""
    return min(draws, max(2, draws // 3))


def add_sample_option(parser: argparse.ArgumentParser, every: int) -> None:
    """Adds `--sample`; its value is 1, for all cases, or `every`."""
    parser.add_argument(
        "--sample",
        action="store_const",
        const=every,
        default=1,
        help=f"run one case of {every}",
    )
