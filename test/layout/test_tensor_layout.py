# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts and descriptors of tensor memory against the emulator, element by element."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from layout_strategies import table

from cuda_tile.emulator.isa.tcgen05_move import _fragment, _row_lanes
from cuda_tile.emulator.tensor.datapaths import parts_of
from cuda_tile.emulator.tensor.descriptor import Descriptor
from cuda_tile.emulator.tensor.formats import unpack
from cuda_tile.emulator.tensor.instruction_descriptor import InstructionDescriptor
from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.descriptors import (
    BYTES_ACROSS,
    OperandDescriptor,
    OperandRole,
    describe,
    panel_buffer,
)
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import SWIZZLE_BYTES, swizzled
from cuda_tile.layout.tensor import (
    TENSOR_COLUMNS,
    TENSOR_ROWS,
    TensorAtom,
    column_of,
    columns_of,
    find_tensor_atom,
    instruction_descriptor,
    kind_of,
    lane_of,
    left_place,
    tensor_atom,
    tensor_sums,
)
from cuda_tile.layout.tensor_scales import (
    COPIED,
    COPIED_BYTES,
    COPIED_COLUMNS,
    FACTORS,
    scale_bits,
    scale_buffer,
    scale_columns,
    scale_layout,
    scale_place,
)

NAMES = {
    "f16": "f16",
    "bf16": "bf16",
    "tf32": "tf32",
    "f8E4M3FN": "e4m3",
    "f8E5M2": "e5m2",
    "f32": "f32",
    "i32": "s32",
}
"""What the emulator calls an element type."""


def atoms() -> list[TensorAtom]:
    """Every instruction."""
    names = itertools.product(TENSOR_ROWS, TENSOR_COLUMNS, (8, 16, 32))
    found = [tensor_atom(f"tcgen05.m{m}n{n}k{k}") for m, n, k in names]
    return [atom for atom in found if atom is not None]


@pytest.mark.parametrize("rows", TENSOR_ROWS)
@pytest.mark.parametrize("columns", TENSOR_COLUMNS)
def test_sums_lie_where_the_datapaths_of_the_emulator_put_them(
    rows: int, columns: int
) -> None:
    [part] = parts_of(rows, columns, 1, 0, is_ws=False)
    lanes = np.arange(128)[part.lanes]
    assert [lane_of(row, rows) for row in range(rows)] == list(lanes)
    own = [column_of(0, column, (rows, columns), rows) for column in range(columns)]
    assert own == list(range(columns))[part.columns]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("atom", atoms()[::3], ids=lambda atom: atom.name)
