# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels before and after `roles`, and after `skew` and `count`, compute the same.

They sum rows of 128 numbers, which copies bring to shared memory; which rows, these
learn from scalars in many ways. Where they cannot, the kernel stays one role.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import interp
from cuda_tile._mlir import ir
from cuda_tile.interp import InterpError
from cuda_tile.ir.launch import strings_of
from cuda_tile.ir.plan import REMARKS_ATTRIBUTE
from cuda_tile.ir.roles import find_roles
from cuda_tile.ir.scalars import plus
from cuda_tile.ir.tile_loop import TILES
from cuda_tile.ir.walk import block_ops, find_entry, nested_ops
from cuda_tile.options import Options
from cuda_tile.passes import count, persist, ring, roles, skew

SEEDS = (None, 0, 1, 2)
ROWS, BLOCKS = 25, 3
ROW = "!tileas.buffer<128xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>"
TILE = "tile<128xf32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (32@0, 64@0), ())>>"
ONE = "tile<1xi32, #cute.layout<((), (0, 0, 0, 0, 0), (0, 0), ())>>"
ONE_PTR = ONE.replace("i32", "ptr<i32>")
MANY = TILE.replace("f32", "i32")
TENSOR = "tensor_view<?xf32, strides=[1]>"
IN = f"partition_view<tile=(128), padding_value = zero, {TENSOR}>"
OUT = f"partition_view<tile=(128), {TENSOR}>"


def add(row: str, acc: str, result: str, *, token: str = "") -> str:
    """Adds a row to a sum."""
    number = result.removeprefix("%")
    after = f"token = {token}" if token else ""
    return f"""
      %b{number} = tileas.alloc_shared : {ROW}
      %t{number} = tileas.copy_in %in[{row}] {after} to %b{number} engine = "tma"
        {{tileas.plan = {{slots = 3 : i64, ahead = 2 : i64}}}}
        : {IN}[tile<i32>] to {ROW}
      %x{number} = tileas.load_shared %b{number}[0] : {ROW} -> {TILE}
      {result} = addf {acc}, %x{number} : {TILE}
    """


def loop(body: str, *, result: str = "%sum", start: str = "%zeros") -> str:
    """A loop over %k, of which `body` makes %next of %acc."""
    return f"""
      {result} = for %k in (%c0 to %n, step %c1) : tile<i32>
          iter_values(%acc = {start}) -> ({TILE}) {{
        {body}
        continue %next : {TILE}
      }}
    """


def store(value: str, row: str = "%block", token: str = "%fresh") -> str:
    return f"""
      %stored = store_view_tko weak {value}, %out[{row}] token = {token}
        : {TILE}, {OUT}, tile<i32> -> token
    """


def kernel(body: str, *, registers: str = "") -> str:
    return f"""cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>, %q: tile<ptr<i32>>,
               %n: tile<i32>, %rows: tile<i32>)
          attributes {{tileas.target = "sm_90",
            tileas.plan = {{num_warps = 4 : i64, roles = "load"{registers}}}}} {{
        %zeros = constant <f32: 0.0> : {TILE}
        %c0 = constant <i32: 0> : tile<i32>
        %c1 = constant <i32: 1> : tile<i32>
        %c2 = constant <i32: 2> : tile<i32>
        %c128 = constant <i32: 128> : tile<i32>
        %fresh = make_token : token
        %block, %by, %bz = get_tile_block_id : tile<i32>
        %first = muli %block, %n : tile<i32>
        %size = muli %rows, %c128 : tile<i32>
        %ti = make_tensor_view %p, shape = [%size], strides = [1]
          : tile<i32> -> {TENSOR}
        %in = make_partition_view %ti : {IN}
        %to = make_tensor_view %o, shape = [%size], strides = [1]
          : tile<i32> -> {TENSOR}
        %out = make_partition_view %to : {OUT}
        {body}
        return
      }}
    }}"""


