# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of `cuda/atomics.cu`: atomic operations of every type, order and scope."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from nvcc import Array, Kernel, Problem
from ptx_arrays import aligned

_I32, _U32, _U64 = np.int32, np.uint32, np.uint64


def _by_place(x: Array, ufunc: np.ufunc, start: Array) -> Array:
    """Four results, of every fourth element each, from four start values."""
    columns = x.reshape(-1, 4).astype(start.dtype)
    return ufunc(start, ufunc.reduce(columns, axis=0, dtype=start.dtype))


def _counted(start: int, steps: int, last: int, down: bool) -> int:
    for _ in range(steps):
        if down:
            start = last if start == 0 or start > last else start - 1
        else:
            start = 0 if start >= last else start + 1
    return start


def _integers(rng: np.random.Generator) -> Problem:
    x = rng.integers(-1000, 1000, 128).astype(_I32)
    cells = rng.integers(0, 5, (11, 4)).astype(_I32)
    wide = rng.integers(0, 2**40, (4, 4)).astype(_U64)
    narrow = rng.integers(0, 2**16, 4).astype(np.uint16)
    u = x.view(_U32)
    rows = [
        _by_place(x, np.add, cells[0]),
        _by_place(-x, np.add, cells[1]),
        _by_place(x, np.minimum, cells[2]),
        _by_place(x, np.maximum, cells[3]),
        _by_place(x | 0xF0F0, np.bitwise_and, cells[4]),
        _by_place(x, np.bitwise_or, cells[5]),
        _by_place(x, np.bitwise_xor, cells[6]),
        [_counted(int(c), 32, 5, down=False) for c in cells[7]],
        [_counted(int(c), 32, 7, down=True) for c in cells[8]],
        _by_place(u, np.minimum, cells[9].view(_U32)).view(_I32),
        _by_place(u, np.maximum, cells[10].view(_U32)).view(_I32),
    ]
    u = u.astype(_U64)
    top = _by_place(x.astype(np.int64) << 33, np.maximum, wide[1].view(np.int64))
    wides = [
        _by_place(u * _U64(0x100000001), np.add, wide[0]),
        top.view(_U64),
        _by_place(u << _U64(33), np.minimum, wide[2]),
        _by_place(u << _U64(17), np.bitwise_xor, wide[3]),
    ]
    sums = _by_place(x.astype(np.uint16), np.add, narrow)
    wanted = [(cells, np.array(rows, _I32)), (wide, np.stack(wides)), (narrow, sums)]
    return Problem([x, cells, wide, narrow], wanted)


def _floats(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 20, 128).astype(_I32)
    singles, doubles = np.zeros(12, np.float32), np.zeros(4)
    halves, shorts = np.zeros(8, np.float16), np.zeros(4, ml_dtypes.bfloat16)
    by_place = x.reshape(-1, 4)
    pairs = [[64, int((x[k::2] % 3).sum())] for k in (0, 1)]
    wanted = [
        (singles[:4], by_place.sum(axis=0).astype(np.float32)),
        (singles[4:6], np.array([128, x.sum()], np.float32)),
        (singles[8:], np.array([x.sum(), 256, 384, -x.sum()], np.float32)),
        (doubles, by_place.sum(axis=0).astype(np.float64)),
        (halves[:4], (by_place % 4).sum(axis=0).astype(np.float16)),
        (halves[4:], np.array(pairs, np.float16).reshape(-1)),
        (shorts, (by_place % 2).sum(axis=0).astype(ml_dtypes.bfloat16)),
    ]
    return Problem([x, singles, doubles, halves, shorts], wanted)


def _references(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 100, 128).astype(_I32)
    cells, octets, wide = (
        np.zeros(6, _I32),
        np.zeros(4, np.uint8),
        np.zeros(1, np.int64),
    )
    total = int(x.sum())
    every = int(np.bitwise_or.reduce(x))
    last = int(np.float32(total).view(_I32))
    wanted = [
        (cells, np.array([total, -total, x.max(), every, total, last], _I32)),
        (octets, np.full(4, 32, np.uint8)),
        (wide, np.array([2 * total])),
    ]
    return Problem([x, cells, octets, wide], wanted)


def _quads(rng: np.random.Generator) -> Problem:
    x = rng.integers(-100, 100, 96).astype(_I32)
    sums = aligned((2,), np.int64)
    return Problem([x, sums], [(sums, np.array([96, x.sum()]))])


def _message(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 100, 64).astype(_I32)
    data, flag, y = np.zeros(64, _I32), np.zeros(1, _I32), np.zeros(64, _I32)
    return Problem([x, data, flag, y], [(y, (x + 1) * 2)])


def _scopes(rng: np.random.Generator) -> Problem:
    data, flag, y = (np.zeros(1, _I32) for _ in range(3))
    return Problem([data, flag, y], [(y, np.array([5], _I32))])


KERNELS = (
    Kernel("atomics", "integers", _integers, 2, 64),
    Kernel("atomics", "floats", _floats, 2, 64),
    Kernel("atomics", "references", _references, 2, 64),
    Kernel("atomics", "quads", _quads, 3, 32, arch="sm_90"),
    Kernel(
        "atomics",
        "message",
        _message,
        2,
        64,
        cooperative=True,
        broken=dict.fromkeys(range(1, 5), "race"),
    ),
    Kernel("atomics", "scopes", _scopes, 2, 1, cooperative=True, broken={1: "race"}),
)
