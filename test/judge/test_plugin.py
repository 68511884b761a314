# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command and pytest's plugin, as a user calls them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from suite_runs import SUITE


def python(*words, folder):
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_candidate_is_a_test(tmp_path):
    home = SUITE / "add"
    shutil.copy(home / "right_plain.py", tmp_path / "candidate_good.py")
    shutil.copy(home / "cheating_host.py", tmp_path / "candidate_bad.py")
    done = python(
        "pytest", "-q", "-p", "cuda_tile.judge.pytest_plugin", "-p", "no:cacheprovider",
        f"--judge-against={home / 'reference.py'}", tmp_path, folder=tmp_path,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "launched no kernel" in done.stdout


def test_errors_of_the_command_are_not_verdicts(tmp_path):
    good = SUITE / "add" / "right_plain.py"
    empty = tmp_path / "empty.py"
    empty.write_text("")
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_library\n")
    for reference, said in (
        ("nowhere.py", "cannot read 'nowhere.py': there is no such file"),
        (empty, "expected a function inputs"),
        (broken, "raised ModuleNotFoundError: No module named 'no_such_library'"),
    ):
        done = python("cuda_tile.judge", good, "--against", reference, folder=tmp_path)
        assert done.returncode == 1
        assert said in done.stderr


WORKFLOW = Path(__file__).parents[2] / "examples" / "judge.yml"


def steps_of_the_workflow():
    """The shell commands of the workflow's steps, but for the installation."""
    (job,) = yaml.safe_load(WORKFLOW.read_text())["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    install, *rest = commands
    assert install.startswith("pip install ")
    return rest


@pytest.mark.parametrize(
    ("candidate", "code"), [("right_plain.py", 0), ("cheating_host.py", 3)]
)
def test_the_workflow_for_github(tmp_path, candidate, code):
    base, clone = tmp_path / "base", tmp_path / "clone"
    base.mkdir()
    shutil.copy(SUITE / "add" / "reference.py", base)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["commit", "-qm", "base"],
    ):
        subprocess.run([*git, *words], cwd=base, check=True)
    subprocess.run([*git, "clone", "-q", base, clone], check=True)
    (clone / "reference.py").write_text("raise ValueError('brought by the pull')\n")
    (clone / "solutions").mkdir()
    shutil.copy(SUITE / "add" / candidate, clone / "solutions")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    runner = {"GITHUB_BASE_REF": "main", "RUNNER_TEMP": str(tmp_path), "PATH": path}
    codes = [
        subprocess.run(
            ["bash", "-eo", "pipefail", "-c", command],  # as `shell: bash` has it
            cwd=clone,
            env=os.environ | runner,
            capture_output=True,
            check=False,
        ).returncode
        for command in steps_of_the_workflow()
    ]
    assert codes == [0, code]
    verdict = json.loads((clone / "verdicts.json").read_text())
    assert verdict["verdict"] == candidate.partition("_")[0]
