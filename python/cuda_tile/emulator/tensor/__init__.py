"""Tensor maps, tensor memory and the tensor cores of wgmma and tcgen05."""
