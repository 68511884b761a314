"""Before any test module: small matrix products in one thread each."""

import os

# NumPy's BLAS starts threads that spin while several test processes share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
