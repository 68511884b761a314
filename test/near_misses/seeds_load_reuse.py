# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two loops over the same tiles: the second one has what the first one loaded."""

from __future__ import annotations

from near_miss import Miss, Seed

TENSOR = "tensor_view<?xi32, strides=[1]>"
VIEW = f"partition_view<tile=(64), padding_value = zero, {TENSOR}>"
LOAD = f": {VIEW}, tile<i32> -> tile<64xi32>, token"
STORE = f": tile<64xi32>, {VIEW}, tile<i32> -> token"
PROGRAM = f"""\
// differential: seed=9 grid=2 warps=1
// differential: array 0 i32 size=1024 start=0 shape=1024 strides=1
// differential: array 1 i32 size=2048 start=0 shape=2048 strides=1
// differential: array 2 i32 size=4 start=0 shape=4 strides=1
// differential: scalar i32 0x3
// differential: scalar i32 0xc0
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<i32>>, %c: tile<ptr<i32>>, %flags: tile<ptr<i32>>, %n: tile<i32>, %size: tile<i32>) {{
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <i32: 0> : tile<64xi32>
    %at = make_tensor_view %a, shape = [%size], strides = [1] : tile<i32> -> {TENSOR}
    %av = make_partition_view %at : {VIEW}
    %other = make_partition_view %at : {VIEW}
    %c1024 = constant <i32: 1024> : tile<i32>
    %place = muli %block, %c1024 : tile<i32>
    %mine = offset %c, %place : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %ct = make_tensor_view %mine, shape = [%size], strides = [1] : tile<i32> -> {TENSOR}
    %cv = make_partition_view %ct : {VIEW}
    %fresh = make_token : token
    %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64xi32>) {{
      %x, %got = load_view_tko weak %av[%i] {LOAD}
      %next = addi %acc, %x : tile<64xi32>
      continue %next : tile<64xi32>
    }}
    %between = make_token : token
    for %j in (%zero to %n, step %one) : tile<i32> {{
      %y, %had = load_view_tko weak %av[%j] token = %between {LOAD}
      %z = xori %y, %sum : tile<64xi32>
      %stored = store_view_tko weak %z, %cv[%j] {STORE}
      continue
    }}
    return
  }}
}}
"""


def is_kept(before: str, after: str) -> bool:
    """Whether a load takes what another one kept."""
    return "again = 1" in after and "again = 1" not in before


ACQUIRE = "{} = load_ptr_tko acquire device %flags : tile<ptr<i32>> -> tile<i32>, token"
ATOMIC = (
    "{} = atomic_rmw_tko acq_rel device %flags, add, %zero "
    ": tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
)
FIRST = f"%av[%i] {LOAD}"
SECOND = f"%av[%j] token = %between {LOAD}"
BETWEEN = "%between = make_token : token"
WRITE = "%between = store_view_tko weak %sum, {}[%zero] token = %all " + STORE
CARRIES = (
    ("%sum = for", "%sum, %all = for"),
    (
        "(%acc = %zeros) -> (tile<64xi32>)",
        "(%acc = %zeros, %t = %fresh) -> (tile<64xi32>, token)",
    ),
    (
        "continue %next : tile<64xi32>",
        "%both = join_tokens %t, %got : token\n      continue %next, %both : tile<64xi32>, token",
    ),
    ("grid=2", "grid=1"),
)
"""Edits: the first loop carries the tokens of its loads, in one tile block."""
IN_8_BITS = (
    (
        "%fresh = make_token : token",
        """%from = trunci %zero : tile<i32> -> tile<i8>
    %to = trunci %n : tile<i32> -> tile<i8>
    %by1 = trunci %one : tile<i32> -> tile<i8>
    %fresh = make_token : token""",
    ),
    (
        "for %i in (%zero to %n, step %one) : tile<i32>",
        "for %i in (%from to %to, step %by1) : tile<i8>",
    ),
    (
        "for %j in (%zero to %n, step %one) : tile<i32>",
        "for %j in (%from to %to, step %by1) : tile<i8>",
    ),
    (FIRST, FIRST.replace("tile<i32> ->", "tile<i8> ->")),
    (SECOND, SECOND.replace("tile<i32> ->", "tile<i8> ->")),
    (f"%cv[%j] {STORE}", f"%cv[%j] {STORE.replace('tile<i32> ->', 'tile<i8> ->')}"),
)
UNSIGNED = (("= for %i", "= for unsigned %i"), ("for %j", "for unsigned %j"))
MANY = (
    ("grid=2", "grid=1"),
    ("i32 0x3\n", "i32 0x82\n"),
    ("i32 0xc0\n", "i32 0x2080\n"),
    ("size=1024 start=0 shape=1024", "size=8320 start=0 shape=8320"),
    ("size=2048 start=0 shape=2048", "size=8320 start=0 shape=8320"),
    ("<i32: 1024>", "<i32: 8320>"),
)
"""Edits: 130 iterations."""


