# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels at level W that begin where `stage` leaves off: copies, products, loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile import interp

LEFT = (
    "!tileas.buffer<64x16xf16, "
    "#cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>"
)
RIGHT = "!tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>"
TENSORS = {
    "a": "tensor_view<64x?xf16, strides=[?,1]>",
    "b": "tensor_view<?x8xf16, strides=[8,1]>",
    "c": "tensor_view<64x8xf32, strides=[8,1]>",
}
VIEWS = {
    "a": f"partition_view<tile=(64x16), padding_value = zero, {TENSORS['a']}>",
    "b": f"partition_view<tile=(16x8), padding_value = zero, {TENSORS['b']}>",
    "c": f"partition_view<tile=(64x8), {TENSORS['c']}>",
}
SUM = "tile<64x8xf32>"


def copies(index: str, slots: int, ahead: int, engine: str) -> str:
    """Both operands of iteration `index`, in %a and %b."""
    plan = f"{{tileas.plan = {{slots = {slots} : i64, ahead = {ahead} : i64}}}}"
    return f"""
      %a = tileas.alloc_shared : {LEFT}
      %ta = tileas.copy_in %va[%zero, {index}] to %a engine = "{engine}" {plan}
        : {VIEWS["a"]}[tile<i32>, tile<i32>] to {LEFT}
      %b = tileas.alloc_shared : {RIGHT}
      %tb = tileas.copy_in %vb[{index}, %zero] to %b engine = "{engine}" {plan}
        : {VIEWS["b"]}[tile<i32>, tile<i32>] to {RIGHT}
    """


def wgmma(acc: str, result: str, lag: int) -> str:
    """A product that is awaited at once."""
    plan = f"{{tileas.plan = {{lag = {lag} : i64}}}}"
    return f"""
      %p = tileas.settled {acc} : {SUM}
      %q = tileas.wgmma %a, %b, %p atom = "m64n8k16" {plan}
        : {LEFT}, {RIGHT}, !tileas.pending<{SUM}>
      {result} = tileas.await %q : !tileas.pending<{SUM}>
    """


def mma_sync(acc: str, result: str, lag: int) -> str:
    """The same by all threads."""
    del lag
    return f"""
      %x = tileas.load_shared %a[0, 0] : {LEFT} -> !cuda_tile.tile<64x16xf16>
      %y = tileas.load_shared %b[0, 0] : {RIGHT} -> !cuda_tile.tile<16x8xf16>
      {result} = tileas.mma_sync %x, %y, {acc} atom = "m16n8k16"
        : tile<64x16xf16>, tile<16x8xf16>, {SUM}
    """


def one_loop(body: str) -> str:
    return f"""
      %f = for %k in (%first to %last, step %step) : tile<i32>
          iter_values(%acc = %zeros) -> ({SUM}) {{
        {body}
        continue %n : {SUM}
      }}
    """


def loop_in_loop(body: str) -> str:
    """Three times the same loop, one after another."""
    return f"""
      %f = for %outer in (%zero to %three, step %one) : tile<i32>
          iter_values(%all = %zeros) -> ({SUM}) {{
        %inner = for %k in (%first to %last, step %step) : tile<i32>
            iter_values(%acc = %all) -> ({SUM}) {{
          {body}
          continue %n : {SUM}
        }}
        continue %inner : {SUM}
      }}
    """


def in_a_branch(body: str) -> str:
    """Only some of the iterations have copies and a product."""
    return f"""
      %f = for %k in (%first to %last, step %step) : tile<i32>
          iter_values(%acc = %zeros) -> ({SUM}) {{
        %half = remi %k, %three signed : tile<i32>
        %some = cmpi not_equal %half, %one, signed : tile<i32> -> tile<i1>
        %i = if %some -> ({SUM}) {{
          {body}
          yield %n : {SUM}
        }} else {{
          yield %acc : {SUM}
        }}
        continue %i : {SUM}
      }}
    """


def two_loops(body: str) -> str:
    """The same loop twice, of which rings with mbarriers are one."""
    first = one_loop(body).replace("%f =", "%u =")
    return first + one_loop(body).replace("%zeros)", "%u)")


