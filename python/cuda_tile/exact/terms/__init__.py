# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms in place of floats: what a kernel stores, for all data at once."""

from cuda_tile.exact.terms.algebra import Terms as Terms
from cuda_tile.exact.terms.forms import LAWS as LAWS
from cuda_tile.exact.terms.table import TermsFull as TermsFull
