"""What users import: load, save, compile, run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cuda_tile._mlir import ir
from cuda_tile.codegen.ptx import to_llvm_ir, to_ptx
from cuda_tile.codegen.ptxas import Assembled, assemble
from cuda_tile.errors import UserError
from cuda_tile.files import load as load
from cuda_tile.files import save as save
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, read_plan
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import body, entries, entry_name, find_entry
from cuda_tile.options import Options
from cuda_tile.passes.allocate import SHARED_BYTES_ATTRIBUTE
from cuda_tile.pipeline import Hooks, Observer, Timings, run_passes
from cuda_tile.report import KernelReport, Report, occupancy
from cuda_tile.runtime.args import Argument, Bound, bind_args
from cuda_tile.targets import MAX_STATIC_SHARED_BYTES, WARP_LANES, find_target

Executor = Literal["interp", "emulator", "gpu"]
Emit = Literal["tile", "placed", "nvvm", "llvm", "ptx", "cubin"]
EMIT_FORMS = ("tile", "placed", "nvvm", "llvm", "ptx", "cubin")


@dataclass(frozen=True)
class LaunchParameters:
    """How to launch a compiled kernel; the grid counts tile blocks.

    Attributes:
        block: Threads per CTA along x, y, z.
        dynamic_shared_bytes: Shared memory to ask for at launch.
        parameters: Types of the kernel's parameters, in order.
    """

    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Compiled:
    """The result of a compilation.

    Attributes:
        ptx: PTX text.
        cubin: ELF image, empty if it was not asked for.
        report: Resources, warnings, time.
        launch: Launch parameters per kernel name.
    """

    ptx: str
    cubin: bytes
    report: Report
    launch: dict[str, LaunchParameters]


def lower(
    module: ir.Module,
    gpu: str = "sm_90",
    *,
    until: str = "emit",
    options: Options | None = None,
    before: Hooks | None = None,
    after: Hooks | None = None,
    observe: Observer | None = None,
    timings: Timings | None = None,
) -> ir.Module:
    """A copy of `module` taken through the pipeline up to pass `until`.

    Args:
        module: What `load` gave; it is not changed.
        gpu: Target chip; overrides `options.gpu`.
        until: Last pass, see `pipeline.NAMES`: "barriers" gives level W as compiled,
            "emit" level P.
        options: Further choices.
        before: Functions to call before a pass, by its name.
        after: Functions to call after a pass, by its name.
        observe: Called after each pass with its name and the module.
        timings: Where to add up CPU seconds per pass.

    Raises:
        UserError: The program or a choice is at fault.
    """
    options = replace(options or Options(), gpu=gpu)
    find_target(options.gpu)
    with module.context, ir.Location.unknown():
        copy = clone_module(module)
        run_passes(
            copy.operation,
            options,
            until=until,
            before=before,
            after=after,
            observe=observe,
            timings=timings,
        )
        return copy


def clone_module(module: ir.Module) -> ir.Module:
    """An independent copy in the same context."""
    copy = ir.Module.create(module.operation.location)
    point = ir.InsertionPoint(copy.body)
    for op in module.body.operations:
        op.operation.clone(ip=point)
    return copy


def compile(  # noqa: A001  (the name users expect)
    module: ir.Module,
    gpu: str = "sm_90",
    *,
    options: Options | None = None,
    before: Hooks | None = None,
    after: Hooks | None = None,
    observe: Observer | None = None,
    cubin: bool = True,
) -> Compiled:
    """Compiles every kernel of `module` for one chip.

    Args:
        module: What `load` gave; it is not changed.
        gpu: Target chip, `sm_80` and up.
        options: Further choices.
        before: A user's own functions to call before a pass, by its name.
        after: The same after a pass.
        observe: Called after each pass with its name and the module.
        cubin: Whether to run ptxas; without it resources are unknown.

    Raises:
        UserError: The program, a choice or the installation is at fault.
    """
    options = replace(options or Options(), gpu=gpu)
    timings = Timings()
    shapes: dict[str, _Shape] = {}

    def watch(name: str, level: ir.Operation) -> None:
        if name == "barriers":
            shapes.update((entry_name(e), _Shape.of(e)) for e in entries(level))
        if observe is not None:
            observe(name, level)

    lowered = lower(
        module,
        gpu,
        options=options,
        before=before,
        after=after,
        observe=watch,
        timings=timings,
    )
    texts: list[str] = []
    with module.context, ir.Location.unknown():
        timings.measure("llvm", lambda: texts.append(to_ptx(lowered, options)))
    assembled = Assembled(b"", {}, ())
    if cubin:
        start = time.perf_counter()
        assembled = assemble(texts[0], gpu, options.ptxas_opt_level)
        timings.seconds["ptxas"] = time.perf_counter() - start
    launch = {name: shape.launch for name, shape in shapes.items()}
    report = _report(shapes, gpu, assembled, timings)
    return Compiled(texts[0], assembled.cubin, report, launch)


@dataclass(frozen=True)
class _Shape:
    """What level W says of a kernel's launch."""

    launch: LaunchParameters
    shared_bytes: int
    plan: str

    @classmethod
    def of(cls, entry: ir.Operation) -> _Shape:
        shared = integer(entry, SHARED_BYTES_ATTRIBUTE)
        dynamic = shared if shared > MAX_STATIC_SHARED_BYTES else 0
        threads = read_plan(entry).num_warps * WARP_LANES
        launch = LaunchParameters((threads, 1, 1), dynamic, parameter_types(entry))
        return cls(launch, shared, str(entry.attributes[PLAN_ATTRIBUTE]))


