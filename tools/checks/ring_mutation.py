# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes each op of each ring behind `count`; some judge must notice.

The kernels are those of test/differential/mutated_rings.py and mutated_products.py, at
several lengths of their loops, and those of staged_kernels.py. The interpreter is asked
first, at level W in program order and under seeds, then the emulator in adversarial
mode. Nobody may notice those that are right for a reason that
test/differential/ring_mutants.py lists.
`--kernel NAME` takes one kernel, `--sample` one mutant of four. Ends
with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "differential"))

import mutated_products
import numpy as np
from mutated_rings import KERNELS, LENGTHS, arguments, text_of
from ring_mutants import RingMutant, mutants, reason_for
from sampling import add_sample_option, is_sampled
from staged_kernels import LOOPS, PRODUCTS, copies, kernel, run

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.options import Options
from cuda_tile.passes import count, ring, skew

SEEDS = (None, 0, 1)
"""Moments at which copies land, tried on the interpreter."""
ORDERS = 2
"""Orders of warps tried on the emulator."""
STEP_LIMIT = 100_000


class Subject(ABC):
    """A kernel that is mutated."""

    def __init__(self) -> None:
        self.lowered = self.lower()
        self.expected = {
            iterations: self.launch(None, iterations) for iterations in LENGTHS
        }

    @abstractmethod
    def lower(self) -> ir.Module:
        """The kernel behind `count`."""

    @abstractmethod
    def launch(
        self, module: ir.Module | None, iterations: int, seed: int | None = None
    ) -> Any:
        """What a module, or the kernel itself, computes on the interpreter."""

    def all_mutants(self) -> list[RingMutant]:
        """Every mutant of the kernel."""
        with self.lowered.context:
            return mutants(self.lowered.operation)

    def reason(self, mutant: RingMutant) -> str:
        """Why a mutant is as right as the kernel, if it is."""
        with self.lowered.context:
            return reason_for(mutant, self.lowered.operation)

    def noticed(self, mutant: RingMutant) -> str:
        """Who notices a mutant, and how; empty if nobody does."""
        module = self.lower()
        with module.context, ir.Location.unknown():
            mutant.apply(module.operation)
        for iterations in LENGTHS:
            for seed in SEEDS:
                said = self.differs(
                    iterations, partial(self.launch, module, iterations, seed)
                )
                if said:
                    return f"interpreter: {said}"
        return ""

    def differs(self, iterations: int, step: Callable[[], Any]) -> str:
        """What is wrong with what `step` computes, or with itself."""
        try:
            got = step()
        except Exception as error:
            return str(error)
        wrong = np.count_nonzero(got != self.expected[iterations])
        return f"{wrong} elements differ" if wrong else ""


class TileSubject(Subject):
    """A kernel at level T, whose mutants run on the emulator too.

    Args:
        name: One of `KERNELS`.
        engine: Who copies.
        gpu: The chip.
    """

    def __init__(self, name: str, engine: str, gpu: str) -> None:
        self._make(text_of(name, engine), Options(gpu=gpu, num_warps=2), arguments)

    def _make(
        self, text: bytes, options: Options, fresh: Callable[[int], list[Any]]
    ) -> None:
        self._module, self._options, self._fresh = cuda_tile.load(text), options, fresh
        self._gpu = options.gpu
        super().__init__()

    def lower(self) -> ir.Module:
        """The kernel behind `count`."""
        return cuda_tile.lower(
            self._module, self._gpu, until="count", options=self._options
        )

    def launch(
        self, module: ir.Module | None, iterations: int, seed: int | None = None
    ) -> Any:
        """What a module, or the kernel itself, computes on the interpreter."""
        return self._run(module or self._module, iterations, on="interp", seed=seed)

    def noticed(self, mutant: RingMutant) -> str:
        """Who notices a mutant, and how; empty if nobody does."""
        said = super().noticed(mutant)
        if said:
            return said
        try:
            compiled = cuda_tile.compile(
                self._module,
                self._gpu,
                options=self._options,
                after={"count": mutant.apply},
                cubin=False,
            )
        except Exception as error:
            return f"compiler: {error}"
        choices: dict[str, Any] = {"compiled": compiled, "gpu": self._gpu}
        choices |= {"on": "emulator", "mode": "adversarial"}
        for iterations in LENGTHS:
            for seed in range(ORDERS):
                step = partial(
                    self._run, self._module, iterations, seed=seed, **choices
                )
                said = self.differs(iterations, step)
                if said:
                    return f"emulator: {said}"
        return ""

    def _run(self, module: ir.Module, iterations: int, **choices: Any) -> Any:
        args = self._fresh(iterations)
        cuda_tile.run(module, "k", grid=(1,), args=args, limit=STEP_LIMIT, **choices)
        return args[2]


