#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers open questions of the specification on a GPU, or on the emulator.

    tools/gpu_questions.py [--on gpu|emulator] [--gpu sm_90] [QUESTION ...]

Each experiment (`gpu_experiments.py`) is a PTX program of one or two instructions, and
the Tile IR op that they implement. The program runs on the device, the op on the
interpreter in permissive mode, on the same inputs; a Markdown table shows where they
agree. The questions are those of `cuda_tile.interp.decisions`. The emulator implements
our reading of the PTX ISA, so only a GPU settles a question.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

import numpy as np
from gpu_experiments import ELSEWHERE, EXPERIMENTS, Experiment

from cuda_tile import emulator, interp
from cuda_tile._mlir import ir
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.errors import CudaTileError
from cuda_tile.interp.decisions import QUESTIONS
from cuda_tile.runtime.args import bind_args
from cuda_tile.runtime.driver import load_driver
from cuda_tile.runtime.elements import Array, element
from cuda_tile.runtime.launch import launch_cubin
from cuda_tile.runtime.record import LaunchRecord

PTX_VERSION = "8.8"
NAN_BITS_COUNT = (13, 40)
"""Questions about the bits of NaN; elsewhere all NaNs are equal."""

ENTRY = """\
.version {version}
.target {target}
.address_size 64
.visible .entry probe({parameters})
{{
  .reg .b32 %i; .reg .b64 %at, %to, %cell, %by;
  {registers}
  mov.u32 %i, %tid.x;
{loads}
  ld.param.u64 %cell, [cell];
  ld.param.u64 %to, [out];
  mul.wide.u32 %by, %i, {out_size};
  add.u64 %to, %to, %by;
  {body}
  st.global.{out_store} [%to], %r;
  ret;
}}
"""
LOAD = """\
  ld.param.u64 %at, [{name}];
  mul.wide.u32 %by, %i, {size};
  add.u64 %at, %at, %by;
  ld.global.{kind} %{name}, [%at];
"""


def padded(experiment: Experiment) -> list[Array]:
    """The inputs, filled up to a power of two by their first elements."""
    count = 1 << (len(experiment.inputs[0]) - 1).bit_length()
    return [np.resize(values, count) for values in experiment.inputs]


def register(kind: str) -> tuple[str, str, int]:
    """Register type of an element, type of its load or store, bytes."""
    size = element(kind).storage_bytes
    return f"b{max(8 * size, 16 if size == 2 else 32)}", f"b{8 * size}", size


def ptx_of(experiment: Experiment, target: str) -> str:
    """The program of an experiment."""
    names = "abc"[: len(experiment.kinds)]
    declared = [
        f".reg .{register(kind)[0]} %{name};"
        for name, kind in zip((*names, "r"), (*experiment.kinds, experiment.result),
                              strict=True)
    ]  # fmt: skip
    loads = "".join(
        LOAD.format(name=name, kind=register(kind)[1], size=register(kind)[2])
        for name, kind in zip(names, experiment.kinds, strict=True)
    )
    _, store, size = register(experiment.result)
    parameters = ", ".join(f".param .u64 {name}" for name in (*names, "cell", "out"))
    return ENTRY.format(
        version=PTX_VERSION,
        target=target,
        parameters=parameters,
        registers=" ".join((*declared, experiment.registers)),
        loads=loads,
        body=experiment.ptx,
        out_store=store,
        out_size=size,
    )


def on_device(experiment: Experiment, device: str, target: str) -> Array:
    """The bits that the instruction gives."""
    inputs = padded(experiment)
    size = element(experiment.result).storage_bytes
    out = np.zeros(len(inputs[0]), f"u{size}")
    args = [*inputs, np.zeros(1, np.uint32), out]
    ptx = ptx_of(experiment, target)
    if device == "emulator":
        emulator.launch(ptx, grid=1, block=len(out), args=args)
    else:
        kinds = [f"ptr<i{8 * array.dtype.itemsize}>" for array in args]
        launch_cubin(
            assemble(ptx, target).cubin,
            "probe",
            LaunchRecord((len(out), 1, 1), parameters=tuple(kinds)),
            grid=(1, 1, 1),
            args=bind_args(kinds, [a.view(f"i{a.dtype.itemsize}") for a in args], "p"),
        )
    return out


def on_interpreter(experiment: Experiment) -> Array:
    """The bits that the interpreter gives for the op."""
    inputs = padded(experiment)
    count = len(inputs[0])
    text = "%i_ = iota : tile<Nxi32>\n"
    for name, kind in zip("abc", experiment.kinds, strict=False):
        text += _places(name, kind) + (
            f"%{name}, %{name}_t = load_ptr_tko weak %{name}_at "
            f": tile<Nxptr<{kind}>> -> tile<Nx{kind}>, token\n"
        )
    text += experiment.tile + "\n" + _places("out", experiment.result)
    text += (
        f"%t_ = store_ptr_tko weak %out_at, %r : tile<Nxptr<{experiment.result}>>, "
        f"tile<Nx{experiment.result}> -> token"
    )
    names = zip((*"abc"[: len(inputs)], "out"),
                (*experiment.kinds, experiment.result), strict=True)  # fmt: skip
    parameters = ", ".join(f"%{name}_p: tile<ptr<{kind}>>" for name, kind in names)
    text = text.replace("tile<N", f"tile<{count}")
    module = ir.Module.parse(
        f"cuda_tile.module @m {{ entry @k({parameters}) {{ {text}\nreturn }} }}",
        ir.Context(),
    )
    out = np.zeros(count, element(experiment.result).array_dtype)
    args = [
        values.view(element(kind).array_dtype)
        for values, kind in zip(inputs, experiment.kinds, strict=True)
    ]
    interp.run(module, grid=(1,), args=[*args, out], mode="permissive")
    return out.view(f"u{out.dtype.itemsize}")


