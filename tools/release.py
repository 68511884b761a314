# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the folder of a release: wheels, sums, a list of parts, and its page.

    tools/release [WHEEL ...] [-o build/release] [--no-tries]

Without wheels it takes those of `release_wheels.PLAN`: what `dist/` does not have is
made. It tries each where it can be tried, and checks that all are of the version of
`version.py`, none is missing its programs or a licence, and that the changelog has a
section for it. `docs/releasing.md` says what to do then.
"""

from __future__ import annotations

import argparse
import email.parser
import hashlib
import json
import re
import shutil
import sys
import zipfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

from release_wheels import ReleaseError, made_wheels, tried_rows

ROOT = Path(__file__).resolve().parent.parent
NAME = "cuda_tile_compiler"
PROGRAMS = ("cuda-tile-as", "cuda-tile-compile", "cuda-tile-server")
"""What producers call: without it a wheel is of no use to them."""
LINKED = (
    ("LLVM", "Apache-2.0 WITH LLVM-exception", "llvm"),
    ("MLIR", "Apache-2.0 WITH LLVM-exception", "llvm"),
    ("nanobind", "BSD-3-Clause", "nanobind"),
    ("robin-map", "MIT", None),
    ("zlib", "Zlib", None),
    ("zstd", "BSD-3-Clause", None),
)
"""What is linked into a wheel (NOTICE), its licence, and whose version it has."""


@dataclass(frozen=True)
class Wheel:
    """A wheel and what it says of itself."""

    path: Path
    metadata: Message

    @property
    def sum(self) -> str:
        """SHA-256, in hexadecimal digits."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    @property
    def tags(self) -> tuple[str, str]:
        """The Python and the platform that it is for, as its name says."""
        words = self.path.stem.split("-")
        return words[2], words[4]


def read_wheel(path: Path, version: str) -> Wheel:
    """A wheel of the version.

    Raises:
        ReleaseError: It is another's, or something is missing.
    """
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        names = archive.namelist()
        found = [name for name in names if name.endswith(".dist-info/METADATA")]
        if not found:
            raise ReleaseError(f"expected a wheel, got {path.name}")
        metadata = email.parser.BytesParser().parsebytes(archive.read(found[0]))
    if metadata["Version"] != version:
        raise ReleaseError(
            f"expected wheels of {version}, got {path.name} of {metadata['Version']}"
        )
    for program in PROGRAMS:
        modes = [e.external_attr >> 16 for e in entries if e.filename.endswith(program)]
        if not modes or not modes[0] & 0o100:
            raise ReleaseError(f"expected the program {program} in {path.name}")
    for licence in ("LICENSE", "NOTICE"):
        if not any(name.endswith(licence) for name in names):
            raise ReleaseError(f"expected {licence} in {path.name}")
    return Wheel(path, metadata)


def package_version() -> str:
    """The version of `version.py`."""
    text = (ROOT / "python" / "cuda_tile" / "version.py").read_text()
    return re.findall(r'__version__ = "(.*)"', text)[0]


def changes(changelog: str, version: str) -> str:
    """The changelog's section for a version.

    Raises:
        ReleaseError: There is none, or it is not dated.
    """
    parts = re.split(r"^## ", changelog, flags=re.MULTILINE)
    found = [part for part in parts if part.startswith(version)]
    if not found:
        raise ReleaseError(f"expected a section '## {version}' in CHANGELOG.md")
    head, _, text = found[0].partition("\n")
    if not re.fullmatch(r"\S+, \d{4}-\d\d-\d\d", head):
        raise ReleaseError(
            f"expected '## {version}, YYYY-MM-DD' in CHANGELOG.md, got '## {head}'"
        )
    return text.strip()


def versions_linked() -> dict[str, str]:
    """Versions of what is linked, as the setup and the list of packages fix them."""
    notice = (ROOT / "NOTICE").read_text()
    packages = (ROOT / "tools" / "requirements.txt").read_text()
    return {
        "llvm": re.findall(r"LLVM and MLIR (\S+)", notice)[0],
        "nanobind": re.findall(r"^nanobind==(\S+)", packages, re.MULTILINE)[0],
    }


