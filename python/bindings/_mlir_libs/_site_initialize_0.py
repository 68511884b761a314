# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What MLIR's bindings do for every `Context` of this package.

Upstream's `_mlir_libs/__init__.py` looks for this module by name.
"""

# pyright: reportMissingModuleSource=false

from . import _cuda_tile
from ._mlir.ir import Module
from ._mlir.passmanager import PassManager

register_dialects = _cuda_tile.register_dialects

# Passes written in Python run under the interpreter lock, which `PassManager.run`
# holds: a worker thread that wants the lock would wait for it for ever.
disable_multithreading = True

_cuda_tile.register_passes()
_run_in_cpp = PassManager.run


def _run(self, *args, **kwargs):
    """Runs the pipeline; an exception of a Python pass comes out as itself."""
    try:
        _run_in_cpp(self, *args, **kwargs)
    except Exception as failure:
        cause = _cuda_tile.take_pass_exception()
        if cause is None:
            raise
        raise cause from failure


PassManager.run = _run


def _repr_html_(self) -> str:
    """What notebooks show of a module; pictures are imported on the first look."""
    from cuda_tile.pictured import html_of

    return html_of(self)


Module._repr_html_ = _repr_html_
