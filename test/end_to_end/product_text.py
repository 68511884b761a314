# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of products as kernels have them, in pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

M, N, K = 64, 64, 32
ACC = f"tile<{M}x{N}xf32>"
TENSOR = "tensor_view<?x?xf16, strides=[?,1]>"
OUT = "tensor_view<?x?xf32, strides=[?,1]>"


def part(tile: tuple[int, ...], tensor: str, transposed: bool = False) -> str:
    shape = "x".join(map(str, tile))
    order = ", dim_map=[1, 0]" if transposed else ""
    return f"partition_view<tile=({shape}), padding_value = zero, {tensor}{order}>"


def view(name: str, base: str, shape: tuple[str, str], kind: str) -> str:
    """Makes `%vNAME`, a view of the matrix of `shape` at `base`."""
    tensor = OUT if OUT in kind else TENSOR
    maker = kind.partition("<")[0]
    return f"""
      %t{name} = make_tensor_view {base}, shape = [%{shape[0]}, %{shape[1]}],
        strides = [%{shape[1]}, 1] : tile<i32> -> {tensor}
      %v{name} = make_{maker} %t{name} : {kind}"""


def load(name: str, at: str, tile: tuple[int, int], kind: str, index: str = "") -> str:
    """Loads `%NAME` from `%vNAME`."""
    return f"""
      %{name}, %k{name} = load_view_tko weak %v{name}[{at}]
        : {kind}, {index or "tile<i32>"} -> tile<{tile[0]}x{tile[1]}xf16>, token"""


def mma(to: str, lhs: str, rhs: str, acc: str, mnk: tuple[int, int, int]) -> str:
    m, n, k = mnk
    return f"""
      {to} = mmaf {lhs}, {rhs}, {acc}
        : tile<{m}x{k}xf16>, tile<{k}x{n}xf16>, tile<{m}x{n}xf32>"""


def loop(body: str, *, iterations: str = "%iterations", result: str = "%f") -> str:
    """A loop over `%k` that makes `%d` of `%acc`."""
    return f"""
      {result} = for %k in (%z to {iterations}, step %one) : tile<i32>
          iter_values(%acc = %zeros) -> ({ACC}) {{{body}
        continue %d : {ACC}
      }}"""


def store(value: str, at: str = "%bx, %by", name: str = "c") -> str:
    kind = part((M, N), OUT)
    return f"""
      %s{name} = store_view_tko weak {value}, %v{name}[{at}] : {ACC}, {kind},
        tile<i32> -> token"""


def kernel(parameters: str, body: str) -> str:
    """A kernel with the sizes `%m`, `%n`, `%k` as its last parameters."""
    sizes = "".join(
        f"""
      %{d}8 = assume div_by<8>, %x{d} : tile<i32>
      %{d} = assume bounded<0, ?>, %{d}8 : tile<i32>"""
        for d in ("m", "n", "depth")
    )
    return f"""cuda_tile.module @m {{
    entry @k({parameters}, %xm: tile<i32>, %xn: tile<i32>, %xdepth: tile<i32>) {{{sizes}
      %z = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %tile_k = constant <i32: {K}> : tile<i32>
      %zeros = constant <f32: 0.0> : {ACC}
      %iterations = divi %depth, %tile_k signed rounding<positive_inf> : tile<i32>
      %bx, %by, %bz = get_tile_block_id : tile<i32>{body}
      return
    }}
  }}"""


def params(names: str, element: str = "f16") -> str:
    return ", ".join(f"%p{n}: tile<ptr<{element}>>" for n in names)


def aligned(names: str, element: str = "f16") -> str:
    return "".join(
        f"\n      %q{n} = assume div_by<16>, %p{n} : tile<ptr<{element}>>"
        for n in names
    )


A, B = part((M, K), TENSOR), part((K, N), TENSOR)
C = part((M, N), OUT)
OUTS = aligned("c", "f32") + view("c", "%qc", ("m", "n"), C)
VIEWS = (
    aligned("ab")
    + view("a", "%qa", ("m", "depth"), A)
    + view("b", "%qb", ("depth", "n"), B)
)
LOAD_A, LOAD_B = load("a", "%bx, %k", (M, K), A), load("b", "%k, %by", (K, N), B)
PRODUCT = mma("%d", "%a", "%b", "%acc", (M, N, K))


def numbers(seed: int, *shape: int, dtype: Any = np.float16) -> Any:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def wide(array: Any) -> Any:
    return array.astype(np.float64)
