# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants that the author of a kernel marks, with the values that a tuner may try."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from cuda_tile._mlir import ir
from cuda_tile.constants import LOOP_TRIPS
from cuda_tile.errors import UserError
from cuda_tile.files import load
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.pictures.inputs import Inputs, generate_inputs
from cuda_tile.runtime.record import read_grid
from cuda_tile.runtime.spread import spread_args

Constants = Mapping[str, Any]
Launch = tuple[Any, Sequence[Any]]
"""Grid and arguments."""


class Source(Protocol):
    """What a tuner makes modules of."""

    @property
    def constants(self) -> Mapping[str, Sequence[Any]]:
        """Those that the author marks, each with its values."""
        ...

    def build(self, constants: Constants) -> ir.Module:
        """The module with some constants."""
        ...

    def inputs(self, module: ir.Module, constants: Constants) -> Inputs:
        """What it is run with."""
        ...


@dataclass(frozen=True)
class Given:
    """A module that stands as it is.

    Attributes:
        module: The module.
        launch: Grid and arguments; None to make some up.
    """

    module: ir.Module
    launch: Launch | None = None
    constants: Mapping[str, Sequence[Any]] = field(default_factory=dict[str, Any])

    def build(self, constants: Constants) -> ir.Module:
        """The module."""
        return self.module

    def inputs(self, module: ir.Module, constants: Constants) -> Inputs:
        """The launch."""
        return inputs_of(module, self.launch)


@dataclass(frozen=True)
class Marked:
    """A function that builds a module, with its constants marked.

    Attributes:
        function: Takes the constants by name; gives a module of `cuda_tile.builder`, or
            the bytes of a file.
        constants: Each with the values to try.
        launch: Takes the constants too; gives grid and arguments. None to make some up.
    """

    function: Callable[..., Any]
    constants: Mapping[str, Sequence[Any]]
    launch: Callable[..., Launch] | None = None

    def __call__(self, **constants: Any) -> Any:
        """Calls the function, as if it were not marked."""
        return self.function(**constants)

    def build(self, constants: Constants) -> ir.Module:
        """The module.

        Raises:
            UserError: The function gives something else.
        """
        made = self.function(**constants)
        if isinstance(made, bytes):
            return load(made)
        if not isinstance(made, ir.Module):
            name = getattr(self.function, "__name__", "the function")
            raise UserError(
                f"expected {name} to give a module or a file's bytes, got {made!r:.60}"
            )
        return made

    def inputs(self, module: ir.Module, constants: Constants) -> Inputs:
        """The launch.

        Raises:
            UserError: It does not fit the kernel.
        """
        launch = None if self.launch is None else self.launch(**constants)
        return inputs_of(module, launch)


def tunable(
    launch: Callable[..., Launch] | None = None, /, **constants: Sequence[Any]
) -> Callable[[Callable[..., Any]], Marked]:
    """Marks constants of a function that builds a kernel, for `tune`.

    Args:
        launch: Takes the constants by name; gives grid and arguments of a launch that
            is counted, the same work whatever the constants. By default one tile block
            on arrays that are made up, which compares plans, but no constants.
        constants: Names of the function's parameters, each with the values to try.

    Returns:
        A decorator.

    Raises:
        UserError: A constant has no values, or one has several and nothing is launched.
    """
    for name, values in constants.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError(
                f"expected values of {name}, such as (64, 128), got {values!r}"
            )
    if launch is None and any(len(values) > 1 for values in constants.values()):
        raise UserError(
            "expected tunable(launch, ...) with a function that gives grid and "
            "arguments, got none: kernels of other constants do other work"
        )
    return lambda function: Marked(function, constants, launch)


def inputs_of(module: ir.Module, launch: Launch | None) -> Inputs:
    """A launch for the only kernel of a module.

    Args:
        module: The module.
        launch: Grid and arguments as for `cuda_tile.run`; None to make some up.

    Raises:
        UserError: The module has several kernels, or arguments do not fit.
    """
    entry = find_entry(module.operation, None)
    if launch is None:
        # Of fewer iterations a ring starts all copies before the loop.
        return generate_inputs(entry, LOOP_TRIPS)
    grid, args = launch
    values = spread_args(entry_name(entry), parameter_types(entry), list(args))
    return Inputs(read_grid(grid), list(values), described(args), is_generated=False)


def described(args: Sequence[Any]) -> str:
    """Arguments in a few words."""
    words = [
        f"{each.dtype}[{','.join(map(str, each.shape))}]"
        if hasattr(each, "dtype") and hasattr(each, "shape") and each.shape
        else str(each)
        for each in args
    ]
    return " ".join(words)
