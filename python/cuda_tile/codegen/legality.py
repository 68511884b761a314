# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of a module of level P, before LLVM sees it.

LLVM aborts on types that its NVPTX target does not have and on instructions that a chip
or its PTX version lacks. Emission makes neither, but a user's own step after it may
insert anything. So every kind of operation is looked up here once: an op that cannot be
compiled is refused with its line, and an op that is not in the table is translated in a
separate process, see `isolated.py`.
"""

from __future__ import annotations

import re

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.codegen.libdevice import PREFIX as LIBRARY_PREFIX
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.instructions import INSTRUCTIONS, Needs
from cuda_tile.ir.launch import CLUSTER_EXTENTS_ATTRIBUTE, CLUSTERS_ATTRIBUTE
from cuda_tile.ir.walk import location_text
from cuda_tile.targets import Target, chip_names

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
        The instructions that are in no row of `INSTRUCTIONS`, each with the location of
        its first use: LLVM may abort on them.

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
            if lacking := target.lacks(needs or Needs()):
                raise _lacking(op, name, lacking, target)
    for op, text in bad_types:
        raise UserError(
            f"'{op.name}': expected a type that LLVM's NVPTX target has, got {text}; "
            "elements of fewer bits travel as integers",
            location_text(op),
        )
    return unlisted


def instruction_name(op: ir.Operation) -> str:
    """The op's name in the table, with attributes that select the instruction.

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
    # LLVM ignores the project's own attributes.
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
    """Checks the chips that MLIR's NVVM dialect allows for an operation.

    Raises:
        Unsupported: The chip lacks the instruction.
    """
    if is_exact:
        names = [f"sm_{chip}a" for chip in chips]
        if target.arch not in names:
            raise _lacking(op, op.name, " or ".join(names), target)
    elif chips and target.capability < chips[0]:
        raise _lacking(op, op.name, f"sm_{chips[0]} or later", target)


def _lacking(op: ir.Operation, name: str, since: str, target: Target) -> Unsupported:
    major, minor = divmod(target.ptx_version, 10)
    known = ", ".join(chip_names())
    return Unsupported(
        f"'{name}' needs {since}, got {target.arch} with PTX {major}.{minor}; "
        f"chips that can be chosen: {known}",
        location_text(op),
    )
