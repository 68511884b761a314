//===- Enums.td - Enumerations of the cuda_tile dialect -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of a case is its number in bytecode.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_ENUMS_TD
#define CUDA_TILE_IR_ENUMS_TD

include "cuda_tile/IR/Dialect.td"
include "mlir/IR/EnumAttr.td"

// `summary` ends the message about an attribute of another kind; scripts rely on
// the texts.
class CudaTile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::cuda_tile";
  let genSpecializedAttr = 0;
}

// A case that bytecode has since `version`.
class CudaTile_CaseSince<string version, string symbol, int value, string text>
    : I32EnumAttrCase<symbol, value, text> {
  string since = version;
}

// Attributes are written `#cuda_tile.signedness<signed>`; in ops they have
// directives of their own.
class CudaTile_EnumAttr<EnumInfo enum, string mnemonic,
                        string format = "`` custom<EnumCase>($value)">
    : EnumAttr<CudaTile_Dialect, enum, mnemonic> {
  let assemblyFormat = format;
}

def CudaTile_Signedness : CudaTile_Enum<
    "Signedness", "signedness", [
  I32EnumAttrCase<"Unsigned", 0, "unsigned">,
  I32EnumAttrCase<"Signed", 1, "signed">,
]>;
def CudaTile_SignednessAttr
    : CudaTile_EnumAttr<CudaTile_Signedness, "signedness"> {
  let description = [{
    How an op reads the bits of its integers: integer types have no sign of their own
    (`i32`), so that ops for which it matters, such as a division or a comparison, say
    it.
  }];
}

def CudaTile_IntegerOverflow : CudaTile_Enum<
    "IntegerOverflow", "integer overflow", [
  I32EnumAttrCase<"NONE", 0, "none">,
  I32EnumAttrCase<"NO_SIGNED_WRAP", 1, "no_signed_wrap">,
  I32EnumAttrCase<"NO_UNSIGNED_WRAP", 2, "no_unsigned_wrap">,
  I32EnumAttrCase<"NO_WRAP", 3, "no_wrap">,
]>;
def CudaTile_IntegerOverflowAttr
    : CudaTile_EnumAttr<CudaTile_IntegerOverflow, "overflow"> {
  let description = [{
    Promise of a front end that the result of integer arithmetic fits its type, read as
    signed numbers (`no_signed_wrap`), as unsigned ones (`no_unsigned_wrap`), or both
    (`no_wrap`). Without it (`none`), what does not fit wraps around; a promise that is
    broken leaves the result undefined.
  }];
}

def CudaTile_RoundingMode : CudaTile_Enum<
    "RoundingMode", "rounding mode", [
  I32EnumAttrCase<"NEAREST_EVEN", 0, "nearest_even">,
  I32EnumAttrCase<"ZERO", 1, "zero">,
  I32EnumAttrCase<"NEGATIVE_INF", 2, "negative_inf">,
  I32EnumAttrCase<"POSITIVE_INF", 3, "positive_inf">,
  I32EnumAttrCase<"APPROX", 4, "approx">,
  I32EnumAttrCase<"FULL", 5, "full">,
  I32EnumAttrCase<"NEAREST_INT_TO_ZERO", 6, "nearest_int_to_zero">,
  CudaTile_CaseSince<"13.4", "NEAREST_AWAY", 7, "nearest_away">,
]>;
def CudaTile_RoundingModeAttr
    : CudaTile_EnumAttr<CudaTile_RoundingMode, "rounding"> {
  let description = [{
    Which number stands for an exact result that the type does not have. The first four
    are those of IEEE 754: the nearest one, with ties to the even fraction
    (`nearest_even`, nearly everywhere the default), towards zero, down, and up. The
    others belong to some ops, whose constraints name them: `approx` is the hardware's
    fast approximation, `full` one of nearly full accuracy; `nearest_int_to_zero` cuts
    the fraction off when an integer is made; `nearest_away` is the nearest number, with
    ties away from zero.
  }];
}

