# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads that engines make ahead of the iteration that uses their tiles."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

TENSOR = "tensor_view<64x64xf16, strides=[64, 1]>"
VIEW = f"partition_view<tile=(64x32), padding_value = zero, {TENSOR}>"
RESULT = "tensor_view<64x16xf32, strides=[16, 1]>"
RESULTS = f"partition_view<tile=(64x16), {RESULT}>"
PROGRAM = f"""\
// differential: seed=3 grid=1 warps=4
// differential: array 0 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 1 f32 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: array 2 i32 size=4 start=0 shape=4 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f32>>, %flags: tile<ptr<i32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<64x16xf32>
    %ones = constant <f16: 1.0> : tile<32x16xf16>
    %twos = constant <f16: 2.0> : tile<64x32xf16>
    %aligned = assume div_by<16>, %a : tile<ptr<f16>>
    %at = make_tensor_view %aligned, shape = [64, 64], strides = [64, 1] : {TENSOR}
    %av = make_partition_view %at : {VIEW}
    %alias = make_partition_view %at : {VIEW}
    %c4096 = constant <i32: 4096> : tile<i32>
    %far = offset %aligned, %c4096 : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %ft = make_tensor_view %far, shape = [64, 64], strides = [64, 1] : {TENSOR}
    %fv = make_partition_view %ft : {VIEW}
    %fresh = make_token : token
    %before = make_token : token
    %sum, %last = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros, %held = %before) -> (tile<64x16xf32>, token) {{
      %now = make_token : token
      %row = addi %zero, %zero : tile<i32>
      %x, %got = load_view_tko weak %av[%row, %k] token = %before : {VIEW}, tile<i32> -> tile<64x32xf16>, token
      %next = mmaf %x, %ones, %acc : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
      continue %next, %held : tile<64x16xf32>, token
    }}
    %ct = make_tensor_view %c, shape = [64, 16], strides = [16, 1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<64x16xf32>, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""
GPUS = ("sm_80", "sm_90", "sm_120")
ACQUIRE = "%flag, {} = load_ptr_tko acquire device %flags : tile<ptr<i32>> -> tile<i32>, token"
ATOMIC = (
    "%flag, {} = atomic_rmw_tko {} device %flags, add, %zero "
    ": tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
)
WAIT = "{} = gdc_wait_tko : token"
STORE = (
    "{} = store_view_tko weak %twos, %{}[%zero, {}] token = {} "
    f": tile<64x32xf16>, {VIEW}, tile<i32> -> token"
)
BEFORE = "%before = make_token : token"
NOW = "%now = make_token : token"
NEXT = "%next = mmaf"
TAKES_NOW = ("token = %before", "token = %now")
TAKES_HELD = ("token = %before", "token = %held")


def has_copied(before: str, after: str) -> bool:
    """Whether an engine makes the load."""
    del before
    return "tileas.copy_in" in after or "tileas.gather_in" in after


def runs_ahead(before: str, after: str) -> bool:
    """Whether there is one more copy of a tile than before, in front of the loop."""
    copies = re.compile(r"tileas\.(copy|gather)_in")
    return len(copies.findall(after)) > len(copies.findall(before))


MISSES = (
    Miss(
        "two_bytes_together",
        1,
        (
            ("64x64xf16, strides=[64, 1]", "64x64xf16, strides=[65, 1]"),
            (
                "shape = [64, 64], strides = [64, 1]",
                "shape = [64, 64], strides = [65, 1]",
            ),
        ),
    ),
    Miss("padding_of_nan", 2, (("padding_value = zero", "padding_value = nan"),)),
    Miss(
        "padding_of_minus_zero",
        2,
        (("padding_value = zero", "padding_value = neg_zero"),),
    ),
    Miss("relaxed", 3, (("load_view_tko weak", "load_view_tko relaxed device"),)),
    Miss("acquires_itself", 3, (("load_view_tko weak", "load_view_tko acquire sys"),)),
    Miss(
        "behind_a_fence",
        6,
        ((BEFORE, "%before = memory_fence_alias_tko token = %fresh : token"),),
    ),
    Miss(
        "store_that_the_loop_carries",
        4,
        (
            TAKES_HELD,
            ("continue %next, %held", "continue %next, %stores"),
            (NEXT, STORE.format("%stores", "fv", "%k", "%held") + "\n      " + NEXT),
        ),
    ),
    Miss(
        "store_of_the_loop",
        4,
        (
            (NOW, STORE.format("%now", "av", "%k", "%held")),
            TAKES_NOW,
            ("continue %next, %held", "continue %next, %got"),
        ),
    ),
    Miss(
        "store_of_the_loop_through_an_alias",
        5,
        (
            (NOW, STORE.format("%now", "alias", "%k", "%held")),
            TAKES_NOW,
            ("continue %next, %held", "continue %next, %got"),
        ),
    ),
    Miss("acquire_of_the_loop", 4, ((NOW, ACQUIRE.format("%now")), TAKES_NOW)),
    Miss("atomic_of_the_loop", 4, ((NOW, ATOMIC.format("%now", "acquire")), TAKES_NOW)),
    Miss("wait_of_the_loop", 4, ((NOW, WAIT.format("%now")), TAKES_NOW)),
    Miss(
        "acquire_that_the_loop_carries",
        4,
        (
            (NEXT, ACQUIRE.format("%later") + "\n      " + NEXT),
            ("continue %next, %held", "continue %next, %later"),
            TAKES_HELD,
        ),
    ),
    Miss(
        "acquire_of_a_branch_of_the_loop",
        4,
        (
            (
                NOW,
                "%first = cmpi equal %k, %zero, signed : tile<i32> -> tile<i1>\n"
                f"      %now = if %first -> (token) {{ {ACQUIRE.format('%in')}\n"
                "        yield %in : token } else { yield %fresh : token }",
            ),
            TAKES_NOW,
        ),
    ),
    Miss(
        "store_that_waits",
        7,
        ((NEXT, STORE.format("%over", "alias", "%k", "%got") + "\n      " + NEXT),),
    ),
    Miss(
        "release_that_waits",
        7,
        (
            ("continue %next, %held", "continue %next, %got"),
            (
                "%ct = make_tensor",
                "%told = store_ptr_tko release device %flags, %one token = %last "
                ": tile<ptr<i32>>, tile<i32> -> token\n    %ct = make_tensor",
            ),
        ),
    ),
    Miss(
        "tile_that_something_else_uses",
        11,
        (
            (
                NEXT,
                "%doubled = addf %x, %x : tile<64x32xf16>\n      "
                "%other = store_view_tko weak %doubled, %fv[%zero, %k] token = %fresh "
                f": tile<64x32xf16>, {VIEW}, tile<i32> -> token\n      {NEXT}",
            ),
        ),
    ),
)
LEGAL = (
    Miss(
        "store_before_the_loop",
        8,
        ((BEFORE, STORE.format("%before", "alias", "%zero", "%fresh")),),
        True,
    ),
    Miss(
        "relaxed_atomic_before_the_loop",
        8,
        ((BEFORE, ATOMIC.format("%before", "relaxed")),),
        True,
    ),
    Miss("acquire_before_the_loop", 8, ((BEFORE, ACQUIRE.format("%before")),), True),
    Miss(
        "atomic_before_the_loop",
        8,
        ((BEFORE, ATOMIC.format("%before", "acq_rel")),),
        True,
    ),
    Miss(
        "acquire_whose_token_the_loop_carries",
        8,
        (
            (BEFORE, ACQUIRE.format("%before")),
            ("continue %next, %held", "continue %next, %got"),
            TAKES_HELD,
        ),
        True,
    ),
    Miss(
        "acquire_of_a_branch_before_the_loop",
        8,
        (
            (
                BEFORE,
                "%some = cmpi greater_than %n, %one, signed : tile<i32> -> tile<i1>\n"
                f"    %before = if %some -> (token) {{ {ACQUIRE.format('%in')}\n"
                "      yield %in : token } else { yield %fresh : token }",
            ),
        ),
        True,
    ),
    Miss("wait_before_the_loop", 8, ((BEFORE, WAIT.format("%before")),), True),
    Miss(
        "index_of_64_bits",
        9,
        (
            (
                "%sum, %last = for %k in (%zero to %n, step %one) : tile<i32>",
                "%from = exti %zero signed : tile<i32> -> tile<i64>\n"
                "    %to = exti %n signed : tile<i32> -> tile<i64>\n"
                "    %step = exti %one signed : tile<i32> -> tile<i64>\n    "
                "%sum, %last = for %k in (%from to %to, step %step) : tile<i64>",
            ),
            (
                "%av[%row, %k] token = %before : " + VIEW + ", tile<i32>",
                "%av[%from, %k] token = %before : " + VIEW + ", tile<i64>",
            ),
        ),
        True,
    ),
    Miss("no_iteration", 10, (("scalar i32 0x2", "scalar i32 0x0"),), True),
    Miss("one_iteration", 10, (("scalar i32 0x2", "scalar i32 0x1"),), True),
    Miss(
        "odd_extents",
        10,
        (
            ("64x64xf16", "61x40xf16"),
            (
                "shape = [64, 64], strides = [64, 1]",
                "shape = [61, 40], strides = [64, 1]",
            ),
        ),
        True,
    ),
)
TABLE = PROGRAM.replace(
    "%row = addi %zero, %zero : tile<i32>",
    """%entry = offset %flags, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %read, %told = load_ptr_tko weak %entry token = %fresh : tile<ptr<i32>> -> tile<i32>, token
      %column = andi %read, %one : tile<i32>""",
).replace("%av[%row, %k]", "%av[%zero, %column]")
"""A table says where each iteration loads."""
READ = "load_ptr_tko weak %entry token = %fresh"
TABLE_MISSES = (
    Miss(
        "table_that_the_loop_writes",
        9,
        (
            (READ, "load_ptr_tko weak %entry token = %held"),
            ("continue %next, %held", "continue %next, %noted"),
            (
                NEXT,
                "%noted = store_ptr_tko weak %entry, %one token = %told "
                f": tile<ptr<i32>>, tile<i32> -> token\n      {NEXT}",
            ),
        ),
    ),
    Miss(
        "table_behind_a_store_of_the_loop",
        9,
        (
            (NOW, STORE.format("%now", "fv", "%k", "%held")),
            (READ, "load_ptr_tko weak %entry token = %now"),
        ),
    ),
    Miss("table_read_relaxed", 9, ((READ, READ.replace("weak", "relaxed device")),)),
    Miss("table_read_acquire", 9, ((READ, READ.replace("weak", "acquire device")),)),
    Miss(
        "table_behind_an_acquire",
        9,
        (
            (BEFORE, ACQUIRE.format("%before")),
            (READ, "load_ptr_tko weak %entry token = %before"),
        ),
    ),
    Miss(
        "entry_that_an_atomic_gives",
        9,
        (
            (
                f"{READ} : tile<ptr<i32>> -> tile<i32>, token",
                "atomic_rmw_tko relaxed device %entry, add, %zero "
                ": tile<ptr<i32>>, tile<i32> -> tile<i32>, token",
            ),
        ),
    ),
    Miss(
        "entry_that_a_sum_decides",
        9,
        (
            (
                "%column = andi %read, %one : tile<i32>",
                "%first = extract %acc[%zero, %zero] "
                ": tile<64x16xf32> -> tile<1x1xf32>\n      "
                "%single = reshape %first : tile<1x1xf32> -> tile<f32>\n      "
                "%none = constant <f32: 0.0> : tile<f32>\n      "
                "%more = cmpf greater_than ordered %single, %none "
                ": tile<f32> -> tile<i1>\n      "
                "%chosen = select %more, %read, %one : tile<i1>, tile<i32>\n      "
                "%column = andi %chosen, %one : tile<i32>",
            ),
        ),
    ),
    Miss("no_entry", 10, (("scalar i32 0x2", "scalar i32 0x0"),), True),
    Miss("one_entry", 10, (("scalar i32 0x2", "scalar i32 0x1"),), True),
    Miss("four_entries", 10, (("scalar i32 0x2", "scalar i32 0x4"),), True),
    Miss(
        "entry_that_the_one_before_names",
        9,
        (
            (
                "iter_values(%acc = %zeros, %held = %before) -> (tile<64x16xf32>, token)",
                "iter_values(%acc = %zeros, %held = %before, %spot = %zero) "
                "-> (tile<64x16xf32>, token, tile<i32>)",
            ),
            ("%sum, %last = for", "%sum, %last, %left = for"),
            ("offset %flags, %k", "offset %flags, %spot"),
            (
                "continue %next, %held : tile<64x16xf32>, token",
                "continue %next, %held, %column : tile<64x16xf32>, token, tile<i32>",
            ),
        ),
        True,
    ),
)
POINTERS = PROGRAM.replace(
    "%row = addi %zero, %zero : tile<i32>",
    """%rows = iota : tile<64xi32>
      %rows1 = reshape %rows : tile<64xi32> -> tile<64x1xi32>
      %rows2 = broadcast %rows1 : tile<64x1xi32> -> tile<64x32xi32>
      %c64 = constant <i32: 64> : tile<64x32xi32>
      %begins = muli %rows2, %c64 : tile<64x32xi32>
      %columns = iota : tile<32xi32>
      %columns1 = reshape %columns : tile<32xi32> -> tile<1x32xi32>
      %columns2 = broadcast %columns1 : tile<1x32xi32> -> tile<64x32xi32>
      %c32 = constant <i32: 32> : tile<i32>
      %moved = muli %k, %c32 : tile<i32>
      %moved1 = reshape %moved : tile<i32> -> tile<1x1xi32>
      %moved2 = broadcast %moved1 : tile<1x1xi32> -> tile<64x32xi32>
      %inside = addi %columns2, %moved2 : tile<64x32xi32>
      %places = addi %begins, %inside : tile<64x32xi32>
      %base = reshape %aligned : tile<ptr<f16>> -> tile<1x1xptr<f16>>
      %bases = broadcast %base : tile<1x1xptr<f16>> -> tile<64x32xptr<f16>>
      %pointers = offset %bases, %places : tile<64x32xptr<f16>>, tile<64x32xi32> -> tile<64x32xptr<f16>>
      %limit = constant <i32: 48> : tile<64x32xi32>
      %mask = cmpi less_than %inside, %limit, signed : tile<64x32xi32> -> tile<64x32xi1>
      %pad = constant <f16: 0.0> : tile<64x32xf16>""",
).replace(
    f"load_view_tko weak %av[%row, %k] token = %before : {VIEW}, tile<i32> ->",
    "load_ptr_tko weak %pointers, %mask, %pad token = %before : "
    "tile<64x32xptr<f16>>, tile<64x32xi1>, tile<64x32xf16> ->",
)
PADDED = (
    Miss(
        "padding_of_ones",
        2,
        (("%pad = constant <f16: 0.0>", "%pad = constant <f16: 1.0>"),),
    ),
    Miss(
        "padding_with_a_sign",
        2,
        (("%pad = constant <f16: 0.0>", "%pad = constant <f16: -0.0>"),),
    ),
    Miss(
        "columns_apart",
        1,
        (
            (
                "%inside = addi %columns2",
                "%apart = addi %columns2, %columns2 : tile<64x32xi32>\n      %inside = addi %apart",
            ),
            ("<i32: 48>", "<i32: 80>"),
            ("%c32 = constant <i32: 32>", "%c32 = constant <i32: 1>"),
        ),
    ),
)
BULK = PROGRAM.replace(BEFORE, ACQUIRE.format("%before"))
STORED = PROGRAM.replace(BEFORE, STORE.format("%before", "alias", "%zero", "%fresh"))
SEEDS = (
    Seed("async_copies", "view", PROGRAM, "stage", has_copied, GPUS, MISSES),
    Seed(
        "async_copies",
        "table",
        TABLE,
        "skew",
        runs_ahead,
        ("sm_80", "sm_120"),
        TABLE_MISSES,
    ),
    Seed("async_copies", "table_of_a_role", TABLE, "stage", has_copied, ("sm_90",)),
    Seed("async_copies", "pointers", POINTERS, "stage", has_copied, GPUS, PADDED),
    Seed(
        "async_copies",
        "in_front",
        PROGRAM,
        "skew",
        runs_ahead,
        ("sm_80", "sm_120"),
        LEGAL,
    ),
    Seed("async_copies", "bulk", BULK, "skew", runs_ahead, ("sm_90", "sm_100")),
    Seed(
        "async_copies", "bulk_stored", STORED, "skew", runs_ahead, ("sm_90", "sm_100")
    ),
)
