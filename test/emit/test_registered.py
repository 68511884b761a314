# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each module with rules is named by the list of those that ops have loaded."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import cuda_tile

PACKAGE = Path(cuda_tile.__file__).resolve().parent


@pytest.mark.parametrize("part", ["emit", "place"])
def test_no_module_is_loaded_by_accident(part: str) -> None:
    folder = PACKAGE / part
    homes = import_module(f"cuda_tile.{part}.families").HOMES
    listed = {"elementwise", *" ".join(homes.values()).split()}
    registering = {
        path.stem
        for path in folder.glob("*.py")
        if re.search(r"^@RULES\.register", path.read_text(), re.MULTILINE)
    }
    assert registering
    assert registering <= listed
