# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Control Flow Instructions", nanosleep and trap."""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.builtins import SIGNATURES
from cuda_tile.emulator.machine.step import (
    Branch,
    Call,
    Compiled,
    Exit,
    IndexedBranch,
    IndirectCall,
    Return,
    Wait,
)
from cuda_tile.emulator.ordering.clocks import PRECEDING_GRID
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import (
    FunctionName,
    Group,
    Label,
    Operand,
    Prototype,
    Register,
    SymbolAddress,
    Variable,
    Vector,
)
from cuda_tile.emulator.ptx.types import U32, U64
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Control Flow Instructions")


@CHAPTER.instruction("bra")
def bra(form: Form, b: Builder) -> Compiled:
    """Control Flow bra."""
    form.flag("uni")
    (target,) = form.operands(1)
    return Branch(_target(form, target))


def _target(form: Form, operand: Operand) -> int:
    if not isinstance(operand, Label):
        form.error("expected a label")
    return operand.target


@CHAPTER.instruction("brx")
def brx(form: Form, b: Builder) -> Compiled:
    """Control Flow brx.idx: by index into a `.branchtargets` list."""
    form.require("idx")
    form.flag("uni")
    index, table = form.operands(2)
    if not isinstance(table, Vector):
        form.error("expected the label of a .branchtargets list")
    targets = tuple(_target(form, element) for element in table.elements)
    return IndexedBranch(b.src(index, U32), targets)


@CHAPTER.instruction("exit")
def exit_(form: Form, b: Builder) -> Compiled:
    """Control Flow exit."""
    form.operands(0)
    return Exit()


@CHAPTER.instruction("ret")
def ret(form: Form, b: Builder) -> Compiled:
    """Control Flow ret; in an entry the thread ends."""
    form.flag("uni")
    form.operands(0)
    return Return()


@CHAPTER.instruction("call")
def call(form: Form, b: Builder) -> Compiled:
    """Control Flow call: of a named function, or of one by its address."""
    form.flag("uni")
    operands = list(form.some_operands(1, 4))
    results: tuple[Operand, ...] = ()
    head = operands[0]
    if isinstance(head, Group):
        results = head.elements
        del operands[0]
    if not operands:
        form.error("expected a function to call")
    target = operands.pop(0)
    arguments: tuple[Operand, ...] = ()
    if operands and isinstance(operands[0], Group):
        arguments = operands[0].elements
        del operands[0]
    taken, given = _variables(form, arguments), _variables(form, results)
    if isinstance(target, Register):
        return _indirect(form, b, target, operands, taken, given)
    if not isinstance(target, FunctionName):
        form.error("expected the name of a function, or a register with its address")
    if operands:
        form.error("expected results, a function and arguments")
    for function in b.machine.symbols.functions:
        if function.name == target.name:
            _check_count(form, "arguments", len(function.params), len(taken))
            _check_count(form, "results", len(function.results), len(given))
    if target.name in SIGNATURES:
        wanted, results_wanted = SIGNATURES[target.name]
        _check_count(form, "arguments", wanted, len(taken))
        _check_count(form, "results", results_wanted, len(given))
    return Call(target.name, taken, given)


def _indirect(
    form: Form,
    b: Builder,
    target: Register,
    rest: list[Operand],
    arguments: tuple[Variable, ...],
    results: tuple[Variable, ...],
) -> IndirectCall:
    if len(rest) != 1 or not isinstance(rest[0], Prototype):
        form.error("expected the label of a .callprototype or .calltargets")
    prototype = rest[0]
    if prototype.params is not None and prototype.results is not None:
        _check_count(form, "arguments", len(prototype.params), len(arguments))
        _check_count(form, "results", len(prototype.results), len(results))
    graph = b.machine.symbols.graph
    sizes = _sizes(arguments), _sizes(results)

    def reaches(address: int) -> Call:
        function = graph.at(address)
        if function is None:
            raise Fault("call", f"expected the address of a function, got {address:#x}")
        if prototype.targets and function.name not in prototype.targets:
            listed = ", ".join(prototype.targets)
            raise Fault("call", f"expected one of {listed}, got {function.name!r}")
        if not function.is_entry and (
            (_sizes(function.params), _sizes(function.results)) == sizes
        ):
            return Call(function.name, arguments, results)
        raise Fault(
            "call",
            f"expected a function with arguments of {sizes[0]} and results of "
            f"{sizes[1]} bytes, got {function.name!r}",
        )

    return IndirectCall(b.stored(target, U64), reaches)


