# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every choice is checked where it is made, and every one is obeyed."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile.pass_flags import register_passes
from cuda_tile.targets import find_target

TEXT = b"""
cuda_tile.module @kernels {
  entry @sum(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<f32>
    %total = for %i in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %start) -> (tile<f32>) {
      %x = itof %i signed : tile<i32> -> tile<f32>
      %next = addf %acc, %x : tile<f32>
      continue %next : tile<f32>
    }
    %t = store_ptr_tko weak %p, %total : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


@pytest.fixture(name="module", scope="module")
def loaded() -> Any:
    return cuda_tile.load(TEXT)


OTHER = {
    "gpu": "sm_80",
    "num_warps": 8,
    "llvm_opt_level": 0,
    "ptxas_opt_level": 0,
    "line_info": False,
    "device_debug": True,
}
"""For each field a choice that shows in PTX or cubin."""


def test_every_field_is_known_to_these_tests() -> None:
    # verify_each shows in no output: test_hooks.py looks at it. abi shows only where
    # there is something to append: test_launch_record.py; persistent only in products:
    # test_persistent.py; budgets in copies and sums: test_plans_that_fit.py; plan among
    # several: test_list_plans.py; libdevice in calls: test_libdevice.py; pairs under a
    # hint: test_cta_pairs.py.
    budgets = {"shared_budget", "tensor_budget"}
    elsewhere = {"verify_each", "check", "abi", "persistent", "plan", "pairs"}
    elsewhere |= {"libdevice", *budgets}
    assert {f.name for f in fields(Options)} == {*OTHER, *elsewhere}


@pytest.mark.parametrize("name", OTHER)
def test_every_field_is_obeyed(module: Any, name: str) -> None:
    choice: Any = {name: OTHER[name]}
    plain = cuda_tile.compile(module, options=Options())
    other = cuda_tile.compile(module, options=Options(**choice))
    assert other.cubin != plain.cubin
    assert (other.ptx == plain.ptx) == (name == "ptxas_opt_level")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("gpu", "sm_70", "a known gpu .*'sm_70'; sm_75 is the oldest .*; known: "),
        ("gpu", 90, "gpu of sm_75, .* or sm_121f, got 90"),
        ("gpu", {"sm": 90}, "gpu of sm_75, .*, got {'sm': 90}"),
        ("num_warps", 3, "num_warps of 1, 2, 4, 8 or 16, got 3"),
        ("num_warps", 0, "num_warps of 1, 2, 4, 8 or 16, got 0"),
        ("num_warps", 32, "num_warps of 1, 2, 4, 8 or 16, got 32"),
        ("num_warps", "4", "num_warps of 1, 2, 4, 8 or 16, got '4'"),
        ("num_warps", True, "num_warps of 1, 2, 4, 8 or 16, got True"),
        ("num_warps", 4.0, "num_warps of 1, 2, 4, 8 or 16, got 4.0"),
        ("abi", "warp", "abi of maps, cuda or tile, got 'warp'"),
        ("abi", None, "abi of maps, cuda or tile, got None"),
        ("llvm_opt_level", 4, "llvm_opt_level of 0, 1, 2 or 3, got 4"),
        ("llvm_opt_level", -1, "llvm_opt_level of 0, 1, 2 or 3, got -1"),
        ("llvm_opt_level", None, "llvm_opt_level of 0, 1, 2 or 3, got None"),
        ("ptxas_opt_level", 9, "ptxas_opt_level of 0, 1, 2 or 3, got 9"),
        ("line_info", 1, "line_info of False or True, got 1"),
        ("line_info", "no", "line_info of False or True, got 'no'"),
        ("verify_each", None, "verify_each of False or True, got None"),
    ],
)
def test_a_wrong_choice_is_refused(name: str, value: Any, said: str) -> None:
    choice: Any = {name: value}
    with pytest.raises(UserError, match=f"expected {said}"):
        Options(**choice)


def target(compiled: cuda_tile.Compiled) -> str:
    """The chip that PTX was made for."""
    return compiled.ptx.partition(".target ")[2].split()[0]


@pytest.mark.parametrize(
    ("gpu", "options", "chip"),
    [
        (None, None, "sm_90"),
        (None, Options(), "sm_90"),
        (None, Options(gpu="sm_80"), "sm_80"),
        ("sm_86", None, "sm_86"),
        ("sm_86", Options(num_warps=1), "sm_86"),
        ("sm_86", Options(gpu="sm_86"), "sm_86"),
    ],
)
def test_the_chip_is_named_in_either_place(
    module: Any, gpu: Any, options: Any, chip: str
) -> None:
    compiled = cuda_tile.compile(module, gpu, options=options, cubin=False)
    assert target(compiled) == find_target(chip).arch
    lowered = cuda_tile.lower(module, gpu, options=options, until="plan")
    assert f'tileas.target = "{chip}"' in str(lowered)


def test_two_chips_are_an_error(module: Any) -> None:
    said = "expected one gpu, got 'sm_90' beside options with gpu='sm_80'"
    for call in (cuda_tile.compile, cuda_tile.lower):
        with pytest.raises(UserError, match=said):
            call(module, "sm_90", options=Options(gpu="sm_80"))


@pytest.mark.parametrize("given", [{"gpu": "sm_80"}, "sm_80", 3], ids=str)
def test_options_are_of_their_type(module: Any, given: Any) -> None:
    with pytest.raises(UserError, match=r"expected options to be cuda_tile\.Options"):
        cuda_tile.compile(module, options=given)


def test_a_gpu_of_another_type_is_named(module: Any) -> None:
    number: Any = 80
    with pytest.raises(
        UserError, match=r"expected gpu to be the name of a chip .*, got 80"
    ):
        cuda_tile.compile(module, number)


def test_passes_may_be_registered_again() -> None:
    register_passes()
    register_passes()


def test_the_emulator_runs_for_the_chip_that_is_named(module: Any) -> None:
    out = np.zeros(1, np.float32)
    cuda_tile.run(module, grid=(1,), args=[out, 5], on="emulator", gpu="sm_80")
    assert out[0] == 10
