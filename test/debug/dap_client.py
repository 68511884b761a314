# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scripted editor: speaks the Debug Adapter Protocol with a debugger process.

It has its own framing, so that a fault of ours does not hide on both sides.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"
PATIENCE = 60
"""Seconds that an answer may take on a busy machine."""

Message = dict[str, Any]


def environment() -> dict[str, str]:
    """cuTile's own cache would keep kernels from run to run."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"CUDA_TILE_CACHE_DIR": "off", "PATH": path}


class Client:
    """Sends requests, and keeps events until somebody asks for them."""

    def __init__(self, source: Any, sink: Any) -> None:
        self._source, self._sink = source, sink
        self._seq = 0
        self._answers: queue.Queue[Message] = queue.Queue()
        self._events: queue.Queue[Message] = queue.Queue()
        self.output: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while header := self._source.readline():
            length = int(header.split(b":")[1])
            assert self._source.readline() == b"\r\n"
            message = json.loads(self._source.read(length))
            if message["type"] == "response":
                self._answers.put(message)
            elif message["event"] == "output":
                self.output.append(message["body"]["output"])
            else:
                self._events.put(message)

    def send(self, raw: bytes) -> None:
        """Writes bytes as they are."""
        self._sink.write(raw)
        self._sink.flush()

    def ask(self, command: str, **arguments: Any) -> Message:
        """The whole answer to a request."""
        self._seq += 1
        message = {
            "seq": self._seq,
            "type": "request",
            "command": command,
            "arguments": arguments,
        }
        body = json.dumps(message).encode()
        self.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        answer = self._answers.get(timeout=PATIENCE)
        assert answer["request_seq"] == self._seq
        return answer

    def request(self, command: str, **arguments: Any) -> Message:
        """The body of an answer, which must be a success."""
        answer = self.ask(command, **arguments)
        assert answer["success"], answer
        return answer["body"]

    def event(self, name: str) -> Message:
        """The body of the next event of a name; others before it are dropped."""
        while True:
            found = self._events.get(timeout=PATIENCE)
            if found["event"] == name:
                return found["body"]

    # What an editor does again and again

    def begin(self, kind: str, lines: dict[str, list[Any]], **config: Any) -> Message:
        """Initialises, starts and sets breakpoints; gives the capabilities."""
        able = self.request("initialize", adapterID="cuda-tile")
        self.event("initialized")
        self.request(kind, **config)
        for file, points in lines.items():
            self.set_breakpoints(file, *points)
        self.request("configurationDone")
        return able

    def set_breakpoints(self, file: str, *points: int | Message) -> list[Message]:
        """Sets the breakpoints of a file."""
        wanted = [{"line": p} if isinstance(p, int) else p for p in points]
        body = self.request("setBreakpoints", source={"path": file}, breakpoints=wanted)
        return body["breakpoints"]

    def stop(self) -> tuple[str, int, int]:
        """Waits for a stop: its reason, line and thread."""
        body = self.event("stopped")
        return body["reason"], self.line(body["threadId"]), body["threadId"]

    def line(self, thread: int) -> int:
        """The line at which a thread stands, 0 for none."""
        frames = self.request("stackTrace", threadId=thread)["stackFrames"]
        return frames[0]["line"] if frames else 0

    def go(self, command: str, thread: int = 1, **more: Any) -> tuple[str, int, int]:
        """Goes on and waits for the stop."""
        self.request(command, threadId=thread, **more)
        return self.stop()

    def value(self, text: str) -> str:
        """The value of an expression at the last stop."""
        return self.request("evaluate", expression=text, context="watch")["result"]

    def variables(self, scope: str, thread: int = 1) -> dict[str, Message]:
        """The variables of a scope, by name."""
        frames = self.request("stackTrace", threadId=thread)["stackFrames"]
        scopes = self.request("scopes", frameId=frames[0]["id"])["scopes"]
        (number,) = [s["variablesReference"] for s in scopes if s["name"] == scope]
        found = self.request("variables", variablesReference=number)["variables"]
        return {each["name"]: each for each in found}

    def command(self, text: str) -> str:
        """What a command of the console says."""
        return self.request("evaluate", expression=text, context="repl")["result"]


class Debugger(Client):
    """`cuda-tile-debug` as a process, on its standard streams."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cuda_tile.debug_adapter"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=environment(),
        )
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        super().__init__(self.process.stdout, self.process.stdin)

    def end(self) -> int:
        """Waits for the end of the program and gives its exit code."""
        code = self.event("exited")["exitCode"]
        self.event("terminated")
        self.request("disconnect")
        assert self.process.wait(timeout=PATIENCE) == code
        return code

    def __enter__(self) -> Debugger:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
