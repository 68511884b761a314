# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plan written by hand is verified completely before any pass uses it."""

from __future__ import annotations

import pytest

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile._mlir import ir
from cuda_tile.ir.plan import read_plan, read_product
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.passes import place, plan

GOOD = "num_warps = 4 : i64, warps_m = 2 : i64, warps_n = 2 : i64, min_ctas = 1 : i64"


def kernel(entry: str, product: str = "", other: str = "", element: str = "f16") -> str:
    """A product of 64 x 64 x 64 with plans as attribute text; empty is none."""
    result = "f64" if element == "f64" else "f32"

    def attribute(text: str) -> str:
        return f"{{tileas.plan = {text}}}" if text else ""

    attributes = f"attributes {attribute(entry)}" if entry else ""
    return f"""cuda_tile.module @m {{
  entry @k() {attributes} {{
    %a = constant <{element}: 1.0> : tile<64x64x{element}>
    %c = constant <{result}: 0.0> : tile<64x64x{result}>
    %d = mmaf %a, %a, %c {attribute(product)} : tile<64x64x{element}>, \
tile<64x64x{element}>, tile<64x64x{result}>
    %e = addf %d, %d {attribute(other)} : tile<64x64x{result}>
    return
  }}
}}
"""


def planned(text: str, gpu: str = "sm_80") -> ir.Module:
    module = cuda_tile.load(text.encode())
    with module.context, ir.Location.unknown():
        plan.run(module.operation, Options(gpu))
    return module


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{}", r"expected num_warps of 1, 2, 4, 8 or 16 .*, got 0"),
        ("{num_warps = 3 : i64}", r"expected num_warps of .*, got 3"),
        ("{num_warps = 32 : i64}", r"expected num_warps of .*, got 32"),
        ("{num_warps = -4 : i64}", r"expected num_warps of .*, got -4"),
        ("{num_warps = 4 : i32}", r"an i64 integer as num_warps .*, got 4 : i32"),
        ('{num_warps = "4"}', r'an i64 integer as num_warps .*, got "4"'),
        ("{num_warps = 4.0 : f32}", r"an i64 integer as num_warps"),
        (
            "{num_warps = 4 : i64, stages = 3 : i64}",
            r"expected only num_warps, .*, part in 'tileas.plan' of 'entry', "
            r"got 'stages'",
        ),
        (
            "{num_warp = 4 : i64}",
            r"got 'num_warp'; did you mean 'num_warps'\?",
        ),
        (
            "{num_warps = 4 : i64, warps_m = 3 : i64, warps_n = 1 : i64}",
            r"expected warps_m to be a power of two .*, got 3",
        ),
        (
            "{num_warps = 4 : i64, warps_m = 4 : i64}",
            r"expected warps_n to be a power of two .*, got 0",
        ),
        (
            "{num_warps = 4 : i64, warps_m = 2 : i64, warps_n = 4 : i64}",
            r"expected warps_m x warps_n = num_warps .*, got 2 x 4 and 4",
        ),
        (
            "{num_warps = 4 : i64, min_ctas = -1 : i64}",
            r"expected min_ctas of 0 to 16, the CTAs a multiprocessor of sm_80 holds, "
            r"in 'tileas.plan', got -1",
        ),
        (
            "{num_warps = 4 : i64, min_ctas = 33 : i64}",
            r"expected min_ctas of 0 to 16, .*, got 33",
        ),
        (
            "{num_warps = 16 : i64, min_ctas = 5 : i64}",
            r"expected min_ctas of 0 to 4, .*, got 5",
        ),
        (
            '{num_warps = 4 : i64, roles = "two"}',
            r"expected roles to be one or load .*, got 'two'",
        ),
        (
            "{num_warps = 4 : i64, persistent = 2 : i64}",
            r"expected persistent of 0 to 1 .*, got 2",
        ),
        (
            "{num_warps = 4 : i64, tile_group = -1 : i64}",
            r"expected tile_group of 0 to .*, got -1",
        ),
        (
            '{num_warps = 4 : i64, roles = "load", registers = 232 : i64}',
            r"expected registers and load_registers .* .sm_90a, sm_100a., for .*, got "
            r"232 and 0 on sm_80",
        ),
    ],
)
def test_an_entry_plan_that_does_not_fit_is_refused(entry: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as raised:
        planned(kernel(entry))
    assert raised.value.location is not None
    assert ":2:3" in raised.value.location


@pytest.mark.parametrize(
    ("product", "element", "message"),
    [
        ("{}", "f16", r"expected atom to be one of .*m16n8k16, .*, got ''"),
        ('{atom = "m64n9k16"}', "f16", r"expected atom to be one of .*'m64n9k16'"),
        ('{atom = "m64n8k16"}', "f16", r"target sm_90a for atom m64n8k16, got sm_80"),
        ("{atom = 16 : i64}", "f16", r"expected a string as atom .*, got 16"),
        (
            '{atom = "m8n8k4"}',
            "f16",
            r"accumulator types of atom m8n8k4, f64 and f64, got f16 and f32",
        ),
        (
            '{atom = "m16n8k16"}',
            "f64",
            r"types of atom m16n8k16, f16 and f32 or .* and f32, got f64 and f64",
        ),
        (
            '{atom = "m16n8k16", num_warps = 4 : i64}',
            "f16",
            r"expected only atom, warps_m, .*, swap, .* in .* 'mmaf', got 'num_warps'",
        ),
        (
            '{atom = "m16n8k16", warps_m = 4 : i64}',
            "f16",
            r"expected warps_m x warps_n = num_warps .*, got 4 x 2 and 4",
        ),
        (
            '{atom = "m16n8k16", warps_m = 6 : i64, warps_n = 1 : i64}',
            "f16",
            r"expected warps_m to be a power of two",
        ),
        (
            '{atom = "m16n8k16", lhs = "tensor"}',
            "f16",
            r"expected lhs to be shared or register .*, got 'tensor'",
        ),
        (
            '{atom = "m16n8k16", stage = 2 : i64}',
            "f16",
            r"expected stage of 0 to 1 .*, got 2",
        ),
        (
            '{atom = "m16n8k16", swap = 1 : i64}',
            "f16",
            r"expected swap of 0 to 0 .*, got 1",
        ),
        (
            '{atom = "m16n8k16", lag = 2 : i64}',
            "f16",
            r"expected lag of 0 to 1 .*, got 2",
        ),
    ],
)
def test_a_product_plan_that_does_not_fit_is_refused(
    product: str, element: str, message: str
) -> None:
    with pytest.raises(UserError, match=message) as raised:
        planned(kernel(f"{{{GOOD}}}", product, element=element))
    assert raised.value.location is not None
    assert ":5:10" in raised.value.location


def test_a_product_smaller_than_its_atom_is_padded() -> None:
    text = kernel(f"{{{GOOD}}}", '{atom = "m16n8k16"}').replace("64x64", "8x8")
    planned(text)


def test_a_plan_where_none_is_read_is_refused() -> None:
    message = r"expected 'tileas.plan' on .*'cuda_tile.mmaf', .*, got it on '.*addf'"
    with pytest.raises(UserError, match=message):
        planned(kernel("", other="{num_warps = 4 : i64}"))


def test_a_plan_that_fits_is_kept() -> None:
    product = '{atom = "m16n8k16", warps_m = 4 : i64, warps_n = 1 : i64}'
    module = planned(kernel(f"{{{GOOD}}}", product))
    entry = entries(module.operation)[0]
    read = read_plan(entry)
    assert (read.num_warps, read.warps_m, read.warps_n, read.min_ctas) == (4, 2, 2, 1)
    mmaf = next(op for op in nested_ops(entry) if op.name == "cuda_tile.mmaf")
    assert read_product(mmaf).warps == (4, 1)
    assert read_product(mmaf).atom.name == "m16n8k16"


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        ('{atom = "m1n1k1"}', "expected atom to be one of"),
        ("[]", "expected a dictionary as 'tileas.plan', got"),
    ],
)
def test_a_plan_that_a_hook_spoils_is_refused_by_the_pass_that_reads_it(
    spoilt: str, message: str
) -> None:
    module = planned(kernel(""))
    with module.context, ir.Location.unknown():
        for op in nested_ops(entries(module.operation)[0]):
            if op.name == "cuda_tile.mmaf":
                op.attributes["tileas.plan"] = ir.Attribute.parse(spoilt)
        with pytest.raises(UserError, match=message):
            place.run(module.operation, Options("sm_80"))
