# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of the PTX of all kernels: what did a change of the compiler change?

    python tools/ptx_sums.py BEFORE.json [--gpu sm_80 ...] [--sample] [--registers]
    python tools/ptx_sums.py AFTER.json  [--gpu sm_80 ...] [--sample] [--registers]
    python tools/ptx_sums.py --compare BEFORE.json AFTER.json

The first form compiles each kernel of `test/kernels` (archives included), `test/ops`,
`test/differential/Inputs` and `bench` for each chip, without line tables, and writes
the sha256 of its PTX, its number of instructions and what it takes of shared memory, or
why it was refused. `--registers` runs ptxas, too, for registers and spills, which takes
three times as long. `--sample` takes one of 29 kernels, `--every N` one of N. Each
kernel is compiled in a worker process with a limit on CPU time.

`--compare` prints the kernels whose PTX is another one, with the numbers that are, and
ends with how many are alike. Its exit status is 1 where one differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

import cuda_tile
from cuda_tile import Options

ROOT = Path(__file__).resolve().parents[1]
for _folder in ("tools/checks", "bench", "examples"):
    sys.path.insert(0, str(ROOT / _folder))

import corpus  # noqa: E402 - programs, found by their folders
import gpu_check  # noqa: E402

GPUS = ("sm_80", "sm_90", "sm_120")
_INSTRUCTION = re.compile(r"^\t[^.\s/]", re.MULTILINE)
Sums = dict[str, dict[str, Any]]
"""By kernel and chip: `sha256`, `instructions`, `shared_bytes`, with ptxas `registers`
and `spill_bytes`; or `refused`, the reason."""


def kernels() -> Iterator[tuple[str, bytes]]:
    """Names, and bytecode or text, of every kernel."""
    for name, data in corpus.kernels([ROOT / "test" / "kernels"]):
        yield f"kernels/{name}", data
    for path in sorted((ROOT / "test" / "differential" / "Inputs").rglob("*.mlir")):
        yield f"inputs/{path.stem}", path.read_bytes()
    for kernel in gpu_check.kernels(("ops/",)):
        yield kernel.name, str(kernel.load()).encode()
    yield from _benches()


def _benches() -> Iterator[tuple[str, bytes]]:
    texts: dict[str, str] = {}
    for case in import_module("attention").CASES:
        texts[case.attention.name] = case.attention.text()
    products, narrow = import_module("products"), import_module("narrow")
    for case in (*products.GOALS, *products.OTHERS, *narrow.CASES):
        texts[case.product.name] = case.product.text()
    for kernel in import_module("dequantised").KERNELS:
        texts[kernel.name] = kernel.text()
    for stream in import_module("stream_kernels").STREAMS:
        texts[stream.name] = str(stream.module())
    for name, text in texts.items():
        yield f"bench/{name}", text.encode()


def sums_of(job: corpus.Job) -> tuple[str, dict[str, Any]]:
    """Compiles in this process; `job.cubin` says whether ptxas runs."""
    key = f"{job.name} {job.gpu}"
    try:
        module = cuda_tile.load(job.data)
        done = cuda_tile.compile(
            module, cubin=job.cubin, options=Options(gpu=job.gpu, line_info=False)
        )
    except Exception as error:
        return key, {"refused": f"{type(error).__name__}: {error}"}
    numbers: dict[str, Any] = {
        "sha256": hashlib.sha256(done.ptx.encode()).hexdigest(),
        "instructions": len(_INSTRUCTION.findall(done.ptx)),
        "shared_bytes": sum(each.shared_bytes for each in done.report.kernels),
    }
    if job.cubin:
        numbers["registers"] = max(each.registers for each in done.report.kernels)
        numbers["spill_bytes"] = sum(each.spill_bytes for each in done.report.kernels)
    return key, numbers


def differences(before: Sums, after: Sums) -> list[str]:
    """One line for each kernel that both have and that is another one."""
    lines: list[str] = []
    for key in sorted(before.keys() & after.keys()):
        old, new = before[key], after[key]
        if old != new:
            lines.append(f"{key}: {_difference(old, new) or 'other instructions'}")
    return lines


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    names = [name for name in {**old, **new} if name != "sha256"]
    return ", ".join(
        f"{name} {old.get(name, '-')} -> {new.get(name, '-')}"
        for name in names
        if old.get(name) != new.get(name)
    )


def compare(before: Sums, after: Sums) -> int:
    """Prints what differs; 1 if something does."""
    lines = differences(before, after)
    print("\n".join(lines), end="\n" * bool(lines))
    for text, some in (("before", before), ("after", after)):
        other = after if some is before else before
        if only := len(some.keys() - other.keys()):
            print(f"{only} only {text}")
    alike = len(before.keys() & after.keys()) - len(lines)
    print(f"{alike} alike, {len(lines)} changed")
    return 1 if lines else 0


def main() -> int:
    """Compiles and writes, or compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--gpu", action="append", help=f"default: {', '.join(GPUS)}")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT", help="in their names")
    parser.add_argument("--registers", action="store_true")
    parser.add_argument("--jobs", type=int, default=corpus.JOBS, metavar="N")
    words = parser.parse_args()
    if len(words.files) != 1 + words.compare:
        parser.error("expected BEFORE.json and AFTER.json with --compare, else one")
    if words.compare:
        before, after = (json.loads(file.read_text()) for file in words.files)
        return compare(before, after)
    every = corpus.SAMPLE if words.sample else words.every
    # By their names, so that a new kernel does not change which others are taken.
    found = [
        (name, data)
        for name, data in kernels()
        if words.only in name and not crc32(name.encode()) % every
    ]
    jobs = [
        corpus.Job(name, data, gpu, words.registers)
        for name, data in found
        for gpu in words.gpu or GPUS
    ]
    died = {"refused": "the process died, or took too long"}
    sums: Sums = dict(
        corpus.in_workers(
            jobs, words.jobs, sums_of, lambda job: (f"{job.name} {job.gpu}", died)
        )
    )
    words.files[0].write_text(json.dumps(sums, indent=0, sort_keys=True) + "\n")
    print(f"{len(sums)} sums of {len(found)} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
