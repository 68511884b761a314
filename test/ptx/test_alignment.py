# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts do not depend on where NumPy puts an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ptx_arrays import aligned
from ptx_harness import module

from cuda_tile.emulator import TensorMap, launch
from cuda_tile.emulator.bounds import Bound
from cuda_tile.targets import find_target

SECTOR = 32
# 128 bytes of each warp, loaded and stored.
COPY = module(
    """
.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .b32 %r<4>; .reg .b64 %q<4>;
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [y];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %q0, %r0, 4, %q0;
    mad.wide.u32 %q1, %r0, 4, %q1;
    ld.global.u32 %r1, [%q0];
    st.global.u32 [%q1], %r1;
    ret;
}
"""
)


def placed(rest: int, count: int = 128) -> NDArray[np.uint32]:
    """An array of NumPy's own that begins so many bytes behind a sector's start."""
    kept: list[Any] = []
    for size in range(1, 10_000):
        array = np.zeros(count, np.uint32)
        if array.ctypes.data % SECTOR == rest:
            return array
        kept += [array, bytearray(16 * (size % 7 + 1))]
    pytest.skip(f"NumPy places no array {rest} bytes behind a sector")


def counted(x: Any, y: Any, threads: int = 64) -> tuple[int, Bound]:
    args = [x, y]
    chip = find_target("sm_80")
    report = launch(COPY, grid=1, block=threads, args=args, bounds=chip)
    assert report.bounds is not None
    return report.totals["sectors"], report.bounds.grid


@pytest.mark.parametrize("rest", [0, 16])
def test_an_array_is_counted_as_if_it_began_at_a_sector(rest: int) -> None:
    x, y = placed(rest), placed(rest)
    x[:] = np.arange(len(x))
    sectors, grid = counted(x, y)
    assert (y[:64] == x[:64]).all()
    assert sectors == 2 * 64 * 4 // SECTOR
    (found,) = [r.work for r in grid.resources if r.name == "DRAM"]
    assert found == sectors


@pytest.mark.parametrize("rest", [0, 16])
def test_a_view_keeps_its_distance(rest: int) -> None:
    """One element on, each warp touches five sectors; eight on, four."""
    x, y = placed(rest), placed(rest)
    assert counted(x[1:], y)[0] == 2 * 5 + 8
    assert counted(x[8:], y)[0] == 8 + 8
    assert counted(x.reshape(2, 64), y)[0] == 8 + 8


def test_an_array_that_somebody_placed_stays() -> None:
    x = aligned((128,), np.uint32, skip_bytes=16)
    assert counted(x, placed(16))[0] == 2 * 5 + 8


@pytest.mark.parametrize("rest", [0, 16])
def test_boxes_of_a_tensor(rest: int) -> None:
    """A box of 8 rows of 32 bytes."""
    text = module(
        """
.visible .entry k(.param .align 64 .b8 t[128])
{
    .reg .b64 %q; .reg .b32 %r<2>;
    mov.b64 %q, t;
    cvta.param.u64 %q, %q;
    mov.u32 %r0, 0;
    .shared .align 128 .b8 data[256];
    .shared .align 8 .b64 bar;
    mbarrier.init.shared.b64 [bar], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
        [data], [%q, {%r0, %r0}], [bar];
    .reg .pred %p;
W:  mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra W;
    ret;
}
""",
        "sm_90",
    )
    x = placed(rest).reshape(8, 16)
    report = launch(text, grid=1, block=1, args=[TensorMap(x, (8, 8))])
    assert report.totals["sectors"] == 8
