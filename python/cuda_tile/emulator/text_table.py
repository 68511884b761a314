# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts for people: a table of totals, and PTX text with counts by its side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Counts = Mapping[str, int]

# How a count is called in the table, and above its column in a listing.
_WORDS = {
    "warps": ("instructions, per warp", "warps"),
    "requests": ("memory requests, per warp", "requests"),
    "sectors": ("32-byte sectors of global memory", "sectors"),
    "min_sectors": ("  least that could do", "least"),
    "wavefronts": ("wavefronts of shared memory", "wavefronts"),
    "bank_conflicts": ("  of them bank conflicts", "conflicts"),
    "flops": ("operations of matrix instructions", "flop"),
    "bytes": ("bytes that instructions move", "bytes"),
    "bytes_global_load": ("  loads of global memory", ""),
    "bytes_global_store": ("  stores to global memory", ""),
    "bytes_global_atomic": ("  atomics in global memory", ""),
    "bytes_shared_load": ("  loads of shared memory", ""),
    "bytes_shared_store": ("  stores to shared memory", ""),
    "bytes_shared_atomic": ("  atomics in shared memory", ""),
    "bytes_cluster": ("  other CTAs' shared memory", ""),
    "bytes_copy_in": ("  copies into shared memory", ""),
    "bytes_copy_out": ("  copies out of shared memory", ""),
    "bytes_matrix": ("  matrix operands in shared memory", ""),
}
_ALWAYS = ("warps", "bank_conflicts")
_MOST_COLUMNS = 4
_MOST_MNEMONICS = 8


def table(
    title: str,
    columns: Sequence[tuple[str, Counts]],
    mixes: Sequence[tuple[str, Counts]],
) -> str:
    """Returns a row for each count that is not zero, and lines on instructions.

    Args:
        title: Stands above the names of the counts.
        columns: Headings with counts, the totals first.
        mixes: What lies in which loop, by mnemonic.
    """
    columns = columns[:_MOST_COLUMNS]
    everything = columns[0][1]
    names = [
        n for n in _WORDS if everything[n] or (n in _ALWAYS and _is_used(n, everything))
    ]
    width = max(len(title), *(len(_WORDS[name][0]) + 2 for name in names))
    widths = [max(12, len(heading)) for heading, _ in columns]
    heads = [f"{heading:>{w}}" for (heading, _), w in zip(columns, widths, strict=True)]
    lines = [f"{title:<{width}}  {'  '.join(heads)}"]
    for name in names:
        cells = [
            f"{counts[name]:>{w}}"
            for (_, counts), w in zip(columns, widths, strict=True)
        ]
        lines.append(f"  {_WORDS[name][0]:<{width - 2}}  {'  '.join(cells)}")
    lines += [f"{heading}: {_mix(mix)}" for heading, mix in mixes[: _MOST_COLUMNS - 1]]
    return "\n".join(lines)


def _is_used(name: str, counts: Counts) -> bool:
    """Whether a zero says something: no conflicts, but accesses that could have."""
    return name != "bank_conflicts" or bool(counts["wavefronts"])


def _mix(mix: Counts) -> str:
    parts = [f"{count} {name}" for name, count in list(mix.items())[:_MOST_MNEMONICS]]
    rest = sum(list(mix.values())[_MOST_MNEMONICS:])
    return ", ".join([*parts, f"{rest} others"] if rest else parts)


def listing(
    text: Sequence[str],
    lines: Mapping[int, Counts],
    notes: Mapping[int, str] | None = None,
) -> str:
    """Returns a program with counts before each executed line.

    Columns that are zero everywhere are left out.

    Args:
        text: The lines of the program.
        lines: Counts by number of the line, from 1.
        notes: What to write above a line, by its number.
    """
    names = [
        name
        for name, (_, head) in _WORDS.items()
        if head and any(counts[name] for counts in lines.values())
    ]
    widths = [
        max(len(_WORDS[n][1]), *(len(str(counts[n])) for counts in lines.values()))
        for n in names
    ]
    heads = [f"{_WORDS[n][1]:>{w}}" for n, w in zip(names, widths, strict=True)]
    output = [f"{' '.join(heads)}  line"]
    for number, source in enumerate(text, 1):
        if notes and number in notes:
            output.append(f"// {notes[number]}")
        counts = lines.get(number)
        cells = [
            f"{counts[n]:>{w}}" if counts and counts[n] else " " * w
            for n, w in zip(names, widths, strict=True)
        ]
        output.append(f"{' '.join(cells)}  {number:>4} {source}".rstrip())
    return "\n".join(output)