def CudaTile_ComparisonOrdering : CudaTile_Enum<
    "ComparisonOrdering", "comparison_ordering", [
  I32EnumAttrCase<"UNORDERED", 0, "unordered">,
  I32EnumAttrCase<"ORDERED", 1, "ordered">,
]>;
def CudaTile_ComparisonOrderingAttr
    : CudaTile_EnumAttr<CudaTile_ComparisonOrdering, "comparison_ordering"> {
  let description = [{
    What a comparison of floating-point numbers says if one of them is a NaN:
    `ordered` gives false, `unordered` true.
  }];
}

def CudaTile_ComparisonPredicate : CudaTile_Enum<
    "ComparisonPredicate", "cmp_predicate", [
  I32EnumAttrCase<"EQUAL", 0, "equal">,
  I32EnumAttrCase<"NOT_EQUAL", 1, "not_equal">,
  I32EnumAttrCase<"LESS_THAN", 2, "less_than">,
  I32EnumAttrCase<"LESS_THAN_OR_EQUAL", 3, "less_than_or_equal">,
  I32EnumAttrCase<"GREATER_THAN", 4, "greater_than">,
  I32EnumAttrCase<"GREATER_THAN_OR_EQUAL", 5, "greater_than_or_equal">,
]>;
def CudaTile_ComparisonPredicateAttr
    : CudaTile_EnumAttr<CudaTile_ComparisonPredicate, "comparison_predicate"> {
  let description = [{
    What a comparison asks of its operands: left is equal to right, less than right,
    and so on.
  }];
}

def CudaTile_AtomicRMWMode : CudaTile_Enum<
    "AtomicRMWMode", "allowed 32-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", [
  I32EnumAttrCase<"AND", 0, "and">,
  I32EnumAttrCase<"OR", 1, "or">,
  I32EnumAttrCase<"XOR", 2, "xor">,
  I32EnumAttrCase<"ADD", 3, "add">,
  I32EnumAttrCase<"ADDF", 4, "addf">,
  I32EnumAttrCase<"MAX", 5, "max">,
  I32EnumAttrCase<"MIN", 6, "min">,
  I32EnumAttrCase<"UMAX", 7, "umax">,
  I32EnumAttrCase<"UMIN", 8, "umin">,
  I32EnumAttrCase<"XCHG", 9, "xchg">,
]>;
def CudaTile_AtomicRMWModeAttr
    : CudaTile_EnumAttr<CudaTile_AtomicRMWMode, "atomic_rmw_mode"> {
  let description = [{
    What an atomic op makes of the value in memory and its operand: `addf` adds
    floating-point numbers, `add` integers; `max` and `min` compare signed integers,
    `umax` and `umin` unsigned ones; `xchg` puts the operand into memory.
  }];
}

def CudaTile_MultimemReduction : CudaTile_Enum<
    "MultimemReduction", "how the copies of a multicast address combine", [
  I32EnumAttrCase<"ADD", 0, "add">,
  I32EnumAttrCase<"MIN", 1, "min">,
  I32EnumAttrCase<"MAX", 2, "max">,
  I32EnumAttrCase<"AND", 3, "and">,
  I32EnumAttrCase<"OR", 4, "or">,
  I32EnumAttrCase<"XOR", 5, "xor">,
  I32EnumAttrCase<"UMIN", 6, "umin">,
  I32EnumAttrCase<"UMAX", 7, "umax">,
]>;
def CudaTile_MultimemReductionAttr
    : CudaTile_EnumAttr<CudaTile_MultimemReduction, "multimem_reduction_kind"> {
  let description = [{
    How a load or a reduction at a multicast address combines the copies behind it, one
    on each GPU of a group: `min` and `max` compare signed integers or floating-point
    numbers, `umin` and `umax` unsigned integers.
  }];
}

