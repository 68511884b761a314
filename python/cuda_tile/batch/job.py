# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One kernel for one chip: what is to be done, and what became of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile.errors import InternalError, UserError
from cuda_tile.files import MAGIC
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options

Status = Literal["compiled", "cached", "refused", "failed", "time", "unwritten"]
"""`refused`: an error that the user can mend. `failed`: a bug of the compiler, or its
process ended, as at the limit of memory. `time`: the limit of time. `unwritten`:
compiled, but the file could not be written."""


@dataclass(frozen=True)
class Job:
    """A file to compile for one chip.

    Attributes:
        number: Its place in the list of jobs.
        path: The kernel file, as the user named it.
        data: The file's bytes.
        form: What to make.
        options: Choices of the compilation.
        output: Where that goes.
        is_here: Whether the process that compiles can read `path`.
        problem: Why the file cannot be read; empty if it was.
    """

    number: int
    path: Path
    data: bytes
    form: api.Emit
    options: Options
    output: Path
    is_here: bool = True
    problem: str = ""

    @property
    def is_text(self) -> bool:
        """Whether the file is MLIR text, whose locations name the file."""
        return not self.data.startswith(MAGIC)

    @property
    def choices(self) -> str:
        """What decides the product beside the file's bytes, for the cache."""
        named = str(self.path) if self.is_text else ""  # which is in the line table
        return json.dumps([self.form, asdict(self.options), named], sort_keys=True)

    def load(self) -> ir.Module:
        """The module.

        Raises:
            UserError: The file is none, or has no kernel that could be compiled.
        """
        module = api.load(self.path if self.is_here else self.data)
        if self.form in ("ptx", "cubin") and not entries(module.operation):
            raise UserError(f"expected a kernel in '{self.path}', got none")
        return module

    def make(self) -> Product:
        """Compiles in this process.

        Raises:
            CudaTileError: The program, a choice or the compiler is at fault.
        """
        module = self.load()
        if self.form not in ("ptx", "cubin"):
            made = api.translate(module, self.form, options=self.options)
            return Product(made.encode() if isinstance(made, str) else made)
        is_cubin = self.form == "cubin"
        compiled = api.compile(module, options=self.options, cubin=is_cubin)
        return product_of(compiled, compiled.cubin if is_cubin else None)


@dataclass(frozen=True)
class Product:
    """What a compilation made.

    Attributes:
        data: PTX, a cubin or the text of a level.
        kernels: What `KernelReport.data` says of each; empty where no cubin was made.
        warnings: What ptxas warned of.
        steps: CPU seconds of each step; empty from the cache.
    """

    data: bytes
    kernels: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
    steps: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Refusal:
    """Why there is no product.

    Attributes:
        status: `refused`, `failed` or `time`.
        message: One sentence, with its place in the source.
    """

    status: Status
    message: str


def product_of(compiled: api.Compiled, cubin: bytes | None) -> Product:
    """The product of a compilation.

    Args:
        compiled: What it made.
        cubin: The machine code; None for PTX.
    """
    report = compiled.report
    kernels = tuple(kernel.data() for kernel in report.kernels)
    data = compiled.ptx.encode() if cubin is None else cubin
    return Product(data, kernels, report.warnings, report.seconds)


Answer = Product | Refusal


@dataclass(frozen=True)
class Outcome:
    """What became of a job.

    Attributes:
        file: The kernel file.
        gpu: The chip.
        status: How it ended.
        seconds: Wall time that it took.
        output: The file that was written; None without one.
        message: The error; empty without one.
        kernels: As of `Product`.
        warnings: As of `Product`.
        steps: As of `Product`.
    """

    file: str
    gpu: str
    status: Status
    seconds: float
    output: str | None = None
    message: str = ""
    kernels: tuple[dict[str, Any], ...] = field(default=())
    warnings: tuple[str, ...] = ()
    steps: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def is_good(self) -> bool:
        """Whether the file is there."""
        return self.status in ("compiled", "cached")


def perform(job: Job) -> Answer:
    """Compiles in this process; errors become a refusal."""
    try:
        return job.make()
    except InternalError as error:
        return Refusal("failed", f"internal error: {error}")
    except UserError as error:
        return Refusal("refused", str(error))
    except MemoryError:
        return Refusal("failed", "out of memory (--memory-limit)")
    except Exception as error:
        return Refusal("failed", f"internal error: {type(error).__name__}: {error}")
