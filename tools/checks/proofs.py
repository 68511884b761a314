# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves our products, attention and streams; see docs/proof.md.

What happens in a tile block must be proved for each of them, within five seconds.
`--write` puts the table on the page. `--ptx GPU` proves the PTX of the same kernels
instead, which may take minutes, and prints what is unknown and what is slow.
`--triton` proves what Triton made (test/ptx/triton), without launch records, so that
copies by tensor maps are unknown. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from real_kernels import RECIPES, kernel_path

import cuda_tile
from cuda_tile.emulator import parse
from cuda_tile.emulator.proof.verdict import verdict_of
from cuda_tile.emulator.recorded import box_bytes
from cuda_tile.options import Options
from cuda_tile.prove import Proof, prove

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "proof.md"
START = "<!-- proofs: tools/checks/proofs.py --write -->"
END = "<!-- end of proofs -->"
GPUS = ("sm_80", "sm_90", "sm_120")
TRITON = ROOT / "test" / "ptx" / "triton" / "ptx.tar.xz"
ARCHIVE = ROOT / "test" / "kernels" / "zoo" / "bytecode-13.4.zip"
ZOO = ("attention", "fmha", "gemm", "matmul")
"""How the names of products and attention among the other kernels begin."""
SECONDS = 5.0


def kernels() -> Iterator[tuple[str, bytes]]:
    """The kernels, by name."""
    for name in sorted(RECIPES):
        yield name, kernel_path(name).read_bytes()
    with zipfile.ZipFile(ARCHIVE) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith(ZOO):
                yield name.partition(".")[0], archive.read(name)


def _wrong(proof: Proof) -> str:
    """What is wrong with a proof, if anything."""
    if proof.block != "proved":
        return f"{proof.block}: {proof.block_reason}"
    return f"took {proof.seconds:.1f} s" if proof.seconds > SECONDS else ""


def _table(found: dict[str, list[Proof]]) -> str:
    lines = ["| kernel | tile block | grid |", "|---|---|---|"]
    for name, proofs in found.items():
        blocks = ", ".join(dict.fromkeys(proof.block for proof in proofs))
        grids = ", ".join(dict.fromkeys(proof.grid for proof in proofs))
        lines.append(f"| {name} | {blocks} | {grids} |")
    return "\n".join(lines)


def _ptx(gpu: str) -> None:
    """Proves the PTX of all kernels for a chip."""
    n_proved, n_all = 0, 0
    for name, data in kernels():
        compiled = cuda_tile.compile(cuda_tile.load(data), gpu, cubin=False)
        module = parse(compiled.ptx)
        for kernel, record in compiled.launch.items():
            start, entry = time.process_time(), module.functions[kernel]
            shared, boxes = record.dynamic_shared_bytes, box_bytes(entry, record)
            why = verdict_of(module, entry, record.launch_block, shared, boxes).block
            seconds = time.process_time() - start
            n_proved, n_all = n_proved + (not why), n_all + 1
            if why or seconds > SECONDS:
                print(f"{name}: {seconds:.1f} s{why and ': '}{why}", flush=True)
    print(f"{gpu}: {n_proved} of {n_all} proved")


def _foreign() -> None:
    """Proves the PTX of another compiler, and says of each kernel what is not known."""
    results: list[bool] = []
    for name, text in _members(TRITON):
        meta, module = json.loads(text.partition("\n")[0][3:]), parse(text)
        (entry,) = (f for f in module.functions.values() if f.is_entry)
        threads = tuple(entry.limits["reqntid"])
        start = time.process_time()
        verdict = verdict_of(module, entry, threads, meta["shared_bytes"])
        seconds = time.process_time() - start
        results.append(not verdict.block)
        grid = "unknown" if verdict.grid else "proved"
        print(
            f"{name}: {verdict.block or 'proved'}; {grid}; {seconds:.1f} s", flush=True
        )
    print(f"{sum(results)} of {len(results)} proved")


def _members(archive: Path) -> Iterator[tuple[str, str]]:
    """Names and texts, in the order of the names."""
    with tarfile.open(archive) as files:
        for member in sorted(files.getmembers(), key=lambda member: member.name):
            if (file := files.extractfile(member)) is not None:
                yield member.name, file.read().decode()


def main() -> int:
    """Proves all; 1 if one is not proved, or the page is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptx", metavar="GPU")
    parser.add_argument("--triton", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.triton:
        _foreign()
        return 0
    if given.ptx:
        _ptx(given.ptx)
        return 0
    found: dict[str, list[Proof]] = {}
    failed = 0
    for name, data in kernels():
        for gpu in GPUS:
            for proof in prove(cuda_tile.load(data), Options(gpu=gpu)):
                found.setdefault(name, []).append(proof)
                if wrong := _wrong(proof):
                    failed += 1
                    print(f"{name}, {gpu}: {wrong}")
    every = [proof for proofs in found.values() for proof in proofs]
    print(f"  slowest: {max(proof.seconds for proof in every):.2f} s")
    before, rest = PAGE.read_text().split(START)
    text = f"{before}{START}\n{_table(found)}\n{END}{rest.partition(END)[2]}"
    if given.write:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        failed += 1
        print(f"{PAGE}: not up to date, run with --write")
    print(f"{len(every) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
