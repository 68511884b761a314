# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The whole way from a tile module to a cubin, on one page.

Each pass has a file under `passes/` that states its contract; the two steps that
leave MLIR are in `codegen/`. What stands here is their order, the level that each
one leaves, and how a user's own functions get in between.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import field
from types import ModuleType
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.codegen.libdevice import PREFIX as LIBRARY_PREFIX
from cuda_tile.codegen.ptx import to_ptx
from cuda_tile.codegen.ptxas import Assembled, assemble
from cuda_tile.errors import CudaTileError, InternalError, NoPair, NoRoom, UserError
from cuda_tile.hooks import (
    Artifact,
    Hooks,
    Side,
    call_hook,
    check_hooks,
    check_input,
    check_pass,
    functions_of,
)
from cuda_tile.ir.launch import device_modules, emitted_kernels
from cuda_tile.ir.walk import entries, entry_name, location_text, tile_modules
from cuda_tile.on_demand import on_demand
from cuda_tile.options import Options
from cuda_tile.pass_order import Level, Pass, PassOrder
from cuda_tile.passes import (
    allocate,
    barriers,
    combine_atomics,
    count,
    emit,
    facts,
    issue,
    join_reductions,
    load_duplication,
    narrow_elements,
    online_softmax,
    order,
    pair,
    persist,
    place,
    plan,
    ring,
    roles,
    row_tiling,
    simplify,
    skew,
    split,
    stage,
    unit_batches,
    unwrap_indices,
    welford,
)
from cuda_tile.records import dataclass
from cuda_tile.replanning import Replanning

Observer = Callable[[str, Artifact], None]
"""Called after each step with its name and what it left: the `builtin.module`, the
PTX text, or what ptxas made."""


@dataclass
class Compilation:
    """What has become of a module so far; each step adds to it.

    Attributes:
        module: The `builtin.module`, which passes change in place.
        options: The user's choices.
        ptx: PTX text, once `llvm` has run.
        assembled: The cubin and what ptxas said, once `ptxas` has run.
    """

    module: ir.Operation
    options: Options
    ptx: str | None = None
    assembled: Assembled | None = None

    @property
    def artifact(self) -> Artifact:
        """What the last step left, which is what hooks and observers get."""
        if self.assembled is not None:
            return self.assembled
        return self.module if self.ptx is None else self.ptx


@dataclass(frozen=True)
class Step:
    """A step of the pipeline that leaves MLIR.

    Attributes:
        name: Its name for hooks, `until` and timings.
        level: The level of what it leaves.
        summary: One line for `--help`.
        run: What it does to a compilation.
    """

    name: str
    level: Level
    summary: str
    run: Callable[[Compilation], None]


def _pass(
    home: ModuleType,
    level: Level,
    summary: str,
    *needs: str,
    checker: str = "",
    **more: Any,
) -> Pass:
    """The pass of a file.

    Args:
        home: The file, whose name and `run` are those of the pass.
        level: The level of what it leaves.
        summary: One line for `--help`.
        needs: What must hold before it.
        checker: File and function in `checkers`, which is imported where
            `Options.check` asks for it.
        more: Other fields of the pass.
    """
    if checker:
        file, _, name = checker.partition(".")
        more["checker"] = on_demand(f"cuda_tile.checkers.{file}", name)
    stem = home.__name__.rpartition(".")[2]
    return Pass(stem, level, summary, home.run, needs=needs, **more)


def run_pass(
    step: Pass, module: ir.Operation, options: Options, until: str = ""
) -> None:
    """Changes a module by a pass.

    Args:
        step: The pass.
        module: The module, which is changed in place.
        options: The user's choices.
        until: The last pass that will run behind it; none if empty.

    Raises:
        UserError: The pass runs too early or too late.
        CudaTileError: As the pass does; an error without a location gets that of the
            kernel.
    """
    try:
        ORDER.check(step, module)
        watcher = step.watcher if options.check else None
        judge = watcher(module, options) if watcher else None
        step.change(module, options)
        if judge is not None:
            judge(module)
        if options.check and step.checker and not _judged_later(step, until):
            step.checker(module, options)
    except CudaTileError as error:
        where = _kernel_location(module)
        if error.location is not None or where is None:
            raise
        raise type(error)(error.message, where) from error
    ORDER.note(step, module)


