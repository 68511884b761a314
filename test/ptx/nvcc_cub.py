# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/cub.cu` and `cuda/device_scan.cu`: CUB."""

from __future__ import annotations

import numpy as np
from nvcc import Kernel, Problem, compile_cuda
from ptx_arrays import placed

from cuda_tile.emulator import launch
from cuda_tile.emulator.launch import Mode
from cuda_tile.runtime.memory import GlobalMemory

_I32 = np.int32
_N = 256


def _sort(rng: np.random.Generator) -> Problem:
    keys = placed(rng.integers(-40, 40, _N).astype(_I32))
    values = placed(rng.standard_normal(_N).astype(np.float32))
    outs = placed(np.zeros(_N, _I32)), placed(np.zeros(_N, np.float32))
    order = np.argsort(keys, kind="stable")
    wanted = [(outs[0], keys[order]), (outs[1], values[order])]
    return Problem([keys, values, *outs], wanted)


def _scans(rng: np.random.Generator) -> Problem:
    x = rng.integers(-1000, 1000, 64).astype(_I32)
    y, extremes = np.zeros(64, _I32), np.zeros(3, _I32)
    sums = x.cumsum(dtype=_I32)
    before = np.maximum.accumulate(np.concatenate([[-1000], x[:-1]]).astype(_I32))
    wanted = [
        (y, sums + 3 * before + 5 * (sums - x)),
        (extremes, np.array([x.max(), x.sum(), x.min()], _I32)),
    ]
    return Problem([x, y, extremes], wanted)


def _warps(rng: np.random.Generator) -> Problem:
    x, y = rng.integers(-1000, 1000, 64).astype(_I32), np.zeros((64, 2), _I32)
    sums = np.zeros((4, 16), _I32)
    sums[:, 0] = x.reshape(4, 16).sum(axis=1)
    tops = np.maximum.accumulate(x.reshape(2, 32), axis=1)
    before = np.concatenate([np.full((2, 1), -1000), tops[:, :-1]], axis=1)
    before = np.maximum(before, -1000)
    wanted = np.stack([sums.reshape(-1), before.reshape(-1)], axis=1).astype(_I32)
    return Problem([x, y], [(y, wanted)])


def _histogram(rng: np.random.Generator) -> Problem:
    x, counts = rng.integers(0, 32, _N).astype(np.uint8), np.zeros(32, np.uint32)
    wanted = np.bincount(x, minlength=32).astype(np.uint32)
    return Problem([x, counts], [(counts, wanted)])


_RACE = "race or uninitialised"
KERNELS = (
    Kernel("cub", "sort", _sort, 1, 64, broken={1: _RACE}),
    Kernel("cub", "scans", _scans, 1, 64, broken={1: _RACE, 2: _RACE}),
    Kernel("cub", "warps", _warps, 1, 64),
    Kernel("cub", "histogram", _histogram, 1, 64),
)

# Of the pinned CUB for sm_80: threads of its kernels, elements of a tile, and states of
# tiles before the first one.
_SCAN_THREADS, _INIT_THREADS, _TILE, _PADDING = 320, 128, 3840, 32


def device_scan(mode: Mode, seed: int) -> None:
    """CUB's scan over a device: one kernel prepares the tiles' states, one scans."""
    module = compile_cuda("device_scan", "sm_80")
    init, scan = (
        next(name for name in module.functions if f"{part}Kernel" in name)
        for part in ("DeviceScanInit", "DeviceScan")
    )
    n_tiles = 3
    n = n_tiles * _TILE - 1000
    x = np.random.default_rng(seed).integers(-100, 100, n).astype(_I32)
    y, states = np.zeros(n, _I32), np.zeros(n_tiles + _PADDING, np.uint64)
    memory = GlobalMemory()
    tiles = np.array([memory.add("states", states), 0], np.uint64).tobytes()
    launch(
        module,
        init,
        grid=1,
        block=_INIT_THREADS,
        args=[tiles, n_tiles],
        memory=memory,
        mode=mode,
        seed=seed,
    )
    start, stages, plus = bytes(16), 1, bytes(1)
    report = launch(
        module,
        scan,
        grid=n_tiles,
        block=_SCAN_THREADS,
        args=[x, y, tiles, 0, plus, start, n, stages],
        memory=memory,
        mode=mode,
        seed=seed,
    )
    assert report.findings == []
    np.testing.assert_array_equal(y, np.cumsum(x) - x)
