# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact arithmetic for the judges: floats as elements of a finite ring.

Sums and products of elements are exact, so any order of them gives the same bits, and a
term too many, too few or at the wrong place shows. docs/exact.md has the laws that hold
and those that do not. Interpreter and emulator share this package, and nothing else.
"""

from cuda_tile.exact.arrays import enter as enter
from cuda_tile.exact.arrays import entered as entered
from cuda_tile.exact.formats import from_bits as from_bits
from cuda_tile.exact.formats import narrow as narrow
from cuda_tile.exact.formats import widen as widen
from cuda_tile.exact.ring import MODULUS as MODULUS
from cuda_tile.exact.ring import element_of as element_of
from cuda_tile.exact.ring import of_integers as of_integers
