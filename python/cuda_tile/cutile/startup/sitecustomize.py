# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python imports this at the start of processes that a program run here starts.

The folder stands first in their PYTHONPATH. Whatever else is called `sitecustomize`
there still runs.
"""

import os
import sys
from importlib import import_module

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_other() -> None:
    ours = sys.modules.pop("sitecustomize", None)
    paths = sys.path[:]
    sys.path[:] = [path for path in paths if os.path.abspath(path) != _HERE]
    try:
        import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        if ours is not None:
            sys.modules["sitecustomize"] = ours
    finally:
        sys.path[:] = paths


_run_the_other()
if "CUDA_TILE_CUTILE" in os.environ:
    # Loaded when cuTile is: processes that do not use it start as fast as ever.
    from cuda_tile.cutile.startup_hook import install_before_cutile

    install_before_cutile()
