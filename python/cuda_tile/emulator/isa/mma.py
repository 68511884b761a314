# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Warp Level Matrix Instructions": mma, dense, of all types and shapes.

The arithmetic is in `mma_products`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cuda_tile.emulator.isa import exact
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.matrix import finish, rows_of, stack
from cuda_tile.emulator.isa.mma_elements import BITS, SMALL, decode
from cuda_tile.emulator.isa.mma_products import fused, integral
from cuda_tile.emulator.isa.mma_scale import KINDS, Scales, scales
from cuda_tile.emulator.isa.short_sums import (
    SHORT_FORMATS,
    SHORT_SYNC_TARGETS,
    short_sum,
)
from cuda_tile.emulator.isa.warp import whole_warp
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand
from cuda_tile.emulator.ptx.types import B32, TYPES, Array, Type
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.exact.algebra import Algebra

CHAPTER = Chapter("Warp Level Matrix Instructions: mma")

_BYTES = ("s8", "u8")
_NIBBLES = ("s4", "u4")
_INTEGERS = (*_BYTES, *_NIBBLES)
_FP8 = ("e4m3", "e5m2")
_SHAPES: dict[str, tuple[str, ...]] = {
    "m8n8k4": ("f16", "f64"),
    "m8n8k16": _BYTES,
    "m8n8k32": _NIBBLES,
    "m8n8k128": ("b1",),
    "m16n8k4": ("tf32", "f64"),
    "m16n8k8": ("f16", "bf16", "tf32", "f64"),
    "m16n8k16": ("f16", "bf16", "f64", *_BYTES, *_FP8),
    "m16n8k32": (*_INTEGERS, *_FP8, *SMALL),
    "m16n8k64": (*_NIBBLES, "e2m1"),
    "m16n8k128": ("b1",),
    "m16n8k256": ("b1",),
}
_RESULTS = ("f32", "f16", "s32", "f64")
_MODES = ("rn", "rz", "rm", "rp")
_ELEMENTS = tuple(dict.fromkeys(name for names in _SHAPES.values() for name in names))
_SCALE_VECTORS = ("scale_vec::1X", "scale_vec::2X", "scale_vec::4X")


@dataclass(frozen=True)
class _Mma:
    """What the modifiers say.

    Attributes:
        rows, depth: M and K; N is 8.
        result, addend: Types of D and C.
        left, right: Element types of A and B.
        kind: `kind::...`, or empty.
        columns: Of scale matrices, 0 for none.
        scale: Type of the scales.
        mode: Rounding of f64.
        is_saturated: Whether integer sums saturate.
        bit_operation: xor or and for single bits.
        layouts: row or col, of A and B.
    """

    rows: int
    depth: int
    result: str
    addend: str
    left: str
    right: str
    kind: str
    columns: int
    scale: str
    mode: str
    is_saturated: bool
    bit_operation: str
    layouts: tuple[str, str]

    @property
    def is_volta(self) -> bool:
        """Whether this is the form that multiplies four small matrices."""
        return self.depth == 4 and self.left == "f16"


def _read(form: Form) -> _Mma:
    if form.next.startswith("sp"):
        form.error("sparse matrices are not supported; use dense mma")
    types = (*_RESULTS, *_ELEMENTS, "ue8m0", "ue4m3")
    groups = (("sync",), ("aligned",), _SHAPES, ("row", "col"), KINDS, ("block_scale",))
    rest = (_SCALE_VECTORS, ("satfinite", *_MODES), types, ("xor", "and"), ("popc",))
    form.arrange(*groups, *rest)
    form.require("sync", "aligned")
    shape = form.choice(*_SHAPES)
    layouts = form.choice("row", "col"), form.choice("row", "col")
    kind = form.option(*KINDS)
    columns, scale = 0, ""
    if form.flag("block_scale"):
        columns = _scale_columns(form, kind)
    is_saturated, mode = form.flag("satfinite"), form.option(*_MODES)
    inputs = _SHAPES[shape]
    result = form.choice(*_RESULTS)
    left, right = form.choice(*inputs), form.choice(*inputs)
    addend = form.choice(*_RESULTS)
    if columns:
        scale = form.choice("ue8m0", "ue4m3")
    bit_operation = ""
    if left == "b1":
        bit_operation = form.choice("xor", "and")
        form.require("popc")
    rows, _, depth = shape[1:].partition("n8k")
    found = _Mma(
        int(rows),
        int(depth),
        result,
        addend,
        left,
        right,
        kind,
        columns,
        scale,
        mode,
        is_saturated,
        bit_operation,
        layouts,
    )
    _check(form, found)
    return found


