# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tcgen05.ld, st, cp, shift: the destination of each word, by the ISA's figures."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble
from ptx_tcgen05 import Kernel, committed, descriptor

from cuda_tile.emulator import FindingError

RNG = np.random.default_rng(3)
# Registers of one thread at .x1, and columns that .x1 covers.
SHAPES = {
    "32x32b": (1, 1),
    "16x64b": (1, 2),
    "16x128b": (2, 4),
    "16x256b": (4, 8),
    "16x32bx2": (1, 1),
}
COUNTS = {
    "32x32b": (1, 2, 4, 8, 16, 32, 64, 128),
    "16x64b": (1, 2, 4, 8, 16, 32, 64, 128),
    "16x128b": (1, 2, 4, 8, 16, 32, 64),
    "16x256b": (1, 2, 4, 8, 16, 32),
    "16x32bx2": (1, 2, 4, 8, 16, 32, 64, 128),
}
SPLIT = 17


def place(shape: str, thread: int, register: int) -> tuple[int, int]:
    """Lane and column of a register: figures of "Matrix fragments for shape"."""
    g, t = divmod(thread, 4)
    if shape == "32x32b":
        return thread, register
    if shape == "16x64b":
        return g + 8 * (t % 2), 2 * register + t // 2
    if shape == "16x128b":
        return g + 8 * (register % 2), 4 * (register // 2) + t
    if shape == "16x256b":
        across = 8 * (register // 4) + 2 * t + register % 2
        return g + 8 * (register // 2 % 2), across
    return thread % 16, register


def span(shape: str, count: int, scale: int) -> tuple[int, int]:
    """Columns of the access, and where its second half begins."""
    width = SHAPES[shape][1] * count * scale
    split = max(SPLIT, width) if shape == "16x32bx2" else 0
    return width + split, split


def cases(scale: int = 0) -> list[tuple[str, int]]:
    """All shapes and counts; with a scale a few of those that fit into 256 columns."""
    found = [(shape, count) for shape in SHAPES for count in COUNTS[shape]]
    if not scale:
        return found
    few = [(s, n) for s, n in found if n in (1, 2, 8) or n == COUNTS[s][-1]]
    return [(s, n) for s, n in few if span(s, n, scale)[0] < 256]


def run_cases() -> list[tuple[str, int, bool]]:
    return [
        (*case, packs) for packs in (False, True) for case in cases(2 if packs else 1)
    ]


def registers(shape: str, count: int) -> str:
    return ", ".join(f"%v{i}" for i in range(SHAPES[shape][0] * count))


def columns_for(shape: str, count: int, scale: int) -> int:
    return max(32, -(-(span(shape, count, scale)[0] + 1) // 32) * 32)


def expected(
    words: np.ndarray, shape: str, count: int, half: int, *, pack: bool
) -> np.ndarray:
    """What each thread of four warps gets from [128, columns], uint32[128, n]."""
    number = SHAPES[shape][0] * count
    scale = 2 if pack else 1
    split = span(shape, count, scale)[1]
    result = np.zeros((128, number), np.uint32)
    for thread in range(128):
        for register in range(number):
            lane, column = place(shape, thread % 32, register)
            lane += thread // 32 * 32 + half
            column = 1 + scale * column
            if shape == "16x32bx2" and thread % 32 >= 16:
                column += split
            value = int(words[lane, column])
            if pack:
                value = value & 0xFFFF | (int(words[lane, column + 1]) & 0xFFFF) << 16
            result[thread, register] = value
    return result


def least_or_greatest(values: list[float], kind: str) -> float:
    """min or max; NaN counts only with `.NaN`, or if there is nothing else."""
    values = [abs(v) for v in values] if ".abs" in kind else values
    numbers = [v for v in values if not np.isnan(v)]
    if not numbers or (".NaN" in kind and len(numbers) < len(values)):
        return np.nan
    # -0 is below +0.
    order = sorted(numbers, key=lambda v: (v, not np.signbit(v)))
    return order[-1] if kind.startswith("max") else order[0]


KINDS = [
    *(f"{op}{more}.f32" for op in ("min", "max") for more in ("", ".abs", ".NaN")),
    "min.abs.NaN.f32",
    *(f"{op}.{ty}" for op in ("min", "max") for ty in ("u32", "s32")),
]


@pytest.mark.parametrize("shape", ["32x32b", "16x32bx2"])
@pytest.mark.parametrize("kind", KINDS)
def test_load_reduces_the_columns(kind: str, shape: str) -> None:
    """PTX ISA, tcgen05.ld, `.red`: each thread's registers, and one of them all."""
    count, tail = 4, ", 8" if shape == "16x32bx2" else ""
    kernel = Kernel(
        f"""
        tcgen05.ld.red.sync.aligned.{shape}.x{count}.{kind} {{%c0, %c1, %c2, %c3}}, \
%c4, [%tw]{tail};
        tcgen05.wait::ld.sync.aligned;
        ld.param.u64 %d0, [image];
        mad.wide.u32 %d0, %t, 32, %d0;
        st.global.v4.b32 [%d0], {{%c0, %c1, %c2, %c3}};
        st.global.b32 [%d0+16], %c4;
        """,
        32,
        shared_bytes=32 * 128,
        target="sm_103a",
    )
    assert not assemble(kernel.text, "sm_103a")
    words = RNG.integers(0, 2**32, (1, 128, 32), np.uint32)
    if kind.endswith("f32"):
        special = [0.0, -0.0, np.nan, -np.nan, np.inf, -1.5, 2.0, -3.0]
        words = RNG.choice(np.array(special, np.float32), words.shape).view(np.uint32)
        words[0, :4] = np.array(np.nan, np.float32).view(np.uint32)
    out = np.zeros((128, 8), np.uint32)
    data = out.view(np.uint8).reshape(1, -1)
    kernel.launch([data, words, np.zeros_like(words)], "adversarial", 0)
    dtype = {"f32": np.float32, "u32": np.uint32, "s32": np.int32}[kind[-3:]]
    for thread in range(128):
        lane = thread if shape == "32x32b" else thread // 32 * 32 + thread % 16
        first = 8 if shape == "16x32bx2" and thread % 32 >= 16 else 0
        mine = words[0, lane, first : first + count]
        assert out[thread, :count].tolist() == mine.tolist()
        values = mine.view(dtype)
        found = out[thread, 4:5].view(dtype)[0]
        if dtype is np.float32:
            wanted = np.float32(least_or_greatest(values.tolist(), kind))
            bits = 0x7FFFFFFF if np.isnan(wanted) else int(wanted.view(np.uint32))
            assert out[thread, 4] == bits, values
        else:
            assert found == (values.max() if kind.startswith("max") else values.min())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("shape", "count", "pack"), run_cases())
def test_load(shape: str, count: int, pack: bool) -> None:
    scale = 2 if pack else 1
    number, half = SHAPES[shape][0] * count, 0 if shape == "32x32b" else 16
    names = registers(shape, count)
    split = span(shape, count, scale)[1]
    tail = f", {split}" if shape == "16x32bx2" else ""
    suffix = ".pack::16b" if pack else ""
    stores = "\n".join(f"st.global.b32 [%d0+{4 * i}], %v{i};" for i in range(number))
    # The registers go where the dump of tensor memory comes later: behind it.
    kernel = Kernel(
        f"""
        add.u32 %r1, %tw, {half << 16 | 1};
        tcgen05.ld.sync.aligned.{shape}.x{count}{suffix}.b32 {{{names}}}, [%r1]{tail};
        tcgen05.wait::ld.sync.aligned;
        ld.param.u64 %d0, [image];
        mad.wide.u32 %d0, %t, {4 * number}, %d0;
        {stores}
        """,
        columns_for(shape, count, scale),
        shared_bytes=512 * number,
        declare=f".reg .b32 %v<{number}>;",
    )
    words = RNG.integers(0, 1 << 32, (128, kernel.columns), np.uint32)
    image = np.zeros(512 * number, np.uint8)
    after = np.zeros((128, kernel.columns), np.uint32)
    kernel.launch([image, words, after], "adversarial", 1)
    np.testing.assert_array_equal(after, words)
    wanted = expected(words, shape, count, half, pack=pack)
    np.testing.assert_array_equal(image.view(np.uint32).reshape(128, number), wanted)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("shape", "count", "unpack"), run_cases())
def test_store(shape: str, count: int, unpack: bool) -> None:
    scale = 2 if unpack else 1
    number, half = SHAPES[shape][0] * count, 0 if shape == "32x32b" else 16
    split = span(shape, count, scale)[1]
    middle = f", {split}" if shape == "16x32bx2" else ""
    suffix = ".unpack::16b" if unpack else ""
    loads = "\n".join(f"ld.global.b32 %v{i}, [%d0+{4 * i}];" for i in range(number))
    kernel = Kernel(
        f"""
        ld.param.u64 %d0, [image];
        mad.wide.u32 %d0, %t, {4 * number}, %d0;
        {loads}
        add.u32 %r1, %tw, {half << 16 | 1};
        tcgen05.st.sync.aligned.{shape}.x{count}{suffix}.b32 [%r1]{middle}, \
{{{registers(shape, count)}}};
        tcgen05.wait::st.sync.aligned;
        """,
        columns_for(shape, count, scale),
        shared_bytes=512 * number,
        declare=f".reg .b32 %v<{number}>;",
    )
    values = RNG.integers(0, 1 << 32, (128, number), np.uint32)
    before = RNG.integers(0, 1 << 32, (128, kernel.columns), np.uint32)
    after = kernel.run(values.view(np.uint8).reshape(-1), before)[0]
    if not unpack:
        wanted = expected(after, shape, count, half, pack=False)
    else:  # the upper halves of the words become zero
        wanted = expected(after, shape, count, half, pack=True)
    np.testing.assert_array_equal(wanted, values)
    changed = after != before
    assert changed.sum() <= 128 * number * scale


def test_ptxas_takes_them() -> None:
    lines: list[str] = []
    for shape, count in cases():
        names = registers(shape, count)
        tail = f", {SPLIT}" if shape == "16x32bx2" else ""
        start = f"tcgen05.ld.sync.aligned.{shape}.x{count}"
        lines.append(f"{start}.b32 {{{names}}}, [%tw]{tail};")
        lines.append(f"{start}.pack::16b.b32 {{{names}}}, [%tw]{tail};")
        start = f"tcgen05.st.sync.aligned.{shape}.x{count}"
        lines.append(f"{start}.b32 [%tw]{tail}, {{{names}}};")
        lines.append(f"{start}.unpack::16b.b32 [%tw]{tail}, {{{names}}};")
    kernel = Kernel("\n".join(lines), declare=".reg .b32 %v<128>;")
    assert assemble(kernel.text, "sm_100a") == ""


# Copies ----------------------------------------------------------------------------

COPIES = {
    "128x256b": (128, 32),
    "4x256b": (4, 32),
    "128x128b": (128, 16),
    "64x128b.warpx2::02_13": (64, 16),
    "64x128b.warpx2::01_23": (64, 16),
    "32x128b.warpx4": (32, 16),
}


def lanes_of(shape: str, row: int) -> list[int]:
    """Lanes that get a row, by the text of "tcgen05.cp"."""
    if shape == "4x256b":
        return [32 * row]
    warp, lane = divmod(row, 32)
    warps = {
        "64x128b.warpx2::02_13": ([0, 2], [1, 3]),
        "64x128b.warpx2::01_23": ([0, 1], [2, 3]),
        "32x128b.warpx4": ([0, 1, 2, 3],),
    }.get(shape, ([0], [1], [2], [3]))
    return [32 * w + lane for w in warps[warp]]


def image_of(rows: np.ndarray, swizzle: int) -> np.ndarray:
    """Rows of 16 or 32 bytes in shared memory; returns bytes."""
    count, width = rows.shape
    if not swizzle:  # groups of 8 rows, all first halves, then the second
        parts = rows.reshape(-1, min(count, 8), width // 16, 16).transpose(2, 0, 1, 3)
        return np.ascontiguousarray(parts).reshape(-1)
    result = np.zeros(max(count, 8) * swizzle, np.uint8)
    for row in range(count):
        for byte in range(width):
            where = row * swizzle + byte
            line, chunk = where // 128, where // 16 % 8
            mixed = chunk ^ line % (swizzle // 16)
            result[line * 128 + mixed * 16 + where % 16] = rows[row, byte]
    return result


@pytest.mark.parametrize("swizzle", [0, 32, 128])
@pytest.mark.parametrize("shape", COPIES)
def test_copy(shape: str, swizzle: int) -> None:
    count, width = COPIES[shape]
    rows = RNG.integers(0, 256, (count, width), np.uint8)
    image = image_of(rows, swizzle)
    leading, stride = (16, 8 * swizzle) if swizzle else (count * 16, 128)
    kernel = copy_kernel(shape, len(image), descriptor(0, leading, stride, swizzle))
    before = RNG.integers(0, 1 << 32, (128, 64), np.uint32)
    after = kernel.run(image, before)[0]
    wanted = before.copy()
    for row in range(count):
        for lane in lanes_of(shape, row):
            wanted[lane, 5 : 5 + width // 4] = rows[row].view(np.uint32)
    np.testing.assert_array_equal(after, wanted)


def copy_kernel(shape: str, size: int, bits: int, group: int = 1) -> Kernel:
    return Kernel(
        committed(
            f"""
            shr.u32 %r1, %sm, 4;
            cvt.u64.u32 %d1, %r1;
            add.u64 %d1, %d1, {bits};
            add.u32 %r2, %ta, 5;
            tcgen05.cp.cta_group::{group}.{shape} [%r2], %d1;
            """,
            group,
        ),
        shared_bytes=size,
        group=group,
    )


@pytest.mark.parametrize(("suffix", "bits"), [("b6x16_p32", 6), ("b4x16_p64", 4)])
def test_decompression(suffix: str, bits: int) -> None:
    values = RNG.integers(0, 1 << bits, (128, 16))
    rows = np.zeros((128, 16), np.uint8)
    for row in range(128):
        packed = sum(int(v) << bits * i for i, v in enumerate(values[row]))
        rows[row] = np.frombuffer(packed.to_bytes(16, "little"), np.uint8)
    bits_of = descriptor(0, 2048, 128, 0)
    kernel = copy_kernel(f"128x128b.b8x16.{suffix}", 2048, bits_of)
    after = kernel.run(image_of(rows, 0))[0, :, 5:9]
    wanted = values << (2 if bits == 4 else 0)
    np.testing.assert_array_equal(np.ascontiguousarray(after).view(np.uint8), wanted)


def test_copy_in_a_pair() -> None:
    """Each CTA's tensor memory gets its own shared memory."""
    rows = RNG.integers(0, 256, (2, 128, 16), np.uint8)
    images = np.stack([image_of(part, 0) for part in rows])
    kernel = copy_kernel("128x128b", 2048, descriptor(0, 2048, 128, 0), group=2)
    after = kernel.run(images)[:, :, 5:9]
    np.testing.assert_array_equal(after, rows.view(np.uint32))


def test_shift() -> None:
    kernel = Kernel(
        committed("add.u32 %r1, %ta, 32;\ntcgen05.shift.cta_group::1.down [%r1];"), 96
    )
    before = RNG.integers(0, 1 << 32, (128, 96), np.uint32)
    wanted = before.copy()
    for lane in range(128):
        if lane % 32 != 31:
            wanted[lane, 32:40] = before[lane + 1, 32:40]
    np.testing.assert_array_equal(kernel.run(None, before)[0], wanted)


def test_ptxas_takes_the_copies() -> None:
    shapes = [*COPIES, "128x128b.b8x16.b6x16_p32", "128x256b.b8x16.b4x16_p64"]
    lines = [f"tcgen05.cp.cta_group::1.{shape} [%ta], %d0;" for shape in shapes]
    body = "\n".join(
        ["mov.b64 %d0, 0;", *lines, "tcgen05.shift.cta_group::1.down [%ta];"]
    )
    assert assemble(Kernel(body).text, "sm_100a") == ""


# Faults ----------------------------------------------------------------------------


def test_a_warp_has_its_own_lanes() -> None:
    kernel = Kernel("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%ta];")
    with pytest.raises(FindingError, match="those of warp"):
        kernel.run()


def test_columns_must_be_allocated() -> None:
    kernel = Kernel(
        "add.u32 %r2, %tw, 64;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];"
    )
    with pytest.raises(FindingError, match=r"not inside columns|outside the 128"):
        kernel.run()
