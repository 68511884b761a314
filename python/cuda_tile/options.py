"""What a user may choose for one compilation, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Choices of one compilation; equal options give equal results.

    Attributes:
        gpu: Name of the target chip, see `targets.target_names()`.
        num_warps: Warps per CTA for every kernel, or None to let `plan` choose.
        llvm_opt_level: Optimisation level of the LLVM part, 0 to 3.
        ptxas_opt_level: Optimisation level given to ptxas, 0 to 3.
        line_info: Whether PTX and cubin carry source lines.
    """

    gpu: str = "sm_90"
    num_warps: int | None = None
    llvm_opt_level: int = 2
    ptxas_opt_level: int = 3
    line_info: bool = False
