"""Family multimem, with one replica: words and vectors, partial tiles."""

from __future__ import annotations

import numpy as np
from access_text import kernel
from emit_data import DTYPES, random_values
from op_case import ARRAY_TYPES, Array, OpCase
from view_cases import (
    ELEMENTS,
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


def _reductions(element: str, columns: int, first: int) -> str:
    """Loads and reductions of tiles of which some stick out; wide or in words."""
    kind = tensor(element, (ROWS, columns), (columns, 1))
    view, ty = partition((4, 16), kind, "zero"), f"tile<4x16x{element}>"
    plain = partition((4, 16), kind)
    parameters = {"a": element}
    body = IDS + f"    %aa = assume div_by<16>, %a : tile<ptr<{element}>>\n"
    body += make("t", "aa", kind, (ROWS, columns), (columns, 1))
    body += f"    %v = make_partition_view %t : {view}\n"
    for n, reduction in enumerate(REDUCTIONS[element]):
        parameters |= {f"m{n}": element, f"o{n}": element}
        body += f"""
    %ma{n} = assume div_by<16>, %m{n} : tile<ptr<{element}>>
"""
        for name, base in ((f"s{n}", f"ma{n}"), (f"u{n}", f"o{n}")):
            body += make(name, base, kind, (ROWS, columns), (columns, 1))
            body += f"    %{name}v = make_partition_view %{name} : {plain}\n"
        body += f"""
    %e{n}, %e{n}_t = multimem_load_reduce_view_tko {LOADS[(first + n) % 4]} %v[%x, %y],
      {reduction} : {view}, {I32} -> {ty}, token
    %r{n} = multimem_reduce_view_tko {WRITES[(first + n) % 4]} %s{n}v[%x, %y],
      {reduction}, %e{n} : {ty}, {plain}, {I32} -> token
    %w{n} = store_view_tko weak %e{n}, %u{n}v[%x, %y] : {ty}, {plain}, {I32} -> token
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
    view, ty = partition((4, 16), kind), f"tile<4x16x{element}>"
    padded = partition((4, 16), kind, "zero")
    body = IDS + f"    %oa = assume div_by<16>, %o : tile<ptr<{element}>>\n"
    body += make("t", "a", kind, (ROWS, columns), (columns, 1))
    body += make("s", "oa", kind, (ROWS, columns), (columns, 1))
    body += f"""
    %v = make_partition_view %t : {padded}
    %w = make_partition_view %s : {view}
    %e, %et = load_view_tko weak %v[%x, %y] : {padded}, {I32} -> {ty}, token
    %k = multimem_store_view_tko {order} %w[%x, %y], %e : {ty}, {view}, {I32} -> token
"""
    return kernel({"a": element, "o": element}, body)


def _store_args(element: str, columns: int, rng: np.random.Generator) -> list[Array]:
    count = ROWS * columns
    return [values(rng, count, element), np.zeros(count, ARRAY_TYPES[element])]


def _byte_floats(element: str) -> str:
    """Reductions of 8-bit floats, which some chips load."""
    kind = tensor(element, (8, 32), (32, 1))
    view, ty = partition((8, 32), kind), f"tile<8x32x{element}>"
    body = IDS + f"    %aa = assume div_by<16>, %a : tile<ptr<{element}>>\n"
    body += make("t", "aa", kind, (8, 32), (32, 1))
    body += f"    %v = make_partition_view %t : {view}\n"
    for n, reduction in enumerate(("add", "min", "max")):
        body += make(f"u{n}", f"o{n}", kind, (8, 32), (32, 1))
        body += f"""
    %w{n} = make_partition_view %u{n} : {view}
    %e{n}, %e{n}_t = multimem_load_reduce_view_tko weak %v[%x, %y], {reduction}
      : {view}, {I32} -> {ty}, token
    %k{n} = store_view_tko weak %e{n}, %w{n}[%x, %y] : {ty}, {view}, {I32} -> token
"""
    return kernel({name: element for name in ("a", "o0", "o1", "o2")}, body)


def _byte_args(element: str, rng: np.random.Generator) -> list[Array]:
    blank = [np.zeros(256, ARRAY_TYPES[element]) for _ in range(3)]
    return [values(rng, 256, element), *blank]


def _by_index() -> str:
    """Each op at an index of every type."""
    kind = tensor("i32", (32,), (1,))
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
    return kernel({"a": "i32", "o": "i32"}, body)


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
        for row, element in enumerate(ELEMENTS)
    ),
    *(
        OpCase(
            f"load-{element}",
            _byte_floats(element),
            lambda rng, element=element: _byte_args(element, rng),
            chips=("sm_100",),
        )
        for element in ("f8E4M3FN", "f8E5M2")
    ),
]
