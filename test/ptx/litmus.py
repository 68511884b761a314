# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random small programs of several blocks, and the memory model that judges them.

The model is written from PTX ISA, "Memory Consistency Model", with nothing of the
emulator in it: events, the orders between them, and data races. The operations of a
program run one after another in a known order, as each waits for a relaxed flag that
the one before sets; so what every read sees is known. The flags are events too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from ptx_harness import module

PLACES = 3
# The place of an mbarrier that one arrival completes.
MBARRIER = PLACES
FIRST_FLAG = 64


@dataclass(frozen=True)
class Shape:
    """Who runs: CTAs of some warps, of which only first threads do anything.

    Attributes:
        space: Where the words lie: "global", "shared" for one CTA, or
            "shared::cluster" for the first CTA of a single cluster.
    """

    blocks: int
    warps: int
    cluster: int = 1
    space: str = "global"


@dataclass(frozen=True)
class Op:
    """One operation of one thread; of all threads of a block for a barrier.

    Attributes:
        kind: "load", "store", "add", "red" (an addition that returns nothing),
            "fence", "barrier", or of an mbarrier "arrive" or "test".
        block, warp: Whose; the first thread of the warp.
        place: The word it touches; larger numbers are flags.
        order: "weak", "relaxed", "acquire", "release" or "acq_rel".
        scope: "cta", "cluster" or "gpu".
    """

    kind: str
    block: int
    warp: int
    place: int = -1
    order: str = "relaxed"
    scope: str = "gpu"

    @property
    def reads(self) -> bool:
        return self.kind in ("load", "add", "red", "arrive", "test")

    @property
    def writes(self) -> bool:
        return self.kind in ("store", "add", "red", "arrive")

    @property
    def is_strong(self) -> bool:
        return self.kind != "barrier" and self.order != "weak"

    @property
    def releases(self) -> bool:
        return self.order in ("release", "acq_rel")

    @property
    def acquires(self) -> bool:
        return self.order in ("acquire", "acq_rel")

    def ptx(self, space: str, parity: int = 0) -> str:
        """The instruction; words lie at `%q0`, in `box`, or at `%r5`.

        Args:
            space: Where the words are.
            parity: Of the phase that a test asks for.
        """
        if self.kind == "barrier":
            return "bar.sync 0;"
        if self.kind == "test":
            qualifiers = f"parity.{self.order}.{self.scope}"
            return f"mbarrier.test_wait.{qualifiers}.shared.b64 %p1, [gate], {parity};"
        if self.kind == "arrive":
            where = "[%r6]" if space == "shared::cluster" else "[gate]"
            return f"mbarrier.arrive.{self.order}.{self.scope}.{space}.b64 _, {where};"
        qualifiers = "weak" if self.order == "weak" else f"{self.order}.{self.scope}"
        if self.kind == "fence":
            return f"fence.{qualifiers};"
        base = {"global": "%q0", "shared": "box", "shared::cluster": "%r5"}[space]
        address = f"[{base}+{4 * self.place}]"
        return {
            "load": f"ld.{qualifiers}.{space}.u32 %r3, {address};",
            "store": f"st.{qualifiers}.{space}.u32 {address}, 1;",
            "red": f"red.{qualifiers}.{space}.add.u32 {address}, 1;",
            "add": f"atom.{qualifiers}.{space}.add.u32 %r3, {address}, 1;",
        }[self.kind]


def random_ops(rng: np.random.Generator, shape: Shape) -> list[Op]:
    """Operations in the order in which they run: anything, or a message passed on."""
    if rng.random() < 0.3:
        count = int(rng.integers(4, 16))
        return _legal([_random_op(rng, shape, weak=0.3) for _ in range(count)], shape)
    return _legal(_message(rng, shape), shape)


