# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each row of rows.txt has a test, and no message has text of ours in front."""

import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
SOURCES = {
    path: path.read_text()
    for path in sorted(HERE.iterdir())
    if path.suffix in (".mlir", ".test", ".py") and path.name != Path(__file__).name
}


def rows() -> list[list[str]]:
    """Number and subject; file and text of the test where they are given."""
    lines = (HERE / "rows.txt").read_text().splitlines()
    found: list[list[str]] = []
    for line in lines:
        if line and not line.startswith("#"):
            number, _, rest = line.partition(" ")
            found.append([number, *rest.split(" = ", 2)])
    return found


def marks() -> set[str]:
    """The rows that files of this folder name; `row 6.3.1 to 6.3.8` names each."""
    found: set[str] = set()
    for text in SOURCES.values():
        for first, last in re.findall(r"row ([\d.]*\d)(?: to ([\d.]*\d))?", text):
            stem, _, number = first.rpartition(".")
            end = int((last or first).rpartition(".")[2])
            found |= {f"{stem}.{i}" for i in range(int(number), end + 1)}
    return found


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_row_has_a_test(row: list[str]) -> None:
    if len(row) == 2:
        assert row[0] in marks()
    else:
        path, text = row[2:]
        assert text in (TESTS / path).read_text()


def test_every_mark_is_a_row() -> None:
    numbers = [row[0] for row in rows()]
    assert len(numbers) == len(set(numbers))
    assert marks() <= set(numbers)


EXPECTED = re.compile(r"expected-error @(\w+) \{\{(.*?)\}\}(?:\n|$)")
SAID = re.compile(r": error: (?:unexpected error: )?(.*)")
UNSEEN = re.compile('expected (error|note) "')
IN_FRONT = re.compile(r"^(?:'cuda_tile\.\S+' op |custom op '\S+' )?")


@pytest.mark.parametrize(
    "name", ["shapes_and_types.mlir", "keywords.mlir", "regions.mlir", "views.mlir"]
)
def test_messages_begin_with_the_text_that_others_expect(name: str) -> None:
    """Only the name of the op, which upstream puts there, may stand in front."""
    command = ["cuda-tile-opt", str(HERE / name), "-split-input-file"]
    command += ["-allow-unregistered-dialect", "-o", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    # mlir-opt also says what it expected and did not see in this mode.
    said = [m for m in SAID.findall(run.stderr) if not UNSEEN.match(m)]
    expected = [text for _, text in EXPECTED.findall(SOURCES[HERE / name])]
    assert len(said) == len(expected)
    for message, text in zip(said, expected, strict=True):
        bare = IN_FRONT.sub("", message).lstrip()
        assert bare.startswith(text) or message.startswith(text), message
