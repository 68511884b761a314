# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which entries a cluster of CTAs can compute together.

Each CTA holds its share of every large tile. Only the results of reductions cross CTAs:
each CTA writes the few bytes of its own result to the shared memory of all. So such an
entry may have loads, stores, elementwise operations, reductions and control flow. It
may not have ops that need a whole tile in one CTA, or exactly one CTA.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_commutative
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.traits import ELEMENTWISE, LOADS, REDUCTIONS, STORES
from cuda_tile.ods import ops_by_rule

_OTHERS = ops_by_rule(
    "CTAs divide what they make, or each makes all of it, for itself",
    *("constant", "iota", "reshape", "broadcast", "assume"),
    *("make_tensor_view", "make_partition_view", "make_strided_view"),
    *("get_tensor_shape", "get_index_space_shape"),
    *("get_tile_block_id", "get_num_tile_blocks", "make_token", "join_tokens"),
    *("for", "if", "loop", "continue", "break", "yield", "return"),
)
_KNOWN = ELEMENTWISE | LOADS | STORES | _OTHERS


def suits_clusters(ops: Sequence[ir.Operation]) -> bool:
    """Whether CTAs can share the tile blocks of an entry with these ops."""

    def suits(op: ir.Operation) -> bool:
        if op.name in REDUCTIONS:
            return is_commutative(op)
        return op.name in _KNOWN and not memory_order(op).is_strong

    return all(map(suits, ops))
