# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine code of a cubin of ours, with source lines, by `nvdisasm`.

nvdisasm is the package nvidia-cuda-nvdisasm on PyPI, the extra `report` of ours.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from cuda_tile.pictures.listings import MOST_PLACES, Listing, Places, place_of

_ABSENT = (
    "needs nvdisasm: pip install nvidia-cuda-nvdisasm (the extra `report`), or put it "
    "on the PATH"
)
_TIME_LIMIT_S = 60
# What `nvdisasm --print-line-info-inline` writes above instructions.
_FROM = re.compile(r'\s*//## File "(?P<file>[^"]*)", line (?P<line>\d+)')
_CALLER = re.compile(r'inlined at "(?P<file>[^"]*)", line (?P<line>\d+)')
_INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]+)\*/\s*(.*?)\s*(/\*.*\*/)?\s*$")
_LABEL = re.compile(r"\.?[\w$.@]+:$")


def find_nvdisasm() -> Path | None:
    """The installed package's program, or one on `PATH`."""
    packaged = Path(sysconfig.get_path("purelib"), "nvidia/cu13/bin/nvdisasm")
    if packaged.is_file():
        return packaged
    found = shutil.which("nvdisasm")
    return Path(found) if found else None


def machine_code(cubin: bytes) -> Listing:
    """The instructions; only a note where nvdisasm is absent or fails."""
    program = find_nvdisasm()
    if program is None:
        return _without(_ABSENT)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [program, "--print-code", "--print-line-info-inline", file.name]
        try:
            said = subprocess.run(
                command, capture_output=True, text=True, timeout=_TIME_LIMIT_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return _without(f"nvdisasm did not run: {error}")
    if said.returncode:
        return _without(f"nvdisasm failed: {said.stderr.strip()}")
    return read_machine_code(said.stdout)


def _without(note: str) -> Listing:
    return Listing("sass", "SASS", "sass", (), (), (), note)


def read_machine_code(text: str) -> Listing:
    """What nvdisasm printed, as a listing: instructions and labels."""
    lines: list[str] = []
    places: list[Places] = []
    numbers: list[str] = []
    chain: list[str] = []
    is_new = False
    for line in text.split("\n"):
        if found := _FROM.match(line):
            chain = chain if is_new else []
            is_new = True
            chain.append(place_of(found["file"], found["line"]))
            if caller := _CALLER.search(line):
                chain.append(place_of(caller["file"], caller["line"]))
        elif found := _INSTRUCTION.match(line):
            is_new = False
            numbers.append(found[1])
            lines.append("    " + found[2])
            places.append(tuple(dict.fromkeys(chain))[:MOST_PLACES])
        elif _LABEL.match(line.strip()):
            numbers.append("")
            lines.append(line.strip())
            places.append(())
            if line.startswith(".text."):
                chain = []
    return Listing("sass", "SASS", "sass", lines, places, numbers)
