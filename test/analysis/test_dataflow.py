# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow and data flow over it, in every structured op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import (
    ControlFlow,
    Point,
    counted_loop,
    successors,
)
from cuda_tile.analysis.dataflow import BackwardAnalysis, ForwardAnalysis
from cuda_tile.analysis.fact_values import Facts, join, of_constant, widen
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import entries, nested_ops

Names = frozenset[str]


def entry_of(body: str) -> tuple[Any, ir.Operation]:
    """A module, which keeps its ops alive, and its entry, with some scalars."""
    text = f"""cuda_tile.module @m {{
      entry @k(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>, %d: tile<i1>) {{
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %four = constant <i32: 4> : tile<i32>
        {body}
        return
      }}
    }}"""
    module = cuda_tile.load(text.encode())
    (entry,) = entries(module.operation)
    return module, entry


def find(entry: ir.Operation, name: str, number: int = 0) -> ir.Operation:
    """One of the ops of a name, in program order."""
    found = [op for op in nested_ops(entry) if op.name == f"cuda_tile.{name}"]
    return found[number]


def marks(entry: ir.Operation) -> dict[str, ir.Operation]:
    """The ops that have a mark, by it."""
    return {
        str(op.attributes["mark"]).strip('"'): op
        for op in nested_ops(entry)
        if "mark" in op.attributes
    }


def mark(name: str) -> str:
    """An op that leaves a trace in both analyses below."""
    return f'%mark_{name} = make_token {{mark = "{name}"}} : token'


class Ran(ForwardAnalysis[Names]):
    """The marks that some way to an op has passed."""

    def join(self, known: Names, news: Names) -> Names:
        return known | news

    def transfer(self, op: ir.Operation, state: Names) -> Names:
        return state | _mark_of(op)


class WillRun(BackwardAnalysis[Names]):
    """The marks that some way from an op may pass."""

    @property
    def bottom(self) -> Names:
        return frozenset()

    def join(self, known: Names, news: Names) -> Names:
        return known | news

    def transfer(self, op: ir.Operation, state: Names) -> Names:
        return state | _mark_of(op)


def _mark_of(op: ir.Operation) -> Names:
    attributes = op.attributes
    return (
        frozenset([ir.StringAttr(attributes["mark"]).value])
        if "mark" in attributes
        else frozenset()
    )


def reach(body: str) -> tuple[dict[str, str], dict[str, str]]:
    """Per mark, the marks that may run before it and those that may run after it."""
    module, entry = entry_of(body)
    flow = ControlFlow(entry)
    ran, will_run = Ran(flow), WillRun(flow)
    ran.solve(frozenset())
    will_run.solve(frozenset())
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for name, op in marks(entry).items():
        state, ahead = ran.before(op), will_run.before(op)
        before[name] = "never" if state is None else "".join(sorted(state))
        assert ahead is not None
        after[name] = "".join(sorted(ahead))
    del module
    return before, after


def test_both_branches_meet_behind_an_if() -> None:
    before, after = reach(f"""
      if %c {{ {mark("a")} }} else {{ {mark("b")} }}
      {mark("z")}
    """)
    assert before == {"a": "", "b": "", "z": "ab"}
    assert after == {"a": "az", "b": "bz", "z": "z"}


def test_a_for_may_run_no_iteration_or_several() -> None:
    before, after = reach(f"""
      {mark("a")}
      for %i in (%zero to %n, step %one) : tile<i32> {{ {mark("b")} {mark("c")} }}
      {mark("z")}
    """)
    assert before == {"a": "", "b": "abc", "c": "abc", "z": "abc"}
    assert after["a"] == "abcz"
    assert after["c"] == "bcz"


def test_a_loop_is_left_by_its_breaks_only() -> None:
    before, after = reach(f"""
      loop {{
        {mark("a")}
        if %c {{ {mark("b")} break }}
        {mark("d")}
        if %d {{ {mark("e")} continue }}
        {mark("f")}
      }}
      {mark("z")}
    """)
    assert before["a"] == "adef"  # b only leaves
    assert before["z"] == "abdef"
    assert before["f"] == "adef"
    assert after["b"] == "bz"
    assert after["e"] == "abdefz"


def test_the_first_iteration_alone_may_break() -> None:
    before, _ = reach(f"""
      loop {{ {mark("a")} if %c {{ {mark("b")} break }} else {{ {mark("c")} break }}
        {mark("x")} }}
      {mark("z")}
    """)
    assert before == {"a": "", "b": "a", "c": "a", "x": "never", "z": "abc"}


def test_an_early_return_meets_nothing() -> None:
    before, after = reach(f"""
      if %c {{ {mark("a")} return }}
      {mark("z")}
    """)
    assert before["z"] == ""
    assert after["a"] == "a"


def test_loops_in_loops_are_walked_until_stable() -> None:
    before, after = reach(f"""
      for %i in (%zero to %n, step %one) : tile<i32> {{
        {mark("a")}
        loop {{
          if %c {{ break }}
          for %j in (%zero to %n, step %one) : tile<i32> {{ {mark("b")} }}
        }}
        if %d {{ continue }}
        {mark("c")}
      }}
      {mark("z")}
    """)
    assert before == dict.fromkeys("abcz", "abc")
    assert after == {**dict.fromkeys("abc", "abcz"), "z": "z"}


