# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The detector against the memory model, on random programs of several threads.

`litmus.py` computes which operations of an execution race. The detector must report no
others, and must report the first race with the last write of a byte or a later read.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest
from litmus import MBARRIER, Model, Op, Shape, certain_races, program, random_ops

from cuda_tile.emulator import launch
from cuda_tile.emulator.ordering import older_writes

COUNT = int(os.environ.get("CUDA_TILE_LITMUS_PROGRAMS", "100"))
SHAPES = {
    "blocks": Shape(2, 2),
    "more blocks": Shape(3, 2),
    "clusters": Shape(4, 2, cluster=2),
    "shared memory": Shape(1, 4, space="shared"),
    "distributed shared memory": Shape(2, 2, cluster=2, space="shared::cluster"),
}


@pytest.fixture(autouse=True)
def _latest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model knows what each read sees because it sees the latest write."""
    monkeypatch.setattr(older_writes, "SHARE", 0.0)


def accused(ops: list[Op], shape: Shape, seed: int) -> set[int]:
    text, lines = program(ops, shape)
    report = launch(
        text,
        grid=shape.blocks,
        block=32 * shape.warps,
        cluster=shape.cluster,
        args=[np.zeros(128, np.uint32)],
        mode="adversarial",
        seed=seed,
        collect=True,
    )
    assert not report.warnings
    assert {finding.kind for finding in report.findings} <= {"race"}
    return {lines[finding.line] for finding in report.findings}


def listing(ops: list[Op], shape: Shape, model: Model) -> str:
    return "\n".join(
        f"{turn}: block {op.block} warp {op.warp}: {op.ptx(shape.space)} "
        f"{sorted(races) or ''}"
        for turn, (op, races) in enumerate(zip(ops, model.blame, strict=True))
    )


@pytest.mark.parametrize("name", SHAPES)
def test_random_programs_are_judged_as_the_model_does(
    name: str, draws: Callable[[int], int]
) -> None:
    count = draws(COUNT)
    shape = SHAPES[name]
    verdicts = {True: 0, False: 0}
    for seed in range(count):
        ops = random_ops(np.random.default_rng(seed), shape)
        model = Model(ops, shape)
        found = accused(ops, shape, seed)
        text = f"seed {seed}\n{listing(ops, shape, model)}\naccused: {sorted(found)}"
        racy = {turn for turn, races in enumerate(model.blame) if races}
        assert found <= racy, f"accused wrongly: {text}"
        certain = certain_races(ops, model)
        assert not certain or min(certain) in found, f"missed: {text}"
        verdicts[bool(racy)] += 1
    assert min(verdicts.values()) > count // 20, verdicts


def op(
    kind: str, block: int, place: int, order: str = "relaxed", **other: object
) -> Op:
    return Op(kind, block, int(str(other.get("warp", 0))), place, order)


RELEASES = [op("store", 0, 0, "weak"), op("store", 0, 1, "release")]
READS = op("load", 1, 0, "weak")
# PTX ISA, "Release and Acquire Patterns": what may stand between a release and the
# weak read of what it released, and whether that read is a race.
PATTERNS: dict[str, tuple[list[Op], bool]] = {
    "acquire": ([op("load", 1, 1, "acquire")], False),
    "atomic acquire": ([op("add", 1, 1, "acquire")], False),
    "relaxed": ([op("load", 1, 1)], True),
    "relaxed, fence": ([op("load", 1, 1), op("fence", 1, 1, "acq_rel")], False),
    "fence, relaxed": ([op("fence", 1, 1, "acq_rel"), op("load", 1, 1)], True),
    "own relaxed store between": (
        [op("store", 0, 1), op("load", 1, 1, "acquire")],
        False,
    ),
    "a mate's relaxed store between": (
        [op("store", 0, 1, warp=1), op("load", 1, 1, "acquire")],
        True,
    ),
    "a mate's relaxed atomic between": (
        [op("add", 0, 1, warp=1), op("load", 1, 1, "acquire")],
        False,
    ),
    "relaxed, then an acquire of the same word": (
        [op("load", 1, 1), op("store", 0, 1, warp=1), op("load", 1, 1, "acquire")],
        False,
    ),
    "relaxed, then an acquire of another word": (
        [op("load", 1, 1), op("load", 1, 2, "acquire")],
        True,
    ),
    "a reduction does not acquire": (
        [op("red", 1, 1), op("fence", 1, 1, "acq_rel")],
        True,
    ),
    "an atomic does, with a fence": (
        [op("add", 1, 1), op("fence", 1, 1, "acq_rel")],
        False,
    ),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_synchronises_or_not(name: str) -> None:
    between, is_race = PATTERNS[name]
    ops = [*RELEASES, *between, READS]
    shape = SHAPES["blocks"]
    assert bool(Model(ops, shape).blame[-1]) == is_race
    assert accused(ops, shape, 0) == ({len(ops) - 1} if is_race else set())


def test_a_narrow_fence_leaves_a_wide_one_in_force() -> None:
    wide, narrow = (Op("fence", 0, 0, -1, "acq_rel", s) for s in ("gpu", "cta"))
    heard = [op("load", 1, 1), Op("fence", 1, 0, -1, "acq_rel", "cta")]
    ops = [op("store", 0, 0, "weak"), wide, narrow, op("store", 0, 1)]
    ops += [*heard, Op("fence", 1, 0, -1, "acq_rel", "gpu"), READS]
    assert not Model(ops, SHAPES["blocks"]).blame[-1]
    assert not accused(ops, SHAPES["blocks"], 0)


def test_what_an_acquiring_atomic_learns_covers_itself() -> None:
    """Its own update comes after what the release made known of the word."""
    ops = [op("store", 0, 1, "weak"), op("store", 0, 1, "release")]
    ops.append(op("add", 1, 1, "acquire"))
    assert not Model(ops, SHAPES["blocks"]).blame[-1]
    assert not accused(ops, SHAPES["blocks"], 0)


@pytest.mark.parametrize("name", ["shared memory", "distributed shared memory"])
@pytest.mark.parametrize("arrival", ["release", "relaxed"])
@pytest.mark.parametrize("wait", ["acquire", "relaxed"])
@pytest.mark.parametrize("fences", ["", "before", "after", "before, after"])
def test_mbarriers_and_fences(name: str, arrival: str, wait: str, fences: str) -> None:
    """A release is an arrival of that kind or one after a fence; so for acquires."""
    shape = SHAPES[name]
    far = shape.blocks - 1
    ops = [op("store", far, 0, "weak")]
    if "before" in fences:
        ops.append(op("fence", far, -1, "acq_rel"))
    ops.append(Op("arrive", far, 0, MBARRIER, arrival, "cluster"))
    ops.append(Op("test", 0, 1, MBARRIER, wait, "cluster"))
    if "after" in fences:
        ops.append(op("fence", 0, -1, "acq_rel", warp=1))
    ops.append(op("load", 0, 0, "weak", warp=1))
    released = arrival == "release" or "before" in fences
    acquired = wait == "acquire" or "after" in fences
    found = set() if released and acquired else {len(ops) - 1}
    assert {
        turn for turn, races in enumerate(Model(ops, shape).blame) if races
    } == found
    for seed in range(4):
        assert accused(ops, shape, seed) == found
