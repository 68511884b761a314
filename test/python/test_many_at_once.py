# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling in several threads and processes at once, and many times."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import compile_memory
import pytest
from compile_memory import ptx_of

import cuda_tile
from cuda_tile import UserError

NAMES = ("vadd_f32_1024", "softmax_f32_1024", "matmul_f16_64x64x64", "cumsum_f32_1024")
WORK = [
    (name, gpu, line_info)
    for name in NAMES
    for gpu in ("sm_80", "sm_90", "sm_120")
    for line_info in (True, False)
]


@pytest.fixture(name="alone", scope="module")
def one_after_the_other() -> list[str]:
    return [ptx_of(*work) for work in WORK]


def check(pool: Executor, alone: list[str]) -> None:
    with pool:
        assert list(pool.map(ptx_of, *zip(*WORK, strict=True))) == alone


def test_threads_give_what_one_gives(alone: list[str]) -> None:
    check(ThreadPoolExecutor(4), alone)


def test_processes_give_what_one_gives(alone: list[str]) -> None:
    context = multiprocessing.get_context("spawn")
    check(ProcessPoolExecutor(2, mp_context=context), alone)


def test_an_error_in_a_thread_is_its_own() -> None:
    def read(number: int) -> str:
        if number % 2:
            return ptx_of(*WORK[0])
        with pytest.raises(UserError) as raised:
            cuda_tile.load(f"line{number}".encode())
        return str(raised.value)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(read, range(24)))
    for number, text in enumerate(found):
        assert (f"'line{number}'" in text) == (number % 2 == 0)


def test_memory_stays_flat() -> None:
    # A context that is lost costs some 300 KB; allocators move by a few.
    assert compile_memory.grown_bytes(200, threads=2, gpu="sm_90") < 16 << 10
