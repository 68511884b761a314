# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first chip and PTX version with each instruction that emission makes.

One table, which passes ask by `Target.has` before they choose an instruction, and
`codegen/legality.py` before LLVM sees one. Its rows are of the PTX ISA, "PTX ISA
Notes" and "Target ISA Notes" of each instruction. Matrix instructions of threads have
tables of their own (layout/atoms.py, layout/wgmma.py), with shapes and layouts.
"""

from __future__ import annotations

from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Needs:
    """What an instruction needs.

    Attributes:
        capability: Compute capability from which on it exists, 90 for sm_90.
        ptx_version: First PTX version that has it, 78 for 7.8.
        tensor_kind: The kind of product in tensor memory that its targets have, empty
            where it has nothing to do with that. MLIR knows only some of its targets.
        feature: The property of a target that has it, empty where the others say all.
    """

    capability: int = 0
    ptx_version: int = 0
    tensor_kind: str = ""
    feature: str = ""


TENSOR_KINDS = ("f16", "tf32", "f8f6f4", "mxf8f6f4", "mxf4", "mxf4nvf4", "i8")
"""Kinds of `tcgen05.mma`; i8 is not one of every chip."""
_ANYWHERE = Needs()
_ANY_KIND = "f16"
"""A kind of product that each chip with tensor memory has."""
_SCALED = "mx"
"""How the names of kinds begin whose products have factors for blocks."""
_TENSOR_OPS = (
    *("alloc", "relinquish_alloc_permit", "dealloc", "fence", "wait", "commit"),
    *("ld", "st", "cp"),
)
_LLVM = (
    *("add", "addrspacecast", "alloca", "and", "ashr", "bitcast", "br"),
    *("cond_br", "extractelement", "intr.trap"),
    *("extractvalue", "fadd", "fcmp", "fdiv", "fmul", "fneg", "fpext", "fptosi"),
    *("fptoui", "fptrunc", "fsub", "func", "getelementptr", "icmp", "inline_asm"),
    *("insertelement", "intr.abs", "intr.ceil", "intr.fabs", "intr.floor"),
    *("intr.fma", "intr.maximum", "intr.maxnum", "intr.minimum", "intr.minnum"),
    *("intr.smax", "intr.smin", "intr.ssub.sat", "intr.umax", "intr.umin", "inttoptr"),
    *("load", "lshr", "mlir.addressof", "mlir.constant", "mlir.global", "mlir.poison"),
    *("mul", "or", "ptrtoint", "return", "sdiv", "select", "sext", "shl"),
    *("sitofp", "srem", "store", "sub", "trunc", "udiv", "uitofp", "urem", "xor"),
    *("call", "zext"),
)


def _tensor_row(kind: str) -> str:
    """The name of a kind of product in tensor memory."""
    scaled = "block_scale." if kind.startswith(_SCALED) else ""
    return f"nvvm.tcgen05.mma.{scaled}{kind}"


_BYTE_PAIRS = ("s8", "u8", "s8.u8", "u8.s8")
_REGISTERS = ("tid.x", *(f"{r}.{a}" for r in ("ctaid", "nctaid") for a in "xyz"))
_CLUSTER_REGISTERS = ("clusterid.x", "nclusterid.x", "cluster.ctarank")
_DRIVER = ("vprintf", "__assertfail", "malloc", "free")
"""Functions that the driver has for every kernel."""

INSTRUCTIONS: dict[str, Needs] = {
    **{f"llvm.{name}": _ANYWHERE for name in _LLVM},
    "llvm.fptosi.sat": _ANYWHERE,
    "llvm.fptoui.sat": _ANYWHERE,
    **{f"nvvm.read.ptx.sreg.{name}": _ANYWHERE for name in _REGISTERS},
    **{f"llvm.call @{name}": _ANYWHERE for name in _DRIVER},
    **{f"nvvm.read.ptx.sreg.{name}": Needs(90, 78) for name in _CLUSTER_REGISTERS},
    "nvvm.cluster.arrive": Needs(90, 78),
    "nvvm.cluster.wait": Needs(90, 78),
    "nvvm.barrier0": _ANYWHERE,
    "nvvm.barrier": _ANYWHERE,
    "nvvm.bar.warp.sync": Needs(30, 60),
    "nvvm.elect.sync": Needs(90, 80),
    "nvvm.setmaxregister": Needs(90, 80),
    "llvm.nvvm.griddepcontrol.launch.dependents": Needs(90, 78),
    "llvm.nvvm.griddepcontrol.wait": Needs(90, 78),
    "nvvm.fence.proxy.alias": Needs(70, 75),
    "nvvm.fence.proxy.async": Needs(90, 80),
    "nvvm.fence.proxy.async.shared": Needs(90, 80),
    "nvvm.cp.async.shared.global": Needs(80, 70),
    "nvvm.cp.async.mbarrier.arrive": Needs(80, 70),
    "nvvm.mbarrier.init": Needs(80, 70),
    "nvvm.mbarrier.arrive": Needs(80, 70),
    "nvvm.mbarrier.test.wait": Needs(80, 71),
    "nvvm.mbarrier.try_wait": Needs(90, 78),
    "nvvm.mbarrier.arrive.expect_tx": Needs(90, 80),
    "nvvm.fence.mbarrier.init": Needs(90, 80),
    "nvvm.cp.async.commit.group": Needs(80, 70),
    "nvvm.cp.async.wait.group": Needs(80, 70),
    "nvvm.shfl.sync": Needs(30, 60),
    "nvvm.vote.sync": Needs(30, 60),
    "nvvm.redux.sync.i32": Needs(80, 70),
    "nvvm.redux.sync.f32": Needs(100, 86, feature="has_redux_f32"),
    "nvvm.cp.async.bulk.tensor.global.shared.cta": Needs(90, 80),
    "nvvm.cp.async.bulk.commit.group": Needs(90, 80),
    "nvvm.cp.async.bulk.wait_group": Needs(90, 80),
    "nvvm.ldmatrix": Needs(75, 65),
    "nvvm.stmatrix": Needs(90, 78),
    "nvvm.wgmma.commit.group.sync.aligned": Needs(90, 80),
    "nvvm.wgmma.wait.group.sync.aligned": Needs(90, 80),
    **{f"nvvm.tcgen05.{op}": Needs(100, 86, _ANY_KIND) for op in _TENSOR_OPS},
    **{_tensor_row(kind): Needs(100, 86, kind) for kind in TENSOR_KINDS},
    "nvvm.mma.sync.m16n8k8.f16": Needs(75, 65),
    **{f"nvvm.mma.sync.m8n8k16.{t}": Needs(75, 65) for t in _BYTE_PAIRS},
    **{f"nvvm.mma.sync.m16n8k32.{t}": Needs(80, 70) for t in _BYTE_PAIRS},
    "nvvm.mma.sync.m16n8k16.f16": Needs(80, 70),
    "nvvm.mma.sync.m16n8k16.bf16": Needs(80, 70),
    "nvvm.mma.sync.m16n8k8.tf32": Needs(80, 70),
    "nvvm.mma.sync.m8n8k4.f64": Needs(80, 70),
}
"""Operations that emission makes, as `legality.instruction_name` calls them. A test
compiles each for every chip, and another finds an emitted one that has no row."""

PTX: dict[str, Needs] = {
    "fma.bf16": Needs(80),
    "max.NaN": Needs(80),
    "cvt.rna.tf32": Needs(80),
    "cvt.rn.tf32": Needs(90),
    "cvt.e4m3x2": Needs(89),
    "cvt.e2m1x2": Needs(100, feature="is_family"),
    "red.v4.f32": Needs(90),
    "red.bf16x2": Needs(90),
    "multimem": Needs(90),
    "cp.async.bulk.tensor": Needs(90),
    "cp.async.bulk.tensor.shared::cta": Needs(90, 86),
    ".blocksareclusters": Needs(90, 90),
}
"""Forms that emission writes as text, by what is special about them."""


def needs_of(name: str) -> Needs:
    """What an instruction needs, by its name in one of the tables."""
    return PTX[name] if name in PTX else INSTRUCTIONS[name]
