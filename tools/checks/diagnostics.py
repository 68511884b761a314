"""Checks that a test triggers every message of the dialects.

The messages are the texts in the C++ of `dialect/lib` (but for bytecode, whose errors
`test/bytecode` derives from the sections of a file) and what ODS says of operands,
attributes and traits. The tests' side is what their expectations say: `expected-error`,
CHECK lines, `match=` of pytest. `test/dialect/messages.txt` has the texts that scripts
of others match, one per line with `{}` for a value; a test must expect each of them.
What cannot be reached stands in `test/dialect/unreachable.md` with the reason.

Ends with `N passed, N failed`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("IR", "Cute", "Tileas", "Transforms")
DUMPS = ("IR.Ops.dump.json", "Tileas.Tileas.dump.json")

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
PART = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NO_MESSAGE = re.compile(
    r"(llvm_unreachable\(|cl::desc\(|#include |&&|getDescription.*return)\s*$"
)
"""What stands in front of a text that no user sees."""


def _plain(text: str) -> str:
    """A text without escapes and without the kinds of quotes."""
    return text.replace('\\"', '"').replace("\\", "").replace("`", "'")


def cpp_messages() -> Iterator[tuple[str, str]]:
    """Each text of two words or more in the C++, with the file that has it."""
    for folder in SOURCES:
        for file in sorted((ROOT / "dialect" / "lib" / folder).rglob("*.cpp")):
            code = re.sub(r"//[^\n]*", "", file.read_text())
            for found in LITERAL.finditer(code):
                before = " ".join(code[: found.start()].split("\n")[-2:])
                text = "".join(PART.findall(found[0]))
                if NO_MESSAGE.search(before) or len(text.split()) < 2:
                    continue
                yield text.strip(), str(file.relative_to(ROOT))


def _defs(records: dict[str, Any], op: str, field: str) -> Iterator[dict[str, Any]]:
    """The records that a list or a dag of an op names."""
    entries: list[Any] = records[op][field]
    if field != "traits":
        entries = [definition for definition, _ in records[op][field]["args"]]
    for entry in entries:
        record: dict[str, Any] = records[entry["def"]]
        if "CudaTile_Since" in record["!superclasses"]:
            record = records[record["constraint"]["def"]]
        yield record


def ods_messages() -> Iterator[tuple[str, str]]:
    """What ODS demands of the ops, in the words that the checks made of it use."""
    for dump in DUMPS:
        path = ROOT / "build" / "python" / dump
        records = json.loads(path.read_text())
        for op in records["!instanceof"]["Op"]:
            name = records[op]["opName"]
            for trait in _defs(records, op, "traits"):
                if "PredOpTrait" in trait["!superclasses"]:
                    yield trait["summary"], name
            for field in ("arguments", "results"):
                for constraint in _defs(records, op, field):
                    is_type = "TypeConstraint" in constraint["!superclasses"]
                    summary = constraint.get("summary", "")
                    if is_type and summary and "any type" not in summary:
                        yield "must be " + summary, name


def expectations() -> str:
    """What the tests expect, in one text."""
    files = [
        file
        for file in sorted((ROOT / "test").rglob("*"))
        if file.suffix in (".mlir", ".test", ".py", ".c")
    ]
    texts = (re.sub(r'"\s*\n\s*r?f?"', "", file.read_text()) for file in files)
    return _plain("\n".join(texts))


def fragments(message: str) -> list[str]:
    """The constant parts of a message that are long enough to be told apart."""
    parts = [part.strip(" ;,.:()[]") for part in re.split(r"\{\}|; ", message)]
    return [part for part in parts if len(part) >= 12] or [max(parts, key=len)]


def main() -> int:
    """Prints each message that no test expects; 1 if there is one."""
    expected = expectations()
    excused = _plain((ROOT / "test" / "dialect" / "unreachable.md").read_text())
    promised = (ROOT / "test" / "dialect" / "messages.txt").read_text().splitlines()
    found = [*ods_messages(), *cpp_messages()]
    found += [(line, "messages.txt") for line in promised]
    messages = {_plain(message): source for message, source in found}
    missing = {
        message: source
        for message, source in messages.items()
        if not all(part in expected or part in excused for part in fragments(message))
    }
    for message, source in sorted(missing.items(), key=lambda item: item[1]):
        print(f"{source}: expected a test that triggers '{message}'")
    print(f"{len(messages) - len(missing)} passed, {len(missing)} failed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
