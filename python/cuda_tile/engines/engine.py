# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of a matrix engine: the unit that computes a product.

An engine is one object of `Engine`, a row of `registry.ENGINES`. Everything here is a
fact: numbers of an instruction, and reasons why it cannot compute something. The rules
by which passes lower an engine stand in their tables, under its name:

| table | question |
|---|---|
| `analysis.proposals.PROPOSALS` | how would it compute this product? |
| `analysis.product_registers.REGISTERS` | how many registers beside the live tiles? |
| `place.mma.FRAGMENTS` | which layouts have the sum, and operands in registers? |
| `stage.staging.STAGING` | how do its operands get where it reads them? |
| `emit.emitter.RULES` | which instructions is its op? by the op's name |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, Protocol

from cuda_tile.layout.atoms import AtomTypes, Scaling
from cuda_tile.layout.descriptors import WORDS_ACROSS
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass
from cuda_tile.targets import Target

Home = Literal["registers", "shared", "tensor"]
"""Where operands and sums may be: registers of threads, shared or tensor memory."""
Completion = Literal["at once", "group", "mbarrier"]
"""How the end of a product is known: it ends with its op, by a wait for groups in their
order, or by an mbarrier."""


class Atom(Protocol):
    """One instruction of an engine."""

    @property
    def name(self) -> str:
        """What plans and ops call it, such as "m16n8k16"."""
        ...

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N and K in elements."""
        ...

    @property
    def types(self) -> tuple[AtomTypes, ...]:
        """The element types that it takes."""
        ...

    @property
    def c(self) -> LinearLayout:
        """The layout of the sum: M x N, over the warps that issue it."""
        ...


@dataclass(frozen=True)
class Terms:
    """What is multiplied.

    Attributes:
        operand: Element type of A and B, as MLIR writes it.
        accumulator: Element type of the sum.
        extents: M, N and K.
        batch: Matrices; None where there is no batch dimension.
        scaling: The scale factors, if there are some.
        allows_short_sums: Whether the sum may have fewer bits than its type.
        ctas: CTAs that start it together, each with the rows and columns of a result of
            its own.
    """

    operand: str
    accumulator: str
    extents: tuple[int, int, int]
    batch: int | None = None
    scaling: Scaling | None = None
    allows_short_sums: bool = False
    ctas: int = 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        sides = self.extents[:2]
        return sides if self.batch is None else (self.batch, *sides)


@dataclass(frozen=True)
class Division:
    """How warps compute a product.

    Attributes:
        atom: The matrix instruction.
        warps_m: Parts into which warps divide the rows of the result.
        warps_n: Parts into which they divide its columns.
        warps_b: Parts into which they divide a batch.
        lhs: Where an instruction that reads shared memory by itself has its left
            operand, "shared" or "register".
        swap: 1 if its left operand is B^T: such instructions compute B^T A^T, the
            transpose.
    """

    atom: Atom
    warps_m: int
    warps_n: int
    warps_b: int = 1
    lhs: str = "shared"
    swap: int = 0


@dataclass(frozen=True)
class Reading:
    """The properties of a product that decide what its instructions read.

    Attributes:
        extents: M, N and K.
        operand_bits: Bits of an element of A and B.
        num_warps: Warps of the CTA.
        keeps_left: Whether A stays in the registers where it was computed.
    """

    extents: tuple[int, int, int]
    operand_bits: int
    num_warps: int
    keeps_left: bool


class Engine(ABC):
    """A matrix engine.

    Attributes:
        name: Its name in the tables of the passes.
        op: Mnemonic of the op of `tileas` that `stage` makes for it.
        left: Where A may be, where instructions read it.
        right: The same of B.
        sums: Where the sum may be.
        completion: How the end of a product is known.
        issuing_warps: Warps that have the sum of an instruction; they issue it
            together, or one thread does for them.
        is_issued_by_one: Whether one thread starts its instructions, which arrive at an
            mbarrier once they have read their operands.
        widths_across: Widths of elements of operands in shared memory, in bits, that
            may lie along M or N.
        may_swap: Whether it may compute the transpose B^T A^T.
        may_promote: Whether f32 may add partial sums between its instructions; not
            where each of its additions is one of f32 anyway.
    """

    name: str
    op: str
    left: tuple[Home, ...] = ("registers",)
    right: tuple[Home, ...] = ("registers",)
    sums: tuple[Home, ...] = ("registers",)
    completion: Completion = "at once"
    issuing_warps: int = 1
    is_issued_by_one: bool = False
    widths_across: tuple[int, ...] = WORDS_ACROSS
    may_swap: bool = False
    may_promote: bool = True

    @property
    def reads_shared(self) -> bool:
        """Whether its instructions read B from shared memory themselves."""
        return "shared" in self.right

    @property
    def runs_by_itself(self) -> bool:
        """Whether a product goes on after the op that starts it."""
        return self.completion != "at once"

    @property
    @abstractmethod
    def atom_names(self) -> tuple[str, ...]:
        """How a message lists its atoms."""

    @abstractmethod
    def find_atom(self, name: str) -> Atom | None:
        """Its instruction of a name; None if it has none."""

    def is_on(self, target: Target) -> bool:
        """Whether a chip has it, for some types; every chip by default."""
        del target
        return True

    @abstractmethod
    def refuse_chip(self, atom: Atom, terms: Terms, target: Target) -> str | None:
        """Why a chip has no such instruction: "expected ..., got ..."; None if it has.

        Args:
            atom: One of its atoms, which takes the element types.
            terms: The product.
            target: The chip.
        """

    def refuse_shape(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], swap: int = 0
    ) -> str | None:
        """What it expects of shape and division instead; None if it can compute them.

        Args:
            atom: The instruction.
            terms: The product.
            warps: Parts of rows and columns of the result, and of a batch if there
                are several.
            swap: 1 if it computes the transpose.
        """
        del atom, terms, warps, swap

    @abstractmethod
    def promotion(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], target: Target
    ) -> int:
        """Elements along K after which a partial sum is added to the sum; 0 for never.

        Asked where sums are short and the product does not allow it.

        Args:
            atom: The instruction.
            terms: The types and extents of the product.
            warps: Parts into which warps divide rows, columns and a batch.
            target: The chip.
        """

    def may_lie_across(self, atom: Atom) -> tuple[int, ...]:
        """Those of `widths_across` that an instruction reads so.

        Args:
            atom: The instruction.
        """
        del atom
        return self.widths_across

    def rows_read(self, atom: Atom) -> tuple[int, int]:
        """Rows of A and columns of B that an instruction reads in a CTA's memory."""
        return atom.shape[:2]

    def warp_step(self, atom: Atom) -> tuple[int, int]:
        """Rows and columns of the result that a warp has of one instruction."""
        rows, columns, _ = atom.shape
        return rows // max(1, self.issuing_warps), columns

    def slowdown(self, target: Target, atom: Atom | None = None) -> float:
        """Its time per multiply-add, of the best that the chip can do.

        Args:
            target: The chip.
            atom: The instruction; None for the usual one.
        """
        del target, atom
        return 1

    @abstractmethod
    def shared_bytes_read(self, reading: Reading, division: Division) -> int:
        """Bytes of shared memory that are read for one product, by all warps.

        Args:
            reading: The properties of the product.
            division: How warps divide it.
        """

    def least_registers(self, division: Division, sum_bits: int) -> int:
        """Registers that a thread must be launched with for one instruction.

        Args:
            division: How the product is computed.
            sum_bits: Bits of an element of the sum.
        """
        del division, sum_bits
        return 0
