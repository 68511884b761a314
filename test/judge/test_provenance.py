# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What moves data is told from what computes."""

from __future__ import annotations

import numpy as np
import pytest

from cuda_tile.judge.provenance import find_way, is_same_way, same

PLACE, OTHER = ("input", 0, 0), ("launch", 0, 1)
RNG = np.random.default_rng(3)
X = RNG.standard_normal((6, 8)).astype(np.float32)
Y = RNG.standard_normal((6, 8)).astype(np.float32)
POOL = {PLACE: X, OTHER: Y}

MOVED = {
    "itself": X,
    "flat": X.reshape(-1),
    "transposed": X.T,
    "transposed, flat": np.ascontiguousarray(X.T).reshape(-1),
    "a column": X[:, 3],
    "every second": X[:, ::2],
    "backwards": X[:, ::-1],
    "a block": X[1:4, 2:7],
    "repeated": np.broadcast_to(X[:, :1], (6, 4)),
    "half": X.astype(np.float16),
    "padded": np.pad(X, ((0, 2), (0, 3))),
    "padded behind": np.pad(X.reshape(-1), (0, 12)).reshape(6, 10),
    "rows padded, in pairs": np.pad(X, ((0, 0), (0, 2))).reshape(6, 5, 2),
    "padded by infinity": np.pad(X, 1, constant_values=-np.inf),
    "stacked": np.stack([X, Y]),
    "side by side": np.concatenate([X, Y], 1),
}
COMPUTED = {
    "doubled": 2 * X,
    "one element": np.where(np.arange(48).reshape(6, 8) == 17, 0.5, X).astype("f4"),
    "sorted": np.sort(X, 1),
    "a sum": X.sum(1),
    "added": X + Y,
    "shuffled": X.reshape(-1)[RNG.permutation(48)],
    "padded by a number": np.pad(X, ((0, 2), (0, 3)), constant_values=0.3),
}


@pytest.mark.parametrize("name", MOVED)
def test_moved_data_has_a_way_that_holds_for_other_data(name):
    way = find_way(MOVED[name], POOL)
    assert way is not None
    made = way.apply(POOL, MOVED[name].shape, MOVED[name].dtype)
    assert same(made, np.ascontiguousarray(MOVED[name]))


@pytest.mark.parametrize("name", COMPUTED)
def test_computed_data_has_none(name):
    assert find_way(COMPUTED[name], POOL) is None


def test_the_payload_of_a_nan_is_data():
    bits = np.array([0x7FC00001, 0x7FC00002], np.uint32)
    assert not same(bits[:1].view("f4"), bits[1:].view("f4"))
    assert same(bits.view("f4"), bits.view("f4").copy())


def test_a_maximum_has_another_way_in_other_data():
    calls = []
    for array in (X, Y):
        pool = {PLACE: array}
        chosen = np.full(3, array.max())
        calls.append((find_way(chosen, pool), chosen, pool))
    assert calls[0][0] is not None, "it is a copy of an element"
    assert not is_same_way(*calls)


def test_what_does_not_depend_on_data_needs_no_way():
    table = np.sin(np.arange(5.0))
    assert is_same_way((None, table, {PLACE: X}), (None, table, {PLACE: Y}))
    assert not is_same_way((None, table, {}), (None, table + 1, {}))
