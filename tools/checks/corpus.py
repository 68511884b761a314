# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel of the test corpora and counts what is refused, and why.

    python tools/checks/corpus.py [FOLDER ...] [--gpu sm_80 ...] [--every N]

Without folders it is what `test/kernels` holds: files, zip and tar archives of
bytecode. A FOLDER is searched at any depth. Each kernel is compiled in a worker process
with a limit on CPU time. The tables say what the compiler refused by reason, what
spills registers, and what ptxas warned of. A crash, an internal error, a kernel over
the time limit, a ptxas warning (but of spills that `SPILLS` lists) and a refusal
without one of the known reasons are failures, marked with `*`. Without arguments it
looks at a sample only. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import signal
import sys
import tarfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import TypeVar

import cuda_tile
from cuda_tile.errors import InternalError, UserError

Made = TypeVar("Made")
ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".tileirbc", ".tilebc", ".bytecode")
GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
SAMPLE = 29
"""Every so many kernels are compiled where no arguments say otherwise."""
JOBS = 2
CPU_SECONDS = 60
"""A kernel that takes longer counts as one on which the compiler hangs."""
REASONS = (
    re.compile(r"\bsm_\d+"),
    re.compile(r"begin or end in the middle of a byte"),
)
"""What true refusals say: which chip lacks it, or that elements of 4 bits, of which
memory holds two to a byte, may begin in the middle of one."""
SHOWN = 40


@dataclass(frozen=True)
class Job:
    """A kernel to compile for a chip; `data` is bytecode."""

    name: str
    data: bytes
    gpu: str
    cubin: bool


SPILLS: dict[str, tuple[int, str]] = {
    "mma_scaled_f4_f8e8m0_16": (
        16,
        "besides the sums and the factors of blocks of 16 elements, addresses at two "
        "strides known at run time",
    ),
}
"""Kernels that may spill, by how their names begin: bytes at most, and why."""


@dataclass(frozen=True)
class Result:
    """What came of it.

    Attributes:
        name: The kernel's file, with its archive.
        gpu: Target chip.
        kind: compiled, refused, internal error, timeout, died.
        text: What was said, if it did not compile.
        spill_bytes: Spilled to local memory, all entries.
        warnings: Of ptxas.
        seconds: CPU time, without that of ptxas.
    """

    name: str
    gpu: str
    kind: str
    text: str = ""
    spill_bytes: int = 0
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether it compiled without a warning, or there is a listed reason."""
        if self.kind == "compiled":
            return not self.warnings or _is_listed_spill(self)
        return self.kind == "refused" and any(r.search(self.text) for r in REASONS)


def kernels(folders: list[Path]) -> Iterator[tuple[str, bytes]]:
    """Names and bytecode of all kernels below some folders, archives included."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.suffix in SUFFIXES:
                yield name, path.read_bytes()
            elif path.suffix == ".zip":
                with zipfile.ZipFile(path) as archive:
                    for member in archive.namelist():
                        yield f"{name}/{member}", archive.read(member)
            elif path.name.endswith(".tar.xz"):
                with tarfile.open(path) as archive:
                    for info in archive:
                        file = archive.extractfile(info)
                        if file is not None:
                            yield f"{name}/{info.name}", file.read()


def compile_one(job: Job) -> Result:
    """Compiles in this process."""
    start = time.process_time()
    kind, text, spills = "compiled", "", 0
    warnings: tuple[str, ...] = ()
    try:
        module = cuda_tile.load(job.data)
        done = cuda_tile.compile(module, job.gpu, cubin=job.cubin)
        spills = sum(kernel.spill_bytes for kernel in done.report.kernels)
        warnings = done.report.warnings
    except UserError as error:
        kind, text = "refused", str(error)
    except TimeoutError as error:
        kind, text = "timeout", str(error)
    except InternalError as error:
        kind, text = "internal error", str(error)
    except Exception as error:
        kind, text = "internal error", f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    return Result(job.name, job.gpu, kind, text, spills, warnings, seconds)


