# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of rings and roles: right kernels pass, each changed step is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from checked_kernels import GPUS, KERNELS, lowered
from mutated_rings import KERNELS as RINGS
from mutated_rings import text_of
from ring_mutants import RingMutant, mutants, reason_for

import cuda_tile
from cuda_tile import Options
from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.checkers import count, protocol
from cuda_tile.checkers.protocol import Verdict, verdict_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.scalars import constant_of
from cuda_tile.ir.walk import defining_op, entries, nested_ops
from cuda_tile.pass_order import Pass
from cuda_tile.pipeline import PIPELINE, run_pass

ENGINES = (("cp_async", "sm_80"), ("tma", "sm_90"))
"""Engines, each with a chip that has it."""
PASSES = {step.name: step for step in PIPELINE if isinstance(step, Pass)}


def ringed(name: str, engine: str, gpu: str) -> ir.Module:
    module = cuda_tile.load(text_of(name, engine))
    return cuda_tile.lower(module, until="count", options=Options(gpu=gpu, num_warps=2))


def said_of(module: ir.Module) -> str:
    """What the checkers behind `ring` and `count` say."""
    for checker in (protocol, count):
        try:
            checker.check(module.operation, Options())
        except InternalError as error:
            return str(error)
    return ""


def said_of_mutant(mutant: RingMutant, name: str, engine: str, gpu: str) -> str:
    module = ringed(name, engine, gpu)
    with module.context, ir.Location.unknown():
        mutant.apply(module.operation)
        return said_of(module)


@pytest.mark.parametrize("gpu", [*GPUS, "sm_120"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_proved(name: str, gpu: str) -> None:
    """Behind each pass with a checker, and once more behind all of them."""
    module = lowered(name, gpu, "barriers")
    with module.context:
        for entry in entries(module.operation):
            verdict = verdict_of(ControlFlow(entry))
            assert not verdict.fault
            assert not verdict.assumed


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("engine", "gpu"), ENGINES)
@pytest.mark.parametrize("name", RINGS)
def test_each_changed_step_is_noticed(name: str, engine: str, gpu: str) -> None:
    """But for the condition of the branch, which looks like a guard of copies."""
    module = ringed(name, engine, gpu)
    with module.context:
        wrong = [
            mutant
            for mutant in mutants(module.operation)
            if not reason_for(mutant, module.operation)
            and not (name == "branch" and mutant.name.startswith("cmpi"))
        ]
    unnoticed = [m for m in wrong if not said_of_mutant(m, name, engine, gpu)]
    assert not unnoticed


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("engine", "gpu"), ENGINES)
@pytest.mark.parametrize("name", RINGS)
def test_what_is_right_passes(name: str, engine: str, gpu: str) -> None:
    module = ringed(name, engine, gpu)
    with module.context:
        harmless = [
            mutant
            for mutant in mutants(module.operation)
            if "groups" not in mutant.name and reason_for(mutant, module.operation)
        ]
        assert not said_of(module)
    said = [said_of_mutant(mutant, name, engine, gpu) for mutant in harmless]
    assert not any(said)


def test_a_message_names_both_accesses_and_their_distance() -> None:
    """The slot of iteration t is filled again by iteration t + 3, three slots on."""
    module = ringed("three slots", "tma", "sm_90")
    with module.context:
        deleted = next(
            m for m in mutants(module.operation) if m.name == "release: deleted"
        )
    said = said_of_mutant(deleted, "three slots", "tma", "sm_90")
    assert "'tileas.release' of iteration t-3 of the ring" in said
    assert "before 'tileas.acquire' of iteration t" in said


