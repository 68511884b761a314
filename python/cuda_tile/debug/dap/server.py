# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers an editor's requests, on a port or on any two streams."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable

from cuda_tile.debug.dap.framing import Channel, Request
from cuda_tile.debug.dap.front import EditorFront
from cuda_tile.debug.dap.requests import HANDLERS, Arguments
from cuda_tile.errors import CudaTileError, UserError

LEAVING = ("disconnect", "terminate")
"""Requests that end the session."""


class Server:
    """Answers requests in a thread of its own.

    Args:
        front: The front end whose editor asks.
        launch: Takes the arguments of a `launch` request; None where the program runs
            already and the editor attaches.
        leave: Called once the editor has gone.
    """

    def __init__(
        self,
        front: EditorFront,
        launch: Callable[[Arguments], None] | None = None,
        leave: Callable[[], object] | None = None,
    ) -> None:
        self.front = front
        self._launch = launch
        self._leave = leave or front.detach
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> None:
        """Begins to answer."""
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Waits until the editor has gone, or some seconds have passed."""
        self._thread.join(seconds)

    def _serve(self) -> None:
        channel = self.front.channel
        try:
            for request in channel.requests():
                self._answer(request)
                if request.command in LEAVING:
                    break
        except UserError as error:
            print(f"cuda-tile debugger: {error}", file=sys.stderr)
        finally:
            self._leave()

    def _answer(self, request: Request) -> None:
        channel = self.front.channel
        try:
            channel.answer(request, self._body(request))
        except Exception as error:  # of what an editor sends: it gets an answer
            said = str(error) if isinstance(error, CudaTileError) else repr(error)
            channel.refuse(request, f"{request.command}: {said}")
            return
        if request.command == "initialize":
            channel.event("initialized")

    def _body(self, request: Request) -> Arguments | None:
        if request.command in LEAVING:
            return None
        if request.command == "launch":
            return self._begin(request.arguments)
        if request.command == "attach" and self._launch is not None:
            raise UserError("expected 'launch': no program runs yet")
        handler = HANDLERS.get(request.command)
        if handler is None:
            raise UserError("expected a request that this debugger knows")
        return handler(self.front, request.arguments)

    def _begin(self, arguments: Arguments) -> None:
        if self._launch is None:
            raise UserError("expected 'attach': the program runs already")
        self.front.stops_on_entry = bool(arguments.get("stopOnEntry"))
        self._launch(arguments)


def accept(port: int) -> Channel:
    """Waits for an editor on a port of this machine alone.

    Args:
        port: The port; 0 for any that is free, which is then said.

    Raises:
        UserError: The port is taken.
    """
    try:
        listener = socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise UserError(f"cannot listen on port {port}: {error}") from None
    with listener:
        got = listener.getsockname()[1]
        print(f"waiting for an editor on port {got}", file=sys.stderr, flush=True)
        connection, _ = listener.accept()
    stream = connection.makefile("rwb")
    return Channel(stream, stream)


def listen(port: int) -> EditorFront:
    """Waits for an editor that attaches, and answers it from then on.

    Raises:
        UserError: The port is taken.
    """
    front = EditorFront(accept(port), echo=_print)
    Server(front).start()
    return front


def _print(text: str) -> None:
    print(text, end="", flush=True)
