# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every finding that the detector specifies: a kernel with and one without it.

A finding names the line of the instruction and, if there are two accesses, that of the
other one too. The correct kernel must have no finding under several seeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from ptx_arrays import aligned
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, TensorMap, launch

FRAME = """
.visible .entry k(
    .param .u64 x, .param .u64 y, .param .align 64 .b8 map[128]
)
{
    .reg .b32 %r<20>; .reg .b64 %q<9>; .reg .pred %p<9>; .reg .f32 %f<4>;
    .shared .align 128 .b8 data[4096];
    .shared .align 8 .b64 bar;
    .local .align 4 .b8 own[16];
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [y];
    mov.b64 %q2, map;
    cvta.param.u64 %q2, %q2;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, data;
    mad.lo.u32 %r3, %r0, 4, %r2;
    xor.b32 %r4, %r3, 128;              // the cell of a thread of another warp
    xor.b32 %r5, %r3, 4;                // the cell of a neighbour in the warp
    mov.u32 %r6, bar;
    mad.wide.u32 %q3, %r0, 4, %q0;
    mov.u32 %r7, 1;
    setp.eq.u32 %p0, %r0, 0;
    setp.lt.u32 %p1, %r0, 32;
    setp.eq.u32 %p2, %r1, 0;
BODY
    ret;
}
"""
INIT = """
    @%p0 mbarrier.init.shared.b64 [bar], COUNT;
    @%p0 fence.mbarrier_init.release.cluster;
    bar.sync 0;
"""
AWAIT = """
L:  mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;
    @!%p3 bra L;
"""
LOAD = (
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[data], [%q0], 512, [bar];\n"
)
EXPECT = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;\n"
TENSOR = (
    "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global"
    ".mbarrier::complete_tx::bytes [PLACE], [%q2, {0, 0}], [bar];\n"
)
ONE = INIT.replace("COUNT", "1")
STORE = "st.shared.u32 [%r3], %r0;\n"
OUT = "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%q1], [data], 512;\n"
COMMIT = "@%p0 cp.async.bulk.commit_group;\n"
END = "@%p0 cp.async.bulk.wait_group 0;\n"
COPY = """
    shl.b32 %r8, %r0, 4;
    add.u32 %r8, %r8, %r2;
    @%p1 cp.async.ca.shared.global [%r8], [%q0], 16;
"""
ARRIVES = "@%p1 cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
PROXY = "fence.proxy.async.shared::cta;\n"
MATRIX = """
.reg .b64 %d<2>; .reg .f32 %a<4>;
mov.b64 %d0, 0x0000000800400000;
shr.u32 %r8, %r2, 4;
cvt.u64.u32 %d1, %r8;
or.b64 %d0, %d0, %d1;
mov.u32 %r9, 0;
FILL:
mad.lo.u32 %r10, %r9, 512, %r3;
st.shared.u32 [%r10], 0;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p4, %r9, 8;
@%p4 bra FILL;
"""
ZERO = "".join(f"mov.f32 %a{i}, 0f00000000;\n" for i in range(4))
PRODUCT = (
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    "{%a0, %a1, %a2, %a3}, %d0, %d0, 1, 1, 1, 0, 0;\n"
)
SLICE = (
    MATRIX[: MATRIX.index("mov.u32 %r9, 0;")]
    + ZERO
    + """
shl.b32 %r8, %r0, 4;
add.u32 %r8, %r8, %r2;
cp.async.cg.shared.global [%r8], [%q0], 16;
cp.async.cg.shared.global [%r8+2048], [%q0], 16;
cp.async.wait_all;
"""
)
FENCE, GROUP, WAIT = (
    f"wgmma.{kind};\n"
    for kind in (
        "fence.sync.aligned",
        "commit_group.sync.aligned",
        "wait_group.sync.aligned 0",
    )
)
USE = "mov.f32 %f0, %a0;\n"


