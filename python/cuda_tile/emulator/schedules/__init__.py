# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All schedules of small kernels, each of the different ones once."""