def _scale_columns(form: Form, kind: str) -> int:
    """Takes `.scale_vec::NX`, which the kind may give a default."""
    defaults = {"kind::mxf8f6f4": "scale_vec::1X", "kind::mxf4": "scale_vec::2X"}
    if kind not in (*defaults, "kind::mxf4nvf4"):
        form.error("expected '.block_scale' only of an mx kind")
    vector = form.option(*_SCALE_VECTORS) or defaults.get(kind, "")
    allowed = {
        "kind::mxf8f6f4": ("scale_vec::1X",),
        "kind::mxf4": ("scale_vec::2X",),
        "kind::mxf4nvf4": ("scale_vec::2X", "scale_vec::4X"),
    }[kind]
    if vector not in allowed:
        wanted = " or ".join(f"'.{name}'" for name in allowed)
        form.error(f"expected {wanted} of '.{kind}'")
    return int(vector[-2])


def _check(form: Form, m: _Mma) -> None:
    """PTX ISA, mma: which types go together."""
    got = f"got .{m.result} of .{m.left}, .{m.right} and .{m.addend}"
    family = "f64" if m.left == "f64" else "f32"
    if m.left in (*_INTEGERS, "b1"):
        family = "s32"
    results = ("f16", "f32") if _may_be_half(m) else (family,)
    if m.result not in results or m.addend not in results:
        form.error(
            f"expected results of {' or '.join(f'.{r}' for r in results)}, {got}"
        )
    if m.result != m.addend and not (m.is_volta and m.result == "f32"):
        form.error(f"expected one type for C and D, {got}")
    mixes = (_BYTES, _NIBBLES, (*_FP8, *SMALL))
    if m.left != m.right and not any({m.left, m.right} <= set(mix) for mix in mixes):
        form.error(f"expected matching types for A and B, {got}")
    if m.layouts != ("row", "col") and not m.is_volta:
        form.error("expected '.row.col'")
    if m.is_saturated and family != "s32":
        form.error("expected '.satfinite' only for integers")
    if m.mode and family != "f64":
        form.error("expected a rounding mode only for .f64")
    _check_kind(form, m)


def _may_be_half(m: _Mma) -> bool:
    return m.left in ("f16", *_FP8, *SMALL) and not m.columns


def _check_kind(form: Form, m: _Mma) -> None:
    if m.kind in ("kind::mxf4", "kind::mxf4nvf4"):
        needed = m.depth == 64 and m.left == "e2m1"
    elif m.kind:
        needed = m.depth == 32 and m.left in (*_FP8, *SMALL)
    else:
        needed = not {m.left, m.right} & set(SMALL)
    if not needed:
        form.error(f"expected a kind that fits m{m.rows}n8k{m.depth} of .{m.left}")
    if m.kind.startswith("kind::mx") != bool(m.columns):
        form.error("expected '.block_scale' with an mx kind")
    if m.scale == "ue4m3" and (m.kind, m.columns) != ("kind::mxf4nvf4", 4):
        form.error("expected '.ue4m3' only of '.kind::mxf4nvf4.scale_vec::4X'")


