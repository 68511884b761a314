# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that are computed in parts, by loops over them."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

HEAD = """\
// differential: seed=1 grid=2 warps=1
// differential: array 0 f32 size=512 start=0 shape=2x256 strides=256,1 whole=1
// differential: array 1 f32 size=512 start=0 shape=2x256 strides=256,1 whole=1
// differential: array 2 f32 size=512 start=0 shape=2x256 strides=256,1
// differential: array 3 f32 size=2 start=0 shape=2 strides=1 whole=1
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %w: tile<ptr<f32>>, %y: tile<ptr<f32>>,
           %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %b, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1]
      : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>
    %wt = make_tensor_view %w, shape = [2, 256], strides = [256, 1]
      : tensor_view<2x256xf32, strides=[256,1]>
    %wv = make_partition_view %wt
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>
    %yt = make_tensor_view %y, shape = [2, 256], strides = [256, 1]
      : tensor_view<2x256xf32, strides=[256,1]>
    %yv = make_partition_view %yt
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>
    %to = offset %o, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
"""
LOAD = """\
    {tile}, {token} = load_view_tko weak {view}[{at}, {start}]
      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>, tile<i32>
      -> tile<1x256xf32>, token
"""
STORE = """\
    %ky = store_view_tko weak {tile}, %yv[{at}, {start}] : tile<1x256xf32>,
      partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>, tile<i32>
      -> token
"""
SUM = """\
    %s = reduce %t dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %sr = reshape %s : tile<1xf32> -> tile<1x1xf32>
    %ss = broadcast %sr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %t, %ss : tile<1x256xf32>
"""
END = """\
    return
  }
}
"""


def loaded(tile: str, view: str, at: str, start: str = "%z") -> str:
    """A load of a row."""
    return LOAD.format(tile=tile, token=f"{tile}k", view=view, at=at, start=start)


def stored(tile: str, at: str, start: str = "%z") -> str:
    """A store of a row."""
    return STORE.format(tile=tile, at=at, start=start)


ROW = HEAD + loaded("%t", "%xv", "%b") + SUM + stored("%d", "%b") + END
"""A row less its sum."""
ONE_EACH = (
    HEAD
    + loaded("%t", "%xv", "%b")
    + """\
    %n = negf %t : tile<1x256xf32>
    %f, %g = reduce %t, %n dim=0 identities=[0.0 : f32, 0xFF800000 : f32]
      : tile<1x256xf32>, tile<1x256xf32> -> tile<256xf32>, tile<256xf32>
    (%f0: tile<f32>, %f1: tile<f32>, %g0: tile<f32>, %g1: tile<f32>) {
      %fs = addf %f0, %f1 : tile<f32>
      %gs = maxf %g0, %g1 : tile<f32>
      yield %fs, %gs : tile<f32>, tile<f32>
    }
    %fg = subf %f, %g : tile<256xf32>
    %d = reshape %fg : tile<256xf32> -> tile<1x256xf32>
"""
    + stored("%d", "%b")
    + END
)
"""Reductions of single elements give rows, several at a time."""
WEIGHTS = (
    HEAD.replace("grid=2", "grid=1")
    + loaded("%u", "%wv", "%z", "%z")
    + """\
    %uu = addf %u, %u : tile<1x256xf32>
    for %j in (%z to %two, step %one) : tile<i32> {
"""
    + loaded("%t", "%xv", "%j")
    + SUM
    + """\
      %e = mulf %d, %uu : tile<1x256xf32>
"""
    + stored("%e", "%j")
    + """\
      continue
    }
"""
    + END
)
"""A loop over rows that takes another row from outside."""
CARRIED = (
    HEAD
    + """\
    %none = constant <f32: 0.0> : tile<1x256xf32>
    %r = for %j in (%z to %two, step %one) : tile<i32> iter_values(%c = %none)
      -> (tile<1x256xf32>) {
"""
    + loaded("%l", "%xv", "%j")
    + """\
      %next = addf %c, %l : tile<1x256xf32>
      continue %next : tile<1x256xf32>
    }
"""
    + stored("%r", "%b")
    + END
)
"""A loop that carries rows."""
SCANNED = (
    HEAD
    + loaded("%t", "%xv", "%b")
    + """\
    %p = scan %t dim=1 reverse=false identities=[0.0 : f32] : tile<1x256xf32> -> tile<1x256xf32>
    (%p0: tile<f32>, %p1: tile<f32>) {
      %sum = addf %p0, %p1 : tile<f32>
      yield %sum : tile<f32>
    }
"""
    + stored("%p", "%b")
    + END
)
"""Prefixes of a row."""

