# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def candidate(x, y):
    return candidate(y, x)