def _noting(passes: Mapping[str, Pass], name: str, asked: list[str]) -> Pass:
    """A pass that does nothing, and whose check notes that it was asked."""
    return replace(
        passes[name],
        change=lambda module, options: None,
        checker=lambda module, options: asked.append(name),
    )


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        ("ring", ["ring"]),
        ("roles", ["ring", "roles"]),
        ("skew", ["skew"]),
        ("ptxas", ["skew"]),
    ],
)
def test_rings_are_judged_where_no_later_check_does(
    until: str, expected: list[str]
) -> None:
    """A whole compilation asks once; one that ends before asks behind each pass."""
    asked: list[str] = []
    names = [step.name for step in PIPELINE]
    for name in ("ring", "roles", "skew"):
        if names.index(name) > names.index(until):
            break
        step = _noting(PASSES, name, asked)
        with ir.Context() as context:
            module = ir.Module.parse("module {}", context)
            run_pass(step, module.operation, Options(check=True), until)
    assert asked == expected


def _listed(gpu: str) -> ir.Module:
    """A sum of blocks whose number and places are loaded from a list."""
    view = "partition_view<tile=(64x32), tensor_view<64x640xf16, strides=[640,1]>>"
    total = "partition_view<tile=(64x16), tensor_view<64x16xf32, strides=[16,1]>>"
    text = f"""cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f16>>, %r: tile<ptr<f32>>, %list: tile<ptr<i32>>) {{
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %zeros = constant <f32: 0.0> : tile<64x16xf32>
        %b = constant <f16: 1.0> : tile<32x16xf16>
        %pa = assume div_by<16>, %p : tile<ptr<f16>>
        %ta = make_tensor_view %pa, shape = [64, 640], strides = [640, 1]
          : tensor_view<64x640xf16, strides=[640,1]>
        %va = make_partition_view %ta : {view}
        %n, %n_t = load_ptr_tko weak %list : tile<ptr<i32>> -> tile<i32>, token
        %f = for %k in (%one to %n, step %one) : tile<i32>
            iter_values(%acc = %zeros) -> (tile<64x16xf32>) {{
          %q = offset %list, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
          %at, %at_t = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
          %a, %a_t = load_view_tko weak %va[%zero, %at]
            : {view}, tile<i32> -> tile<64x32xf16>, token
          %next = mmaf %a, %b, %acc
            : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
          continue %next : tile<64x16xf32>
        }}
        %tc = make_tensor_view %r, shape = [64, 16], strides = [16, 1]
          : tensor_view<64x16xf32, strides=[16,1]>
        %vc = make_partition_view %tc : {total}
        %s = store_view_tko weak %f, %vc[%zero, %zero]
          : tile<64x16xf32>, {total}, tile<i32> -> token
        return
      }}
    }}"""
    options = Options(gpu=gpu, check=True)
    module = cuda_tile.load(text.encode())
    return cuda_tile.lower(module, until="count", options=options)


@pytest.mark.parametrize("gpu", GPUS)
def test_a_load_may_say_how_often_others_are_made(gpu: str) -> None:
    """The loads in the loop are named by its bounds, which a load gives."""
    module = _listed(gpu)
    with module.context, ir.Location.unknown():
        assert not said_of(module)
        deleted = [m for m in mutants(module.operation) if m.name == "publish: deleted"]
        assert deleted
        deleted[0].apply(module.operation)
        assert said_of(module)


