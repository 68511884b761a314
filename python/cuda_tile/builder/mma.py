# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products, and their supported element types."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import as_tile, is_float
from cuda_tile.builder.elements import (
    BFloat16,
    Element,
    ElementLike,
    Float4E2M1FN,
    Float8E4M3FN,
    Float8E5M2,
    Float8E8M0FNU,
    Float16,
    Float32,
    Float64,
    Int8,
    Int32,
    TFloat32,
    get_mlir_type,
)
from cuda_tile.builder.keywords import Signedness
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op


@dataclass(frozen=True)
class MMAConfig:
    """Supported element types of a matrix product.

    Attributes:
        input_type: Element type of lhs and rhs.
        acc_type: Element type of the accumulator and the result.
        signedness: Signedness of integer operands; None for floats.
    """

    input_type: type[Element]
    acc_type: type[Element]
    signedness: Signedness | None = None


MMAConfig_U8_U8_S32 = MMAConfig(Int8, Int32, Signedness.UNSIGNED)
MMAConfig_S8_S8_S32 = MMAConfig(Int8, Int32, Signedness.SIGNED)
MMAConfig_E4M3_E4M3_F32 = MMAConfig(Float8E4M3FN, Float32)
MMAConfig_E4M3_E4M3_F16 = MMAConfig(Float8E4M3FN, Float16)
MMAConfig_E5M2_E5M2_F32 = MMAConfig(Float8E5M2, Float32)
MMAConfig_E5M2_E5M2_F16 = MMAConfig(Float8E5M2, Float16)
MMAConfig_F16_F16_F32 = MMAConfig(Float16, Float32)
MMAConfig_F16_F16_F16 = MMAConfig(Float16, Float16)
MMAConfig_BF16_BF16_F32 = MMAConfig(BFloat16, Float32)
MMAConfig_F32_F32_F32 = MMAConfig(Float32, Float32)
MMAConfig_TF32_TF32_F32 = MMAConfig(TFloat32, Float32)
MMAConfig_F64_F64_F64 = MMAConfig(Float64, Float64)

_CONFIGS = (
    MMAConfig_U8_U8_S32,
    MMAConfig_S8_S8_S32,
    MMAConfig_E4M3_E4M3_F32,
    MMAConfig_E4M3_E4M3_F16,
    MMAConfig_E5M2_E5M2_F32,
    MMAConfig_E5M2_E5M2_F16,
    MMAConfig_F16_F16_F32,
    MMAConfig_F16_F16_F16,
    MMAConfig_BF16_BF16_F32,
    MMAConfig_F32_F32_F32,
    MMAConfig_TF32_TF32_F32,
    MMAConfig_F64_F64_F64,
)


@dataclass(frozen=True)
class MMAScaledConfig:
    """Supported element types of a block-scaled matrix product.

    Attributes:
        input_type: Element type of lhs and rhs.
        scale_type: Element type of the scale factors.
        block_size: Number of elements along K that share a scale factor.
        acc_type: Element type of the accumulator and the result.
    """

    input_type: type[Element]
    scale_type: type[Element]
    block_size: int
    acc_type: type[Element] = Float32


MMAScaledConfig_E5M2_E8M0 = MMAScaledConfig(Float8E5M2, Float8E8M0FNU, 32)
MMAScaledConfig_E4M3_E8M0 = MMAScaledConfig(Float8E4M3FN, Float8E8M0FNU, 32)
MMAScaledConfig_E2M1_E8M0 = MMAScaledConfig(Float4E2M1FN, Float8E8M0FNU, 32)
MMAScaledConfig_E2M1_E4M3 = MMAScaledConfig(Float4E2M1FN, Float8E4M3FN, 16)
MMAScaledConfig_E2M1_E8M0_4X = MMAScaledConfig(Float4E2M1FN, Float8E8M0FNU, 16)

_SCALED_CONFIGS = (
    MMAScaledConfig_E5M2_E8M0,
    MMAScaledConfig_E4M3_E8M0,
    MMAScaledConfig_E2M1_E8M0,
    MMAScaledConfig_E2M1_E4M3,
    MMAScaledConfig_E2M1_E8M0_4X,
)


def get_supported_mma_configs() -> list[MMAConfig]:
    """All configurations of `mma`."""
    return list(_CONFIGS)


