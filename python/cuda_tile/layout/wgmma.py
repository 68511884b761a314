# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrix instructions of a warpgroup: their shapes, element types and fragments.

`wgmma.mma_async` multiplies 64 rows of A, in registers or in shared memory, by 8 to 256
columns of B in shared memory, over 32 bytes along K. Each of four warps holds 16 rows
of the result. Within a warp the fragments of A and of the result are those of
`mma.sync` with 16 rows; every four registers hold 8 further columns of the result (PTX
ISA,
"Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", "Register
Fragments for wgmma.mma_async").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Literal

from cuda_tile.layout.atoms import (
    M16N8K8,
    M16N8K16,
    M16N8K32,
    AtomTypes,
    MmaAtom,
    find_types,
)
from cuda_tile.layout.coords import Coord, LayoutError, check_shape, n_bits, unit_steps
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass

WARPGROUP_WARPS = 4
"""Warps of a warpgroup; the first one's number is a multiple of it (PTX ISA, same
chapter, "Warpgroup")."""
WGMMA_ROWS = 64
WGMMA_COLUMNS = (8, 16, 32, 64, 128, 256)
"""N of an instruction. The ISA has all multiples of 8 (of integers, above 32, of 16);
extents of tiles are powers of two."""
PARTIAL_SUM_COLUMNS = 128
"""Columns of an instruction of partial sums: 64 registers beside those of the whole sum
(128 and 128 spilled 372 bytes per thread in a loop of ptxas 13.5)."""
PARTIAL_SUM_REGISTERS = WGMMA_ROWS * PARTIAL_SUM_COLUMNS // 128
"""Registers of a thread that hold them."""
WGMMA_CAPABILITY = 90
"""Only sm_90a has these instructions (PTX ISA, "wgmma.mma_async")."""

OTHER_REGISTERS, LEFT_REGISTERS = 26, 4
"""Registers of a thread that ptxas 13.5 asks for beside the sums of one instruction,
and for A in registers: it refuses a launch that leaves fewer (C7602; read off for N of
8 to 256, sums of f32 and f16, A in shared memory and in registers)."""

WgmmaRole = Literal["a", "c"]
"""Operand in registers: A, or the accumulator."""


@dataclass(frozen=True, eq=False)
class WgmmaAtom:
    """One instruction of a warpgroup.

    Attributes:
        name: "m64n256k16".
        shape: (M, N, K) in elements.
        types: Element types; K decides them.
        majors: Whether operands in shared memory may be contiguous along M or N; else
            they are contiguous along K.
        a: Layout of A in registers, 64 x K, of four warps.
        c: Layout of the accumulator, 64 x N, of four warps.
    """

    name: str
    shape: tuple[int, int, int]
    types: tuple[AtomTypes, ...]
    majors: bool
    a: LinearLayout
    c: LinearLayout

    def least_registers(self, sum_bits: int, *, is_left_held: bool) -> int:
        """Registers that a thread must be launched with for one instruction.

        Args:
            sum_bits: Bits of an element of the sums.
            is_left_held: Whether A comes from registers.
        """
        sums = self.c.n_registers * sum_bits // 32
        return sums + OTHER_REGISTERS + (LEFT_REGISTERS if is_left_held else 0)

    def fragment(self, role: WgmmaRole) -> LinearLayout:
        """Gives the layout of an operand in registers."""
        return self.a if role == "a" else self.c

    @cached_property
    def in_pairs(self) -> WgmmaAtom:
        """The same instruction with two neighbouring rows in each lane.

        Rows of A may come in any order if the rows of the result have the same order.
        Here lane group g has rows 2g and 2g + 1 of a warp's 16 instead of g and g + 8.
        `ldmatrix.trans` gives this order if the bytes of A lie along M.
        """
        return replace(self, a=_in_pairs(self.a), c=_in_pairs(self.c))


def _in_pairs(fragment: LinearLayout) -> LinearLayout:
    """Replaces the rows 8, 1, 2, 4 of a warp in a fragment by 1, 2, 4, 8."""
    moved = {1: 2, 2: 4, 4: 8, 8: 1}

    def change(bases: Sequence[Coord]) -> tuple[Coord, ...]:
        return tuple((moved.get(row, row), column) for row, column in bases)

    register, lane = change(fragment.register), change(fragment.lane)
    return replace(fragment, register=register, lane=lane)


def _types(*pairs: tuple[str, str]) -> tuple[AtomTypes, ...]:
    since = WGMMA_CAPABILITY
    return tuple(AtomTypes(*pair, since, pair[0], is_family=True) for pair in pairs)


_ROWS: dict[int, tuple[MmaAtom, tuple[AtomTypes, ...]]] = {
    8: (M16N8K8, _types(("tf32", "f32"))),
    16: (M16N8K16, _types(("f16", "f32"), ("f16", "f16"), ("bf16", "f32"))),
    32: (
        M16N8K32,
        _types(
            ("i8", "i32"),
            *(
                (small, acc)
                for small in ("f8E4M3FN", "f8E5M2")
                for acc in ("f32", "f16")
            ),
        ),
    ),
}
"""By K: the atom of `mma.sync` whose fragments a warp holds, and the element types."""

_NAME = r"m64n(\d+)k(\d+)"


@lru_cache(maxsize=64)
def wgmma_atom(name: str) -> WgmmaAtom | None:
    """The instruction of a name such as "m64n256k16", or None if there is none."""
    found = re.fullmatch(_NAME, name)
    if found is None:
        return None
    columns, depth = int(found[1]), int(found[2])
    if depth not in _ROWS or columns not in WGMMA_COLUMNS:
        return None
    warp, types = _ROWS[depth]
    blocks = tuple((0, 8 << bit) for bit in range(n_bits(columns // 8)))
    bands = ((16, 0), (32, 0))
    return WgmmaAtom(
        name,
        (WGMMA_ROWS, columns, depth),
        types,
        majors=depth == M16N8K16.shape[2],
        a=warp.a.extend((WGMMA_ROWS, depth), warp=bands),
        c=warp.c.extend((WGMMA_ROWS, columns), register=blocks, warp=bands),
    )


def atom_of_sums(name: str, sums: LinearLayout) -> WgmmaAtom | None:
    """The instruction of a name, with rows in pairs if its accumulators have them so.

    Args:
        name: The name of the instruction.
        sums: The layout of the sums.
    """
    atom = wgmma_atom(name)
    if atom is None or sums.lane == atom.c.lane:
        return atom
    return atom.in_pairs


def find_wgmma(operand: str, accumulator: str, columns: int) -> WgmmaAtom | None:
    """The instruction of these element types with at most `columns` columns.

    Args:
        operand: The element type of A and B.
        accumulator: The element type of the sum.
        columns: Columns of the result.

    Returns:
        The widest one, or None where no instruction takes the types.
    """
    widest = min(columns, WGMMA_COLUMNS[-1])
    for depth in _ROWS:
        atom = wgmma_atom(f"m64n{widest}k{depth}")
        if (
            atom is not None
            and find_types(atom.types, operand, accumulator) is not None
        ):
            return atom
    return None


@lru_cache(maxsize=1024)
def tile_wgmma(
    shape: tuple[int, ...], groups: tuple[int, int], role: WgmmaRole, atom: WgmmaAtom
) -> LinearLayout:
    """Tiles an operand of a product in registers with fragments, over warpgroups.

    The M x N result is cut into `groups[0]` x `groups[1]` rectangles, one for each
    warpgroup; warpgroups along M count fastest. All warpgroups of a row hold A: their
    bits along N have zero bases. In each thread the registers count those of an
    instruction first, then the instructions along the last dimension, then along M.
    Example: the 128 x 256 result of two warpgroups along M has the registers
    (0, 1) (8, 0) (0, 8) ... (0, 128) and the warps (16, 0) (32, 0) (64, 0).

    Args:
        shape: Extents of the operand: M x K, or M x N.
        groups: Number of warpgroups along M and along N, powers of two.
        role: Which operand.
        atom: Which instruction.

    Raises:
        LayoutError: The rectangle of a warpgroup is no multiple of the instruction's.
    """
    check_shape((*shape, *groups))
    if len(shape) != 2:
        raise LayoutError(f"expected a matrix for {atom.name}, got {shape}")
    fragment = atom.fragment(role)
    counts = (groups[0], groups[1] if role == "c" else 1)
    part = (shape[0] // counts[0], shape[1] // counts[1])
    if any(own < least for own, least in zip(part, fragment.shape, strict=True)):
        msg = f"expected a multiple of {fragment.shape} for each of {groups} warpgroups"
        raise LayoutError(f"{msg} of {atom.name}, got {shape}")
    columns = unit_steps(1, fragment.shape[1], part[1], 2)
    rows = unit_steps(0, fragment.shape[0], part[0], 2)
    along_n = unit_steps(1, part[1], shape[1], 2)
    if role == "a":
        along_n = [(0, 0)] * n_bits(groups[1])
    warp = [*unit_steps(0, part[0], shape[0], 2), *along_n]
    return fragment.extend(shape, register=[*columns, *rows], warp=warp)