def _legal(ops: list[Op], shape: Shape) -> list[Op]:
    """Mbarriers are tested by their CTA, after an arrival, and have no gpu scope.

    Arrivals of other CTAs may take their time, so that there is a test after each.
    """
    found = list[Op]()
    has_arrived = is_pending = False
    for op in ops:
        if op.kind == "arrive":
            if is_pending and shape.cluster > 1:
                continue
            has_arrived = is_pending = True
        if op.kind == "test":
            if not has_arrived:
                continue
            is_pending = False
        if op.kind in ("arrive", "test"):
            block = 0 if op.kind == "test" else op.block
            op = replace(op, place=MBARRIER, block=block, scope="cluster")
        found.append(op)
    return found


def _message(rng: np.random.Generator, shape: Shape) -> list[Op]:
    """One thread writes word 0; another reads it in the end; between, words 1 and 2.

    Mostly, the first releases something and the other acquires something.
    """
    ends = [
        (int(rng.integers(shape.blocks)), int(rng.integers(shape.warps)))
        for _ in range(2)
    ]
    kinds = ("store", "load") if rng.random() < 0.7 else ("load", "store")
    parts = list[Op]()
    for number in range(int(rng.integers(2, 10))):
        op = _random_op(rng, shape, weak=0)
        place = int(rng.integers(1, PLACES)) if rng.random() < 0.3 else 1
        if rng.random() < 0.6:
            block, warp = ends[number % 2]
            op = replace(op, block=block, warp=warp)
        if rng.random() < 0.7:
            op = replace(op, scope="gpu")
        parts.append(replace(op, place=place))
    first, last = (
        Op(kind, *end, 0, "weak") for kind, end in zip(kinds, ends, strict=True)
    )
    return [first, *parts, last]


def _random_op(rng: np.random.Generator, shape: Shape, *, weak: float) -> Op:
    orders = {
        "load": ("relaxed", "acquire"),
        "store": ("relaxed", "release"),
        "add": ("relaxed", "acquire", "release", "acq_rel"),
        "red": ("relaxed", "release"),
        "fence": ("acq_rel",),
        "barrier": ("relaxed",),
        "arrive": ("relaxed", "release"),
        "test": ("relaxed", "acquire"),
    }
    kinds = ["load", "load", "store", "store", *orders, "arrive", "test"]
    if shape.space == "global":
        kinds = [kind for kind in kinds if kind not in ("arrive", "test")]
    kind = str(rng.choice(kinds))
    order = str(rng.choice(orders[kind]))
    if kind in ("load", "store") and rng.random() < weak:
        order = "weak"
    return Op(
        kind,
        int(rng.integers(shape.blocks)),
        int(rng.integers(shape.warps)),
        int(rng.integers(PLACES)),
        order,
        str(rng.choice(("gpu", "gpu", "gpu", "gpu", "cluster", "cta"))),
    )


# Programs ----------------------------------------------------------------------------


def program(ops: list[Op], shape: Shape) -> tuple[str, dict[int, int]]:
    """PTX that runs the operations in turn, and the operation of each line."""
    bodies: dict[tuple[int, int], list[str]] = {
        (block, warp): []
        for block in range(shape.blocks)
        for warp in range(shape.warps)
    }
    for turn, op in enumerate(ops):
        warps = range(shape.warps) if op.kind == "barrier" else (op.warp,)
        for warp in warps:
            body = bodies[op.block, warp]
            if turn:
                body += _wait(turn - 1, op.block, warp)
            parity = (sum(o.kind == "arrive" for o in ops[:turn]) - 1) & 1
            again = f"TEST{turn}"
            body += [f"{again}:"] if op.kind == "test" else []
            body.append(f"{op.ptx(shape.space, parity)} // op {turn}")
            body += [f"@!%p1 bra {again};"] if op.kind == "test" else []
        flag = 4 * (FIRST_FLAG + turn)
        bodies[op.block, warps[0]].append(f"st.relaxed.gpu.global.u32 [%q0+{flag}], 1;")
    text = ""
    remote = shape.space == "shared::cluster"
    meet = "bar.sync 0;"
    if remote:
        meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    clear = "@%p0 mbarrier.init.shared.b64 [gate], 1;\n"
    if remote:
        clear += "mapa.shared::cluster.u32 %r5, box, 0;\n"
        clear += "mapa.shared::cluster.u32 %r6, gate, 0;\n"
    clear += "\n".join(f"@%p0 st.shared.u32 [box+{4 * n}], 0;" for n in range(PLACES))
    for (block, warp), body in bodies.items():
        number = block * shape.warps + warp
        lines = "\n".join(body)
        text += f"\nsetp.ne.u32 %p0, %r1, {number};\n@%p0 bra NEXT{number};\n"
        text += f"{lines}\nNEXT{number}:"
    source = module(
        f"""
.visible .entry k(.param .u64 x)
{{
    .reg .b32 %r<7>; .reg .b64 %q0; .reg .pred %p<2>;
    .shared .align 4 .b32 box[{PLACES}];
    .shared .align 8 .b64 gate;
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    and.b32 %r1, %r0, 31;
    setp.ne.u32 %p0, %r1, 0;
    @%p0 exit;
    shr.u32 %r1, %r0, 5;
    mov.u32 %r2, %ctaid.x;
    setp.eq.u32 %p0, %r0, 0;
    {clear}
    {meet}
    mad.lo.u32 %r1, %r2, {shape.warps}, %r1;
    {text}
    {meet if remote else ""}
    ret;
}}
""",
        target="sm_90",
    )
    lines = {
        number: int(line.rsplit(" ", 1)[1])
        for number, line in enumerate(source.splitlines(), 1)
        if "// op " in line
    }
    return source, lines


