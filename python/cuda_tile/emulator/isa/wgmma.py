# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Asynchronous Warpgroup Level Matrix Instructions".

The warps of a warpgroup hold 16 rows each; within a warp the fragments of A and D are
those of mma.m16n8k16 and its sisters, D with a further block of 8 columns for every
four registers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa import exact
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.matrix import finish, rows_of, stack
from cuda_tile.emulator.isa.mma_elements import BITS, decode
from cuda_tile.emulator.isa.short_sums import SHORT_FORMATS, short_sum
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.spaces import gather
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate, Operand, Register, Vector
from cuda_tile.emulator.ptx.types import B32, B64, TYPES, Array, Bool
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.tensor.descriptor import Descriptor
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Asynchronous Warpgroup Level Matrix Instructions")

_DEPTHS = {
    8: ("tf32",),
    16: ("f16", "bf16"),
    32: ("e4m3", "e5m2", "s8", "u8"),
    256: ("b1",),
}
_INTEGERS = ("s8", "u8", "b1")
_LANES = 128
Offsets = NDArray[np.int64]


@CHAPTER.instruction("wgmma")
def wgmma(form: Form, b: Builder) -> Compiled:
    """wgmma.fence, mma_async, commit_group, wait_group."""
    kind = form.choice("fence", "mma_async", "commit_group", "wait_group")
    if form.next == "sp":
        form.error("sparse matrices are not supported; use dense wgmma")
    form.require("sync", "aligned")
    cores = b.tensor_cores
    if kind == "mma_async":
        return _mma_async(form, b)
    if kind == "wait_group":
        (count,) = form.operands(1)
        pending = b.groups(count)
        step = b.step(lambda lanes: cores.wait(lanes, pending))
    else:
        form.operands(0)
        step = b.step(cores.fence if kind == "fence" else cores.commit)
    step.convergence = "warp"
    return step


def _shape(form: Form) -> tuple[int, int]:
    """Takes `.m64nNkK`; returns N and K."""
    text = form.prefix("m64n")
    width, _, depth = text.removeprefix("m64n").partition("k")
    if not (width.isdigit() and depth.isdigit()) or int(depth) not in _DEPTHS:
        form.error("expected a shape from '.m64n8k8' to '.m64n256k256'")
    if int(width) % 8 or not 8 <= int(width) <= 256:
        form.error(f"expected a multiple of 8 from 8 to 256 as N, got {width}")
    return int(width), int(depth)


def _types(form: Form, depth: int) -> tuple[str, str, str, bool]:
    is_saturated = form.flag("satfinite")
    result = form.choice("f32", "f16", "s32")
    left, right = form.choice(*_DEPTHS[depth]), form.choice(*_DEPTHS[depth])
    is_integer = left in _INTEGERS
    if is_integer != (right in _INTEGERS) or is_integer != (result == "s32"):
        form.error(f"expected matching types, got .{result} of .{left} and .{right}")
    if left != right and depth != 32:
        form.error(f"expected one type for A and B, got .{left} and .{right}")
    if result == "f16" and left in ("bf16", "tf32"):
        form.error(f"expected .f32 results of .{left}")
    if is_saturated and (not is_integer or left == "b1"):
        form.error("expected '.satfinite' only for s8 and u8")
    if left == "b1":
        form.require("and", "popc")
    return result, left, right, is_saturated


