"""Changes each op of each ring behind `count`; some judge must notice.

The kernels are those of test/differential/mutated_rings.py, at several lengths of their
loops. The interpreter is asked first, at level W in program order and under seeds, then
the emulator in adversarial mode. Nobody may notice those that are right for a reason
that test/differential/ring_mutants.py lists. `--kernel NAME` takes one kernel.
Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "differential"))

import numpy as np
from mutated_rings import KERNELS, LENGTHS, arguments, text_of
from ring_mutants import REASONS, RingMutant, mutants

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.options import Options

GPU = "sm_80"
OPTIONS = Options(gpu=GPU, num_warps=2)
SEEDS = (None, 0, 1)
"""Moments at which copies land, tried on the interpreter."""
ORDERS = 2
"""Orders of warps tried on the emulator."""
STEP_LIMIT = 100_000


class Subject:
    """A kernel that is mutated.

    Args:
        name: One of `KERNELS`.
    """

    def __init__(self, name: str) -> None:
        self._module = cuda_tile.load(text_of(name))
        self.lowered = self._lower()
        self._expected = {
            turns: self._run(self._module, turns, on="interp") for turns in LENGTHS
        }

    def _lower(self) -> ir.Module:
        return cuda_tile.lower(self._module, GPU, until="count", options=OPTIONS)

    def all_mutants(self) -> list[RingMutant]:
        """Every mutant of the kernel."""
        with self.lowered.context:
            return mutants(self.lowered.operation)

    def noticed(self, mutant: RingMutant) -> str:
        """Who notices a mutant, and how; empty if nobody does."""
        module = self._lower()
        with module.context, ir.Location.unknown():
            mutant.apply(module.operation)
        for turns in LENGTHS:
            for seed in SEEDS:
                said = self._judge(module, turns, on="interp", seed=seed)
                if said:
                    return f"interpreter: {said}"
        return self._noticed_on_emulator(mutant)

    def _noticed_on_emulator(self, mutant: RingMutant) -> str:
        try:
            compiled = cuda_tile.compile(
                self._module,
                GPU,
                options=OPTIONS,
                after={"count": mutant.apply},
                cubin=False,
            )
        except Exception as error:
            return f"compiler: {error}"
        choices: dict[str, Any] = {"compiled": compiled, "gpu": GPU}
        for turns in LENGTHS:
            for seed in range(ORDERS):
                choices |= {"mode": "adversarial", "seed": seed}
                said = self._judge(self._module, turns, on="emulator", **choices)
                if said:
                    return f"emulator: {said}"
        return ""

    def _run(self, module: ir.Module, turns: int, **choices: Any) -> Any:
        args = arguments(turns)
        cuda_tile.run(module, "k", grid=(1,), args=args, limit=STEP_LIMIT, **choices)
        return args[2]

    def _judge(self, module: ir.Module, turns: int, **choices: Any) -> str:
        try:
            got = self._run(module, turns, **choices)
        except Exception as error:
            return str(error)
        wrong = np.count_nonzero(got != self._expected[turns])
        return f"{wrong} elements differ" if wrong else ""


def main() -> int:
    """Runs every mutant; 1 if one is not noticed and has no reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", choices=list(KERNELS))
    options = parser.parse_args()
    counts, failed = Counter[str](), 0
    for name in [options.kernel] if options.kernel else KERNELS:
        subject = Subject(name)
        for mutant in subject.all_mutants():
            said, reason = subject.noticed(mutant), REASONS.get(mutant.name, "")
            who = said.partition(":")[0] or "nobody"
            counts[f"{mutant.name}: {who}{reason and f' ({reason})'}"] += 1
            if bool(said) == bool(reason):
                failed += 1
                print(f"{name}: {mutant}: {said or 'nobody notices it'}", flush=True)
    for line, count in sorted(counts.items()):
        print(f"  {count:5} {line}")
    print(f"{counts.total() - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
