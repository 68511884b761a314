# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the kernels of this folder as bytecode 13.4, without a GPU, driver or CUDA.

    pip install cuda-tile==1.7.0
    python export.py [-k NAME,NAME]

The result is `bytecode-13.4.zip`, one file `NAME.tileirbc` with the entry NAME each.
With `-k` these kernels are only tried. `test/zoo` has inputs and NumPy references.
"""

import argparse
import importlib
import io
import pathlib
import sys
import zipfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cutile"))

from cuda.tile.compilation import (
    CallingConvention,
    KernelSignature,
    export_kernel,
)
from registry import KERNELS
from relocate import relocate

HERE = pathlib.Path(__file__).resolve().parent

ARCHIVE = HERE / "bytecode-13.4.zip"
NO_KERNELS = ("export", "registry")


def bytecode(name):
    """What cuTile writes for a kernel, without local folders."""
    kernel, parameters = KERNELS[name]
    convention = CallingConvention.cutile_python_v1()
    signature = KernelSignature(parameters, convention, symbol=name)
    raw = io.BytesIO()
    export_kernel(
        kernel,
        [signature],
        raw,
        gpu_code=None,
        output_format="tileir_bytecode",
        bytecode_version="13.4",
    )
    return relocate(raw.getvalue(), "test/kernels/zoo")


def main():
    """Exports all kernels, or tries those that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", help="names, to try only these")
    words = parser.parse_args()
    for file in sorted(HERE.glob("*.py")):
        if file.stem not in NO_KERNELS:
            importlib.import_module(file.stem)
    files, failures = {}, 0
    for name in words.k.split(",") if words.k else sorted(KERNELS):
        try:
            files[name] = bytecode(name)
        except Exception as error:
            failures += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:600]}")
    if not words.k and not failures:
        with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                when = (2026, 1, 1, 0, 0, 0)
                info = zipfile.ZipInfo(f"{name}.tileirbc", when)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, data)
    print(f"{len(KERNELS)} kernels, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
