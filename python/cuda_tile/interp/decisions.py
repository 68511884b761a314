"""What the interpreter does where the text of the dialect leaves a question open.

Each constant answers one question that only an experiment on a GPU, or with a closed
compiler, can settle; change the answer here and nowhere else. What the text leaves to
the implementation on purpose is an option of `interp.run` instead: `mode` (what
undefined behaviour does), `reduce_order` and `seed` (every order).

Answered by how the interpreter is built, with no constant to turn: a flush to zero
looks at the rounded result; mulf and addf are never contracted; ids count tile blocks
whatever the cluster; i1 takes a byte in memory, in globals too; a scan takes several
operands; unsigned divi with negative_inf truncates; remi that overflows is 0 and a
shift clamps as PTX's in permissive mode; a true i1 reads -1 signed; remf is exact;
maxf orders the zeros; mmaf_scaled scales before it multiplies; `fast_acc` changes
nothing; conversions round once; `for unsigned` reads everything unsigned and stops
before it wraps; dynamic sizes of 0 are empty; a negative gather index is beyond the
tensor; `inbounds` goes by index position; a gather view has no index space; data
movement keeps NaN payloads.
"""

from __future__ import annotations

from typing import Literal

TF32_MMA_IGNORES_LOW_BITS = True
"""mmaf drops the 13 low bits of a tf32 operand; moving one keeps them."""

PACK_I1_BITS: Literal["little", "big"] = "little"
"""pack and unpack put element 0 of eight i1 into the low bit, as constants do."""

ORDERS_WITH_IDENTITY = frozenset(("left", "swapped"))
"""Values of `reduce_order` that fold the identity in (a sum over -0 shows it)."""

F64_CANONICAL_NAN_BITS = 0x7FF8000000000000
"""NaN that maxf and minf give for f64, of which PTX says nothing."""

FTOI_NAN_TO_64_BITS = -(1 << 63)
"""ftoi of NaN to i64, permissive and not saturating (PTX ISA, "cvt"); else 0."""

F8_UNSIGNED_DROPS_SIGN = True
"""ftof to f8E8M0FNU and f8E5M3FNU converts the absolute value; else 0 below 0."""

E4M3_OF_NAN = float("nan")
"""ftof of NaN to f8E4M3FN: NaN, as PTX has it; one text says 448."""

F4_OF_NAN = 6.0
"""ftof of NaN to f4E2M1FN, which has none (PTX ISA, "cvt")."""

ASSERT_LINE = "{location}: assertion failed: {message}{element} (tile block {block})"
"""The line per false element of an assert."""

ALLOCA_SCOPES = frozenset(("for", "loop"))
"""Ops whose region, at its end, frees the allocas made in it; the entry does too."""

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
"""No element of a gathered tile inside the tensor: an error in checked mode."""

F4_POINTERS_ADDRESS_LOW_HALVES = True
"""A pointer to f4 names the low half of its byte, and `offset` counts elements, two to
a byte: an odd count is an error when checked, and rounds down when permissive."""

ATOMIC_ADDF_FLUSHES_F32 = False
"""Atomic f32 addition keeps subnormals (hardware flushes some; not to rely on)."""

MASKED_CAS_GIVES_CMP = True
"""A masked-off element of atomic_cas gives its `cmp`; of atomic_rmw, unspecified."""

PRINT_BOOL_AS_BIT = True
"""%d of a true i1 prints 1, not its signed reading -1."""
