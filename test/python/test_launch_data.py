# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `emit` writes on a kernel for launchers and reports."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from attention_kernels import Attention

import cuda_tile
from cuda_tile import UserError
from cuda_tile._mlir import ir
from cuda_tile.ir.launch import LaunchData, emitted_kernels, read_launch
from cuda_tile.ir.walk import entries, entry_name
from cuda_tile.remarks import read_remark
from cuda_tile.targets import MAX_STATIC_SHARED_BYTES


def transpose(name: str, extent: int) -> str:
    """A kernel that transposes a square of f32 through shared memory."""
    view = f"tensor_view<{extent}x{extent}xf32, strides=[{extent},1]>"
    part = f"partition_view<tile=({extent}x{extent}), {view}>"
    tile = f"tile<{extent}x{extent}xf32>"
    return f"""
  entry @{name}(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {{
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %p, shape = [{extent}, {extent}], strides = [{extent}, 1]
        : {view}
    %to = make_tensor_view %q, shape = [{extent}, {extent}], strides = [{extent}, 1]
        : {view}
    %source = make_partition_view %from : {part}
    %target = make_partition_view %to : {part}
    %x, %r = load_view_tko weak %source[%zero, %zero]
        : {part}, tile<i32> -> {tile}, token
    %y = permute %x [1, 0] : {tile} -> {tile}
    %t = store_view_tko weak %y, %target[%zero, %zero]
        : {tile}, {part}, tile<i32> -> token
    return
  }}"""


TEXT = f"cuda_tile.module @m {{ {transpose('small', 32)} {transpose('large', 128)} }}"


@pytest.fixture(name="module", scope="module")
def loaded() -> Any:
    return cuda_tile.load(TEXT.encode())


def test_each_kernel_has_its_own_shared_memory(module: Any) -> None:
    compiled = cuda_tile.compile(module, "sm_90")
    small, large = compiled.launch["small"], compiled.launch["large"]
    assert 0 < small.shared_bytes <= MAX_STATIC_SHARED_BYTES < large.shared_bytes
    assert small.dynamic_shared_bytes == 0
    assert large.dynamic_shared_bytes == large.shared_bytes
    reported = {k.kernel: k.shared_bytes for k in compiled.report.kernels}
    assert reported == {"small": small.shared_bytes, "large": large.shared_bytes}
    # A large neighbour neither moves the small one's buffers out of their variable nor
    # makes that variable larger.
    alone = cuda_tile.load(
        f"cuda_tile.module @m {{ {transpose('small', 32)} }}".encode()
    )
    assert cuda_tile.compile(alone, cubin=False).launch["small"] == small
    static = f"shared_memory_small[{small.shared_bytes}]"
    assert static in compiled.ptx


@pytest.mark.parametrize(("name", "extent"), [("small", 32), ("large", 128)])
def test_kernels_of_either_kind_run(module: Any, name: str, extent: int) -> None:
    x = np.arange(extent * extent, dtype=np.float32).reshape(extent, extent)
    y = np.zeros_like(x)
    cuda_tile.run(module, name, grid=(1,), args=[x, y], on="emulator")
    np.testing.assert_array_equal(y, x.T)


def test_launch_data_stand_on_the_kernel(module: Any) -> None:
    lowered = cuda_tile.lower(module, "sm_80")
    with module.context:
        found = {
            entry_name(k): read_launch(k) for k in emitted_kernels(lowered.operation)
        }
    assert found == cuda_tile.compile(module, "sm_80", cubin=False).launch
    assert found["small"].parameters == ("ptr<f32>", "ptr<f32>")
    assert found["small"].plan.startswith("{num_warps = ")
    # The same from the text of level P.
    again = cuda_tile.load(str(lowered).encode())
    with again.context:
        texts = [read_launch(k) for k in emitted_kernels(again.operation)]
    assert texts == list(found.values())


def test_launch_data_as_an_attribute() -> None:
    data = LaunchData(
        (64, 1, 1),
        50000,
        ("ptr<f16>", "i1"),
        shared_bytes=50000,
        plan="{}",
        remarks=("a", "b"),
        choice=("c",),
    )
    with ir.Context():
        assert LaunchData.from_attribute(data.to_attribute()) == data


def test_remarks_come_to_the_report(module: Any) -> None:
    remark = "kept 2 of 4 CTAs: registers"

    def note(level: Any) -> None:
        attribute = ir.ArrayAttr.get([ir.StringAttr.get(remark)])
        entries(level)[0].attributes["tileas.remarks"] = attribute

    report = cuda_tile.compile(module, after={"plan": note}).report
    given_up = [[r for r in k.remarks if "-access]" not in r] for k in report.kernels]
    assert given_up == [[remark], []]
    assert f"  remark             {remark}\n" in report.to_text()
    found = json.loads(report.to_json())["kernels"][0]["remarks"]
    assert found[0] == {
        "code": "PlanMissed",
        "category": "plan",
        "text": remark,
        "place": None,
    }


def test_a_remark_may_name_its_code() -> None:
    found = read_remark("a.py:3:5: 16 loads of 2 bytes [narrow-access]", "k")
    assert (found.name, found.text) == ("narrow-access", "16 loads of 2 bytes")
    assert found.place is not None
    assert str(found.place) == "a.py:3:5"
    assert read_remark("a list [of three]", "k").text == "a list [of three]"


def test_the_report_says_why_products_have_their_plan() -> None:
    """Tensor cores limit this one; four warps of its size would want registers."""
    kernel = Attention("full", 128)
    module = cuda_tile.load(kernel.text().encode())
    report = cuda_tile.compile(module, "sm_90").report
    (found,) = report.kernels
    first, *others = found.choice
    assert first.startswith("8 warps as 8 x 1, a role that loads: ")
    assert "clocks of an iteration: tensor cores 1024, " in first
    assert "special functions 520" in first
    assert "not 4 warps as 4 x 1: 256 registers needed, 255 left" in others
    assert f"  choice             {first}\n" in report.to_text()
    assert json.loads(report.to_json())["kernels"][0]["choice"] == list(found.choice)


def test_plans_by_hand_need_no_reason() -> None:
    module = cuda_tile.load(Attention("full", 128).text().encode())
    planned = cuda_tile.lower(module, "sm_90", until="plan")
    entry = entries(planned.operation)[0]
    assert "tileas.choice" in entry.attributes
    del entry.attributes["tileas.choice"]
    text = str(planned).encode()
    again = cuda_tile.lower(cuda_tile.load(text), "sm_90", until="place")
    assert "tileas.choice" not in str(again)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "expected attribute 'tileas.launch' on kernel @small, .* got none"),
        ("{}", r"expected 'tileas.launch' on kernel @small as .*, got \{\}"),
        ("7 : i32", "expected dictionary .* as 'tileas.launch', got 7 : i32"),
        (
            '{abi = "maps", appended = [], block = [3], cluster = [1, 1, 1], '
            'dynamic_shared_bytes = 0, grid = "tile_blocks", parameters = [], '
            'plan = "", remarks = [], shared_bytes = 0}',
            "expected 'tileas.launch' on kernel @small",
        ),
    ],
    ids=["none", "empty", "number", "block"],
)
def test_launch_data_by_hand_are_checked(module: Any, text: Any, said: str) -> None:
    def change(level: Any) -> None:
        kernel = emitted_kernels(level)[0]
        if text is None:
            del kernel.attributes["tileas.launch"]
        else:
            kernel.attributes["tileas.launch"] = ir.Attribute.parse(text)

    with pytest.raises(UserError, match=said):
        cuda_tile.compile(module, after={"emit": change}, cubin=False)