ROW_OF_ITERATION = "%row = addi %first, %k : tile<i32>\n"
TABLE = """
  %at = offset %q, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %row, %loaded = load_ptr_tko weak %at : tile<ptr<i32>> -> tile<i32>, token
"""
ONE_ELEMENT = f"""
  %at = offset %q, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %at1 = reshape %at : tile<ptr<i32>> -> {ONE_PTR}
  %row1, %loaded = load_ptr_tko weak %at1 : {ONE_PTR} -> {ONE}, token
  %row = reshape %row1 : {ONE} -> tile<i32>
"""
DIVIDED = {
    "rows in order": loop(ROW_OF_ITERATION + add("%row", "%acc", "%next"))
    + store("%sum"),
    "a table of rows": loop(TABLE + add("%row", "%acc", "%next")) + store("%sum"),
    "a tile of one row": loop(ONE_ELEMENT + add("%row", "%acc", "%next"))
    + store("%sum"),
    "two loops": loop(ROW_OF_ITERATION + add("%row", "%acc", "%next"), result="%half")
    + loop(
        ROW_OF_ITERATION.replace("%first", "%c0") + add("%row", "%acc", "%next"),
        start="%half",
    ).replace("%next", "%more")
    + store("%sum"),
    "two rows of an iteration": loop(
        ROW_OF_ITERATION + add("%row", "%acc", "%mid") + add("%k", "%mid", "%next")
    )
    + store("%sum"),
    "loops in a loop": f"""
      %sum = for %j in (%c0 to %c2, step %c1) : tile<i32>
          iter_values(%part = %zeros) -> ({TILE}) {{
        %base = addi %first, %j : tile<i32>
        {
        loop(
            "%row = addi %base, %k : tile<i32>" + add("%row", "%acc", "%next"),
            result="%inner",
            start="%part",
        )
    }
        continue %inner : {TILE}
      }}
      {store("%sum")}
    """,
    "rows that a loop carries": f"""
      %sum, %last = for %k in (%c0 to %n, step %c1) : tile<i32>
          iter_values(%acc = %zeros, %row = %first) -> ({TILE}, tile<i32>) {{
        {add("%row", "%acc", "%next")}
        %following = addi %row, %c1 : tile<i32>
        continue %next, %following : {TILE}, tile<i32>
      }}
      {store("%sum")}
    """,
    "a sum that nobody uses": f"""
      %five = constant <f32: 5.0> : {TILE}
      %sum, %unused = for %k in (%c0 to %n, step %c1) : tile<i32>
          iter_values(%acc = %zeros, %all = %five) -> ({TILE}, {TILE}) {{
        {ROW_OF_ITERATION}
        {add("%row", "%acc", "%next")}
        %more = addf %all, %next : {TILE}
        continue %next, %more : {TILE}, {TILE}
      }}
      {store("%sum")}
    """,
    "some iterations only": loop(f"""
      {ROW_OF_ITERATION}
      %odd = remi %k, %c2 signed : tile<i32>
      %is = cmpi equal %odd, %c1, signed : tile<i32> -> tile<i1>
      %next = if %is -> ({TILE}) {{
        {add("%row", "%acc", "%new")}
        yield %new : {TILE}
      }} else {{
        yield %acc : {TILE}
      }}
    """)
    + store("%sum"),
    "a loop that is left": f"""
      %sum = loop iter_values(%k = %c0, %acc = %zeros)
          : tile<i32>, {TILE} -> {TILE} {{
        %over = cmpi greater_than_or_equal %k, %n, signed : tile<i32> -> tile<i1>
        if %over {{ break %acc : {TILE} }}
        {ROW_OF_ITERATION}
        {add("%row", "%acc", "%next")}
        %k1 = addi %k, %c1 : tile<i32>
        continue %k1, %next : tile<i32>, {TILE}
      }}
      {store("%sum")}
    """,
    "tokens of loads": f"""
      %sum, %after = for %k in (%c0 to %n, step %c1) : tile<i32>
          iter_values(%acc = %zeros, %tok = %fresh) -> ({TILE}, token) {{
        {ROW_OF_ITERATION}
        %y, %read = load_view_tko weak %in[%k] token = %tok
          : {IN}, tile<i32> -> {TILE}, token
        {add("%row", "%acc", "%mid", token="%read")}
        %next = subf %mid, %y : {TILE}
        continue %next, %tmid : {TILE}, token
      }}
      {store("%sum")}
    """,
    "what comes before": f"""
      %v, %tv = load_view_tko weak %in[%block] : {IN}, tile<i32> -> {TILE}, token
      {loop(ROW_OF_ITERATION + add("%row", "%acc", "%next"), start="%v")}
      {store("%sum")}
    """,
    "a branch around the loop": f"""
      %is = cmpi less_than %block, %c2, signed : tile<i32> -> tile<i1>
      if %is {{
        {loop(ROW_OF_ITERATION + add("%row", "%acc", "%next"))}
        {store("%sum")}
      }} else {{
        {store("%zeros").replace("%stored", "%other")}
      }}
    """,
}
BEHIND_A_GRID = {
    "rows behind the preceding grid": "%hint = gdc_launch_dependents_tko : token"
    "%ended = gdc_wait_tko token = %hint : token"
    + loop(ROW_OF_ITERATION + add("%row", "%acc", "%next", token="%ended"))
    + store("%sum"),
    "a table behind the preceding grid": "%ended = gdc_wait_tko : token"
    + loop(
        TABLE.replace("weak %at", "weak %at token = %ended")
        + add("%row", "%acc", "%next", token="%loaded")
    )
    + store("%sum"),
}
KEPT = {
    "a row of a tile": (
        f"""
        %v, %tv = load_view_tko weak %in[%block] : {IN}, tile<i32> -> {TILE}, token
        %r = reduce %v dim=0 identities=[0.0 : f32] : {TILE} -> tile<f32>
            (%x: tile<f32>, %y: tile<f32>) {{
          %s = maxf %x, %y : tile<f32>
          yield %s : tile<f32>
        }}
        %row = ftoi %r signed rounding<nearest_int_to_zero> : tile<f32> -> tile<i32>
        %small = remi %row, %n signed : tile<i32>
        {loop(add("%small", "%acc", "%next"))}
        {store("%sum")}
        """,
        "it depends on a tile, of 'reduce'",
    ),
    "a row that an atomic gives": (
        loop(f"""
          %row, %took = atomic_rmw_tko relaxed device %q, add, %c0
            : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
          {add("%row", "%acc", "%next")}
        """)
        + store("%sum"),
        "it depends on 'atomic_rmw_tko' .* must not run twice",
    ),
    "a table that is written": (
        f"""
        %at = offset %q, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %wrote = store_ptr_tko weak %at, %block : tile<ptr<i32>>, tile<i32> -> token
        %row, %loaded = load_ptr_tko weak %at token = %wrote
          : tile<ptr<i32>> -> tile<i32>, token
        {loop(add("%row", "%acc", "%next"))}
        {store("%sum")}
        """,
        "'load_ptr_tko' at .* comes after 'store_ptr_tko'",
    ),
    "a scalar that is overwritten": (
        f"""
        %at = offset %q, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %row, %loaded = load_ptr_tko weak %at : tile<ptr<i32>> -> tile<i32>, token
        {loop(add("%row", "%acc", "%next"))}
        %wrote = store_ptr_tko weak %at, %n token = %loaded
          : tile<ptr<i32>>, tile<i32> -> token
        {store("%sum")}
        """,
        "'store_ptr_tko' at .* comes after 'load_ptr_tko'",
    ),
    "a scalar that another overwrites behind a release": (
        f"""
        %at = offset %q, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %row, %loaded = load_ptr_tko weak %at : tile<ptr<i32>> -> tile<i32>, token
        {loop(add("%row", "%acc", "%next"))}
        %both = join_tokens %fresh, %loaded : token
        %old, %told = atomic_rmw_tko release device %at, xor, %c0 token = %both
          : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
        {store("%sum")}
        """,
        "'atomic_rmw_tko' at .* comes after 'load_ptr_tko'",
    ),
    "a row behind an acquire": (
        f"""
        %at = offset %q, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %flag, %seen = load_ptr_tko acquire device %at
          : tile<ptr<i32>> -> tile<i32>, token
        {loop(ROW_OF_ITERATION + add("%row", "%acc", "%next", token="%seen"))}
        {store("%sum")}
        """,
        "'tileas.copy_in' at .* comes after 'load_ptr_tko'",
    ),
    "an early end": (
        f"""
        %is = cmpi less_than %block, %c2, signed : tile<i32> -> tile<i1>
        if %is {{
          {loop(ROW_OF_ITERATION + add("%row", "%acc", "%next"))}
          {store("%sum")}
          return
        }}
        """,
        "the kernel may end early",
    ),
    "a store into the same array": (
        f"""
        %sum, %after = for %k in (%c0 to %n, step %c1) : tile<i32>
            iter_values(%acc = %zeros, %tok = %fresh) -> ({TILE}, token) {{
          {ROW_OF_ITERATION}
          {add("%row", "%acc", "%next", token="%tok")}
          continue %next, %tnext : {TILE}, token
        }}
        {store("%sum", token="%after")}
        """,
        "'store_view_tko' at .* comes after 'tileas.copy_in'",
    ),
}


