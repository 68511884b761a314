# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forces each plan that a product could have: is the chosen one the best?

    python tools/checks/plan_choices.py [--gpu sm_90] [--sample N] [--fast]
    python tools/checks/plan_choices.py --all
    python tools/checks/plan_choices.py --bench [--gpu sm_90] [--only TEXT] [--fast]

Each candidate of `list_plans` is compiled, its PTX judged by ptxas, which says what it
spills, and by the model of clocks (docs/time.md): those of a launch on a multiprocessor
that does many of them, by which the tuner ranks. Loops have as many iterations as the
search takes one of unknown length to have: of fewer a ring starts all copies before the
loop. A chosen plan fails if another one spills less, or spills as little and takes less
than 1/1.05 of its clocks. Ends with `N passed, N failed`. It needs nvdisasm (the extra
`report`).

By default three products are judged in the fast form, as CI does; `--all` takes every
product, with several CTAs and without engines too, which takes an hour. `--bench` takes
the kernels with products of bench: those of products.py and narrow.py for their chips,
products by dequantised weights, and attention, its gradients included.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import attention
import dequantised
import narrow
import products
from attention_kernels import Attention
from backward_kernels import Backward
from dequantised_kernels import Dequantised
from kernel_args import Launch
from linear_kernels import Linear
from product_kernels import Product

import cuda_tile
from cuda_tile import Options
from cuda_tile.constants import LOOP_TRIPS
from cuda_tile.errors import CudaTileError
from cuda_tile.ir.copy_plan import ENGINES
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.record import read_grid
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import chip_names, find_target
from cuda_tile.timing.counting import counting
from cuda_tile.tuning.clocks import Clocks, launch_clocks

GPUS = ("sm_80", "sm_90", "sm_120")
SAMPLE = 3
"""Products that CI judges."""
SLACK = 1.05
"""What the chosen plan may take of the best one's clocks."""


@dataclass(frozen=True)
class Kernel:
    """A kernel with products in a loop.

    Attributes:
        name: As tables have it.
        text: The kernel.
        launch: A launch of one CTA, by the iterations of its loop.
    """

    name: str
    text: str
    launch: Callable[[int], Launch]

    @classmethod
    def of(cls, made: Product | Dequantised | Attention | Backward | Linear) -> Kernel:
        """A kernel of bench."""

        def launch(iterations: int) -> Launch:
            match made:
                case Product():
                    return made.launch((1, 1), iterations)
                case Dequantised():
                    grid, values, _ = made.problem((1, 1), iterations)
                    return grid, values
                case Attention():
                    return made.launch(made.group, made.rows, made.keys * iterations)
                case Backward():
                    return made.launch(1, made.queries * iterations, made.keys)
                case Linear():
                    return made.launch(1, made.chunk * iterations)

        return cls(made.name, made.text(), launch)


PRODUCTS = tuple(
    Kernel.of(Product(operand, result, tile))
    for operand, result in (("f16", "f16"), ("i8", "i32"), ("tf32", "f32"))
    for tile in ((64, 64, 64), (128, 128, 64), (128, 64, 32), (64, 128, 32))
)


@dataclass(frozen=True)
class Judged:
    """A candidate, forced.

    Attributes:
        plan: What `list_plans` says of it.
        spill_bytes: Bytes that a thread spills.
        clocks: Clocks of a multiprocessor for a CTA.
        limiter: What takes them.
    """

    plan: dict[str, Any]
    spill_bytes: int
    clocks: float
    limiter: str

    def __str__(self) -> str:
        fields = self.plan["fields"]
        words = [
            f"{fields['num_warps']} warps as {fields['warps_m']} x {fields['warps_n']}",
            f"{fields['min_ctas']} CTAs",
            f"engine {fields['engine']}",
            f"roles {fields['roles']}",
        ]
        return (
            f"{', '.join(words)}: {self.spill_bytes} bytes spilled, {self.clocks:.0f} "
            f"clocks ({self.limiter})"
        )


