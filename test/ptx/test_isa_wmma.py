# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wmma of the types that `test_nvcc.py` does not cover, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ptx_arrays import placed
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.errors import PtxError

# One warp: A by rows and B by columns from memory, C and D by rows.
KERNEL = """
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
{{
    .reg .b64 %a, %b, %c, %d; .reg .b32 %x, %y, %s<2>, %lane; .reg .f64 %l, %m, %t<2>;
    ld.param.u64 %a, [a]; ld.param.u64 %b, [b];
    ld.param.u64 %c, [c]; ld.param.u64 %d, [d];
    mov.u32 %lane, %laneid;
    {body}
    ret;
}}
"""
INTEGERS = """
    wmma.load.a.sync.aligned.row.{shape}.global.{ty} {{%x}}, [%a], {stride};
    wmma.load.b.sync.aligned.col.{shape}.{ty} {{%y}}, [%b];
    wmma.load.c.sync.aligned.row.{shape}.global.s32 {{%s0, %s1}}, [%c], 8;
    wmma.mma{op}.sync.aligned.row.col.{shape}.s32.{ty}.{ty}.s32{sat}
        {{%s0, %s1}}, {{%x}}, {{%y}}, {{%s0, %s1}};
    wmma.store.d.sync.aligned.col.{shape}.global.s32 [%d], {{%s0, %s1}}, 8;
"""
LOWEST, HIGHEST = -(2**31), 2**31 - 1


def run(body: str, arrays: list[Any], mode: Any = "adversarial") -> None:
    text = module(KERNEL.format(body=body), "sm_90")
    assert assemble(text, "sm_90") == ""
    launch(text, grid=1, block=32, args=arrays, mode=mode)


def packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """Rows of small codes to bytes, the first in the low bits."""
    shifts = np.arange(0, 8, bits)
    grouped = codes.reshape(*codes.shape[:-1], -1, 8 // bits).astype(np.uint8)
    return np.bitwise_or.reduce(grouped << shifts, axis=-1).astype(np.uint8)


@pytest.mark.parametrize("ty", ["s4", "u4"])
@pytest.mark.parametrize("sat", ["", ".satfinite"])
def test_nibbles(ty: str, sat: str) -> None:
    rng = np.random.default_rng(5)
    low, high = (-8, 8) if ty == "s4" else (0, 16)
    a, b = rng.integers(low, high, (2, 8, 32))
    c = rng.integers(-1000, 1000, (8, 8)).astype(np.int32)
    c[0, :4], c[1, :4] = HIGHEST, LOWEST
    # Rows of A lie 64 elements apart.
    rows = np.zeros((8, 32), np.uint8)
    rows[:, :16] = packed(a & 15, 4)
    d = placed(np.zeros((8, 8), np.int32))
    body = INTEGERS.format(shape="m8n8k32", ty=ty, stride=64, op="", sat=sat)
    run(body, [placed(rows), placed(packed(b & 15, 4)), placed(c), d])
    total = c.astype(np.int64) + a @ b.T
    wanted = total.clip(LOWEST, HIGHEST) if sat else total.astype(np.int32)
    assert (wanted == d.T).all()


@pytest.mark.parametrize("op", ["xor", "and"])
def test_bits(op: str) -> None:
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 2, (2, 8, 128))
    c = rng.integers(-1000, 1000, (8, 8)).astype(np.int32)
    d = placed(np.zeros((8, 8), np.int32))
    text = INTEGERS.format(
        shape="m8n8k128", ty="b1", stride=128, op=f".{op}.popc", sat=""
    )
    run(
        text,
        [placed(packed(a, 1)), placed(packed(b, 1)), placed(c), d],
    )
    pairs = a[:, None, :], b[None, :, :]
    hits = (pairs[0] ^ pairs[1]) if op == "xor" else (pairs[0] & pairs[1])
    assert (c + hits.sum(axis=2) == d.T).all()


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_doubles_are_fused_along_k_and_rounded(mode: str) -> None:
    body = f"""
    wmma.load.a.sync.aligned.row.m8n8k4.f64 {{%l}}, [%a];
    wmma.load.b.sync.aligned.col.m8n8k4.f64 {{%m}}, [%b];
    wmma.load.c.sync.aligned.row.m8n8k4.f64 {{%t0, %t1}}, [%c];
    wmma.mma.sync.aligned.row.col.m8n8k4.{mode}.f64.f64.f64.f64
        {{%t0, %t1}}, {{%l}}, {{%m}}, {{%t0, %t1}};
    wmma.store.d.sync.aligned.row.m8n8k4.f64 [%d], {{%t0, %t1}};
    """
    a, b = np.zeros((8, 4)), np.zeros((8, 4))
    a[:, 0], b[:, 0] = 1.0, np.where(np.arange(8) % 2, 2.0**-60, -(2.0**-60))
    c, d = np.ones((8, 8)), placed(np.zeros((8, 8)))
    run(body, [placed(a), placed(b), placed(c), d])
    above, below = np.nextafter(1, 2), np.nextafter(1, 0)
    down, up = {
        "rn": (1.0, 1.0),
        "rz": (below, 1.0),
        "rm": (below, 1.0),
        "rp": (1.0, above),
    }[mode]
    assert (d == np.where(np.arange(8) % 2, up, down)).all()


