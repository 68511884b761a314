# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An output of a few bytes that says it is a tebibyte."""

import cupy as cp
import numpy as np


def candidate(x, y):
    return np.broadcast_to(cp.float32(1), (1 << 38,))