def test_what_an_op_with_regions_does_not_say_is_an_error() -> None:
    with ir.Context() as context, ir.Location.file("k.mlir", 3, 5):
        context.allow_unregistered_dialects = True
        op = ir.Operation.create("other.region", regions=1)
        with pytest.raises(InternalError, match=r"k\.mlir.*other\.region"):
            successors(op)


# Values -------------------------------------------------------------------------------


def test_values_follow_the_edges() -> None:
    module, entry = entry_of("""
      %r, %s = loop iter_values(%i = %zero, %j = %one) : tile<i32>, tile<i32>
          -> tile<i32>, tile<i32> {
        if %c { break %j, %four : tile<i32>, tile<i32> }
        continue %j, %i : tile<i32>, tile<i32>
      }
    """)
    loop = find(entry, "loop")
    flow = ControlFlow(entry)
    zero, *_ = (op.results[0] for op in nested_ops(entry) if "constant" in op.name)
    i, j = Point(loop, 0).values
    assert set(flow.incoming(i)) == {zero, j}
    del module


def test_a_counted_loop_is_known_by_name() -> None:
    module, entry = entry_of("""
      %r = for unsigned %i in (%one to %n, step %four) : tile<i32>
          iter_values(%x = %zero) -> (tile<i32>) {
        if %c { continue %i : tile<i32> }
        continue %x : tile<i32>
      }
    """)
    op = find(entry, "for")
    loop = counted_loop(op)
    assert loop is not None
    assert loop.is_unsigned
    assert loop.index == Point(op, 0).values[0]
    assert loop.lower == find(entry, "constant", 1).results[0]
    assert loop.step == find(entry, "constant", 2).results[0]
    body, after = successors(find(entry, "continue"))
    assert (body.target, after.target) == (Point(op, 0), Point(op, None))
    assert body.pairs == [(loop.index, Point(op, 0).values[1])]
    assert after.pairs == [(loop.index, op.results[0])]
    assert counted_loop(find(entry, "if")) is None
    del module


# Facts --------------------------------------------------------------------------------


def facts_of(body: str, name: str) -> list[Facts]:
    """The facts of the results of the first op of a name."""
    module, entry = entry_of(body)
    analysis = FactsAnalysis(entry)
    found = [analysis.of(value) for value in find(entry, name).results]
    del module
    return found


def test_facts_of_branches_are_joined() -> None:
    (known,) = facts_of(
        """
        %eight = constant <i32: 8> : tile<i32>
        %r = if %c -> (tile<i32>) { yield %four : tile<i32> }
          else { yield %eight : tile<i32> }
        """,
        "if",
    )
    assert (known.low, known.high, known.divisor) == (4, 8, 4)


def test_facts_of_a_carried_counter_converge() -> None:
    carried = """
        %r, %s = for %i in (%zero to %n, step %one) : tile<i32>
            iter_values(%x = %zero, %y = %four) -> (tile<i32>, tile<i32>) {
          %next = addi %x, %four : tile<i32>
          continue %next, %y : tile<i32>, tile<i32>
        }
        """
    moving, fixed = facts_of(carried, "for")
    assert (moving.divisor, moving.high) == (4, None)
    assert fixed.constant == 4


def test_pointers_that_a_loop_moves_keep_counting_up() -> None:
    (known,) = facts_of(
        """
        %i = iota : tile<64xi32>
        %q = assume div_by<16>, %p : tile<ptr<i32>>
        %p1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
        %p64 = broadcast %p1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
        %at = offset %p64, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
        %by = constant <i32: 64> : tile<64xi32>
        %r = for %k in (%zero to %n, step %one) : tile<i32>
            iter_values(%x = %at) -> (tile<64xptr<i32>>) {
          %y = offset %x, %by : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
          continue %y : tile<64xptr<i32>>
        }
        """,
        "for",
    )
    assert (known.contiguity, known.divisibility) == ((64,), (16,))


def test_joining_keeps_what_holds_of_both() -> None:
    up = Facts((8,), (8,), (1,), (16,), 16, 23)
    even = Facts((8,), (2,), (1,), (32,), -32, 40)
    both = join(up, even)
    assert both == Facts((8,), (2,), (1,), (2,), -32, 40)
    assert join(both, up) == both


@pytest.mark.parametrize(
    ("known", "news", "bounds"),
    [(3, 3, (3, 3)), (3, 1, (0, 3)), (3, -1, (None, 3)), (3, 4, (3, None))],
)
def test_widening_gives_up_a_bound_that_moves(
    known: int, news: int, bounds: tuple[int | None, int | None]
) -> None:
    found = widen(of_constant((), known), of_constant((), news))
    assert (found.low, found.high) == bounds
    assert widen(found, of_constant((), news)) == found
    assert np.gcd(known, news) % found.divisor == 0
