# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of tensor memory on every chip: LLVM and ptxas take what targets.py says.

LLVM ends the process on an instruction that a chip lacks, so each pair is translated in
a child process.
"""

from __future__ import annotations

import pytest

from cuda_tile._mlir import ir
from cuda_tile.codegen.isolated import translate
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.errors import UserError
from cuda_tile.targets import Target, find_target

CHIPS = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f", "sm_120a")
OTHERS = ("sm_90a", "sm_80")
"""Two chips without tensor memory at all, to which the first op is put."""
MMA = (
    "nvvm.tcgen05.mma %d, %a, %b, %i, %t {{kind = #nvvm.tcgen05_mma_kind<{}>, "
    "ctaGroup = #nvvm.cta_group<cta_1>}} : (!llvm.ptr<6>, i64, i64, i32, i1)"
)
SCALED = (
    "nvvm.tcgen05.mma.block_scale %d, %a, %b, %i, %t, %d, %d {{kind = "
    "#nvvm.block_scale_kind<{}>, ctaGroup = #nvvm.cta_group<cta_1>}} : "
    "(!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)"
)
SHAPE = "shape = #nvvm.tcgen05_ldst_shape<shape_{}>"


def kinds(text: str, *names: str) -> dict[str, str]:
    """A product of each kind."""
    return {f"mma {name}": text.format(name) for name in names}


OPS = {
    "alloc": "nvvm.tcgen05.alloc %s, %n : !llvm.ptr<3>, i32",
    "dealloc": "nvvm.tcgen05.dealloc %d, %n : !llvm.ptr<6>, i32",
    "relinquish": "nvvm.tcgen05.relinquish_alloc_permit",
    "fence before": "nvvm.tcgen05.fence <before>",
    "fence after": "nvvm.tcgen05.fence <after>",
    "wait ld": "nvvm.tcgen05.wait <load>",
    "wait st": "nvvm.tcgen05.wait <store>",
    "commit": "nvvm.tcgen05.commit %s : !llvm.ptr<3>",
    "ld rows": f"%r = nvvm.tcgen05.ld %d {{{SHAPE.format('32x32b')}}} : vector<32xi32>",
    "cp": (
        "nvvm.tcgen05.cp %d, %a {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, "
        "multicast = #nvvm.tcgen05_cp_multicast<warpx4>}"
    ),
    "ld half": f"%r = nvvm.tcgen05.ld %d {{{SHAPE.format('16x256b')}}} : vector<4xi32>",
    "st rows": f"nvvm.tcgen05.st %d, %v {{{SHAPE.format('32x32b')}}} : vector<32xi32>",
    "st half": f"nvvm.tcgen05.st %d, %w {{{SHAPE.format('16x256b')}}} : vector<4xi32>",
    "shift": "nvvm.tcgen05.shift %d : !llvm.ptr<6>",
    **kinds(MMA, "f16", "tf32", "f8f6f4", "i8"),
    **kinds(SCALED, "mxf8f6f4", "mxf4"),
    "mma mxf4nvf4": SCALED.format("mxf4nvf4").replace(
        "<cta_1>}", "<cta_1>, blockScale = #nvvm.tcgen05_mma_block_scale<block16>}"
    ),
}
"""Ops by what they are called here."""
TEXT = """
llvm.func @k(%s: !llvm.ptr<3>, %d: !llvm.ptr<6>, %n: i32, %a: i64, %b: i64, %i: i32,
             %t: i1, %v: vector<32xi32>, %w: vector<4xi32>)
    attributes {{nvvm.kernel}} {{
  {op}
  llvm.return
}}
"""


def expected(target: Target, op: str) -> bool:
    """Whether a chip has an op, by targets.py and the PTX ISA's notes."""
    if op.startswith("mma "):
        return op.removeprefix("mma ") in target.tensor_kinds
    if op == "shift":  # "tcgen05.shift", Target ISA Notes; no pass makes it
        return bool(target.tensor_kinds) and target.is_specific
    return bool(target.tensor_kinds)


def outcome(target: Target, op: str) -> str | None:
    """What LLVM or ptxas says against an op on a chip; None if both take it."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT.format(op=OPS[op]))
        try:
            ptx = translate(module.operation, target.arch, target.features, 2, "")
            assemble(ptx, target.arch)
        except UserError as error:
            return str(error)
    return None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("op", OPS)
def test_a_chip_has_what_its_row_says(chip: str, op: str) -> None:
    target = find_target(chip)
    said = outcome(target, op)
    assert (said is None) == expected(target, op), said


@pytest.mark.parametrize("chip", OTHERS)
def test_older_chips_have_no_tensor_memory(chip: str) -> None:
    target = find_target(chip)
    assert not target.tensor_columns
    assert outcome(target, "alloc") is not None


@pytest.mark.parametrize("chip", CHIPS)
def test_columns_and_maxima_are_of_chips_with_tensor_memory(chip: str) -> None:
    target = find_target(chip)
    assert bool(target.tensor_kinds) == bool(target.tensor_columns)
    assert target.has_load_max == (chip[:6] in ("sm_103", "sm_110"))
