# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that surely begin inside their tensor, and others that may not.

Near misses run as on hardware, where a tile outside of the index space is padding.
"""

from __future__ import annotations

from near_miss import Miss, Seed

VIEW = (
    "partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>"
)
OUT = "partition_view<tile=(16), tensor_view<128xi32, strides=[1]>>"
PROGRAM = f"""\
// differential: seed=7 grid=2 warps=1 hardware=1
// differential: array 0 i32 size=128 start=0 shape=128 strides=1
// differential: array 1 i32 size=128 start=0 shape=128 strides=1
// differential: scalar i32 0x40
// differential: scalar i32 0x6
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>, %o: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %minus = constant <i32: -1> : tile<i32>
    %b, %y, %z = get_tile_block_id : tile<i32>
    %first = cmpi equal %b, %zero, signed : tile<i32> -> tile<i1>
    %e0 = assume bounded<0, ?>, %n : tile<i32>
    %e = assume div_by<16>, %e0 : tile<i32>
    %pt = make_tensor_view %p, shape = [%e], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %pv = make_partition_view %pt : {VIEW}
    %ot = make_tensor_view %o, shape = [128], strides = [1] : tensor_view<128xi32, strides=[1]>
    %ov = make_partition_view %ot : {OUT}
    %count = get_index_space_shape %pv : {VIEW} -> tile<i32>
    if %first {{
      for %i in (%zero to %count, step %one) : tile<i32> {{
        %x, %t = load_view_tko weak %pv[%i] : {VIEW}, tile<i32> -> tile<16xi32>, token
        %u = store_view_tko weak %x, %ov[%i] : tile<16xi32>, {OUT}, tile<i32> -> token
      }}
    }}
    return
  }}
}}
"""
LOOP = "for %i in (%zero to %count, step %one) : tile<i32>"
LOAD = "load_view_tko weak %pv[%i]"


def promises(before: str, after: str) -> bool:
    """Whether an access has got a promise that its tile lies inside."""
    return "inbounds = [true]" in after and "inbounds" not in before


def at(name: str, *lines: str) -> tuple[tuple[str, str], ...]:
    """Edits that load another tile, which some lines number."""
    body = "".join(f"{line}\n        " for line in lines)
    return (
        (
            f"%x, %t = {LOAD}",
            f"{body}%x, %t = {LOAD}".replace("%pv[%i]", f"%pv[{name}]"),
        ),
    )


def under(condition: str) -> tuple[tuple[str, str], ...]:
    """Edits that load and store the block's tile where a condition holds."""
    return (
        (LOOP, f"{condition}\n      if %c"),
        ("%pv[%i]", "%pv[%b]"),
        ("%ov[%i]", "%ov[%b]"),
        (
            "if %first {",
            "%always = cmpi equal %n, %n, signed : tile<i32> -> tile<i1>\n    if %always {",
        ),
    )


SEEDS = (
    Seed(
        "bounds_elision",
        "counted",
        PROGRAM,
        "place",
        promises,
        ("sm_80",),
        (
            Miss(
                "wide_index",
                1,
                (
                    *at("%w", "%w = exti %i signed : tile<i32> -> tile<i64>"),
                    (
                        f"{VIEW}, tile<i32> -> tile<16xi32>",
                        f"{VIEW}, tile<i64> -> tile<16xi32>",
                    ),
                ),
                fires=True,
            ),
            Miss(
                "narrow_index",
                1,
                at(
                    "%w",
                    "%s = subi %i, %one : tile<i32>",
                    "%h = trunci %s : tile<i32> -> tile<i8>",
                    "%w = exti %h signed : tile<i8> -> tile<i32>",
                ),
            ),
            Miss("negative_lower", 2, ((LOOP, LOOP.replace("%zero to", "%minus to")),)),
            Miss(
                "unsigned_loop",
                2,
                (
                    (
                        LOOP,
                        LOOP.replace("for", "for unsigned").replace(
                            "%zero to", "%minus to"
                        ),
                    ),
                ),
                fires=True,
            ),
            Miss(
                "signed_guard",
                2,
                (
                    *under(
                        "%s = subi %b, %one : tile<i32>\n      %c = cmpi less_than %s, %count, signed : tile<i32> -> tile<i1>"
                    ),
                    ("%pv[%b]", "%pv[%s]"),
                ),
            ),
            Miss(
                "tile_block",
                3,
                under("%c = cmpi less_than %b, %m, signed : tile<i32> -> tile<i1>"),
            ),
            Miss(
                "guarded_block",
                3,
                under("%c = cmpi less_than %b, %count, signed : tile<i32> -> tile<i1>"),
                fires=True,
            ),
            Miss(
                "other_branch",
                3,
                under(
                    "%c0 = cmpi greater_than_or_equal %b, %count, signed : tile<i32> -> tile<i1>\n      %true = constant <i1: 1> : tile<i1>\n      %c = xori %c0, %true : tile<i1>"
                ),
            ),
            Miss("next_tile", 4, at("%w", "%w = addi %i, %one : tile<i32>")),
            Miss(
                "quotient",
                4,
                at("%w", "%w = divi %i, %two unsigned : tile<i32>"),
                fires=True,
            ),
            Miss(
                "remainder",
                4,
                at("%w", "%w = remi %m, %count unsigned : tile<i32>"),
                fires=True,
            ),
            Miss(
                "cut_tile",
                5,
                (("div_by<16>", "div_by<8>"), ("scalar i32 0x40", "scalar i32 0x38")),
            ),
            Miss(
                "odd_starts",
                5,
                (
                    (
                        "%pt : " + VIEW,
                        "%pt : "
                        + VIEW.replace(
                            "partition_view<tile=(16)",
                            "strided_view<tile=(16), traversal_strides=[8]",
                        ),
                    ),
                    ("make_partition_view %pt", "make_strided_view %pt"),
                    (
                        "%pv[%i] : " + VIEW,
                        "%pv[%i] : "
                        + VIEW.replace(
                            "partition_view<tile=(16)",
                            "strided_view<tile=(16), traversal_strides=[8]",
                        ),
                    ),
                    (
                        "%pv : " + VIEW,
                        "%pv : "
                        + VIEW.replace(
                            "partition_view<tile=(16)",
                            "strided_view<tile=(16), traversal_strides=[8]",
                        ),
                    ),
                    ("i32 0x40", "i32 0x20"),
                ),
            ),
            Miss("other_extent", 6, ((LOOP, LOOP.replace("%count", "%m")),)),
            Miss(
                "smaller_tiles",
                6,
                (
                    (
                        "%count = get_index_space_shape %pv : " + VIEW,
                        "%qv = make_partition_view %pt : "
                        + VIEW.replace("16", "8")
                        + "\n    %count = get_index_space_shape %qv : "
                        + VIEW.replace("16", "8"),
                    ),
                    ("i32 0x40", "i32 0x20"),
                ),
            ),
            Miss("no_tiles", 6, (("i32 0x40", "i32 0x0"),), fires=True),
            Miss(
                "condition_beside",
                7,
                under(
                    "%c1 = cmpi less_than %b, %count, signed : tile<i32> -> tile<i1>\n      if %c1 {\n      }\n      %c = cmpi less_than %b, %m, signed : tile<i32> -> tile<i1>"
                ),
            ),
        ),
    ),
)
