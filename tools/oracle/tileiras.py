# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares our bytecode with NVIDIA's compiler, which nothing else needs.

    .venv/bin/python tools/oracle/tileiras.py [--every] [--gpus sm_90,sm_100] [FILES]

`tileiras` is closed-source and free to download: the versions below are installed into
separate environments under `build/oracle`, with the ptxas and libnvvm of the same
release. FILES are bytecode files or folders; by default those in `test` and cuTile's
corpus.

Each file is read, printed and written again in its version. tileiras 13.4.92, for files
of 13.5 tileiras 13.5.37, must compile both to the same machine code, byte for byte, for
each GPU; if the rewritten file is identical, it is only compiled with `--every`. Then
each file up to 13.4 is written as
13.1, if it needs nothing newer, and tileiras 13.1.80 must accept it for sm_100, or
refuse cuTile's own file of the kernel as well. Prints a table; the exit code is 1 if a
check failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "test" / "kernels" / "cutile" / "corpus.tar.xz"
NEWEST, NEW, OLD = "13.5.37", "13.4.92", "13.1.80"
PACKAGES = {
    NEWEST: ("nvidia-cuda-nvcc==13.5.37", "nvidia-nvvm==13.5.37"),
    NEW: ("nvidia-cuda-nvcc==13.4.92", "nvidia-nvvm==13.4.92"),
    OLD: ("nvidia-cuda-nvcc==13.1.115", "nvidia-nvvm==13.1.115"),
}


@dataclass(frozen=True)
class Compiler:
    """One version of tileiras."""

    version: str
    scratch: Path

    @property
    def home(self) -> Path:
        """The folder of its programs and libraries."""
        site = f"lib/python3.{sys.version_info.minor}/site-packages/nvidia/cu13"
        return ROOT / "build" / "oracle" / self.version / site

    def install(self) -> None:
        """Creates the environment, if it does not exist."""
        if (self.home / "bin" / "tileiras").exists():
            return
        folder = ROOT / "build" / "oracle" / self.version
        venv.create(folder, with_pip=True)
        wanted = (f"nvidia-cuda-tileiras=={self.version}", *PACKAGES[self.version])
        command = (folder / "bin" / "pip", "install", "-q", *wanted)
        subprocess.run(command, check=True)
        # 13.1.80 expects it here, but the package has it elsewhere.
        link = self.home / "nvvm" / "lib64" / "libnvvm.so"
        if not link.exists():
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(self.home / "lib" / "libnvvm.so.4")

    def compile(self, data: bytes, gpu: str) -> tuple[bytes, str]:
        """The machine code of a file, or nothing and the error."""
        self.install()
        source, cubin = self.scratch / "a.tileirbc", self.scratch / "a.cubin"
        source.write_bytes(data)
        cubin.unlink(missing_ok=True)
        path = f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        libraries = f"{self.home / 'lib'}{os.pathsep}{self.home / 'nvvm' / 'lib64'}"
        run = subprocess.run(
            [self.home / "bin" / "tileiras", "--gpu-name", gpu, source, "-o", cubin],
            env=os.environ | {"PATH": path, "LD_LIBRARY_PATH": libraries},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode == 0:
            return cubin.read_bytes(), ""
        return b"", (run.stderr or run.stdout).strip().splitlines()[0]


@dataclass
class Matrix:
    """The outcomes, counted by version of the files."""

    newest: Compiler
    new: Compiler
    old: Compiler
    gpus: list[str]
    every: bool
    counts: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    wrong: list[str] = field(default_factory=list[str])
    context: ir.Context = field(default_factory=ir.Context)

    def note(self, version: str, what: str) -> None:
        """Counts one outcome."""
        self.counts.setdefault(version, Counter())[what] += 1

    def check(self, name: str, data: bytes, twin: bytes | None) -> None:
        """Checks one file; `twin` is the producer's own file of the kernel in 13.1."""
        version = f"{data[8]}.{data[9]}"
        self.note(version, "files")
        try:
            module = _cuda_tile.read_bytecode(data, name, self.context)
        except ir.MLIRError as error:
            self.wrong.append(f"{name}: not read: {error}")
            return
        assert str(module)
        self.note(version, "read, verified, printed")
        written = _cuda_tile.write_bytecode(module, version)
        if written == data:
            self.note(version, "come back byte for byte")
        if written != data or self.every:
            self.compare(name, version, data, written)
        if version != "13.5":
            self.check_old(name, version, module, twin)

    def compare(self, name: str, version: str, data: bytes, written: bytes) -> None:
        """Compares the machine code of a file and of its rewritten form."""
        compiler = self.newest if version == "13.5" else self.new
        for gpu in self.gpus:
            expected, complaint = compiler.compile(data, gpu)
            got, ours = compiler.compile(written, gpu)
            if complaint:
                fate = "refused" if ours else "accepted as we write it"
                release = compiler.version
                self.note(version, f"tileiras {release} refuses it, {fate}: {gpu}")
            elif got == expected:
                self.note(version, f"others, same machine code: {gpu}")
            else:
                self.note(version, f"others, different machine code: {gpu}")
                self.wrong.append(f"{name}: other machine code for {gpu} {ours}")

    def check_old(
        self, name: str, version: str, module: ir.Module, twin: bytes | None
    ) -> None:
        """Checks the kernel as a file of 13.1."""
        try:
            old = _cuda_tile.write_bytecode(module, "13.1")
        except ir.MLIRError:
            self.note(version, "need more than 13.1")
            return
        complaint = self.old.compile(old, "sm_100")[1]
        if not complaint:
            self.note(version, f"as 13.1 accepted by tileiras {OLD}")
        elif twin and self.old.compile(twin, "sm_100")[1]:
            self.note(version, f"as 13.1 refused by {OLD}, as is the producer's")
        else:
            self.note(version, f"as 13.1 refused by {OLD}")
            self.wrong.append(f"{name}: as 13.1: {complaint}")

    def print(self) -> None:
        """Prints the table and the failures."""
        rows = sorted({row for counts in self.counts.values() for row in counts})
        versions = sorted(self.counts)
        print("| |", " | ".join(versions), "|")
        print("|---|", "---|" * len(versions), sep="")
        for row in rows:
            cells = " | ".join(str(self.counts[version][row]) for version in versions)
            print(f"| {row} | {cells} |")
        for line in self.wrong:
            print(line)


def gather(paths: list[Path]) -> dict[str, bytes]:
    """The files by name."""
    files: dict[str, bytes] = {}
    for path in paths or [ROOT / "test"]:
        found = sorted(path.rglob("*.til*bc")) if path.is_dir() else [path]
        files |= {str(file): file.read_bytes() for file in found}
    if not paths:
        with tarfile.open(CORPUS) as archive:
            for entry in archive:
                file = archive.extractfile(entry)
                assert file
                files[entry.name] = file.read()
    return files


def main() -> int:
    """Runs the matrix; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--gpus", default="sm_90,sm_100")
    parser.add_argument("--every", action="store_true", help="compile every file")
    words = parser.parse_args()
    files = gather(words.files)
    with tempfile.TemporaryDirectory() as scratch:
        newest, new, old = (
            Compiler(each, Path(scratch)) for each in (NEWEST, NEW, OLD)
        )
        matrix = Matrix(newest, new, old, words.gpus.split(","), words.every)
        for name, data in files.items():
            matrix.check(name, data, files.get(name.replace("13.4", "13.1")))
    matrix.print()
    return 1 if matrix.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
