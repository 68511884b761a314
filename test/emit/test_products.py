# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas takes every product: some instructions are text that only it checks."""

from __future__ import annotations

import pytest
from mma_cases import PAIRS, SCALED, Matrices, kernel, scaled_kernel

import cuda_tile
from cuda_tile.layout.atoms import MMA_ATOMS

HARDWARE = {
    "sm_80": "m16n8k16.row.col.f32.f16.f16.f32",
    "sm_89": "m16n8k32.row.col.f32.e4m3.e4m3.f32",
    "sm_90": "m16n8k32.row.col.f32.e5m2.e5m2.f32",
    "sm_100": "m16n8k32.row.col.f32.e5m2.e5m2.f32",
    "sm_120": "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col"
    ".f32.e2m1.e2m1.f32.ue4m3",
    "sm_120f": "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col"
    ".f32.e5m2.e5m2.f32.ue8m0",
    "sm_121": "kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col"
    ".f32.e2m1.e2m1.f32.ue8m0",
}
"""Per target an instruction that it must have got."""


def every_product() -> str:
    """A module with a kernel of each pair of types and of each kind of scaling."""
    texts = [kernel(Matrices((16, 16, 64), *pair)) for pair in PAIRS]
    texts += [scaled_kernel((16, 16, 64), *how) for how in SCALED]
    entries: list[str] = []
    for number, text in enumerate(texts):
        body = text.removeprefix("cuda_tile.module @m {").removesuffix("}")
        entries.append(body.replace("@k", f"@k{number}"))
    return f"cuda_tile.module @m {{{''.join(entries)}}}"


@pytest.mark.parametrize("gpu", ["sm_75", *HARDWARE])
def test_ptxas_takes_every_product(gpu: str) -> None:
    compiled = cuda_tile.compile(cuda_tile.load(every_product().encode()), gpu)
    assert f"mma.sync.aligned.{HARDWARE.get(gpu, 'm8n8k16')}" in compiled.ptx
    assert len(compiled.report.kernels) == len(PAIRS) + len(SCALED)
    for report in compiled.report.kernels:
        assert not report.spill_bytes


def test_every_atom_is_of_use() -> None:
    """What the cases multiply are all types that some atom takes, and no fewer."""
    rows = {
        (row.operand, row.accumulator) for a in MMA_ATOMS.values() for row in a.types
    }
    assert rows == {*PAIRS, *((operand, "f32") for operand, _, _ in SCALED)}
