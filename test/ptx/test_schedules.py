# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All schedules of small kernels: litmus tests, and what a schedule of each shows.

What a litmus test may end with is written from PTX ISA, "Memory Consistency Model"; the
reduction of schedules is held against a search without any.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from ptx_harness import module
from ptx_mutation import mutants

from cuda_tile.emulator import __main__ as command
from cuda_tile.emulator.schedules import explore as exploring
from cuda_tile.emulator.schedules.explore import Explored, explore
from cuda_tile.emulator.schedules.touches import Touches
from cuda_tile.emulator.schedules.tree import Told, Tree, Turn

PROGRAMS = Path(__file__).parent / "programs"
Outcome = tuple[int, ...]
LOADS = 4
"""Words of `x` in front of those in which threads leave what they have loaded."""


def kernel(bodies: Sequence[str], *, is_grid: bool) -> str:
    """A kernel in which CTA i, or warp i of one CTA, runs body i.

    The first lane does; `all:` lets the whole warp. `ld0`, `st0=1`: words of `x`, or of
    `box` in shared memory; `>2` leaves what was loaded in word 2 behind those.
    """
    index = "%ctaid.x" if is_grid else "%tid.y"
    cases = ""
    for number, body in enumerate(bodies):
        guard = "" if body.startswith("all:") else f"@!%p0 bra NEXT{number};"
        text = body.removeprefix("all:").replace("$", str(number))
        cases += f"""
    setp.ne.u32 %p1, %r1, {number};
    @%p1 bra NEXT{number};
    {guard}
    {text}
NEXT{number}:"""
    return module(f"""
.visible .entry k(.param .u64 x)
{{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p<3>;
    .shared .align 8 .b64 gate[2];
    .shared .align 8 .b32 box[4];
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, {index};
    setp.eq.u32 %p0, %r0, 0;
    {"" if is_grid else START}
    {cases}
    ret;
}}
""")


START = """
    setp.eq.and.u32 %p1, %r1, 0, %p0;
    @%p1 mbarrier.init.shared.b64 [gate], 1;
    @%p1 mbarrier.init.shared.b64 [gate+8], 1;
    @%p1 st.shared.v4.u32 [box], {0, 0, 0, 0};
    bar.sync 0;"""


def load(word: int, left: int, order: str = "relaxed.gpu") -> str:
    """A load of a word of `x`, which is left in another one."""
    return f"ld.{order}.global.u32 %r3, [%q0+{4 * word}];" + leave(left)


def leave(left: int) -> str:
    return f"st.global.u32 [%q0+{4 * (LOADS + left)}], %r3;"


def store(word: int, value: int = 1, order: str = "relaxed.gpu") -> str:
    return f"st.{order}.global.u32 [%q0+{4 * word}], {value};"


def poll(word: int, order: str = "relaxed.gpu") -> str:
    return f"""
P{word}_$:
    ld.{order}.global.u32 %r8, [%q0+{4 * word}];
    setp.eq.u32 %p2, %r8, 0;
    @%p2 bra P{word}_$;"""


def explored(bodies: Sequence[str], left: int, *, is_grid: bool = True) -> Explored:
    count = len(bodies)
    return explore(
        kernel(bodies, is_grid=is_grid),
        grid=count if is_grid else 1,
        block=32 if is_grid else (32, count),
        args=[np.zeros(LOADS + left, np.uint32)],
    )


def outcomes(found: Explored) -> set[Outcome]:
    """What the loads found, in all schedules."""
    assert not found.why, found.why
    assert found.finding is None, found.finding
    return {
        tuple(np.frombuffer(x, np.uint32)[LOADS:].tolist()) for (x,) in found.results
    }


