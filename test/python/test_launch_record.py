# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch record: its text forms, its checks, and what `emit` makes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile._mlir import ir
from cuda_tile.ir.maps import add_map, read_abi, read_maps
from cuda_tile.ir.walk import entries
from cuda_tile.runtime.expressions import Expression
from cuda_tile.runtime.record import GridExtents, LaunchRecord
from cuda_tile.runtime.tensor_map import TensorMapParameter, map_fields

TEXT = b"""
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %flag: tile<i1>, %m: tile<i32>, %n: tile<i32>,
           %s: tile<i64>) {
    %one = constant <f16: 1.0> : tile<f16>
    %t = store_ptr_tko weak %a, %one : tile<ptr<f16>>, tile<f16> -> token
    return
  }
}
"""
TYPES = ("ptr<f16>", "i1", "i32", "i32", "i64")
MAP = TensorMapParameter(
    element="f16",
    base=0,
    shape=(Expression.argument(3), Expression.argument(2)),
    strides=(Expression.argument(4),),
    box=(64, 128),
    swizzle_bytes=128,
)
RECORD = LaunchRecord(
    block=(128, 1, 1),
    dynamic_shared_bytes=65536,
    parameters=TYPES,
    grid="persistent",
    appended=(MAP, GridExtents(), replace(MAP, access="store", swizzle_bytes=0)),
)


@pytest.fixture(name="module", scope="module")
def loaded() -> Any:
    return cuda_tile.load(TEXT)


def test_a_record_survives_json() -> None:
    text = json.dumps(RECORD.to_json())
    assert LaunchRecord.from_json(json.loads(text)) == RECORD
    assert json.loads(text)["appended"][0] == {
        "kind": "tensor_map",
        "element": "f16",
        "base": 0,
        "shape": ["arg 3", "arg 2"],
        "strides": ["arg 4"],
        "box": [64, 128],
        "swizzle_bytes": 128,
        "l2_promotion_bytes": 256,
        "fill": "zero",
        "access": "load",
        "required": True,
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"abi": "warp"}, "expected abi of maps, cuda, tile .*, got 'warp'"),
        ({"abi": "cuda"}, "no appended parameters with abi 'cuda', got 3"),
        ({"abi": "tile"}, "no appended parameters with abi 'tile', got 3"),
        (
            {"abi": "tile", "appended": [], "grid": "tile_blocks"},
            "no dynamic shared memory with abi 'tile', got [1-9]",
        ),
        ({"grid": "all"}, "grid of tile_blocks, persistent, got .*'all'"),
        ({"appended": []}, "the grid's extents among the appended .*, got none"),
        ({"appended": [{"kind": "clock"}]}, "a launch record, .*kind 'clock'"),
        ({"block": [1, 2]}, "a launch record, .*ValueError"),
        ({"parameters": ["i32"] * 5}, r"parameter 0 of type ptr<f16> as its base, got"),
        ({"parameters": ["ptr<f16>"] * 5}, "an integer as parameter 3 .*, got ptr<f16"),
        ({"parameters": ["ptr<f16>"]}, "an integer as parameter 3 .*, got no param"),
    ],
)
def test_a_wrong_record_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        LaunchRecord.from_json(RECORD.to_json() | change)


def test_what_a_launcher_passes() -> None:
    own: dict[str, Any] = {"block": (256, 1, 1), "cluster": (2, 1, 1)}
    for abi, grid, block, cluster in (
        ("cuda", (6, 4, 5), (256, 1, 1), (2, 1, 1)),
        ("tile", (3, 4, 5), (1, 1, 1), (1, 1, 1)),  # counted in clusters
    ):
        record = LaunchRecord(**own, abi=abi)  # type: ignore[arg-type]
        assert record.launch_grid((3, 4, 5), 0) == grid
        assert (record.launch_block, record.launch_cluster) == (block, cluster)