@pytest.mark.parametrize("blocks", [(1, 1), (2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("warps", [4, 8, 16])
def test_registers_hold_what_loads_of_the_emulator_give_them(
    atom: TensorAtom, blocks: tuple[int, int], warps: int
) -> None:
    rows, columns, _ = atom.shape
    shape = rows * blocks[0], columns * blocks[1]
    try:
        layout = tensor_sums(shape, warps, atom)
    except LayoutError:
        assert shape[1] // max(1, warps // 4 // blocks[0]) < 16
        return
    form, width = ("16x256b", 8) if atom.is_half else ("32x32b", 1)
    fragment = _fragment(form, 1, 0, is_packed=False)
    places = set()
    for (register, lane, warp, _), (row, column) in table(layout).items():
        block = row // rows
        at = lane_of(row % rows, rows), column_of(row, column, shape, rows)
        start = column_of(block * rows, column // width * width, shape, rows)
        number = register % fragment.lanes.shape[1]
        assert at[0] == warp % 4 * 32 + fragment.lanes[lane, number]
        assert at[1] == start + fragment.columns[lane, number]
        places.add((warp, register, at))
    assert len({at for *_, at in places}) == shape[0] * shape[1]
    assert max(at[1] for *_, at in places) == columns_of(shape, rows) - 1


@pytest.mark.parametrize("warps", [1, 2])
def test_fewer_than_four_warps_do_not_reach_all_lanes(warps: int) -> None:
    atom = tensor_atom("tcgen05.m128n64k16")
    assert atom is not None
    with pytest.raises(LayoutError, match="expected 4 warps or more"):
        tensor_sums((128, 64), warps, atom)


def test_a_sum_consists_of_whole_blocks() -> None:
    atom = tensor_atom("tcgen05.m128n64k16")
    assert atom is not None
    with pytest.raises(LayoutError, match="expected a multiple of 128 x 64"):
        tensor_sums((64, 64), 4, atom)


@pytest.mark.parametrize(
    "name",
    ["m128n256k16", "tcgen05.m32n64k16", "tcgen05.m128n8k16", "tcgen05.m64n24k8"],
)
def test_other_instructions_have_no_name(name: str) -> None:
    assert tensor_atom(name) is None


def test_the_widest_instruction_is_found() -> None:
    found = find_tensor_atom("bf16", "f32", 256, 512)
    assert found is not None
    assert found.name == "tcgen05.m128n256k16"
    assert find_tensor_atom("bf16", "f16", 256, 512) is None
    assert find_tensor_atom("f64", "f64", 128, 64) is None
    assert find_tensor_atom("f16", "f32", 32, 64) is None
    assert find_tensor_atom("f16", "f32", 64, 8) is None


@pytest.mark.parametrize("rows", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("factors", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("warps", [4, 8])
def test_threads_write_scale_factors_where_products_read_them(
    rows: int, factors: int, axis: int, warps: int
) -> None:
    """Row r is in lane r % 32 of each warp, in the column and byte of its place."""
    shape = (rows, factors) if axis == 0 else (factors, rows)
    layout = scale_layout(shape, axis, warps)
    size = min(FACTORS, factors)
    found: dict[tuple[int, int, int, int], tuple[int, int]] = {}
    for (register, lane, warp, _), element in table(layout).items():
        column, byte = divmod(register, size)
        found[warp, lane, column, byte] = element[axis], element[1 - axis]
    assert max(column for _, _, column, _ in found) < scale_columns(rows, factors)
    for warp, row, factor in itertools.product(
        range(warps), range(rows), range(factors)
    ):
        column, byte = scale_place(rows, row, factor)
        assert found[warp, row % 32, column, byte] == (row, factor)


@pytest.mark.parametrize("rows", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("factors", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("axis", [0, 1])
def test_copies_bring_scale_factors_where_products_read_them(
    rows: int, factors: int, axis: int
) -> None:
    """The emulator's copy of a buffer whose bytes number its elements."""
    shape = (rows, factors) if axis == 0 else (factors, rows)
    buffer = scale_buffer(shape, axis)
    fits = rows >= 32 and factors >= FACTORS
    fits = fits and rows // 32 * factors // FACTORS >= COPIED_COLUMNS
    assert (buffer is not None) == fits
    if buffer is None:
        return
    found: dict[tuple[int, int, int], tuple[int, ...]] = {}
    pieces = Descriptor.decode_tensor(COPIED.tensor_constant).rows(32, 1)
    for number in range(rows * factors // COPIED_BYTES):
        first = number * COPIED_BYTES
        for lanes in _row_lanes("32x128b", "warpx4"):
            for lane, place in zip(lanes, pieces[:, 0], strict=True):
                for byte in range(16):
                    column = number * COPIED_COLUMNS + byte // 4
                    element = buffer.apply(first + int(place) + byte)
                    found[int(lane), column, byte % 4] = element
    for warp, row, factor in itertools.product(range(4), range(rows), range(factors)):
        column, byte = scale_place(rows, row, factor)
        element = (row, factor) if axis == 0 else (factor, row)
        assert found[32 * warp + row % 32, column, byte] == element


def test_blocks_of_memory_are_what_copies_read() -> None:
    """128 rows and four factors, 32 rows of 16 bytes (cuBLAS, "Block scaling")."""
    layout = scale_buffer((128, 4), 0)
    assert layout is not None
    for row, factor in itertools.product(range(128), range(4)):
        place = row % 32 * 16 + row // 32 * 4 + factor
        assert layout.offset_of((row, factor)) == place


@pytest.mark.parametrize("columns", TENSOR_COLUMNS)
@pytest.mark.parametrize("bytes_", [(0, 0), (1, 2), (3, 0)])
def test_the_emulator_decodes_bytes_of_scale_factors(
    columns: int, bytes_: tuple[int, int]
) -> None:
    atom = find_tensor_atom("f8E5M2", "f32", 128, columns, ("f8E8M0FNU", 32))
    assert atom is not None
    assert atom.name == f"tcgen05.m128n{columns}k32.mxf8"
    bits = instruction_descriptor(atom, ("f8E5M2", "f32"))
    bits |= scale_bits("f8E8M0FNU", bytes_)
    kind = kind_of("f8E5M2", atom.suffix)
    found = InstructionDescriptor.decode(bits, kind)
    found.check(kind, 1, is_ws=False)
    assert (found.m, found.n, found.left) == (128, columns, "e5m2")
    assert (found.scale, found.scale_ids) == ("ue8m0", bytes_)


FOURS = (("mxf4", "f8E8M0FNU", 32), ("nvf4", "f8E8M0FNU", 16), ("nvf4", "f8E4M3FN", 16))


@pytest.mark.parametrize(("suffix", "scale", "block"), FOURS)
@pytest.mark.parametrize("columns", TENSOR_COLUMNS)
@pytest.mark.parametrize("byte", [0, 2])
def test_the_emulator_decodes_elements_of_4_bits(
    suffix: str, scale: str, block: int, columns: int, byte: int
) -> None:
    atom = find_tensor_atom("f4E2M1FN", "f32", 256, columns, (scale, block))
    assert atom is not None
    assert atom.name == f"tcgen05.m128n{columns}k64.{suffix}"
    assert (atom.packed, atom.factors * block) == (2, 64)
    bits = instruction_descriptor(atom, ("f4E2M1FN", "f32")) | scale_bits(
        scale, (byte, byte)
    )
    kind = kind_of("f4E2M1FN", atom.suffix)
    assert kind == ("mxf4" if suffix == "mxf4" else "mxf4nvf4")
    found = InstructionDescriptor.decode(bits, kind)
    found.check(kind, 1, is_ws=False)
    assert (found.m, found.n, found.left, found.right) == (
        *(128, columns),
        *("e2m1", "e2m1"),
    )
    wanted = "ue8m0" if scale == "f8E8M0FNU" else "ue4m3"
    assert (found.scale, found.scale_ids) == (wanted, (byte, byte))


def test_64_rows_have_no_scale_factors() -> None:
    assert find_tensor_atom("f8E5M2", "f32", 64, 64, ("f8E8M0FNU", 32)) is None
    assert find_tensor_atom("f8E5M2", "f32", 128, 64, ("f8E8M0FNU", 16)) is None
    assert tensor_atom("tcgen05.m64n64k32.mxf8") is None
    assert tensor_atom("tcgen05.m64n64k64.mxf4") is None
    assert find_tensor_atom("f4E2M1FN", "f32", 128, 64, ("f8E4M3FN", 32)) is None
    assert find_tensor_atom("f4E2M1FN", "f32", 128, 64) is None


@pytest.mark.parametrize("atom", atoms(), ids=lambda atom: atom.name)
def test_the_emulator_decodes_instruction_descriptors(atom: TensorAtom) -> None:
    sides = [(False, False), (True, False), (False, True), (True, True)]
    for row, flips, signed in itertools.product(atom.types, sides, sides):
        types = row.operand, row.accumulator
        bits = instruction_descriptor(atom, types, flips, signed)
        kind = kind_of(row.operand)
        found = InstructionDescriptor.decode(bits, kind)
        found.check(kind, 1, is_ws=False)
        assert (found.m, found.n) == atom.shape[:2]
        assert found.result == NAMES[row.accumulator]
        assert found.flips == flips
        wanted = [NAMES.get(row.operand, "")] * 2
        if row.operand == "i8":
            wanted = ["s8" if sign else "u8" for sign in signed]
        assert [found.left, found.right] == wanted


@pytest.mark.parametrize(("name", "bits"), [("e4m3", 8), ("f16", 16), ("tf32", 32)])
def test_left_operands_lie_as_the_emulator_unpacks_them(name: str, bits: int) -> None:
    depth, n_bytes = 256 // bits, bits // 8
    numbers = np.arange(1, depth + 1) % 8 << {8: 3, 16: 10, 32: 23}[bits]
    memory = np.zeros((1, 8), np.uint32)
    for k, number in enumerate(numbers):
        lane, column, bit = left_place(0, k, 128, bits)
        memory[lane, column] |= np.uint32(int(number) << bit)
    dense = numbers.astype({1: np.uint8, 2: np.uint16, 4: np.uint32}[n_bytes])
    want = unpack(dense.view(np.uint8).reshape(1, -1), name, "bytes")
    got = unpack(memory.view(np.uint8).reshape(1, -1), name, "bytes")
    assert np.array_equal(want, got)
    assert left_place(17, 0, 64, bits)[0] == 33


def places(shared: SharedLayout, bits: int) -> np.ndarray:
    """The byte offset of each element of a matrix."""
    rows, columns = shared.shape
    return np.array(
        [
            [shared.offset_of((r, c)) * bits // 8 for c in range(columns)]
            for r in range(rows)
        ]
    )


def check(
    shared: SharedLayout,
    bits: int,
    role: OperandRole,
    count: int,
    found: OperandDescriptor,
) -> None:
    """What the emulator reads by a description is the operand of each instruction."""
    per_piece, depth = 128 // bits, 256 // bits
    matrix = places(shared, bits)
    matrix = matrix if role == "a" else matrix.T
    for row, k in itertools.product(
        range(matrix.shape[0] // count), range(matrix.shape[1] // depth)
    ):
        start = found.start_bytes(row, k) >> 4
        read = Descriptor.decode_tensor(found.tensor_constant + start)
        block = matrix[row * count : (row + 1) * count, k * depth : (k + 1) * depth]
        if found.is_transposed:
            got, want = read.columns(count, depth, per_piece), block.T
        else:
            got, want = read.rows(count), block
        assert np.array_equal(got, want[:, ::per_piece])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("role", ["a", "b"])
@pytest.mark.parametrize("count", [64, 128, 256])
@pytest.mark.parametrize("near", [0, 1])
def test_panels_are_read_as_they_lie(
    bits: int, role: OperandRole, count: int, near: int
) -> None:
    along_k = (near == 1) == (role == "a")
    for rows, depth in (
        (count, 256 // bits),
        (count, 2048 // bits),
        (256, 1024 // bits),
    ):
        shape = (rows, depth) if role == "a" else (depth, rows)
        shared = panel_buffer(shape, bits, near, None if along_k else count)
        found = describe(shared, bits, role, count, BYTES_ACROSS)
        if not along_k and bits == 32:
            assert isinstance(found, str)
            continue
        assert isinstance(found, OperandDescriptor), found
        assert found.is_transposed == (not along_k)
        check(shared, bits, role, count, found)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("role", ["a", "b"])
@pytest.mark.parametrize("span", SWIZZLE_BYTES)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_each_swizzle_that_is_described_is_read_as_it_lies(
    bits: int, role: OperandRole, span: int, order: tuple[int, int]
) -> None:
    shape = (256, 1024 // bits) if role == "a" else (1024 // bits, 256)
    shared = swizzled(shape, bits, order, span)
    found = describe(shared, bits, role, 128, BYTES_ACROSS)
    along_k = order[0] == (1 if role == "a" else 0)
    if isinstance(found, str):
        assert span == 0 or (bits == 32 and not along_k)
        return
    assert found.is_transposed != along_k
    check(shared, bits, role, 128, found)