def _sizes(variables: Sequence[Variable]) -> tuple[int, ...]:
    return tuple(variable.size_bytes for variable in variables)


def _check_count(form: Form, what: str, wanted: int, got: int) -> None:
    if wanted != got:
        form.error(f"expected {wanted} {what}, got {got}")


def _variables(form: Form, operands: tuple[Operand, ...]) -> tuple[Variable, ...]:
    """Arguments and results of calls are variables in the param space."""
    variables: list[Variable] = []
    for operand in operands:
        if not isinstance(operand, SymbolAddress):
            form.error("expected .param variables as arguments and results")
        variables.append(operand.variable)
    return tuple(variables)


@CHAPTER.instruction("nanosleep")
def nanosleep(form: Form, b: Builder) -> Compiled:
    """Miscellaneous nanosleep: no time passes here."""
    form.require("u32")
    (time,) = form.operands(1)
    b.src(time, U32)
    return b.no_effect()


@CHAPTER.instruction("trap")
def trap(form: Form, b: Builder) -> Compiled:
    """Miscellaneous trap: ends the kernel with an error."""
    form.operands(0)

    def run(lanes: Lanes) -> None:
        who = b.spaces.name_lane(lanes, 0)
        raise Fault("trap", f"{lanes.count} threads reached it, the first is {who}")

    return b.step(run)


@CHAPTER.instruction("brkpt")
def brkpt(form: Form, b: Builder) -> Compiled:
    """Miscellaneous brkpt: no debugger is attached."""
    form.operands(0)
    return b.no_effect()


@CHAPTER.instruction("pmevent")
def pmevent(form: Form, b: Builder) -> Compiled:
    """Miscellaneous pmevent: no performance monitor is attached."""
    form.flag("mask")
    (event,) = form.operands(1)
    b.integer(event, "a constant event")
    return b.no_effect()


@CHAPTER.instruction("setmaxnreg")
def setmaxnreg(form: Form, b: Builder) -> Compiled:
    """Miscellaneous setmaxnreg: warps give up registers or wait for some."""
    kind = form.choice("inc", "dec")
    form.require("sync", "aligned", "u32")
    (count,) = form.operands(1)
    value = b.integer(count, "a constant number of registers")
    if not 24 <= value <= 256 or value % 8:
        form.error(f"expected a multiple of 8 from 24 to 256, got {value}")
    pool = b.registers
    if kind == "dec":
        step = b.step(lambda lanes: pool.shrink(lanes, value))
        step.convergence = "warp"
        return step
    pool.announce(value)
    return Wait(
        lambda lanes, forced: pool.grow(lanes, value),
        lambda lanes, result: None,
        lambda lanes: pool.words(lanes, value),
        is_aligned=True,
    )


@CHAPTER.instruction("griddepcontrol")
def griddepcontrol(form: Form, b: Builder) -> Compiled:
    """Parallel Synchronization griddepcontrol.

    `wait` lets a thread go on when the preceding grids have ended and what they wrote
    is visible to this grid; who is ordered after that thread may access it, too. Grids
    run one after another here, so nobody waits: an access that is not ordered after a
    wait is a finding (`GlobalShadow`). `launch_dependents` lets dependent grids start
    once every CTA has executed it or ended. No such grid runs here, so it has no
    effect; it makes nothing visible to those either, which have to wait themselves.
    """
    kind = form.choice("launch_dependents", "wait")
    form.operands(0)
    if kind != "wait":
        return b.no_effect()
    machine, clocks = b.machine, b.machine.shadow.clocks

    def run(lanes: Lanes) -> None:
        for cta, warps in machine.agents_by_cta(lanes.numbers):
            if clocks is not None:
                clocks.learn(cta, warps, PRECEDING_GRID, 1)

    return b.step(run)
