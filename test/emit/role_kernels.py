# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of level W with roles, as text with places for its buffers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from emit_from import passed

import cuda_tile
from cuda_tile._mlir import ir

VECTOR = (
    "tile<128xf32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (32@0, 64@0), ())>>"
)
SWAPPED = (
    "tile<128xf32, #cute.layout<((), (32@0, 64@0, 4@0, 8@0, 16@0), (1@0, 2@0), ())>>"
)
FLAT = "!tileas.buffer<128xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>"
TENSOR = "tensor_view<128xf32, strides=[1]>"
VIEW = f"partition_view<tile=(128), {TENSOR}>"


def vectors(source: str, target: str, offset: int, *, add: float) -> str:
    """Adds to a vector of `source`, passes it between warps, stores it."""
    return f"""
      %c = constant <f32: {add:e}> : {VECTOR}
      %tv = make_tensor_view {source}, shape = [128], strides = [1] : {TENSOR}
      %v = make_partition_view %tv : {VIEW}
      %x, %a = load_view_tko weak %v[%zero] : {VIEW}, tile<i32> -> {VECTOR}, token
      %y = addf %x, %c : {VECTOR}
      %b = tileas.alloc_shared offset = {offset} : {FLAT}
      tileas.store_shared %y, %b : {VECTOR}, {FLAT}
      tileas.barrier
      %w = tileas.load_shared %b[0] : {FLAT} -> {SWAPPED}
      %tw = make_tensor_view {target}, shape = [128], strides = [1] : {TENSOR}
      %q = make_partition_view %tw : {VIEW}
      %t = store_view_tko weak %w, %q[%zero] token = %a
        : {SWAPPED}, {VIEW}, tile<i32> -> token
    """


def scalar(target: str, number: float) -> str:
    """Stores one number."""
    return f"""
      %n = constant <f32: {number:e}> : tile<f32>
      %s = store_ptr_tko weak {target}, %n : tile<ptr<f32>>, tile<f32> -> token
    """


def kernel(roles: str, *, before: str = "", after: str = "", gpu: str = "sm_90") -> str:
    """An entry with three arrays; `roles` is what stands in `tileas.roles`."""
    return f"""cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>, %r: tile<ptr<f32>>, %o: tile<ptr<f32>>) attributes
        {{tileas.plan = {{num_warps = 4 : i64}}, tileas.shared_bytes = 1024 : i64,
          tileas.target = "{gpu}"}} {{
        %zero = constant <i32: 0> : tile<i32>
        {before}
        tileas.roles {roles}
        {after}
        return
      }}
    }}"""


def role(name: str, body: str, warps: int, threads: int, registers: int = 0) -> str:
    head = f'role "{name}" warps = {warps} threads = {threads}'
    return f"{head} registers = {registers} {{ {body} }}\n"


TWO = role("work", vectors("%p", "%r", 0, add=1.0), 4, 128)
OTHER = role("other", vectors("%o", "%o", 512, add=2.0), 4, 128)
EVERY_INSTRUCTION = kernel(
    role("work", vectors("%p", "%r", 0, add=1.0), 4, 128, 208)
    + role("other", "", 4, 128, 40)
    + role("load", scalar("%o", 7.0), 4, 1, 40)
)
BEHIND_AN_ACQUIRE = Path(__file__).parents[1] / "passes" / "order_copies.mlir"
"""Its copies stand behind a fence of all proxies."""
ONE_WARP = kernel(role("work", "", 4, 128) + role("warp", "tileas.barrier", 1, 32))


def role_kernels() -> Iterator[tuple[str, ir.Module]]:
    """Chips, and level P of kernels with all instructions that roles need."""
    for text in (EVERY_INSTRUCTION, ONE_WARP):
        yield "sm_90", passed(text, "emit", "emit", "sm_90")
    acquired = cuda_tile.load(BEHIND_AN_ACQUIRE.read_bytes())
    yield "sm_90", cuda_tile.lower(acquired, "sm_90")