ALL: set[Outcome] = set(product((0, 1), repeat=2))
SC = "fence.sc.gpu;"
ADD = "atom.relaxed.gpu.global.add.u32 %r3, [%q0], 1;"
LITMUS: dict[str, tuple[list[str], set[Outcome]]] = {
    "store buffering": ([store(0) + load(1, 0), store(1) + load(0, 1)], ALL),
    "store buffering, fences": (
        [store(0) + SC + load(1, 0), store(1) + SC + load(0, 1)],
        ALL - {(0, 0)},
    ),
    "store buffering, one fence": (
        [store(0) + SC + load(1, 0), store(1) + load(0, 1)],
        ALL,
    ),
    "messages": ([store(0) + store(1), load(1, 0) + load(0, 1)], ALL),
    "messages, release and acquire": (
        [store(0) + store(1, 1, "release.gpu"), load(1, 0, "acquire.gpu") + load(0, 1)],
        ALL - {(1, 0)},
    ),
    "messages, release alone": (
        [store(0) + store(1, 1, "release.gpu"), load(1, 0) + load(0, 1)],
        ALL,
    ),
    "load buffering": (
        [load(0, 0) + store(1), load(1, 1) + store(0)],
        ALL - {(1, 1)},
    ),
    "coherence": (
        [store(0, 1) + store(0, 2), load(0, 0) + load(0, 1)],
        {(a, b) for a, b in product(range(3), repeat=2) if a <= b},
    ),
    "atomics": (
        [ADD + leave(n) for n in range(3)],
        {(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)},
    ),
    "a poll": ([store(0) + store(1), poll(1) + load(0, 0)], {(0,), (1,)}),
    "a poll, release and acquire": (
        [store(0) + store(1, 1, "release.gpu"), poll(1, "acquire.gpu") + load(0, 0)],
        {(1,)},
    ),
}


@pytest.mark.parametrize("name", LITMUS)
def test_litmus(name: str) -> None:
    """All that may come comes in some schedule, and nothing else in any.

    Load buffering's (1, 1) is allowed by the ISA; no load is late in the emulator.
    """
    bodies, expected = LITMUS[name]
    left = len(next(iter(expected)))
    assert outcomes(explored(bodies, left)) == expected


def test_a_race_is_found_in_a_rare_schedule() -> None:
    """Only if the second CTA does not see the flag is the word read too early."""
    race = f"{load(1, 0)}setp.ne.u32 %p2, %r3, 0;\n@%p2 bra NEXT1;{load(0, 1, 'weak')}"
    found = explored([store(0, 1, "weak") + store(1), race], 2)
    assert found.finding is not None
    assert found.finding.finding.kind == "race"
    assert found.steps


def test_who_polls_for_ever_is_a_deadlock() -> None:
    found = explored([poll(0) + store(1), poll(1) + store(0)], 0)
    assert found.finding is not None
    assert found.finding.finding.kind == "deadlock"


# Warps of one CTA --------------------------------------------------------------------

WAIT = """
W{name}_$:
    mbarrier.try_wait.parity.shared.b64 %p2, [gate+{place}], {parity};
    @!%p2 bra W{name}_$;"""


def wait(gate: int, round_: int, name: str = "") -> str:
    name = name or f"{gate}_{round_}"
    return WAIT.format(name=name, place=8 * gate, parity=round_ & 1)


def arrive(gate: int) -> str:
    return f"mbarrier.arrive.shared.b64 _, [gate+{8 * gate}];"


def ring(rounds: int = 2) -> list[str]:
    """One warp fills a word, the other reads it, and both wait for each other."""
    fill = read = ""
    for round_ in range(rounds):
        fill += wait(1, round_ - 1) if round_ else ""
        fill += f"st.shared.u32 [box], {round_ + 5};" + arrive(0)
        read += (
            wait(0, round_) + "ld.shared.u32 %r3, [box];" + leave(round_) + arrive(1)
        )
    return [fill, read]


def test_a_ring_of_mbarriers() -> None:
    assert outcomes(explored(ring(), 2, is_grid=False)) == {(5, 6)}