def get_supported_mma_scaled_configs() -> list[MMAScaledConfig]:
    """All configurations of `mmaf_scaled`."""
    return list(_SCALED_CONFIGS)


def find_mma_config(
    lhs: ElementLike,
    rhs: ElementLike,
    acc: ElementLike,
    signedness: str | None = None,
) -> MMAConfig | None:
    """The configuration of a product.

    Args:
        lhs: Element type of the left operand.
        rhs: Element type of the right operand.
        acc: Element type of the accumulator.
        signedness: Signedness of integer operands; signed for None.

    Returns:
        None if there is no such product.
    """
    left, right, total = (
        get_mlir_type(element_type) for element_type in (lhs, rhs, acc)
    )
    for config in _CONFIGS:
        is_right_sign = config.signedness in (None, signedness or Signedness.SIGNED)
        types = (config.input_type.mlir_type, config.acc_type.mlir_type)
        if left == right and (left, total) == types and is_right_sign:
            return config
    return None


def find_mma_scaled_config(
    lhs: ElementLike,
    rhs: ElementLike,
    scale: ElementLike,
    block_size: int | None = None,
) -> MMAScaledConfig | None:
    """The configuration of a scaled product.

    Args:
        lhs: Element type of the left operand.
        rhs: Element type of the right operand.
        scale: Element type of the scale factors.
        block_size: Number of elements that share a scale factor; any for None.

    Returns:
        None if there is no such product.
    """
    left, right, factor = (
        get_mlir_type(element_type) for element_type in (lhs, rhs, scale)
    )
    for config in _SCALED_CONFIGS:
        is_right_size = block_size in (None, config.block_size)
        types = (config.input_type.mlir_type, config.scale_type.mlir_type)
        if left == right and (left, factor) == types and is_right_size:
            return config
    return None


@cuda_tile_op
def mma(
    lhs: ir.Value,
    rhs: ir.Value,
    acc: ir.Value,
    *,
    signedness_lhs: str = Signedness.SIGNED,
    signedness_rhs: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """`lhs @ rhs + acc`: lhs [M, K], rhs [K, N], acc [M, N], or with a leading batch.

    Args:
        lhs: Left operand.
        rhs: Right operand.
        acc: Accumulator; the result has its type.
        signedness_lhs: Signedness of the left operand, if integer.
        signedness_rhs: Signedness of the right operand, if integer.
        **where: `loc` and `ip`.

    Raises:
        TypeError: There is no product of these element types.
    """
    left, right, total = as_tile(lhs), as_tile(rhs), as_tile(acc)
    elements = (left.element_type, right.element_type, total.element_type)
    if find_mma_config(*elements) is None:
        raise TypeError(
            "expected element types of get_supported_mma_configs(), got "
            + ", ".join(str(element_type) for element_type in elements)
        )
    if is_float(left):
        return Tile(ct.mmaf(left, right, total))
    return Tile(ct.mmai(left, right, total, signedness_lhs, signedness_rhs))


@cuda_tile_op
def mmaf(
    lhs: ir.Value,
    rhs: ir.Value,
    acc: ir.Value,
    *,
    fast_acc: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """`mma` of floats; `fast_acc` allows a less exact sum for 8-bit operands."""
    return Tile(ct.mmaf(lhs, rhs, acc, fast_acc=fast_acc))


@cuda_tile_op
def mmai(
    lhs: ir.Value,
    rhs: ir.Value,
    acc: ir.Value,
    *,
    signedness_lhs: str = Signedness.SIGNED,
    signedness_rhs: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """`mma` of 8-bit integers."""
    return Tile(ct.mmai(lhs, rhs, acc, signedness_lhs, signedness_rhs))


@cuda_tile_op
def mmaf_scaled(
    lhs: ir.Value,
    rhs: ir.Value,
    acc: ir.Value,
    lhs_scale: ir.Value,
    rhs_scale: ir.Value,
    **where: Unpack[Where],
) -> Tile:
    """Block-scaled `mma`: blocks of elements along K share a scale factor.

    lhs_scale is [M, K / block], rhs_scale [K / block, N].
    """
    return Tile(ct.mmaf_scaled(lhs, rhs, acc, lhs_scale, rhs_scale))
