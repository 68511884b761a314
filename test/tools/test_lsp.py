# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-lsp-server`, asked as an editor asks it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from cuda_tile.cli.lsp import as_markdown, read_message, write_message

URI = "file:///kernel.mlir"
KERNEL = """\
cuda_tile.module @kernels {
  entry @add(%p: tile<ptr<f32>>) {
    %x = constant <f32: 1.0> : tile<4xf32>
    %y = addf %x, %x : tile<4xf32>
    return
  }
}
"""


class Editor:
    """A client of the language server: requests, and what the server says."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "cuda_tile.cli.lsp", *arguments]
        self.server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.ask("initialize", processId=None, rootUri=None, capabilities={})

    def send(self, **message: Any) -> None:
        """Writes one message."""
        assert self.server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        write_message(self.server.stdin, body)

    def read(self) -> dict[str, Any]:
        """The server's next message."""
        assert self.server.stdout is not None
        body = read_message(self.server.stdout)
        assert body is not None, "the server ended"
        return json.loads(body)

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        self.send(id=1, method=method, params=params)
        return self.read()["result"]

    def open(self, text: str) -> list[dict[str, Any]]:
        """Opens a document; the diagnostics that the server publishes of it."""
        document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
        params = {"textDocument": document}
        self.send(method="textDocument/didOpen", params=params)
        return self.read()["params"]["diagnostics"]

    def at(self, method: str, line: int, character: int) -> Any:
        """The result of a request about a place of the document."""
        place = {"line": line, "character": character}
        return self.ask(method, textDocument={"uri": URI}, position=place)

    def close(self) -> int:
        """Says goodbye; the server's exit code."""
        self.ask("shutdown")
        self.send(method="exit")
        return self.server.wait(10)


@pytest.fixture
def editor() -> Iterator[Editor]:
    """An editor whose server ends well."""
    client = Editor()
    yield client
    assert client.close() == 0


def test_an_op_shows_its_documentation(editor: Editor) -> None:
    """Name, generic form, and the description of the ODS."""
    assert editor.open(KERNEL) == []
    said = editor.at("textDocument/hover", 3, 10)["contents"]["value"]
    assert said.startswith('"cuda_tile.addf"')
    assert "The exact sum of each pair of elements, rounded once." in said
    assert "\n- (C1) `rounding_mode` is nearest_even" in said


def test_a_value_leads_to_its_definition(editor: Editor) -> None:
    """The operand of line 4 is defined in line 3, counted from 1."""
    editor.open(KERNEL)
    (place,) = editor.at("textDocument/definition", 3, 16)
    assert place["uri"] == URI
    assert place["range"]["start"] == {"line": 2, "character": 4}


def test_a_broken_file_shows_the_verifiers_message(editor: Editor) -> None:
    """At the op's line."""
    (found,) = editor.open(KERNEL.replace("%y = addf %x, %x", "%y = negi %x"))
    assert found["range"]["start"]["line"] == 3
    assert "negi" in found["message"]


def test_text_that_does_not_parse(editor: Editor) -> None:
    """The parser's message, at its place."""
    (found,) = editor.open(KERNEL.replace("return", "leave"))
    assert found["range"]["start"]["line"] == 4


def test_tileas_is_known_too(editor: Editor) -> None:
    """Ops of the warp level have the same help."""
    text = KERNEL.replace("return", "tileas.barrier\n    return")
    assert editor.open(text) == []
    said = editor.at("textDocument/hover", 4, 8)["contents"]["value"]
    assert said.startswith('"tileas.barrier"')
    assert len(said.splitlines()) > 6


def test_constraints_become_a_list() -> None:
    """Lines that go on keep their indentation, so that they stay in the item."""
    text = "The sum.\n    (C1) a\n         b\n    (C2) c\n"
    assert as_markdown(text) == "The sum.\n- (C1) a\n     b\n- (C2) c"
