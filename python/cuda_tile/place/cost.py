# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of layouts: conversions between them, and accesses in a poor one.

The unit is a clock of a multiprocessor, for all warps of a CTA and one execution,
multiplied by the trip counts of the loops around. Only ratios matter. The chip's row in
targets.py gives the cost of a 32-byte sector of global memory; constants.py gives those
of wavefronts, shuffles, instructions and barriers.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.analysis.access import MAX_VECTOR_BYTES, SECTOR_BYTES
from cuda_tile.analysis.constants import constant_of
from cuda_tile.analysis.control_flow import CountedLoop, counted_loop
from cuda_tile.constants import (
    BARRIER_CLOCKS,
    INSTRUCTION_CLOCKS,
    LOOP_TRIPS,
    WAVEFRONT_BYTES,
    WAVEFRONT_CLOCKS,
)
from cuda_tile.ir.tiles import element_bits, element_of
from cuda_tile.ir.walk import enclosing_ops_of
from cuda_tile.layout.convert import ConversionKind, classify
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shuffle import shuffle_clocks
from cuda_tile.targets import WARP_LANES, Target


def sector_cycles(target: Target) -> float:
    """Cost of a sector: a multiprocessor's share of the chip's memory bandwidth."""
    return SECTOR_BYTES / target.dram_bytes_per_clock


def conversion_cycles(source: LinearLayout, target: LinearLayout, bits: int) -> float:
    """Cost of one conversion of a tile of elements of `bits` bits.

    Args:
        source: The layout of the tile.
        target: The layout that is wanted.
        bits: Bits of an element.
    """
    match classify(source, target):
        case ConversionKind.IDENTITY | ConversionKind.REGISTER:
            return 0.0
        case ConversionKind.SHUFFLE:
            return shuffle_clocks(source, target, bits)
        case ConversionKind.SHARED:
            moved = _wavefronts(source, bits) + _wavefronts(target, bits)
            # One barrier between store and load, one before the next use of the bytes.
            return moved * WAVEFRONT_CLOCKS + 2 * BARRIER_CLOCKS


def _wavefronts(layout: LinearLayout, bits: int) -> float:
    """Least wavefronts in which all warps move a tile; lanes share copied elements."""
    own_bytes = layout.n_registers * bits / 8
    lanes = WARP_LANES >> layout.free_bits().lane.bit_count()
    per_warp = max(own_bytes / MAX_VECTOR_BYTES, own_bytes * lanes / WAVEFRONT_BYTES)
    return per_warp * layout.n_warps


def instruction_cycles(layout: LinearLayout) -> float:
    """Cost of one instruction per element."""
    return layout.n_registers * layout.n_warps * INSTRUCTION_CLOCKS


def tile_bits(value: ir.Value) -> int:
    """Bits of an element of a tile value."""
    return element_bits(element_of(value))


def trip_count(op: ir.Operation) -> int:
    """How often `op` runs, over all loops around it in its entry.

    Constant bounds give the trip count of a counted loop; other loops run `LOOP_TRIPS`
    times. A loop that never runs counts as one iteration.
    """
    count = 1
    for around in enclosing_ops_of(op):
        if (bounds := counted_loop(around)) is not None:
            count *= _iterations(bounds)
        elif _cuda_tile.is_loop(around):
            count *= LOOP_TRIPS
    return count


def _iterations(loop: CountedLoop) -> int:
    lower, upper, step = (constant_of(v) for v in (loop.lower, loop.upper, loop.step))
    if lower is None or upper is None or step is None or step <= 0:
        return LOOP_TRIPS
    return max(1, -(-(upper - lower) // step))
