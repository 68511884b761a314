# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the bundle of the first day on a GPU: one command there, ten minutes at most.

    .venv/bin/python bench/day_bundle.py OUT [--gpu sm_90 ...] [--only TEXT ...]
        [--triton] [--zip]

On the machine with the GPU, which needs Python, NumPy and the driver:

    python OUT/day.py --json day.json

It runs the kernels of `gpu_check.py`, some of them under compute-sanitizer where that
is installed; the questions of `tools/gpu_questions.py`; the programs of
`day_constants.py`, which measure the constants of the model of clocks; and the launches
of `day_times.py`, beside Triton's kernels, which `--triton` compiles here, and torch
where it is there. `day_page.py day.json`, here, writes what came of it, and which of
our claims fell.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tools", "tools/oracle", "bench", "examples", "test/ptx")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]

import gpu_check  # noqa: E402
import gpu_questions  # noqa: E402
from day_constants import CHAIN, PROBES, Probe  # noqa: E402
from day_times import TIMED, Timed  # noqa: E402
from day_triton import launch_of  # noqa: E402
from gpu_experiments import EXPERIMENTS, Experiment  # noqa: E402

import cuda_tile  # noqa: E402
from cuda_tile.chip_clocks import chip_clocks  # noqa: E402
from cuda_tile.codegen.ptxas import assemble  # noqa: E402
from cuda_tile.errors import Unsupported  # noqa: E402
from cuda_tile.interp.decisions import QUESTIONS  # noqa: E402
from cuda_tile.ir.launch import parameter_types  # noqa: E402
from cuda_tile.ir.walk import entry_name, find_entry  # noqa: E402
from cuda_tile.options import Options  # noqa: E402
from cuda_tile.runtime.args import bind_args  # noqa: E402
from cuda_tile.runtime.elements import element  # noqa: E402
from cuda_tile.runtime.launch import Span, every_array, spans  # noqa: E402
from cuda_tile.runtime.spread import spread_args  # noqa: E402
from cuda_tile.targets import find_target  # noqa: E402

RUNNER = Path(__file__).with_name("day_runner.py")
SANITIZED = 24
"""Kernels that also run under compute-sanitizer, evenly chosen."""
_OUT_BYTES, _CELL_BYTES = 64, 1024