class WarpgroupSubject(TileSubject):
    """A product of warpgroups, whose operands threads convert or whose sums they add.

    Args:
        name: One of `mutated_products.FORMS`.
    """

    def __init__(self, name: str) -> None:
        text = mutated_products.text_of(name)
        fresh = partial(mutated_products.arguments, name)
        self._make(text, Options(gpu="sm_90", num_warps=4), fresh)


class StagedSubject(Subject):
    """A kernel that begins at level W, for the interpreter alone.

    Args:
        form: One of `LOOPS`.
        product: One of `PRODUCTS`.
        engine: Who copies.
        numbers: Slots, iterations ahead, iterations by which releases trail.
    """

    def __init__(
        self, form: str, product: str, engine: str, numbers: tuple[int, int, int]
    ) -> None:
        slots, ahead, lag = numbers
        body = copies("%k", slots, ahead, engine)
        body += PRODUCTS[product]("%acc", "%n", lag)
        self._text = f"%step = constant <i32: 1> : tile<i32>\n{LOOPS[form][0](body)}"
        super().__init__()

    def lower(self) -> ir.Module:
        """The kernel behind `count`."""
        module = kernel(self._text)
        with module.context:
            for change in (ring, skew, count):
                change.run(module.operation, Options())
        return module

    def launch(
        self, module: ir.Module | None, iterations: int, seed: int | None = None
    ) -> Any:
        """What a module, or the kernel itself, computes on the interpreter."""
        return run(module or kernel(self._text), 0, iterations, seed)[2]


COMPILED = {
    f"{name}, {engine}, {gpu}": (name, engine, gpu)
    for engine, gpu in (("cp_async", "sm_80"), ("tma", "sm_90"))
    for name in KERNELS
}
"""Kernels that begin at level T."""
STAGED = {
    f"{form}, {product}, {engine}, {slots} {ahead} {lag}": (
        form,
        product,
        engine,
        (slots, ahead, lag),
    )
    for form in ("one loop", "two loops", "loop in loop", "in a branch")
    for product, engine, slots, ahead, lag in (
        ("wgmma", "cp_async", 3, 1, 1),
        ("wgmma", "cp_async", 3, 2, 0),
        ("wgmma", "tma", 3, 1, 1),
        ("mma.sync", "tma", 3, 2, 0),
    )
}
"""Kernels that begin at level W."""


ALL = (*COMPILED, *mutated_products.FORMS, *STAGED)
"""All of them, by name."""


def subject_of(name: str) -> Subject:
    """The kernel of a name."""
    if name in COMPILED:
        return TileSubject(*COMPILED[name])
    if name in mutated_products.FORMS:
        return WarpgroupSubject(name)
    return StagedSubject(*STAGED[name])


def main() -> int:
    """Runs every mutant; 1 if one is not noticed and has no reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", choices=ALL)
    add_sample_option(parser, 4)
    options = parser.parse_args()
    counts, failed = Counter[str](), 0
    for name in [options.kernel] if options.kernel else ALL:
        subject = subject_of(name)
        for mutant in subject.all_mutants():
            if not is_sampled(f"{name}: {mutant}", options.sample):
                continue
            said, reason = subject.noticed(mutant), subject.reason(mutant)
            who = said.partition(":")[0] or "nobody"
            counts[f"{mutant.name}: {who}{reason and f' ({reason})'}"] += 1
            if bool(said) == bool(reason):
                failed += 1
                print(f"{name}: {mutant}: {said or 'nobody notices it'}", flush=True)
    for line, times in sorted(counts.items()):
        print(f"  {times:5} {line}")
    print(f"{counts.total() - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
