# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All kernels of the zoo, field by field."""

from __future__ import annotations

from importlib import import_module

from zoo.case import Case

FIELDS = (
    "language",
    "backward",
    "vision",
    "graphs",
    "signals",
    "stencils",
    "sorting",
    "quantising",
    "optimisers",
    "sampling",
)


def load() -> dict[str, Case]:
    """Every kernel by its name."""
    found: dict[str, Case] = {}
    for name in FIELDS:
        for case in import_module(f"zoo.kernels.{name}").FIELD.cases:
            assert case.name not in found, case.name
            found[case.name] = case
    return found
