# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel"."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.bulk_places import one_by_one, shared_address
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.mbarrier import COMPLETES, barrier_place
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Sink
from cuda_tile.emulator.ptx.types import B32, PRED, TYPES
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Parallel Synchronization and Communication Instructions: launches")

_RESPONSE_BYTES = 16
_AXES = ("x", "y", "z")
# The last word of a response.
_FAILED, _CANCELED = 1, 2


@CHAPTER.instruction("clusterlaunchcontrol")
def clusterlaunchcontrol(form: Form, b: Builder) -> Compiled:
    """Cancels clusters that have not started, and looks at the response."""
    if form.choice("try_cancel", "query_cancel") == "try_cancel":
        return _try_cancel(form, b)
    if form.flag("is_canceled"):
        return _is_canceled(form, b)
    return _first_ctaid(form, b)


def _try_cancel(form: Form, b: Builder) -> Compiled:
    """Writes a response of 16 bytes by the asynchronous proxy.

    An adversarial machine may let a request fail while clusters wait: they may start at
    any time. What threads read of the last response they read through the generic
    proxy, so that a proxy fence must stand between (PTX ISA, the example of
    "clusterlaunchcontrol.try_cancel").
    """
    form.require("async")
    form.flag("shared::cta")
    form.require(COMPLETES)
    is_multicast = form.flag("multicast::cluster::all")
    form.require("b128")
    x, y = form.operands(2)
    target, place = shared_address(form, b, x), barrier_place(form, b, y, "shared")
    machine, engine, at = b.machine, b.bulk, b.at
    size, stride = machine.geometry.cluster_size, machine.stride_bytes

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            where = target(lane)
            b.spaces.check_alignment(lane, where, _RESPONSE_BYTES)
            offset = b.spaces.shared_offsets(lane, where, _RESPONSE_BYTES, "response")
            cell = int(place(lane)[0])
            cta = int(machine.cta_of[number])
            if {int(offset[0]) // stride, cell // stride} != {cta}:
                raise Fault("async", "expected response and mbarrier in the own CTA")
            b.cancels.check(cta)
            response = _respond(b)
            first = cta // size * size
            homes = range(first, first + size) if is_multicast else (cta,)
            for home in homes:
                if home != cta:  # "undefined if any CTA in the cluster is exited"
                    machine.presence.check_access(lane, np.array([home]))
                engine.into_shared(
                    at,
                    number,
                    offset % stride + home * stride,
                    cell % stride + home * stride,
                    lambda data=response: data,
                )
                machine.shadow.check_reads_fenced(
                    at,
                    offset % stride + home * stride,
                    _RESPONSE_BYTES,
                    int(machine.agents[number]),
                )

    return b.step(run)


def _respond(b: Builder) -> NDArray[np.uint8]:
    """Asks for a cluster; returns the response, uint8[16]."""
    machine = b.machine
    fails = machine.is_adversarial and machine.rng.random() < 0.25
    canceled = None if fails else machine.queue.cancel()
    words = np.zeros(4, np.uint32)
    words[3] = _FAILED if canceled is None else _CANCELED
    if canceled is not None:
        words[:3] = machine.place_of_cta(canceled)
    return words.view(np.uint8)


def _words(values: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Responses in 128-bit registers, uint64[n, 2], as words [n, 4]."""
    words = np.ascontiguousarray(values).view(np.uint32)
    if not np.isin(words[:, 3], (_FAILED, _CANCELED)).all():
        raise Fault("async", "expected a response of clusterlaunchcontrol.try_cancel")
    return words


def _is_canceled(form: Form, b: Builder) -> Compiled:
    form.require("pred", "b128")
    p, x = form.operands(2)
    source, dst = b.stored(x, TYPES["b128"]), b.dst(p, PRED)

    def run(lanes: Lanes) -> None:
        canceled = _words(source[lanes.index])[:, 3] == _CANCELED
        dst[lanes.index] = canceled
        b.cancels.see(lanes, ~canceled)

    return b.step(run)


def _first_ctaid(form: Form, b: Builder) -> Compiled:
    """`.get_first_ctaid.v4.b32` or `.get_first_ctaid::x.b32`, of a success."""
    names = tuple(f"get_first_ctaid::{axis}" for axis in _AXES)
    name = form.choice("get_first_ctaid", *names)
    is_vector = name == "get_first_ctaid"
    if is_vector:
        form.require("v4")
    form.require("b32", "b128")
    d, x = form.operands(2)
    parts = form.vector(d, 4) if is_vector else (d,)
    source = b.stored(x, TYPES["b128"])
    targets = [None if isinstance(part, Sink) else b.dst(part, B32) for part in parts]
    first = 0 if is_vector else _AXES.index(name[-1])

    def run(lanes: Lanes) -> None:
        words = _words(source[lanes.index])
        if (words[:, 3] != _CANCELED).any():
            raise Fault(
                "async",
                "expected the response of a request that canceled a cluster; "
                "query_cancel.is_canceled tells",
            )
        for place, target in enumerate(targets, first):
            if target is not None:
                target[lanes.index] = words[:, place] if place < 3 else 0

    return b.step(run)
