# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The standing fuzz: all generators of programs, their findings and what they reach."""
