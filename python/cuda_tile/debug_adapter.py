# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-debug`: what an editor starts to debug tile kernels.

    cuda-tile-debug               # Debug Adapter Protocol on stdin and stdout
    cuda-tile-debug --port 5678   # the same on a port of this machine

The editor's launch request names the program: a cuTile Python program, or a kernel file
with the words of `cuda-tile-run`. See docs/debugging.md.
"""

from __future__ import annotations

import argparse
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from cuda_tile.cli import run as run_command
from cuda_tile.cli.failure import ArgumentParser, error_text, reports_errors
from cuda_tile.cutile import __main__ as cutile_command
from cuda_tile.debug.dap.framing import Channel
from cuda_tile.debug.dap.front import EditorFront
from cuda_tile.debug.dap.server import Server, accept
from cuda_tile.errors import INTERNAL, CudaTileError, UserError
from cuda_tile.runtime.options import NAMES

CHOICES = ("on", "gpu", "grid", "kernel", *NAMES)
"""Entries of a launch configuration that are options of the commands."""

GOODBYE_SECONDS = 10
"""How long an editor may take to leave after the program's end."""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = ArgumentParser(
        prog="cuda-tile-debug",
        description="Debugs tile kernels from an editor (Debug Adapter Protocol).",
    )
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="wait for the editor on this port of this machine instead of stdin; 0 is "
        "any port that is free",
    )
    return parser


def own_streams() -> Channel:
    """The process's streams for the protocol alone.

    What the program writes to its stdout goes elsewhere: it would break the protocol.
    """
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    return Channel(source, sink)


def forward_output(channel: Channel) -> threading.Thread:
    """Sends what the process writes to stdout from now on to the editor."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    os.dup2(writer, 1)
    os.close(writer)

    def forward() -> None:
        with os.fdopen(reader, "r", errors="replace", newline="") as lines:
            for line in lines:
                channel.event("output", category="stdout", output=line)

    thread = threading.Thread(target=forward, daemon=True)
    thread.start()
    return thread


def command_line(arguments: Mapping[str, Any]) -> list[str]:
    """The words of a command for a launch configuration, its program first.

    Raises:
        UserError: There is no program.
    """
    program = arguments.get("program")
    if not isinstance(program, str):
        raise UserError("expected 'program' in the launch configuration, got none")
    options = [
        f"--{name}" if value is True else f"--{name}={_word(value)}"
        for name in CHOICES
        if (value := arguments.get(name)) is not None and value is not False
    ]
    rest = [str(word) for word in cast(list[Any], arguments.get("args") or [])]
    return [*options, program, *rest]


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, cast(list[Any], value)))
    return str(value)


def prepare(arguments: Mapping[str, Any], front: EditorFront) -> Callable[[], int]:
    """The function that runs what a launch configuration names; gives the exit code.

    Raises:
        UserError: The configuration does not fit.
    """
    if folder := arguments.get("cwd"):
        try:
            os.chdir(str(folder))
        except OSError as error:
            raise UserError(f"cannot enter 'cwd' {folder}: {error}") from None
    words = command_line(arguments)
    if Path(str(arguments["program"])).suffix == ".py":
        parsed = cutile_command.build_parser().parse_args(words)
        program = cutile_command.prepare(parsed, front)
        return lambda: cutile_command.run(program)
    parsed = run_command.build_parser().parse_intermixed_args(words)
    request = run_command.read_request(parsed, front)
    return lambda: _run_file(request)


def _run_file(request: run_command.Request) -> int:
    try:
        run_command.run_file(request)
    except CudaTileError as error:
        print(error_text(error), file=sys.stderr)
        return 1
    return 0


def serve(channel: Channel) -> int:
    """Runs the program that the editor names; gives its exit code."""
    wanted: queue.Queue[Mapping[str, Any]] = queue.Queue()
    front = EditorFront(channel)
    has_ended = threading.Event()
    server = Server(front, wanted.put, lambda: has_ended.is_set() or os._exit(0))
    server.start()
    output = forward_output(channel)
    arguments = wanted.get()
    front.is_configured.wait()
    try:
        code = prepare(arguments, front)()
    except UserError as error:
        channel.event("output", category="stderr", output=f"{error_text(error)}\n")
        code = 1
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except Exception:  # of ours: the editor shows it, and ends
        channel.event("output", category="stderr", output=traceback.format_exc())
        code = INTERNAL
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # ends the pipe
    output.join(timeout=5)
    has_ended.set()
    channel.event("exited", exitCode=code)
    channel.event("terminated")
    server.wait(GOODBYE_SECONDS)
    return code


@reports_errors
def main() -> int:
    """Runs the command on the process's arguments and returns its exit code."""
    words = build_parser().parse_args()
    channel = own_streams() if words.port is None else accept(words.port)
    return serve(channel)


if __name__ == "__main__":
    sys.exit(main())
