# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the smallest case once more: compiled, on the emulator, in one order.

The interpreter sees races, bounds and unspecified values of the program; the emulator
those of what this compiler makes of it, and counts instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile import api
from cuda_tile.cutile.kernels import load_image
from cuda_tile.errors import CudaTileError, Unsupported
from cuda_tile.judge.compare import is_float
from cuda_tile.judge.court import Court
from cuda_tile.judge.device import Booked, bind_launch
from cuda_tile.runtime.elements import Array

MOST_OPS = 20_000
"""Operations of the interpreter in a case that is emulated."""


def emulate_smallest(court: Court, gpu: str, seed: int) -> None:
    """Emulates the launches of the case with the fewest operations.

    Args:
        court: Has judged the candidate, and found nothing.
        gpu: The chip.
        seed: Draws the order.
    """
    firsts = [call for (_, turn), call in court.calls.items() if turn == 0]
    if not firsts:
        return
    call = min(firsts, key=lambda call: sum(b.ops for b in call.device.launches))
    if sum(booked.ops for booked in call.device.launches) > MOST_OPS:
        court.verdict.notes.append("no case is small enough for the emulator")
        return
    totals: dict[str, int] = {}
    for number, booked in enumerate(call.device.launches):
        place = {**call.place, "launch": number, "kernel": booked.kernel}
        try:
            counts = _emulate(court, booked, gpu, seed, place)
        except Unsupported as error:
            court.verdict.notes.append(f"not emulated: {error}")
        except CudaTileError as error:
            court.verdict.add("faulty", f"the emulator says: {error}", **place)
        else:
            for name, count in counts.items():
                totals[name] = totals.get(name, 0) + count
    court.verdict.counts["emulated"] = totals


def _emulate(
    court: Court, booked: Booked, gpu: str, seed: int, place: dict[str, Any]
) -> dict[str, int]:
    image = load_image(booked.bytecode)
    views, args = bind_launch(booked, booked.before)
    report = api.run(
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
    return {"instructions": report.totals["warps"]}


def _is_near(got: Array, wanted: Array) -> bool:
    """Whether two arrays agree but for the order of sums and the last bits."""
    if not is_float(wanted.dtype):
        return bool((got == wanted).all())
    one, two = got.astype(np.float64), wanted.astype(np.float64)
    finite = two[np.isfinite(two)]
    size = float(np.abs(finite).max()) if finite.size else 0.0
    near = 1e-2 if wanted.itemsize <= 2 else 1e-4
    return bool(np.allclose(one, two, near, near * size, equal_nan=True))
