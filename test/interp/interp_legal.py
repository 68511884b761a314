# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which element types each op accepts, found by asking the verifier.

An op's example is made again with every choice of element types for its operands and
results; those that verify are its signatures. Ops with regions have templates, whose
signatures are those that parse.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from math import prod
from typing import Any

from interp_harness import CONTEXT, parse

from cuda_tile import ods
from cuda_tile._mlir import ir

Signature = tuple[str, ...]
"""Element types of an op's operands, then of its results; tokens are left out."""

INTEGERS = ("i1", "i4", "i8", "i16", "i32", "i64")
FLOATS = (
    *("f16", "bf16", "f32", "f64", "tf32"),
    *("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"),
)
NUMBERS = (*INTEGERS, *FLOATS)
POINTER = "ptr<f32>"
ELEMENT = re.compile(r"(?<=[<x])(ptr<\w+>|tf32|bf16|[if]\d\w*)(?=[>,])")
MUST = re.compile(r"(operand|result) #(\d+) must be")
NO_TYPE = "Unable to parse type"

PRELUDE = """
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %r : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %x = constant <f32: 1.0> : tile<8xf32>
  %i = iota : tile<8xi32>
"""
PACKED = {"i1": 8, "f4E2M1FN": 32, "f16": 128, "f32": 256, "f64": 512}
"""Bytes that 64 elements pack into."""


def one(kind: str) -> str:
    """The number one in the text of an attribute."""
    return {"i1": "true", "i": "1", "f": "1.0", "b": "1.0", "t": "1.0"}[
        kind if kind == "i1" else kind[0]
    ]


EXAMPLES = {
    "load_ptr_tko": [
        "%v, %t = load_ptr_tko weak %b : tile<8xptr<f32>> -> tile<8xf32>, token"
    ],
    "store_ptr_tko": [
        "%t = store_ptr_tko weak %b, %x : tile<8xptr<f32>>, tile<8xf32> -> token"
    ],
    "reshape": ["%v = reshape %x : tile<8xf32> -> tile<2x4xf32>"],
    "assume": ["%v = assume div_by<1>, %i : tile<8xi32>"],
    "bitcast": ["%v = bitcast %i : tile<8xi32> -> tile<8xf32>"],
    "itof": ["%v = itof %i signed : tile<8xi32> -> tile<8xf32>"],
    "exti": ["%v = exti %i signed : tile<8xi32> -> tile<8xi64>"],
    "trunci": ["%v = trunci %i : tile<8xi32> -> tile<8xi16>"],
    "print_tko": ['%t = print_tko "%d", %i : tile<8xi32> -> token'],
    "maxf": ["%v = maxf %x, %x : tile<8xf32>"],
    "minf": ["%v = minf %x, %x : tile<8xf32>"],
    "iota": ["%v = iota : tile<8xi32>", "%v = iota : tile<2xi32>"],
    "pack": [
        f"%y = constant <{kind}: {one(kind)}> : tile<64x{kind}> "
        f"%v = pack %y : tile<64x{kind}> -> tile<{count}xi8>"
        for kind, count in PACKED.items()
    ],
    "unpack": [
        f"%y = constant <i8: 1> : tile<{count}xi8> "
        f"%v = unpack %y : tile<{count}xi8> -> tile<64x{kind}>"
        for kind, count in PACKED.items()
    ],
    "mmaf_scaled": [
        f"""%a = constant <{a}: 1.0> : tile<8x64x{a}>
        %c = constant <{a}: 1.0> : tile<64x8x{a}>
        %d = constant <f32: 1.0> : tile<8x8xf32>
        %s = constant <{s}: 1.0> : tile<8x{64 // v}x{s}>
        %q = constant <{s}: 1.0> : tile<{64 // v}x8x{s}>
        %v = mmaf_scaled %a, %c, %d, %s, %q : tile<8x64x{a}>, tile<64x8x{a}>,
          tile<8x8xf32>, tile<8x{64 // v}x{s}>, tile<{64 // v}x8x{s}>"""
        for a, s, v in [
            ("f8E4M3FN", "f8E8M0FNU", 32),
            ("f4E2M1FN", "f8E8M0FNU", 16),
        ]
    ],
}
"""Used instead of an op's own example where that is a scalar (4-bit elements cannot
be), has a shape that depends on the type, or attributes for one type."""

