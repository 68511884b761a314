# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CTAs that share a multiprocessor: when a plan asks for more of them, and why."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

import cuda_tile
from cuda_tile import Options
from cuda_tile.analysis.operand_sources import Product
from cuda_tile.chip_clocks import shared_clocks
from cuda_tile.constants import ROUNDED_SLOTS
from cuda_tile.ir.plan import Plan, read_plan
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.plan.residency import Part, Share
from cuda_tile.targets import find_target

KERNELS = Path(__file__).parents[1] / "kernels" / "13.4"

GELU = """
    %half = constant <f32: 0.5> : tile<128x128xf32>
    %scaled = mulf %sum, %half : tile<128x128xf32>
    %curve = tanh %scaled : tile<128x128xf32>
    %one = constant <f32: 1.0> : tile<128x128xf32>
    %more = addf %curve, %one : tile<128x128xf32>
    %gate = mulf %more, %scaled : tile<128x128xf32>
    %again = tanh %gate : tile<128x128xf32>"""


def product(epilogue: str, result: str, iterations: int | None = None) -> bytes:
    """Products of 128x128x64 of f16 in a loop, and what comes of their sum.

    Args:
        epilogue: Ops behind the loop.
        result: What they store.
        iterations: Of the loop; None where the compiler does not know.
    """
    view = "partition_view<tile=({}x{}), tensor_view<4096x4096xf16, strides=[4096,1]>>"
    a, b, c = view.format(128, 64), view.format(64, 128), view.format(128, 128)
    end = "" if iterations is None else f"%n = constant <i32: {iterations}> : tile<i32>"
    parameter = ", %n: tile<i32>" if iterations is None else ""
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f16>>{parameter}) {{
    %base = assume div_by<16>, %p : tile<ptr<f16>>
    %t = make_tensor_view %base, shape = [4096, 4096], strides = [4096, 1]
      : tensor_view<4096x4096xf16, strides=[4096,1]>
    %va = make_partition_view %t : {a}
    %vb = make_partition_view %t : {b}
    %vc = make_partition_view %t : {c}
    %z = constant <i32: 0> : tile<i32>
    %s = constant <i32: 1> : tile<i32>
    {end}
    %x, %y, %_ = get_tile_block_id : tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %sum = for %i in (%z to %n, step %s) : tile<i32> iter_values(%q = %zero)
        -> (tile<128x128xf32>) {{
      %a, %ta = load_view_tko weak %va[%x, %i] : {a}, tile<i32>
        -> tile<128x64xf16>, token
      %b, %tb = load_view_tko weak %vb[%i, %y] : {b}, tile<i32>
        -> tile<64x128xf16>, token
      %d = mmaf %a, %b, %q
        : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %d : tile<128x128xf32>
    }}{epilogue}
    %h = ftof {result} : tile<128x128xf32> -> tile<128x128xf16>
    %o = store_view_tko weak %h, %vc[%x, %y] : tile<128x128xf16>, {c}, tile<i32>
      -> token
    return
  }}
}}
""".encode()


def planned(source: bytes, gpu: str, *, persistent: bool = False) -> Plan:
    """The entry's plan."""
    options = Options(gpu, persistent=persistent)
    module = cuda_tile.load(source)
    lowered = cuda_tile.lower(module, until="plan", options=options)
    return read_plan(entries(lowered.operation)[0])


@pytest.mark.parametrize(
    ("gpu", "roles"), [("sm_80", "one"), ("sm_90", "one"), ("sm_100", "load")]
)
def test_one_cta_multiplies_while_another_ends(gpu: str, roles: str) -> None:
    """Of a sum in tensor memory threads hold a part: a role that loads takes none."""
    plan = planned(product(GELU, "%again"), gpu)
    assert (plan.min_ctas, plan.roles, plan.num_warps) == (2, roles, 8)


def test_what_follows_a_sum_in_parts_needs_registers_of_a_loop_too() -> None:
    """Without those a third CTA would fit by the estimate, and each thread spill."""
    (kernel,) = cuda_tile.compile(
        cuda_tile.load(product(GELU, "%again")), "sm_100"
    ).report.kernels
    assert not kernel.spill_bytes


