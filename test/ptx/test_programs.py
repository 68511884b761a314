"""Whole kernels: right in any order of warps, and wrong without each of their barriers.

The second half tests the detector: a barrier, wait or commit is deleted in turn, and
the emulator must report it. What may go unreported is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ptx_gemm import Gemm
from ptx_harness import assemble

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Program:
    """A kernel with a launch: arguments, and the expected last argument."""

    text: str
    grid: Sequence[int]
    block: Sequence[int]
    make: Callable[[np.random.Generator], tuple[list[Any], np.ndarray, np.ndarray]]
    tolerance: float = 0.0

    def run(self, text: str, mode: Mode, seed: int = 0) -> None:
        """Runs a version of the text and checks its result."""
        args, result, wanted = self.make(np.random.default_rng(seed))
        launch(text, grid=self.grid, block=self.block, args=args, mode=mode, seed=seed)
        np.testing.assert_allclose(result, wanted, rtol=0, atol=self.tolerance)


def _reduction(rng):
    x = rng.integers(-100, 100, (3, 256)).astype(np.float32)
    result = np.zeros(3, np.float32)
    return [x, result], result, x.sum(axis=1)


def _transpose(rng):
    x = rng.standard_normal((96, 96)).astype(np.float32)
    result = np.zeros_like(x)
    return [x, result, 96], result, x.T


def _scan(rng):
    x = rng.integers(0, 1000, (3, 128)).astype(np.uint32)
    result = np.zeros_like(x)
    return [x, result], result, np.cumsum(x, axis=1)


def _pipeline(rng):
    x = rng.integers(0, 1000, (5, 64)).astype(np.uint32)
    result = np.zeros_like(x)
    return [x, result, 5], result, x[:, ::-1]


def _gemm(rng):
    a = rng.standard_normal((64, 192)).astype(np.float16)
    b = rng.standard_normal((192, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float32)
    return [a, b, c, 64, 192], c, a.astype(np.float64) @ b.astype(np.float64)


def _text(name: str) -> str:
    return (PROGRAMS / f"{name}.ptx").read_text()


ALL = {
    "reduction": Program(_text("reduction"), (3,), (256,), _reduction),
    "transpose": Program(_text("transpose"), (3, 3), (32, 8), _transpose),
    "scan": Program(_text("scan"), (3,), (128,), _scan),
    "pipeline": Program(_text("pipeline"), (1,), (128,), _pipeline),
    "gemm": Program(Gemm().text(), (1,), (128,), _gemm, 1e-3),
    "gemm two stages": Program(Gemm(stages=2).text(), (1,), (128,), _gemm, 1e-3),
}


@pytest.mark.parametrize("name", ALL)
def test_ptxas_takes_it(name: str) -> None:
    assert assemble(ALL[name].text, "sm_80") == ""


@pytest.mark.parametrize("name", ALL)
def test_fast(name: str) -> None:
    ALL[name].run(ALL[name].text, "fast")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seed", range(4))
def test_adversarial(name: str, seed: int) -> None:
    ALL[name].run(ALL[name].text, "adversarial", seed)


SYNCHRONISING = ("bar.", "cp.async.wait", "cp.async.commit")


def mutants(text: str) -> list[tuple[int, str]]:
    """All texts that lack one synchronising instruction, with its line."""
    lines = text.splitlines()
    found = [
        number
        for number, line in enumerate(lines)
        if line.strip().startswith(SYNCHRONISING)
    ]
    return [
        (number + 1, "\n".join([*lines[:number], "", *lines[number + 1 :]]))
        for number in found
    ]


MUTANTS = [(name, *mutant) for name in ALL for mutant in mutants(ALL[name].text)]


@pytest.mark.parametrize(
    ("name", "line", "text"), MUTANTS, ids=[f"{n} line {at}" for n, at, _ in MUTANTS]
)
@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_each_missing_synchronisation_is_found(
    name: str, line: int, text: str, mode: Mode
) -> None:
    with pytest.raises(FindingError) as caught:
        ALL[name].run(text, mode)
    kinds = {"race", "uninitialised", "copy in flight", "deadlock", "barrier"}
    assert caught.value.finding.kind in kinds


def test_a_race_names_both_parties() -> None:
    name, _, text = next(m for m in MUTANTS if m[0] == "scan")
    with pytest.raises(FindingError) as caught:
        ALL[name].run(text.replace("bar.sync 0;", "bar.sync 0;"), "fast")
    finding = caught.value.finding
    assert finding.kernel == "scan"
    assert finding.instruction in text
    assert "warp" in finding.message
    assert "line" in finding.message


def test_a_wrong_barrier_count_is_a_deadlock_that_says_who_waits() -> None:
    text = ALL["pipeline"].text.replace("bar.sync 2, 128;", "bar.sync 2, 192;")
    with pytest.raises(FindingError, match=r"barrier|deadlock"):
        ALL["pipeline"].run(text, "fast")


def test_a_barrier_that_half_the_warps_reach_is_a_deadlock() -> None:
    text = ALL["scan"].text.replace(
        "\tld.param.u64 %rd2, [result];",
        "\tsetp.ge.u32 %p2, %r0, 64;\n\t@%p2 bar.sync 1, 128;\n"
        "\tld.param.u64 %rd2, [result];",
    )
    with pytest.raises(FindingError, match=r"deadlock.*64 of 128 threads"):
        ALL["scan"].run(text, "fast")
