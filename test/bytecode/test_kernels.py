# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real kernels, both versions."""

import pytest
from bytecode_files import NAMES, VERSIONS, kernel, read

from cuda_tile._mlir import ir


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_text_round_trip(version, name, context):
    module = read(kernel(version, name), context)
    text = str(module)
    assert f"entry @{name}(" in text
    again = ir.Module.parse(text, context)
    assert again.operation.verify()
    assert str(again) == text


def op_names(module: ir.Module) -> list[str]:
    """The names of all ops, sorted."""
    names: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        names.append(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return sorted(names)


@pytest.mark.parametrize("name", NAMES)
def test_versions_agree(name, context):
    # Order and number of ops differ between cuTile's releases.
    old, new = (read(kernel(version, name), context) for version in VERSIONS)
    assert set(op_names(old)) == set(op_names(new))


def test_locations(context):
    module = read(kernel("13.4", "matmul_f16_64x64x64"), context)
    text = str(module.operation.get_asm(enable_debug_info=True))
    assert 'loc("test/kernels/kernels.py":120:4)' in text
    # Lines of a function that was inlined keep where it was called.
    assert "callsite(" in text