def at_second(text: str) -> tuple[str, str]:
    """An edit of where the second load stands."""
    return SECOND, text


MISSES = (
    Miss(
        "tiles_of_another_shape",
        1,
        (
            (
                f"%other = make_partition_view %at : {VIEW}",
                f"%other = make_partition_view %at : {VIEW.replace('(64)', '(32)')}",
            ),
            at_second(
                SECOND.replace("%av", "%other")
                .replace("(64)", "(32)")
                .replace("tile<64xi32>", "tile<32xi32>")
            ),
            (
                "%z = xori %y, %sum",
                "%yy = cat %y, %y dim = 0 : tile<32xi32>, tile<32xi32> -> tile<64xi32>\n      %z = xori %yy, %sum",
            ),
        ),
    ),
    Miss(
        "other_padding",
        3,
        (
            (
                "%other = make_partition_view %at : " + VIEW,
                "%other = make_partition_view %at : "
                + VIEW.replace("padding_value = zero, ", ""),
            ),
            at_second(
                SECOND.replace("%av", "%other").replace("padding_value = zero, ", "")
            ),
        ),
    ),
    Miss(
        "relaxed",
        4,
        (("load_view_tko weak " + SECOND, "load_view_tko relaxed device " + SECOND),),
    ),
    Miss(
        "relaxed_before",
        4,
        (("load_view_tko weak " + FIRST, "load_view_tko relaxed device " + FIRST),),
    ),
    Miss("behind_a_store", 5, (*CARRIES, (BETWEEN, WRITE.format("%av")))),
    Miss(
        "behind_the_first_loop",
        5,
        (*CARRIES, (BETWEEN, "%between = join_tokens %all, %fresh : token")),
    ),
    Miss("behind_an_acquire", 5, ((BETWEEN, ACQUIRE.format("%flag, %between")),)),
    Miss("behind_an_atomic", 5, ((BETWEEN, ATOMIC.format("%flag, %between")),)),
    Miss(
        "behind_the_preceding_grid", 5, ((BETWEEN, "%between = gdc_wait_tko : token"),)
    ),
    Miss(
        "behind_a_store_through_an_alias",
        6,
        (
            *CARRIES,
            (
                "%ct = make",
                "%copy = make_tensor_view %a, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>\n"
                "    %alias = make_partition_view %copy : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>\n    %ct = make",
            ),
            (
                BETWEEN,
                WRITE.format("%alias").replace(
                    VIEW, "partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>"
                ),
            ),
        ),
    ),
    Miss(
        "behind_a_fence",
        6,
        ((BETWEEN, "%between = memory_fence_alias_tko token = %fresh : token"),),
    ),
    Miss(
        "next_tile",
        7,
        (
            (
                "%y, %had",
                "%last = subi %n, %one : tile<i32>\n      %up = addi %j, %one : tile<i32>\n      %k = mini %up, %last signed : tile<i32>\n      %y, %had",
            ),
            at_second(SECOND.replace("%j", "%k")),
        ),
    ),
    Miss("from_one", 8, (("%j in (%zero", "%j in (%one"),)),
    Miss(
        "by_two",
        8,
        (("%two = ", "%two = "),)
        if False
        else (
            (
                "for %j in (%zero to %n, step %one)",
                "for %j in (%zero to %n, step %two)",
            ),
            ("%zeros =", "%two = constant <i32: 2> : tile<i32>\n    %zeros ="),
        ),
    ),
    Miss(
        "fewer",
        8,
        (
            ("for %j in (%zero to %n", "for %j in (%zero to %less"),
            (BETWEEN, BETWEEN + "\n    %less = subi %n, %one : tile<i32>"),
        ),
    ),
    Miss(
        "in_a_branch",
        10,
        (
            (
                "%x, %got = load_view_tko weak " + FIRST,
                "%odd = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>\n"
                f"      %x = if %odd -> (tile<64xi32>) {{ yield %zeros : tile<64xi32> }} else {{ %in, %got = load_view_tko weak {FIRST} yield %in : tile<64xi32> }}",
            ),
        ),
    ),
    Miss(
        "iteration_that_ends_early",
        10,
        (
            (
                "%x, %got",
                "%odd = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>\n      if %odd { continue %acc : tile<64xi32> }\n      %x, %got",
            ),
        ),
    ),
)
LEGAL = (
    Miss(
        "single_bits",
        1,
        (
            ("xi32, strides", "xi1, strides"),
            ("array 0 i32", "array 0 i1"),
            ("array 1 i32", "array 1 i1"),
            (
                "%a: tile<ptr<i32>>, %c: tile<ptr<i32>>",
                "%a: tile<ptr<i1>>, %c: tile<ptr<i1>>",
            ),
            (
                "offset %c, %place : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>",
                "offset %c, %place : tile<ptr<i1>>, tile<i32> -> tile<ptr<i1>>",
            ),
            ("<i32: 0> : tile<64xi32>", "<i1: false> : tile<64xi1>"),
            ("tile<64xi32>", "tile<64xi1>"),
            ("addi %acc", "xori %acc"),
        ),
        True,
    ),
    Miss(
        "promise_of_the_second",
        2,
        ((SECOND, SECOND.replace("%between", "%between inbounds = [true]")),),
        True,
    ),
    Miss("index_of_8_bits", 7, IN_8_BITS, True),
    Miss("unsigned_index", 7, UNSIGNED, True),
    Miss("index_beyond_127", 7, (*IN_8_BITS, *UNSIGNED, *MANY), True),
    Miss("no_iteration", 9, (("i32 0x3\n", "i32 0x0\n"),), True),
    Miss("less_than_none", 9, (("i32 0x3\n", "i32 0x80000001\n"),), True),
    Miss("one_iteration", 9, (("i32 0x3\n", "i32 0x1\n"),), True),
    Miss(
        "more_than_registers_hold",
        9,
        (("i32 0x3\n", "i32 0xd\n"), ("i32 0xc0\n", "i32 0x333\n")),
        True,
    ),
    Miss(
        "stored_in_order",
        11,
        (
            (
                "for %j in (%zero to %n, step %one) : tile<i32> {",
                "%end = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%order = %fresh) -> (token) {",
            ),
            ("%cv[%j] :", "%cv[%zero] token = %order :"),
            ("continue\n", "continue %stored : token\n"),
            (
                "return\n",
                "%told = store_ptr_tko release sys %flags, %one token = %end : tile<ptr<i32>>, tile<i32> -> token\n    return\n",
            ),
            ("grid=2", "grid=1"),
        ),
        True,
    ),
    Miss(
        "stored_in_place",
        11,
        (
            *CARRIES,
            ("%stored =", "%each = join_tokens %all, %had : token\n      %stored ="),
            ("%z, %cv[%j] :", "%z, %av[%j] token = %each :"),
        ),
        True,
    ),
)
GPUS = ("sm_80",)
SEEDS = (
    Seed("load_reuse", "loops", PROGRAM, "stage", is_kept, GPUS, MISSES),
    Seed("load_reuse", "kept", PROGRAM, "stage", is_kept, ("sm_90",), LEGAL),
)
