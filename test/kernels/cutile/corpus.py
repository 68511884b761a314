# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes kernels that cover all of cuTile Python's bytecode that needs no GPU.

    pip install cuda-tile numpy
    python corpus.py -o DIR [--versions 13.1,13.4] [-k WORD] [--pack FILE]

Writes `DIR/VERSION/NAME.tileirbc`, entry NAME, for each kernel of `kernels.py` and
`corpus_kernels.py`, and says what the front end refused. `--pack` also makes an archive
of the files, in which the folders that debug information names are replaced;
`corpus.tar.xz` beside this file is one.
"""

import argparse
import collections
import io
import pathlib
import tarfile

import corpus_kernels  # noqa: F401  (registers its kernels)
from kernels import KERNELS, CallingConvention, KernelSignature, export_kernel
from relocate import relocate


def export(name, version):
    """The bytes of one kernel.

    Raises:
        Exception: The front end refuses it.
    """
    kernel, parameters = KERNELS[name]
    convention = CallingConvention.cutile_python_v1()
    raw = io.BytesIO()
    export_kernel(
        kernel,
        [KernelSignature(parameters, convention, symbol=name)],
        raw,
        gpu_code="sm_100",
        output_format="tileir_bytecode",
        bytecode_version=version,
    )
    return raw.getvalue()


def export_all(folder, version, word):
    """Writes the kernels whose names hold `word`; the files, and why others are not."""
    files, refused = {}, collections.Counter()
    (folder / version).mkdir(parents=True, exist_ok=True)
    for name in sorted(KERNELS):
        if word not in name:
            continue
        try:
            data = export(name, version)
        except Exception as error:  # what it says differs by reason
            refused[f"{type(error).__name__}: {str(error).splitlines()[0]}"[:100]] += 1
            continue
        files[f"{version}/{name}.tileirbc"] = data
        (folder / version / f"{name}.tileirbc").write_bytes(data)
    return files, refused


def pack(files, path):
    """Makes an archive that does not say where and when it was made."""
    with tarfile.open(path, "w:xz") as archive:
        for name, data in sorted(files.items()):
            moved = relocate(data)
            entry = tarfile.TarInfo(name)
            entry.size = len(moved)
            archive.addfile(entry, io.BytesIO(moved))


def main():
    """Exports what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=pathlib.Path, required=True)
    parser.add_argument("--versions", default="13.1,13.4")
    parser.add_argument("-k", default="")
    parser.add_argument("--pack", type=pathlib.Path)
    words = parser.parse_args()
    files = {}
    for version in words.versions.split(","):
        new, refused = export_all(words.o, version, words.k)
        files |= new
        print(f"{version}: {len(new)} written, {refused.total()} refused")
        for reason, count in refused.most_common():
            print(f"  {count:4} {reason}")
    if words.pack:
        pack(files, words.pack)


if __name__ == "__main__":
    main()
