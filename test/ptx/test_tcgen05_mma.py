# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One tcgen05.mma of each kind, shape and layout against NumPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_harness import assemble
from ptx_tcgen05 import Kernel
from ptx_tcgen05_mma import (
    D_COLUMN,
    RNG,
    Mma,
    build,
    d_place,
    instruction,
    prepared,
    put_left,
    to_words,
)

from cuda_tile.emulator import FindingError
from cuda_tile.exact import element_of, narrow


def check(op: Mma, power: int = 0) -> None:
    kernel, image, before, total = prepared(op, power)
    after = kernel.run(image, before)
    wanted = before.copy()
    for row in range(op.m):
        for column in range(op.n):
            rank, lane, place = d_place(op, row, column)
            wanted[rank, lane, D_COLUMN + place] = to_words(op, total[row, column])
    np.testing.assert_array_equal(after, wanted)


FORMS = [
    *(Mma(swizzle=swizzle) for swizzle in (0, 32, 64, 128)),
    *(Mma(swizzle=swizzle, flips=(1, 1)) for swizzle in (0, 32, 64, 128)),
    Mma(left="bf16", right="bf16", n=16, negated=(1, 0)),
    Mma(result="f16", n=32, negated=(0, 1)),
    Mma(m=64, n=24),
    Mma(m=64, n=16, lane=16),
    Mma(keeps=False),
    Mma("tf32", "tf32", "tf32", n=32),
    Mma("tf32", "tf32", "tf32", n=32, flips=(1, 1)),
    *(
        Mma("f8f6f4", left, right, n=16)
        for left, right in (
            ("e4m3", "e4m3"),
            ("e5m2", "e2m1"),
            ("e2m3", "e3m2"),
            ("e2m1", "e5m2"),
        )
    ),
    Mma("f8f6f4", "e4m3", "e5m2", swizzle=64, flips=(1, 1)),
    *(
        Mma("i8", left, right, "s32", n=32, swizzle=32)
        for left in ("s8", "u8")
        for right in ("s8", "u8")
    ),
    Mma("i8", "s8", "u8", "s32", n=64, flips=(1, 1)),
    *(Mma(m=m, ws=True) for m in (32, 64, 128)),
    Mma(group=2, m=256),
    Mma(group=2, m=128, n=32),
    Mma("f8f6f4", "e4m3", "e5m2", group=2, m=256, n=32),
    *(Mma(from_tensor=True, m=m) for m in (64, 128)),
    Mma("tf32", "tf32", "tf32", from_tensor=True),
    Mma("f8f6f4", "e2m1", "e3m2", n=32, from_tensor=True),
    Mma("f8f6f4", "e3m2", "e4m3", n=32, from_tensor=True),
    Mma(group=2, m=256, from_tensor=True),
    *(Mma(n=32, swizzle=swizzle, base=3) for swizzle in (32, 64, 128)),
    Mma(swizzle=64, flips=(1, 1), base=1),
    Mma("tf32", "tf32", "tf32", n=32, flips=(1, 1), base=5),
]


def name_of(op: Mma) -> str:
    parts = [op.kind, op.left, op.right, op.result, f"m{op.m}n{op.n}"]
    parts += [f"s{op.swizzle}", f"g{op.group}", f"o{op.base}"]
    parts += [word for word in ("ws", "from_tensor") if getattr(op, word)]
    return "-".join([*parts, *(f"flip{i}" for i in (0, 1) if op.flips[i])])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("op", FORMS, ids=name_of)
def test_product(op: Mma) -> None:
    check(op)


@pytest.mark.parametrize(
    "op",
    [
        Mma(tail=", 3", n=16),
        Mma(left="bf16", right="bf16", n=16, negated=(1, 0)),
        Mma(result="f16", n=32, negated=(0, 1), from_tensor=True),
        Mma("tf32", "tf32", "tf32", n=32, flips=(1, 1)),
        Mma("f8f6f4", "e5m2", "e2m1", n=16),
        Mma("i8", "s8", "u8", "s32", n=32),
        Mma(group=2, m=256),
    ],
    ids=name_of,
)
def test_exact_numbers(op: Mma) -> None:
    """D stands for what it is in real numbers, but for narrowing."""
    kernel, image, before, total = prepared(op, 3 if op.tail else 0)
    after = kernel.run(image, before, numbers="exact")
    for row in range(op.m):
        for column in range(op.n):
            rank, lane, place = d_place(op, row, column)
            word = after[rank, lane, D_COLUMN + place]
            wanted = element_of(total[row, column])
            if op.result == "f16":
                assert word == narrow(wanted, "f16").view(np.uint16)
            elif op.result == "f32":
                assert element_of(word.view(np.float32)) == wanted
            else:
                assert word == to_words(op, total[row, column])


