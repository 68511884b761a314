# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Gluon for clusters of CTAs, which share copies and products."""

from builds import Build
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    allocate_tensor_memory,
    tcgen05_mma,
)
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def product_of_a_pair(
    a,
    b,
    c,
    K,
    BM: gl.constexpr,
    BN: gl.constexpr,
    BK: gl.constexpr,
    LAYOUT: gl.constexpr,
):
    """Blackwell: two CTAs multiply together, each with half of A's rows and of B."""
    dtype: gl.constexpr = a.dtype
    left = gl.allocate_shared_memory(dtype, [BM, BK], a.layout)
    right = gl.allocate_shared_memory(dtype, [BK, BN], b.layout)
    full = mbarrier.allocate_mbarrier(two_ctas=True)
    done = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    mbarrier.init(done, count=1)
    where: gl.constexpr = TensorMemoryLayout(
        [BM // 2, BN], col_stride=1, cga_layout=[[1, 0]], two_ctas=True
    )
    total = allocate_tensor_memory(gl.float32, [BM, BN], where)
    for step in range(K // BK):
        mbarrier.expect(full, a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [0, step * BK], full, left)
        tma.async_load(b, [step * BK, 0], full, right)
        mbarrier.wait(full, step & 1)
        tcgen05_mma(left, right, total, use_acc=step > 0, mbarriers=[done])
        mbarrier.wait(done, step & 1)
    mbarrier.invalidate(full)
    mbarrier.invalidate(done)
    values = total.load(total.get_reg_layout())
    values = gl.convert_layout(values, LAYOUT)
    i = gl.arange(0, BM, gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, BN, gl.SliceLayout(0, LAYOUT))
    gl.store(c + i[:, None] * BN + j[None, :], values)


@gluon.jit
def share_a_copy(x, y, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    """Hopper: one copy goes to all CTAs of a cluster, each of which writes a part."""
    near = gl.allocate_shared_memory(x.dtype, [M, N], x.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, x.nbytes_per_cta)
    tma.async_load(x, [0, 0], bar, near, multicast=True)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    values = near.load(LAYOUT)
    i = gl.arange(0, M, gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, N, gl.SliceLayout(0, LAYOUT))
    gl.store(y + i[:, None] * N + j[None, :], values)


@gluon.jit
def sum_over_the_cluster(x, y, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    """Hopper: rows are split between CTAs, and summed over all of them."""
    i = gl.arange(0, M, gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, N, gl.SliceLayout(0, LAYOUT))
    tile = gl.load(x + i[:, None] * N + j[None, :])
    gl.store(y + j, gl.sum(tile, axis=0))
    turned = gl.convert_layout(
        tile, gl.BlockedLayout([1, 1], [32, 1], [4, 1], [0, 1], cga_layout=[[0, 1]])
    )
    gl.store(
        y + N + gl.arange(0, M, gl.SliceLayout(1, turned.type.layout)),
        gl.sum(turned, axis=1),
    )


def rows_apart(columns):
    """A layout whose rows are split between two CTAs."""
    return gl.BlockedLayout(
        [1, 4], [32 * 4 // columns, columns // 4], [4, 1], [1, 0], cga_layout=[[1, 0]]
    )


def described(ty, shape, cga):
    """Type of a descriptor of 16-bit elements, as the CTAs of a cluster share it."""
    layout = gl.NVMMASharedLayout(
        swizzle_byte_width=128, element_bitwidth=16, rank=2, cga_layout=cga
    )
    box = ",".join(map(str, shape))
    return f"tensordesc<{ty}[{box}],{layout!r}>".replace(" ", "")


def pair(bm, bn):
    """A product by a pair of CTAs."""
    a = described("fp16", (bm, 64), [[1, 0]])
    b = described("fp16", (64, bn), [[0, 1]])
    constants = {"BM": bm, "BN": bn, "BK": 64, "LAYOUT": rows_apart(64)}
    return Build(
        product_of_a_pair,
        f"{a} {b} *fp32 i32",
        (100,),
        constants,
        {"num_ctas": 2},
        f"of_{bm}_rows",
    )


BUILDS = [
    pair(256, 128),
    pair(128, 128),
    Build(
        share_a_copy,
        f"{described('fp16', (64, 64), [[0, 0]])} *fp16",
        (90, 100),
        {"M": 64, "N": 64, "LAYOUT": rows_apart(64)},
        {"num_ctas": 2},
    ),
    Build(
        sum_over_the_cluster,
        "*fp32 *fp32",
        (90, 100),
        {"M": 64, "N": 64, "LAYOUT": rows_apart(64)},
        {"num_ctas": 2},
    ),
]
