# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which torch tensors pass for tensors of the device: those whose memory is marked.

The mark is on the storage, which all views of a tensor share, also those that torch
makes by itself. Copies have storages of their own.
"""

from __future__ import annotations

import sys
from typing import Any

_CLEAN_EVERY = 4096


class Marks:
    """Storages by their address.

    A weak reference keeps torch from using the address again, so that a storage is
    never taken for one that has died.
    """

    def __init__(self) -> None:
        self._storages: dict[int, Any] = {}
        self._clean_at = _CLEAN_EVERY

    def add(self, tensor: Any) -> None:
        """Marks the memory of a tensor."""
        storage = _storage(tensor)
        if storage is None or storage._cdata in self._storages:
            return
        if len(self._storages) >= self._clean_at:
            self._clean()
        reductions = sys.modules["torch.multiprocessing.reductions"]
        self._storages[storage._cdata] = reductions.StorageWeakRef(storage)

    def has(self, tensor: Any) -> bool:
        """Whether the memory of a tensor is marked."""
        if not self._storages:
            return False
        storage = _storage(tensor)
        return storage is not None and storage._cdata in self._storages

    def has_address(self, tensor: Any) -> bool:
        """Whether the memory of a tensor is that of a marked one with another storage.

        So it is after an exchange with another library.
        """
        self._clean()
        storage = _storage(tensor)
        reductions = sys.modules["torch.multiprocessing.reductions"]
        made = reductions.torch.UntypedStorage._new_with_weak_ptr
        return storage is not None and any(
            made(ref.cdata).data_ptr() == storage.data_ptr()
            for ref in self._storages.values()
        )

    def _clean(self) -> None:
        alive = {key: ref for key, ref in self._storages.items() if not ref.expired()}
        self._storages = alive
        self._clean_at = max(_CLEAN_EVERY, 2 * len(alive))


def _storage(tensor: Any) -> Any:
    """The storage of a tensor, or None of one that has no memory; storages as such."""
    torch = sys.modules["torch"]
    if isinstance(tensor, torch.UntypedStorage):
        return tensor
    with torch._C.DisableTorchFunction():
        try:
            return tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):
            return None


MARKS = Marks()
"""The marks of the process: memory is the process's too."""


def is_marked(tensor: Any) -> bool:
    """Whether a tensor passes for one of the device."""
    return MARKS.has(tensor)
