# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parser of function bodies: scopes, declarations, labels, instructions.

PTX ISA: "Instruction Statements", "Labels and Function Names", "Operand Types",
"Using Addresses, Arrays, and Vectors". Names are resolved while reading; only labels
and functions may be used before they stand.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.ptx.cursor import Cursor
from cuda_tile.emulator.ptx.declare import parse_prototype, parse_variables
from cuda_tile.emulator.ptx.expressions import at_constant, constant, integer_constant
from cuda_tile.emulator.ptx.scope import Scope, split_number
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Function,
    FunctionName,
    Group,
    Instruction,
    Label,
    Module,
    Negated,
    Operand,
    Pair,
    Part,
    Register,
    Sink,
    Special,
    SymbolAddress,
    Variable,
    Vector,
)
from cuda_tile.emulator.ptx.types import PRED

# Far more than any compiler nests, and few enough for Python's stack.
_MOST_NESTED = 100
# PTX ISA, "Vectors": none is wider.
_WIDEST_BITS = 128
# PTX ISA, "Vectors as Operands": the names of an element.
_ELEMENTS = {".x": 0, ".r": 0, ".y": 1, ".g": 1, ".z": 2, ".b": 2, ".w": 3, ".a": 3}
# The only special register that is a predicate.
_SPECIAL_PREDICATE = "%is_explicit_cluster"


@dataclass(frozen=True)
class _Name:
    """A name that is neither register nor variable: a label or a function."""

    text: str


