# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op that computes element by element, with each type and attribute it takes.

A `Variant` is one line of Tile IR and what its operands must be like for its result to
be defined. `VARIANTS` is the whole list; the programs go through it in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
NARROW = ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN")
ALL_FLOATS = (*FLOATS, *NARROW)
SIGNS = ("signed", "unsigned")
OVERFLOWS = ("", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")
DIRECTED = ("zero", "negative_inf", "positive_inf")
IEEE = ("", *DIRECTED)
PREDICATES = (
    *("equal", "not_equal", "less_than", "less_than_or_equal"),
    *("greater_than", "greater_than_or_equal"),
)
WIDTHS = {
    **{"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64},
    **{"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "tf32": 19},
    **{"f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8, "f4E2M1FN": 4},
}
"""Bits of each element type."""


@dataclass(frozen=True)
class Variant:
    """One op with one choice of types and attributes.

    Attributes:
        name: What it is called in the count of what programs had.
        text: The line, with `{0}` for operands and `{t0}`, `{r}` for types.
        operands: Element types.
        result: Element type.
        domain: What operands must be like; see `differential_elements.DOMAINS`.
        ulp: How far results of judges may be apart, in units in the last place.
    """

    name: str
    text: str
    operands: tuple[str, ...]
    result: str
    domain: str = "any"
    ulp: float = 0.0


def _one_type(
    op: str, how: str, element: str, arity: int, domain: str = "any", ulp: float = 0.0
) -> Variant:
    names = ", ".join(f"{{{n}}}" for n in range(arity))
    name = " ".join(f"{op} {how} {element}".split())
    text = f"{op} {names} {how} : {{t0}}"
    return Variant(name, text, (element,) * arity, element, domain, ulp)


def _integers() -> Iterator[Variant]:
    for kind in INTEGERS:
        for op in ("addi", "subi", "muli", "shli", "negi"):
            arity = 1 if op == "negi" else 2
            for wrap in OVERFLOWS[:2] if op == "negi" else OVERFLOWS:
                how = f"overflow<{wrap}>" if wrap else ""
                small = f"tiny {op}" if kind != "i1" else "zero"
                domain = small if wrap else "shift" if op == "shli" else "any"
                yield _one_type(op, how, kind, arity, domain)
        for op in ("mulhii", "andi", "ori", "xori"):
            yield _one_type(op, "", kind, 2)
        yield _one_type("absi", "", kind, 1)
        for op, sign in product(("maxi", "mini", "shri", "remi", "divi"), SIGNS):
            domain = {"shri": "shift", "remi": "divide", "divi": "divide"}
            if kind == "i1" and sign == "signed" and op in ("remi", "divi"):
                continue  # the only divisor is -1, and -1 / -1 is undefined
            where = domain.get(op, "any")
            where += f" {sign}" if where == "divide" else ""
            yield _one_type(op, sign, kind, 2, where)
            if op == "divi":
                for mode in ("zero", "positive_inf", "negative_inf")[
                    : 2 + (sign == "signed")
                ]:
                    how = f"{sign} rounding<{mode}>"
                    yield _one_type(op, how, kind, 2, where)
        for how, sign in product(PREDICATES, SIGNS):
            text = f"cmpi {how} {{0}}, {{1}}, {sign} : {{t0}} -> {{r}}"
            yield Variant(f"cmpi {how} {sign} {kind}", text, (kind, kind), "i1")


def _flushes(kind: str) -> tuple[str, ...]:
    return ("", "flush_to_zero") if kind == "f32" else ("",)


def _floats() -> Iterator[Variant]:
    for kind in FLOATS:
        for op, mode, flush in product(
            ("addf", "subf", "mulf", "divf", "fma"), IEEE, _flushes(kind)
        ):
            how = f"rounding<{mode}> {flush}" if mode else flush
            yield _one_type(op, how.strip(), kind, 3 if op == "fma" else 2)
        for op, nan, flush in product(
            ("maxf", "minf"), ("", "propagate_nan"), _flushes(kind)
        ):
            yield _one_type(op, f"{flush} {nan}".strip(), kind, 2)
        for op in ("negf", "absf", "floor", "ceil"):
            yield _one_type(op, "", kind, 1)
        yield _one_type("remf", "", kind, 2)
        for mode, flush in product(IEEE, _flushes(kind)):
            how = f"rounding<{mode}> {flush}" if mode else flush
            yield _one_type("sqrt", how.strip(), kind, 1)
        for how, order in product(PREDICATES, ("ordered", "unordered")):
            text = f"cmpf {how} {order} {{0}}, {{1}} : {{t0}} -> {{r}}"
            yield Variant(f"cmpf {how} {order} {kind}", text, (kind, kind), "i1")


ULP = {
    **{"exp": 2, "exp2": 2, "log": 2, "log2": 2, "rsqrt": 3, "sin": 3, "cos": 3},
    **{"tan": 5, "sinh": 4, "cosh": 3, "tanh": 3},
}
"""How far judges may be apart in f32 and f64, in units in the last place."""
BINARY_ULP = {"atan2": 4, "pow": 10}
HALF_ULP = 1.5
"""16-bit results are f32's, rounded once more: those of two judges are neighbours."""


def _math() -> Iterator[Variant]:
    for kind in FLOATS:
        for op, ulp in ULP.items():
            error = ulp if kind in ("f32", "f64") else HALF_ULP
            yield _one_type(op, "", kind, 1, "any", error)
        for op, ulp in BINARY_ULP.items():
            error = ulp if kind in ("f32", "f64") else HALF_ULP
            yield _one_type(op, "", kind, 2, "any", error)
        for exponent in INTEGERS[:4]:
            text = "fpowi {0}, {1} : {t0}, {t1}"
            name = f"fpowi {kind} {exponent}"
            yield Variant(name, text, (kind, exponent), kind, "power", 64)
    for op in ("exp2", "rsqrt"):
        yield _one_type(op, "flush_to_zero", "f32", 1, "any", ULP[op])
    yield _one_type("exp", "rounding<approx>", "f32", 1, "unit", 4)
    yield _one_type("tanh", "rounding<approx>", "f32", 1, "any", 2.0**14)
    for flush in ("", " flush_to_zero"):
        yield _one_type("sqrt", f"rounding<approx>{flush}", "f32", 1, "any", 4)
        for mode in ("approx", "full"):
            how = f"rounding<{mode}>{flush}"
            yield _one_type("divf", how, "f32", 2, "ordinary", 4)
    for op, mode in product(("exp", "tanh"), ("full",)):
        yield _one_type(op, f"rounding<{mode}>", "f32", 1, "any", ULP[op])


def _cast(
    op: str, source: str, target: str, how: str = "", domain: str = "any"
) -> Variant:
    name = " ".join(f"{op} {how} {source} {target}".split())
    text = f"{op} {{0}} {how} : {{t0}} -> {{r}}"
    return Variant(name, text, (source,), target, domain)


_EXACT = {
    "f16": ("f32", "f64", "tf32"),
    "bf16": ("f32", "f64", "tf32"),
    "f32": ("f64",),
    "f64": (),
    "tf32": ("f32", "f64"),
    "f8E4M3FN": ("f16", "bf16", "f32", "f64", "tf32"),
    "f8E5M2": ("f16", "bf16", "f32", "f64", "tf32"),
    "f8E8M0FNU": ("f64",),
    "f4E2M1FN": ("f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2"),
}
"""To which types a type's conversion loses nothing, and so takes no rounding mode."""


def _float_casts(source: str) -> Iterator[Variant]:
    for target in ALL_FLOATS:
        if target == source:
            continue
        if target == "f8E8M0FNU":
            for mode in ("zero", "positive_inf"):
                yield _cast("ftof", source, target, f"rounding<{mode}>", "scale")
            continue
        modes = [""]
        is_exact = target in _EXACT[source]
        if not is_exact and target not in ("f8E4M3FN", "f8E5M2", "f4E2M1FN"):
            modes.append("zero")
        if (source, target) == ("f64", "f32"):
            modes += ["negative_inf", "positive_inf"]
        if (source, target) == ("f32", "tf32"):
            modes.append("nearest_away")
        for mode in modes:
            yield _cast("ftof", source, target, f"rounding<{mode}>" if mode else "")


def _integer_casts() -> Iterator[Variant]:
    for source, target in product(INTEGERS, INTEGERS):
        if WIDTHS[target] > WIDTHS[source]:
            yield from (_cast("exti", source, target, sign) for sign in SIGNS)
        elif WIDTHS[target] < WIDTHS[source]:
            for wrap in OVERFLOWS:
                how = f"overflow<{wrap}>" if wrap else ""
                domain = "any" if not wrap else "zero" if target == "i1" else "tiny"
                yield _cast("trunci", source, target, how, domain)


def _casts() -> Iterator[Variant]:
    for source in ALL_FLOATS:
        yield from _float_casts(source)
        for target, sign in product(INTEGERS, SIGNS):
            yield _cast("ftoi", source, target, f"{sign} saturating")
            domain = f"whole {sign}" if target != "i1" else f"whole {sign} i1"
            yield _cast("ftoi", source, target, sign, domain)
    for source, target, sign in product(INTEGERS, ALL_FLOATS, SIGNS):
        if target != "f8E8M0FNU":
            yield _cast("itof", source, target, sign)
    for source, target in product((*INTEGERS, *ALL_FLOATS), repeat=2):
        if WIDTHS[source] == WIDTHS[target] and source != "f4E2M1FN":
            yield _cast("bitcast", source, target, "", "bits")


VARIANTS = (*_integers(), *_floats(), *_math(), *_integer_casts(), *_casts())
"""All of them, in a fixed order."""
