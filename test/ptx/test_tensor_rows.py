# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of a tensor by TMA, and packed elements: their destinations, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_arrays import aligned
from ptx_harness import assemble
from test_bulk_copy import WAIT, dump, image, run, tensor_kernel

from cuda_tile.emulator import FindingError, LaunchError, PtxError, TensorMap
from cuda_tile.emulator.launch import Mode

ROWS = (7, 2, 30, 2)
GATHER = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
SCATTER = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
ADD = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group"
COMPLETE = "mbarrier::complete_tx::bytes"


def kernel(body: str, size: int) -> str:
    text = tensor_kernel(body, size, legal=False)
    text = text.replace(".target sm_90", ".target sm_100a").replace("8.7", "9.2")
    assert assemble(text, "sm_100a") == ""
    return text


def copied(place: str, size: int, counted: int, name: str = GATHER) -> str:
    return f"""
    @%p0 mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], {counted};
    @%p0 {name}.{COMPLETE} [%r8], [%q4, {{{place}}}], [%r7];
    {WAIT.format(n=0)}
    {dump(size)}
"""


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("swizzle", [0, 64, 128])
def test_gather(mode: Mode, swizzle: int) -> None:
    array = np.arange(20 * 64, dtype=np.float32).reshape(20, 64)
    columns = (swizzle or 128) // 4
    place = ", ".join(map(str, (8, *ROWS)))
    result = np.zeros(4 * columns, np.float32)
    size = result.nbytes
    text = kernel(copied(place, size, size), size)
    tensor = TensorMap(array, (1, columns), swizzle)
    run(text, [result.view(np.uint32), tensor], mode)
    padded = np.zeros((40, 64), np.float32)
    padded[:20] = array  # row 30 is outside
    wanted = image(padded[list(ROWS), 8 : 8 + columns], swizzle)
    assert np.array_equal(result.view(np.uint8), wanted)


@pytest.mark.parametrize("name", [SCATTER, ADD])
def test_scatter(name: str) -> None:
    rows = (7, 2, 30, 5)
    place = ", ".join(map(str, (8, *rows)))
    body = f"""
    mul.wide.u32 %q1, %r0, 4;
    mad.lo.u32 %r2, %r0, 4, %r8;
    cvt.rn.f32.u32 %f0, %r0;
    st.shared.f32 [%r2], %f0;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    @%p0 {name} [%q4, {{{place}}}], [%r8];
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group 0;
"""
    array = np.ones((20, 64), np.float32)
    text = kernel(body, 128)
    run(text, [np.zeros(4, np.uint32), TensorMap(array, (1, 8))])
    wanted = np.ones((20, 64), np.float32)
    values = np.arange(32, dtype=np.float32).reshape(4, 8)
    for row, part in zip(rows, values, strict=True):
        if row < 20:
            wanted[row, 8:16] = part + (name == ADD)
    assert np.array_equal(array, wanted)


def test_a_box_of_several_rows_is_no_row() -> None:
    text = kernel(copied("0, 1, 2, 3, 4", 512, 512), 512)
    array = np.zeros((16, 32), np.float32)
    with pytest.raises(FindingError, match=r"boxes of one row, got boxes of \(2, 32\)"):
        run(text, [np.zeros(128, np.uint32), TensorMap(array, (2, 32))])


def test_a_gather_has_two_dimensions() -> None:
    text = kernel(copied("0, 1, 2, 3, 4", 512, 512), 512).replace(".2d.", ".3d.")
    array = np.zeros((16, 32), np.float32)
    with pytest.raises(PtxError, match=r"expected '\.2d'"):
        run(text, [np.zeros(128, np.uint32), TensorMap(array, (1, 32))])


# Packed elements -------------------------------------------------------------------

TILED = "cp.async.bulk.tensor.2d.shared::cta.global"


@pytest.mark.parametrize("swizzle", [0, 128])
@pytest.mark.parametrize("bits", [4, 6])
def test_packed_elements_are_padded(bits: int, swizzle: int) -> None:
    """Each 16 elements begin a piece of 16 bytes; only their bytes are counted."""
    array = aligned((12, 256 * bits // 8), np.uint8)
    array[...] = np.random.default_rng(bits).integers(0, 256, array.shape)
    piece = 2 * bits
    size, counted = 4 * 128, 4 * 8 * piece
    # All is written before, so that the padding may be looked at.
    blank = "\n".join(f"st.shared.b32 [%r2+{n}], 0;" for n in range(0, 16, 4))
    body = f"""
    mad.lo.u32 %r2, %r0, 16, %r8;
    {blank}
    fence.proxy.async.shared::cta;
    bar.sync 0;
    {copied("128, 10", size, counted, TILED)}
"""
    result = np.zeros(size // 4, np.uint32)
    tensor = TensorMap(array, (4, 128), swizzle, packed_bits=bits)
    run(kernel(body, size), [result, tensor])
    window = np.zeros((4, 8, 16), np.uint8)
    window[:2, :, :piece] = array[10:, array.shape[1] // 2 :].reshape(2, 8, piece)
    assert np.array_equal(result.view(np.uint8), image(window, swizzle))


def test_the_limits_of_packed_elements() -> None:
    array = aligned((12, 128), np.uint8)
    with pytest.raises(LaunchError, match="128 packed elements"):
        TensorMap(array, (4, 64), packed_bits=4)
    with pytest.raises(LaunchError, match="packed elements in uint8"):
        TensorMap(array.view(np.uint16), (4, 128), packed_bits=4)
    with pytest.raises(LaunchError, match="4 or 6 bits"):
        TensorMap(array, (4, 128), packed_bits=5)
    text = kernel(copied("64, 0", 512, 256, TILED), 512)
    with pytest.raises(FindingError, match="multiple of 128 as the first coordinate"):
        run(text, [np.zeros(128, np.uint32), TensorMap(array, (4, 128), packed_bits=4)])