def _wait(turn: int, block: int, warp: int) -> list[str]:
    label = f"TURN{turn}_{block}_{warp}"
    return [
        f"{label}:",
        f"ld.relaxed.gpu.global.u32 %r4, [%q0+{4 * (FIRST_FLAG + turn)}];",
        "setp.eq.u32 %p1, %r4, 0;",
        f"@%p1 bra {label};",
    ]


# The model ---------------------------------------------------------------------------


class Model:
    """The orders of one execution; events are bits of sets.

    Args:
        ops: Operations in the order in which they run.
        shape: Who runs them.

    Attributes:
        blame: For each operation, the earlier ones that it is in a race with.

    More lenient than the text in one point, as hardware is: a fence also counts for
    strong accesses of other threads of its block, where base causality orders them as
    program order would.
    """

    def __init__(self, ops: list[Op], shape: Shape) -> None:
        self._shape = shape
        # What base causality orders before each event, as a set of bits.
        self._before: list[int] = []
        self._events: list[Op] = []
        # What each read sees: the event that wrote it, -1 for nobody.
        self._sees: list[int] = []
        # The last event of each thread.
        self._last: dict[tuple[int, int], int] = {}
        self._of_op: list[int] = []
        self.blame: list[set[int]] = []
        for turn, op in enumerate(ops):
            self._run(turn, op)

    def _run(self, turn: int, op: Op) -> None:
        """Adds an operation between the waiting for its turn and the telling of it."""
        warps = range(self._shape.warps) if op.kind == "barrier" else (op.warp,)
        if turn:
            for warp in warps:
                self._add(Op("load", op.block, warp, FIRST_FLAG + turn - 1))
        if op.kind == "barrier":
            self._of_op.append(self._meet(op))
            self.blame.append(set())
        else:
            self._of_op.append(self._add(op))
            self.blame.append(self._races(turn))
        self._add(Op("store", op.block, warps[0], FIRST_FLAG + turn))

    def _meet(self, op: Op) -> int:
        """A barrier: all threads of the block go on from one event."""
        number = len(self._events)
        before = 0
        for warp in range(self._shape.warps):
            before |= self._until(self._last.get((op.block, warp), -1))
            self._last[op.block, warp] = number
        self._events.append(op)
        self._before.append(before)
        self._sees.append(-1)
        return number

    def _until(self, event: int) -> int:
        return self._before[event] | 1 << event if event >= 0 else 0

    def _add(self, op: Op) -> int:
        number = len(self._events)
        thread = (op.block, op.warp)
        self._events.append(op)
        self._before.append(self._until(self._last.get(thread, -1)))
        self._sees.append(-1)
        self._last[thread] = number
        if op.reads:
            self._sees[number] = self._writer(op.place, number)
        if op.acquires:
            for release in self._synchronises(number):
                self._before[number] |= self._until(release)
        return number

    def _writer(self, place: int, until: int) -> int:
        for event in range(until - 1, -1, -1):
            op = self._events[event]
            if op.writes and op.place == place:
                return event
        return -1

    # Strength ----------------------------------------------------------------------

    def _includes(self, one: Op, other: Op) -> bool:
        if one.scope == "gpu" or one.block == other.block:
            return True
        near = one.block // self._shape.cluster == other.block // self._shape.cluster
        return one.scope == "cluster" and near

    def _morally_strong(self, one: int, other: int) -> bool:
        """ "Morally strong operations"; all accesses here overlap completely."""
        first, second = self._events[one], self._events[other]
        return (
            first.is_strong
            and second.is_strong
            and self._includes(first, second)
            and self._includes(second, first)
        )

    # Orders ------------------------------------------------------------------------

    def _observed(self, read: int) -> Iterator[int]:
        """ "Observation order": the writes that a read sees, through atomics too."""
        writer = self._sees[read]
        while writer >= 0 and self._morally_strong(writer, read):
            yield writer
            if not self._events[writer].reads:
                return
            read, writer = writer, self._sees[writer]

    def _follows(self, first: int, second: int) -> bool:
        """Whether an event follows another in program order, as patterns ask for."""
        if not self._before[second] >> first & 1:
            return False
        return self._events[first].block == self._events[second].block

    def _release_patterns(self, write: int) -> Iterator[int]:
        """The first operations of the release patterns that end with a write."""
        op = self._events[write]
        if op.releases:
            yield write
        for event in range(write):
            other = self._events[event]
            if other.kind == "fence" and self._follows(event, write):
                yield event
            same = (other.block, other.warp) == (op.block, op.warp)
            if other.writes and other.releases and other.place == op.place and same:
                yield event

    def _acquire_patterns(self, last: int) -> Iterator[int]:
        """The reads of the acquire patterns that end with an operation."""
        op = self._events[last]
        if op.reads:
            yield last
        for event in range(last):
            other = self._events[event]
            silent = other.kind in ("red", "arrive")
            if not other.reads or not other.is_strong or silent:
                continue
            if op.kind == "fence" and self._follows(event, last):
                yield event
            same = (other.block, other.warp) == (op.block, op.warp)
            if op.reads and other.place == op.place and same:
                yield event

    def _synchronises(self, last: int) -> Iterator[int]:
        """The releases that an acquire synchronises with."""
        for read in self._acquire_patterns(last):
            for write in self._observed(read):
                for first in self._release_patterns(write):
                    if self._morally_strong(first, last):
                        yield first

    def _is_caused(self, first: int, second: int) -> bool:
        """ "Causality order"."""
        before = self._before[second]
        if before >> first & 1:
            return True
        return any(
            before >> read & 1 and first in self._observed(read)
            for read in range(second)
            if self._events[read].reads
        )

    def _races(self, turn: int) -> set[int]:
        """The earlier operations that an operation is in a "data-race" with."""
        last = self._of_op[turn]
        op = self._events[last]
        found = set[int]()
        for earlier, event in enumerate(self._of_op[:-1]):
            other = self._events[event]
            # mbarriers are changed by nothing but such operations.
            conflict = other.place == op.place != MBARRIER
            conflict = conflict and (op.writes or other.writes)
            touches = (op.reads or op.writes) and (other.reads or other.writes)
            if not conflict or not touches or self._morally_strong(event, last):
                continue
            if not self._is_caused(event, last):
                found.add(earlier)
        return found


def certain_races(ops: list[Op], model: Model) -> set[int]:
    """Races of operations with the last write before them, or a read since."""
    found = set[int]()
    for turn, op in enumerate(ops):
        writes = [
            earlier
            for earlier, other in enumerate(ops[:turn])
            if other.writes and other.place == op.place
        ]
        since = writes[-1] if writes else -1
        if any(earlier >= since for earlier in model.blame[turn]):
            found.add(turn)
    return found
