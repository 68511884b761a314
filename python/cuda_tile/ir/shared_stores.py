# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores to the shared memory of every CTA of a cluster, an attribute of the store."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.traits import BUFFER_STORES

CLUSTER_ATTRIBUTE = "tileas.cluster"
"""On a `tileas.store_shared`: it writes to the same place in every CTA's buffer."""


def mark_for_cluster(store: ir.Operation) -> None:
    """Marks a store that writes to the buffers of all CTAs."""
    store.attributes[CLUSTER_ATTRIBUTE] = ir.UnitAttr.get()


def is_for_cluster(op: ir.Operation) -> bool:
    """Whether an op writes to the buffers of all CTAs."""
    return op.name in BUFFER_STORES and CLUSTER_ATTRIBUTE in op.attributes