def test_a_record_lacks_nothing() -> None:
    for key in RECORD.to_json():
        data = RECORD.to_json()
        del data[key]
        with pytest.raises(UserError, match=f"expected a launch record.*'{key}'"):
            LaunchRecord.from_json(data)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"shape": ()}, "1 to 5 dimensions, got 0"),
        ({"strides": ()}, "1 strides, got 0"),
        ({"box": (64,)}, r"a box of 2 extents, got \(64,\)"),
        ({"box": (64, 257)}, r"box extents from 1 to 256, got \(64, 257\)"),
        ({"box": (0, 8)}, r"box extents from 1 to 256"),
        ({"box": (4, 8)}, "rows of a box of whole 16 bytes, got 8"),
        ({"box": (128, 8)}, "a box within the swizzle of 128 bytes, got 256"),
        ({"swizzle_bytes": 16}, "a swizzle of 0, 32, 64 or 128 bytes, got 16"),
        ({"l2_promotion_bytes": 1}, "L2 promotion of 0, 64, 128 or 256 bytes, got 1"),
        ({"access": "both"}, "access 'load' or 'store', got both"),
        ({"base": -1}, "the number of a parameter as base, got -1"),
        ({"strides": (Expression.constant(3),)}, r"strides of whole 16 bytes, got \[3"),
        ({"element": "ptr<f16>"}, "elements of whole bytes, no pointers, got ptr<f16>"),
        ({"element": "f4E2M1FN"}, "elements of whole bytes, no pointers, got f4E2M1FN"),
    ],
)
def test_limits_of_a_map(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=f"tensor map: expected .*{said}"):
        replace(MAP, **change)


ARRAY = np.zeros((8, 64), np.float16)


def fields(
    m: int,
    n: int,
    stride: int,
    address: int = 4096,
    *,
    part: TensorMapParameter = MAP,
) -> Any:
    numbers = [np.int32(m), np.int32(n), np.int64(stride)]
    return map_fields(part, [ARRAY, np.bool_(1), *numbers], address, lambda: 512)


def test_a_map_for_given_arguments() -> None:
    found = fields(8, 60, 64)
    assert (found.address, found.extents, found.strides_bytes) == (
        4096,
        (60, 8),
        (128,),
    )


@pytest.mark.parametrize(("m", "n"), [(0, 64), (8, 0), (0, 0)])
def test_an_array_without_elements_is_a_line_of_zeros(m: int, n: int) -> None:
    found = fields(m, n, 64)
    assert (found.address, found.extents, found.strides_bytes) == (512, (1, 1), (16,))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((8, 64, 64, 4104), "an array at a multiple of 16 bytes, got 0x1008"),
        ((8, -1, 64), r"extents from 1 to 2\*\*32, got \(-1, 8\)"),
        ((8, 64, 60), r"strides of whole 16 bytes, .*, got \(120,\)"),
        ((8, 64, -64), r"strides of whole 16 bytes, .*, got \(-128,\)"),
        ((8, 64, 2**39), r"strides of whole 16 bytes, .*, got \(1099511627776,\)"),
    ],
)
def test_limits_of_arguments(values: tuple[int, ...], said: str) -> None:
    with pytest.raises(UserError, match=f"expected {said}; the kernel was compiled"):
        fields(*values)


@pytest.mark.parametrize(
    "values",
    [(8, 64, 60), (8, 64, -64), (8, -1, 64), (8, 64, 64, 4104), (8, 64, 64, 0)],
)
def test_a_map_that_is_not_required_may_be_none(values: tuple[int, ...]) -> None:
    perhaps = replace(MAP, required=False)
    found = fields(*values, part=perhaps)
    assert (found.address, found.extents, found.strides_bytes) == (512, (1, 1), (16,))
    assert fields(8, 60, 64, part=perhaps) == fields(8, 60, 64)


def test_a_map_that_is_not_required_may_divide_by_zero() -> None:
    quotient = Expression.parse("arg 3 arg 2 div")
    part = replace(MAP, shape=(quotient, Expression.argument(2)))
    with pytest.raises(UserError, match="no division by zero"):
        fields(0, 64, 64, part=part)
    assert fields(0, 64, 64, part=replace(part, required=False)).address == 512


