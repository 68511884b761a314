# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of cuTile for the tuner: constants that the author marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile.cutile.binding import flattened
from cuda_tile.cutile.function import Function
from cuda_tile.cutile.interface import bytecode, ready_arguments
from cuda_tile.cutile.signatures import check_kernel, passed, signature_of
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.pictures.inputs import Inputs
from cuda_tile.runtime.args import PointerTable
from cuda_tile.runtime.record import read_grid
from cuda_tile.tuning.marks import Launch, described
from cuda_tile.tuning.marks import tunable as mark


@dataclass(frozen=True)
class MarkedKernel:
    """A kernel of cuTile with its constants marked.

    Attributes:
        kernel: What `@ct.kernel` made.
        constants: Each with the values to try.
        launch: Takes the constants by name; gives grid and all arguments of a launch,
            the constants among them.
    """

    kernel: Any
    constants: Mapping[str, Sequence[Any]]
    launch: Callable[..., Launch]

    def build(self, constants: Mapping[str, Any]) -> ir.Module:
        """The module that cuTile makes for the launch.

        Raises:
            UserError: As `cutile.bytecode`.
        """
        _, args = self.launch(**constants)
        return api.load(bytecode(self.kernel, args))

    def inputs(self, module: ir.Module, constants: Mapping[str, Any]) -> Inputs:
        """The launch, without the constants.

        Raises:
            UserError: An argument does not fit, or is a list of arrays.
        """
        grid, args = self.launch(**constants)
        words, name = ready_arguments(args), Function.of(self.kernel).name
        given = passed(signature_of(self.kernel, words).parameters, words)
        types = parameter_types(find_entry(module.operation, None))
        values = flattened(types, given, name)
        if any(isinstance(value, PointerTable) for value in values):
            raise UserError(
                f"expected arguments of {name} that are arrays and numbers to tune it, "
                "got a list of arrays, which holds addresses of this process"
            )
        return Inputs(read_grid(grid), values, described(args), is_generated=False)


def tunable(
    launch: Callable[..., Launch], /, **constants: Sequence[Any]
) -> Callable[[Any], MarkedKernel]:
    """Marks constants of a kernel of cuTile, for `cuda_tile.tune`.

    Args:
        launch: Takes the constants by name; gives grid and arguments as for
            `cutile.launch`.
        constants: Names, each with the values to try.

    Returns:
        A decorator of what `@ct.kernel` made.

    Raises:
        UserError: A constant has no values, or it is no kernel.
    """

    def marked(kernel: Any) -> MarkedKernel:
        check_kernel(kernel)
        known = mark(launch, **constants)(kernel).constants
        return MarkedKernel(kernel, known, launch)

    return marked
