# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stand-in for the CUDA driver library; its source is in `python/standin`.

Once it is loaded, whatever asks the process for `libcuda.so.1` gets it: the dynamic
linker knows a loaded library by the name that is written in it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint64
from ctypes import c_void_p as pointer
from functools import cache
from pathlib import Path
from typing import Any

from cuda_tile.errors import InternalError, UserError
from cuda_tile.runtime.driver import STANDIN_MARK
from cuda_tile.targets import MAX_STATIC_SHARED_BYTES, find_target

FOLDER = Path(__file__).parent.parent / "_mlir" / "standin"
"""Holds the driver library and the program `tileiras`, as the build leaves them."""

DRIVER_VERSION = 13040
"""`cuDriverGetVersion`: CUDA 13.4, the newest that cuTile 1.7 makes use of."""

MULTIPROCESSORS = 16
"""Fewer than chips have: programs that launch as many tile blocks as there are
multiprocessors then need few, which run one after the other."""

MAX_GRID = (2**31 - 1, 65535, 65535)
SUCCESS, INVALID_VALUE, LAUNCH_FAILED = 0, 1, 719
"""Of `CUresult`."""

_PREPARE = CFUNCTYPE(
    c_int,
    pointer,
    c_size_t,
    c_char_p,
    POINTER(c_uint * 6),
    POINTER(pointer),
    POINTER(c_uint64),
)
_BY_TOKEN = CFUNCTYPE(c_int, c_uint64)

Prepare = Callable[[bytes, str, tuple[int, int, int], Sequence[int]], int | None]
"""Called with image, entry, tile blocks and the addresses of the parameters; gives a
number for the launch, or None where it failed."""


def device_attributes(gpu: str) -> dict[int, int]:
    """What the device says of itself, by `CUdevice_attribute`."""
    target = find_target(gpu)
    return {
        1: 1024,  # MAX_THREADS_PER_BLOCK
        **dict(zip((5, 6, 7), MAX_GRID, strict=True)),  # MAX_GRID_DIM_X, Y, Z
        8: MAX_STATIC_SHARED_BYTES,  # MAX_SHARED_MEMORY_PER_BLOCK
        10: 32,  # WARP_SIZE
        12: target.registers_per_sm,  # MAX_REGISTERS_PER_BLOCK
        16: MULTIPROCESSORS,  # MULTIPROCESSOR_COUNT
        39: target.threads_per_sm,  # MAX_THREADS_PER_MULTIPROCESSOR
        41: 1,  # UNIFIED_ADDRESSING
        75: target.capability // 10,  # COMPUTE_CAPABILITY_MAJOR
        76: target.capability % 10,  # COMPUTE_CAPABILITY_MINOR
        81: target.shared_bytes_per_sm,  # MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
        97: target.shared_bytes_per_cta,  # MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        106: target.ctas_per_sm,  # MAX_BLOCKS_PER_MULTIPROCESSOR
    }


@cache
def load_standin() -> ctypes.CDLL:
    """Loads the library into the process.

    Raises:
        UserError: The process has another driver library already.
        InternalError: It was not built.
    """
    library = FOLDER / "libcuda.so.1"
    if not library.exists():
        raise InternalError(f"expected {library}, which the build makes, found none")
    loaded = ctypes.CDLL(str(library))
    # By its name alone the linker gives the library that programs get.
    found: Any = ctypes.CDLL("libcuda.so.1")
    if not hasattr(found, STANDIN_MARK):
        raise UserError(
            "cannot run cuTile without the GPU: this process has already loaded the "
            "CUDA driver; call cuda_tile.cutile.install() before anything that uses "
            "the GPU, or run the program by python -m cuda_tile.cutile"
        )
    loaded.standinSetVersion(DRIVER_VERSION)
    return loaded


class Connection:
    """The stand-in, as long as its launches come here.

    Args:
        gpu: Which chip the device is.
        prepare: Called for each launch.
        run: Called to run a prepared launch; says whether it did.
        drop: Called when a prepared launch is not run again.
    """

    def __init__(
        self,
        gpu: str,
        prepare: Prepare,
        run: Callable[[int], bool],
        drop: Callable[[int], None],
    ) -> None:
        self._library = load_standin()
        for number, value in device_attributes(gpu).items():
            self._library.standinSetAttribute(number, value)

        def on_prepare(
            image: Any, size: Any, entry: Any, extents: Any, parameters: Any, token: Any
        ) -> int:
            x, y, z = extents.contents[:3]
            raw = ctypes.string_at(image, size)
            number = prepare(raw, entry.decode(), (x, y, z), parameters)
            if number is None:
                return INVALID_VALUE
            token[0] = number
            return SUCCESS

        def on_run(token: int) -> int:
            return SUCCESS if run(token) else LAUNCH_FAILED

        def on_drop(token: int) -> int:
            drop(token)
            return SUCCESS

        # Kept, for the library keeps only their addresses.
        self._callbacks = (_PREPARE(on_prepare), _BY_TOKEN(on_run), _BY_TOKEN(on_drop))
        self._library.standinSetLaunch(*self._callbacks)
