# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tools print as JSON fits the schemas that the package has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

import cuda_tile


def rules(name: str, part: str = "") -> Any:
    """A validator.

    Args:
        name: Of the file `NAME_schema.json`.
        part: One of its `$defs`; without, the whole.
    """
    found = json.loads(
        Path(cuda_tile.__file__).with_name(f"{name}_schema.json").read_text()
    )
    jsonschema.Draft202012Validator.check_schema(found)
    if part:
        found = {"$ref": f"#/$defs/{part}", "$defs": found["$defs"]}
    return jsonschema.Draft202012Validator(found)


def fitting(text: str, name: str, part: str = "") -> Any:
    """What a text says, which must fit; as of `rules`."""
    found = json.loads(text)
    rules(name, part).validate(found)
    return found
