# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a test triggers every message of the dialects.

The messages are the texts in the C++ of `dialect/lib` and the summaries of operands,
attributes and traits in the ODS. A message is tested if a test expects it
(`expected-error`, CHECK lines, `match=` of pytest), or if the bytecode reader emits it
for a file that is corrupted in each position in turn. `test/dialect/messages.txt` has
the texts that scripts of others match, one per line with `{}` for a value; a test must
expect each of them. `test/dialect/unreachable.md` lists unreachable messages, with the
reasons.

Ends with `N passed, N failed`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cuda_tile._mlir import ir

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "bytecode"))
from bytecode_damage import damaged  # noqa: E402
from bytecode_files import messages  # noqa: E402

SOURCES = ("IR", "Cute", "Tileas", "Transforms", "Bytecode")
DUMPS = ("IR.Ops.dump.json", "Tileas.Tileas.dump.json")
SILENT = ("MlirBytecode.cpp",)
"""MLIR's own reader calls it and aborts on most corrupted files, so not every message
can have a test; `test_mlir_bytecode.py` has one."""

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
PART = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NO_MESSAGE = re.compile(
    r"(llvm_unreachable\(|cl::desc\(|clEnumValN\([^;]*|#include |&&"
    r"|getDescription.*return"
    r"|traceIntegers<\w+>\(\w+,|(cudatilebc|to-mlir|roundtrip|dump)\",)\s*$"
)
"""Code before a text that no user sees."""


def _plain(text: str) -> str:
    """A text without escapes, with one kind of quotes."""
    return text.replace('\\"', '"').replace("\\", "").replace("`", "'")


def cpp_messages() -> Iterator[tuple[str, str]]:
    """Each text of two or more words in the C++, with its file."""
    for folder in SOURCES:
        for file in sorted((ROOT / "dialect" / "lib" / folder).rglob("*.cpp")):
            if file.name in SILENT:
                continue
            code = re.sub(r"//[^\n]*", "", file.read_text())
            for found in LITERAL.finditer(code):
                before = " ".join(code[: found.start()].split("\n")[-2:])
                text = "".join(PART.findall(found[0]))
                if NO_MESSAGE.search(before) or len(text.split()) < 2:
                    continue
                yield text.strip(), str(file.relative_to(ROOT))


def _defs(records: dict[str, Any], op: str, field: str) -> Iterator[dict[str, Any]]:
    """The records that a list or a dag of an op refers to."""
    entries: list[Any] = records[op][field]
    if field != "traits":
        entries = [definition for definition, _ in records[op][field]["args"]]
    for entry in entries:
        record: dict[str, Any] = records[entry["def"]]
        if "CudaTile_Since" in record["!superclasses"]:
            record = records[record["constraint"]["def"]]
        yield record


def ods_messages() -> Iterator[tuple[str, str]]:
    """The messages of the checks that are generated from the ODS."""
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
    """All expectations of the tests, as one text."""
    files = [
        file
        for file in sorted((ROOT / "test").rglob("*"))
        if file.suffix in (".mlir", ".test", ".py", ".c")
    ]
    texts = (re.sub(r'"\s*\n\s*r?f?"', "", file.read_text()) for file in files)
    return _plain("\n".join(texts))


def said_of_damage() -> str:
    """Messages of the bytecode reader for corrupted files, without duplicates."""
    context = ir.Context()
    said: dict[str, str] = {}
    for data in damaged():
        for message in messages(data, context):
            said.setdefault(re.sub(r"\d+", "0", message), message)
    return _plain("\n".join(said.values()))


def fragments(message: str) -> list[str]:
    """The constant parts of a message that are long enough to identify it."""
    parts = [part.strip(" ;,.:()[]") for part in re.split(r"\{\}|; ", message)]
    return [part for part in parts if len(part) >= 12] or [max(parts, key=len)]


def main() -> int:
    """Prints each message that no test expects; 1 if there is one."""
    expected = expectations() + said_of_damage()
    excused = _plain((ROOT / "test" / "dialect" / "unreachable.md").read_text())
    promised = (ROOT / "test" / "dialect" / "messages.txt").read_text().splitlines()
    found = [*ods_messages(), *cpp_messages()]
    found += [(line, "messages.txt") for line in promised]
    texts = {_plain(message): source for message, source in found}
    missing = {
        message: source
        for message, source in texts.items()
        if not all(part in expected or part in excused for part in fragments(message))
    }
    for message, source in sorted(missing.items(), key=lambda item: item[1]):
        print(f"{source}: expected a test that triggers '{message}'")
    print(f"{len(texts) - len(missing)} passed, {len(missing)} failed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
