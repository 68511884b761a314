# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpreter and emulator agree bit for bit with exact numbers, in any order."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from real_kernels import kernel_path, make_problem

import cuda_tile
from cuda_tile import interp
from cuda_tile.emulator import PtxError, launch
from cuda_tile.errors import UserError

KERNELS = (
    "softmax_f32_1024",
    "matmul_f16_64x64x64",
    "fmha_causal_f16_d64_128x64",
)
REDUCTIONS = """
cuda_tile.module @m { entry @sums(%a: tile<ptr<f32>>, %c: tile<ptr<KIND>>) {
  %t = make_token : token
  %i = iota : tile<64xi32>
  %p0 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
  %p1 = broadcast %p0 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %p = offset %p1, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x, %t1 = load_ptr_tko weak %p token = %t
      : tile<64xptr<f32>> -> tile<64xf32>, token
  %h = ftof %x : tile<64xf32> -> tile<64xKIND>
  %w = ftof %h : tile<64xKIND> -> tile<64xf32>
  %half = constant <f32: 0.5> : tile<64xf32>
  %y = mulf %w, %half : tile<64xf32>
  %e = exp %y : tile<64xf32>
  %sum = scan %e dim=0 reverse=false identities=[0.0 : f32]
      : tile<64xf32> -> tile<64xf32>
  (%l: tile<f32>, %r: tile<f32>) { %v = addf %l, %r : tile<f32>  yield %v : tile<f32> }
  %most = scan %y dim=0 reverse=false identities=[0xFF800000 : f32]
      : tile<64xf32> -> tile<64xf32>
  (%l: tile<f32>, %r: tile<f32>) { %v = maxf %l, %r : tile<f32>  yield %v : tile<f32> }
  %d = divf %sum, %most : tile<64xf32>
  %root = rsqrt %d : tile<64xf32>
  %s = addf %d, %root : tile<64xf32>
  %z = ftof %s : tile<64xf32> -> tile<64xKIND>
  %q0 = reshape %c : tile<ptr<KIND>> -> tile<1xptr<KIND>>
  %q1 = broadcast %q0 : tile<1xptr<KIND>> -> tile<64xptr<KIND>>
  %q = offset %q1, %i : tile<64xptr<KIND>>, tile<64xi32> -> tile<64xptr<KIND>>
  %t2 = store_ptr_tko weak %q, %z token = %t1
      : tile<64xptr<KIND>>, tile<64xKIND> -> token
  return
} }
"""


@cache
def compiled(name: str, gpu: str) -> Any:
    """The PTX of a kernel."""
    return cuda_tile.compile(cuda_tile.load(kernel_path(name)), gpu, cubin=False)


def run(name: str, **choices: Any) -> bytes:
    """The output of a kernel with exact numbers."""
    problem = make_problem(name)
    module = cuda_tile.load(kernel_path(name))
    cuda_tile.run(
        module, grid=problem.grid, args=problem.args, numbers="exact", **choices
    )
    return problem.output.tobytes()


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str, gpu: str) -> None:
    assert run(name, on="emulator", compiled=compiled(name, gpu)) == run(name)


def test_no_order_shows() -> None:
    name = KERNELS[0]
    expected = run(name)
    assert run(name, seed=1) == expected
    choices: dict[str, Any] = {"on": "emulator", "compiled": compiled(name, "sm_80")}
    assert run(name, mode="adversarial", seed=1, **choices) == expected


def test_floats_differ_where_exact_numbers_do_not() -> None:
    """Without them the same two runs of a sum differ in bits."""
    outputs: list[bytes] = []
    runs: tuple[dict[str, Any], ...] = (
        {},
        {"on": "emulator", "compiled": compiled(KERNELS[0], "sm_80")},
    )
    for choices in runs:
        problem = make_problem(KERNELS[0])
        module = cuda_tile.load(kernel_path(KERNELS[0]))
        cuda_tile.run(module, grid=problem.grid, args=problem.args, **choices)
        outputs.append(problem.output.tobytes())
    assert outputs[0] != outputs[1]


@pytest.mark.parametrize("kind", ["f16", "bf16", "f64", "f32"])
def test_formats(kind: str) -> None:
    text = REDUCTIONS.replace("KIND", kind)
    if kind == "f32":
        text = text.replace("%h = ftof %x : tile<64xf32> -> tile<64xf32>", "").replace(
            "%w = ftof %h : tile<64xf32> -> tile<64xf32>", ""
        )
        text = text.replace("%z = ftof %s : tile<64xf32> -> tile<64xf32>", "")
        text = text.replace("mulf %w", "mulf %x").replace("weak %q, %z", "weak %q, %s")
    module = cuda_tile.load(text.encode())
    rng = np.random.default_rng(0)
    x = rng.standard_normal(64).astype(np.float32)
    names: dict[str, Any] = {
        "f16": "f2",
        "f32": "f4",
        "f64": "f8",
        "bf16": ml_dtypes.bfloat16,
    }
    outputs = [np.zeros(64, names[kind]) for _ in range(3)]
    args = [[x.copy(), output] for output in outputs]
    cuda_tile.run(module, grid=1, args=args[0], numbers="exact")
    for gpu, pair in zip(("sm_80", "sm_90"), args[1:], strict=True):
        choices: dict[str, Any] = {"on": "emulator", "gpu": gpu, "numbers": "exact"}
        cuda_tile.run(module, grid=1, args=pair, **choices)
    first, *others = (output.tobytes() for output in outputs)
    assert any(first)
    assert others == [first, first]


def test_a_lost_element_shows() -> None:
    """Less than any tolerance of this sum would see."""
    name = KERNELS[0]
    problem = make_problem(name)
    module = cuda_tile.load(kernel_path(name))
    x = next(arg for arg in problem.args if isinstance(arg, np.ndarray))
    x[0, 5] = -30.0
    cuda_tile.run(module, grid=problem.grid, args=problem.args, numbers="exact")
    whole = problem.output.copy()
    x[0, 5] = -np.inf
    cuda_tile.run(module, grid=problem.grid, args=problem.args, numbers="exact")
    changed = (whole != problem.output).any(axis=1)
    assert changed[0]
    assert not changed[1:].any()


def test_shuffle_needs_no_tolerance() -> None:
    problem = make_problem(KERNELS[0], (16, 16))
    module = cuda_tile.load(kernel_path(KERNELS[0]))
    grid, args = problem.grid, problem.args
    options: dict[str, Any] = {"numbers": "exact"}
    assert interp.shuffle_check(module, grid=grid, args=args, seeds=2, **options)


REFUSED = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
    .reg .b32 %r<5>; .reg .f32 %f<17>;
    mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32
        {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2}, {%r3,%r4},
        {%f9,%f10,%f11,%f12,%f13,%f14,%f15,%f16};
    ret;
}
"""


def test_what_is_refused() -> None:
    with pytest.raises(PtxError, match="products of m8n8k4 with exact numbers"):
        launch(REFUSED, grid=1, block=32, args=[], numbers="exact")
    with pytest.raises(UserError, match="expected numbers to be one of floats, exact"):
        launch(REFUSED, grid=1, block=32, args=[], numbers=cast(Any, "reals"))
    with pytest.raises(UserError, match="expected numbers to be one of floats, exact"):
        run_with("reals")


def run_with(numbers: str) -> None:
    problem = make_problem(KERNELS[0])
    module = cuda_tile.load(kernel_path(KERNELS[0]))
    cuda_tile.run(module, grid=problem.grid, args=problem.args, numbers=numbers)
