# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps, tensor memory and the tensor cores of wgmma and tcgen05."""
