"""PTX ISA: "Warp Level Matrix Instructions": ldmatrix, stmatrix, movmatrix, mma.

Fragment layouts ("Matrix Fragments for mma.m16n8k16" and its sisters) are one rule:
with g = lane / 4, t = lane % 4 and e elements in a 32-bit register, register r of A
holds row g + 8 (r % 2), columns e (t + 4 (r / 2)) and following; register r of B holds
column g, rows e (t + 4 r) and following; C and D hold row g + 8 h, columns 2 t and
2 t + 1.

Products are exact; they are summed in single precision in an unspecified order, as the
hardware's are, and the accumulator is added last.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from cuda_tile.emulator import numerics
from cuda_tile.emulator.build import Builder
from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.form import Form
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.move import memory_operand, take_space
from cuda_tile.emulator.isa.warp import whole_warp
from cuda_tile.emulator.lanes import Lanes
from cuda_tile.emulator.machine import Machine
from cuda_tile.emulator.spaces import WINDOW_MASK, gather
from cuda_tile.emulator.step import Compiled
from cuda_tile.emulator.syntax import Operand
from cuda_tile.emulator.types import B32, TYPES, Array

CHAPTER = Chapter("Warp Level Matrix Instructions")

_COUNTS = {"x1": 1, "x2": 2, "x4": 4}


def _matrix_form(form: Form) -> tuple[int, bool, str]:
    """Takes `.sync.aligned.m8n8.num{.trans}{.ss}.b16`."""
    form.require("sync", "aligned", "m8n8")
    count = _COUNTS[form.choice(*_COUNTS)]
    is_transposed = form.flag("trans")
    space = take_space(form)
    form.require("b16")
    if space not in ("", "shared"):
        form.error(f"expected shared memory, got .{space}")
    return count, is_transposed, space


def _row_addresses(lanes: Lanes, addresses: Array, count: int) -> tuple[Array, Array]:
    """The row addresses that the first 8 * count lanes of each warp give.

    Returns:
        Addresses int64[n_warps, 8 * count], and the number of each one's warp.
    """
    rows = lanes.spread(addresses & np.uint64(WINDOW_MASK)).view(np.int64)
    rows = np.ascontiguousarray(rows[:, : 8 * count])
    if int(np.bitwise_or.reduce(rows, axis=None)) & 15:
        raise Fault("misaligned", "expected row addresses that are multiples of 16")
    return rows, np.repeat(lanes.warps, 8 * count)


class _Rows:
    """Shared-memory rows of 16 bytes, as ldmatrix and stmatrix touch them."""

    def __init__(
        self, machine: Machine, at: int, lanes: Lanes, addresses: Array, count: int
    ) -> None:
        rows, warps = _row_addresses(lanes, addresses, count)
        limit = machine.symbols.shared_bytes
        if int(rows.max()) + 16 > limit:
            raise Fault(
                "out of bounds",
                f"row of 16 bytes at offset {int(rows.max()):#x} of shared memory, "
                f"which has {limit} bytes",
            )
        machine.counters.matrix_access(at, rows)
        first = warps * 32
        self.offsets = rows.ravel() + machine.shared_base[first]
        self.warps = machine.agents[first]


@CHAPTER.instruction("ldmatrix")
def ldmatrix(form: Form, b: Builder) -> Compiled:
    """ldmatrix: `.m8n8.x1/x2/x4{.trans}.b16` from shared memory."""
    count, is_transposed, space = _matrix_form(form)
    d, x = form.operands(2)
    elements = form.vector(d, count) if count > 1 or not _is_plain(d) else (d,)
    targets = [b.dst(element, B32) for element in elements]
    _, address = memory_operand(form, b, x, space)
    machine, at = b.machine, b.at

    def run(lanes: Lanes) -> None:
        rows = _Rows(machine, at, lanes, address(lanes), count)
        machine.shadow.read(at, rows.offsets, 16, rows.warps)
        data = gather(machine.shared, rows.offsets, 16).view(np.uint16)
        matrices = data.reshape(len(lanes.warps), count, 8, 8)
        if is_transposed:
            matrices = np.ascontiguousarray(matrices.swapaxes(2, 3))
        parts = matrices.view(np.uint32).reshape(len(lanes.warps), count, 32)
        for place, target in enumerate(targets):
            lanes.put(target, parts[:, place])

    step = b.step(run, defines=True)
    step.convergence = "warp"
    return step


def _is_plain(operand: Operand) -> bool:
    return not hasattr(operand, "elements")


@CHAPTER.instruction("stmatrix")
def stmatrix(form: Form, b: Builder) -> Compiled:
    """stmatrix: `.m8n8.x1/x2/x4{.trans}.b16` to shared memory."""
    count, is_transposed, space = _matrix_form(form)
    x, s = form.operands(2)
    elements = form.vector(s, count) if count > 1 or not _is_plain(s) else (s,)
    sources = [b.stored(element, B32) for element in elements]
    _, address = memory_operand(form, b, x, space)
    machine, at = b.machine, b.at

    def run(lanes: Lanes) -> None:
        rows = _Rows(machine, at, lanes, address(lanes), count)
        parts = np.stack([lanes.by_warp(source) for source in sources], axis=1)
        matrices = parts.view(np.uint16).reshape(len(lanes.warps), count, 8, 8)
        if is_transposed:
            matrices = matrices.swapaxes(2, 3)
        data = np.ascontiguousarray(matrices).view(np.uint8).reshape(-1, 16)
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


# Element types of A and B: bits, and the NumPy type of the bits.
INPUTS: dict[str, tuple[int, Any]] = {
    "f16": (16, np.float16),
    "bf16": (16, ml_dtypes.bfloat16),
    "tf32": (32, np.float32),
    "e4m3": (8, ml_dtypes.float8_e4m3fn),
    "e5m2": (8, ml_dtypes.float8_e5m2),
    "s8": (8, np.int8),
    "u8": (8, np.uint8),
}
_SHAPES = {
    "m16n8k4": (4, ("tf32",)),
    "m16n8k8": (8, ("f16", "bf16", "tf32")),
    "m16n8k16": (16, ("f16", "bf16", "s8", "u8", "e4m3", "e5m2")),
    "m16n8k32": (32, ("s8", "u8", "e4m3", "e5m2")),
}
_INTEGERS = ("s8", "u8")


@CHAPTER.instruction("mma")
def mma(form: Form, b: Builder) -> Compiled:
    """mma.sync.aligned: shapes m16n8k4 to m16n8k32 of f16, bf16, tf32, fp8 and int8."""
    form.require("sync", "aligned")
    k, inputs = _SHAPES[form.choice(*_SHAPES)]
    form.require("row", "col")
    form.flag("kind::f8f6f4")
    is_saturated = form.flag("satfinite")
    result = form.choice("f32", "f16", "s32")
    left, right = form.choice(*inputs), form.choice(*inputs)
    form.require(result)
    _check_types(form, result, left, right, is_saturated)
    d, x, y, z = form.operands(4)
    a_bits, b_bits = INPUTS[left][0], INPUTS[right][0]
    a_regs = [b.src(e, B32) for e in form.vector(x, 16 * k * a_bits // 1024)]
    b_regs = [b.src(e, B32) for e in form.vector(y, 8 * k * b_bits // 1024)]
    n_results = 2 if result == "f16" else 4
    ty = TYPES["b32" if result == "f16" else result]
    c_regs = [b.src(e, ty) for e in form.vector(z, n_results)]
    d_regs = [b.dst(e, ty) for e in form.vector(d, n_results)]
    machine, at, flops = b.machine, b.at, 2 * 16 * 8 * k

    def run(lanes: Lanes) -> None:
        machine.counters.flops[at] += flops * len(lanes.warps)
        a = matrix_a(lanes, a_regs, left)
        product = np.matmul(a, matrix_b(lanes, b_regs, right))
        c = matrix_c(lanes, c_regs, result)
        if result == "s32":
            total = c.astype(np.int64) + product.astype(np.int64)
            if is_saturated:
                total = total.clip(-(2**31), 2**31 - 1)
            put_matrix(lanes, d_regs, total.astype(np.int32))
        else:
            put_matrix(lanes, d_regs, finish(product + c, result))

    step = b.step(run)
    step.convergence = "warp"
    step.flow = whole_warp
    return step


def _check_types(
    form: Form, result: str, left: str, right: str, is_saturated: bool
) -> None:
    is_integer = left in _INTEGERS
    if is_integer != (result == "s32") or is_integer != (right in _INTEGERS):
        form.error(f"expected matching types, got .{result} of .{left} and .{right}")
    if left != right and left not in (*_INTEGERS, "e4m3", "e5m2"):
        form.error(f"expected one type for A and B, got .{left} and .{right}")
    if result == "f16" and left in ("bf16", "tf32"):
        form.error(f"expected .f32 results of .{left}")
    if is_saturated and not is_integer:
        form.error("expected '.satfinite' only for integers")


def finish(values: Array, result: str) -> Array:
    """Rounds sums to the type of the result, f16 or f32."""
    if result == "f16":
        return numerics.canonical(values.astype(np.float16))
    return numerics.canonical(values.astype(np.float32))


def _stack(lanes: Lanes, registers: list[Array]) -> Array:
    """Registers of whole warps side by side, [n_warps, 8 (g), 4 (t), n]."""
    rows = np.empty((len(lanes.warps), 32, len(registers)), registers[0].dtype)
    for place, register in enumerate(registers):
        rows[:, :, place] = lanes.by_warp(register)
    return rows.reshape(len(rows), 8, 4, len(registers))


def elements(rows: Array, name: str) -> Array:
    """Splits registers into elements and widens them to f32, [..., n, e]."""
    bits, dtype = INPUTS[name]
    if name == "tf32":
        rows = rows & np.uint32(0xFFFFE000)
    split = rows.view(dtype).reshape(*rows.shape, 32 // bits)
    if name == "bf16":
        words = split.view(np.uint16).astype(np.uint32) << np.uint32(16)
        return words.view(np.float32)
    return split.astype(np.float32)


def matrix_a(lanes: Lanes, registers: list[Array], name: str) -> Array:
    """Returns A of each warp from its fragment, f32[n_warps, 16, k]."""
    parts = elements(_stack(lanes, registers), name)
    w, g, t, n, e = parts.shape
    order = parts.reshape(w, g, t, n // 2, 2, e).transpose(0, 4, 1, 3, 2, 5)
    return order.reshape(w, 16, n // 2 * t * e)


def matrix_b(lanes: Lanes, registers: list[Array], name: str) -> Array:
    """Returns B of each warp from its fragment, f32[n_warps, k, 8]."""
    parts = elements(_stack(lanes, registers), name)
    w, g, t, n, e = parts.shape
    return parts.transpose(0, 3, 2, 4, 1).reshape(w, n * t * e, g)


def matrix_c(lanes: Lanes, registers: list[Array], result: str) -> Array:
    """Returns C of each warp from its fragment, [n_warps, 16, 8]."""
    rows = _stack(lanes, registers)
    if result == "f16":
        rows = rows.view(np.float16).astype(np.float32)
    parts = rows.reshape(len(rows), 8, 4, 2, 2)
    return parts.transpose(0, 3, 1, 2, 4).reshape(len(rows), 16, 8)


def put_matrix(lanes: Lanes, registers: list[Array], values: Array) -> None:
    """Writes D [n_warps, 16, 8] into the fragment's registers."""
    parts = values.reshape(-1, 2, 8, 4, 2).transpose(0, 2, 3, 1, 4)
    rows = np.ascontiguousarray(parts)
    if rows.dtype == np.float16:
        rows = rows.view(np.uint32)
    rows = rows.reshape(len(rows), 32, len(registers))
    for place, register in enumerate(registers):
        lanes.put(register, rows[:, :, place])
