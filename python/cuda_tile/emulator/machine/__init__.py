# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of the CTAs that run, functions compiled for it, and the scheduler."""
