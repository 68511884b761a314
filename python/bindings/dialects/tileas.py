"""The tileas dialect: generated op classes and the buffer type."""

from .._mlir_libs._cuda_tile import BufferType
from ._tileas_ops_gen import *
from ._tileas_ops_gen import _Dialect as Dialect
