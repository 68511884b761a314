# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of rings and roles: right kernels pass, each changed step is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from checked_kernels import GPUS, KERNELS, lowered
from mutated_rings import KERNELS as RINGS
from mutated_rings import text_of
from ring_mutants import RingMutant, mutants, reason_for

import cuda_tile
from cuda_tile import Options
from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.checkers import count, protocol
from cuda_tile.checkers.protocol import verdict_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import entries
from cuda_tile.pass_order import Pass
from cuda_tile.pipeline import PIPELINE, run_pass

ENGINES = (("cp_async", "sm_80"), ("tma", "sm_90"))
"""Engines, each with a chip that has it."""
PASSES = {step.name: step for step in PIPELINE if isinstance(step, Pass)}


def ringed(name: str, engine: str, gpu: str) -> ir.Module:
    module = cuda_tile.load(text_of(name, engine))
    return cuda_tile.lower(module, until="count", options=Options(gpu=gpu, num_warps=2))


def said_of(module: ir.Module) -> str:
    """What the checkers behind `ring` and `count` say."""
    for checker in (protocol, count):
        try:
            checker.check(module.operation, Options())
        except InternalError as error:
            return str(error)
    return ""


def said_of_mutant(mutant: RingMutant, name: str, engine: str, gpu: str) -> str:
    module = ringed(name, engine, gpu)
    with module.context, ir.Location.unknown():
        mutant.apply(module.operation)
        return said_of(module)


@pytest.mark.parametrize("gpu", [*GPUS, "sm_120"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_proved(name: str, gpu: str) -> None:
    """Behind each pass with a checker, and once more behind all of them."""
    module = lowered(name, gpu, "barriers")
    with module.context:
        for entry in entries(module.operation):
            verdict = verdict_of(ControlFlow(entry))
            assert not verdict.fault
            assert not verdict.assumed


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("engine", "gpu"), ENGINES)
@pytest.mark.parametrize("name", RINGS)
def test_each_changed_step_is_noticed(name: str, engine: str, gpu: str) -> None:
    """But for the condition of the branch, which looks like a guard of copies."""
    module = ringed(name, engine, gpu)
    with module.context:
        wrong = [
            mutant
            for mutant in mutants(module.operation)
            if not reason_for(mutant, module.operation)
            and not (name == "branch" and mutant.name.startswith("cmpi"))
        ]
    unnoticed = [m for m in wrong if not said_of_mutant(m, name, engine, gpu)]
    assert not unnoticed


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("engine", "gpu"), ENGINES)
@pytest.mark.parametrize("name", RINGS)
def test_what_is_right_passes(name: str, engine: str, gpu: str) -> None:
    module = ringed(name, engine, gpu)
    with module.context:
        harmless = [
            mutant
            for mutant in mutants(module.operation)
            if "groups" not in mutant.name and reason_for(mutant, module.operation)
        ]
        assert not said_of(module)
    said = [said_of_mutant(mutant, name, engine, gpu) for mutant in harmless]
    assert not any(said)


def test_a_message_names_both_accesses_and_their_distance() -> None:
    """The slot of iteration t is filled again by iteration t + 3, three slots on."""
    module = ringed("three slots", "tma", "sm_90")
    with module.context:
        deleted = next(
            m for m in mutants(module.operation) if m.name == "release: deleted"
        )
    said = said_of_mutant(deleted, "three slots", "tma", "sm_90")
    assert "'tileas.release' of iteration t-3 of the ring" in said
    assert "before 'tileas.acquire' of iteration t" in said


def _noting(passes: Mapping[str, Pass], name: str, asked: list[str]) -> Pass:
    """A pass that does nothing, and whose check notes that it was asked."""
    return replace(
        passes[name],
        change=lambda module, options: None,
        checker=lambda module, options: asked.append(name),
    )


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        ("ring", ["ring"]),
        ("roles", ["ring", "roles"]),
        ("skew", ["skew"]),
        ("ptxas", ["skew"]),
    ],
)
def test_rings_are_judged_where_no_later_check_does(
    until: str, expected: list[str]
) -> None:
    """A whole compilation asks once; one that ends before asks behind each pass."""
    asked: list[str] = []
    names = [step.name for step in PIPELINE]
    for name in ("ring", "roles", "skew"):
        if names.index(name) > names.index(until):
            break
        step = _noting(PASSES, name, asked)
        with ir.Context() as context:
            module = ir.Module.parse("module {}", context)
            run_pass(step, module.operation, Options(check=True), until)
    assert asked == expected
