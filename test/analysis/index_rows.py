# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices of tiles, and whether they surely begin inside; near misses are not."""

from __future__ import annotations

from index_kernel import (
    FIXED,
    LINE,
    NATURAL,
    binary,
    chosen,
    loop,
    more,
    other_tensor,
    over,
    resized,
    unsigned,
    wide_loop,
)

SHAPE = f"""%s = get_index_space_shape %v : partition_view<tile=(64), {LINE}>
    -> tile<i32>\n"""
FINE = f"""%w = make_partition_view %t : partition_view<tile=(16), {LINE}>
    %s = get_index_space_shape %w : partition_view<tile=(16), {LINE}> -> tile<i32>\n"""
COARSE = FINE.replace("tile=(16)", "tile=(128)")
LENGTH = f"%s = get_tensor_shape %t : {LINE} -> tile<i32>\n"
UP = binary("addi", "%n", "%c63", name="%u")
SHIFT = "%c6 = constant <i32: 6> : tile<i32>\n"
QUOTIENT = binary("divi", "%i", "%c64", " signed")
SIMPLE = {
    "tiles": (loop("%tiles"), "%i", True),
    "tiles from the second on": (loop("%tiles", "%c1"), "%i", True),
    "tiles from anywhere on": (loop("%tiles", "%y"), "%i", False),
    "unsigned": (loop("%tiles", sign="unsigned "), "%i", True),
    "another number": (loop("%m"), "%i", False),
    "index space": (SHAPE + loop("%s"), "%i", True),
    "index space of smaller tiles": (FINE + loop("%s"), "%i", False),
    "index space of larger tiles": (COARSE + loop("%s"), "%i", True),
    "rounded down": (
        binary("divi", "%n", "%c64", " signed") + loop("%r"),
        "%i",
        True,
    ),
    "rounded up by hand": (
        UP + binary("divi", "%u", "%c64", " signed") + loop("%r"),
        "%i",
        True,
    ),
    "rounded up by a shift": (
        SHIFT + UP + binary("shri", "%u", "%c6", " signed") + loop("%r"),
        "%i",
        True,
    ),
    "rounded up twice": (
        UP
        + binary("divi", "%u", "%c64", " signed rounding<positive_inf>")
        + loop("%r"),
        "%i",
        False,
    ),
    "smaller parts": (
        binary("divi", "%n", "%c32", " signed") + loop("%r"),
        "%i",
        False,
    ),
    "one too many": (binary("addi", "%tiles", "%c1") + loop("%r"), "%i", False),
    "one fewer": (binary("subi", "%tiles", "%c1") + loop("%r"), "%i", True),
    "at most": (binary("mini", "%tiles", "%m", " signed") + loop("%r"), "%i", True),
    "at least": (binary("maxi", "%tiles", "%m", " signed") + loop("%r"), "%i", False),
    "next tile": (loop("%tiles") + binary("addi", "%i", "%c1"), "%r", False),
    "elements": (loop("%n", step="%c64") + QUOTIENT, "%r", True),
    "elements of the tensor": (
        LENGTH + loop("%s", step="%c64") + QUOTIENT,
        "%r",
        True,
    ),
    "elements over a smaller number": (
        loop("%n", step="%c64") + binary("divi", "%i", "%c32", " signed"),
        "%r",
        False,
    ),
    "elements of another tensor": (loop("%m", step="%c64") + QUOTIENT, "%r", False),
    "elements over no part of a tile": (
        "%c48 = constant <i32: 48> : tile<i32>\n"
        + loop("%n")
        + binary("divi", "%i", "%c48", " signed"),
        "%r",
        False,
    ),
    "half of the tiles": (
        binary("divi", "%n", "%c128", " signed rounding<positive_inf>")
        + loop("%r")
        + binary("muli", "%i", "%c1", name="%q"),
        "%q",
        True,
    ),
    "each fourth": (loop("%tiles") + binary("muli", "%i", "%c4"), "%r", False),
    "elements, all as tiles": (loop("%n"), "%i", False),
}
HALF = over("%i", "%c2", name="%h")
UP_BY_64, UP_BY_1 = more(64), more(1)
ONLY_SIGNED = over("%e", mode="signed up", name="%q")
"""At most the number of tiles as a signed number; it may be negative."""
ONLY_UNSIGNED = over("%e", mode="unsigned up", name="%q")
CUT = binary("mini", "%tiles", "%y", " signed", "%q")
"""At most the number of tiles, or negative."""
WIDE = resized("exti", "%tiles", "i32 i64", "signed", "%z")
FAR_BELOW = (
    resized("exti", "%y", "i32 i64", "signed", "%y2")
    + "%g = constant <i64: 1073741824> : tile<i64>\n"
    + binary("muli", "%y2", "%g", name="%y3", kind="i64")
)
MADE_OF_INDEX = {
    "assumed": (loop("%tiles") + f"%r = assume {NATURAL}, %i : tile<i32>", "%r", True),
    "extended": (
        loop("%tiles") + resized("exti", "%i", "i32 i64", "signed"),
        "%r i64",
        True,
    ),
    "truncated": (loop("%tiles") + resized("trunci", "%i", "i32 i16"), "%r i16", True),
    "one of two tiles": (loop("%tiles") + HALF + chosen("%i", "%h"), "%r", True),
    "a tile or another": (loop("%tiles") + chosen("%i", "%m"), "%r", False),
    "another or a tile": (loop("%tiles") + chosen("%m", "%i"), "%r", False),
    "greater of two tiles": (
        loop("%tiles") + HALF + binary("maxi", "%h", "%i", " signed"),
        "%r",
        True,
    ),
    "at least another": (
        loop("%tiles") + binary("maxi", "%i", "%m", " signed"),
        "%r",
        False,
    ),
    **{
        f"lesser of {x} and {y}, {sign}": (
            loop("%tiles") + binary("mini", x, y, f" {sign}"),
            "%r",
            expected,
        )
        for x, y, sign, expected in (
            ("%i", "%m", "signed", True),
            ("%m", "%i", "signed", True),
            ("%i", "%y", "signed", False),
            ("%y", "%i", "signed", False),
            ("%i", "%y", "unsigned", True),
            ("%y", "%i", "unsigned", True),
        )
    },
    "elements over more than a tile": (
        loop("%n", step="%c128") + over("%i", "%c128"),
        "%r",
        True,
    ),
    "halves of tiles over two": (
        over("%n", "%c32", "signed up") + loop("%r", step="%c2") + HALF,
        "%h",
        True,
    ),
    "elements, shifted": (
        SHIFT + loop("%n", step="%c64") + binary("shri", "%i", "%c6", " signed"),
        "%r",
        True,
    ),
    "elements, rounded up": (
        loop("%n") + over("%i", mode="signed up"),
        "%r",
        False,
    ),
    "elements up to anything, unsigned": (
        unsigned("%e", "%c64") + over("%i", mode="unsigned"),
        "%r",
        True,
    ),
    "elements up to anything, read as signed": (
        unsigned("%e", "%c64") + over("%i"),
        "%r",
        False,
    ),
    "one element too many": (
        UP_BY_1 + loop("%u", step="%c64") + over("%i"),
        "%r",
        False,
    ),
    "no element more": (
        more(0) + loop("%u", step="%c64") + over("%i"),
        "%r",
        True,
    ),
    "one element fewer, or all there are": (
        more(-1) + unsigned("%u") + over("%i", mode="unsigned"),
        "%r",
        False,
    ),
    "over what is not known": (loop("%n") + over("%i", "%m"), "%r", False),
    "carried number": (
        "%z = for %i in (%c0 to %tiles, step %c1) : tile<i32> "
        "iter_values(%c = %y) -> (tile<i32>) {",
        "%c",
        False,
    ),
}
BOUNDS = {
    "one tile more": (UP_BY_64 + over("%u"), "%r", False),
    "one element, rounded up": (UP_BY_1 + over("%u", mode="signed up"), "%r", False),
    "one tile more, shifted": (
        SHIFT + UP_BY_64 + binary("shri", "%u", "%c6", " signed"),
        "%r",
        False,
    ),
    "elements of all tiles": (
        binary("muli", "%tiles", "%c64", name="%u") + over("%u"),
        "%r",
        True,
    ),
    "elements of all tiles, shifted": (
        SHIFT + binary("shli", "%tiles", "%c6", name="%u") + over("%u"),
        "%r",
        True,
    ),
    "elements of all tiles and one": (
        binary("muli", "%tiles", "%c64", name="%o") + more(1, "%o") + over("%u"),
        "%r",
        False,
    ),
    "elements of other tiles": (
        binary("muli", "%m", "%c64", name="%u") + over("%u"),
        "%r",
        False,
    ),
    "elements of tiles far below zero": (
        CUT + binary("muli", "%q", "%c64", name="%u") + over("%u"),
        "%r",
        False,
    ),
    "greater of counts": (
        over("%n", name="%d") + binary("maxi", "%d", "%tiles", " signed"),
        "%r",
        True,
    ),
    "greater of elements": (
        UP + binary("maxi", "%n", "%u", " signed", "%o") + over("%o"),
        "%r",
        True,
    ),
    **{
        f"greater of {x} and {y}, too many": (
            UP_BY_64 + binary("maxi", x, y, " signed", "%o") + over("%o"),
            "%r",
            False,
        )
        for x, y in (("%n", "%u"), ("%u", "%n"))
    },
    "lesser of elements, one too many": (
        UP
        + more(64, name="%o")
        + binary("mini", "%o", "%u", " signed", "%d")
        + over("%d"),
        "%r",
        True,
    ),
    "assumed": (f"%r = assume {NATURAL}, %tiles : tile<i32>\n", "%r", True),
    "one of two counts": (over("%n", name="%d") + chosen("%d", "%tiles"), "%r", True),
    "a count or another": (chosen("%tiles", "%m"), "%r", False),
    "unsigned count": (ONLY_UNSIGNED, "%q", True),
    "over what is not known": (over("%n", "%m"), "%r", False),
    "tiles of another tensor": (other_tensor("%m"), "%s2", False),
    "length of another tensor": (other_tensor("%m") + over("%l2"), "%r", False),
    "tiles of another tensor of the extent": (other_tensor("%e"), "%s2", True),
    "a chain of choices": (
        binary("maxi", "%tiles", "%tiles", " signed", "%d0")
        + "".join(
            binary("maxi", f"%d{n}", f"%d{n}", " signed", f"%d{n + 1}")
            for n in range(11)
        ),
        "%d11",
        True,
    ),
}
"""Numbers that loops go up to."""
OTHER_LOOPS = {
    "unsigned to what may be negative": (ONLY_SIGNED + unsigned("%q"), "%i", False),
    "unsigned to a lesser number": (CUT + unsigned("%q"), "%i", False),
    "signed to an unsigned lesser number": (
        binary("mini", "%tiles", "%y", " unsigned", "%q") + loop("%q"),
        "%i",
        True,
    ),
    "wide": (WIDE + wide_loop("%z"), "%i i64", True),
    "wide, zeros before a negative number": (
        ONLY_SIGNED
        + resized("exti", "%q", "i32 i64", "unsigned", "%z")
        + wide_loop("%z"),
        "%i i64",
        False,
    ),
    "wide, unsigned": (
        ONLY_UNSIGNED
        + resized("exti", "%q", "i32 i64", "unsigned", "%z")
        + wide_loop("%z", "unsigned "),
        "%i i64",
        True,
    ),
    "wide, sign of a negative number": (
        ONLY_SIGNED
        + resized("exti", "%q", "i32 i64", "signed", "%z")
        + wide_loop("%z", "unsigned "),
        "%i i64",
        False,
    ),
    "low bits of as many": (
        WIDE + resized("trunci", "%z", "i64 i32") + loop("%r"),
        "%i",
        True,
    ),
    "low bits of fewer, or of a negative number": (
        WIDE
        + FAR_BELOW
        + binary("mini", "%z", "%y3", " signed", "%y4", "i64")
        + resized("trunci", "%y4", "i64 i32")
        + loop("%r"),
        "%i",
        False,
    ),
}
LOOPS = {
    **SIMPLE,
    **MADE_OF_INDEX,
    **{f"to: {name}": (t + loop(at), "%i", e) for name, (t, at, e) in BOUNDS.items()},
    **OTHER_LOOPS,
}
"""Text up to the loop, the index, and whether it is promised."""

