# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`mma.sync`: a warp multiplies what its registers hold, and is done with its op.

Shapes, element types and fragments are in layout/atoms.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda_tile.constants import TENSOR_WARP_SLOWDOWN, WARP_SLOWDOWN
from cuda_tile.engines.engine import Atom, Division, Engine, Reading, Terms
from cuda_tile.engines.short_sums import PROMOTED_ELEMENTS, SHORT_SUMS, pieces_of_sums
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.engines.wgmma import WGMMA
from cuda_tile.layout.atoms import MMA_ATOMS, MmaAtom, find_types
from cuda_tile.targets import Target

_F16_CAPABILITIES = range(90, 120)
"""There `mma.sync` of 8-bit floats is one of f16, whose sums are not short: ptxas 13.5
makes HMMA of it on sm_90, sm_100, sm_103 and sm_110, QMMA on sm_89, sm_120, sm_121."""


class WarpEngine(Engine):
    """An engine whose warps multiply what their registers hold.

    Args:
        name: Its name.
        atoms: Its instructions by name; where several would do, the first is best.
    """

    op = "mma_sync"

    def __init__(self, name: str, atoms: Mapping[str, MmaAtom]) -> None:
        self.name = name
        self.atoms = atoms

    @property
    def atom_names(self) -> tuple[str, ...]:
        """How a message lists its atoms."""
        return tuple(self.atoms)

    def find_atom(self, name: str) -> MmaAtom | None:
        """Its instruction of a name; None if it has none."""
        return self.atoms.get(name)

    def refuse_chip(self, atom: Atom, terms: Terms, target: Target) -> str | None:
        """Why a chip has no such instruction; None if it has."""
        row = find_types(atom.types, terms.operand, terms.accumulator)
        if row is None:
            return f"expected an atom for {terms.operand}, got {atom.name}"
        if target.capability < row.first_capability:
            return (
                f"expected a chip from sm_{row.first_capability} on for atom "
                f"{atom.name} of {terms.operand}, got {target.name}"
            )
        applied = self.atoms[atom.name].scalings
        is_missing = row.is_family and not target.is_family
        if is_missing or (applied and terms.scaling not in applied):
            scalings = " or ".join(f"{n} of {kind}" for kind, n in applied)
            return (
                f"expected a target such as sm_{row.first_capability}a and scale "
                f"factors for {scalings} for atom {atom.name}, got {target.name} and "
                f"{terms.scaling}"
            )
        return None

    def promotion(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], target: Target
    ) -> int:
        """Elements along K after which a partial sum is added to the sum.

        Partial sums of warps are a tile of their own, cut into pieces where it is
        large. Where it cannot be cut, each instruction begins a partial sum of its own:
        that takes no registers, and more additions.
        """
        # promotion C2, C5
        if terms.scaling is not None or not has_short_sums(atom, terms, target):
            return 0
        pieces = pieces_of_sums(terms.shape, warps, atom)
        return PROMOTED_ELEMENTS if pieces else atom.shape[2]

    def slowdown(self, target: Target, atom: Atom | None = None) -> float:
        """Its time per multiply-add, of the best that the chip can do.

        Args:
            target: The chip.
            atom: The instruction.
        """
        del atom
        if TCGEN05.is_on(target):
            return TENSOR_WARP_SLOWDOWN
        return WARP_SLOWDOWN if WGMMA.is_on(target) else 1

    def shared_bytes_read(self, reading: Reading, division: Division) -> int:
        """Each warp reads its rows of A, unless they stay there, and columns of B."""
        m, n, k = reading.extents
        rows = 0 if reading.keeps_left else m // division.warps_m
        read = reading.num_warps * k * (rows + n // division.warps_n)
        return read * reading.operand_bits // 8


def widens_small_floats(target: Target) -> bool:
    """Whether ptxas 13.5 widens 8-bit floats in registers to multiply them by warps.

    That was tried on sm_90 alone; see `_F16_CAPABILITIES`.
    """
    return target.arch == "sm_90a"


def has_short_sums(atom: Atom, terms: Terms, target: Target) -> bool:
    """Whether an instruction of a warp adds a product with fewer bits than f32 has.

    Args:
        atom: The instruction.
        terms: The types and extents of the product.
        target: The chip.
    """
    types = terms.operand, terms.accumulator
    row = find_types(atom.types, *types)
    is_f16 = target.capability in _F16_CAPABILITIES
    return (
        types in SHORT_SUMS
        and row is not None
        and row.computed_as == types[0]
        and not is_f16
    )


MMA_SYNC = WarpEngine(
    "mma_sync", {name: atom for name, atom in MMA_ATOMS.items() if atom.is_instruction}
)
