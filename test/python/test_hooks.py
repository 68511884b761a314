# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user's function between the steps may do, and what is said if it does more."""

from __future__ import annotations

from typing import Any

import pytest

import cuda_tile
from cuda_tile import InternalError, Options, UserError
from cuda_tile._mlir import ir
from cuda_tile.codegen.ptxas import Assembled
from cuda_tile.hooks import check_pass
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.pipeline import NAMES, PIPELINE, STEP_NAMES, Pass

TEXT = b"""
cuda_tile.module @kernels {
  entry @add(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %y = addf %x, %x : tile<f32> loc("adder.py":7:5)
    %t = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


@pytest.fixture(name="module")
def loaded() -> Any:
    return cuda_tile.load(TEXT)


def spoil(module: Any) -> None:
    """Puts an op into every function that the verifier refuses, at adder.py:9:1."""
    block = module.regions[0].blocks[0].operations[0].regions[0].blocks[0]
    for function in block.operations:
        if not function.regions or not len(function.regions[0].blocks):
            continue
        first = function.regions[0].blocks[0]
        with ir.InsertionPoint.at_block_begin(first):
            place = ir.Location.file("adder.py", 9, 1)
            is_tile = function.operation.name == "cuda_tile.entry"
            name = "cuda_tile.iota" if is_tile else "llvm.mlir.constant"
            ir.Operation.create(
                name, results=[ir.IntegerType.get_signless(32)], loc=place
            )


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("name", NAMES)
def test_invalid_ir_of_a_hook_is_not_compiled(
    module: Any, name: str, side: str
) -> None:
    choices: Any = {side: {name: spoil}}
    seen: list[str] = []
    with pytest.raises(UserError) as caught:
        cuda_tile.compile(module, **choices, observe=lambda step, _: seen.append(step))
    message = str(caught.value)
    assert f'{side}={{"{name}": {spoil.__module__}.spoil}}' in message
    assert "adder.py:9:1" in message
    assert "op " in message  # the verifier's own words
    assert seen == list(NAMES[: NAMES.index(name)])


def test_a_changed_result_type_is_found(module: Any) -> None:
    def retype(level: Any) -> None:
        (entry,) = entries(level)
        (old,) = (op for op in nested_ops(entry) if op.name == "cuda_tile.addf")
        with ir.InsertionPoint(old), old.location:
            wrong = [ir.Type.parse("!cuda_tile.tile<f64>")]
            attributes = {name: old.attributes[name] for name in old.attributes}
            ir.Operation.create("cuda_tile.addf", wrong, list(old.operands), attributes)

    with pytest.raises(UserError, match=r"adder.py:7:5: expected a valid module"):
        cuda_tile.compile(module, after={"simplify": retype}, cubin=False)


def test_a_pass_that_leaves_invalid_ir_is_named(module: Any) -> None:
    with module.context:
        copy = module.operation.clone().operation
        spoil(copy)
        with pytest.raises(InternalError, match=r"9:1: .* from pass 'plan', got: '"):
            check_pass(copy, "plan")


@pytest.mark.parametrize("verify_each", [True, False])
def test_the_verifier_runs_after_every_pass_unless_told_not_to(
    module: Any, verify_each: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []
    monkeypatch.setattr(
        "cuda_tile.pipeline.check_pass", lambda _, name: checked.append(name)
    )
    cuda_tile.compile(module, options=Options(verify_each=verify_each), cubin=False)
    assert checked == (list(NAMES) if verify_each else [])


def test_tests_verify_after_every_pass() -> None:
    assert Options().verify_each


def test_an_erased_module_is_named(module: Any) -> None:
    with pytest.raises(UserError, match=r"before=\{.plan.: .* got an erased module"):
        cuda_tile.lower(module, before={"plan": lambda level: level.erase()})


def test_another_module_is_refused(module: Any) -> None:
    with pytest.raises(UserError, match="in place, got another module back"):
        cuda_tile.lower(module, after={"plan": lambda _: module})


@pytest.mark.parametrize("name", ["simplify", "emit"])
def test_a_module_without_kernels_is_refused(module: Any, name: str) -> None:
    def empty(level: Any) -> None:
        for op in list(level.regions[0].blocks[0].operations):
            op.operation.erase()

    with pytest.raises(UserError, match="to leave a kernel in the module, got none"):
        cuda_tile.compile(module, after={name: empty}, cubin=False)


def test_what_a_hook_returns_otherwise_is_its_own(module: Any) -> None:
    cuda_tile.lower(module, after={"plan": [lambda level: level, entries, len]})


def test_an_invalid_module_is_not_compiled() -> None:
    module = cuda_tile.load(TEXT)
    with module.context:
        spoil(module.operation)
    for call in (cuda_tile.compile, cuda_tile.lower):
        with pytest.raises(UserError, match=r"9:1: expected a valid module, got: '"):
            call(module)


def len(_: Any) -> int:  # noqa: A001  (any number)
    return 3


def test_operations_that_a_hook_keeps_are_those_of_the_result(module: Any) -> None:
    kept: list[Any] = []
    keep: Any = {"plan": lambda level: kept.extend(entries(level))}
    lowered = cuda_tile.lower(module, after=keep, until="plan")
    assert kept == entries(lowered.operation)


# PTX and cubin ------------------------------------------------------------------------


def test_hooks_get_what_the_step_before_left(module: Any) -> None:
    seen: dict[str, type] = {}
    sides: Any = {
        side: {
            name: lambda got, key=f"{side} {name}": seen.update({key: type(got)})
            for name in ("emit", "llvm", "ptxas")
        }
        for side in ("before", "after")
    }
    cuda_tile.compile(module, **sides)
    assert seen == {
        "before emit": ir.Operation,
        "after emit": ir.Operation,
        "before llvm": ir.Operation,
        "after llvm": str,
        "before ptxas": str,
        "after ptxas": Assembled,
    }


def test_a_hook_may_return_other_ptx(module: Any) -> None:
    def sign(ptx: str) -> str:
        return f"// signed\n{ptx}"

    compiled = cuda_tile.compile(module, after={"llvm": sign})
    assert compiled.ptx.startswith("// signed\n")
    assert compiled.cubin


def test_ptx_of_a_hook_is_text(module: Any) -> None:
    with pytest.raises(UserError, match="to return PTX text or nothing, got 7"):
        cuda_tile.compile(module, after={"llvm": lambda _: 7})


def test_ptxas_judges_the_ptx_of_a_hook(module: Any) -> None:
    with pytest.raises(UserError, match="ptxas failed"):
        cuda_tile.compile(module, before={"ptxas": lambda ptx: ptx + "nonsense"})


def test_observers_see_every_step(module: Any) -> None:
    seen: list[tuple[str, Any]] = []
    cuda_tile.compile(module, observe=lambda name, left: seen.append((name, str(left))))
    assert tuple(name for name, _ in seen) == STEP_NAMES
    texts = dict(seen)
    assert "cute.layout" not in texts["plan"]
    assert "llvm.func" in texts["emit"]
    assert ".entry add" in texts["llvm"]
    assert texts["ptxas"].startswith("cubin of ")


def test_levels_go_down() -> None:
    levels = ["T", "W", "P", "PTX", "cubin"]
    found = [levels.index(step.level) for step in PIPELINE]
    assert found == sorted(found)
    assert set(found) == {0, 1, 2, 3, 4}
    assert [isinstance(step, Pass) for step in PIPELINE] == [i < 3 for i in found]


# Names --------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"fence": spoil}, r"step in \w+, got 'fence'; known: unit_batches, .*, ptxas"),
        ({"ptxas": spoil}, "up to 'emit' in .*, got 'ptxas', which does not run"),
        ({"plan": 3}, "function or a list of functions for .* 'plan', got 3"),
        ({"plan": [spoil, "x"]}, "function or a list of functions for .* 'plan'"),
        (spoil, "to map names of steps to functions, got <function"),
    ],
    ids=["unknown", "not reached", "number", "list", "no mapping"],
)
def test_hooks_are_checked_first(module: Any, side: str, hooks: Any, said: str) -> None:
    choices: Any = {side: hooks}
    with pytest.raises(UserError, match=said):
        cuda_tile.lower(module, **choices, observe=lambda *_: pytest.fail("it ran"))


def test_an_observer_is_a_function(module: Any) -> None:
    number: Any = 3
    with pytest.raises(UserError, match="expected observe to be a function, got 3"):
        cuda_tile.compile(module, observe=number)


@pytest.mark.parametrize("name", ["llvm", "ptxas"])
def test_lower_ends_at_a_module(module: Any, name: str) -> None:
    said = f"expected the name of a pass, got '{name}'; .*compile goes on to PTX"
    with pytest.raises(UserError, match=said):
        cuda_tile.lower(module, until=name)
