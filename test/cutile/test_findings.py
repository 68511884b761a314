# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong in a kernel or a launch is said, with the line of its source."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any

import pytest
from cutile_command import python

MISSING = (
    *("triton", "numba", "pycuda", "cuda.bindings", "cuda.core", "pynvml", "jax"),
    "nvshmem.core",
)
HEAD = """
import cuda.tile as ct, cupy as cp, numpy as np
stream = cp.cuda.get_current_stream()
a, b = cp.arange(64, dtype=cp.float32), cp.zeros(64, cp.float32)

@ct.kernel
def kernel(source, target):
"""
GATHER = """
    i = ct.arange(16, dtype=ct.int32) + 16 * ct.bid(0)
    x = ct.gather(source, i, check_bounds=False)
    ct.scatter(target, i, x, check_bounds=False)
"""
RACE = """
    x = ct.load(source, index=(ct.bid(0),), shape=(16,))
    ct.store(target, index=(0,), tile=x)
"""
NO_PADDING = """
    total = ct.zeros((16,), ct.float32)
    for i in range(ct.cdiv(source.shape[0], 16)):
        total += ct.load(source, index=(i,), shape=(16,))
    ct.store(target, index=(0,), tile=total)
"""
PROMISE = """
    n = ct.assume_divisible_by(source.shape[0], 32)
    ct.store(target, index=(0,), tile=ct.full((16,), n, ct.float32))
"""
PRINT = "    ct.printf('kernel %d\\n', source.shape[0])\n"
ASSERT = "    ct.assert_(source.shape[0] == 1, 'one')\n"
LAUNCH = "print('before')\nct.launch(stream, (%s,), kernel, (%s))\nprint('done')\n"


def program(body: str, grid: int, args: str) -> str:
    return HEAD + body + LAUNCH % (grid, args)


OUTSIDE = program(GATHER, 5, "a, b")
WEAK = program(RACE, 4, "a, b")
UNPADDED = program(NO_PADDING, 1, "a[:40], b") + "print(b[:16])\n"
BEYOND = program(RACE.replace("(0,)", "(9,)"), 1, "a, b")
SCENARIOS: dict[str, tuple[str, dict[str, Any]]] = {
    "outside": (OUTSIDE, {}),
    "outside_ptx": (OUTSIDE, {"on": "emulator"}),
    "race": (WEAK, {}),
    "race_collected": (WEAK, {"collect": True}),
    "race_permitted": (WEAK, {"mode": "permissive"}),
    "promise": (program(PROMISE, 1, "a[:33], b"), {}),
    "beyond": (BEYOND, {}),
    "beyond_strict": (BEYOND, {"mode": "strict"}),
    "unpadded": (UNPADDED, {}),
    "unpadded_zero": (UNPADDED, {"unspecified": "zero"}),
    "unpadded_strict": (UNPADDED, {"mode": "strict"}),
    "printed": (program(PRINT, 1, "a, b"), {}),
    "printed_ptx": (program(PRINT, 1, "a, b"), {"on": "emulator"}),
    "asserted": (program(ASSERT, 1, "a, b"), {}),
    "host": (program(RACE, 1, "np.ones(64), b"), {}),
    "missing": (program(RACE, 1, "a,"), {}),
    "word": (program(RACE, 1, "a, 'b'"), {}),
    "reversed": (program(RACE, 1, "a, b[::-1]"), {}),
    "complex": (program(RACE, 1, "a.astype('c8'), b"), {}),
    "refused": (program(RACE.replace("(16,)", "(15,)"), 1, "a, b"), {}),
    "empty": (program(RACE, 0, "a, b"), {}),
    "plain": ("def f():\n    raise ValueError('mine')\nf()", {}),
    **{name: (f"import {name}", {}) for name in (*MISSING, "torch")},
    "raw": ("import cupy\ncupy.RawKernel('', '')", {}),
}
Answers = Callable[..., str]


