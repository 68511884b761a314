# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The requests of the protocol, each with the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cuda_tile.debug.breakpoints import check_hit_condition
from cuda_tile.debug.controls import Controls
from cuda_tile.debug.dap import console
from cuda_tile.debug.dap.front import FILTERS, EditorFront
from cuda_tile.debug.expression import evaluate
from cuda_tile.debug.target import FAULT, Frame

Arguments = dict[str, Any]
Body = dict[str, Any]
Handler = Callable[[EditorFront, Arguments], "Body | None"]

FRAME_THREADS = 1 << 16
"""A frame's number is `thread * FRAME_THREADS + place`."""

HANDLERS: dict[str, Handler] = {}
"""By command."""


def handles(*commands: str) -> Callable[[Handler], Handler]:
    """Registers the function that answers a request."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(commands, handler))
        return handler

    return register


@handles("initialize")
def initialize(front: EditorFront, arguments: Arguments) -> Body:
    """What this debugger can do."""
    names = (
        *("ConfigurationDoneRequest", "ConditionalBreakpoints", "LogPoints"),
        *("HitConditionalBreakpoints", "EvaluateForHovers", "StepBack"),
        *("SteppingGranularity", "CompletionsRequest", "ExceptionInfoRequest"),
        *("TerminateRequest", "RestartFrame"),
    )
    filters = [
        {"filter": name, "label": label, "default": name == FAULT}
        for name, label in FILTERS.items()
    ]
    supported = {f"supports{name}": True for name in names}
    return {**supported, "exceptionBreakpointFilters": filters}


@handles("setBreakpoints")
def set_breakpoints(front: EditorFront, arguments: Arguments) -> Body:
    """Replaces the breakpoints of a file."""
    source: Arguments = arguments.get("source") or {}
    file = str(source.get("path") or source.get("name") or "")
    points: list[Arguments] = arguments.get("breakpoints") or []
    for each in points:  # before any of the old ones goes
        check_hit_condition(each.get("hitCondition") or "")
    front.breakpoints.remove(lambda each: each.file == file)
    made = [
        front.breakpoints.add(
            file,
            int(each["line"]),
            condition=each.get("condition") or "",
            hit_condition=each.get("hitCondition") or "",
            message=each.get("logMessage") or "",
        )
        for each in points
    ]
    return {"breakpoints": [front.breakpoint_body(each) for each in made]}


@handles("setExceptionBreakpoints")
def set_exception_breakpoints(front: EditorFront, arguments: Arguments) -> Body:
    """Chooses at what to stop besides."""
    wanted = set(arguments.get("filters") or [])
    front.filters = wanted & set(FILTERS)
    front.breakpoints.is_nan_caught = "nan" in wanted
    return {}


@handles("configurationDone")
def configuration_done(front: EditorFront, arguments: Arguments) -> None:
    """The breakpoints are there: launches may begin."""
    front.is_configured.set()


@handles("attach")
def attach(front: EditorFront, arguments: Arguments) -> None:
    """The program runs already, and waits."""
    front.stops_on_entry = bool(arguments.get("stopOnEntry"))


@handles("threads")
def threads(front: EditorFront, arguments: Arguments) -> Body:
    """The tile blocks or warps."""
    if front.target is None or front.last is None:
        return {"threads": [{"id": 1, "name": "program"}]}
    found = [
        {"id": each.number, "name": f"{each.name}: {each.state}"}
        for each in front.target.threads()
    ]
    return {"threads": found or [{"id": front.last.thread, "name": "ended"}]}


@handles("stackTrace")
def stack_trace(front: EditorFront, arguments: Arguments) -> Body:
    """The functions that a thread is in."""
    thread = int(arguments["threadId"])
    frames = front.live.frames(thread)
    start = int(arguments.get("startFrame") or 0)
    count = int(arguments.get("levels") or 0) or len(frames)
    shown = list(enumerate(frames))[start : start + count]
    bodies = [_frame_body(front, thread, place, frame) for place, frame in shown]
    return {"stackFrames": bodies, "totalFrames": len(frames)}


def _frame_body(front: EditorFront, thread: int, place: int, frame: Frame) -> Body:
    body: Body = {
        "id": thread * FRAME_THREADS + place,
        "name": frame.name,
        "line": frame.place.line if frame.place else 0,
        "column": 1,
    }
    if frame.place is not None:
        path = front.live.sources.path(frame.place.file)
        body["source"] = {"name": Path(frame.place.file).name, "path": str(path or "")}
    return body


def _thread_and_frame(front: EditorFront, arguments: Arguments) -> tuple[int, int]:
    assert front.last is not None, "live has looked"
    number = arguments.get("frameId")
    if number is None:
        return front.last.thread, 0
    return divmod(int(number), FRAME_THREADS)


@handles("scopes")
def scopes(front: EditorFront, arguments: Arguments) -> Body:
    """The groups of values in a function."""
    groups = front.live.scopes(*_thread_and_frame(front, arguments))
    return {
        "scopes": [
            {
                "name": name,
                "variablesReference": front.references.group(values),
                "namedVariables": len(values),
                "expensive": False,
            }
            for name, values in groups.items()
        ]
    }


@handles("variables")
def variables(front: EditorFront, arguments: Arguments) -> Body:
    """What is in a group or an array."""
    assert front.live is not None, "which raises"
    return {"variables": front.references.children(arguments)}


@handles("evaluate")
def evaluate_text(front: EditorFront, arguments: Arguments) -> Body:
    """The value of an expression; in the console also commands."""
    target = front.live
    text = str(arguments.get("expression") or "")
    thread, frame = _thread_and_frame(front, arguments)
    if arguments.get("context") == "repl":
        said = console.run(front, thread, text)
        if said is not None:
            return {"result": said, "variablesReference": 0}
    return front.references.result(evaluate(text, target.names(thread, frame)))


@handles("completions")
def completions(front: EditorFront, arguments: Arguments) -> Body:
    """Commands and values that begin as the text does."""
    text = str(arguments.get("text") or "")
    words = [*console.COMMANDS, *front.live.names(*_thread_and_frame(front, arguments))]
    last = text.split(" ")[-1]
    return {"targets": [{"label": word} for word in words if word.startswith(last)]}


@handles("exceptionInfo")
def exception_info(front: EditorFront, arguments: Arguments) -> Body:
    """The fault at which the launch stands."""
    assert front.live is not None, "which raises"
    assert front.last is not None, "live has looked"
    return {
        "exceptionId": front.last.reason,
        "description": front.last.text,
        "breakMode": "always",
    }


@handles("continue")
def continue_(front: EditorFront, arguments: Arguments) -> Body:
    """Goes on to the next breakpoint; after the launch's end, with the program."""
    front.go(_controls(front).go_on())
    return {"allThreadsContinued": True}