def test_a_map_of_no_array_is_a_line_of_zeros() -> None:
    assert fields(8, 64, 64, 0).address == 512


# In the IR ----------------------------------------------------------------------------


def test_maps_stand_on_the_entry_once(module: Any) -> None:
    other = replace(MAP, access="store")

    def add(level: Any) -> None:
        entry = entries(level)[0]
        assert read_maps(entry) == ()
        perhaps, again = replace(MAP, required=False), replace(other, required=True)
        added = (perhaps, replace(other, required=False), MAP, again, perhaps)
        assert [add_map(entry, part) for part in added] == [0, 1, 0, 1, 0]
        assert read_maps(entry) == (MAP, other)

    lowered = cuda_tile.lower(module, "sm_90", until="allocate", after={"place": add})
    again = cuda_tile.load(str(lowered).encode())
    with again.context:
        assert read_maps(entries(again.operation)[0]) == (MAP, other)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7 : i32", "expected Array of dictionary .* as 'tileas.maps', got 7"),
        ("[unit]", "expected Array of dictionary .* as 'tileas.maps', got .unit"),
        ("[{base = 0}]", "expected the fields of a tensor map as map 0 of .*'fill'"),
    ],
)
def test_malformed_maps(module: Any, text: str, said: str) -> None:
    def change(level: Any) -> None:
        entries(level)[0].attributes["tileas.maps"] = ir.Attribute.parse(text)

    with pytest.raises(UserError, match=said):
        cuda_tile.compile(module, after={"place": change}, cubin=False)


def test_a_map_must_fit_the_parameters(module: Any) -> None:
    wrong = replace(MAP, element="bf16")

    def add(level: Any) -> None:
        add_map(entries(level)[0], wrong)

    with pytest.raises(UserError, match=r"-:3:3: .*ptr<bf16> as its base, got ptr<f"):
        cuda_tile.compile(module, after={"place": add}, cubin=False)


# Emission -----------------------------------------------------------------------------


def with_maps(level: Any) -> None:
    add_map(entries(level)[0], MAP)


@pytest.mark.parametrize("gpu", ["sm_90", "sm_100", "sm_120"])
def test_maps_become_parameters(module: Any, gpu: str) -> None:
    compiled = cuda_tile.compile(module, gpu, after={"place": with_maps})
    launch = compiled.launch["k"]
    assert (launch.abi, launch.grid, launch.appended) == ("maps", "tile_blocks", (MAP,))
    assert ".param .align 64 .b8 k_param_5[128]" in compiled.ptx
    assert "k_param_6" not in compiled.ptx
    assert compiled.cubin
    text = compiled.report.to_text()
    assert "launch             append a tensor map of parameter 0 for loads" in text
    reported = json.loads(compiled.report.to_json())["kernels"][0]["launch"]
    assert LaunchRecord.from_json(reported) == LaunchRecord.from_json(launch.to_json())


def test_the_abi_cuda_has_no_appended_parameters(module: Any) -> None:
    options = Options(abi="cuda")
    compiled = cuda_tile.compile(module, options=options, cubin=False)
    assert compiled.launch["k"].abi == "cuda"
    lowered = cuda_tile.lower(module, options=options, until="plan")
    with module.context:
        assert read_abi(entries(lowered.operation)[0]) == "cuda"
    with pytest.raises(UserError, match=r"-:3:3: .*abi .cuda., got 1; compile with"):
        cuda_tile.compile(module, options=options, after={"place": with_maps})


def test_an_unknown_abi_in_the_text(module: Any) -> None:
    def change(level: Any) -> None:
        entries(level)[0].attributes["tileas.abi"] = ir.StringAttr.get("warp")

    with pytest.raises(
        UserError, match=r"'tileas.abi' of maps or cuda or tile .*@k, got"
    ):
        cuda_tile.compile(module, after={"place": change}, cubin=False)
