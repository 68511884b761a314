# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the order of tile blocks saves: bytes that products read from DRAM.

    python bench/tile_order.py [--size 8192 ...] [--gpu-l2-mib 50] [--ctas 132]

A model, no measurement: CTAs of a persistent kernel that work in step, one iteration of
their loops at a time, and an L2 cache that keeps what was used last, whole operand
tiles of an iteration. Per product a line for the order of the grid and one for each
number of rows in a strip (`tile_group`); the one that `plan` takes is marked. The last
columns are the bytes from DRAM per multiprocessor and clock while the tensor cores of
sm_90 are busy, and what DRAM can give; and the clocks of a tile block that persistence
hides.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from collections.abc import Iterator

from cuda_tile.targets import find_target

TARGET = find_target("sm_90")
ELEMENT_BYTES = 2
TILES = ((128, 128, 64), (128, 256, 64), (256, 128, 64))
GROUPS = (0, 2, 4, 8, 16, 32)
"""Rows of a strip; 0 is the order of the grid, x fastest."""


def blocks(columns: int, rows: int, group: int) -> Iterator[tuple[int, int]]:
    """Tile blocks (x, y) in the order in which CTAs serve them."""
    height = group or 1
    for first in range(0, rows, height):
        strip = range(first, min(rows, first + height))
        for x in range(columns):
            yield from ((x, y) for y in strip)


def dram_bytes(
    size: int, tile: tuple[int, int, int], group: int, ctas: int, cache_bytes: int
) -> int:
    """Bytes read from DRAM by a square product of f16, A by x and B by y."""
    m, n, k = tile
    cost = {"a": m * k * ELEMENT_BYTES, "b": n * k * ELEMENT_BYTES}
    kept: OrderedDict[tuple[str, int, int], int] = OrderedDict()
    held = read = 0
    order = list(blocks(size // m, size // n, group))
    for first in range(0, len(order), ctas):
        wave = order[first : first + ctas]
        parts = {("a", x) for x, _ in wave} | {("b", y) for _, y in wave}
        for iteration in range(size // k):
            for name, place in parts:
                key = name, place, iteration
                if key in kept:
                    kept.move_to_end(key)
                    continue
                kept[key] = cost[name]
                held += cost[name]
                read += cost[name]
            while held > cache_bytes:
                held -= kept.popitem(last=False)[1]
    return read


def chosen(tile: tuple[int, int, int], ctas: int) -> int:
    """What `plan` takes (plan/persist.py), of kernels where x is A's rows."""
    m, n, _ = tile
    return min(GROUPS[1:], key=lambda g: g * n + ctas / g * m)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--gpu-l2-mib", type=int, default=50)
    parser.add_argument("--ctas", type=int, default=132)
    words = parser.parse_args()
    cache = words.gpu_l2_mib << 20
    print(
        "product           tile          group      GB   bytes/clk   of DRAM   hidden"
    )
    for size in words.size or (4096, 8192):
        for tile in TILES:
            m, n, k = tile
            iterations = size // k
            busy = iterations * m * n * k / TARGET.fma_per_clock
            waves = -(-(size // m) * (size // n) // words.ctas)
            for group in GROUPS:
                read = dram_bytes(size, tile, group, words.ctas, cache)
                rate = read / words.ctas / (waves * busy)
                # The copies of the first iteration, and a result that goes out through
                # L2.
                store = m * n * ELEMENT_BYTES / TARGET.l2_bytes_per_clock
                hidden = min(store, 2 * busy / iterations) + TARGET.copy_latency_clocks
                mark = "*" if group == chosen(tile, words.ctas) else " "
                print(
                    f"{size}^3 f16        {'x'.join(map(str, tile)):12}{group:6}{mark}"
                    f"{read / 1e9:8.2f}{rate:12.1f}"
                    f"{rate / TARGET.dram_bytes_per_clock:10.0%}"
                    f"{hidden / busy:9.1%}"
                )


if __name__ == "__main__":
    main()
