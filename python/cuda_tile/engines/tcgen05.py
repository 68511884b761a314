# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tcgen05`: one thread starts a product of shared memory into tensor memory.

Shapes, element types and places are in layout/tensor.py. Sums of 8-bit floats are not
promoted: no source reports short ones for these instructions.
"""

from __future__ import annotations

from cuda_tile.engines.engine import Atom, Division, Engine, Reading, Terms
from cuda_tile.errors import InternalError
from cuda_tile.layout.descriptors import BYTES_ACROSS
from cuda_tile.layout.tensor import (
    TENSOR_COLUMNS,
    TENSOR_ROWS,
    TENSOR_WARPS,
    TensorAtom,
    find_tensor_atom,
    kind_of,
    tensor_atom,
)
from cuda_tile.targets import Target


class Tcgen05(Engine):
    """The tensor cores of sm_100, sm_103 and sm_110."""

    name = op = "tcgen05"
    left = right = ("shared",)
    sums = ("tensor",)
    completion = "mbarrier"
    issuing_warps = TENSOR_WARPS
    is_issued_by_one = True
    widths_across = BYTES_ACROSS
    may_promote = False

    @property
    def atom_names(self) -> tuple[str, ...]:
        """How a message lists its atoms."""
        return ("tcgen05.m n k",)

    def find_atom(self, name: str) -> TensorAtom | None:
        """Its instruction of a name; None if it has none."""
        return tensor_atom(name)

    def is_on(self, target: Target) -> bool:
        """Whether a chip has it, for some types."""
        return bool(target.tensor_kinds)

    def refuse_chip(self, atom: Atom, terms: Terms, target: Target) -> str | None:
        """Why a chip has no such instruction; None if it has.

        Args:
            atom: The instruction.
            terms: The types and extents of the product.
            target: The chip.
        """
        found = as_tensor_atom(atom)
        if (terms.scaling or None) not in (found.scalings or (None,)):
            scalings = " or ".join(f"{n} of {kind}" for kind, n in found.scalings)
            return (
                f"expected scale factors for {scalings or 'none'} for atom "
                f"{atom.name}, got {terms.scaling}"
            )
        if found.ctas != terms.ctas:
            return (
                f"expected an instruction of {terms.ctas} CTAs, as all of the kernel, "
                f"got {atom.name}"
            )
        kind = kind_of(terms.operand, found.suffix)
        if kind in target.tensor_kinds:
            return None
        return (
            f"expected a target with kind {kind} of tcgen05 for atom {atom.name}, got "
            f"{target.name}"
        )

    def refuse_shape(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], swap: int = 0
    ) -> str | None:
        """What it expects of shape and division instead; None if it can compute them.

        Sums come to registers as `layout.tensor.tensor_sums` has them.

        Args:
            atom: The instruction.
            terms: The types and extents of the product.
            warps: Parts into which warps divide rows and columns.
            swap: 0, since it computes no transpose.
        """
        del swap
        if terms.batch is not None or len(warps) != 2:
            return "a matrix product, not a batch of them"
        if any(n < step for n, step in zip(terms.extents, atom.shape, strict=True)):
            return f"at least {' x '.join(map(str, atom.shape))}"
        groups, rest = divmod(warps[0] * warps[1], TENSOR_WARPS)
        if rest or not groups:
            return f"a number of warps that {TENSOR_WARPS} divides"
        rows = TENSOR_WARPS * min(groups, terms.extents[0] // atom.shape[0])
        if warps[0] != rows:
            return f"a warps_m of {rows}"
        if terms.extents[1] // warps[1] < TENSOR_COLUMNS[0]:
            return f"{TENSOR_COLUMNS[0]} columns or more for each warp"
        return None

    def promotion(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], target: Target
    ) -> int:
        """Elements along K after which a partial sum is added to the sum: never.

        Args:
            atom: The instruction.
            terms: The types and extents of the product.
            warps: Parts into which warps divide rows, columns and a batch.
            target: The chip.
        """
        del atom, terms, warps, target
        return 0

    def best_atom(self, terms: Terms, target: Target) -> TensorAtom | None:
        """The instruction of the most rows and columns for a product; None without.

        Args:
            terms: The types and extents of the product.
            target: The chip.
        """
        rows, columns, depth = terms.extents
        if not self.is_on(target) or terms.batch is not None:
            return None
        if rows < TENSOR_ROWS[0] or columns < TENSOR_COLUMNS[0]:
            return None
        types = terms.operand, terms.accumulator
        atom = find_tensor_atom(*types, rows, columns, terms.scaling, terms.ctas)
        if terms.ctas > 1 and columns > TENSOR_COLUMNS[-1]:
            return None  # halves of B would be columns of other instructions
        if atom is None or depth < atom.shape[2]:
            return None
        return None if self.refuse_chip(atom, terms, target) else atom

    def may_lie_across(self, atom: Atom) -> tuple[int, ...]:
        """None where a byte has two elements, which are neighbours along K.

        Args:
            atom: The instruction.
        """
        return () if as_tensor_atom(atom).packed > 1 else self.widths_across

    def rows_read(self, atom: Atom) -> tuple[int, int]:
        """Rows of A and columns of B: of the latter a CTA of a pair has half."""
        return atom.shape[0], as_tensor_atom(atom).own_columns

    def slowdown(self, target: Target, atom: Atom | None = None) -> float:
        """Its time per multiply-add: 64 rows take as long as 128.

        Two elements that share a byte take as long as one that fills it.

        Args:
            target: The chip.
            atom: The instruction.
        """
        del target
        if atom is None:
            return 1
        return TENSOR_ROWS[-1] / atom.shape[0] / as_tensor_atom(atom).packed

    def shared_bytes_read(self, reading: Reading, division: Division) -> int:
        """Each instruction reads its rows and its columns, those of this CTA.

        Args:
            reading: The properties of the product.
            division: How the product is computed.
        """
        m, n, k = reading.extents
        rows, columns, _ = division.atom.shape
        read = sum(self.rows_read(division.atom))
        elements = (m // rows) * (n // columns) * k * read
        packed = as_tensor_atom(division.atom).packed
        return elements * reading.operand_bits // 8 // packed


TCGEN05 = Tcgen05()


def as_tensor_atom(atom: Atom) -> TensorAtom:
    """An atom of this engine.

    Raises:
        InternalError: It is one of another engine.
    """
    if isinstance(atom, TensorAtom):
        return atom
    raise InternalError(f"expected an atom of tensor memory, got {atom.name}")
