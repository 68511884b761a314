# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Warp Level Matrix Instructions": ldmatrix, stmatrix, movmatrix; fragments.

Fragment layouts ("Matrix Fragments for mma.m16n8k16" and its sisters) are one rule:
with g = lane / 4, t = lane % 4 and e elements in a 32-bit register, register r of A
holds row g + 8 (r % 2), columns e (t + 4 (r / 2)) and following; register r of B holds
column g, rows e (t + 4 r) and following; C and D hold row g + 8 h, columns 2 t and
2 t + 1.

Products are exact; they are summed in single precision in an unspecified order, as the
hardware's are, and the accumulator is added last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa import numerics
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.move import memory_operand, take_space
from cuda_tile.emulator.isa.warp import whole_warp
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.addresses import CLUSTER_SHIFT, RANK_MASK, WINDOW_MASK
from cuda_tile.emulator.memory.counters import Path
from cuda_tile.emulator.memory.spaces import gather
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import B32, Array, Index
from cuda_tile.emulator.tensor.formats import codes
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Warp Level Matrix Instructions")

_COUNTS = {"x1": 1, "x2": 2, "x4": 4}


@dataclass(frozen=True)
class _Matrices:
    """What the modifiers of ldmatrix or stmatrix say.

    Attributes:
        count: Registers; for each memory has 8 rows of 16 bytes.
        is_transposed: Whether memory holds columns.
        space: shared, or empty for generic addresses.
        source_bits: Of elements that a load widens to bytes: 6 or 4; else 0.
        is_square: Whether the matrices are 16x16, of two registers each.
    """

    count: int
    is_transposed: bool
    space: str
    source_bits: int = 0
    is_square: bool = False


_WIDENED = {"b6x16_p32": 6, "b4x16_p64": 4}


def _matrix_form(form: Form, *, loads: bool) -> _Matrices:
    """Takes `.sync.aligned.shape.num{.trans}{.ss}.type`."""
    form.require("sync", "aligned")
    shape = form.choice("m8n8", *(("m8n16", "m16n16") if loads else ("m16n8",)))
    is_square = shape == "m16n16"
    count = _COUNTS[form.choice("x1", "x2") if is_square else form.choice(*_COUNTS)]
    is_transposed = form.flag("trans")
    space = take_space(form)
    if space not in ("", "shared"):
        form.error(f"expected shared memory, got .{space}")
    if shape == "m8n8":
        form.require("b16")
        return _Matrices(count, is_transposed, space)
    if is_transposed == (shape == "m8n16"):
        form.error(f"expected {'no ' * is_transposed}'.trans' of '.{shape}'")
    if not loads:
        form.require("b8")
        return _Matrices(count, False, space)
    if is_square and form.flag("b8"):
        return _Matrices(2 * count, True, space, is_square=True)
    form.require("b8x16")
    bits = _WIDENED[form.choice(*_WIDENED)]
    return _Matrices((1 + is_square) * count, is_square, space, bits, is_square)


def _row_addresses(lanes: Lanes, addresses: Array, count: int) -> tuple[Array, Array]:
    """The row addresses that the first 8 * count lanes of each warp give.

    Returns:
        Addresses int64[n_warps, 8 * count], and the number of each one's warp.
    """
    rows = lanes.spread(addresses & np.uint64(WINDOW_MASK)).view(np.int64)
    rows = np.ascontiguousarray(rows[:, : 8 * count])
    if int(np.bitwise_or.reduce(rows, axis=None)) & 15:
        place = int(np.argmax(rows & 15 != 0))
        raise Fault(
            "misaligned",
            f"expected row addresses that are multiples of 16, got "
            f"{int(rows.flat[place]):#x} in lane {place % rows.shape[1]}",
        )
    return rows, np.repeat(lanes.warps, 8 * count)


