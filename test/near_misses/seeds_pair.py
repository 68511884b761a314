# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of two CTAs, each with half of the rows, where a hint asks for two."""

from __future__ import annotations

from near_miss import Miss, Seed

LEFT = "tensor_view<512x32xf16, strides=[32, 1]>"
LEFTS = f"partition_view<tile=(256x16), padding_value = zero, {LEFT}>"
RIGHT = "tensor_view<32x32xf16, strides=[32, 1]>"
RIGHTS = f"partition_view<tile=(16x32), padding_value = zero, {RIGHT}>"
RESULT = "tensor_view<512x32xf32, strides=[32, 1]>"
RESULTS = f"partition_view<tile=(256x32), {RESULT}>"
LOAD_LEFT = "%x, %gotx = load_view_tko weak %av[%bx, %k]"
LOAD_RIGHT = "%y, %goty = load_view_tko weak %bv[%k, %zero]"
STORE = "%stored = store_view_tko weak %sum"
STORED = f"""{STORE}, %cv[%bx, %zero] : tile<256x32xf32>, {RESULTS}, tile<i32> -> token
    return"""
PROGRAM = f"""\
// differential: seed=4 grid=2 warps=4
// differential: array 0 f16 size=16384 start=0 shape=16384 strides=1 whole=1
// differential: array 1 f16 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: array 2 f32 size=16384 start=0 shape=16384 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<default = {{num_cta_in_cga = 2}}> {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<256x32xf32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %aa = assume div_by<16>, %a : tile<ptr<f16>>
    %ab = assume div_by<16>, %b : tile<ptr<f16>>
    %ac = assume div_by<16>, %c : tile<ptr<f32>>
    %at = make_tensor_view %aa, shape = [512, 32], strides = [32, 1] : {LEFT}
    %av = make_partition_view %at : {LEFTS}
    %bt = make_tensor_view %ab, shape = [32, 32], strides = [32, 1] : {RIGHT}
    %bv = make_partition_view %bt : {RIGHTS}
    %ct = make_tensor_view %ac, shape = [512, 32], strides = [32, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<256x32xf32>) {{
      {LOAD_LEFT} : {LEFTS}, tile<i32> -> tile<256x16xf16>, token
      {LOAD_RIGHT} : {RIGHTS}, tile<i32> -> tile<16x32xf16>, token
      %next = mmaf %x, %y, %acc : tile<256x16xf16>, tile<16x32xf16>, tile<256x32xf32>
      continue %next : tile<256x32xf32>
    }}
    {STORE}, %cv[%bx, %zero] : tile<256x32xf32>, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""
REDUCE = """%r = reduce %sum dim={0} identities=[0.0 : f32] : tile<256x32xf32> -> tile<{1}xf32>
      (%u: tile<f32>, %v: tile<f32>) {{
        %w = addf %u, %v : tile<f32>
        yield %w : tile<f32>
      }}
    %s = reshape %r : tile<{1}xf32> -> tile<{2}xf32>
    %t = broadcast %s : tile<{2}xf32> -> tile<256x32xf32>
    %last = addf %sum, %t : tile<256x32xf32>
    %stored = store_view_tko weak %last"""
NUMBERS = """%i = iota : tile<256xi32>
    %j = reshape %i : tile<256xi32> -> tile<256x1xi32>
    %l = itof %j signed : tile<256x1xi32> -> tile<256x1xf32>
    %m = broadcast %l : tile<256x1xf32> -> tile<256x32xf32>
    %last = addf %sum, %m : tile<256x32xf32>
    %stored = store_view_tko weak %last"""
ROW = f"partition_view<tile=(1x32), {RESULT}>"
READ = f"""%cr = make_partition_view %ct : {ROW}
    %row, %got = load_view_tko weak %cr[%zero, %zero] token = @ : {ROW}, tile<i32> -> tile<1x32xf32>, token
    %wide = broadcast %row : tile<1x32xf32> -> tile<256x32xf32>
    %more = addf %wide, %sum : tile<256x32xf32>
    """
SECOND = f"store_view_tko weak %more, %cv[%bx, %zero] token = %got : tile<256x32xf32>, {RESULTS}, tile<i32> -> token\n    return"
BACK = READ.replace("@", "%stored") + f"%again = {SECOND}"
OTHER = READ.replace(" token = @", "") + f"%stored = {SECOND}"
OWN = f"""%row, %got = load_view_tko weak %cv[%bx, %zero] : {RESULTS}, tile<i32> -> tile<256x32xf32>, token
    %more = addf %row, %sum : tile<256x32xf32>
    %stored = store_view_tko weak %more, %cv[%bx, %zero] token = %got : tile<256x32xf32>, {RESULTS}, tile<i32> -> token
    %back, %gone = load_view_tko weak %cv[%bx, %zero] token = %stored : {RESULTS}, tile<i32> -> tile<256x32xf32>, token
    %last = addf %back, %sum : tile<256x32xf32>
    %again = store_view_tko weak %last, %cv[%bx, %zero] token = %gone : tile<256x32xf32>, {RESULTS}, tile<i32> -> token
    return"""
BY_BOTH = f"""%ones = constant <f32: 1.0> : tile<1x32xf32>
    %cr = make_partition_view %ct : {ROW}
    %at0 = muli %bx, %rows : tile<i32>
    %again = store_view_tko weak %ones, %cr[%at0, %zero] token = %stored : tile<1x32xf32>, {ROW}, tile<i32> -> token
    return"""
EARLY = """%stops = cmpi greater_than %n, %many, signed : tile<i32> -> tile<i1>
    if %stops {
      return
    }
    %sum = for"""
WORD = "partition_view<tile=(1x1), tensor_view<32x32xf16, strides=[32, 1]>>"
LOADED = f"""%wv = make_partition_view %bt : {WORD}
    %wf, %gotw = load_view_tko weak %wv[%zero, %zero] : {WORD}, tile<i32> -> tile<1x1xf16>, token
    %wi = ftoi %wf signed rounding<nearest_int_to_zero> : tile<1x1xf16> -> tile<1x1xi32>
    %ws = reshape %wi : tile<1x1xi32> -> tile<i32>
    %wm = andi %ws, %one : tile<i32>
    %last = addi %wm, %one : tile<i32>
    %sum = for"""
SQUARE = (
    ("%y, %goty", "%unused, %goty"),
    (
        "%next =",
        "%y = permute %x [1, 0] : tile<256x16xf16> -> tile<16x256xf16>\n      %next =",
    ),
    ("tile<16x32xf16>, tile<256x32xf32>", "tile<16x256xf16>, tile<256x256xf32>"),
    ("%acc = %zeros) -> (tile<256x32xf32>)", "%acc = %zeros) -> (tile<256x256xf32>)"),
    (
        "%zeros = constant <f32: 0.0> : tile<256x32xf32>",
        "%zeros = constant <f32: 0.0> : tile<256x256xf32>",
    ),
    ("continue %next : tile<256x32xf32>", "continue %next : tile<256x256xf32>"),
    (
        STORE,
        f"%part = extract %sum[%zero, %zero] : tile<256x256xf32> -> tile<256x32xf32>\n    {STORE.replace('%sum', '%part')}",
    ),
)


def is_divided(before: str, after: str) -> bool:
    """Whether two CTAs serve a tile block."""
    return "tileas.pair" in after and "tileas.pair" not in before


MISSES = (
    Miss(
        "no_instruction_of_the_type",
        1,
        (
            ("f16 size", "f32 size"),
            ("xf16", "xf32"),
            ("ptr<f16>", "ptr<f32>"),
        ),
    ),
    Miss(
        "few_rows",
        2,
        (
            ("(256x16)", "(128x16)"),
            ("(256x32)", "(128x32)"),
            ("tile<256x", "tile<128x"),
        ),
    ),
    Miss(
        "few_columns",
        2,
        (
            ("tile=(16x32)", "tile=(16x16)"),
            ("tile=(256x32)", "tile=(256x16)"),
            ("tile<16x32xf16>", "tile<16x16xf16>"),
            ("tile<256x32xf32>", "tile<256x16xf32>"),
        ),
    ),
    Miss("sum_of_rows", 3, ((STORE, REDUCE.format(0, 32, "1x32")),)),
    Miss("sum_of_columns", 3, ((STORE, REDUCE.format(1, 256, "256x1")),)),
    Miss("numbered_rows", 3, ((STORE, NUMBERS),)),
    Miss("square", 4, SQUARE),
    Miss(
        "converted_rows",
        5,
        (
            (
                "%next =",
                "%half = constant <f16: 0.5> : tile<16x32xf16>\n      %z = mulf %y, %half : tile<16x32xf16>\n      %next =",
            ),
            ("mmaf %x, %y,", "mmaf %x, %z,"),
        ),
    ),
    Miss("relaxed", 6, ((LOAD_LEFT, LOAD_LEFT.replace("weak", "relaxed device")),)),
    Miss(
        "relaxed_right",
        6,
        ((LOAD_RIGHT, LOAD_RIGHT.replace("weak", "relaxed device")),),
    ),
    Miss("after_a_store", 7, (("return", BACK), ("grid=2", "grid=1"))),
    Miss("after_a_load", 7, ((STORED, OTHER), ("grid=2", "grid=1"))),
    Miss("row_after_a_load", 7, ((STORED, OWN),), True),
    Miss(
        "stored_by_both",
        8,
        (
            ("return", BY_BOTH),
            (
                "%one = constant",
                "%rows = constant <i32: 256> : tile<i32>\n    %one = constant",
            ),
        ),
    ),
    Miss(
        "ends_early",
        8,
        (
            ("%sum = for", EARLY),
            (
                "%one = constant",
                "%many = constant <i32: 9> : tile<i32>\n    %one = constant",
            ),
        ),
    ),
    Miss(
        "loaded_bound", 9, (("%sum = for", LOADED), ("%zero to %n,", "%zero to %last,"))
    ),
    Miss("no_iteration", 9, (("i32 0x2\n", "i32 0x0\n"),), True),
    Miss("one_iteration", 9, (("i32 0x2\n", "i32 0x1\n"),), True),
)
SEEDS = (Seed("pair", "product", PROGRAM, "pair", is_divided, ("sm_100",), MISSES),)
