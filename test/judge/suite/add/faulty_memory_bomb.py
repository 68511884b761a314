# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np


def candidate(x, y):
    hoard = []
    while True:
        hoard.append(np.ones(1 << 26))
