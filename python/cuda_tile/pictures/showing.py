# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda_tile.show`: pictures of layouts, modules, reports; for notebooks and files."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import LayoutAttr
from cuda_tile.api import Compiled
from cuda_tile.emulator.report import Report as RunReport
from cuda_tile.errors import UserError
from cuda_tile.files import replace_file
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.pictures.bank_picture import banks_svg
from cuda_tile.pictures.highlight import code_html
from cuda_tile.pictures.html_page import COUNTS, number_text, resource_rows
from cuda_tile.pictures.layout_picture import layout_svg
from cuda_tile.report import KernelReport, Report

MOST_LINES = 2000
"""Lines of a text that a notebook shows; the rest is counted."""
_DEFAULT_BITS = 16
_MONO = "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px"
# A text scrolls in a box: notebooks would wrap its lines within words, and a long one
# would push the next cell out of sight.
_BOX = f"{_MONO};line-height:1.45;white-space:pre;overflow:auto;max-height:40em"
_HEAD = "text-align:left;font-weight:normal;white-space:nowrap"
# Colours that are readable on the light and the dark ground of notebooks.
_COLORS = {
    "comment": "#7d8794",
    "string": "#2e8b57",
    "number": "#c0762a",
    "keyword": "#a05fd0",
    "type": "#4a86d8",
    "value": "inherit",
}


class Picture:
    """Something to look at: a notebook shows it, `save` writes it to a file.

    Attributes:
        html: The picture as HTML, without a page around it.
        title: What it shows.
    """

    def __init__(self, html: str, title: str) -> None:
        self.html = html
        self.title = title

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.html

    def __repr__(self) -> str:
        """One line."""
        return f"<Picture of {self.title}; save('FILE.html') writes it>"

    @property
    def is_svg(self) -> bool:
        """Whether it is one SVG picture."""
        return self.html.startswith("<svg")

    def save(self, path: str | Path) -> None:
        """Writes it to a file: `.svg` if it is one picture, else `.html`.

        Raises:
            UserError: The suffix is another one, or the file cannot be written.
        """
        path = Path(path)
        known = (".svg", ".html") if self.is_svg else (".html",)
        if path.suffix not in known:
            raise UserError(
                f"expected a file with suffix {' or '.join(known)} for a picture of "
                f"{self.title}, got '{path}'"
            )
        text = self.html
        if path.suffix == ".html":
            text = (
                '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
                f"<title>{escape(self.title)}</title>"
                "<style>:root{color-scheme:light dark}body{margin:20px}</style>"
                f"<body>{self.html}</body></html>\n"
            )
        try:
            replace_file(path, text.encode())
        except OSError as error:
            raise UserError(f"cannot write '{path}': {error.strerror}") from None


def show(thing: Any, *, bits: int = _DEFAULT_BITS) -> Picture:
    """A picture of a layout, a module, a compilation or a report.

    Args:
        thing: A `LinearLayout` (grids coloured by register, lane and warp), a
            `SharedLayout` (banks), a module or an op (its text in colours), what
            `compile` gave or its report (resources, remarks, time per step), the report
            of a run on the emulator (counts and bounds), or a layout attribute of the
            IR with `shape=` in its type.
        bits: Bits of an element, for layouts in shared memory.

    Raises:
        UserError: There is no picture of such a thing.
    """
    for kind, draw in _PICTURES:
        if isinstance(thing, kind):
            return draw(thing, bits)
    raise UserError(
        "expected a layout, a module, a compilation or a report to show, got "
        f"{type(thing).__name__}"
    )


def _layout(layout: LinearLayout, _bits: int) -> Picture:
    return Picture(layout_svg(layout), f"a layout of {_shape(layout)}")


def _shared(layout: SharedLayout, bits: int) -> Picture:
    return Picture(banks_svg(layout, bits), f"a layout of {_shape(layout)} in banks")


def _shape(layout: LinearLayout | SharedLayout) -> str:
    return "x".join(map(str, layout.shape))


def _attribute(attribute: LayoutAttr, bits: int) -> Picture:
    """A layout of the IR, of the smallest tile that it covers."""
    groups = attribute.groups
    terms = [term for group in groups for basis in group for term in basis]
    rank = max((dim for _, dim in terms), default=0) + 1
    shape = [1] * rank
    for step, dim in terms:
        shape[dim] = max(shape[dim], 2 * step)
    if attribute.is_flat:
        return _shared(SharedLayout.from_groups(shape, groups), bits)
    return _layout(LinearLayout.from_groups(shape, groups), bits)


