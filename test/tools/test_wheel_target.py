# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wheels for another kind of machine: what tells compilers and Python's tools so."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest
from wheel_target import DEBIAN, Target, target_named

HERE = Path(sys.executable)
OTHER = next(machine for machine in DEBIAN if machine != platform.machine())


def test_this_machine_needs_no_flags(tmp_path: Path) -> None:
    target = target_named(None, tmp_path)
    assert target.is_here
    assert not target.compiler_flags
    assert not target.definitions(HERE)
    assert not target.environment(HERE)


def test_another_machine_is_named_to_compiler_and_python(tmp_path: Path) -> None:
    target = Target(OTHER, tmp_path)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    (tmp_path / "usr" / "include" / f"python{version}").mkdir(parents=True)
    assert f"--target={OTHER}-linux-gnu" in target.compiler_flags
    assert f"CMAKE_SYSROOT={tmp_path}" in target.definitions(HERE)
    variables = target.environment(HERE)
    assert variables["_PYTHON_HOST_PLATFORM"] == f"linux-{OTHER}"
    tag = version.replace(".", "")
    assert variables["SETUPTOOLS_EXT_SUFFIX"] == f".cpython-{tag}-{OTHER}-linux-gnu.so"


def test_headers_of_another_version_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "usr" / "include" / "python3.2").mkdir(parents=True)
    with pytest.raises(SystemExit, match=f"for {OTHER}, got python3.2"):
        Target(OTHER, tmp_path).definitions(HERE)


def test_the_missing_program_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="apt-get install mmdebstrap"):
        target_named(OTHER, tmp_path)