class _Rows:
    """Shared-memory rows of 16 bytes, as ldmatrix and stmatrix touch them."""

    def __init__(
        self,
        machine: Machine,
        at: int,
        lanes: Lanes,
        addresses: Array,
        count: int,
        path: Path,
    ) -> None:
        rows, warps = _row_addresses(lanes, addresses, count)
        above = rows >> CLUSTER_SHIFT
        if above.any():
            own = machine.rank[warps * 32].reshape(rows.shape)
            is_own = (above != 0) & (above & RANK_MASK == own)
            rows = np.where(is_own, rows & ((1 << CLUSTER_SHIFT) - 1), rows)
        limit = machine.symbols.shared_bytes
        if int(rows.max()) + 16 > limit:
            raise Fault(
                "out of bounds",
                f"row of 16 bytes at offset {int(rows.max()):#x} of shared memory, "
                f"which has {limit} bytes",
            )
        machine.counters.matrix_access(at, rows, path)
        first = warps * 32
        self.offsets = rows.ravel() + machine.shared_base[first]
        self.warps = machine.agents[first]
        self._first = first

    def of_lanes(self, places: NDArray[np.int64]) -> tuple[Index, NDArray[np.int64]]:
        """The lane that each 2 bytes belong to, given its place, and where they are."""
        who = self._first[:, None] + places.reshape(-1, 8)
        offsets = self.offsets[:, None] + np.arange(0, 16, 2)
        return who.ravel(), offsets.ravel()


def _lanes_of(n_warps: int, m: _Matrices) -> NDArray[np.int64]:
    """Which lane gets or gives each 2 bytes of a row, [n_warps, count, 8 rows, 8].

    PTX ISA, ldmatrix: lane 4 r + c / 2 has elements c and c + 1 of row r; of column r
    if the matrix is transposed. Of the forms with bytes, whose rows go to more lanes,
    the row's first lane stands for all.
    """
    row, column = np.indices((8, 8))
    lanes = 4 * column + row // 2 if m.is_transposed else 4 * row + column // 2
    if m.source_bits or m.is_square:
        lanes = 4 * row
    return np.broadcast_to(lanes, (n_warps, m.count, 8, 8))


@CHAPTER.instruction("ldmatrix")
def ldmatrix(form: Form, b: Builder) -> Compiled:
    """ldmatrix: `.m8n8{.trans}.b16`, `.m16n16.trans` and `.m8n16` of up to 8 bits."""
    m = _matrix_form(form, loads=True)
    d, x = form.operands(2)
    targets = [b.dst(element, B32) for element in form.vector(d, m.count)]
    _, address = memory_operand(form, b, x, m.space)
    machine, at = b.machine, b.at

    def run(lanes: Lanes) -> None:
        rows = _Rows(machine, at, lanes, address(lanes), m.count, "shared_load")
        if machine.lane_order is not None:
            who, places = rows.of_lanes(_lanes_of(len(lanes.warps), m))
            machine.lane_order.read(at, who, places, 2)
        machine.shadow.read(at, rows.offsets, 16, rows.warps)
        data = gather(machine.shared, rows.offsets, 16)
        if m.source_bits:
            data = codes(data, m.source_bits, "padded")
        n_warps = len(lanes.warps)
        if m.is_square:
            data = _square(data, n_warps)
        elif m.is_transposed:
            matrices = data.view(np.uint16).reshape(n_warps, m.count, 8, 8)
            data = np.ascontiguousarray(matrices.swapaxes(2, 3))
        parts = data.view(np.uint32).reshape(n_warps, m.count, 32)
        for place, target in enumerate(targets):
            lanes.put(target, parts[:, place])

    step = b.step(run, defines=True)
    step.convergence = "warp"
    return step


def _square(data: NDArray[np.uint8], n_warps: int) -> NDArray[np.uint8]:
    """Puts transposed 16x16 matrices of bytes in the order of the lanes' registers.

    PTX ISA, ldmatrix: a thread has 4 consecutive columns of 2 rows. With g = lane / 4
    and t = lane % 4 the first register holds row g, the second row g + 8, both columns
    4 t to 4 t + 3, as multiplicands of mma want them; memory holds columns.
    """
    parts = data.reshape(n_warps, -1, 4, 4, 2, 8)  # t, column in register, register, g
    return np.ascontiguousarray(parts.transpose(0, 1, 4, 5, 2, 3))


