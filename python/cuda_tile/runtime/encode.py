# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps and launches in the terms of the CUDA driver.

Sources: CUDA Driver API, "Tensor Map Object Management" (`cuTensorMapEncodeTiled`) and
"Execution Control" (`cuLaunchKernelEx`, `CUlaunchConfig`, `CUlaunchAttribute`).
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any

from cuda_tile.errors import UserError
from cuda_tile.runtime.driver import Driver
from cuda_tile.runtime.record import Dim3
from cuda_tile.runtime.tensor_map import (
    L2_PROMOTION_BYTES,
    MAP_ALIGNMENT_BYTES,
    MAP_BYTES,
    SWIZZLE_BYTES,
    TensorMapFields,
)

DATA_TYPES = {
    "i1": 0,
    "i8": 0,
    "f8E4M3FN": 0,
    "f8E5M2": 0,
    "f8E8M0FNU": 0,
    "f8E5M3FNU": 0,
    "i16": 1,
    "i32": 3,
    "i64": 5,
    "f16": 6,
    "f32": 7,
    "tf32": 7,
    "f64": 8,
    "bf16": 9,
}
"""`CUtensorMapDataType` by element; a copy changes no bits of any of these."""
INTERLEAVE_NONE = 0
FILL_ZEROS = 0
"""`CUtensorMapInterleave`, `CUtensorMapFloatOOBfill`. Swizzles and L2 promotions are
numbered in the order of `SWIZZLE_BYTES` and `L2_PROMOTION_BYTES`."""
CLUSTER_DIMENSION = 4
"""`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`."""


class LaunchAttribute(ctypes.Structure):
    """`CUlaunchAttribute`: a number, and a union of 64 bytes."""

    _fields_ = (("id", c_uint), ("padding", c_uint), ("value", c_uint64 * 8))


class LaunchConfig(ctypes.Structure):
    """`CUlaunchConfig`."""

    _fields_ = (
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_bytes", c_uint),
        ("stream", c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("attribute_count", c_uint),
    )


def encode_map(driver: Driver, fields: TensorMapFields) -> bytes:
    """The 128 bytes of a tensor map, as the driver makes them.

    Raises:
        UserError: The elements are of a type without a number, or the driver refuses.
    """
    if fields.element not in DATA_TYPES:
        raise UserError(
            f"tensor map: expected elements of {', '.join(DATA_TYPES)}, got "
            f"{fields.element}"
        )
    rank = len(fields.extents)
    storage = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT_BYTES)
    skip = -ctypes.addressof(storage) % MAP_ALIGNMENT_BYTES
    driver.call(
        "cuTensorMapEncodeTiled",
        byref(storage, skip),
        DATA_TYPES[fields.element],
        rank,
        fields.address,
        (c_uint64 * rank)(*fields.extents),
        (c_uint64 * rank)(*fields.strides_bytes),
        (c_uint32 * rank)(*fields.box),
        (c_uint32 * rank)(*(1,) * rank),
        INTERLEAVE_NONE,
        SWIZZLE_BYTES.index(fields.swizzle_bytes),
        L2_PROMOTION_BYTES.index(fields.l2_promotion_bytes),
        FILL_ZEROS,
    )
    return storage.raw[skip : skip + MAP_BYTES]


def launch_config(
    grid: Dim3, block: Dim3, cluster: Dim3, shared_bytes: int, stream: int = 0
) -> LaunchConfig:
    """How many CTAs of how many threads to launch.

    Args:
        grid: CTAs along x, y, z.
        block: Threads of a CTA.
        cluster: CTAs of a cluster; nothing is said of a cluster of one.
        shared_bytes: Dynamic shared memory of a CTA.
        stream: Handle of the stream, 0 for the default one.
    """
    extents = (c_uint * 3)(*grid), (c_uint * 3)(*block)
    config: Any = LaunchConfig(*extents, shared_bytes, stream or None)
    if cluster != (1, 1, 1):
        attribute: Any = LaunchAttribute(CLUSTER_DIMENSION)
        x, y, z = cluster
        attribute.value[0], attribute.value[1] = x | y << 32, z
        config.attributes = ctypes.pointer(attribute)
        config.attribute_count = 1
    return config
