# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies and tensor maps: layouts, fills, completion, and errors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, LaunchError, PtxError, TensorMap, launch
from cuda_tile.emulator.launch import Mode

MODES = ["fast", "adversarial"]
DATA = np.zeros(64, np.uint32)


def tensor_kernel(
    body: str, size: int, n_maps: int = 1, legal: bool = True, align: int = 1024
) -> str:
    """A kernel of 32 threads with `size` shared bytes at %r8 and an mbarrier at %r7."""
    params = ", ".join(f".param .align 64 .b8 t{i}[128]" for i in range(n_maps))
    maps = "\n".join(
        f"mov.b64 %q{i + 4}, t{i};\ncvta.param.u64 %q{i + 4}, %q{i + 4};"
        for i in range(n_maps)
    )
    text = module(
        f"""
.visible .entry k(.param .u64 x, {params})
{{
    .reg .b32 %r<20>; .reg .b64 %q<9>; .reg .pred %p<9>; .reg .f32 %f<2>;
    .shared .align {align} .b8 data[{size}];
    .shared .align 8 .b64 bar[2];
    ld.param.u64 %q0, [x];
    {maps}
    mov.u32 %r0, %tid.x;
    mov.u32 %r7, bar;
    mov.u32 %r8, data;
    mov.u32 %r9, 0;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mbarrier.init.shared.b64 [%r7], 1;
    @%p0 fence.mbarrier_init.release.cluster;
    bar.sync 0;
    {body}
    ret;
}}
""",
        "sm_90",
    )
    if legal:
        complaint = assemble(text, "sm_90")
        assert not complaint, complaint
    return text


def load(rank: int, coordinates: str, size: int) -> str:
    return f"""
    @%p0 mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], {size};
    @%p0 cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r8], [%q4, {{{coordinates}}}], [%r7];
"""  # noqa: E501


WAIT = """
W{n}:  mbarrier.try_wait.parity.shared.b64 %p1, [%r7], {n};
    @!%p1 bra W{n};
"""


def dump(size: int) -> str:
    """Writes shared memory to the array, word by word."""
    return f"""
    mov.u32 %r1, %r0;
D:  setp.ge.u32 %p2, %r1, {size // 4};
    @%p2 bra E;
    mad.lo.u32 %r2, %r1, 4, %r8;
    ld.shared.u32 %r3, [%r2];
    mad.wide.u32 %q2, %r1, 4, %q0;
    st.global.u32 [%q2], %r3;
    add.u32 %r1, %r1, 32;
    bra D;
E:
"""


def run(
    text: str,
    args: list[Any],
    mode: Mode = "adversarial",
    seed: int = 0,
    block: int = 32,
) -> None:
    launch(text, grid=1, block=block, args=args, mode=mode, seed=seed)


def run_often(text: str, args: list[Any], block: int = 32) -> None:
    for seed in range(16):
        run(text, args, seed=seed, block=block)


