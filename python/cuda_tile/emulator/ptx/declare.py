# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Declarations of variables, their initial values, parameters and prototypes.

PTX ISA: "Variables": "Variable Declarations", "Array Declarations", "Initializers",
"Alignment"; "Control Flow Directives": ".callprototype", ".calltargets".
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.ptx.cursor import Cursor
from cuda_tile.emulator.ptx.expressions import at_constant, constant, integer_constant
from cuda_tile.emulator.ptx.lexer import Token
from cuda_tile.emulator.ptx.syntax import Element, Immediate, Prototype, Variable
from cuda_tile.emulator.ptx.types import Type

_VECTORS = {".v2": 2, ".v4": 4, ".v8": 8}
# PTX ISA, "Vectors": none is wider than 128 bits.
_WIDEST_BYTES = 16
# PTX ISA, "Initializers": which variables may have initial values.
_INITIALISED = ("global", "const")
_NOT_INITIALISED = ("f16", "f16x2", "pred")
_MOST_BYTES = 1 << 48


def parse_variables(
    cursor: Cursor, known: Mapping[str, Variable], is_extern: bool = False
) -> list[Variable]:
    """Reads `.space [.align N] [.v2] .type name[sizes] [= values], ... ;`."""
    space = cursor.take().text[1:]
    align = 0
    if cursor.accept(".align"):
        align = cursor.alignment()
    if cursor.at(".attribute"):
        cursor.fail("a variable without attributes")
    width = _VECTORS[cursor.take().text] if cursor.at(*_VECTORS) else 1
    ty = cursor.declared_type("a variable type")
    if ty.kind == "pred" or width * ty.bytes > _WIDEST_BYTES:
        what = f".v{width} {ty}" if width > 1 else str(ty)
        raise PtxError(
            f"expected a type of at most 16 bytes other than .pred, got {what}",
            cursor.line,
        )
    variables: list[Variable] = []
    while True:
        token = cursor.kind("name", "a variable name")
        if token.text in known and not known[token.text].is_extern:
            raise PtxError(f"expected one variable {token.text!r}, got two", token.line)
        extents, elements = _extents(cursor, width), ()
        if cursor.accept("="):
            _check_initialised(space, ty, token)
            zero = Element(Immediate(0.0 if ty.is_float else 0))
            elements = tuple(_initial(cursor, extents, zero, is_vector=width > 1))
        size = math.prod(extents) * ty.bytes
        _check_size(token, space, size, is_extern=is_extern)
        variables.append(
            Variable(
                token.text,
                space,
                ty,
                size,
                align or width * ty.bytes,
                token.line,
                elements,
                is_extern,
            )
        )
        if not cursor.accept(","):
            break
    cursor.expect(";", "after a declaration")
    return variables


def parse_params(cursor: Cursor) -> list[Variable]:
    """`(.param .u64 .ptr .global .align 1 a, .param .align 2 .b8 b[2])`."""
    cursor.expect("(", "before parameters")
    params: list[Variable] = []
    while not cursor.at(")"):
        if params:
            cursor.expect(",", "between parameters")
        param = _param(cursor)
        if param.name != "_" and any(param.name == other.name for other in params):
            raise PtxError(
                f"expected one parameter {param.name!r}, got two", param.line
            )
        params.append(param)
    cursor.take()
    return params


def _param(cursor: Cursor) -> Variable:
    """One `.param`; `.reg` parameters of functions are treated alike."""
    line = cursor.line
    is_register = cursor.accept(".reg")
    if not (is_register or cursor.accept(".param")):
        cursor.fail("'.param'")
    align = 0
    if cursor.accept(".align"):
        align = cursor.alignment()
    ty = cursor.declared_type("a parameter type")
    if ty.kind == "pred" and not is_register:
        raise PtxError("expected a parameter type, got .pred", line)
    if cursor.accept(".ptr"):
        while cursor.at(".global", ".const", ".shared", ".local"):
            cursor.take()
        if cursor.accept(".align"):
            cursor.alignment()
    name = cursor.kind("name", "a parameter name").text
    size_bytes = ty.bytes
    if cursor.accept("["):
        size_bytes *= 0 if cursor.at("]") else cursor.count("an array size")
        cursor.expect("]", "after the array size")
    return Variable(name, "param", ty, size_bytes, align or ty.bytes, line)


