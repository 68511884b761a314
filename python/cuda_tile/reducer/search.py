# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search: changes that make a program smaller are tried until none helps.

A kind of change has places, which are numbered from 0. It is tried on runs of places,
all of them first, then half as many, down to one (Zeller and Hildebrandt, "Simplifying
and Isolating Failure-Inducing Input", 2002). A program that still shows the fault takes
the place of the old one. Kinds follow each other until a round of all changes nothing.

Several programs are checked at once, but the first of them in order counts, so that the
result does not depend on how many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import islice

CheckAll = Callable[[Sequence[str]], Iterable[bool]]
"""Whether each of some programs shows the fault."""
Change = Callable[[str, range], str | None]
"""A text with some places changed; None where that is no valid program."""


@dataclass(frozen=True)
class Kind:
    """A way to make a program smaller.

    Attributes:
        name: What it does, for those who watch.
        count: How many places a text has for it.
        change: Changes some of them.
        in_runs: Whether several places may be changed at once.
    """

    name: str
    count: Callable[[str], int]
    change: Change
    in_runs: bool = True


@dataclass(frozen=True)
class Progress:
    """Where a search is.

    Attributes:
        kind: The kind of change that is tried.
        text: The smallest program so far.
        runs: How many programs were checked.
    """

    kind: str
    text: str
    runs: int


class Search:
    """One search.

    Args:
        text: A program that shows the fault.
        shows_fault: Whether a program does; called by `jobs` threads, or
            for one job by the thread that searches.
        jobs: Programs that are checked at once.
        watch: Called when a smaller program is found, and when a kind begins.
    """

    def __init__(
        self,
        text: str,
        shows_fault: Callable[[str], bool],
        jobs: int,
        watch: Callable[[Progress], None],
    ) -> None:
        self.text, self.runs = text, 0
        self._shows_fault, self._jobs, self._watch = shows_fault, jobs, watch
        self._seen = {_sum(text)}

    def run(self, kinds: Sequence[Kind], is_over: Callable[[], bool]) -> None:
        """Tries all kinds in turn until a round changes nothing, or time is over."""
        if self._jobs == 1:
            self._run(kinds, partial(map, self._shows_fault), is_over)
            return
        with ThreadPoolExecutor(self._jobs) as pool:
            check_all = partial(pool.map, self._shows_fault)
            self._run(kinds, check_all, is_over)

    def _run(
        self, kinds: Sequence[Kind], check_all: CheckAll, is_over: Callable[[], bool]
    ) -> None:
        before = ""
        while before != self.text and not is_over():
            before = self.text
            for kind in kinds:
                self._watch(Progress(kind.name, self.text, self.runs))
                self._exhaust(kind, check_all, is_over)

    def _exhaust(
        self, kind: Kind, check_all: CheckAll, is_over: Callable[[], bool]
    ) -> None:
        """Tries one kind, on long runs of places first."""
        size = kind.count(self.text) if kind.in_runs else 1
        while size:
            start = 0
            while start < (count := kind.count(self.text)) and not is_over():
                runs = (
                    range(s, min(s + size, count)) for s in range(start, count, size)
                )
                accepted = self._first(kind, runs, check_all)
                if accepted is None:
                    break
                start = accepted.start
            size //= 2

    def _first(
        self, kind: Kind, runs: Iterator[range], check_all: CheckAll
    ) -> range | None:
        """Takes the first change that keeps the fault; the places that it changed."""
        made = self._new(kind, runs)
        while batch := list(islice(made, self._jobs)):
            texts = [text for _, text in batch]
            found = list(check_all(texts))
            self.runs += len(batch)
            for (places, text), is_good in zip(batch, found, strict=True):
                if is_good:
                    self.text = text
                    # One job would not have checked what follows.
                    self._seen -= set(map(_sum, texts[texts.index(text) + 1 :]))
                    self._watch(Progress(kind.name, text, self.runs))
                    return places
        return None

    def _new(self, kind: Kind, runs: Iterator[range]) -> Iterator[tuple[range, str]]:
        """Programs that were not checked yet."""
        for places in runs:
            text = kind.change(self.text, places)
            if text is not None and (key := _sum(text)) not in self._seen:
                self._seen.add(key)
                yield places, text


def reduce_text(
    text: str,
    kinds: Sequence[Kind],
    shows_fault: Callable[[str], bool],
    *,
    jobs: int = 1,
    is_over: Callable[[], bool] = lambda: False,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> str:
    """The smallest program found that shows a fault.

    The same arguments give the same program, whatever `jobs` is, unless time is over.

    Args:
        text: A program that shows it.
        kinds: The ways to make it smaller, those that take away most first.
        shows_fault: Whether a program shows it; called by `jobs` threads, or for one
            job by the thread that calls.
        jobs: Programs that are checked at once.
        is_over: Whether the search shall end with what it has.
        watch: Called when a smaller program is found, and when a kind begins.
    """
    search = Search(text, shows_fault, jobs, watch)
    search.run(kinds, is_over)
    return search.text


def _sum(text: str) -> bytes:
    return sha256(text.encode()).digest()
