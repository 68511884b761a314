# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents of a launch: grid, block and cluster, and what a kernel says of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from cuda_tile.emulator.errors import LaunchError
from cuda_tile.emulator.ptx.syntax import Function
from cuda_tile.emulator.threads.geometry import Dim3

_MAX_THREADS = 1024
_MOST_CLUSTER = 16
_MOST_EXTENTS = {
    "grid": ((1 << 31) - 1, 65535, 65535),
    "block": (1024, 1024, 64),
    "cluster": (16, 16, 16),
}
# Shadow memory names agents by 8 bits: the warps of a cluster, then asynchronous ones.
_MOST_CLUSTER_WARPS = 128


def launch_extents(
    function: Function,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    cluster: int | Sequence[int],
) -> tuple[Dim3, Dim3, Dim3]:
    """Grid, block and cluster, checked.

    Args:
        function: The kernel.
        grid: CTAs in x, y, z; clusters, if the kernel has `.blocksareclusters`.
        block: Threads of a CTA.
        cluster: CTAs of a cluster.

    Raises:
        LaunchError: They break a limit, or differ from what the kernel declares.
    """
    dims = _dim3(grid, "grid"), _dim3(block, "block"), _dim3(cluster, "cluster")
    if "blocksareclusters" in function.limits:
        dims = _of_clusters(function, *dims)
    _check_dims(function, *dims)
    return dims


def _dim3(value: int | Sequence[int], what: str) -> Dim3:
    """Reads extents: an integer, or up to three.

    CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
    """
    given: Any = value
    try:
        whole: tuple[Any, ...] = tuple(given) if np.iterable(given) else (given,)
        parts = [operator.index(part) for part in whole]
    except TypeError:
        parts = []
    if not 1 <= len(parts) <= 3 or min(parts) < 1:
        raise LaunchError(
            f"expected 1 to 3 positive extents of the {what}, got {value!r}"
        )
    most = _MOST_EXTENTS[what][: len(parts)]
    if any(part > limit for part, limit in zip(parts, most, strict=True)):
        raise LaunchError(
            f"expected extents of the {what} of at most {most}, got {value!r}"
        )
    return cast(Dim3, (*parts, 1, 1)[:3])


def _of_clusters(
    function: Function, grid: Dim3, block: Dim3, cluster: Dim3
) -> tuple[Dim3, Dim3, Dim3]:
    """The launch of a kernel with `.blocksareclusters`.

    The grid counts clusters; the extents of a CTA and of a cluster are the kernel's,
    and the launch need not know them (PTX ISA, "Cluster Dimension Directives:
    .blocksareclusters").
    """
    limits = function.limits
    missing = [f".{n}" for n in ("reqntid", "reqnctapercluster") if n not in limits]
    if missing:
        raise LaunchError(
            f"{function.name}: expected {' and '.join(missing)} with "
            ".blocksareclusters, got none"
        )
    own = [(*limits[n], 1, 1)[:3] for n in ("reqntid", "reqnctapercluster")]
    for what, given, declared in zip(
        ("block", "cluster"), (block, cluster), own, strict=True
    ):
        if given not in ((1, 1, 1), declared):
            raise LaunchError(
                f"{function.name}: expected a {what} of (1, 1, 1) or the kernel's own "
                f"{declared}, got {given}"
            )
    x, y, z = (n * m for n, m in zip(grid, own[1], strict=True))
    return (x, y, z), cast(Dim3, own[0]), cast(Dim3, own[1])


def _check_dims(function: Function, grid: Dim3, block: Dim3, cluster: Dim3) -> None:
    threads = block[0] * block[1] * block[2]
    if threads > _MAX_THREADS:
        raise LaunchError(f"expected at most {_MAX_THREADS} threads, got {threads}")
    required = function.limits.get("reqntid")
    if required is not None and (*required, 1, 1)[:3] != block:
        raise LaunchError(
            f"{function.name}: expected a block of {required} (.reqntid), got {block}"
        )
    most = function.limits.get("maxntid")
    if most is not None and threads > math.prod(most):
        raise LaunchError(
            f"{function.name}: expected at most {math.prod(most)} threads "
            f"(.maxntid), got {threads}"
        )
    if any(extent % part for extent, part in zip(grid, cluster, strict=True)):
        raise LaunchError(f"expected a grid of whole clusters {cluster}, got {grid}")
    wanted = function.limits.get("reqnctapercluster")
    if wanted is not None and (*wanted, 1, 1)[:3] != cluster:
        raise LaunchError(
            f"{function.name}: expected a cluster of {wanted} (.reqnctapercluster), "
            f"got {cluster}"
        )
    size = cluster[0] * cluster[1] * cluster[2]
    (rank,) = function.limits.get("maxclusterrank", (size,))
    if size > rank:
        raise LaunchError(
            f"{function.name}: expected a cluster of at most {rank} CTAs "
            f"(.maxclusterrank), got {cluster}"
        )
    if size > _MOST_CLUSTER or size * -(-threads // 32) > _MOST_CLUSTER_WARPS:
        raise LaunchError(
            f"expected a cluster of at most {_MOST_CLUSTER} CTAs and "
            f"{_MOST_CLUSTER_WARPS} warps, got {cluster}"
        )


def volume(grid: Dim3) -> int:
    """The product of extents."""
    return grid[0] * grid[1] * grid[2]
