# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels around one wgmma: shared memory from an image, registers to an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from ptx_harness import module

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
    "b1": np.uint8,  # eight at a time
}
SWIZZLE_CODES = {0: 0, 128: 1, 64: 2, 32: 3}


@dataclass
class Wgmma:
    """One wgmma.

    Attributes:
        n: Columns of D.
        left, right, result: Element types.
        swizzle: Swizzle in bytes of both operands.
        from_registers: Whether A comes from registers.
        flips: Whether A and B are transposed (along M and N in memory).
        signs: Scales of A and B.
        scale: Text of scale-d.
        base: Rows of 128 bytes that the swizzle's pattern is moved by.
    """

    n: int = 16
    left: str = "f16"
    right: str = "f16"
    result: str = "f32"
    swizzle: int = 128
    from_registers: bool = False
    flips: tuple[int, int] = (0, 0)
    signs: tuple[int, int] = (1, 1)
    scale: str = "1"
    chain: int = 1
    base: int = 0

    @property
    def depth(self) -> int:
        """K of one instruction: 32 bytes."""
        return 32 // np.dtype(DTYPES[self.left]).itemsize

    @property
    def registers(self) -> int:
        """Accumulator registers of a thread."""
        return self.n // (4 if self.result == "f16" else 2)

    def image(self, matrix: np.ndarray, flip: int) -> tuple[np.ndarray, int, int, int]:
        """Lays a matrix [rows, depth] out in memory.

        Returns:
            The bytes, and the start, leading and stride offsets of the descriptor.
        """
        octets = np.ascontiguousarray(matrix.T if flip else matrix)
        octets = octets.view(np.uint8).reshape(octets.shape[0], -1)
        found = self._flipped(octets) if flip else self._straight(octets)
        data, start, leading, stride = found
        gap = 128 * self.base
        return np.pad(data, (gap, 0)), start + gap, leading, stride

    def _straight(self, rows: np.ndarray) -> tuple[np.ndarray, int, int, int]:
        """Rows of 32 bytes along K; with a swizzle at the end of a longer row."""
        count, span = len(rows), self.swizzle
        if not span:  # groups of 8 rows of 16 bytes, all first halves, then the second
            parts = rows.reshape(count // 8, 8, 2, 16).transpose(2, 0, 1, 3)
            return parts.reshape(-1), 0, count * 16, 128
        start = span - 32
        result = np.full(count * span, 0xAB, np.uint8)
        for row in range(count):
            for byte in range(32):
                where = row * span + start + byte
                result[mixed(where, span)] = rows[row, byte]
        return result, start, 16, 8 * span

    def _flipped(self, rows: np.ndarray) -> tuple[np.ndarray, int, int, int]:
        """For each k the elements along M or N."""
        depth, width = rows.shape
        span = self.swizzle
        result = np.zeros(depth * width, np.uint8)
        if not span:  # 16 bytes of 8 consecutive k side by side
            parts = rows.reshape(depth // 8, 8, width // 16, 16).transpose(0, 2, 1, 3)
            return parts.reshape(-1), 0, width * 8, 128
        for k in range(depth):
            for byte in range(width):
                atom, inside = divmod(byte, span)
                where = atom * depth * span + k * span + inside
                result[mixed(where, span)] = rows[k, byte]
        return result, 0, depth * span, 8 * span

    def descriptor(self, start: int, leading: int, stride: int) -> int:
        """Encodes a matrix descriptor without the base address."""
        code = SWIZZLE_CODES[self.swizzle]
        fields = start >> 4 | leading >> 4 << 16 | stride >> 4 << 32
        return fields | self.base << 49 | code << 62

    def text(self, a: tuple[Any, ...], b: tuple[Any, ...], body: str = "") -> str:
        """The kernel; `a` and `b` are what `image` returns."""
        a_bytes, b_bytes = len(a[0]), len(b[0])
        gap = -(-a_bytes // 1024) * 1024
        size = gap + -(-b_bytes // 1024) * 1024
        ty = "b32" if self.result == "f16" else self.result
        names = ", ".join(f"%d{i}" for i in range(self.registers))
        loads = "\n".join(
            f"ld.global.b32 %d{i}, [%q2+{512 * i}];" for i in range(self.registers)
        )
        stores = "\n".join(
            f"st.global.b32 [%q2+{512 * i}], %d{i};" for i in range(self.registers)
        )
        return module(
            f"""
.visible .entry k(.param .u64 image, .param .u64 acc, .param .u64 frag)
.reqntid 128
{{
    .reg .b32 %r<20>; .reg .b64 %q<9>; .reg .pred %p<9>; .reg .b32 %a<4>;
    .reg .{ty[0] if ty[0] == "f" else "b"}32 %d<{self.registers}>;
    .shared .align 1024 .b8 data[{size}];
    ld.param.u64 %q0, [image];
    ld.param.u64 %q1, [acc];
    ld.param.u64 %q3, [frag];
    mov.u32 %r0, %tid.x;
    mov.u32 %r8, data;
    mov.u32 %r1, %r0;
COPY:
    mad.lo.u32 %r2, %r1, 16, %r8;
    mad.wide.u32 %q4, %r1, 16, %q0;
    ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%q4];
    st.shared.v4.b32 [%r2], {{%a0, %a1, %a2, %a3}};
    add.u32 %r1, %r1, 128;
    setp.lt.u32 %p0, %r1, {size // 16};
    @%p0 bra COPY;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    mad.wide.u32 %q2, %r0, 4, %q1;
    {loads}
    mad.wide.u32 %q4, %r0, 16, %q3;
    ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%q4];
    shr.u32 %r3, %r8, 4;
    cvt.u64.u32 %q5, %r3;
    add.u64 %q6, %q5, {self.descriptor(*a[1:])};
    add.u64 %q7, %q5, {self.descriptor(*b[1:]) + (gap >> 4)};
    setp.eq.u32 %p1, %r0, 1000;
    setp.ne.u32 %p2, %r0, 1000;
    wgmma.fence.sync.aligned;
    {self.instruction(names)}
    {body}
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    {stores}
    ret;
}}
""",
            "sm_90a",
        )

    def instruction(self, names: str) -> str:
        """The wgmma, `chain` times."""
        depth = 256 if self.left == "b1" else self.depth
        kind = f"m64n{self.n}k{depth}.{self.result}.{self.left}.{self.right}"
        kind += ".and.popc" if self.left == "b1" else ""
        source = "{%a0, %a1, %a2, %a3}" if self.from_registers else "%q6"
        tail = [self.scale]
        if self.left not in ("s8", "u8", "b1"):
            tail += [str(sign) for sign in self.signs]
        if self.left in ("f16", "bf16"):
            tail += [str(f) for f in self.flips[int(self.from_registers) :]]
        one = (
            f"wgmma.mma_async.sync.aligned.{kind} {{{names}}}, {source}, %q7, "
            f"{', '.join(tail)};"
        )
        return "\n".join([one] * self.chain)

    def memory(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> np.ndarray:
        """The bytes of shared memory."""
        gap = -(-len(a[0]) // 1024) * 1024
        result = np.zeros(gap + -(-len(b[0]) // 1024) * 1024, np.uint8)
        result[: len(a[0])] = a[0]
        result[gap : gap + len(b[0])] = b[0]
        return result


def mixed(where: int, span: int) -> int:
    """Where a byte lies: chunk bits xor line bits, per 128-byte line."""
    line, chunk, byte = where // 128, where // 16 % 8, where % 16
    return line * 128 + (chunk ^ line % (span // 16)) * 16 + byte


# Bases of the accumulators: register bits, then lane bits, then warp bits.
_LANE = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0), (16, 0), (32, 0))


def place(register: int, thread: int) -> tuple[int, int]:
    """Row and column of an accumulator."""
    row, column = 8 * (register >> 1 & 1), (register & 1) + 8 * (register >> 2)
    for bit, (down, across) in enumerate(_LANE):
        row += down * (thread >> bit & 1)
        column += across * (thread >> bit & 1)
    return row, column


def to_registers(matrix: np.ndarray) -> np.ndarray:
    """An accumulator matrix [64, N] as registers of 128 threads, 32 bits each."""
    count = matrix.shape[1] // 2
    rows = np.zeros((count, 128), matrix.dtype)
    for register in range(count):
        for thread in range(128):
            rows[register, thread] = matrix[place(register, thread)]
    if matrix.itemsize == 2:
        pairs = np.stack([rows[0::2], rows[1::2]], axis=-1)
        return np.ascontiguousarray(pairs).view(np.uint32)[..., 0]
    return rows.view(np.uint32)


def fragment(a: np.ndarray) -> np.ndarray:
    """A [64, depth] as four registers of 128 threads, uint32[128, 4]."""
    per = 4 // a.itemsize
    result = np.zeros((128, 4, per), a.dtype)
    for thread in range(128):
        warp, g, t = thread // 32, thread % 32 // 4, thread % 4
        for register in range(4):
            row = 16 * warp + g + 8 * (register % 2)
            first = per * (t + 4 * (register // 2))
            result[thread, register] = a[row, first : first + per]
    return result.view(np.uint8).view(np.uint32).reshape(128, 4)