def _judged_later(step: Pass, until: str) -> bool:
    """Whether the check of a pass that comes up to `until` judges this one, too."""
    last = STEP_NAMES.index(until) if until else -1
    return bool(step.judged_by) and STEP_NAMES.index(step.judged_by) <= last


def _kernel_location(module: ir.Operation) -> str | None:
    """Where the kernel stands, or the first module of several; None without any."""
    found = entries(module)
    found = found if len(found) == 1 else tile_modules(module)
    return location_text(found[0]) if found else None


def _generate_ptx(compilation: Compilation) -> None:
    if not emitted_kernels(compilation.module):
        raise UserError("expected a module with a kernel, a cuda_tile.entry, got none")
    first, *others = device_modules(compilation.module)
    if others:
        names = ", ".join(f"@{entry_name(op)}" for op in (first, *others))
        raise UserError(
            f"expected one cuda_tile.module in what is compiled, got {names}; compile "
            "each on its own",
            location_text(others[0]),
        )
    compilation.ptx = to_ptx(compilation.module, compilation.options)


def _assemble(compilation: Compilation) -> None:
    if compilation.ptx is None:
        raise InternalError("ptxas: expected PTX text, got none")
    options = compilation.options
    if not options.libdevice and f" {LIBRARY_PREFIX}" in compilation.ptx:
        raise UserError(
            "expected libdevice=True for a cubin of a kernel that calls its functions, "
            "got False; leave --no-libdevice out, or ask for PTX alone"
        )
    compilation.assembled = assemble(
        compilation.ptx,
        options.target.arch,
        options.opt_levels[1],
        line_info=options.line_info,
        device_debug=options.device_debug,
    )


