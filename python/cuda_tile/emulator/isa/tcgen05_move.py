# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tcgen05.ld, st, cp and shift.

PTX ISA: "Data Movement Shape", "Tensor Memory Access", "tcgen05.cp", "tcgen05.shift".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.floating import extreme
from cuda_tile.emulator.machine.build import AddressOf, Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.spaces import gather
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import B32, B64, Array, Type
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.tensor.descriptor import Descriptor
from cuda_tile.emulator.tensor.formats import decompressed
from cuda_tile.emulator.tensor.memory import N_LANES, Region, Words
from cuda_tile.emulator.tensor.pipe import Chunks
from cuda_tile.emulator.tensor.unit import TensorUnit
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes

Numbers = NDArray[np.int64]

# Lanes and columns of each shape, and where lane and column grow with the bits of the
# thread's number (five pairs) and of the register's (the rest); "Matrix fragments for
# shape ...". Further registers repeat the shape to the right.
_SHAPES = {
    "32x32b": (32, 1, ((1, 0), (2, 0), (4, 0), (8, 0), (16, 0)), ()),
    "16x64b": (16, 2, ((8, 0), (0, 1), (1, 0), (2, 0), (4, 0)), ()),
    "16x128b": (16, 4, ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0)), ((8, 0),)),
    "16x256b": (16, 8, ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0)), ((0, 1), (8, 0))),
    "16x32bx2": (16, 1, ((1, 0), (2, 0), (4, 0), (8, 0), (0, 0)), ()),
}
# PTX ISA, tcgen05.ld: the shapes that `.red` has.
_REDUCED = ("32x32b", "16x32bx2")
_COUNTS = {f"x{1 << power}": 1 << power for power in range(8)}
_MOST_REGISTERS = 128
_SHIFTED_COLUMNS = 8


def split_address(address: int) -> tuple[int, int]:
    """Lane and column of a tensor memory address."""
    return address >> 16, address & 0xFFFF


class _Fragment(NamedTuple):
    """Where the registers of a warp lie in tensor memory.

    Attributes:
        n_lanes, n_columns: Extents of one access.
        lanes, columns: Of each thread and register, int64[32, n], relative.
        second: Column of a second access by threads 16 to 31, 0 for none.
        is_packed: Whether registers hold the lower halves of two columns.
    """

    n_lanes: int
    n_columns: int
    lanes: Numbers
    columns: Numbers
    second: int
    is_packed: bool

    @property
    def n_words(self) -> int:
        """32-bit words of tensor memory that a warp's access moves."""
        return self.n_lanes * self.n_columns * (2 if self.second else 1)

    def regions(self, cta: int, lane: int, column: int) -> list[Region]:
        """The regions that an access at an address touches."""
        rows = slice(lane, lane + self.n_lanes)
        starts = [column, column + self.second] if self.second else [column]
        return [Region(cta, rows, slice(s, s + self.n_columns)) for s in starts]


def _fragment(shape: str, count: int, second: int, *, is_packed: bool) -> _Fragment:
    n_lanes, width, thread_bases, register_bases = _SHAPES[shape]
    per_shape = 1 << len(register_bases)
    thread = np.arange(WARP_LANES)[:, None]
    register = np.arange(count * per_shape)[None, :]
    lanes = np.zeros((WARP_LANES, count * per_shape), np.int64)
    columns = lanes + register // per_shape * width
    for number, bases in ((thread, thread_bases), (register, register_bases)):
        for bit, (down, across) in enumerate(bases):
            lanes += (number >> bit & 1) * down
            columns += (number >> bit & 1) * across
    scale = 2 if is_packed else 1
    columns *= scale
    if second:
        columns += (thread >> 4) * second
    return _Fragment(n_lanes, count * width * scale, lanes, columns, second, is_packed)


class _Reduction(NamedTuple):
    """The reduction of a thread's registers by `.red`.

    Attributes:
        ty: Type of the elements.
        fn: From elements [lanes, n] to results [lanes].
        result: Where they go.
    """

    ty: Type
    fn: Callable[[Array], Array]
    result: Array


class _Access(NamedTuple):
    """A compiled tcgen05.ld or st."""

    fragment: _Fragment
    registers: list[Array]
    address: AddressOf
    reduction: _Reduction | None = None


def _take_reduction(form: Form) -> tuple[Type, Callable[[Array], Array]]:
    """Takes `.redOp{.abs}{.NaN}.type`, over the columns that a thread loads."""
    is_max = form.choice("min", "max") == "max"
    is_abs, nan = form.flag("abs"), form.flag("NaN")
    ty = form.type("f32") if is_abs or nan else form.type("f32", "u32", "s32")
    if ty.name != "f32":
        whole = np.maximum if is_max else np.minimum
        return ty, lambda values: whole.reduce(values, axis=1)
    pick = extreme(is_max=is_max, nan=nan, xorsign=False)

    def fn(values: Array) -> Array:
        columns = (np.abs(values) if is_abs else values).T
        return reduce(pick, columns)

    return ty, fn


