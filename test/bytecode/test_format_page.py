"""The page of the format says what is so: its bytes, its dump, its error."""

import re
import subprocess
from pathlib import Path

from bytecode_files import KERNELS, messages, read
from bytecode_wire import File, varint

from cuda_tile._mlir import ir

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
    for line in block("Looking into a file"):
        if line != "...":
            place = printed.index(line.rstrip(), place) + 1


def test_error(context):
    said = " ".join(section("Errors and limits").split("`")[1].split())
    file = File()
    scalar = file.tile(3)
    data = file.entry(varint(0x01, 1, 9) + b"\x5c\0\0", (scalar,)).data()
    assert said.removeprefix("error at offset 74: ") in messages(data, context)[0]


def test_tags_and_sections(context):
    """Every type of the table is read, or refused by its name."""
    rows = re.findall(r"^\| ([\d, .]+) \| ([\w ]+) \|", section("File"), re.MULTILINE)
    tags = {
        name: int(number)
        for numbers, names in rows
        for number, name in zip(numbers.split(", "), names.split(), strict=False)
        if "." not in numbers
    }
    assert tags["f8E8M0FNU"] == 18
    for name, tag in tags.items():
        said = messages(
            File((13, 5), types=[varint(tag)]).entry(b"\x5c\0\0").data(), context
        )
        assert not any("unknown type tag" in message for message in said), name