RING_SLIPS = {
    "no wait for the word": (1, wait(0, 1), ""),
    "no wait for the reader": (0, wait(1, 0), ""),
    "another parity": (1, wait(0, 1), wait(0, 2, "other")),
    "no arrival": (1, arrive(1), ""),
    "two arrivals": (0, arrive(0), arrive(0) + arrive(0)),
}


@pytest.mark.parametrize("slip", RING_SLIPS)
def test_a_slip_in_a_ring_shows_in_a_schedule(slip: str) -> None:
    place, old, new = RING_SLIPS[slip]
    bodies = ring()
    bodies[place] = bodies[place].replace(old, new, 1)
    found = explored(bodies, 2, is_grid=False)
    assert found.finding is not None or set(found.results) != {
        np.array([0] * LOADS + [5, 6], np.uint32).tobytes()
    }


MEET = "bar.sync 1, 64;"
MEETINGS = [
    f"all:@!%p0 bra A$;st.shared.u32 [box], 7;\nA$:\n{MEET}",
    f"all:{MEET}",
    f"all:{MEET}",
    f"all:{MEET}@!%p0 bra A$;ld.shared.u32 %r3, [box];\nA$:",
]
"""Warps that meet in pairs: who with whom depends on the schedule."""


@pytest.mark.parametrize("places", [(0, 1, 2, 3), (0, 3, 1, 2), (3, 2, 1, 0)])
def test_who_meets_at_a_named_barrier_may_differ(places: tuple[int, ...]) -> None:
    """The reader has to meet the writer, or a race is found."""
    found = explored([MEETINGS[place] for place in places], 0, is_grid=False)
    assert found.finding is not None
    assert found.finding.finding.kind == "race"
    pairs = explored([MEETINGS[place] for place in (0, 3)], 0, is_grid=False)
    assert pairs.finding is None
    assert pairs.runs == 1


X = np.arange(128, dtype=np.uint32)
MUTATED = {
    "spin_lock": (2, (32,), [np.zeros(3, np.uint32), 1], [[0, 2, 2]]),
    "pipeline": (1, (128,), [X, 0 * X, 2], [X, X.reshape(2, 64)[:, ::-1]]),
}
"""Launches of programs, and what they leave in each array."""


def _is_right(text: str, name: str) -> bool:
    grid, block, args, expected = MUTATED[name]
    found = explore(text, grid=grid, block=block, args=args)
    assert not found.why
    right = tuple(np.asarray(each, np.uint32).tobytes() for each in expected)
    return found.finding is None and found.results.keys() == {right}


@pytest.mark.parametrize("name", MUTATED)
def test_each_mutant_is_wrong_in_a_schedule(name: str) -> None:
    """But for one that is right: only who has the lock adds."""
    text = (PROGRAMS / f"{name}.ptx").read_text(encoding="utf-8")
    assert _is_right(text, name)
    right = [str(m) for m in mutants(text) if _is_right(m.text, name)]
    expected = {"spin_lock": 1}.get(name, 0)
    assert len(right) == expected, right
    assert all("add.u32" in each for each in right)


# The reduction -----------------------------------------------------------------------


class Everything(Tree):
    """All schedules, one after another."""

    def turn(self, steps: dict[int, Touches], told: Sequence[Told]) -> int | None:
        if self.place == len(self.path):
            self.path.append(Turn(steps, frozenset(), min(steps), told, set(steps)))
        found = self.path[self.place]
        assert isinstance(found, Turn)
        self.place += 1
        return found.chosen

    def _reverse_races(self) -> None:
        pass


