# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a preceding grid writes may be touched only behind griddepcontrol.wait."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, TensorMap, launch
from cuda_tile.errors import UserError

WAIT = "griddepcontrol.wait;"
HEAD = """
.visible .entry k(.param .u64 x, .param .u64 w{more})
{{
    .reg .b32 %r<9>; .reg .b64 %q<6>; .reg .pred %p<4>;
    .shared .align 128 .b8 box[128];
    .shared .align 8 .b64 full;
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [w];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    shr.u32 %r2, %r0, 5;
    and.b32 %r3, %r0, 31;
    setp.eq.u32 %p0, %r2, 0;
    setp.eq.u32 %p1, %r3, 0;
"""


def run(
    body: str,
    *,
    seed: int = 0,
    grid: int = 1,
    block: int = 64,
    on: str = "x",
) -> str:
    """Gives the finding where a preceding grid writes x, w or nothing; "" for none."""
    x, w = (np.arange(64, dtype=np.uint32) for _ in range(2))
    preceding = {"x": [x], "w": [w[8:]], "": None, "all": "all"}[on]
    text = module(HEAD.format(more="") + body + "\nret;\n}\n", target="sm_90")
    try:
        launch(
            text,
            grid=grid,
            block=block,
            args=[x, w],
            mode="adversarial",
            seed=seed,
            preceding=preceding,
        )
    except FindingError as error:
        return f"{error.finding.kind} in line {error.finding.line}: {error}"
    return ""


ACCESSES = {
    "load": "ld.global.u32 %r4, [%q0];",
    "strong load": "ld.relaxed.gpu.global.u32 %r4, [%q0];",
    "store": "@!%p1 bra DONE;\n@%p0 st.global.u32 [%q0], 1;\nDONE:",
    "atomic": "red.global.add.u32 [%q0], 1;",
    "vector": "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%q0];",
    "cp.async": "cp.async.ca.shared.global [box], [%q0], 16;\ncp.async.wait_all;",
    "bulk copy": "mbarrier.init.shared.b64 [full], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [full], 64;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[box], [%q0], 64, [full];\n"
    "A: mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;\n@!%p2 bra A;",
}


@pytest.mark.parametrize("name", ACCESSES)
def test_an_access_needs_the_wait(name: str) -> None:
    body = "setp.ne.u32 %p2, %r0, 0;\n@%p2 ret;\n" + ACCESSES[name]
    assert "programmatic launch in line" in run(body)
    assert "programmatic launch in line" in run(f"{body}\n{WAIT}", on="all")
    assert not run(f"{WAIT}\n{body}")
    assert not run(f"{body}\n{WAIT}", on="w")
    assert not run(body, on="")


def test_a_prefetch_needs_none() -> None:
    assert not run(f"prefetch.global.L2 [%q0];\n{WAIT}\nld.global.u32 %r4, [%q0];")


def test_what_the_preceding_grid_does_not_write_needs_none() -> None:
    body = f"ld.global.u32 %r4, [%q1+28];\n{WAIT}\nld.global.u32 %r5, [%q1+32];"
    assert not run(body, on="w")
    assert "byte 0 of " not in run(body.replace(WAIT, ""), on="w")
    assert "programmatic launch" in run(body.replace("28", "32"), on="w")


def test_the_finding_names_the_access() -> None:
    text = run(f"ld.global.u32 %r4, [%q0+4];\n{WAIT}")
    assert "touches global memory at" in text
    assert "byte 4 of x" in text
    assert "expected griddepcontrol.wait before" in text
    assert "ld.global.u32 %r4, [%q0+4]" in text


# Who may read what another thread has waited for: who is ordered after that one.
ORDERS = {
    "nothing": ("", "", True),
    "a barrier": ("bar.sync 0;", "bar.sync 0;", False),
    "a barrier before the wait": ("", "", True),
    "bar.arrive": ("bar.arrive 1, 64;", "bar.sync 1, 64;", False),
    "a flag": (
        "@%p1 st.release.gpu.global.u32 [%q1], 77;",
        "S: ld.acquire.gpu.global.u32 %r5, [%q1];\nsetp.ne.u32 %p2, %r5, 77;\n"
        "@%p2 bra S;",
        False,
    ),
    "a relaxed flag": (
        "@%p1 st.relaxed.gpu.global.u32 [%q1], 77;",
        "S: ld.relaxed.gpu.global.u32 %r5, [%q1];\nsetp.ne.u32 %p2, %r5, 77;\n"
        "@%p2 bra S;",
        True,
    ),
}


