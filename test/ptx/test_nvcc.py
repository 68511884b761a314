# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX that nvcc generates runs in the emulator: correct kernels and faulty ones.

The kernels are ours, in `cuda/`; they are compiled here with the pinned nvcc.
"""

from __future__ import annotations

import re

import nvcc_atomics
import nvcc_calls
import nvcc_copies
import nvcc_cub
import nvcc_groups
import nvcc_memory
import nvcc_numbers
import nvcc_sync
import nvcc_wmma
import pytest
from nvcc import DEBUG, LINES, UNOPTIMISED, Kernel

from cuda_tile.emulator import FindingError, PtxError
from cuda_tile.emulator.launch import Mode

pytestmark = pytest.mark.sampled(8)

KERNELS = (
    *nvcc_calls.KERNELS,
    *nvcc_sync.KERNELS,
    *nvcc_groups.KERNELS,
    *nvcc_atomics.KERNELS,
    *nvcc_copies.KERNELS,
    *nvcc_wmma.KERNELS,
    *nvcc_numbers.KERNELS,
    *nvcc_memory.KERNELS,
    *nvcc_cub.KERNELS,
)
# Sources whose PTX differs most from chip to chip.
BY_CHIP = [k for k in KERNELS if k.source in ("sync", "groups", "atomics", "copies")]
OLDER = [kernel for kernel in BY_CHIP if kernel.arch == "sm_80"]
BROKEN = [(kernel, number) for kernel in KERNELS for number in kernel.broken]
# Sources whose unoptimised code is small.
PLAIN = [kernel for kernel in KERNELS if kernel.source in ("calls", "sync")]
SEEDS = 8


def check(
    kernel: Kernel, arch: str, flags: tuple[str, ...] = (), seed: int = 0
) -> None:
    problem, report = kernel.run(arch, flags, "adversarial", seed)
    problem.check()
    assert report.findings == []


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_fast(kernel: Kernel) -> None:
    problem, _ = kernel.run("sm_90")
    problem.check()


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_adversarial(kernel: Kernel) -> None:
    check(kernel, "sm_90", seed=1)


@pytest.mark.parametrize("kernel", OLDER, ids=str)
def test_for_an_older_chip(kernel: Kernel) -> None:
    check(kernel, "sm_80")


@pytest.mark.parametrize("kernel", BY_CHIP, ids=str)
def test_for_a_newer_chip(kernel: Kernel) -> None:
    check(kernel, "sm_100a")


@pytest.mark.parametrize("flags", [DEBUG, LINES, UNOPTIMISED], ids=" ".join)
@pytest.mark.parametrize("kernel", PLAIN, ids=str)
def test_with_debug_information_and_without_optimisation(
    kernel: Kernel, flags: tuple[str, ...]
) -> None:
    check(kernel, "sm_80", flags)


@pytest.mark.parametrize(("kernel", "number"), BROKEN, ids=str)
def test_what_is_left_out_is_reported(kernel: Kernel, number: int) -> None:
    found = next(filter(None, (_finding(kernel, s, number) for s in range(SEEDS))), "")
    assert found in kernel.broken[number].split(" or ")


def _finding(kernel: Kernel, seed: int, number: int) -> str:
    """The kind of finding of a broken variant, empty for none."""
    try:
        kernel.run("sm_90", (), "adversarial", seed, number)
    except FindingError as error:
        return error.finding.kind
    return ""


def test_endless_recursion_is_a_finding() -> None:
    with pytest.raises(FindingError, match=r"stack: .*paths.* endless recursion"):
        nvcc_calls.ENDLESS.run("sm_90")


def test_printf() -> None:
    problem, report = nvcc_calls.PRINTS.run("sm_90")
    x = problem.args[0]
    assert report.stdout == (
        f"thread 0 of 32: {x[0]:f} even 1099511627776 {x[0] / 3:5.2e} a%\n"
        f"thread 1 of 32: {x[1]:f} odd 1099511627776 {x[1] / 3:5.2e} b%\n"
    )


def test_assert() -> None:
    with pytest.raises(FindingError) as caught:
        nvcc_calls.ASSERTS.run("sm_90")
    message = caught.value.finding.message
    assert re.search(
        r"calls\.cu:\d+: .*assertion 'x\[threadIdx\.x\] < 7' failed", message
    )


@pytest.mark.parametrize(("kernel", "message"), nvcc_memory.REFUSED, ids=str)
def test_textures_and_surfaces_are_refused(kernel: Kernel, message: str) -> None:
    with pytest.raises(PtxError, match=message):
        kernel.run("sm_90")


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_scan_over_a_device(mode: Mode) -> None:
    nvcc_cub.device_scan(mode, 3)
