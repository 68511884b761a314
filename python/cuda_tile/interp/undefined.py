# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How unspecified elements spread from operands to results in strict mode.

A load without padding leaves elements outside the tensor unspecified. That is no
error by itself: only a store of such an element, or a decision, address or bound
made from one, is. Elementwise ops spread element by element; data movement moves the
mask like the data; for anything else one unspecified element taints every result.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from cuda_tile.interp.program import Op, TileType
from cuda_tile.interp.protocol import Running
from cuda_tile.interp.table import PARTIAL
from cuda_tile.interp.values import Mask, Partial
from cuda_tile.runtime.elements import Array


def as_results(result: Any) -> tuple[Any, ...]:
    """What a rule gave, as a tuple; NumPy scalars become 0-d tiles."""
    if result is None:
        return ()
    several = cast(tuple[Any, ...], result) if isinstance(result, tuple) else (result,)
    return tuple(
        np.asarray(cast(Any, value)) if isinstance(value, np.generic) else value
        for value in several
    )


def data_of(value: Any) -> Any:
    """A value without its mask."""
    return value.data if isinstance(value, Partial) else value


def mask_of(value: Array | Partial) -> Mask:
    """Where a tile is unspecified."""
    if isinstance(value, Partial):
        return value.undefined
    return np.zeros(value.shape, dtype=np.bool_)


def partial(data: Array, undefined: Mask) -> Any:
    """The tile with its mask, or the plain tile where all of it is specified."""
    return Partial(data, undefined) if undefined.any() else data


def spread(run: Running, op: Op, *values: Any) -> Any:
    """Runs the op on the data and marks results that depend on unspecified elements."""
    checked = run.launch.is_checked
    run.launch.is_checked = False  # unspecified values cannot break a promise
    try:
        result = op.rule(run, op, *(data_of(value) for value in values))
    finally:
        run.launch.is_checked = checked
    results = as_results(result)
    masks = [value.undefined for value in values if isinstance(value, Partial)]
    marked: list[Any] = []
    for kind, data in zip(op.result_types, results, strict=True):
        if not isinstance(kind, TileType):
            marked.append(data)
        elif all(mask.shape == kind.shape for mask in masks):
            marked.append(Partial(data, np.logical_or.reduce(masks)))
        else:
            marked.append(Partial(data, np.ones(kind.shape, dtype=np.bool_)))
    return tuple(marked)


@PARTIAL.register(
    "broadcast", "reshape", "permute", "ptr_to_ptr", "tileas.convert_layout"
)
def moved(run: Running, op: Op, source: Partial) -> Partial:
    """Data movement: the mask moves as the data does."""
    return Partial(op.rule(run, op, source.data), op.rule(run, op, source.undefined))


@PARTIAL.register("select")
def select(run: Running, op: Op, cond: Any, if_true: Any, if_false: Any) -> Any:
    """Only the chosen side and the condition count."""
    data = op.rule(run, op, data_of(cond), data_of(if_true), data_of(if_false))
    chosen = np.where(data_of(cond), mask_of(if_true), mask_of(if_false))
    return partial(data, mask_of(cond) | chosen)