class _Operands:
    """Registers of the four matrices, and how fragments map to them."""

    def __init__(self, form: Form, b: Builder, m: _Mma) -> None:
        operands = form.operands(8 if m.columns else 4)
        d, x, y, z = operands[:4]
        wide = TYPES["b64"] if m.left == "f64" else B32
        self._m = m
        self._algebra = b.algebra
        halves = 1 if m.rows == 8 else 2

        def registers(operand: Operand, count: int, name: str) -> list[Array]:
            size = 64 if name == "f64" else 32
            parts = form.vector(operand, count * BITS[name] // (32 * size))
            return [b.src(part, wide) for part in parts]

        container = 8 if m.kind in ("kind::f8f6f4", "kind::mxf8f6f4") else 0
        self._left, self._right = (
            f"{name}:{container}" if container and name in SMALL else name
            for name in (m.left, m.right)
        )
        n_a = 8 * halves * m.depth if not m.is_volta else 128
        n_b = 8 * m.depth if not m.is_volta else 128
        self.a = registers(x, n_a, self._left)
        self.b = registers(y, n_b, self._right)
        elements = 8 if m.is_volta else 2 * halves
        c_ty, d_ty = (_register_type(name) for name in (m.addend, m.result))
        c_count = elements // (2 if m.addend == "f16" else 1)
        d_count = elements // (2 if m.result == "f16" else 1)
        self.c = [b.stored(part, c_ty) for part in form.vector(z, c_count)]
        self.d = [b.dst(part, d_ty) for part in form.vector(d, d_count)]
        self.scales: tuple[Scales, Scales] | None = None
        if m.columns:
            pairs = (operands[4:6], operands[6:8])
            self.scales = (
                scales(form, b, pairs[0], m.columns, m.scale, is_left=True),
                scales(form, b, pairs[1], m.columns, m.scale, is_left=False),
            )

    def _decode(self, rows: Array, name: str) -> Array:
        if self._algebra:
            return exact.matrix_elements(self._algebra, rows, name)
        return decode(rows, name)

    def left(self, lanes: Lanes) -> Array:
        """A of each warp, [n_warps, M, K]."""
        return rows_of(self._decode(stack(lanes, self.a), self._left), self._m.rows)

    def right(self, lanes: Lanes) -> Array:
        """B of each warp, [n_warps, K, 8]."""
        parts = self._decode(stack(lanes, self.b), self._right)
        w, g, t, n, e = parts.shape
        return parts.transpose(0, 3, 2, 4, 1).reshape(w, n * t * e, g)

    def addend(self, lanes: Lanes) -> Array:
        """C of each warp, [n_warps, M, 8]."""
        rows = stack(lanes, self.c)
        if self._m.addend == "f16":
            rows = self._decode(rows, "f16").reshape(*rows.shape[:-1], -1)
        parts = rows.reshape(len(rows), 8, 4, -1, 2)
        return parts.transpose(0, 3, 1, 2, 4).reshape(len(rows), self._m.rows, 8)

    def put(self, lanes: Lanes, values: Array) -> None:
        """Writes D [n_warps, M, 8]."""
        parts = values.reshape(len(values), -1, 8, 4, 2).transpose(0, 2, 3, 1, 4)
        self.put_rows(lanes, np.ascontiguousarray(parts))

    def put_rows(self, lanes: Lanes, rows: Array) -> None:
        """Writes the registers of each lane, [n_warps, 32, registers] in any shape."""
        if rows.dtype == np.float16:
            rows = rows.view(np.uint32)
        rows = rows.reshape(len(rows), 32, len(self.d))
        for place, register in enumerate(self.d):
            lanes.put(register, rows[:, :, place])


def _register_type(name: str) -> Type:
    return TYPES["b32" if name == "f16" else name]


@CHAPTER.instruction("mma")
def mma(form: Form, b: Builder) -> Compiled:
    """mma.sync.aligned of f16, bf16, tf32, f64, small floats, integers and bits."""
    m = _read(form)
    operands = _Operands(form, b, m)
    machine, at = b.machine, b.at
    copies = 4 if m.is_volta else 1
    flops = 2 * m.rows * 8 * m.depth * copies
    is_short = b.target in SHORT_SYNC_TARGETS and _may_be_short(m)
    if b.algebra and m.result != "s32":
        if m.is_volta:
            exact.refuse(form, "products of m8n8k4")
        multiply = _exact(b.algebra, m, operands)
    else:
        multiply = _short(operands) if is_short else _multiplication(m, operands)

    def run(lanes: Lanes) -> None:
        machine.counters.flops[at] += flops * len(lanes.warps)
        multiply(lanes)

    step = b.step(run)
    step.convergence = "warp"
    step.flow = whole_warp
    return step


def _may_be_short(m: _Mma) -> bool:
    """Whether sums have fewer bits than f32, on chips where 8-bit floats have them."""
    return {m.left, m.right} <= set(SHORT_FORMATS) and m.result == "f32"


def _short(operands: _Operands) -> Callable[[Lanes], None]:
    def run(lanes: Lanes) -> None:
        pair = operands.left(lanes), operands.right(lanes)
        operands.put(lanes, short_sum(*pair, operands.addend(lanes)))

    return run


def _exact(algebra: Algebra, m: _Mma, operands: _Operands) -> Callable[[Lanes], None]:
    def run(lanes: Lanes) -> None:
        left, right = operands.left(lanes), operands.right(lanes)
        if operands.scales is not None:
            rows, columns = (
                algebra.literals(side.read(lanes, m.depth)) for side in operands.scales
            )
            left = algebra.multiply(left, rows)
            right = algebra.multiply(right, columns.swapaxes(1, 2))
        total = algebra.matmul(left, right, operands.addend(lanes))
        operands.put(lanes, exact.finish(algebra, total, m.result))

    return run


def _multiplication(m: _Mma, operands: _Operands) -> Callable[[Lanes], None]:
    if m.is_volta:
        return lambda lanes: _volta(m, operands, lanes)

    def run(lanes: Lanes) -> None:
        left, right = operands.left(lanes), operands.right(lanes)
        if m.left == "f64":
            mode = m.mode or "rn"
            operands.put(lanes, fused(left, right, operands.addend(lanes), mode))
            return
        if m.result == "s32":
            total = integral(
                left,
                right,
                operands.addend(lanes),
                bit_operation=m.bit_operation,
                is_saturated=m.is_saturated,
            )
            operands.put(lanes, total)
            return
        if operands.scales is not None:
            # Scales reach from 2**-127 to 2**127; double holds products of two.
            left = left * np.float64(1) * operands.scales[0].read(lanes, m.depth)
            right = right * operands.scales[1].read(lanes, m.depth).swapaxes(1, 2)
        total = np.matmul(left, right) + operands.addend(lanes)
        operands.put(lanes, finish(total, m.result))

    return run


# m8n8k4 of f16 ---------------------------------------------------------------------

_LANE = np.arange(32)


def _volta_places(m: _Mma, name: str, count: int) -> tuple[Array, Array, Array]:
    """Matrix, row and column of each element of each lane, [32, count].

    PTX ISA: "Matrix Fragments for mma.m8n8k4 with .f16 floating point type".
    """
    i = np.broadcast_to(np.arange(count), (32, count))
    lane = np.broadcast_to(_LANE[:, None], i.shape)
    high = 4 * (lane >= 16)
    matrix = lane % 16 // 4
    quad = lane % 4
    if name == "a":
        places = (quad + high, i) if m.layouts[0] == "row" else (i + high, quad)
    elif name == "b":
        places = (quad, i + high) if m.layouts[1] == "row" else (i, quad + high)
    elif name == "f16":
        places = (quad + high, i)
    else:
        places = ((lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1))
    row, column = places
    return matrix, row, column


def _volta(m: _Mma, operands: _Operands, lanes: Lanes) -> None:
    """Four products of 8x4 and 4x8, of the lanes of two quads each."""

    def matrices(rows: Array, name: str, shape: tuple[int, int]) -> Array:
        values = rows.reshape(len(rows), 32, -1)
        whole = np.zeros((len(rows), 4, *shape), np.float32)
        matrix, row, column = _volta_places(m, name, values.shape[2])
        whole[:, matrix, row, column] = values
        return whole

    def halves(registers: list[Array]) -> Array:
        return stack(lanes, registers).view(np.float16)

    a = matrices(halves(operands.a), "a", (8, 4))
    b = matrices(halves(operands.b), "b", (4, 8))
    addend = stack(lanes, operands.c)
    if m.addend == "f16":
        addend = addend.view(np.float16)
    c = matrices(addend, m.addend, (8, 8))
    total = finish(np.matmul(a, b) + c, m.result)
    matrix, row, column = _volta_places(m, m.result, 8)
    operands.put_rows(lanes, np.ascontiguousarray(total[:, matrix, row, column]))
