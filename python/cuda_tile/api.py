# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users import: load, save, compile, run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NoReturn, SupportsIndex, overload

from cuda_tile._mlir import ir
from cuda_tile.admission import check_depth
from cuda_tile.codegen.ptx import to_llvm_ir
from cuda_tile.codegen.ptxas import Assembled
from cuda_tile.errors import UserError, expect
from cuda_tile.files import load as load
from cuda_tile.files import save as save
from cuda_tile.hooks import Artifact, Hooks, check_input
from cuda_tile.ir.launch import (
    LaunchData,
    emitted_kernels,
    parameter_types,
    read_launch,
)
from cuda_tile.ir.walk import entries, entry_name, find_entry
from cuda_tile.options import Options
from cuda_tile.passes import plan
from cuda_tile.pictured import Pictured
from cuda_tile.pipeline import (
    NAMES,
    Compilation,
    Observer,
    Timings,
    expect_observer,
    last_step,
    run_passes,
    run_steps,
)
from cuda_tile.place.slow import slow_accesses
from cuda_tile.records import dataclass
from cuda_tile.report import Report, make_report
from cuda_tile.runtime.record import read_grid
from cuda_tile.tuned import TuningRecord

if TYPE_CHECKING:
    from cuda_tile.emulator.report import Report as EmulatorReport
    from cuda_tile.interp.driver import InterpReport
    from cuda_tile.runtime.args import Argument, Bound

Executor = Literal["interp", "emulator", "gpu"]
Emit = Literal["tile", "placed", "nvvm", "llvm", "ptx", "cubin"]
SMALL_LAUNCH_THREADS = 512
"""A launch on the emulator of no more threads is checked in adversarial mode."""
EMIT_FORMS = ("tile", "placed", "nvvm", "llvm", "ptx", "cubin")


@dataclass(frozen=True)
class Compiled(Pictured):
    """The result of a compilation.

    Attributes:
        ptx: PTX text.
        cubin: ELF image, empty if it was not asked for.
        report: Resources, warnings, time.
        launch: How to launch each kernel, by its name.
    """

    ptx: str
    cubin: bytes
    report: Report
    launch: dict[str, LaunchData]

    def __repr__(self) -> str:
        """One line; the texts are in the attributes."""
        kernels = ", ".join(f"@{name}" for name in self.launch)
        return (
            f"<Compiled {kernels}: {len(self.ptx)} characters of PTX, "
            f"cubin of {len(self.cubin)} bytes>"
        )

    def __call__(self, *_args: object, **_choices: object) -> NoReturn:
        """Says how to run what was compiled.

        Raises:
            UserError: Always.
        """
        raise UserError(
            "expected cuda_tile.launch(compiled, grid, args), or without a GPU "
            "cuda_tile.run(module, grid=grid, args=args, on='emulator', "
            "compiled=compiled), got a call of what compile gave"
        )


def lower(
    module: ir.Module,
    gpu: str | None = None,
    *,
    until: str = NAMES[-1],
    options: Options | None = None,
    before: Hooks | None = None,
    after: Hooks | None = None,
    observe: Observer | None = None,
    timings: Timings | None = None,
    tuning: TuningRecord | None = None,
) -> ir.Module:
    """A copy of `module` taken through the pipeline up to pass `until`.

    Args:
        module: What `load` gave; it is not changed.
        gpu: Target chip, unless `options` name it; sm_90 by default.
        until: Last pass, see `pipeline.NAMES`: "barriers" gives level W as compiled,
            "emit" level P.
        options: Further choices.
        before: Functions to call before a pass, by its name.
        after: Functions to call after a pass, by its name.
        observe: Called after each pass with its name and the module.
        timings: Where to add up CPU seconds per pass.
        tuning: A record of `tune`, whose choice is taken once its sums are checked.

    Raises:
        UserError: The program, a function or a choice is at fault.
    """
    expect("until", until, str, "the name of a pass")
    expect("timings", timings, (Timings, type(None)), "a Timings or None")
    copy = _copy(module)
    options = _tuned(copy, chosen_options(options, gpu), tuning)
    with module.context, ir.Location.unknown():
        run_passes(
            copy,
            options,
            until=until,
            before=before,
            after=after,
            observe=observe,
            timings=timings,
        )
        return _as_module(copy)


def list_plans(
    module: ir.Module, gpu: str | None = None, *, options: Options | None = None
) -> dict[str, list[dict[str, Any]]]:
    """The plans that the kernels of `module` could have, for tuners.

    `Options(plan=N)` compiles the one with number N. A plan can also be written by
    hand, as the attribute `tileas.plan`.

    Args:
        module: What `load` gave; it is not changed.
        gpu: Target chip, unless `options` name it; sm_90 by default.
        options: Further choices: numbers hold for the same ones.

    Returns:
        For each kernel its plans, in the order of their numbers. Each is a dictionary:
        `number`; `chosen`, whether it is what `compile` takes; `fields`, what it
        decides; `cost`, as the model says, in clocks, registers, bytes and CTAs;
        `refusal`, why it is not taken, or None; `possible`, whether it can be forced.

    Raises:
        UserError: The program or a choice is at fault, or a kernel has a plan.
    """
    chosen, copy = chosen_options(options, gpu), _copy(module)
    with module.context, ir.Location.unknown():
        run_passes(copy, chosen, until=NAMES[NAMES.index("plan") - 1])
        return {
            entry_name(entry): plan.list_plans(entry, chosen) for entry in entries(copy)
        }


