# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX of atomic updates: `atom`, `red`, and loops of compare-and-swap.

A form updates one vector, the words of a `Run`. All forms are in global memory. Masked
and predicated forms are inline PTX, as are loads and stores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.vectors import (
    Run,
    from_carrier,
    guarded_effect,
    slots_text,
    to_carrier,
)

Words = Sequence[ir.Value]


@dataclass(frozen=True)
class Guarded:
    """Where an update goes, and whether this thread makes it.

    Attributes:
        address: Address of the first element, aligned to the vector.
        allowed: Predicate, None for always.
        order: Modifiers `.sem.scope`.
    """

    address: ir.Value
    allowed: ir.Value | None
    order: str


_INTEGER_TYPES = {"max": "s", "min": "s", "umax": "u", "umin": "u", "add": "u"}
_REDUCTION_ORDERS = (".relaxed", ".release")


def operation_text(mode: str, run: Run) -> str:
    """Operation and type of a mode, such as `add.noftz.f16x2` (PTX ISA, "atom").

    Args:
        mode: The mode of the atomic, such as `add`.
        run: How elements travel.
    """
    element = str(run.element)
    if mode == "addf":
        kind = element + ("x2" if run.word_elements == 2 else "")
        rounding = ".noftz" if run.bits == 16 else ""
        vector = f".v{run.words}" if run.words > 1 else ""
        return f"add{rounding}{vector}.{kind}"
    name = {"xchg": "exch"}.get(mode, mode.removeprefix("u"))
    return f"{name}.{_INTEGER_TYPES.get(mode, 'b')}{run.bits}"


def atom(
    b: Builder,
    run: Run,
    operation: str,
    where: Guarded,
    operands: Sequence[Words],
    otherwise: Words | None = None,
) -> list[ir.Value]:
    """`atom`: updates memory and gives the old words.

    Args:
        b: Where to build.
        run: The vector.
        operation: Operation and type, as `operation_text` gives it.
        where: Address and predicate.
        operands: Words of each operand.
        otherwise: The words to give where nothing is updated; zeros by default.
    """
    carrier, n = run.carrier, run.words
    columns = [[to_carrier(b, run, word) for word in words] for words in operands]
    target, _ = slots_text(0, n)
    inputs: list[ir.Value] = [v for column in columns for v in column]
    texts = [slots_text(n * (i + 1), n)[0] for i in range(len(columns))]
    address = n * (len(columns) + 1)
    inputs.append(where.address)
    text = f"atom{where.order}.global.{operation} {target}, [${address}], "
    text += ", ".join(texts) + ";"
    if where.allowed is not None:
        inputs.append(where.allowed)
        lines: list[str] = []
        at = address + 2
        for i in range(n):
            source = "0"
            if otherwise is not None:
                inputs.append(to_carrier(b, run, otherwise[i]))
                source = f"${at + i}"
            lines.append(f"mov.b{run.word_bits} ${i}, {source};")
        text = "\n\t".join([*lines, f"@${address + 1} {text}"])
    is_early = where.allowed is not None
    old = b.ptx(text, [carrier] * n, *inputs, has_effect=True, is_early=is_early)
    return [from_carrier(b, run, value) for value in old]


def has_reduction(operation: str, order: str) -> bool:
    """Whether `red` has the form: no exchange, and nothing acquired.

    Args:
        operation: The operation, such as `add`.
        order: The memory order, such as `relaxed`.
    """
    return not operation.startswith("exch") and order.startswith(
        tuple(f"{known}." for known in _REDUCTION_ORDERS)
    )


def red(b: Builder, run: Run, operation: str, where: Guarded, words: Words) -> None:
    """`red`: updates memory and gives nothing.

    Args:
        b: Where to build.
        run: How elements travel.
        operation: The operation and its type, as `operation_text` gives them.
        where: Address, predicate and order.
        words: The words that are combined with memory.
    """
    carriers = [to_carrier(b, run, word) for word in words]
    text = f"red{where.order}.global.{operation}"
    guarded_effect(b, text, where.address, where.allowed, carriers)


def swap_loop(
    b: Builder, run: Run, where: Guarded, change: Callable[[ir.Value], ir.Value]
) -> ir.Value:
    """Updates one word, of 16 bits or more, by compare-and-swap until it succeeds.

    Args:
        b: Where to build; goes on in the block behind the loop.
        run: A vector of one word.
        where: Address and predicate.
        change: Makes the new word of the old one.

    Returns:
        The old word; zero where nothing is updated.
    """
    bits, carrier = run.word_bits, run.carrier
    plain = Guarded(where.address, None, where.order)
    first, again, done = b.block(), b.block([carrier]), b.block([carrier])
    if where.allowed is None:
        b.branch(first)
    else:
        zero = b.constant(carrier, 0)
        b.branch_if(where.allowed, first, done, no_values=[zero])
    b.enter(first)
    scope = where.order.rpartition(".")[2]
    text = f"ld.relaxed.{scope}.global.b{bits} $0, [$1];"
    (seen,) = b.ptx(text, [carrier], where.address, has_effect=True)
    b.branch(again, [seen])
    b.enter(again)
    expected = again.arguments[0]
    new = to_carrier(b, run, change(from_carrier(b, run, expected)))
    raw = Run(carrier, bits, 1)
    (old,) = atom(b, raw, f"cas.b{bits}", plain, [[expected], [new]])
    same = b.icmp("eq", old, expected)
    b.branch_if(same, done, again, [old], [old])
    b.enter(done)
    return from_carrier(b, run, done.arguments[0])
