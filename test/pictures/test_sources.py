# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the source on a page comes from, and when it is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

import cuda_tile
from cuda_tile.pictures.sources import sources

SOURCE = "def scale(x):\n    return x * 2\n"
KERNEL = """
cuda_tile.module @kernels {
  entry @scale(%x: tile<i32>) {
    %0 = addi %x, %x : tile<i32> loc("src/scale.py":2:11)
    return
  }
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A kernel in a folder of a project, whose source is named from the root of it."""
    (tmp_path / "src").mkdir()
    (tmp_path / "build" / "kernels").mkdir(parents=True)
    path = tmp_path / "build" / "kernels" / "scale.mlir"
    path.write_text(KERNEL)
    return path


def listing(kernel: Path) -> tuple[list[str], str]:
    """The lines shown of the source, and what a reader is told of it."""
    found = sources(cuda_tile.load(kernel), kernel.parent)
    (one,) = (each for each in found if each.title == "scale.py")
    return list(one.lines), one.note


def test_a_source_is_found_from_a_folder_above(kernel: Path, tmp_path: Path) -> None:
    (tmp_path / "src" / "scale.py").write_text(SOURCE)
    assert listing(kernel) == (["def scale(x):", "    return x * 2"], "")


def test_a_source_that_is_nowhere_leaves_numbers(kernel: Path) -> None:
    lines, note = listing(kernel)
    assert lines == ["line 2"]
    assert "is not on this machine" in note


@pytest.mark.parametrize("changed", ["x = 1\n\n", "x = 1\ny = 2\n", "x = 1\n"])
def test_a_source_that_changed_since_is_left_out(
    kernel: Path, tmp_path: Path, changed: str
) -> None:
    (tmp_path / "src" / "scale.py").write_text(changed)
    lines, note = listing(kernel)
    assert lines == ["line 2"]
    assert "is another version here than the kernel was made from" in note


def test_of_two_sources_the_one_that_fits_is_shown(
    kernel: Path, tmp_path: Path
) -> None:
    (kernel.parent / "scale.py").write_text("\n\n")
    (tmp_path / "src" / "scale.py").write_text(SOURCE)
    assert listing(kernel)[0][1] == "    return x * 2"
