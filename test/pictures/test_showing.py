# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda_tile.show`, and what notebooks show of values."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import UserError
from cuda_tile.ir.tiles import is_distributed, tile_of
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout, bank_conflicts
from cuda_tile.layout.swizzle import row_major
from cuda_tile.pictures.bank_picture import find_access
from cuda_tile.pictures.changes import compare
from cuda_tile.pictures.iterations_picture import Ring, schedule
from cuda_tile.pictures.layout_picture import owners
from cuda_tile.pictures.measured import RingEvent
from cuda_tile.targets import find_target

VADD = Path(__file__).parents[1] / "kernels" / "13.4" / "vadd_f32_1024.tileirbc"
LANES = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
ATOM = LinearLayout((16, 8), ((0, 1), (8, 0)), LANES)
"""The result of mma.sync.m16n8k16, one warp."""
COPIES = LinearLayout((8, 8), ((0, 1),), LANES, ((0, 0),), ((0, 4),))


@pytest.fixture(scope="module")
def module() -> Any:
    return cuda_tile.load(VADD)


@pytest.fixture(scope="module")
def compiled(module: Any) -> cuda_tile.Compiled:
    return cuda_tile.compile(module, "sm_90")


@pytest.mark.parametrize("layout", [ATOM, COPIES])
def test_owners_are_the_layouts(layout: LinearLayout) -> None:
    held = owners(layout)
    rows, columns = layout.shape
    for row in range(rows):
        for column in range(columns):
            found = tuple(
                int(part[row, column])
                for part in (held.register, held.lane, held.warp, held.block)
            )
            assert found == layout.owner((row, column))


def test_a_layout_is_a_picture_with_a_cell_for_each_element() -> None:
    picture = cuda_tile.show(ATOM)
    tree = ElementTree.fromstring(picture.html)
    cells = {
        cell.get("data-element"): cell.get("data-place")
        for cell in tree.iter("{http://www.w3.org/2000/svg}g")
        if cell.get("class") == "cell"
    }
    assert len(cells) == 128
    for element, place in cells.items():
        assert element is not None
        assert place is not None
        coord = tuple(map(int, element.split(",")))
        assert tuple(map(int, place.split(","))) == ATOM.owner(coord)
    assert ATOM._repr_html_() == picture.html


@pytest.mark.parametrize("shape", [(1024,), (2, 4, 64), (1, 1), (256, 2)])
def test_tiles_of_any_shape_have_a_picture(shape: tuple[int, ...]) -> None:
    layout = LinearLayout.replicated(shape, n_warps=4)
    tree = ElementTree.fromstring(cuda_tile.show(layout).html)
    assert tree.get("aria-label") == f"layout: layout of a tile of {_x(shape)}"