def test_lanes_must_agree_on_the_address() -> None:
    body = """
    mad.wide.u32 %a, %lane, 8, %a;
    wmma.load.a.sync.aligned.row.m8n8k4.f64 {%l}, [%a];
    """
    array = np.zeros(64)
    with pytest.raises(FindingError, match="one address and stride in all lanes"):
        run(body, [array] * 4, "fast")


def test_a_tile_must_lie_in_its_array() -> None:
    body = "wmma.load.c.sync.aligned.row.m8n8k4.f64 {%t0, %t1}, [%a], 16;"
    with pytest.raises(FindingError, match="out of bounds: load of 16 bytes"):
        run(body, [placed(np.zeros(64)), *[np.zeros(64)] * 3], "fast")


def test_an_undefined_lane_spoils_the_product() -> None:
    body = """
    .reg .pred %p;
    setp.eq.u32 %p, %lane, 3;
    @!%p mov.f64 %l, 0d0000000000000000;
    mov.f64 %m, %l; mov.f64 %t0, 0d0000000000000000; mov.f64 %t1, %t0;
    wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64
        {%t0, %t1}, {%l}, {%m}, {%t0, %t1};
    wmma.store.d.sync.aligned.row.m8n8k4.f64 [%d], {%t0, %t1};
    """
    with pytest.raises(FindingError, match=r"uninitialised: register %t[01]"):
        run(body, [placed(np.zeros(64))] * 4)


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (
            "wmma.load.a.sync.aligned.row.m16n16k8.f16 {%x}, [%a]",
            "expected '.m16n16k16' or '.m8n32k16' or '.m32n8k16' for .f16",
        ),
        (
            "wmma.load.a.sync.aligned.row.m8n8k4.local.f64 {%l}, [%a]",
            "expected global or shared memory, got .local",
        ),
        (
            "wmma.load.b.sync.aligned.row.m8n8k32.s4 {%x}, [%a]",
            "expected the other layout for .s4",
        ),
        (
            "wmma.load.c.sync.aligned.row.m8n8k4.f32 {%x}, [%a]",
            "expected a type of sums of '.m8n8k4', got .f32",
        ),
        (
            "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%l, %m}, [%a]",
            "expected a vector of 1 elements, got a vector of 2",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.satfinite "
            "{%t0, %t1}, {%l}, {%m}, {%t0, %t1}",
            "expected '.satfinite' only for integers",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 "
            "{%s0, %s1}, {%x}, {%y}, {%s0, %s1}",
            "expected '.s4', got '.u4'",
        ),
        (
            "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 "
            "{%s0, %s1}, {%x}, {%y}, {%s0, %s1}",
            "expected '.xor.popc' or '.and.popc' for .b1, and only for it",
        ),
        (
            "wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 "
            "{%s0, %s1}, {%x}, {%y}, {%s0, %s1}",
            "expected '.row.col' for .s4",
        ),
    ],
)
def test_what_the_isa_does_not_have(instruction: str, message: str) -> None:
    text = module(KERNEL.format(body=instruction + ";"), "sm_90")
    assert assemble(text, "sm_90") != ""
    with pytest.raises(PtxError, match=message):
        launch(text, grid=1, block=32, args=[None] * 4)
