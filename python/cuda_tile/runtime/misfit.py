# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which of a caller's arguments does not fit a kernel's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.args import Argument
from cuda_tile.runtime.elements import Array, element


@dataclass(frozen=True)
class Spread:
    """One argument as parameters.

    Attributes:
        where: How messages name it: `argument 1`.
        kind: What it is: `float16[128,64]`.
        becomes: What it becomes, in words.
        parts: The parameters.
        labels: How messages name each.
    """

    where: str
    kind: str
    becomes: str
    parts: list[Argument]
    labels: list[str]

    @property
    def text(self) -> str:
        """The argument with what it is."""
        return f"{self.where}: {self.kind}"

    @property
    def array(self) -> Array | None:
        """The array that it is, if it is one with extents and strides."""
        first = self.parts[0]
        is_array = isinstance(first, np.ndarray) and len(self.parts) == 1 + 2 * (
            first.ndim
        )
        return cast(Array, first) if is_array else None


def becomes(rank: int) -> str:
    """What an array of a rank becomes, in words."""
    ending = "" if rank == 1 else "s"
    return f"pointer, {rank} extent{ending}, {rank} stride{ending}"


def check_fit(
    kernel: str, parameter_types: Sequence[str], spread: Sequence[Spread]
) -> None:
    """Refuses arguments of another number, by the one that is likely wrong.

    Args:
        kernel: Its name, for messages.
        parameter_types: Types as the dialect prints them.
        spread: What the arguments become.

    Raises:
        UserError: They become another number of parameters, or pointers stand where
            parameters are numbers.
    """
    count = sum(len(each.parts) for each in spread)
    misfit = _first_misfit(parameter_types, spread)
    if count == len(parameter_types) and misfit is None:
        return
    _check_each_is_one(kernel, parameter_types, spread)
    given = _joined(spread)
    _check_ranks(kernel, parameter_types, given)
    ending = "" if len(spread) == 1 else "s"
    said = (
        f"expected {len(parameter_types)} parameters, got {count} of {len(spread)} "
        f"argument{ending}"
    )
    if misfit is not None:
        raise UserError(f"{kernel}: {misfit.text} becomes {misfit.becomes}; {said}")
    last = f"{spread[-1].text} becomes {spread[-1].becomes}; " if spread else ""
    raise UserError(
        f"{kernel}: {last}{said}; parameter {count}, a {parameter_types[count]}, and "
        f"what is behind it are missing{_fitting_arrays(parameter_types)}"
    )


def _check_each_is_one(
    kernel: str, parameter_types: Sequence[str], spread: Sequence[Spread]
) -> None:
    """Refuses too few or too many arguments of a kernel that takes no array's shape.

    Behind no pointer there are two numbers, so that each argument is a parameter.
    """
    wanted, got = len(parameter_types), len(spread)
    kinds = "".join("p" if element(t).pointee else "n" for t in parameter_types)
    if got in (0, wanted) or "pnn" in kinds:
        return
    pairs = zip(parameter_types, spread, strict=False)
    if all((element(t).pointee is not None) == _is_pointer(s) for t, s in pairs):
        ending = "" if wanted == 1 else "s"
        missing = "".join(
            f"; argument {got}, a {kind}, is missing"
            for kind in parameter_types[got : got + 1]
        )
        raise UserError(
            f"{kernel}: expected {wanted} argument{ending}, one for each parameter, "
            f"got {got}{missing}"
        )


def _fitting_arrays(parameter_types: Sequence[str]) -> str:
    """The arrays that would fit, where all parameters may be theirs; else nothing.

    Behind each pointer there must be as many extents as strides.
    """
    pointers = [n for n, kind in enumerate(parameter_types) if element(kind).pointee]
    if not pointers or pointers[0]:
        return ""
    found: list[str] = []
    for start, end in pairwise([*pointers, len(parameter_types)]):
        rank, odd = divmod(end - start - 1, 2)
        if odd or not rank:
            return ""
        pointee = element(parameter_types[start]).pointee
        found.append(f"{pointee}[{','.join('?' * rank)}]")
    return f"; arrays {' '.join(found)} would fit"


def _first_misfit(
    parameter_types: Sequence[str], spread: Sequence[Spread]
) -> Spread | None:
    """The first argument that has pointers where parameters are numbers or none."""
    place = 0
    for each in spread:
        kinds = parameter_types[place : place + len(each.parts)]
        place += len(each.parts)
        if len(kinds) != len(each.parts) or any(
            (element(kind).pointee is not None)
            != (part is None or isinstance(part, np.ndarray))
            for kind, part in zip(kinds, each.parts, strict=True)
        ):
            return each
    return None


def _joined(spread: Sequence[Spread]) -> list[Spread]:
    """The arguments, with an array and its own extents and strides behind it as one.

    That is what the caller of `array_args` passes.
    """
    found: list[Spread] = []
    place = 0
    while place < len(spread):
        found.append(spread[place])
        numbers = spread[place].parts[1:] if spread[place].array is not None else []
        behind = spread[place + 1 : place + 1 + len(numbers)]
        place += 1 + len(numbers) * (_numbers(behind) == numbers)
    return found


def _numbers(spread: Sequence[Spread]) -> list[Argument] | None:
    """The arguments if each of them is a number."""
    parts = [each.parts[0] for each in spread]
    return None if any(isinstance(part, np.ndarray) for part in parts) else parts


def _check_ranks(
    kernel: str, parameter_types: Sequence[str], given: Sequence[Spread]
) -> None:
    """Refuses the first array whose rank is not that of the parameters.

    Between two pointers stand the extents and strides of an array and the numbers that
    follow it, so their count gives the rank, if there are as many pointers.
    """
    pointers = [n for n, t in enumerate(parameter_types) if element(t).pointee]
    places = [n for n, each in enumerate(given) if _is_pointer(each)]
    if len(pointers) != len(places):
        return
    ends = pairwise([*pointers, len(parameter_types)])
    followers = [end - at - 1 for at, end in pairwise([*places, len(given)])]
    for (start, end), place, numbers in zip(ends, places, followers, strict=True):
        each, left = given[place], end - start - 1 - numbers
        if each.array is None or left == 2 * each.array.ndim or left < 2 or left % 2:
            continue
        kinds = ", ".join(parameter_types[start : start + 1 + left])
        rank = left // 2
        raise UserError(
            f"{kernel}: {each.text} becomes {each.becomes}; expected an array of "
            f"{rank} dimension{'' if rank == 1 else 's'} for parameters {start} to "
            f"{start + left} ({kinds}), got one of {each.array.ndim}; reshape it"
        )


def _is_pointer(each: Spread) -> bool:
    return each.parts[0] is None or isinstance(each.parts[0], np.ndarray)