@pytest.fixture(scope="module", name="answer")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Gives what a scenario wrote, and checks its exit code."""
    folder = tmp_path_factory.mktemp("scenarios")
    (folder / "scenarios.json").write_text(json.dumps(SCENARIOS))
    done = python(Path(__file__).parent / "cutile_scenarios.py", folder)
    found = json.loads(done.stdout)

    def answer(name: str, code: int = 1) -> str:
        assert found[name][0] == code, found[name][1]
        return found[name][1]

    return answer


def line_of(word: str, text: str) -> int:
    return 1 + text[: text.index(word)].count("\n")


def test_an_access_outside_every_array(answer: Answers) -> None:
    said = answer("outside")
    assert f"outside.py:{line_of('ct.gather', OUTSIDE)}:" in said
    assert "error: kernel, tile block (4, 0, 0)" in said
    assert "nearest is argument 0: float32[64]" in said
    assert "argument 0 of the kernel is 'source', float32[64]" in said
    assert "in a launch of kernel, grid (5, 1, 1)" in said
    assert f'outside.py", line {line_of("ct.launch", OUTSIDE)}' in said  # traceback
    assert "session.py" not in said
    assert said.startswith("before\n")


def test_the_emulator_finds_it_too(answer: Answers) -> None:
    said = answer("outside_ptx")
    assert "out of bounds: load of 4 bytes" in said
    assert "kernel_param_0 of the kernel is 'source', float32[64]" in said
    assert "in a launch of kernel, grid (5, 1, 1)" in said


def test_a_race(answer: Answers) -> None:
    said = answer("race")
    assert f"race.py:{line_of('ct.store', WEAK)}:" in said
    assert "which tile block (0, 0, 0) touched" in said
    assert "argument 3 of the kernel is 'target', float32[64]" in said
    assert "done" in answer("race_permitted", 0)


def test_a_finding_that_is_collected(answer: Answers) -> None:
    said = answer("race_collected")
    assert "KernelWarning: " in said
    assert f"race_collected.py:{line_of('ct.store', WEAK)}:" in said
    assert "which tile block (0, 0, 0) touched" in said
    assert "done" in said


def test_a_false_promise(answer: Answers) -> None:
    said = answer("promise")
    line = line_of("ct.assume_div", SCENARIOS["promise"][0])
    assert f"promise.py:{line}:" in said
    assert "assumed div_by<32>, got 33" in said


def test_what_hardware_runs_is_a_warning(answer: Answers) -> None:
    said = answer("beyond", 0)
    assert f"beyond.py:{line_of('ct.launch', BEYOND)}: KernelWarning" in said
    assert f"beyond.py:{line_of('ct.store', BEYOND)}:" in said
    assert said.endswith("done\n")
    assert "done" not in answer("beyond_strict")


def test_what_a_load_without_padding_leaves_open_shows(answer: Answers) -> None:
    said = answer("unpadded", 0)
    line = line_of("ct.load", UNPADDED)
    assert "it comes from 'load_view_tko' at /" in said
    assert f"/unpadded.py:{line}:" in said
    assert "its tile reaches past axis 0 of extent 40" in said
    assert "padding_mode=ct.PaddingMode.ZERO" in said
    assert said.count("nan") == 8  # elements 40 to 47
    assert "nan" not in answer("unpadded_zero", 0)
    assert f"unpadded_strict.py:{line}:" in answer("unpadded_strict")


@pytest.mark.parametrize("name", ["printed", "printed_ptx"])
def test_what_a_kernel_prints_comes_in_order(name: str, answer: Answers) -> None:
    assert answer(name, 0) == "before\nkernel 64\ndone\n"


def test_a_failed_assertion(answer: Answers) -> None:
    assert "1 assertion failed" in answer("asserted")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("host", "argument 0 is a numpy.ndarray in host memory"),
        ("missing", "kernel(source, target) was launched with (float32[64])"),
        ("word", "kernel(source, target) was launched with (float32[64], 'b')"),
        ("reversed", "argument 1: expected strides that are whole elements and not"),
        ("complex", "argument 0: expected elements that cuTile has"),
        ("refused", "is not a power of two"),
        ("empty", "invalid argument"),
        *((name, "for which there is no stand-in; run that part") for name in MISSING),
        ("raw", "has no 'cupy.RawKernel'"),
    ],
)
def test_what_cannot_be_run(name: str, said: str, answer: Answers) -> None:
    assert said in answer(name)


@pytest.mark.skipif(util.find_spec("torch") is not None, reason="torch is installed")
def test_a_program_without_torch(answer: Answers) -> None:
    assert "one for the CPU is enough" in answer("torch")


def test_errors_of_the_program_are_shown_as_python_does(answer: Answers) -> None:
    said = answer("plain")
    assert said.startswith("Traceback")
    assert said.endswith("ValueError: mine\n")
    assert "cuda_tile" not in said
