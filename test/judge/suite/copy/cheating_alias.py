# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def candidate(x):
    return x
