# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in tensor memory: instructions, and where their sums and left operands lie.

Tensor memory has 128 lanes of 512 columns, words of 32 bits (PTX ISA, "Tensor Memory
Addressing"). One thread starts `tcgen05.mma`, which multiplies 64 or 128 rows of A by
16 to 256 columns of B over 32 bytes along K. Row r of D lies in lane r if D has 128
rows, in lane r / 16 * 32 + r % 16 if it has 64. Column c of D lies in column c of
tensor memory, whatever its type ("Data Path Layout Organization", layouts D and F).
Left operands in tensor memory have the lanes of D, and each column holds as many of
their elements as fit ("Matrix A").

Warp w reaches the lanes from 32 (w mod 4) on. `tcgen05.ld` of shape 32x32b gives each
thread its row; shape 16x256b gives the fragments that a warp of `wgmma` has. 64 rows
use 16 lanes of each warp; the first shape would leave half of the threads without rows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from cuda_tile.layout.atoms import AtomTypes, Scaling, find_types
from cuda_tile.layout.coords import LayoutError, check_shape, n_bits, unit_steps
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass

TENSOR_LANES = 128
"""Lanes of tensor memory (PTX ISA, "Tensor Memory Addressing")."""
TENSOR_ROWS = (64, 128)
"""M of an instruction of one CTA (PTX ISA, "Matrix Shape")."""
TENSOR_COLUMNS = (16, 32, 64, 128, 256)
"""N of an instruction. The ISA has all multiples of 16; extents of tiles are powers of
two, and N of 8 is left to warps."""
LEAST_COLUMNS = 32
"""Columns of the smallest allocation, which is a power of two (PTX ISA,
"tcgen05.alloc")."""
TENSOR_WARPS = 4
"""Warps whose lanes are all of tensor memory."""
TENSOR_CAPABILITY = 100
"""The first chip with these instructions (PTX ISA, "tcgen05.mma", Target ISA Notes)."""
WORD_BITS = 32
_HALF_ROWS = 64
_HALF_LANES = 16


@dataclass(frozen=True)
class _Kind:
    """A kind of instruction: element types that have its data path.

    Attributes:
        name: Its name in PTX after `.kind::`.
        depth: K of an instruction.
        codes: Codes of operand types, bits 7 to 9 and 10 to 12 of descriptors.
        sums: Element types of D, and their code in bits 4 and 5.
        suffix: The text after the shape in the names of its atoms.
        scalings: Scale factors that its instructions take.
        factors: How many of them along K.
        packed: Elements in a byte of shared memory.
    """

    name: str
    depth: int
    codes: dict[str, int]
    sums: dict[str, int]
    suffix: str = ""
    scalings: tuple[Scaling, ...] = ()
    factors: int = 0
    packed: int = 1


_FOURS = {"f4E2M1FN": 1}
_KINDS = (
    _Kind("f16", 16, {"f16": 0, "bf16": 1}, {"f32": 1, "f16": 0}),
    _Kind("tf32", 8, {"tf32": 2}, {"f32": 1}),
    _Kind("f8f6f4", 32, {"f8E4M3FN": 0, "f8E5M2": 1}, {"f32": 1, "f16": 0}),
    _Kind("i8", 32, {"i8": 1}, {"i32": 2}),
    _Kind(
        "mxf8f6f4",
        32,
        {"f8E4M3FN": 0, "f8E5M2": 1},
        {"f32": 0},
        ".mxf8",
        (("f8E8M0FNU", 32),),
        1,
    ),
    _Kind("mxf4", 64, _FOURS, {"f32": 0}, ".mxf4", (("f8E8M0FNU", 32),), 2, 2),
    _Kind(
        "mxf4nvf4",
        64,
        _FOURS,
        {"f32": 0},
        ".nvf4",
        (("f8E4M3FN", 16), ("f8E8M0FNU", 16)),
        4,
        2,
    ),
)
"""PTX ISA, "Instruction descriptor"; 1 is i8 with a sign, 0 without. Kinds with scale
factors have no code of sums ("Block Scaling")."""


@dataclass(frozen=True, eq=False)
class TensorAtom:
    """One instruction of tensor memory.

    Attributes:
        name: "tcgen05.m128n256k16".
        shape: (M, N, K) in elements.
        types: Element types; K decides them.
        c: Layout of the sum in registers, M x N, of four warps.
        suffix: The text after the shape in its name.
        scalings: Scale factors that it takes.
        factors: How many of them along K.
        packed: Elements in a byte of shared memory, neighbours along K, the first in
            its low half. They have no padding, unlike in kind f8f6f4 (PTX ISA, "Packing
            formats").
        ctas: CTAs whose rows it multiplies: 2 are a pair, each with M rows of A and D
            of its own, and N / 2 columns of B ("Data Path Layout Organization",
            layout A).
    """

    name: str
    shape: tuple[int, int, int]
    types: tuple[AtomTypes, ...]
    c: LinearLayout
    suffix: str = ""
    scalings: tuple[Scaling, ...] = ()
    factors: int = 0
    packed: int = 1
    ctas: int = 1

    @property
    def own_columns(self) -> int:
        """Columns of B that it reads in the shared memory of each CTA."""
        return self.shape[1] // self.ctas

    @property
    def is_half(self) -> bool:
        """Whether it uses half of the lanes."""
        return self.shape[0] == _HALF_ROWS


def kind_of(operand: str, suffix: str = "") -> str:
    """The kind of the instructions that multiply an element type.

    Args:
        operand: The element type.
        suffix: The suffix of the atom.

    Raises:
        LayoutError: No kind multiplies this type.
    """
    return _kind(operand, suffix).name


def _kind(operand: str, suffix: str) -> _Kind:
    for kind in _KINDS:
        if operand in kind.codes and kind.suffix == suffix:
            return kind
    raise LayoutError(f"expected an element type that tcgen05 takes, got {operand}")


def _types(depth: int, suffix: str) -> tuple[AtomTypes, ...]:
    since = TENSOR_CAPABILITY
    return tuple(
        AtomTypes(operand, total, since, operand, is_family=True)
        for kind in _KINDS
        if (kind.depth, kind.suffix) == (depth, suffix)
        for operand in kind.codes
        for total in kind.sums
        if (operand, total) != ("bf16", "f16")
    )


_PREFIX = "tcgen05."
_PAIR = ".pair"
_NAME = re.escape(_PREFIX) + r"m(\d+)n(\d+)k(\d+)(\.\w+)?"
LEAST_PAIR_COLUMNS = 32
"""N of an instruction of a pair: each CTA has 16 columns of B, as for one CTA alone."""


@lru_cache(maxsize=64)
def tensor_atom(name: str) -> TensorAtom | None:
    """The instruction of a name, "tcgen05.m128n256k16"; None if there is none.

    That of a pair is called by the rows of both CTAs, "tcgen05.m256n256k16.pair".
    """
    if name.endswith(_PAIR):
        return _of_pair(name)
    found = re.fullmatch(_NAME, name)
    if found is None:
        return None
    rows, columns, depth = map(int, found.groups()[:3])
    suffix = found[4] or ""
    types = _types(depth, suffix)
    if rows not in TENSOR_ROWS or columns not in TENSOR_COLUMNS or not types:
        return None
    kind = next(k for k in _KINDS if (k.depth, k.suffix) == (depth, suffix))
    if kind.scalings and rows != TENSOR_LANES:
        return None
    shape, sums = (rows, columns, depth), _sums(rows, columns)
    return TensorAtom(
        name, shape, types, sums, suffix, kind.scalings, kind.factors, kind.packed
    )


def _of_pair(name: str) -> TensorAtom | None:
    """The instruction of a pair; those of scale factors and of 64 rows are left out."""
    found = re.fullmatch(_NAME, name.removesuffix(_PAIR))
    if found is None or int(found[1]) != 2 * TENSOR_LANES:
        return None
    one = tensor_atom(f"{_PREFIX}m{TENSOR_LANES}n{found[2]}k{found[3]}{found[4] or ''}")
    if one is None or one.scalings or one.shape[1] < LEAST_PAIR_COLUMNS:
        return None
    return replace(one, name=name, ctas=2)


def find_tensor_atom(
    operand: str,
    accumulator: str,
    rows: int,
    columns: int,
    scaling: Scaling | None = None,
    ctas: int = 1,
) -> TensorAtom | None:
    """The instruction of these element types with the most rows and columns.

    Args:
        operand: The element type of A and B.
        accumulator: The element type of the sum.
        rows: Rows of a CTA's result; the instruction has at most so many.
        columns: Columns of it, likewise.
        scaling: The scale factors, if there are some.
        ctas: CTAs that multiply together.

    Returns:
        The instruction, or None if none takes the types or is small enough.
    """
    m, n = min(rows, TENSOR_ROWS[-1]), min(columns, TENSOR_COLUMNS[-1])
    ends = {
        f"{kind.depth}{kind.suffix}": None
        for kind in _KINDS
        if (scaling in kind.scalings if scaling else not kind.scalings)
    }
    last = _PAIR if ctas > 1 else ""
    atoms = (tensor_atom(f"{_PREFIX}m{m * ctas}n{n}k{end}{last}") for end in ends)
    fitting = (
        a for a in atoms if a is not None and find_types(a.types, operand, accumulator)
    )
    return next(fitting, None)


def _sums(rows: int, columns: int) -> LinearLayout:
    """The layout of M x N words that `tcgen05.ld` gives four warps.

    Its shape is 32x32b, or 16x256b for 64 rows.
    """
    if rows == _HALF_ROWS:
        right = [(0, 8 << bit) for bit in range(n_bits(columns // 8))]
        return LinearLayout(
            (rows, columns),
            register=((0, 1), (8, 0), *right),
            lane=((0, 2), (0, 4), (1, 0), (2, 0), (4, 0)),
            warp=((16, 0), (32, 0)),
        )
    return LinearLayout(
        (rows, columns),
        register=tuple((0, 1 << bit) for bit in range(n_bits(columns))),
        lane=((1, 0), (2, 0), (4, 0), (8, 0), (16, 0)),
        warp=((32, 0), (64, 0)),
    )


@lru_cache(maxsize=256)
def tensor_sums(
    shape: tuple[int, ...], num_warps: int, atom: TensorAtom
) -> LinearLayout:
    """The layout that a sum in tensor memory has when it is loaded to registers.

    Four warps reach all lanes. More warps divide first the blocks of rows, each of
    which has its own columns, and then the columns of a block.

    Args:
        shape: M and N of the sum.
        num_warps: Warps that share it.
        atom: The instruction whose blocks it is made of.

    Raises:
        LayoutError: The sum has no whole blocks, or there are not 4, 8, 16 ... warps,
            or so many that some would have less than 16 columns.
    """
    check_shape((*shape, num_warps))
    rows, columns, _ = atom.shape
    if len(shape) != 2 or shape[0] % rows or shape[1] % columns:
        raise LayoutError(f"expected a multiple of {rows} x {columns}, got {shape}")
    groups = num_warps // TENSOR_WARPS
    blocks = min(max(1, groups), shape[0] // rows)
    own = shape[1] // max(1, groups // blocks)
    if not groups or own < TENSOR_COLUMNS[0]:
        raise LayoutError(
            f"expected 4 warps or more, and {TENSOR_COLUMNS[0]} columns or more for "
            f"each, got {num_warps} warps for {shape}"
        )
    first = _sums(rows, own)
    return first.extend(
        shape,
        register=unit_steps(0, rows * blocks, shape[0], 2),
        warp=(
            *unit_steps(0, rows, rows * blocks, 2),
            *unit_steps(1, own, shape[1], 2),
        ),
    )


def columns_of_sums(
    shape: tuple[int, ...], num_warps: int, atom: TensorAtom
) -> LinearLayout | None:
    """The layout that some columns of a sum have when they are loaded to registers.

    Args:
        shape: M of the sum, and the number of columns.
        num_warps: Warps that share them.
        atom: The instruction whose blocks the sum is made of.

    Returns:
        The layout; None where some warps would have too few columns.
    """
    rows, columns, depth = atom.shape
    name = f"{_PREFIX}m{rows}n{min(columns, shape[-1])}k{depth}"
    narrow = tensor_atom(name)
    try:
        return None if narrow is None else tensor_sums(shape, num_warps, narrow)
    except LayoutError:
        return None


def rows_of_sums(layout: LinearLayout) -> int:
    """M of the instructions whose sum was loaded to registers in a layout.

    Args:
        layout: One that `tensor_sums` gives.
    """
    return layout.warp[1][0] * 2


def lane_of(row: int, rows: int) -> int:
    """The lane of tensor memory that has a row of a block of D or of A.

    Args:
        row: The row in its block.
        rows: M of the instruction.
    """
    if rows == _HALF_ROWS:
        return row // _HALF_LANES * 2 * _HALF_LANES + row % _HALF_LANES
    return row


def column_of(row: int, column: int, shape: tuple[int, ...], rows: int) -> int:
    """The column of tensor memory, from the first of a sum, that has an element.

    Args:
        row: Its row.
        column: Its column.
        shape: M and N of the sum.
        rows: M of the instruction.
    """
    return row // rows * shape[1] + column


def columns_of(shape: tuple[int, ...], rows: int) -> int:
    """Columns of tensor memory that a sum takes.

    Args:
        shape: M and N of the sum.
        rows: M of the instruction.
    """
    return shape[0] // rows * shape[1]


def allocation(columns: int) -> int:
    """The columns that a kernel must allocate to get at least `columns`."""
    return max(LEAST_COLUMNS, 1 << (columns - 1).bit_length())


def left_place(row: int, k: int, rows: int, bits: int) -> tuple[int, int, int]:
    """Lane, column and first bit of an element of A in tensor memory.

    Args:
        row: Its row in the block.
        k: Its place along K.
        rows: M of the instruction.
        bits: Bits of an element, 8, 16 or 32.
    """
    column, bit = divmod(k * bits, WORD_BITS)
    return lane_of(row, rows), column, bit


def instruction_descriptor(
    atom: TensorAtom,
    types: tuple[str, str],
    flips: tuple[bool, bool] = (False, False),
    signed: tuple[bool, bool] = (True, True),
) -> int:
    """The 32-bit descriptor of an instruction: its shape and types.

    PTX ISA, "Instruction descriptor"; `scale_bits` gives the bits of scale factors.

    Args:
        atom: The instruction.
        types: Element types of the operands and of the sum.
        flips: Whether A and B lie along M and N in shared memory.
        signed: Whether integers of A and B have a sign.
    """
    operand, accumulator = types
    kind = _kind(operand, atom.suffix)
    bits = kind.sums[accumulator] << 4
    for place, sign in zip((7, 10), signed, strict=True):
        code = kind.codes[operand]
        bits |= (int(sign) if kind.name == "i8" else code) << place
    for place, flip in zip((15, 16), flips, strict=True):
        bits |= int(flip) << place
    rows, columns, _ = atom.shape
    return bits | columns // 8 << 17 | atom.ctas * rows // 16 << 24