_ATOMIC = ("mode", "atomic_rmw_mode", "and or xor add addf max min umax umin xchg")
_MULTIMEM = ("reduction", "multimem_reduction_kind", "add min max and or xor umin umax")
MODES = {
    "atomic_rmw_tko": _ATOMIC,
    "atomic_red_view_tko": _ATOMIC,
    "multimem_load_reduce_view_tko": _MULTIMEM,
    "multimem_reduce_view_tko": _MULTIMEM,
    "ftof": (
        "rounding_mode",
        "rounding",
        "<nearest_even> <zero> <negative_inf> <positive_inf> <nearest_away>",
    ),
}
"""Attributes on which the accepted types depend: name, mnemonic, values."""

PER_TYPE = 1000
"""Choices up to which all are tried; beyond, those of one type and one exception."""

_COMBINE = """
  %y = constant <$T: $1> : tile<8x$T>
  %v = $OP %y dim=0 $REVERSE identities=[$A] : tile<8x$T> -> tile<$SHAPE$T>
  (%l: tile<$T>, %m: tile<$T>) { yield %l : tile<$T> }
"""
_CARRY = """
  %lo = constant <$I: 0> : tile<$I>
  %hi = constant <$I: 1> : tile<$I>
  %v = for %k in (%lo to %hi, step %hi) : tile<$I>
    iter_values(%l = %y) -> (tile<8x$T>) { continue %l : tile<8x$T> }
"""
TEMPLATES = {
    "constant": "%v = constant <$T: $1> : tile<8x$T>",
    "reduce": _COMBINE.replace("$OP", "reduce")
    .replace("$SHAPE", "")
    .replace("$REVERSE", ""),
    "scan": _COMBINE.replace("$OP", "scan")
    .replace("$SHAPE", "8x")
    .replace("$REVERSE", "reverse=false"),
    "for": _CARRY,
    "if": """
      %c = constant <i1: true> : tile<i1>
      %v = if %c -> (tile<8x$T>) { yield %y : tile<8x$T> }
        else { yield %y : tile<8x$T> }""",
    "loop": """
      %v = loop iter_values(%l = %y) : tile<8x$T> -> tile<8x$T>
        { break %l : tile<8x$T> }""",
}
"""Ops with regions or a constant, for elements $T (and a loop counter $I)."""


def example(name: str, text: str) -> tuple[ir.Module, Any]:
    """The op in a snippet, after the module that owns it."""
    if not text.lstrip().startswith(("cuda_tile.module", "entry", "global")):
        text = f"entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) {{\n{text}\nreturn }}"
    if not text.lstrip().startswith("cuda_tile.module"):
        text = f"cuda_tile.module @m {{ {text} }}"
    module = parse(text)
    found: list[Any] = []

    def note(op: Any) -> ir.WalkResult:
        if op.name == (name if "." in name else f"cuda_tile.{name}"):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note, ir.WalkOrder.PRE_ORDER)
    return module, found[-1 if name in (*EXAMPLES, *TEMPLATES) else 0]


class Prototype:
    """An op in an example, to be made again with other element types.

    Attributes:
        types: Text of the types of its operands, then of its results.
        inputs: How many are operands.
        places: Which of them have elements.
    """

    def __init__(self, name: str, text: str) -> None:
        self._module, self._op = example(name, text)
        self._scratch = parse("")
        self.types = [str(v.type) for v in (*self._op.operands, *self._op.results)]
        self.inputs = len(self._op.operands)
        self.places = [i for i, t in enumerate(self.types) if ELEMENT.search(t)]

    def verify(self, elements: dict[int, str], attributes: dict[str, Any]) -> str:
        """What the verifier says of the op with these elements; empty: accepted."""
        texts = list(self.types)
        for place, element in elements.items():
            texts[place] = ELEMENT.sub(element, texts[place], count=1)
        try:
            types = [ir.Type.parse(text, CONTEXT) for text in texts]
        except ir.MLIRError as error:
            return str(error)
        with ir.Location.unknown(CONTEXT), ir.InsertionPoint(self._scratch.body):
            sources = [
                ir.Operation.create(
                    "builtin.unrealized_conversion_cast", results=[kind]
                )
                for kind in types[: self.inputs]
            ]
            kept = {name: self._op.attributes[name] for name in self._op.attributes}
            made = ir.Operation.create(
                self._op.name,
                results=types[self.inputs :],
                operands=[source.result for source in sources],
                attributes=kept | attributes,
            )
            try:
                made.verify()
            except ir.MLIRError as error:
                return str(error)
            finally:
                for op in (made, *sources):
                    op.erase()
        return ""

    def candidates(self, place: int) -> list[str]:
        """Elements that ODS accepts at one place, whatever the others are."""
        is_result = place >= self.inputs
        index = place - self.inputs if is_result else place
        where = ("result" if is_result else "operand", str(index))

        def accepted(element: str) -> bool:
            said = self.verify({place: element}, {})
            found = MUST.search(said)
            is_type = NO_TYPE not in said
            return is_type and (found is None or found.groups() != where)

        known = [element for element in (*NUMBERS, POINTER) if accepted(element)]
        if known == [POINTER]:
            known = [f"ptr<{element}>" for element in NUMBERS]
        return known

    def choices(self) -> list[dict[int, str]]:
        """The choices of elements that are worth a try."""
        known = [self.candidates(place) for place in self.places]
        rows: set[Signature] = set()
        if prod(map(len, known)) <= PER_TYPE:
            rows.update(product(*known))
        else:
            for element in (*NUMBERS, POINTER):
                rows.update(_nearly(element, known))
        return [dict(zip(self.places, row, strict=True)) for row in sorted(rows)]