def _ring(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise TimeoutError(f"not ready after {CPU_SECONDS} CPU s")


def _work(
    jobs: list[Job], compiled: Callable[[Job], Made], results: Connection
) -> None:
    signal.signal(signal.SIGPROF, _ring)
    for job in jobs:
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        result = compiled(job)
        signal.setitimer(signal.ITIMER_PROF, 0)
        results.send(result)
    results.close()


def in_workers(
    jobs: list[Job],
    processes: int,
    compiled: Callable[[Job], Made],
    died: Callable[[Job], Made],
) -> Iterator[Made]:
    """Compiles in worker processes; a worker that dies is replaced.

    Args:
        jobs: What to compile.
        processes: How many workers.
        compiled: Compiles, in a worker.
        died: What a job gives on which its worker died.
    """
    shares = [jobs[n::processes] for n in range(processes)]
    context = multiprocessing.get_context("fork")
    running: dict[Connection, list[Job]] = {}

    def start(share: list[Job]) -> None:
        if share:
            ours, theirs = context.Pipe(duplex=False)
            assert isinstance(ours, Connection)
            assert isinstance(theirs, Connection)
            context.Process(target=_work, args=(share, compiled, theirs)).start()
            theirs.close()
            running[ours] = share

    for share in shares:
        start(share)
    while running:
        for connection in wait(list(running)):
            assert isinstance(connection, Connection)
            share = running[connection]
            try:
                yield connection.recv()
                running[connection] = share[1:]
            except EOFError:
                del running[connection]
                if share:
                    yield died(share[0])
                    start(share[1:])


def compile_all(jobs: list[Job], processes: int) -> Iterator[Result]:
    """Compiles in worker processes."""
    return in_workers(
        jobs, processes, compile_one, lambda job: Result(job.name, job.gpu, "died")
    )


def reason(text: str) -> str:
    """A message without its location, name by name the same for all kernels."""
    text = re.sub(r'^("[^"]*":\d+:\d+|[^ ]+:\d+:\d+|<[^>]*>|[^ ]+): ', "", text)
    text = " ".join(text.split())
    return re.sub(r"\b\d+\b", "N", text)[:150]


def _is_listed_spill(result: Result) -> bool:
    """Whether ptxas warned of nothing but spills that are listed."""
    only_spills = all("spilled to local memory" in text for text in result.warnings)
    name = result.name.rpartition("/")[2]
    return only_spills and any(
        name.startswith(start) and result.spill_bytes <= most
        for start, (most, _) in SPILLS.items()
    )


def print_tables(results: list[Result]) -> None:
    """Counts by chip, then refusals by reason, failures, spills and warnings."""
    kinds = sorted({r.kind for r in results})
    print(f"{'chip':10}" + "".join(f"{kind:>16}" for kind in kinds))
    for gpu in dict.fromkeys(r.gpu for r in results):
        counts = Counter(r.kind for r in results if r.gpu == gpu)
        print(f"{gpu:10}" + "".join(f"{counts[kind]:16}" for kind in kinds))
    reasons: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        if result.kind != "compiled":
            reasons[result.kind, reason(result.text)].append(result)
    for (kind, text), which in sorted(reasons.items(), key=lambda i: -len(i[1])):
        chips = ",".join(dict.fromkeys(r.gpu for r in which))
        mark = "" if which[0].is_good else "*"
        print(f"{len(which):5} {mark}{kind} ({chips}): {text}\n      {which[0].name}")
    spilled = sorted((r for r in results if r.spill_bytes), key=lambda r: r.name)
    print(f"{len(spilled)} spill registers")
    for result in spilled[:SHOWN]:
        print(f"      {result.spill_bytes:6} bytes {result.gpu} {result.name}")
    for start, (most, why) in SPILLS.items():
        print(f"listed: up to {most} bytes in {start}*: {why}")
    for result in results:
        for warning in result.warnings:
            print(f"warning: {result.gpu} {result.name}: {warning}")


def main() -> int:
    """Compiles and prints; 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--gpu", action="append", help=f"default: {', '.join(GPUS)}")
    parser.add_argument("--every", type=int, metavar="N", help="every Nth kernel")
    parser.add_argument("--only", metavar="TEXT", help="kernels with it in their names")
    parser.add_argument("--no-cubin", action="store_true", help="stop at PTX")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    words = parser.parse_args()
    folders: list[Path] = words.folders or [ROOT / "test" / "kernels"]
    is_sample = len(sys.argv) == 1
    every: int = words.every or (SAMPLE if is_sample else 1)
    gpus: list[str] = words.gpu or list(GPUS)
    files = [item for item in kernels(folders) if (words.only or "") in item[0]]
    jobs = [
        Job(name, data, gpu, not words.no_cubin)
        for place, (name, data) in enumerate(files[::every])
        for gpu in ([gpus[place % len(gpus)]] if is_sample else gpus)
    ]
    results = list(compile_all(jobs, words.jobs))
    print_tables(results)
    if words.json:
        text = json.dumps([asdict(result) for result in results], indent=1)
        words.json.write_text(text + "\n")
    failed = len([result for result in results if not result.is_good])
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
