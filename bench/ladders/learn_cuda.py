# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The products and attention of gau-nernst/learn-cuda, which the user fetches.

    git clone https://github.com/gau-nernst/learn-cuda build/learn-cuda
    .venv/bin/python bench/ladders/rebuild.py --learn-cuda build/learn-cuda

Each is compiled by nvcc, and some tile blocks of it run on the emulator, which counts;
results are compared with NumPy. Nothing of the sources is kept here: sizes are those of
its host functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from counted_launch import Launch, check, counted, placed
from numpy.typing import NDArray
from nvcc_ptx import ptx_of

from cuda_tile.chip_clocks import Constant, chip_clocks
from cuda_tile.emulator import Report, TensorMap
from cuda_tile.emulator.bounds.compute import Bound
from cuda_tile.errors import UserError
from cuda_tile.targets import find_target
from cuda_tile.timing.launched import time_of_counts
from cuda_tile.timing.model import Time, hottest_inner

_BEFORE = "#include <algorithm>\n#include <cuda_bf16.h>\n#include <tuple>\n"
"""What the sources have from headers of torch."""
_STARTED = (
    'asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");'
)
Array = NDArray[Any]
BF16 = ml_dtypes.bfloat16


@dataclass(frozen=True)
class Source:
    """A kernel, as its host function launches it.

    Attributes:
        file: Where it stands.
        entry: A pattern of its instance, in the mangled name.
        tile: Its tile: rows, columns, depth of an iteration; of attention queries,
            keys, and the head's extent.
        threads: Of a CTA, along x and y or all.
        shared: Dynamic bytes of a CTA.
        ctas: CTAs that are counted, a cluster of them where it has clusters.
        tiles: Tile blocks that they do, along M; more than one each if persistent.
        cluster: CTAs of a cluster.
        inner: Columns of a piece of a tensor map; 0 where threads copy.
        is_deep: Whether such pieces are a dimension of the map.
        swizzle: Bytes of its swizzle.
        extra: Parameters behind the extents.
        blocks: Iterations that are counted.
    """

    file: str
    entry: str
    tile: tuple[int, int, int]
    threads: int | tuple[int, int]
    shared: int
    ctas: int = 1
    tiles: int = 1
    cluster: int = 1
    inner: int = 0
    is_deep: bool = False
    swizzle: int = 128
    extra: tuple[int | None, ...] = ()
    blocks: int = 12


def _sm80(file: int, entry: str, shared: int) -> Source:
    path = f"02b_matmul_sm80/matmul_v{file}.cu"
    return Source(path, entry, (128, 128, 64), 128, shared)


def _sm120(number: int, **more: Any) -> Source:
    path, ring = f"02c_matmul_sm120/matmul_v{number}.cu", 2 * 384 * 64 * 2
    bars = (0, 16, 32, 32)[number]
    threads = (256, 256, 288, 384)[number]
    inner = 64 if number else 0
    return Source(
        *(path, "nv_bfloat16", (256, 128, 64), threads, ring + bars),
        inner=inner,
        **more,
    )


def _sm100(
    number: int, entry: str, tile: tuple[int, int], slots: int = 1, **more: Any
) -> Source:
    n, k = tile
    path = f"02e_matmul_sm100/matmul_v{number}.cu"
    columns = n // more.get("cluster", 1)
    threads = 128 if number < 6 else 192
    ring = (128 + columns) * k * 2 * slots + more.pop("bars", 0)
    return Source(path, entry, (128, n, k), threads, ring, **more)


def _attention(number: int, keys: int, shared_rows: int, queries: int = 64) -> Source:
    path = f"07_attention/attention_v{number}.cu"
    tile = (queries, keys, 128)
    return Source(path, "attention", tile, 128, shared_rows * 128 * 2, blocks=6)


_SLICE = 256 * 64 * 2
_PAIR: dict[str, Any] = {
    **{"ctas": 2, "tiles": 2, "cluster": 2, "inner": 64, "is_deep": True},
    **{"extra": (None, 0), "blocks": 14},
}
_LONG = _PAIR | {"tiles": 4}


def _simt(
    entry: str, tile: tuple[int, int, int], threads: int | tuple[int, int]
) -> Source:
    """All iterations are counted: loops inside of theirs have other work."""
    path, blocks = "02a_matmul_simt/matmul.cu", 4096 // tile[2]
    return Source(path, entry, tile, threads, 0, blocks=blocks)


