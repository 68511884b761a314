# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-lsp-server`: MLIR's language server with our dialects, for editors.

MLIR's server gives diagnostics, definitions, references and completion on stdin and
stdout. What it says of an op under the cursor is the op's name and generic form; this
program adds the description from the ODS to that answer on its way out.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from textwrap import dedent
from typing import IO, Any

from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.cli.failure import end_at_closed_pipe, expect_words, reports_errors
from cuda_tile.cli.versions import version_line
from cuda_tile.ods import ops

HELP = """\
cuda-tile-lsp-server: tells an editor about kernels in MLIR text. Errors while you type,
the documentation of the op under the cursor, where a value is defined and used.

The editor starts it and talks to it on stdin and stdout, in the Language Server
Protocol; the settings for VS Code, Neovim and Emacs are in docs/editors.md.

  --log=LEVEL  what to write to stderr: error (default), info or verbose
  --version    print versions

All options that MLIR's language server has:
"""
_HOVERED_OP = re.compile(r'"(?:cuda_tile\.|(?=tileas\.))([\w.]+)"\n')


def read_message(stream: IO[bytes]) -> bytes | None:
    """The body of the next message, or None at the end of the stream.

    The frame is that of the Language Server Protocol: header lines, of which
    `Content-Length` counts the bytes of the body, and an empty line before it.
    """
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return stream.read(length) if length else None


def write_message(stream: IO[bytes], body: bytes) -> None:
    """Writes one message with its header."""
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stream.flush()


def with_description(body: bytes) -> bytes:
    """The message; to what is said of an op its description is added."""
    if b'"contents":{"kind":"markdown"' not in body.replace(b" ", b""):
        return body
    message: dict[str, Any] = json.loads(body)
    result: dict[str, Any] = message.get("result") or {}
    contents: dict[str, str] = result["contents"]
    hovered = _HOVERED_OP.match(contents["value"])
    if hovered is None or hovered[1] not in ops():
        return body
    contents["value"] += f"\n{as_markdown(ops()[hovered[1]].description)}\n"
    return json.dumps(message).encode()


def as_markdown(description: str) -> str:
    """A description of the ODS with its constraints, (C1) and so on, as a list."""
    first, _, rest = description.strip().partition("\n")
    return re.sub(r"^(\(C\d+\))", r"- \1", f"{first}\n{dedent(rest)}", flags=re.M)


def _forward(source: IO[bytes], sink: IO[bytes]) -> None:
    """Copies the server's messages to the client until the server ends."""
    while (body := read_message(source)) is not None:
        write_message(sink, with_description(body))


@reports_errors
def main() -> int:
    """Serves one editor on stdin and stdout; arguments are mlir-lsp-server's."""
    if "--version" in sys.argv[1:]:
        print(version_line("cuda-tile-lsp-server"))
        return 0
    end_at_closed_pipe()
    arguments = sys.argv[1:]
    expect_words(arguments, "an editor on stdin, which starts this server")
    if {"--help", "-help", "-h"} & set(arguments):
        print(HELP, flush=True)
        return _cuda_tile.lsp_main(["cuda-tile-lsp-server", "--help"])
    readable, writable = os.pipe()
    client = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(writable, sys.stdout.fileno())
    os.close(writable)
    with os.fdopen(readable, "rb") as source, client:
        forwarding = threading.Thread(target=_forward, args=(source, client))
        forwarding.start()
        if not any(word.lstrip("-").startswith("log") for word in arguments):
            arguments.append("--log=error")
        code = _cuda_tile.lsp_main(["cuda-tile-lsp-server", *arguments])
        # Closes the only end that is written to, which ends the thread.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        forwarding.join()
    return code


if __name__ == "__main__":
    sys.exit(main())
