# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does a kernel's result depend on what the text leaves open?

`shuffle_check` runs it in program order and then with several seeds (see `seed` of
`interp.run`) on the same inputs, and compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.interp.driver import load, run
from cuda_tile.interp.values import InterpError
from cuda_tile.runtime.args import Argument
from cuda_tile.runtime.elements import Array


@dataclass(frozen=True, slots=True)
class Change:
    """An array that came out differently under one seed.

    Attributes:
        argument: Position of the array among the arguments; `3[1]` is target 1 of a
            pointer table at 3, `@name` a global.
        seed: The seed.
        count: Elements beyond the tolerance.
        index: The one that differs most.
        expected: It in program order.
        got: It under the seed.
    """

    argument: str
    seed: int
    count: int
    index: tuple[int, ...]
    expected: float
    got: float

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: argument {self.argument}: {self.count} elements "
            f"differ, most at {list(self.index)}: {self.expected:.9g} in program "
            f"order, {self.got:.9g} now"
        )


@dataclass(frozen=True, slots=True)
class ShuffleReport:
    """The outcome of `shuffle_check`; true if nothing depends on the order.

    Attributes:
        changes: Arrays that differ, by seed.
        failures: Seeds under which the kernel failed, with the message.
        seed_count: Seeds that were tried.
    """

    changes: tuple[Change, ...]
    failures: tuple[tuple[int, str], ...]
    seed_count: int

    def __bool__(self) -> bool:
        return not self.changes and not self.failures

    def __str__(self) -> str:
        if self:
            return f"the same under {self.seed_count} seeds"
        lines = [str(change) for change in self.changes]
        lines += [f"seed {seed}: {message}" for seed, message in self.failures]
        return "\n".join(lines)


def shuffle_check(
    module: Any,
    entry: str | None = None,
    *,
    grid: int | Sequence[int],
    args: Sequence[Argument],
    seeds: int | Iterable[int] = 8,
    rtol: float = 0.0,
    atol: float = 0.0,
    **options: Any,
) -> ShuffleReport:
    """Runs a kernel in several orders and reports results that change.

    The arrays among `args` end as the run in program order leaves them.

    Args:
        module: As for `run`.
        entry: As for `run`.
        grid: As for `run`.
        args: As for `run`.
        seeds: How many, or which.
        rtol: Relative difference that a float result may show, for kernels that sum
            floats: their last bits do depend on the order.
        atol: Absolute difference, likewise.
        options: Further options of `run`.

    Raises:
        UserError: There are no seeds; or as `run`, if the run in program order fails.
    """
    chosen = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    if not chosen or "seed" in options:
        got = "seed" if chosen else seeds
        raise UserError(f"expected one seed or more, as seeds, got {got}")
    program = load(module)
    arrays = _arrays(args)
    arrays |= {f"@{name}": g.memory for name, g in program.globals.items()}
    arrays = {name: array for name, array in arrays.items() if array.flags.writeable}
    before = {name: array.copy() for name, array in arrays.items()}
    run(program, entry, grid=grid, args=args, **options)
    expected = {name: array.copy() for name, array in arrays.items()}
    changes: list[Change] = []
    failures: list[tuple[int, str]] = []
    for seed in chosen:
        _restore(arrays, before)
        try:
            run(program, entry, grid=grid, args=args, seed=seed, **options)
        except InterpError as error:
            failures.append((seed, str(error)))
            continue
        for name, array in arrays.items():
            change = _compare(name, seed, expected[name], array, rtol, atol)
            changes += [] if change is None else [change]
    _restore(arrays, expected)
    return ShuffleReport(tuple(changes), tuple(failures), len(chosen))


def _arrays(args: Sequence[Argument]) -> dict[str, Array]:
    """Every array that a kernel may change, by its name in messages."""
    found: dict[str, Array] = {}
    for position, arg in enumerate(args):
        if not isinstance(arg, np.ndarray):
            continue
        found[str(position)] = arg
        targets: Sequence[Array] = getattr(arg, "targets", ())
        for number, target in enumerate(targets):
            found[f"{position}[{number}]"] = target
    return found


def _restore(arrays: dict[str, Array], contents: dict[str, Array]) -> None:
    for name, array in arrays.items():
        array[...] = contents[name]


def _compare(
    name: str, seed: int, expected: Array, got: Array, rtol: float, atol: float
) -> Change | None:
    if expected.tobytes() == got.tobytes():
        return None
    a, b = expected.astype(np.float64), got.astype(np.float64)
    if expected.dtype.kind in "iub":
        bad = np.asarray(expected != got)
    else:
        with np.errstate(all="ignore"):
            bad = ~np.isclose(b, a, rtol=rtol, atol=atol, equal_nan=True)
    if not bad.any():
        return None
    with np.errstate(all="ignore"):
        size = np.where(bad, np.nan_to_num(np.abs(a - b), nan=np.inf), -1.0)
    index = np.unravel_index(int(np.argmax(size)), a.shape)
    where = tuple(int(i) for i in index)
    return Change(name, seed, int(bad.sum()), where, float(a[where]), float(b[where]))
