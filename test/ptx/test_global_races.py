# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Races in global memory: reported exactly if nothing orders the accesses."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, launch


def kernel(body: str) -> str:
    return module(f"""
.visible .entry k(.param .u64 x)
{{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p<3>;
    ld.param.u64 %q0, [x];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.u32 %p1, %r1, 0;
    {body}
    ret;
}}
""")


def run(body: str, *, grid: int = 1, block: int = 64, seed: int = 0) -> np.ndarray:
    data = np.zeros(64, np.uint32)
    launch(
        kernel(body),
        grid=grid,
        block=block,
        args=[data],
        mode="adversarial",
        seed=seed,
    )
    return data


OWN = "mad.wide.u32 %q1, %r0, 4, %q0;"
RACES = {
    "two blocks write one word": ("st.global.u32 [%q0], %r1;", 2, 1),
    "a block reads what another writes": (
        "@%p1 st.global.u32 [%q0], 1;\n@!%p1 ld.global.u32 %r2, [%q0];",
        2,
        1,
    ),
    "lanes of one warp write one word": ("st.global.u32 [%q0], %r0;", 1, 32),
    "warps write one word": ("shr.u32 %r2, %r0, 5;\nst.global.u32 [%q0], %r2;", 1, 64),
    "warps read what another wrote": (
        f"{OWN}\nst.global.u32 [%q1], %r0;\nxor.b32 %r2, %r0, 32;\n"
        "mad.wide.u32 %q2, %r2, 4, %q0;\nld.global.u32 %r3, [%q2];",
        1,
        64,
    ),
    "an atomic meets an ordinary store": (
        "@%p1 st.global.u32 [%q0], 1;\n@!%p1 red.global.add.u32 [%q0], 1;",
        2,
        1,
    ),
}


@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("seed", range(4))
def test_a_race_is_reported(name: str, seed: int) -> None:
    body, grid, block = RACES[name]
    with pytest.raises(FindingError) as caught:
        run(body, grid=grid, block=block, seed=seed)
    assert caught.value.finding.kind == "race"
    assert "global memory" in caught.value.finding.message


LEGAL = {
    "own words": (f"{OWN}\nst.global.u32 [%q1], %r0;", 1, 64),
    "atomics": ("red.global.add.u32 [%q0], 1;", 3, 64),
    "one value from many lanes": ("st.global.u32 [%q0], 7;", 1, 64),
    "a barrier": (
        f"{OWN}\nst.global.u32 [%q1], %r0;\nbar.sync 0;\nxor.b32 %r2, %r0, 32;\n"
        "mad.wide.u32 %q2, %r2, 4, %q0;\nld.global.u32 %r3, [%q2];",
        1,
        64,
    ),
    "a flag": (
        """
        @!%p1 bra WAIT;
        st.global.u32 [%q0+8], 5;
        fence.acq_rel.gpu;
        st.relaxed.gpu.global.u32 [%q0], 1;
        bra DONE;
    WAIT:
        ld.acquire.gpu.global.u32 %r2, [%q0];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra WAIT;
        ld.global.u32 %r3, [%q0+8];
        st.global.u32 [%q0+12], %r3;
    DONE:
        """,
        2,
        1,
    ),
    "the last block sums up": (
        """
        mad.wide.u32 %q1, %r1, 4, %q0;
        st.global.u32 [%q1+4], %r1;
        membar.gl;
        atom.global.add.u32 %r2, [%q0], 1;
        setp.ne.u32 %p2, %r2, 2;
        @%p2 bra DONE;
        membar.gl;
        ld.global.u32 %r3, [%q0+4];
        ld.global.u32 %r4, [%q0+8];
        ld.global.u32 %r5, [%q0+12];
        add.u32 %r3, %r3, %r4;
        add.u32 %r3, %r3, %r5;
        st.global.u32 [%q0+16], %r3;
    DONE:
        """,
        3,
        1,
    ),
}


@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.parametrize("seed", range(8))
def test_ordered_accesses_are_not_accused(name: str, seed: int) -> None:
    body, grid, block = LEGAL[name]
    run(body, grid=grid, block=block, seed=seed)


def test_both_parties_are_named() -> None:
    with pytest.raises(
        FindingError, match=r"block \d, warp 0 writes .* block \d.*line"
    ):
        run("st.global.u32 [%q0], %r1;", grid=2, block=1)


def test_the_flag_needs_its_fence() -> None:
    body, grid, block = LEGAL["a flag"]
    with pytest.raises(FindingError, match="race"):
        run(body.replace("fence.acq_rel.gpu;", ""), grid=grid, block=block)


FLAG = """
    .shared .align 4 .b32 flag;
    .shared .align 4 .b32 data;
    setp.ge.u32 %p2, %r0, 32;
    @%p0 st.shared.u32 [flag], 0;
    bar.sync 0;
    @%p2 bra WAIT;
    @!%p0 bra DONE;
    st.shared.u32 [data], 7;
    membar.cta;
    st.volatile.shared.u32 [flag], 1;
    bra DONE;
WAIT:
    ld.volatile.shared.u32 %r2, [flag];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra WAIT;
    membar.cta;
    ld.shared.u32 %r3, [data];
    setp.eq.u32 %p2, %r0, 32;
    @%p2 st.global.u32 [%q0], %r3;
DONE:
"""


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_flag_orders_shared_memory(mode) -> None:
    for seed in range(4):
        data = np.zeros(64, np.uint32)
        text = kernel(FLAG)
        launch(text, grid=1, block=64, args=[data], mode=mode, seed=seed)
        assert data[0] == 7


@pytest.mark.parametrize("which", [1, 2])
def test_such_a_flag_needs_both_fences(which: int) -> None:
    parts = FLAG.split("membar.cta;")
    body = "membar.cta;".join(parts[:which]) + "membar.cta;".join(parts[which:])
    with pytest.raises(FindingError, match="race"):
        launch(
            kernel(body),
            grid=1,
            block=64,
            args=[np.zeros(64, np.uint32)],
            mode="adversarial",
        )