def chosen_options(options: Options | None, gpu: str | None) -> Options:
    """The options of a call that names the chip in one of two places, or in none.

    Raises:
        UserError: The places name different chips, or a choice is not allowed.
    """
    given = Options() if options is None else options
    if not isinstance(given, Options):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            f"expected options to be cuda_tile.Options(gpu='sm_90', ...), got {given!r}"
        )
    if not isinstance(gpu, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            f"expected gpu to be the name of a chip such as 'sm_90', got {gpu!r}; "
            "further choices are options=cuda_tile.Options(gpu='sm_90', ...)"
        )
    if gpu is None:
        return replace(given, gpu=given.target.name)
    chosen = replace(given, gpu=gpu)
    if given.gpu not in (None, gpu):
        raise UserError(
            f"expected one gpu, got '{gpu}' beside options with gpu='{given.gpu}'"
        )
    return chosen


def _tuned(
    copy: ir.Operation, options: Options, tuning: TuningRecord | None
) -> Options:
    """The options with what a record says, which gives the copy its hints."""
    expect("tuning", tuning, (TuningRecord, type(None)), "a TuningRecord or None")
    return options if tuning is None else tuning.apply(copy, options)


def _copy(module: ir.Module) -> ir.Operation:
    """A copy for the steps to change, detached.

    Raises:
        UserError: It is not what `load` returns.
    """
    if not isinstance(module, ir.Module):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError(
            f"expected a module, as cuda_tile.load gives it, got {module!r}"
        )
    check_depth(module)  # a copy recurses
    return module.operation.clone().operation


def _as_module(operation: ir.Operation) -> ir.Module:
    """A detached `builtin.module` as an `ir.Module`, which takes over its body.

    Steps work on a detached operation: unlike an `ir.Module` it survives a user's
    function that erases it.
    """
    module = ir.Module.create(operation.location)
    for name in operation.attributes:
        module.operation.attributes[name] = operation.attributes[name]
    for op in list(operation.regions[0].blocks[0].operations):
        module.body.append(op)
    return module


def compile(  # noqa: A001  (the name users expect)
    module: ir.Module,
    gpu: str | None = None,
    *,
    options: Options | None = None,
    before: Hooks | None = None,
    after: Hooks | None = None,
    observe: Observer | None = None,
    cubin: bool = True,
    tuning: TuningRecord | None = None,
) -> Compiled:
    """Compiles every kernel of `module` for one chip.

    Args:
        module: What `load` gave; it is not changed.
        gpu: Target chip, `sm_75` and up, unless `options` name it; sm_90 by default.
        options: Further choices.
        before: A user's own functions to call before a step, by its name; see
            `pipeline.STEP_NAMES`.
        after: The same after a step.
        observe: Called after each step with its name and what it left.
        cubin: Whether to run ptxas; without it resources are unknown.
        tuning: A record of `tune`, whose choice is taken once its sums are checked.

    Raises:
        UserError: The program, a function, a choice, the record or the installation is
            at fault.
    """
    expect("cubin", cubin, int, "True or False")
    expect_observer(observe)
    copy, timings = _copy(module), Timings()
    options = _tuned(copy, chosen_options(options, gpu), tuning)
    compilation, slow = Compilation(copy, options), _SlowAccesses(observe)
    with module.context, ir.Location.unknown():
        run_steps(
            compilation,
            until=last_step("cubin" if cubin else "PTX"),
            before=before,
            after=after,
            observe=slow.observe,
            timings=timings,
        )
        kernels = emitted_kernels(compilation.module)
        launch = {entry_name(kernel): read_launch(kernel) for kernel in kernels}
    assembled = compilation.assembled or Assembled(b"", {}, ())
    report = make_report(
        options.target, launch, assembled, timings.seconds, slow.remarks
    )
    return Compiled(compilation.ptx or "", assembled.cubin, report, launch)


class _SlowAccesses:
    """Looks for slow accesses of memory in what the last pass on tiles left.

    Attributes:
        remarks: By kernel, dearest first.
    """

    def __init__(self, observe: Observer | None) -> None:
        self._observe = observe
        self.remarks: dict[str, tuple[str, ...]] = {}

    def observe(self, step: str, left: Artifact) -> None:
        """Called after each step, as a user's own function is."""
        if self._observe is not None:
            self._observe(step, left)
        if step == last_step("W") and isinstance(left, ir.Operation | ir.Module):
            for entry in entries(left.operation):
                found = slow_accesses(entry)
                self.remarks[entry_name(entry)] = tuple(s.remark for s in found)


