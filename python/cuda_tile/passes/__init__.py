# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's passes: one file, one flag, one contract each.

They do what plans say; what plans say is chosen in the package `plan`. Rewriting passes
share code in `rewrites`, the passes between levels have rules in `place`, `stage` and
`emit`.
"""
