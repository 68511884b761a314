# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions over tiles, as a user types them: `k > 10`, `isnan(acc).any()`.

A subset of Python that can only compute: operators, comparisons, subscripts, and the
functions and attributes listed here. Nothing else is reached, whatever is typed.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, cast

import numpy as np

from cuda_tile.errors import UserError

MAX_LENGTH = 1000
"""Characters of an expression."""
MAX_POWER = 4096
"""Largest exponent and shift of Python's unbounded integers."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "all": np.all,
    "allclose": np.allclose,
    "any": np.any,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "argwhere": np.argwhere,
    "bool": bool,
    "exp": np.exp,
    "float": float,
    "int": int,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "len": len,
    "log": np.log,
    "max": np.max,
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "sqrt": np.sqrt,
    "std": np.std,
    "sum": np.sum,
    "unique": np.unique,
    "where": np.where,
}
"""The functions that an expression may call, NumPy's where it has one."""

ATTRIBUTES = frozenset(
    ("T", "all", "any", "argmax", "argmin", "dtype", "flatten", "max", "mean", "min")
) | frozenset(("ndim", "prod", "shape", "size", "std", "sum", "var", "x", "y", "z"))
"""Attributes and methods of tiles and of `block` that it may use."""

KEYWORDS = frozenset(("atol", "axis", "keepdims", "rtol"))
"""Keyword arguments that it may pass; none of them names a place to write to."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
    ast.MatMult: lambda a, b: a @ b,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: lambda value: not is_true(value),
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SSA_NAME = re.compile(
    r"((?:\b(?:and|else|if|in|not|or)\s+)|(?<![\w)\]\s])\s*)"
    r"%([A-Za-z0-9_$.-]*[A-Za-z0-9_$])(#\d+)?"
)
"""`%acc`, where no operand stands before that it could be the remainder of."""


class UnknownName(UserError):
    """A name that is not in scope.

    Attributes:
        name: The name.
    """

    def __init__(self, name: str, names: Mapping[str, Any]) -> None:
        self.name = name
        own = [each for each in names if not each.startswith("%")]
        known = ", ".join(own or list(names)[:20]) or "nothing"
        super().__init__(f"expected a name in scope, got '{name}'; in scope: {known}")

    def is_among(self, names: Container[str]) -> bool:
        """Whether it is one of some names, which have no `%`."""
        return self.name.removeprefix("%") in names


class Coordinates(tuple[int, ...]):
    """A place in the grid; axes that are left out of a comparison are 0."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        axes = (other,) if isinstance(other, int) else other
        if not isinstance(axes, tuple):
            return False
        given = cast("tuple[object, ...]", axes)
        return len(given) <= 3 and tuple(self) == (*given, 0, 0)[:3]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    @property
    def x(self) -> int:
        """Along the first axis."""
        return self[0]

    @property
    def y(self) -> int:
        """Along the second axis."""
        return self[1]

    @property
    def z(self) -> int:
        """Along the third axis."""
        return self[2]


