# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spin locks of strong accesses: each fence is needed, though nothing races.

`atomicCAS` and `volatile` of CUDA are relaxed accesses (PTX ISA, "atom": "If no .sem
is specified, the operation defaults to .relaxed"; "ld.volatile"), so the data that a
lock protects need `__threadfence()`, `membar.gl`, on both sides.
"""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, launch

SEEDS = range(8)
FENCE = "membar.gl;"
LOCK = """
.visible .entry k(.param .u64 x)
{
    .reg .b32 %r<6>; .reg .b64 %q0; .reg .pred %p<3>;
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 exit;
    ld.param.u64 %q0, [x];
    mov.u32 %r1, 0;
AGAIN:
    atom.global.cas.b32 %r2, [%q0], 0, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra AGAIN;
    membar.gl;
    LOAD %r3, [%q0+128];
    add.u32 %r3, %r3, 1;
    STORE [%q0+128], %r3;
    membar.gl;
    atom.global.exch.b32 %r2, [%q0], 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 6;
    @%p2 bra AGAIN;
    ret;
}
"""
DATA = {
    "volatile": ("ld.volatile.global.u32", "st.volatile.global.u32"),
    "relaxed": ("ld.relaxed.gpu.global.u32", "st.relaxed.gpu.global.u32"),
    "weak": ("ld.global.u32", "st.global.u32"),
}


def is_found(text: str, seed: int) -> bool:
    """Whether a run has a finding or counts wrong."""
    words = np.zeros(64, np.uint32)
    try:
        launch(
            module(text), grid=4, block=32, args=[words], mode="adversarial", seed=seed
        )
    except FindingError:
        return True
    return int(words[32]) != 24


def lock(kind: str, gone: int = 0) -> str:
    """The kernel with some kind of data, without the first or second fence."""
    load, store = DATA[kind]
    text = LOCK.replace("LOAD", load).replace("STORE", store)
    parts = text.split(FENCE)
    fences = [FENCE, FENCE]
    if gone:
        fences[gone - 1] = ""
    return parts[0] + fences[0] + parts[1] + fences[1] + parts[2]


@pytest.mark.parametrize("kind", DATA)
def test_a_lock_with_its_fences_is_silent(kind: str) -> None:
    assert not any(is_found(lock(kind), seed) for seed in SEEDS)


@pytest.mark.parametrize("gone", [1, 2])
@pytest.mark.parametrize("kind", DATA)
def test_a_lock_needs_each_fence(kind: str, gone: int) -> None:
    assert any(is_found(lock(kind, gone), seed) for seed in SEEDS)
