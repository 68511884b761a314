# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of a tuner: what holds for a kernel, and whether it still does.

A record is JSON, as `tuning_schema.json` says: for each kernel, chip and set of options
the choice, and the sums of all that it depends on. `TuningRecord.apply` looks at these
before a choice is taken: a number of a plan means something else to another compiler.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from cuda_tile._mlir import ir
from cuda_tile.codegen.build_id import build_id
from cuda_tile.codegen.versions import versions
from cuda_tile.errors import UserError
from cuda_tile.ir.hints import write_hints
from cuda_tile.ir.walk import entries, entry_name
from cuda_tile.options import Options
from cuda_tile.records import dataclass

SCHEMA = 1
"""Version of the JSON; it goes up when a field goes or means something else."""
Object = dict[str, Any]
_KINDS: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
_SHORT = 12
"""Digits of a sum that a message shows."""


def kernel_sum(module: ir.Operation) -> str:
    """SHA-256 of a module's text without locations: the same for text and bytecode."""
    import hashlib  # and OpenSSL: not for every compilation

    text = module.get_asm(enable_debug_info=False)
    return hashlib.sha256(str(text).encode()).hexdigest()


def compiler_sums() -> dict[str, str]:
    """What a choice depends on beside kernel, chip and options."""
    found = versions()
    named = {name: found[name] for name in ("compiler", "llvm", "ptxas")}
    return {**named, "build": build_id()}


def option_values(options: Options) -> Object:
    """The options that are not the default's, without chip and plan, by name."""
    return {
        each.name: getattr(options, each.name)
        for each in fields(Options)
        if each.name not in ("gpu", "plan")
        and getattr(options, each.name) != each.default
    }


@dataclass(frozen=True)
class TuningRecord:
    """The contents of a file.

    Attributes:
        tuned: A JSON object for each kernel, chip and set of options, in their order.
    """

    tuned: tuple[Object, ...]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> TuningRecord:
        """Reads a file.

        Raises:
            UserError: It cannot be read, or is no record.
        """
        try:
            text = Path(path).read_text()
        except (OSError, UnicodeDecodeError) as error:
            said = getattr(error, "strerror", None) or "it is no text"
            raise UserError(f"cannot read '{os.fspath(path)}': {said}") from None
        return cls.from_json(text, os.fspath(path))

    @classmethod
    def from_json(cls, text: str, name: str = "the record") -> TuningRecord:
        """Reads what `to_json` makes.

        Args:
            text: The JSON.
            name: Its file, for messages.

        Raises:
            UserError: It is no record.
        """
        try:
            found: Any = json.loads(text)
        except ValueError as error:
            raise UserError(f"expected JSON in '{name}', got: {error}") from None
        problem = next(_problems(found, _schema(), "the whole"), None)
        if problem is not None:
            raise UserError(
                f"expected a tuning record in '{name}', got none: {problem}; "
                "cuda-tile-tune writes one"
            )
        return cls(tuple(found["tuned"]))

    def to_json(self) -> str:
        """The file: the same bytes for the same contents."""
        whole = {"schema": SCHEMA, "tuned": list(self.tuned)}
        return json.dumps(whole, indent=1, sort_keys=True) + "\n"

    def merged(self, other: TuningRecord) -> TuningRecord:
        """What both hold.

        Of two choices for one kernel, chip, set of options and compiler, both made by
        the same launch, the one that takes fewer clocks is kept.

        Raises:
            UserError: Two such choices were made by other launches.
        """
        found = {_key(each): each for each in self.tuned}
        for each in other.tuned:
            known = found.get(_key(each))
            found[_key(each)] = each if known is None else _better(known, each)
        return TuningRecord(tuple(found[key] for key in sorted(found)))

    def apply(self, module: ir.Operation, options: Options) -> Options:
        """Gives the kernel of a module its hints; gives the options with its plan.

        Args:
            module: The module that is compiled, which is changed in place.
            options: The user's.

        Raises:
            UserError: The record does not hold for all of this; the message says what
                differs.
        """
        if options.plan is not None:
            raise UserError(
                f"expected a tuning record or a plan, got both: plan {options.plan}"
            )
        chosen = self._find(module, options)["chosen"]
        for entry in entries(module):
            write_hints(entry, options.target.chip, chosen["hints"])
        return replace(options, plan=chosen["plan"])

    def _find(self, module: ir.Operation, options: Options) -> Object:
        """The choice for a module."""
        wanted = {
            "kernel": kernel_sum(module),
            "chip": options.target.name,
            "options": option_values(options),
            "compiler": compiler_sums(),
        }
        left = self.tuned
        for what, value in wanted.items():
            matching = [each for each in left if _value(each, what) == value]
            if not matching:
                names = ", ".join(f"@{entry_name(e)}" for e in entries(module))
                raise UserError(_difference(what, value, left, names))
            left = tuple(matching)
        return left[0]


