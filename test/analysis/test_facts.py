# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts are true: each one is compared with the values in the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from emit_control import loop
from emit_data import Buffer
from emit_elementwise import (
    conversion,
    division,
    integer_binary,
    integer_comparison,
    operand,
    shift,
)
from emit_memory import load_pointer, load_view, store
from emit_program import Program, tile
from emit_shape import MOVES, random_shape, reduce
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from real_kernels import RECIPES, kernel_path, make_problem

import cuda_tile
from cuda_tile import interp
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PointerType, TileType
from cuda_tile.analysis.fact_values import Facts
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.interp.undefined import data_of, mask_of
from cuda_tile.ir.tiles import element_bits, shape_of
from cuda_tile.ir.walk import entries, entry_name, nested_ops

Array = NDArray[Any]
SMALL = (0, 1, 2, 3, 4, 7, 8, 16, 24, 64, -1, -4, 256)
"""Numbers that index arithmetic meets."""


# Comparing ----------------------------------------------------------------------------


def groups(values: Array, dim: int, size: int) -> Array:
    """Aligned groups of `size` along a dimension, as [group, element]."""
    assert values.shape[dim] % size == 0 or size > values.shape[dim]
    size = min(size, values.shape[dim])
    return np.moveaxis(values, dim, -1).reshape(-1, size)


def check(facts: Facts, values: Array, step: int, where: str) -> None:
    """Fails unless every claim holds; `step` is what counting up by one means."""
    numbers = np.asarray(values.astype(object))
    for dim in range(values.ndim):
        same = groups(numbers, dim, facts.constancy[dim])
        assert (same == same[:, :1]).all(), f"{where}: constancy along {dim}"
        run = groups(numbers, dim, facts.contiguity[dim])
        counted = run[:, :1] + step * np.arange(run.shape[1]).astype(object)
        assert (run == counted).all(), f"{where}: contiguity along {dim}"
        first = run[:, 0] % facts.divisibility[dim]
        assert not first.any(), f"{where}: divisibility along {dim}"
    if not values.ndim:
        assert numbers[()] % facts.divisor == 0, f"{where}: divisibility"
    if facts.low is not None:
        assert (numbers >= facts.low).all(), f"{where}: lower bound {facts.low}"
    if facts.high is not None:
        assert (numbers <= facts.high).all(), f"{where}: upper bound {facts.high}"


class Watch:
    """Compares every counted result of a run with its facts."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module  # keeps its operations alive
        self.program = interp.load(module)
        self.known: dict[int, tuple[ir.Operation, FactsAnalysis]] = {}
        self.compared = 0
        for entry in entries(module.operation):
            analysis = FactsAnalysis(entry)
            decoded = _decoded(self.program.entries[entry_name(entry)].body)
            for op, mine in zip(nested_ops(entry), decoded, strict=True):
                assert op.name.endswith(mine.name)
                self.known[id(mine)] = op, analysis

    def __call__(self, op: interp.Op, results: Sequence[Any]) -> None:
        """Called by the interpreter after each op."""
        source, analysis = self.known[id(op)]
        for value, result in zip(source.results, results, strict=True):
            step = _step(value.type)
            if not step or mask_of(result).any():
                continue
            values = np.asarray(data_of(result))
            if values.shape != shape_of(value):  # a reduction's body, at once
                continue
            if values.dtype == np.bool_:  # bit 0 is the sign bit
                values = np.asarray(-values.astype(np.int64))
            check(analysis.of(value), values, step, str(source))
            self.compared += 1


def _decoded(block: Any) -> Iterator[interp.Op]:
    for op in block.ops:
        yield op
        for inner in op.regions:
            if inner is not None:
                yield from _decoded(inner)


def _step(ty: ir.Type) -> int:
    """One for integers, the pointee's bytes for pointers, zero for anything else."""
    if not isinstance(ty, TileType):
        return 0
    if isinstance(ty.element_type, PointerType):
        return element_bits(ty.element_type.pointee_type) // 8
    return int(isinstance(ty.element_type, ir.IntegerType))


# Programs -----------------------------------------------------------------------------


def places(p: Program) -> None:
    """Index arithmetic as kernels have it: coordinates, small factors, arguments."""
    shape = p.pick(p.pool).shape
    element = p.pick(("i32", "i32", "i64", "i16", "i8"))
    name = p.pick(("addi", "addi", "subi", "muli", "divi", "remi"))
    a, b = operand(p, shape, element), small(p, shape, element)
    if name in ("divi", "remi"):
        one = p.constant(shape, element, p.pick((1, 2, 4, 8, 16)))
        signedness = p.pick(("signed", "unsigned"))
        text = f"{name} {a.name}, {one.name} {signedness} : {a.type}"
        p.add(p.make(shape, element, text))
        return
    first, second = p.shuffled((a, b))
    p.add(p.make(shape, element, f"{name} {first.name}, {second.name} : {a.type}"))


def small(p: Program, shape: tuple[int, ...], element: str) -> Any:
    """A splat of a small number: known, or an argument with what is said of it."""
    number = p.pick([n for n in SMALL if element != "i8" or -128 <= n < 128])
    if p.chance():
        return p.constant(shape, element, number)
    value = p.assumed(p.scalar(element, number), abs(number))
    if number <= 100 and p.chance():
        bounds = p.pick((f"{number}, {number}", "?, 100", "-8, ?", "-8, 100"))
        text = f"assume bounded<{bounds}>, {value.name} : {value.type}"
        value = p.make((), element, text)
    return p.spread(value, shape)


