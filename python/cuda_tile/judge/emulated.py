# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of a small case once more: compiled, on the emulator, in one order.

The interpreter sees races, bounds and unspecified values of the program; the emulator
those of what this compiler makes of it, and counts instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from cuda_tile import running
from cuda_tile.cutile.kernels import load_image
from cuda_tile.errors import CudaTileError, Unsupported
from cuda_tile.judge.arguments import arrays_of, copied
from cuda_tile.judge.compare import is_float
from cuda_tile.judge.court import Court, Rules
from cuda_tile.judge.device import Booked, Device, bind_launch
from cuda_tile.judge.hook import HOOK
from cuda_tile.judge.reference import Reference
from cuda_tile.judge.verdict import Verdict
from cuda_tile.runtime.elements import Array

MOST_OPS = 20_000
"""Operations of the interpreter in a case that is emulated."""


def emulate_largest(court: Court, seed: int) -> None:
    """Emulates the launches of the largest case that is small enough.

    Args:
        court: Has judged the candidate, and found nothing.
        seed: Draws the order.
    """
    sizes = {
        sum(booked.ops for booked in call.device.launches): call
        for (_, turn), call in court.calls.items()
        if turn == 0
    }
    small = [ops for ops in sizes if 0 < ops <= MOST_OPS]
    if not small:
        court.verdict.notes.append("no case is small enough for the emulator")
        return
    call = sizes[max(small)]
    ours = _emulate_all(court, call.place, call.device, seed)
    theirs = reference_instructions(court, call.args, call.place, seed)
    court.verdict.weigh(ours, theirs, court.rules.slower, call.place)


class Hearing(Protocol):
    """Whoever judges a candidate."""

    @property
    def verdict(self) -> Verdict:
        """What is known of it."""
        ...

    @property
    def rules(self) -> Rules:
        """What it is held to."""
        ...

    @property
    def reference(self) -> Reference:
        """What it is compared with."""
        ...


def reference_instructions(
    court: Hearing, args: Sequence[Any], place: dict[str, Any], seed: int
) -> int | None:
    """The instructions of the reference's own program; None where it has none.

    Args:
        court: Who asks.
        args: Of a call.
        place: Of the call.
        seed: Draws the order.
    """
    program = court.reference.program
    if program is None:
        return None
    args = copied(args)
    device = Device(arrays_of(args), court.rules.seconds, court.rules.mode)
    HOOK.target = device
    try:
        program(*court.reference.handed(args, is_on_device=True))
    finally:
        HOOK.target = None
    return _emulate_all(court, place, device, seed)


def _emulate_all(
    court: Hearing, call: dict[str, Any], device: Device, seed: int
) -> int | None:
    """The instructions of some launches; None where one could not be emulated."""
    total = 0
    for number, booked in enumerate(device.launches):
        place = {**call, "launch": number, "kernel": booked.kernel}
        try:
            total += _emulate(court, booked, seed, place)
        except Unsupported as error:
            court.verdict.notes.append(f"not emulated: {error}")
            return None
        except CudaTileError as error:
            court.verdict.add("faulty", f"the emulator says: {error}", **place)
            return None
    return total


def _emulate(court: Hearing, booked: Booked, seed: int, place: dict[str, Any]) -> int:
    gpu = court.rules.gpu
    image = load_image(booked.bytecode)
    views, args = bind_launch(booked, booked.before)
    report = running.run(
        image.module,
        booked.kernel,
        grid=booked.grid,
        args=args,
        on="emulator",
        gpu=gpu,
        compiled=image.compiled(gpu),
        seed=seed % 1000,
    )
    for number, (view, wanted) in enumerate(zip(views, booked.after, strict=True)):
        if not _is_near(np.array(view), wanted):
            court.verdict.add(
                "unknown",
                f"what {gpu} would run differs from what the interpreter runs",
                **place,
                array=number,
            )
    return report.totals["warps"]


def _is_near(got: Array, wanted: Array) -> bool:
    """Whether two arrays agree but for the order of sums and the last bits."""
    if not is_float(wanted.dtype):
        return bool((got == wanted).all())
    one, two = got.astype(np.float64), wanted.astype(np.float64)
    finite = two[np.isfinite(two)]
    size = float(np.abs(finite).max()) if finite.size else 0.0
    near = 1e-2 if wanted.itemsize <= 2 else 1e-4
    return bool(np.allclose(one, two, near, near * size, equal_nan=True))