def parameter_types(entry: ir.Operation) -> tuple[str, ...]:
    """Element types of an entry's parameters: `ptr<f16>`, `i32`, `f32`..."""
    texts = (str(element_of(argument)) for argument in body(entry).arguments)
    return tuple(text.removeprefix("!cuda_tile.") for text in texts)


def _report(
    shapes: dict[str, _Shape], gpu: str, assembled: Assembled, timings: Timings
) -> Report:
    target = find_target(gpu)
    kernels: list[KernelReport] = []
    for name, shape in shapes.items():
        resources = assembled.resources.get(name)
        if resources is None:
            continue
        threads = shape.launch.block[0]
        kernels.append(
            KernelReport(
                kernel=name,
                gpu=gpu,
                threads=threads,
                registers=resources.registers,
                spill_bytes=resources.spill_load_bytes + resources.spill_store_bytes,
                shared_bytes=shape.shared_bytes,
                occupancy=occupancy(target, resources, threads, shape.shared_bytes),
                plan=shape.plan,
            )
        )
    return Report(tuple(kernels), assembled.warnings, dict(timings.seconds))


def translate(
    module: ir.Module, form: Emit, gpu: str = "sm_90", **choices: Any
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
    if form not in EMIT_FORMS:
        known = ", ".join(EMIT_FORMS)
        raise UserError(f"expected one of {known} to emit, got '{form}'")
    match form:
        case "tile":
            return str(module)
        case "placed":
            return str(lower(module, gpu, until="barriers", **choices))
        case "nvvm":
            return str(lower(module, gpu, **choices))
        case "llvm":
            lowered = lower(module, gpu, **choices)
            with module.context, ir.Location.unknown():
                return to_llvm_ir(lowered)
        case "ptx":
            return compile(module, gpu, cubin=False, **choices).ptx
        case "cubin":
            return compile(module, gpu, **choices).cubin


def run(
    module: ir.Module,
    kernel: str | None = None,
    *,
    grid: Sequence[int],
    args: Sequence[Argument],
    on: Executor = "interp",
    gpu: str = "sm_90",
    compiled: Compiled | None = None,
    **choices: Any,
) -> Any:
    """Runs one kernel; arrays are read and written in place.

    Args:
        module: What `load` gave.
        kernel: The entry's name; may be left out if there is only one.
        grid: Tile blocks along x, y, z; missing ones are 1.
        args: The entry's parameters in order. A NumPy array stands for a pointer
            to its first element; `array_args` gives the parameters of an array.
        on: `interp` runs the tiles, `emulator` the PTX, `gpu` the cubin.
        gpu: Target chip for `emulator` and `gpu`.
        compiled: A result of `compile` to use again.
        choices: Passed on to the executor.

    Returns:
        The executor's own report.

    Raises:
        UserError: An argument does not fit, or the kernel did something illegal,
            such as an access outside every array that was passed.
    """
    extents = _grid(grid)
    entry = find_entry(module.operation, kernel)
    name = entry_name(entry)
    bound = bind_args(parameter_types(entry), list(args), kernel=name)
    executors: dict[str, Callable[..., Any]] = {
        "interp": _run_interp,
        "emulator": _run_emulator,
        "gpu": _run_gpu,
    }
    if on not in executors:
        known = ", ".join(executors)
        raise UserError(f"expected one of {known} to run on, got '{on}'")
    if on == "interp":
        return _run_interp(module, name, extents, bound, **choices)
    compiled = compiled or compile(module, gpu, cubin=on == "gpu")
    return executors[on](compiled, name, extents, bound, **choices)


def _grid(grid: Sequence[int]) -> tuple[int, int, int]:
    extents = (*grid, 1, 1)[:3]
    if not 1 <= len(grid) <= 3 or any(n < 1 for n in extents):
        raise UserError(
            f"expected a grid of 1 to 3 positive extents, got {tuple(grid)}"
        )
    return (int(extents[0]), int(extents[1]), int(extents[2]))


def _run_interp(
    module: ir.Module,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile import interp

    return interp.run(module, name, grid=grid, args=args, **choices)


def _run_emulator(
    compiled: Compiled,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile import emulator

    launch = compiled.launch[name]
    return emulator.launch(
        compiled.ptx,
        name,
        grid=grid,
        block=launch.block,
        args=args,
        shared_bytes=launch.dynamic_shared_bytes,
        **choices,
    )


def _run_gpu(
    compiled: Compiled,
    name: str,
    grid: tuple[int, int, int],
    args: list[Bound],
    **choices: Any,
) -> Any:
    from cuda_tile.runtime.launch import launch_cubin

    launch = compiled.launch[name]
    return launch_cubin(
        compiled.cubin,
        name,
        grid=grid,
        block=launch.block,
        shared_bytes=launch.dynamic_shared_bytes,
        args=args,
        **choices,
    )