EXTENTS = {
    "extended": ("%e64 i64", loop("%tiles"), "%i", True),
    "extended, another number": ("%e64 i64", loop("%m"), "%i", False),
    "at least four tiles: the fourth": ("%large i32", "", "%c3", True),
    "at least four tiles: the fifth": ("%large i32", "", "%c4", False),
    "any: the first": ("%e i32", "", "%c0", False),
}

TEST = "%f = cmpi less_than {0}, {1}, signed : tile<i32> -> tile<i1>\nif %f {{\n"
SCALARS = {
    "block": ("", "%b", LINE, False),
    "zero": ("", "%c0", LINE, False),
    "zero of a fixed extent": ("", "%c0", FIXED, True),
    "the fourth of four": (
        "%c3 = constant <i32: 3> : tile<i32>",
        "%c3",
        FIXED,
        True,
    ),
    "the fifth of four": ("", "%c4", FIXED, False),
    "before the first": ("%d = constant <i32: -1> : tile<i32>", "%d", FIXED, False),
    "remainder of four": (binary("remi", "%b", "%c4", " signed"), "%r", FIXED, True),
    "remainder of a signed number": (
        binary("remi", "%y", "%c4", " signed"),
        "%r",
        FIXED,
        False,
    ),
    "remainder of tiles": (
        binary("remi", "%b", "%tiles", " signed"),
        "%r",
        LINE,
        True,
    ),
    "remainder of tiles, unsigned": (
        binary("remi", "%y", "%tiles", " unsigned"),
        "%r",
        LINE,
        True,
    ),
    "tiles of a longer tensor": (
        other_tensor("512", FIXED.replace("256", "512")) + binary("subi", "%s2", "%c1"),
        "%r",
        FIXED,
        False,
    ),
    "remainder of tiles of a longer tensor": (
        other_tensor("512", FIXED.replace("256", "512"))
        + binary("remi", "%b", "%s2", " signed"),
        "%r",
        FIXED,
        False,
    ),
    "remainder of tiles of a tensor as long": (
        other_tensor("256", FIXED) + binary("remi", "%b", "%s2", " signed"),
        "%r",
        FIXED,
        True,
    ),
    "remainder of another number": (
        binary("remi", "%b", "%m", " signed"),
        "%r",
        LINE,
        False,
    ),
}

