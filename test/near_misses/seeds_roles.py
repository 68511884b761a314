# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in which a role of its own loads, from a row that the kernel loads first."""

from __future__ import annotations

from near_miss import Miss, Seed
from seeds_async_copies import ACQUIRE, ATOMIC, BEFORE, PROGRAM, VIEW, WAIT

LOADED = "%read, %told = load_ptr_tko weak %flags : tile<ptr<i32>> -> tile<i32>, token"
SCALAR = (
    PROGRAM.replace("seed=3 ", "seed=18 ")
    .replace("      %row = addi %zero, %zero : tile<i32>\n", "")
    .replace(
        BEFORE,
        f"""{LOADED}
    %low = mini %read, %zero signed : tile<i32>
    %row = maxi %low, %zero signed : tile<i32>
    {BEFORE}""",
    )
)
END = "%ct = make_tensor"
PLACE = "tile<ptr<i32>>, tile<i32> -> token"
OVERWRITE = "%over = store_ptr_tko {} %flags, %one token = {} : " + PLACE + "\n    "
LOOP = "%sum, %last = for %k"


def is_divided(before: str, after: str) -> bool:
    """Whether there are roles."""
    del before
    return "tileas.roles" in after


def read_by(access: str) -> tuple[str, str]:
    """An edit: the row comes of another access."""
    return LOADED, access.replace("%flag, {}", "%read, %told")


MISSES = (
    Miss(
        "row_of_a_tile",
        1,
        (
            (
                LOADED,
                f"%tile, %told = load_view_tko weak %fv[%zero, %zero] : {VIEW}, "
                "tile<i32> -> tile<64x32xf16>, token\n"
                "    %line = reduce %tile dim=1 identities=[0.0 : f16] "
                ": tile<64x32xf16> -> tile<64xf16> (%p: tile<f16>, %q: tile<f16>) "
                "{ %m = maxf %p, %q : tile<f16> yield %m : tile<f16> }\n"
                "    %most = reduce %line dim=0 identities=[0.0 : f16] "
                ": tile<64xf16> -> tile<f16> (%p: tile<f16>, %q: tile<f16>) "
                "{ %m = maxf %p, %q : tile<f16> yield %m : tile<f16> }\n"
                "    %read = ftoi %most signed : tile<f16> -> tile<i32>",
            ),
        ),
    ),
    Miss(
        "row_of_an_atomic", 2, (read_by(ATOMIC.replace("{} device", "relaxed device")),)
    ),
    Miss("row_of_an_acquire", 3, (read_by(ACQUIRE),)),
    Miss("row_of_a_relaxed_load", 3, (read_by(ACQUIRE.replace("acquire", "relaxed")),)),
    Miss(
        "row_behind_a_store",
        4,
        (
            (
                LOADED,
                f"%over = store_ptr_tko weak %flags, %one token = %fresh : {PLACE}\n    "
                + LOADED.replace("%flags :", "%flags token = %over :"),
            ),
        ),
    ),
    Miss("row_overwritten", 5, ((END, OVERWRITE.format("weak", "%told") + END),)),
    Miss("row_released", 5, ((END, OVERWRITE.format("release sys", "%told") + END),)),
    Miss(
        "row_overwritten_through_a_loop",
        5,
        (
            (BEFORE, "%before = join_tokens %told, %fresh : token"),
            ("token = %before", "token = %fresh"),
            (END, OVERWRITE.format("weak", "%last") + END),
        ),
    ),
    Miss(
        "row_overwritten_in_a_branch",
        5,
        (
            (
                END,
                "%some = cmpi greater_than %n, %one, signed : tile<i32> -> tile<i1>\n"
                f"    if %some {{ {OVERWRITE.format('weak', '%told')} yield }}\n    {END}",
            ),
        ),
    ),
    Miss(
        "row_overwritten_through_an_alias",
        6,
        (
            (
                END,
                "%same = offset %flags, %zero : tile<ptr<i32>>, tile<i32> -> "
                "tile<ptr<i32>>\n    "
                + OVERWRITE.format("weak", "%told").replace("%flags", "%same")
                + END,
            ),
        ),
    ),
    Miss("behind_an_acquire", 7, ((BEFORE, ACQUIRE.format("%before")),)),
    Miss("behind_the_preceding_grid", 8, ((BEFORE, WAIT.format("%before")),), True),
    Miss(
        "tile_of_no_loop_behind_the_preceding_grid",
        8,
        (
            ("    %ones = constant <f16: 1.0> : tile<32x16xf16>\n", ""),
            (
                BEFORE,
                f"{WAIT.format('%before')}\n"
                "    %bt = make_tensor_view %aligned, shape = [32, 16], "
                "strides = [64, 1] : tensor_view<32x16xf16, strides=[64, 1]>\n"
                "    %bv = make_partition_view %bt : partition_view<tile=(32x16), "
                "padding_value = zero, tensor_view<32x16xf16, strides=[64, 1]>>\n"
                "    %ones, %once = load_view_tko weak %bv[%zero, %zero] "
                "token = %before : partition_view<tile=(32x16), padding_value = zero, "
                "tensor_view<32x16xf16, strides=[64, 1]>>, tile<i32> "
                "-> tile<32x16xf16>, token",
            ),
        ),
        True,
    ),
    Miss(
        "row_behind_the_preceding_grid",
        8,
        (
            (
                LOADED,
                f"{WAIT.format('%ended')}\n    "
                + LOADED.replace("%flags :", "%flags token = %ended :"),
            ),
        ),
        True,
    ),
    Miss(
        "row_behind_a_hint_and_a_wait",
        8,
        (
            (
                LOADED,
                "%hint = gdc_launch_dependents_tko : token\n"
                "    %ended = gdc_wait_tko token = %hint : token\n    "
                + LOADED.replace("%flags :", "%flags token = %ended :"),
            ),
        ),
        True,
    ),
    Miss(
        "early_end",
        9,
        (
            (
                LOOP,
                "%none = cmpi equal %n, %zero, signed : tile<i32> -> tile<i1>\n"
                f"    if %none {{ return }}\n    {LOOP}",
            ),
        ),
    ),
    Miss("no_iteration", 10, (("scalar i32 0x2", "scalar i32 0x0"),), True),
    Miss("one_iteration", 10, (("scalar i32 0x2", "scalar i32 0x1"),), True),
    Miss(
        "loaded_bound",
        10,
        (
            (
                LOOP,
                "%odd = maxi %read, %one signed : tile<i32>\n"
                f"    %trips = mini %odd, %n signed : tile<i32>\n    {LOOP}",
            ),
            ("(%zero to %n,", "(%zero to %trips,"),
        ),
        True,
    ),
)
SEEDS = (Seed("roles", "scalar", SCALAR, "roles", is_divided, ("sm_90",), MISSES),)
