# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The folder of a release, of wheels that have but names."""

from __future__ import annotations

import hashlib
import json
import subprocess
import zipfile
from pathlib import Path

import pytest
import release
import release_wheels
from release_wheels import PLAN, Planned

VERSION = release.package_version()
METADATA = f"""Metadata-Version: 2.4
Name: cuda-tile-compiler
Version: {VERSION}
Requires-Dist: numpy<3,>=2
Requires-Dist: ray<3,>=2.50; extra == 'ray'
"""


def wheel(
    folder: Path, python: str = "cp311", without: str = "", text: str = METADATA
) -> Path:
    """A wheel with what a release asks for."""
    name = f"{release.NAME}-{VERSION}"
    path = folder / f"{name}-{python}-{python}-manylinux_2_34_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.dist-info/METADATA", text)
        for licence in {"LICENSE", "NOTICE"} - {without}:
            archive.writestr(f"{name}.dist-info/licenses/{licence}", "")
        for program in {*release.PROGRAMS} - {without}:
            entry = zipfile.ZipInfo(f"{name}.data/scripts/{program}")
            entry.external_attr = (0o644 if without == "x" else 0o755) << 16
            archive.writestr(entry, "")
    return path


@pytest.fixture
def dated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changelog whose newest section has a day."""
    newest = f"# Changelog\n\n## {VERSION}, 2026-12-01\n\n- New.\n\n"
    text = f"{newest}## 0.0.1, 2025-01-01\n\n- Old.\n"
    real = release.changes
    monkeypatch.setattr(release, "changes", lambda _, version: real(text, version))


@pytest.mark.usefixtures("dated")
def test_wheels_sums_parts_and_page(tmp_path: Path) -> None:
    wheels = [wheel(tmp_path, python) for python in ("cp312", "cp311")]
    folder = tmp_path / "release"
    release.make_release(wheels, folder, is_trying=False)
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=folder, check=True)
    page = (folder / "release.md").read_text()
    assert "- New." in page
    assert "- Old." not in page
    assert hashlib.sha256(wheels[0].read_bytes()).hexdigest() in page
    assert f"- not tried: {wheels[1].name}" in page
    parts = json.loads((folder / "sbom.cdx.json").read_text())
    assert parts["bomFormat"] == "CycloneDX"
    names = [part["name"] for part in parts["components"]]
    assert {"MLIR", "nanobind", "numpy", *(path.name for path in wheels)} <= set(names)
    assert "ray" not in names
    assert {"name": "MLIR", "version": "22.1.8"}.items() <= next(
        part for part in parts["components"] if part["name"] == "MLIR"
    ).items()


@pytest.mark.usefixtures("dated")
@pytest.mark.parametrize(
    ("without", "said"),
    [
        ("NOTICE", "expected NOTICE in"),
        ("cuda-tile-as", "expected the program cuda-tile-as in"),
        ("x", "expected the program cuda-tile-as in"),
    ],
)
def test_what_a_wheel_must_have(without: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(release.ReleaseError, match=said):
        release.make_release([wheel(tmp_path, without=without)], tmp_path / "release")
    assert not (tmp_path / "release").exists()


@pytest.mark.usefixtures("dated")
def test_all_wheels_are_of_this_version(tmp_path: Path) -> None:
    old = wheel(tmp_path, text=METADATA.replace(VERSION, "0.0.1"))
    with pytest.raises(release.ReleaseError, match=f"expected wheels of {VERSION}"):
        release.make_release([old], tmp_path / "release")


def test_one_command_makes_and_tries_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Planned("cp311", "x86_64", "python3.11", ("bookworm", "trixie"))
    missing = Planned("cp310", "x86_64", "sh")
    monkeypatch.setattr(release_wheels, "PLAN", (here, missing))
    monkeypatch.setattr(release_wheels, "DIST", tmp_path)
    monkeypatch.setattr(release_wheels, "TRIED", tmp_path / "tried.json")
    there = wheel(tmp_path)
    made: list[Planned] = []

    def make(planned: Planned) -> Path:
        made.append(planned)
        return wheel(tmp_path, planned.tag, text=f"{METADATA}Summary: another\n")

    tried: list[str] = []

    def try_wheel(words: list[str], path: Path) -> str:
        tried.append(f"{' '.join(words)} {path.name[21:32]}")
        return f"| {' '.join(words)} |"

    monkeypatch.setattr(release_wheels, "_make", make)
    monkeypatch.setattr(release_wheels, "_try", try_wheel)
    wheels = release_wheels.made_wheels()
    assert made == [missing]
    assert wheels[0] == there
    rows = release_wheels.tried_rows(wheels)
    assert rows[there] == ["| bookworm |", "| trixie |"]
    assert len(tried) == sum(map(len, rows.values()))
    assert release_wheels.tried_rows(wheels) == rows, "kept beside the sum"
    there.write_bytes(there.read_bytes() + b"\0")
    release_wheels.tried_rows(wheels)
    assert tried.count(tried[0]) == 2, "another wheel is tried again"


def test_without_its_python_a_wheel_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_wheels, "DIST", tmp_path)
    monkeypatch.setattr(release_wheels, "PLAN", (Planned("cp32", "x", "python3.2"),))
    with pytest.raises(
        release.ReleaseError, match=r"in dist/, or python3\.2 on the PATH"
    ):
        release_wheels.made_wheels()


def test_the_plan_has_each_version_on_each_machine() -> None:
    tags = {(planned.tag, planned.machine) for planned in PLAN}
    assert tags == {
        (tag, machine)
        for tag in ("cp310", "cp311", "cp312")
        for machine in ("x86_64", "aarch64")
    }


def test_the_changelog_has_a_dated_section() -> None:
    for text in ("", f"## {VERSION}, not released yet\n"):
        with pytest.raises(release.ReleaseError, match=r"in CHANGELOG\.md"):
            release.changes(text, VERSION)
