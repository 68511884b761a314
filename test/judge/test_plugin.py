# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command and pytest's plugin, as a user calls them."""

from __future__ import annotations

import shutil
import subprocess
import sys

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
