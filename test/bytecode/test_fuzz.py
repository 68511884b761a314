# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thousands of corrupted files.

`tools/fuzz_bytecode` runs a million under sanitizers.
"""

import os
import re
import resource
import signal
import subprocess
from pathlib import Path

import pytest
import used_fuzz
from bytecode_files import KERNELS
from run_used_fuzz import different
from used_fuzz import use_all, use_in_child

import cuda_tile._mlir

BUILD = Path(next(iter(cuda_tile._mlir.__path__))).resolve().parents[2]
ADDRESS_SPACE_BYTES = 1 << 30  # most of it for the libraries
SMALL_KERNELS = ("vadd_i32_8", "vadd_f32_1024", "saxpy_tail_f32")
FUZZER = BUILD / "dialect" / "fuzz" / "cuda-tile-fuzz"


def limit_memory() -> None:
    """A file must not make the reader allocate much more than its size."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))


@pytest.mark.skipif(not FUZZER.exists(), reason="part of the build tree alone")
def test_slice(tmp_path):
    """No crash, no slow input, an offset for each refusal, true round trips."""
    golden = Path(__file__).resolve().parent / "Inputs" / "golden"
    files = sorted([*KERNELS.glob("*/*.tileirbc"), *golden.glob("*/*.tileirbc")])
    artifact = tmp_path / "problem"
    command = [FUZZER, "--runs", "20000", "--artifact", artifact, *files]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=limit_memory
    )
    assert run.returncode == 0, run.stderr
    counts = re.match(r"20000 inputs: (\d+) refused, (\d+) read", run.stdout)
    assert counts
    # Some changes leave a file whole, most do not.
    assert int(counts[1]) > 10000
    assert int(counts[2]) > 500


@pytest.mark.skipif(not FUZZER.exists(), reason="part of the build tree alone")
def test_slice_of_what_is_used(tmp_path):
    """What is read can be printed, run, compiled and assembled, or is refused."""
    files = [KERNELS / "13.4" / f"{name}.tileirbc" for name in SMALL_KERNELS]
    command = [FUZZER, "--runs", "200", "--seed", "5", "--accepted", tmp_path, *files]
    subprocess.run(command, capture_output=True, check=True)
    accepted = different(tmp_path)
    assert len(accepted) >= 16
    for file, found in use_all(accepted[:16]):
        assert found.kind in ("done", "refused"), (file, found)
    assert use_in_child(accepted[0]).kind in ("done", "refused")


def test_a_module_that_ends_its_process_or_has_no_end_is_seen_among_others(
    monkeypatch,
):
    """Each of a process that was lost is used again by itself."""
    good, deadly, endless = (
        KERNELS / "13.4" / f"{name}.tileirbc" for name in SMALL_KERNELS
    )

    def meet(module, file):
        del module
        if file == deadly:
            os.kill(os.getpid(), signal.SIGTERM)
        while file == endless:
            pass

    used_fuzz.warm_up()
    monkeypatch.setattr(used_fuzz, "CPU_SECONDS", 1)
    monkeypatch.setattr(used_fuzz, "BATCH_CPU_SECONDS", 1)
    monkeypatch.setattr(used_fuzz, "STEPS", {"meet": meet})
    kinds = {file: (found.kind, found.text) for file, found in use_all([good, deadly])}
    assert kinds == {good: ("done", ""), deadly: ("problem", "died (SIGTERM)")}
    kinds = {file: found.kind for file, found in use_all([endless, good])}
    assert kinds == {endless: "slow", good: "done"}
