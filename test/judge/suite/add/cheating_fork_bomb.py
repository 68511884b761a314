# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os


def candidate(x, y):
    while True:
        try:
            os.fork()
        except OSError:
            return x + y
