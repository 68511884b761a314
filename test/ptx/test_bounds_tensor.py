# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of tensor memory: what products read in shared memory, idle lanes, loads."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_tcgen05 import Kernel, committed, descriptor

from cuda_tile.emulator import launch
from cuda_tile.emulator.bounds import Bound
from cuda_tile.targets import find_target

CHIP = find_target("sm_100")  # 4096 multiply-adds a clock


def work(bound: Bound, name: str) -> tuple[float, float]:
    (found,) = [r for r in bound.resources if r.name == name]
    return found.clocks, found.work


def bound_of(
    m: int, n: int, group: int = 1, *, line: str = "", times: int = 4
) -> Bound:
    """A CTA's bound for products of m x n x 16 in f16 beside the kernel's own moves."""
    rows, columns = m // group, n // group
    idesc = 1 << 4 | n >> 3 << 17 | m >> 4 << 24
    mma = (
        f"tcgen05.mma.cta_group::{group}.kind::f16{line} [%ta], %d1, %d2, %r3, %always;"
    )
    a_bytes = 32 * rows
    body = committed(
        f"""
        shr.u32 %r1, %sm, 4;
        and.b32 %r1, %r1, 0x3FFF;
        cvt.u64.u32 %d3, %r1;
        add.u64 %d1, %d3, {descriptor(0, 16 * rows, 128, 0)};
        add.u64 %d2, %d3, {descriptor(a_bytes, 16 * columns, 128, 0)};
        mov.u32 %r3, {idesc};
        {mma * times}""",
        group,
    )
    size = a_bytes + 32 * columns
    kernel = Kernel(body, columns=256, shared_bytes=size, group=group)
    shape = (group, 128, 256)
    arrays = [np.zeros((group, size), np.uint8), np.zeros(shape, np.uint32)]
    report = launch(
        kernel.text,
        grid=group,
        block=128,
        cluster=group,
        args=[*arrays, np.zeros(shape, np.uint32)],
        bounds=CHIP,
    )
    assert report.bounds is not None
    return report.bounds.grid


@pytest.mark.parametrize(
    ("m", "n", "group", "bytes_per_clock"),
    [
        (128, 128, 1, 128),
        (128, 256, 1, 96),
        (256, 256, 2, 64),
        (64, 128, 1, 96),
    ],
)
def test_bytes_that_products_read(
    m: int, n: int, group: int, bytes_per_clock: int
) -> None:
    """All of A and B each time, at the rate of 128 rows."""
    few, many = (bound_of(m, n, group, times=times) for times in (2, 6))
    wavefronts = work(many, "shared memory")[1] - work(few, "shared memory")[1]
    clocks = work(many, "tensor cores")[0] - work(few, "tensor cores")[0]
    assert clocks == 4 * max(m // group, 128) * n * 16 / 4096
    assert 128 * wavefronts / clocks == bytes_per_clock


def test_a_kept_matrix_is_not_read_again() -> None:
    plain = work(bound_of(128, 128), "shared memory")[1]
    used = work(bound_of(128, 128, line=".collector::a::use"), "shared memory")[1]
    assert plain - used == 4 * 128 * 32 / 128


def test_loads_and_stores() -> None:
    """The kernel stores and loads all 256 columns of 128 lanes once."""
    assert work(bound_of(128, 128), "tensor memory") == (2 * 256, 2 * 256 * 128)
