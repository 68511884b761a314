# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of ops that move elements, on one choice of element types, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, Region, Val, apply, tile_of
from interp_check_numbers import Check
from interp_harness import parse
from interp_legal import Signature, one
from interp_types import patterns, read, sample, tile, width

from cuda_tile import interp
from cuda_tile.interp import AssertionsFailed, Op
from cuda_tile.interp.predicates import DivBy
from cuda_tile.interp.program import BufferType, Type
from cuda_tile.runtime.elements import element

I1, I32 = tile_of("i1"), tile_of("i32")
Index = Callable[[np.ndarray], np.ndarray]


def results_of(name: str, text: str) -> list[np.ndarray]:
    """Results of the ops called `name` in the body of a kernel."""
    found: list[np.ndarray] = []

    def keep(op: Op, results: tuple[Any, ...]) -> None:
        if op.name == name:
            found.extend(results)

    module = parse(f"cuda_tile.module @m {{ entry @k() {{ {text} return }} }}")
    interp.run(module, grid=(1,), args=[], trace=keep)
    return found


def result(k: Kernel, value: Val) -> np.ndarray:
    """The value of a kernel's last op with results, without storing it."""
    found: list[Any] = []
    slot = value.slot

    def keep(op: Op, results: tuple[Any, ...]) -> None:
        found.extend(
            np.asarray(r) for s, r in zip(op.results, results, strict=True) if s == slot
        )

    k.run(trace=keep)
    return found[-1]


def constant(row: Signature, modes: list[str]) -> None:
    (kind,) = row
    values = ["true", "false"] if kind == "i1" else ["1", "0"]
    if kind[0] != "i":
        values = ["2.0", "0.5"] if kind == "f8E8M0FNU" else ["-1.5", "0.5"]
    text = f"%r = constant <{kind}: [{', '.join(values * 4)}]> : tile<8x{kind}>"
    (got,) = results_of("constant", text)
    numbers = {"true": 1.0, "false": 0.0}
    expected = [numbers[v] if v in numbers else float(v) for v in values * 4]
    assert got.astype(np.float64).tolist() == expected
    (got,) = results_of("constant", f"%r = constant <{kind}: {one(kind)}> : "
                                    f"tile<2x4x{kind}>")  # fmt: skip
    assert got.astype(np.float64).tolist() == [[1.0] * 4] * 2


def iota(row: Signature, modes: list[str]) -> None:
    count = min(256, 1 << width(row[0]))
    got = apply("iota", [], [((count,), row[0])])
    assert patterns(row[0], got) == list(range(count))


def moved(
    name: str,
    shapes: list[tuple[int, ...]],
    index: Callable[..., np.ndarray],
    extra: list[tuple[Any, str]] | None = None,
    **attributes: Any,
) -> Check:
    """`index` says in NumPy, on tiles of element numbers, which elements come out."""

    def check(row: Signature, modes: list[str]) -> None:
        kind = row[-1]
        tiles = [sample(kind, shape, 30 + i) for i, shape in enumerate(shapes)]
        starts = np.cumsum([0, *(t.size for t in tiles)])
        places = [
            np.arange(t.size).reshape(t.shape) + start
            for t, start in zip(tiles, starts, strict=False)
        ]
        chosen = index(*places)
        operands = [(t, kind) for t in tiles] + (extra or [])
        got = apply(name, operands, [(chosen.shape, kind)], **attributes)
        every = [bits for t in tiles for bits in patterns(kind, t)]
        assert got.shape == chosen.shape
        assert patterns(kind, got) == [every[i] for i in chosen.reshape(-1)]

    return check


