# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of kernels and globals that are legal in PTX."""

from __future__ import annotations

import re

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.walk import entry_name, location_text

_IDENTIFIER = r"(?a)[A-Za-z][\w$]*|[_$%][\w$]+"
"""PTX ISA, "Identifiers". LLVM ends the process on other names."""


def check_name(op: ir.Operation) -> None:
    """Refuses a kernel's or global's symbol that is not legal in PTX.

    Raises:
        UserError: The symbol is no identifier of PTX.
    """
    name = entry_name(op)
    if not re.fullmatch(_IDENTIFIER, name):
        raise UserError(
            "expected a name of ASCII letters, digits, _ and $ for what PTX names, "
            f"got {name!r}",
            location_text(op),
        )
