# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes by which `allocate` describes a kernel's tensor memory."""

from __future__ import annotations

TENSOR_ATTRIBUTE = "tileas.tensor"
"""On an entry: where in its shared memory the mbarrier of its products begins, in
bytes, and behind that the address of its columns."""
TENSOR_BYTES = 16
"""Shared memory of both; behind it are the mbarriers of sums that have their own."""