def inserted(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    whole = whole.copy()
    whole[4:8, 8:16] = part
    return whole


def select(row: Signature, modes: list[str]) -> None:
    kind = row[-1]
    a, b = sample(kind, 64, 1), sample(kind, 64, 2)
    c = sample("i1", 64, 3)
    got = apply("select", [(c, "i1"), (a, kind), (b, kind)], [((64,), kind)])
    rows = zip(c.tolist(), patterns(kind, a), patterns(kind, b), strict=True)
    assert patterns(kind, got) == [x if w else y for w, x, y in rows]


def pack(row: Signature, modes: list[str]) -> None:
    kind, bits = row[0], width(row[0])
    a = sample(kind, 64, 1)
    count = 64 * bits // 8
    whole = sum(code << bits * i for i, code in enumerate(patterns(kind, a)))
    got = apply("pack", [(a, kind)], [((count,), "i8")])
    assert patterns("i8", got) == list(whole.to_bytes(count, "little"))


def unpack(row: Signature, modes: list[str]) -> None:
    kind, bits = row[1], width(row[1])
    raw = sample("i8", 8 * bits, 1)
    if kind == "tf32":  # whose low bits are zero
        raw.reshape(-1, 4).view(np.uint32)[...] &= np.uint32(0xFFFFE000)
    got = apply("unpack", [(raw, "i8")], [((64,), kind)])
    whole = int.from_bytes(bytes(patterns("i8", raw)), "little")
    mask = (1 << bits) - 1
    assert patterns(kind, got) == [whole >> bits * i & mask for i in range(64)]


def assume(row: Signature, modes: list[str]) -> None:
    a = sample(row[0], 16, 1)
    got = apply("assume", [(a, row[0])], [((16,), row[1])], predicate=DivBy(1))
    assert patterns(row[1], got) == patterns(row[0], a)


def print_tko(row: Signature, modes: list[str]) -> None:
    (kind,) = row
    codes = np.array([1, 2, 3, 0x35], np.uint64) % np.uint64(1 << min(width(kind), 8))
    a = tile(kind, codes)
    k = Kernel()
    directive = {"i": "%d", "p": "%p"}.get(kind[0], "%f")
    k.op("print_tko", [k.constant(a, kind)], [], results=(TOKEN,), str=directive)
    if kind.startswith("ptr"):
        texts = [hex(v) for v in patterns(kind, a)]
    elif kind[0] == "i":
        sign = "unsigned" if kind == "i1" else "signed"
        texts = [str(read(v, kind, sign)) for v in patterns(kind, a)]
    else:
        texts = [f"{float(v):f}" for v in a]
    assert k.run().stdout == f"[{', '.join(texts)}]"


def assertion(row: Signature, modes: list[str]) -> None:
    k = Kernel()
    k.op("assert", k.constant([True, True], "i1"), message="holds")
    assert k.run().findings == []
    k.op("assert", k.constant([True, False], "i1"), message="fails")
    with pytest.raises(AssertionsFailed, match=r"fails, element \[1\]"):
        k.run()


# Pointers


def same_address(name: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        a = sample(row[0], 32, 1)
        got = apply(name, [(a, row[0])], [((32,), row[1])])
        assert patterns(row[1], got) == patterns(row[0], a)

    return check


def storage(kind: str) -> int:
    """Bytes of an element in memory."""
    return -(-width(kind) // 8)


def offset(row: Signature, modes: list[str]) -> None:
    pointee = row[0][4:-1]
    codes = np.arange(64, dtype=np.uint64) * np.uint64(5)
    codes[:2] = [2**64 - 8, 2**64 - 2]
    if width(pointee) == 4:
        codes &= ~np.uint64(1)  # an odd half byte has no pointer
    by = tile(row[1], codes)
    if width(pointee) == 4 and row[1] == "i1":
        by[...] = False
    base = np.full(64, 1 << 40, np.uint64)
    got = apply("offset", [(base, row[0]), (by, row[1])], [((64,), row[2])])
    steps = [read(v, row[1], "signed") for v in patterns(row[1], by)]
    assert got.tolist() == [
        (1 << 40) + s * width_in_memory(pointee) // 8 for s in steps
    ]


def width_in_memory(kind: str) -> int:
    return 4 if width(kind) == 4 else 8 * storage(kind)


def memory(kind: str, count: int, seed: int) -> np.ndarray:
    """An array of random bytes, as an argument for a pointer to `kind`."""
    rng = np.random.default_rng(seed)
    raw = rng.integers(0, 256, count * storage(kind), np.uint8)
    if kind == "i1":
        raw *= rng.integers(0, 2, count, np.uint8)
    dtype = element(kind).array_dtype
    return raw.view(dtype) if dtype != np.bool_ else raw.view(np.bool_)


def raw_bytes(array: np.ndarray, kind: str) -> np.ndarray:
    """Rows of bytes, as loads and stores leave them: an i1 is 0 or 1."""
    raw = array.view(np.uint8).reshape(-1, storage(kind))
    return (raw != 0).astype(np.uint8) if kind == "i1" else raw


def copied(row: Signature, modes: list[str]) -> None:
    """Through pointers: half of the elements, spread, to other places."""
    kind = next(e for e in row if not e.startswith("ptr"))
    k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
    per = 2 if width(kind) == 4 else 1  # elements per address
    source, target = np.arange(16) * 2 % 31, np.arange(16)[::-1].copy()
    x, _ = k.load(k.at(k.parameters[0], source * per))
    k.store(k.at(k.parameters[1], target * per), x)
    a, out = memory(kind, 32, 1), memory(kind, 16, 2)
    before = raw_bytes(out, kind).copy()
    k.run(a, out)
    expected = before
    moved = raw_bytes(a, kind)[source]
    expected[target] = moved & 15 | before[target] & 240 if per == 2 else moved
    np.testing.assert_array_equal(raw_bytes(out, kind), expected)


def alloca(row: Signature, modes: list[str]) -> None:
    kind = row[0][4:-1]
    per = 2 if width(kind) == 4 else 1
    k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
    own = k.op("alloca", results=(tile_of(row[0]),), num_elem=16 * per, alignment=16)
    places = np.arange(16) * per
    x, _ = k.load(k.at(k.parameters[0], places))
    token = k.store(k.at(own, places), x)
    y, _ = k.load(k.at(own, places), token)
    k.store(k.at(k.parameters[1], places), y)
    a, out = memory(kind, 16, 1), memory(kind, 16, 1)
    out.view(np.uint8)[...] &= 0xF0 if per == 2 else 0
    k.run(a, out)
    np.testing.assert_array_equal(raw_bytes(out, kind), raw_bytes(a, kind))


def get_global(row: Signature, modes: list[str]) -> None:
    kind = row[0][4:-1]
    value = one(kind)
    text = f"""
      cuda_tile.module @m {{
        global @g <{kind}: [{value}, {value}]> : tile<2x{kind}>
        entry @k() {{
          %p = get_global @g : tile<ptr<{kind}>>
          %q = ptr_to_ptr %p : tile<ptr<{kind}>> -> tile<ptr<i8>>
          %x, %t = load_ptr_tko weak %q : tile<ptr<i8>> -> tile<i8>, token
          return
        }} }}"""
    seen: list[int] = []

    def keep(op: Op, results: tuple[Any, ...]) -> None:
        if op.name == "load_ptr_tko":
            seen.append(int(results[0]) & 0xFF)

    interp.run(parse(text), grid=(1,), args=[], trace=keep)
    (code,) = set(patterns(kind, results_of("constant", f"%r = constant <{kind}: "
                            f"[{value}, {value}]> : tile<2x{kind}>")[0]))  # fmt: skip
    first = code | code << 4 if width(kind) == 4 else code & 0xFF
    assert seen == [first]


# Control


def carried(kind: str) -> tuple[Kernel, Val, list[int]]:
    a = sample(kind, 8, 1)
    k = Kernel()
    return k, k.constant(a, kind), patterns(kind, a)


def loop_for(row: Signature, modes: list[str]) -> None:
    k, x, bits = carried(row[-1])
    low, step = k.constant(0, row[0]), k.constant(1, row[0])
    high = k.constant(1, row[0])
    with k.region(tile_of(row[0]), x.type) as body:
        k.op("continue", body.arguments[1])
    is_unsigned = row[0] == "i1"  # a signed true is -1, below the start
    y = k.op(
        "for", low, high, step, x, results=(x.type,), regions=(body,),
        unsignedCmp=is_unsigned,
    )  # fmt: skip
    assert patterns(row[-1], result(k, y)) == bits


def branch(row: Signature, modes: list[str]) -> None:
    k, x, bits = carried(row[-1])
    regions: list[Region] = []
    for value in (x, k.constant(sample(row[-1], 8, 2), row[-1])):
        with k.region() as region:
            k.op("yield", value)
        regions.append(region)
    y = k.op("if", k.constant(True, "i1"), results=(x.type,), regions=tuple(regions))
    assert patterns(row[-1], result(k, y)) == bits


def loop(row: Signature, modes: list[str]) -> None:
    k, x, bits = carried(row[-1])
    with k.region(x.type) as body:
        k.op("break", body.arguments[0])
    y = k.op("loop", x, results=(x.type,), regions=(body,))
    assert patterns(row[-1], result(k, y)) == bits


def grid_place(name: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        k = Kernel()
        k.op(name, results=(I32,) * 3)
        seen: list[tuple[int, ...]] = []

        def keep(op: Op, results: tuple[Any, ...]) -> None:
            if op.name == name:
                seen.append(tuple(map(int, results)))

        k.run(trace=keep, grid=(2, 3, 2))
        every = [(x, y, z) for z in range(2) for y in range(3) for x in range(2)]
        wanted = every if name == "get_tile_block_id" else [(2, 3, 2)] * 12
        assert seen == wanted

    return check


# Level W


def shared(row: Signature, modes: list[str]) -> None:
    """Through a buffer and out again, elsewhere."""
    kind = row[-1]
    a = sample(kind, (8, 16), 1)
    k = Kernel()
    whole = tile_of(kind, 8, 16)
    x = k.op("tileas.convert_layout", k.constant(a, kind), results=(whole,))
    buffer: Type = BufferType((8, 16), element(kind))
    place = k.op("tileas.alloc_shared", results=(buffer,))
    k.op("tileas.store_shared", x, place)
    k.op("tileas.barrier")
    y = k.op(
        "tileas.load_shared", place, results=(tile_of(kind, 4, 8),), offsets=(4, 8)
    )
    assert patterns(kind, result(k, y)) == patterns(kind, a[4:, 8:])


def shared_part(row: Signature, modes: list[str]) -> None:
    """Indices count parts of the buffer, modulo their number."""
    kind = row[-1]
    a = sample(kind, (16,), 1)
    k = Kernel()
    buffer: Type = BufferType((16,), element(kind))
    place = k.op("tileas.alloc_shared", results=(buffer,))
    k.op("tileas.store_shared", k.constant(a, kind), place)
    index = k.constant(np.int32(6), "i32")
    y = k.op("tileas.load_part", place, index, results=(tile_of(kind, 4),))
    assert patterns(kind, result(k, y)) == patterns(kind, a[8:12])


CHECKS: dict[str, Check] = {
    "constant": constant,
    "iota": iota,
    "broadcast": moved("broadcast", [(1, 8)], partial(np.broadcast_to, shape=(8, 8))),
    "cat": moved(
        "cat", [(8, 4), (8, 4)], lambda a, b: np.concatenate((a, b), 1), dim=1
    ),
    "extract": moved(
        "extract",
        [(8, 16)],
        lambda a: a[4:8, 8:16],
        [(1, "i32"), (1, "i32")],
    ),
    "insert": moved("insert", [(4, 8), (8, 16)], inserted, [(1, "i32"), (1, "i32")]),
    "permute": moved("permute", [(4, 8)], np.transpose, permutation=(1, 0)),
    "reshape": moved("reshape", [(8, 4)], lambda a: a.reshape(2, 16)),
    "select": select,
    "pack": pack,
    "unpack": unpack,
    "assume": assume,
    "print_tko": print_tko,
    "assert": assertion,
    "int_to_ptr": same_address("int_to_ptr"),
    "ptr_to_int": same_address("ptr_to_int"),
    "ptr_to_ptr": same_address("ptr_to_ptr"),
    "offset": offset,
    "load_ptr_tko": copied,
    "store_ptr_tko": copied,
    "alloca": alloca,
    "get_global": get_global,
    "for": loop_for,
    "if": branch,
    "loop": loop,
    "get_tile_block_id": grid_place("get_tile_block_id"),
    "get_num_tile_blocks": grid_place("get_num_tile_blocks"),
    "tileas.convert_layout": shared,
    "tileas.alloc_shared": shared,
    "tileas.store_shared": shared,
    "tileas.load_shared": shared,
    "tileas.load_part": shared_part,
}
"""The check of each op."""
