# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process per kernel costs, as producers call a compiler: 50 kernels.

    python bench/cold_start.py [FILE ...] [--gpu sm_90] [--runs 3] [--peer TILEIRAS]

CPU seconds of `cuda-tile-as`, its children included, the best of several runs; nothing
is cached. Without files it is 50 of `test/kernels`. With `--peer` NVIDIA's
closed compiler runs beside it on the same files, as a black box (bench/README.md). The
last line says on how many kernels ours takes no more.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "test" / "kernels"
MOST_KERNELS = 50
OURS = [sys.executable, "-m", "cuda_tile.cli.assembler"]


def cpu_seconds(command: Sequence[str | Path]) -> float | None:
    """CPU time of a process and its children; None where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(compiler: Sequence[str], file: Path, gpu: str, runs: int) -> float | None:
    """The least CPU time of some runs of a compiler; None where it refuses the file."""
    with tempfile.TemporaryDirectory() as folder:
        made = ["--gpu-name", gpu, file, "-o", Path(folder) / "k.cubin"]
        found = [cpu_seconds([*compiler, *made]) for _ in range(runs)]
    times = [seconds for seconds in found if seconds is not None]
    return min(times) if len(times) == runs else None


def default_kernels(folder: Path) -> list[Path]:
    """The kernels of `test/kernels/13.4`, and of cuTile's tests at equal distances.

    Args:
        folder: Where to unpack the latter.
    """
    own = sorted((KERNELS / "13.4").glob("*.tileirbc"))
    with tarfile.open(KERNELS / "cutile" / "corpus.tar.xz") as corpus:
        members = [m for m in corpus.getmembers() if m.name.endswith(".tileirbc")]
        chosen = members[:: len(members) // (MOST_KERNELS - len(own))]
        corpus.extractall(folder, chosen, filter="data")
    return [*own, *(folder / member.name for member in chosen)][:MOST_KERNELS]


def text_of(seconds: float | None) -> str:
    """Seconds as the table has them."""
    return "-" if seconds is None else f"{seconds:.3f}"


def main() -> int:
    """Prints a row per kernel."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--gpu", default="sm_90")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer", metavar="TILEIRAS")
    words = parser.parse_args()
    compilers = [OURS, *([[words.peer]] if words.peer else [])]
    print(f"{'kernel':<32} {'ours':>8} {'peer':>8}")
    behind = count = 0
    unpacked = tempfile.TemporaryDirectory()
    for file in words.files or default_kernels(Path(unpacked.name)):
        ours, *peer = [best(each, file, words.gpu, words.runs) for each in compilers]
        cells = [text_of(each) for each in (ours, *(peer or [None]))]
        print(f"{file.stem[:32]:<32} {cells[0]:>8} {cells[1]:>8}", flush=True)
        count += 1
        behind += bool(peer and peer[0] and (ours is None or ours > peer[0]))
    said = (
        f", ours takes no more than the peer on {count - behind}" if words.peer else ""
    )
    print(f"{count} kernels{said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
