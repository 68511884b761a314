# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes of debug information in Python: made, read, refused, found in a module."""

from __future__ import annotations

import pytest

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as dialect


@pytest.fixture(autouse=True)
def context():
    with ir.Context() as context:
        dialect.register_dialect(context)
        yield


def subprogram(**options):
    file = dialect.DIFileAttr.get("k.py", "/home/ada")
    unit = dialect.DICompileUnitAttr.get(file)
    return dialect.DISubprogramAttr.get(file, 3, "f", "_Z1f", unit, **options)


def test_what_they_were_made_of():
    f = subprogram(scope_line=4, is_declaration=True)
    assert (f.file.name, f.file.directory) == ("k.py", "/home/ada")
    assert f.compile_unit.file == f.file
    assert (f.line, f.name, f.linkage_name) == (3, "f", "_Z1f")
    assert (f.scope_line, f.flags) == (4, "declaration")
    assert subprogram().flags == "none"
    block = dialect.DILexicalBlockAttr.get(f, f.file, 5, 6)
    assert (block.scope, block.file, block.line, block.column) == (f, f.file, 5, 6)
    assert isinstance(block.scope, dialect.DISubprogramAttr)


def test_a_location_is_one_of_a_scope():
    place = ir.Location.file("k.py", 7, 8)
    loc = dialect.DILocAttr.get(place, subprogram())
    assert loc.source_loc == place
    assert loc.scope == subprogram()
    assert ir.Location.from_attr(loc).attr == loc


def test_text_gives_the_classes():
    text = '#cuda_tile.di_file<"k.py" in "/home/ada">'
    file = ir.Attribute.parse(text)
    assert isinstance(file, dialect.DIFileAttr)
    assert file == dialect.DIFileAttr.get("k.py", "/home/ada")


def test_another_attribute_is_refused():
    unit = ir.UnitAttr.get()
    with pytest.raises(TypeError, match="expected a DIFileAttr"):
        dialect.DICompileUnitAttr.get(unit)
    with pytest.raises(TypeError, match="a DISubprogramAttr or DILexicalBlockAttr"):
        dialect.DILocAttr.get(ir.Location.file("k.py", 1, 1), unit)
    with pytest.raises(TypeError, match="a location of a file, line and column"):
        dialect.DILocAttr.get(ir.Location.unknown(), subprogram())
