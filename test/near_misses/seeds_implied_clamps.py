# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that are clamped to what the conversion behind it clamps them to."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

WIDE, NARROW = "tile<256xf32>", "tile<256xf8E4M3FN>"
ARRAY = "tensor_view<256xf32, strides=[1]>"
RESULT = "tensor_view<256xf8E4M3FN, strides=[1]>"
VIEW, RESULTS = (f"partition_view<tile=(256), {each}>" for each in (ARRAY, RESULT))
ABOVE, BELOW = "%y = maxf %x, %least", "%z = minf %y, %most"
MOST = "%most = constant <f32: 448.0>"
PROGRAM = f"""\
// differential: seed=4 grid=1 warps=4
// differential: array 0 f32 size=256 start=0 shape=256 strides=1 whole=1 values=huge
// differential: array 1 f8E4M3FN size=256 start=0 shape=256 strides=1 whole=1
// differential: scalar f32 0x43e00000
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f32>>, %c: tile<ptr<f8E4M3FN>>, %bound: tile<f32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %at = make_tensor_view %a, shape = [256], strides = [1] : {ARRAY}
    %av = make_partition_view %at : {VIEW}
    %ct = make_tensor_view %c, shape = [256], strides = [1] : {RESULT}
    %cv = make_partition_view %ct : {RESULTS}
    %b1 = reshape %bound : tile<f32> -> tile<1xf32>
    %given = broadcast %b1 : tile<1xf32> -> {WIDE}
    {MOST} : {WIDE}
    %least = constant <f32: -448.0> : {WIDE}
    %x, %got = load_view_tko weak %av[%zero] : {VIEW}, tile<i32> -> {WIDE}, token
    {ABOVE} : {WIDE}
    {BELOW} : {WIDE}
    %w = ftof %z : {WIDE} -> {NARROW}
    %done = store_view_tko weak %w, %cv[%zero] : {NARROW}, {RESULTS}, tile<i32> -> token
    return
  }}
}}
"""


def is_dropped(before: str, after: str) -> bool:
    """Whether conversions take what no minimum gave."""
    del before
    minima = set(re.findall(r"(%\w+) = llvm\.\w+.*\bmin", after))
    taken = re.findall(
        r"llvm\.inline_asm.*cvt\.rn\.satfinite.*\" (%\w+), (%\w+) :", after
    )
    return bool(taken) and not minima & {name for pair in taken for name in pair}


NANS = ("values=huge", "values=nans")
HALF = (
    (NARROW, "tile<256xf16>"),
    ("f8E4M3FN", "f16"),
)
MISSES = (
    Miss("to_half", 1, HALF),
    Miss("flushed", 2, ((BELOW, f"{BELOW} flush_to_zero"),)),
    Miss("maybe_nan", 3, (NANS, (ABOVE, "%y = addf %x, %x"))),
    Miss("tight", 4, ((MOST, MOST.replace("448", "440")),)),
    Miss("unknown_bound", 4, ((BELOW, BELOW.replace("%most", "%given")),)),
)
SEEDS = (
    Seed(
        *("implied_clamps", "minimum", PROGRAM, "emit", is_dropped),
        *(("sm_90", "sm_120"), MISSES),
    ),
)
