# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Happens-before by the PTX memory consistency model: vector clocks and scopes."""
