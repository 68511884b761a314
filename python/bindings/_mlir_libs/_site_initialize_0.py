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


def _repr(self) -> str:
    """One line with the names of the kernels; `print` shows the text."""
    try:
        from cuda_tile.ir.walk import entries, entry_name

        names = ", ".join(f"@{entry_name(entry)}" for entry in entries(self.operation))
    except Exception:  # a module that was freed, or has lost its form
        names = ""
    return f"<Module {names}>" if names else "<Module without a kernel>"


def _called(self, *_args, **_choices):
    """Says how to run a kernel."""
    from cuda_tile.errors import UserError

    raise UserError(
        "expected cuda_tile.run(module, grid=(4,), args=[...]), or launch of what "
        "compile makes of it, got a call of the module"
    )


Module._repr_html_ = _repr_html_
Module.__repr__ = _repr
Module.__call__ = _called
