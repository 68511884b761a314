# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`wgmma`: four warps start a product, which reads shared memory by itself.

Shapes, element types and fragments are in layout/wgmma.py.
"""

from __future__ import annotations

from cuda_tile.engines.engine import Atom, Division, Engine, Reading, Terms
from cuda_tile.engines.short_sums import PROMOTED_ELEMENTS
from cuda_tile.errors import InternalError
from cuda_tile.layout.wgmma import WARPGROUP_WARPS, WgmmaAtom, wgmma_atom
from cuda_tile.targets import Target

_ARCH = "sm_90a"
"""The only target that has it (PTX ISA, "wgmma.mma_async")."""


class Wgmma(Engine):
    """The tensor cores of sm_90, as warpgroups use them."""

    name = op = "wgmma"
    left = ("shared", "registers")
    right = ("shared",)
    completion = "group"
    issuing_warps = WARPGROUP_WARPS
    may_swap = True

    @property
    def atom_names(self) -> tuple[str, ...]:
        """How a message lists its atoms."""
        return ("m64 n k",)

    def find_atom(self, name: str) -> WgmmaAtom | None:
        """Its instruction of a name; None if it has none."""
        return wgmma_atom(name)

    def is_on(self, target: Target) -> bool:
        """Whether a chip has it."""
        return target.arch == _ARCH

    def refuse_chip(self, atom: Atom, terms: Terms, target: Target) -> str | None:
        """Why a chip has no such instruction; None if it has."""
        del terms
        if self.is_on(target):
            return None
        return f"expected a target {_ARCH} for atom {atom.name}, got {target.name}"

    def refuse_shape(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], swap: int = 0
    ) -> str | None:
        """What it expects of shape and division instead; None if it can compute them.

        Whole instructions divide what a warpgroup has of the result; only matrices
        without scale factors are multiplied.
        """
        if terms.scaling is not None or terms.batch is not None:
            return "a matrix product without scale factors"
        how = " where swap = 1" if swap else ""
        if warps[swap] % WARPGROUP_WARPS:
            which = ("warps_m", "warps_n")[swap]
            return f"a {which} that {WARPGROUP_WARPS} divides{how}"
        *sides, depth = terms.extents
        m, n, k = atom.shape
        rows, columns = sides[swap] * WARPGROUP_WARPS, sides[1 - swap]
        part = (rows // warps[swap], columns // warps[1 - swap], depth)
        if any(size < step for size, step in zip(part, (m, n, k), strict=True)):
            least = f"{n} x {m}" if swap else f"{m} x {n}"
            return f"at least {least} x {k} for each warpgroup{how}"
        return None if len(warps) == 2 else "no warps_b"

    def promotion(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], target: Target
    ) -> int:
        """Elements along K after which a partial sum is added to the sum."""
        del atom, terms, warps, target
        return PROMOTED_ELEMENTS

    def shared_bytes_read(self, reading: Reading, division: Division) -> int:
        """Each instruction reads its rows, unless registers hold them, and columns."""
        m, n, k = reading.extents
        m, n = (n, m) if division.swap else (m, n)
        step_m, step_n, _ = division.atom.shape
        rows = 0 if division.lhs == "register" else step_m
        elements = (m // step_m) * (n // step_n) * k * (rows + step_n)
        read = elements * reading.operand_bits // 8
        if not rows and not reading.keeps_left:
            read += groups_of(division)[1] * m * k  # which threads bring
        return read

    def least_registers(self, division: Division, sum_bits: int) -> int:
        """Registers that a thread must be launched with for one instruction."""
        atom = as_wgmma(division.atom)
        return atom.least_registers(sum_bits, is_left_held=division.lhs == "register")


WGMMA = Wgmma()


def as_wgmma(atom: Atom) -> WgmmaAtom:
    """An atom of this engine.

    Raises:
        InternalError: It is one of another engine.
    """
    if isinstance(atom, WgmmaAtom):
        return atom
    raise InternalError(f"expected an atom of a warpgroup, got {atom.name}")


def groups_of(division: Division) -> tuple[int, int]:
    """How warpgroups divide what they compute, as `tile_wgmma` takes it."""
    warps = division.warps_m, division.warps_n
    rows, columns = reversed(warps) if division.swap else warps
    return rows // WARPGROUP_WARPS, columns
