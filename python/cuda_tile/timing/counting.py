# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the emulator is told of a compiled kernel so that it counts machine code."""

from __future__ import annotations

from functools import partial
from typing import Any

from cuda_tile.api import Compiled
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.emulator import parse
from cuda_tile.emulator.bounds.slots import machine_code
from cuda_tile.errors import UserError
from cuda_tile.machine.disassembler import find_nvdisasm
from cuda_tile.report import KernelReport
from cuda_tile.targets import find_target


def find_report(compiled: Compiled, kernel: str | None) -> KernelReport:
    """The report of one kernel.

    Args:
        compiled: What was compiled.
        kernel: Its name; None for the only one.

    Raises:
        UserError: There is none, or more than one.
    """
    found = [k for k in compiled.report.kernels if kernel in (None, k.kernel)]
    if len(found) != 1:
        names = ", ".join(k.kernel for k in compiled.report.kernels)
        raise UserError(
            f"expected the name of one of the kernels {names}, got {kernel}"
        )
    return found[0]


def counting(
    compiled: Compiled, kernel: str | None = None, *, needs_machine: bool = False
) -> dict[str, Any]:
    """Arguments `bounds`, `registers` and `machine` of a launch on the emulator.

    Without nvdisasm there is no `machine`, and bounds count PTX.

    Args:
        compiled: What was compiled.
        kernel: The kernel's name; None for the only one.
        needs_machine: Whether nvdisasm must be there.

    Raises:
        UserError: There is no such kernel, or ptxas or nvdisasm refuses.
    """
    report = find_report(compiled, kernel)
    found: dict[str, Any] = {
        "bounds": find_target(report.gpu),
        "registers": report.registers or None,
    }
    if needs_machine or find_nvdisasm() is not None:
        made = partial(assemble, gpu=report.arch, line_info=True)
        found["machine"] = machine_code(
            parse(compiled.ptx), report.kernel, lambda text: made(text).cubin
        )
    return found
