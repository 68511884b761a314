# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes through shared memory: once where it can, in parts where it must.

Each kernel means the same at every level: interpreter after each pass, emulator in
adversarial mode, NumPy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from end_levels import Array, check

import cuda_tile

pytestmark = pytest.mark.sampled(5)

KERNELS = Path(__file__).resolve().parent.parent / "kernels" / "13.4"


def staged(text: str, gpu: str = "sm_90") -> list[str]:
    """The shared-memory ops and loops of level W, in order, by their short names."""
    lowered = cuda_tile.lower(cuda_tile.load(text.encode()), gpu, until="stage")
    words = ("tileas.store_shared", "tileas.load_shared", "for %", "tileas.mma_sync")
    lines = str(lowered).splitlines()
    return [word for line in lines for word in words if f" {word}" in line]


# Conversions in parts -----------------------------------------------------------------


def transpose(rows: int, columns: int, element: str) -> str:
    """Stores a tile through a view with exchanged dimensions."""
    size = f"{rows}x{columns}"
    there = f"tensor_view<{size}x{element}, strides=[{columns},1]>"
    back = f"tensor_view<{columns}x{rows}x{element}, strides=[{rows},1]>"
    source = f"partition_view<tile=({size}), {there}>"
    target = f"partition_view<tile=({size}), {back}, dim_map=[1, 0]>"
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>) {{
    %a = assume div_by<16>, %p : tile<ptr<{element}>>
    %b = assume div_by<16>, %q : tile<ptr<{element}>>
    %z = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %a, shape = [{rows}, {columns}], strides = [{columns}, 1]
      : {there}
    %u = make_tensor_view %b, shape = [{columns}, {rows}], strides = [{rows}, 1]
      : {back}
    %x = make_partition_view %t : {source}
    %y = make_partition_view %u : {target}
    %l, %k = load_view_tko weak %x[%z, %z]
      : {source}, tile<i32> -> tile<{size}x{element}>, token
    %s = store_view_tko weak %l, %y[%z, %z]
      : tile<{size}x{element}>, {target}, tile<i32> -> token
    return
  }}
}}"""


def numbers(shape: tuple[int, ...], dtype: type[np.generic]) -> Array:
    """Elements that differ, the same each time."""
    random = np.random.default_rng(shape[0])
    return random.integers(-(2**10), 2**10, shape).astype(dtype)


@pytest.mark.parametrize(
    ("gpu", "parts"), [("sm_90", 2), ("sm_120", 4), ("sm_86", 4), ("sm_80", 2)]
)
def test_a_tile_larger_than_shared_memory_goes_in_parts(gpu: str, parts: int) -> None:
    """256 x 256 f32 are 256 KiB; no chip has as much."""
    x = numbers((256, 256), np.float32)
    text = transpose(256, 256, "f32")
    assert staged(text, gpu).count("tileas.store_shared") == parts
    check(text, gpu, [x, np.zeros_like(x)], x.T, levels=["stage", "barriers"])


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("room", [1024, 4096])
@pytest.mark.parametrize(("rows", "columns"), [(64, 64), (128, 32), (16, 256)])
def test_parts_of_any_layout(
    monkeypatch: pytest.MonkeyPatch, rows: int, columns: int, room: int, warps: int
) -> None:
    """Parts that some lanes or warps hold, as small tiles in less room have them."""
    from cuda_tile.passes import stage

    real = stage.stage_conversion
    monkeypatch.setattr(stage, "stage_conversion", lambda op, _: real(op, room))
    x = numbers((rows, columns), np.int32)
    text = transpose(rows, columns, "i32")
    out = np.zeros((columns, rows), np.int32)
    check(text, "sm_80", [x, out], x.T, warps=warps, levels=["stage", "barriers"])


@pytest.mark.parametrize("element", ["i8", "f16", "i64", "f64"])
def test_parts_of_any_element(monkeypatch: pytest.MonkeyPatch, element: str) -> None:
    from cuda_tile.passes import stage

    real = stage.stage_conversion
    monkeypatch.setattr(stage, "stage_conversion", lambda op, _: real(op, 1024))
    names = {"i8": np.int8, "f16": np.float16, "i64": np.int64, "f64": np.float64}
    x = numbers((64, 64), names[element])
    check(transpose(64, 64, element), "sm_90", [x, np.zeros_like(x)], x.T)


# Operands of products -----------------------------------------------------------------

HALF = "partition_view<tile=(32x32), tensor_view<32x32xf16, strides=[32,1]>>"
WIDE = "partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>"


def products(middle: str, result: str) -> str:
    """Loads %a, %b, %c from the first three arrays, stores `result` to the last."""
    loads = "".join(
        f"""
    %t{x} = make_tensor_view %p{x}, shape = [32, 32], strides = [32, 1]
      : tensor_view<32x32xf16, strides=[32,1]>
    %v{x} = make_partition_view %t{x} : {HALF}
    %{x}, %k{x} = load_view_tko weak %v{x}[%z, %z]
      : {HALF}, tile<i32> -> tile<32x32xf16>, token"""
        for x in "abc"
    )
    return f"""cuda_tile.module @m {{
  entry @k(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f16>>,
           %n: tile<i32>, %pd: tile<ptr<f32>>) {{
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<32x32xf32>{loads}
    {middle}
    %td = make_tensor_view %pd, shape = [32, 32], strides = [32, 1]
      : tensor_view<32x32xf32, strides=[32,1]>
    %vd = make_partition_view %td : {WIDE}
    %s = store_view_tko weak {result}, %vd[%z, %z]
      : tile<32x32xf32>, {WIDE}, tile<i32> -> token
    return
  }}
}}"""


MMA = ": tile<32x32xf16>, tile<32x32xf16>, tile<32x32xf32>"

LOOP = products(
    f"""%f = for %i in (%z to %n, step %one) : tile<i32>
      iter_values(%acc = %zero) -> (tile<32x32xf32>) {{
      %w, %kw = load_view_tko weak %vb[%z, %z]
        : {HALF}, tile<i32> -> tile<32x32xf16>, token
      %d = mmaf %a, %w, %acc {MMA}
      continue %d : tile<32x32xf32>
    }}
    %g = for %i in (%z to %n, step %one) : tile<i32>
      iter_values(%acc = %f) -> (tile<32x32xf32>) {{
      %d = mmaf %a, %c, %acc {MMA}
      continue %d : tile<32x32xf32>
    }}""",
    "%g",
)
"""%a is read in two loops, %c in one; neither changes there."""

PAIR = products(
    f"""%d = mmaf %a, %b, %zero {MMA}
    %e = mmaf %a, %c, %d {MMA}
    %f = mmaf %c, %b, %e {MMA}""",
    "%f",
)
"""%a is the left side of two products, %b the right side of two."""


def operands() -> list[Array]:
    random = np.random.default_rng(5)
    return [random.integers(-4, 5, (32, 32)).astype(np.float16) for _ in range(3)]


@pytest.mark.parametrize("trips", [0, 1, 3])
@pytest.mark.parametrize("warps", [1, 4])
def test_what_a_loop_only_reads_is_staged_before_it(trips: int, warps: int) -> None:
    a, b, c = operands()
    x, y, z = (v.astype(np.float32) for v in (a, b, c))
    expected = trips * (x @ y + x @ z)
    args = [a, b, c, np.int32(trips), np.zeros((32, 32), np.float32)]
    check(LOOP, "sm_80", args, expected, warps=warps)


def test_the_loop_stores_only_what_changes_in_it() -> None:
    ops = staged(LOOP)
    first, second = (i for i, op in enumerate(ops) if op == "for %")
    assert ops[:first].count("tileas.store_shared") == 1  # %a
    assert ops[first:].index("tileas.store_shared") < ops[first:].index(
        "tileas.mma_sync"
    )
    assert "tileas.store_shared" in ops[first:second]  # %w, and %c for the next loop
    last = len(ops) - ops[::-1].index("tileas.mma_sync")
    assert "tileas.store_shared" not in ops[second:last]


def test_products_share_the_buffer_of_an_operand() -> None:
    a, b, c = operands()
    x, y, z = (v.astype(np.float32) for v in (a, b, c))
    args = [a, b, c, np.int32(0), np.zeros((32, 32), np.float32)]
    check(PAIR, "sm_90", args, x @ y + x @ z + z @ y)
    # %a and %b once each, %c as a left and as a right operand, and the result.
    assert staged(PAIR).count("tileas.store_shared") == 5


def test_an_operand_that_fits_once_is_not_stored_again_in_parts() -> None:
    """Q of attention, which two loops read, and the rings of either loop: 96 KiB."""
    kernel = KERNELS / "fmha_causal_f16_d128_128x64.tileirbc"
    lowered = str(cuda_tile.lower(cuda_tile.load(kernel), "sm_120", until="stage"))
    assert "parts along K" not in lowered
    loop = lowered.index(" = for ")
    assert lowered.index("tileas.store_shared") < loop
    assert "tileas.store_shared" not in lowered[loop : lowered.rindex("mma_sync")]
