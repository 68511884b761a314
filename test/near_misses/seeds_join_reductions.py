# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two sums of a row that become one reduction, and others that stay two."""

from __future__ import annotations

import re

from near_miss import Miss, Seed

ROW, VIEW = "tensor_view<1024xf32, strides=[1]>", "partition_view<tile=(512), "
RESULT = "tensor_view<4xf32, strides=[1]>"
OUT = f"partition_view<tile=(1), {RESULT}>"
ADD = "%s = addf %p, %q : tile<f32> yield %s : tile<f32>"
FIRST = "%sum = reduce %x dim=0 identities=[0.0 : f32] : tile<512xf32> -> tile<f32>"
SECOND = "%other = reduce %xx dim=0 identities=[0.0 : f32] : tile<512xf32> -> tile<f32>"
SQUARES = "%xx = mulf %x, %x : tile<512xf32>"
ARGUMENTS = "(%p: tile<f32>, %q: tile<f32>)"
PROGRAM = f"""\
// differential: seed=6 grid=2 warps=4
// differential: array 0 f32 size=1024 start=0 shape=1024 strides=1 whole=1 values=whole
// differential: array 1 f32 size=4 start=0 shape=4 strides=1
// differential: scalar f32 0x40000000
cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f32>>, %o: tile<ptr<f32>>, %given: tile<f32>) {{
    %b, %y, %z = get_tile_block_id : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %at = make_tensor_view %a, shape = [1024], strides = [1] : {ROW}
    %av = make_partition_view %at : {VIEW}{ROW}>
    %ot = make_tensor_view %o, shape = [4], strides = [1] : {RESULT}
    %ov = make_partition_view %ot : {OUT}
    %x, %t = load_view_tko weak %av[%b] : {VIEW}{ROW}>, tile<i32> -> tile<512xf32>, token
    {FIRST} {ARGUMENTS} {{ {ADD} }}
    {SQUARES}
    {SECOND} {ARGUMENTS} {{ {ADD} }}
    %s1 = reshape %sum : tile<f32> -> tile<1xf32>
    %u = store_view_tko weak %s1, %ov[%b] : tile<1xf32>, {OUT}, tile<i32> -> token
    %i = addi %b, %two : tile<i32>
    %s2 = reshape %other : tile<f32> -> tile<1xf32>
    %w = store_view_tko weak %s2, %ov[%i] : tile<1xf32>, {OUT}, tile<i32> -> token
    return
  }}
}}
"""


def fewer(before: str, after: str) -> bool:
    """Whether there are fewer reductions than there were."""
    first, second = (len(re.findall(r"= reduce ", text)) for text in (before, after))
    return second < first


def second(new: str, body: str = ADD, more: str = "") -> tuple[tuple[str, str], ...]:
    """Edits of the second reduction."""
    old = f"{SECOND} {ARGUMENTS} {{ {ADD} }}"
    return ((old, f"{more}{new} {ARGUMENTS} {{ {body} }}"),)


HALF = "tile<512xf16>"
TYPES = (
    (SQUARES, f"{SQUARES}\n    %h = ftof %xx : tile<512xf32> -> {HALF}"),
    (
        f"{SECOND} {ARGUMENTS} {{ {ADD} }}",
        f"%low = reduce %h dim=0 identities=[0.0 : f16] : {HALF} -> tile<f16> "
        "(%p: tile<f16>, %q: tile<f16>) "
        "{ %s = addf %p, %q : tile<f16> yield %s : tile<f16> }\n"
        "    %other = ftof %low : tile<f16> -> tile<f32>",
    ),
)
RELAXED = (
    (
        SQUARES,
        f"%l, %lt = load_view_tko relaxed device %av[%b] : {VIEW}{ROW}>, tile<i32> -> "
        "tile<512xf32>, token\n    %xx = mulf %l, %l : tile<512xf32>",
    ),
)
SQUARE = "tile<16x32xf32>"


