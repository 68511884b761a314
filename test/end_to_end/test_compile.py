# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel compiles for every chip: no spill, no warning of ptxas.

In CI a third of the pairs, each kernel and each chip among them; another chip of each
kernel is compiled, assembled and run for `tools/checks/ecosystem.py`.
"""

from __future__ import annotations

import pytest
from end_kernels import NAMES, VERSIONS, load, ptx_of

import cuda_tile
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.targets import find_target

GPUS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", NAMES)
def test_compiles_without_spills_or_warnings(name: str, gpu: str) -> None:
    compiled = cuda_tile.compile(load(name, VERSIONS[1]), gpu)
    (kernel,) = compiled.report.kernels
    assert compiled.report.warnings == ()
    assert (kernel.kernel, kernel.gpu, kernel.spill_bytes) == (name, gpu, 0)
    assert f".target {find_target(gpu).arch}\n" in compiled.ptx
    assert compiled.cubin.startswith(b"\x7fELF")
    # The other version of the same kernel: the same code, or as good.
    older = ptx_of(name, VERSIONS[0], gpu).ptx
    if older != compiled.ptx:
        assembled = assemble(older, find_target(gpu).arch)
        assert assembled.warnings == ()
        resources = assembled.resources[name]
        assert resources.spill_load_bytes + resources.spill_store_bytes == 0
        assert resources.stack_bytes == 0


@pytest.mark.parametrize("name", NAMES)
def test_compiling_twice_gives_the_same_text(name: str) -> None:
    again = cuda_tile.compile(load(name, VERSIONS[1]), "sm_90", cubin=False)
    assert again.ptx == ptx_of(name, VERSIONS[1], "sm_90").ptx
