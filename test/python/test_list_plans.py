# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans can be listed and forced from outside, and what is chosen is among them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import cuda_tile
from cuda_tile import Options, UserError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from product_kernels import Product

PRODUCT = Product("f16", "f16", (64, 64, 64)).text().encode()
GPUS = ("sm_80", "sm_90")


def listed(text: bytes = PRODUCT, gpu: str = "sm_90") -> list[dict[str, Any]]:
    """The plans of the only kernel."""
    (plans,) = cuda_tile.list_plans(cuda_tile.load(text), gpu).values()
    return plans


def ptx(gpu: str, plan: int | None = None) -> str:
    options = Options(gpu=gpu, plan=plan)
    module = cuda_tile.load(PRODUCT)
    return cuda_tile.compile(module, options=options, cubin=False).ptx


@pytest.mark.parametrize("gpu", GPUS)
def test_the_chosen_plan_is_listed_and_nothing_refuses_it(gpu: str) -> None:
    plans = listed(gpu=gpu)
    (chosen,) = [plan for plan in plans if plan["chosen"]]
    assert chosen["refusal"] is None
    assert chosen["possible"]
    assert ptx(gpu, chosen["number"]) == ptx(gpu)


@pytest.mark.parametrize("gpu", GPUS)
def test_numbers_are_places_and_fields_are_those_of_a_plan(gpu: str) -> None:
    plans = listed(gpu=gpu)
    assert [plan["number"] for plan in plans] == list(range(len(plans)))
    assert len({json.dumps(plan["fields"]) for plan in plans}) > 10
    for plan in plans:
        fields = plan["fields"]
        assert fields["warps_m"] * fields["warps_n"] == fields["num_warps"]
        assert bool(fields.get("slots")) == (
            plan["possible"] and fields["engine"] != "threads"
        )


@pytest.mark.parametrize("gpu", GPUS)
def test_a_forced_plan_is_the_one_that_was_listed(gpu: str) -> None:
    plans = [plan for plan in listed(gpu=gpu) if plan["possible"]]
    for plan in plans[:: max(1, len(plans) // 4)]:
        options = Options(gpu=gpu, plan=plan["number"])
        lowered = cuda_tile.lower(
            cuda_tile.load(PRODUCT), until="plan", options=options
        )
        text, fields = str(lowered), plan["fields"]
        assert f"num_warps = {fields['num_warps']} : i64" in text
        assert ('roles = "load"' in text) == (fields["roles"] == "load")
        assert (f'engine = "{fields["engine"]}"' in text) == bool(fields.get("slots"))


def test_what_cannot_be_is_refused_with_the_reason() -> None:
    bad = next(plan for plan in listed(gpu="sm_90") if not plan["possible"])
    with pytest.raises(UserError) as caught:
        ptx("sm_90", bad["number"])
    assert bad["refusal"] in str(caught.value)
    with pytest.raises(UserError, match="expected the number of one of"):
        ptx("sm_80", 60000)


def test_a_kernel_with_a_plan_has_no_others() -> None:
    planned = str(cuda_tile.lower(cuda_tile.load(PRODUCT), "sm_80", until="plan"))
    with pytest.raises(UserError, match=r"expected an entry without 'tileas\.plan'"):
        listed(planned.encode(), "sm_80")


def test_kernels_without_products_have_plans_too() -> None:
    kernels = Path(__file__).resolve().parents[1] / "kernels" / "13.4"
    plans = listed((kernels / "softmax_f16_4096.tileirbc").read_bytes())
    assert {plan["fields"]["num_warps"] for plan in plans} == {1, 2, 4, 8, 16}
    assert sum(plan["chosen"] for plan in plans) == 1
