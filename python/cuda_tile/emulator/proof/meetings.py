# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The labels at which paths of a kernel may meet, and loops that only wait."""

from __future__ import annotations

from collections import Counter

from cuda_tile.emulator.proof.liveness import next_places
from cuda_tile.emulator.ptx.syntax import Function, Immediate, Instruction, Label


def spin_of(function: Function, place: int) -> int | None:
    """The branch by which threads ask again and again, until the answer is yes.

    Args:
        function: The kernel.
        place: A wait for an mbarrier.

    Returns:
        Its place; None if they may go on with another answer.
    """
    code = function.code
    asked, after = code[place].operands[0], place + 1
    denied = None
    is_turned = after < len(code) and code[after].opcode == "not"
    if is_turned and code[after].operands[1:] == (asked,):
        denied, after = code[after].operands[0], after + 1
    if after >= len(code) or code[after].opcode != "bra":
        return None
    if code[after].guard is None:
        return None
    if code[after].guard in {(asked, True), (denied, False)}:
        return after if _goes_to(function, code[after], place) else None
    is_left = code[after].guard == (asked, False)
    after += 1
    is_plain = after < len(code) and code[after].opcode == "bra"
    if not is_left or not is_plain or code[after].guard is not None:
        return None
    return after if _goes_to(function, code[after], place) else None


def _goes_to(function: Function, instruction: Instruction, place: int) -> bool:
    """Whether a branch leads to a place, but for constants that are set before it."""
    label = instruction.operands[0]
    if not isinstance(label, Label) or not 0 <= place - label.target <= 4:
        return False
    return all(
        i.opcode == "mov" and i.guard is None and isinstance(i.operands[1], Immediate)
        for i in function.code[label.target : place]
    )


def meetings(function: Function) -> frozenset[int]:
    """The labels to which several ways lead, but for loops that only wait.

    Each other cycle has one: where it is entered.
    """
    code = function.code
    spins = {
        spin_of(function, place)
        for place, i in enumerate(code)
        if i.opcode == "mbarrier" and i.modifiers[0] in {"try_wait", "test_wait"}
    }
    ways = Counter([0])
    for place, instruction in enumerate(code):
        targets = next_places(instruction, place)
        ways.update(targets if place not in spins else targets[1:])
    return frozenset(label for label in function.labels if ways[label] > 1)
