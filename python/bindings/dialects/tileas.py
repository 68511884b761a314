# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tileas dialect: generated op classes and the types of tileas."""

from .._mlir_libs._cuda_tile import BufferType, PendingType, RingType
from ._tileas_ops_gen import *
from ._tileas_ops_gen import _Dialect as Dialect