def _controls(front: EditorFront) -> Controls:
    """For the thread that stopped last."""
    return front.controls(front.live.thread)


def _is_op(arguments: Arguments) -> bool:
    return arguments.get("granularity") == "instruction"


def _step(kind: str) -> Handler:
    def step(front: EditorFront, arguments: Arguments) -> None:
        controls = front.controls(int(arguments["threadId"]))
        front.go(controls.step("op" if _is_op(arguments) else kind))

    return step


for _command, _kind in (("next", "over"), ("stepIn", "into"), ("stepOut", "out")):
    handles(_command)(_step(_kind))


@handles("stepBack")
def step_back(front: EditorFront, arguments: Arguments) -> None:
    """Goes back by a line or an op."""
    front.go(_controls(front).back("op" if _is_op(arguments) else "over"))


@handles("reverseContinue")
def reverse_continue(front: EditorFront, arguments: Arguments) -> None:
    """Goes back to a breakpoint, or to the beginning."""
    front.go(_controls(front).back("breakpoint"))


@handles("restartFrame")
def restart_frame(front: EditorFront, arguments: Arguments) -> None:
    """Goes back to the beginning of the launch."""
    front.go(_controls(front).back("start"))


@handles("pause")
def pause(front: EditorFront, arguments: Arguments) -> None:
    """Stops at the next op."""
    front.pause()
