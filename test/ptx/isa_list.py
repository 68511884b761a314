# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instructions of the PTX ISA, by the titles of its chapter "Instructions"."""

from __future__ import annotations

from isa_form import Family
from isa_forms_matrix import FAMILIES as MATRIX
from isa_forms_matrix import WARP, WARPGROUP
from isa_forms_memory import COPY, TENSOR_COPY
from isa_forms_memory import FAMILIES as MEMORY
from isa_forms_scalar import (
    COMPARISON,
    EXTENDED,
    FLOATING,
    HALF,
    HALF_COMPARISON,
    INTEGER,
    LOGIC,
    MIXED,
    MOVEMENT,
)
from isa_forms_scalar import FAMILIES as SCALAR
from isa_forms_sync import (
    CONTROL,
    MBARRIER,
    MISC,
    SIMD_VIDEO,
    STACK,
    SURFACE,
    SYNC,
    TEXTURE,
    VIDEO,
)
from isa_forms_sync import FAMILIES as REST
from isa_forms_tensor import FAMILIES as TENSOR
from isa_forms_tensor import TENSOR_CORES
from isa_forms_wmma import FAMILIES as WMMA

FAMILIES: tuple[Family, ...] = (*SCALAR, *MEMORY, *REST, *MATRIX, *WMMA, *TENSOR)

# PTX ISA 9.0, chapter "Instructions". "special registers" stands for that chapter.
INSTRUCTIONS = {
    INTEGER: """add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind
        fns brev bfe bfi szext bmsk dp4a dp2a""",
    EXTENDED: "add.cc addc sub.cc subc mad.cc madc",
    FLOATING: """testp copysign add sub mul fma mad div abs neg min max rcp
        rcp.approx.ftz.f64 sqrt rsqrt rsqrt.approx.ftz.f64 sin cos lg2 ex2 tanh""",
    HALF: "add sub mul fma neg abs min max tanh ex2",
    MIXED: "add sub fma",
    COMPARISON: "set setp selp slct",
    HALF_COMPARISON: "set setp",
    LOGIC: "and or xor not cnot lop3 shf shl shr",
    MOVEMENT: """mov shfl shfl.sync prmt ld ld.global.nc ldu st st.async st.bulk
        multimem.ld_reduce multimem.st multimem.red prefetch prefetchu applypriority
        discard createpolicy isspacep cvta cvt cvt.pack mapa getctarank""",
    COPY: """cp.async cp.async.commit_group cp.async.wait_group cp.async.wait_all
        cp.async.bulk cp.reduce.async.bulk cp.async.bulk.prefetch
        cp.async.bulk.commit_group cp.async.bulk.wait_group""",
    TENSOR_COPY: """cp.async.bulk.tensor cp.reduce.async.bulk.tensor
        cp.async.bulk.prefetch.tensor tensormap.replace""",
    TEXTURE: "tex tld4 txq istypep",
    SURFACE: "suld sust sured suq",
    CONTROL: "{} @ bra brx.idx call ret exit",
    SYNC: """bar barrier bar.warp.sync barrier.cluster membar fence atom red red.async
        vote vote.sync match.sync activemask redux.sync griddepcontrol elect.sync
        tensormap.cp_fenceproxy clusterlaunchcontrol.try_cancel
        clusterlaunchcontrol.query_cancel""",
    MBARRIER: """mbarrier.init mbarrier.inval mbarrier.expect_tx mbarrier.complete_tx
        mbarrier.arrive mbarrier.arrive_drop cp.async.mbarrier.arrive
        mbarrier.test_wait mbarrier.try_wait mbarrier.pending_count""",
    WARP: """ldmatrix stmatrix movmatrix mma mma.sp wmma.load wmma.store wmma.mma""",
    WARPGROUP: """wgmma.mma_async wgmma.mma_async.sp wgmma.fence wgmma.commit_group
        wgmma.wait_group""",
    TENSOR_CORES: """tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit
        tcgen05.ld tcgen05.st tcgen05.wait tcgen05.cp tcgen05.shift tcgen05.mma
        tcgen05.mma.sp tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.fence tcgen05.commit""",
    STACK: "stacksave stackrestore alloca",
    VIDEO: "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset",
    SIMD_VIDEO: """vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4
        vabsdiff4 vmin4 vmax4 vset4""",
    MISC: "brkpt nanosleep pmevent trap setmaxnreg",
    "Special Registers": "special registers",
}


def instructions() -> set[tuple[str, str]]:
    """All pairs of chapter and instruction."""
    return {
        (chapter, name)
        for chapter, names in INSTRUCTIONS.items()
        for name in ([names] if chapter == "Special Registers" else names.split())
    }