def make_bundle(
    folder: Path,
    gpus: Sequence[str],
    kernels: Sequence[gpu_check.Kernel],
    timed: Sequence[Timed] = TIMED,
    *,
    has_triton: bool = False,
) -> dict[str, Any]:
    """Writes the bundle and gives its plan.

    Args:
        folder: Where.
        gpus: Chips to compile for.
        kernels: Those to check.
        timed: Launches to time.
        has_triton: Whether Triton's kernels are there, too.
    """
    manifest = gpu_check.make_bundle(folder, gpus, kernels)
    names = [item["name"] for item in manifest["kernels"]]
    plan: dict[str, Any] = {
        "schema": 2,
        "sanitized": names[:: max(1, len(names) // SANITIZED)],
        "questions": [_question(e, n, gpus, folder) for n, e in enumerate(EXPERIMENTS)],
        "constants": [_probe(probe, gpus, folder) for probe in PROBES],
        "known": {gpu: known_constants(gpu) for gpu in gpus},
        "times": [_timed(each, gpus, folder, has_triton=has_triton) for each in timed],
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    shutil.copyfile(RUNNER, folder / "day.py")
    return plan


def known_constants(gpu: str) -> dict[str, dict[str, Any]]:
    """The constants of a chip that programs measure; none if the model has none."""
    try:
        chip = chip_clocks(find_target(gpu))
    except Unsupported:
        return {}
    return {probe.constant: asdict(chip.of(probe.constant)) for probe in PROBES}


# Questions ---------------------------------------------------------------------------


def _question(
    experiment: Experiment, number: int, gpus: Sequence[str], folder: Path
) -> dict[str, Any]:
    """An experiment as a kernel whose results must be the interpreter's."""
    inputs = gpu_questions.padded(experiment)
    wanted = gpu_questions.on_interpreter(experiment)
    if experiment.one_cell:  # each thread has its turn, in any order
        wanted = np.arange(len(wanted), dtype=wanted.dtype)
    before = [*inputs, np.zeros(1, np.uint32), np.zeros_like(wanted)]
    data = {f"in{n}": _bytes(array) for n, array in enumerate(before)}
    data |= {f"out{n}": data[f"in{n}"] for n in range(len(before))}
    data[f"out{len(before) - 1}"] = _bytes(wanted)
    file = f"data/question-{number}.npz"
    np.savez_compressed(folder / file, **data)
    code: list[dict[str, Any]] = []
    for gpu in gpus:
        target = gpu_questions.target_for(experiment, "gpu", gpu)
        if target is not None:
            text = gpu_questions.ptx_of(experiment, target)
            name = f"question-{number}"
            code.append(_code(text, target, name, len(wanted), folder))
    kind = element(experiment.result)
    has_bits = kind.kind != "float" or (
        experiment.question in gpu_questions.NAN_BITS_COUNT
    )
    last = len(before) - 1
    return {
        "name": f"questions/{experiment.question} {experiment.what}",
        "question": experiment.question,
        "asks": QUESTIONS[experiment.question].asks,
        "entry": "probe",
        "grid": [1, 1, 1],
        "data": file,
        "starts": [0] * len(before),
        "parameters": [{"span": n, "offset": 0} for n in range(len(before))],
        "arrays": [
            {
                "argument": last,
                "span": last,
                "offset": 0,
                "dtype": (wanted.dtype if has_bits else kind.array_dtype).name,
                "shape": [len(wanted)],
                "strides": [wanted.dtype.itemsize],
                "ulp": experiment.ulps or 0.0,
                "relative": 0.0,
                "any_order": experiment.one_cell,
            }
        ],
        "code": code,
        "refused": {},
    }


def _bytes(array: Any) -> Any:
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)


def _code(
    text: str, target: str, name: str, threads: int, folder: Path
) -> dict[str, Any]:
    """A program of PTX as the code of one chip."""
    file = f"code/{name}.{target}.cubin"
    (folder / file).write_bytes(assemble(text, target).cubin)
    return {
        "arch": target,
        "file": file,
        "block": [threads, 1, 1],
        "cluster": [1, 1, 1],
        "dynamic_shared_bytes": 0,
        "grid": "tiles",
        "appended": [],
    }


# Constants ---------------------------------------------------------------------------


def _probe(probe: Probe, gpus: Sequence[str], folder: Path) -> dict[str, Any]:
    """A program for a constant; the runner gives it zeros."""
    code = [
        _code(
            probe.text(arch), arch, f"constant-{probe.constant}", probe.threads, folder
        )
        for arch in (find_target(gpu).arch for gpu in gpus)
        if int(arch.removeprefix("sm_").rstrip("af")) >= probe.since
    ]
    return {
        "name": f"constants/{probe.constant}",
        "constant": probe.constant,
        "chain": CHAIN,
        "entry": "probe",
        "grid": [1, 1, 1],
        "starts": [0, 0],
        "sizes": [_OUT_BYTES, _CELL_BYTES],
        "fill": ["zeros", "zeros"],
        "parameters": [{"span": 0, "offset": 0}, {"span": 1, "offset": 0}],
        "arrays": [],
        "code": code,
        "refused": {},
    }


# Times -------------------------------------------------------------------------------


def _timed(
    timed: Timed, gpus: Sequence[str], folder: Path, *, has_triton: bool
) -> dict[str, Any]:
    """A launch of full size, without its data, and what the model says of it."""
    module = cuda_tile.load(timed.text.encode())
    entry = find_entry(module.operation, None)
    name, types = entry_name(entry), parameter_types(entry)
    grid, values = timed.full()
    args = bind_args(types, spread_args(name, types, values, 0), kernel=name)
    kernel = gpu_check.Kernel(timed.name, lambda: module, lambda: values, grid)
    pieces = spans(every_array(args))
    code, refused = gpu_check.compiled_for(kernel, module, gpus, folder, args)
    return {
        "name": timed.name,
        "entry": name,
        "grid": [*grid, 1, 1][:3],
        "starts": [piece.start for piece in pieces],
        "sizes": [piece.size_bytes for piece in pieces],
        "fill": [_kind(piece.start, args) for piece in pieces],
        "parameters": [gpu_check.parameter(arg, pieces) for arg in args],
        "arrays": [],
        "code": code,
        "refused": refused,
        "flops": timed.flops,
        "bytes": timed.bytes,
        "beside": timed.beside,
        "triton": dict(_triton(timed, gpus, folder, values, pieces))
        if has_triton
        else {},
        "predicted": dict(_predictions(timed, gpus, refused)),
    }


def _triton(
    timed: Timed,
    gpus: Sequence[str],
    folder: Path,
    values: Sequence[Any],
    pieces: Sequence[Span],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What differs in Triton's launch, by chip."""
    for gpu in gpus:
        theirs = timed.triton and timed.triton(gpu, values)
        name = timed.name.replace("/", "-")
        if theirs and (launch := launch_of(theirs, name, pieces, folder)):
            yield gpu, launch


def _kind(start: int, args: Sequence[Any]) -> str:
    """The element type of the array that begins a span."""
    arrays: list[Any] = [arg for arg in args if isinstance(arg, np.ndarray)]
    return next(str(a.dtype.name) for a in arrays if a.ctypes.data == start)


def _predictions(
    timed: Timed, gpus: Sequence[str], refused: dict[str, str]
) -> Iterator[tuple[str, dict[str, float]]]:
    """What the model says, microseconds, by chip."""
    grid, args = timed.counted()
    for gpu in gpus:
        if gpu in refused or not known_constants(gpu):
            continue
        compiled = cuda_tile.compile(
            cuda_tile.load(timed.text.encode()), options=Options(gpu=gpu)
        )
        time = cuda_tile.time_of(
            compiled,
            grid=grid,
            args=args,
            as_grid=timed.as_grid,
            longer=timed.longer,
            dram_bytes=timed.bytes,
        )
        said = {"low": time.low_us, "likely": time.likely_us, "high": time.high_us}
        yield gpu, said


def main(argv: Sequence[str] | None = None) -> int:
    """Reads the command line and makes the bundle."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder to make")
    parser.add_argument("--gpu", nargs="+", default=["sm_90"], help="chips")
    parser.add_argument("--only", nargs="+", default=[""], help="kernels to check")
    parser.add_argument("--triton", action="store_true", help="Triton's beside ours")
    parser.add_argument("--zip", action="store_true", help="also write OUT.zip")
    words = parser.parse_args(argv)
    kernels = list(gpu_check.kernels(words.only))
    plan = make_bundle(words.out, words.gpu, kernels, has_triton=words.triton)
    files = [path for path in words.out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if words.zip:
        size = (
            Path(shutil.make_archive(str(words.out), "zip", words.out)).stat().st_size
        )
    counts = ", ".join(
        f"{len(plan[n])} {n}" for n in ("questions", "constants", "times")
    )
    print(f"{words.out}: {counts}, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
