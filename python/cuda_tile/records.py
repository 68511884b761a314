# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`dataclass` whose fields and methods are made when they are first asked for.

The compiler imports some hundred data classes, of which a kernel needs a part. The
standard library reads the annotations of each and compiles six methods at once, which
took two fifths of the time of a process that compiles one small kernel. `fields`,
`replace`, `asdict` and `field` are the standard library's; `cls.__dataclass_params__`
does not say `frozen`.
"""

from __future__ import annotations

import dataclasses
from _thread import RLock  # threading takes time, too
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any

Maker = Callable[[type[Any]], Callable[..., Any]]
"""Makes a method of a class."""

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type[Any] | None = None,
        /,
        *,
        frozen: bool = False,
        eq: bool = True,
        slots: bool = False,
    ) -> Any:
        """As `dataclasses.dataclass`, which does all that has slots."""

        def made(cls: type[Any]) -> type[Any]:
            if slots:
                return dataclasses.dataclass(frozen=frozen, eq=eq, slots=True)(cls)
            return _with_methods(cls, frozen, eq)

        return made if cls is None else made(cls)


def _with_methods(cls: type[Any], frozen: bool, eq: bool) -> type[Any]:
    """Adds the methods that the class does not have itself."""
    own = set(vars(cls))
    has_own_values = any(isinstance(each, Field) for each in vars(cls).values())
    for name in _FROM_FIELDS - own:
        setattr(cls, name, _FromFields(cls, name))
    if has_own_values:  # which an attribute of the class shall be, not its `field(...)`
        _read_fields(cls)
    makers: dict[str, Maker] = {"__init__": _init_of(frozen), "__repr__": _repr}
    if eq:
        makers["__eq__"] = _eq
        if frozen:
            makers["__hash__"] = _hash
        elif "__hash__" not in own:
            setattr(cls, "__hash__", None)  # noqa: B010  (of any class)
    for name, maker in makers.items():
        if name not in own:
            setattr(cls, name, _made_on_call(cls, name, maker))
    if "__init__" not in own:
        cls.__signature__ = _Signature(cls)
    if frozen:
        _freeze(cls)
    return cls


_FROM_FIELDS = {"__dataclass_fields__", "__dataclass_params__", "__match_args__"}
_TURN = RLock()


class _FromFields:
    """An attribute of a class whose annotations nobody has read yet."""

    def __init__(self, cls: type[Any], name: str) -> None:
        self.cls, self.name = cls, name

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        _read_fields(self.cls)
        return getattr(owner, self.name)


def _read_fields(cls: type[Any]) -> None:
    """Has the standard library read the annotations of a class, once."""
    with _TURN:
        unread = [
            name
            for name in _FROM_FIELDS
            if isinstance(vars(cls).get(name), _FromFields)
        ]
        if "__dataclass_fields__" not in unread:
            return
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        if "__match_args__" in unread:  # which it leaves as it is
            names = (each.name for each in dataclasses.fields(cls) if each.init)
            setattr(cls, "__match_args__", tuple(names))  # noqa: B010  (of any class)


def _made_on_call(cls: type[Any], name: str, maker: Maker) -> Callable[..., Any]:
    """A method that puts the real one in its place."""

    def method(*args: Any, **named: Any) -> Any:
        return _realised(cls, name, maker)(*args, **named)

    method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
    return method


def _realised(cls: type[Any], name: str, maker: Maker) -> Callable[..., Any]:
    real = maker(cls)
    real.__name__, real.__qualname__ = name, f"{cls.__qualname__}.{name}"
    real.__module__ = cls.__module__
    setattr(cls, name, real)
    return real


class _Signature:
    """Says which arguments a class takes, for `inspect` and `help`."""

    def __init__(self, cls: type[Any]) -> None:
        self.cls = cls

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        import inspect

        definer = next(each for each in owner.__mro__ if "__init__" in vars(each))
        if instance is not None or definer is not self.cls:
            raise AttributeError("__signature__")
        whole = inspect.signature(_init_of(False)(self.cls))
        _, *parameters = whole.parameters.values()
        return whole.replace(parameters=parameters)


class _Factory:
    """The default of what each object gets its own of."""

    def __repr__(self) -> str:
        return "<factory>"


def _init_of(frozen: bool) -> Maker:
    return lambda cls: _init(cls, frozen)


def _init(cls: type[Any], frozen: bool) -> Callable[..., Any]:
    """`__init__`, from its text, as the standard library has it."""
    names: dict[str, Any] = {"_made": _Factory(), "_set": object.__setattr__}
    heads, body = ["self"], list[str]()
    for each in dataclasses.fields(cls):
        value = _value(each, names)
        if each.init:
            heads.append(_head(each, names))
        if value:
            put = f"_set(self, {each.name!r}, {value})"
            body.append(put if frozen else f"self.{each.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = "\n  ".join(body or ["pass"])
    exec(f"def __init__({', '.join(heads)}):\n  {lines}", names)
    types = {each.name: each.type for each in dataclasses.fields(cls) if each.init}
    names["__init__"].__annotations__ = {**types, "return": None}
    return names["__init__"]


def _head(each: Field[Any], names: dict[str, Any]) -> str:
    """A parameter, with its default."""
    if each.default_factory is not MISSING:
        return f"{each.name}=_made"
    if each.default is not MISSING:
        names[f"_d_{each.name}"] = each.default
        return f"{each.name}=_d_{each.name}"
    return each.name


def _value(each: Field[Any], names: dict[str, Any]) -> str:
    """What a field gets, or nothing."""
    if each.default_factory is MISSING:
        return each.name if each.init else ""
    names[f"_f_{each.name}"] = each.default_factory
    made = f"_f_{each.name}()"
    return f"{made} if {each.name} is _made else {each.name}" if each.init else made


def _repr(cls: type[Any]) -> Callable[..., Any]:
    from reprlib import recursive_repr

    shown = [each.name for each in dataclasses.fields(cls) if each.repr]

    @recursive_repr()
    def method(self: Any) -> str:
        texts = [f"{name}={getattr(self, name)!r}" for name in shown]
        return f"{type(self).__qualname__}({', '.join(texts)})"

    return method


def _compared(cls: type[Any]) -> Callable[[Any], Any]:
    """Gives the fields that tell two objects apart."""
    names = [each.name for each in dataclasses.fields(cls) if each.compare]
    if not names:
        return lambda _: ()
    found = attrgetter(*names)
    return found if len(names) > 1 else lambda each: (found(each),)


def _eq(cls: type[Any]) -> Callable[..., Any]:
    compared = _compared(cls)

    def method(self: Any, other: Any) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return compared(self) == compared(other)

    return method


def _hash(cls: type[Any]) -> Callable[..., Any]:
    compared = _compared(cls)

    def method(self: Any) -> int:
        return hash(compared(self))

    return method


def _freeze(cls: type[Any]) -> None:
    """Refuses changes, as the standard library does."""

    def is_fixed(self: Any, name: str) -> bool:
        fields = dataclasses.fields(cls)
        return type(self) is cls or any(name == each.name for each in fields)

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if is_fixed(self, name):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if is_fixed(self, name):
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    methods = {"__setattr__": set_attribute, "__delattr__": delete_attribute}
    for name, method in methods.items():
        setattr(cls, name, method)