def _module(module: ir.Module | ir.Operation | ir.OpView, _bits: int) -> Picture:
    return Picture(_code(str(module), "mlir"), "a module")


def _code(text: str, language: str) -> str:
    """A text in colours, cut after `MOST_LINES`."""
    lines = text.rstrip("\n").split("\n")
    shown = "\n".join(code_html(line, language) for line in lines[:MOST_LINES])
    for name, color in _COLORS.items():
        shown = shown.replace(f'class="t-{name}"', f'style="color:{color}"')
    more = len(lines) - MOST_LINES
    rest = f"\n... and {more} more lines" if more > 0 else ""
    return f'<pre style="{_BOX}">{shown}{rest}</pre>'


def _compiled(compiled: Compiled, _bits: int) -> Picture:
    names = ", ".join(f"@{name}" for name in compiled.launch)
    sizes = (
        f"{number_text(len(compiled.ptx))} characters of PTX, cubin of "
        f"{number_text(len(compiled.cubin))} bytes"
    )
    ptx = f"<details><summary>PTX</summary>{_code(compiled.ptx, 'ptx')}</details>"
    html = f"<div><p>{escape(sizes)}</p>{_report_html(compiled.report)}{ptx}</div>"
    return Picture(html, names)


def _report(report: Report, _bits: int) -> Picture:
    names = ", ".join(f"@{kernel.kernel}" for kernel in report.kernels)
    return Picture(f"<div>{_report_html(report)}</div>", f"the report of {names}")


def _report_html(report: Report) -> str:
    parts = [_kernel_html(kernel) for kernel in report.kernels]
    if report.warnings:
        parts.append(_list("warnings of ptxas", report.warnings))
    if report.seconds:
        parts.append(_steps(report.seconds))
    return "".join(parts)


def _kernel(kernel: KernelReport, _bits: int) -> Picture:
    html = f"<div>{_kernel_html(kernel)}</div>"
    return Picture(html, f"the report of @{kernel.kernel}")


def _kernel_html(kernel: KernelReport) -> str:
    rows = [*resource_rows(kernel), ("plan", kernel.plan)]
    rows += [("choice", line) for line in kernel.choice]
    rows += [("launch", line) for line in kernel.launch_texts]
    heading = escape(f"@{kernel.kernel} for {kernel.target_text}")
    remarks = _list("remarks", kernel.remarks) if kernel.remarks else ""
    return f"<p><b>{heading}</b></p>{_table(rows)}{remarks}"


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><th style="{_HEAD}">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def _list(title: str, lines: tuple[str, ...]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p>{escape(title)}</p><ul>{items}</ul>"


def _steps(seconds: dict[str, float]) -> str:
    """Compile time per step as bars."""
    most = max(seconds.values()) or 1.0
    rows = "".join(
        f'<tr><th style="{_HEAD}">{escape(name)}</th>'
        '<td style="width:320px;text-align:left"><div style="background:#4a86d8;'
        f'height:10px;border-radius:2px;width:{100 * spent / most:.1f}%"></div></td>'
        f'<td style="text-align:right">{spent * 1e3:.1f} ms</td></tr>'
        for name, spent in seconds.items()
    )
    return f"<p>compile time</p><table>{rows}</table>"


def _run(report: RunReport, _bits: int) -> Picture:
    """Counts of a run, its bounds, and its findings."""
    rows = [(label, number_text(report.totals[name])) for name, label in COUNTS.items()]
    parts = [f"<p><b>{escape(report.kernel)}</b></p>", _table(rows)]
    if report.findings:
        parts.append(_list("findings", tuple(map(str, report.findings))))
    if report.bounds is not None:
        from cuda_tile.emulator.bounds.text import bounds_text

        text = escape(bounds_text(report.bounds))
        parts.append(f'<pre style="{_BOX}">{text}</pre>')
    return Picture(f"<div>{''.join(parts)}</div>", f"a run of {report.kernel}")


_PICTURES: tuple[tuple[type | tuple[type, ...], Callable[[Any, int], Picture]], ...] = (
    (LinearLayout, _layout),
    (SharedLayout, _shared),
    (LayoutAttr, _attribute),
    ((ir.Module, ir.Operation, ir.OpView), _module),
    (Compiled, _compiled),
    (Report, _report),
    (KernelReport, _kernel),
    (RunReport, _run),
)
