"""Declarations of variables, their initial values, parameters and prototypes.

PTX ISA: "Variables": "Variable Declarations", "Array Declarations", "Initializers",
"Alignment"; "Control Flow Directives": ".callprototype", ".calltargets".
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda_tile.emulator.cursor import Cursor
from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.syntax import Element, Prototype, Variable

_VECTORS = {".v2": 2, ".v4": 4, ".v8": 8}


def parse_variables(
    cursor: Cursor, known: Mapping[str, Variable], is_extern: bool = False
) -> list[Variable]:
    """Reads `.space [.align N] [.v2] .type name[sizes] [= values], ... ;`."""
    space = cursor.take().text[1:]
    align = 0
    if cursor.accept(".align"):
        align = cursor.integer("an alignment in bytes")
    if cursor.at(".attribute"):
        cursor.fail("a variable without attributes")
    width = _VECTORS[cursor.take().text] if cursor.at(*_VECTORS) else 1
    ty = cursor.type("a variable type")
    variables: list[Variable] = []
    while True:
        token = cursor.kind("name", "a variable name")
        if token.text in known and not known[token.text].is_extern:
            raise PtxError(f"expected one variable {token.text!r}, got two", token.line)
        sizes = _sizes(cursor)
        elements = tuple(_initial(cursor)) if cursor.accept("=") else ()
        if sizes and sizes[0] == 0 and elements:
            sizes[0] = len(elements)
        count = width
        for size in sizes:
            count *= size
        if len(elements) > count:
            raise PtxError(
                f"expected at most {count} initial values, got {len(elements)}",
                token.line,
            )
        variables.append(
            Variable(
                token.text,
                space,
                ty,
                count * ty.bytes,
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
        params.append(_param(cursor))
    cursor.take()
    return params


def _param(cursor: Cursor) -> Variable:
    """One `.param`; `.reg` parameters of functions are treated alike."""
    line = cursor.line
    if not (cursor.accept(".param") or cursor.accept(".reg")):
        cursor.fail("'.param'")
    align = 0
    if cursor.accept(".align"):
        align = cursor.integer("an alignment in bytes")
    ty = cursor.type("a parameter type")
    if cursor.accept(".ptr"):
        while cursor.at(".global", ".const", ".shared", ".local"):
            cursor.take()
        if cursor.accept(".align"):
            cursor.integer("an alignment in bytes")
    name = cursor.kind("name", "a parameter name").text
    size_bytes = ty.bytes
    if cursor.accept("["):
        size_bytes *= 0 if cursor.at("]") else cursor.integer("an array size")
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


def _sizes(cursor: Cursor) -> list[int]:
    sizes: list[int] = []
    while cursor.accept("["):
        sizes.append(0 if cursor.at("]") else cursor.integer("an array size"))
        cursor.expect("]", "after the array size")
    return sizes


def _initial(cursor: Cursor) -> list[Element]:
    """Reads a value or a brace-enclosed list of values, flattened."""
    if not cursor.accept("{"):
        return [_element(cursor)]
    elements: list[Element] = []
    while not cursor.at("}"):
        if elements:
            cursor.expect(",", "between initial values")
        elements += _initial(cursor)
    cursor.take()
    return elements


def _element(cursor: Cursor) -> Element:
    """Reads a constant, `name`, `name+offset` or `generic(name)+offset`."""
    if cursor.token.kind != "name":
        return Element(cursor.number())
    name = cursor.take().text
    is_generic = name == "generic" and cursor.at("(")
    if is_generic:
        cursor.take()
        name = cursor.kind("name", "a variable name").text
        cursor.expect(")", "after generic(")
    offset = cursor.integer("an offset") if cursor.accept("+") else 0
    return Element(name, offset, is_generic)
