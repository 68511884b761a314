# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family multimem, with one replica: words and vectors, partial tiles."""

from __future__ import annotations

import numpy as np
from access_text import kernel
from emit_data import DTYPES, random_values
from op_case import ARRAY_TYPES, Array, OpCase
from view_cases import (
    I32,
    IDS,
    INDEX_TYPES,
    make,
    ones,
    partition,
    tensor,
    values,
)

INTEGER = ("add", "min", "max", "and", "or", "xor", "umin", "umax")
REDUCTIONS = {
    "i32": INTEGER,
    "i64": INTEGER,
    "f16": ("add", "min", "max"),
    "bf16": ("add", "min", "max"),
    "f32": ("add",),
    "f64": ("add",),
}
LOADS = ("weak", "relaxed device", "acquire sys", "relaxed tl_blk")
WRITES = ("relaxed device", "release sys", "relaxed tl_blk", "release device")
ROWS, COLUMNS = 6, 40


MULTICAST = "<multicast>"


def multicast(kind: str) -> str:
    """A tensor_view type with a pointer to multicast memory."""
    return kind.removesuffix(">") + ", #cuda_tile.ptr_attr<multicast>>"


def _reductions(element: str, columns: int, first: int) -> str:
    """Loads and reductions of tiles of which some stick out; wide or in words."""
    kind = tensor(element, (ROWS, columns), (columns, 1))
    cast, shared = multicast(kind), f"{element}, {MULTICAST}"
    view, ty = partition((4, 16), cast, "zero"), f"tile<4x16x{element}>"
    plain, target = partition((4, 16), kind), partition((4, 16), cast)
    parameters = {"a": shared}
    body = IDS + f"    %aa = assume div_by<16>, %a : tile<ptr<{shared}>>\n"
    body += make("t", "aa", cast, (ROWS, columns), (columns, 1))
    body += f"    %v = make_partition_view %t : {view}\n"
    for n, reduction in enumerate(REDUCTIONS[element]):
        parameters |= {f"m{n}": shared, f"o{n}": element}
        body += f"""
    %ma{n} = assume div_by<16>, %m{n} : tile<ptr<{shared}>>
"""
        for name, base, of, tiles in (
            (f"s{n}", f"ma{n}", cast, target),
            (f"u{n}", f"o{n}", kind, plain),
        ):
            body += make(name, base, of, (ROWS, columns), (columns, 1))
            body += f"    %{name}v = make_partition_view %{name} : {tiles}\n"
        body += f"""
    %e{n}, %e{n}_t = multimem_load_reduce_view_tko {LOADS[(first + n) % 4]} %v[%x, %y],
      {reduction} : {view}, {I32} -> {ty}, token
    %w{n} = store_view_tko weak %e{n}, %u{n}v[%x, %y] : {ty}, {plain}, {I32} -> token
"""
        if reduction == "add" or element in ("i32", "i64"):
            body += f"""
    %r{n} = multimem_reduce_view_tko {WRITES[(first + n) % 4]} %s{n}v[%x, %y],
      {reduction}, %e{n} : {ty}, {target}, {I32} -> token
"""
    return kernel(parameters, body)


def _reduction_args(
    element: str, columns: int, rng: np.random.Generator
) -> list[Array]:
    count = ROWS * columns
    arrays = [random_values(rng, count, element)]
    for _ in REDUCTIONS[element]:
        arrays += [random_values(rng, count, element), np.zeros(count, DTYPES[element])]
    return arrays


def _stores(element: str, columns: int, order: str) -> str:
    """Stores of tiles of which some stick out."""
    kind = tensor(element, (ROWS, columns), (columns, 1))
    cast, shared = multicast(kind), f"{element}, {MULTICAST}"
    view, ty = partition((4, 16), cast), f"tile<4x16x{element}>"
    padded = partition((4, 16), kind, "zero")
    body = IDS + f"    %oa = assume div_by<16>, %o : tile<ptr<{shared}>>\n"
    body += make("t", "a", kind, (ROWS, columns), (columns, 1))
    body += make("s", "oa", cast, (ROWS, columns), (columns, 1))
    body += f"""
    %v = make_partition_view %t : {padded}
    %w = make_partition_view %s : {view}
    %e, %et = load_view_tko weak %v[%x, %y] : {padded}, {I32} -> {ty}, token
    %k = multimem_store_view_tko {order} %w[%x, %y], %e : {ty}, {view}, {I32} -> token
"""
    return kernel({"a": element, "o": shared}, body)


def _store_args(element: str, columns: int, rng: np.random.Generator) -> list[Array]:
    count = ROWS * columns
    return [values(rng, count, element), np.zeros(count, ARRAY_TYPES[element])]


def _by_index() -> str:
    """Each op at an index of every type."""
    kind = multicast(tensor("i32", (32,), (1,)))
    view, ty = partition((16,), kind), "tile<16xi32>"
    body = make("t", "a", kind, (32,), (1,)) + make("s", "o", kind, (32,), (1,))
    body += f"""
    %v = make_partition_view %t : {view}
    %w = make_partition_view %s : {view}
"""
    token = ""
    for ity in INDEX_TYPES:
        types = f"{view}, tile<{ity}>"
        body += (
            ones(ity)
            + f"""
    %e_{ity}, %e_{ity}_t = multimem_load_reduce_view_tko weak %v[%one_{ity}], add
      : {types} -> {ty}, token
    %s_{ity} = multimem_store_view_tko weak %w[%one_{ity}], %e_{ity}{token}
      : {ty}, {types} -> token
    %r_{ity} = multimem_reduce_view_tko relaxed device %w[%one_{ity}], add, %e_{ity}
      token = %s_{ity} : {ty}, {types} -> token
"""
        )
        token = f" token = %r_{ity}"
    shared = f"i32, {MULTICAST}"
    return kernel({"a": shared, "o": shared}, body)


CHIPS = ("sm_90", "sm_100")

CASES = [
    OpCase(
        "indices",
        _by_index(),
        lambda rng: [values(rng, 32, "i32"), np.zeros(32, np.int32)],
        chips=CHIPS,
    ),
    *(
        OpCase(
            f"{element}-{columns}",
            _reductions(element, columns, row),
            lambda rng, element=element, columns=columns: _reduction_args(
                element, columns, rng
            ),
            chips=CHIPS,
            grid=(2, 3),
            num_warps=4,
        )
        for row, element in enumerate(REDUCTIONS)
        for columns in (40, 38)
    ),
    *(
        OpCase(
            f"store-{element}",
            _stores(element, 44 if row % 2 else 40, ("weak", *WRITES)[row % 5]),
            lambda rng, element=element, row=row: _store_args(
                element, 44 if row % 2 else 40, rng
            ),
            chips=CHIPS,
            grid=(2, 3),
        )
        for row, element in enumerate(REDUCTIONS)
    ),
]
