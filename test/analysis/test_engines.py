# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix engines: every table knows each, and each op says what the engine says."""

from __future__ import annotations

from itertools import combinations

import pytest

import cuda_tile
from cuda_tile.analysis.product_families import PROPOSALS, READS_ITSELF, REGISTERS
from cuda_tile.emit.families import RULES
from cuda_tile.emit.pending import WAITS
from cuda_tile.engines.engine import Engine
from cuda_tile.engines.registry import ENGINES, engine_of, engine_of_op, find_atom
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import factors_of, reader_name, runs_by_itself, sum_of
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.layout.atoms import FMA_ATOMS, M16N8K16, MMA_ATOMS
from cuda_tile.ods import ops
from cuda_tile.place.families import FRAGMENTS
from cuda_tile.stage.families import STAGING


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_every_table_has_each_engine(engine: Engine) -> None:
    for table in (REGISTERS, FRAGMENTS, STAGING):
        assert engine.name in table
    assert f"tileas.{engine.op}" in RULES
    assert (engine.name in WAITS) == (engine.completion == "group")
    assert (engine.name in PROPOSALS) == engine.reads_shared
    assert (engine.name in READS_ITSELF) == engine.reads_shared


def test_an_atom_has_one_engine() -> None:
    names = [*MMA_ATOMS, "m64n128k16", "m64n8k32"]
    names.append("tcgen05.m128n64k16")
    for first, second in combinations(ENGINES, 2):
        both = [n for n in names if first.find_atom(n) and second.find_atom(n)]
        assert not both
    assert engine_of(FMA_ATOMS[0]).name == "fma"
    assert engine_of(M16N8K16).name == "mma_sync"
    assert find_atom("m64n24k16") is None


def test_what_no_engine_has_is_an_error_of_ours() -> None:
    with pytest.raises(InternalError, match="expected the op of an engine"):
        engine_of_op("barrier")


def test_the_dialect_says_which_products_run_by_themselves() -> None:
    (example,) = ops()["tileas.wgmma"].examples
    text = f"cuda_tile.module @m {{ entry @k() {{ {example} return }} }}"
    module = cuda_tile.load(text.encode())
    inside = list(nested_ops(entries(module.operation)[0]))
    (product,) = filter(runs_by_itself, inside)
    assert reader_name(product) == "wgmma"
    assert engine_of_op(reader_name(product)).runs_by_itself
    assert sum_of(product) == product.operands[2]
    assert factors_of(product) == list(product.operands)[:2]
    with pytest.raises(InternalError, match="expected a product that runs by itself"):
        sum_of(inside[0])
