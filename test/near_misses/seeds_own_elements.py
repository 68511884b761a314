# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Updates in place, between whose load and store no thread need wait for another."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

TENSOR = "tensor_view<96x32xf32, strides=[32, 1]>"
VIEW = f"partition_view<tile=(32x32), {TENSOR}>"
PADDED = f"partition_view<tile=(32x32), padding_value = zero, {TENSOR}>"
TILE = "tile<32x32xf32>"
LOAD = f"load_view_tko weak %av[%k, %zero] token = %now : {PADDED}, tile<i32> -> {TILE}"
STORE = "store_view_tko weak %y, %bv[%k, %zero] token = %got"
DOUBLED = f"%y = addf %x, %x : {TILE}"
PRODUCT = f"""%l = constant <f16: 1.0> : tile<32x16xf16>
      %r = constant <f16: 2.0> : tile<16x32xf16>
      %c = constant <f32: 0.0> : {TILE}
      %y = mmaf %l, %r, %c : tile<32x16xf16>, tile<16x32xf16>, {TILE}"""
BY_VIEW = f"""\
// differential: seed=7 grid=1 warps=4
// differential: array 0 f32 size=3072 start=0 shape=3072 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %row = constant <i32: 32> : tile<i32>
    %aa = assume div_by<16>, %a : tile<ptr<f32>>
    %at = make_tensor_view %aa, shape = [96, 32], strides = [32, 1] : {TENSOR}
    %far = offset %aa, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %ft = make_tensor_view %far, shape = [96, 32], strides = [32, 1] : {TENSOR}
    %av = make_partition_view %at : {PADDED}
    %bv = make_partition_view %at : {VIEW}
    %cv = make_partition_view %ft : {VIEW}
    %first = make_token : token
    %last = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%held = %first) -> (token) {{
      %now = make_token : token
      %next = addi %k, %one : tile<i32>
      %x, %got = {LOAD}, token
      {DOUBLED}
      %done = {STORE} : {TILE}, {VIEW}, tile<i32> -> token
      continue %done : token
    }}
    return
  }}
}}
"""
PLACE = "%at = xori %i, %one : tile<1024xi32>"
BY_POINTERS = f"""\
// differential: seed=9 grid=1 warps=4
// differential: array 0 f32 size=1024 start=0 shape=1024 strides=1 whole=1
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f32>>) {{
    %one = constant <i32: 1> : tile<1024xi32>
    %two = constant <i32: 2> : tile<1024xi32>
    %zeros = constant <i32: 0> : tile<1024xi32>
    %none = constant <f32: 0.0> : tile<1024xf32>
    %i = iota : tile<1024xi32>
    %odd = andi %i, %one : tile<1024xi32>
    %even = cmpi equal %odd, %zeros, signed : tile<1024xi32> -> tile<1024xi1>
    %others = cmpi not_equal %odd, %zeros, signed : tile<1024xi32> -> tile<1024xi1>
    {PLACE}
    %one_a = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %as = broadcast %one_a : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %q = offset %as, %at : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %x, %got = load_ptr_tko weak %q : tile<1024xptr<f32>> -> tile<1024xf32>, token
    %y = addf %x, %x : tile<1024xf32>
    %done = store_ptr_tko weak %q, %y token=%got : tile<1024xptr<f32>>, tile<1024xf32> -> token
    return
  }}
}}
"""
SHARED_PLACES = (PLACE, "%at = divi %i, %two unsigned : tile<1024xi32>")
"""Two elements have one place: whoever stores both, races."""
MASKED_STORE = (
    "%y token=%got : tile<1024xptr<f32>>, tile<1024xf32> ->",
    "%y, %even token=%got : tile<1024xptr<f32>>, tile<1024xf32>, tile<1024xi1> ->",
)
MASKED_LOAD = (
    "%q : tile<1024xptr<f32>> -> tile<1024xf32>, token",
    "%q, %others, %none : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> "
    "-> tile<1024xf32>, token",
)
GPUS = ("sm_80", "sm_90", "sm_120")


def has_no_barrier(before: str, after: str) -> bool:
    """Whether the load and the store are behind no barrier of their own."""
    barrier = re.compile(r"tileas\.barrier")
    return len(barrier.findall(after)) == len(barrier.findall(before))


ONCE = ("scalar i32 0x2", "scalar i32 0x1")
"""One iteration: those of two would touch the same places unordered."""
VIEW_MISSES = (
    Miss(
        "relaxed_store", 1, (("store_view_tko weak", "store_view_tko relaxed device"),)
    ),
    Miss("acquiring", 3, (("load_view_tko weak", "load_view_tko acquire device"),)),
    Miss("releasing", 3, (("store_view_tko weak", "store_view_tko release device"),)),
    Miss("other_index", 4, (ONCE, (STORE, STORE.replace("%k", "%next")))),
    Miss("next_iteration", 4, (("token = %now", "token = %held"),)),
    Miss(
        "one_element",
        5,
        (("(32x32)", "(8x8)"), ("32x32xf32>", "8x8xf32>")),
    ),
    Miss(
        "transposed",
        6,
        ((DOUBLED, f"%y = permute %x [1, 0] : {TILE} -> {TILE}"),),
        True,
    ),
    Miss("sum_of_products", 6, ((DOUBLED, PRODUCT),)),
    Miss("other_view", 7, (ONCE, (STORE, STORE.replace("%bv", "%cv")))),
)
POINTER_MISSES = (
    Miss("masked_store", 2, (SHARED_PLACES, MASKED_STORE)),
    Miss("other_mask", 2, (SHARED_PLACES, MASKED_STORE, MASKED_LOAD)),
)
SEEDS = (
    Seed(
        *("own_elements", "through_a_view", BY_VIEW, "order"),
        *(has_no_barrier, GPUS, VIEW_MISSES),
    ),
    Seed(
        *("own_elements", "through_pointers", BY_POINTERS, "order"),
        *(has_no_barrier, GPUS, POINTER_MISSES),
    ),
)
