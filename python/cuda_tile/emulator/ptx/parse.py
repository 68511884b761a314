# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parser of PTX modules: directives, variables, function headers.

PTX ISA: "PTX Module Directives", "Specifying Kernel Entry Points and Functions",
"Performance-Tuning Directives", "Variables". Anything it does not know is an error
at its line; nothing is skipped but debug information.
"""

from __future__ import annotations

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.ptx.body import BodyParser
from cuda_tile.emulator.ptx.cursor import Cursor
from cuda_tile.emulator.ptx.declare import parse_params, parse_variables
from cuda_tile.emulator.ptx.lexer import tokenize
from cuda_tile.emulator.ptx.syntax import Function, Module, Variable

_LINKAGE = (".visible", ".extern", ".weak", ".common")
_SPACES = (".global", ".const", ".shared")
_LIMITS = (
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".reqnctapercluster",
    ".maxclusterrank",
)
_FLAGS = (".noreturn", ".explicitcluster", ".blocksareclusters")


def parse(text: str) -> Module:
    """Reads a PTX text.

    Raises:
        PtxError: The text is malformed or uses an unknown directive.
    """
    cursor = Cursor(tokenize(text))
    module = _header(cursor, text)
    while cursor.token.kind != "end":
        _item(cursor, module)
    return module


def _header(cursor: Cursor, text: str) -> Module:
    """`.version 8.3`, `.target sm_90[, option]*`, `.address_size 64`."""
    cursor.expect(".version", "at the start of a PTX module")
    token = cursor.kind("float", "a version such as 8.3")
    major, _, minor = token.text.partition(".")
    if not (major.isdigit() and minor.isdigit()):
        raise PtxError(
            f"expected a version such as 8.3, got {token.text!r}", token.line
        )
    cursor.expect(".target", "after .version")
    target = cursor.kind("name", "a target such as sm_90").text
    if not target.startswith("sm_"):
        raise PtxError(f"expected a target such as sm_90, got {target!r}", cursor.line)
    while cursor.accept(","):
        cursor.kind("name", "a target option")
    if cursor.accept(".address_size"):
        line = cursor.line
        if (size := cursor.integer("an address size")) != 64:
            raise PtxError(f"expected .address_size 64, got {size}", line)
    return Module((int(major), int(minor)), target, text.splitlines())


def _item(cursor: Cursor, module: Module) -> None:
    """Reads one item of the module: a variable, a function, or debug information."""
    if cursor.at(".file"):
        cursor.skip_line()
    elif cursor.at(".section"):
        _skip_section(cursor)
    elif cursor.accept(".pragma"):
        cursor.kind("string", "a pragma string")
        cursor.expect(";", "after .pragma")
    else:
        linkage: set[str] = set()
        while cursor.at(*_LINKAGE):
            linkage.add(cursor.take().text)
        if cursor.at(*_SPACES):
            is_extern = ".extern" in linkage
            for variable in parse_variables(cursor, module.variables, is_extern):
                module.variables[variable.name] = variable
        elif cursor.at(".entry", ".func"):
            _function(cursor, module)
        else:
            cursor.fail("a directive (.entry, .func, .global, .const, .shared)")


def _skip_section(cursor: Cursor) -> None:
    """Skips a debug section, `.section .debug_str { ... }`."""
    cursor.take()
    cursor.kind("suffix", "a section name")
    cursor.expect("{", "after the section name")
    depth = 1
    while depth:
        if cursor.token.kind == "end":
            cursor.fail("'}' at the end of the section")
        token = cursor.take()
        depth += (token.text == "{") - (token.text == "}")


def _function(cursor: Cursor, module: Module) -> None:
    is_entry = cursor.take().text == ".entry"
    results: list[Variable] = []
    if not is_entry and cursor.at("("):
        results = parse_params(cursor)
    token = cursor.kind("name", "a function name")
    known = module.functions.get(token.text)
    if known is not None and known.is_defined:
        raise PtxError(
            f"expected one function {token.text!r}, the first is on line {known.line}",
            token.line,
        )
    function = Function(token.text, is_entry, token.line, results=results)
    if cursor.at("("):
        function.params = parse_params(cursor)
    _tuning(cursor, function)
    module.functions[function.name] = function
    if not cursor.accept(";"):
        function.is_defined = True
        BodyParser(cursor, module, function).parse()


def _tuning(cursor: Cursor, function: Function) -> None:
    """Performance-tuning directives between the header and the body."""
    while not cursor.at("{", ";"):
        if cursor.at(*_LIMITS):
            name = cursor.take().text[1:]
            values = [cursor.integer("a number")]
            while cursor.accept(","):
                values.append(cursor.integer("a number"))
            function.limits[name] = tuple(values)
        elif cursor.at(*_FLAGS):
            function.limits[cursor.take().text[1:]] = ()
        elif cursor.accept(".pragma"):
            cursor.kind("string", "a pragma string")
            cursor.expect(";", "after .pragma")
        else:
            cursor.fail("'{' or a performance-tuning directive")
