# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of PyTorch, where a reference or a candidate computes with them.

All that is compared and sent is NumPy's; a tensor and its array share their memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from cuda_tile.cutile.arrays import tensor_view
from cuda_tile.cutile.marks import MARKS
from cuda_tile.runtime.elements import Array

_LIBRARY = "torch"


def load_where_named(files: Iterable[Path]) -> None:
    """Imports PyTorch if a file names it, for a cage does not let it read its files.

    Without it the cuTile of a candidate would look for it, a second in each process.
    """
    if any(_LIBRARY.encode() in file.read_bytes() for file in files):
        with suppress(ImportError):
            import_module(_LIBRARY)


def hide_where_not_loaded() -> None:
    """Makes this process one without PyTorch, unless it has it already."""
    sys.modules.setdefault(_LIBRARY, cast(Any, None))


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor of PyTorch."""
    library = sys.modules.get(_LIBRARY)
    return library is not None and isinstance(value, library.Tensor)


def as_array_of(value: Any) -> Array:
    """What a function gave as an array: of an array or tensor, of any device, a list.

    Raises:
        UserError: A tensor is sparse, or of a type that kernels do not have.
    """
    if not is_tensor(value):
        return np.asarray(value)
    return tensor_view(value.detach(), "an output")


def tensor_of(array: Array, is_on_device: bool) -> Any:
    """A tensor with the memory of an array, which has no gaps.

    Args:
        array: The array.
        is_on_device: Whether the tensor passes for one of 'cuda'.
    """
    library: Any = sys.modules[_LIBRARY]
    raw = library.from_numpy(np.asarray(array).reshape(-1).view(np.uint8))
    tensor = raw.view(getattr(library, array.dtype.name)).reshape(array.shape)
    if is_on_device:
        MARKS.add(tensor)
    return tensor


def seed_tensors(seed: Sequence[int]) -> None:
    """Seeds PyTorch's generator, where it is loaded."""
    library = sys.modules.get(_LIBRARY)
    if library is not None:
        (state,) = np.random.SeedSequence(seed).generate_state(1)
        library.manual_seed(int(state))


def fill_empty_with(pattern: int) -> None:
    """Fills what PyTorch leaves unwritten with a byte, as NumPy's is."""
    library = sys.modules.get(_LIBRARY)
    if library is None:
        return
    for home, name in (
        *((library, name) for name in ("empty", "empty_like", "empty_strided")),
        *((library.Tensor, name) for name in ("new_empty", "new_empty_strided")),
    ):
        plain = _PLAIN.setdefault(name, getattr(home, name))
        setattr(home, name, _filling(library, plain, pattern))


_PLAIN: dict[str, Any] = {}
"""The functions as PyTorch has them, by name."""


def _filling(library: Any, plain: Any, pattern: int) -> Any:
    def empty(*args: Any, **words: Any) -> Any:
        tensor = plain(*args, **words)
        if tensor.dtype != library.bool and not tensor.is_meta:
            with library._C.DisableTorchFunction(), library.no_grad():
                raw = bytearray([pattern]) * tensor.element_size()
                tensor.fill_(library.frombuffer(raw, dtype=tensor.dtype)[0])
        return tensor

    return empty
