# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remarks of a compilation as compilers write them: records of YAML, or text.

The form is that of LLVM's optimisation remarks, as producers' launchers read it from
their own compiler: a record has a kind, a category, a name, a place in the source, the
kernel, and arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from cuda_tile.locations import Place
from cuda_tile.remarks import TITLES, Kind, Remark, read_remark
from cuda_tile.report import KernelReport

KINDS: tuple[Kind, ...] = ("passed", "missed", "failed", "analysis")
CATEGORIES = ("none", "all", "memory", "tensorcore")
"""What may be asked for. A remark that is about neither memory nor matrix instructions
is of category `plan`, which only `all` shows."""


def quoted(place: Place) -> str:
    """A place as NVIDIA's compiler writes it, which producers read."""
    return f'"{place.file}":{place.line}:{place.column}'


def remarks_of(kernel: KernelReport) -> Iterator[Remark]:
    """What was given up for a kernel, and what it uses."""
    for text in kernel.remarks:
        yield read_remark(text, kernel.kernel)
    facts = (
        ("Threads", str(kernel.threads)),
        ("Registers", str(kernel.registers)),
        ("SpilledBytes", str(kernel.spill_bytes)),
        ("SharedBytes", str(kernel.shared_bytes)),
        ("Occupancy", f"{kernel.occupancy:.0%}"),
    )
    said = f"uses {kernel.registers} registers and {kernel.shared_bytes} bytes of "
    said += "shared memory"
    yield Remark("analysis", "plan", "Resources", kernel.kernel, said, None, facts)


def wanted(remark: Remark, filters: Mapping[Kind, str]) -> bool:
    """Whether filters, one of `CATEGORIES` per kind, let a remark through."""
    return filters[remark.kind] in ("all", remark.category)


def to_yaml(remarks: Sequence[Remark]) -> str:
    """One YAML document per remark."""
    return "".join(_record(number, each) for number, each in enumerate(remarks, 1))


def _record(number: int, remark: Remark) -> str:
    lines = [
        f"--- !{remark.kind.capitalize()}",
        f"Pass:            {TITLES[remark.category]}",
        f"Name:            {remark.name}",
    ]
    if (at := remark.place) is not None:
        where = f"File: {_quoted(at.file)}, Line: {at.line}, Column: {at.column}"
        lines.append(f"DebugLoc:        {{ {where} }}")
    lines += [f"Function:        {_quoted(remark.function)}", "Args:"]
    lines.append(f"  - RemarkId:    {number}")
    lines.append(f"  - Remark:      {_quoted(remark.text)}")
    lines += [f"  - {name}: {_quoted(value)}" for name, value in remark.facts]
    return "\n".join([*lines, "...", ""])


def _quoted(text: str) -> str:
    """A single-quoted YAML scalar; a line break in it would fold to a blank."""
    return "'" + " ".join(text.replace("'", "''").splitlines()) + "'"


def to_text(remarks: Iterable[Remark]) -> str:
    """The remarks by kernel and category, for people."""
    lines: list[str] = []
    for function, of_kernel in groupby(remarks, key=lambda each: each.function):
        lines += [f"in function: {function}:", ""]
        ordered = sorted(of_kernel, key=lambda each: each.category)
        for category, group in groupby(ordered, key=lambda each: each.category):
            lines.append(f"  category: {TITLES[category]}")
            for remark in group:
                lines += _paragraph(remark)
    return "\n".join(lines)


def _paragraph(remark: Remark) -> list[str]:
    lines = [f"    remark[{remark.kind}]: {remark.text}"]
    if remark.place is not None:
        lines.append(f"      --> {quoted(remark.place)}")
    lines += ["       |", f"       = name: {remark.name}"]
    lines += [f"       = note: {name} = {value}" for name, value in remark.facts]
    return [*lines, ""]
