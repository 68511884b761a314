# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products an iteration behind others, which read a tile that these read too."""

from __future__ import annotations

from near_miss import Miss, Seed

TENSOR = "tensor_view<?x32xf16, strides=[32, 1]>"
KEYS = f"partition_view<tile=(16x32), padding_value = zero, {TENSOR}>"
ROWS = f"partition_view<tile=(64x32), padding_value = zero, {TENSOR}>"
RESULT = "tensor_view<64x32xf32, strides=[32, 1]>"
RESULTS = f"partition_view<tile=(64x32), {RESULT}>"
LOAD = f": {KEYS}, tile<i32> -> tile<16x32xf16>, token"
PROGRAM = f"""\
// differential: seed=16 grid=1 warps=0
// differential: array 0 f16 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: array 1 f16 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: array 2 f32 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: array 3 i32 size=4 start=0 shape=4 strides=1 whole=1
// differential: scalar i32 0x3
// differential: scalar i32 0x30
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %flags: tile<ptr<i32>>, %n: tile<i32>, %size: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %rows = constant <i32: 64> : tile<i32>
    %none = constant <f32: 0.0> : tile<64x16xf32>
    %zeros = constant <f32: 0.0> : tile<64x32xf32>
    %a16 = assume div_by<16>, %a : tile<ptr<f16>>
    %b16 = assume div_by<16>, %b : tile<ptr<f16>>
    %qt = make_tensor_view %a16, shape = [%rows, 32], strides = [32, 1] : tile<i32> -> {TENSOR}
    %qv = make_partition_view %qt : {ROWS}
    %length = assume bounded<0, 65536>, %size : tile<i32>
    %kt = make_tensor_view %b16, shape = [%length, 32], strides = [32, 1] : tile<i32> -> {TENSOR}
    %kv = make_partition_view %kt : {KEYS}
    %q, %read = load_view_tko weak %qv[%zero, %zero] : {ROWS}, tile<i32> -> tile<64x32xf16>, token
    %before = make_token : token
    %sum = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x32xf32>) {{
      %k, %got = load_view_tko weak %kv[%j, %zero] token = %before {LOAD}
      %transposed = permute %k [1, 0] : tile<16x32xf16> -> tile<32x16xf16>
      %s = mmaf %q, %transposed, %none : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
      %p = ftof %s : tile<64x16xf32> -> tile<64x16xf16>
      %next = mmaf %p, %k, %acc : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
      continue %next : tile<64x32xf32>
    }}
    %ct = make_tensor_view %c, shape = [64, 32], strides = [32, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<64x32xf32>, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def is_twice(before: str, after: str) -> bool:
    """Whether there is one more load than before."""
    return after.count("= load_") > before.count("= load_")


SCRATCH = "tensor_view<64x16xf16, strides=[16, 1]>"
SCRATCHES = f"partition_view<tile=(64x16), {SCRATCH}>"
WEIGHTS = "tile<64x16xf16>"
LEFT = (
    (
        "array 0 f16 size=2048 start=0 shape=2048",
        "array 0 f16 size=4096 start=0 shape=4096",
    ),
    (
        "    %before = make_token : token",
        f"""    %c2048 = constant <i32: 2048> : tile<i32>
    %far = offset %a16, %c2048 : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %wt = make_tensor_view %far, shape = [64, 16], strides = [16, 1] : {SCRATCH}
    %wv = make_partition_view %wt : {SCRATCHES}
    %blank = constant <f16: 0.0> : {WEIGHTS}
    %before = make_token : token
    %first = make_token : token""",
    ),
    ("%sum = for", "%sum, %others, %last = for"),
    (
        "iter_values(%acc = %zeros) -> (tile<64x32xf32>)",
        f"iter_values(%acc = %zeros, %other = %blank, %held = %first) -> (tile<64x32xf32>, {WEIGHTS}, token)",
    ),
    (
        "continue %next : tile<64x32xf32>",
        f"continue %next, %more, %over : tile<64x32xf32>, {WEIGHTS}, token",
    ),
    (
        "%next = mmaf %p,",
        f"""%put = store_view_tko weak %p, %wv[%zero, %zero] token = %held : {WEIGHTS}, {SCRATCHES}, tile<i32> -> token
      %left, %taken = load_view_tko weak %wv[%zero, %zero] token = %put : {SCRATCHES}, tile<i32> -> {WEIGHTS}, token
      %over = store_view_tko weak %blank, %wv[%zero, %zero] token = %taken : {WEIGHTS}, {SCRATCHES}, tile<i32> -> token
      %more = addf %other, %left : {WEIGHTS}
      %next = mmaf %left,""",
    ),
    (
        "%stored = store",
        f"""%wrote = store_view_tko weak %others, %wv[%zero, %zero] token = %last : {WEIGHTS}, {SCRATCHES}, tile<i32> -> token
    %stored = store""",
    ),
)
BEFORE = "%before = make_token : token"
ACQUIRE = (
    "%flag, %before = load_ptr_tko acquire device %flags "
    ": tile<ptr<i32>> -> tile<i32>, token"
)
OVER = f"%over = store_view_tko weak %blank, %wv[%zero, %zero] token = %taken : {WEIGHTS}, {SCRATCHES}, tile<i32> -> token"
READ = (
    *LEFT,
    (
        "%blank = ",
        f"""%c3072 = constant <i32: 3072> : tile<i32>
    %free = offset %a16, %c3072 : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %ut = make_tensor_view %free, shape = [64, 16], strides = [16, 1] : {SCRATCH}
    %uv = make_partition_view %ut : {SCRATCHES}
    %blank = """,
    ),
    ("load_view_tko weak %wv", "load_view_tko weak %uv"),
    (OVER, "%over = join_tokens %put, %held : token"),
)
"""Edits: what is loaded behind the store lies elsewhere, and nothing waits for it."""
MISSES = (
    Miss(
        "relaxed",
        1,
        (*LEFT, ("load_view_tko weak %wv", "load_view_tko relaxed device %wv")),
    ),
    Miss("store_that_waits", 2, LEFT),
    Miss(
        "release_that_waits",
        2,
        (
            *LEFT,
            (
                OVER,
                "%over = store_ptr_tko release device %flags, %one token = %taken : tile<ptr<i32>>, tile<i32> -> token",
            ),
        ),
    ),
    Miss(
        "loaded_before_the_loop",
        6,
        (
            (
                f"      %k, %got = load_view_tko weak %kv[%j, %zero] token = %before {LOAD}\n",
                "",
            ),
            (
                BEFORE,
                f"{BEFORE}\n    %k, %got = load_view_tko weak %kv[%zero, %zero] token = %before {LOAD}",
            ),
        ),
    ),
    Miss(
        "tile_of_its_own",
        7,
        (
            (
                "%transposed =",
                f"%last = subi %n, %one : tile<i32>\n      %up = addi %j, %one : tile<i32>\n      %at = mini %up, %last signed : tile<i32>\n      %v, %too = load_view_tko weak %kv[%at, %zero] token = %before {LOAD}\n      %transposed =",
            ),
            ("mmaf %p, %k,", "mmaf %p, %v,"),
        ),
    ),
)
LEGAL = (
    Miss("behind_an_acquire", 3, ((BEFORE, ACQUIRE),)),
    Miss(
        "behind_the_preceding_grid",
        3,
        ((BEFORE, "%before = gdc_wait_tko : token"),),
        True,
    ),
    Miss(
        "transposed_for_the_late_product",
        5,
        (
            (
                "%transposed =",
                "%flat = reshape %k : tile<16x32xf16> -> tile<1x16x32xf16>\n      %same = reshape %flat : tile<1x16x32xf16> -> tile<16x32xf16>\n      %transposed =",
            ),
            ("mmaf %p, %k,", "mmaf %p, %same,"),
        ),
        True,
    ),
    Miss("left_operand_that_others_use", 3, READ, True),
    Miss("no_iteration", 4, (("i32 0x3\n", "i32 0x0\n"),), True),
    Miss("one_iteration", 4, (("i32 0x3\n", "i32 0x1\n"),), True),
    Miss("odd_extent", 4, (("i32 0x30\n", "i32 0x29\n"),), True),
)
GPUS = ("sm_90",)
SEEDS = (
    Seed(
        "load_duplication",
        "keys",
        PROGRAM,
        "load_duplication",
        is_twice,
        GPUS,
        (*MISSES, *LEGAL),
    ),
)