def image(box: np.ndarray, swizzle: int) -> np.ndarray:
    """How a box lies in shared memory: byte by byte, as the ISA's figures show."""
    flat = np.ascontiguousarray(box).reshape(-1).view(np.uint8)
    result = np.zeros_like(flat)
    for place, octet in enumerate(flat):
        row, chunk, byte = place // 128, place // 16 % 8, place % 16
        mixed = chunk ^ (row % {0: 1, 32: 2, 64: 4, 128: 8}[swizzle])
        result[row * 128 + mixed * 16 + byte] = octet
    return result


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("dtype", [np.float16, np.uint8, np.float32])
def test_a_box_lies_swizzled(mode: Mode, swizzle: int, dtype: Any) -> None:
    columns = (swizzle or 64) // np.dtype(dtype).itemsize
    array = np.arange(64 * 128, dtype=np.uint32).astype(np.uint8).view(np.uint8)
    array = np.resize(array, 64 * 256 * np.dtype(dtype).itemsize).view(dtype)
    array = array.reshape(64, 256)
    size = 32 * columns * array.itemsize
    result = np.zeros(size // 4, np.uint32)
    body = load(2, "%r9, %r9", size) + WAIT.format(n=0) + dump(size)
    text = tensor_kernel(body.replace("mov.u32 %r9, 0;", ""), size)
    text = text.replace("{%r9, %r9}", "{16, 8}")
    run(text, [result, TensorMap(array, (32, columns), swizzle)], mode)
    wanted = image(array[8:40, 16 : 16 + columns], swizzle)
    assert np.array_equal(result.view(np.uint8), wanted)


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_all_ranks(rank: int) -> None:
    shape, box = (3, 4, 5, 6, 16)[5 - rank :], (2, 2, 3, 2, 8)[5 - rank :]
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    size = int(np.prod(box)) * 4
    result = np.zeros(size // 4, np.float32)
    start = (1, 2, 1, 3, 4)[5 - rank :]
    coordinates = ", ".join(str(x) for x in reversed(start))
    body = load(rank, coordinates, size) + WAIT.format(n=0) + dump(size)
    run(tensor_kernel(body, size), [result.view(np.uint32), TensorMap(array, box)])
    window = tuple(slice(s, s + b) for s, b in zip(start, box, strict=True))
    assert np.array_equal(result, array[window].ravel())


@pytest.mark.parametrize("fill", ["zero", "nan"])
@pytest.mark.parametrize("start", [(-2, -4), (14, 12), (100, 0)])
def test_elements_outside_are_filled(fill: Any, start: tuple[int, int]) -> None:
    array = np.arange(16 * 16, dtype=np.float32).reshape(16, 16)
    padded = np.full((400, 400), 0 if fill == "zero" else np.nan, np.float32)
    padded[100:116, 100:116] = array
    result = np.zeros(64, np.float32)
    body = load(2, f"{start[1]}, {start[0]}", 256) + WAIT.format(n=0) + dump(256)
    tensor = TensorMap(array, (8, 8), fill=fill)
    run(tensor_kernel(body, 256), [result.view(np.uint32), tensor])
    top, left = start[0] + 100, start[1] + 100
    wanted = padded[top : top + 8, left : left + 8].ravel()
    np.testing.assert_array_equal(result, wanted)


STORE = """
    mov.u32 %r1, %r0;
F:  setp.ge.u32 %p2, %r1, 64;
    @%p2 bra G;
    mad.lo.u32 %r2, %r1, 4, %r8;
    cvt.rn.f32.u32 %f0, %r1;
    st.shared.f32 [%r2], %f0;
    add.u32 %r1, %r1, {threads};
    bra F;
G:  fence.proxy.async.shared::cta;
    bar.sync 0;
    @%p0 {copy} [%q4, {{12, 14}}], [%r8];
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group.read 0;
"""
TENSOR_STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
TENSOR_ADD = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copy", [TENSOR_STORE, TENSOR_ADD])
def test_a_store_leaves_out_what_is_outside(mode: Mode, copy: str) -> None:
    array = np.ones((16, 16), np.float32)
    text = tensor_kernel(STORE.format(copy=copy, threads=32), 256)
    run(text, [np.zeros(4, np.uint32), TensorMap(array, (8, 8))], mode)
    wanted = np.ones((16, 16), np.float32)
    values = np.arange(64, dtype=np.float32).reshape(8, 8)[:2, :4]
    wanted[14:, 12:] = values + 1 if copy == TENSOR_ADD else values
    assert np.array_equal(array, wanted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("columns", [3, 2])
def test_nobody_need_write_what_a_store_leaves_out(mode: Mode, columns: int) -> None:
    """Threads write 2 rows, of which 3 elements lie in the tensor."""
    inside = f"""
    and.b32 %r3, %r1, 7;
    setp.lt.u32 %p3, %r3, {columns};
    setp.lt.and.u32 %p3, %r1, 16, %p3;
    @%p3 st.shared.f32"""
    body = STORE.format(copy=TENSOR_STORE, threads=32)
    body = body.replace("{12, 14}", "{13, 14}").replace("st.shared.f32", inside)
    array = np.ones((16, 16), np.float32)
    args = [np.zeros(4, np.uint32), TensorMap(array, (8, 8))]
    if columns < 3:
        with pytest.raises(FindingError, match=r"offset 8 .*that nobody wrote"):
            run(tensor_kernel(body, 256), args, mode)
        return
    run(tensor_kernel(body, 256), args, mode)
    wanted = np.ones((16, 16), np.float32)
    wanted[14:, 13:] = np.arange(64, dtype=np.float32).reshape(8, 8)[:2, :3]
    assert np.array_equal(array, wanted)


@pytest.mark.parametrize(
    ("gone", "kind"),
    [
        ("fence.proxy.async.shared::cta;", "proxy"),
        ("bar.sync 0;", "race"),
        ("@%p0 cp.async.bulk.wait_group.read 0;", "copy in flight"),
        ("@%p0 cp.async.bulk.commit_group;", "copy in flight"),
    ],
)
def test_a_store_needs_all_its_parts(gone: str, kind: str) -> None:
    body = STORE.format(copy=TENSOR_STORE, threads=64)
    assert gone in body
    text = tensor_kernel(body.replace(gone, ""), 256)
    array = np.ones((16, 16), np.float32)
    with pytest.raises(FindingError) as caught:
        run(text, [DATA, TensorMap(array, (8, 8))], block=64)
    assert caught.value.finding.kind in (kind, "proxy")


def test_reading_before_the_wait_is_found() -> None:
    body = load(2, "0, 0", 256) + dump(256)
    array = np.zeros((16, 16), np.float32)
    for seed in range(4):
        with pytest.raises(FindingError, match=r"copy in flight|race|CTA ends|uninit"):
            run(tensor_kernel(body, 256), [DATA, TensorMap(array, (8, 8))], seed=seed)


@pytest.mark.parametrize(
    ("size", "message"), [(240, "16 bytes more"), (272, "16 bytes")]
)
def test_wrong_bytes_are_found(size: int, message: str) -> None:
    body = load(2, "0, 0", size) + WAIT.format(n=0)
    array = np.zeros((16, 16), np.float32)
    with pytest.raises(FindingError, match=message):
        run(tensor_kernel(body, 256), [DATA, TensorMap(array, (8, 8))])


def test_the_mbarrier_needs_no_proxy_fence() -> None:
    body = load(2, "0, 0", 256) + WAIT.format(n=0)
    text = tensor_kernel(body, 256)
    text = text.replace("@%p0 fence.mbarrier_init.release.cluster;", "")
    run(text, [DATA, TensorMap(np.zeros((16, 16), np.float32), (8, 8))])


def test_the_target_must_be_aligned() -> None:
    body = load(2, "0, 0", 256).replace("[%r8]", "[%r8+64]") + WAIT.format(n=0)
    with pytest.raises(FindingError, match="multiple of 128"):
        run(
            tensor_kernel(body, 512),
            [DATA, TensorMap(np.zeros((16, 16), np.float32), (8, 8))],
        )


PLAIN = """
    @%p0 mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], 256;
    @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%q0], 256, [%r7];
W:  mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 0;
    @!%p1 bra W;
    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%q0+256], [%r8], 256;
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group 0;
"""  # noqa: E501


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(4))
def test_plain_bulk_copies(mode: Mode, seed: int) -> None:
    memory = np.zeros(132, np.uint32)
    skip = -memory.ctypes.data % 16 // 4
    data = memory[skip : skip + 128]
    data[:64] = np.arange(64)
    tensor = TensorMap(np.zeros((16, 16), np.float32), (8, 8))
    run(tensor_kernel(PLAIN, 256), [data, tensor], mode, seed)
    assert np.array_equal(data[64:], np.arange(64))


ASYNC = """
    mad.lo.u32 %r2, %r0, 4, %r8;
    mad.wide.u32 %q2, %r0, 4, %q0;
    cp.async.ca.shared.global [%r2], [%q2], 4;
    cp.async.mbarrier.arrive{noinc}.shared.b64 [%r7];
    {own}
W:  mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 0;
    @!%p1 bra W;
    xor.b32 %r3, %r0, 31;
    mad.lo.u32 %r3, %r3, 4, %r8;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%q2+128], %r4;
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("noinc", ["", ".noinc"])
def test_cp_async_arrives_at_an_mbarrier(mode: Mode, noinc: str) -> None:
    data = np.arange(64, dtype=np.uint32)
    own = "@%p0 mbarrier.arrive.shared.b64 %q1, [%r7];" if not noinc else ""
    text = tensor_kernel(ASYNC.format(noinc=noinc, own=own), 256)
    text = text.replace("[%r7], 1;", f"[%r7], {1 if own else 32};")
    run(text, [data, TensorMap(np.zeros((16, 16), np.float32), (8, 8))], mode)
    assert np.array_equal(data[32:], np.arange(32)[::-1])
    broken = text.replace("@!%p1 bra W;", "")
    args = [data, TensorMap(np.zeros((16, 16), np.float32), (8, 8))]
    with pytest.raises(FindingError, match=r"copy in flight|race|CTA ends"):
        run_often(broken, args)


TWO_ARRIVALS = """
    add.u32 %r6, %r7, 8;
    @%p0 mbarrier.init.shared.b64 [%r7], 32;
    @%p0 mbarrier.init.shared.b64 [%r6], 32;
    bar.sync 0;
    and.b32 %r5, %r0, 31;
    mad.lo.u32 %r2, %r5, 4, %r8;
    mad.wide.u32 %q2, %r5, 4, %q0;
    setp.lt.u32 %p2, %r0, 32;
    @%p2 bra READS;
    cp.async.ca.shared.global [%r2], [%q2], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];
    cp.async.ca.shared.global [%r2+128], [%q2+128], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r6];
