# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Gluon, where layouts, barriers and copies are written by hand."""

from builds import Build
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    allocate_tensor_memory,
    tcgen05_commit,
    tcgen05_copy,
    tcgen05_mma,
)
from triton.experimental.gluon.language.nvidia.hopper import async_copy, mbarrier, tma


@gluon.jit
def products_in_flight(
    a,
    b,
    c,
    K,
    BM: gl.constexpr,
    BN: gl.constexpr,
    BK: gl.constexpr,
    STAGES: gl.constexpr,
):
    """Hopper: TMA into a ring, while a product is in flight."""
    dtype: gl.constexpr = a.dtype
    left = gl.allocate_shared_memory(dtype, [STAGES, BM, BK], a.layout)
    right = gl.allocate_shared_memory(dtype, [STAGES, BK, BN], b.layout)
    full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for stage in gl.static_range(STAGES):
        mbarrier.init(full.index(stage), count=1)
    i = gl.program_id(0) * BM
    j = gl.program_id(1) * BN
    for stage in gl.static_range(STAGES - 1):
        mbarrier.expect(full.index(stage), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [i, stage * BK], full.index(stage), left.index(stage))
        tma.async_load(b, [stage * BK, j], full.index(stage), right.index(stage))
    layout: gl.constexpr = gl.NVMMADistributedLayout(
        version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, BN, 16]
    )
    total = gl.zeros((BM, BN), gl.float32, layout)
    steps = K // BK
    for step in range(steps):
        now = step % STAGES
        mbarrier.wait(full.index(now), step // STAGES & 1)
        flying = hopper.warpgroup_mma(
            left.index(now), right.index(now), total, is_async=True
        )
        ahead = step + STAGES - 1
        if ahead < steps:
            k = ahead % STAGES
            mbarrier.expect(full.index(k), a.nbytes_per_cta + b.nbytes_per_cta)
            tma.async_load(a, [i, ahead * BK], full.index(k), left.index(k))
            tma.async_load(b, [ahead * BK, j], full.index(k), right.index(k))
        total = hopper.warpgroup_mma_wait(0, deps=[flying])
    for stage in gl.static_range(STAGES):
        mbarrier.invalidate(full.index(stage))
    out = gl.allocate_shared_memory(c.dtype, [BM, BN], c.layout)
    out.store(total.to(c.dtype))
    hopper.fence_async_shared()
    tma.async_store(c, [i, j], out)
    tma.store_wait(0)


@gluon.jit
def accumulate_in_tensor_memory(
    a,
    b,
    c,
    K,
    BM: gl.constexpr,
    BN: gl.constexpr,
    BK: gl.constexpr,
    VARIANT: gl.constexpr,
):
    """Blackwell: one buffer, tcgen05.mma, and a chosen form of tcgen05.ld."""
    dtype: gl.constexpr = a.dtype
    left = gl.allocate_shared_memory(dtype, [BM, BK], a.layout)
    right = gl.allocate_shared_memory(dtype, [BK, BN], b.layout)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    mbarrier.init(bars.index(0), count=1)
    mbarrier.init(bars.index(1), count=1)
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    total = allocate_tensor_memory(gl.float32, [BM, BN], layout)
    i = gl.program_id(0) * BM
    j = gl.program_id(1) * BN
    for step in range(K // BK):
        mbarrier.expect(bars.index(0), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [i, step * BK], bars.index(0), left)
        tma.async_load(b, [step * BK, j], bars.index(0), right)
        mbarrier.wait(bars.index(0), step & 1)
        tcgen05_mma(left, right, total, use_acc=step > 0)
        tcgen05_commit(bars.index(1))
        mbarrier.wait(bars.index(1), step & 1)
    mbarrier.invalidate(bars.index(0))
    mbarrier.invalidate(bars.index(1))
    values = total.load(total.get_reg_layout(instr_variant=VARIANT))
    out = gl.allocate_shared_memory(c.dtype, [BM, BN], c.layout)
    out.store(values.to(c.dtype))
    hopper.fence_async_shared()
    tma.async_store(c, [i, j], out)
    tma.store_wait(0)


@gluon.jit
def left_in_tensor_memory(
    a, b, c, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr
):
    """Blackwell: A goes through registers into tensor memory."""
    dtype: gl.constexpr = b.dtype
    right = gl.allocate_shared_memory(dtype, [BK, BN], b.layout)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    mbarrier.init(bars.index(0), count=1)
    mbarrier.init(bars.index(1), count=1)
    mbarrier.expect(bars.index(0), b.nbytes_per_cta)
    tma.async_load(b, [0, 0], bars.index(0), right)
    place: gl.constexpr = TensorMemoryLayout([BM, BK], col_stride=1)
    left = allocate_tensor_memory(dtype, [BM, BK], place)
    rows: gl.constexpr = left.get_reg_layout()
    i = gl.arange(0, BM, gl.SliceLayout(1, rows))
    k = gl.arange(0, BK, gl.SliceLayout(0, rows))
    left.store(gl.load(a + i[:, None] * BK + k[None, :]))
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    total = allocate_tensor_memory(gl.float32, [BM, BN], layout)
    mbarrier.wait(bars.index(0), 0)
    tcgen05_mma(left, right, total, use_acc=False, mbarriers=[bars.index(1)])
    mbarrier.wait(bars.index(1), 0)
    where: gl.constexpr = total.get_reg_layout()
    values = total.load(where)
    i = gl.arange(0, BM, gl.SliceLayout(1, where))
    j = gl.arange(0, BN, gl.SliceLayout(0, where))
    gl.store(c + i[:, None] * BN + j[None, :], values)
    mbarrier.invalidate(bars.index(0))
    mbarrier.invalidate(bars.index(1))


@gluon.jit
def through_tensor_memory(
    x, y, M: gl.constexpr, N: gl.constexpr, VARIANT: gl.constexpr
):
    """Blackwell: tcgen05.cp from shared to tensor memory, tcgen05.ld, tcgen05.st."""
    plain: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    i = gl.arange(0, M, gl.SliceLayout(1, plain))
    j = gl.arange(0, N, gl.SliceLayout(0, plain))
    shared: gl.constexpr = gl.NVMMASharedLayout(
        swizzle_byte_width=128, element_bitwidth=32, rank=2
    )
    near = gl.allocate_shared_memory(gl.float32, [M, N], shared)
    near.store(gl.load(x + i[:, None] * N + j[None, :]))
    hopper.fence_async_shared()
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    layout: gl.constexpr = TensorMemoryLayout([M, N], col_stride=1)
    cells = allocate_tensor_memory(gl.float32, [M, N], layout)
    more = allocate_tensor_memory(gl.float32, [M, N], layout)
    tcgen05_copy(near, cells)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    values = cells.load(cells.get_reg_layout(instr_variant=VARIANT))
    more.store(
        gl.convert_layout(values * 2.0, more.get_reg_layout(instr_variant=VARIANT))
    )
    again = more.load(more.get_reg_layout())
    gl.store(y + i[:, None] * N + j[None, :], gl.convert_layout(again, plain))
    mbarrier.invalidate(bar)


@gluon.jit
def copies_in_flight(x, y, n, BLOCK: gl.constexpr, STAGES: gl.constexpr):
    """Ampere: cp.async in groups."""
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, order=[0])
    ring = gl.allocate_shared_memory(gl.float32, [STAGES, BLOCK], shared)
    i = gl.arange(0, BLOCK, layout)
    for stage in gl.static_range(STAGES - 1):
        at = stage * BLOCK + i
        async_copy.async_load(ring.index(stage), x + at, mask=at < n)
        async_copy.commit_group()
    for start in range(0, n, BLOCK):
        step = start // BLOCK
        at = start + (STAGES - 1) * BLOCK + i
        ahead = ring.index((step + STAGES - 1) % STAGES)
        async_copy.async_load(ahead, x + at, mask=at < n)
        async_copy.commit_group()
        async_copy.wait_group(STAGES - 1)
        part = ring.index(step % STAGES).load(layout)
        gl.store(y + start + i, part + 1.0, mask=start + i < n)


def described(ty, *shape):
    """Type of a descriptor of 16-bit elements whose rows have 128 bytes."""
    layout = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
    box = ",".join(map(str, shape))
    return f"tensordesc<{ty}[{box}],{layout!r}>".replace(" ", "")


HOPPER = {"BM": 64, "BN": 64, "BK": 64, "STAGES": 3}
BLACKWELL = {"BM": 128, "BN": 64, "BK": 64}
_BOXES = (
    described("fp16", 128, 64),
    described("fp16", 64, 64),
    described("fp16", 128, 64),
)

BUILDS = [
    Build(
        products_in_flight,
        " ".join([described("fp16", 64, 64)] * 3) + " i32",
        (90,),
        HOPPER,
    ),
    *(
        Build(
            accumulate_in_tensor_memory,
            f"{' '.join(_BOXES)} i32",
            (100,),
            BLACKWELL | {"VARIANT": variant},
            variant="of_" + variant.replace("x", "_by_"),
        )
        for variant in ("32x32b", "16x64b", "16x128b", "16x256b")
    ),
    Build(
        left_in_tensor_memory,
        f"*fp16 {described('fp16', 64, 64)} *fp32",
        (100,),
        {"BM": 128, "BN": 64, "BK": 64},
    ),
    Build(
        through_tensor_memory,
        "*fp32 *fp32",
        (100,),
        {"M": 128, "N": 32, "VARIANT": "32x32b"},
    ),
    Build(
        through_tensor_memory,
        "*fp32 *fp32",
        (100,),
        {"M": 128, "N": 32, "VARIANT": "16x64b"},
        variant="of_16_by_64b",
    ),
    Build(copies_in_flight, "*fp32 *fp32 i32", (80, 90), {"BLOCK": 512, "STAGES": 3}),
]
