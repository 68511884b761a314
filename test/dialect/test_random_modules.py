# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random modules: round trips in every format, and simplification.

`pytest test/dialect/test_random_modules.py` looks at a few hundred; for more, and from
another seed on:

    CUDA_TILE_RANDOM_MODULES=10000 CUDA_TILE_RANDOM_SEED=0 pytest -q -n2 \
        test/dialect/test_random_modules.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType

import pytest
import random_memory
import random_module
import random_ops
import random_regions
from random_module import Writer

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.passmanager import PassManager

COUNT = int(os.environ.get("CUDA_TILE_RANDOM_MODULES", "300"))
FIRST = int(os.environ.get("CUDA_TILE_RANDOM_SEED", "0"))
PARTS = 4
"""Tests that share the modules, for as many processes."""

FAMILIES = (random_ops, random_memory, random_regions)
"""The modules that fill `random_module.STEPS`."""

SIMPLIFY = "fold-constants,cse,loop-invariant-code-motion,fold-constants,cse"
OTHERS = (
    "sccp",
    "remove-dead-values",
    "inline",
    "cuda_tile.module(symbol-dce)",
    "cuda_tile.module(cuda_tile.entry(fuse-fma))",
    "cuda_tile.module(cuda_tile.entry(loop-split))",
)
"""Passes whose result must be valid, as pipelines of a builtin module."""


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    """A context for each test."""
    with ir.Context(), ir.Location.unknown():
        yield


def pretty(module: ir.Module) -> str:
    """The usual form, with locations."""
    return str(module.operation.get_asm(enable_debug_info=True))


def check_text(text: str) -> ir.Module:
    """Print, parse, print: in the usual and in the generic form."""
    module = ir.Module.parse(text)
    once = pretty(module)
    assert pretty(ir.Module.parse(once)) == once
    generic = module.operation.get_asm(
        print_generic_op_form=True, enable_debug_info=True
    )
    assert pretty(ir.Module.parse(str(generic))) == once
    return module


def check_bytecode(module: ir.Module, writer: Writer) -> None:
    """Written in the newest version and read, the module is the same."""
    newest = _cuda_tile.bytecode_versions()[-1]
    is_newer = any(_number(since) > _number(newest) for since in writer.versions)
    if is_newer or writer.has_discardable:
        return
    data = _cuda_tile.write_bytecode(module, newest)
    again = _cuda_tile.read_bytecode(data, "random")
    assert str(again) == str(module)
    assert _cuda_tile.write_bytecode(again, newest) == data


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def check_passes(module: ir.Module) -> None:
    """Each pass leaves a valid module; simplifying a second time changes nothing."""
    text = str(module)
    for passes in OTHERS:
        other = ir.Module.parse(text)
        PassManager.parse(f"builtin.module({passes})").run(other.operation)
        assert other.operation.verify()
    manager = PassManager.parse(f"builtin.module({SIMPLIFY})")
    manager.run(module.operation)
    once = str(module)
    manager.run(module.operation)
    assert str(module) == once


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_family_has_steps(family: ModuleType) -> None:
    steps = random_module.STEPS.values()
    assert any(step.__module__ == family.__name__ for step in steps)


def test_every_op_has_a_step() -> None:
    assert random_module.missing_ops() == set()


def test_every_op_comes_up() -> None:
    used = set[str]()
    for seed in range(FIRST, FIRST + COUNT):
        used |= random_module.module(seed)[1].used
    assert {n for n in ods.ops() if not n.startswith("tileas.")} - used == set()


@pytest.mark.parametrize("part", range(PARTS))
def test_random_modules(part: int) -> None:
    for seed in range(FIRST + part, FIRST + COUNT, PARTS):
        text, writer = random_module.module(seed)
        try:
            module = check_text(text)
            check_bytecode(module, writer)
            check_passes(module)
        except (AssertionError, ir.MLIRError) as error:
            pytest.fail(f"seed {seed}: {error}\n{text}")