@dataclass(frozen=True)
class Fault:
    """A fault, the words that report it, and the right form.

    Attributes:
        wrong, right: Bodies of the kernel.
        message: What the report must say, a regular expression.
        grid, cluster: How it is launched, with 128 threads per CTA.
    """

    wrong: str
    message: str
    right: str
    grid: int = 1
    cluster: int = 1


FAULTS = {
    "register that nobody wrote": Fault(
        "st.global.u32 [%q3], %r9;",
        r"uninitialised: register %r9 .* lane \d+ of warp \d",
        "mov.u32 %r9, 5;\nst.global.u32 [%q3], %r9;",
    ),
    "shared memory that nobody wrote": Fault(
        "ld.shared.u32 %r9, [%r3];",
        r"uninitialised: warp \d reads shared memory at offset \d+ \(data\+\d+\)",
        STORE + "ld.shared.u32 %r9, [%r3];",
    ),
    "local memory that nobody wrote": Fault(
        "ld.local.u32 %r9, [own];\nst.global.u32 [%q3], %r9;",
        r"uninitialised: register %r9 .* local memory that nobody wrote, in lane \d+ "
        r"of warp \d",
        "st.local.u32 [own], 1;\nld.local.u32 %r9, [own];\nst.global.u32 [%q3], %r9;",
    ),
    "warps: a read without a barrier": Fault(
        STORE + "ld.shared.u32 %r9, [%r4];",
        r"race: warp \d .* warp \d wrote at line \d+ \(st.shared|uninitialised",
        STORE + "bar.sync 0;\nld.shared.u32 %r9, [%r4];",
    ),
    "warps: overwritten without a barrier": Fault(
        STORE + "bar.sync 0;\nld.shared.u32 %r9, [%r4];\n" + STORE,
        r"race: warp \d overwrites .* warp \d read at line \d+ \(ld.shared"
        r"|race: warp \d reads .* warp \d wrote at line \d+ \(st.shared",
        STORE + "bar.sync 0;\nld.shared.u32 %r9, [%r4];\nbar.sync 0;\n" + STORE,
    ),
    "CTAs of a cluster": Fault(
        STORE + "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\n"
        "mapa.shared::cluster.u32 %r8, %r3, %r8;\n"
        "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n"
        "ld.shared::cluster.u32 %r9, [%r8];\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
        r"race: warp \d.* reads .* of block \d that warp \d.* wrote at line \d+ \(st",
        STORE + "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\n"
        "mapa.shared::cluster.u32 %r8, %r3, %r8;\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
        "ld.shared::cluster.u32 %r9, [%r8];\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
        *(2, 2),
    ),
    "a CTA that ends too early": Fault(
        STORE + "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\n"
        "mapa.shared::cluster.u32 %r8, %r3, %r8;\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
        "ld.shared::cluster.u32 %r9, [%r8];",
        r"cluster: .* ends while warp \d.* at line \d+ \(ld.shared|which has ended",
        STORE + "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\n"
        "mapa.shared::cluster.u32 %r8, %r3, %r8;\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
        "ld.shared::cluster.u32 %r9, [%r8];\n"
        "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;",
        *(2, 2),
    ),
    "generic writes, asynchronous reads": Fault(
        STORE + "bar.sync 0;\n" + OUT + COMMIT + "@%p0 cp.async.bulk.wait_group 0;",
        r"proxy: an asynchronous operation of warp \d touches .* \(data\+\d+\) that "
        r"warp \d wrote at line \d+ \(st.shared.*, with no fence.proxy.async",
        STORE
        + PROXY
        + "bar.sync 0;\n"
        + OUT
        + COMMIT
        + "@%p0 cp.async.bulk.wait_group 0;",
    ),
    "generic writes of cp.async, asynchronous reads": Fault(
        COPY + "cp.async.wait_all;\nbar.sync 0;\n" + OUT + COMMIT + END,
        r"proxy: an asynchronous operation of warp \d touches .* that warp 0 wrote "
        r"at line \d+ \(@%p1 cp.async.ca.*, with no fence.proxy.async",
        COPY + "cp.async.wait_all;\nbar.sync 0;\n" + PROXY + OUT + COMMIT + END,
    ),
    "a proxy fence before the copies have landed": Fault(
        COPY + PROXY + "cp.async.wait_all;\nbar.sync 0;\n" + OUT + COMMIT + END,
        r"proxy: .* that warp 0 wrote at line \d+ \(@%p1 cp.async.ca.*, with no fence",
        COPY + "cp.async.wait_all;\n" + PROXY + "bar.sync 0;\n" + OUT + COMMIT + END,
    ),
    "generic writes of cp.async that arrive at an mbarrier": Fault(
        INIT.replace("COUNT", "32") + COPY + ARRIVES + AWAIT + OUT + COMMIT + END,
        r"proxy: .* that an asynchronous copy wrote at line \d+ \(@%p1 cp.async.ca.*, "
        r"with no fence.proxy.async",
        INIT.replace("COUNT", "32")
        + COPY
        + ARRIVES
        + AWAIT
        + PROXY
        + OUT
        + COMMIT
        + END,
    ),
    "a proxy fence of one who did not wait for the copies": Fault(
        INIT.replace("COUNT", "32")
        + COPY
        + ARRIVES
        + PROXY
        + AWAIT
        + OUT
        + COMMIT
        + END,
        r"proxy: .* that an asynchronous copy wrote at line \d+ \(@%p1 cp.async.ca",
        INIT.replace("COUNT", "32")
        + COPY
        + ARRIVES
        + AWAIT
        + "@!%p1 fence.proxy.async.shared::cta;\nbar.sync 0;\n"
        + OUT
        + COMMIT
        + END,
    ),
    "generic writes of cp.async, read by wgmma": Fault(
        SLICE + "bar.sync 0;\n" + FENCE + PRODUCT + GROUP + WAIT,
        r"proxy: .* that warp \d wrote at line \d+ \(cp.async.cg.*no fence.proxy.async",
        SLICE + PROXY + "bar.sync 0;\n" + FENCE + PRODUCT + GROUP + WAIT,
    ),
    "a proxy fence of one warp of the warpgroup": Fault(
        SLICE + "bar.sync 0;\n@%p1 " + PROXY + FENCE + PRODUCT + GROUP + WAIT,
        r"proxy: an asynchronous operation of warp [123] touches .*no fence.proxy",
        SLICE + "bar.sync 0;\n@%p1 " + PROXY + "bar.sync 0;\n"
        "" + FENCE + PRODUCT + GROUP + WAIT,
    ),
    "atomic updates, asynchronous reads": Fault(
        STORE + PROXY + "atom.shared.add.u32 %r9, [%r3], 1;\nbar.sync 0;\n"
        "" + OUT + COMMIT + END,
        r"proxy: .* that an atomic or strong write wrote at line \d+ \(atom.shared.*, "
        r"with no fence.proxy.async",
        STORE + "atom.shared.add.u32 %r9, [%r3], 1;\nbar.sync 0;\n"
        "" + PROXY + OUT + COMMIT + END,
    ),
    "generic writes to global memory, read by a copy": Fault(
        "@%p0 st.global.u32 [%q0], 5;\n" + ONE + EXPECT + LOAD + AWAIT,
        r"proxy: .* block 0, warp 0 wrote at line \d+ \(@%p0 st.global.*no fence.proxy",
        "@%p0 st.global.u32 [%q0], 5;\nfence.proxy.async.global;\n"
        + ONE
        + EXPECT
        + LOAD
        + AWAIT,
    ),
    "read before a copy has written it": Fault(
        STORE + PROXY + "bar.sync 0;\n" + OUT + COMMIT + "@%p0 "
        "cp.async.bulk.wait_group.read 0;\n@%p0 ld.global.u32 %r9, [%q1];",
        r"race: block 0, warp 0 reads .* warp 0 writes by a copy at line .*wait_group",
        STORE + PROXY + "bar.sync 0;\n" + OUT + COMMIT + "@%p0 "
        "cp.async.bulk.wait_group 0;\n@%p0 ld.global.u32 %r9, [%q1];",
    ),
    "overwritten while a copy reads it": Fault(
        STORE + PROXY + "bar.sync 0;\n" + OUT + COMMIT + "@%p0 st.shared.u32 [data], 1;"
        "\n@%p0 cp.async.bulk.wait_group 0;",
        r"copy in flight: write .* \(data\+0\) by warp \d before .* that reads it was "
        r"waited for, at line \d+ \(@%p0 cp.*with cp.async.bulk.wait_group first",
        STORE + PROXY + "bar.sync 0;\n" + OUT + COMMIT + "@%p0 "
        "cp.async.bulk.wait_group.read 0;\n@%p0 st.shared.u32 [data], 1;",
    ),
    "read while a copy writes it": Fault(
        ONE + EXPECT + LOAD + "ld.shared.u32 %r9, [%r3];" + AWAIT,
        r"copy in flight: read .* copy to it was waited for, at line \d+ \(@%p0 cp"
        r"|race: .* an asynchronous copy wrote at line \d+|uninitialised",
        ONE + EXPECT + LOAD + AWAIT + "ld.shared.u32 %r9, [%r3];",
    ),
    "cp.async that nobody waited for": Fault(
        "shl.b32 %r8, %r0, 4;\nadd.u32 %r8, %r8, %r2;\n"
        "@%p1 cp.async.ca.shared.global [%r8], [%q0], 16;\nld.shared.u32 %r9, [%r8];",
        r"copy in flight: .* at line \d+ \(@%p1 cp.async|uninitialised",
        "shl.b32 %r8, %r0, 4;\nadd.u32 %r8, %r8, %r2;\n"
        "@%p1 cp.async.ca.shared.global [%r8], [%q0], 16;\ncp.async.wait_all;\n"
        "@%p1 ld.shared.u32 %r9, [%r8];",
    ),
    "overwritten while a product reads it": Fault(
        MATRIX
        + ZERO
        + PROXY
        + "bar.sync 0;\n"
        + FENCE
        + PRODUCT
        + GROUP
        + STORE
        + WAIT,
        r"copy in flight: write .* by warp \d before .* was waited for, at line \d+ "
        r"\(wgmma.mma_async.*with wgmma.wait_group first",
        MATRIX
        + ZERO
        + PROXY
        + "bar.sync 0;\n"
        + FENCE
        + PRODUCT
        + GROUP
        + WAIT
        + "bar.sync 0;\n"
        + STORE,
    ),
    "accumulator used before the wait": Fault(
        MATRIX + ZERO + PROXY + "bar.sync 0;\n" + FENCE + PRODUCT + GROUP + USE + WAIT,
        r"wgmma in flight: warp \d touches register %a0 .* at line \d+ \(wgmma.mma",
        MATRIX + ZERO + PROXY + "bar.sync 0;\n" + FENCE + PRODUCT + GROUP + WAIT + USE,
    ),
    "missing wgmma.fence": Fault(
        MATRIX + FENCE + ZERO + PROXY + "bar.sync 0;\n" + PRODUCT + GROUP + WAIT,
        r"wgmma: register %a\d was touched at line \d+ \(mov.* no wgmma.fence",
        MATRIX
        + FENCE
        + ZERO
        + PROXY
        + "bar.sync 0;\n"
        + FENCE
        + PRODUCT
        + GROUP
        + WAIT,
    ),
    "too few bytes expected": Fault(
        ONE + EXPECT.replace("512", "496") + LOAD + AWAIT,
        r"mbarrier: 16 bytes more than expected .* \(initialised at line \d+",
        ONE + EXPECT + LOAD + AWAIT,
    ),
    "too many bytes expected": Fault(
        ONE + EXPECT.replace("512", "528") + LOAD + AWAIT,
        r"deadlock: .* waits? at line \d+ for the mbarrier .* 16 bytes pending",
        ONE + EXPECT + LOAD + AWAIT,
    ),
    "too few arrivals": Fault(
        INIT.replace("COUNT", "128")
        + "@%p1 mbarrier.arrive.shared.b64 _, [bar];"
        + AWAIT,
        r"deadlock: warp .* waits? at line \d+ for the mbarrier .*: 96 of 128 arrivals",
        INIT.replace("COUNT", "128") + "mbarrier.arrive.shared.b64 _, [bar];" + AWAIT,
    ),
    "too many arrivals": Fault(
        ONE + "@%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 64;\n"
        "bar.sync 0;\n@%p1 mbarrier.arrive.shared.b64 _, [bar];",
        r"mbarrier: 1 arrivals at the mbarrier .* \(initialised at line \d+",
        INIT.replace("COUNT", "32") + "@%p1 mbarrier.arrive.shared.b64 _, [bar];",
    ),
    "wrong parity": Fault(
        ONE
        + EXPECT
        + LOAD
        + AWAIT.replace("], 0;", "], 1;")
        + "ld.shared.u32 %r9, [%r3];"
        + AWAIT.replace("L", "M"),
        r"race|copy in flight|uninitialised|deadlock: .* at line \d+ for the mbarrier",
        ONE + EXPECT + LOAD + AWAIT + "ld.shared.u32 %r9, [%r3];",
    ),
    "one barrier with two counts": Fault(
        "@%p1 bar.sync 1, 96;\n@!%p1 bar.sync 1, 128;",
        r"barrier: barrier 1 .* 96 .* 128 .* at line \d+"
        r"|barrier: barrier 1 .* 128 .* 96 .* at line \d+",
        "@%p1 bar.sync 1, 128;\n@!%p1 bar.sync 1, 128;",
    ),
    "mbarrier that nobody initialised": Fault(
        "mbarrier.arrive.shared.b64 _, [bar];",
        r"mbarrier: expected an initialised mbarrier at offset \d+",
        INIT.replace("COUNT", "128") + "mbarrier.arrive.shared.b64 _, [bar];",
    ),
    "mbarrier used before others may know it": Fault(
        "@%p0 mbarrier.init.shared.b64 [bar], 128;\n"
        "mbarrier.arrive.shared.b64 _, [bar];",
        r"race: warp \d uses .* warp 0 initialised at line \d+|initialised mbarrier",
        "@%p0 mbarrier.init.shared.b64 [bar], 128;\nbar.sync 0;\n"
        "mbarrier.arrive.shared.b64 _, [bar];",
    ),
    "part of a warp at an aligned instruction": Fault(
        "@%p0 wgmma.fence.sync.aligned;",
        r"divergence: the guard lets only some lanes run .*: warp 0 \(lane 0\)",
        "wgmma.fence.sync.aligned;",
    ),
    "part of a warp at a shuffle": Fault(
        "@%p0 shfl.sync.idx.b32 %r9, %r0, 0, 31, -1;",
        "divergence: the guard lets only some lanes run",
        "@%p0 shfl.sync.idx.b32 %r9, %r0, 0, 31, 1;",
    ),
    "misaligned": Fault(
        "add.u32 %r8, %r3, 2;\nst.shared.u32 [%r8], 1;",
        r"misaligned: expected an address that is a multiple of 4, got 0x\w+ in block",
        STORE,
    ),
    "out of bounds of shared memory": Fault(
        "st.shared.u32 [%r3+4096], 1;",
        r"out of bounds: store of 4 bytes at offset 0x\w+ .* lane|out of bounds: store",
        STORE,
    ),
    "out of bounds of an array": Fault(
        "st.global.u32 [%q3+4], %r0;",
        r"out of bounds: store of 4 .* x: uint32\[128\] .* past its end .*warp \d",
        "st.global.u32 [%q3], %r0;",
    ),
    "TMA target that is not aligned": Fault(
        ONE + EXPECT + TENSOR.replace("PLACE", "data+16") + AWAIT,
        "misaligned: expected an address that is a multiple of 128",
        ONE + EXPECT + TENSOR.replace("PLACE", "data") + AWAIT,
    ),
    "bulk copy of an odd size": Fault(
        ONE + EXPECT + LOAD.replace("512", "500") + AWAIT,
        "tma: expected a multiple of 16 bytes, got 500",
        ONE + EXPECT + LOAD + AWAIT,
    ),
    "TMA with something else than a map": Fault(
        ONE + EXPECT + TENSOR.replace("PLACE", "data").replace("%q2", "%q0") + AWAIT,
        "tma: expected a tensor map, got other bytes",
        ONE + EXPECT + TENSOR.replace("PLACE", "data") + AWAIT,
    ),
    "CTAs write one place": Fault(
        "@%p0 st.global.u32 [%q0], %r1;",
        r"race: block \d, warp 0 writes .* block \d, warp 0 wrote at line \d+",
        "@%p0 red.global.add.u32 [%q0], %r1;",
        grid=2,
    ),
    "a flag without a fence": Fault(
        "@!%p0 ret;\n@!%p2 bra R;\nst.global.u32 [%q0+8], 5;\n"
        "st.relaxed.gpu.global.u32 [%q0], 1;\nret;\n"
        "R: ld.acquire.gpu.global.u32 %r9, [%q0];\nsetp.eq.u32 %p4, %r9, 1;\n"
        "@!%p4 bra R;\nld.global.u32 %r9, [%q0+8];",
        r"race: block 1, warp 0 reads .* block 0, warp 0 wrote at line \d+",
        "@!%p0 ret;\n@!%p2 bra R;\nst.global.u32 [%q0+8], 5;\n"
        "st.release.gpu.global.u32 [%q0], 1;\nret;\n"
        "R: ld.acquire.gpu.global.u32 %r9, [%q0];\nsetp.eq.u32 %p4, %r9, 1;\n"
        "@!%p4 bra R;\nld.global.u32 %r9, [%q0+8];",
        grid=2,
    ),
    "a deadlock": Fault(
        "@%p1 bar.sync 1, 128;\n@!%p1 bar.sync 2, 128;",
        r"deadlock: warp .* waits? at line \d+ at barrier 1, where 32 of 128 .*; "
        r"warp .* waits? at line \d+ at barrier 2, where 96 of 128"
        r"|deadlock: .*barrier 2.*barrier 1",
        "@%p1 bar.sync 1, 128;\n@!%p1 bar.sync 1, 128;",
    ),
}


