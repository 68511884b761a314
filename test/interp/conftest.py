# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that ask for `version` or `seed` run for each."""

from __future__ import annotations

import pytest
from interp_kernels import SEEDS, VERSIONS


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """Bytecode version of a kernel file."""
    return request.param


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest) -> int | None:
    """Program order, and everything that the text leaves open at random."""
    return request.param