def parts_list(wheels: list[Wheel], version: str) -> dict[str, Any]:
    """What the wheels are made of and need, as CycloneDX 1.6 has it."""
    versions = versions_linked()
    linked = [
        {"type": "library", "name": name, "licenses": [{"expression": licence}]}
        | ({"version": versions[whose]} if whose else {})
        for name, licence, whose in LINKED
    ]
    needs = wheels[0].metadata.get_all("Requires-Dist") or []
    needed = [
        {"type": "library", "name": re.split(r"[^\w.-]", need)[0], "description": need}
        for need in needs
        if "extra ==" not in need
    ]
    files = [
        {
            "type": "file",
            "name": wheel.path.name,
            "hashes": [{"alg": "SHA-256", "content": wheel.sum}],
        }
        for wheel in wheels
    ]
    about = {"type": "library", "name": NAME.replace("_", "-"), "version": version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": about},
        "components": [*files, *linked, *needed],
    }


TRIED_HEAD = """\
| system | kind | machine | Python | glibc | wheel | installed | checks passed |
|---|---|---|---|---|---|---|---|
"""


def release_page(
    wheels: list[Wheel], version: str, text: str, tried: dict[Path, list[str]]
) -> str:
    """The page: files with sums, where they were tried, what is new."""
    rows = [
        f"| {wheel.path.name} | {wheel.tags[0]} | {wheel.tags[1]} | "
        f"{wheel.path.stat().st_size / 1e6:.1f} MB | `{wheel.sum}` |"
        for wheel in wheels
    ]
    lines = [row for wheel in wheels for row in tried[wheel.path]]
    not_tried = [f"- not tried: {w.path.name}" for w in wheels if not tried[w.path]]
    return "\n".join(
        [
            f"# cuda-tile-compiler {version}\n",
            "| file | Python | platform | size | SHA-256 |\n|---|---|---|---|---|",
            *rows,
            f"\n## Where it was tried\n\n{TRIED_HEAD}" + "\n".join(lines),
            *(["", *not_tried] if not_tried else []),
            f"\n## What is new\n\n{text}\n",
        ]
    )


def make_release(paths: list[Path], folder: Path, is_trying: bool = True) -> None:
    """Writes the folder of a release.

    Args:
        paths: The wheels; none for those of the plan.
        folder: Where; what is there is replaced.
        is_trying: Whether to try the wheels that have not been tried.

    Raises:
        ReleaseError: Something has to be mended first.
    """
    version = package_version()
    text = changes((ROOT / "CHANGELOG.md").read_text(), version)
    wheels = [read_wheel(path, version) for path in sorted(paths or made_wheels())]
    tried = tried_rows([wheel.path for wheel in wheels], is_trying)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for wheel in wheels:
        shutil.copy(wheel.path, folder)
    sums = "".join(f"{wheel.sum}  {wheel.path.name}\n" for wheel in wheels)
    (folder / "SHA256SUMS").write_text(sums)
    parts = json.dumps(parts_list(wheels, version), indent=1)
    (folder / "sbom.cdx.json").write_text(parts + "\n")
    (folder / "release.md").write_text(release_page(wheels, version, text, tried))


def main() -> int:
    """Makes the folder; 1 if something has to be mended first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheels", nargs="*", type=Path, metavar="WHEEL")
    parser.add_argument("-o", type=Path, default=ROOT / "build" / "release")
    parser.add_argument(
        "--no-tries", action="store_true", help="do not try what has not been tried"
    )
    words = parser.parse_args()
    try:
        make_release(words.wheels, words.o, not words.no_tries)
    except ReleaseError as error:
        print(f"release: error: {error}", file=sys.stderr)
        return 1
    print(f"{words.o}: docs/releasing.md says what to do with it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