_TI_SUPER = replace(
    chip_clocks(find_target("sm_89")),
    part="RTX 4070 Ti SUPER",
    multiprocessors=66,
    boost_ghz=Constant(2.61, 2.77, 2.45, "published", "SHEET"),
    dram_bytes=Constant(618 / 2.61, 655 / 2.61, 581 / 2.61, "assumed", "0.92 of SHEET"),
)
"""The part of the ladder of f32; its name stands in learn-cuda's page."""


SOURCES = {
    "simt v1": _simt("v1_kernel", (24, 32, 4), (32, 24)),
    "simt v2": _simt("v2_kernel", (32, 32, 32), (32, 32)),
    "simt v3": _simt("v3_kernel", (128, 128, 32), 256),
    "simt v4": _simt("v4_kernel", (128, 128, 32), 256),
    "simt v5": _simt("v5_kernel", (128, 64, 64), 256),
    "simt v6a": _simt("v6.*Lb0E", (128, 128, 16), 128),
    "simt v6b": _simt("v6.*Lb1E", (64, 128, 8), 64),
    "sm80 v1": _sm80(1, "Li64ELb0ELb0E", _SLICE),
    "sm80 v2": _sm80(1, "Li64ELb1ELb0E", _SLICE),
    "sm80 v3": _sm80(1, "Li72ELb1ELb0E", 256 * 72 * 2),
    "sm80 v4": _sm80(1, "Li64ELb1ELb1E", _SLICE),
    "sm80 v5": _sm80(5, "v5_kernel", _SLICE),
    "sm80 v6": _sm80(6, "ELi2ELi0E", 2 * _SLICE),
    "sm80 v6b": _sm80(6, "ELi2ELi8E", 2 * _SLICE),
    "sm120 v0": _sm120(0),
    "sm120 v1": _sm120(1),
    "sm120 v2": _sm120(2),
    "sm120 v3": _sm120(3, tiles=2),
    "sm100 v0": Source(
        *("02e_matmul_sm100/matmul_v0.cu", "v0_kernel", (128, 128, 64), 128),
        *(3 * _SLICE,),
    ),
    "sm100 v1a": _sm100(
        *(1, "Li256ELi256ELb0E", (256, 256)), inner=8, swizzle=0, blocks=3
    ),
    "sm100 v1b": _sm100(
        *(1, "Li256ELi256ELb1E", (256, 256)),
        **{"inner": 8, "is_deep": True, "swizzle": 0, "blocks": 3},
    ),
    "sm100 v2a": _sm100(2, "Li256ELi256ELb0E", (256, 256), inner=64, blocks=3),
    "sm100 v2b": _sm100(
        2, "Li256ELi256ELb1E", (256, 256), inner=64, is_deep=True, blocks=3
    ),
    "sm100 v3": _sm100(
        *(3, "v3_kernel", (256, 128), 2),
        **{"inner": 64, "is_deep": True, "blocks": 6},
    ),
    "sm100 v4": _sm100(4, "v4_kernel", (128, 64), 7, inner=64, is_deep=True, blocks=14),
    "sm100 v5": _sm100(5, "Lb0E", (256, 64), 7, **_PAIR),
    "sm100 v6": _sm100(6, "Lb0E", (256, 64), 7, **_LONG),
    "sm100 v7a": _sm100(7, "Lb0ELb0E", (256, 64), 7, bars=148, **_LONG),
    "attention v1": _attention(1, 64, 128, 128),
    "attention v2": _attention(2, 64, 128),
    "attention v3": _attention(3, 32, 128),
    "attention v4": _attention(4, 32, 128),
    "attention v5": _attention(5, 64, 192),
}
"""By the ladder and the version in it."""


def predict(folder: Path, name: str, gpu: str, size: tuple[int, int, int]) -> Time:
    """The time of a launch of one of the kernels.

    Args:
        folder: learn-cuda.
        name: Of `SOURCES`.
        gpu: The chip.
        size: Rows, columns and depth; or heads, queries and keys.

    Raises:
        UserError: The source is absent, or a result is wrong.
    """
    source = SOURCES[name]
    rows, columns, depth = source.tile
    if name.startswith("simt"):
        return _predict_simt(_count_simt(folder, source, gpu), source, gpu, size)
    if name.startswith("attention"):
        report = _count_attention(folder, source, gpu)
        heads, queries, keys = size
        wanted, loops = heads * queries // rows, keys // columns
        moved = 2.0 * 2 * heads * depth * (queries + keys)
    else:
        report = _count_product(folder, source, gpu)
        m, n, k = size
        wanted, loops = m // rows * (n // columns), k // depth
        moved = 2.0 * (m * k + n * k + m * n)
    return time_of_counts(
        report,
        (source.tiles,),
        find_target(gpu),
        as_grid=(wanted,),
        longer=_longer(report, loops / source.blocks),
        dram_bytes=moved,
    )


