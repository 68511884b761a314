# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the same kernel as Triton compiles it: same tiles, promises and arguments.

Triton's launcher promises what it finds: arrays that begin at multiples of 16 bytes and
integers that are multiples of 16, as cuTile does. PTX is kept under build/oracle/zoo by
the text of its source.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cuda_tile.codegen.ptxas import assemble
from cuda_tile.emulator import parse
from cuda_tile.emulator.bounds.slots import machine_code
from cuda_tile.targets import find_target

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "ptx"))
sys.path.insert(0, str(ROOT / "tools" / "oracle"))

import triton_ptx  # noqa: E402 - a helper, found by its folder
from triton_kernels import Kernel, Problem  # noqa: E402

from zoo.case import Array, Case, Launch  # noqa: E402

CACHE = ROOT / "build" / "oracle" / "zoo"
SOURCES = Path(__file__).resolve().parent / "triton"
TYPES = {
    "int8": "i8",
    "uint8": "u8",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8e4nv",
}
"""Triton's names of NumPy's types."""


@dataclass(frozen=True)
class Ran:
    """What a launch of Triton's kernel did.

    Attributes:
        launch: Its arrays hold the results.
        report: The emulator's.
        kernel: PTX and launch parameters.
        registers, spill_bytes: Per thread, of ptxas.
    """

    launch: Launch
    report: Any
    kernel: Kernel
    registers: int
    spill_bytes: int


def _arguments(case: Case, launch: Launch) -> list[Any]:
    arrays: list[Array] = [x for x in launch.values if isinstance(x, np.ndarray)]
    numbers = launch.values[len(arrays) :]
    return [*arrays, *map(np.int32, case.extents(*arrays)), *numbers]


def _type(value: Any) -> str:
    name = TYPES[np.asarray(value).dtype.name]
    return f"*{name}" if isinstance(value, np.ndarray) else name


def spec(case: Case, gpu: str) -> str:
    """What Triton is asked for, as JSON."""
    args = _arguments(case, case.launch())
    is_even = [
        isinstance(arg, np.ndarray)
        or (np.asarray(arg).dtype.kind in "iu" and int(arg) % 16 == 0)
        for arg in args
    ]
    wanted = {
        "field": case.field,
        "function": case.kernel._pyfunc.__name__,
        "types": " ".join(map(_type, args)),
        "even": is_even,
        "constants": dict(case.sizes),
        "options": {"num_warps": case.warps, "num_stages": case.stages},
        "target": int(gpu.removeprefix("sm_")),
    }
    return json.dumps(wanted)


def _file_of(case: Case, text: str) -> Path:
    source = (SOURCES / f"{case.field}.py").read_text() + text
    key = hashlib.sha256(source.encode()).hexdigest()[:16]
    return CACHE / f"{case.name}-{key}.ptx"


def compile_all(cases: Iterable[Case], gpus: Iterable[str]) -> None:
    """Has Triton compile what was not compiled before, in one process."""
    CACHE.mkdir(parents=True, exist_ok=True)
    chips = list(gpus)
    texts = [(case, spec(case, gpu)) for case in cases for gpu in chips]
    pairs = [(text, str(_file_of(case, text))) for case, text in texts]
    missing = [word for pair in pairs if not Path(pair[1]).exists() for word in pair]
    if missing:
        command = [str(triton_ptx.python()), str(SOURCES / "make_zoo.py"), *missing]
        subprocess.run(command, check=True)


def run(case: Case, gpu: str) -> Ran | None:
    """Runs Triton's PTX on the emulator; None where Triton makes none."""
    compile_all([case], [gpu])
    text = _file_of(case, spec(case, gpu)).read_text()
    if not text:
        return None
    kernel = Kernel(case.name, text, json.loads(text.partition("\n")[0][3:]))
    made = assemble(text, kernel.target)
    ((name, resources),) = made.resources.items()
    launch = case.launch()
    report = kernel.start(
        Problem(_arguments(case, launch), launch.grid, []),
        "fast",
        bounds=find_target(gpu),
        registers=resources.registers,
        machine=machine_code(
            parse(text),
            name,
            lambda marked: assemble(marked, kernel.target, line_info=True).cubin,
        ),
        collect=True,  # a reduction's lanes may store their equal sums twice
    )
    spills = resources.spill_store_bytes + resources.spill_load_bytes
    return Ran(launch, report, kernel, resources.registers, spills)