class BodyParser:
    """Fills a function's `variables`, `code` and `labels` from its body."""

    def __init__(self, cursor: Cursor, module: Module, function: Function) -> None:
        self._cursor = cursor
        self._module = module
        self._function = function
        self._scope = Scope(None, variables=dict(module.variables))
        for param in (*function.params, *function.results):
            self._scope.variables[param.name] = param
        self._pending: list[tuple[Scope, Instruction]] = []

    def parse(self) -> None:
        """Reads from `{` to the matching `}` and resolves the labels."""
        self._cursor.expect("{", "at the start of a function body")
        self._block()
        marks: set[int] = set()
        for scope, instruction in self._pending:
            operands = tuple(
                self._resolve(operand, scope, instruction.line)
                for operand in instruction.operands
            )
            self._function.code.append(
                Instruction(
                    instruction.opcode,
                    instruction.modifiers,
                    operands,
                    instruction.guard,
                    instruction.line,
                )
            )
            marks.update(_targets(operands))
        self._function.labels = sorted(marks)

    def _block(self) -> None:
        if self._scope.depth == _MOST_NESTED:
            self._cursor.fail(f"at most {_MOST_NESTED} nested blocks")
        self._scope = Scope(self._scope, self._scope.depth + 1)
        while not self._cursor.accept("}"):
            self._statement()
        parent = self._scope.parent
        assert parent is not None, "a block scope always has a parent"
        self._scope = parent

    def _statement(self) -> None:
        cursor = self._cursor
        if cursor.accept("{"):
            self._block()
        elif cursor.at(".reg"):
            self._registers()
        elif cursor.at(".local", ".shared", ".param", ".const", ".global"):
            for variable in parse_variables(cursor, {}):
                self._declare(variable.name, variable.line, "variable")
                self._scope.variables[variable.name] = variable
                self._function.variables.append(variable)
        elif cursor.at(".loc"):
            cursor.skip_line()
        elif cursor.accept(".pragma"):
            cursor.kind("string", "a pragma string")
            cursor.expect(";", "after .pragma")
        elif cursor.token.kind == "name" and cursor.following.text == ":":
            self._label()
        elif cursor.token.kind == "name" or cursor.at("@"):
            self._pending.append((self._scope, self._instruction()))
        else:
            cursor.fail("an instruction, a label, a declaration or '}'")

    def _registers(self) -> None:
        """`.reg .b32 %r<32>;` or `.reg .pred p, q;`."""
        cursor = self._cursor
        cursor.take()
        if cursor.at(".v2", ".v4"):
            self._vector_registers(int(cursor.take().text[2:]))
            return
        ty = cursor.declared_type("a register type")
        while True:
            token = cursor.kind("name", "a register name")
            if cursor.accept("<"):
                count = cursor.count("a number of registers")
                cursor.expect(">", "after the number of registers")
                self._declare(token.text, token.line, "register", count)
                self._scope.families[token.text] = (count, ty)
            else:
                self._declare(token.text, token.line, "register")
                self._scope.registers[token.text] = Register(token.text, ty)
            if not cursor.accept(","):
                break
        cursor.expect(";", "after a register declaration")

    def _vector_registers(self, width: int) -> None:
        """`.v4 .f32 v, w;`: as many registers, `v.x`, that also stand as `v`."""
        cursor = self._cursor
        line, ty = cursor.line, cursor.declared_type("a register type")
        if ty.kind == "pred" or width * ty.bits > _WIDEST_BITS:
            raise PtxError(
                f"expected a vector of at most {_WIDEST_BITS} bits without predicates, "
                f"got .v{width} {ty}",
                line,
            )
        while True:
            token = cursor.kind("name", "a register name")
            if cursor.at("<"):
                cursor.fail("vector registers that are declared one by one")
            self._declare(token.text, token.line, "register")
            self._scope.vectors[token.text] = Vector(
                tuple(Register(f"{token.text}.{c}", ty) for c in "xyzw"[:width])
            )
            if not cursor.accept(","):
                break
        cursor.expect(";", "after a register declaration")

    def _declare(self, name: str, line: int, what: str, count: int = -1) -> None:
        """Checks that a name, or a family of `count`, is declared once in its block."""
        scope, function = self._scope, self._function
        is_known = scope.has(name)
        if count >= 0:
            numbered = [split_number(register) for register in scope.registers]
            within = [n for stem, n in numbered if stem == name and n is not None]
            is_known = name in scope.families or min(within, default=count) < count
        if scope.depth == 1:
            is_known |= any(p.name == name for p in function.params + function.results)
        if name == "_":
            raise PtxError(f"expected a name for a {what}, got '_'", line)
        if is_known:
            raise PtxError(f"expected one {what} {name!r}, got two", line)

    def _label(self) -> None:
        cursor = self._cursor
        token = cursor.take()
        cursor.take()
        if cursor.accept(".branchtargets"):
            names = [cursor.kind("name", "a label").text]
            while cursor.accept(","):
                names.append(cursor.kind("name", "a label").text)
            cursor.expect(";", "after .branchtargets")
            self._scope.tables[token.text] = tuple(names)
            return
        if cursor.at(".callprototype", ".calltargets"):
            self._scope.prototypes[token.text] = parse_prototype(cursor)
            return
        self._declare(token.text, token.line, "label")
        self._scope.labels[token.text] = len(self._pending)

    def _instruction(self) -> Instruction:
        cursor = self._cursor
        guard: tuple[Register, bool] | None = None
        if cursor.accept("@"):
            negated = cursor.accept("!")
            guard = (self._guard_register(is_guard=True), negated)
        line = cursor.line
        opcode = cursor.kind("name", "an instruction").text
        modifiers: list[str] = []
        while cursor.token.kind == "suffix":
            modifiers.append(cursor.take().text[1:])
        operands: list[Operand | _Name] = []
        while not cursor.at(";"):
            if operands:
                cursor.expect(",", f"or ';' in the operands of {opcode}")
            if opcode == "call" and cursor.accept("("):
                operands.append(Group(tuple(self._list(")"))))
            else:
                operands.append(self._operand())
        cursor.take()
        # _Name placeholders become labels and functions in `parse`.
        return Instruction(opcode, tuple(modifiers), tuple(operands), guard, line)  # pyright: ignore[reportArgumentType]

    def _guard_register(self, *, is_guard: bool = False) -> Register:
        token = self._cursor.kind("name", "a predicate register")
        register = self._scope.register(token.text)
        if register is None and is_guard and token.text == _SPECIAL_PREDICATE:
            # A special register is read by a mov of its own.
            register = Register(token.text, PRED)
            copied = (register, Special(token.text))
            mov = Instruction("mov", ("pred",), copied, None, token.line)
            self._pending.append((self._scope, mov))
        if register is None or register.type.kind != "pred":
            raise PtxError(
                f"expected a predicate register after '@', got {token.text!r}",
                token.line,
            )
        return register

    def _operand(self) -> Operand | _Name:
        line = self._cursor.line
        first = self._simple_operand()
        if self._cursor.accept("|"):
            return Pair(_sure(first, line), _sure(self._simple_operand(), line))
        return first

    def _simple_operand(self) -> Operand | _Name:
        cursor = self._cursor
        if cursor.accept("{"):
            line, elements = cursor.line, tuple(self._list("}"))
            _check_alike(elements, line)
            return Vector(elements)
        if at_constant(cursor):
            return constant(cursor)
        if cursor.accept("["):
            return self._address()
        if cursor.accept("!"):
            return Negated(self._guard_register())
        if cursor.token.kind != "name":
            cursor.fail("an operand")
        return self._named()

    def _list(self, close: str) -> list[Operand]:
        elements: list[Operand] = []
        while not self._cursor.accept(close):
            if elements:
                self._cursor.expect(",", f"or {close!r} in an operand list")
            if self._cursor.at("{", "["):
                self._cursor.fail("a register, a constant or a variable in a list")
            line, element = self._cursor.line, _sure(self._operand(), self._cursor.line)
            if isinstance(element, Vector):
                raise PtxError("expected an element in a list, got a vector", line)
            elements.append(element)
        return elements

    def _named(self) -> Operand | _Name:
        cursor = self._cursor
        token = cursor.take()
        name = token.text
        if name == "_":
            return Sink()
        register = self._scope.register(name)
        if register is not None:
            if cursor.token.kind == "suffix":
                return Part(register, cursor.take().text[1:])
            return register
        vector = self._scope.vector(name)
        if vector is not None:
            return self._element(vector) if cursor.token.kind == "suffix" else vector
        if name.startswith("%"):
            if cursor.token.kind == "suffix":
                name += cursor.take().text
            return Special(name)
        variable = self._scope.variable(name)
        if variable is None:
            return _Name(name)
        if cursor.at("["):
            cursor.fail("name+offset; an index behind a variable is not supported")
        return SymbolAddress(variable, self._offset())

    def _element(self, vector: Vector) -> Operand:
        token = self._cursor.take()
        place = _ELEMENTS.get(token.text, len(vector.elements))
        if place >= len(vector.elements):
            raise PtxError(
                f"expected an element of a vector of {len(vector.elements)}, "
                f"got {token.text!r}",
                token.line,
            )
        return vector.elements[place]

    def _offset(self) -> int:
        if self._cursor.accept("+"):
            return integer_constant(self._cursor, "an offset in bytes")
        return 0

    def _address(self) -> Address:
        cursor = self._cursor
        if at_constant(cursor):
            base: Register | Variable | int = integer_constant(cursor, "an address")
        else:
            token = cursor.kind("name", "a register or variable in an address")
            found = self._scope.register(token.text) or self._scope.variable(token.text)
            if found is None:
                raise PtxError(
                    f"expected a declared register or variable, got {token.text!r}",
                    token.line,
                )
            base = found
        offset = self._offset()
        coordinates: tuple[Operand, ...] = ()
        while cursor.accept(","):
            if cursor.at("["):
                cursor.fail("coordinates in braces, or a register")
            coordinates += (_sure(self._operand(), self._cursor.line),)
        cursor.expect("]", "after an address")
        return Address(base, offset, coordinates)

    def _resolve(self, operand: Operand | _Name, scope: Scope, line: int) -> Operand:
        if not isinstance(operand, _Name):
            return operand
        target = scope.label(operand.text)
        if target is not None:
            return Label(operand.text, target)
        table = scope.table(operand.text)
        if table is not None:
            names, home = table
            return Vector(
                tuple(self._resolve(_Name(name), home, line) for name in names)
            )
        prototype = scope.prototype(operand.text)
        if prototype is not None:
            return prototype
        if operand.text in self._module.functions:
            return FunctionName(operand.text)
        raise PtxError(f"expected a declared name, got {operand.text!r}", line)


def _sure(operand: Operand | _Name, line: int) -> Operand:
    """Labels and functions may not stand inside lists, pairs and addresses."""
    if isinstance(operand, _Name):
        raise PtxError(f"expected a declared name, got {operand.text!r}", line)
    return operand


def _check_alike(elements: tuple[Operand, ...], line: int) -> None:
    """PTX ISA, "Vectors as Operands": the elements are of one size and kind."""
    types = [e.type for e in elements if isinstance(e, Register)]
    widths = {ty.bits for ty in types}
    kinds = {ty.kind for ty in types}
    if len(widths) > 1 or ("f" in kinds and kinds & {"s", "u"}):
        found = ", ".join(dict.fromkeys(str(ty) for ty in types))
        raise PtxError(f"expected elements of one type in a vector, got {found}", line)


def _targets(operands: tuple[Operand, ...]) -> set[int]:
    marks: set[int] = set()
    for operand in operands:
        if isinstance(operand, Label):
            marks.add(operand.target)
        elif isinstance(operand, Vector):
            marks |= _targets(operand.elements)
    return marks
