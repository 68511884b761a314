"""Whole kernels in PTX, each with a launch and NumPy's word on the result.

One list for everybody: tests, the seeds of `tools/adversarial`, and the mutations
whose table is in `docs/synchronisation.md`. The text is in `programs/`, or made by
`ptx_gemm`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import make_tc_gemm as tc
import make_ws_gemm as ws
import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from ptx_arrays import aligned
from ptx_gemm import Gemm

from cuda_tile.emulator import Report, TensorMap, launch
from cuda_tile.emulator.launch import Mode

FOLDER = Path(__file__).parent / "programs"
Array = NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """Arguments of a launch, the one that it writes, and what must stand there."""

    args: Sequence[Any]
    result: Array
    wanted: Array


@dataclass(frozen=True)
class Redundant:
    """A mutation that leaves a program correct.

    Attributes:
        instruction: How the mutated instruction begins.
        change: What is done to it, as `ptx_mutation` names it.
        reason: Why nobody can tell the difference.
        last: Whether only the last such instruction of the text is meant.
    """

    instruction: str
    change: str
    reason: str
    last: bool = False


@dataclass(frozen=True)
class Program:
    """A kernel with its launch.

    Attributes:
        about: What it shows, in a few words.
        target: The oldest target that has its instructions.
        make: Makes a problem from a random generator.
        redundant: Its mutations that are no faults.
    """

    about: str
    text: str
    target: str
    grid: Sequence[int]
    block: Sequence[int]
    make: Callable[[np.random.Generator], Problem]
    cluster: Sequence[int] = (1,)
    shared_bytes: int = 0
    redundant: tuple[Redundant, ...] = ()

    def run(
        self,
        mode: Mode,
        seed: int = 0,
        *,
        text: str | None = None,
        limit: int | None = None,
    ) -> Report:
        """Runs the kernel, or a version of its text, and checks the result.

        Raises:
            FindingError: The emulator reports a fault.
            AssertionError: The result is not NumPy's.
        """
        problem = self.make(np.random.default_rng(seed))
        report = launch(
            self.text if text is None else text,
            grid=self.grid,
            block=self.block,
            cluster=self.cluster,
            shared_bytes=self.shared_bytes,
            args=problem.args,
            mode=mode,
            seed=seed,
            limit=limit,
        )
        np.testing.assert_array_equal(
            problem.result.astype(np.float64), problem.wanted.astype(np.float64)
        )
        return report


def _reduction(rng: np.random.Generator) -> Problem:
    x = rng.integers(-100, 100, (3, 256)).astype(np.float32)
    result = np.zeros(3, np.float32)
    return Problem([x, result], result, x.sum(axis=1))


def _grid_reduction(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (6, 128)).astype(np.uint32)
    result, sums, tickets = (np.zeros(n, np.uint32) for n in (1, 6, 1))
    return Problem([x, sums, tickets, result], result, x.sum(keepdims=True)[0])


def _cluster_reduction(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (2, 4 * 128)).astype(np.uint32)
    result = np.zeros(2, np.uint32)
    return Problem([x, result], result, x.sum(axis=1))


def _cluster_exchange(rng: np.random.Generator) -> Problem:
    # Element [round, cluster, sender, receiver].
    x = rng.integers(0, 1000, (5, 2, 4, 4)).astype(np.uint32)
    result = np.zeros((2, 4, 4), np.uint32)
    return Problem([x, result, 5], result, x.sum(axis=0).swapaxes(1, 2))


def _transpose(rng: np.random.Generator) -> Problem:
    x = rng.standard_normal((96, 96)).astype(np.float32)
    result = np.zeros_like(x)
    return Problem([x, result, 96], result, x.T)


def _tma_transpose(rng: np.random.Generator) -> Problem:
    x, result = aligned((96, 64), np.float32), aligned((64, 96), np.float32)
    x[...] = rng.standard_normal(x.shape)
    maps = [TensorMap(x, (32, 32)), TensorMap(result, (32, 32))]
    return Problem([*maps, 3], result, x.T)


def _scan(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (3, 128)).astype(np.uint32)
    result = np.zeros_like(x)
    return Problem([x, result], result, np.cumsum(x, axis=1))


def _chained_scan(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, 6 * 64).astype(np.uint32)
    result, tickets = np.zeros_like(x), np.zeros(1, np.uint32)
    chain = np.zeros((6, 2), np.uint32)
    return Problem([x, result, tickets, chain], result, np.cumsum(x))


def _pipeline(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (5, 64)).astype(np.uint32)
    result = np.zeros_like(x)
    return Problem([x, result, 5], result, x[:, ::-1])


def _copy_pipeline(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (5, 128)).astype(np.uint32)
    result = np.zeros_like(x)
    return Problem([x, result, 5], result, x[:, ::-1])


def _bulk_ring(rng: np.random.Generator) -> Problem:
    x = rng.integers(0, 1000, (5, 256)).astype(np.uint32)
    result = np.zeros_like(x)
    return Problem([x, result, 5], result, x + 1)


def _gemm(rng: np.random.Generator) -> Problem:
    a = rng.integers(-4, 5, (64, 192)).astype(np.float16)
    b = rng.integers(-4, 5, (192, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float32)
    return Problem([a, b, c, 64, 192], c, a.astype(np.float64) @ b.astype(np.float64))


def _ws_gemm(rng: np.random.Generator) -> Problem:
    depth = 6 * ws.TILE_K
    a = aligned((ws.TILE_M, depth), ml_dtypes.bfloat16)
    b = aligned((ws.TILE_N, depth), ml_dtypes.bfloat16)
    c = aligned((ws.TILE_M, ws.TILE_N), ml_dtypes.bfloat16)
    a[...] = rng.integers(-2, 3, a.shape)
    b[...] = rng.integers(-2, 3, b.shape)
    maps = [
        TensorMap(a, (ws.TILE_M, ws.TILE_K), 128),
        TensorMap(b, (ws.TILE_N, ws.TILE_K), 128),
        TensorMap(c, (64, ws.TILE_N)),
    ]
    wanted = a.astype(np.float32) @ b.astype(np.float32).T
    return Problem([*maps, depth], c, wanted.astype(ml_dtypes.bfloat16))


def _tc_gemm(rng: np.random.Generator, group: int = 1) -> Problem:
    """Four tiles, so that both accumulators are used again; the ring goes round."""
    tiles, depth, rows = 4, 2 * tc.TILE_K, group * tc.ROWS
    a = aligned((rows, depth), np.float16)
    b = aligned((tiles * tc.TILE_N, depth), np.float16)
    c = aligned((rows, tiles * tc.TILE_N), np.float32)
    a[...] = rng.integers(-4, 5, a.shape)
    b[...] = rng.integers(-4, 5, b.shape)
    maps = [
        TensorMap(a, (tc.ROWS, tc.TILE_K), 128),
        TensorMap(b, (tc.TILE_N // group, tc.TILE_K), 128),
    ]
    wanted = a.astype(np.float64) @ b.astype(np.float64).T
    return Problem([*maps, c, tiles, 2], c, wanted)


def _tc_gemm_pair(rng: np.random.Generator) -> Problem:
    return _tc_gemm(rng, 2)


def _factor_tiles(exponents: Array) -> Array:
    """Scale factors [rows, steps, 4] as tcgen05.cp copies them, [steps, 32, 16]."""
    rows, steps, _ = exponents.shape
    result = aligned((steps, 32, 4, 4), np.uint8)
    for row in range(rows):
        result[:, row % 32, row // 32] = exponents[row] + 127
    return result


def _tc_scaled_gemm(rng: np.random.Generator) -> Problem:
    steps, rows = 5, (128, 64)
    matrices: list[Array] = []
    maps: list[TensorMap] = []
    factors: list[Array] = []
    for count in rows:
        matrix = aligned((count, 128 * steps), ml_dtypes.float8_e4m3fn)
        matrix[...] = rng.integers(-4, 5, matrix.shape)
        exponents = rng.integers(-2, 3, (count, steps, 4))
        worth = np.repeat(2.0 ** exponents.reshape(count, -1), 32, axis=1)
        matrices.append(matrix.astype(np.float64) * worth)
        maps.append(TensorMap(matrix, (count, 128), 128))
        factors.append(_factor_tiles(exponents))
    c = np.zeros(rows, np.float32)
    return Problem([*maps, *factors, c, steps], c, matrices[0] @ matrices[1].T)


def _tc_attention(rng: np.random.Generator) -> Problem:
    blocks, keys, width = 4, 64, 64
    q, k, v = (
        aligned((rows, width), np.float16)
        for rows in (128, blocks * keys, blocks * keys)
    )
    q[...] = rng.integers(-1, 2, q.shape)
    k[...] = rng.integers(-1, 2, k.shape)
    v[...] = rng.integers(-4, 5, v.shape)
    maps = [TensorMap(array, (len(array), width), 128) for array in (q,)]
    maps += [TensorMap(array, (keys, width), 128) for array in (k, v)]
    result = np.zeros((128, width), np.float32)
    q_, k_, v_ = (array.astype(np.float64) for array in (q, k, v))
    return Problem([*maps, result, blocks], result, q_ @ k_.T @ v_)


_MORE_GROUPS = "it waits for more groups than necessary"
_NOBODY_WAITS = "it only lets other CTAs allocate, and no other CTA waits for columns"
_BARRIER_TELLS = (
    "the barrier after it releases and acquires, which orders the initialisation too"
)
_MBARRIERS = Redundant("fence.mbarrier_init", "delete", _BARRIER_TELLS)
_ONLY_THE_END = (
    "the mutated barrier only keeps CTAs from ending early, which needs no memory order"
)


def _text(name: str) -> str:
    return (FOLDER / f"{name}.ptx").read_text()


PROGRAMS = {
    "reduction": Program(
        "a tree in shared memory, then shuffles",
        _text("reduction"),
        *("sm_80", (3,), (256,), _reduction),
    ),
    "grid_reduction": Program(
        "the last CTA adds the sums of all",
        _text("grid_reduction"),
        *("sm_80", (6,), (128,), _grid_reduction),
    ),
    "cluster_reduction": Program(
        "a CTA reads sums from distributed shared memory",
        _text("cluster_reduction"),
        *("sm_90", (8,), (128,), _cluster_reduction, (4,)),
        redundant=(
            Redundant("barrier.cluster.arrive", "weaken", _ONLY_THE_END, last=True),
        ),
    ),
    "cluster_exchange": Program(
        "all CTAs of a cluster write to each other, with remote mbarriers",
        _text("cluster_exchange"),
        *("sm_90", (8,), (128,), _cluster_exchange, (4,)),
        redundant=(
            Redundant("barrier.cluster.arrive", "weaken", _ONLY_THE_END, last=True),
        ),
    ),
    "transpose": Program(
        "tiles through shared memory",
        _text("transpose"),
        *("sm_80", (3, 3), (32, 8), _transpose),
    ),
    "tma_transpose": Program(
        "tiles by TMA in and out",
        _text("tma_transpose"),
        *("sm_90", (2,), (256,), _tma_transpose),
        redundant=(_MBARRIERS,),
    ),
    "scan": Program(
        "rounds in shared memory",
        _text("scan"),
        *("sm_80", (3,), (128,), _scan),
    ),
    "chained_scan": Program(
        "one pass over the grid, each CTA waits for the one before",
        _text("chained_scan"),
        *("sm_80", (6,), (64,), _chained_scan),
    ),
    "pipeline": Program(
        "producer and consumer with named barriers",
        _text("pipeline"),
        *("sm_80", (1,), (128,), _pipeline),
    ),
    "copy_pipeline": Program(
        "cp.async that arrives at mbarriers",
        _text("copy_pipeline"),
        *("sm_80", (1,), (64,), _copy_pipeline),
    ),
    "bulk_ring": Program(
        "bulk copies in and out of a ring",
        _text("bulk_ring"),
        *("sm_90", (1,), (128,), _bulk_ring),
        redundant=(
            _MBARRIERS,
            Redundant("cp.async.bulk.wait_group.read 1", "-1", _MORE_GROUPS),
        ),
    ),
    "gemm": Program(
        "cp.async, ldmatrix and mma.sync",
        Gemm().text(),
        *("sm_80", (1,), (128,), _gemm),
    ),
    "gemm_two_stages": Program(
        "the same, copying ahead",
        Gemm(stages=2).text(),
        *("sm_80", (1,), (128,), _gemm),
        redundant=(Redundant("cp.async.wait_group 1", "-1", _MORE_GROUPS),),
    ),
    "ws_gemm": Program(
        "warp-specialised TMA and wgmma, stmatrix and TMA store",
        _text("ws_gemm"),
        *("sm_90a", (1,), (384,), _ws_gemm),
        shared_bytes=ws.SHARED_BYTES,
        redundant=(
            _MBARRIERS,
            Redundant("wgmma.wait_group.sync.aligned 1", "-1", _MORE_GROUPS),
        ),
    ),
    "tc_gemm": Program(
        "warp-specialised TMA and tcgen05, two accumulators in tensor memory",
        _text("tc_gemm"),
        *("sm_100a", (1,), (tc.THREADS,), _tc_gemm),
        redundant=(
            _MBARRIERS,
            Redundant("tcgen05.relinquish", "delete", _NOBODY_WAITS),
        ),
    ),
    "tc_gemm_pair": Program(
        "the same by a pair of CTAs, with remote mbarriers and multicast commits",
        _text("tc_gemm_pair"),
        *("sm_100a", (2,), (tc.THREADS,), _tc_gemm_pair, (2,)),
        redundant=(
            _MBARRIERS,
            Redundant("tcgen05.relinquish", "delete", _NOBODY_WAITS),
        ),
    ),
    "tc_scaled_gemm": Program(
        "scale factors through tcgen05.cp, a ring of them in tensor memory",
        _text("tc_scaled_gemm"),
        *("sm_100a", (1,), (192,), _tc_scaled_gemm),
        redundant=(
            _MBARRIERS,
            Redundant("tcgen05.relinquish", "delete", _NOBODY_WAITS),
        ),
    ),
    "tc_attention": Program(
        "two products, of which the first is an operand in tensor memory to the second",
        _text("tc_attention"),
        *("sm_100a", (1,), (192,), _tc_attention),
        redundant=(
            _MBARRIERS,
            Redundant("tcgen05.relinquish", "delete", _NOBODY_WAITS),
        ),
    ),
}
