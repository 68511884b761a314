# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""However many warps read a byte, none of their reads is lost to the detector."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.shadow import crowds

HEAD = """
.visible .entry k(.param .u64 x, .param .u32 odd)
{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p<4>;
    ld.param.u64 %q0, [x];
    ld.param.u32 %r8, [odd];
    mov.u32 %r0, %tid.x;
    shr.u32 %r1, %r0, 5;
    mov.u32 %r2, %ctaid.x;
"""
# All warps but the last read; the last writes, told by all but one of them.
WARPS = module(
    HEAD
    + """
    setp.eq.u32 %p0, %r1, 11;
    @%p0 bra W;
    ld.global.u32 %r3, [%q0];
    setp.eq.u32 %p1, %r1, %r8;
    @%p1 ret;
    bar.arrive 1, 352;
    ret;
W:  bar.sync 1, 352;
    setp.eq.u32 %p1, %r0, 352;
    @%p1 st.global.u32 [%q0], 7;
    ret;
}
"""
)
# The same with blocks, by a counter in memory.
BLOCKS = module(
    HEAD
    + """
    setp.ne.u32 %p0, %r0, 0;
    @%p0 ret;
    ld.global.u32 %r3, [%q0];
    setp.eq.u32 %p1, %r2, %r8;
    @%p1 ret;
    atom.add.acq_rel.gpu.global.u32 %r4, [%q0+256], 1;
    setp.ne.u32 %p1, %r4, 38;
    @%p1 ret;
    st.global.u32 [%q0], 7;
    ret;
}
"""
)


def races(text: str, *, grid: int, block: int, odd: int, seed: int) -> bool:
    try:
        args = [np.zeros(128, np.uint32), odd]
        launch(text, grid=grid, block=block, args=args, mode="adversarial", seed=seed)
    except FindingError as error:
        return error.finding.kind == "race"
    return False


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("odd", [0, 4, 10])
def test_one_of_many_warps_does_not_tell(odd: int, seed: int) -> None:
    assert races(WARPS, grid=1, block=384, odd=odd, seed=seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("odd", [0, 17, 39])
def test_one_of_many_blocks_does_not_tell(odd: int, seed: int) -> None:
    """Also where the crowd has forgotten some, which it does from 32 on."""
    assert races(BLOCKS, grid=40, block=32, odd=odd, seed=seed)


@pytest.mark.parametrize("seed", range(3))
def test_all_of_them_tell(seed: int) -> None:
    text = WARPS.replace("1, 352;", "1, 384;")
    assert not races(text, grid=1, block=384, odd=99, seed=seed)
    text = BLOCKS.replace("%r4, 38;", "%r4, 39;")
    assert not races(text, grid=40, block=32, odd=99, seed=seed)


ROUNDS = """
    mov.u32 %r4, 0;
    and.b32 %r5, %r0, 31;
AGAIN:
    setp.eq.u32 %p0, %r4, %r5;
    @%p0 ld.global.u32 %r3, [%q0];
    bar.sync 0;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p0, %r4, 32;
    @%p0 bra AGAIN;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 st.global.u32 [%q0], 7;
    ret;
}
"""


def test_ordered_reads_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each of 32 rounds a lane of 12 warps reads; a few rounds are kept."""
    kept = list[int]()
    make = crowds.Crowds._with

    def noting(self: crowds.Crowds, *args: object) -> object:
        made = make(self, *args)  # type: ignore[arg-type]
        kept.append(made.count)
        return made

    monkeypatch.setattr(crowds.Crowds, "_with", noting)
    assert not races(module(HEAD + ROUNDS), grid=1, block=384, odd=0, seed=0)
    assert len(kept) > 100
    assert max(kept) <= 64


# Lanes 3 and 5 of warp 0 read one word, one after another; lane 5 writes it.
LANES = module(
    HEAD
    + """
    setp.eq.u32 %p0, %r0, 3;
    setp.eq.u32 %p1, %r0, 5;
    @%p0 ld.global.u32 %r3, [%q0];
    MEET
    @%p1 ld.global.u32 %r4, [%q0];
    @%p1 st.global.u32 [%q0], 7;
    ret;
}
"""
)


@pytest.mark.parametrize("seed", range(3))
def test_a_mates_earlier_read_is_not_lost(seed: int) -> None:
    how = {"grid": 1, "block": 32, "odd": 0, "seed": seed}
    assert races(LANES.replace("MEET", ""), **how)
    other = "elect.sync _|%p2, -1;\nfence.proxy.async;"
    text = LANES.replace("MEET", other).replace("sm_80", "sm_90")
    assert races(text.replace("version 7.", "version 8."), **how)
    assert not races(LANES.replace("MEET", "bar.warp.sync -1;"), **how)
