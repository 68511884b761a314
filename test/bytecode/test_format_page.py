# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the examples in dialect/docs/bytecode.md: bytes, dump and error."""

import re
import struct
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from bytecode_files import KERNELS, messages, read, refusal
from bytecode_sections import sections, varint_at
from bytecode_wire import File, varint

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "dialect" / "docs" / "bytecode.md").read_text()


def section(title: str) -> str:
    """The text under a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def block(title: str) -> list[str]:
    """The lines of the first block of code under a heading."""
    return section(title).split("```\n")[1].splitlines()


def test_whole_file(context):
    data = b""
    for line in block("A whole file"):
        place, *words = line.split()
        assert int(place, 16) == len(data), line
        for word in words:
            if not re.fullmatch("[0-9a-f]{2}", word):
                break
            data += bytes.fromhex(word)
    about = re.match(r"\n`(.*)`, (\d+) bytes:", section("A whole file"))
    assert about
    source, size = about.groups()
    assert len(data) == int(size)
    text = f"cuda_tile.module @kernels {{ {source.replace(';', chr(10))} }}"
    module = ir.Module.parse(text, context)
    assert str(read(data, context)) == str(module)


def test_dump():
    file = KERNELS / "13.4" / "vadd_i32_8.tileirbc"
    command = ["cuda-tile-translate", "-dump", str(file)]
    dump = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    printed = [line.rstrip() for line in dump.splitlines()]
    place = 0
    for line in block("Dumping a file"):
        if line != "...":
            place = printed.index(line.rstrip(), place) + 1


def test_error(context):
    said = " ".join(section("Errors and limits").split("`")[1].split())
    file = File()
    scalar = file.tile(3)
    data = file.entry(varint(0x01, 1, 9) + b"\x5c\0\0", (scalar,)).data()
    assert said.removeprefix("error at offset 74: ") in messages(data, context)[0]


def tags() -> dict[str, tuple[int, tuple[int, int]]]:
    """Tag and first version of each type in the page's table."""
    found: dict[str, tuple[int, tuple[int, int]]] = {}
    for row in section("File").split("### Type")[1].split("### ")[0].splitlines():
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        if len(cells) != 3 or not cells[0][:1].isdigit():
            continue
        first, _, last = cells[0].partition("..")
        numbers = range(int(first), int(last) + 1) if last else cells[0].split(", ")
        names = cells[1].replace(",", "").split()
        said = re.match(r"from ([\d., ]+)", cells[2])
        since = said[1].strip(" ,").split(", ") if said else ["13.1"]
        since = since if len(since) > 1 else since * len(names)
        for number, name, version in zip(numbers, names, since, strict=True):
            assert name not in found
            major, minor = version.split(".")
            found[name] = int(number), (int(major), int(minor))
    return found


TAGS = tags()
NUMBERS = {"i1": "true", **{f"i{bits}": "1" for bits in (8, 16, 32, 64)}}
NO_NUMBERS = ("i4", "ptr", "tile", "function", "token")
POINTER = "%p: tile<ptr<i16>>"
TENSOR = "tensor_view<8x8xi16, strides=[8,1]>"
MAKE_TENSOR = f"%t = make_tensor_view %p, shape = [8, 8], strides = [8, 1] : {TENSOR}"
VIEWS = {
    "partition_view": f"tile=(4x4), {TENSOR}",
    "strided_view": f"tile=(4x4), traversal_strides=[2,1], {TENSOR}",
    "gather_scatter_view": f"tile=(4x4), {TENSOR}, sparse_dim=0",
}
PROGRAMS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "function": ("", "", ()),
    "token": ("", "%0 = make_token : token", ("function",)),
    "tile": ("%x: tile<i16>", "", ("function", "i16")),
    "i4": (
        "",
        "%0 = constant <i8: 1> : tile<1xi8>\n%1 = unpack %0 : tile<1xi8> -> tile<2xi4>",
        ("function", "tile", "i8"),
    ),
    "ptr": (POINTER, "", ("function", "tile", "i16")),
    "tensor_view": (POINTER, MAKE_TENSOR, ("function", "tile", "i16", "ptr")),
    **{
        name: (
            POINTER,
            f"{MAKE_TENSOR}\n%v = make_{name} %t : {name}<{parts}>",
            ("function", "tile", "i16", "ptr", "tensor_view"),
        )
        for name, parts in VIEWS.items()
    },
    **{
        name: (
            "",
            f"%0 = constant <{name}: {NUMBERS.get(name, '1.0')}> : tile<2x{name}>",
            ("function", "tile"),
        )
        for name in TAGS
        if "_" not in name and name not in NO_NUMBERS
    },
}
"""A program with each type: parameters, body, and the other types that it has."""


def type_records(data: bytes) -> list[bytes]:
    """The entries of a file's type section."""
    table = sections(data)["type"]
    count, place = varint_at(table, 0)
    place += -place % 4
    offsets = struct.unpack_from(f"<{count}I", table, place)
    entries = table[place + 4 * count :]
    return [entries[start:end] for start, end in pairwise([*offsets, len(entries)])]


def test_the_table_of_types_is_whole():
    assert sorted(tag for tag, _ in TAGS.values()) == [*range(23), 130]
    assert {*PROGRAMS} == {*TAGS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_tag(name, context):
    """A program with the type has the tag of the page, from the version there on."""
    parameters, body, others = PROGRAMS[name]
    entry = f"entry @k({parameters}) {{\n{body}\n return }}"
    module = ir.Module.parse(f"cuda_tile.module @m {{ {entry} }}", context)
    tag, (major, minor) = TAGS[name]
    records = type_records(_cuda_tile.write_bytecode(module, f"{major}.{minor}"))
    found = [varint_at(record, 0)[0] for record in records]
    every_file = ("i1", "i32")
    assert {*found} == {TAGS[each][0] for each in (name, *others, *every_file)}
    if name != "tensor_view" and name not in VIEWS and "tile" in others:
        tiles = [record for record in records if record[0] == TAGS["tile"][0]]
        assert tag in {found[varint_at(record, 1)[0]] for record in tiles}
    if minor > 1:  # refused before, the type or else the op that makes it
        said = refusal(module, f"{major}.{minor - 1}")
        of_type = rf"type '\w+' requires bytecode version {major}.{minor}\+"
        assert (
            re.search(of_type, said) or "is not available in bytecode version" in said
        )
