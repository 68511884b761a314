# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case once more in exact numbers: no tolerance hides a term that is left out.

The launches of a right candidate run again on elements of the ring of docs/exact.md,
and what comes out must be the reference's answer there, bit for bit. Where the kernels
do what the ring has no law for, a difference says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from cuda_tile._mlir import ir
from cuda_tile.cutile.kernels import load_image
from cuda_tile.errors import CudaTileError
from cuda_tile.exact import entered
from cuda_tile.ir import traits
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import nested_ops
from cuda_tile.judge.arguments import arrays_of
from cuda_tile.judge.compare import is_float
from cuda_tile.judge.court import Court
from cuda_tile.judge.device import Booked, Device
from cuda_tile.judge.emulated import Hearing
from cuda_tile.judge.provenance import AnyWay, Place, same, same_elements
from cuda_tile.judge.repeats import Call
from cuda_tile.judge.residues import WIDE, NotExactError, exact_answer
from cuda_tile.judge.verdict import Verdict, Word
from cuda_tile.runtime.elements import Array

MOST_OPS = 20_000
"""Operations of the interpreter in a case that is run again."""
LAWFUL = frozenset({"addf", "subf", "mulf", "fma", "negf", "mmaf", "select", "itof"})
"""Arithmetic on floats whose laws hold in f32 and f64, and what makes or chooses."""
CAST = "ftof"


def look_exactly(court: Court) -> None:
    """Compares the largest case that is small enough in exact numbers.

    Args:
        court: Has judged the candidate, and found nothing.
    """
    call = _chosen(court)
    if call is None:
        return
    was = arrays_of(call.args)
    pairs = zip(was, call.changed, strict=True)
    which = [n for n, (old, new) in enumerate(pairs) if not same(old, new)]
    wanted = exact_outputs(court, call.args, which, call.expected.values)
    if wanted is not None:
        _compare_all(court, call, wanted)


def _compare_all(court: Court, call: Call, wanted: list[Array | None]) -> None:
    """Compares each output, where the ring has laws for all that kernels do."""
    said = [text for b in call.device.launches if (text := _unlawful(b))]
    unlawful = said[0] if said else ""
    got = None if unlawful else _replayed(call)
    if got is None:
        why = unlawful or "its arrays are no elements of the ring"
        court.verdict.notes.append(f"not compared in exact numbers: {why}")
        return
    compare_exactly(court.verdict, wanted, got, call.place)


def compare_exactly(
    verdict: Verdict,
    wanted: Sequence[Array | None],
    got: Sequence[Array],
    place: dict[str, Any],
    word: Word = "wrong",
) -> None:
    """Compares outputs bit for bit.

    Args:
        verdict: Gets what differs.
        wanted: The reference's answers; None where it has none.
        got: The candidate's.
        place: Of the call.
        word: What a difference makes of the candidate.
    """
    verdict.counts["exact outputs"] = sum(each is not None for each in wanted)
    for number, (mine, theirs) in enumerate(zip(wanted, got, strict=True)):
        if mine is not None:
            where = {**place, "array": f"output {number}"}
            _compare(verdict, mine, theirs, where, word)


def _chosen(court: Court) -> Call | None:
    """The largest of the first calls that is small enough."""
    first = (call for (_, turn), call in court.calls.items() if turn == 0)
    sizes = [(sum(b.ops for b in call.device.launches), call) for call in first]
    small = [(ops, call) for ops, call in sizes if 0 < ops <= MOST_OPS]
    return max(small, key=lambda pair: pair[0], default=(0, None))[1]


