# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The twelve products of pranjalssh/fast.cu, from sources that the user fetches.

    git clone https://github.com/pranjalssh/fast.cu build/fast.cu
    .venv/bin/python bench/ladders/rebuild.py --fast-cu build/fast.cu

Each is compiled by nvcc, and some tile blocks of it run on the emulator, which counts;
results are compared with NumPy. Nothing of the sources is kept here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from nvcc_ptx import ptx_of

from cuda_tile.codegen.ptxas import assemble
from cuda_tile.emulator import Report, TensorMap, launch, parse
from cuda_tile.emulator.bounds.slots import machine_code
from cuda_tile.errors import UserError
from cuda_tile.targets import find_target
from cuda_tile.timing.launched import time_of_counts
from cuda_tile.timing.model import Time

GPU = "sm_90"
BLOCKS = 8
"""Blocks of K that are counted; the loop then counts as for the whole K."""
_CONSTANT = re.compile(r"constexpr int (\w+)\s*=\s*([\d* ]+);")
_SWIZZLE = 128
_RANKS = {**dict.fromkeys(range(1, 7), 2), 7: 5}
"""Dimensions of the tensor maps of early kernels; later ones have three."""
_ROW = 128
"""Entries for each CTA in the order of tiles that kernels 11 and 12 read."""
_WRAPPER = """
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef __nv_bfloat16 bf16;
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(e) (e)
#include "{file}"
"""
Array = NDArray[Any]


@dataclass(frozen=True)
class Sizes:
    """The numbers of a kernel: those of its host function.

    Attributes:
        m, n, k: Its tile.
        threads: Of a CTA.
        slots: Of its ring.
        cluster: CTAs along M of a cluster.
    """

    m: int
    n: int
    k: int
    threads: int
    slots: int
    cluster: int


def _sizes(text: str, number: int) -> Sizes:
    """What the host function of a kernel says."""
    found = re.search(
        rf"void runKernel{number}\(.*?^}}", text, re.DOTALL | re.MULTILINE
    )
    if found is None:
        raise UserError(f"expected runKernel{number} in the source, found none")
    if number == 1:
        return Sizes(128, 128, 16, 128, 1, 1)
    given = {
        name: int(np.prod([int(n) for n in value.split("*")]))
        for name, value in _CONSTANT.findall(found[0])
    }
    return Sizes(
        *(given["BM"], given["BN"], given["BK"], given["NUM_THREADS"]),
        given.get("QSIZE", 1),
        given.get("CLUSTER_M", 1),
    )


def compile_kernel(folder: Path, number: int) -> str:
    """The PTX that nvcc makes of a kernel.

    Raises:
        UserError: The source is absent, or nvcc refuses it.
    """
    source = (folder / "examples" / "matmul" / f"matmul_{number}.cuh").resolve()
    if not source.is_file():
        raise UserError(f"expected fast.cu in '{folder}', found no {source}")
    return ptx_of(_WRAPPER.format(file=source), find_target(GPU).arch)


def _map(array: Array, rows: int, columns: int, rank: int, swizzle: int) -> Any:
    """A tensor map of a row-major matrix: as it is, or with 64 columns as a dimension.

    Dimensions beyond three have an extent of 1.
    """
    if rank == 2:
        return TensorMap(array, [rows, columns], swizzle)
    ones = [1] * (rank - 3)
    deep = array.reshape(array.shape[0], -1, 64).transpose(1, 0, 2)
    deep = deep.reshape(*ones, *deep.shape)
    return TensorMap(deep, [*ones, columns // 64, rows, 64], swizzle)


def _arguments(
    number: int, sizes: Sizes, a: Array, b: Array, c: Array, order: Array
) -> list[Any]:
    """The parameters of each generation of kernels."""
    (m, k), n = a.shape, b.shape[0]
    if number == 1:
        return [m, n, k, a, b, c]
    rank = _RANKS.get(number, 3)
    maps = [
        _map(x, rows, sizes.k, rank, _SWIZZLE)
        for x, rows in ((a, sizes.m), (b, sizes.n))
    ]
    if number < 10:
        return [m, n, k, c, *maps, *([None] if number == 3 else [])]
    rows = sizes.m // 2 if number == 12 else sizes.m
    out: Any = _map(c, sizes.n, rows, 3, 0)
    if number == 12:  # rows of 72 in shared memory, the last 8 outside of the tensor
        deep = c.reshape(c.shape[0], -1, 64).transpose(1, 0, 2)
        out = TensorMap(deep, [rows // 64, sizes.n, 72], 0)
    return [m, n, k, out, *maps, *([order] if number >= 11 else [])]


def count(folder: Path, number: int) -> tuple[Report, Sizes, int]:
    """Runs some tile blocks of a kernel.

    Returns:
        The report with bounds, the kernel's sizes, and how many tile blocks ran.

    Raises:
        UserError: The source is absent, or a result is wrong.
    """
    source = folder / "examples" / "matmul" / f"matmul_{number}.cuh"
    text = compile_kernel(folder, number)
    sizes, chip = _sizes(source.read_text(), number), find_target(GPU)
    module = parse(text)
    # Kernel 3 has a second instance, which notes clocks ("true").
    entry = next(
        f.name for f in module.functions.values() if f.is_entry and "Lb1E" not in f.name
    )
    assembled = assemble(text, chip.arch)
    # Groups of 16 x 8 tiles are the least that persistent kernels take.
    across = (16, 8) if number >= 6 else (2, 1)
    tiles = 2
    m, n, k = sizes.m * across[0], sizes.n * across[1], sizes.k * BLOCKS
    rng = np.random.default_rng(0)
    a, b = (
        rng.integers(-2, 3, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n)
    )
    c = np.zeros((n, m), ml_dtypes.bfloat16)
    order = np.full((128, _ROW), -1, np.int32)
    order[:, 0] = np.arange(128)
    ring = sizes.slots * (sizes.m + sizes.n) * sizes.k * 2
    ring += sizes.n * (sizes.m + 16) * 2 * (number >= 10) + 2048
    report = launch(
        module,
        entry,
        grid=across[::-1] if number == 1 else tiles,
        block=sizes.threads,
        cluster=sizes.cluster,
        shared_bytes=0 if number < 3 else min(ring, chip.shared_bytes_per_cta),
        args=_arguments(number, sizes, a, b, c, order),
        collect=True,  # 8 and later leave out a fence or a last wait
        bounds=chip,
        registers=assembled.resources[entry].registers,
        machine=machine_code(
            module, entry, lambda t: assemble(t, chip.arch, line_info=True).cubin
        ),
    )
    right = b.astype("f4") @ a.astype("f4").T
    got = c.astype("f4")
    done = got != 0
    if number == 1:  # it has B as K x N, and C row-major
        right = a.astype("f4") @ b.reshape(k, n).astype("f4")
        got, done = got.reshape(m, n), np.ones((m, n), bool)
    if done.sum() < sizes.m * sizes.n or abs(got - right)[done].max() > 8:
        raise UserError(f"fast.cu {number}: the result is not the product")
    return report, sizes, tiles


def predict(folder: Path, number: int, size: int) -> Time:
    """The time of a square product by one of the twelve kernels.

    Args:
        folder: fast.cu.
        number: The kernel's, 1 to 12.
        size: Rows, columns and depth.
    """
    report, sizes, tiles = count(folder, number)
    wanted = size // sizes.m * (size // sizes.n)
    return time_of_counts(
        report,
        (tiles,),
        find_target(GPU),
        as_grid=(wanted,),
        longer=size / sizes.k / BLOCKS,
        dram_bytes=3.0 * 2 * size * size,
    )
