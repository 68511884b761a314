# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch record: all that a launcher must know of a compiled kernel.

It stands in the JSON report of a compilation, and launchers (of the emulator, of the
driver, of others) need nothing else beside the code, the grid and the arguments:

1. A tile block is served by a cluster of `cluster` CTAs of `block` threads each. The
   grid is that of the tile blocks, times `cluster`; if `grid` says "persistent", it is
   as many CTAs along x as the chip holds at once, but no more than there are tile
   blocks.
2. `dynamic_shared_bytes` of shared memory are asked for.
3. The kernel's parameters are the user's, and behind them those of `appended`, in
   order: a tensor map of 128 bytes, aligned to 64, or the grid's extents in tile
   blocks along x, y, z, three parameters of 32 bits.

A kernel of abi "tile" is launched as producers launch theirs: its grid is that of the
tile blocks, its block (1, 1, 1), without attributes, dynamic shared memory or appended
parameters. The driver takes `block` and `cluster` from the kernel and counts the grid
in clusters (PTX ISA, "Cluster Dimension Directives: .blocksareclusters").

Dimensions of a tensor map stand from the minor (contiguous) one to the major one, as in
`cuTensorMapEncodeTiled`. Its extents and strides, both in elements, are expressions
over the user's parameters, see `expressions.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from operator import index
from typing import Any, Literal, SupportsIndex, TypeAlias, get_args

from cuda_tile.errors import UserError
from cuda_tile.records import dataclass
from cuda_tile.runtime.tensor_map import TensorMapParameter, check_parameters

Abi = Literal["maps", "cuda", "tile"]
"""What the launcher does: append parameters, pass the user's arguments only, or leave
the extents of a block to the kernel too."""
Grid = Literal["tile_blocks", "persistent"]
Dim3: TypeAlias = tuple[int, int, int]
MOST_TILE_BLOCKS = 1 << 31
"""A persistent kernel counts them in 32 bits, and adds the number of CTAs to that."""
ABIS: tuple[Abi, ...] = get_args(Abi)


@dataclass(frozen=True)
class GridExtents:
    """The grid in tile blocks along x, y, z: three 32-bit parameters."""

    def to_json(self) -> dict[str, Any]:
        """As it stands in the JSON report."""
        return {"kind": "grid_extents"}


Appended: TypeAlias = TensorMapParameter | GridExtents


