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
    release.make_release(wheels, folder)
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=folder, check=True)
    page = (folder / "release.md").read_text()
    assert "- New." in page
    assert "- Old." not in page
    assert hashlib.sha256(wheels[0].read_bytes()).hexdigest() in page
    assert "| Debian GNU/Linux 12 (bookworm) | x86_64 |" in page
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
    with pytest.raises(release.ReleaseError, match="tools/wheel makes them"):
        release.make_release([], tmp_path / "release")


def test_the_changelog_has_a_dated_section() -> None:
    for text in ("", f"## {VERSION}, not released yet\n"):
        with pytest.raises(release.ReleaseError, match=r"in CHANGELOG\.md"):
            release.changes(text, VERSION)
