# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many kernels in one command: workers, limits, the cache, what goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cuda_tile.batch.cache import Cache, size_bytes
from cuda_tile.batch.job import Product
from cuda_tile.codegen.ptxas import find_ptxas
from cuda_tile.errors import UserError

KERNELS = Path(__file__).resolve().parent.parent / "kernels" / "13.4"
FILES = [
    KERNELS / f"vadd_{name}.tileirbc" for name in ("f32_1024", "i32_8", "f16_4096")
]
Run = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture(name="run")
def command(tmp_path: Path) -> Run:
    """Runs the command with a cache of its own; gives code, JSON and stderr."""

    def run(*words: object, **environment: str) -> tuple[int, dict[str, Any], str]:
        tool = [sys.executable, "-m", "cuda_tile.cli.compile", "--report=json"]
        known = {"CUDA_TILE_CACHE_DIR": str(tmp_path / "cache")}
        output = [] if "-o" in words else ["-o", tmp_path / "out"]
        done = subprocess.run(
            [*tool, *map(str, words), *map(str, output)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env=os.environ | known | environment,
        )
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr

    return run


def ptxas_that(folder: Path, *lines: str) -> str:
    """A program like ptxas that does something else to code that names `i32_8`."""
    path = folder / "ptxas"
    path.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        'if [ "$1" != --version ] && grep -q vadd_i32_8 "$last"; then\n'
        + "\n".join(lines)
        + f'\nfi\nexec {find_ptxas()} "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


def is_running(pid: int) -> bool:
    """Whether a process works; one that ended may not have been reaped yet."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def states(result: dict[str, Any]) -> list[str]:
    return [job["status"] for job in result["jobs"]]


def test_files_and_chips_in_order_and_from_the_cache(run: Run, tmp_path: Path) -> None:
    words = (*FILES, "--gpu=sm_80,sm_90", "--jobs=2")
    code, first, said = run(*words)
    assert (code, said) == (0, "")
    assert states(first) == ["compiled"] * 6
    assert [job["gpu"] for job in first["jobs"]] == ["sm_80", "sm_90"] * 3
    made = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert len(made) == 12  # launch records beside each
    assert made["vadd_i32_8.sm_80.cubin"].startswith(b"\x7fELF")
    code, second, _ = run(*words, "-o", tmp_path / "again")
    assert (code, states(second)) == (0, ["cached"] * 6)
    again = {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert again == made
    assert [job["kernels"] for job in second["jobs"]] == [
        job["kernels"] for job in first["jobs"]
    ]


def test_other_choices_are_other_entries(run: Run) -> None:
    run(*FILES[:2], "--gpu=sm_80")
    for words in (["--no-line-info"], ["--emit=ptx"], ["-O1"], ["--gpu=sm_86"]):
        _, result, _ = run(*FILES[:2], "--gpu=sm_80", *words)
        assert states(result) == ["compiled"] * 2, words


def test_a_damaged_entry_is_made_again(run: Run, tmp_path: Path) -> None:
    words = (*FILES, "--gpu=sm_80")
    run(*words)
    damaged, cut, _ = sorted((tmp_path / "cache").glob("*/*.entry"))
    raw = bytearray(damaged.read_bytes())
    raw[len(raw) // 2] ^= 1
    damaged.write_bytes(raw)
    cut.write_bytes(cut.read_bytes()[:40])
    _, result, _ = run(*words)
    assert sorted(states(result)) == ["cached", "compiled", "compiled"]
    assert states(run(*words)[1]) == ["cached"] * 3


def test_a_refused_file_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.mlir").write_text("nonsense")
    code, result, said = run(*FILES, tmp_path / "bad.mlir", "--gpu=sm_80", "--jobs=2")
    assert code == 1
    assert states(result) == ["compiled"] * 3 + ["refused"]
    assert "bad.mlir for sm_80: error: " in said


def test_a_missing_file_does_not_stop_the_others(run: Run) -> None:
    code, result, said = run(*FILES, "none.mlir", "--gpu=sm_80", "--jobs=2")
    assert (code, states(result)) == (1, ["compiled"] * 3 + ["refused"])
    assert "cannot read 'none.mlir'" in said


def test_an_abort_is_no_limit_of_memory(run: Run, tmp_path: Path) -> None:
    aborts = ptxas_that(tmp_path, "kill -ABRT $PPID")
    code, result, said = run(*FILES[:2], "--gpu=sm_80", "--jobs=1", PTXAS=aborts)
    assert (code, states(result)) == (70, ["compiled", "failed"])
    assert "ended with signal SIGABRT, which is a bug" in said
    assert "--memory-limit" not in said


def test_a_kernel_that_hangs_runs_out_of_time(run: Run, tmp_path: Path) -> None:
    hangs = ptxas_that(tmp_path, f"echo $$ > {tmp_path}/pid", "sleep 1000")
    words = (*FILES, "--gpu=sm_80", "--jobs=2", "--time-limit=5")
    code, result, said = run(*words, PTXAS=hangs)
    assert (code, states(result)) == (1, ["compiled", "time", "compiled"])
    assert "took longer than 5 seconds" in said
    pid = int((tmp_path / "pid").read_text())
    assert not is_running(pid)  # ended with its worker


def test_a_worker_that_is_killed_loses_one_kernel(run: Run, tmp_path: Path) -> None:
    kills = ptxas_that(tmp_path, "kill -9 $PPID")
    code, result, said = run(*FILES, "--gpu=sm_80", "--jobs=1", PTXAS=kills)
    assert (code, states(result)) == (70, ["compiled", "failed", "compiled"])
    assert "ended with signal SIGKILL" in said


def test_workers_end_with_the_command(tmp_path: Path) -> None:
    hangs = ptxas_that(tmp_path, f"echo $$ > {tmp_path}/pid", "sleep 1000")
    words = [FILES[1], "--gpu=sm_80", "--jobs=1", "--no-cache", "-o", tmp_path]
    with subprocess.Popen(
        [sys.executable, "-m", "cuda_tile.cli.compile", *map(str, words)],
        env=os.environ | {"PTXAS": hangs},
    ) as process:
        end = time.monotonic() + 100
        while not (tmp_path / "pid").exists() and time.monotonic() < end:
            time.sleep(0.1)
        process.kill()
    pid = int((tmp_path / "pid").read_text())
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.1)
    assert not is_running(pid)


def test_a_limit_of_memory(run: Run) -> None:
    code, result, said = run(
        *FILES[:2], "--gpu=sm_80", "--jobs=1", "--memory-limit=0.01"
    )
    assert (code, states(result)) == (70, ["failed"] * 2)
    assert "--memory-limit" in said


def test_a_full_disk(run: Run, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        code, result, said = run(
            *FILES, "--gpu=sm_80", "-o", disk, CUDA_TILE_CACHE_DIR=str(disk / "cache")
        )
    finally:
        subprocess.run(["umount", disk], check=True)
    assert code == 1
    assert "unwritten" in states(result)
    assert set(states(result)) <= {"compiled", "unwritten"}
    assert "No space left on device" in said


def test_files_of_one_name_keep_their_folders(run: Run, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(FILES[0], tmp_path / folder / "k.tileirbc")
    words = (tmp_path / "a/k.tileirbc", tmp_path / "b/k.tileirbc", "--gpu=sm_80")
    code, result, _ = run(*words)
    # The same bytes are compiled once.
    assert (code, sorted(states(result))) == (0, ["cached", "compiled"])
    out = tmp_path / "out"
    first, second = out / "a/k.sm_80.cubin", out / "b/k.sm_80.cubin"
    assert first.read_bytes() == second.read_bytes()
    shutil.copy(FILES[0], tmp_path / "a/k.mlir")
    code, _, said = run(tmp_path / "a/k.mlir", *words)
    assert code == 1
    assert "files that differ in name" in said


def test_processes_at_once_share_a_cache(run: Run, tmp_path: Path) -> None:
    def one(number: int) -> list[str]:
        words = (*FILES, "--gpu=sm_80", "-o", tmp_path / f"out{number}")
        code, result, _ = run(*words, CUDA_TILE_CACHE_SIZE="20K")
        return [] if code else states(result)

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(one, range(3)))
    assert all(len(each) == 3 for each in found)
    outputs = [sorted((tmp_path / f"out{n}").iterdir()) for n in range(3)]
    for same in zip(*outputs, strict=True):
        assert len({path.read_bytes() for path in same}) == 1


BUSY = """
import sys
from pathlib import Path
from cuda_tile.batch.cache import Cache
from cuda_tile.batch.job import Product

cache = Cache(Path(sys.argv[1]), limit_bytes=3_000_000)
rounds = int(sys.argv[2])
while rounds:
    rounds -= 1
    for number in range(20):
        key, data = f"{number:064x}", bytes([number]) * 300_000
        found = cache.get(key)
        assert found is None or found.data == data
        cache.put(key, Product(data))
        cache.trim()
        assert not cache.problem, cache.problem
    print("round", flush=True)
"""


def test_killed_processes_leave_a_cache_that_works(tmp_path: Path) -> None:
    words = [sys.executable, "-c", BUSY, tmp_path / "cache"]

    def start(rounds: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*words, str(rounds)], stdout=subprocess.PIPE, text=True
        )

    killed = [start(-1) for _ in range(3)]
    for process in killed:
        assert process.stdout is not None
        assert process.stdout.readline() == "round\n"
    for process in killed:  # in the middle of reading, writing or throwing away
        process.kill()
        assert process.wait() == -9
    last = start(2)
    assert last.communicate(timeout=300)[0] == "round\n" * 2
    assert last.returncode == 0
    cache = Cache(tmp_path / "cache", limit_bytes=3_000_000)
    found = [cache.get(f"{number:064x}") for number in range(20)]
    kept = [number for number, product in enumerate(found) if product is not None]
    assert len(kept) == 9  # the most that fit
    left = tmp_path / "cache" / "00" / f".{'0' * 62}.entry.1.2.tmp"
    for age, stays in ((0, True), (7200, False)):
        left.write_bytes(b"half")
        then = time.time() - age
        os.utime(left, (then, then))
        cache.trim()
        assert left.exists() == stays


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--jobs=0"], "--jobs of 1 or more, got 0"),
        (["--jobs=1", "--ray=auto"], "--jobs or --ray, got both"),
        (["--time-limit=0"], "--time-limit above 0, got 0"),
        (["--timing"], "one file for one chip with --timing"),
        (["-o", "-"], "files and a folder"),
        (["--gpu=sm_80,sm_1"], "known gpu"),
    ],
)
def test_command_lines_that_cannot_be(run: Run, words: list[str], said: str) -> None:
    code, _, error = run(*FILES, "--gpu=sm_80", *words)
    assert code == 1
    assert said in error


def test_without_ray_its_flag_says_how_to_get_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError")
    code, _, said = run(*FILES, "--gpu=sm_80", "--ray=auto", PYTHONPATH=str(tmp_path))
    assert code == 1
    assert "pip install cuda-tile-compiler[ray]" in said


def test_the_least_recently_used_entries_go(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=3500)
    for number, name in enumerate("abcd"):
        cache.put(name * 64, Product(bytes(1000)))
        path = next(tmp_path.glob(f"{name * 2}/*.entry"))
        os.utime(path, (number, number))
    assert cache.get("a" * 64) is not None  # used just now
    cache.trim()
    kept = [name for name in "abcd" if cache.get(name * 64) is not None]
    assert kept == ["a", "c", "d"]
    assert cache.problem == ""


def test_off_is_no_folder(run: Run, tmp_path: Path) -> None:
    words = (FILES[1], "--gpu=sm_80", "--jobs=1", "-o", tmp_path)
    for _ in range(2):
        code, result, _ = run(*words, CUDA_TILE_CACHE_DIR="off")
        assert (code, states(result)) == (0, ["compiled"])
    assert not (tmp_path / "off").exists()


def test_sizes_of_the_cache() -> None:
    assert size_bytes("500m") == 500 << 20
    with pytest.raises(UserError, match=r"500M or 2G, got 'big'"):
        size_bytes("big")