def run(body: str, fault: Fault, seed: int) -> None:
    data = aligned((128,), np.uint32)
    out = aligned((128,), np.uint32)
    image = aligned((8, 16), np.float32)
    launch(
        module(FRAME.replace("BODY", body), "sm_90a"),
        grid=fault.grid,
        block=128,
        cluster=fault.cluster,
        args=[data, out, TensorMap(image, (8, 16))],
        mode="adversarial",
        seed=seed,
        limit=20_000,
    )


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported(name: str) -> None:
    fault = FAULTS[name]
    for seed in range(4):
        with pytest.raises(FindingError, match=fault.message) as caught:
            run(fault.wrong, fault, seed)
        assert caught.value.finding.line > 0


@pytest.mark.parametrize("name", FAULTS)
def test_the_right_form_is_silent(name: str) -> None:
    for seed in range(4):
        run(FAULTS[name].right, FAULTS[name], seed)


def right_forms_assemble(faults: dict[str, Fault]) -> None:
    """Has ptxas assemble the right forms of some faults."""
    bodies = {fault.right for fault in faults.values()}
    entries = [
        FRAME.replace("BODY", body).replace("entry k(", f"entry k{number}(")
        for number, body in enumerate(bodies)
    ]
    assert assemble(module("\n".join(entries), "sm_90a"), "sm_90a") == ""


def test_ptxas_takes_the_right_forms() -> None:
    right_forms_assemble(FAULTS)
