# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates docs/reference from the ODS, or checks that it is up to date.

    tools/checks/reference.py [--write]

One page per family of ops and one for the dialect tileas: description, syntax, fields,
constraints, examples, versions, opcode. One page each for types and attributes, whose
descriptions begin with what each is for.
`examples.py` runs the examples. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, fill
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "reference"
ODS = ROOT / "dialect" / "include" / "cuda_tile" / "IR"
DUMPS = ROOT / "build" / "python"

Records = dict[str, Any]

PURPOSE = {
    "tileas": """What the passes add to kernels from level W on: conversions of layouts,
    shared memory, copies, rings, roles, barriers. The compiler writes these operations;
    a producer never does. [Pipelining](../pipelining.md) shows them at work.""",
    "": """Operations of the dialect `cuda_tile`, each with its rules (C1, C2, ...),
    syntax, operands and attributes, examples that the checks run, and the first version
    of Tile IR that has it.""",
}
"""What a page is for, by family; the empty name stands for all others."""

INDEX = """Every operation, type and attribute, for those who read, write or generate
Tile IR. A page has a family of operations."""
ATTRIBUTES = """Passes also write attributes on operations, which later passes and
people read. The verifier refuses any other attribute of `tileas`, one on another
operation, and one of another kind."""
NOTICE = "<!-- Made by tools/checks/reference.py --write from the ODS. -->\n"


def paragraphs(text: str) -> str:
    """A description as Markdown: its constraints become a list."""
    lines = dedent(text).strip().split("\n")
    result = ""
    for line in lines:
        if re.match(r"\(C\d+\)", line):
            gap = "\n" if "- (C" in result.rpartition("\n\n")[2] else "\n\n"
            result += gap + f"- {line}" if result else f"- {line}"
        elif line.startswith("     ") or not result:
            result += line if not result else f"\n  {line.strip()}"
        elif "- (C" in result.rpartition("\n\n")[2]:
            result += f"\n\n{line}"
        else:
            result += f"\n{line}"
    return result


def syntax(op: Records, name: str) -> str:
    """The op's format for readers: fields by name, `[...]` for optional parts."""
    text = op["assemblyFormat"]
    if not text:
        return ""
    text = re.sub(r"custom<CudaTileTypes?>\(type\(\$(\w+)\)\)", r"type(\1)", text)
    text = re.sub(r"custom<\w+>\(((?:[^()]|\([^()]*\))*)\)", r"\1", text)
    text = re.sub(r"`` ?", "", text)
    text = re.sub(r"`([^`]*)`", r"\1", text)
    text = re.sub(r"\^|\$", "", text)
    text = re.sub(r"(?<!\w)\(((?:[^()]|\([^()]*\))*)\)\?", r"[\1]", text)
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\b(\w+) \1\b", r"\1", text)
    text = re.sub(r" ,", ",", text).replace("attr-dict-with-keyword", "attr-dict")
    text = text.replace("attr-dict", "[attributes]")
    return f"{name} {text}"


def full_name(records: Records, op: Records) -> str:
    """The op's name, with the dialect unless it is cuda_tile."""
    dialect = records[op["opDialect"]["def"]]["name"]
    return op["opName"] if dialect == "cuda_tile" else f"{dialect}.{op['opName']}"


def field_rows(records: Records, op: Records, version: str) -> Iterator[str]:
    """A table row for each operand, attribute and result."""
    for kind, dag in (("", "arguments"), ("result", "results")):
        for definition, name in op[dag]["args"]:
            record: Records = records[definition["def"]]
            since = version
            if "OpVariable" in record["!superclasses"]:
                since = record.get("since", since)
                record = records[record["constraint"]["def"]]
            parents = record["!superclasses"]
            is_attribute = "AttrConstraint" in parents
            what = kind or ("attribute" if is_attribute else "operand")
            if "OptionalAttr" in parents or "Optional" in parents:
                what += ", optional"
            if "DefaultValuedAttr" in parents:
                default = str(record["defaultValue"]).rpartition("::")[2].lower()
                what += f", {default} if not given"
            summary = str(record["summary"]).replace("|", "\\|")
            yield f"| `{name}` | {what} | {summary} | {since} |"


def op_section(records: Records, op: Records) -> str:
    """The section of one op."""
    name, version = full_name(records, op), op.get("since", "")
    lines = [f"## {name}", "", f"{op['summary']}.", ""]
    if op["description"]:
        lines += [paragraphs(op["description"]), ""]
    if syntax(op, name):
        lines += ["```", syntax(op, name), "```", ""]
    for example in op.get("examples", []):
        lines += ["```mlir", dedent(example).strip(), "```", ""]
    rows = list(field_rows(records, op, version or "-"))
    if rows:
        lines += ["| field | kind | type | since |", "|---|---|---|---|", *rows, ""]
    traits = {trait["def"] for trait in op["traits"]}
    lines.append("Made by the compiler; not in bytecode.")
    if version:
        lines[-1] = f"Since {version}; opcode 0x{op['opcode']:X} in bytecode."
    if "Pure" in traits:
        lines[-1] += " Pure: no side effects."
    return "\n".join(lines) + "\n"