def translate(
    module: ir.Module, form: Emit, gpu: str | None = None, **choices: Any
) -> str | bytes:
    """The module in one of the forms of `EMIT_FORMS`.

    Args:
        module: What `load` gave.
        form: `tile` (level T), `placed` (level W), `nvvm` (level P), `llvm` (LLVM IR),
            `ptx` or `cubin`.
        gpu: Target chip.
        choices: As for `compile`.

    Raises:
        UserError: The form is unknown, or as for `compile`.
    """
    expect("form", form, str, "one of " + ", ".join(EMIT_FORMS))
    if form not in EMIT_FORMS:
        known = ", ".join(EMIT_FORMS)
        raise UserError(f"expected one of {known} to emit, got '{form}'")
    match form:
        case "tile":
            return str(module)
        case "placed":
            return str(lower(module, gpu, until=last_step("W"), **choices))
        case "nvvm":
            return str(lower(module, gpu, **choices))
        case "llvm":
            lowered = lower(module, gpu, **choices)
            with module.context, ir.Location.unknown():
                return to_llvm_ir(lowered.operation)
        case "ptx":
            return compile(module, gpu, cubin=False, **choices).ptx
        case "cubin":
            return compile(module, gpu, **choices).cubin


@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Literal["interp"] = "interp",
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> InterpReport: ...
@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Literal["emulator"],
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> EmulatorReport: ...
@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Literal["gpu"],
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> None: ...
@overload
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Executor,
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> Any: ...
def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Argument],
    on: Executor = "interp",
    gpu: str | None = None,
    compiled: Compiled | None = None,
    **choices: Any,
) -> Any:
    """Runs one kernel; arrays are read and written in place.

    Args:
        module: What `load` gave.
        kernel: The entry's name; may be left out if there is only one.
        grid: Tile blocks along x, y, z; missing ones are 1. A number is that many
            along x.
        args: NumPy arrays, lists of arrays and numbers in the order of the source: an
            array becomes a pointer to its first element, its extents and its strides.
            With as many arguments as parameters, each is one, and an array a pointer;
            `array_args` gives the parameters of an array.
        on: `interp` runs the tiles, `emulator` the PTX, `gpu` the cubin.
        gpu: Target chip for `emulator` and `gpu`; sm_90 by default.
        compiled: A result of `compile` to use again.
        choices: Attributes of `cuda_tile.runtime.options.RunOptions`, and further
            arguments of `interp.run` or `emulator.launch`. Small launches on the
            emulator run in adversarial mode without a seed, too.

    Returns:
        The executor's own report, a `cuda_tile.runtime.report.RunReport`: `kernel`,
        `findings`, `stdout`, `warnings`, `checked`, `steps`. None of `gpu`.

    Raises:
        UserError: An argument does not fit, or the kernel did something illegal,
            such as an access outside every array that was passed.
    """
    from cuda_tile.runtime.spread import bind_named, host_args, naming

    expect("module", module, ir.Module, "a module, as cuda_tile.load gives it")
    expect("kernel", kernel, (str, type(None)), "the name of one")
    expect("compiled", compiled, (Compiled, type(None)), "what cuda_tile.compile gives")
    expect("on", on, str, "interp, emulator or gpu")
    extents = read_grid(grid)
    entry = find_entry(module.operation, kernel)
    name = entry_name(entry)
    bound, names = bind_named(name, parameter_types(entry), host_args(args))
    executors: dict[str, Callable[..., Any]] = {
        "interp": _run_interp,
        "emulator": _run_emulator,
        "gpu": _run_gpu,
    }
    if on not in executors:
        known = ", ".join(executors)
        raise UserError(f"expected one of {known} to run on, got '{on}'")
    source: Any = module
    if on != "interp":
        source = compiled or compile(module, gpu, cubin=on == "gpu")
    with naming(names):
        report = executors[on](source, name, extents, bound, **choices)
    if on == "emulator":
        report.checked += _open_loads_text(entry, bound)
    return report


def _open_loads_text(entry: ir.Operation, args: Sequence[Any]) -> str:
    """What the emulator cannot see: unspecified elements are zeros in PTX."""
    from cuda_tile.analysis.open_loads import open_loads

    found = open_loads(entry, args)
    if not found:
        return ""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"; nor what becomes of elements that a load without padding leaves "
        f"unspecified, zeros here: {found[0]}{more}; the interpreter follows them"
    )


def _run_interp(
    module: ir.Module,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile import interp

    check_input(module.operation)
    return interp.run(module, name, grid=grid, args=args, **choices)


def _run_emulator(
    compiled: Compiled,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile import emulator

    record = compiled.launch[name]
    threads = prod(grid) * prod(record.block)
    if threads <= SMALL_LAUNCH_THREADS and not {"mode", "bounds"} & set(choices):
        choices = {"mode": "adversarial", **choices}
    return emulator.launch_recorded(
        compiled.ptx, name, record, grid=grid, args=args, **choices
    )


def _run_gpu(
    compiled: Compiled,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile.runtime.launch import launch_cubin
    from cuda_tile.runtime.options import read

    read(choices).given("gpu")
    record = compiled.launch[name]
    return launch_cubin(compiled.cubin, name, record, grid=grid, args=args)
