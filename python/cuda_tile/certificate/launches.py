# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of a certificate, as a user writes them."""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.certificate.certify import Launch
from cuda_tile.pictures.inputs import Inputs, generate_inputs, read_inputs


def read_launches(texts: Sequence[str], entry: ir.Operation) -> list[Launch]:
    """The launches of a kernel.

    Args:
        texts: Grid and arguments of each, as `cuda-tile-run` has them; an empty one, or
            none at all, is a launch of one tile block whose arguments are made up.
        entry: The kernel.

    Raises:
        UserError: A text is none, or does not fit the kernel.
    """
    return [_launch(text, entry) for text in texts or ("",)]


def _launch(text: str, entry: ir.Operation) -> Launch:
    def inputs() -> Inputs:
        if not text:
            return generate_inputs(entry)
        return read_inputs(text, entry, "--certify-run")

    return Launch(text, inputs().grid, lambda: inputs().args)
