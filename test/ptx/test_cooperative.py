# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cooperative grids, and entries with mangled C++ names."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.errors import LaunchError
from cuda_tile.emulator.launch import Mode

# The first thread of each CTA arrives at a counter and waits until all have: at one
# whose address the driver gives, or at `cell`.
BARRIER = """
.visible .entry _Z4meetPjj(.param .u64 y, .param .u64 cell)
{
    .reg .b32 %hi, %lo, %r<8>; .reg .b64 %q, %y; .reg .pred %p;
    ld.param.u64 %q, [cell];
    setp.ne.u64 %p, %q, 0;
    mov.u32 %hi, %envreg1;
    mov.u32 %lo, %envreg2;
    @!%p mov.b64 %q, {%lo, %hi};
    @!%p add.u64 %q, %q, 4;
    mov.u32 %r1, %nctaid.x;
    atom.add.acq_rel.gpu.u32 %r2, [%q], 1;
AGAIN:
    ld.acquire.gpu.u32 %r3, [%q];
    setp.lt.u32 %p, %r3, %r1;
    @%p bra AGAIN;
    ld.param.u64 %y, [y];
    mov.u32 %r4, %ctaid.x;
    mad.wide.u32 %y, %r4, 4, %y;
    st.global.u32 [%y], %r3;
    ret;
}
"""
TEXT = module(BARRIER)


def test_ptxas_takes_it() -> None:
    assert assemble(TEXT, "sm_80") == ""


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("is_given", [False, True])
def test_all_ctas_of_a_cooperative_launch_run(mode: Mode, is_given: bool) -> None:
    y = np.zeros(9, np.uint32)
    cell = np.zeros(1, np.uint32) if is_given else None
    launch(TEXT, grid=9, block=1, args=[y, cell], cooperative=True, mode=mode)
    assert y.tolist() == [9] * 9


def test_without_it_later_ctas_wait_for_earlier_ones() -> None:
    args = [np.zeros(9, np.uint32), np.zeros(1, np.uint32)]
    with pytest.raises(FindingError, match="runaway"):
        launch(TEXT, grid=9, block=1, args=args, mode="adversarial", limit=5000)


def test_no_workspace_without_it() -> None:
    with pytest.raises(FindingError, match=r"out of bounds: .* at 0x4 is outside"):
        launch(TEXT, grid=1, block=1, args=[np.zeros(1, np.uint32), None])


def test_a_cooperative_grid_has_bounds() -> None:
    with pytest.raises(LaunchError, match="at most 131072 threads in a cooperative"):
        launch(TEXT, grid=129, block=1024, args=[None, None], cooperative=True)


def test_an_entry_has_its_name_of_cpp() -> None:
    y = np.zeros(1, np.uint32)
    launch(TEXT, "meet", grid=1, block=1, args=[y, None], cooperative=True)
    assert y[0] == 1
    with pytest.raises(LaunchError, match="expected entry 'eet', the module has _Z4m"):
        launch(TEXT, "eet", grid=1, block=1, args=[y, None])