def CudaTile_PointerKind : CudaTile_Enum<
    "PointerKind", "pointer attribute", [
  I32EnumAttrCase<"NONE", 0, "none">,
  CudaTile_CaseSince<"13.5", "UNICAST", 1, "unicast">,
  CudaTile_CaseSince<"13.5", "MULTICAST", 2, "multicast">,
]>;
def CudaTile_PointerKindAttr
    : CudaTile_EnumAttr<CudaTile_PointerKind, "ptr_attr"> {
  let description = [{
    What the addresses of a pointer are: of a multicast object, behind which each GPU of
    a group has a copy, or of ordinary memory (`unicast`). Without the attribute, and
    with `none`, nothing is said.
  }];
}

def CudaTile_MemoryScope : CudaTile_Enum<
    "MemoryScope", "memory scope", [
  I32EnumAttrCase<"TL_BLK", 0, "tl_blk">,
  I32EnumAttrCase<"DEVICE", 1, "device">,
  I32EnumAttrCase<"SYS", 2, "sys">,
]>;
def CudaTile_MemoryScopeAttr
    : CudaTile_EnumAttr<CudaTile_MemoryScope, "memory_scope"> {
  let description = [{
    Who takes part in the exchange that an access with an ordering is for: threads of
    this tile block (`tl_blk`), all tile blocks of the GPU (`device`), or also the host
    and other GPUs (`sys`). The scope of each side must include the other.
  }];
}

def CudaTile_MemoryOrderingSemantics : CudaTile_Enum<
    "MemoryOrderingSemantics", "memory ordering semantics", [
  I32EnumAttrCase<"WEAK", 0, "weak">,
  I32EnumAttrCase<"RELAXED", 1, "relaxed">,
  I32EnumAttrCase<"ACQUIRE", 2, "acquire">,
  I32EnumAttrCase<"RELEASE", 3, "release">,
  I32EnumAttrCase<"ACQ_REL", 4, "acq_rel">,
]>;
def CudaTile_MemoryOrderingSemanticsAttr
    : CudaTile_EnumAttr<CudaTile_MemoryOrderingSemantics,
                        "memory_ordering_semantics"> {
  let description = [{
    What an access means to accesses of other tile blocks. `weak` promises that nobody
    else accesses the element at the same time; the others allow it and are atomic.
    `relaxed` orders nothing else. Whatever is ordered before a `release` is seen by
    what is ordered after an `acquire` that reads the released value. `acq_rel` is
    both, for atomic ops.
  }];
}

def CudaTile_PaddingValue : CudaTile_Enum<
    "PaddingValue", "what a load reads outside the tensor", [
  I32EnumAttrCase<"zero", 0, "zero">,
  I32EnumAttrCase<"neg_zero", 1, "neg_zero">,
  I32EnumAttrCase<"nan", 2, "nan">,
  I32EnumAttrCase<"pos_inf", 3, "pos_inf">,
  I32EnumAttrCase<"neg_inf", 4, "neg_inf">,
]>;
def CudaTile_PaddingValueAttr
    : CudaTile_EnumAttr<CudaTile_PaddingValue, "padding_value", "$value"> {
  let description = [{
    What a load through a view gives for elements outside the tensor: zero for sums and
    products, an infinity for a maximum or minimum. Without it they are unspecified.
  }];
}

def CudaTile_SymbolVisibility : CudaTile_Enum<
    "SymbolVisibility", "symbol visibility", [
  I32EnumAttrCase<"PUBLIC", 0, "public">,
  I32EnumAttrCase<"PRIVATE", 1, "private">,
]>;
def CudaTile_SymbolVisibilityAttr
    : CudaTile_EnumAttr<CudaTile_SymbolVisibility, "symbol_visibility"> {
  let description = [{
    Whether the host and other modules can look up a name (`public`), or only this
    module (`private`).
  }];
}

#endif // CUDA_TILE_IR_ENUMS_TD