def _nearly(element: str, known: list[list[str]]) -> set[Signature]:
    """Rows of `element` (or a pointer to it, or what there is) but for one place."""
    wanted = (element, f"ptr<{element}>")
    usual = [next((e for e in choice if e in wanted), choice[0]) for choice in known]
    rows = {tuple(usual)}
    for place, choice in enumerate(known):
        rows.update((*usual[:place], other, *usual[place + 1 :]) for other in choice)
    return rows


@cache
def signatures(name: str) -> dict[Signature, list[str]]:
    """The element types that an op accepts (of a view: those of its tensor).

    Each comes with the values of the op's attribute in `MODES` under which it does;
    without one, with an empty list.
    """
    if name in TEMPLATES:
        return _of_template(name)
    if name == "tileas.mma_sync":  # which leaves the types to its atom
        return signatures("mmaf")
    found: dict[Signature, list[str]] = {}
    for text in EXAMPLES.get(name, ods.ops()[name].examples[:1]):
        uses = PRELUDE if name in EXAMPLES else ""
        prototype = Prototype(name, uses + text if uses else text)
        attribute, mnemonic, modes = MODES.get(name, ("", "", ""))
        for elements in prototype.choices() if prototype.places else []:
            row = tuple(elements.values())
            if not modes and not prototype.verify(elements, {}):
                found[row] = []
            for mode in modes.split():
                value = ir.Attribute.parse(f"#cuda_tile<{mnemonic} {mode}>", CONTEXT)
                if not prototype.verify(elements, {attribute: value}):
                    found.setdefault(row, []).append(mode.strip("<>"))
    return found


def some(kind: str) -> str:
    """Text that makes `%y`, a tile of 8 elements."""
    if kind == "i4":
        return "%z = iota : tile<8xi8> %y = trunci %z : tile<8xi8> -> tile<8xi4>"
    if kind == POINTER:
        return "%y = reshape %b : tile<8xptr<f32>> -> tile<8xptr<f32>>"
    return f"%y = constant <{kind}: {one(kind)}> : tile<8x{kind}>"


def _of_template(name: str) -> dict[Signature, list[str]]:
    template = TEMPLATES[name]
    found: dict[Signature, list[str]] = {}
    counters = INTEGERS if "$I" in template else ("",)
    for kind, counter in product((*NUMBERS, POINTER), counters):
        text = template.replace("$T", kind).replace("$I", counter)
        number = one(kind) if kind != POINTER else "1"
        typed = number if kind == "i1" else f"{number} : {kind}"
        text = text.replace("$A", typed).replace("$1", number)
        if counter == "i1":
            text = text.replace("<i1: 0>", "<i1: false>").replace(
                "<i1: 1>", "<i1: true>"
            )
        before = PRELUDE if "%y = " in text else PRELUDE + some(kind)
        try:
            _, op = example(name, before + text)
        except ir.MLIRError:
            continue
        values = [*op.operands, *op.results]
        found[tuple(e for v in values for e in ELEMENT.findall(str(v.type)))] = []
    return found
