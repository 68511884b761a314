# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may choose for one compilation, as one frozen and checked value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from typing import Any

from cuda_tile.errors import Unsupported, UserError
from cuda_tile.records import dataclass
from cuda_tile.runtime.record import ABIS
from cuda_tile.targets import (
    DEFAULT_GPU,
    MOST_SHARED_BYTES,
    MOST_TENSOR_COLUMNS,
    WARP_COUNTS,
    Target,
    find_target,
    target_names,
    tile_abi_problem,
)

Choice = str | int | bool
MOST_PLANS_LISTED = 1 << 16
"""More plans than any kernel has."""


def _option(default: Any, summary: str, allowed: Sequence[Choice]) -> Any:
    """A field with its line for `--help` and the values it takes besides None."""
    return field(default=default, metadata={"summary": summary, "allowed": allowed})


@dataclass(frozen=True)
class Options:
    """Choices of one compilation; equal options give equal results.

    Attributes:
        gpu: Name of the target chip, see `targets.target_names()`. None leaves it to
            the `gpu` argument of `compile`, and to `targets.DEFAULT_GPU` without one.
        num_warps: Warps per CTA for every kernel, or None to let `plan` choose.
        abi: What the launcher does: "maps" appends the parameters that the launch
            record lists, such as tensor maps; "cuda" passes the kernel's own only;
            "tile" also leaves the extents of a block to the kernel, as the launchers
            of producers do (sm_90 and later).
        persistent: Whether a CTA serves several tile blocks, one after another, in
            kernels that gain by it (plan/persist.py). The launch record then
            says "persistent".
        shared_budget: Bytes of shared memory per CTA that `plan` counts on for copies
            that run ahead, instead of all that the chip has.
        tensor_budget: Columns of tensor memory per CTA that `plan` counts on for sums,
            instead of all that the chip has; 0: no product goes there.
        pairs: Whether two CTAs multiply together in tensor memory where a producer
            hints at two (`num_cta_in_cga`).
        plan: Number of the plan that every kernel shall have, of those that
            `list_plans` gives, instead of the one that costs least.
        llvm_opt_level: Optimisation level of LLVM's passes and code generator, 0 to 3.
        ptxas_opt_level: Optimisation level given to ptxas, 0 to 3.
        line_info: Whether PTX and cubin carry line tables, as `nvcc -lineinfo` makes.
        device_debug: Whether they carry full debug info, as `nvcc -G` makes. The code
            is not optimised then, whatever the levels; line tables are included.
        libdevice: Whether the functions of libdevice that a kernel calls are linked
            into its PTX, where LLVM inlines them. Without, they are calls, with which
            the emulator computes in place of floats; ptxas refuses them.
        verify_each: Whether the verifier runs after every pass. It always runs after
            a user's function, see `pipeline`.
        check: Whether passes that have a checker (`checkers/`) are judged by it.

    Raises:
        UserError: A field has a value that is not allowed, on construction.
    """

    gpu: str | None = _option(None, "target chip, sm_75 and up", tuple(target_names()))
    num_warps: int | None = _option(
        None, "warps per CTA, instead of what plan would choose", WARP_COUNTS
    )
    abi: str = _option("maps", "what the launcher does: maps, cuda or tile", ABIS)
    persistent: bool = _option(
        False, "let a CTA serve several tile blocks where it gains", (False, True)
    )
    shared_budget: int | None = _option(
        None,
        "bytes of shared memory per CTA that plan counts on, instead of all",
        range(1, MOST_SHARED_BYTES + 1),
    )
    tensor_budget: int | None = _option(
        None,
        "columns of tensor memory per CTA that plan counts on, instead of all",
        range(MOST_TENSOR_COLUMNS + 1),
    )
    pairs: bool = _option(
        True, "let pairs of CTAs multiply together where hints ask", (False, True)
    )
    plan: int | None = _option(
        None,
        "number of a plan of --list-plans, instead of what plan would choose",
        range(MOST_PLANS_LISTED),
    )
    llvm_opt_level: int = _option(2, "optimisation level of LLVM", (0, 1, 2, 3))
    ptxas_opt_level: int = _option(3, "optimisation level of ptxas", (0, 1, 2, 3))
    line_info: bool = _option(True, "write line tables", (False, True))
    device_debug: bool = _option(
        False, "write full debug info, do not optimise", (False, True)
    )
    libdevice: bool = _option(
        True, "link functions of libdevice, instead of calls", (False, True)
    )
    verify_each: bool = _option(True, "verify the IR after every pass", (False, True))
    check: bool = _option(
        False, "judge what passes leave by their checkers", (False, True)
    )

    def __post_init__(self) -> None:
        if isinstance(self.gpu, str):
            find_target(self.gpu)  # for its message
        for choice in fields(self):
            value = getattr(self, choice.name)
            if value is None and choice.default is None:
                continue
            allowed: Sequence[Choice] = choice.metadata["allowed"]
            # By type too, for 1 == True.
            if type(value) is not type(allowed[0]) or value not in allowed:
                raise UserError(
                    f"expected {choice.name} of {_named(allowed)}, got {value!r}"
                )

        problem = tile_abi_problem(self.target) if self.abi == "tile" else None
        if problem is not None:
            raise Unsupported(problem)

    @property
    def target(self) -> Target:
        """The chip to compile for."""
        return find_target(self.gpu or DEFAULT_GPU)

    @property
    def opt_levels(self) -> tuple[int, int]:
        """The levels of LLVM and ptxas that hold.

        ptxas refuses to optimise code with full debug info, and LLVM would lose lines.
        """
        if self.device_debug:
            return 0, 0
        return self.llvm_opt_level, self.ptxas_opt_level


def _named(allowed: Sequence[Choice]) -> str:
    """The values that a field takes, in words."""
    if isinstance(allowed, range):
        return f"{allowed[0]} to {allowed[-1]}"
    return f"{', '.join(str(each) for each in allowed[:-1])} or {allowed[-1]}"


def option_summary(name: str) -> str:
    """The line for `--help` of a field of `Options`."""
    return next(f.metadata["summary"] for f in fields(Options) if f.name == name)


def option_flag(name: str) -> str:
    """How a tool spells a field of `Options`."""
    return name.replace("_", "-")


def option_default(name: str) -> str:
    """What a tool takes a field of `Options` to be if its flag is not given.

    Empty, which `option_from_text` reads as the default; but of a Boolean, whose flag
    alone means true, that default is spelled.
    """
    default = next(f.default for f in fields(Options) if f.name == name)
    return str(default).lower() if isinstance(default, bool) else ""


def option_from_text(name: str, text: str) -> Any:
    """The value of a field of `Options` as a tool's flag spells it.

    Args:
        name: The field.
        text: Its value; empty is the default, or true for a Boolean.

    Raises:
        UserError: The text does not spell a value of the field's type. That the
            value is allowed is checked where `Options` are made.
    """
    flag = option_flag(name)
    default, allowed = next(
        (f.default, f.metadata["allowed"]) for f in fields(Options) if f.name == name
    )
    if isinstance(allowed[0], bool):
        spelled = {"": True, "true": True, "1": True, "false": False, "0": False}
        if text.lower() not in spelled:
            raise UserError(f"expected true or false for {flag}, got '{text}'")
        return spelled[text.lower()]
    if not text:
        return default
    if isinstance(allowed[0], int):
        if not text.isdecimal():
            raise UserError(f"expected an integer for {flag}, got '{text}'")
        return int(text)
    return text
