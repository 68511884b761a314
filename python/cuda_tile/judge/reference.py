# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference: what the candidate is asked, and what is right. It is trusted."""

from __future__ import annotations

import inspect
import itertools
import runpy
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.judge.arguments import arrays_of, as_array, copied, outputs_of
from cuda_tile.judge.draw import OTHER_KINDS_ON, Draws, draws
from cuda_tile.judge.tensors import as_array_of, is_tensor, seed_tensors, tensor_of
from cuda_tile.runtime.elements import Array

CASES = 6
"""Cases where a reference says nothing of `CASES`."""


@dataclass(frozen=True)
class Reference:
    """A module with `inputs` and `reference`.

    Attributes:
        path: Its file.
        names: What it defines.
    """

    path: Path
    names: dict[str, Any]

    @classmethod
    def load(cls, path: Path) -> Reference:
        """Runs the file.

        Raises:
            UserError: It is not there, or lacks a function.
        """
        if not path.is_file():
            raise UserError(f"cannot read '{path}': there is no such file")
        with _blamed(path):
            names = runpy.run_path(str(path), run_name="reference")
        for name in ("inputs", "reference"):
            if not callable(names.get(name)):
                raise UserError(
                    f"{path}: expected a function {name}; see docs/judging.md"
                )
        return cls(path, names)

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return int(self.names.get("CASES", CASES))

    @property
    def tolerance(self) -> tuple[float, float] | None:
        """Relative and absolute, or None for derived bounds."""
        found = self.names.get("TOLERANCE")
        if found is None:
            return None
        relative, absolute = np.broadcast_to(np.asarray(found, float), 2).tolist()
        return relative, absolute

    @property
    def program(self) -> Callable[..., Any] | None:
        """The reference's own kernels, a function as a candidate is; if it has one."""
        return self.names.get("program")

    def inputs(self, number: int, seed: int, turn: int = 0) -> list[Any]:
        """The arguments of a call.

        Args:
            number: The case. Shapes and numbers depend on it alone.
            seed: Draws the data.
            turn: Which call of the case; the second has other data, of another kind
                if `draw` makes it.

        Raises:
            UserError: They are no arguments, or the shapes are others.
        """
        args = [_plain(arg) for arg in self._given(number, draws([seed, 0, number]))]
        if turn != 1:
            return args
        rng = draws([seed, 7, number], OTHER_KINDS_ON)
        other = [_plain(arg) for arg in self._given(number, rng)]
        return _with_data_of(args, other, self.path)

    def _given(self, number: int, rng: Draws) -> Sequence[Any]:
        """What the file's own function gives for a case."""
        seed_tensors(rng.words)
        function = self.names["inputs"]
        with _blamed(self.path):
            if inspect.isgeneratorfunction(function):
                cases: Iterator[Any] = function(rng)
                found: Any = next(itertools.islice(cases, number, None), None)
            else:
                found = function(rng, number)
        if not isinstance(found, (tuple, list)):
            raise UserError(
                f"{self.path}: expected inputs to give a tuple of arguments for case "
                f"{number}, got {found!r}"
            )
        return cast("Sequence[Any]", found)

    @cached_property
    def has_tensors(self) -> bool:
        """Whether its inputs are tensors of PyTorch: candidates get these then."""
        return any(map(is_tensor, self._given(0, draws([0, 0]))))

    def handed(self, args: Sequence[Any], is_on_device: bool = False) -> list[Any]:
        """Arguments as functions get them: arrays, or tensors with their memory."""
        if not self.has_tensors:
            return list(args)
        return [
            arg if (array := as_array(arg)) is None else tensor_of(array, is_on_device)
            for arg in args
        ]

    def answer(self, args: Sequence[Any]) -> tuple[list[Array], list[Array]]:
        """The outputs, and the arrays among the arguments as they are afterwards."""
        own = copied(args)
        with np.errstate(all="ignore"), _blamed(self.path):
            result = self.names["reference"](*self.handed(own))
        return [np.array(each) for each in outputs_of(result)], arrays_of(own)


@contextmanager
def _blamed(path: Path) -> Generator[None]:
    """Says of what a reference raises that it did."""
    try:
        yield
    except (UserError, MemoryError):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise UserError(f"{path}: the reference raised {said}") from error


def _plain(arg: Any) -> Any:
    if is_tensor(arg):
        return np.array(as_array_of(arg))
    return cast("Any", arg).item() if isinstance(arg, np.generic) else arg


def _with_data_of(args: Sequence[Any], other: Sequence[Any], path: Path) -> list[Any]:
    """The arguments of a case with other data, but the same shapes and numbers.

    Raises:
        UserError: The shapes are others.
    """
    pairs = list(zip(args, other, strict=True))
    for one, two in ((as_array(one), as_array(two)) for one, two in pairs):
        if one is None and two is None:
            continue
        layouts = [a if a is None else (a.dtype.name, a.shape) for a in (one, two)]
        if layouts[0] != layouts[1]:
            raise UserError(
                f"{path}: expected the shapes of a case to depend on its number alone, "
                f"got {layouts[0]} and then {layouts[1]}"
            )
    return [one if as_array(one) is None else two for one, two in pairs]