def arguments() -> list[Any]:
    p = np.random.default_rng(1).integers(0, 9, 128 * ROWS).astype(np.float32)
    table = np.array([5, 1, 17, 3, 9, 2, 11, 4], np.int32)
    return [p, np.zeros(128 * ROWS, np.float32), table, 8, ROWS]


def outcome(module: Any, seed: int | None) -> Any:
    args = arguments()
    interp.run(module, grid=(BLOCKS,), args=args, seed=seed)
    return args[1]


def divided(text: str, *, skewed: bool = False) -> Any:
    """The module after `roles`, and after `skew` and `count` if wanted."""
    module = cuda_tile.load(text.encode())
    with module.context:
        passes = (ring, roles, skew, count) if skewed else (ring, roles)
        for each in passes:
            each.run(module.operation, Options())
            assert module.operation.verify()
    return module


@pytest.mark.parametrize("name", DIVIDED | BEHIND_A_GRID)
def test_roles_compute_the_same(name: str) -> None:
    text = kernel((DIVIDED | BEHIND_A_GRID)[name])
    expected = outcome(cuda_tile.load(text.encode()), None)
    assert expected.any()
    for skewed in (False, True):
        module = divided(text, skewed=skewed)
        with module.context:
            entry = find_entry(module.operation, None)
            op = find_roles(entry)
            assert REMARKS_ATTRIBUTE not in entry.attributes
        assert op is not None
        for seed in SEEDS:
            assert np.array_equal(outcome(module, seed), expected), (seed, str(module))