def family_title(family: str) -> str:
    """The title of the family, from the heading of its file."""
    folder = ODS / "ops" if family != "tileas" else ODS.parent / "Tileas"
    head = (folder / f"{family.capitalize()}.td").read_text().split("\n")[0]
    found = re.match(r"//===- \w+\.td - (.*?)[ -]*\*-", head)
    assert found, f"expected a head that names the family, got {head}"
    return found[1]


def definition_page(records: Records, title: str, kind: str, mark: str) -> str:
    """The page of the types or of the attributes."""
    parts = [NOTICE, f"# {title}\n"]
    for name in records["!instanceof"][kind]:
        record: Records = records[name]
        if not record["mnemonic"]:
            continue
        parts.append(f"## {mark}cuda_tile.{record['mnemonic']}\n")
        # Not the summary: it stands in diagnostics, whose texts scripts rely on.
        if not record["description"]:
            raise SystemExit(f"reference.py: error: expected a description of {name}")
        parts.append(paragraphs(record["description"]) + "\n")
        if "EnumAttr" in record["!superclasses"]:
            enum: Records = records[record["enum"]["def"]]
            parts.append("| number | name | since |\n|---|---|---|")
            for case in enum["enumerants"]:
                one: Records = records[case["def"]]
                row = (
                    f"| {one['value']} | `{one['str']}` | {one.get('since', '13.1')} |"
                )
                parts.append(row)
            parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def tileas_attributes() -> str:
    """The attributes that passes put on ops, as the last section of `tileas`."""
    records: Records = json.loads((DUMPS / "Tileas.Attributes.dump.json").read_text())
    lines = [
        "## Attributes\n",
        fill(" ".join(ATTRIBUTES.split()), 88) + "\n",
        "| attribute | kind | on | what it says |\n|---|---|---|---|",
    ]
    for name in records["!instanceof"]["Tileas_Attribute"]:
        one: Records = records[name]
        ops = [records[op["def"]] for op in one["hosts"]]
        hosts = [full_name(records, op) for op in ops if op["family"] != "testing"]
        hosts = [f"`{host}`" for host in (*hosts, *one["otherHosts"])] or ["any op"]
        kind = records[one["kind"]["def"]]["summary"]
        text = f"{', '.join(hosts)} | {one['description']}"
        lines.append(f"| `tileas.{one['name']}` | {kind} | {text} |")
    return "\n".join(lines) + "\n"


def family_page(records: Records, family: str, ops: list[Records]) -> str:
    """The page of one family."""
    sections = "\n".join(op_section(records, op) for op in ops)
    purpose = fill(" ".join(PURPOSE.get(family, PURPOSE[""]).split()), 88)
    return f"{NOTICE}\n# {family_title(family)}\n\n{purpose}\n\n{sections}"


def pages() -> dict[str, str]:
    """The text of each page, by file name."""
    made: dict[str, str] = {}
    index = [
        NOTICE,
        "# Reference of the dialects\n",
        fill(" ".join(INDEX.split()), 88) + "\n",
    ]
    for dump in ("IR.Ops", "Tileas.Tileas"):
        records: Records = json.loads((DUMPS / f"{dump}.dump.json").read_text())
        families: dict[str, list[Records]] = {}
        for name in sorted(records["!instanceof"]["Op"]):
            family = records[name]["family"]
            if family != "testing":
                family = family if dump == "IR.Ops" else "tileas"
                families.setdefault(family, []).append(records[name])
        for family, ops in sorted(families.items()):
            ops.sort(key=lambda op: op["opName"])
            made[f"{family}.md"] = family_page(records, family, ops)
            if family == "tileas":
                made["tileas.md"] += "\n" + tileas_attributes()
            names = ", ".join(f"`{full_name(records, op)}`" for op in ops)
            index.append(f"- [{family_title(family)}]({family}.md): {names}")
        if dump == "IR.Ops":
            types = definition_page(records, "Types", "TypeDef", "!")
            attributes = definition_page(records, "Attributes", "AttrDef", "#")
            made |= {"types.md": types, "attributes.md": attributes}
    index.append("- [Types](types.md), [attributes](attributes.md)\n")
    made["README.md"] = "\n".join(index)
    return made


def main(argv: list[str]) -> int:
    """Writes or compares the pages; 1 if one differs."""
    made = pages()
    if "--write" in argv:
        PAGES.mkdir(exist_ok=True)
        for name, text in made.items():
            (PAGES / name).write_text(text)
    there = {file.name: file.read_text() for file in PAGES.glob("*.md")}
    wrong = [name for name in made | there if made.get(name) != there.get(name)]
    for name in wrong:
        print(f"docs/reference/{name}: expected what the ODS says; run with --write")
    print(f"{len(made) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
