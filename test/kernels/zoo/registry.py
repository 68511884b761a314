# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an exported kernel needs: its signature, under its name."""

import os

os.environ.setdefault("CUDA_TILE_CACHE_DIR", "off")

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, ScalarConstraint

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
NEG_INF = ct.PaddingMode.NEG_INF
TYPES = {
    "b1": ct.bool_,
    "i8": ct.int8,
    "i16": ct.int16,
    "i32": ct.int32,
    "i64": ct.int64,
    "u8": ct.uint8,
    "u16": ct.uint16,
    "u32": ct.uint32,
    "u64": ct.uint64,
    "f16": ct.float16,
    "bf16": ct.bfloat16,
    "f32": ct.float32,
    "f64": ct.float64,
    "f8e4m3": ct.float8_e4m3fn,
    "f8e5m2": ct.float8_e5m2,
    "f8e8m0": ct.float8_e8m0fnu,
}
KERNELS = {}


def array(text):
    """An array parameter: `f16*2` is contiguous, aligned to 16 bytes, of rank 2.

    `f16*2/16` also says that 16 divides its sizes, `f16*2?` says nothing but the rank.
    """
    kind, _, rest = text.partition("*")
    rank, dtype = int(rest[0]), TYPES[kind]
    if rest.endswith("?"):
        return ArrayConstraint(
            dtype,
            rank,
            index_dtype=ct.int32,
            stride_lower_bound_incl=[0] * rank,
            alias_groups=(),
            may_alias_internally=False,
        )
    is_even = rest.endswith("/16")
    step = max(1, 128 // dtype.bitwidth) if is_even else 1
    return ArrayConstraint(
        dtype,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=[0] * (rank - 1) + [None],
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[None] * (rank - 1) + [1],
        stride_divisible_by=[step] * (rank - 1) + [1],
        shape_divisible_by=16 if is_even else 1,
        base_addr_divisible_by=16,
    )


def add(name, kernel, *parameters):
    """Registers a kernel: arrays, element types of scalars, constants in order."""
    signature = []
    for parameter in parameters:
        if isinstance(parameter, str) and "*" in parameter:
            signature.append(array(parameter))
        elif isinstance(parameter, str):
            signature.append(ScalarConstraint(TYPES[parameter]))
        else:
            signature.append(parameter)
    assert name not in KERNELS, name
    KERNELS[name] = (kernel, signature)
