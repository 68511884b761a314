"""The parser of function bodies: scopes, declarations, labels, instructions.

PTX ISA: "Instruction Statements", "Labels and Function Names", "Operand Types",
"Using Addresses, Arrays, and Vectors". Names are resolved while reading; only labels
and functions may be used before they stand.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cuda_tile.emulator.cursor import Cursor
from cuda_tile.emulator.declare import parse_prototype, parse_variables
from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.syntax import (
    Address,
    Function,
    FunctionName,
    Group,
    Immediate,
    Instruction,
    Label,
    Module,
    Negated,
    Operand,
    Pair,
    Part,
    Prototype,
    Register,
    Sink,
    Special,
    SymbolAddress,
    Variable,
    Vector,
)
from cuda_tile.emulator.types import Type

# Far more than any compiler nests, and few enough for Python's stack.
_MOST_NESTED = 100
# A register with more digits in its name belongs to no family.
_MOST_DIGITS = 9


@dataclass(eq=False)
class Scope:
    """The names that one pair of braces declares; `depth` pairs are around it."""

    parent: Scope | None
    depth: int = 0
    registers: dict[str, Register] = field(default_factory=dict[str, Register])
    families: dict[str, tuple[int, Type]] = field(
        default_factory=dict[str, "tuple[int, Type]"]
    )
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    tables: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, "tuple[str, ...]"]
    )
    prototypes: dict[str, Prototype] = field(default_factory=dict[str, Prototype])

    def has(self, name: str) -> bool:
        """Whether the block itself declares a name, whatever it stands for."""
        known = (self.registers, self.variables, self.labels, self.tables)
        if any(name in names for names in known):
            return True
        return self.of_family(name) is not None

    def of_family(self, name: str) -> Type | None:
        """The type of a register that the block declares as one of `%r<32>`."""
        stem, number = _numbered(name)
        if number is None or stem not in self.families:
            return None
        count, ty = self.families[stem]
        return ty if number < count else None

    def register(self, name: str) -> Register | None:
        """Finds a register, also one of a family `%r<32>`, here or further out."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.registers.get(name)
            if found is not None:
                return found
            if (ty := scope.of_family(name)) is not None:
                return scope.registers.setdefault(name, Register(name, ty))
            scope = scope.parent
        return None

    def variable(self, name: str) -> Variable | None:
        """Finds a variable declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.parent
        return None

    def label(self, name: str) -> int | None:
        """Finds the instruction number of a label declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.parent
        return None

    def table(self, name: str) -> tuple[tuple[str, ...], Scope] | None:
        """Finds a `.branchtargets` list declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.tables:
                return scope.tables[name], scope
            scope = scope.parent
        return None

    def prototype(self, name: str) -> Prototype | None:
        """Finds a `.callprototype` or `.calltargets` declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.prototypes:
                return scope.prototypes[name]
            scope = scope.parent
        return None


def _numbered(name: str) -> tuple[str, int | None]:
    """Splits `%r12` into stem and number; no number where it is not canonical."""
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    if not digits or len(digits) > _MOST_DIGITS or (digits[0] == "0" and digits != "0"):
        return name, None
    return stem, int(digits)


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

    def _declare(self, name: str, line: int, what: str, count: int = -1) -> None:
        """Checks that a name, or a family of `count`, is declared once in its block."""
        scope, function = self._scope, self._function
        is_known = scope.has(name)
        if count >= 0:
            numbered = [_numbered(register) for register in scope.registers]
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
            guard = (self._guard_register(), negated)
        line = cursor.line
        opcode = cursor.kind("name", "an instruction").text
        modifiers: list[str] = []
        while cursor.token.kind == "suffix":
            modifiers.append(cursor.take().text[1:])
        operands: list[Operand | _Name] = []
        while not cursor.at(";"):
            if operands:
                cursor.expect(",", f"or ';' in the operands of {opcode}")
            operands.append(self._operand())
        cursor.take()
        # _Name placeholders become labels and functions in `parse`.
        return Instruction(opcode, tuple(modifiers), tuple(operands), guard, line)  # pyright: ignore[reportArgumentType]

    def _guard_register(self) -> Register:
        token = self._cursor.kind("name", "a predicate register")
        register = self._scope.register(token.text)
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
        if cursor.accept("("):
            return Group(tuple(self._list(")")))
        if cursor.accept("["):
            return self._address()
        if cursor.accept("!"):
            return Negated(self._guard_register())
        if cursor.token.kind == "name":
            return self._named()
        return cursor.number()

    def _list(self, close: str) -> list[Operand]:
        elements: list[Operand] = []
        while not self._cursor.accept(close):
            if elements:
                self._cursor.expect(",", f"or {close!r} in an operand list")
            if self._cursor.at("{", "(", "["):
                self._cursor.fail("a register, a constant or a variable in a list")
            elements.append(_sure(self._operand(), self._cursor.line))
        return elements

    def _named(self) -> Operand | _Name:
        cursor = self._cursor
        token = cursor.take()
        name = token.text
        if name == "_":
            return Sink()
        if name == "WARP_SZ":
            return Immediate(32)
        register = self._scope.register(name)
        if register is not None:
            if cursor.token.kind == "suffix":
                return Part(register, cursor.take().text[1:])
            return register
        if name.startswith("%"):
            if cursor.token.kind == "suffix":
                name += cursor.take().text
            return Special(name)
        variable = self._scope.variable(name)
        if variable is None:
            return _Name(name)
        return SymbolAddress(variable, self._offset())

    def _offset(self) -> int:
        if self._cursor.accept("+"):
            return self._cursor.integer("an offset in bytes")
        return 0

    def _address(self) -> Address:
        cursor = self._cursor
        if cursor.token.kind == "int":
            base: Register | Variable | int = cursor.integer("an address")
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
            if cursor.at("(", "["):
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
