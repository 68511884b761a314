# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that cuTile wrote: each compiles, or is refused at a line of its source."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest

import cuda_tile
from cuda_tile.errors import Unsupported

CORPUS = Path(__file__).parents[1] / "kernels" / "cutile" / "corpus.tar.xz"
STRIDE = 11
"""Every so many kernels are looked at here; all of them take ten times as long."""


def refusal(data: bytes, gpu: str) -> Unsupported | None:
    """What the compiler says of a kernel, None if it compiles."""
    try:
        cuda_tile.compile(cuda_tile.load(data), gpu, cubin=False)
    except Unsupported as error:
        return error
    return None


@pytest.mark.parametrize("gpu", ["sm_80", "sm_120"])
def test_compiled_or_refused(gpu: str) -> None:
    refusals: dict[str, Unsupported | None] = {}
    with tarfile.open(CORPUS) as archive:
        members = [m for m in archive.getmembers() if m.name.startswith("13.4/")]
        for member in members[::STRIDE]:
            file = archive.extractfile(member)
            assert file
            refusals[member.name] = refusal(file.read(), gpu)
    for name, error in refusals.items():
        if error is not None:
            assert re.fullmatch(r'[^"]+:\d+:\d+', error.location or ""), name
            assert ";" in error.message, f"{name}: no way out: {error.message}"
    assert len([name for name, error in refusals.items() if error is None]) > 50
