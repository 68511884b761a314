# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of integers, scaled operands, tf32 and in shuffle mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import Kernel, apply, tile_of
from interp_harness import DTYPES

from cuda_tile.interp import InterpError
from cuda_tile.runtime.elements import element, from_memory


@pytest.mark.parametrize("left", ["signed", "unsigned"])
@pytest.mark.parametrize("right", ["signed", "unsigned"])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_mmai(left: str, right: str, batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(-128, 128, (*batch, 8, 32)).astype(np.int8)
    b = rng.integers(-128, 128, (*batch, 32, 4)).astype(np.int8)
    c = rng.integers(-(2**31), 2**31, (*batch, 8, 4)).astype(np.int32)
    # Sums beyond the ends of i32, which wrap.
    a[..., 0, :], b[..., 0], b[..., 1] = 1, 1, -1
    c[..., 0, 0], c[..., 0, 1] = 2**31 - 1, -(2**31)
    got = apply(
        "mmai",
        [(a, "i8"), (b, "i8"), (c, "i32")],
        [(c.shape, "i32")],
        signedness_lhs=left,
        signedness_rhs=right,
    )
    kinds = {"signed": np.int8, "unsigned": np.uint8}
    x = a.view(kinds[left]).astype(np.int64)
    y = b.view(kinds[right]).astype(np.int64)
    assert got.tolist() == (c + x @ y).astype(np.int32).tolist()


def scaled(
    kind: str, scale: str, block: int, raw: bool = False, **kw: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Result and float64 reference for random operands and scales."""
    rng = np.random.default_rng(2)
    k = 64

    def operand(name: str, *shape: int) -> np.ndarray:
        top = 8 if name == "f4E2M1FN" else 0x40
        codes = rng.integers(0, top, shape).astype(np.uint8)
        if name == "f8E8M0FNU":
            codes = rng.integers(120, 134, shape).astype(np.uint8)
        flat = from_memory(codes.reshape(-1, 1), element(name))
        return flat.reshape(shape)

    a, b = operand(kind, 4, k), operand(kind, k, 8)
    sa, sb = operand(scale, 4, k // block), operand(scale, k // block, 8)
    c = rng.standard_normal((4, 8)).astype(np.float32)
    got = apply(
        "mmaf_scaled",
        [(a, kind), (b, kind), (c, "f32"), (sa, scale), (sb, scale)],
        [((4, 8), "f32")],
        **kw,
    )
    wide = [x.astype(np.float64) for x in (a, b, sa, sb)]
    exact = c + (wide[0] * np.repeat(wide[2], block, 1)) @ (
        wide[1] * np.repeat(wide[3], block, 0)
    )
    return got, exact


@pytest.mark.parametrize(
    ("kind", "scale", "block"),
    [
        ("f8E4M3FN", "f8E8M0FNU", 32),
        ("f8E5M2", "f8E8M0FNU", 32),
        ("f4E2M1FN", "f8E8M0FNU", 16),
        ("f4E2M1FN", "f8E8M0FNU", 32),
        ("f4E2M1FN", "f8E4M3FN", 16),
        ("f4E2M1FN", "f8E5M3FNU", 16),
    ],
)
def test_mmaf_scaled(kind: str, scale: str, block: int) -> None:
    got, exact = scaled(kind, scale, block)
    np.testing.assert_allclose(got, exact, rtol=2.0**-23)


def test_scales() -> None:
    ones = np.ones((1, 32))

    def product(scale: float, kind: str) -> Any:
        return apply(
            "mmaf_scaled",
            [
                (ones, "f4E2M1FN"),
                (ones.T.copy(), "f4E2M1FN"),
                (np.zeros((1, 1)), "f32"),
                (np.full((1, 2), scale), kind),
                (np.ones((2, 1)), kind),
            ],
            [((1, 1), "f32")],
        )

    assert np.isnan(product(np.nan, "f8E8M0FNU"))
    assert product(0.0, "f8E4M3FN") == 0
    with pytest.raises(InterpError, match="a scale of lhs is negative"):
        product(-1.0, "f8E4M3FN")


def test_tf32_ignores_low_bits_but_keeps_them_when_moved() -> None:
    dirty = np.array([[0x3F801FFF]], np.uint32).view(np.float32)
    got = apply(
        "mmaf",
        [(dirty, "tf32"), (dirty, "tf32"), (np.zeros((1, 1)), "f32")],
        [((1, 1), "f32")],
    )
    assert got == 1
    moved = apply("reshape", [(dirty, "tf32")], [((1,), "tf32")])
    assert moved.view(np.uint32).tolist() == [0x3F801FFF]


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f8E5M2"])
def test_shuffled_sums_stay_within_single_precision(kind: str) -> None:
    rng = np.random.default_rng(3)
    a = rng.standard_normal((8, 256)).astype(DTYPES[kind])
    b = rng.standard_normal((256, 8)).astype(DTYPES[kind])
    f32 = tile_of("f32", 8, 8)
    k = Kernel("ptr<f32>")
    acc = k.constant(np.zeros((8, 8)), "f32")
    x, y = k.constant(a, kind), k.constant(b, kind)
    k.output(k.parameters[0], k.op("mmaf", x, y, acc, results=(f32,)))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    size = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    seen = set[bytes]()
    for seed in range(4):
        out = np.zeros((8, 8), np.float32)
        k.run(out, seed=seed)
        assert (np.abs(out - exact) <= 256 * 2.0**-24 * size).all()
        seen.add(out.tobytes())
    assert len(seen) > 1
