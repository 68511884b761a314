# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent kernels: a CTA serves several tile blocks, with the same results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from end_kernels import NAMES, VERSIONS, load
from real_kernels import RECIPES, make_problem

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile._mlir import ir
from cuda_tile.ir.plan import REMARKS_ATTRIBUTE, plan_attribute
from cuda_tile.ir.scalars import plus
from cuda_tile.ir.walk import entries, nested_ops

pytestmark = pytest.mark.sampled(4)

SEEDS = (None, 1, 2)


def persistent(group: int = 0, engine: str = "", **more: int | str) -> Any:
    """A function that adds to every entry's plan what makes it persistent.

    Args:
        group: Rows of a strip.
        engine: The engine of loads that are planned as copies, if not the chosen one.
        more: Further fields of the entry's plan.
    """

    def change(level: Any) -> None:
        for entry in entries(level):
            _add(entry, {"persistent": 1, "tile_group": group, **more})
            for op in nested_ops(entry):
                if op.name == "cuda_tile.load_view_tko":
                    _change_load(op, engine)

    return {"plan": change}


def _change_load(op: ir.Operation, engine: str) -> None:
    """Another engine; and fewer slots, since `plan` gave them what stores need now."""
    if "tileas.plan" not in op.attributes:
        return
    if engine:
        _add(op, {"engine": engine})
    fields: Any = ir.DictAttr(op.attributes["tileas.plan"])
    if "slots" in fields and fields["slots"].value > 4:
        _add(op, {"slots": 4, "ahead": 3})


def _add(op: Any, fields: dict[str, int | str]) -> None:
    """Adds fields to the plan of an op."""
    both: tuple[Any, ...] = (op.attributes["tileas.plan"], plan_attribute(fields))
    items = {item.name: item.attr for plan in both for item in plan}
    op.attributes["tileas.plan"] = ir.DictAttr.get(items)


def check(name: str, module: Any, **choices: Any) -> None:
    """Runs a kernel and compares what it computes."""
    problem = make_problem(name, RECIPES[name].sizes[0], seed=3)
    cuda_tile.run(module, grid=problem.grid, args=problem.args, **choices)
    comparison = problem.compare()
    assert comparison.is_within, comparison


def check_ptx(name: str, module: Any, compiled: Any, *resident: int) -> None:
    """Compares what the PTX computes with so many CTAs at once."""
    choices: dict[str, Any] = {"compiled": compiled, "mode": "adversarial"}
    for number in resident:
        choices |= {"resident_ctas": number, "seed": number}
        check(name, module, on="emulator", **choices)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("last", ["persist", "barriers"])
def test_tile_kernels_run_after_passes(name: str, last: str) -> None:
    module = load(name, VERSIONS[1])
    lowered = cuda_tile.lower(module, "sm_90", until=last, after=persistent())
    assert "tileas.tiles" in str(lowered)
    again = cuda_tile.load(str(lowered).encode())
    for seed in SEEDS:
        check(name, again, seed=seed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("gpu", "group", "resident"), [("sm_80", 0, 1), ("sm_90", 3, 2)]
)
def test_ptx_runs_with_few_ctas(name: str, gpu: str, group: int, resident: int) -> None:
    module = load(name, VERSIONS[1])
    compiled = cuda_tile.compile(module, gpu, after=persistent(group), cubin=False)
    (launch,) = compiled.launch.values()
    assert launch.grid == "persistent"
    check_ptx(name, module, compiled, resident)


PRODUCTS = [name for name in NAMES if name.startswith("matmul_f16_")][:2]
DIVISIONS = {
    "tma, roles": {"engine": "tma", "roles": "load", "group": 2},
    "tma": {"engine": "tma", "roles": "one", "registers": 0, "load_registers": 0},
    "cp_async, roles": {"engine": "cp_async", "roles": "load"},
}