PIPELINE: tuple[Pass | Step, ...] = (
    # First, so that what follows folds the reshapes.
    _pass(unit_batches, "T", "make matrices of batches of one that are multiplied"),
    _pass(simplify, "T", "canonicalise: remove dead and repeated operations"),
    # Before the plan: each loop that it makes gets one of its own.
    _pass(
        split,
        "T",
        "loop splitting: iterations whose masks hide nothing get their own loop",
    ),
    # Before the plan: what is planned are accesses and updates as they will be made.
    _pass(narrow_elements, "T", "access elements of 4 bits as bytes", gives="narrowed"),
    _pass(
        combine_atomics,
        "T",
        "combine updates of one place before one atomic makes them",
    ),
    _pass(
        unwrap_indices,
        "T",
        "sum indices in 64 bits where masks hide those that wrap around",
    ),
    # Before the plan, which knows a tile block for a CTA.
    _pass(
        pair,
        "T",
        "let two CTAs serve a tile block, each half of its rows, where hints ask",
        reads=("gpu", "pairs"),
    ),
    _pass(
        plan,
        "T",
        "choose warps, matrix instructions and copies per kernel",
        "narrowed",
        gives="planned",
        reads=(
            "gpu",
            "num_warps",
            "abi",
            "persistent",
            "shared_budget",
            "tensor_budget",
            "plan",
        ),
    ),
    _pass(
        load_duplication,
        "T",
        "give products that run an iteration behind loads of their own",
        "planned",
    ),
    # Before row tiling, which writes the loops that they join.
    _pass(
        online_softmax,
        "T",
        "mark sums of powers that the loop of their maximum can compute",
        "planned",
    ),
    _pass(
        welford,
        "T",
        "mark sums of squares that the loop of their row's sum can compute",
        "planned",
    ),
    _pass(
        row_tiling,
        "T",
        "compute rows that no registers hold in parts, by loops",
        "planned",
    ),
    _pass(
        persist, "T", "persistent kernels: a CTA serves several tile blocks", "planned"
    ),
    _pass(
        place,
        "W",
        "layout assignment: give every tile a layout",
        "planned",
        gives="placed",
        once=True,
        judged_by="stage",
        checker="layouts.check",
    ),
    # By their layouts: what threads have in one place can be folded together.
    _pass(
        join_reductions,
        "W",
        "join reductions that do the same with tiles of one layout",
        "placed",
        judged_by="stage",
        checker="layouts.check",
    ),
    # Conversions that place left between warps need buffers before they can be
    # ordered and allocated.
    _pass(
        stage,
        "W",
        "move operands and layout conversions through shared memory",
        "placed",
        gives="staged",
        checker="layouts.check_staged",
        watcher=on_demand("cuda_tile.checkers.meaning", "watch"),
    ),
    _pass(
        order,
        "W",
        "memory order: turn tokens into barriers where needed",
        "staged",
        gives="ordered",
    ),
    # Copies fill their buffers in place so far: rings say when, skew starts them early.
    _pass(
        ring,
        "W",
        "multi-buffering: give what copies fill a ring of slots",
        "ordered",
        gives="ringed",
        judged_by="skew",
        checker="protocol.check",
    ),
    _pass(
        roles,
        "W",
        "warp specialisation: divide warps into loading and computing ones",
        "ringed",
        gives="divided",
        judged_by="skew",
        once=True,
        checker="protocol.check_roles",
    ),
    _pass(
        skew,
        "W",
        "software pipelining: start copies iterations ahead of their use",
        "divided",
        gives="skewed",
        checker="protocol.check",
    ),
    _pass(
        issue,
        "W",
        "scheduling: start asynchronous products early, await them late",
        "skewed",
        gives="scheduled",
    ),
    _pass(
        count,
        "W",
        "wait counts: how much each wait may leave in flight",
        "skewed",
        gives="counted",
        checker="count.check",
    ),
    _pass(
        allocate,
        "W",
        "shared memory allocation: offsets of buffers, by liveness",
        "counted",
        gives="allocated",
        checker="allocate.check",
    ),
    # Needs places: buffers that share bytes must be kept apart too.
    _pass(
        barriers,
        "W",
        "barrier insertion: the barriers that shared memory needs",
        "allocated",
        gives="synchronised",
        checker="barriers.check",
    ),
    _pass(
        emit,
        "P",
        "lower to llvm and nvvm for one thread",
        "synchronised",
        gives="lowered",
        reads=("line_info", "device_debug"),
    ),
    Step("llvm", "PTX", "translate to LLVM IR, optimise, generate PTX", _generate_ptx),
    Step("ptxas", "cubin", "assemble the PTX", _assemble),
)
ORDER = PassOrder([step for step in PIPELINE if isinstance(step, Pass)])
"""What each pass needs, and may not follow."""
FIRST_CHOICE = "pair"
"""The pass to which a compilation goes back whose plan did not fit."""
STEP_NAMES = tuple(step.name for step in PIPELINE)
NAMES = tuple(step.name for step in PIPELINE if isinstance(step, Pass))
"""The passes: the steps that leave a module."""

PRINTERS: tuple[Pass, ...] = (
    _pass(facts, "T", "write what is known of each integer into the text"),
)
"""Passes of the tool that only show an analysis; not part of the way down."""


def last_step(level: Level) -> str:
    """Name of the step that finishes a level."""
    return [step.name for step in PIPELINE if step.level == level][-1]