@pytest.mark.parametrize("grid", [1, 2], ids=["warps", "blocks"])
@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("seed", range(3))
def test_the_wait_of_another_covers_who_is_ordered_after(
    name: str, grid: int, seed: int
) -> None:
    gives, takes, is_wrong = ORDERS[name]
    if grid == 2 and "bar" in gives:
        return
    who = "setp.eq.u32 %p0, %r1, 0;" if grid == 2 else ""
    body = f"""
    {"bar.sync 0;" if name == "a barrier before the wait" else ""}
    {who}
    @!%p0 bra TAKE;
    {WAIT}
    {gives}
    ret;
TAKE:
    {takes}
    ld.global.u32 %r4, [%q0];
    """
    text = run(body, seed=seed, grid=grid, block=64 // grid)
    assert ("programmatic launch" in text) == is_wrong


@pytest.mark.parametrize("seed", range(3))
def test_a_lane_waits_for_itself_alone(seed: int) -> None:
    body = f"@%p1 {WAIT}\nMEET\nld.global.u32 %r4, [%q0];"
    assert "programmatic launch" in run(body.replace("MEET", ""), seed=seed)
    assert not run(body.replace("MEET", "bar.warp.sync -1;"), seed=seed)


# Warp 1 loads a box by TMA for warp 0, as roles do.
ROLES = (
    module(
        HEAD.format(more=",\n    .param .align 64 .b8 map[128]")
        + """
    setp.eq.u32 %p3, %r0, 0;
    @%p3 mbarrier.init.shared.b64 [full], 1;
    fence.mbarrier_init.release.cluster;
    bar.sync 0;
    ALL
    @%p0 bra USE;
    @!%p1 ret;
    mov.b64 %q2, map;
    cvta.param.u64 %q2, %q2;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 64;
    mov.u32 %r5, 0;
    ROLE
    cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes
        [box], [%q2, {%r5}], [full];
    ret;
USE:
    mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
    @!%p2 bra USE;
    mov.u32 %r6, box;
    mad.lo.u32 %r6, %r3, 2, %r6;
    ld.shared.u16 %r7, [%r6];
    MINE
    mad.wide.u32 %q3, %r3, 4, %q1;
    st.global.u32 [%q3], %r7;
    ret;
}
""",
        target="sm_90",
    )
    .replace("%r7, [%r6]", "%h0, [%r6];\n    cvt.u32.u16 %r7, %h0")
    .replace(".reg .b32 %r<9>;", ".reg .b32 %r<9>; .reg .b16 %h<2>;")
)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("where", "is_wrong"), [("ALL", False), ("ROLE", False), ("MINE", True)]
)
def test_the_role_that_loads_has_to_wait(where: str, is_wrong: bool, seed: int) -> None:
    x, w = np.arange(32, dtype=np.uint16), np.zeros(64, np.uint32)
    text = ROLES.replace(f"    {where}\n", f"    {WAIT}\n")
    for name in ("ALL", "ROLE", "MINE"):
        text = text.replace(f"    {name}\n", "\n")
    args = [None, w, TensorMap(x, (32,))]
    how: dict[str, Any] = {"mode": "adversarial", "seed": seed, "preceding": [x]}
    if is_wrong:
        with pytest.raises(FindingError, match=r"programmatic launch: .*warp 1"):
            launch(text, grid=1, block=64, args=args, **how)
        return
    launch(text, grid=1, block=64, args=args, **how)
    assert (w[:32] == x).all()


@pytest.mark.parametrize("given", ["some", 5, [5]])
def test_what_is_no_array_is_refused(given: Any) -> None:
    text = module(HEAD.format(more="") + "ret;\n}\n")
    args = [np.zeros(4, np.uint32)] * 2
    with pytest.raises(UserError, match="expected preceding to"):
        launch(text, grid=1, block=1, args=args, preceding=given)
