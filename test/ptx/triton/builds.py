# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types, constants and options with which Triton compiles a kernel."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Build:
    """One kernel in one version.

    Attributes:
        fn: The kernel, under `triton.jit` or `gluon.jit`.
        types: Types of the parameters that are not constant, in order.
        targets: Compute capabilities, such as 90.
        constants: Values of the constant parameters.
        options: Triton's, such as `num_warps` and `num_stages`.
        variant: What to add to the kernel's name.
    """

    fn: Any
    types: str
    targets: tuple[int, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    variant: str = ""

    @property
    def name(self) -> str:
        """Name of the build, without the target."""
        return (
            f"{self.fn.__name__}_{self.variant}" if self.variant else self.fn.__name__
        )

    @property
    def signature(self) -> dict[str, str]:
        """Type of each parameter by its name, `constexpr` for the constant ones."""
        types = iter(self.types.split())
        return {
            name: "constexpr" if name in self.constants else next(types)
            for name in self.fn.arg_names
        }

    @property
    def attributes(self) -> dict[tuple[int], list[list[Any]]]:
        """What Triton may rely on: arrays begin at multiples of 16 bytes."""
        return {
            (place,): [["tt.divisibility", 16]]
            for place, ty in enumerate(self.signature.values())
            if ty.startswith("*")
        }


class Divisible(Build):
    """A build whose integers, too, are multiples of 16, as Triton's launcher finds.

    All but the number of rows, which need not be.
    """

    @property
    def attributes(self) -> dict[tuple[int], list[list[Any]]]:
        """What Triton may rely on."""
        return {
            (place,): [["tt.divisibility", 16]]
            for place, (name, ty) in enumerate(self.signature.items())
            if ty.startswith("*") or (ty == "i32" and name != "rows")
        }
