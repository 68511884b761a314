# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every type and attribute of the ODS is there in C and in Python, with its parameters.

The list is TableGen's own, which the build writes for the list of ops.
"""

from __future__ import annotations

import ctypes
import json
import re
from pathlib import Path
from typing import Any

import pytest

import cuda_tile
from cuda_tile._mlir.dialects import cuda_tile as dialect

BUILD = Path(__file__).resolve().parents[2] / "build" / "python"
ODS: dict[str, Any] = json.loads((BUILD / "IR.Ops.dump.json").read_text())
LIBRARY = ctypes.CDLL(
    str(Path(cuda_tile.__file__).parent / "_mlir" / "_mlir_libs" / "libCudaTileC.so")
)
NAMES: list[str] = sorted(
    ODS[record]["cppClassName"]
    for kind in ("TypeDef", "AttrDef")
    for record in ODS["!instanceof"][kind]
    if ODS[record]["dialect"]["def"] == "CudaTile_Dialect"
)
IN_C = {
    "shape": "DimSize",
    "tileShape": "TileDimSize",
    "strides": "Stride",
    "traversalStrides": "TraversalStride",
    "lb": "Lower",
    "ub": "Upper",
    "every": "EveryAlong",
    "along": "EveryAlong",
    "values": "GroupSize",
}
"""How a getter is called that is not `Get` and the name of the parameter."""
IN_PYTHON = {"lb": "lower", "ub": "upper"}
"""The same of properties, which else have the name with underscores."""
OURS = {("TileType", "layout")}
"""Parameters of our own passes, which C does not see."""
ADDED_IN_13_5 = ("PointerKindAttr", "MultimemReductionAttr", "F8E5M3FNUType")


def parameters(name: str) -> list[str]:
    """The parameters of a type or attribute."""
    records = (r for r in ODS.values() if isinstance(r, dict))
    (record,) = (r for r in records if r.get("cppClassName") == name)
    return [argument[1] for argument in record["parameters"]["args"]]


def test_the_list_is_not_empty() -> None:
    assert len(NAMES) >= 30
    assert set(ADDED_IN_13_5) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_in_c(name: str) -> None:
    kind = "Type" if name.endswith("Type") else "Attribute"
    assert hasattr(LIBRARY, f"mlirCudaTile{kind}IsA{name}")
    assert hasattr(LIBRARY, f"mlirCudaTile{name}GetTypeID")
    makers = ("Get", "GetAt", "GetChecked", "GetEmpty")
    assert any(hasattr(LIBRARY, f"mlirCudaTile{name}{maker}") for maker in makers)
    for parameter in parameters(name):
        getter = IN_C.get(parameter, parameter[0].upper() + parameter[1:])
        if (name, parameter) not in OURS:
            assert hasattr(LIBRARY, f"mlirCudaTile{name}Get{getter}"), getter


@pytest.mark.parametrize("name", NAMES)
def test_in_python(name: str) -> None:
    found = getattr(dialect, name)
    assert found.__name__ == name
    assert callable(found.get)
    for parameter in parameters(name):
        snake = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", parameter)
        assert isinstance(getattr(found, IN_PYTHON.get(parameter, snake)), property)
