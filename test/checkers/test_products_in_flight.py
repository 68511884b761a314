# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checkers know how long products read buffers: in groups, or until an mbarrier."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.checkers import allocate, barriers
from cuda_tile.ir.walk import entries

Faults = Callable[[ControlFlow], dict[ir.Operation, str]]

WGMMA, TCGEN05 = ("wgmma", "m64n16k16"), ("tcgen05", "tcgen05.m64n16k16")
TEXT = """
!a = !tileas.buffer<64x16xf16,
  #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
!b = !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
!row = !cuda_tile.tile<64x16xf16,
  #cute.layout<((1@1, 2@1, 4@1),
    (8@1, 1@0, 2@0, 4@0, 8@0), (16@0, 32@0), ())>>
!sum = !cuda_tile.tile<64x16xf32,
  #cute.layout<((1@1, 8@0, 8@1),
    (2@1, 4@1, 1@0, 2@0, 4@0), (16@0, 32@0), ())>>
!pending = !tileas.pending<!sum>
!slot = !tileas.buffer<64x16xf32,
  #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
!ring = !tileas.ring<1, !slot>
cuda_tile.module @m {{
  entry @k(%n: tile<i32>) {{
    %w = constant <f16: 1.0> : !row
    %z = constant <f32: 0.0> : !sum
    %first = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %a = tileas.alloc_shared offset = 0 : !a
    %c = tileas.alloc_shared offset = 2048 : !a
    %b = tileas.alloc_shared offset = 4096 : !b
    tileas.store_shared %w, %a : !row, !a
    tileas.store_shared %w, %c : !row, !a
    tileas.barrier async
    %p = tileas.settled %z : !sum
    %r = tileas.settled %z : !sum
    {body}
    return
  }}
}}
"""
PRODUCT = '%q = tileas.{op} %a, %b, %p atom = "{atom}" : !a, !b, !pending\n'
YOUNGER = '%s = tileas.{op} %c, %b, %r atom = "{atom}" : !a, !b, !pending\n'
AWAIT = "%t = tileas.await %q : !pending\n"
AWAIT_YOUNGER = "%u = tileas.await %s : !pending\n"
AWAIT_BOTH = "%t, %u = tileas.await %q, %s : !pending, !pending\n"
STORE = "tileas.store_shared %w, %a : !row, !a\n"
OVER = (
    "%o = tileas.alloc_shared offset = 0 : !a\ntileas.store_shared %w, %o : !row, !a\n"
)
OVER_YOUNGER = OVER.replace("offset = 0", "offset = 2048")
LOOP = """%l = for %i in (%first to %n, step %step) : tile<i32>
    iter_values(%p0 = %p) -> (!pending) {{
  %q = tileas.{op} %a, %b, %p0 atom = "{atom}" : !a, !b, !pending
  {inside}
  continue %q : !pending
}}
%t = tileas.await %l : !pending
"""
DEPOSIT = (
    """%slots = tileas.ring fill = "tcgen05" drain = "threads"
    sync = "mbarriers" offset = 8192 : !ring
%slot = tileas.acquire %slots[%first] : !ring
"""
    + PRODUCT
    + """tileas.deposit %q to %slot : !pending, !slot
tileas.publish %slots[%first] : !ring
"""
)
TAKE = "%taken = tileas.take %slots[%first] : !ring\n"
NEEDS_WAIT, NEEDS_BARRIER = "a wait for what reads", "a barrier behind earlier accesses"
IN_FLIGHT = "is still read by itself"


def faults(judge: Faults, body: str, product: tuple[str, str], inside: str = "") -> str:
    """What a checker says of some ops, all of it."""
    op, atom = product
    text = TEXT.format(body=body.format(op=op, atom=atom, inside=inside))
    module = cuda_tile.load(text.encode())
    with module.context:
        (entry,) = entries(module.operation)
        return "".join(judge(ControlFlow(entry)).values())


@pytest.mark.parametrize(
    ("product", "body", "fault"),
    [
        (TCGEN05, PRODUCT + AWAIT + STORE, ""),  # all threads wait for an mbarrier
        (WGMMA, PRODUCT + AWAIT + STORE, NEEDS_BARRIER),
        (WGMMA, PRODUCT + AWAIT + "tileas.barrier\n" + STORE, ""),
        (TCGEN05, PRODUCT + STORE + AWAIT, NEEDS_WAIT),
        (TCGEN05, PRODUCT + YOUNGER + AWAIT + STORE + AWAIT_YOUNGER, ""),
        (TCGEN05, PRODUCT + YOUNGER + AWAIT_YOUNGER + STORE + AWAIT, NEEDS_WAIT),
        (TCGEN05, PRODUCT + YOUNGER + AWAIT_BOTH + STORE, ""),
        (TCGEN05, LOOP + STORE, ""),
    ],
)
def test_barriers(product: tuple[str, str], body: str, fault: str) -> None:
    found = faults(barriers.faults_of, body, product)
    assert fault in found
    assert bool(found) == bool(fault)


@pytest.mark.parametrize(
    ("product", "body", "fault"),
    [
        (TCGEN05, PRODUCT + YOUNGER + AWAIT + OVER + AWAIT_YOUNGER, ""),
        (TCGEN05, PRODUCT + YOUNGER + AWAIT + OVER_YOUNGER + AWAIT_YOUNGER, IN_FLIGHT),
        (TCGEN05, PRODUCT + YOUNGER + AWAIT_BOTH + OVER_YOUNGER, ""),
        (WGMMA, PRODUCT + YOUNGER + AWAIT + OVER_YOUNGER + AWAIT_YOUNGER, ""),
        (TCGEN05, LOOP + OVER, ""),
        (TCGEN05, DEPOSIT + OVER + TAKE, IN_FLIGHT),
        (TCGEN05, DEPOSIT + TAKE + OVER, ""),
    ],
)
def test_allocate(product: tuple[str, str], body: str, fault: str) -> None:
    found = faults(allocate.faults_of, body, product)
    assert fault in found
    assert bool(found) == bool(fault)


def test_a_sum_that_a_loop_carries_is_in_flight_under_each_name() -> None:
    assert NEEDS_WAIT in faults(barriers.faults_of, LOOP, TCGEN05, STORE)
    assert IN_FLIGHT in faults(allocate.faults_of, LOOP, TCGEN05, OVER)
