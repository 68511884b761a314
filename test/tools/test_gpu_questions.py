# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experiments for a GPU: all run on the emulator and report differences."""

from __future__ import annotations

import gpu_questions
import numpy as np
import pytest
from gpu_experiments import ELSEWHERE, EXPERIMENTS, Experiment

from cuda_tile.interp.decisions import QUESTIONS
from cuda_tile.runtime.elements import Array

OPEN = {
    "max.f64",  # PTX says nothing of the NaN
    "min.f64",
    "atom.global.add.f32",  # which PTX flushes in global memory
    "cvt.f64.f32, cvt.rn.f32.f64",  # payloads
}
"""Instructions on which the judges may differ until a GPU settles it."""


def answers(experiment: Experiment) -> tuple[Array, Array]:
    target = gpu_questions.target_for(experiment, "emulator", "sm_90")
    assert target is not None
    device = gpu_questions.on_device(experiment, "emulator", target)
    return device, gpu_questions.on_interpreter(experiment)


def test_every_experiment_runs_on_the_emulator(capsys: pytest.CaptureFixture[str]):
    assert gpu_questions.main([]) == 0
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("| ") and not line.startswith("| Q")
    ]
    assert {int(row[0]) for row in rows} == {
        *ELSEWHERE,
        *(experiment.question for experiment in EXPERIMENTS),
    }
    assert not [row for row in rows if "failed" in row[3]]
    assert {row[2] for row in rows if row[4] == "no"} <= OPEN
    assert len([row for row in rows if row[4] == "yes"]) > 70


def test_one_question_is_asked_alone(capsys: pytest.CaptureFixture[str]):
    assert gpu_questions.main(["2"]) == 0
    rows = capsys.readouterr().out.splitlines()[4:]
    assert [row.split(" | ")[2] for row in rows] == [
        "mul.ftz.f32",
        "add.ftz.f32",
        "fma.rn.ftz.f32",
    ]


def find(what: str) -> Experiment:
    return next(e for e in EXPERIMENTS if e.what == what)


def test_shifts_clamp() -> None:
    """From the text of the ISA, "shl": amounts above the width count as the width."""
    experiment = find("shl.b32")
    device, _ = answers(experiment)
    a, b = (values.tolist() for values in gpu_questions.padded(experiment))
    assert device.tolist() == [
        x << n & 0xFFFFFFFF if n < 32 else 0 for x, n in zip(a, b, strict=True)
    ]


def test_a_difference_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = find("mul.ftz.f32")
    device, known = answers(experiment)
    assert gpu_questions.compared(experiment, device, known) == (
        "same on 4 inputs",
        True,
    )
    other = known.copy()
    other[1] ^= np.uint32(1)
    said, same = gpu_questions.compared(experiment, device, other)
    assert not same
    first = f"(0x3f7ffffe, 0x800001): {int(device[1]):#x}"
    assert said == f"{first}, interpreter {int(other[1]):#x}"


def test_errors_of_approximations_are_measured() -> None:
    experiment = find("rsqrt.approx.f32")
    _, known = answers(experiment)
    off = known + np.uint32(3)
    assert gpu_questions.compared(experiment, off, known) == ("at most 3 ulp", False)


def test_turns() -> None:
    experiment = find("atom.global.add.u32 of 32 threads at one address")
    turns = np.arange(32, dtype=np.uint32)
    said, same = gpu_questions.compared(experiment, turns[::-1].copy(), turns)
    assert (said, same) == ("each thread its turn", True)
    turns = np.zeros(32, np.uint32)
    said, same = gpu_questions.compared(experiment, turns, turns)
    assert (said, same) == ("no turns: an old value twice", False)


def test_what_a_gpu_lacks_is_left_out() -> None:
    assert gpu_questions.target_for(find("cvt.rn.tf32.f32"), "gpu", "sm_80") is None
    assert gpu_questions.target_for(find("shl.b32"), "gpu", "sm_80") == "sm_80"
    small = find("cvt.rn.satfinite.e2m1x2.f32, and back")
    assert gpu_questions.target_for(small, "gpu", "sm_90") is None
    assert gpu_questions.target_for(small, "gpu", "sm_103") == "sm_103a"


def test_ptxas_takes_every_program() -> None:
    """So that a GPU does not have to find the mistake."""
    from cuda_tile.codegen.ptxas import assemble

    for experiment in EXPERIMENTS:
        target = gpu_questions.target_for(experiment, "emulator", "sm_90")
        assert target is not None
        assemble(gpu_questions.ptx_of(experiment, target), target, opt_level=0)


def test_no_gpu_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from cuda_tile.runtime import driver

    monkeypatch.setattr(driver, "LIBRARIES", ("libno-such-cuda.so",))
    driver.load_driver.cache_clear()
    assert gpu_questions.main(["--on", "gpu"]) == 1
    assert "cannot run on a GPU: no CUDA driver library" in capsys.readouterr().err
    driver.load_driver.cache_clear()


def test_questions_are_the_known_ones() -> None:
    assert {*ELSEWHERE, *(e.question for e in EXPERIMENTS)} < {*QUESTIONS}