@dataclass
class Timings:
    """CPU seconds per step, in order.

    A user's functions are `user`, the verifier is `verify`.
    """

    seconds: dict[str, float] = field(default_factory=dict)

    def measure(self, name: str, step: Callable[[], None]) -> None:
        """Runs `step` and adds its CPU time, and its child processes', to `name`."""
        start = _cpu_seconds()
        step()
        spent = _cpu_seconds() - start
        self.seconds[name] = self.seconds.get(name, 0.0) + spent


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run_passes(
    module: ir.Operation,
    options: Options,
    *,
    until: str = NAMES[-1],
    before: Hooks | None = None,
    after: Hooks | None = None,
    observe: Observer | None = None,
    timings: Timings | None = None,
) -> None:
    """Runs the passes on `module` in place, up to and including pass `until`.

    The arguments are those of `run_steps`.

    Raises:
        UserError: `until` is no pass, or as `run_steps`.
    """
    if until not in NAMES:
        known = ", ".join(NAMES)
        hint = " (compile goes on to PTX and a cubin)" if until in STEP_NAMES else ""
        raise UserError(
            f"expected the name of a pass, got '{until}'; known: {known}{hint}"
        )
    run_steps(
        Compilation(module, options),
        until=until,
        before=before,
        after=after,
        observe=observe,
        timings=timings,
    )


def expect_observer(observe: object) -> None:
    """Refuses an observer that is no function.

    Raises:
        UserError: It is neither None nor callable.
    """
    if observe is not None and not callable(observe):
        raise UserError(f"expected observe to be a function, got {observe!r}")


def run_steps(
    compilation: Compilation,
    *,
    until: str = STEP_NAMES[-1],
    before: Hooks | None = None,
    after: Hooks | None = None,
    observe: Observer | None = None,
    timings: Timings | None = None,
) -> None:
    """Runs the pipeline from its start, up to and including step `until`.

    Args:
        compilation: Its module's context must be entered.
        until: Name of the last step to run.
        before: Functions to call before a step, by its name.
        after: Functions to call after a step, by its name.
        observe: Called after each step.
        timings: Where to add up CPU time.

    Raises:
        UserError: A name is not a step of the pipeline, the module is invalid, here
            or where a hook left it, or a step refused the program.
    """
    if until not in STEP_NAMES:
        known = ", ".join(STEP_NAMES)
        raise UserError(f"expected the name of a step, got '{until}'; known: {known}")
    steps = PIPELINE[: STEP_NAMES.index(until) + 1]
    for hooks, side in _sides(before, after):
        check_hooks(hooks, side, STEP_NAMES, until)
    expect_observer(observe)
    check_input(compilation.module)
    timings = Timings() if timings is None else timings
    replanning = Replanning(compilation.module)
    number, is_again = 0, False
    while number < len(steps):
        step = steps[number]
        if not is_again:
            _run_hooks(compilation, before, step.name, "before", timings)
        if step.name == FIRST_CHOICE:
            replanning.save()
        try:
            timings.measure(step.name, lambda s=step: run_step(s, compilation, until))
        except (NoRoom, NoPair) as error:
            compilation.options = replanning.again(error, compilation.options)
            number, is_again = STEP_NAMES.index(FIRST_CHOICE), True
            continue
        number, is_again = number + 1, False
        if isinstance(step, Pass) and compilation.options.verify_each:
            name = step.name
            timings.measure("verify", lambda n=name: check_pass(compilation.module, n))
        _run_hooks(compilation, after, step.name, "after", timings)
        if observe is not None:
            observe(step.name, compilation.artifact)


def run_step(step: Pass | Step, compilation: Compilation, until: str = "") -> None:
    """Takes a compilation one step further.

    Args:
        step: The step.
        compilation: What it changes.
        until: The last step that will run behind it; none if empty.

    Raises:
        CudaTileError: As `run_pass` and the step do.
    """
    if isinstance(step, Pass):
        run_pass(step, compilation.module, compilation.options, until)
    else:
        step.run(compilation)


def _sides(
    before: Hooks | None, after: Hooks | None
) -> tuple[tuple[Hooks | None, Side], ...]:
    return ((before, "before"), (after, "after"))


def _run_hooks(
    compilation: Compilation,
    hooks: Hooks | None,
    name: str,
    side: Side,
    timings: Timings,
) -> None:
    def call_all() -> None:
        for function in functions:
            text = call_hook(function, compilation.artifact, name, side)
            compilation.ptx = compilation.ptx if text is None else text

    if functions := functions_of(hooks, name):
        timings.measure("user", call_all)