TRUE = "%one = constant <i1: true> : tile<i1>\n"
BOTH = "%g = {0} %one, %f : tile<i1>\nif %g {{\n"
COMPARED = TEST.replace("if %f {{\n", "")
ASSUMED = f"%a = assume {NATURAL}, %b : tile<i32>\n"
CONDITIONS = {
    "tiles": (TEST.format("%b", "%tiles"), "%b", True),
    "a signed number": (TEST.format("%y", "%tiles"), "%y", False),
    "an unsigned number": (
        TEST.format("%y", "%tiles").replace(" signed", " unsigned"),
        "%y",
        True,
    ),
    "an unsigned number, extended": (
        TEST.format("%y", "%tiles").replace(" signed", " unsigned")
        + resized("exti", "%y", "i32 i64", "unsigned"),
        "%r i64",
        True,
    ),
    "below a number that may be negative, unsigned": (
        ONLY_SIGNED + TEST.format("%b", "%q").replace(" signed", " unsigned"),
        "%b",
        False,
    ),
    "another number": (TEST.format("%b", "%m"), "%b", False),
    "the other way": (TEST.format("%tiles", "%b"), "%b", False),
    "greater": (
        TEST.format("%tiles", "%b").replace("less", "greater"),
        "%b",
        True,
    ),
    "greater, the other way": (
        TEST.format("%b", "%tiles").replace("less", "greater"),
        "%b",
        False,
    ),
    "or equal": (
        TEST.format("%b", "%tiles").replace("n %b", "n_or_equal %b"),
        "%b",
        False,
    ),
    "and": (TRUE + COMPARED.format("%b", "%tiles") + BOTH.format("andi"), "%b", True),
    "or": (TRUE + COMPARED.format("%b", "%tiles") + BOTH.format("ori"), "%b", False),
    "an assumed number": (ASSUMED + TEST.format("%a", "%tiles"), "%b", True),
    "a number that is assumed": (ASSUMED + TEST.format("%b", "%tiles"), "%a", True),
    "of another tile": (TEST.format("%by", "%tiles"), "%b", False),
}
