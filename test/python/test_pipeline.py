# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of passes, what may come between them, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.pipeline import NAMES, Timings

TEXT = b"""
cuda_tile.module @kernels {
  entry @scale(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %two = constant <f32: 2.0> : tile<f32>
    %y = mulf %x, %two : tile<f32>
    %t = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


@pytest.fixture(name="module")
def loaded() -> Any:
    return cuda_tile.load(TEXT)


def test_every_pass_is_seen_once_and_in_order(module: Any) -> None:
    seen: list[str] = []
    cuda_tile.lower(module, observe=lambda name, _: seen.append(name))
    assert tuple(seen) == NAMES


@pytest.mark.parametrize("last", NAMES)
def test_until_stops_after_a_pass(module: Any, last: str) -> None:
    seen: list[str] = []
    cuda_tile.lower(module, until=last, observe=lambda name, _: seen.append(name))
    assert tuple(seen) == NAMES[: NAMES.index(last) + 1]


def test_the_module_given_is_not_changed(module: Any) -> None:
    before = str(module)
    cuda_tile.lower(module, until="emit")
    assert str(module) == before


def test_hooks_run_before_and_after_their_pass(module: Any) -> None:
    said: list[str] = []

    def note(when: str) -> Any:
        def hook(level: Any) -> None:
            (entry,) = entries(level)
            said.append(f"{when}: plan {'tileas.plan' in entry.attributes}")

        return hook

    cuda_tile.lower(
        module,
        until="place",
        before={"plan": note("before")},
        after={"plan": [note("after"), note("after again")]},
    )
    assert said == [
        "before: plan False",
        "after: plan True",
        "after again: plan True",
    ]


def test_what_a_hook_changes_is_compiled(module: Any) -> None:
    from cuda_tile._mlir import ir

    def three(level: Any) -> None:
        (entry,) = entries(level)
        for op in nested_ops(entry):
            if op.name == "cuda_tile.constant":
                text = "dense<3.0> : !cuda_tile.tile<f32>"
                op.attributes["value"] = ir.Attribute.parse(text)

    plain = cuda_tile.compile(module, cubin=False).ptx
    changed = cuda_tile.compile(module, cubin=False, before={"place": three}).ptx
    assert "0f40400000" in changed  # 3.0
    assert "0f40400000" not in plain


def test_the_failure_of_a_hook_is_its_own(module: Any) -> None:
    def fail(level: Any) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        cuda_tile.lower(module, after={"plan": fail})


@pytest.mark.parametrize("where", ["until", "before", "after"])
def test_an_unknown_pass_is_named(module: Any, where: str) -> None:
    choice: Any = "nonsense" if where == "until" else {"nonsense": lambda _: None}
    with pytest.raises(
        UserError,
        match="got 'nonsense'; known: unit_batches, simplify, split, narrow_elements, ",
    ):
        cuda_tile.lower(module, **{where: choice})


def test_time_is_measured_per_pass(module: Any) -> None:
    timings = Timings()
    cuda_tile.lower(module, timings=timings, after={"plan": lambda _: None})
    assert set(timings.seconds) == {*NAMES, "user", "verify"}
    assert all(spent >= 0 for spent in timings.seconds.values())


@pytest.mark.parametrize("warps", [1, 2, 8])
def test_options_choose_the_warps(module: Any, warps: int) -> None:
    compiled = cuda_tile.compile(module, options=Options(num_warps=warps), cubin=False)
    assert compiled.launch["scale"].block == (32 * warps, 1, 1)


def test_a_wrong_number_of_warps_is_refused(module: Any) -> None:
    with pytest.raises(UserError, match="expected num_warps of 1, 2, 4, 8 or 16"):
        cuda_tile.compile(module, options=Options(num_warps=3))


def test_passes_keep_locations() -> None:
    module = cuda_tile.load(TEXT)
    lowered = cuda_tile.lower(module)
    text = str(lowered.operation.get_asm(enable_debug_info=True))
    assert '":5:10' in text  # the product


def test_registered_passes_are_on_the_tools_list() -> None:
    code = "from cuda_tile.cli.opt import main; import sys; sys.exit(main())"
    command = [sys.executable, "-c", code, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for name in (*NAMES, "facts"):
        assert f"--cuda-tile-{name.replace('_', '-')}" in done.stdout


@pytest.mark.parametrize("name", ["a.b", "k<0>", "\u00fc", "1k", "_", "a b"])
def test_a_name_that_ptx_cannot_write_is_refused(name: str) -> None:
    text = f'cuda_tile.module @m {{ entry @"{name}"() {{ return }} }}'
    with pytest.raises(UserError, match=f"for what PTX names, got '{name}'"):
        cuda_tile.compile(cuda_tile.load(text.encode()), cubin=False)


@pytest.mark.parametrize("name", ["$k", "_k", "K_9$"])
def test_other_names_are_taken(name: str) -> None:
    text = f'cuda_tile.module @m {{ entry @"{name}"() {{ return }} }}'
    compiled = cuda_tile.compile(cuda_tile.load(text.encode()), cubin=False)
    assert f".entry {name}(" in compiled.ptx