def _cut_loop(gpu: str, upper: str = "%n", made: str = "") -> ir.Module:
    """A loop of two products by a step that is an argument.

    On sm_90 one role cuts it between its products, so that it begins a step later.
    """
    tile, total = "tile<64x64xbf16>", "tile<64x64xf32>"
    tensor = "tensor_view<640x64xbf16, strides=[64,1]>"
    view = f"partition_view<tile=(64x64), {tensor}>"
    result = "partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>"
    text = f"""cuda_tile.module @m {{
      entry @k(%p: tile<ptr<bf16>>, %r: tile<ptr<f32>>, %n: tile<i32>,
               %step: tile<i32>) {{
        %zero = constant <i32: 0> : tile<i32>
        %zeros = constant <f32: 0.0> : {total}
        %x = constant <bf16: 1.0> : {tile}
        {made}
        %pa = assume div_by<16>, %p : tile<ptr<bf16>>
        %ta = make_tensor_view %pa, shape = [640, 64], strides = [64, 1] : {tensor}
        %va = make_partition_view %ta : {view}
        %f = for %k in (%zero to {upper}, step %step) : tile<i32>
            iter_values(%acc = %zeros) -> ({total}) {{
          %a, %a_t = load_view_tko weak %va[%k, %zero]
            : {view}, tile<i32> -> {tile}, token
          %s = mmaf %x, %a, %zeros : {tile}, {tile}, {total}
          %e = exp2 %s : {total}
          %h = ftof %e : {total} -> {tile}
          %next = mmaf %h, %a, %acc : {tile}, {tile}, {total}
          continue %next : {total}
        }}
        %tc = make_tensor_view %r, shape = [64, 64], strides = [64, 1]
          : tensor_view<64x64xf32, strides=[64,1]>
        %vc = make_partition_view %tc : {result}
        %st = store_view_tko weak %f, %vc[%zero, %zero]
          : {total}, {result}, tile<i32> -> token
        return
      }}
    }}"""
    module = cuda_tile.load(text.encode())
    return cuda_tile.lower(module, until="count", options=Options(gpu=gpu))


def verdict(module: ir.Module) -> Verdict:
    (entry,) = entries(module.operation)
    return verdict_of(ControlFlow(entry))


def test_loops_may_begin_apart_in_steps_that_are_no_constants() -> None:
    """How often both run is one number, and a step less."""
    module = _cut_loop("sm_90")
    with module.context:
        assert "stage = 1" in str(module)
        assert verdict(module) == Verdict(verdict(module).states)
        wrong = [
            number
            for number, mutant in enumerate(mutants(module.operation))
            if not reason_for(mutant, module.operation)
        ]
    assert wrong
    for number in wrong:
        module = _cut_loop("sm_90")
        with module.context, ir.Location.unknown():
            mutant = mutants(module.operation)[number]
            mutant.apply(module.operation)
            assert said_of(module), mutant.name


@pytest.mark.parametrize("begin", ["lower", "lower + 2 step", "something else"])
def test_a_loop_that_begins_elsewhere_is_noticed(begin: str) -> None:
    """A near miss: what was cut off is one iteration, and it begins one step later.

    What begins at something else is not told apart, which is unknown and no fault.
    """
    module = _cut_loop("sm_90")
    with module.context, ir.Location.unknown():
        assert not said_of(module)
        (entry,) = entries(module.operation)
        loops = [op for op in nested_ops(entry) if op.name == "cuda_tile.for"]
        (cut,) = (op for op in loops if constant_of(op.operands[0]) is None)
        later = defining_op(cut.operands[0])
        assert later is not None
        if begin == "lower":
            cut.operands[0] = later.operands[0]
        else:
            place = 0 if begin == "lower + 2 step" else 1
            other = loops[0].operands[1] if place else later.results[0]
            with ir.InsertionPoint(cut):
                cut.operands[0] = later.clone().result
                made = defining_op(cut.operands[0])
                assert made is not None
                made.operands[0] = other
        if begin == "something else":
            assert protocol.COUNT in verdict(module).assumed
        else:
            assert said_of(module)


BOUNDS = {
    "quotient": "%q = divi %n, %step unsigned : tile<i32>",
    "choice": """%c = cmpi less_than %n, %step, signed : tile<i32> -> tile<i1>
        %q = select %c, %n, %step : tile<i1>, tile<i32>""",
}
"""Copies ahead ask for quotients by the step; this one is none of those. The condition
of a choice is asked while it is."""


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_may_be_made_of_itself(bound: str, gpu: str) -> None:
    module = _cut_loop(gpu, "%q", BOUNDS[bound])
    with module.context:
        assert not said_of(module)
        assert not verdict(module).fault
