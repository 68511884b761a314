# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes, warps and CTAs: how many run together and which of them step at once."""