@cache
def _schema() -> Object:
    return json.loads(Path(__file__).with_name("tuning_schema.json").read_text())


def _problems(value: Any, schema: Object, where: str) -> Iterator[str]:
    """What of the words of JSON Schema that our schema uses a value does not meet."""
    kinds = schema.get("type", [])
    allowed = [kinds] if isinstance(kinds, str) else kinds
    is_flag = isinstance(value, bool)
    if allowed and (is_flag or not any(isinstance(value, _KINDS[k]) for k in allowed)):
        yield f"{where} is no {' or '.join(allowed)}"
    elif "const" in schema and value != schema["const"]:
        yield f"{where} is {value!r:.40}, not {schema['const']!r}"
    elif isinstance(value, dict):
        yield from _object_problems(cast(Object, value), schema, where)
    elif isinstance(value, list):
        for number, each in enumerate(cast("list[Any]", value)):
            yield from _problems(each, schema.get("items", {}), f"{where}[{number}]")


def _object_problems(value: Object, schema: Object, where: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{where} has no '{name}'"
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    for name, inner in value.items():
        yield from _problems(inner, known.get(name, others), f"{where}.{name}")


def _value(tuned: Object, what: str) -> Any:
    """What of a choice must be equal."""
    return tuned["kernel"]["sum"] if what == "kernel" else tuned[what]


def _key(tuned: Object) -> str:
    """What a record has one choice for."""
    named = (tuned["kernel"]["name"], tuned["chip"])
    parts = (*named, tuned["kernel"]["sum"], tuned["options"], tuned["compiler"])
    return json.dumps(parts, sort_keys=True)


def _better(one: Object, other: Object) -> Object:
    if one["launch"] != other["launch"]:
        name, chip = one["kernel"]["name"], one["chip"]
        launches = f"'{one['launch']['text']}' and '{other['launch']['text']}'"
        raise UserError(
            f"expected @{name} for {chip} to be tuned by one launch, got {launches}; "
            "merge records of one of them"
        )
    return min(one, other, key=lambda each: each["chosen"]["clocks"])


def _difference(what: str, value: Any, left: tuple[Object, ...], names: str) -> str:
    """What to say where nothing in a record has a value."""
    if what == "kernel":
        known = "; ".join(dict.fromkeys(map(_kernel_text, left))) or "nothing"
        return (
            f"expected a kernel that was tuned, got {names} with sum {value[:_SHORT]}; "
            f"the record has {known}: tune this one"
        )
    found = " or ".join(dict.fromkeys(_text(_value(each, what)) for each in left))
    way = {
        "chip": "tune for this chip too",
        "options": "compile with these, or tune with the others",
        "compiler": "tune again, for numbers of plans mean something else",
    }[what]
    return f"expected {what} {found}, as {names} was tuned, got {_text(value)}; {way}"


def _kernel_text(tuned: Object) -> str:
    kernel, constants = tuned["kernel"], tuned["chosen"]["constants"]
    made = f" made with {_text(constants)}" if constants else ""
    return f"@{kernel['name']} with sum {kernel['sum'][:_SHORT]}{made}"


def _text(value: Any) -> str:
    """A value, or an object as `name=value, ...`, with sums cut short."""
    if not isinstance(value, dict):
        return str(value)
    pairs = cast("Mapping[str, Any]", value)
    return (
        ", ".join(
            f"{name}={str(each)[:_SHORT] if name == 'build' else each}"
            for name, each in pairs.items()
        )
        or "of the default"
    )
