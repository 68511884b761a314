# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands: they parse arguments, call the API, and print text and exit codes."""

import os

# Products of tiles are small: BLAS threads cost more than they gain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
