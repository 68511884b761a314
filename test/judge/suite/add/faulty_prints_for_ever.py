# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills the disk or the pipe of whoever asks."""

import sys

import cupy as cp


def candidate(x, y):
    line = "x" * (1 << 20)
    while True:
        print(line)
        print(line, file=sys.stderr)
    return cp.empty_like(x)