@dataclass(frozen=True)
class LaunchRecord:
    """How to launch a compiled kernel; the docstring of this module says how.

    Attributes:
        block: Threads per CTA along x, y, z.
        dynamic_shared_bytes: Shared memory to ask for at launch.
        parameters: Types of the user's parameters, in order: `ptr<f16>`, `i32`.
        abi: What the launcher must be able to do.
        cluster: CTAs per tile block along x, y, z.
        grid: Whether there is a cluster for each tile block, or as many as the chip
            holds at once.
        appended: The parameters behind the user's.

    Raises:
        UserError: The parts contradict each other.
    """

    block: Dim3
    dynamic_shared_bytes: int = 0
    parameters: tuple[str, ...] = ()
    abi: Abi = "maps"
    cluster: Dim3 = (1, 1, 1)
    grid: Grid = "tile_blocks"
    appended: tuple[Appended, ...] = ()

    def __post_init__(self) -> None:
        if self.abi not in ABIS or self.grid not in get_args(Grid):
            raise UserError(
                f"launch record: expected abi of {', '.join(ABIS)} and grid of "
                f"{', '.join(get_args(Grid))}, got {self.abi!r} and {self.grid!r}"
            )
        if self.abi != "maps" and self.appended:
            raise UserError(
                f"launch record: expected no appended parameters with abi '{self.abi}',"
                f" got {len(self.appended)}; compile with abi 'maps'"
            )
        if self.abi == "tile" and self.dynamic_shared_bytes:
            raise UserError(
                "launch record: expected no dynamic shared memory with abi 'tile', got "
                f"{self.dynamic_shared_bytes} bytes; compile with abi 'maps'"
            )
        has_extents = any(isinstance(part, GridExtents) for part in self.appended)
        if self.grid == "persistent" and not has_extents:
            raise UserError(
                "launch record: expected the grid's extents among the appended "
                "parameters of a persistent kernel, got none"
            )
        for part in self.appended:
            if isinstance(part, TensorMapParameter):
                check_parameters(part, self.parameters)

    def to_json(self) -> dict[str, Any]:
        """As it stands in the JSON report."""
        return {
            "abi": self.abi,
            "block": list(self.block),
            "cluster": list(self.cluster),
            "dynamic_shared_bytes": self.dynamic_shared_bytes,
            "grid": self.grid,
            "parameters": list(self.parameters),
            "appended": [part.to_json() for part in self.appended],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LaunchRecord:
        """Reads what `to_json` makes; further keys are ignored.

        Raises:
            UserError: It is no launch record.
        """
        try:
            return cls(
                block=_dim3(data["block"]),
                dynamic_shared_bytes=int(data["dynamic_shared_bytes"]),
                parameters=tuple(map(str, data["parameters"])),
                abi=data["abi"],
                cluster=_dim3(data["cluster"]),
                grid=data["grid"],
                appended=tuple(_appended(part) for part in data["appended"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                "expected a launch record, as the JSON report of a compilation has it, "
                f"got {data!r} ({type(error).__name__}: {error})"
            ) from None

    @property
    def launch_block(self) -> Dim3:
        """What a launcher passes as extents of the block."""
        return (1, 1, 1) if self.abi == "tile" else self.block

    @property
    def launch_cluster(self) -> Dim3:
        """What a launcher passes as extents of a cluster."""
        return (1, 1, 1) if self.abi == "tile" else self.cluster

    def launch_grid(self, tile_blocks: Dim3, resident: int) -> Dim3:
        """What a launcher passes as extents of the grid: clusters, or CTAs.

        Args:
            tile_blocks: Tile blocks along x, y, z.
            resident: CTAs that the chip holds at once; used if the kernel is
                persistent.

        Raises:
            UserError: There are more tile blocks than a persistent kernel can count.
        """
        cluster = self.launch_cluster
        x, y, z = (n * m for n, m in zip(tile_blocks, cluster, strict=True))
        if self.grid == "tile_blocks":
            return x, y, z
        if prod(tile_blocks) >= MOST_TILE_BLOCKS:
            raise UserError(
                f"expected fewer than {MOST_TILE_BLOCKS} tile blocks of a persistent "
                f"kernel, got a grid of {tile_blocks}"
            )
        size = prod(self.cluster)
        count = min(prod(tile_blocks), max(resident // size, 1))
        return count * size, 1, 1


def read_grid(grid: SupportsIndex | Sequence[SupportsIndex]) -> Dim3:
    """A caller's grid in tile blocks; missing extents are 1.

    Raises:
        UserError: It is no whole number and not one to three of them, all positive.
    """
    try:
        is_number = isinstance(grid, SupportsIndex)
        given = tuple(index(n) for n in ((grid,) if is_number else grid))
    except TypeError:
        raise UserError(
            f"expected a grid of 1 to 3 whole numbers, got {grid!r}"
        ) from None
    if not 1 <= len(given) <= 3 or any(n < 1 for n in given):
        raise UserError(f"expected a grid of 1 to 3 positive extents, got {given}")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _dim3(value: Sequence[int]) -> Dim3:
    x, y, z = value
    return int(x), int(y), int(z)


def _appended(data: Mapping[str, Any]) -> Appended:
    if data["kind"] == "grid_extents":
        return GridExtents()
    if data["kind"] != "tensor_map":
        raise ValueError(f"kind {data['kind']!r}")
    return TensorMapParameter.from_json(data)
