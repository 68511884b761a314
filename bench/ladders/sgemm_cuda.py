# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The products of f32 of siboehm/SGEMM_CUDA, which the user fetches.

    git clone https://github.com/siboehm/SGEMM_CUDA build/SGEMM_CUDA
    .venv/bin/python bench/ladders/rebuild.py --sgemm-cuda build/SGEMM_CUDA

Each is compiled by nvcc, and one tile block runs on the emulator, which counts all
iterations; the result is compared with NumPy's. Nothing of the sources is kept here:
sizes are those of its host functions. The twelfth needs a library of C++ beside nvcc,
and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
from counted_launch import Launch, check, counted, placed
from nvcc_ptx import ptx_of

from cuda_tile.emulator import Report
from cuda_tile.errors import UserError
from cuda_tile.targets import find_target
from cuda_tile.timing.launched import time_of_counts
from cuda_tile.timing.model import Time

_HOST_ONLY = "#include <cublas_v2.h>"
_ALPHA, _BETA = 0.5, 3.0
"""What its program gives."""


@dataclass(frozen=True)
class Source:
    """A kernel, as its host function launches it.

    Attributes:
        file: Where it stands.
        entry: The kernel, an instance of a template or not.
        tile: Rows and columns of a CTA's tile.
        threads: Of a CTA, along x and y or all.
    """

    file: str
    entry: str
    tile: tuple[int, int]
    threads: int | tuple[int, int]

    @property
    def name(self) -> str:
        """The kernel's, without arguments of the template."""
        return self.entry.partition("<")[0]


_WIDE = (128, 128)
_EIGHT = "128, 128, 8, 8, 8"
SOURCES = {
    "1": Source("1_naive", "sgemm_naive", (32, 32), (32, 32)),
    "2": Source(
        *("2_kernel_global_mem_coalesce", "sgemm_global_mem_coalesce<32>"),
        *((32, 32), 1024),
    ),
    "3": Source(
        *("3_kernel_shared_mem_blocking", "sgemm_shared_mem_block<32>"),
        *((32, 32), 1024),
    ),
    "4": Source(
        *("4_kernel_1D_blocktiling", "sgemm1DBlocktiling<64, 64, 8, 8>"),
        *((64, 64), 512),
    ),
    "5": Source("5_kernel_2D_blocktiling", f"sgemm2DBlocktiling<{_EIGHT}>", _WIDE, 256),
    "6": Source("6_kernel_vectorize", f"sgemmVectorize<{_EIGHT}>", _WIDE, 256),
    "7": Source(
        *("7_kernel_resolve_bank_conflicts", f"sgemmResolveBankConflicts<{_EIGHT}>"),
        *(_WIDE, 256),
    ),
    "8": Source(
        *("8_kernel_bank_extra_col", f"sgemmResolveBankExtraCol<{_EIGHT}>"),
        *(_WIDE, 256),
    ),
    "9": Source("9_kernel_autotuned", "sgemmAutotuned<128, 128, 16, 8, 8>", _WIDE, 256),
    "10": Source(
        *(
            "10_kernel_warptiling",
            "sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128>",
        ),
        *(_WIDE, 128),
    ),
    "11": Source(
        "11_kernel_double_buffering",
        "sgemmDoubleBuffering<128, 256, 16, 128, 32, 1, 8, 8, 256>",
        *((128, 256), 256),
    ),
}
"""By the number that its page has."""


def predict(folder: Path, name: str, gpu: str, size: tuple[int, int, int]) -> Time:
    """The time of a launch of one of the kernels.

    Args:
        folder: SGEMM_CUDA.
        name: Of `SOURCES`.
        gpu: The chip.
        size: Rows, columns and depth.

    Raises:
        UserError: The source is absent, or a result is wrong.
    """
    source = SOURCES[name]
    m, n, k = size
    rows, columns = source.tile
    return time_of_counts(
        _count(folder, source, gpu, k),
        (1,),
        find_target(gpu),
        as_grid=(ceil(m / rows) * ceil(n / columns),),
        dram_bytes=4.0 * (m * k + n * k + 2 * m * n),
    )


def _count(folder: Path, source: Source, gpu: str, k: int) -> Report:
    """Counts a tile block."""
    chip = find_target(gpu)
    rows, columns = source.tile
    rng = np.random.default_rng(0)
    a, b, c = (
        placed(rng.integers(-2, 3, shape), np.float32)
        for shape in ((rows, k), (k, columns), (rows, columns))
    )
    right = _ALPHA * (a @ b) + _BETA * c
    text = ptx_of(_text(folder, source), chip.arch)
    args = [rows, columns, k, np.float32(_ALPHA), a, b, np.float32(_BETA), c]
    report = counted(text, source.name, chip, Launch(1, source.threads), args)
    check(c, right)
    return report


def _text(folder: Path, source: Source) -> str:
    """The source, with one instance and without the host's library."""
    kernels = folder / "src" / "kernels"
    path = kernels / f"{source.file}.cuh"
    if not path.is_file():
        raise UserError(f"expected SGEMM_CUDA in '{folder}', found no {path}")
    before = (
        "const int WARPSIZE = 32;\n" if source.name == "sgemmDoubleBuffering" else ""
    )
    text = path.read_text().replace(_HOST_ONLY, "")
    return f"{before}{text}\nvoid *kept = (void *){source.entry};\n"