@pytest.mark.parametrize("name", DIVIDED)
def test_roles_of_a_persistent_kernel_compute_the_same(name: str) -> None:
    text = kernel(DIVIDED[name], registers=", persistent = 1 : i64")
    expected = outcome(cuda_tile.load(text.encode()), None)
    module = cuda_tile.load(text.encode())
    with module.context:
        for each in (persist, ring, roles, skew, count):
            each.run(module.operation, Options())
            assert module.operation.verify()
        entry = find_entry(module.operation, None)
        op = find_roles(entry)
        assert REMARKS_ATTRIBUTE not in entry.attributes
        assert op is not None
        # Each role goes over the tile blocks by itself.
        tiles = [inner for inner in nested_ops(op) if inner.name == TILES]
        assert sorted(_region(op, inner) for inner in tiles) == [0, 1]
    for seed in SEEDS:
        assert np.array_equal(outcome(module, seed), expected), (seed, str(module))


@pytest.mark.parametrize("name", DIVIDED | BEHIND_A_GRID)
def test_each_role_has_what_it_needs(name: str) -> None:
    module = divided(kernel((DIVIDED | BEHIND_A_GRID)[name]))
    with module.context:
        op = find_roles(find_entry(module.operation, None))
        assert op is not None
        work, load = (
            {inner.name for inner in nested_ops(op) if _region(op, inner) == number}
            for number in (0, 1)
        )
    fills = {"tileas.acquire", "tileas.copy_in", "tileas.publish"}
    assert not work & fills
    assert fills <= load
    effects = {"tileas.take", "tileas.release", "cuda_tile.store_view_tko"}
    assert effects <= work
    assert not load & {*effects, "tileas.load_shared", "cuda_tile.addf"}


