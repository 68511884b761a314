# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pow of special numbers, on every CPU."""

from __future__ import annotations

import numpy as np
import pytest

from cuda_tile.interp import math

QUIET, SIGNALLING = 0x7FF8000000000000, 0x7FF0000000000001


@pytest.mark.parametrize("bits", [QUIET, SIGNALLING])
def test_one_even_with_nan(bits: int) -> None:
    nan = np.full(8, bits, np.uint64).view(np.float64)
    one, zero = np.ones(8), np.zeros(8)
    assert (math._power(nan, zero) == 1).all()
    assert (math._power(nan, -zero) == 1).all()
    assert (math._power(one, nan) == 1).all()
    assert np.isnan(math._power(nan, one)).all()