@CHAPTER.instruction("stmatrix")
def stmatrix(form: Form, b: Builder) -> Compiled:
    """stmatrix: `.m8n8{.trans}.b16` and `.m16n8.trans.b8` to shared memory."""
    m = _matrix_form(form, loads=False)
    is_wide = "m16n8" in form.instruction.modifiers
    x, s = form.operands(2)
    sources = [b.stored(element, B32) for element in form.vector(s, m.count)]
    _, address = memory_operand(form, b, x, m.space)
    machine, at = b.machine, b.at

    def run(lanes: Lanes) -> None:
        rows = _Rows(machine, at, lanes, address(lanes), m.count, "shared_store")
        parts = np.stack([lanes.by_warp(source) for source in sources], axis=1)
        if is_wide:
            # Bytes of a register: columns 2 t and 2 t + 1 of row g, then of g + 8.
            octets = parts.view(np.uint8).reshape(-1, 8, 4, 2, 2)
            matrices = octets.transpose(0, 2, 4, 3, 1)
        else:
            matrices = parts.view(np.uint16).reshape(-1, 8, 8)
            if m.is_transposed:
                matrices = matrices.swapaxes(1, 2)
        data = np.ascontiguousarray(matrices).view(np.uint8).reshape(-1, 16)
        if machine.lane_order is not None:
            who, places = rows.of_lanes(_lanes_of(len(lanes.warps), m))
            machine.lane_order.write(at, who, places, data.reshape(-1, 2))
        machine.shadow.write(at, rows.offsets, data, rows.warps, machine.shared)

    step = b.step(run)
    step.convergence = "warp"
    return step


@CHAPTER.instruction("movmatrix")
def movmatrix(form: Form, b: Builder) -> Compiled:
    """movmatrix: transposes an 8x8 matrix of 16-bit elements across a warp."""
    form.require("sync", "aligned", "m8n8", "trans", "b16")
    d, x = form.operands(2)
    dst, source = b.dst(d, B32), b.src(x, B32)

    def run(lanes: Lanes) -> None:
        rows = np.ascontiguousarray(lanes.by_warp(source)).view(np.uint16)
        flipped = rows.reshape(-1, 8, 8).swapaxes(1, 2)
        result = np.ascontiguousarray(flipped).view(np.uint32)
        lanes.put(dst, result.reshape(len(lanes.warps), 32))

    step = b.step(run)
    step.convergence = "warp"
    step.flow = whole_warp
    return step


def finish(values: Array, result: str) -> Array:
    """Rounds sums to the type of the result, f16 or f32."""
    if result == "f16":
        return numerics.canonical(values.astype(np.float16))
    return numerics.canonical(values.astype(np.float32))


def stack(lanes: Lanes, registers: list[Array]) -> Array:
    """Registers of whole warps side by side, [n_warps, 8 (g), 4 (t), n]."""
    rows = np.empty((len(lanes.warps), 32, len(registers)), registers[0].dtype)
    for place, register in enumerate(registers):
        rows[:, :, place] = lanes.by_warp(register)
    return rows.reshape(len(rows), 8, 4, len(registers))


def rows_of(parts: Array, rows: int = 16) -> Array:
    """Puts a fragment of A in order.

    Args:
        parts: Elements by lane and register, [n_warps, 8 (g), 4 (t), n, e].
        rows: M, 8 or 16.

    Returns:
        [n_warps, M, K].
    """
    w, g, t, n, e = parts.shape
    halves = rows // 8
    order = parts.reshape(w, g, t, n // halves, halves, e)
    return order.transpose(0, 4, 1, 3, 2, 5).reshape(w, rows, n // halves * t * e)
