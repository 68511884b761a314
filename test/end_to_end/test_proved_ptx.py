# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proofs of the PTX of products: tiles one after the other, sums in tensor memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest
from proofs import kernels

import cuda_tile
from cuda_tile.emulator import parse
from cuda_tile.emulator.proof import search
from cuda_tile.emulator.proof.verdict import verdict_of
from cuda_tile.emulator.recorded import box_bytes
from cuda_tile.runtime.record import LaunchRecord


@cache
def compiled(name: str, gpu: str) -> tuple[str, str, LaunchRecord]:
    """PTX of a kernel, its name there and how it is launched."""
    data = next(data for other, data in kernels() if other == name)
    found = cuda_tile.compile(cuda_tile.load(data), gpu, cubin=False)
    ((entry, record),) = found.launch.items()
    return found.ptx, entry, record


def why_not(name: str, gpu: str, change: Callable[[str], str] | None = None) -> str:
    """Why a kernel is not proved in a CTA; empty if it is."""
    text, entry, record = compiled(name, gpu)
    changed = text if change is None else change(text)
    assert (changed == text) is (change is None)
    module = parse(changed)
    function = module.functions[entry]
    boxes = box_bytes(function, record)
    shared = record.dynamic_shared_bytes
    return verdict_of(module, function, record.launch_block, shared, boxes).block


def without(pattern: str) -> Callable[[str], str]:
    """Deletes the last instruction of a pattern, guard and all."""

    def change(text: str) -> str:
        *_, last = re.finditer(rf"^.*{pattern}[^;]*;", text, re.MULTILINE)
        return text[: last.start()] + text[last.end() :]

    return change


KERNELS = (
    ("gemm_persistent_bf16", "sm_80"),
    ("gemm_bf16", "sm_100"),
    ("matmul_f16_64x64x64", "sm_100"),
)


@pytest.mark.parametrize(("name", "gpu"), KERNELS)
def test_it_is_proved(name: str, gpu: str) -> None:
    """A product of tiles without end; a sum in tensor memory; and roles."""
    assert why_not(name, gpu) == ""


NEEDED = (
    *(r"tcgen05\.wait::st", r"tcgen05\.wait::ld", r"tcgen05\.commit"),
    *(r"tcgen05\.fence::before_thread_sync", r"tcgen05\.fence::after_thread_sync"),
    *(r"tcgen05\.dealloc", r"tcgen05\.alloc", r"bar\.sync", r"mbarrier\.init"),
)


@pytest.mark.parametrize("pattern", NEEDED)
def test_what_orders_tensor_memory_is_needed(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last wait, fence, commit and barrier, and what allocates."""
    monkeypatch.setattr(search, "MOST_SECONDS", 5.0)
    assert why_not("gemm_bf16", "sm_100", without(pattern))


def first_changed(pattern: str, to: str) -> Callable[[str], str]:
    """Changes the first text of a pattern."""
    return lambda text: re.sub(pattern, to, text, count=1)


SLIPS = {
    "lanes do not meet behind a wait": without(r"bar\.warp\.sync"),
    "a commit of the sum": without(r"tcgen05\.commit"),
    "another parity": first_changed(
        r"bfe\.u32\s+(%r\d+), (%r\d+), 2, 1", r"bfe.u32 \1, \2, 3, 1"
    ),
    "two slots too few": first_changed(
        r"and\.b32\s+(%r\d+), (%r\d+), 3;", r"and.b32 \1, \2, 1;"
    ),
    "a byte too many": first_changed(
        r"mov\.b32\s+(%r\d+), 16384;", r"mov.b32 \1, 16385;"
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_no_slip_of_roles_is_proved(slip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a product whose slots one warp fills and another one multiplies."""
    monkeypatch.setattr(search, "MOST_SECONDS", 5.0)
    assert why_not("matmul_f16_64x64x64", "sm_100", SLIPS[slip])
