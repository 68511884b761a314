# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/notebook.md in a real notebook: each cell shows what the page says."""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

import cuda_tile

PAGE = Path(__file__).parents[2] / "docs" / "notebook.md"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: Any) -> list[list[dict[str, Any]]]:
    """What each cell put out, after Jupyter's kernel ran them all."""
    nbformat = pytest.importorskip("nbformat", reason="needs pip install nbclient")
    nbclient = pytest.importorskip("nbclient", reason="needs pip install nbclient")
    pytest.importorskip("ipykernel", reason="needs pip install ipykernel")
    text = PAGE.read_text()
    sources = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )
    folder = tmp_path_factory.mktemp("notebook")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=os.environ | {"PATH": path})
    assert (folder / "add.html").stat().st_size > 10_000
    return [cell.outputs for cell in notebook.cells]


def html_of(outputs: list[dict[str, Any]]) -> str:
    """The last output of a cell, as a notebook shows it."""
    assert outputs, "the cell shows nothing"
    return outputs[-1]["data"]["text/html"]


def test_a_module_is_its_text_in_colours(outputs: Any) -> None:
    shown = html_of(outputs[0])
    assert shown.startswith("<pre")
    assert '<span style="color:#a05fd0">' in shown
    assert "load_ptr_tko" in shown


def test_runs_show_numbers_and_counts(outputs: Any) -> None:
    assert "array([1., 2., 3., 4.]" in outputs[1][-1]["data"]["text/plain"]
    row = r"32-byte sectors of global memory</th><td[^>]*>(\d+)</td>"
    found = re.search(row, html_of(outputs[2]))
    assert found
    # A warp's 128 bytes are four sectors, or five where NumPy began within one.
    assert 375 <= int(found[1]) <= 3 * 32 * 5


def test_a_compilation_shows_resources_and_steps(outputs: Any) -> None:
    shown = html_of(outputs[3])
    for word in ("@add for sm_90", "registers per thread", "ptxas", "<summary>PTX"):
        assert word in shown


def test_layouts_are_pictures_of_their_elements(outputs: Any) -> None:
    for shown in map(html_of, outputs[4:6]):
        assert shown.startswith("<svg")
    assert ">t31</text>" in html_of(outputs[4])
    assert "32 banks of 4 bytes" in html_of(outputs[5])


def test_the_page_of_a_compilation_is_embedded(outputs: Any) -> None:
    assert 'src="add.html"' in html_of(outputs[6])


def test_a_fault_is_a_line_of_the_users_and_the_message(tmp_path: Path) -> None:
    """Of the package's own frames, a dozen, nothing is printed."""
    program = tmp_path / "cell.py"
    program.write_text("import cuda_tile\ncuda_tile.show(3)\n")
    with pytest.raises(cuda_tile.UserError) as caught:
        runpy.run_path(str(program))
    error = caught.value
    shown = error._render_traceback_()[-2:]  # above them are runpy's own frames
    assert shown[0].endswith("line 2, in <module>\n    cuda_tile.show(3)")
    assert shown[1] == f"UserError: {error}"
