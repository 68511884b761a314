# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wgmma: every type and layout against NumPy, and every hazard reported."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble
from ptx_wgmma import DTYPES, Wgmma, fragment, to_registers

from cuda_tile.emulator import FindingError, PtxError, launch
from cuda_tile.emulator.launch import Mode


def matrices(case: Wgmma, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Small integers, so that every sum is exact."""
    rng = np.random.default_rng(seed)

    def draw(rows: int, name: str) -> np.ndarray:
        low = 0 if name == "u8" else -4
        return rng.integers(low, 5, (rows, case.depth)).astype(DTYPES[name])

    kind = {"f32": np.float32, "f16": np.float16, "s32": np.int32}[case.result]
    c = rng.integers(-9, 9, (64, case.n)).astype(kind)
    return draw(64, case.left), draw(case.n, case.right), c


def check(case: Wgmma, mode: Mode = "fast", seed: int = 0) -> None:
    a, b, c = matrices(case, seed)
    images = case.image(a, case.flips[0]), case.image(b, case.flips[1])
    text = case.text(*images)
    complaint = assemble(text, "sm_90a")
    assert not complaint, complaint
    acc = to_registers(c)
    args = [case.memory(*images), acc, fragment(a)]
    launch(text, grid=1, block=128, args=args, mode=mode, seed=seed)
    product = a.astype(np.float64) @ b.astype(np.float64).T
    product *= case.signs[0] * case.signs[1] * case.chain
    wanted = product + (0 if case.scale in ("0", "%p1") else c)
    np.testing.assert_array_equal(acc, to_registers(wanted.astype(c.dtype)))


TYPES = [
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("bf16", "bf16", "f32"),
    ("tf32", "tf32", "f32"),
    ("e4m3", "e4m3", "f32"),
    ("e4m3", "e5m2", "f16"),
    ("e5m2", "e4m3", "f32"),
    ("s8", "s8", "s32"),
    ("u8", "s8", "s32"),
]


@pytest.mark.parametrize(("left", "right", "result"), TYPES)
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("from_registers", [False, True])
def test_types(
    left: str, right: str, result: str, swizzle: int, from_registers: bool
) -> None:
    check(Wgmma(16, left, right, result, swizzle, from_registers))


@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("from_registers", [False, True])
@pytest.mark.parametrize("n", [8, 64])
def test_single_bits(n: int, swizzle: int, from_registers: bool) -> None:
    """Bytes hold eight elements along K; products count common bits."""
    case = Wgmma(n, "b1", "b1", "s32", swizzle, from_registers)
    rng = np.random.default_rng(n)
    a, b = (rng.integers(0, 256, (rows, 32)).astype(np.uint8) for rows in (64, n))
    c = rng.integers(-(2**31), 2**31, (64, n)).astype(np.int32)
    images = case.image(a, 0), case.image(b, 0)
    text = case.text(*images)
    assert assemble(text, "sm_90a") == ""
    acc = to_registers(c)
    args = [case.memory(*images), acc, fragment(a)]
    launch(text, grid=1, block=128, args=args, mode="adversarial")
    bits_a, bits_b = (np.unpackbits(x, axis=1).astype(np.int64) for x in (a, b))
    wanted = (c + bits_a @ bits_b.T).astype(np.int32)
    np.testing.assert_array_equal(acc, to_registers(wanted))


@pytest.mark.parametrize("n", [8, 24, 64, 128, 200, 256])
def test_widths(n: int) -> None:
    check(Wgmma(n, "bf16", "bf16"))


def test_every_width_of_f16_is_known() -> None:
    images = (np.zeros(8192, np.uint8), 0, 16, 1024), (np.zeros(32768), 0, 16, 1024)
    for n in range(8, 257, 8):
        acc, frag = np.zeros((128, 128), np.uint32), np.zeros((128, 4), np.uint32)
        args = [np.zeros(40960, np.uint8), acc, frag]
        launch(Wgmma(n).text(*images), grid=1, block=128, args=args)


@pytest.mark.parametrize("flips", [(0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(("swizzle", "n"), [(0, 32), (32, 16), (64, 32), (128, 128)])
@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_transposed(flips: tuple[int, int], swizzle: int, n: int, name: str) -> None:
    check(Wgmma(n, name, name, swizzle=swizzle, flips=flips))


@pytest.mark.parametrize("swizzle", [32, 64, 128])
@pytest.mark.parametrize("base", [1, 2, 5])
@pytest.mark.parametrize("flip", [0, 1])
def test_matrix_base_offset(base: int, swizzle: int, flip: int) -> None:
    """The pattern of the swizzle begins at any 128 bytes, as the offset says."""
    check(Wgmma(128, swizzle=swizzle, flips=(0, flip), base=base))


@pytest.mark.parametrize("scale", ["0", "1", "%p1", "%p2"])
@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_scales(scale: str, signs: tuple[int, int]) -> None:
    check(Wgmma(8, scale=scale, signs=signs), "adversarial")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("from_registers", [False, True])
def test_chains_in_any_order_of_warps(seed: int, from_registers: bool) -> None:
    check(Wgmma(32, from_registers=from_registers, chain=3), "adversarial", seed)


def test_saturation() -> None:
    case = Wgmma(8, "s8", "s8", "s32")
    a = np.full((64, 32), 127, np.int8)
    b = np.full((8, 32), 127, np.int8)
    images = case.image(a, 0), case.image(b, 0)
    for kind, wanted in (
        ("", np.int32(-(2**31) + 32 * 127 * 127 - 1)),
        (".satfinite", 2**31 - 1),
    ):
        text = case.text(*images).replace("k32.s32", f"k32{kind}.s32")
        assert not assemble(text, "sm_90a")
        acc = to_registers(np.full((64, 8), 2**31 - 1, np.int32))
        launch(text, grid=1, block=128, args=[case.memory(*images), acc, fragment(a)])
        assert (acc.view(np.int32) == wanted).all()


def broken(old: str, new: str, case: Wgmma | None = None, body: str = "") -> None:
    case = case or Wgmma(8, from_registers=True)
    a, b, c = matrices(case, 0)
    images = case.image(a, 0), case.image(b, 0)
    text = case.text(*images, body)
    assert old in text
    args = [case.memory(*images), to_registers(c), fragment(a)]
    text = text.replace(old, new)
    launch(text, grid=1, block=128, args=args, mode="adversarial")


HAZARDS = {
    "a missing wgmma.fence": (
        "wgmma.fence.sync.aligned;",
        "",
        "before the first wgmma",
    ),
    "an accumulator written after the fence": (
        "wgmma.fence.sync.aligned;",
        "wgmma.fence.sync.aligned;\nmov.f32 %d0, 0f00000000;",
        "no wgmma.fence of warp",
    ),
    "an A register written after the fence": (
        "wgmma.fence.sync.aligned;",
        "wgmma.fence.sync.aligned;\nmov.b32 %a1, 0;",
        "no wgmma.fence of warp",
    ),
    "a missing wait": (
        "wgmma.wait_group.sync.aligned 0;",
        "",
        "before a wgmma.wait_group covers",
    ),
    "a missing commit": (
        "wgmma.commit_group.sync.aligned;",
        "",
        "wgmma.wait_group covers",
    ),
    "a wait for too few": (
        "wgmma.wait_group.sync.aligned 0;",
        "wgmma.wait_group.sync.aligned 1;",
        "wgmma.wait_group covers",
    ),
    "an A register written in flight": (
        "wgmma.commit_group.sync.aligned;",
        "wgmma.commit_group.sync.aligned;\nmov.b32 %a2, 0;",
        "touches register %a2",
    ),
    "memory overwritten in flight": (
        "wgmma.commit_group.sync.aligned;",
        "wgmma.commit_group.sync.aligned;\nst.shared.b32 [%r8+8288], %r8;",
        "copy in flight",
    ),
    "memory without a proxy fence": (
        "fence.proxy.async.shared::cta;",
        "",
        "no fence.proxy.async between",
    ),
    "memory without a barrier": ("bar.sync 0;", "", "race"),
    "a warp that stays away": (
        "wgmma.fence.sync.aligned;",
        "setp.ge.u32 %p3, %r0, 96;\n@%p3 ret;\nwgmma.fence.sync.aligned;",
        "128 threads of a warpgroup",
    ),
}


@pytest.mark.parametrize("name", HAZARDS)
def test_hazards_are_reported(name: str) -> None:
    old, new, message = HAZARDS[name]
    with pytest.raises(FindingError, match=message):
        broken(old, new)


def test_unknown_forms_are_located_errors() -> None:
    with pytest.raises(PtxError, match=r"line \d+.*multiple of 8"):
        broken("m64n8k16", "m64n12k16")
    with pytest.raises(PtxError, match="expected matching types"):
        broken("f32.f16.f16", "s32.f16.f16")