def evaluate(text: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression.

    Args:
        text: The expression. SSA names may have their `%`.
        names: The values in scope.

    Raises:
        UserError: It is none, uses what is not allowed, or cannot be computed.
    """
    if len(text) > MAX_LENGTH:
        raise UserError(f"expected at most {MAX_LENGTH} characters, got {len(text)}")
    held: dict[str, Any] = {}
    plain = _SSA_NAME.sub(lambda match: _held(match, names, held), text.strip())
    try:
        tree = ast.parse(plain, mode="eval")
        with np.errstate(all="ignore"):
            return _Evaluator(_Names(names, held)).value(tree.body)
    except SyntaxError:
        raise UserError(f"expected an expression, got '{text}'") from None
    except UserError:
        raise
    except (RecursionError, MemoryError):
        raise UserError(f"expected a smaller expression, got '{text}'") from None
    except Exception as error:
        raise UserError(f"'{text}' has no value: {error}") from None


def _held(match: re.Match[str], names: Mapping[str, Any], held: dict[str, Any]) -> str:
    """An identifier in place of an SSA name."""
    name = f"%{match[2]}{match[3] or ''}"
    if name not in names:
        raise UnknownName(name, names)
    stand_in = f"ssa{len(held)}"
    held[stand_in] = names[name]
    return f"{match[1]}{stand_in}"


def is_true(value: Any) -> bool:
    """Whether a condition holds.

    Raises:
        UserError: It has several elements.
    """
    size = np.size(value)
    if size != 1:
        raise UserError(
            f"expected a condition with one value, got {size}; end it with "
            ".any() or .all()"
        )
    return bool(value)


class _Names(Mapping[str, Any]):
    """The values in scope, each computed only when it is asked for, and stand-ins."""

    def __init__(self, names: Mapping[str, Any], held: Mapping[str, Any]) -> None:
        self._names = names
        self._held = held

    def __getitem__(self, name: str) -> Any:
        return self._held[name] if name in self._held else self._names[name]

    def __contains__(self, name: object) -> bool:
        return name in self._held or name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Evaluator:
    """Walks an expression; each kind of node that is allowed has a method."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def value(self, node: ast.AST) -> Any:
        """The value of a node."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise UserError(
                f"expected arithmetic, comparisons, subscripts and calls, got "
                f"'{ast.unparse(node)}'"
            )
        return method(node)

    def _constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, (int, float, complex, bool)):
            raise UserError(f"expected a number, got {node.value!r}")
        return node.value

    def _name(self, node: ast.Name) -> Any:
        for name in (node.id, f"%{node.id}"):
            if name in self._names:
                return self._names[name]
        raise UnknownName(node.id, self._names)

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(each) for each in node.elts)

    def _list(self, node: ast.List) -> Any:
        return [self.value(each) for each in node.elts]

    def _slice(self, node: ast.Slice) -> slice:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if each is None else self.value(each) for each in parts))

    def _subscript(self, node: ast.Subscript) -> Any:
        return self.value(node.value)[self.value(node.slice)]

    def _attribute(self, node: ast.Attribute) -> Any:
        if node.attr not in ATTRIBUTES:
            raise UserError(
                f"expected one of {', '.join(sorted(ATTRIBUTES))}, got '.{node.attr}'"
            )
        return getattr(self.value(node.value), node.attr)

    def _call(self, node: ast.Call) -> Any:
        words = {word.arg or "**": self.value(word.value) for word in node.keywords}
        if set(words) - KEYWORDS:
            raise UserError(f"expected keywords among {', '.join(sorted(KEYWORDS))}")
        return self._callee(node.func)(*map(self.value, node.args), **words)

    def _callee(self, node: ast.expr) -> Callable[..., Any]:
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        name = getattr(node, "id", ast.unparse(node))
        if name not in FUNCTIONS:
            raise UserError(f"expected one of {', '.join(FUNCTIONS)}, got '{name}'")
        return FUNCTIONS[name]

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        return _UNARY[type(node.op)](self.value(node.operand))

    def _binop(self, node: ast.BinOp) -> Any:
        left: Any = self.value(node.left)
        right: Any = self.value(node.right)
        if isinstance(node.op, (ast.Pow, ast.LShift)):
            _check_size(left, right)
        if type(left) in (list, tuple) or type(right) in (list, tuple):
            left, right = np.asarray(left), np.asarray(right)
        return _BINARY[type(node.op)](left, right)

    def _boolop(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        result: Any = is_and
        for each in node.values:
            result = self.value(each)
            if is_true(result) != is_and:
                return result
        return result

    def _compare(self, node: ast.Compare) -> Any:
        left, result = self.value(node.left), True
        for kind, other in zip(node.ops, node.comparators, strict=True):
            if type(kind) not in _COMPARISONS:
                raise UserError(f"expected ==, !=, <, <=, >, >=: {ast.unparse(node)}")
            right = self.value(other)
            step: Any = _COMPARISONS[type(kind)](left, right)
            result, left = step if result is True else result & step, right
        return result

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if is_true(self.value(node.test)) else node.orelse)


def _check_size(left: Any, right: Any) -> None:
    """Python's integers grow without end; arrays do not."""
    if not isinstance(left, int) or not isinstance(right, int):
        return
    if abs(right) > MAX_POWER or abs(left) > 1 << 64:
        raise UserError(
            f"expected an exponent of at most {MAX_POWER} and a base of at most 64 "
            f"bits, got {left} and {right}"
        )
