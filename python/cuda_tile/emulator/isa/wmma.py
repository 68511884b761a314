# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions Using wmma".

How a fragment's elements lie in the registers of a warp is unspecified there, so any
layout will do that load, mma and store agree on. Here a fragment is a list of elements:
A by rows, B by columns, C and D by rows; lane l has the l-th part of the list. The f16
fragments of A and B have room for 512 elements whatever the shape ("Matrix Fragments
for WMMA"): the list is repeated.

A lane loads and stores runs of at most 16 bytes, so counts of requests are those of
this layout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa import exact
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.matrix import finish, stack
from cuda_tile.emulator.isa.mma_elements import BITS, decode
from cuda_tile.emulator.isa.mma_products import fused, integral
from cuda_tile.emulator.isa.move import memory_operand, take_space
from cuda_tile.emulator.isa.warp import whole_warp
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled, Step
from cuda_tile.emulator.memory.spaces import Addresses
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand
from cuda_tile.emulator.ptx.types import B32, TYPES, U32, Array, Type
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Warp Level Matrix Instructions: wmma")

_WIDE = ("m16n16k16", "m8n32k16", "m32n8k16")
# By element type of A and B.
_SHAPES: dict[str, tuple[str, ...]] = {
    "f16": _WIDE,
    "bf16": _WIDE,
    "s8": _WIDE,
    "u8": _WIDE,
    "tf32": ("m16n16k8",),
    "f64": ("m8n8k4",),
    "s4": ("m8n8k32",),
    "u4": ("m8n8k32",),
    "b1": ("m8n8k128",),
}
_EVERY_SHAPE = tuple(dict.fromkeys(s for shapes in _SHAPES.values() for s in shapes))
# Types of C and D by those of A and B.
_SUMS: dict[str, tuple[str, ...]] = {
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f64": ("f64",),
    **dict.fromkeys(("s8", "u8", "s4", "u4", "b1"), ("s32",)),
}
_ACCUMULATORS = ("f16", "f32", "s32", "f64")
_MODES = ("rn", "rz", "rm", "rp")
_SUB_BYTE = ("s4", "u4", "b1")
_BITS = BITS | {"f32": 32, "s32": 32}
_MOST_RUN_BYTES = 16
_F16_ELEMENTS = 512


def _extents(shape: str) -> tuple[int, int, int]:
    """M, N and K of `m16n16k16`."""
    m, _, rest = shape[1:].partition("n")
    n, _, k = rest.partition("k")
    return int(m), int(n), int(k)


@dataclass(frozen=True)
class _Fragment:
    """One of the four matrices.

    Attributes:
        name: Type of the elements.
        outer, inner: Extents; the list has `inner` elements side by side.
        per_lane: Elements of a lane.
    """

    name: str
    outer: int
    inner: int
    per_lane: int

    @classmethod
    def of(cls, role: str, shape: str, name: str) -> _Fragment:
        """From the role a, b, c or d, the shape and the element type."""
        m, n, k = _extents(shape)
        outer, inner = {"a": (m, k), "b": (n, k)}.get(role, (m, n))
        room = outer * inner
        if name == "f16" and role in ("a", "b"):
            room = _F16_ELEMENTS
        return cls(name, outer, inner, room // 32)

    @property
    def register(self) -> Type:
        """The type of its registers."""
        return TYPES["b64"] if self.name == "f64" else B32

    @property
    def n_registers(self) -> int:
        """How many registers of a lane hold it."""
        return self.per_lane * _BITS[self.name] // self.register.bits

    def elements(self, lanes: Lanes, registers: list[Array]) -> Array:
        """The matrix of each warp as numbers, [n_warps, outer, inner]."""
        rows = stack(lanes, registers).reshape(len(lanes.warps), -1)
        if self.name in ("f32", "s32"):
            values = rows.view(np.float32 if self.name == "f32" else np.int32)
        else:
            values = decode(rows, self.name).reshape(len(rows), -1)
        return values[:, : self.outer * self.inner].reshape(-1, self.outer, self.inner)


def _shape_and_type(form: Form, shape: str, name: str) -> None:
    if shape not in _SHAPES[name]:
        wanted = " or ".join(f"'.{s}'" for s in _SHAPES[name])
        form.error(f"expected {wanted} for .{name}, got '.{shape}'")


class _Tile:
    """A matrix in memory, as wmma.load and wmma.store touch it."""

    def __init__(self, form: Form, b: Builder, fragment: _Fragment, role: str) -> None:
        self._form, self._b, self.fragment = form, b, fragment
        self._at, self._spaces = b.at, b.spaces
        # What moves as one: an element, or the 32 bits that elements below a byte fill.
        bits = _BITS[fragment.name]
        packed = 32 // bits if fragment.name in _SUB_BYTE else 1
        self._packed = packed
        self._unit_bytes = bits * packed // 8
        self._inner = fragment.inner // packed
        self._units = fragment.per_lane // packed
        self._role = role

    def read_form(self, layout: str, space: str, operands: list[Operand]) -> None:
        """Takes the address and the stride."""
        if self._packed > 1 and layout != ("col" if self._role == "b" else "row"):
            self._form.error(f"expected the other layout for .{self.fragment.name}")
        self._is_side_by_side = (layout == "col") == (self._role == "b")
        self._space, self._address = memory_operand(
            self._form, self._b, operands[0], space
        )
        least = self.fragment.inner if self._is_side_by_side else self.fragment.outer
        self._stride = self._b.machine.constant(least, np.dtype(np.uint32))
        if len(operands) == 2:
            self._stride = self._b.stored(operands[1], U32)

    def runs(self, lanes: Lanes) -> list[tuple[slice, Addresses]]:
        """The accesses of each lane: which bytes of its fragment, and from where."""
        base = self._address(lanes)
        stride = self._stride[lanes.index].astype(np.uint64)
        for values in (base, stride):
            rows = lanes.spread(values)
            if (rows != rows[:, :1]).any():
                raise Fault(
                    "divergence", "expected one address and stride in all lanes"
                )
        size = self._unit_bytes
        length = 1
        if self._is_side_by_side:
            length = min(self._units, self._inner, max(_MOST_RUN_BYTES // size, 1))
        runs: list[tuple[slice, Addresses]] = []
        for first in range(0, self._units, length):
            place = (lanes.numbers & 31) * self._units + first
            place %= self.fragment.outer * self._inner
            outer, inner = (
                part.astype(np.uint64) for part in divmod(place, self._inner)
            )
            if not self._is_side_by_side:
                outer, inner = inner, outer
            skipped = outer * (stride // np.uint64(self._packed)) + inner
            where = base + skipped * np.uint64(size)
            runs.append((slice(first * size, (first + length) * size), where))
        return runs

    def load(self, lanes: Lanes) -> NDArray[np.uint8]:
        """The bytes of each lane's fragment, [count, bytes]."""
        data = np.empty((lanes.count, self._units * self._unit_bytes), np.uint8)
        for part, where in self.runs(lanes):
            size = part.stop - part.start
            data[:, part] = self._spaces.load(self._at, self._space, lanes, where, size)
        return data

    def store(self, lanes: Lanes, data: NDArray[np.uint8]) -> None:
        """Writes each lane's fragment."""
        for part, where in self.runs(lanes):
            octets = np.ascontiguousarray(data[:, part])
            self._spaces.store(self._at, self._space, lanes, where, octets)


def _together(step: Step) -> Step:
    step.convergence = "warp"
    return step


@CHAPTER.instruction("wmma", "load")
def wmma_load(form: Form, b: Builder) -> Compiled:
    """wmma.load: A, B or C of a warp from memory, by rows or columns."""
    form.require("load")
    role = form.choice("a", "b", "c")
    form.require("sync", "aligned")
    layout, shape = form.choice("row", "col"), form.choice(*_EVERY_SHAPE)
    space = _space(form)
    name = form.choice(*(_ACCUMULATORS if role == "c" else _SHAPES))
    _check_role(form, role, shape, name)
    d, *rest = form.some_operands(2, 3)
    fragment = _Fragment.of(role, shape, name)
    tile = _Tile(form, b, fragment, role)
    tile.read_form(layout, space, rest)
    elements = form.vector(d, fragment.n_registers)
    targets = [b.dst(element, fragment.register) for element in elements]

    def run(lanes: Lanes) -> None:
        rows = tile.load(lanes).view(fragment.register.dtype)
        for place, target in enumerate(targets):
            target[lanes.index] = rows[:, place]

    return _together(b.step(run, defines=True))


@CHAPTER.instruction("wmma", "store")
def wmma_store(form: Form, b: Builder) -> Compiled:
    """wmma.store: D of a warp to memory, by rows or columns."""
    form.require("store", "d", "sync", "aligned")
    layout, shape = form.choice("row", "col"), form.choice(*_EVERY_SHAPE)
    space = _space(form)
    name = form.choice(*_ACCUMULATORS)
    _check_role(form, "d", shape, name)
    operands = list(form.some_operands(2, 3))
    fragment = _Fragment.of("d", shape, name)
    elements = form.vector(operands.pop(1), fragment.n_registers)
    sources = [b.stored(element, fragment.register) for element in elements]
    tile = _Tile(form, b, fragment, "d")
    tile.read_form(layout, space, operands)
    machine = b.machine

    def run(lanes: Lanes) -> None:
        rows = np.stack([source[lanes.index] for source in sources], axis=1)
        machine.progress += 1
        tile.store(lanes, rows.view(np.uint8))

    return _together(b.step(run))


def _space(form: Form) -> str:
    space = take_space(form)
    if space not in ("", "global", "shared"):
        form.error(f"expected global or shared memory, got .{space}")
    return space


def _check_role(form: Form, role: str, shape: str, name: str) -> None:
    if role in ("a", "b"):
        _shape_and_type(form, shape, name)
    elif not any(
        shape in shapes and name in _SUMS[left] for left, shapes in _SHAPES.items()
    ):
        form.error(f"expected a type of sums of '.{shape}', got .{name}")


@dataclass(frozen=True)
class _Product:
    """What the modifiers of wmma.mma say; types of D, of A and B, of C."""

    result: str
    left: str
    addend: str
    shape: str
    mode: str
    is_saturated: bool
    bit_operation: str


def _read_product(form: Form) -> _Product:
    form.require("mma")
    types = (*_ACCUMULATORS, *_SHAPES)
    head = (("xor", "and"), ("popc",), ("sync",), ("aligned",))
    form.arrange(*head, ("row", "col"), _EVERY_SHAPE, _MODES, types, ("satfinite",))
    bit_operation = form.option("xor", "and")
    if bit_operation:
        form.require("popc")
    form.require("sync", "aligned")
    layouts = form.choice("row", "col"), form.choice("row", "col")
    shape = form.choice(*_EVERY_SHAPE)
    mode = form.option(*_MODES)
    result = form.choice(*_ACCUMULATORS)
    left = form.option(*(name for name in _SHAPES if name != "f16")) or "f16"
    if left != "f16":
        form.require(left)
    addend = form.choice(*_ACCUMULATORS)
    is_saturated = form.flag("satfinite")
    _shape_and_type(form, shape, left)
    if {result, addend} - set(_SUMS[left]):
        wanted = " or ".join(f".{name}" for name in _SUMS[left])
        form.error(f"expected sums of {wanted} for .{left}")
    if left in _SUB_BYTE and layouts != ("row", "col"):
        form.error(f"expected '.row.col' for .{left}")
    if mode and left != "f64":
        form.error("expected a rounding mode only for .f64")
    if (left == "b1") != bool(bit_operation):
        form.error("expected '.xor.popc' or '.and.popc' for .b1, and only for it")
    if is_saturated and result != "s32":
        form.error("expected '.satfinite' only for integers")
    return _Product(
        result, left, addend, shape, mode or "rn", is_saturated, bit_operation
    )


@CHAPTER.instruction("wmma", "mma")
def wmma_mma(form: Form, b: Builder) -> Compiled:
    """wmma.mma: f16, bf16, tf32, f64, integers and bits."""
    p = _read_product(form)
    if b.algebra and p.result != "s32":
        exact.refuse(form, "products of wmma")
    d, x, y, z = form.operands(4)
    fragments = [
        _Fragment.of(role, p.shape, name)
        for role, name in zip("abcd", (p.left, p.left, p.addend, p.result), strict=True)
    ]
    a, right, c, result = fragments

    def sources(operand: Operand, fragment: _Fragment) -> list[Array]:
        elements = form.vector(operand, fragment.n_registers)
        return [b.src(element, fragment.register) for element in elements]

    registers = [
        sources(operand, f) for operand, f in zip((x, y, z), fragments[:3], strict=True)
    ]
    elements = form.vector(d, result.n_registers)
    targets = [b.dst(element, result.register) for element in elements]
    machine, at = b.machine, b.at
    m, n, k = _extents(p.shape)

    def run(lanes: Lanes) -> None:
        machine.counters.flops[at] += 2 * m * n * k * len(lanes.warps)
        total = _multiply(
            p,
            a.elements(lanes, registers[0]),
            right.elements(lanes, registers[1]).swapaxes(1, 2),
            c.elements(lanes, registers[2]),
        )
        rows = np.ascontiguousarray(total).view(result.register.dtype)
        rows = rows.reshape(len(lanes.warps), 32, len(targets))
        for place, target in enumerate(targets):
            lanes.put(target, rows[:, :, place])

    step = _together(b.step(run))
    step.flow = whole_warp
    return step


def _multiply(p: _Product, left: Array, right: Array, addend: Array) -> Array:
    if p.left == "f64":
        return fused(left, right, addend, p.mode)
    if p.result == "s32":
        return integral(
            left,
            right,
            addend,
            bit_operation=p.bit_operation,
            is_saturated=p.is_saturated,
        )
    return finish(np.matmul(left, right) + addend.astype(np.float32), p.result)
