# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One kernel that shows an op at work on some element types, and how it is judged.

Each family of ops has a file `FAMILY_cases.py` here with a list `CASES`. `test_ops.py`
runs every case: the interpreter on the kernel as written, the interpreter on what each
pass makes of it, and the emulator on its PTX in adversarial mode must leave the same
memory behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from emit_data import DTYPES
from lowered_levels import lowered_levels
from numpy.typing import NDArray

import cuda_tile
from cuda_tile.options import Options

Array = NDArray[Any]

ARRAY_TYPES: dict[str, np.dtype[Any]] = {
    **DTYPES,
    "tf32": np.dtype(np.float32),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""The array type that holds each element type one to an item."""


@dataclass(frozen=True)
class OpCase:
    """A kernel, its arguments and what may differ.

    Attributes:
        name: Unique among the cases of its family; the test is called so.
        text: A module with one entry.
        args: Makes the arguments from a source of random numbers; arrays are copied
            for each run.
        chips: Targets to compile for.
        grid: Tile blocks.
        ulp: For arguments whose result is not specified to the last bit, how many
            units in the last place (of the array's own type) the emulator may differ
            from the interpreter.
        num_warps: Warps per CTA, or None to let the compiler choose.
        seeds: Orders of threads that the emulator tries.
        cooperative: Whether tile blocks may wait for each other: all run together.
        canonical: Brings the arguments after a run into a form that is the same for
            every order of atomic updates that is allowed; by default they are.
        numpy: What NumPy makes of the arguments, where that is another witness: gives
            the expected arguments, None for those that it leaves unchecked.
    """

    name: str
    text: str
    args: Callable[[np.random.Generator], Sequence[Any]]
    chips: tuple[str, ...] = ("sm_80", "sm_90")
    grid: tuple[int, ...] = (1,)
    ulp: Mapping[int, float] = field(default_factory=dict[int, float])
    num_warps: int | None = None
    seeds: tuple[int, ...] = (0,)
    cooperative: bool = False
    canonical: Callable[[Sequence[Any]], Sequence[Any]] | None = None
    numpy: Callable[[Sequence[Any]], Sequence[Any]] | None = None


def check_case(case: OpCase, gpu: str) -> None:
    """Fails unless all judges agree on a case compiled for one chip."""
    args = list(case.args(np.random.default_rng(0)))
    module = cuda_tile.load(case.text.encode())
    options = Options(num_warps=case.num_warps)
    expected = _after(module, args, case, on="interp")
    if case.numpy is not None:
        wanted = case.numpy([_copied(a) for a in args])
        _compare(wanted, expected, case.ulp, "interpreter against NumPy")
    for last, lowered in lowered_levels(module, gpu, options=options):
        got = _after(lowered, args, case, on="interp")
        _compare(expected, got, case.ulp, f"interpreter after {last}")
    compiled = cuda_tile.compile(module, gpu, options=options, cubin=False)
    for seed in case.seeds:
        how = {"compiled": compiled, "gpu": gpu, "mode": "adversarial", "seed": seed}
        how["cooperative"] = case.cooperative
        got = _after(module, args, case, on="emulator", **how)
        _compare(expected, got, case.ulp, f"emulator of {gpu}, seed {seed}")


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _after(module: Any, args: Sequence[Any], case: OpCase, **how: Any) -> list[Any]:
    """The arguments after a run on copies of them."""
    copies = [_copied(a) for a in args]
    cuda_tile.run(module, grid=case.grid, args=copies, **how)
    return copies if case.canonical is None else list(case.canonical(copies))


def _compare(
    expected: Sequence[Any], got: Sequence[Any], ulp: Mapping[int, float], where: str
) -> None:
    for number, (wanted, found) in enumerate(zip(expected, got, strict=True)):
        if isinstance(wanted, np.ndarray):
            wrong = differing(wanted, np.asarray(found), ulp.get(number, 0.0))
            assert not len(wrong), (
                f"{where}: argument {number}: {len(wrong)} of {wanted.size} elements "
                f"differ, first [{wrong[0]}]: expected {wanted.reshape(-1)[wrong[0]]}, "
                f"got {np.asarray(found).reshape(-1)[wrong[0]]}"
            )


def differing(wanted: Array, found: Array, ulp: float, scale: float = 0.0) -> Array:
    """Indices of flattened elements that differ by more than `ulp` units.

    Zero units asks for the same bits, except that one NaN is as good as another. The
    units are those of the wanted number, or of `scale` if that is larger. An infinity
    differs from any other number.
    """
    wanted, found = (np.ascontiguousarray(a).reshape(-1) for a in (wanted, found))
    word = f"u{wanted.itemsize}"
    same = wanted.view(word) == found.view(word)
    if wanted.dtype.kind not in "biu":
        with np.errstate(all="ignore"):
            first, second = (a.astype(np.float64) for a in (wanted, found))
            same |= np.isnan(first) & np.isnan(second)
            if ulp:
                units = _units(np.maximum(np.abs(wanted), wanted.dtype.type(scale)))
                same |= np.abs(first - second) <= ulp * units
    return np.flatnonzero(~same)


def _units(values: Array) -> Array:
    """The unit in the last place of each element."""
    info = ml_dtypes.finfo(values.dtype)
    size = np.abs(values.astype(np.float64))
    smallest = float(info.smallest_normal)
    exponent = np.floor(np.log2(np.where(np.isfinite(size), size, 1.0) + (size == 0)))
    exponent = np.maximum(exponent, np.log2(smallest))
    return np.exp2(exponent - int(info.nmant))
