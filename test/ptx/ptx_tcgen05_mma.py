# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one tcgen05.mma: operands as memory has them, and what NumPy computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from ptx_tcgen05 import Kernel, committed, descriptor

RNG = np.random.default_rng(11)
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "s8": np.int8,
    "u8": np.uint8,
}
BITS = {"e2m3": 6, "e3m2": 6, "e2m1": 4}
# Codes of the types in the instruction descriptor, tables of "Instruction descriptor".
CODES = {
    "f16": {"f16": 0, "bf16": 1},
    "tf32": {"tf32": 2},
    "f8f6f4": {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5},
    "i8": {"u8": 0, "s8": 1},
    "mxf4": {"e2m1": 1},
}
CODES["mxf8f6f4"] = CODES["f8f6f4"]
CODES["mxf4nvf4"] = CODES["mxf4"]
RESULTS = {"f16": 0, "f32": 1, "s32": 2}
DEPTHS = {"f16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}


@dataclass(frozen=True)
class Mma:
    """One tcgen05.mma.

    Attributes:
        kind: Its kind.
        left, right, result: Types of A, B and D.
        m, n: Shape.
        swizzle: Of both operands in shared memory.
        flips: Whether A and B run along M and N.
        negated: Whether A and B are negated.
        from_tensor: Whether A is in tensor memory.
        group: CTAs.
        ws: Weight stationary.
        keeps: Whether D is added to.
        tail: Further operands after the predicate.
        mask: Lanes not to write, as text.
        vector: Text of `.scale_vectorsize`.
        scale: Type of the scale factors.
        ids: Which bytes hold the factors of A and B.
        base: Rows of 128 bytes that the swizzles' patterns are moved by.
    """

    kind: str = "f16"
    left: str = "f16"
    right: str = "f16"
    result: str = "f32"
    m: int = 128
    n: int = 64
    swizzle: int = 128
    flips: tuple[int, int] = (0, 0)
    negated: tuple[int, int] = (0, 0)
    from_tensor: bool = False
    group: int = 1
    ws: bool = False
    keeps: bool = True
    tail: str = ""
    mask: str = ""
    saturates: bool = False
    vector: str = ""
    scale: str = "ue8m0"
    ids: tuple[int, int] = (0, 0)
    lane: int = 0
    base: int = 0

    @property
    def depth(self) -> int:
        """K."""
        return DEPTHS.get(self.kind, 32)

    @property
    def idesc(self) -> int:
        """The instruction descriptor."""
        codes = CODES[self.kind]
        bits = codes[self.left] << 7 | codes[self.right] << 10
        bits |= self.negated[0] << 13 | self.negated[1] << 14
        bits |= self.flips[0] << 15 | self.flips[1] << 16
        bits |= self.n >> 3 << 17 | self.m >> 4 << 24
        if self.kind.startswith("mx"):
            bits |= int(self.scale == "ue8m0") << 23
            return bits | self.ids[0] << 29 | self.ids[1] << 4
        return bits | RESULTS[self.result] << 4 | int(self.saturates) << 3

    def values(self, name: str, count: int) -> np.ndarray:
        """Random elements, [count, K], that sums are exact for."""
        if name == "u8":
            return RNG.integers(0, 256, (count, self.depth)).astype(np.uint8)
        if name == "s8":
            return RNG.integers(-128, 128, (count, self.depth)).astype(np.int8)
        numbers = RNG.integers(-4, 5, (count, self.depth)) / 2
        return numbers.astype(DTYPES[name])

    def bytes_of(self, name: str, matrix: np.ndarray) -> np.ndarray:
        """Rows of a matrix [rows, elements] as shared memory has them."""
        bits = BITS.get(name, 0)
        raw = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), -1)
        if not bits:
            return raw
        group = 32 if self.depth == 64 else 16
        result = np.zeros((len(raw), raw.shape[1] // group * 16), np.uint8)
        for row in range(len(raw)):
            for first in range(0, raw.shape[1], group):
                codes = raw[row, first : first + group]
                packed = sum(int(c) << bits * i for i, c in enumerate(codes))
                data = np.frombuffer(packed.to_bytes(16, "little"), np.uint8)
                result[row, first // group * 16 : first // group * 16 + 16] = data
        return result

    def image(self, name: str, matrix: np.ndarray, flip: int) -> tuple[np.ndarray, int]:
        """Lays a matrix [rows, K] out; returns bytes and descriptor at address 0."""
        rows = self.bytes_of(name, matrix.T if flip else matrix)
        if not flip:
            data, bits = straight(rows, self.swizzle)
        elif name == "tf32":
            data, bits = flipped_in_32(rows)
        else:
            data, bits = flipped(rows, self.swizzle)
        gap = 128 * self.base
        return np.pad(data, (gap, 0)), bits + (gap >> 4) | self.base << 49


def mixed(where: int, span: int) -> int:
    """Where a byte lies: chunk bits xor line bits, per 128-byte line."""
    line, chunk = where // 128, where // 16 % 8
    return line * 128 + (chunk ^ line % (span // 16)) * 16 + where % 16


def straight(rows: np.ndarray, span: int) -> tuple[np.ndarray, int]:
    """Rows of 32 bytes along K, at the end of the swizzle's rows."""
    count = len(rows)
    if not span:
        parts = rows.reshape(count // 8, 8, 2, 16).transpose(2, 0, 1, 3)
        return parts.reshape(-1), descriptor(0, count * 16, 128, 0)
    result, start = np.full(count * span, 0xAB, np.uint8), span - 32
    for row in range(count):
        for byte in range(32):
            result[mixed(row * span + start + byte, span)] = rows[row, byte]
    return result, descriptor(start, 16, 8 * span, span)


def flipped(rows: np.ndarray, span: int) -> tuple[np.ndarray, int]:
    """For each k the elements along M or N."""
    depth, width = rows.shape
    if not span:
        parts = rows.reshape(depth // 8, 8, width // 16, 16).transpose(0, 2, 1, 3)
        image = np.ascontiguousarray(parts).reshape(-1)
        return image, descriptor(0, width * 8, 128, 0)
    result = np.zeros(-(-width // span) * depth * span, np.uint8)
    for k in range(depth):
        for byte in range(width):
            atom, inside = divmod(byte, span)
            result[mixed(atom * depth * span + k * span + inside, span)] = rows[k, byte]
    return result, descriptor(0, depth * span, 8 * span, span)


def flipped_in_32(rows: np.ndarray) -> tuple[np.ndarray, int]:
    """tf32: atoms of 128 bytes and 4 k, in which 32 bytes move as one."""
    depth, width = rows.shape
    result = np.zeros(depth * width, np.uint8)
    for k in range(depth):
        for byte in range(width):
            atom, inside = divmod(byte, 128)
            where = atom * depth * 128 + k * 128 + inside
            line, chunk = where // 128, where // 32 % 4
            place = line * 128 + (chunk ^ line % 4) * 32 + where % 32
            result[place] = rows[k, byte]
    return result, descriptor(0, depth * 128, 512, 0) | 1 << 61


def d_place(op: Mma, row: int, column: int) -> tuple[int, int, int]:
    """CTA, lane and column of an element of D: the figures of the layouts."""
    if op.group == 2 and op.m == 256:
        return row // 128, row % 128, column
    if op.group == 2:
        half, rest = divmod(column, op.n // 2)
        return row // 64, row % 64 + 64 * half, rest
    if op.m == 128:
        return 0, row, column
    if op.m == 64 and not op.ws:
        return 0, row // 16 * 32 + row % 16 + op.lane, column
    copies = 128 // op.m
    part, rest = divmod(column, op.n // copies)
    return 0, row + op.m * part, rest


D_COLUMN = 32


def build(op: Mma) -> tuple[Kernel, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Kernel, image, tensor memory before, and the matrices."""
    a, b = op.values(op.left, op.m), op.values(op.right, op.n)
    ranks = range(op.group)
    half = [
        op.image(
            op.left, a[len(a) // op.group * r :][: len(a) // op.group], op.flips[0]
        )
        for r in ranks
    ]
    other = [
        op.image(
            op.right, b[len(b) // op.group * r :][: len(b) // op.group], op.flips[1]
        )
        for r in ranks
    ]
    gap = -(-len(half[0][0]) // 1024) * 1024
    size = gap + -(-len(other[0][0]) // 1024) * 1024
    image = np.zeros((op.group, size), np.uint8)
    for rank in ranks:
        image[rank, : len(half[rank][0])] = half[rank][0]
        image[rank, gap : gap + len(other[rank][0])] = other[rank][0]
    kernel = Kernel(
        committed(
            f"""
            shr.u32 %r1, %sm, 4;
            cvt.u64.u32 %d3, %r1;
            add.u64 %d1, %d3, {half[0][1]};
            add.u64 %d2, %d3, {other[0][1] + (gap >> 4)};
            add.u32 %r2, %ta, {D_COLUMN | op.lane << 16};
            add.u32 %r4, %ta, {op.lane << 16};
            add.u32 %r5, %ta, 8;
            add.u32 %r6, %ta, 16;
            mov.u32 %r3, {op.idesc};
            {instruction(op)}
            """,
            op.group,
        ),
        D_COLUMN + -(-op.n // 32) * 32,
        shared_bytes=size,
        group=op.group,
    )
    before = np.zeros((op.group, 128, kernel.columns), np.uint32)
    d = RNG.integers(-8, 9, (op.m, op.n)).astype(np.float32)
    return kernel, image, before, {"a": a, "b": b, "d": d}


def instruction(op: Mma) -> str:
    """The tcgen05.mma."""
    left = "[%r4]" if op.from_tensor else "%d1"
    scales = "[%r5], [%r6], " if op.kind.startswith("mx") else ""
    name = f"tcgen05.mma{'.ws' if op.ws else ''}.cta_group::{op.group}.kind::{op.kind}"
    if scales:
        name += ".block_scale" + (f".{op.vector}" if op.vector else "")
    keeps = "%always" if op.keeps else "%never"
    return f"{name} [%r2], {left}, %d2, %r3, {scales}{op.mask}{keeps}{op.tail};"


def to_words(op: Mma, value: float) -> int:
    """An element of D as a word of tensor memory."""
    if op.result == "f16":
        return int(np.float16(value).view(np.uint16))
    if op.result == "s32":
        return int(np.int64(value).astype(np.int32).view(np.uint32))
    return int(np.float32(value).view(np.uint32))


def prepared(
    op: Mma, power: int = 0
) -> tuple[Kernel, np.ndarray, np.ndarray, np.ndarray]:
    """Kernel, image, tensor memory before, and D as NumPy computes it."""
    kernel, image, before, parts = build(op)
    a, b, d = (parts[name].astype(np.float64) for name in ("a", "b", "d"))
    for row in range(op.m):
        for column in range(op.n):
            rank, lane, place = d_place(op, row, column)
            before[rank, lane, D_COLUMN + place] = to_words(op, d[row, column])
    if op.from_tensor:
        put_left(op, before, parts["a"])
    signs = [-1 if n else 1 for n in op.negated]
    total = (signs[0] * a) @ (signs[1] * b).T
    if op.keeps:
        total = total + d * 2.0**-power
    return kernel, image, before, total


def put_left(op: Mma, before: np.ndarray, a: np.ndarray) -> None:
    """Puts A into the first eight columns, one row in a lane, elements in bytes."""
    bits = BITS.get(op.left, 8)
    raw = np.ascontiguousarray(a).view(np.uint8).reshape(op.m, -1)
    if op.depth == 64:
        raw = op.bytes_of(op.left, a)
    elif bits < 8:
        raw = raw << (2 if bits == 4 else 0)
    words = np.ascontiguousarray(raw).view(np.uint32)
    for row in range(op.m):
        rank, lane, _ = d_place(op, row, 0)
        before[rank, lane, :8] = words[row]
