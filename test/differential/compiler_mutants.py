# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules that order a kernel's accesses, each deleted or weakened in turn.

A mutant replaces one piece of a source file by another. At least one program of
`PROGRAMS` must notice it: the compiler gets the program right and the mutant does
not. `tools/checks/compiler_mutation.py` checks that, and finds such programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

INPUTS = Path(__file__).parent / "Inputs"
PROGRAMS = INPUTS / "mutants"
"""Programs that notice mutants; each has the name of the mutant it was found for."""


@dataclass(frozen=True)
class Mutant:
    """One rule, changed.

    Attributes:
        name: What is wrong with the mutant.
        module: The module of the package `cuda_tile` that has the rule.
        old: The text of the rule; stands there once.
        new: What replaces it.
        redundant: Why the mutant is right all the same, if it is.
    """

    name: str
    module: str
    old: str
    new: str
    redundant: str = ""

    @property
    def program(self) -> Path:
        """Where a program that is found for this mutant is written."""
        return PROGRAMS / f"{self.name.replace(' ', '_')}.mlir"

    def applied(self, source: str) -> str:
        """The module's text with the change.

        Raises:
            ValueError: The rule does not stand there once.
        """
        count = source.count(self.old)
        if count != 1:
            raise ValueError(
                f"expected the text of the rule once in {self.module}, got it {count} "
                f"times: {self.old}"
            )
        return source.replace(self.old, self.new)


_JOIN = "        return known | news"
_JOINED = "        return replace(known | news, "
_OWN = "return Access(reads, writes)"
_SATISFIED = "state = _satisfied(state, self.needs(op, state))"
_EDGES = "edges = _cuda_tile.control_edges(op)\n"
_COPIES = "if copies.lane or copies.warp or copies.block:"


def _without_edges(condition: str) -> str:
    """Successors without the edges of which a condition holds."""
    kept = f"[edge for edge in edges if not ({condition})]"
    return f"{_EDGES}    edges = edges and {kept}\n"


BARRIERS = (
    *tuple(
        Mutant(name, "analysis.shared_accesses", old, new)
        for name, old, new in (
            ("shared reads are not recorded", _OWN, "return Access(writes=writes)"),
            ("shared writes are not recorded", _OWN, "return Access(reads)"),
            (
                "shared reads of another path are lost",
                _JOIN,
                f"{_JOINED}reads=known.reads)",
            ),
            (
                "shared writes of another path are lost",
                _JOIN,
                f"{_JOINED}writes=known.writes & news.writes)",
            ),
            (
                "a shared write after a read needs no barrier",
                "or _overlap(written, pending.reads)",
                "or False",
            ),
            (
                "a shared read after a write needs no barrier",
                "_overlap(own.reads | own.late | written, pending.writes)",
                "_overlap(own.late | written, pending.writes)",
            ),
            (
                "the access behind a barrier is not pending",
                _SATISFIED,
                f"need = self.needs(op, state)\n        {_SATISFIED}\n"
                "        if need.barrier:\n            return state",
            ),
            (
                "only the last shared access is pending",
                "return state | Pending(\n            own.reads | copied,",
                "return Pending(\n            own.reads | copied,",
            ),
            (
                "buffers never overlap",
                "return a.start < b.end and b.start < a.end",
                "return False",
            ),
        )
    ),
    Mutant(
        "a barrier moved before a loop is lost",
        "passes.barriers",
        "return needs | ahead",
        "return needs",
    ),
)

TOKENS = tuple(
    Mutant(name, "analysis.tokens", old, new)
    for name, old, new in (
        (
            "a token is after its own access only",
            "mask = self.waited_for(op) | self._accesses.bit(op)",
            "mask = self._accesses.bit(op) or self.waited_for(op)",
        ),
        (
            "a token is not after its own access",
            "mask = self.waited_for(op) | self._accesses.bit(op)",
            "mask = self.waited_for(op)",
        ),
        (
            "joined tokens are after the last one",
            "mask |= self.of(value)",
            "mask = self.of(value)",
        ),
        (
            "a token is after what one path did",
            _JOIN,
            "        return known",
        ),
        (
            "loads are not recorded",
            "return self._bits.get(op, 0)",
            "return self._bits.get(op, 0) & ~self.loads",
        ),
        (
            "stores are not recorded",
            "return self._bits.get(op, 0)",
            "return self._bits.get(op, 0) & self.loads",
        ),
        (
            "pointers of an earlier iteration are the same",
            "return mask & ~old | old << len(self.ops)",
            "return mask",
        ),
    )
)

