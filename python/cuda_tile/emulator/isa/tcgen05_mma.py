# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tcgen05.mma and tcgen05.mma.ws: one thread multiplies matrices into tensor memory.

PTX ISA: "TensorCore 5th Generation Matrix Multiply and accumulate Operations". A lies
in shared memory (a descriptor) or in tensor memory, B in shared memory; in a pair of
CTAs each holds half the rows of A and half the columns of B. The arithmetic is that of
the other matrix instructions: exact products, sums in single precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa import exact
from cuda_tile.emulator.isa.matrix import finish
from cuda_tile.emulator.isa.tcgen05_move import shared_chunks, split_address
from cuda_tile.emulator.isa.tcgen05_scale import Scaling, take_scaling
from cuda_tile.emulator.machine.build import AddressOf, Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.spaces import gather
from cuda_tile.emulator.ordering.tensor_order import Operation
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Address, Immediate, Operand, Vector
from cuda_tile.emulator.ptx.types import B64, PRED, U32, Array, Bool
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.tensor.datapaths import Part, parts_of
from cuda_tile.emulator.tensor.descriptor import Descriptor
from cuda_tile.emulator.tensor.formats import BITS, Packing, unpack
from cuda_tile.emulator.tensor.instruction_descriptor import (
    KINDS,
    SCALED_KINDS,
    InstructionDescriptor,
    zero_columns,
)
from cuda_tile.emulator.tensor.memory import Region, Words
from cuda_tile.emulator.tensor.pipe import Chunks
from cuda_tile.emulator.tensor.unit import TensorUnit
from cuda_tile.emulator.threads.lanes import Lanes

Offsets = NDArray[np.int64]
Matrix = NDArray[np.float32]

