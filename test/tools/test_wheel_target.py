# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wheels for another kind of machine: what tells compilers and Python's tools so."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest
import wheel
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
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    assert f"--target={OTHER}-linux-gnu" in target.compiler_flags
    definitions = dict(each.split("=") for each in target.definitions(HERE))
    assert definitions["CMAKE_SYSROOT"] == str(tmp_path)
    assert (Path(definitions["Python_INCLUDE_DIR"]) / "Python.h").exists()
    variables = target.environment(HERE)
    assert variables["_PYTHON_HOST_PLATFORM"] == f"linux-{OTHER}"
    suffix = f".cpython-{version}-{OTHER}-linux-gnu.so"
    assert variables["SETUPTOOLS_EXT_SUFFIX"] == suffix


@pytest.mark.parametrize(
    ("version", "stable"),
    [("3.10", ""), ("3.11", ""), ("3.12", "0x030C0000"), ("3.14", "0x030E0000")],
)
def test_one_wheel_for_all_that_have_the_stable_interface(
    version: str, stable: str, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho {version}\n")
    python.chmod(0o755)
    settings = " ".join(wheel.stable_settings(python))
    assert f"CUDA_TILE_STABLE_ABI={stable}" in settings
    tag = f"wheel.py-api=cp{version.replace('.', '')}"
    assert (tag in settings) == bool(stable)


def test_an_interpreter_without_headers_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"expected python3\.2 with its headers"):
        wheel.environment_of("python3.2")


def test_the_missing_program_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="apt-get install mmdebstrap"):
        target_named(OTHER, tmp_path)