LOADED = "%xv[%b, %z]\n      : partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>, tile<i32>"


def indices(ty: str, cast: str) -> tuple[tuple[str, str], ...]:
    """Edits that make the indices of a load of another type."""
    made = f"    %b8 = {cast} : tile<i32> -> tile<{ty}>\n    %z8 = constant <{ty}: 0> : tile<{ty}>\n"
    index = LOADED.replace("%b, %z", "%b8, %z8").replace("tile<i32>", f"tile<{ty}>")
    return ("    %t, %tk", f"{made}    %t, %tk"), (LOADED, index)


def columns(number: int, padding: str = "") -> tuple[tuple[str, str], ...]:
    """Edits that make the rows of the tensors shorter than the tile."""
    return (
        ("shape = [2, 256]", f"shape = [2, {number}]"),
        ("tensor_view<2x256xf32", f"tensor_view<2x{number}xf32"),
        ("(1x256), tensor", f"(1x256), padding_value = {padding or 'zero'}, tensor"),
    )


LEFT = """\
    %gone = cmpi equal %b, %one, signed : tile<i32> -> tile<i1>
    if %gone {
      return
    }
"""


def is_in_parts(before: str, after: str) -> bool:
    """Whether there are more loops."""
    loop = re.compile(r"\bfor %")
    return len(loop.findall(after)) > len(loop.findall(before))