def loops_in_loop(body: str) -> str:
    """Two equal loops, one after the other, in a loop."""
    inner = one_loop(body).replace("%f =", "%u =").replace("%zeros)", "%all)")
    again = inner.replace("%u =", "%w =").replace("%all)", "%u)")
    return f"""
      %f = for %outer in (%zero to %three, step %one) : tile<i32>
          iter_values(%all = %zeros) -> ({SUM}) {{
        {inner} {again}
        continue %w : {SUM}
      }}
    """


def in_tiles(body: str) -> str:
    """The loop of each tile block that the CTA serves."""
    inner = one_loop(body).replace("%f =", "%u =").replace("%zeros)", "%all)")
    return f"""
      %f = tileas.tiles (%bx, %by, %bz) iter_values(%all = %zeros) -> ({SUM}) {{
        {inner}
        tileas.next_tile %u : {SUM}
      }}
    """


def ends_early(body: str) -> str:
    """Only some of the iterations get to the copies."""
    return f"""
      %f = for %k in (%first to %last, step %step) : tile<i32>
          iter_values(%acc = %zeros) -> ({SUM}) {{
        %half = remi %k, %three signed : tile<i32>
        %some = cmpi equal %half, %one, signed : tile<i32> -> tile<i1>
        if %some {{
          continue %acc : {SUM}
        }}
        {body}
        continue %n : {SUM}
      }}
    """


LOOPS: dict[str, tuple[Callable[[str], str], Callable[[range], list[int]]]] = {
    "one loop": (one_loop, lambda ks: list(ks)),
    "loop in loop": (loop_in_loop, lambda ks: 3 * list(ks)),
    "tiles": (in_tiles, list),
    "ends early": (ends_early, lambda ks: [k for k in ks if k % 3 != 1]),
    "two loops": (two_loops, lambda ks: 2 * list(ks)),
    "loops in loop": (loops_in_loop, lambda ks: 6 * list(ks)),
    "in a branch": (in_a_branch, lambda ks: [k for k in ks if k % 3 != 1]),
}
PRODUCTS = {"wgmma": wgmma, "mma.sync": mma_sync}


def kernel(text: str, roles: str = "one") -> Any:
    """A module with one entry, at level W behind `order`."""
    plan = f'num_warps = 4 : i64, roles = "{roles}"'
    return cuda_tile.load(
        f"""
    cuda_tile.module @m {{
      entry @k(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>,
               %depth: tile<i32>, %first: tile<i32>, %last: tile<i32>)
          attributes {{tileas.plan = {{{plan}}}, tileas.target = "sm_90a"}} {{
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %three = constant <i32: 3> : tile<i32>
        %zeros = constant <f32: 0.0> : {SUM}
        %sa = make_tensor_view %pa, shape = [64, %depth], strides = [%depth, 1]
          : tile<i32> -> {TENSORS["a"]}
        %sb = make_tensor_view %pb, shape = [%depth, 8], strides = [8, 1]
          : tile<i32> -> {TENSORS["b"]}
        %sc = make_tensor_view %pc, shape = [64, 8], strides = [8, 1] : {TENSORS["c"]}
        %va = make_partition_view %sa : {VIEWS["a"]}
        %vb = make_partition_view %sb : {VIEWS["b"]}
        %vc = make_partition_view %sc : {VIEWS["c"]}
        {text}
        %s = store_view_tko weak %f, %vc[%zero, %zero]
          : {SUM}, {VIEWS["c"]}, tile<i32> -> token
        return
      }}
    }}""".encode()
    )


def run(module: Any, first: int, last: int, seed: int | None) -> Any:
    """What the kernel makes of 16 * 9 small numbers along K."""
    rng = np.random.default_rng(1)
    depth = 9 * 16
    a = rng.integers(-4, 5, (64, depth)).astype(np.float16)
    b = rng.integers(-4, 5, (depth, 8)).astype(np.float16)
    c = np.zeros((64, 8), np.float32)
    args = [a, b, c, np.int32(depth), np.int32(first), np.int32(last)]
    interp.run(module, grid=1, args=args, seed=seed)
    return a, b, c