@pytest.mark.parametrize("name", BEHIND_A_GRID)
def test_each_role_waits_for_the_preceding_grid(name: str) -> None:
    module = divided(kernel(BEHIND_A_GRID[name]))
    with module.context:
        op = find_roles(find_entry(module.operation, None))
        assert op is not None
        names = [(inner.name, _region(op, inner)) for inner in nested_ops(op)]
    for number in (0, 1):
        first = names.index(("cuda_tile.gdc_wait_tko", number))
        for name_of in ("cuda_tile.load_ptr_tko", "tileas.copy_in"):
            assert (name_of, number) not in names[:first]


def _region(op: Any, inner: Any) -> int:
    while inner.parent.operation != op:
        inner = inner.parent.operation
    return [region.blocks[0] for region in op.regions].index(inner.block)


@pytest.mark.parametrize("name", KEPT)
def test_a_kernel_that_stays_one_role_says_why(name: str) -> None:
    body, reason = KEPT[name]
    text = kernel(body)
    expected = outcome(cuda_tile.load(text.encode()), None)
    module = divided(text)
    with module.context:
        entry = find_entry(module.operation, None)
        assert find_roles(entry) is None
        (remark,) = strings_of(entry.attributes[REMARKS_ATTRIBUTE])
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(remark)
    assert remark.startswith("one role instead of one that loads and one that works")
    assert np.array_equal(outcome(module, 0), expected)


def test_registers_of_the_plan() -> None:
    text = kernel(
        DIVIDED["rows in order"],
        registers=", registers = 240 : i64, load_registers = 40 : i64",
    )
    assert "warps = 4 threads = 128 registers = 240" in str(divided(text))
    assert "warps = 4 threads = 1 registers = 40" in str(divided(text))


# Mutants of what the pass made ------------------------------------------------------

ITERATION_OPS = tuple(f"tileas.{n}" for n in ("acquire", "publish", "take", "release"))
DELETED = ("tileas.publish", "tileas.release", "tileas.copy_in")
MUTATED = ("rows in order", "two loops", "some iterations only", "loops in a loop")


def mutants(text: str) -> list[tuple[str, int, str]]:
    """Ways to spoil the ops of rings: op, its place among them, what happens to it."""
    module = divided(text)
    found: list[tuple[str, int, str]] = []
    with module.context:
        ops = list(nested_ops(find_entry(module.operation, None)))
        for place, op in enumerate(ops):
            if op.name in DELETED:
                found.append((op.name, place, "deleted"))
            if op.name in ITERATION_OPS:
                found.append((op.name, place, "shifted"))
            if op.name == "tileas.done":
                found += [(op.name, place, "all before it deleted")]
    return found


def spoil(module: Any, place: int, what: str) -> None:
    with module.context, ir.Location.unknown():
        op = list(nested_ops(find_entry(module.operation, None)))[place]
        if what == "shifted":
            with ir.InsertionPoint(op):
                op.operands[1] = plus(op.operands[1], 1)
        elif what == "all before it deleted":
            for other in reversed(block_ops(op.block)[:-1]):
                other.erase()
        else:
            op.erase()


@pytest.mark.parametrize("name", MUTATED)
def test_mutants_are_noticed(name: str) -> None:
    text = kernel(DIVIDED[name])
    expected = outcome(cuda_tile.load(text.encode()), None)
    found = mutants(text)
    assert len(found) >= 8
    for op_name, place, what in found:
        module = divided(text)
        spoil(module, place, what)
        assert module.operation.verify()
        assert is_noticed(module, expected), f"'{op_name}' {what}, number {place}"


def is_noticed(module: Any, expected: Any) -> bool:
    """Whether a run fails or computes something else, in some order of roles."""
    try:
        return not all(np.array_equal(outcome(module, s), expected) for s in SEEDS)
    except InterpError:
        return True