def _access(form: Form, b: Builder, *, is_load: bool, reduces: bool = False) -> _Access:
    form.require("sync", "aligned")
    shape = form.choice(*(_REDUCED if reduces else _SHAPES))
    count = _COUNTS[form.choice(*(name for name in _COUNTS if name != "x1" * reduces))]
    is_packed, kind = False, None
    if reduces:
        kind = _take_reduction(form)
    else:
        is_packed = form.flag("pack::16b" if is_load else "unpack::16b")
        form.require("b32")
    is_double = shape == "16x32bx2"
    operands = list(form.operands(2 + is_double + reduces))
    reduction = None
    if kind is not None:
        reduction = _Reduction(*kind, b.dst(operands.pop(1), kind[0]))
    second = 0
    if is_double:
        place = operands.pop(2 if is_load else 1)
        second = b.integer(place, "a constant column")
    vector, target = operands if is_load else reversed(operands)
    fragment = _fragment(shape, count, second, is_packed=is_packed)
    if is_double and not second:
        form.error("expected the second half at another column")
    n_registers = fragment.lanes.shape[1]
    if n_registers > _MOST_REGISTERS:
        form.error(f"expected at most {_MOST_REGISTERS} registers, got {n_registers}")
    elements = form.registers(vector, n_registers)
    if is_load and len(set(elements)) < len(elements):
        form.error("expected a register only once among the results")
    use = b.dst if is_load else b.stored
    registers = [use(element, B32) for element in elements]
    return _Access(fragment, registers, b.address(target, "tensor"), reduction)


def _regions(
    b: Builder, unit: TensorUnit, access: _Access, warp: Lanes
) -> tuple[list[Region], int, int]:
    """What a warp touches, and lane and column of its address."""
    addresses = access.address(warp)
    lane, column = split_address(unit.uniform(warp, addresses, "address"))
    first = int(b.machine.warp_in_cta[warp.numbers[0]]) % 4 * 32
    if not first <= lane <= first + 32 - access.fragment.n_lanes or lane % 16:
        raise Fault(
            "tensor memory",
            f"expected an address in lanes {first} to {first + 31}, which are those of "
            f"warp {first // 32} of a warpgroup, got lane {lane}",
        )
    cta = int(b.machine.cta_of[warp.numbers[0]])
    return access.fragment.regions(cta, lane, column), lane, column


