# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decisions of the interpreter where the specification leaves a question open.

`QUESTIONS` lists the questions. A constant here answers most of them: change the answer
here and nowhere else. If the specification leaves a choice to the implementation on
purpose, it is an option of `interp.run`. `tools/gpu_questions.py` asks a GPU, or the
emulator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TF32_MMA_IGNORES_LOW_BITS = True
"""mmaf drops the 13 low bits of a tf32 operand; moving one keeps them."""

FLUSH_BEFORE_ROUNDING = False
"""flush_to_zero looks at the exact result; else at the rounded one, which may have
reached the smallest normal number."""

PACK_I1_BITS: Literal["little", "big"] = "little"
"""pack and unpack put element 0 of eight i1 into the low bit, as constants do."""

F4_POINTERS_ADDRESS_LOW_HALVES = True
"""A pointer to f4 names the low half of its byte, and `offset` counts elements, two to
a byte: an odd count is an error when checked, and rounds down when permissive. Else a
pointer counts bytes."""

ORDERS_WITH_IDENTITY = frozenset(("left", "swapped"))
"""Values of `order` that fold the identity in (a sum over -0 shows it)."""

SCAN_OPERANDS: int | None = None
"""Most operands of a scan; None for as many as it has."""

UNSIGNED_FLOOR_TRUNCATES = True
"""divi unsigned with negative_inf, which only bytecode can hold; else an error."""

REMI_OVERFLOW_IS_UNDEFINED = True
"""remi of the smallest value by -1 is an error when checked; the result is 0."""

WIDE_SHIFT: Literal["clamp", "mask"] = "clamp"
"""Shifts by the width or more, permissive: as PTX's, or by the amount's low bits."""

WIDE_SHIFT_IS_UNDEFINED = True
"""Shifts by the width or more are an error when checked."""

TRUE_I1_SIGNED = -1
"""The signed reading of a true i1."""

REMF: Literal["exact", "rounded"] = "exact"
"""remf as C's fmod, or as x - trunc(x / y) * y with every step rounded."""

EXTREMES_ORDER_ZEROS = True
"""maxf and minf take +0 as larger than -0; else they give one of the two."""

F64_CANONICAL_NAN_BITS = 0x7FF8000000000000
"""NaN that maxf and minf give for f64, of which PTX says nothing."""

FPOWI: Literal["pow", "products"] = "pow"
"""fpowi as pow of the same number, or by repeated products rounded to the type."""

FTOI_NAN: Literal["top bit", "zero"] = "top bit"
"""ftoi of NaN, permissive and not saturating: the result's top bit where the source is
f64 or the result i64, as PTX has it (PTX ISA, "cvt"), else 0; or always 0."""

FTOI_TO_I1: Literal["not zero", "truncated"] = "not zero"
"""ftoi to i1 is `x != 0`, so that 0.5 and NaN are true and no value is out of range;
or the truncated value, of which all but 0 and 1 (signed: -1) are out of range."""

F8_UNSIGNED_DROPS_SIGN = True
"""ftof to f8E8M0FNU and f8E5M3FNU converts the absolute value; else 0 below 0."""

E4M3_OF_NAN = float("nan")
"""ftof of NaN to f8E4M3FN: NaN, as PTX has it; one text says 448."""

F4_OF_NAN = 6.0
"""ftof of NaN to f4E2M1FN, which has none (PTX ISA, "cvt")."""

CONVERT_THROUGH_F32 = False
"""ftof and itof to types below f32 round to f32 first, and so twice."""

UNSIGNED_FOR_READS_STEP = True
"""`for unsigned` reads its step unsigned as it does the bounds; else signed."""

FOR_WRAPS = False
"""A for whose next index is beyond its type goes on with the wrapped one."""

STEP_MUST_BE_POSITIVE = True
"""A for with a step of 0 or less is an error in both modes; else it has no trips."""

ASSERT_LINE = "{location}: assertion failed: {message}{element} (tile block {block})"
"""The line per false element of an assert."""

ALLOCA_SCOPES = frozenset(("for", "loop"))
"""Ops whose region, at its end, frees the allocas made in it; the entry does too."""

TENSORS_MAY_BE_EMPTY = True
"""A dynamic size of 0 makes an empty tensor; else an error when checked."""

PADDING_WITHOUT_CODE = {
    ("f8E8M0FNU", "zero"): 2.0**-127,
    ("f8E8M0FNU", "neg_zero"): 2.0**-127,
    ("f8E8M0FNU", "pos_inf"): float("nan"),
    ("f8E8M0FNU", "neg_inf"): float("nan"),
    ("f8E5M3FNU", "neg_zero"): 0.0,
    ("f8E5M3FNU", "pos_inf"): float("nan"),
    ("f8E5M3FNU", "neg_inf"): float("nan"),
    ("f8E4M3FN", "pos_inf"): float("nan"),
    ("f8E4M3FN", "neg_inf"): float("nan"),
    ("f4E2M1FN", "nan"): 6.0,
    ("f4E2M1FN", "pos_inf"): 6.0,
    ("f4E2M1FN", "neg_inf"): -6.0,
}
"""Padding values that an element type cannot hold, and what stands for them."""

GATHER_ALL_OUTSIDE_IS_UNDEFINED = True
"""No element of a gathered tile inside the tensor: an error in strict mode."""

INBOUNDS_GOES_BY: Literal["index", "dimension"] = "index"
"""Whether flag d of `inbounds` speaks of index d or of tensor dimension d."""

