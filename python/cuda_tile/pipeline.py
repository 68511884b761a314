"""The whole way from a tile module to PTX, on one page.

Each pass has a file under `passes/` that states its contract. What stands here
is their order and how a user's own function gets in between.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.options import Options
from cuda_tile.passes import (
    allocate,
    barriers,
    emit,
    facts,
    order,
    place,
    plan,
    simplify,
    stage,
)

PassFunction = Callable[[ir.Operation, Options], None]
UserFunction = Callable[[ir.Operation], None]
"""A user's own step: gets the `builtin.module` and changes it in place."""
Observer = Callable[[str, ir.Operation], None]
"""Called after each pass with its name and the module."""


@dataclass(frozen=True)
class Pass:
    """One step of the pipeline.

    Attributes:
        name: Its name here; `cuda-tile-` in front makes the tool's flag.
        summary: One line for `--help`.
        run: What it does to a module.
    """

    name: str
    summary: str
    run: PassFunction


PIPELINE: tuple[Pass, ...] = (
    Pass("simplify", "tidy level T: dead and repeated operations", simplify.run),
    Pass("plan", "choose warps and matrix instructions per kernel", plan.run),
    Pass("place", "give every tile a layout (level W)", place.run),
    # Conversions that place left between warps need buffers before they can be
    # ordered and allocated.
    Pass("stage", "move operands and conversions through shared memory", stage.run),
    Pass("order", "turn tokens into barriers where needed", order.run),
    Pass("allocate", "give shared buffers their places", allocate.run),
    # Needs places: buffers that share bytes must be kept apart too.
    Pass("barriers", "insert the barriers shared memory needs", barriers.run),
    Pass("emit", "to llvm and nvvm for one thread (level P)", emit.run),
)
NAMES = tuple(step.name for step in PIPELINE)

PRINTERS: tuple[Pass, ...] = (
    Pass("facts", "write what is known of each integer into the text", facts.run),
)
"""Passes of the tool that only show an analysis; not part of the way down."""

Hooks = Mapping[str, UserFunction | Sequence[UserFunction]]


@dataclass
class Timings:
    """CPU seconds per step, in order."""

    seconds: dict[str, float] = field(default_factory=dict)

    def measure(self, name: str, step: Callable[[], None]) -> None:
        """Runs `step` and adds its CPU time under `name`."""
        start = time.process_time()
        step()
        spent = time.process_time() - start
        self.seconds[name] = self.seconds.get(name, 0.0) + spent


def run_passes(
    module: ir.Operation,
    options: Options,
    *,
    until: str = "emit",
    before: Hooks | None = None,
    after: Hooks | None = None,
    observe: Observer | None = None,
    timings: Timings | None = None,
) -> None:
    """Runs the pipeline on `module` in place, up to and including pass `until`.

    Args:
        module: A `builtin.module` with tile modules; its context must be entered.
        options: The user's choices.
        until: Name of the last pass to run.
        before: Functions to call before a pass, by its name.
        after: Functions to call after a pass, by its name.
        observe: Called after each pass.
        timings: Where to add up CPU time.

    Raises:
        UserError: A name is not a pass of the pipeline, or a pass refused the
            program.
    """
    for name in (until, *(before or {}), *(after or {})):
        if name not in NAMES:
            known = ", ".join(NAMES)
            raise UserError(
                f"expected the name of a pass, got '{name}'; known: {known}"
            )
    timings = Timings() if timings is None else timings
    for step in PIPELINE:
        for function in _functions(before, step.name):
            timings.measure("user", lambda f=function: f(module))
        timings.measure(step.name, lambda s=step: s.run(module, options))
        for function in _functions(after, step.name):
            timings.measure("user", lambda f=function: f(module))
        if observe is not None:
            observe(step.name, module)
        if step.name == until:
            break


def _functions(hooks: Hooks | None, name: str) -> Sequence[UserFunction]:
    found = (hooks or {}).get(name, ())
    return (found,) if callable(found) else found


_TOOL_OPTIONS = [
    ("gpu", Options.gpu, "target chip, sm_80 and up"),
    ("num-warps", "", "warps per CTA, instead of what plan would choose"),
]


def register_passes() -> None:
    """Makes every pass known to MLIR as `cuda-tile-NAME`, with its options.

    After this `cuda-tile-opt`, `PassManager.parse` and any pipeline text can name
    them. Call it once per process.
    """
    for step in (*PIPELINE, *PRINTERS):

        def run(op: ir.Operation, given: dict[str, str], step: Pass = step) -> None:
            step.run(op, Options(given["gpu"], _warps(given["num-warps"])))

        _cuda_tile.register_pass(
            f"cuda-tile-{step.name}", step.summary, _TOOL_OPTIONS, run
        )


def _warps(text: str) -> int | None:
    """Reads the tool's option; empty leaves the choice to `plan`."""
    if text and not text.isdecimal():
        raise UserError(f"expected an integer for num-warps, got '{text}'")
    return int(text) if text else None
