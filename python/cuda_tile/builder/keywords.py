# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keywords of ops as enumerations, and their attributes.

Each member is a string, the keyword in the IR, so that a plain string is accepted
wherever an enumeration is expected.
"""

from __future__ import annotations

import sys
from enum import Enum

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct

if sys.version_info >= (3, 11):
    from enum import StrEnum  # novermin
else:

    class StrEnum(str, Enum):
        """Members are strings, and print as these do."""

        __str__ = str.__str__
        __format__ = str.__format__


class AtomicRMWMode(StrEnum):
    """Operation of an atomic read-modify-write."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    ADD = "add"
    ADDF = "addf"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    XCHG = "xchg"


class MemoryScope(StrEnum):
    """Scope of a memory ordering: the threads for which it holds."""

    TL_BLK = "tl_blk"
    DEVICE = "device"
    SYS = "sys"


class PaddingValue(StrEnum):
    """Value of elements that a load finds out of bounds."""

    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class PtrAttr(StrEnum):
    """What the addresses of a pointer are. Since 13.5."""

    NONE = "none"
    UNICAST = "unicast"
    MULTICAST = "multicast"


class MemoryOrderingSemantics(StrEnum):
    """The ordering of a memory access."""

    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


class RoundingMode(StrEnum):
    """Rounding mode of an inexact result."""

    NEAREST_EVEN = "nearest_even"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"
    APPROX = "approx"
    FULL = "full"
    NEAREST_INT_TO_ZERO = "nearest_int_to_zero"
    NEAREST_AWAY = "nearest_away"


class IntegerOverflow(StrEnum):
    """Guarantees about overflow (nsw, nuw)."""

    NONE = "none"
    NO_SIGNED_WRAP = "no_signed_wrap"
    NO_UNSIGNED_WRAP = "no_unsigned_wrap"
    NO_WRAP = "no_wrap"


class Signedness(StrEnum):
    """Whether an integer is signed or unsigned."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"


class ComparisonPredicates(StrEnum):
    """The relation that a comparison tests."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS_THAN = "less_than"
    LESS_THAN_OR_EQUAL = "less_than_or_equal"
    GREATER_THAN = "greater_than"
    GREATER_THAN_OR_EQUAL = "greater_than_or_equal"


class ComparisonOrdering(StrEnum):
    """Result of a comparison with a NaN: ordered gives false, unordered true."""

    UNORDERED = "unordered"
    ORDERED = "ordered"


class SymbolVisibility(StrEnum):
    """Visibility of a symbol to the host."""

    PUBLIC = "public"
    PRIVATE = "private"


def get_atomic_rmw_mode_attr(
    value: str, context: ir.Context | None = None
) -> ct.AtomicRMWModeAttr:
    """The attribute of an `AtomicRMWMode`."""
    return ct.AtomicRMWModeAttr.get(value, context)


def get_memory_scope_attr(
    value: str, context: ir.Context | None = None
) -> ct.MemoryScopeAttr:
    """The attribute of a `MemoryScope`."""
    return ct.MemoryScopeAttr.get(value, context)


def get_padding_value_attr(
    value: str, context: ir.Context | None = None
) -> ct.PaddingValueAttr:
    """The attribute of a `PaddingValue`."""
    return ct.PaddingValueAttr.get(value, context)


def get_memory_ordering_semantics_attr(
    value: str, context: ir.Context | None = None
) -> ct.MemoryOrderingSemanticsAttr:
    """The attribute of a `MemoryOrderingSemantics`."""
    return ct.MemoryOrderingSemanticsAttr.get(value, context)


def get_rounding_mode_attr(
    value: str, context: ir.Context | None = None
) -> ct.RoundingModeAttr:
    """The attribute of a `RoundingMode`."""
    return ct.RoundingModeAttr.get(value, context)


def get_integer_overflow_attr(
    value: str, context: ir.Context | None = None
) -> ct.IntegerOverflowAttr:
    """The attribute of an `IntegerOverflow`."""
    return ct.IntegerOverflowAttr.get(value, context)


def get_signedness_attr(
    value: str, context: ir.Context | None = None
) -> ct.SignednessAttr:
    """The attribute of a `Signedness`."""
    return ct.SignednessAttr.get(value, context)


def get_comparison_predicate_attr(
    value: str, context: ir.Context | None = None
) -> ct.ComparisonPredicateAttr:
    """The attribute of one of `ComparisonPredicates`."""
    return ct.ComparisonPredicateAttr.get(value, context)


def get_comparison_ordering_attr(
    value: str, context: ir.Context | None = None
) -> ct.ComparisonOrderingAttr:
    """The attribute of a `ComparisonOrdering`."""
    return ct.ComparisonOrderingAttr.get(value, context)


def get_symbol_visibility_attr(
    value: str, context: ir.Context | None = None
) -> ct.SymbolVisibilityAttr:
    """The attribute of a `SymbolVisibility`."""
    return ct.SymbolVisibilityAttr.get(value, context)