def _places(name: str, kind: str) -> str:
    return f"""
      %{name}_1 = reshape %{name}_p : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
      %{name}_n = broadcast %{name}_1 : tile<1xptr<{kind}>> -> tile<Nxptr<{kind}>>
      %{name}_at = offset %{name}_n, %i_
        : tile<Nxptr<{kind}>>, tile<Nxi32> -> tile<Nxptr<{kind}>>
    """


def compared(experiment: Experiment, device: Array, known: Array) -> tuple[str, bool]:
    """Describes the two answers, and returns whether they agree."""
    if experiment.one_cell:
        is_turn = sorted(device.tolist()) == list(range(len(device)))
        if not is_turn:
            return "no turns: an old value twice", False
        in_order = device.tolist() == known.tolist()
        return "each thread its turn" + (", in order" if in_order else ""), True
    kind = element(experiment.result)
    mine, theirs = (x.view(kind.array_dtype) for x in (device, known))
    if experiment.ulps is not None:
        error = _ulps(mine, theirs)
        return f"at most {error:.3g} ulp", error <= experiment.ulps
    different = device != known
    if kind.kind == "float" and experiment.question not in NAN_BITS_COUNT:
        with np.errstate(invalid="ignore"):
            wide = mine.astype(np.float64), theirs.astype(np.float64)
        different &= ~(np.isnan(wide[0]) & np.isnan(wide[1]))
    if not different.any():
        return f"same on {len(experiment.inputs[0])} inputs", True
    return "; ".join(_examples(experiment, device, known, different)), False


def _ulps(mine: Array, theirs: Array) -> float:
    """The largest distance of f32 results, infinite where their class differs."""
    a, b = mine.astype(np.float64), theirs.astype(np.float64)
    special = ~(np.isfinite(a) & np.isfinite(b))
    if not np.array_equal(a[special], b[special], equal_nan=True):
        return float("inf")
    unit = np.spacing(np.abs(theirs[~special])).astype(np.float64)
    return float((np.abs(a[~special] - b[~special]) / unit).max(initial=0))


def _examples(
    experiment: Experiment, device: Array, known: Array, different: Array
) -> Iterator[str]:
    inputs = padded(experiment)
    places = np.flatnonzero(different[: len(experiment.inputs[0])])
    for place in places[:3]:
        given = ", ".join(f"{int(values[place]):#x}" for values in inputs)
        yield f"({given}): {int(device[place]):#x}, interpreter {int(known[place]):#x}"
    if len(places) > 3:
        yield f"{len(places) - 3} more"


def gpu_name() -> tuple[str, str]:
    """Name and chip of the first GPU. Source: CUDA Driver API, "Device Management".

    Raises:
        UserError: There is none.
    """
    driver = load_driver()
    name = ctypes.create_string_buffer(256)
    driver.call("cuDeviceGetName", name, 256, 0)
    major, minor = ctypes.c_int(), ctypes.c_int()
    driver.call("cuDeviceGetAttribute", ctypes.byref(major), 75, 0)
    driver.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, 0)
    return name.value.decode(), f"sm_{major.value}{minor.value}"


def target_for(experiment: Experiment, device: str, gpu: str) -> str | None:
    """The chip to write PTX for; None where the GPU lacks the instruction."""
    needed, have = int(experiment.since.strip("a")), int(gpu.removeprefix("sm_"))
    if needed <= have and not experiment.since.endswith("a"):
        return gpu
    if needed // 10 == have // 10 and needed <= have:
        return f"{gpu}a"  # code for one chip alone
    return f"sm_{experiment.since}" if device == "emulator" else None


def table(device: str, gpu: str, chosen: list[int]) -> tuple[list[str], int]:
    """The rows, and how many experiments could not run."""
    rows: list[str] = []
    failures = 0
    for experiment in sorted(EXPERIMENTS, key=lambda e: e.question):
        number = experiment.question
        if chosen and number not in chosen:
            continue
        target = target_for(experiment, device, gpu)
        if target is None:
            said, agrees = f"needs sm_{experiment.since}", "-"
        else:
            try:
                answers = on_device(experiment, device, target)
                said, same = compared(experiment, answers, on_interpreter(experiment))
                agrees = "yes" if same else "no"
            except CudaTileError as error:
                said, agrees = f"failed: {str(error).splitlines()[0]}", "-"
                failures += 1
        about = QUESTIONS[number].asks
        rows.append(f"| {number} | {about} | {experiment.what} | {said} | {agrees} |")
    return rows, failures


def main(argv: list[str] | None = None) -> int:
    """Prints the table; 1 if an experiment could not run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--on", choices=("emulator", "gpu"), default="emulator")
    parser.add_argument("--gpu", metavar="SM", default="sm_90", help="emulator: chip")
    parser.add_argument("questions", metavar="QUESTION", type=int, nargs="*")
    words = parser.parse_args(argv)
    try:
        known = f"the emulator for {words.gpu}", words.gpu
        name, gpu = gpu_name() if words.on == "gpu" else known
    except CudaTileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"Answers of {name}, {datetime.now(UTC):%Y-%m-%d}\n")
    print("| Q | question | instruction | answer | as the interpreter |")
    print("|---|---|---|---|---|")
    rows, failures = table(words.on, gpu, words.questions)
    print("\n".join(rows))
    for number, why in ELSEWHERE.items():
        if not words.questions or number in words.questions:
            print(f"| {number} | {QUESTIONS[number].asks} | - | {why} | - |")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