def _random_step(rng: random.Random, left: int, *, is_grid: bool) -> str:
    word, value = rng.randrange(2), rng.randint(1, 3)
    where = f"global.u32 %r3, [%q0+{4 * word}]" if is_grid else ""
    where = where or f"shared.u32 %r3, [box+{4 * word}]"
    scope = "gpu" if is_grid else "cta"
    space, place = ("global", where[15:]) if is_grid else ("shared", where[15:])
    kinds = [
        f"ld.relaxed.{scope}.{where};" + leave(left),
        f"ld.acquire.{scope}.{where};" + leave(left),
        f"st.relaxed.{scope}.{space}.u32 {place}, {value};",
        f"st.release.{scope}.{space}.u32 {place}, {value};",
        f"atom.acq_rel.{scope}.{space}.add.u32 %r3, {place}, 1;" + leave(left),
        f"atom.relaxed.{scope}.{space}.cas.b32 %r3, {place}, 0, {value};" + leave(left),
        "fence.sc.gpu;",
    ]
    if not is_grid:
        kinds += [arrive(0), wait(0, 0, str(left)), "all:bar.sync 1, 64;"]
    return rng.choice(kinds)


def _random_bodies(rng: random.Random, *, is_grid: bool) -> list[str]:
    count, numbers = rng.choice([2, 2, 3]), iter(range(100))
    bodies: list[str] = []
    for _ in range(count):
        steps = [
            _random_step(rng, next(numbers), is_grid=is_grid)
            for _ in range(rng.randint(1, 3 if count == 2 else 2))
        ]
        body = "".join(step for step in steps if not step.startswith("all:"))
        if "all:bar.sync 1, 64;" in steps:  # by whole warps, behind the rest
            guarded = f"@!%p0 bra MEET$;{body}\nMEET$:\nbar.sync 1, 64;"
            body = f"all:{guarded}"
        bodies.append(body)
    return bodies


def _programs(count: int) -> Iterator[tuple[list[str], bool]]:
    for seed in range(count):
        is_grid = seed % 2 == 0
        yield _random_bodies(random.Random(seed), is_grid=is_grid), is_grid


def test_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch, draws: Callable[[int], int]
) -> None:
    """Against a search of all schedules: the same results, or a finding in both."""
    n_less = 0
    for bodies, is_grid in _programs(draws(40)):
        few = explored(bodies, 12, is_grid=is_grid)
        with monkeypatch.context() as patched:
            patched.setattr(exploring, "Tree", Everything)
            all_ = explored(bodies, 12, is_grid=is_grid)
        if all_.why:
            continue
        assert not few.why, few.why
        assert (few.finding is None) == (all_.finding is None), bodies
        if few.finding is None:
            assert few.results.keys() == all_.results.keys(), bodies
        assert few.runs <= all_.runs
        n_less += few.runs < all_.runs
    assert n_less


# What is not explored ----------------------------------------------------------------


def test_what_is_not_explored_is_said() -> None:
    copies = "cp.async.ca.shared.global [box], [%q0], 4;"
    assert "cp.async" in explored([copies], 1).why
    assert "%clock" not in explored(["mov.u32 %r3, %tid.x;"], 1).why
    assert "not explored" in explored(["mov.u32 %r3, %clock;"], 1).why
    assert "up to 4 warps" in explored(["mov.u32 %r3, 1;"] * 5, 1).why
    several = "all:atom.relaxed.gpu.global.add.u32 %r3, [%q0], 1;" + leave(0)
    assert "several lanes" in explored([several], 1).why


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how many results there are, or which turns lead to what is wrong."""
    file = tmp_path / "k.ptx"
    launched = [
        str(file),
        "--schedules",
        "--block",
        "32",
        "zeros:i32[6]",
        "--grid",
        "2",
    ]
    file.write_text(kernel(LITMUS["messages"][0], is_grid=True))
    assert command.main(launched) == 0
    assert "k: proved in all schedules (" in capsys.readouterr().out
    file.write_text(kernel([store(0, 1, "weak"), load(0, 0, "weak")], is_grid=True))
    assert command.main(launched) == 1
    assert "k: refuted by a schedule: " in capsys.readouterr().out
