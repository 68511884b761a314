# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands: they parse arguments, call the API, and print text and exit codes."""

import gc
import os
import signal
import sys

# Products of tiles are small: BLAS threads cost more than they gain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def is_command() -> bool:
    """Whether this process is one of the commands."""
    return os.path.basename(sys.argv[0] if sys.argv else "").startswith(
        ("cuda-tile-", "tileiras")
    )


if is_command():
    # What is imported stays: looking through it for garbage costs a tenth of the time.
    # `failure.reports_errors` turns the collector on.
    gc.disable()

if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Ctrl-C while modules are imported ends the command without a traceback;
    # `failure.reports_errors` gives it back to Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
