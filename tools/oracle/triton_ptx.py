# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates the PTX of our Triton kernels, which the emulator's tests run.

    .venv/bin/python tools/oracle/triton_ptx.py [--check]

Nothing else needs Triton: the version below is installed into a separate environment
under `build/oracle`. It compiles the kernels of `test/ptx/triton` for each of their
targets, without a GPU, and the PTX is packed into `test/ptx/triton/ptx.tar.xz`. With
`--check`, nothing is written; the exit code is 1 if the PTX differs.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "test" / "ptx" / "triton"
ARCHIVE = KERNELS / "ptx.tar.xz"
VERSION = "3.9.0"


def python() -> Path:
    """The Python of an environment with Triton, which is created if missing."""
    folder = ROOT / "build" / "oracle" / f"triton-{VERSION}"
    found = folder / "bin" / "python"
    if not found.exists():
        venv.create(folder, with_pip=True)
        command = (folder / "bin" / "pip", "install", "-q", f"triton=={VERSION}")
        subprocess.run(command, check=True)
    return found


def compiled(python: Path) -> dict[str, bytes]:
    """The PTX of every kernel, by file name."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [python, KERNELS / "make_ptx.py", folder],
            env=os.environ | {"TRITON_CACHE_DIR": f"{folder}/cache"},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        paths = sorted(Path(folder).glob("*.ptx"))
        return {path.name: path.read_bytes() for path in paths}


def packed() -> dict[str, bytes]:
    """The files of the archive."""
    files: dict[str, bytes] = {}
    with tarfile.open(ARCHIVE) as archive:
        for entry in archive:
            file = archive.extractfile(entry)
            assert file
            files[entry.name] = file.read()
    return files


def pack(files: dict[str, bytes]) -> None:
    """Writes the archive, reproducibly: without times and owners."""
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def main() -> int:
    """Writes or compares; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--python", type=Path, help="Python that has Triton already")
    words = parser.parse_args()
    files = compiled(words.python or python())
    if not words.check:
        pack(files)
        print(f"{len(files)} files, {ARCHIVE.stat().st_size} bytes")
        return 0
    known = packed()
    names = sorted(files.keys() | known.keys())
    different = [name for name in names if files.get(name) != known.get(name)]
    for name in different:
        print(f"{name}: not what Triton {VERSION} makes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