ROW_SUM = """
    %total = reduce %sum dim=1 identities=[0.0 : f32]
      : tile<128x128xf32> -> tile<128xf32> (%v: tile<f32>, %w: tile<f32>) {
        %u = addf %v, %w : tile<f32>
        yield %u : tile<f32>
      }
    %column = reshape %total : tile<128xf32> -> tile<128x1xf32>
    %every = broadcast %column : tile<128x1xf32> -> tile<128x128xf32>
    %again = mulf %sum, %every : tile<128x128xf32>"""


@pytest.mark.parametrize(
    ("epilogue", "result", "registers"),
    [("", "%sum", 32 + 16 + 32), (ROW_SUM, "%again", 128 + 16 + 1)],
)
def test_of_a_sum_in_parts_one_part_counts(
    epilogue: str, result: str, registers: int
) -> None:
    """A thread of eight warps has 128 columns of a sum that a reduction needs whole."""
    module = cuda_tile.load(product(epilogue, result).replace(b"x128", b"x256"))
    (plans,) = cuda_tile.list_plans(module, "sm_100").values()
    needed = {
        plan["cost"]["registers"]
        for plan in plans
        if (plan["fields"]["num_warps"], plan["fields"]["roles"]) == (8, "one")
        and plan["fields"]["engine"] == "tma"
        and "tcgen05" in str(plan["fields"].get("products"))
    }
    assert needed == {registers}


def test_a_result_that_is_stored_as_it_is_needs_no_other_cta() -> None:
    """The role that loads begins at once, and L2 has work meanwhile."""
    plan = planned(product("", "%sum"), "sm_90")
    assert (plan.min_ctas, plan.roles) == (1, "load")


def test_a_long_loop_outweighs_what_comes_behind() -> None:
    plan = planned(product(GELU, "%again", 4096), "sm_90")
    assert (plan.min_ctas, plan.roles) == (1, "load")


@pytest.mark.parametrize("gpu", ["sm_90", "sm_100"])
def test_a_persistent_cta_overlaps_with_itself(gpu: str) -> None:
    plan = planned(product(GELU, "%again"), gpu, persistent=True)
    assert (plan.min_ctas, plan.roles, plan.persistent) == (1, "load", 1)


def test_what_ctas_share_adds_up_and_the_rest_overlaps() -> None:
    assert shared_clocks([10], 15, 1) == 15
    assert shared_clocks([10], 10, 3) == 30
    assert shared_clocks([10], 15, 2) == pytest.approx(10 * (1 + 10 / 15) + 5)
    assert shared_clocks([0], 0, 2) == 0
    far_apart = shared_clocks([10], 1000, 100)
    assert far_apart == pytest.approx(1000, rel=0.3)
    assert far_apart >= max(1000, 10 * 100)
    loop = Part(10, defaultdict(float, {"tensor cores": 100.0}), latency=20.0)
    end = Part(1, defaultdict(float, {"issue slots": 300.0, "L2": 50.0}), first=400.0)
    share = Share.of([loop, end], num_warps=4, lost=0.0, overlaps=False)
    assert share == Share(10, 1000.0, 1200.0 + 400.0 + 600.0 + 50.0, 300.0)
    assert share.iteration(1) == 225.0
    # The second waits for the first 1000 of 2250 clocks, and so on.
    assert share.iteration(2) == pytest.approx((2250 + 1000 * 1000 / 2250) / 20, 1e-4)
    assert 100.0 < share.iteration(3) < share.iteration(2)
    # A role that loads runs through what threads wait for, each for itself.
    beside = Share.of([loop, end], num_warps=8, lost=0.0, overlaps=True)
    assert beside == Share(10, 1000.0, 1000.0 + 400.0)
    assert (beside.idle, share.idle) == (0.0, pytest.approx(200.0))


def test_ctas_that_change_nothing_cost_the_same() -> None:
    """A share of clocks by so many CTAs is not off by a bit, which would decide."""
    busiest = 5 * 32768 / 45 / 16
    assert len({busiest * together / together for together in range(1, 6)}) > 1
    share = Share(16, busiest, busiest)
    assert len({share.iteration(together) for together in range(1, 6)}) == 1


