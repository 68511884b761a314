# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far apart the results of a program may be, which differ where they may.

The dialect leaves the order of sums open, and the passes may use another one: results
of two judges then differ by rounding, and a program may make a large difference of a
small one. So the interpreter runs it in other orders, and with every inexact result a
few units off; by as much as its own results differ, those of the judges may, too.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import ml_dtypes
import numpy as np
from differential_case import Case
from emit_data import Array

import cuda_tile
from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.interp.table import RULES

ORDERS = ("shuffle", "left", "shuffle", "swapped")
"""Orders of reductions; two of them use the identity, which must then be one."""
RUNS = 8
"""How often the interpreter runs a program in other orders."""
UNITS = 4
"""By how many units in the last place it changes inexact results, at most."""
SLACK = 8.0
"""How much farther apart than those of the interpreter results may be."""
LOST = 1e-2
"""Elements that differ by more than this part of themselves are not compared."""
SHORT_UNIT = 2.0**-13
"""The last bit of sums of 8-bit floats in matrix instructions, see ir/promotion.py."""
_EXACT = ("absf", "negf", "maxf", "minf", "floor", "ceil", "remf", "cmpf")


class Open(Exception):
    """The program's own text leaves open what it does."""


def allowed(case: Case, module: ir.Module, expected: list[Array]) -> list[Array]:
    """By how much each element of each array may be off; infinite if by anything.

    Args:
        case: The program.
        module: Its module.
        expected: What the interpreter gives.

    Raises:
        Open: It is an error in another order.
    """
    spread = [np.zeros(array.shape) for array in expected]
    for seed in range(1, RUNS + 1):
        order = ORDERS[seed % len(ORDERS)]
        try:
            got = _run(case, module, seed, order)
        except UserError as error:
            raise Open(str(error)) from error
        for total, mine, other in zip(spread, expected, got, strict=True):
            np.maximum(total, _distance(mine, other), out=total)
    return [_whole(total, mine) for total, mine in zip(spread, expected, strict=True)]


def _whole(spread: Array, values: Array) -> Array:
    """What may be off: all integers of an array if an order changes any of them.

    Such as those that atomic updates found, which a few orders do not exhaust.
    """
    if values.dtype.kind in "biu" and np.isinf(spread).any():
        return np.full_like(spread, np.inf)
    return SLACK * spread


def _distance(mine: Array, other: Array) -> Array:
    """How far apart elements are; infinite where they have little in common."""
    if mine.dtype.kind in "biu":
        return np.where(mine == other, 0.0, np.inf)
    with np.errstate(all="ignore"):
        a, b = mine.astype(np.float64), other.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        apart = np.abs(a - b)
        is_lost = ~(apart <= LOST * np.abs(a))
    return np.where(same, 0.0, np.where(is_lost, np.inf, apart))


def _run(case: Case, module: ir.Module, seed: int, order: str) -> list[Array]:
    """What the interpreter gives in another order, with inexact results changed."""
    memories, args = case.memories()
    random = np.random.default_rng(seed)
    with _inexact(random):
        choices: dict[str, Any] = {"seed": seed, "order": order}
        cuda_tile.run(
            module, "k", grid=(case.grid,), args=args, mode=case.mode, **choices
        )
    return memories


@contextmanager
def _inexact(random: np.random.Generator) -> Generator[None]:
    """Lets ops whose results are rounded give neighbours of these."""
    with ExitStack() as stack:
        for info in ods.ops().values():
            if info.family in ("float", "math") and info.name not in _EXACT:
                rule = _changed(RULES[info.name], random)
            elif info.family == "mma":
                rule = _summed(RULES[info.name], random)
            elif info.name == "reduce":
                rule = _in_order(RULES[info.name])
            else:
                continue
            stack.enter_context(RULES.replaced(info.name, rule))
        yield


def _changed(
    rule: Callable[..., Any], random: np.random.Generator
) -> Callable[..., Any]:
    def changed(run: Any, op: Any, *operands: Any) -> Any:
        return _moved(rule(run, op, *operands), random)

    return changed


def _in_order(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction that folds the lowest elements first.

    A sum whose positive and negative terms both overflow then shows that its order
    matters.
    """

    def ordered(run: Any, op: Any, *operands: Any) -> Any:
        if len(operands) > 1 or run.launch.order == "shuffle":
            return rule(run, op, *operands)
        values: Any = next(iter(operands))
        dim = op.attributes["dim"]
        places = np.argsort(values.astype(np.float64), axis=dim)
        return rule(run, op, np.take_along_axis(values, places, axis=dim))

    return ordered


def _summed(
    rule: Callable[..., Any], random: np.random.Generator
) -> Callable[..., Any]:
    """A product whose sums are a few units of what is summed off.

    Matrix instructions cut terms off below the last bits of the largest one.
    """

    def summed(run: Any, op: Any, *operands: Any) -> Any:
        result = rule(run, op, *operands)
        if not isinstance(result, np.ndarray) or result.dtype.kind in "biu":
            return result
        with np.errstate(all="ignore"):
            sizes = [np.abs(operand) for operand in operands[:3]]
            most = np.asarray(rule(run, op, *sizes, *operands[3:])).astype(np.float64)
            unit = _unit(operands[0].dtype, result.dtype)
            noise = random.uniform(-UNITS, UNITS, result.shape) * unit * most
            moved = (result.astype(np.float64) + noise).astype(result.dtype)
            is_finite = np.isfinite(moved.astype(np.float64))
        return np.where(is_finite & (most != 0), moved, result)

    return summed


def _unit(factor: np.dtype[Any], total: np.dtype[Any]) -> float:
    """The last bit of a sum of products, as a part of what is summed."""
    unit = float(ml_dtypes.finfo(total).eps)
    return max(unit, SHORT_UNIT) if factor.itemsize == 1 else unit


def _moved(values: Any, random: np.random.Generator) -> Any:
    """Numbers some units away; zeros, infinities, NaN and integers stay."""
    if not isinstance(values, np.ndarray | np.generic) or values.dtype.kind in "biu":
        return values
    array = np.asarray(values)
    steps = random.integers(-UNITS, UNITS + 1, array.shape)
    factors = 1 + steps * float(ml_dtypes.finfo(array.dtype).eps)
    with np.errstate(all="ignore"):
        moved = (array.astype(np.float64) * factors).astype(array.dtype)
        return np.where(np.isfinite(moved.astype(np.float64)), moved, array)
