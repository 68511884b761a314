# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes


def candidate(x, y):
    ctypes.string_at(8)
    return x + y