def _mma_async(form: Form, b: Builder) -> Compiled:
    """wgmma.mma_async: A from registers or memory, B from memory."""
    width, depth = _shape(form)
    result, left, right, is_saturated = _types(form, depth)
    if left in _INTEGERS and width > 32 and width % 16:
        form.error(f"expected a multiple of 16 as N above 32, got {width}")
    operands = list(form.some_operands(4, 8))
    ty = TYPES["b32" if result == "f16" else result]
    d = form.vector(operands[0], width // (4 if result == "f16" else 2))
    targets = [b.dst(element, ty) for element in d]
    source = _matrix(form, b, operands[1], 64, left)
    flags = _flags(form, b, operands[3:], left, has_registers=source.parts is not None)
    scale, signs, (flips_a, flips_b) = flags
    other = _matrix(form, b, operands[2], width, right)
    if other.parts is not None:
        form.error("expected a descriptor for B")
    registers = [e for e in (*d, *source.registers) if isinstance(e, Register)]
    product = _Product(b, width, depth, result, left, right)
    at, shape = b.at, (width << 8) | depth
    machine, cores = b.machine, b.tensor_cores

    def run(lanes: Lanes) -> None:
        for some in _warpgroups(b, lanes):
            base = int(machine.shared_base[some.numbers[0]])
            where = other.chunks(some, base, flips_b, depth)
            if source.parts is not None:
                rows = rows_of(product.decode(stack(some, source.parts), left))
                a = rows.reshape(64, depth)
                chunks = [where]
            else:
                near = source.chunks(some, base, flips_a, depth)
                a = product.load(near, left, 64, transposed=flips_a)
                chunks = [near, where]
            cores.start(at, some, registers, shape, [c.ravel() for c in chunks])
            right_matrix = product.load(where, right, width, transposed=flips_b).T
            pair = (a * signs[0], right_matrix * signs[1])
            keeps = _uniform(some, scale, "scale-d")
            size = CHUNK_BYTES * sum(part.size for part in chunks)
            machine.counters.moved(at, "matrix", size)
            machine.counters.flops[at] += 2 * 64 * width * depth
            product.add(some, targets, pair, bool(keeps), saturates=is_saturated)

    step = b.step(run)
    step.convergence = "warpgroup"
    step.flow = _definedness(b, [e for e in d if isinstance(e, Register)], scale)
    return step


def _definedness(
    b: Builder, registers: list[Register], scale: Array
) -> Callable[[Bool, Lanes], Bool]:
    """D is defined where the sources are, and D before where it is added to."""
    for register in registers:
        b.machine.register(register)
    defined = [b.machine.defined[register] for register in registers]

    def flow(flags: Bool, lanes: Lanes) -> Bool:
        whole = np.full(lanes.count, flags.all())
        keeps = scale[lanes.index]
        for flag in defined:
            whole &= flag[lanes.index] | ~keeps
        return whole

    return flow


def _uniform(lanes: Lanes, values: Array, what: str) -> int:
    """The value of an operand that must be equal in all lanes of a warpgroup."""
    mine = values[lanes.index]
    if (mine != mine[0]).any():
        raise Fault("wgmma", f"expected one {what} in all lanes of a warpgroup")
    return int(mine[0])


def _warpgroups(b: Builder, lanes: Lanes) -> list[Lanes]:
    """Splits lanes by warpgroup; each must have four whole warps."""
    per_cta = b.machine.geometry.warps_per_cta
    warp = lanes.numbers >> 5
    key = warp // per_cta * per_cta + warp % per_cta // 4 * 4
    groups: list[Lanes] = []
    for first in np.unique(key):
        some = Lanes(lanes.numbers[key == first], b.machine.n_lanes)
        if some.count != _LANES:
            raise Fault(
                "wgmma",
                f"expected the {_LANES} threads of a warpgroup, got {some.count}",
            )
        groups.append(some)
    return groups


def _flags(
    form: Form,
    b: Builder,
    operands: list[Operand],
    name: str,
    *,
    has_registers: bool,
) -> tuple[Array, tuple[int, int], tuple[bool, bool]]:
    """Reads scale-d, the signs of A and B, and which are transposed."""
    wanted = 1 if name in _INTEGERS else 3
    if name in ("f16", "bf16"):
        wanted += 1 if has_registers else 2
    if len(operands) != wanted:
        form.error(f"expected {wanted} operands after the matrices")
    head = operands[0]
    scale = b.pred(head)
    if isinstance(head, Immediate) and head.value not in (0, 1):
        form.error(f"expected 0 or 1 as the scale of D, got {head.value}")
    rest = [b.integer(operand, "a constant") for operand in operands[1:]]
    signs = (rest[0], rest[1]) if len(rest) > 1 else (1, 1)
    if set(signs) - {1, -1}:
        form.error(f"expected 1 or -1 as the scales of A and B, got {signs}")
    flips = rest[2:]
    if set(flips) - {0, 1}:
        form.error(f"expected 0 or 1 for transposed operands, got {flips}")
    flip_a = bool(flips[0]) if len(flips) == 2 else False
    return scale, signs, (flip_a, bool(flips[-1]) if flips else False)


class _Matrix:
    """An operand: registers, or a descriptor of `count` rows."""

    def __init__(
        self,
        count: int,
        registers: tuple[Operand, ...],
        parts: list[Array] | None,
        bits: Array | None,
        places: Callable[[Lanes, Offsets], Offsets],
    ) -> None:
        self.registers = registers
        self.parts = parts
        self._bits = bits
        self._count = count
        self._places = places
        self._memo: dict[tuple[int, bool], Offsets] = {}

    def chunks(self, lanes: Lanes, base: int, transposed: bool, depth: int) -> Offsets:
        """Places of the operand's pieces in the machine's shared memory."""
        assert self._bits is not None, "registers have no place"
        bits = _uniform(lanes, self._bits, "matrix descriptor")
        found = self._memo.get((bits, transposed))
        if found is None:
            descriptor = Descriptor.decode(bits)
            if transposed:
                found = descriptor.columns(self._count, depth)
            else:
                found = descriptor.rows(self._count)
            self._places(lanes, found)
            self._memo[bits, transposed] = found
        return found + base


def _matrix(form: Form, b: Builder, operand: Operand, count: int, name: str) -> _Matrix:
    def places(lanes: Lanes, chunks: Offsets) -> Offsets:
        limit = b.machine.symbols.shared_bytes
        if int(chunks.max()) + 16 > limit:
            raise Fault(
                "out of bounds",
                f"a matrix descriptor reaches offset {int(chunks.max()) + 16:#x} of "
                f"shared memory, which has {limit} bytes",
            )
        return chunks

    if isinstance(operand, Vector):
        parts = form.vector(operand, 4)
        sources = [b.src(element, B32) for element in parts]
        return _Matrix(count, parts, sources, None, places)
    return _Matrix(count, (), None, b.src(operand, B64), places)


class _Product:
    """The arithmetic of one wgmma form."""

    def __init__(
        self, b: Builder, width: int, depth: int, result: str, left: str, right: str
    ) -> None:
        self._shared = b.machine.shared
        self._width, self._depth, self._result = width, depth, result
        self._algebra = b.algebra if result != "s32" else None
        self._is_short = result == "f32" and left in SHORT_FORMATS
        self.decode = decode
        if b.algebra:
            self.decode = partial(exact.matrix_elements, b.algebra)

    def load(
        self, chunks: Offsets, name: str, count: int, *, transposed: bool
    ) -> NDArray[np.float32]:
        """Reads a matrix, f32[count, depth]."""
        data = gather(self._shared, chunks.ravel(), 16)
        if transposed:
            rows = data.reshape(self._depth, count * 2)
            parts = self.decode(rows.view(np.uint32), name)
            return parts.reshape(self._depth, count).T
        rows = data.reshape(count, 32).view(np.uint32)
        return self.decode(rows, name).reshape(count, 256 // BITS[name])

    def add(
        self,
        lanes: Lanes,
        targets: list[Array],
        pair: tuple[Array, Array],
        keeps: bool,
        *,
        saturates: bool,
    ) -> None:
        """Adds a product of [64, K] and [K, N] to a warpgroup's accumulators."""
        before = self._accumulators(lanes, targets) if keeps else None
        if self._algebra:
            total = self._algebra.matmul(*pair, before)
        elif self._is_short:
            total = short_sum(*pair, before)
        else:
            total = np.matmul(*pair)
            total = total if before is None else total + before
        if self._result == "s32":
            whole = total.astype(np.int64)
            if saturates:
                whole = whole.clip(-(2**31), 2**31 - 1)
            total = whole.astype(np.int32)
        elif self._algebra:
            total = exact.finish(self._algebra, total, self._result)
        else:
            total = finish(total, self._result)
        # Rows are (warp, half, g), columns (block, t, place).
        parts = total.reshape(4, 2, 8, self._width // 8, 4, 2)
        parts = np.ascontiguousarray(parts.transpose(3, 1, 0, 2, 4, 5))
        if self._result == "f16":
            values = parts.view(np.uint32).reshape(len(targets), _LANES)
        else:
            columns = parts.reshape(-1, _LANES, 2).swapaxes(1, 2)
            values = columns.reshape(len(targets), _LANES)
        for target, value in zip(targets, values, strict=True):
            target[lanes.index] = value

    def _accumulators(self, lanes: Lanes, targets: list[Array]) -> Array:
        """Returns D as it is, [64, N]."""
        rows = np.stack([target[lanes.index] for target in targets])
        blocks = self._width // 8
        if self._result == "f16":
            pairs = self.decode(rows, "f16") if self._algebra else rows.view(np.float16)
            pairs = pairs.astype(np.float32)
            parts = pairs.reshape(blocks, 2, 4, 8, 4, 2)
        else:
            if self._result == "s32":
                rows = rows.astype(np.float64)
            parts = rows.reshape(blocks, 2, 2, 4, 8, 4).transpose(0, 1, 3, 4, 5, 2)
        return parts.transpose(2, 1, 3, 0, 4, 5).reshape(64, self._width)
