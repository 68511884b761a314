# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Level W to level P: the lowering of each op for one thread, one rule per op.

In rules and their helpers `e` is the `Emitter` and `b` its `Builder`.
"""