def _x(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def test_words_in_banks_are_the_layouts() -> None:
    buffer = row_major((16, 32))
    tree = ElementTree.fromstring(cuda_tile.show(buffer, bits=16).html)
    words = [
        g for g in tree.iter("{http://www.w3.org/2000/svg}g") if g.get("data-word")
    ]
    assert len(words) == 256
    for word in words:
        title = word.find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        number = int(word.get("data-word", ""))
        coord = buffer.apply(2 * number)
        assert title.text == f"bank {number % 32}, byte {4 * number}: element {coord}"


@pytest.mark.parametrize(
    "buffer",
    [
        row_major((16, 64)),
        SharedLayout(
            (16, 64),
            (*((0, 1 << bit) for bit in range(6)), (1, 8), (2, 16), (4, 32), (8, 0)),
        ),
    ],
    ids=["plain", "swizzled"],
)
@pytest.mark.parametrize("stores", [False, True])
def test_conflicts_of_vectors_are_those_of_the_layouts(
    buffer: SharedLayout, stores: bool
) -> None:
    tile = LinearLayout(
        (16, 64), ((0, 1), (8, 0), *((0, 8 << b) for b in range(3))), LANES
    )
    access = find_access(tile, buffer, 16, stores=stores, matrices=False)
    assert access is not None
    assert access.bytes_ == 4
    assert access.extra == bank_conflicts(tile, buffer, 16, 2)


def test_matrices_are_used_where_they_may_be() -> None:
    tile = LinearLayout((16, 16), ((0, 1), (8, 0), (0, 8)), LANES)
    access = find_access(tile, row_major((16, 16)), 16, stores=False, matrices=True)
    assert access is not None
    assert (access.name, access.bytes_, len(access.lanes)) == ("ldmatrix.x4", 16, 32)


def test_a_module_is_its_text_in_colours(module: Any) -> None:
    html = module._repr_html_()
    plain = re.sub(r"<[^>]*>", "", html)
    unescaped = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    assert unescaped.strip() == str(module).strip()
    assert cuda_tile.show(module).html == html


def test_what_was_compiled_shows_its_resources(compiled: Any) -> None:
    (kernel,) = compiled.report.kernels
    html = compiled._repr_html_()
    row = ">registers per thread</th><td"
    assert row in html
    assert row in compiled.report._repr_html_()
    assert f">{kernel.registers}</td>" in kernel._repr_html_()
    for step in ("plan", "emit", "ptxas"):
        assert f">{step}</th>" in html


def test_a_run_shows_counts_and_bounds(module: Any, compiled: Any) -> None:
    arrays = [np.ones(1024, np.float32) for _ in range(3)]
    args = [part for array in arrays for part in cuda_tile.array_args(array)]
    report = cuda_tile.run(
        module,
        grid=1,
        args=args,
        on="emulator",
        compiled=compiled,
        bounds=find_target("sm_90"),
    )
    html = report._repr_html_()
    assert f">{report.totals['sectors']}</td>" in html
    assert "limiter" in html


def test_a_layout_of_the_ir(module: Any) -> None:
    placed = cuda_tile.lower(module, until="place")
    (entry,) = entries(placed.operation)
    value = next(
        value
        for op in nested_ops(entry)
        for value in op.results
        if is_distributed(value)
    )
    picture = cuda_tile.show(tile_of(value).layout)
    assert picture.title == "a layout of 1024"


def test_pictures_are_saved(tmp_path: Path, module: Any) -> None:
    cuda_tile.show(ATOM).save(tmp_path / "atom.svg")
    ElementTree.parse(tmp_path / "atom.svg")
    cuda_tile.show(module).save(tmp_path / "module.html")
    assert (tmp_path / "module.html").read_text().startswith("<!doctype html>")
    with pytest.raises(UserError, match=r"suffix \.html for a picture of a module"):
        cuda_tile.show(module).save(tmp_path / "module.svg")
    with pytest.raises(UserError, match="cannot write"):
        cuda_tile.show(ATOM).save(tmp_path / "none" / "atom.svg")


def test_what_has_no_picture() -> None:
    with pytest.raises(UserError, match=r"expected a layout, a module, .* got int"):
        cuda_tile.show(3)


def test_compiling_loads_no_pictures() -> None:
    program = (
        "import sys, cuda_tile\n"
        f"cuda_tile.compile(cuda_tile.load({str(VADD)!r}))\n"
        "print([n for n in sys.modules if 'jinja2' in n or 'pictures' in n])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_new_numbers_of_values_are_no_change() -> None:
    old = ["%0 = a", "%1 = b %0", "%2 = c %1, %0", "return %2"]
    new = ["%0 = new", "%1 = a", "%2 = b %1", "%3 = c %2, %1", "return %3"]
    change = compare(old, new)
    assert [line.text for line in change.lines if line.kind in "+-"] == ["%0 = new"]


def test_other_operands_are_a_change() -> None:
    old = ["%0 = a", "%1 = b", "%2 = c %0, %1"]
    new = ["%0 = a", "%1 = b", "%2 = c %1, %1"]
    change = compare(old, new)
    assert [(line.kind, line.text) for line in change.lines if line.kind in "+-"] == [
        ("-", "%2 = c %0, %1"),
        ("+", "%2 = c %1, %1"),
    ]


def test_a_name_may_be_defined_again_in_the_next_region() -> None:
    old = ["a {", "%1 = x", "use %1", "} b {", "%1 = y", "use %1", "}"]
    new = ["a {", "%1 = x", "use %1", "} b {", "%2 = y", "use %2", "}"]
    assert compare(old, new).lines == ()


def test_long_texts_are_compared_by_their_ends() -> None:
    old = [f"%{n} = op {n}" for n in range(30_000)]
    new = [*old[:15_000], "%x = new", *old[15_000:]]
    change = compare(old, new)
    assert [line.text for line in change.lines if line.kind in "+-"] == ["%x = new"]
    assert (change.added, change.removed) == (1, 0)


def test_iterations_keep_to_the_protocol_of_rings() -> None:
    """Three slots, eight iterations, one role that loads and one that works."""
    rings = [Ring(3, "x")]
    load = [RingEvent(1, 0, k, t) for t in range(8) for k in ("acquire", "publish")]
    work = [RingEvent(0, 0, k, t) for t in range(8) for k in ("take", "release")]
    iterations = schedule([*load, *work], rings)
    assert len(iterations) == 8
    for (_, number), iteration in iterations.items():
        assert iteration.acquire is not None
        assert iteration.publish is not None
        assert iteration.take is not None
        assert iteration.release is not None
        assert (
            iteration.acquire <= iteration.publish < iteration.take < iteration.release
        )
        if number >= 3:
            before = iterations[0, number - 3].release
            assert before is not None
            assert iteration.acquire >= before
