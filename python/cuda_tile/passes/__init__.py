# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's passes: one file, one flag, one contract each.

They carry out plans; the package `plan` makes them. Some choices need no plan and are
made where they are used: layouts (`place`), the shape of an exchange (`stage`), the
instructions of one op (`emit`), whether to move a barrier before a loop (`barriers`).
constants.py has their numbers. Rewriting passes share code in `rewrites`. The passes
between levels have rules in `place`, `stage` and `emit`.
"""