ORDER = tuple(
    Mutant(name, "passes.order", old, new)
    for name, old, new in (
        (
            "global accesses of another path are lost",
            _JOIN,
            "        return known",
        ),
        (
            "a store does not wait for loads",
            "if op.name in READS:\n            earlier &=",
            "if True:\n            earlier &=",
        ),
        ("copies of an element do not matter", _COPIES, "if copies.block:"),
        (
            "copies in other warps do not matter",
            _COPIES,
            "if copies.lane or copies.block:",
        ),
        (
            "elements may share places",
            "layout == other and (are_apart or self._counts_up(later))",
            "layout == other",
        ),
        (
            "other places are the same",
            "if first != second or not all(",
            "if not all(",
        ),
        (
            "pointers of an earlier iteration need no barrier",
            "return has_older or not all(",
            "return not all(",
        ),
        (
            "the access behind a global barrier is not pending",
            "return own if needs_one else super().transfer(op, state)",
            "return 0 if needs_one else super().transfer(op, state)",
        ),
        (
            "only the last global access is pending",
            "return own if needs_one else super().transfer(op, state)",
            "return own if own else super().transfer(op, state)",
        ),
    )
)

LIVENESS = tuple(
    Mutant(name, "analysis.liveness", old, new)
    for name, old, new in (
        (
            "buffers are never live together",
            "together.add(before & ahead | own)",
            "together.add(own)",
        ),
        (
            "a buffer is live only until its next read",
            "return (state | effects.reads) & ~effects.makes",
            "return effects.reads & ~effects.makes",
        ),
        (
            "a buffer is live only after its last access",
            "return (state | reads | writes) & ~makes",
            "return (reads | writes) & ~makes",
        ),
    )
)

ALLOCATE = tuple(
    Mutant(name, "passes.allocate", old, new)
    for name, old, new in (
        (
            "live buffers overlap by their ends",
            "taken.append((start, end))",
            "taken.append((start, (start + end) // 2))",
        ),
        (
            "only the first conflict counts",
            "if i in request.conflicts:",
            "if i in request.conflicts and not taken:",
        ),
        (
            "buffers have half their size",
            "size = buffer_type_bytes(op.results[0].type)",
            "size = buffer_type_bytes(op.results[0].type) // 2",
        ),
    )
)

DATA_FLOW = tuple(
    Mutant(name, "analysis.dataflow", old, new)
    for name, old, new in (
        (
            "only the first way to a point counts",
            "joined = state if known is None else join(known, state)",
            "joined = state if known is None else known",
        ),
        (
            "regions are walked once",
            "pending = [p for p in points if self.at(p) != walked.get(p)]",
            "pending = [p for p in points if p not in walked and self.at(p)"
            " is not None]",
        ),
        (
            "what follows a region does not reach its end",
            "state = self.bottom if regions else self._ahead(last)",
            "state = self.bottom",
        ),
        (
            "the next iteration reads no buffer",
            "is_stable = not any(news)",
            "is_stable = not any(news) or True",
        ),
    )
)

CONTROL_FLOW = tuple(
    Mutant(name, "analysis.control_flow", _EDGES, _without_edges(condition))
    for name, condition in (
        (
            "a loop runs at least one iteration",
            'op.name == "cuda_tile.for" and edge.region is None',
        ),
        (
            "a loop runs at most one iteration",
            'op.name == "cuda_tile.continue" and edge.region is not None',
        ),
        (
            "a for never ends after an iteration",
            'op.name == "cuda_tile.continue" and edge.region is None',
        ),
        ("a break leads nowhere", 'op.name == "cuda_tile.break"'),
        (
            "an if takes its first branch",
            'op.name == "cuda_tile.if" and edge.region != 0',
        ),
        ("a branch leads nowhere", 'op.name == "cuda_tile.yield"'),
    )
)

REDUNDANT = (
    Mutant(
        "a shared write after a write needs no barrier",
        "analysis.shared_accesses",
        "_overlap(own.reads | own.late | written, pending.writes)",
        "_overlap(own.reads | own.late, pending.writes)",
        "every buffer that stage makes is read before its bytes are used again",
    ),
    Mutant(
        "an accessed buffer need not be live",
        "analysis.liveness",
        "together.add(before & ahead | own)",
        "together.add(before & ahead)",
        "every write of a buffer that stage makes is followed by a read",
    ),
    Mutant(
        "copies in other lanes do not matter",
        "passes.order",
        _COPIES,
        "if copies.warp or copies.block:",
        "no judge tells: the emulator takes the lanes of one warp as ordered in global "
        "memory",
    ),
)

MUTANTS = (
    *BARRIERS,
    *TOKENS,
    *ORDER,
    *LIVENESS,
    *ALLOCATE,
    *DATA_FLOW,
    *CONTROL_FLOW,
    *REDUNDANT,
)
"""Every mutant."""
