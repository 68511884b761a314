# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that Triton compiles for a benchmark: a SPEC for each, and a script.

tools/oracle/triton_ptx.py installs Triton; the scripts are test/ptx/triton/make_*.py,
each of which says what its SPECs are. What was compiled before is not compiled again.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cuda_tile.codegen.ptxas import assemble

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "oracle"))

import triton_ptx
from triton_kernels import Kernel

CACHE = Path(__file__).resolve().parent.parent / "build" / "oracle" / "specs"


@dataclass(frozen=True)
class Assembled:
    """Triton's kernel for one chip.

    Attributes:
        kernel: Its PTX and launch parameters.
        registers, spill_bytes: Per thread, of ptxas; bytes of loads and stores.
        warnings: How many ptxas gave, such as C7510 (products serialised).
    """

    kernel: Kernel
    registers: int
    spill_bytes: int
    warnings: int


def compile_specs(script: str, specs: Iterable[str]) -> None:
    """Has Triton compile what was not compiled before."""
    CACHE.mkdir(parents=True, exist_ok=True)
    pairs = [(spec, _file_of(script, spec)) for spec in specs]
    words = [word for spec, path in pairs if not path.exists() for word in (spec, path)]
    if words:
        command = [triton_ptx.python(), triton_ptx.KERNELS / script, *words]
        subprocess.run(command, check=True)


def triton_kernel(script: str, spec: str) -> Assembled | None:
    """A kernel of Triton, compiled and assembled; None where Triton makes none."""
    compile_specs(script, [spec])
    text = _file_of(script, spec).read_text()
    if not text:
        return None
    meta = json.loads(text.partition("\n")[0].removeprefix("// "))
    kernel = Kernel(spec, text, meta)
    made = assemble(text, kernel.target)
    (resources,) = made.resources.values()
    spills = resources.spill_store_bytes + resources.spill_load_bytes
    return Assembled(kernel, resources.registers, spills, len(made.warnings))


def _file_of(script: str, spec: str) -> Path:
    return CACHE / f"{Path(script).stem}-{re.sub('[: /]', '-', spec)}.ptx"