L:  mbarrier.try_wait.parity.shared.b64 %p1, [%r6], 0;
    @!%p1 bra L;
    bra END;
READS:
W:  mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 0;
    @!%p1 bra W;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%q2+256], %r4;
END:
"""
"""Warp 1 copies twice and waits for both, warp 0 for the first copy alone."""


def two_arrivals() -> str:
    """Its kernel, whose mbarriers the first warp makes."""
    text = tensor_kernel(TWO_ARRIVALS, 256)
    return text.replace("@%p0 mbarrier.init.shared.b64 [%r7], 1;", "")


@pytest.mark.parametrize("seed", range(8))
def test_a_later_arrival_completes_what_an_earlier_one_tracks(seed: int) -> None:
    data = np.arange(96, dtype=np.uint32)
    tensor = TensorMap(np.zeros((16, 16), np.float32), (8, 8))
    run(two_arrivals(), [data, tensor], "adversarial", seed, 64)
    assert np.array_equal(data[64:], np.arange(32))


def test_an_earlier_arrival_says_nothing_of_later_copies() -> None:
    broken = two_arrivals().replace("%r4, [%r2];", "%r4, [%r2+128];")
    data = np.arange(96, dtype=np.uint32)
    tensor = TensorMap(np.zeros((16, 16), np.float32), (8, 8))
    with pytest.raises(FindingError, match=r"copy in flight|race"):
        run_often(broken, [data, tensor], 64)


BAD_MAPS: dict[str, Any] = {
    "1 to 5 dimensions": lambda: TensorMap(np.zeros((4, 16), np.float32), (4,)),
    "box extents": lambda: TensorMap(np.zeros((4, 512), np.uint8), (4, 512)),
    "multiples of 16": lambda: TensorMap(np.zeros((4, 6), np.float32), (4, 4)),
    "multiple of 16 bytes in a row": lambda: TensorMap(np.zeros((4, 8), "f4"), (4, 2)),
    "within the swizzle": lambda: TensorMap(np.zeros((4, 64), "f4"), (4, 64), 128),
    "contiguous last": lambda: TensorMap(np.zeros((8, 8), "f4").T, (4, 4)),
    "0, 32, 64 or 128": lambda: TensorMap(np.zeros((8, 8), "f4"), (4, 4), 16),
}


@pytest.mark.parametrize("message", BAD_MAPS)
def test_bad_maps_are_refused(message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        BAD_MAPS[message]()


def test_im2col_is_refused_by_name() -> None:
    body = load(3, "0, 0, 0", 256).replace(".tile", ".im2col")
    text = tensor_kernel(body, 256, legal=False)
    with pytest.raises(PtxError, match="im2col', which is not supported"):
        run(text, [DATA, TensorMap(np.zeros((16, 16), np.float32), (8, 8))])


def test_bfloat16_maps() -> None:
    array = np.arange(64).reshape(8, 8).astype(ml_dtypes.bfloat16)
    result = np.zeros(16, np.uint32)
    body = load(2, "0, 4", 64) + WAIT.format(n=0) + dump(64)
    run(tensor_kernel(body, 64), [result, TensorMap(array, (4, 8))])
    assert np.array_equal(result.view(ml_dtypes.bfloat16), array[4:].ravel())