# K of one instruction is 32 bytes of memory; elements are packed only in these kinds.
_DENSE_KINDS = ("mxf4", "mxf4nvf4")
_DEPTHS = {"f16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}
_DEPTH = 32
_ROW_WORDS = 8


class _Operands(NamedTuple):
    """The compiled operands of a product.

    Attributes:
        d: Address of D.
        a: Address of A, or None where `a_bits` are its descriptor.
        a_bits, b_bits, shape: Descriptors of A, B and the instruction.
        keeps: Whether D is added to, per lane.
        negated: Whether `keeps` is to be negated.
        masks: Lanes of D not to write, 32 in each.
        columns: Zero-column mask descriptor, None for none.
        power: D is scaled by two to the minus this.
        scaling: Where the scale factors are; None without.
    """

    d: AddressOf
    a: AddressOf | None
    a_bits: Array | None
    b_bits: Array
    shape: Array
    keeps: Array
    negated: bool
    masks: list[Array]
    columns: Array | None
    power: int
    scaling: Scaling | None


def mma(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.mma: all kinds of dense products."""
    is_ws = form.flag("ws")
    if form.flag("sp"):
        form.error("expected a dense product; '.sp' is not supported")
    group = unit.cta_group(form)
    kind = form.choice(*(f"kind::{kind}" for kind in KINDS)).removeprefix("kind::")
    if is_ws and (group == 2 or kind in SCALED_KINDS):
        form.error("expected '.cta_group::1' and a kind without scales with '.ws'")
    vector = take_scaling(form, kind) if kind in SCALED_KINDS else 0
    if form.flag("ashift"):
        form.error("expected A as it is; '.ashift' is not supported")
    kept = _collector(form, is_ws=is_ws)
    operands = _operands(form, b, kind, group, vector, is_ws=is_ws)
    product = _Product(b, unit, kind, group, kept, is_ws=is_ws)

    def run(lanes: Lanes) -> None:
        for number in unit.issuer(lanes):
            product.run(operands, number)

    return b.step(run)


def _collector(form: Form, *, is_ws: bool) -> str:
    """Takes `.collector::buffer::op`; returns the matrix that need not be read again.

    `.use` and `.lastuse` let the hardware take what an earlier `.fill` kept.
    """
    usage = form.prefix("collector::")
    if not usage:
        return ""
    _, buffer, action = usage.split("::") if usage.count("::") == 2 else ("", "", "")
    buffers = ("b0", "b1", "b2", "b3") if is_ws else ("a",)
    if buffer not in buffers or action not in ("fill", "use", "lastuse", "discard"):
        form.error(
            f"expected a buffer of {', '.join(buffers)} and fill, use, lastuse or "
            f"discard, got '.{usage}'"
        )
    return buffer[0] if action in ("use", "lastuse") else ""


def _operands(
    form: Form, b: Builder, kind: str, group: int, vector: int, *, is_ws: bool
) -> _Operands:
    rest = list(form.some_operands(5, 8))
    d, a, right, shape = (rest.pop(0) for _ in range(4))
    scaling = None
    if vector:
        if len(rest) != 3:
            form.error("expected scale factors of A and of B, and a predicate")
        addresses = b.address(rest.pop(0), "tensor"), b.address(rest.pop(0), "tensor")
        scaling = Scaling(*addresses, vector)
    masks: list[Array] = []
    if rest and isinstance(rest[0], Vector):
        if is_ws or vector:
            form.error("expected no lanes to leave out in this form")
        elements = form.vector(rest.pop(0), 4 * group)
        masks = [b.stored(element, U32) for element in elements]
    if not rest:
        form.error("expected a predicate whether to add D")
    head = rest.pop(0)
    keeps = b.constant(head, PRED) if isinstance(head, Immediate) else b.pred(head)
    columns, power = None, 0
    if rest and is_ws:
        columns = b.stored(rest.pop(0), B64)
    elif rest and kind in ("f16", "tf32"):
        power = b.integer(rest.pop(0), "a constant from 0 to 15")
        if not 0 <= power <= 15:
            form.error(f"expected a scale of D from 0 to 15, got {power}")
    if rest:
        form.error("expected no further operand")
    has_address = isinstance(a, Address)
    return _Operands(
        b.address(d, "tensor"),
        b.address(a, "tensor") if has_address else None,
        None if has_address else b.stored(a, B64),
        b.stored(right, B64),
        b.stored(shape, U32),
        keeps,
        _is_negated(head),
        masks,
        columns,
        power,
        scaling,
    )


def _is_negated(operand: Operand) -> bool:
    return type(operand).__name__ == "Negated"


class _Product:
    """One form of the instruction at work."""

    def __init__(
        self,
        b: Builder,
        unit: TensorUnit,
        kind: str,
        group: int,
        kept: str,
        *,
        is_ws: bool,
    ) -> None:
        self._b, self._unit, self._at, self._kept = b, unit, b.at, kept
        self._kind, self._group, self._is_ws = kind, group, is_ws
        self._algebra = b.algebra if kind != "i8" else None
        self._depth = _DEPTHS.get(kind, _DEPTH)
        self._memo: dict[tuple[int, int, str, bool], Offsets] = {}

    def run(self, operands: _Operands, number: int) -> None:
        """Multiplies for the thread `number`."""
        unit, machine = self._unit, self._b.machine
        one = Lanes(np.array([number]), machine.n_lanes)
        shape = InstructionDescriptor.decode(int(operands.shape[number]), self._kind)
        shape.check(self._kind, self._group, is_ws=self._is_ws)
        ctas = unit.ctas(number, self._group)
        place = split_address(int(operands.d(one)[0]))
        parts = parts_of(shape.m, shape.n, self._group, place[0], is_ws=self._is_ws)
        pipeline_key = (place, shape.m, shape.n, self._kind, self._is_ws)
        operation = unit.issue(self._at, "mma", number, pipeline_key)
        left, near = self._left(operands, one, shape, ctas, parts, operation)
        chunks, right = self._right(operands, number, shape, ctas)
        # What the product reads is checked before what it writes.
        lefts = [Chunks(c.ravel(), self._data_bytes(shape.left)) for c in near]
        rights = [Chunks(c.ravel(), self._data_bytes(shape.right)) for c in chunks]
        unit.pipe.start(operation, *lefts, *rights)
        keeps = bool(operands.keeps[number]) != operands.negated
        totals = self._totals(operands, one, shape, ctas, operation, left, right)
        self._count(shape, near, chunks)
        for part in parts:
            cta = ctas[part.rank]
            rows = slice(
                part.rows.start - part.rank * len(left[0]),
                part.rows.stop - part.rank * len(left[0]),
            )
            total = totals[part.rank][rows, part.columns]
            self._add(operands, operation, shape, part, cta, place[1], total, keeps)

    def _count(
        self, shape: InstructionDescriptor, left: list[Offsets], right: list[Offsets]
    ) -> None:
        """Counts operations, and bytes read in shared memory.

        With 64 rows in one CTA half of the lanes are idle (PTX ISA, "Data Path Layout
        Organization", layout F).
        """
        counters, at = self._b.machine.counters, self._at
        flops = 2 * shape.m * shape.n * self._depth
        counters.flops[at] += flops
        if shape.m == 64 and not self._is_ws:
            counters.idle_flops[at] += flops
        read = [*(left * (self._kept != "a")), *(right * (self._kept != "b"))]
        size = CHUNK_BYTES * sum(part.size for part in read)
        counters.moved(at, "matrix", size)

    # Operands ----------------------------------------------------------------------

    def _left(
        self,
        operands: _Operands,
        one: Lanes,
        shape: InstructionDescriptor,
        ctas: list[int],
        parts: list[Part],
        operation: Operation,
    ) -> tuple[list[Matrix], list[Offsets]]:
        """A of each CTA, f32[rows, K], and the chunks of shared memory it lies in."""
        count = shape.m // len(ctas)
        if operands.a is not None:
            address = split_address(int(operands.a(one)[0]))
            parts_a = self._parts_in_memory(shape, parts, address, operation)
            data = [
                self._from_tensor(ctas[part.rank], part, address[1], operation)
                for part in parts_a
            ]
            packing: Packing = "dense" if self._kind in _DENSE_KINDS else "bytes"
            rows = [self._unpack(bytes_, shape.left, packing) for bytes_ in data]
            return [_signed(row, shape.signs[0]) for row in rows], []
        assert operands.a_bits is not None, "A is in tensor memory or shared memory"
        bits = int(operands.a_bits[one.numbers[0]])
        found = [
            self._shared(bits, count, shape.left, cta, is_flipped=shape.flips[0])
            for cta in ctas
        ]
        matrices = [_signed(matrix, shape.signs[0]) for matrix, _ in found]
        return matrices, [where for _, where in found]

    def _parts_in_memory(
        self,
        shape: InstructionDescriptor,
        parts: list[Part],
        address: tuple[int, int],
        operation: Operation,
    ) -> list[Part]:
        if len(parts) > len({part.rank for part in parts}):
            raise Fault(
                "tcgen05",
                f"expected A in shared memory for M of {shape.m} in this form; in "
                "tensor memory it is not supported",
            )
        if shape.flips[0]:
            raise Fault("tcgen05", "expected no transposed A in tensor memory")
        first = parts[0].lanes
        lane = first.start if isinstance(first, slice) else int(first[0])
        if address[0] != lane:
            raise Fault(
                "tcgen05", f"expected A in the lanes of D, got lane {address[0]}"
            )
        return parts

    def _from_tensor(
        self, cta: int, part: Part, column: int, operation: Operation
    ) -> NDArray[np.uint8]:
        columns = slice(column, column + _ROW_WORDS)
        region = Region(cta, part.lanes, columns)
        self._unit.memory.access(operation, region, reads=True, writes=False)
        words = np.ascontiguousarray(self._unit.memory.words[region])
        return words.view(np.uint8)

    def _right(
        self,
        operands: _Operands,
        number: int,
        shape: InstructionDescriptor,
        ctas: list[int],
    ) -> tuple[list[Offsets], Matrix]:
        """B of all CTAs, f32[K, N], and its chunks in each."""
        bits, count = int(operands.b_bits[number]), shape.n // len(ctas)
        found = [
            self._shared(bits, count, shape.right, cta, is_flipped=shape.flips[1])
            for cta in ctas
        ]
        matrix = np.concatenate([rows for rows, _ in found])
        if operands.columns is not None:
            mask = zero_columns(int(operands.columns[number]), shape.m, shape.n)
            matrix = np.where(mask[:, None], np.float32(0), matrix)
        return [where for _, where in found], _signed(matrix, shape.signs[1]).T

    def _shared(
        self, bits: int, count: int, name: str, cta: int, *, is_flipped: bool
    ) -> tuple[Matrix, Offsets]:
        """Reads a matrix, f32[count, K], and its chunks."""
        key = bits, count, name, is_flipped
        chunks = self._memo.get(key)
        per_piece = CHUNK_BYTES * 8 // BITS[name]
        if chunks is None:
            descriptor = Descriptor.decode_tensor(bits)
            if is_flipped:
                self._check_flipped(descriptor, count, name, per_piece)
                chunks = descriptor.columns(count, self._depth, per_piece)
            else:
                chunks = descriptor.rows(count)
            self._memo[key] = chunks
        where = shared_chunks(self._b, chunks, cta)
        data = gather(self._b.machine.shared, where.ravel(), CHUNK_BYTES)
        rows = np.ascontiguousarray(data).reshape(len(where), -1)
        packing: Packing = "dense" if self._kind in _DENSE_KINDS else "padded"
        matrix = self._unpack(rows, name, packing)
        return (matrix.T if is_flipped else matrix), where

    def _unpack(self, data: NDArray[np.uint8], name: str, packing: Packing) -> Matrix:
        if self._algebra is None:
            return unpack(data, name, packing)
        return exact.tensor_elements(self._algebra, data, name, packing)

    def _data_bytes(self, name: str) -> int:
        """Bytes of a chunk that hold elements: the rest of a padded one is not read."""
        is_padded = BITS[name] < 8 and self._kind not in _DENSE_KINDS
        return 2 * BITS[name] if is_padded else CHUNK_BYTES

    def _check_flipped(
        self, descriptor: Descriptor, count: int, name: str, per_piece: int
    ) -> None:
        if (name == "tf32") != (descriptor.unit == 32):
            raise Fault(
                "tcgen05",
                "expected swizzles of 32 bytes for transposed tf32, and only for it",
            )
        if count % per_piece:
            raise Fault(
                "tcgen05",
                f"expected a multiple of {per_piece} transposed rows, got {count}",
            )

    # Results -----------------------------------------------------------------------

    def _totals(
        self,
        operands: _Operands,
        one: Lanes,
        shape: InstructionDescriptor,
        ctas: list[int],
        operation: Operation,
        left: list[Matrix],
        right: Matrix,
    ) -> list[Array]:
        """A times B of each CTA's rows."""
        if operands.scaling is None:
            matmul = self._algebra.matmul if self._algebra else np.matmul
            return [matmul(rows, right) for rows in left]
        if shape.m // len(ctas) != 128:
            raise Fault(
                "tcgen05",
                "expected 128 rows in each CTA of a product with scale factors; "
                "fewer are not supported",
            )
        memory = self._unit.memory
        return [
            operands.scaling.multiply(
                memory, one, shape, cta, operation, rows, right, self._algebra
            )
            for cta, rows in zip(ctas, left, strict=True)
        ]

    def _add(
        self,
        operands: _Operands,
        operation: Operation,
        shape: InstructionDescriptor,
        part: Part,
        cta: int,
        column: int,
        total: Array,
        keeps: bool,
    ) -> None:
        """Writes a part of D, added to what is there where `keeps`."""
        memory, number = self._unit.memory, operation.lane
        width = part.columns.stop - part.columns.start
        region = Region(cta, part.lanes, slice(column, column + width))
        written = self._written_lanes(operands, number, part)
        if not written.all():
            lanes = np.arange(128)[part.lanes][written]
            if not len(lanes):
                return
            region, total = region.shifted(lanes), total[written]
        memory.access(operation, region, reads=keeps, writes=True)
        before = memory.words[region] if keeps else None
        if self._algebra is None:
            words = _sum(total, before, shape, operands.power)
        else:
            result, power = shape.result, operands.power
            words = exact.tensor_sum(self._algebra, total, before, result, power)
        memory.words[region] = words

    def _written_lanes(self, operands: _Operands, number: int, part: Part) -> Bool:
        lanes = np.arange(128)[part.lanes]
        if not operands.masks:
            return np.ones(len(lanes), np.bool_)
        masks = operands.masks[4 * part.rank : 4 * part.rank + 4]
        words = np.array([int(mask[number]) for mask in masks])
        return (words[lanes // 32] >> lanes % 32 & 1) == 0


def _signed(matrix: Matrix, sign: int) -> Matrix:
    return matrix if sign > 0 else -matrix


def _sum(
    total: Array, before: Words | None, shape: InstructionDescriptor, power: int
) -> Words:
    """Adds D, and rounds to the words of tensor memory."""
    if shape.result == "s32":
        whole = total.astype(np.int64)
        if before is not None:
            whole += before.view(np.int32)
        if shape.saturates:
            whole = whole.clip(-(2**31), 2**31 - 1)
        return whole.astype(np.int32).view(np.uint32)
    if before is not None:
        if shape.result == "f16":
            halves = before.astype(np.uint16).view(np.float16)
            old = halves.astype(np.float32)
        else:
            old = before.view(np.float32)
        total = np.add(total, old * np.float32(2.0**-power))
    values = finish(total, shape.result)
    if shape.result == "f16":
        return values.view(np.uint16).astype(np.uint32)
    return np.ascontiguousarray(values).view(np.uint32)