def parse_prototype(cursor: Cursor) -> Prototype:
    """`.callprototype (.param .b32 _) _ (.param .b64 _);` or `.calltargets f, g;`."""
    if cursor.take().text == ".calltargets":
        names = [cursor.kind("name", "a function name").text]
        while cursor.accept(","):
            names.append(cursor.kind("name", "a function name").text)
        cursor.expect(";", "after .calltargets")
        return Prototype(None, None, tuple(names))
    results = parse_params(cursor) if cursor.at("(") else []
    cursor.expect("_", "for the name of the function")
    params = parse_params(cursor) if cursor.at("(") else []
    cursor.accept(".noreturn")
    cursor.expect(";", "after .callprototype")
    return Prototype(
        tuple(param.size_bytes for param in params),
        tuple(result.size_bytes for result in results),
    )


def _check_initialised(space: str, ty: Type, token: Token) -> None:
    if space not in _INITIALISED or ty.name in _NOT_INITIALISED:
        raise PtxError(
            f"expected no initial value for {token.text!r} of type {ty} in .{space}",
            token.line,
        )


def _check_size(token: Token, space: str, size: int, *, is_extern: bool) -> None:
    if size == 0 and not is_extern and space != "param":
        raise PtxError(
            f"expected a size of {token.text!r}; only '.extern' arrays have none",
            token.line,
        )
    if size > _MOST_BYTES:
        raise PtxError(
            f"expected at most {_MOST_BYTES} bytes, got {size} for {token.text!r}",
            token.line,
        )


def _extents(cursor: Cursor, width: int) -> list[int]:
    """Reads `[2][3]`; the elements of a vector are the last dimension."""
    sizes: list[int] = []
    while cursor.accept("["):
        is_open = cursor.at("]") and not sizes
        sizes.append(0 if is_open else cursor.count("an array size"))
        cursor.expect("]", "after the array size")
    return [*sizes, width] if width > 1 else sizes


def _initial(
    cursor: Cursor, extents: list[int], zero: Element, *, is_vector: bool
) -> list[Element]:
    """Reads a value, or for each dimension a brace-enclosed list of values.

    As in C, a list may be shorter than its dimension, and the rest is zero; only that
    of a vector is whole. The first of `extents` is set where the array leaves it open.

    Returns:
        The values in the order of memory, none of a missing end.
    """
    if not extents:
        if cursor.at("{"):
            cursor.fail("an initial value without braces")
        return [_element(cursor)]
    cursor.expect("{", "before the initial values of a dimension")
    inner = extents[1:]
    stride, count = math.prod(inner), 0
    elements: list[Element] = []
    while not cursor.at("}"):
        if count:
            cursor.expect(",", "between initial values")
        if count == extents[0] and extents[0]:
            cursor.fail(f"'}}' after at most {extents[0]} initial values")
        elements += [zero] * (count * stride - len(elements))
        elements += _initial(cursor, inner, zero, is_vector=is_vector)
        count += 1
    if is_vector and not inner and count < extents[0]:
        cursor.fail(f"{extents[0]} values of a vector")
    cursor.take()
    extents[0] = extents[0] or count
    return elements


def _element(cursor: Cursor) -> Element:
    """Reads a constant, `name`, `name+offset` or `generic(name)+offset`."""
    if cursor.token.kind != "name" or at_constant(cursor):
        return Element(constant(cursor))
    name = cursor.take().text
    is_generic = name == "generic" and cursor.at("(")
    if is_generic:
        cursor.take()
        name = cursor.kind("name", "a variable name").text
        cursor.expect(")", "after generic(")
    offset = integer_constant(cursor, "an offset") if cursor.accept("+") else 0
    return Element(name, offset, is_generic)