def test_ptxas_takes_them() -> None:
    for group in (1, 2):
        lines = [instruction(op) for op in FORMS if op.group == group]
        lines += [instruction(op) for op in SCALED if op.group == group]
        text = Kernel("\n".join(lines), group=group).text
        assert assemble(text, "sm_100a") == ""


def test_d_can_be_scaled() -> None:
    check(Mma(tail=", 3"), power=3)


def test_saturation() -> None:
    op = Mma("i8", "u8", "u8", "s32", n=16, saturates=True)
    kernel, image, before, _ = build(op)
    image[:] = 255
    before[0, :, D_COLUMN : D_COLUMN + 16] = 2**31 - 100
    after = kernel.run(image, before)[0, :, D_COLUMN : D_COLUMN + 16]
    assert (after == 2**31 - 1).all()
    kernel, _, _, _ = build(replace(op, saturates=False))
    after = kernel.run(image, before)[0, :, D_COLUMN : D_COLUMN + 16]
    assert (after == 2**31 - 100 + 32 * 255 * 255).all()


def test_lanes_can_be_left_out() -> None:
    op = Mma(n=16, mask="{%r8, %r9, %r9, %r10}, ", keeps=False)
    kernel, image, before, parts = build(op)
    kernel.body = "mov.u32 %r8, 5;\nmov.u32 %r9, 0;\nmov.u32 %r10, -1;\n" + kernel.body
    after = kernel.run(image, before)[0, :, D_COLUMN : D_COLUMN + 16]
    total = parts["a"].astype(np.float32) @ parts["b"].astype(np.float32).T
    total[[0, 2, *range(96, 128)]] = 0
    np.testing.assert_array_equal(after.view(np.float32), total)


