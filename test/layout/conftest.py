# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hypothesis settings of the layout tests: no deadline, the same cases each run."""

from hypothesis import settings

settings.register_profile("layout", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("layout")
