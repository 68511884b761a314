# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roles: warps branch to their own ops; barriers and thread numbers are the role's."""

from __future__ import annotations

import re

import numpy as np
import pytest
from emit_from import agree_from, compile_from
from role_kernels import (
    EVERY_INSTRUCTION,
    OTHER,
    TWO,
    VECTOR,
    kernel,
    role,
    scalar,
    vectors,
)

from cuda_tile.errors import CudaTileError


def numbers() -> list[np.ndarray]:
    p, r, o = (np.arange(128, dtype=np.float32) * k for k in (1, 0, 3))
    return [p, r, o]


def test_two_roles_of_many_threads() -> None:
    p, r, o = numbers()
    _, moved, other = agree_from(kernel(TWO + OTHER), "emit", [p, r, o])
    assert moved.tolist() == (p + 1).tolist()
    assert other.tolist() == (o + 2).tolist()


def test_each_role_has_a_barrier_of_its_own() -> None:
    ptx = compile_from(kernel(TWO + OTHER), "emit", "sm_90").ptx
    assert re.findall(r"bar\.sync\s+(\d+), (\d+);", ptx) == [("1", "128"), ("2", "128")]
    assert ".reqntid 256" in ptx


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("warps", [1, 4])
def test_a_role_of_one_thread(gpu: str, warps: int) -> None:
    p, r, o = numbers()
    text = kernel(TWO + role("load", scalar("%o", 7.0), warps, 1), gpu=gpu)
    _, moved, other = agree_from(text, "emit", [p, r, o], gpu=gpu)
    assert moved.tolist() == (p + 1).tolist()
    assert other[0] == 7.0


def test_registers_move_between_roles() -> None:
    agree_from(EVERY_INSTRUCTION, "emit", numbers())
    made = compile_from(EVERY_INSTRUCTION, "emit", "sm_90", cubin=True)
    assert re.findall(r"setmaxnreg\.(\w+)\S*\s+(\d+);", made.ptx) == [
        ("inc", "208"),
        ("dec", "40"),
        ("dec", "40"),
    ]
    assert made.assembled is not None
    assert made.assembled.warnings == ()
    assert made.assembled.resources["k"].registers == 168  # 65536 / 384 threads


def test_what_stands_behind_roles_runs_once() -> None:
    text = kernel(
        role("a", "", 4, 128) + role("b", "", 4, 128), after=scalar("%o", 5.0)
    )
    *_, other = agree_from(text, "emit", numbers())
    assert other[0] == 5.0


def test_what_needs_scratch_memory() -> None:
    """A tile that is printed, and memory of the heap, in a role beside another one."""
    body = vectors("%p", "%r", 0, add=1.0).replace(" offset = 0", "")
    body += f"""
      %heap = alloca num_elem = 8, alignment = 16 : tile<ptr<f32>>
      %seven = constant <f32: 7.0> : tile<f32>
      %st = store_ptr_tko weak %heap, %seven : tile<ptr<f32>>, tile<f32> -> token
      tileas.barrier
      %ld, %lt = load_ptr_tko weak %heap token = %st
        : tile<ptr<f32>> -> tile<f32>, token
      %so = store_ptr_tko weak %o, %ld : tile<ptr<f32>>, tile<f32> -> token
      %pr = print_tko "sum %f", %y : {VECTOR} -> token
    """
    other = role("other", "tileas.barrier\n" * 3, 2, 64)
    *_, out = agree_from(
        kernel(role("work", body, 4, 128) + other), "allocate", numbers()
    )
    assert out[0] == 7.0


NUMBERS = VECTOR.replace("f32", "i32")
REFUSED = {
    "tiles outside": (
        kernel(TWO, before=f"%d = iota : {NUMBERS}"),
        "expected only scalars outside the roles of a kernel",
    ),
    "tiles of one thread": (
        kernel(role("a", f"%c = iota : {NUMBERS}", 1, 1)),
        r'expected only scalars in role "a" of one thread',
    ),
    "registers of a chip that cannot": (
        kernel(role("a", "", 4, 128, 64), gpu="sm_80"),
        "expected a chip that moves registers",
    ),
    "in another op": (
        kernel("").replace(
            "tileas.roles",
            f"%on = constant <i1: true> : tile<i1>\nif %on {{ tileas.roles {TWO} }}",
        ),
        "right in the kernel's body",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_warps_cannot_run_is_refused(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(CudaTileError, match=message):
        compile_from(text, "emit", text.split('target = "')[1].split('"')[0])