def candidates(
    product: Kernel,
    gpu: str,
    ctas: Sequence[int] = (1, 2, 3),
    engines: Sequence[str] = ENGINES,
) -> Iterator[Judged]:
    """Every candidate of a kernel that makes other PTX, judged; the chosen one first.

    Args:
        product: The kernel.
        gpu: The chip.
        ctas: CTAs of a multiprocessor that a candidate may ask for.
        engines: Who may make its copies.
    """
    text, seen = product.text.encode(), set[str]()
    (plans,) = cuda_tile.list_plans(cuda_tile.load(text), gpu).values()
    for plan in sorted(plans, key=lambda plan: not plan["chosen"]):
        fields = plan["fields"]
        is_rival = (
            plan["possible"]
            and fields["min_ctas"] in ctas
            and fields["engine"] in engines
        )
        if not plan["chosen"] and not is_rival:
            continue
        options = Options(gpu=gpu, plan=plan["number"], line_info=False)
        module = cuda_tile.load(text)
        try:
            compiled = cuda_tile.compile(module, options=options)
        except CudaTileError as error:
            if plan["chosen"]:
                raise
            reason = str(error).partition("\n")[0]
            print(f"  {plan['number']} is refused: {reason}", file=sys.stderr)
            continue
        if compiled.ptx not in seen:
            seen.add(compiled.ptx)
            (kernel,) = compiled.report.kernels
            took = _clocks(product, gpu, module, compiled)
            yield Judged(plan, kernel.spill_bytes, took.total, took.limiter)


def _clocks(
    product: Kernel, gpu: str, module: Any, compiled: cuda_tile.Compiled
) -> Clocks:
    """Clocks of a CTA on a multiprocessor that does many of them, and what limits."""
    entry = find_entry(module.operation, None)
    grid, values = product.launch(LOOP_TRIPS)
    report = cuda_tile.run(
        module,
        grid=grid,
        args=spread_args("kernel", parameter_types(entry), values),
        on="emulator",
        compiled=compiled,
        **counting(compiled, needs_machine=True),
    )
    return launch_clocks(report, read_grid(grid), find_target(gpu))


def verdict(judged: list[Judged]) -> str | None:
    """What is wrong with the chosen plan, the first one; None if nothing is."""
    chosen, *_ = judged
    least = min(each.spill_bytes for each in judged)
    if chosen.spill_bytes > least:
        better = min(judged, key=lambda each: each.spill_bytes)
        return f"spills {chosen.spill_bytes} bytes: {chosen}; not {better}"
    rivals = [each for each in judged if each.spill_bytes <= chosen.spill_bytes]
    best = min(rivals, key=lambda each: each.clocks)
    if chosen.clocks > SLACK * best.clocks:
        return f"{chosen.clocks / best.clocks:.2f} of the best: {chosen}; not {best}"
    return None


def bench_cases() -> list[tuple[Kernel, str]]:
    """The kernels with products of bench, each once for each of its chips."""
    found: dict[tuple[str, str], Kernel] = {}
    for case in (*products.GOALS, *products.OTHERS, *narrow.CASES):
        found[case.product.name, case.gpu] = Kernel.of(case.product)
    for made in dequantised.KERNELS:
        kernel = Kernel.of(made)
        found |= {(kernel.name, gpu): kernel for gpu in dequantised.CHIPS}
    for case in attention.CASES:
        kernel = Kernel.of(case.attention)
        found[kernel.name, case.gpu] = kernel
    return [(kernel, gpu) for (_, gpu), kernel in found.items()]


def main() -> int:
    """Judges what was asked for; 1 if a chosen plan is not the best."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="append", choices=chip_names())
    parser.add_argument("--all", action="store_true", help="every product, all plans")
    parser.add_argument("--bench", action="store_true", help="the kernels of bench")
    parser.add_argument("--only", default="", metavar="TEXT", help="in their names")
    parser.add_argument("--sample", type=int, help="so many products, by chance")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fast", action="store_true", help="one CTA, and engines only")
    parser.add_argument("--verbose", action="store_true", help="each candidate")
    options = parser.parse_args()
    if not (options.all or options.bench or options.sample or options.gpu):
        options.sample, options.fast = SAMPLE, True
    chosen = [(p, gpu) for gpu in options.gpu or GPUS for p in PRODUCTS]
    if options.bench:
        chosen = [c for c in bench_cases() if c[1] in (options.gpu or [c[1]])]
    cases = [c for c in chosen if options.only in c[0].name]
    if options.sample:
        cases = Random(options.seed).sample(cases, min(options.sample, len(cases)))
    failed = 0
    for product, gpu in cases:
        judged = list(
            candidates(product, gpu, (1,), ENGINES[:2])
            if options.fast
            else candidates(product, gpu)
        )
        for each in judged if options.verbose else ():
            print(f"  {each}")
        wrong = verdict(judged)
        failed += wrong is not None
        print(f"{product.name} {gpu}, {len(judged)} plans: {wrong or 'ok'}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