GPUS = ("sm_80", "sm_90")
SEEDS = (
    Seed(
        "row_tiling",
        "row",
        ROW,
        "row_tiling",
        is_in_parts,
        GPUS,
        (
            *(
                Miss(
                    f"{ty}_row",
                    1,
                    (
                        ("addf", "addi"),
                        ("subf", "subi"),
                        ("[0.0 : f32]", f"[0 : {ty}]"),
                        ("f32", ty),
                    ),
                    True,
                )
                for ty in ("i8", "i16", "i32", "i64")
            ),
            *(
                Miss(f"{ty}_row", 1, (("f32", ty),), True)
                for ty in ("f16", "bf16", "f64")
            ),
            Miss(
                "permuted_row",
                1,
                (
                    (
                        "    %d = subf %t, %ss",
                        "    %transposed = permute %t [1, 0] : tile<1x256xf32> -> tile<256x1xf32>\n    %back = reshape %transposed : tile<256x1xf32> -> tile<1x256xf32>\n    %d = subf %back, %ss",
                    ),
                ),
            ),
            Miss("sum_from_one", 2, (("[0.0 : f32]", "[1.0 : f32]"),)),
            Miss(
                "product_from_two",
                2,
                (("[0.0 : f32]", "[2.0 : f32]"), ("addf", "mulf")),
            ),
            Miss("maximum_from_zero", 2, (("addf", "maxf"),), True),
            Miss("first_of_two", 3, (("yield %sum", "yield %s0"),)),
            Miss("difference", 3, (("addf %s0, %s1", "subf %s0, %s1"),)),
            Miss(
                "relaxed_load",
                4,
                (("load_view_tko weak", "load_view_tko relaxed device"),),
            ),
            Miss(
                "store_after_the_load", 4, (("%yv[%b, %z]", "%yv[%b, %z] token = %tk"),)
            ),
            Miss(
                "load_after_a_store",
                4,
                (
                    (
                        "    %t, %tk",
                        "    %five = constant <f32: 5.0> : tile<f32>\n    %xb = muli %b, %c256 : tile<i32>\n    %at = offset %x, %xb : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n    %first = store_ptr_tko weak %at, %five : tile<ptr<f32>>, tile<f32> -> token\n    %t, %tk",
                    ),
                    ("%xv[%b, %z]", "%xv[%b, %z] token = %first"),
                    (
                        "    %one =",
                        "    %c256 = constant <i32: 256> : tile<i32>\n    %one =",
                    ),
                ),
            ),
            Miss(
                "in_place",
                4,
                (
                    ("make_tensor_view %y", "make_tensor_view %x"),
                    ("%yv[%b, %z]", "%yv[%b, %z] token = %tk"),
                ),
            ),
            Miss(
                "atomic_of_the_sum",
                5,
                (
                    (
                        "    return\n",
                        "    %sv = reshape %s : tile<1xf32> -> tile<f32>\n    %old, %oldk = atomic_rmw_tko relaxed device %to, addf, %sv : tile<ptr<f32>>, tile<f32> -> tile<f32>, token\n    return\n",
                    ),
                ),
            ),
            Miss(
                "store_of_the_sum",
                5,
                (
                    (
                        "    return\n",
                        "    %sv = reshape %s : tile<1xf32> -> tile<f32>\n    %sk = store_ptr_tko weak %to, %sv : tile<ptr<f32>>, tile<f32> -> token\n    return\n",
                    ),
                ),
                True,
            ),
            Miss(
                "exit_behind_the_store",
                6,
                (
                    (
                        "    return\n",
                        f"{LEFT}    %five = constant <f32: 5.0> : tile<f32>\n    %last = store_ptr_tko weak %to, %five : tile<ptr<f32>>, tile<f32> -> token\n    return\n",
                    ),
                ),
            ),
            Miss("exit_before_all", 6, (("    %t, %tk", f"{LEFT}    %t, %tk"),), True),
            Miss("i8_indices", 7, indices("i8", "trunci %b"), True),
            Miss("i16_indices", 7, indices("i16", "trunci %b"), True),
            Miss("i64_indices", 7, indices("i64", "exti %b unsigned"), True),
            Miss(
                "second_half",
                7,
                (
                    ("%xv[%b, %z]", "%xv[%z, %one]"),
                    (
                        "%xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1]\n      : tensor_view<2x256",
                        "%xt = make_tensor_view %x, shape = [1, 400], strides = [256, 1]\n      : tensor_view<1x400",
                    ),
                    (
                        "%xt\n      : partition_view<tile=(1x256), tensor_view<2x256",
                        "%xt\n      : partition_view<tile=(1x256), padding_value = zero, tensor_view<1x400",
                    ),
                    (
                        "%xv[%z, %one]\n      : partition_view<tile=(1x256), tensor_view<2x256",
                        "%xv[%z, %one]\n      : partition_view<tile=(1x256), padding_value = zero, tensor_view<1x400",
                    ),
                ),
                True,
            ),
            Miss(
                "index_of_a_sum",
                7,
                (
                    (
                        "    %ky =",
                        "    %sv = reshape %s : tile<1xf32> -> tile<f32>\n    %e = constant <f32: 1.0e30> : tile<f32>\n    %is = cmpf greater_than ordered %sv, %e : tile<f32> -> tile<i1>\n    %at = exti %is unsigned : tile<i1> -> tile<i32>\n    %ky =",
                    ),
                    ("%yv[%b, %z]", "%yv[%b, %at]"),
                ),
            ),
            Miss(
                "vast_extent",
                7,
                (
                    (
                        "%xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1]\n      : tensor_view<2x256",
                        "%xt = make_tensor_view %x, shape = [2, 1099511627776], strides = [256, 1]\n      : tensor_view<2x1099511627776",
                    ),
                    (
                        "%xt\n      : partition_view<tile=(1x256), tensor_view<2x256",
                        "%xt\n      : partition_view<tile=(1x256), tensor_view<2x1099511627776",
                    ),
                    (
                        "%xv[%b, %z]\n      : partition_view<tile=(1x256), tensor_view<2x256",
                        "%xv[%b, %z]\n      : partition_view<tile=(1x256), tensor_view<2x1099511627776",
                    ),
                ),
                True,
            ),
            Miss("odd_extent", 8, columns(133), True),
            Miss("extent_of_a_part", 8, columns(64), True),
            Miss("extent_of_one", 8, columns(1), True),
            Miss(
                "infinite_padding",
                8,
                (*columns(100, "pos_inf"), ("%d = subf %t, %ss", "%d = minf %t, %ss")),
                True,
            ),
            Miss(
                "two_rows",
                8,
                (("1x256", "2x128"), ("tile<1x", "tile<2x"), ("grid=2", "grid=1")),
            ),
            Miss(
                "captured_sum",
                9,
                (
                    (
                        "    %d = subf %t, %ss",
                        "    %sv = reshape %s : tile<1xf32> -> tile<f32>\n    %v = scan %t dim=1 reverse=false identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1x256xf32>\n    (%v0: tile<f32>, %v1: tile<f32>) {\n      %va = maxf %v0, %v1 : tile<f32>\n      %vs = maxf %va, %sv : tile<f32>\n      yield %vs : tile<f32>\n    }\n    %d = subf %v, %ss",
                    ),
                ),
            ),
        ),
    ),
    Seed(
        "row_tiling",
        "reductions_of_single_elements",
        ONE_EACH,
        "row_tiling",
        is_in_parts,
        GPUS,
    ),
    Seed(
        "row_tiling",
        "weights_of_a_loop",
        WEIGHTS,
        "row_tiling",
        is_in_parts,
        GPUS,
        (
            Miss(
                "weights_from_another_place",
                10,
                (("%wv[%z, %z]", "%wv[%one, %z]"),),
                True,
            ),
            Miss(
                "weights_from_the_same_view",
                10,
                (("%wv[%z, %z]", "%xv[%one, %z]"),),
                True,
            ),
            Miss(
                "weights_of_their_sum",
                10,
                (
                    (
                        "    %uu = addf %u, %u : tile<1x256xf32>\n",
                        SUM.replace("%t ", "%u ")
                        .replace("%t,", "%u,")
                        .replace("%s", "%q")
                        .replace("%d", "%uu"),
                    ),
                ),
                True,
            ),
            Miss(
                "scanned_weights",
                10,
                (
                    (
                        "    %uu = addf %u, %u : tile<1x256xf32>\n",
                        "    %uu = scan %u dim=1 reverse=false identities=[0.0 : f32] : tile<1x256xf32> -> tile<1x256xf32>\n    (%p0: tile<f32>, %p1: tile<f32>) {\n      %psum = addf %p0, %p1 : tile<f32>\n      yield %psum : tile<f32>\n    }\n",
                    ),
                ),
            ),
            Miss(
                "exit_of_the_iteration",
                6,
                (
                    (
                        "      continue\n",
                        "      %first = cmpi equal %j, %z, signed : tile<i32> -> tile<i1>\n      if %first {\n        continue\n      }\n      %five = constant <f32: 5.0> : tile<f32>\n      %last = store_ptr_tko weak %to, %five : tile<ptr<f32>>, tile<f32> -> token\n      continue\n",
                    ),
                ),
            ),
        ),
    ),
    Seed(
        "row_tiling",
        "loop_that_carries_rows",
        CARRIED,
        "row_tiling",
        is_in_parts,
        GPUS,
        (
            Miss(
                "view_of_the_iteration",
                10,
                (
                    (
                        "    %l, %lk",
                        "    %lt = make_tensor_view %x, shape = [2, 200], strides = [256, 1]\n      : tensor_view<2x200xf32, strides=[256,1]>\n    %lv = make_partition_view %lt\n      : partition_view<tile=(1x256), padding_value = zero, tensor_view<2x200xf32, strides=[256,1]>>\n    %l, %lk",
                    ),
                    (
                        "%xv[%j, %z]\n      : partition_view<tile=(1x256), tensor_view<2x256",
                        "%lv[%j, %z]\n      : partition_view<tile=(1x256), padding_value = zero, tensor_view<2x200",
                    ),
                ),
                True,
            ),
            Miss(
                "store_of_the_iteration",
                5,
                (
                    ("grid=2", "grid=1"),
                    (
                        "    %next =",
                        "    %ok = store_view_tko weak %c, %wv[%j, %z] : tile<1x256xf32>, partition_view<tile=(1x256), tensor_view<2x256xf32, strides=[256,1]>>, tile<i32> -> token\n    %next =",
                    ),
                ),
            ),
            Miss("no_iteration", 8, (("%z to %two", "%two to %z"),), True),
        ),
    ),
    Seed(
        "row_tiling",
        "scan",
        SCANNED,
        "row_tiling",
        is_in_parts,
        ("sm_80", "sm_120"),
        (
            Miss("scan_from_one", 2, (("[0.0 : f32]", "[1.0 : f32]"),)),
            Miss(
                "captured_number",
                9,
                (
                    (
                        "    %p =",
                        "    %c = itof %b signed : tile<i32> -> tile<f32>\n    %p =",
                    ),
                    ("[0.0 : f32]", "[0xFF800000 : f32]"),
                    (
                        "%sum = addf %p0, %p1",
                        "%most = maxf %p0, %p1 : tile<f32>\n      %sum = maxf %most, %c",
                    ),
                ),
                True,
            ),
            Miss("scan_backwards", 8, (("reverse=false", "reverse=true"),), True),
            Miss(
                "scans_both_ways",
                8,
                (
                    (
                        "    %ky =",
                        "    %q = scan %t dim=1 reverse=true identities=[0.0 : f32] : tile<1x256xf32> -> tile<1x256xf32>\n    (%q0: tile<f32>, %q1: tile<f32>) {\n      %qsum = addf %q0, %q1 : tile<f32>\n      yield %qsum : tile<f32>\n    }\n    %pq = subf %p, %q : tile<1x256xf32>\n    %ky =",
                    ),
                    ("weak %p,", "weak %pq,"),
                ),
            ),
        ),
    ),
)