GATHER_HAS_INDEX_SPACE = False
"""get_index_space_shape of a gather view gives the tensor's shape; else an error."""

PRINT_BOOL_AS_BIT = True
"""%d of a true i1 prints 1, not its signed reading -1."""

ATOMIC_ADDF_FLUSHES_F32 = True
"""Atomic f32 addition takes subnormal inputs and sums as zeros of their sign, as the
hardware does in global memory (PTX ISA, "atom"); else it keeps them."""

MASKED_CAS_GIVES_CMP = True
"""A masked-off element of atomic_cas gives its `cmp`; of atomic_rmw, unspecified."""

DIVI_BY_ZERO = -1
"""divi by zero, permissive, in the signed reading; remi gives the dividend."""

MAX_GRID_EXTENT = (1 << 24) - 1
"""Tile blocks per axis up to which block ids are exact (the dialect's promise)."""


@dataclass(frozen=True, slots=True)
class Question:
    """An open question.

    Attributes:
        asks: The question.
        names: Constants of this module that answer it, and options of `interp.run`
            (`seed`, `mode`, `order`) that choose among the answers.
        answer: The interpreter's behaviour if no constant or option decides it.
    """

    asks: str
    names: tuple[str, ...] = ()
    answer: str = ""


QUESTIONS = {
    1: Question("tf32: its low bits in mmaf", ("TF32_MMA_IGNORES_LOW_BITS",)),
    2: Question("flush where rounding reaches 2^-126", ("FLUSH_BEFORE_ROUNDING",)),
    3: Question("mulf and addf contracted", (), "never: each op rounds its result"),
    4: Question("ids in a cluster", (), "ids and counts are those of tile blocks"),
    5: Question(
        "i1 and 4-bit elements in memory, in globals, packed",
        ("PACK_I1_BITS", "F4_POINTERS_ADDRESS_LOW_HALVES"),
        "an i1 takes a byte, in globals too",
    ),
    6: Question("the identity folded in", ("ORDERS_WITH_IDENTITY", "order")),
    7: Question("scan of several operands", ("SCAN_OPERANDS",)),
    8: Question("divi unsigned with negative_inf", ("UNSIGNED_FLOOR_TRUNCATES",)),
    9: Question("remi of the smallest value by -1", ("REMI_OVERFLOW_IS_UNDEFINED",)),
    10: Question(
        "shifts by the width or more", ("WIDE_SHIFT", "WIDE_SHIFT_IS_UNDEFINED")
    ),
    11: Question("a true i1 read signed", ("TRUE_I1_SIGNED",)),
    12: Question("remf of far operands", ("REMF",)),
    13: Question(
        "maxf and minf of zeros, and their NaN",
        ("EXTREMES_ORDER_ZEROS", "F64_CANONICAL_NAN_BITS"),
    ),
    14: Question("fpowi", ("FPOWI",)),
    15: Question("special values of functions", (), "C99's, annex F"),
    16: Question("fast_acc", (), "changes nothing: one of the sums it allows"),
    17: Question("extreme scales", (), "each operand is scaled first, exactly"),
    18: Question("ftoi out of range", ("FTOI_NAN", "FTOI_TO_I1", "mode")),
    19: Question("rounding modes of ftof", (), "what the verifier lets pass rounds so"),
    20: Question("unsigned 8-bit floats of negatives", ("F8_UNSIGNED_DROPS_SIGN",)),
    21: Question("NaN to the small formats", ("E4M3_OF_NAN", "F4_OF_NAN")),
    22: Question("conversions that round twice", ("CONVERT_THROUGH_F32",)),
    23: Question("for unsigned", ("UNSIGNED_FOR_READS_STEP",)),
    24: Question("for beyond its type", ("FOR_WRAPS",)),
    25: Question("the text of an assert", ("ASSERT_LINE",)),
    26: Question("the life of an alloca", ("ALLOCA_SCOPES",)),
    27: Question("a dynamic size of 0", ("TENSORS_MAY_BE_EMPTY",)),
    28: Question("padding without a code", ("PADDING_WITHOUT_CODE",)),
    29: Question(
        "gather outside the tensor",
        ("GATHER_ALL_OUTSIDE_IS_UNDEFINED",),
        "a negative index, read unsigned, is beyond every tensor",
    ),
    30: Question("inbounds with a dim_map", ("INBOUNDS_GOES_BY",)),
    31: Question("the index space of a gather view", ("GATHER_HAS_INDEX_SPACE",)),
    32: Question("the order over replicas", ("seed",)),
    33: Question("print of i1", ("PRINT_BOOL_AS_BIT",)),
    34: Question("errors of approx", (), "the rounded exact result, within them"),
    35: Question("errors of functions", (), "rounded once from float64"),
    36: Question(
        "order and width of sums in mmaf",
        ("seed",),
        "float64 sums of exact products, rounded once; groups of 16 under a seed",
    ),
    37: Question("atomic addf of subnormals", ("ATOMIC_ADDF_FLUSHES_F32",)),
    38: Question("masked-off atomics", ("MASKED_CAS_GIVES_CMP",)),
    39: Question("equal pointers in one atomic", ("seed",)),
    40: Question("NaN payloads that are moved", (), "kept, as all bits are"),
    41: Question("division by zero", ("DIVI_BY_ZERO", "mode")),
    42: Question("grids above 2^24", ("MAX_GRID_EXTENT",)),
    43: Question("for with a step below 1", ("STEP_MUST_BE_POSITIVE",)),
}
"""The open questions by number, in the order of `tools/gpu_questions.py`."""