def _predict_simt(
    report: Report, source: Source, gpu: str, size: tuple[int, int, int]
) -> Time:
    m, n, k = size
    wanted = ceil(m / source.tile[0]) * (n // source.tile[1])
    return time_of_counts(
        report,
        (1,),
        find_target(gpu),
        as_grid=(wanted,),
        dram_bytes=4.0 * (m * k + n * k + m * n),
        chip=_TI_SUPER,
    )


def _count_simt(folder: Path, source: Source, gpu: str) -> Report:
    """Counts one tile block of a product of f32, rows by rows, by threads."""
    rows, columns, depth = source.tile
    k = depth * source.blocks
    rng = np.random.default_rng(0)
    a, b = (
        placed(rng.integers(-2, 3, shape), np.float32)
        for shape in ((rows, k), (k, columns))
    )
    c = placed(np.zeros((rows, columns)), np.float32)
    report = _run(folder, source, gpu, [a, b, c, rows, columns, k])
    check(c, a @ b)
    return report


def _count_product(folder: Path, source: Source, gpu: str) -> Report:
    """Counts some tile blocks along M of a product."""
    rows, columns, depth = source.tile
    m, n, k = rows * source.tiles, columns, depth * source.blocks
    rng = np.random.default_rng(0)
    a, b = (placed(rng.integers(-2, 3, (each, k))) for each in (m, n))
    c = placed(np.zeros((m, n)))
    given: list[Any] = [a, b]
    if source.inner:
        given = [_map(a, rows, source), _map(b, columns // source.cluster, source)]
    report = _run(folder, source, gpu, [*given, c, m, n, k, *source.extra])
    check(c, a.astype("f4") @ b.astype("f4").T)
    return report


def _count_attention(folder: Path, source: Source, gpu: str) -> Report:
    """Counts one tile block of attention."""
    queries, keys, depth = source.tile
    rng = np.random.default_rng(0)
    sizes = (queries, keys * source.blocks, keys * source.blocks)
    q, k, v = (placed(rng.standard_normal((each, depth))) for each in sizes)
    out = placed(np.zeros((queries, depth)))
    report = _run(folder, source, gpu, [q, k, v, out, 1, queries, len(k)])
    scores = np.exp(q.astype("f4") @ k.astype("f4").T / np.sqrt(depth))
    check(out, scores / scores.sum(1, keepdims=True) @ v.astype("f4"))
    return report


def _longer(report: Report, times: float) -> float:
    """How much longer the hottest loop is, for so many times the products in all.

    nvcc peels iterations and unrolls, so that some are outside of it.
    """
    bounds = report.bounds
    assert bounds is not None, "they were asked for"
    loop = hottest_inner(bounds)
    inside = _products(loop) * loop.iterations
    return 1 + (times - 1) * _products(bounds.grid) / inside


def _products(region: Bound) -> float:
    """Multiply-adds of a region."""
    return next(r.work for r in region.resources if r.name == "tensor cores")


def _map(array: Array, rows: int, source: Source) -> TensorMap:
    """A tensor map: pieces of some columns, as a dimension of their own or not."""
    inner = source.inner
    if not source.is_deep:
        return TensorMap(array, [rows, inner], source.swizzle)
    deep = array.reshape(len(array), -1, inner).transpose(1, 0, 2)
    return TensorMap(deep, [source.tile[2] // inner, rows, inner], source.swizzle)


def _run(folder: Path, source: Source, gpu: str, args: list[Any]) -> Report:
    """Runs a kernel on the emulator, which counts."""
    path, chip = (folder / source.file).resolve(), find_target(gpu)
    if not path.is_file():
        raise UserError(f"expected learn-cuda in '{folder}', found no {path}")
    text = ptx_of(_BEFORE + _strict(path.read_text()), chip.arch, [path.parent])
    shape = Launch(source.ctas, source.threads, source.cluster, source.shared)
    return counted(text, source.entry, chip, shape, args)


def _strict(text: str) -> str:
    """The source, with what PTX ISA wants of pairs and the hardware does without.

    Both CTAs have started before they allocate together; each has lanes 0 to 127.
    """
    text = text.replace("int cta_rank;", f"int cta_rank; {_STARTED}")
    return text.replace("cta_rank * 128 + ", "")