@pytest.mark.parametrize(
    ("kernel", "chip", "clocks"),
    [
        ("matmul_f16_128x128x64", "sm_120", 128 * 128 * 64 / 256),
        ("matmul_i8_128x128x64", "sm_120", 128 * 128 * 64 / 1024),
        ("matmul_i8_128x128x64", "sm_80", 128 * 128 * 64 / 2048),
    ],
)
def test_integers_do_not_wait_for_slow_sums(
    kernel: str, chip: str, clocks: float
) -> None:
    """GeForce parts halve the rate of f32 sums alone, as bounds count, too."""
    module = cuda_tile.load(KERNELS / f"{kernel}.tileirbc")
    product = next(op for op in nested_ops(module.operation) if "mma" in op.name)
    assert Product.of(product).least_clocks(find_target(chip)) == clocks


@pytest.mark.parametrize(
    ("kernel", "chip", "ctas"),
    [
        ("matmul_i8_128x128x64", "sm_120", 1),  # 64 KB of sums, of 100
        ("matmul_i8_128x128x64", "sm_80", 2),  # threads store them from registers
        ("matmul_i8_128x128x64", "sm_90", 2),  # 64 KB, of 228
    ],
)
def test_a_result_that_a_bulk_copy_stores_takes_shared_memory(
    kernel: str, chip: str, ctas: int
) -> None:
    """So fewer CTAs share a multiprocessor than by the slots of their rings."""
    module = cuda_tile.load(KERNELS / f"{kernel}.tileirbc")
    (plans,) = cuda_tile.list_plans(module, chip).values()
    fields = {"num_warps": 8, "engine": "cp_async", "roles": "one", "min_ctas": 1}
    plan = next(p for p in plans if fields.items() <= p["fields"].items())
    options = Options(chip, plan=plan["number"])
    (report,) = cuda_tile.compile(module, options=options).report.kernels
    estimated, target = plan["cost"]["registers"], find_target(chip)
    final = target.resident_ctas(8, estimated, report.shared_bytes)
    assert plan["cost"]["ctas"] == final == ctas


@pytest.mark.parametrize(
    ("engine", "warps", "repeats"),
    [("cp_async", (2, 2), 2 + 2), ("cp_async", (2, 4), 4 + 2), ("threads", (2, 4), 2)],
)
def test_each_warp_converts_what_it_reads_from_slots_of_copies(
    engine: str, warps: tuple[int, int], repeats: int
) -> None:
    """Threads that store an operand convert it once; a and b have 128 x 32 each."""
    module = cuda_tile.load(KERNELS / "matmul_tf32_128x128x32.tileirbc")
    (plans,) = cuda_tile.list_plans(module, "sm_80").values()
    fields = dict(zip(("warps_m", "warps_n"), warps, strict=True), engine=engine)
    plan = next(p for p in plans if fields.items() <= p["fields"].items())
    converted = repeats * 128 * 32
    assert plan["cost"]["clocks"]["conversions"] == converted * ROUNDED_SLOTS / 64
    options = Options("sm_80", plan=plan["number"])
    ptx = cuda_tile.compile(module, options=options).ptx
    assert ptx.count("set.nan.u32.f32") * plan["fields"]["num_warps"] * 32 == converted


@pytest.mark.parametrize(
    ("kernel", "chip", "slots"),
    [
        ("matmul_tf32_128x128x32", "sm_90", 1),  # which rounds by one instruction
        ("matmul_f16_128x128x64", "sm_80", 0),
    ],
)
def test_what_one_instruction_rounds_counts_once(
    kernel: str, chip: str, slots: int
) -> None:
    """Near misses: a chip that has the instruction, and nothing to convert."""
    module = cuda_tile.load(KERNELS / f"{kernel}.tileirbc")
    (plans,) = cuda_tile.list_plans(module, chip).values()
    fields = {"warps_m": 2, "warps_n": 2, "engine": "cp_async"}
    plan = next(p for p in plans if fields.items() <= p["fields"].items())
    assert plan["cost"]["clocks"]["conversions"] == 4 * 128 * 32 * slots / 64


def test_what_threads_convert_before_a_product_hides_behind_nothing() -> None:
    """What they read from slots is converted while the step before multiplies."""
    clocks = {"tensor cores": 100.0, "conversions": 150.0}
    read = Part(1, defaultdict(float, clocks))
    stored = Part(1, defaultdict(float, clocks), latency=150.0)
    assert read.alone(4, overlaps=False) == 150.0
    assert stored.alone(4, overlaps=False) == 300.0