def exact_outputs(
    court: Hearing, args: Sequence[Any], which: Sequence[int], values: Sequence[Array]
) -> list[Array | None] | None:
    """The reference's answer, None for each output without one.

    Args:
        court: Who asks; its notes say why there is none at all.
        args: Of a call.
        which: The arrays among them that the reference changes.
        values: Its answer in floats.
    """

    def answer(args: Sequence[Any]) -> list[Any]:
        if court.reference.has_tensors:
            raise NotExactError("tensors of PyTorch hold no elements of the ring")
        result = court.reference.names["reference"](*args)
        is_many = isinstance(result, (tuple, list))
        outputs = [*cast("Sequence[Any]", result)] if is_many else [result]
        listed = [] if result is None else outputs
        return [*listed, *(arrays_of(args)[n] for n in which)]

    try:
        return exact_answer(answer, args, [value.dtype for value in values])
    except NotExactError as error:
        court.verdict.notes.append(f"not asked in exact numbers: {error}")
        return None


def _unlawful(booked: Booked) -> str:
    return unlawful(load_image(booked.bytecode).module)


def unlawful(module: ir.Module) -> str:
    """What kernels do that the ring has no law for; nothing if all is lawful."""
    for op in nested_ops(module.operation):
        found = _unlawful_op(op)
        if found:
            return found
    return ""


def _unlawful_op(op: ir.Operation) -> str:
    """The same of one op: arithmetic in 16 bits, functions, comparisons, casts."""
    name = op.name.removeprefix("cuda_tile.")
    values = [value for value in (*op.operands, *op.results) if _has_floats(value)]
    kinds = sorted({str(element_of(value)) for value in values})
    if name == CAST:
        to = str(element_of(op.results[0]))
        users = (use.owner.name for use in op.results[0].uses)
        is_last = to in WIDE or all(user in traits.STORES for user in users)
        return "" if is_last else f"it rounds to {to} before the end"
    computes = op.name in traits.ELEMENTWISE | traits.PRODUCTS
    is_moving = op.name in traits.CONSTANTS | traits.KEEPS_ELEMENTS
    if not kinds or not computes or is_moving:
        return ""
    results = {str(element_of(value)) for value in op.results if _has_floats(value)}
    is_lawful = name in LAWFUL and (results <= {*WIDE} or name == "select")
    return "" if is_lawful else f"'{name}' of {', '.join(kinds)}"


def _has_floats(value: Any) -> bool:
    """Whether a value is a tile of floats."""
    try:
        kind = str(element_of(value))
    except (AttributeError, TypeError, ValueError, CudaTileError):
        return False
    return kind.startswith(("f", "bf", "tf"))


def _replayed(call: Call) -> list[Array] | None:
    """What the candidate's launches leave of exact inputs; None if nobody knows."""
    inputs = [entered(np.array(array)) for array in arrays_of(call.args)]
    device = Device(inputs, numbers="exact")
    for booked in call.device.launches:
        arrays: list[Array] = []
        for way, before in zip(booked.ways, booked.before, strict=True):
            moved = _moved(way, device.known(), before)
            if moved is None:
                return None
            arrays.append(moved)
        try:
            device.replay(booked, arrays)
        except (CudaTileError, ValueError):
            return None
    outputs: list[Array] = []
    for way, output in zip(call.ways, call.outputs, strict=True):
        moved = None if way is None else _moved(way, device.pool, output)
        if moved is None:
            return None
        outputs.append(moved)
    return outputs


def _moved(way: AnyWay | None, pool: dict[Place, Array], like: Array) -> Array | None:
    """An array as it came, of exact numbers; a fill keeps what it has.

    None where the host cast it: that has no meaning for elements.
    """
    if way is None:
        return entered(np.array(like))
    places = [pool.get(source) for source in way.sources]
    if any(p is None or (is_float(p.dtype) and p.dtype != like.dtype) for p in places):
        return None
    return way.apply(pool, like.shape, like.dtype)


def _compare(
    verdict: Verdict, mine: Array, theirs: Array, place: dict[str, Any], word: Word
) -> None:
    wrong = ~same_elements(entered(mine), entered(theirs))
    if not wrong.any():
        return
    element = [int(n) for n in np.argwhere(wrong)[0]]
    verdict.add(
        word,
        f"in exact numbers, where every order of sums gives the same, "
        f"{int(wrong.sum())} of {wrong.size} elements differ: terms are left out, "
        "added or weighed otherwise, and the tolerance hides that",
        **place,
        element=element,
    )