def load(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.ld{.red}: tensor memory to registers, and the least or greatest of them.

    The registers may be used at once: "Register dependencies, same thread". What
    tcgen05.wait::ld is for is the memory that was read.
    """
    access = _access(form, b, is_load=True, reduces=form.flag("red"))
    fragment, at = access.fragment, b.at

    def run(lanes: Lanes) -> None:
        for warp in unit.warps(lanes):
            regions, lane, column = _regions(b, unit, access, warp)
            operation = unit.issue(at, "ld", int(warp.numbers[0]))
            b.machine.counters.tensor_words[at] += fragment.n_words
            for region in regions:
                unit.memory.access(operation, region, reads=True, writes=False)
            words = unit.memory.words[regions[0].cta]
            where = fragment.lanes + lane, fragment.columns + column
            values = words[where]
            if fragment.is_packed:
                upper = words[where[0], where[1] + 1]
                values = values & np.uint32(0xFFFF) | upper << np.uint32(16)
            for place, register in enumerate(access.registers):
                register[warp.index] = values[:, place]
            if access.reduction is not None:
                ty, fn, result = access.reduction
                result[warp.index] = fn(values.view(ty.dtype))

    step = b.step(run, defines=True)
    step.convergence = "warp"
    return step


def store(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.st: registers to tensor memory."""
    access = _access(form, b, is_load=False)
    fragment, at = access.fragment, b.at

    def run(lanes: Lanes) -> None:
        for warp in unit.warps(lanes):
            regions, lane, column = _regions(b, unit, access, warp)
            operation = unit.issue(at, "st", int(warp.numbers[0]))
            b.machine.counters.tensor_words[at] += fragment.n_words
            for region in regions:
                unit.memory.access(operation, region, reads=False, writes=True)
            values = np.stack([r[warp.index] for r in access.registers], axis=1)
            words = unit.memory.words[regions[0].cta]
            where = fragment.lanes + lane, fragment.columns + column
            if fragment.is_packed:
                words[where[0], where[1] + 1] = values >> np.uint32(16)
                values = values & np.uint32(0xFFFF)
            words[where] = values

    step = b.step(run)
    step.convergence = "warp"
    return step


# Copies from shared memory ---------------------------------------------------------

# Rows, pieces of 16 bytes of each, and the lanes that get each row.
_COPIES = {
    "128x256b": (128, 2),
    "4x256b": (4, 2),
    "128x128b": (128, 1),
    "64x128b": (64, 1),
    "32x128b": (32, 1),
}
_MULTICASTS = {
    "64x128b": ("warpx2::02_13", "warpx2::01_23"),
    "32x128b": ("warpx4",),
}
_FORMATS = {"b6x16_p32": 6, "b4x16_p64": 4}


def _row_lanes(shape: str, multicast: str) -> list[Numbers]:
    """Lanes that the rows go to, once for each copy of them."""
    rows = np.arange(_COPIES[shape][0])
    if shape == "4x256b":
        return [rows * 32]
    if multicast == "warpx4":
        return [rows + 32 * warp for warp in range(4)]
    if multicast == "warpx2::02_13":
        return [rows, rows + 64]
    if multicast == "warpx2::01_23":
        spread = rows + rows // 32 * 32
        return [spread, spread + 32]
    return [rows]


def copy(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.cp: shared to tensor memory, of both CTAs in a pair."""
    group = unit.cta_group(form)
    multicast = form.option("warpx2::02_13", "warpx2::01_23", "warpx4")
    shape = form.choice(*_COPIES)
    multicast = multicast or form.option("warpx2::02_13", "warpx2::01_23", "warpx4")
    wanted = _MULTICASTS.get(shape, ("",))
    if multicast not in wanted:
        names = " or ".join(f"'.{name}'" for name in wanted if name) or "no multicast"
        form.error(f"expected {names} with '.{shape}'")
    bits = 0
    if form.flag("b8x16"):
        bits = _FORMATS[form.choice(*_FORMATS)]
    target, source = form.operands(2)
    address, sources = b.address(target, "tensor"), b.stored(source, B64)
    lanes_of, (n_rows, pieces) = _row_lanes(shape, multicast), _COPIES[shape]
    at = b.at
    kind: Literal["cp", "cp.4x256b"] = "cp.4x256b" if shape == "4x256b" else "cp"

    def run(lanes: Lanes) -> None:
        for number in unit.issuer(lanes):
            one = Lanes(np.array([number]), b.machine.n_lanes)
            lane, column = split_address(int(address(one)[0]))
            chunks = Descriptor.decode_tensor(int(sources[number])).rows(n_rows, pieces)
            operation = unit.issue(at, kind, number)
            ctas = unit.ctas(number, group)
            places = [shared_chunks(b, chunks, cta) for cta in ctas]
            data_bytes = 2 * bits or CHUNK_BYTES
            near = (Chunks(place.ravel(), data_bytes) for place in places)
            unit.pipe.start(operation, *near)
            size = CHUNK_BYTES * sum(place.size for place in places)
            b.machine.counters.moved(at, "matrix", size)
            for cta, place in zip(ctas, places, strict=True):
                words = _words(b, place, bits)
                columns = slice(column, column + 4 * pieces)
                for rows in lanes_of:
                    region = Region(cta, rows + lane, columns)
                    unit.memory.access(operation, region, reads=False, writes=True)
                    unit.memory.words[region] = words

    return b.step(run)


def shared_chunks(b: Builder, chunks: Numbers, cta: int) -> Numbers:
    """Places of a descriptor's chunks in the machine's shared memory."""
    limit = b.machine.symbols.shared_bytes
    if int(chunks.max()) + CHUNK_BYTES > limit:
        raise Fault(
            "out of bounds",
            f"a matrix descriptor reaches offset {int(chunks.max()) + CHUNK_BYTES:#x} "
            f"of shared memory, which has {limit} bytes",
        )
    return chunks + cta * b.machine.stride_bytes


def _words(b: Builder, chunks: Numbers, bits: int) -> Words:
    """Reads rows of chunks, uint32[rows, words], and unpacks small elements."""
    data = gather(b.machine.shared, chunks.ravel(), CHUNK_BYTES)
    data = np.ascontiguousarray(data).reshape(len(chunks), -1)
    if bits:
        data = np.ascontiguousarray(decompressed(data, bits))
    return data.view(np.uint32)


def shift(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.shift.down: rows of 32 bytes move by one, `row[i] = row[i + 1]`.

    The shape is `.31x256b` ("Data Movement Shape"): each warp's 32 lanes are shifted by
    themselves and keep their last row, the row that cp.4x256b fills.
    """
    group = unit.cta_group(form)
    form.require("down")
    (target,) = form.operands(1)
    address, at = b.address(target, "tensor"), b.at

    def run(lanes: Lanes) -> None:
        for number in unit.issuer(lanes):
            one = Lanes(np.array([number]), b.machine.n_lanes)
            lane, column = split_address(int(address(one)[0]))
            if lane:
                raise Fault("tcgen05", f"expected lane 0 in an address, got {lane}")
            operation = unit.issue(at, "shift", number)
            unit.pipe.start(operation)
            for cta in unit.ctas(number, group):
                columns = slice(column, column + _SHIFTED_COLUMNS)
                region = Region(cta, slice(0, N_LANES), columns)
                unit.memory.access(operation, region, reads=True, writes=True)
                rows = unit.memory.words[region].reshape(4, 32, _SHIFTED_COLUMNS)
                rows[:, :-1] = rows[:, 1:].copy()
                unit.memory.words[region] = rows.reshape(N_LANES, _SHIFTED_COLUMNS)

    return b.step(run)
