# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of what has hundreds of cases: CI runs one of N, `tools/test --all` each.

A case is in the sample or not by its name alone, so that a new case moves none. That
alone would leave out whole chips and types where few cases are left: `Coverage` keeps
the first case of each.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Hashable, Iterable
from hashlib import blake2b


def is_sampled(name: str, every: int) -> bool:
    """Whether a case is in the sample of one in `every`, by its name.

    The sum must mix: of a CRC, low bits follow single letters, and with them a chip.
    """
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) % every == 0


class Coverage:
    """The choices of the cases of a test, of which a sample has each at least once.

    A choice counts that no more cases have than the sample has: a parameter whose value
    is another one in every case is none.
    """

    def __init__(self) -> None:
        self._cases = 0
        self._values = defaultdict[Hashable, set[Hashable]](set)
        self._seen = set[tuple[Hashable, Hashable]]()

    def note(self, choices: Iterable[tuple[Hashable, Hashable]]) -> None:
        """Takes notice of a case before any is sampled.

        Args:
            choices: Its choices, each a name and what it is.
        """
        self._cases += 1
        for name, value in choices:
            self._values[name].add(value)

    def is_new(self, choices: Iterable[tuple[Hashable, Hashable]], every: int) -> bool:
        """Whether a case is the first of a choice in a sample of one in `every`."""
        most = max(1, self._cases / every)
        new = {
            (name, value)
            for name, value in choices
            if len(self._values[name]) <= most and (name, value) not in self._seen
        }
        return bool(new)

    def take(self, choices: Iterable[tuple[Hashable, Hashable]]) -> None:
        """Says that a case is in the sample."""
        self._seen.update(choices)


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