def coordinate(p: Program) -> None:
    """A coordinate of some tile."""
    shapes = [value.shape for value in p.pool if value.shape]
    shape = p.pick(shapes) if shapes else (8,)
    element = p.pick(("i32", "i64", "i16"))
    p.add(p.coordinate(shape, p.number(0, len(shape) - 1), element))


def pointers(p: Program) -> None:
    """A load through pointers or a view: their offsets have facts of their own."""
    shape = p.pick(p.pool).shape
    element = p.pick(("f16", "f32", "i8", "i64"))
    way = load_view if shape and p.chance() else load_pointer
    p.add(way(p, shape, element))


STEPS: tuple[Callable[[Program], None], ...] = (
    *(places, places, places, coordinate, pointers, *MOVES, *MOVES, loop, reduce),
    *(integer_binary, division, shift, integer_comparison, conversion),
)


@st.composite
def programs(draw: Any) -> Program:
    p = Program(draw, grid=draw(st.integers(1, 3)))
    shape = random_shape(p)
    p.add(p.constant(shape, "i32", p.pick(SMALL)))
    coordinate(p)
    for _ in range(p.number(2, 10)):
        p.pick(STEPS)(p)
    store(p, p.pool[-1])
    return p


@pytest.mark.parametrize("level", ["simplify", "place"])
def test_facts_of_random_programs_hold(level: str) -> None:
    compared: list[int] = []

    @settings(
        max_examples=60,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(programs())
    def run(p: Program) -> None:
        text = f"cuda_tile.module @m {{\n{p.entry()}\n}}"
        module = cuda_tile.lower(cuda_tile.load(text.encode()), until=level)
        watch = Watch(module)
        args = [a.bind()[1] if isinstance(a, Buffer) else a for a in p.args]
        interp.run(watch.program, grid=(p.grid,), args=args, trace=watch)
        compared.append(watch.compared)

    run()
    assert sum(compared) > 1000


@pytest.mark.parametrize("name", RECIPES)
def test_facts_of_real_kernels_hold(name: str) -> None:
    watch = Watch(cuda_tile.load(kernel_path(name)))
    problem = make_problem(name, RECIPES[name].sizes[1])
    interp.run(watch.program, grid=problem.grid, args=problem.args, trace=watch)
    assert watch.compared > 3


# Single facts, where the reason is worth a name ---------------------------------------


def facts_of(body: str, parameters: str = "") -> list[Facts]:
    """The facts of the first results of a body's ops, in order."""
    text = f"cuda_tile.module @m {{ entry @k({parameters}) {{ {body}\n return }} }}"
    module = cuda_tile.load(text.encode())
    (entry,) = entries(module.operation)
    analysis = FactsAnalysis(entry)
    return [analysis.of(op.results[0]) for op in nested_ops(entry) if op.results]


def test_a_sum_that_may_wrap_has_no_bounds() -> None:
    body = """
      %i = iota : tile<128xi8>
      %s = addi %i, %i : tile<128xi8>
    """
    known = facts_of(body)[1]
    assert (known.low, known.high) == (None, None)


def test_true_read_as_signed_has_no_bounds() -> None:
    """It is -1, which the bounds 0 and 1 of an i1 leave out."""
    body = """
      %t = constant <i1: true> : tile<8xi1>
      %s = exti %t signed : tile<8xi1> -> tile<8xi32>
      %u = exti %t unsigned : tile<8xi1> -> tile<8xi32>
    """
    _, signed, unsigned = facts_of(body)
    assert (signed.low, signed.high) == (None, None)
    assert (unsigned.low, unsigned.high) == (0, 1)


def test_zero_is_divisible_by_everything() -> None:
    (zero,) = facts_of(f"%z = constant <i32: 0> : {tile((), 'i32')}")
    assert zero.divisor >= 1 << 32


@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_an_iota_counts_up(kind: str) -> None:
    (known,) = facts_of(f"%i = iota : tile<64x{kind}>")
    assert known.contiguity == (64,)
    assert (known.low, known.high) == (0, 63)


def test_an_iota_that_wraps_does_not_count_up_all_the_way() -> None:
    (known,) = facts_of("%i = iota : tile<256xi8>")
    check(known, np.arange(256).astype(np.int8), 1, "iota")


def test_rows_of_a_matrix_are_contiguous_runs() -> None:
    body = """
      %r = iota : tile<8xi32>
      %r1 = reshape %r : tile<8xi32> -> tile<8x1xi32>
      %r2 = broadcast %r1 : tile<8x1xi32> -> tile<8x16xi32>
      %w = constant <i32: 16> : tile<8x16xi32>
      %s = muli %r2, %w : tile<8x16xi32>
      %c = iota : tile<16xi32>
      %c1 = reshape %c : tile<16xi32> -> tile<1x16xi32>
      %c2 = broadcast %c1 : tile<1x16xi32> -> tile<8x16xi32>
      %a = addi %s, %c2 : tile<8x16xi32>
    """
    known = facts_of(body)[-1]
    assert known.contiguity == (1, 16)
    assert known.divisibility[1] == 16
