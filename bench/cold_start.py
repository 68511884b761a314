# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process per kernel costs, as producers call a compiler: 50 kernels.

    python bench/cold_start.py [FILE ...] [--gpu sm_90] [--runs 3] [--peer TILEIRAS]

CPU seconds of `cuda-tile-as`, its children included: the best of several runs, and the
mean with the server of `CUDA_TILE_SERVER=1`, whose own time counts, in 1/100 s; nothing
is cached.
Without files it is 50 of `test/kernels`. NVIDIA's closed compiler runs beside it on the
same files where `--peer` names it or PATH has it, as a black box (bench/README.md). The
last line says on how many kernels ours takes no more.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "test" / "kernels"
MOST_KERNELS = 50
OURS = str(Path(sys.executable).parent / "cuda-tile-as")
CONTROL = str(Path(sys.executable).parent / "cuda-tile-server")
ASKED = "CUDA_TILE_SERVER"


def cpu_seconds(command: Sequence[str | Path], server: Server | None) -> float | None:
    """CPU time of a process and its children, and what a server has spent on it.

    None where it fails.
    """
    served = server.seconds() if server else 0.0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | (server.environment if server else {ASKED: "0"})
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return own + (server.seconds() - served if server else 0.0)


def _spent(process: int) -> float:
    """CPU time of a process and of its children that have ended; 0 if it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0.0
    ticks = text.rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


class Server:
    """The server of commands in a folder of its own."""

    def __init__(self, folder: str) -> None:
        self.environment = {ASKED: "1", "XDG_RUNTIME_DIR": folder}
        subprocess.run(
            [OURS, "--version"], env=self._all(), check=True, stdout=subprocess.DEVNULL
        )
        while self._ask("ping") != "running":
            time.sleep(0.1)
        (path,) = (p for p in Path(folder, "cuda-tile").iterdir() if not p.suffix)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            self._process = struct.unpack("=iII", raw)[0]

    def seconds(self) -> float:
        """CPU time of the server, of its processes, and of those that have ended.

        In 1/100 s: calls are told apart no finer.
        """
        task = Path(f"/proc/{self._process}/task/{self._process}")
        workers = map(int, (task / "children").read_text().split())
        return sum(map(_spent, [self._process, *workers]))

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._ask("stop")

    def _all(self) -> dict[str, str]:
        return os.environ | self.environment

    def _ask(self, word: str) -> str:
        command = [CONTROL, word]
        return subprocess.check_output(command, env=self._all(), text=True).strip()


def best(
    compiler: str, file: Path, gpu: str, runs: int, server: Server | None = None
) -> float | None:
    """CPU time of a compiler, None where it refuses the file.

    The least of some runs; with a server, whose clock ticks in 1/100 s, their mean.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = ["--gpu-name", gpu, file, "-o", Path(folder) / "k.cubin"]
        found = [cpu_seconds([compiler, *made], server) for _ in range(runs)]
    times = [seconds for seconds in found if seconds is not None]
    if len(times) < runs:
        return None
    return sum(times) / runs if server else min(times)


def default_kernels(folder: Path) -> list[Path]:
    """The kernels of `test/kernels/13.4`, and of cuTile's tests at equal distances.

    Args:
        folder: Where to unpack the latter.
    """
    own = sorted((KERNELS / "13.4").glob("*.tileirbc"))
    with tarfile.open(KERNELS / "cutile" / "corpus.tar.xz") as corpus:
        members = [m for m in corpus.getmembers() if m.name.endswith(".tileirbc")]
        chosen = members[:: len(members) // (MOST_KERNELS - len(own))]
        # `filter="data"`, where Python has it: Debian's 3.11.2 has not.
        corpus.extraction_filter = getattr(tarfile, "data_filter", None)
        corpus.extractall(folder, chosen)
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
    # What is installed has its modules compiled, as a checkout has after one run.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    peer = words.peer or shutil.which("tileiras")
    print(f"{'kernel':<32} {'ours':>8} {'served':>8} {'peer':>8}")
    behind = compared = count = 0
    with (
        tempfile.TemporaryDirectory() as unpacked,
        tempfile.TemporaryDirectory() as run,
        Server(run) as server,
    ):
        for file in words.files or default_kernels(Path(unpacked)):
            ours = best(OURS, file, words.gpu, words.runs)
            served = best(OURS, file, words.gpu, words.runs, server)
            theirs = best(peer, file, words.gpu, words.runs) if peer else None
            cells = [text_of(each) for each in (ours, served, theirs)]
            print(
                f"{file.stem[:32]:<32}", *(f"{cell:>8}" for cell in cells), flush=True
            )
            count += 1
            compared += theirs is not None
            behind += theirs is not None and (ours is None or ours > theirs)
    said = f"ours takes no more than the peer on {compared - behind} of {compared}"
    said = f", {said} that it compiled" if peer else ""
    print(f"{count} kernels{said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
