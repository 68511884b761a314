# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of table_cases.py in Triton: PTX, and the same launch for it.

The sources are in test/ptx/triton: table_kernels.py, table_cpp_kernels.py, and those of
products and attention. PTX is kept under build/oracle/specs (triton_specs.py), so
delete that folder when a source changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cuda_tile.codegen.ptxas import assemble
from cuda_tile.emulator import Report, parse
from cuda_tile.emulator.bounds.slots import machine_code
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "oracle"))

import triton_attention
from attention_kernels import Attention
from kernel_args import Array
from table_cases import Case, Run
from triton_kernels import Described, Problem
from triton_ptx import VERSION
from triton_specs import Assembled, triton_kernel

NO_FORM = {
    "tilecpp/lookup": "Triton has no variables in global memory",
    "tilecpp/matmul_u8": "tl.dot takes no unsigned bytes",
}
"""Kernels that cannot be written in Triton, and why."""


@dataclass(frozen=True)
class Theirs:
    """What a launch of Triton's kernel did, or why there was none.

    Attributes:
        why_not: Empty if it ran.
        report: The emulator's.
        warps: Of the whole launch.
        registers, spill_bytes, shared_bytes: Per thread and per CTA.
        wrong: As `Run.wrong`.
        found: What the emulator reports, as text.
        by_machine: The report of a run that counted machine code, where there is
            tensor memory.
    """

    why_not: str = ""
    report: Report | None = None
    warps: int = 0
    registers: int = 0
    spill_bytes: int = 0
    shared_bytes: int = 0
    wrong: str = ""
    found: str = ""
    by_machine: Report | None = None


Made = tuple[Assembled, Sequence[int], list[Any]]
"""A kernel of Triton, its programs, and its arguments."""


def _product(types: str, tile: str) -> Callable[[Run, str], Made | None]:
    def make(run: Run, gpu: str) -> Made | None:
        stages = 4 if gpu == "sm_90" else 3
        spec = f"{types}:{tile}:{gpu.removeprefix('sm_')}:4:{stages}"
        made = triton_kernel("make_product.py", spec)
        if made is None:
            return None
        a, b, c = run.values
        rows, columns, _ = map(int, tile.split("x"))
        (m, k), n = a.shape, b.shape[1]
        args = [a, b, c, *map(np.int32, (m, n, k))]
        if made.kernel.meta["descriptors"]:
            args = [*map(Described, (a, b, c)), np.int32(k)]
        return made, (-(-m // rows), -(-n // columns)), args

    return make


def _attention(depth: int) -> Callable[[Run, str], Made | None]:
    def make(run: Run, gpu: str) -> Made | None:
        made = triton_attention.triton_attention(Attention("split", depth), gpu)
        if made is None:
            return None
        q, k, v, out, scale = run.values
        flat: list[Any] = [x.reshape(-1, depth) for x in (k, v)]
        if made.kernel.meta["descriptors"]:
            flat = [Described(x) for x in flat]
        length = np.int32(q.shape[2])
        return made, run.grid, [q, *flat, out, length, length, scale]

    return make


def _same_launch(run: Run, made: Assembled, extents: Callable[[Run], Any]) -> Made:
    """Arrays, extents, and numbers in that order."""
    arrays: list[Array] = [v for v in run.values if isinstance(v, np.ndarray)]
    numbers = [value for value in run.values if not isinstance(value, np.ndarray)]
    return made, run.grid, [*arrays, *extents(run), *numbers]


def _shape_of_first(run: Run) -> list[np.int32]:
    return [np.int32(extent) for extent in run.values[0].shape]


def _gather_extents(run: Run) -> list[np.int32]:
    table, index, _ = run.values
    return [np.int32(extent) for extent in (*table.shape, index.size)]


def _histogram_extents(run: Run) -> list[np.int32]:
    values: Sequence[Array] = run.values
    return [np.int32(array.size) for array in values]


EXTENTS: dict[str, Callable[[Run], Any]] = {
    "vadd_f32_i64idx": lambda run: [np.int64(run.values[0].size)],
    "saxpy_tail_f32": lambda run: [],
    "gather_rows_f16_64x128": _gather_extents,
    "histogram_i32_1024": _histogram_extents,
}
"""What stands between arrays and numbers, where not the extents of the first array."""
OTHERS: dict[str, Callable[[Run, str], Made | None]] = {
    "matmul_f16_64x64x64": _product("f16:f16", "64x64x64"),
    "matmul_f16_128x128x64": _product("f16:f16", "128x128x64"),
    "matmul_f16_f32out_128x128x64": _product("f16:f32", "128x128x64"),
    "matmul_bf16_128x128x64": _product("bf16:bf16", "128x128x64"),
    "matmul_tf32_128x128x32": _product("tf32:f32", "128x128x32"),
    "matmul_i8_128x128x64": _product("i8:i32", "128x128x64"),
    "fmha_causal_f16_d64_128x64": _attention(64),
    "fmha_causal_f16_d128_128x64": _attention(128),
}
"""Kernels that scripts of their own make."""


def kernel_of(case: Case, run: Run, gpu: str) -> Made | None:
    """Triton's kernel for a launch; None where Triton makes none."""
    if case.name in OTHERS:
        return OTHERS[case.name](run, gpu)
    made = triton_kernel("make_table.py", f"{case.name}:{gpu.removeprefix('sm_')}")
    if made is None:
        return None
    if case.name.startswith("tilecpp/"):
        return made, run.grid, run.values
    return _same_launch(run, made, EXTENTS.get(case.name, _shape_of_first))


def run_triton(case: Case, gpu: str) -> Theirs:
    """Runs Triton's PTX; its machine code is only counted, and asked for resources."""
    if case.name in NO_FORM:
        return Theirs(NO_FORM[case.name])
    run = case.make()
    found = kernel_of(case, run, gpu)
    if found is None:
        return Theirs(f"Triton {VERSION} does not compile it")
    made, grid, args = found
    report = _launched(made, grid, args, gpu)
    wrong, by_machine = run.wrong(run.values), None
    if report.tensor_columns:
        by_machine = _launched(made, grid, args, gpu, machine=_machine(made))
    return Theirs(
        "",
        report,
        int(np.prod(grid)) * made.kernel.meta["num_warps"],
        made.registers,
        made.spill_bytes,
        made.kernel.meta["shared_bytes"],
        wrong,
        _said(report),
        by_machine,
    )


def _launched(
    made: Assembled, grid: Sequence[int], args: list[Any], gpu: str, **how: Any
) -> Report:
    """A run that goes on where the emulator reports something of Triton's kernel."""
    return made.kernel.start(
        Problem(args, grid, []),
        "fast",
        bounds=find_target(gpu),
        registers=made.registers,
        collect=True,
        **how,
    )


def _machine(made: Assembled) -> Any:
    text, target = made.kernel.text, made.kernel.target
    (name,) = assemble(text, target).resources
    return machine_code(
        parse(text), name, lambda marked: assemble(marked, target, line_info=True).cubin
    )


def _said(report: Report) -> str:
    """The kinds of what the emulator reports of Triton's kernel, as text."""
    kinds = dict.fromkeys(finding.kind for finding in report.findings)
    return f"reported: {', '.join(kinds)}" if kinds else ""
