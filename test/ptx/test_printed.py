# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of CTAs that print at the same time."""

from cuda_tile.emulator.machine.printed import Printed


def test_lines_of_two_ctas_are_not_mixed() -> None:
    printed = Printed()
    for cta, text in ((0, "a"), (1, "x"), (0, "b\nc"), (1, "y\n"), (0, "d")):
        printed.add(cta, text)
    assert printed.text == "ab\nxy\ncd"


def test_calls_of_one_cta_stay_in_their_order() -> None:
    printed = Printed()
    for text in ("0 ", "1 ", "\n", "", "2\n3\n"):
        printed.add(0, text)
    assert printed.text == "0 1 \n2\n3\n"
