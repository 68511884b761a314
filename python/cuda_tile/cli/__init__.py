"""The commands: arguments in, text and exit codes out, nothing else."""

import os

# Products of tiles are small: on shared cores BLAS threads cost more than they give.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
