# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The child process of libtile: compiles what comes over the socket on standard input.

`libtile/libtile.c` is the other side and says what a call and an answer look like. It
ends when the socket is closed.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import cuda_tile
from cuda_tile.cli.failure import internal_error_text
from cuda_tile.codegen.versions import versions
from cuda_tile.errors import (
    INTERNAL,
    CudaTileError,
    InternalError,
    Unsupported,
    UserError,
)

_NUMBER = struct.Struct("=Q")


class Answer(NamedTuple):
    """What libtile makes a result of."""

    message: str = ""
    place: str = ""
    data: bytes = b""
    launch: str = ""
    status: int = 0


def version() -> Answer:
    """The versions of all that makes a cubin."""
    return Answer(data=json.dumps(versions()).encode())


def check(kernel: bytes, name: bytes) -> Answer:
    """Whether a kernel can be read."""
    del name
    cuda_tile.load(kernel)
    return Answer()


def disassemble(kernel: bytes, name: bytes) -> Answer:
    """A kernel as text."""
    del name
    return Answer(data=str(cuda_tile.load(kernel)).encode())


def compile(  # noqa: A001  (the name of the call)
    kernel: bytes, name: bytes, gpu: bytes, options: bytes
) -> Answer:
    """A kernel as cubin or PTX, with its launch records."""
    del name
    choices = _choices(options)
    form = choices.pop("emit", "cubin")
    if form not in ("cubin", "ptx"):
        raise UserError(f"expected emit of cubin or ptx, got {form!r}")
    try:
        chosen = cuda_tile.Options(gpu=gpu.decode(errors="replace") or None, **choices)
    except TypeError as error:
        raise UserError(f"expected fields of cuda_tile.Options: {error}") from None
    made = cuda_tile.compile(
        cuda_tile.load(kernel), options=chosen, cubin=form == "cubin"
    )
    data = made.cubin if form == "cubin" else made.ptx.encode()
    warnings = "\n".join(made.report.warnings)
    return Answer(warnings, data=data, launch=made.report.launch_json())


def _choices(options: bytes) -> dict[str, Any]:
    if not options:
        return {}
    try:
        choices: object = json.loads(options)
    except ValueError as error:
        raise UserError(f"expected options as a JSON object: {error}") from None
    if not isinstance(choices, dict):
        raise UserError(f"expected options as a JSON object, got {options!r:.80}")
    return cast(dict[str, Any], choices)


CALLS: dict[bytes, Callable[..., Answer]] = {
    b"version": version,
    b"check": check,
    b"disassemble": disassemble,
    b"compile": compile,
}


def answer(fields: list[bytes]) -> Answer:
    """The answer to a call; what fails is one too."""
    try:
        return CALLS[fields[0]](*fields[1:])
    except InternalError as error:
        return Answer(internal_error_text(error), status=INTERNAL)
    except CudaTileError as error:
        place, message = _place_and_message(error)
        name = fields[2].decode(errors="replace") if len(fields) > 2 else ""
        place, message = (_named(text, name) for text in (place, message))
        return Answer(message, place, status=1 + isinstance(error, Unsupported))
    except Exception as error:
        return Answer(internal_error_text(error), status=INTERNAL)


def _place_and_message(error: CudaTileError) -> tuple[str, str]:
    """The first place, and the text with what follows of other places."""
    if error.location is not None:
        return error.location, error.message
    place, parted, said = error.message.partition(": error: ")
    return (place, said) if parted and "\n" not in place else ("", error.message)


_UNNAMED = re.compile(r"^(?:-|<bytes>)(?=:|$)", re.MULTILINE)
"""What places call a kernel that came as bytes."""


def _named(text: str, name: str) -> str:
    return _UNNAMED.sub(lambda found: name or found[0], text)


def serve(caller: socket.socket) -> None:
    """Says that it is ready, and answers calls until the caller has gone."""
    with caller.makefile("rwb") as stream:
        stream.write(_NUMBER.pack(1))
        stream.flush()
        while head := stream.read(_NUMBER.size):
            fields = [_field(stream) for _ in range(_NUMBER.unpack(head)[0])]
            found = answer(fields)
            stream.write(_NUMBER.pack(found.status))
            for field in found[:-1]:
                data = field if isinstance(field, bytes) else str(field).encode()
                stream.write(_NUMBER.pack(len(data)) + data)
            stream.flush()


def _field(stream: Any) -> bytes:
    return stream.read(_NUMBER.unpack(stream.read(_NUMBER.size))[0])


def main() -> int:
    """Serves the socket on standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller decides when to end
    serve(socket.socket(fileno=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
