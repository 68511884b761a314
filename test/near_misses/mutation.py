# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a mutation works on, and the table of mutations.

A mutation changes one thing of a draft, at random, and says in a few words what; or it
says nothing where the program has no place for it. It need not keep the program legal:
the dialect's verifier and the interpreter judge that afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from differential_case import ArrayArgument, Case, ScalarArgument

import cuda_tile
from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import attributes_of, integers
from cuda_tile.ir.walk import block_ops, entries, nested_ops, op_stem

SEGMENTS = "operandSegmentSizes"


@dataclass
class Draft:
    """A program that mutations change.

    Attributes:
        case: How to run it; its text is that of the program before the mutations.
        module: The program.
        random: Where choices come from.
    """

    case: Case
    module: ir.Module
    random: Random

    @property
    def entry(self) -> ir.Operation:
        """The kernel."""
        return entries(self.module.operation)[0]

    def ops(self, *stems: str) -> list[ir.Operation]:
        """The kernel's ops of some names, or all."""
        found = nested_ops(self.entry)
        return [op for op in found if not stems or op_stem(op) in stems]

    def op(self, *stems: str) -> ir.Operation | None:
        """One of these, or None if there is none."""
        found = self.ops(*stems)
        return self.random.choice(found) if found else None

    def load(self, text: str) -> None:
        """Takes another text for the program.

        Raises:
            UserError: It is no valid module.
        """
        self.module = cuda_tile.load(text.encode())

    def finished(self) -> Case:
        """The case of the program as it is now."""
        return replace(self.case, body=str(self.module))

    # Arguments ------------------------------------------------------------------------

    def arrays(self) -> list[int]:
        """Numbers of the arguments that are arrays."""
        args = self.case.args
        return [n for n, arg in enumerate(args) if isinstance(arg, ArrayArgument)]

    def scalars(self) -> list[int]:
        """Numbers of the arguments that are numbers."""
        args = self.case.args
        return [n for n, arg in enumerate(args) if isinstance(arg, ScalarArgument)]

    def set_argument(
        self, number: int, argument: ArrayArgument | ScalarArgument
    ) -> None:
        """Gives the kernel another argument."""
        args = list(self.case.args)
        args[number] = argument
        self.case = replace(self.case, args=tuple(args))


Mutate = Callable[[Draft], str | None]
MUTATIONS: dict[str, Mutate] = {}
"""Mutations by the name of their kind; filled by the modules that have them."""


def mutation(kind: str) -> Callable[[Mutate], Mutate]:
    """Makes a function the mutation of a kind."""

    def add(mutate: Mutate) -> Mutate:
        MUTATIONS[kind] = mutate
        return mutate

    return add


# Values and ops -----------------------------------------------------------------------


def scope(op: ir.Operation) -> list[ir.Value]:
    """The values that an op may use: those made before it, here and around it."""
    found: list[ir.Value] = []
    at: ir.Operation | None = op
    while at is not None and at.name != "cuda_tile.module":
        block = at.block
        found += block.arguments
        for other in block_ops(block):
            if other == at:
                break
            found += other.results
        at = at.parent.operation if at.parent is not None else None
    return found


def rivals(op: ir.Operation, value: ir.Value) -> list[ir.Value]:
    """Other values of the same type that an op may use instead of one."""
    return [v for v in scope(op) if v.type == value.type and v != value]


def text_of(value: ir.Value) -> str:
    """The name of what makes a value, and its type."""
    owner = value.owner
    name = "an argument" if isinstance(owner, ir.Block) else op_stem(owner.operation)
    return f"{name}: {short(value.type)}"


def short(kind: ir.Type) -> str:
    """A type without the dialect's name."""
    return str(kind).replace("!cuda_tile.", "")


def segments(op: ir.Operation) -> dict[str, list[ir.Value]] | None:
    """The operands of an op by the names of the ODS; None without such segments."""
    if SEGMENTS not in op.attributes:
        return None
    operands, found, start = list(op.operands), dict[str, list[ir.Value]](), 0
    names = ods.ops()[op_stem(op)].operands
    for name, size in zip(names, integers(op, SEGMENTS), strict=True):
        found[name] = operands[start : start + size]
        start += size
    return found


def with_segments(
    op: ir.Operation, operands: Mapping[str, Sequence[ir.Value]]
) -> ir.Operation:
    """An op in place of another, with other operands for each name of the ODS."""
    sizes = ir.DenseI32ArrayAttr.get([len(values) for values in operands.values()])
    attributes = attributes_of(op) | {SEGMENTS: sizes}
    return with_operands(op, [v for vs in operands.values() for v in vs], attributes)


def with_operands(
    op: ir.Operation,
    operands: Sequence[ir.Value],
    attributes: dict[str, ir.Attribute] | None = None,
    name: str = "",
) -> ir.Operation:
    """An op without regions in place of another with results of the same types."""
    made = ir.Operation.create(
        name or op.name,
        results=[result.type for result in op.results],
        operands=list(operands),
        attributes=attributes_of(op) if attributes is None else attributes,
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
    return made


def uses_of(op: ir.Operation) -> Iterator[tuple[ir.Operation, int]]:
    """Where the results of an op are used: the op and the number of the operand."""
    for result in op.results:
        for use in result.uses:
            yield use.owner.operation, use.operand_number


def index_of(op: ir.Operation, value: ir.Value) -> int:
    """Number of the result that a value is."""
    return next(n for n, result in enumerate(op.results) if result == value)
