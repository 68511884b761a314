# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of a module of level P, before LLVM sees it.

LLVM ends the process on types that its NVPTX target does not have and on
instructions that a chip or its PTX version lacks. Emission makes neither, but a
user's own step after it may put in anything. So every kind of operation is looked
up here once: what cannot be compiled is refused with its line, and what nobody has
tried yet is translated in a process of its own, see `isolated.py`.
"""

from __future__ import annotations

import re

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.codegen.libdevice import PREFIX as LIBRARY_PREFIX
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.ir.launch import CLUSTER_EXTENTS_ATTRIBUTE, CLUSTERS_ATTRIBUTE
from cuda_tile.ir.walk import location_text
from cuda_tile.records import dataclass
from cuda_tile.targets import TENSOR_KINDS, Target, chip_names


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
"""Everything that emission makes, as `instruction_name` calls it, with what it needs
(PTX ISA, "PTX ISA Notes" and "Target ISA Notes" of each instruction). A test compiles
each for every chip, and another finds an emitted one that has no row."""

_CONTAINERS = ("builtin.module", "gpu.module")
_PLAIN_ATTRIBUTES = {
    "llvm.load": {"alignment", "ordering"},
    "llvm.store": {"alignment", "ordering"},
    "llvm.mlir.global": {
        *("addr_space", "alignment", "global_type", "linkage", "sym_name"),
        *("unnamed_addr", "visibility_", "dso_local", "constant", "value"),
    },
    "llvm.func": {
        *("CConv", "function_type", "linkage", "sym_name", "visibility_"),
        *("unnamed_addr", "nvvm.kernel", "nvvm.reqntid", "nvvm.minctasm"),
        *("nvvm.maxnreg", "arg_attrs", CLUSTER_EXTENTS_ATTRIBUTE, CLUSTERS_ATTRIBUTE),
    },
}
"""Attributes with which emission makes these; others may select anything."""
_CONSTRAINTS = r"(=?&?[bhrlfd](,=?&?[bhrlfd])*(,\d+)*)?"
_SLOT = r"\$(\$|\d+|.|$)"


def check_device_code(module: ir.Operation, target: Target | None) -> dict[str, str]:
    """Refuses what LLVM or the chip cannot take.

    Args:
        module: A module of level P.
        target: The chip to compile for; None asks for no chip.

    Returns:
        The instructions that stand in no row of `INSTRUCTIONS`, each with the location
        of its first use: LLVM may end the process on them.

    Raises:
        UserError: An operation or type that has no LLVM form, at its location.
        Unsupported: An instruction that the chip or its PTX version lacks.
    """
    kinds, bad_types = _cuda_tile.device_code(module)
    unlisted: dict[str, str] = {}
    for op, chips, is_exact in kinds:
        if op.name in _CONTAINERS:
            continue
        if op.name.partition(".")[0] not in ("llvm", "nvvm"):
            raise UserError(
                f"expected operations of llvm and nvvm after emit, got '{op.name}'",
                location_text(op),
            )
        name = instruction_name(op)
        needs = INSTRUCTIONS.get(name)
        if needs is None:
            unlisted.setdefault(name, location_text(op))
        if target is not None:
            if needs is None or not needs.tensor_kind:
                _check_chip(op, target, chips, is_exact=is_exact)
            _check_needs(op, name, needs or _ANYWHERE, target)
    for op, text in bad_types:
        raise UserError(
            f"'{op.name}': expected a type that LLVM's NVPTX target has, got {text}; "
            "elements of fewer bits travel as integers",
            location_text(op),
        )
    return unlisted


def instruction_name(op: ir.Operation) -> str:
    """What selects the instruction: the name, and attributes where these do too.

    A form that emission never makes, such as an atomic load, gets a name that no row
    has.
    """
    name, attributes = op.name, op.attributes
    if name == "llvm.call_intrinsic":
        intrinsic = ir.StringAttr(attributes["intrin"]).value
        return re.sub(r"(\.(v\d+)?(bf|f|i|p)\d+)+$", "", intrinsic)
    if name == "llvm.call":
        callee = str(attributes["callee"]) if "callee" in attributes else "pointer"
        return name if callee.startswith(f"@{LIBRARY_PREFIX}") else f"{name} {callee}"
    if name == "llvm.inline_asm":
        return name if _is_plain_asm(op) else f"{name} {attributes['asm_string']}"
    if name == "nvvm.fence.proxy":
        kind = re.sub(r".*<(.*)>", r"\1", str(attributes["kind"]))
        return f"{name}.{kind}"
    if name == "nvvm.redux.sync":
        return f"{name}.{op.results[0].type}"
    if name in ("nvvm.tcgen05.mma", "nvvm.tcgen05.mma.block_scale"):
        return re.sub(r".*<(.*)>", rf"{name}.\1", str(attributes["kind"]))
    if name == "nvvm.mma.sync":
        kinds = (str(attributes[f"multiplicand{x}PtxType"]) for x in "AB")
        first, second = (re.sub(r".*<(.*)>", r"\1", kind) for kind in kinds)
        m, n, k = re.findall(r"= (\d+)", str(attributes["shape"]))
        suffix = first if first == second else f"{first}.{second}"
        return f"{name}.m{m}n{n}k{k}.{suffix}"
    plain = _PLAIN_ATTRIBUTES.get(name)
    if plain is None:
        return name
    # Attributes of our own mean nothing to LLVM.
    others = [a for a in attributes if a not in plain and not a.startswith("tileas.")]
    if "ordering" in attributes and ir.IntegerAttr(attributes["ordering"]).value:
        others.append("ordering")
    return " ".join([name, *others])


def _is_plain_asm(op: ir.Operation) -> bool:
    """Whether LLVM can print the text: slots that exist, registers that NVPTX has."""
    constraints = ir.StringAttr(op.attributes["constraints"]).value
    if not re.fullmatch(_CONSTRAINTS, constraints):
        return False
    count = len(constraints.split(",")) if constraints else 0
    slots = re.findall(_SLOT, ir.StringAttr(op.attributes["asm_string"]).value)
    return all(s == "$" or (s.isdigit() and int(s) < count) for s in slots)


def _check_chip(
    op: ir.Operation, target: Target, chips: list[int], *, is_exact: bool
) -> None:
    """What MLIR's NVVM dialect knows of an operation's chips.

    Raises:
        Unsupported: The chip lacks the instruction.
    """
    if is_exact:
        names = [f"sm_{chip}a" for chip in chips]
        if target.arch not in names:
            raise _lacking(op, op.name, " or ".join(names), target)
    elif chips and target.capability < chips[0]:
        raise _lacking(op, op.name, f"sm_{chips[0]} or later", target)


def _check_needs(op: ir.Operation, name: str, needs: Needs, target: Target) -> None:
    if target.capability < needs.capability:
        since = f"sm_{needs.capability} or later"
        raise _lacking(op, name, since, target)
    if target.ptx_version < needs.ptx_version:
        major, minor = divmod(needs.ptx_version, 10)
        raise _lacking(op, name, f"PTX {major}.{minor}", target)
    if needs.tensor_kind and needs.tensor_kind not in target.tensor_kinds:
        wanted = f"a target with kind {needs.tensor_kind} of tcgen05"
        raise _lacking(op, name, wanted, target)
    if needs.feature and not getattr(target, needs.feature):
        raise _lacking(op, name, "sm_100a, sm_100f or sm_103a", target)


def _lacking(op: ir.Operation, name: str, since: str, target: Target) -> Unsupported:
    major, minor = divmod(target.ptx_version, 10)
    known = ", ".join(chip_names())
    return Unsupported(
        f"'{name}' needs {since}, got {target.arch} with PTX {major}.{minor}; "
        f"chips that can be chosen: {known}",
        location_text(op),
    )
