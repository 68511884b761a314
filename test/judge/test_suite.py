# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates with known verdicts: no trick is accepted, nothing good refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from json_schemas import fitting
from suite_runs import CALL_SECONDS, CANDIDATES, lacks, seed_of, wanted

from cuda_tile.codegen.versions import versions


def judged(*words: str | Path, code: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "cuda_tile.judge", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return fitting(done.stdout, "verdict")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("path", CANDIDATES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_verdict_is_the_one_of_the_name(path):
    if lacks(path):
        pytest.skip(lacks(path))
    verdict = judged(
        path,
        "--against",
        path.with_name("reference.py"),
        f"--call-limit={CALL_SECONDS}",
        *([] if seed_of(path) is None else [f"--seed={seed_of(path)}"]),
        code=0 if wanted(path) == "right" else 3,
    )
    assert verdict["verdict"] == wanted(path), verdict["findings"]


def test_there_are_a_hundred_candidates_and_some_of_each_verdict():
    assert len(CANDIDATES) >= 100
    words = {wanted(path) for path in CANDIDATES}
    assert words == {"right", "slow", "unknown", "wrong", "faulty", "cheating"}


def test_one_seed_gives_one_verdict_in_all_its_words():
    path = next(path for path in CANDIDATES if path.stem == "wrong_half_precision")
    words = path, "--against", path.with_name("reference.py"), "--seed=5"
    first, second = judged(*words, code=3), judged(*words, code=3)
    assert first == second
    assert (first["versions"], first["chip"]) == (versions(), "sm_90")
    place = first["findings"][0]["place"]
    assert {"case", "call", "array", "element"} <= set(place)