@pytest.mark.parametrize("division", DIVISIONS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_rings_go_on_from_tile_to_tile(name: str, division: str) -> None:
    module = load(name, VERSIONS[1])
    fields: Any = DIVISIONS[division]
    after = persistent(**fields)
    lowered = cuda_tile.lower(module, "sm_90", until="barriers", after=after)
    assert ("tileas.roles" in str(lowered)) == ("roles" in division)
    for seed in SEEDS:
        check(name, lowered, seed=seed)
    compiled = cuda_tile.compile(module, "sm_90", after=after, cubin=False)
    (launch,) = compiled.launch.values()
    access = [part.to_json().get("access") for part in launch.appended]
    assert access.count("load") == (2 if "tma" in division else 0)
    check_ptx(name, module, compiled, 1, 3)


@pytest.mark.parametrize("roles", ["one", "load"])
def test_a_plan_by_hand_leaves_room_for_the_store(roles: str) -> None:
    name = "matmul_f16_f32out_128x128x64"
    fields = {"num_warps": 8, "warps_m": 2, "warps_n": 4, "min_ctas": 1}
    fields |= {"persistent": 1, "tile_group": 4, "roles": roles}

    def change(level: Any) -> None:
        (entry,) = entries(level)
        entry.attributes["tileas.plan"] = plan_attribute(fields)
        for op in nested_ops(entry):
            if op.name == "cuda_tile.store_view_tko":
                op.attributes["tileas.plan"] = plan_attribute({"engine": "tma"})

    module = load(name, VERSIONS[1])
    compiled = cuda_tile.compile(module, "sm_90", before={"plan": change})
    (launch,) = compiled.launch.values()
    assert (launch.remarks, compiled.report.warnings) == ((), ())
    maps = ["store", *(["load"] * 2 if roles == "load" else [])]  # else by cp.async
    assert [part.to_json().get("access") for part in launch.appended] == [*maps, None]
    check_ptx(name, module, compiled, 1, 3)


def _iteration_starts_anew(op: ir.Operation, number: int) -> None:
    assert op.parent is not None
    op.operands[number] = op.parent.operation.operands[number]


def _iteration_shifted(op: ir.Operation, number: int, by: int) -> None:
    with ir.InsertionPoint(op), op.location:
        op.operands[number] = plus(op.operands[number], by)


MISTAKES = {
    "starts anew": _iteration_starts_anew,
    "one too many": partial(_iteration_shifted, by=1),
    "one too few": partial(_iteration_shifted, by=-1),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("role", [0, 1])
def test_a_wrong_iteration_in_the_next_tile_is_noticed(role: int, mistake: str) -> None:
    name = PRODUCTS[0]
    after = persistent(engine="tma", roles="load")

    def change(level: Any) -> None:
        ends = [
            op
            for entry in entries(level)
            for op in nested_ops(entry)
            if op.name == "tileas.next_tile"
        ]
        assert len(ends) == 2
        assert len(ends[role].operands) == 1
        MISTAKES[mistake](ends[role], 0)

    after["count"] = change
    lowered = cuda_tile.lower(
        load(name, VERSIONS[1]), "sm_90", until="count", after=after
    )
    with pytest.raises(UserError, match="iteration"):
        check(name, lowered)


@pytest.mark.parametrize(("rows", "depth"), [(0, 64), (64, 0), (48, 32)])
def test_matrices_without_elements(rows: int, depth: int) -> None:
    module = load("matmul_f16_64x64x64", VERSIONS[1])
    after = persistent(engine="tma", roles="load")
    compiled = cuda_tile.compile(module, "sm_90", after=after, cubin=False)
    storage = np.zeros(3 * 64 * 64 + 128, np.float16)
    skip = -storage.ctypes.data % 256 // 2
    x, y, z = storage[skip : skip + 3 * 64 * 64].reshape(3, 64, 64)
    x[...], y[...], z[...] = 1, 1, 7
    a, b, c = x[:rows, :depth], y[:depth], z[:rows]
    args = [arg for array in (a, b, c) for arg in cuda_tile.array_args(array)]
    cuda_tile.run(
        module,
        grid=(1,),
        args=args,
        on="emulator",
        compiled=compiled,
        mode="adversarial",
    )
    assert (z[:rows] == depth).all()
    assert (z[rows:] == 7).all()


MATRIX = "tensor_view<?x?xf16, strides=[?,1]>"
PART = f"partition_view<tile=(64x64), padding_value = zero, {MATRIX}>"
OUT = "tensor_view<?x?xf32, strides=[?,1]>"
PRODUCT = f"""
cuda_tile.module @m {{
  entry @product(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>,
                 %m0: tile<i32>, %n0: tile<i32>, %k0: tile<i32>) {{
    %x, %y, %z = get_tile_block_id : tile<i32>
    %p = assume div_by<16>, %a : tile<ptr<f16>>
    %q = assume div_by<16>, %b : tile<ptr<f16>>
    %m = assume bounded<0, ?>, %m0 : tile<i32>
    %n1 = assume bounded<0, ?>, %n0 : tile<i32>
    %k1 = assume bounded<0, ?>, %k0 : tile<i32>
    %n = assume div_by<8>, %n1 : tile<i32>
    %k = assume div_by<8>, %k1 : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %depth = constant <i32: 64> : tile<i32>
    %start = constant <f32: 0.0> : tile<64x64xf32>
    %ta = make_tensor_view %p, shape = [%m, %k], strides = [%k, 1]
        : tile<i32> -> {MATRIX}
    %tb = make_tensor_view %q, shape = [%k, %n], strides = [%n, 1]
        : tile<i32> -> {MATRIX}
    %tc = make_tensor_view %c, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {OUT}
    %va = make_partition_view %ta : {PART}
    %vb = make_partition_view %tb : {PART}
    %vc = make_partition_view %tc : partition_view<tile=(64x64), {OUT}>
    %iterations = divi %k, %depth signed rounding<positive_inf> : tile<i32>
    %sum = for %i in (%zero to %iterations, step %one) : tile<i32>
        iter_values(%acc = %start) -> (tile<64x64xf32>) {{
      %u, %s = load_view_tko weak %va[%y, %i]
          : {PART}, tile<i32> -> tile<64x64xf16>, token
      %v, %t = load_view_tko weak %vb[%i, %x]
          : {PART}, tile<i32> -> tile<64x64xf16>, token
      %next = mmaf %u, %v, %acc
          : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }}
    %w = store_view_tko weak %sum, %vc[%y, %x]
        : tile<64x64xf32>, partition_view<tile=(64x64), {OUT}>, tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.parametrize(("gpu", "engine"), [("sm_80", ""), ("sm_90", "tma")])
def test_a_product_on_a_grid_of_two_dimensions(
    gpu: str, engine: str, draws: Callable[[int], int]
) -> None:
    m, n, k = 180, 136, 152  # 3 rows of tiles: a strip of 2, and one of 1
    module = cuda_tile.load(PRODUCT.encode())
    more: dict[str, Any] = {"roles": "load"} if engine else {}
    after = persistent(group=2, engine=engine, **more)
    compiled = cuda_tile.compile(module, gpu, after=after, cubin=False)
    storage = np.zeros(m * k + k * n + 256, np.float16)
    skip = -storage.ctypes.data % 256 // 2
    a = storage[skip : skip + m * k].reshape(m, k)
    b = storage[skip + m * k :][: k * n].reshape(k, n)
    random = np.random.default_rng(5)
    a[...] = random.integers(-4, 5, a.shape)
    b[...] = random.integers(-4, 5, b.shape)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    for seed in range(draws(8)):
        c = np.full((m, n), np.nan, np.float32)
        cuda_tile.run(
            module,
            grid=(-(-n // 64), -(-m // 64)),
            args=[a, b, c, m, n, k],
            on="emulator",
            compiled=compiled,
            resident_ctas=1 + seed % 4,
            mode="adversarial",
            seed=seed,
        )
        assert np.array_equal(c, expected)


# Order and coverage -------------------------------------------------------------------

NUMBERS = b"""
cuda_tile.module @m {
  entry @number(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a = muli %z, %gy : tile<i32>
    %b = addi %a, %y : tile<i32>
    %c = muli %b, %gx : tile<i32>
    %place = addi %c, %x : tile<i32>
    %at = offset %p, %place : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %turn, %t = atomic_rmw_tko relaxed device %q, add, %one
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %u = store_ptr_tko weak %at, %turn : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


def served(grid: tuple[int, int, int], group: int, resident: int = 1) -> Any:
    """In which turn each tile block is served, as [z, y, x]."""
    module = cuda_tile.load(NUMBERS)
    compiled = cuda_tile.compile(module, after=persistent(group), cubin=False)
    turns = np.full(grid[::-1], -1, np.int32)
    cuda_tile.run(
        module,
        grid=grid,
        args=[turns, np.zeros(1, np.int32)],
        on="emulator",
        compiled=compiled,
        resident_ctas=resident,
    )
    return turns


@pytest.mark.parametrize("group", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("grid", [(5, 7, 2), (1, 9, 1), (9, 1, 1), (3, 4, 3)])
def test_every_tile_block_is_served_once(
    grid: tuple[int, int, int], group: int
) -> None:
    for resident in (1, 4, 100):
        turns = served(grid, group, resident)
        assert sorted(turns.ravel()) == list(range(turns.size))


def test_tile_blocks_of_a_strip_come_together() -> None:
    grid, group = (5, 7, 2), 3
    order = [
        (z, y, x)
        for z in range(2)
        for strip in range(0, 7, group)
        for x in range(5)
        for y in range(strip, min(strip + group, 7))
    ]
    turns = served(grid, group)
    assert [turns[place] for place in order] == list(range(len(order)))
    assert served(grid, 0).ravel().tolist() == list(range(len(order)))


def test_strips_share_rows_and_columns() -> None:
    """CTAs that run at the same time load fewer different rows and columns of tiles."""
    resident, loaded = 16, []
    for group in (0, 4):
        turns = served((16, 16, 1), group)[0]
        waves = [np.nonzero(turns // resident == wave) for wave in range(16)]
        loaded.append([len(set(y)) + len(set(x)) for y, x in waves])
    assert loaded == [[1 + 16] * 16, [4 + 4] * 16]


# What cannot be done ------------------------------------------------------------------


def kernel(body: str) -> Any:
    return cuda_tile.load(
        f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    {body}
    return
  }} }}""".encode()
    )


REFUSED = {
    "an early return": """
    %c = cmpi less_than %x, %n, signed : tile<i32> -> tile<i1>
    if %c { return }""",
    "an alloca": """
    %s = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
    %t = store_ptr_tko weak %s, %n : tile<ptr<i32>>, tile<i32> -> token""",
    "'cuda_tile.load_ptr_tko' in a loop, which may wait for another tile block": """
    loop {
      %v, %t = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
      %c = cmpi equal %v, %n, signed : tile<i32> -> tile<i1>
      if %c { break }
    }""",
    "'cuda_tile.gdc_wait_tko', which is meant once per tile block": """
    %t = gdc_wait_tko : token""",
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_refused_gets_a_remark(why: str) -> None:
    compiled = cuda_tile.compile(kernel(REFUSED[why]), after=persistent(), cubin=False)
    launch = compiled.launch["k"]
    assert launch.grid == "tile_blocks"
    (remark,) = launch.remarks
    assert remark.startswith(f"not persistent, one tile block per CTA instead: {why}")
    assert " at -:" in remark


def test_the_abi_cuda_has_no_persistent_kernels() -> None:
    module = kernel(
        "%t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token"
    )
    lowered = cuda_tile.lower(
        module, options=Options(abi="cuda"), until="persist", after=persistent()
    )
    with lowered.context:
        remarks = entries(lowered.operation)[0].attributes[REMARKS_ATTRIBUTE]
        (remark,) = ir.ArrayAttr(remarks)
    assert "(abi cuda); compile with abi maps" in str(remark)
    assert "tileas.tiles" not in str(lowered)


BY_HAND = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %sum = tileas.tiles (%x, %y, %z) iter_values(%n = %zero) -> (tile<i32>) {
      BODY
      %m = addi %n, %one : tile<i32>
      tileas.next_tile %m : tile<i32>
    }
    %r, %t = atomic_rmw_tko relaxed device %p, add, %sum
        : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
"""


def test_values_are_carried_from_block_to_block() -> None:
    module = cuda_tile.load(BY_HAND.replace("BODY", "").encode())
    for seed in SEEDS:
        count = np.zeros(1, np.int32)
        cuda_tile.run(module, grid=(3, 4, 2), args=[count], seed=seed)
        assert count[0] == 24
    compiled = cuda_tile.compile(module, cubin=False)
    for resident in (1, 5, 50):
        count = np.zeros(1, np.int32)
        cuda_tile.run(
            module,
            grid=(3, 4, 2),
            args=[count],
            on="emulator",
            compiled=compiled,
            resident_ctas=resident,
        )
        assert count[0] == 24


def test_the_number_of_a_tile_block_is_an_argument() -> None:
    text = BY_HAND.replace("BODY", "%a, %b, %c = get_tile_block_id : tile<i32>")
    text = text.replace("addi %n, %one", "addi %n, %a")
    module = cuda_tile.load(text.encode())
    with pytest.raises(UserError, match=r"expected the arguments of 'tileas\.tiles'"):
        cuda_tile.run(module, grid=(2,), args=[np.zeros(1, np.int32)])
    with pytest.raises(UserError, match=r"expected the arguments of 'tileas\.tiles'"):
        cuda_tile.compile(module, cubin=False)


# What plan chooses --------------------------------------------------------------------

WANTED = Options(persistent=True)


def test_products_that_a_role_loads_are_persistent_if_wanted() -> None:
    name = "matmul_f16_128x128x64"
    module = load(name, VERSIONS[1])
    compiled = cuda_tile.compile(module, "sm_90", options=WANTED)
    (launch,) = compiled.launch.values()
    assert (launch.grid, launch.remarks) == ("persistent", ())
    assert compiled.report.kernels[0].spill_bytes == 0
    lowered = cuda_tile.lower(module, "sm_90", until="barriers", options=WANTED)
    for seed in SEEDS:
        check(name, lowered, seed=seed)
    for resident in (1, 2):
        check(
            name,
            module,
            on="emulator",
            compiled=compiled,
            resident_ctas=resident,
            mode="adversarial",
        )


@pytest.mark.parametrize(
    ("name", "gpu", "abi", "why"),
    [
        ("matmul_f16_64x64x64", "sm_90", "maps", "3 CTAs share a multiprocessor"),
        ("matmul_f16_128x128x64", "sm_80", "maps", "no role of its own loads"),
        ("matmul_f16_128x128x64", "sm_90", "cuda", "does not append the grid's"),
        ("fmha_causal_f16_d128_128x64", "sm_90", "maps", "differ from block to block"),
        ("softmax_f32_1024", "sm_90", "maps", "no role of its own loads"),
    ],
)
def test_what_gains_nothing_stays_and_says_why(
    name: str, gpu: str, abi: str, why: str
) -> None:
    module, options = load(name, VERSIONS[1]), Options(persistent=True, abi=abi)
    compiled = cuda_tile.compile(module, gpu, options=options, cubin=False)
    (launch,) = compiled.launch.values()
    assert launch.grid == "tile_blocks"
    (remark,) = [r for r in launch.remarks if "not persistent" in r]
    assert why in remark


def test_nothing_is_persistent_unless_wanted() -> None:
    module = load("matmul_f16_128x128x64", VERSIONS[1])
    (launch,) = cuda_tile.compile(module, "sm_90", cubin=False).launch.values()
    assert launch.grid == "tile_blocks"