def folded(first: int, last: int) -> tuple[tuple[str, str], ...]:
    """Edits by which each sum is one of all elements, of tiles of two dimensions.

    Args:
        first: The dimension that the first one folds; the rest is folded behind it.
        last: The same of the second one.
    """

    def lines(name: str, source: str, dim: int) -> str:
        rest = (32, 16)[dim]
        tail = f"{ARGUMENTS} {{ {ADD} }}"
        return (
            f"%{name}m = reshape %{source} : tile<512xf32> -> {SQUARE}\n"
            f"    %{name}r = reduce %{name}m dim={dim} identities=[0.0 : f32] : {SQUARE}"
            f" -> tile<{rest}xf32> {tail}\n"
            f"    %{name} = reduce %{name}r dim=0 identities=[0.0 : f32] : "
            f"tile<{rest}xf32> -> tile<f32>"
        )

    return ((FIRST, lines("sum", "x", first)), (SECOND, lines("other", "xx", last)))


PART = (
    (SQUARES, "%h = reshape %x : tile<512xf32> -> tile<2x256xf32>"),
    (
        f"{SECOND} {ARGUMENTS} {{ {ADD} }}",
        "%xx = reduce %h dim=0 identities=[0.0 : f32] : tile<2x256xf32> -> "
        f"tile<256xf32> {ARGUMENTS} {{ {ADD} }}\n    "
        + SECOND.replace("512", "256")
        + f" {ARGUMENTS} {{ {ADD} }}",
    ),
)
DEPENDENT = (
    (
        SQUARES,
        "%m1 = reshape %sum : tile<f32> -> tile<1xf32>\n"
        "    %m = broadcast %m1 : tile<1xf32> -> tile<512xf32>\n"
        "    %xx = subf %x, %m : tile<512xf32>",
    ),
)
MAX = "%s = maxf %p, %q : tile<f32> yield %s : tile<f32>"
LEAST = "identities=[0xFF800000 : f32]"


def bounded(first: str, last: str) -> tuple[tuple[str, str], ...]:
    """Edits that make maxima of the sums, each at most a number from outside."""
    body = f"%h = maxf %p, %q : tile<f32> %s = minf %h, {{}} : {MAX.partition(': ')[2]}"
    old = [f"{each} {ARGUMENTS} {{ {ADD} }}" for each in (FIRST, SECOND)]
    new = [
        f"{each.replace('identities=[0.0 : f32]', LEAST)} {ARGUMENTS} {{ {body.format(most)} }}"
        for each, most in ((FIRST, first), (SECOND, last))
    ]
    four = "%four = addf %given, %given : tile<f32>\n    "
    return ((old[0], four + new[0]), (old[1], new[1]))


SEEDS = (
    Seed(
        *("join_reductions", "moments", PROGRAM, "join_reductions", fewer),
        ("sm_80", "sm_90", "sm_120"),
        (
            Miss("other_types", 1, TYPES),
            Miss(
                "flushed", 2, second(SECOND, ADD.replace(" : ", " flush_to_zero : ", 1))
            ),
            Miss("other_body", 2, second(SECOND.replace("[0.0 ", "[0x7FC00000 "), MAX)),
            Miss(
                "other_identity",
                3,
                (
                    (
                        f"{FIRST} {ARGUMENTS} {{ {ADD} }}",
                        f"{FIRST} {ARGUMENTS} {{ {MAX} }}",
                    ),
                    *second(SECOND.replace("identities=[0.0 : f32]", LEAST), MAX),
                ),
            ),
            Miss("relaxed_between", 4, RELAXED),
            Miss("other_dim", 5, folded(0, 1)),
            Miss("other_shape", 6, PART),
            Miss("other_capture", 7, bounded("%given", "%four")),
            Miss("same_capture", 7, bounded("%given", "%given"), fires=True),
            Miss("dependent", 8, DEPENDENT),
        ),
    ),
)