@pytest.mark.parametrize(
    ("m", "fields", "zeros"),
    [  # the examples of "Zero-Column Mask Descriptor": start, first, flag, skip, use
        (128, ((0, 0, 0, 0), (0, 0, 0, 0), 0, 4, 3), ["0" * 64]),
        (128, ((0, 0, 0, 0), (0, 0, 0, 0), 1, 2, 3), ["0000111" * 10]),
        (64, ((0, 0, 0, 0), (1, 0, 0, 0), 1, 2, 3), ["1110000" * 5, "0000111" * 5]),
        (
            32,
            ((0, 1, 2, 1), (1, 1, 0, 0), 1, 2, 3),
            [
                "1110000" * 3,
                "110000" + "1110000" * 2,
                "00111" + "0000111" * 2,
                "000111" + "0000111" * 2,
            ],
        ),
    ],
)
def test_columns_can_be_zero(m: int, fields: Any, zeros: list[str]) -> None:
    starts, firsts, flag, skip, use = fields
    bits = sum(start << 8 * i for i, start in enumerate(starts))
    bits |= sum(first << 32 + i for i, first in enumerate(firsts))
    bits |= flag << 39 | skip << 40 | use << 48
    op = Mma(m=m, ws=True, keeps=False, tail=", %d0")
    kernel, image, before, parts = build(op)
    kernel.body = f"mov.b64 %d0, {bits};\n{kernel.body}"
    mask = "".join(part[: 64 // len(zeros)] for part in zeros)
    b = parts["b"].astype(np.float32)
    b[[c == "1" for c in mask]] = 0
    total = parts["a"].astype(np.float32) @ b.T
    after = kernel.run(image, before).view(np.float32)
    for row in range(m):
        for column in range(64):
            rank, lane, place = d_place(op, row, column)
            assert after[rank, lane, D_COLUMN + place] == total[row, column]


# Scale factors ---------------------------------------------------------------------

SCALED = [
    *(
        Mma("mxf8f6f4", left, right, n=48, ids=ids)
        for left, right, ids in (
            ("e4m3", "e5m2", (0, 0)),
            ("e2m3", "e2m1", (1, 2)),
            ("e3m2", "e4m3", (3, 1)),
        )
    ),
    Mma("mxf8f6f4", "e4m3", "e4m3", n=16, vector="scale_vec::1X", flips=(0, 1)),
    Mma("mxf4", "e2m1", "e2m1", n=64, ids=(0, 2)),
    Mma("mxf4", "e2m1", "e2m1", n=64, vector="scale_vec::2X", negated=(1, 0)),
    Mma("mxf4nvf4", "e2m1", "e2m1", vector="scale_vec::2X", ids=(2, 0)),
    Mma("mxf4nvf4", "e2m1", "e2m1", vector="scale_vec::4X"),
    Mma("mxf4nvf4", "e2m1", "e2m1", vector="scale_vec::4X", scale="ue4m3"),
    Mma(
        "mxf4nvf4",
        "e2m1",
        "e2m1",
        vector="scale_vec::4X",
        scale="ue4m3",
        from_tensor=True,
    ),
    Mma("mxf8f6f4", "e5m2", "e3m2", group=2, m=256, n=64),
]


def factors(op: Mma, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Random scale factors: bytes uint8[count, 4], and what they are worth."""
    if op.scale == "ue8m0":
        data = RNG.integers(125, 130, (count, 4)).astype(np.uint8)
        return data, 2.0 ** (data.astype(np.int64) - 127)
    worth = RNG.choice([0.5, 1.0, 1.5, 2.0, 3.0], (count, 4))
    return worth.astype(ml_dtypes.float8_e4m3fn).view(np.uint8), worth


def put_factors(before: np.ndarray, column: int, data: np.ndarray) -> None:
    words = np.ascontiguousarray(data).view(np.uint32)[:, 0]
    for number, word in enumerate(words):
        for warp in range(4):
            before[warp * 32 + number % 32, column + number // 32] = word


@pytest.mark.parametrize("numbers", ["floats", "exact"])
@pytest.mark.parametrize("op", SCALED, ids=lambda op: name_of(op) + op.vector)
def test_scaled_product(op: Mma, numbers: str) -> None:
    kernel, image, before, parts = build(op)
    if op.from_tensor:
        put_left(op, before, parts["a"])
    count = 4 if "4X" in op.vector else 1 if op.kind == "mxf8f6f4" else 2
    left, left_worth = factors(op, op.m)
    right, right_worth = factors(op, op.n)
    for rank in range(op.group):
        put_factors(before[rank], 8, left[128 * rank : 128 * rank + 128])
        put_factors(before[rank], 16, right)
    for row in range(op.m):
        for column in range(op.n):
            rank, lane, place = d_place(op, row, column)
            word = to_words(op, parts["d"][row, column])
            before[rank, lane, D_COLUMN + place] = word
    signs = [-1 if n else 1 for n in op.negated]
    a, b = (
        signs[i]
        * parts[name].astype(np.float64)
        * np.repeat(worth[:, op.ids[i] :][:, :count], op.depth // count, axis=1)
        for i, (name, worth) in enumerate((("a", left_worth), ("b", right_worth)))
    )
    total = a @ b.T + parts["d"]
    after = kernel.run(image, before, numbers=numbers).view(np.float32)
    total = total if numbers == "floats" else element_of(total)
    for row in range(op.m):
        for column in range(op.n):
            rank, lane, place = d_place(op, row, column)
            assert after[rank, lane, D_COLUMN + place] == total[row, column]


def test_scale_factors_must_be_in_all_warps_lanes() -> None:
    op = Mma("mxf8f6f4", "e4m3", "e5m2", n=32)
    kernel, image, before, _ = build(op)
    put_factors(before[0], 8, factors(op, 128)[0])
    before[0, 33, 8] += 1
    with pytest.raises(FindingError, match="same scale factors"):
        kernel.run(image, before)


# Refusals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 20}, "expected a column count"),
        ({"m": 96}, "expected M of 64, 128"),
        ({"kind": "f16", "left": "f16", "right": "bf16"}, "expected one type"),
        ({"m": 64, "ws": True, "from_tensor": True}, "expected A in shared memory"),
    ],
)
def test_what_the_hardware_lacks(change: dict[str, Any], message: str) -> None:
    op = replace(Mma(), **{k: v for k, v in change.items() if k not in ("n", "m")})
    kernel, image, before, _ = build(op)
    bits = replace(op, **change).idesc
    if change.get("n") == 20:
        bits = op.idesc & ~(63 << 17) | 1 << 17
    kernel.body = kernel.body.replace(str(op.idesc), str(bits))
    with pytest.raises(FindingError, match=message):
        kernel.run(image, before)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tcgen05.mma.", "tcgen05.mma.sp.", "'.sp' is not supported"),
        ("kind::f16 ", "kind::f16.ashift ", "'.ashift' is not supported"),
        ("cta_group::1.kind", "cta_group::2.kind", "expected '.cta_group::1' as in"),
        ("kind::f16 ", "kind::f64 ", "expected one of"),
    ],
)
def test_located_errors(old: str, new: str, message: str) -> None:
    kernel, image, before, _ = build(Mma())
    kernel.body = kernel.body.replace(old, new)
    with pytest.raises(Exception, match=message) as caught:
        kernel.run(image, before)
    assert "ptx line" in str(caught.value)


@pytest.mark.parametrize(
    "usage", ["collector::a::fill", "collector::a::lastuse", "collector::a::discard"]
)
def test_collectors_are_accepted(usage: str) -> None:
    kernel, image, before, _ = build(Mma())
    kernel.body = kernel.body.replace("kind::f16 ", f"kind::f16.{usage} ")
    assert assemble(kernel.text, "sm_100a") == ""
    kernel.run(image, before)
