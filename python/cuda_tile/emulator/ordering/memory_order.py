# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Semantics and scope of an access or a fence.

PTX ISA, "Memory Consistency Model": "Scope", "Strong operations".
"""

from __future__ import annotations

from typing import NamedTuple

WEAK, CTA, CLUSTER, DEVICE = 0, 1, 2, 3
SCOPES = {"cta": CTA, "cluster": CLUSTER, "gpu": DEVICE, "gl": DEVICE, "sys": DEVICE}


class MemoryOrder(NamedTuple):
    """Semantics and scope of a strong access or a fence.

    Attributes:
        scope: CTA, CLUSTER or DEVICE.
        releases, acquires: Whether it orders what precedes it, or what follows.
    """

    scope: int
    releases: bool = False
    acquires: bool = False

    @classmethod
    def of(cls, semantics: str, scope: str) -> MemoryOrder | None:
        """From PTX qualifiers; None for weak accesses.

        Args:
            semantics: "weak", "volatile", "mmio", "relaxed", "release", "acquire",
                "acq_rel", "sc" or nothing.
            scope: "cta", "cluster", "gpu", "gl", "sys", or nothing for the device.
        """
        if semantics in ("", "weak"):
            return None
        return cls(
            SCOPES.get(scope, DEVICE),
            semantics in ("release", "acq_rel", "sc"),
            semantics in ("acquire", "acq_rel", "sc"),
        )
